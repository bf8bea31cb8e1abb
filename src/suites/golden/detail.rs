//! What results say of a `golden` case or suite beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Usage;
use crate::text::{Redact, Redactor};

/// A module in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoldenSuiteDetail {
    /// The module's folder.
    pub module: String,
    /// How many cases it has.
    pub total_cases: usize,
    /// The mean score of those that were measured.
    pub avg_score: Option<f64>,
    /// How many passed.
    pub passed_cases: usize,
    /// How many did not.
    pub failed_cases: usize,
    /// From the first question to the last answer, such as `4.2s`.
    pub duration: String,
    /// How many recorded answers are the same as golden: they prove nothing until recorded again.
    pub accepted: usize,
    /// What the answers consumed, where that is known.
    pub usage: Option<Usage>,
}

/// What a `golden` case asked, was answered and earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoldenDetail {
    /// The module's folder.
    pub module: String,
    /// What the case is about; only people read it.
    pub description: String,
    /// The input that the target was given.
    pub input: Value,
    /// The reviewed answer; `null` if there is none yet.
    pub golden: Value,
    /// What was answered, read as the module wants it; `null` if it could not be.
    pub actual: Value,
    /// What was answered, as text, where it could not be read.
    pub unread: Option<String>,
    /// One entry for each component of the scorer.
    pub components: Vec<ComponentDetail>,
    /// The score from which on a case passes.
    pub pass_at: f64,
    /// Whether a recorded answer is the same as golden.
    pub accepted: bool,
    /// Further fields of the case that the scorer does not look at, or that golden contradicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<String>,
}

/// What one component earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentDetail {
    /// The component's name.
    pub name: String,
    /// The name of the component's measure.
    pub measure: String,
    /// What it can earn.
    pub weight: f64,
    /// What it earned; `null` if it was not measured.
    pub value: Option<f64>,
    /// What there is to say about it.
    pub note: Option<String>,
}

impl Redact for GoldenDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self {
            module: _,
            description,
            input,
            golden,
            actual,
            unread,
            components,
            pass_at: _,
            accepted: _,
            not_checked,
        } = self;
        description.redact(redactor);
        input.redact(redactor);
        golden.redact(redactor);
        actual.redact(redactor);
        unread.redact(redactor);
        not_checked.redact(redactor);
        for component in components {
            component.note.redact(redactor);
        }
    }
}
