//! Memories: JSON arrays, and Markdown files.

use serde::Deserialize;

/// Something that a team wants to remember.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// How it is found.
    pub id: String,
    pub text: String,
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A file that holds no memories.
#[derive(Debug, thiserror::Error)]
#[error("expected an array of {{id, text, tags}}: {0}")]
pub struct MemoryError(#[from] serde_json::Error);

/// The memories of a file: a JSON array of `id`, `text`, `tags`, or a Markdown file, which is one memory called
/// `memory:` and its path without `.md`.
pub fn parse_memories(path: &str, text: &str) -> Result<Vec<Memory>, MemoryError> {
    if let Some(name) = path.strip_suffix(".md") {
        return Ok(vec![Memory { id: format!("memory:{name}"), text: text.to_owned(), tags: Vec::new() }]);
    }
    Ok(serde_json::from_str(text)?)
}
