//! Where are we? The event that GitHub started this job for, from its environment and its payload.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use crate::model::Sha;

/// The commit that is evaluated and that checks belong to. Of a pull request this is not `GITHUB_SHA`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadSha(pub Sha);

/// The commit that the change goes onto.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseSha(pub Sha);

/// `owner/name`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Who has it.
    pub owner: String,
    /// What it is called.
    pub name: String,
}

impl Repository {
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

impl fmt::Display for Repository {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.owner, self.name)
    }
}

/// Which event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
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
    /// Any other.
    Other(String),
}

impl Kind {
    fn of(name: &str) -> Self {
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
    /// The repository's own.
    Own,
    /// Those of a fork, which may be gone by now.
    Fork(Option<String>),
}

/// A run of a workflow, the later the greater.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// `GITHUB_RUN_ID`; 0 outside of GitHub.
    pub id: u64,
    /// `GITHUB_RUN_ATTEMPT`.
    pub attempt: u64,
}

/// The event that this job was started for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Which.
    pub kind: Kind,
    /// Where it happened.
    pub repository: Repository,
    /// What is checked out; of a pull request the merge commit that GitHub made.
    pub checked_out: Option<Sha>,
    /// What is evaluated.
    pub head: Option<HeadSha>,
    /// Its branch.
    pub head_branch: Option<String>,
    /// What it goes onto.
    pub base: Option<BaseSha>,
    /// Its branch.
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
    pub run: Run,
    /// The repository's own branch.
    pub default_branch: Option<String>,
}

/// Why the event cannot be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unknown {
    /// A variable is missing.
    #[error("{0} is not set; this works in a job of GitHub Actions, or with that variable set")]
    Missing(&'static str),
    /// The payload cannot be read.
    #[error("the payload in GITHUB_EVENT_PATH {0}")]
    Payload(String),
}

impl Event {
    /// Reads the event from variables and the payload.
    pub fn parse(variable: impl Fn(&str) -> Option<String>, payload: Option<&str>) -> Result<Self, Unknown> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let payload: Value = match payload {
            Some(text) => {
                serde_json::from_str(text).map_err(|error| Unknown::Payload(format!("is not JSON: {error}")))?
            }
            None => Value::Null,
        };
        let named = variable("GITHUB_REPOSITORY")
            .or_else(|| text(&payload, "/repository/full_name"))
            .or_else(|| text(&payload, "/pull_request/base/repo/full_name"));
        let repository = named.as_deref().and_then(Repository::parse).ok_or(Unknown::Missing("GITHUB_REPOSITORY"))?;
        let kind = Kind::of(&variable("GITHUB_EVENT_NAME").ok_or(Unknown::Missing("GITHUB_EVENT_NAME"))?);
        let number = |name: &str| variable(name).and_then(|text| text.parse().ok());
        let checked_out = variable("GITHUB_SHA").as_deref().and_then(Sha::parse);
        let mut event = Self {
            repository,
            head: checked_out.clone().map(HeadSha),
            checked_out,
            head_branch: variable("GITHUB_REF").and_then(|name| branch(&name)),
            base: None,
            base_branch: None,
            pull_request: None,
            origin: Origin::Own,
            dependabot: variable("GITHUB_ACTOR").is_some_and(|actor| actor == "dependabot[bot]"),
            draft: false,
            labels: BTreeSet::new(),
            tag: None,
            run: Run { id: number("GITHUB_RUN_ID").unwrap_or(0), attempt: number("GITHUB_RUN_ATTEMPT").unwrap_or(1) },
            default_branch: text(&payload, "/repository/default_branch")
                .or_else(|| text(&payload, "/pull_request/base/repo/default_branch")),
            kind,
        };
        match event.kind {
            Kind::PullRequest | Kind::PullRequestTarget => event.of_pull_request(&payload)?,
            Kind::Push => event.of_push(&payload),
            Kind::MergeGroup => event.of_merge_group(&payload),
            Kind::Release => event.tag = text(&payload, "/release/tag_name"),
            Kind::WorkflowRun => event.of_workflow_run(&payload)?,
            Kind::Schedule | Kind::WorkflowDispatch | Kind::Other(_) => {}
        }
        Ok(event)
    }

    /// Whether the commits are a fork's.
    pub fn is_fork(&self) -> bool {
        self.origin != Origin::Own
    }

    fn of_pull_request(&mut self, payload: &Value) -> Result<(), Unknown> {
        let wrong = |what: &str| Unknown::Payload(format!("has no {what}"));
        let pull = payload.get("pull_request").ok_or_else(|| wrong("`pull_request`"))?;
        self.pull_request = pull.get("number").or_else(|| payload.get("number")).and_then(Value::as_u64);
        self.head = sha(pull, "/head/sha").map(HeadSha);
        if self.head.is_none() || self.pull_request.is_none() {
            return Err(wrong("`number` and `head.sha` of a pull request"));
        }
        self.head_branch = text(pull, "/head/ref");
        self.base = sha(pull, "/base/sha").map(BaseSha);
        self.base_branch = text(pull, "/base/ref");
        self.origin = origin(pull.pointer("/head/repo"), &self.repository.to_string());
        self.draft = pull.get("draft").and_then(Value::as_bool).unwrap_or(false);
        let labels = pull.get("labels").and_then(Value::as_array);
        self.labels = labels.into_iter().flatten().filter_map(|label| text(label, "/name")).collect();
        self.dependabot |= text(pull, "/user/login").is_some_and(|login| login == "dependabot[bot]");
        Ok(())
    }

    fn of_push(&mut self, payload: &Value) {
        // What was deleted has no head; what is new has no base.
        if payload.get("after").is_some() {
            self.head = sha(payload, "/after").map(HeadSha);
        }
        self.base = sha(payload, "/before").map(BaseSha);
        let pushed = text(payload, "/ref");
        self.head_branch = pushed.as_deref().and_then(branch);
        self.tag = pushed.and_then(|name| name.strip_prefix("refs/tags/").map(str::to_owned));
        self.base_branch.clone_from(&self.head_branch);
    }

    fn of_merge_group(&mut self, payload: &Value) {
        self.head = sha(payload, "/merge_group/head_sha").map(HeadSha).or(self.head.take());
        self.base = sha(payload, "/merge_group/base_sha").map(BaseSha);
        self.head_branch = text(payload, "/merge_group/head_ref").as_deref().and_then(branch);
        self.base_branch = text(payload, "/merge_group/base_ref").as_deref().and_then(branch);
    }

    /// The run that has ended is what counts, not the one that this job belongs to.
    fn of_workflow_run(&mut self, payload: &Value) -> Result<(), Unknown> {
        let missing = || Unknown::Payload("has no `workflow_run` with `id` and `head_sha`".to_owned());
        let ended = payload.get("workflow_run").ok_or_else(missing)?;
        let id = ended.get("id").and_then(Value::as_u64).ok_or_else(missing)?;
        self.head = Some(sha(ended, "/head_sha").map(HeadSha).ok_or_else(missing)?);
        self.run = Run { id, attempt: ended.get("run_attempt").and_then(Value::as_u64).unwrap_or(1) };
        self.head_branch = text(ended, "/head_branch");
        self.checked_out = None;
        self.origin = origin(ended.get("head_repository"), &self.repository.to_string());
        self.dependabot = text(ended, "/actor/login").is_some_and(|login| login == "dependabot[bot]");
        Ok(())
    }
}

/// Full names are compared; the `fork` flag of a repository says something else.
fn origin(head: Option<&Value>, own: &str) -> Origin {
    match head.and_then(|head| text(head, "/full_name")) {
        Some(name) if name.eq_ignore_ascii_case(own) => Origin::Own,
        name => Origin::Fork(name),
    }
}

fn text(value: &Value, pointer: &str) -> Option<String> {
    value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn sha(value: &Value, pointer: &str) -> Option<Sha> {
    value.pointer(pointer).and_then(Value::as_str).and_then(Sha::parse)
}

/// The branch in `refs/heads/…`, or a name that is none of a tag or a pull request.
fn branch(reference: &str) -> Option<String> {
    match reference.strip_prefix("refs/heads/") {
        Some(name) => Some(name.to_owned()),
        None if reference.starts_with("refs/") => None,
        None => Some(reference.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
    const MERGE: &str = "cccccccccccccccccccccccccccccccccccccccc";
    const NONE: &str = "0000000000000000000000000000000000000000";

    fn event(name: &str, payload: &Value) -> Result<Event, Unknown> {
        let variable = |asked: &str| {
            let known = [
                ("GITHUB_EVENT_NAME", name),
                ("GITHUB_REPOSITORY", "o/r"),
                ("GITHUB_SHA", MERGE),
                ("GITHUB_RUN_ID", "7"),
                ("GITHUB_RUN_ATTEMPT", "2"),
                ("GITHUB_REF", "refs/heads/main"),
            ];
            known.iter().find(|(known, _)| *known == asked).map(|(_, value)| (*value).to_owned())
        };
        Event::parse(variable, Some(&payload.to_string()))
    }

    fn pull(head_repo: Value) -> Value {
        json!({"number": 5, "pull_request": {
            "number": 5, "draft": true, "labels": [{"name": "evals"}], "user": {"login": "dependabot[bot]"},
            "head": {"sha": A, "ref": "topic", "repo": head_repo}, "base": {"sha": B, "ref": "main"},
        }})
    }

    #[test]
    fn a_pull_request_is_checked_on_its_head_and_not_on_the_merge_commit() {
        let event = event("pull_request", &pull(json!({"full_name": "O/R", "fork": true}))).unwrap();
        assert_eq!(event.head, Sha::parse(A).map(HeadSha));
        assert_eq!(event.base, Sha::parse(B).map(BaseSha));
        assert_eq!(event.checked_out, Sha::parse(MERGE));
        assert_eq!((event.pull_request, event.base_branch.as_deref()), (Some(5), Some("main")));
        assert!(event.draft && event.dependabot && event.labels.contains("evals"));
        // A repository that is itself a fork of something has pull requests of its own.
        assert_eq!(event.origin, Origin::Own);
        assert_eq!(event.run, Run { id: 7, attempt: 2 });
    }

    #[test]
    fn a_fork_is_told_by_its_full_name_and_may_be_gone() {
        let fork = event("pull_request_target", &pull(json!({"full_name": "x/r", "fork": false}))).unwrap();
        assert_eq!(fork.origin, Origin::Fork(Some("x/r".to_owned())));
        let gone = event("pull_request", &pull(Value::Null)).unwrap();
        assert_eq!(gone.origin, Origin::Fork(None));
    }

    #[test]
    fn a_push_of_a_new_branch_has_no_base_and_one_that_deletes_has_no_head() {
        let new = json!({"ref": "refs/heads/x/y", "before": NONE, "after": A});
        let new = event("push", &new).unwrap();
        assert_eq!((new.base, new.head, new.head_branch.as_deref()), (None, Sha::parse(A).map(HeadSha), Some("x/y")));
        let gone = event("push", &json!({"ref": "refs/heads/x", "before": B, "after": NONE})).unwrap();
        assert_eq!(gone.head, None);
        let tag = event("push", &json!({"ref": "refs/tags/v1", "before": NONE, "after": A})).unwrap();
        assert_eq!((tag.tag.as_deref(), tag.head_branch), (Some("v1"), None));
    }

    #[test]
    fn a_workflow_run_is_about_the_run_that_has_ended() {
        let payload = json!({"workflow_run": {
            "id": 99, "run_attempt": 3, "head_sha": A, "head_branch": "main", "event": "pull_request",
            "head_repository": {"full_name": "x/r"}, "pull_requests": [],
        }});
        let event = event("workflow_run", &payload).unwrap();
        assert_eq!((event.run, event.pull_request), (Run { id: 99, attempt: 3 }, None));
        assert_eq!((event.head, event.checked_out), (Sha::parse(A).map(HeadSha), None));
        assert_eq!(event.origin, Origin::Fork(Some("x/r".to_owned())));
    }

    #[test]
    fn merge_groups_releases_and_schedules_have_what_they_have() {
        let group = json!({"merge_group": {
            "head_sha": A, "base_sha": B, "head_ref": "refs/heads/gh-readonly-queue/main/pr-5-b", "base_ref": "refs/heads/main",
        }});
        let group = event("merge_group", &group).unwrap();
        assert_eq!((group.head, group.base_branch.as_deref()), (Sha::parse(A).map(HeadSha), Some("main")));
        let release = event("release", &json!({"release": {"tag_name": "v2"}})).unwrap();
        assert_eq!((release.tag.as_deref(), release.head), (Some("v2"), Sha::parse(MERGE).map(HeadSha)));
        let schedule = event("schedule", &json!({"schedule": "0 0 * * *"})).unwrap();
        assert_eq!((schedule.kind, schedule.head_branch.as_deref()), (Kind::Schedule, Some("main")));
        assert_eq!(event("issues", &json!({})).unwrap().kind, Kind::Other("issues".to_owned()));
    }

    #[test]
    fn what_is_missing_or_unreadable_is_named() {
        assert_eq!(Event::parse(|_| None, None), Err(Unknown::Missing("GITHUB_REPOSITORY")));
        let only = |name: &str| (name == "GITHUB_REPOSITORY").then(|| "o/r".to_owned());
        assert_eq!(Event::parse(only, None), Err(Unknown::Missing("GITHUB_EVENT_NAME")));
        assert!(matches!(Event::parse(only, Some("{")), Err(Unknown::Payload(_))));
        assert!(matches!(event("pull_request", &json!({})), Err(Unknown::Payload(_))));
        assert!(matches!(event("workflow_run", &json!({"workflow_run": {"id": 1}})), Err(Unknown::Payload(_))));
        for wrong in ["", "o", "o/", "o/r/x", "../r", "o/..", "o r/x"] {
            assert_eq!(Repository::parse(wrong), None, "{wrong}");
        }
    }
}
