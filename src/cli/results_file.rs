//! Reads results that an earlier run left behind.
#![expect(clippy::disallowed_methods, reason = "edge: reads files")]

use std::path::Path;

use super::Failure;
use crate::input::read_text;
use crate::results::Results;

/// Reads a results file, or the one in a directory.
pub(super) fn read(place: &Path) -> Result<Results, Failure> {
    let path = if place.is_dir() { place.join("results.json") } else { place.to_owned() };
    let shown = path.display().to_string();
    let text = read_text(&path, &shown)?;
    Results::parse(text.as_bytes()).map_err(|error| Failure::Usage(format!("{shown}: {error}")))
}
