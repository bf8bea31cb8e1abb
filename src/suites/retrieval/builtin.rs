//! Smoke cases over a small corpus, both inside of the binary: whether ranking works at all.

use super::format::EvalCase;
use crate::targets::TargetSettings;

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
