//! Smoke cases over a small corpus, both inside of the binary: whether ranking works at all.

use std::sync::LazyLock;

use super::format::EvalCase;
use crate::model::{Answer, Ending, Request};
use crate::targets::TargetSettings;
use crate::targets::index::Index;

const CASES: &str = include_str!("builtin/cases.json");
const CORPUS: &str = include_str!("builtin/corpus.json");

/// The cases, with the text they stand in.
pub(super) fn cases() -> Result<Vec<EvalCase>, serde_json::Error> {
    serde_json::from_str(CASES)
}

/// The text of the cases, for their lines.
pub(super) const fn cases_text() -> &'static str {
    CASES
}

/// The corpus as a target.
pub(super) fn target() -> TargetSettings {
    TargetSettings::of_corpus(CORPUS)
}

static INDEX: LazyLock<Result<Index, String>> =
    LazyLock::new(|| Index::of_corpus(CORPUS).map_err(|why| why.to_string()));

/// Asks the corpus, whatever target the suite has.
pub(super) async fn ask(request: Request, stop: &crate::process::Stop) -> Answer {
    match &*INDEX {
        Ok(index) => crate::targets::ask_index(index, request, stop).await,
        Err(why) => Answer::ended(Ending::CouldNotStart { why: why.clone() }),
    }
}
