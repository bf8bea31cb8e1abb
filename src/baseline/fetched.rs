//! What `baseline fetch` brings: the baseline with everything that a full clone would have told about it.

use serde::{Deserialize, Serialize};

use super::Baseline;
use crate::input::{InputError, InputErrors};

/// The value of `schema` in every file of this version.
pub const FETCHED_SCHEMA: &str = "evalratchet.fetched/v1";

/// A baseline that was found through GitHub's API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetched {
    /// `evalratchet.fetched/v1`.
    pub schema: String,
    /// Where it was found, or why there is none.
    pub found: Where,
    /// The commit that the run is based on.
    pub base: Option<String>,
    /// Whether this is the branch that has the baseline.
    pub on_main: bool,
    /// The baseline.
    pub baseline: Option<Baseline>,
    /// The file as it is in the commit that the run is based on.
    pub at_base: Option<Baseline>,
    /// Earlier baselines up to this one, oldest first.
    pub versions: Vec<Baseline>,
    /// What is to be said of where it was looked for.
    pub remark: Option<String>,
}

/// Where a baseline was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// There, in words.
    At(String),
    /// Nowhere, and why.
    Nowhere(String),
}

impl Fetched {
    /// None, and why.
    pub fn nowhere(why: String) -> Self {
        Self {
            schema: FETCHED_SCHEMA.to_owned(),
            found: Where::Nowhere(why),
            base: None,
            on_main: false,
            baseline: None,
            at_base: None,
            versions: Vec::new(),
            remark: None,
        }
    }

    /// Reads such a file; `None` if it is something else, such as a plain baseline.
    pub fn parse(file: &str, text: &str) -> Option<Result<Self, InputErrors>> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        if value.get("schema").and_then(serde_json::Value::as_str) != Some(FETCHED_SCHEMA) {
            return None;
        }
        let fetched = serde_json::from_value(value);
        Some(fetched.map_err(|error| InputError::in_file(file, format!("does not fit its schema: {error}")).into()))
    }
}
