//! Memories: JSON arrays, and Markdown files.

use serde::Deserialize;

/// Something that a team wants to remember.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// How it is found.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Labels.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// The memories of a file: a JSON array of `id`, `text`, `tags`, or a Markdown file, which is one memory called
/// `memory:` and its path without `.md`.
pub fn parse_memories(path: &str, text: &str) -> Result<Vec<Memory>, String> {
    if let Some(name) = path.strip_suffix(".md") {
        return Ok(vec![Memory { id: format!("memory:{name}"), text: text.to_owned(), tags: Vec::new() }]);
    }
    serde_json::from_str(text).map_err(|error| format!("expected an array of {{id, text, tags}}: {error}"))
}
