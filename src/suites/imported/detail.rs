//! What results say of a `imported` case beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where an `imported` case comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedDetail {
    /// `json-lines`, `promptfoo` or `junit`.
    pub format: String,
}
