//! What results say of a `scenario` case beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observation::GoalStatus;
use crate::model::Status;
use crate::text::{Redact, Redactor};

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
    /// The goal's name.
    pub goal: String,
    /// `passed`, `failed`, `timed out`, `not run` or `error`.
    pub status: GoalStatus,
    /// The command line that was run.
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
    /// Why the assertion came out this way.
    pub details: Option<String>,
    /// What its author noted.
    pub note: Option<String>,
    /// Of a `diff-match` that failed: the nearest hunk and the real diff, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl Redact for ScenarioDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { title, adapter_id: _, goals, pattern_assertions, changed, working_copy: _ } = self;
        title.redact(redactor);
        goals.redact(redactor);
        pattern_assertions.redact(redactor);
        changed.redact(redactor);
    }
}

impl Redact for GoalDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { goal: _, status: _, command, exit_code: _, duration_ms: _, stdout, stderr, error } = self;
        command.redact(redactor);
        stdout.redact(redactor);
        stderr.redact(redactor);
        error.redact(redactor);
    }
}

impl Redact for AssertionDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { kind, path, scope: _, status: _, details, note, preview } = self;
        kind.redact(redactor);
        path.redact(redactor);
        details.redact(redactor);
        note.redact(redactor);
        preview.redact(redactor);
    }
}
