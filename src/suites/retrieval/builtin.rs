//! Smoke cases over a small corpus, both inside of the binary: whether ranking works at all.

use serde::Deserialize;

use super::format::EvalCase;
use crate::targets::index::{CodeUnit, Index, Memory, UnitKind};

const CASES: &str = include_str!("builtin/cases.json");
const CORPUS: &str = include_str!("builtin/corpus.json");

#[derive(Deserialize)]
struct Corpus {
    code: Vec<Snippet>,
    memory: Vec<Memory>,
}

#[derive(Deserialize)]
struct Snippet {
    id: String,
    text: String,
}

/// The cases, with the text they stand in.
pub(super) fn cases() -> Result<Vec<EvalCase>, String> {
    serde_json::from_str(CASES).map_err(|error| error.to_string())
}

/// The text of the cases, for their lines.
pub(super) const fn cases_text() -> &'static str {
    CASES
}

/// An index over the corpus.
pub fn index() -> Result<Index, String> {
    let corpus: Corpus = serde_json::from_str(CORPUS).map_err(|error| error.to_string())?;
    let units = corpus.code.into_iter().map(|Snippet { id, text }| {
        let bare = id.trim_start_matches("code:");
        let (path, symbol) = bare.split_once("::").unwrap_or((bare, bare));
        let (path, symbol) = (path.to_owned(), symbol.to_owned());
        vec![CodeUnit { id, symbol, path, doc: String::new(), body: text, kind: UnitKind::Function, is_test: false }]
    });
    Ok(Index::of_units(units.collect(), &corpus.memory))
}
