//! GitHub Actions: the variables that it sets and the payload of its event.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    ApiVariables, BaseSha, CiContext, Event, EventError, EventKind, HeadSha, Host, JobFile, JobName, Origin,
    RepositoryName, RunAttempt, Variables,
};
use crate::model::Sha;

/// What GitHub sets in every job. A token or the address of the API alone are what developers have at hand.
pub(super) const JOB_VARIABLES: [&str; 12] = [
    "GITHUB_ACTIONS",
    "GITHUB_BASE_REF",
    "GITHUB_EVENT_NAME",
    "GITHUB_EVENT_PATH",
    "GITHUB_OUTPUT",
    "GITHUB_REF",
    "GITHUB_REPOSITORY",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_RUN_ID",
    "GITHUB_SHA",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
];

/// The matrix of the job as JSON. GitHub sets no variable for it, so the action does.
const MATRIX: &str = "EVALRATCHET_MATRIX";

/// What GitHub says about a job; `read` reads the file with the payload.
pub(super) fn context<E: fmt::Display>(variables: &Variables, read: impl Fn(&Path) -> Result<String, E>) -> CiContext {
    let path = |name: &str| variables.get(name).map(PathBuf::from);
    let file = |variable: &'static str| path(variable).map(|path| JobFile { variable, path });
    CiContext {
        host: Host::GitHub,
        event: event(variables, read),
        base_branch: variables.get("GITHUB_BASE_REF").map(str::to_owned),
        run_url: own_run_url(variables),
        attempt: variables.get("GITHUB_RUN_ATTEMPT").and_then(|text| text.parse().ok()).unwrap_or(1),
        workspace: path("GITHUB_WORKSPACE"),
        log_commands: variables.get("GITHUB_ACTIONS").is_some(),
        unattended: false,
        outputs: file("GITHUB_OUTPUT"),
        summary: file("GITHUB_STEP_SUMMARY"),
    }
}

/// Where the API is and what opens it, as GitHub tells a step that is given the token.
pub(super) fn api(variables: &Variables) -> ApiVariables {
    let text = |name: &str| variables.get(name).map(str::to_owned);
    ApiVariables {
        api: text("GITHUB_API_URL"),
        graphql: text("GITHUB_GRAPHQL_URL"),
        token: text("GITHUB_TOKEN").or_else(|| text("GH_TOKEN")),
    }
}

fn event<E: fmt::Display>(
    variables: &Variables,
    read: impl Fn(&Path) -> Result<String, E>,
) -> Result<Event, EventError> {
    const VARIABLE: &str = "GITHUB_EVENT_PATH";
    let unreadable = |path: &str, error: E| EventError::Unreadable {
        variable: VARIABLE,
        path: path.to_owned(),
        error: error.to_string(),
    };
    let payload = match variables.get(VARIABLE) {
        Some(path) => Some(read(Path::new(path)).map_err(|error| unreadable(path, error))?),
        None => None,
    };
    Event::of_github(variables, payload.as_deref())
}

fn own_run_url(variables: &Variables) -> Option<String> {
    let server = variables.get("GITHUB_SERVER_URL")?;
    Some(run_address(server, variables.get("GITHUB_REPOSITORY")?, variables.get("GITHUB_RUN_ID")?))
}

fn run_address(server: &str, repository: &str, id: &str) -> String {
    format!("{server}/{repository}/actions/runs/{id}")
}

impl Event {
    /// The event of a job of GitHub Actions, from its variables and the payload.
    pub fn of_github(variables: &Variables, payload: Option<&str>) -> Result<Self, EventError> {
        let variable = |name: &str| variables.get(name).map(str::to_owned);
        let payload: Value = match payload {
            Some(text) => {
                serde_json::from_str(text).map_err(|error| EventError::Payload(format!("is not JSON: {error}")))?
            }
            None => Value::Null,
        };
        let named = variable("GITHUB_REPOSITORY")
            .or_else(|| text(&payload, "/repository/full_name"))
            .or_else(|| text(&payload, "/pull_request/base/repo/full_name"));
        let repository =
            named.as_deref().and_then(RepositoryName::parse).ok_or(EventError::Missing("GITHUB_REPOSITORY"))?;
        let kind = EventKind::of(&variable("GITHUB_EVENT_NAME").ok_or(EventError::Missing("GITHUB_EVENT_NAME"))?);
        let number = |name: &str| variable(name).and_then(|text| text.parse().ok());
        let checked_out = variable("GITHUB_SHA").as_deref().and_then(Sha::parse);
        let mut event = Self {
            workflow: variable("GITHUB_WORKFLOW").unwrap_or_default(),
            job: variables.get("GITHUB_JOB").map(|id| JobName::new(id, variables.get(MATRIX))),
            repository,
            head: checked_out.clone().map(HeadSha),
            checked_out,
            merge_commit: None,
            head_branch: variable("GITHUB_REF").and_then(|name| branch(&name)),
            base: None,
            base_branch: None,
            pull_request: None,
            origin: Origin::Own,
            dependabot: variable("GITHUB_ACTOR").is_some_and(|actor| actor == "dependabot[bot]"),
            draft: false,
            labels: BTreeSet::new(),
            tag: None,
            run: RunAttempt {
                id: number("GITHUB_RUN_ID").unwrap_or(0),
                attempt: number("GITHUB_RUN_ATTEMPT").unwrap_or(1),
            },
            run_url: None,
            server: variables.get("GITHUB_SERVER_URL").unwrap_or("https://github.com").to_owned(),
            default_branch: text(&payload, "/repository/default_branch")
                .or_else(|| text(&payload, "/pull_request/base/repo/default_branch")),
            kind,
        };
        match event.kind {
            EventKind::PullRequest | EventKind::PullRequestTarget => event.of_pull_request(&payload)?,
            EventKind::Push => event.of_push(&payload),
            EventKind::MergeGroup => event.of_merge_group(&payload),
            EventKind::Release => event.tag = text(&payload, "/release/tag_name"),
            EventKind::WorkflowRun => event.of_workflow_run(&payload)?,
            EventKind::IssueComment => event.of_comment(&payload),
            EventKind::Schedule | EventKind::WorkflowDispatch | EventKind::Other(_) => {}
        }
        let address = run_address(&event.server, &event.repository.to_string(), &event.run.id.to_string());
        event.run_url = (event.run.id > 0).then_some(address);
        Ok(event)
    }

    fn of_pull_request(&mut self, payload: &Value) -> Result<(), EventError> {
        let wrong = |what: &str| EventError::Payload(format!("has no {what}"));
        let pull = payload.get("pull_request").ok_or_else(|| wrong("`pull_request`"))?;
        self.pull_request = pull.get("number").or_else(|| payload.get("number")).and_then(Value::as_u64);
        self.head = sha(pull, "/head/sha").map(HeadSha);
        if self.head.is_none() || self.pull_request.is_none() {
            return Err(wrong("`number` and `head.sha` of a pull request"));
        }
        self.head_branch = text(pull, "/head/ref");
        self.base = sha(pull, "/base/sha").map(BaseSha);
        self.base_branch = text(pull, "/base/ref");
        self.merge_commit = sha(pull, "/merge_commit_sha");
        self.origin = origin(pull.pointer("/head/repo"), &self.repository.to_string());
        self.draft = pull.get("draft").and_then(Value::as_bool).unwrap_or(false);
        let labels = pull.get("labels").and_then(Value::as_array);
        self.labels = labels.into_iter().flatten().filter_map(|label| text(label, "/name")).collect();
        self.dependabot |= text(pull, "/user/login").is_some_and(|login| login == "dependabot[bot]");
        Ok(())
    }

    /// Takes in what the host says of a pull request, whose commits the event does not name. Returns what the host made of it
    /// and its base.
    pub fn is_of_pull_request(&mut self, pull: &Value) -> Option<Sha> {
        self.pull_request = pull.get("number").and_then(Value::as_u64);
        self.head = sha(pull, "/head/sha").map(HeadSha);
        self.head_branch = text(pull, "/head/ref");
        self.base = sha(pull, "/base/sha").map(BaseSha);
        self.base_branch = text(pull, "/base/ref");
        self.origin = origin(pull.pointer("/head/repo"), &self.repository.to_string());
        // What is checked out may be an older commit of the branch.
        self.checked_out = None;
        sha(pull, "/merge_commit_sha")
    }

    /// A comment on a pull request names it, but not its commits: `GITHUB_SHA` is the default branch's.
    fn of_comment(&mut self, payload: &Value) {
        let issue = payload.get("issue");
        let is_pull_request = issue.and_then(|issue| issue.get("pull_request")).is_some_and(Value::is_object);
        self.pull_request = issue.filter(|_| is_pull_request).and_then(|issue| issue.get("number")?.as_u64());
        (self.head, self.head_branch) = (None, None);
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
    fn of_workflow_run(&mut self, payload: &Value) -> Result<(), EventError> {
        let missing = || EventError::Payload("has no `workflow_run` with `id` and `head_sha`".to_owned());
        let ended = payload.get("workflow_run").ok_or_else(missing)?;
        let id = ended.get("id").and_then(Value::as_u64).ok_or_else(missing)?;
        self.head = Some(sha(ended, "/head_sha").map(HeadSha).ok_or_else(missing)?);
        self.workflow = text(ended, "/name").unwrap_or_default();
        self.job = None;
        self.run = RunAttempt { id, attempt: ended.get("run_attempt").and_then(Value::as_u64).unwrap_or(1) };
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

    fn event(name: &str, payload: &Value) -> Result<Event, EventError> {
        let variables = Variables::of([
            ("GITHUB_EVENT_NAME", name),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_SHA", MERGE),
            ("GITHUB_RUN_ID", "7"),
            ("GITHUB_RUN_ATTEMPT", "2"),
            ("GITHUB_REF", "refs/heads/main"),
        ]);
        Event::of_github(&variables, Some(&payload.to_string()))
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
        assert_eq!(event.run, RunAttempt { id: 7, attempt: 2 });
    }

    #[test]
    fn a_fork_is_recognised_by_its_full_name_and_may_be_deleted() {
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
        assert_eq!((event.run, event.pull_request), (RunAttempt { id: 99, attempt: 3 }, None));
        assert_eq!(event.run_url.as_deref(), Some("https://github.com/o/r/actions/runs/99"));
        assert_eq!((event.head, event.checked_out), (Sha::parse(A).map(HeadSha), None));
        assert_eq!(event.origin, Origin::Fork(Some("x/r".to_owned())));
    }

    #[test]
    fn merge_groups_releases_and_schedules_are_read() {
        let group = json!({"merge_group": {
            "head_sha": A, "base_sha": B, "head_ref": "refs/heads/gh-readonly-queue/main/pr-5-b", "base_ref": "refs/heads/main",
        }});
        let group = event("merge_group", &group).unwrap();
        assert_eq!((group.head, group.base_branch.as_deref()), (Sha::parse(A).map(HeadSha), Some("main")));
        let release = event("release", &json!({"release": {"tag_name": "v2"}})).unwrap();
        assert_eq!((release.tag.as_deref(), release.head), (Some("v2"), Sha::parse(MERGE).map(HeadSha)));
        let schedule = event("schedule", &json!({"schedule": "0 0 * * *"})).unwrap();
        assert_eq!((schedule.kind, schedule.head_branch.as_deref()), (EventKind::Schedule, Some("main")));
        assert_eq!(event("issues", &json!({})).unwrap().kind, EventKind::Other("issues".to_owned()));
    }

    #[test]
    fn what_is_missing_or_unreadable_is_named() {
        let none = Variables::default();
        assert_eq!(Event::of_github(&none, None), Err(EventError::Missing("GITHUB_REPOSITORY")));
        let only = Variables::of([("GITHUB_REPOSITORY", "o/r"), ("GITHUB_EVENT_NAME", "")]);
        assert_eq!(Event::of_github(&only, None), Err(EventError::Missing("GITHUB_EVENT_NAME")));
        assert!(matches!(Event::of_github(&only, Some("{")), Err(EventError::Payload(_))));
        assert!(matches!(event("pull_request", &json!({})), Err(EventError::Payload(_))));
        assert!(matches!(event("workflow_run", &json!({"workflow_run": {"id": 1}})), Err(EventError::Payload(_))));
        for wrong in ["", "o", "o/", "o/r/x", "../r", "o/..", "o r/x"] {
            assert_eq!(RepositoryName::parse(wrong), None, "{wrong}");
        }
    }
}
