//! What was seen when a scenario ran, for `evaluate` to judge.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::format::Scope;

/// A file in a scope, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    Missing,
    /// A file with these bytes.
    File(Vec<u8>),
    Directory,
    /// It could not be looked at.
    Unreadable(String),
}

/// Everything that was seen.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    /// Why the scenario could not be carried out, if that is so.
    pub broken: Option<String>,
    /// What the agent did wrong, if it ran.
    pub agent_fault: Option<String>,
    /// One entry for each declared goal.
    pub goals: Vec<GoalOutcome>,
    /// The files that assertions are about, before the agent task.
    pub before: BTreeMap<(Scope, String), FileState>,
    /// The same at the end.
    pub after: BTreeMap<(Scope, String), FileState>,
    /// The files that the agent task created, changed or deleted.
    pub changed: Vec<String>,
    /// Where the working copy is, if it was kept.
    pub kept: Option<String>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Whether nobody was to be asked.
    pub not_asked: bool,
}

/// How a goal went.
#[derive(Debug, Clone)]
pub struct GoalOutcome {
    pub goal: String,
    /// How it came out.
    pub status: GoalStatus,
    pub command: String,
    /// Its exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration: Duration,
    /// Its standard output, bounded.
    pub stdout: String,
    /// Its standard error, bounded.
    pub stderr: String,
    /// What else there is to say.
    pub error: Option<String>,
}

/// How a goal came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GoalStatus {
    /// It exited with 0.
    Passed,
    /// It exited otherwise.
    Failed,
    /// It did not end in time.
    #[serde(rename = "timed out")]
    TimedOut,
    /// It was not run, because something before it went wrong.
    #[serde(rename = "not run")]
    NotRun,
    /// It could not be run: a tool is missing.
    Error,
}

impl GoalStatus {
    /// The word in the results.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::NotRun => "not run",
            Self::Error => "error",
        }
    }
}
