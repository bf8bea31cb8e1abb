//! What results say of a `scenario` case beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observation::GoalStatus;
use crate::model::Status;

/// What a `scenario` case did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioDetail {
    /// What it is about.
    pub title: String,
    /// How goals became commands.
    pub adapter_id: String,
    /// One entry for each declared goal.
    pub goals: Vec<GoalDetail>,
    /// One entry for each declared assertion.
    pub pattern_assertions: Vec<AssertionDetail>,
    /// The files that the agent task created, changed or deleted.
    pub changed: Vec<String>,
    /// Where the working copy is, if it was kept.
    pub working_copy: Option<String>,
}

/// How a goal went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalDetail {
    /// Its name.
    pub goal: String,
    /// `passed`, `failed`, `timed out`, `not run` or `error`.
    pub status: GoalStatus,
    /// What was run.
    pub command: String,
    /// Its exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: f64,
    /// Its standard output, shortened in the middle.
    pub stdout: String,
    /// Its standard error, shortened in the middle.
    pub stderr: String,
    /// What else there is to say.
    pub error: Option<String>,
}

/// How an assertion came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssertionDetail {
    /// Its type as it was written.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file it is about.
    pub path: Option<String>,
    /// `fixture` or `repo`.
    pub scope: String,
    /// How it came out.
    pub status: Status,
    /// Why.
    pub details: Option<String>,
    /// What its author noted.
    pub note: Option<String>,
}
