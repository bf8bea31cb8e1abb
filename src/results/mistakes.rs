//! `mistakes.json`, version 1: why a run measured nothing. It stands in the place of `results.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Tool;
use crate::model::Sha;

/// The value of `schema` in every file of this version.
pub const MISTAKES_SCHEMA: &str = "evalratchet.mistakes/v1";

/// What kept a run from measuring anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mistakes {
    /// `evalratchet.mistakes/v1`.
    pub schema: String,
    /// The program that wrote this file, and its version.
    #[serde(default)]
    pub tool: Tool,
    /// The commit that was to be evaluated, where git knows it.
    #[serde(default)]
    pub commit: Option<Sha>,
    /// The configuration's file name.
    #[serde(default)]
    pub config: String,
    /// The configuration's directory within the repository, with a final `/`; empty at its root.
    #[serde(default)]
    pub prefix: String,
    /// What `run` exited with.
    pub exit_code: u8,
    /// Every mistake, in the order of the files.
    pub mistakes: Vec<Mistake>,
}

/// One mistake in the configuration or in the data, with its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mistake {
    /// The file, from the root of the repository; `null` if it is about none in it.
    #[serde(default)]
    pub file: Option<String>,
    /// From 1; `null` if it is about the file as a whole.
    #[serde(default)]
    pub line: Option<usize>,
    /// From 1; `null` if it is about the file as a whole.
    #[serde(default)]
    pub column: Option<usize>,
    pub message: String,
    /// The line, with the place marked below it.
    #[serde(default)]
    pub excerpt: Option<String>,
    /// What to do about it.
    #[serde(default)]
    pub help: Option<String>,
}

impl Mistakes {
    /// Reads such a file, whichever release wrote it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mistakes: Self =
            serde_json::from_slice(bytes).map_err(|error| format!("does not fit {MISTAKES_SCHEMA}: {error}"))?;
        if mistakes.schema != MISTAKES_SCHEMA {
            let other: String = mistakes.schema.chars().take(80).collect();
            return Err(format!("has the schema {other}, not {MISTAKES_SCHEMA}"));
        }
        if mistakes.mistakes.is_empty() {
            return Err("names no mistake".to_owned());
        }
        Ok(mistakes)
    }
}
