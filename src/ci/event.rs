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
    Other(String),
}

impl EventKind {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "pull_request" => Self::PullRequest,
            "pull_request_target" => Self::PullRequestTarget,
            "push" => Self::Push,
            "merge_group" => Self::MergeGroup,
            "release" => Self::Release,
            "schedule" => Self::Schedule,
            "workflow_dispatch" => Self::WorkflowDispatch,
            "workflow_run" => Self::WorkflowRun,
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

/// The event that this job was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub kind: EventKind,
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
