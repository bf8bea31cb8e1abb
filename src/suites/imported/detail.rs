//! What results say of a `imported` case beyond what every kind has.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::ImportedComponent;
use crate::text::{Redact, Redactor};

/// Where an `imported` case comes from, and what the other tool says of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedDetail {
    /// `json-lines`, `promptfoo`, `deepeval`, `inspect` or `junit`.
    pub format: String,
    /// The assertions or metrics that the outcome is made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<ImportedComponent>,
    /// Further scores under the other tool's names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
    /// What was changed when it was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Redact for ImportedDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { format: _, components, metrics: _, note: _ } = self;
        for component in components {
            component.name.redact(redactor);
            component.reason.redact(redactor);
        }
    }
}
