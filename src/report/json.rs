//! `results.json`.

use crate::results::Results;

/// The results as indented JSON with a final newline.
pub fn json(results: &Results) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(results)?;
    text.push('\n');
    Ok(text)
}
