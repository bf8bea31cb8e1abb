//! Brings the comment and the check run to where they should be, again and again until they are.

use std::time::Duration;

use serde_json::{Value, json};

use super::check::{self, CheckAction, CheckIdentity, CheckReport};
use super::comment::{CommentAction, DesiredComment, ExistingComment, is_there, reconcile};
use super::{Call, Client, GithubError, encoded};
use crate::baseline::CommitHistory as _;
use crate::ci::{Event, HeadSha, Origin};
use crate::model::Sha;

/// More often is not tried.
const ROUNDS: u32 = 8;
/// After a change it is looked once more, in case somebody else wrote at the same time.
const BEFORE_LOOKING_AGAIN: Duration = Duration::from_millis(400);
/// A comment is not made smaller than this.
const SMALLEST: usize = 4_000;

/// The state of something that was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishOutcome {
    Created,
    Updated,
    /// It is as it was: it says the same, or tells of a newer run.
    Unchanged,
    /// There is none, and none was worth making.
    NotWorth,
}

/// Who the token belongs to. The token of a workflow may not ask REST.
pub async fn me(client: &Client) -> Result<String, GithubError> {
    match client.query("query { viewer { login } }", json!({})).await {
        Ok(data) => {
            if let Some(login) = data.pointer("/viewer/login").and_then(Value::as_str) {
                return Ok(login.to_owned());
            }
        }
        Err(
            GithubError::NotFound(_)
            | GithubError::Refused(_)
            | GithubError::Graphql { .. }
            | GithubError::Rejected { .. },
        ) => {}
        Err(error @ (GithubError::Unauthorized(_) | GithubError::Unreachable(_) | GithubError::Uncertain(_))) => {
            return Err(error);
        }
    }
    let user = client.json(Call::get("/user")).await.ok();
    let login = user.as_ref().and_then(|user| user["login"].as_str());
    Ok(login.unwrap_or("github-actions[bot]").to_owned())
}

/// Brings our comment to where it should be; `desired` is given how many bytes it may have.
pub async fn comment(
    client: &Client,
    number: u64,
    largest: usize,
    desired: impl Fn(usize) -> Result<DesiredComment, GithubError>,
) -> Result<PublishOutcome, GithubError> {
    let me = me(client).await?;
    let list = client.path(&format!("/issues/{number}/comments"));
    let one = |id: u64| client.path(&format!("/issues/comments/{id}"));
    let mut budget = largest;
    let mut done = PublishOutcome::Unchanged;
    let mut made: Option<ExistingComment> = None;
    for round in 0..ROUNDS {
        let mut existing: Vec<ExistingComment> =
            client.list(&list, None, usize::MAX).await?.iter().filter_map(existing).collect();
        // A list may lag behind what was just written.
        if let Some(made) = made.take().filter(|made| !existing.iter().any(|one| one.id == made.id)) {
            existing.push(made);
        }
        let wanted = desired(budget)?;
        let actions = reconcile(&wanted, &existing, &me, done != PublishOutcome::Unchanged);
        if actions.is_empty() {
            let is_there = is_there(&wanted, &existing, &me);
            return Ok(if done == PublishOutcome::Unchanged && !is_there { PublishOutcome::NotWorth } else { done });
        }
        let mut error = None;
        for action in actions {
            let (next, call) = match action {
                CommentAction::Create { body } => {
                    (Some(PublishOutcome::Created), Call::post(&list, json!({"body": body})))
                }
                CommentAction::Update { id, body } => {
                    (Some(PublishOutcome::Updated), Call::patch(one(id), json!({"body": body})))
                }
                CommentAction::Delete { id } => (None, Call::delete(one(id))),
            };
            // What follows rests on what went before: if that is in doubt, it is looked again first.
            match client.json(call.attended()).await {
                Ok(answer) => {
                    made = self::existing(&answer).filter(|_| next == Some(PublishOutcome::Created)).or(made);
                    done = if done == PublishOutcome::Created { done } else { next.unwrap_or(done) };
                }
                Err(GithubError::Rejected { status: 422, .. }) if budget > SMALLEST => {
                    budget = (budget / 2).max(SMALLEST);
                    break;
                }
                // Somebody else was faster, or nobody knows.
                Err(why @ GithubError::Uncertain(_)) => error = Some(why),
                Err(why @ GithubError::NotFound(_)) if next != Some(PublishOutcome::Created) => error = Some(why),
                Err(why) => return Err(why),
            }
            if error.is_some() {
                break;
            }
        }
        if client.is_dry() {
            return Ok(done);
        }
        let pause = if error.is_some() { longer(round) } else { BEFORE_LOOKING_AGAIN };
        if !client.moment(pause).await {
            return error.map_or(Ok(done), |why| Err(GithubError::Unreachable(why.to_string())));
        }
    }
    Err(GithubError::Unreachable(format!("the comment on #{number} did not come to rest in {ROUNDS} rounds")))
}

/// The pause after a request that came to nothing, longer each time.
fn longer(round: u32) -> Duration {
    BEFORE_LOOKING_AGAIN * 2_u32.pow(round.min(4))
}

fn existing(value: &Value) -> Option<ExistingComment> {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    Some(ExistingComment { id: value.get("id")?.as_u64()?, author: text("/user/login"), body: text("/body") })
}

/// Opens the check run.
pub async fn start_check(
    client: &Client,
    identity: &CheckIdentity,
    details: Option<&str>,
) -> Result<PublishOutcome, GithubError> {
    let identity = &told_apart(client, identity).await?;
    for round in 0..ROUNDS {
        let actions = check::start(identity, &checks(client, identity).await?, details);
        let Some(action) = actions.into_iter().next() else { return Ok(PublishOutcome::Unchanged) };
        match send_check(client, &action).await {
            Ok(_) => return Ok(PublishOutcome::Created),
            Err(GithubError::Uncertain(_)) => {}
            Err(error) => return Err(error),
        }
        if !client.moment(longer(round)).await {
            break;
        }
    }
    Err(GithubError::Unreachable("the check run could not be opened".to_owned()))
}

/// Whether the check run has the annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotated(pub bool);

/// Completes the check run, annotations and all.
pub async fn finish_check(
    client: &Client,
    identity: &CheckIdentity,
    report: &CheckReport,
    details: Option<&str>,
) -> Result<Annotated, GithubError> {
    let mut report = report.clone();
    let mut annotated = Annotated(true);
    let identity = &told_apart(client, identity).await?;
    for round in 0..ROUNDS {
        let plan = check::finish(identity, &checks(client, identity).await?, &report, details);
        if plan.steps.is_empty() {
            return Ok(annotated);
        }
        match send_plan(client, plan).await {
            Ok(()) => return Ok(annotated),
            // Looking again tells how far it came.
            Err(GithubError::Uncertain(_)) => {}
            // A place that GitHub does not like is no reason to leave the check open.
            Err(GithubError::Rejected { status: 422, .. }) if !report.annotations.is_empty() => {
                report.annotations.clear();
                annotated = Annotated(false);
            }
            Err(error) => return Err(error),
        }
        if !client.moment(longer(round)).await {
            break;
        }
    }
    Err(GithubError::Unreachable("the check run could not be completed".to_owned()))
}

async fn send_plan(client: &Client, plan: check::CheckPlan) -> Result<(), GithubError> {
    let mut id = None;
    for step in &plan.steps {
        let sent = send_check(client, step).await?;
        id.get_or_insert(sent);
    }
    for body in plan.more {
        send_check(client, &CheckAction::Update(id.unwrap_or_default(), body)).await?;
    }
    Ok(())
}

/// Annotations are added to those that are there, so nothing is sent twice without a look.
async fn send_check(client: &Client, action: &CheckAction) -> Result<u64, GithubError> {
    match action {
        CheckAction::Create(body) => {
            let made = client.json(Call::post(client.path("/check-runs"), body.clone()).attended()).await?;
            Ok(made["id"].as_u64().unwrap_or_default())
        }
        CheckAction::Update(id, body) => {
            let path = client.path(&format!("/check-runs/{id}"));
            client.json(Call::patch(path, body.clone()).attended()).await?;
            Ok(*id)
        }
    }
}

/// The check run under a name that no other job of this run has.
async fn told_apart(client: &Client, identity: &CheckIdentity) -> Result<CheckIdentity, GithubError> {
    if !identity.has_job() {
        return Ok(identity.clone());
    }
    Ok(identity.told_apart(&checks(client, identity).await?))
}

async fn checks(client: &Client, identity: &CheckIdentity) -> Result<Vec<check::ExistingCheck>, GithubError> {
    let (head, name) = (&identity.head.0, encoded(&identity.name));
    let path = client.path(&format!("/commits/{head}/check-runs?check_name={name}&filter=all"));
    let all = client.list(&path, Some("check_runs"), 1000).await?;
    Ok(all.iter().filter_map(check::ExistingCheck::of).collect())
}

/// The pull request that a run was for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    /// The branch that it goes to.
    pub base_branch: String,
    /// The commit that GitHub made of both, if it still is of this head.
    pub merge: Option<Sha>,
}

/// Why the pull request of a run is not known.
#[derive(Debug, thiserror::Error)]
pub enum PullRequestError {
    /// GitHub did not say.
    #[error("{0}")]
    Github(#[from] GithubError),
    /// The fork was deleted.
    #[error("the fork is gone, and with it the way to its pull request")]
    ForkGone,
    /// The run was not of a branch.
    #[error("the run was of no branch")]
    NoBranch,
    /// None goes to the default branch, so none of them decides.
    #[error("{0} has several pull requests here, and none of them to the default branch")]
    Several(String),
    /// It has other commits by now.
    #[error("the pull request of {branch} is at {} now, and this run was of {}", .now.short(), .head.short())]
    Moved {
        /// `owner/name:branch`.
        branch: String,
        now: Sha,
        head: Sha,
    },
    #[error("{0} has no open pull request here")]
    NotOpen(String),
}

/// The pull request of this number, with its newest commit.
pub async fn pull_of_number(client: &Client, number: u64) -> Result<Value, GithubError> {
    client.json(Call::get(client.path(&format!("/pulls/{number}")))).await
}

/// Finds the pull request of a run that has ended: of this branch of this repository, and still at this commit.
pub async fn pull_of_run(client: &Client, event: &Event, head: &HeadSha) -> Result<PullRequest, PullRequestError> {
    let own = client.repository().to_string();
    let from = match &event.origin {
        Origin::Own => own.clone(),
        Origin::Fork(Some(name)) => name.clone(),
        Origin::Fork(None) => return Err(PullRequestError::ForkGone),
    };
    let branch = event.head_branch.as_ref().ok_or(PullRequestError::NoBranch)?;
    let owner = from.split('/').next().unwrap_or_default();
    let path = format!("/pulls?state=open&head={}", encoded(&format!("{owner}:{branch}")));
    let pulls = client.list(&client.path(&path), None, 100).await?;
    let same = |value: &Value, pointer: &str, text: &str| {
        value.pointer(pointer).and_then(Value::as_str).is_some_and(|found| found.eq_ignore_ascii_case(text))
    };
    let of_branch = |pull: &&Value| {
        same(pull, "/head/repo/full_name", &from) && pull.pointer("/head/ref").and_then(Value::as_str) == Some(branch)
    };
    let at_head: Vec<&Value> =
        pulls.iter().filter(of_branch).filter(|pull| same(pull, "/head/sha", head.0.as_str())).collect();
    // The check is one for all pull requests of a commit, so what goes to the repository's own branch decides.
    let own_branch = event.default_branch.as_deref().unwrap_or_default();
    let to_own = at_head.iter().find(|pull| pull.pointer("/base/ref").and_then(Value::as_str) == Some(own_branch));
    if at_head.len() > 1 && to_own.is_none() {
        return Err(PullRequestError::Several(format!("{from}:{branch}")));
    }
    let Some(pull) = to_own.or(at_head.first()) else {
        let moved = pulls.iter().find(of_branch).and_then(|pull| pull.pointer("/head/sha"));
        let moved = moved.and_then(Value::as_str).and_then(Sha::parse);
        let branch = format!("{from}:{branch}");
        return Err(match moved {
            Some(now) => PullRequestError::Moved { branch, now, head: head.0.clone() },
            None => PullRequestError::NotOpen(branch),
        });
    };
    let merge = pull["merge_commit_sha"].as_str().and_then(Sha::parse);
    let merge = match merge {
        Some(merge) => merged(client, merge, head).await?,
        None => None,
    };
    let number = pull["number"].as_u64().unwrap_or_default();
    let base_branch = pull.pointer("/base/ref").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(PullRequest { number, base_branch, merge })
}

/// The merge commit, if it is one of this head.
pub async fn merged(client: &Client, merge: Sha, head: &HeadSha) -> Result<Option<Sha>, GithubError> {
    let parents = client.parents(&merge).await?;
    Ok((parents.get(1) == Some(&head.0)).then_some(merge))
}
