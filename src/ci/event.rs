//! The event that a job was started for. Each host fills it from what it knows.

use std::collections::BTreeSet;
use std::fmt;

use crate::model::Sha;

/// The commit that is evaluated and that checks belong to. Of a pull request this is not what is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadSha(pub Sha);

/// The commit that the change goes onto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseSha(pub Sha);

/// `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryName {
    pub owner: String,
    /// What it is called.
    pub name: String,
}

impl RepositoryName {
    /// Reads `owner/name`.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        let is_name = |text: &str| {
            !text.is_empty()
                && text != "."
                && text != ".."
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        (is_name(owner) && is_name(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// `pull_request`
    PullRequest,
    /// `pull_request_target`
    PullRequestTarget,
    /// `push`
    Push,
    /// `merge_group`
    MergeGroup,
    /// `release`
    Release,
    /// `schedule`
    Schedule,
    /// `workflow_dispatch`
    WorkflowDispatch,
    /// `workflow_run`
    WorkflowRun,
    /// `issue_comment`
    IssueComment,
    Other(String),
}

impl EventKind {
    pub(super) fn of(name: &str) -> Self {
        match name {
            // A review has the pull request and its commits in its payload, as `pull_request` has.
            "pull_request" | "pull_request_review" | "pull_request_review_comment" => Self::PullRequest,
            "pull_request_target" => Self::PullRequestTarget,
            "push" => Self::Push,
            "merge_group" => Self::MergeGroup,
            "release" => Self::Release,
            "schedule" => Self::Schedule,
            "workflow_dispatch" => Self::WorkflowDispatch,
            "workflow_run" => Self::WorkflowRun,
            "issue_comment" => Self::IssueComment,
            other => Self::Other(other.to_owned()),
        }
    }

    /// As GitHub calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::PullRequest => "pull_request",
            Self::PullRequestTarget => "pull_request_target",
            Self::Push => "push",
            Self::MergeGroup => "merge_group",
            Self::Release => "release",
            Self::Schedule => "schedule",
            Self::WorkflowDispatch => "workflow_dispatch",
            Self::WorkflowRun => "workflow_run",
            Self::IssueComment => "issue_comment",
            Self::Other(name) => name,
        }
    }
}

/// Whose commits these are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Own,
    /// Those of a fork, which may be gone by now.
    Fork(Option<String>),
}

/// An attempt of a run of the host, the later the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunAttempt {
    /// The number of the run; 0 outside of CI.
    pub id: u64,
    /// From 1.
    pub attempt: u64,
}

/// The job of a workflow that this is. A run may have several, and a matrix makes several of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobName {
    /// Its id in the workflow.
    pub id: String,
    /// The values of its matrix, separated by commas; empty without one.
    pub matrix: String,
}

impl JobName {
    /// The job with this id and this matrix, as `toJSON(matrix)` writes it.
    pub fn new(id: &str, matrix: Option<&str>) -> Self {
        let values: Option<serde_json::Value> = matrix.and_then(|text| serde_json::from_str(text).ok());
        let mut words = Vec::new();
        if let Some(values) = &values {
            add_values(values, &mut words);
        }
        Self { id: id.to_owned(), matrix: words.join(", ") }
    }
}

/// Every value in a matrix, in its order.
fn add_values(value: &serde_json::Value, words: &mut Vec<String>) {
    match value {
        serde_json::Value::Null => {}
        serde_json::Value::String(text) => words.push(text.clone()),
        serde_json::Value::Array(all) => all.iter().for_each(|one| add_values(one, words)),
        serde_json::Value::Object(all) => all.values().for_each(|one| add_values(one, words)),
        serde_json::Value::Bool(_) | serde_json::Value::Number(_) => words.push(value.to_string()),
    }
}

/// As GitHub shows it.
impl fmt::Display for JobName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matrix.as_str() {
            "" => formatter.write_str(&self.id),
            matrix => write!(formatter, "{} ({matrix})", self.id),
        }
    }
}

/// The event that this job was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
    /// The workflow that evaluated, by its name; of `workflow_run` the one that has ended.
    pub workflow: String,
    /// Which of its jobs this is, where the host says.
    pub job: Option<JobName>,
    pub repository: RepositoryName,
    /// What is checked out; of a pull request the merge commit that GitHub made.
    pub checked_out: Option<Sha>,
    pub head: Option<HeadSha>,
    /// The commit that GitHub made to test the merge of a pull request, if the payload names it. It may be of an earlier head.
    pub merge_commit: Option<Sha>,
    pub head_branch: Option<String>,
    /// What it goes onto.
    pub base: Option<BaseSha>,
    pub base_branch: Option<String>,
    /// The pull request's number, where the event names one.
    pub pull_request: Option<u64>,
    /// Whose commits these are.
    pub origin: Origin,
    /// Whether Dependabot made it.
    pub dependabot: bool,
    /// Whether it is a draft.
    pub draft: bool,
    /// The labels of the pull request.
    pub labels: BTreeSet<String>,
    /// The tag of a release.
    pub tag: Option<String>,
    /// The run that evaluated; of `workflow_run` the one that has ended.
    pub run: RunAttempt,
    /// Where the host shows that run.
    pub run_url: Option<String>,
    /// Where the host shows repositories.
    pub server: String,
    /// The repository's own branch.
    pub default_branch: Option<String>,
}

impl Event {
    /// Whether it is about a pull request, with its commits.
    pub fn is_pull_request(&self) -> bool {
        matches!(self.kind, EventKind::PullRequest | EventKind::PullRequestTarget)
    }

    /// The branch that the change goes to.
    pub fn target_branch(&self) -> Option<String> {
        match self.kind {
            EventKind::PullRequest | EventKind::PullRequestTarget | EventKind::MergeGroup => self.base_branch.clone(),
            EventKind::Push
            | EventKind::Release
            | EventKind::Schedule
            | EventKind::WorkflowDispatch
            | EventKind::WorkflowRun
            | EventKind::IssueComment
            | EventKind::Other(_) => self.default_branch.clone(),
        }
    }

    /// Whether the commits are a fork's.
    pub fn is_fork(&self) -> bool {
        self.origin != Origin::Own
    }
}

/// Why the event is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// A variable is missing.
    #[error("{0} is not set; this works in a job of GitHub Actions, or with that variable set")]
    Missing(&'static str),
    /// The file with the payload cannot be read.
    #[error("{variable}={path} cannot be read: {error}")]
    Unreadable {
        /// The variable that names it.
        variable: &'static str,
        path: String,
        error: String,
    },
    /// The payload is not what it should be.
    #[error("the payload in GITHUB_EVENT_PATH {0}")]
    Payload(String),
}
