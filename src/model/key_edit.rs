//! A case whose key a change edits: what it comes to by the key that main has.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Status;

/// An edit of a case's key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct KeyEdit {
    /// Main's key and the new one as a diff, shortened; nothing if main's could not be read.
    pub diff: Option<String>,
    /// How the answers of this run come out by main's key; nothing if they were not judged by it.
    pub by_main: Option<ByMainKey>,
    /// Why they were not.
    pub why_not: Option<String>,
}

/// How the answers to a case come out by main's key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ByMainKey {
    pub status: Status,
    /// The quality, 0…1.
    pub score: Option<f64>,
    /// What else was measured.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
    /// How many answers were measured.
    pub attempts: usize,
    /// How many of them pass.
    pub passes: usize,
}
