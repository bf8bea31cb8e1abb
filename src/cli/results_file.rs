//! Reads results that an earlier run left behind.
#![expect(clippy::disallowed_methods, reason = "edge: reads files")]

use std::path::Path;

use super::Failure;
use crate::input::read_text;
use crate::results::{RESULTS_SCHEMA, Results};

/// Reads a results file, or the one in a directory.
pub(super) fn read(place: &Path) -> Result<Results, Failure> {
    let path = if place.is_dir() { place.join("results.json") } else { place.to_owned() };
    let shown = path.display().to_string();
    let text = read_text(&path, &shown)?;
    let wrong = |why: String| Failure::Usage(format!("{shown}: {why}"));
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| wrong(format!("is not JSON: {error}")))?;
    match value["schema"].as_str() {
        Some(RESULTS_SCHEMA) => {}
        other => {
            let found = other.unwrap_or("nothing");
            return Err(wrong(format!("its schema is {found}, not {RESULTS_SCHEMA}")));
        }
    }
    serde_json::from_value(value).map_err(|error| wrong(format!("does not fit its schema: {error}")))
}
