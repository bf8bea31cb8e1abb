//! What results say of a `retrieval` case or suite beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::Lane;
use crate::text::{Redact, Redactor};

/// What the engine of a `retrieval` suite says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetrievalSuiteDetail {
    /// Expected ids that the index does not hold.
    pub missing_expected_ids: Vec<String>,
}

/// What a `retrieval` case asked and found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetrievalDetail {
    /// The id of the case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub case_id: String,
    /// What the case is about; only people read it.
    pub description: String,
    /// The specification it comes from.
    pub spec_id: String,
    /// The query that the engine was given.
    pub spec_content: String,
    /// The lane that was searched.
    pub lane: Lane,
    /// How many results were scored.
    pub k: usize,
    /// What was found, best first.
    pub top_ids: Vec<String>,
    /// What should be found.
    pub expected_ids: Vec<String>,
    /// What of it was found.
    pub hits: Vec<String>,
    /// What of it the index does not hold; left out of denominators.
    pub missing_expected_ids: Vec<String>,
    /// Hits divided by k.
    pub precision_at_k: Option<f64>,
    /// Hits divided by the expected ids that the index holds.
    pub recall_at_k: Option<f64>,
    /// One divided by the rank of the first hit.
    pub mrr: Option<f64>,
    /// Where the case comes from.
    pub source: CaseOrigin,
    /// Whether the engine could tell which ids it holds; if not, nothing is known to be missing.
    pub index_told: bool,
}

/// Where a retrieval case comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CaseOrigin {
    /// It is in the binary.
    Builtin,
    /// It stands in a file.
    Json,
}

impl CaseOrigin {
    /// The name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Json => "json",
        }
    }
}

impl Redact for RetrievalDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self {
            case_id: _,
            description,
            spec_id: _,
            spec_content,
            lane: _,
            k: _,
            top_ids,
            expected_ids,
            hits,
            missing_expected_ids,
            precision_at_k: _,
            recall_at_k: _,
            mrr: _,
            source: _,
            index_told: _,
        } = self;
        description.redact(redactor);
        spec_content.redact(redactor);
        for ids in [top_ids, expected_ids, hits, missing_expected_ids] {
            ids.redact(redactor);
        }
    }
}
