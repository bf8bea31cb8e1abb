//! What results say of a `imported` case beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Redact, Redactor};

/// Where an `imported` case comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedDetail {
    /// `json-lines`, `promptfoo` or `junit`.
    pub format: String,
}

impl Redact for ImportedDetail {
    /// It says in which format the results came, and nothing of theirs.
    fn redact(&mut self, _: &Redactor) {}
}
