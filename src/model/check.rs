//! One check of a case, where a case stands, and what its target wrote.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Status;

/// One declared check of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// How it came out.
    pub status: Status,
    /// Why, in one line; `null` where there is nothing to say.
    pub details: Option<String>,
}

/// A place in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Location {
    /// Relative to the configuration, with `/`.
    pub file: String,
    /// From 1.
    pub line: usize,
}

impl Location {
    /// The file from the root of the repository; `prefix` is the configuration's directory. `None` if it is outside.
    pub fn in_repository(&self, prefix: &str) -> Option<String> {
        if self.file.starts_with(['/', '\\']) || self.file.get(1..2) == Some(":") {
            return None;
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in prefix.split(['/', '\\']).chain(self.file.split(['/', '\\'])) {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        (!parts.is_empty()).then(|| parts.join("/"))
    }
}

/// What a target wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Bytes of it that were left out.
    pub stdout_omitted: u64,
    /// Standard error.
    pub stderr: String,
    /// Bytes of it that were left out.
    pub stderr_omitted: u64,
}
