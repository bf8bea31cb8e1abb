//! Updates the baseline on GitHub: reads, merges by the ratchet's rule, commits if nobody was faster, and else begins again.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::history::blessing_files;
use super::{Call, Client, GithubError, encoded, encoded_path};
use crate::baseline::{
    Baseline, Blessing, BlessingFile, CommitHistory as _, FileChange, badge, badge_path, blessings_folder,
    file_changes, raise, update,
};
use crate::input::InputErrors;
use crate::model::Sha;
use crate::report::release::{self, Gaps, Named, Range};
use crate::results::Results;

/// How often it is tried.
const TRIES: usize = 6;
const PAUSE: Duration = Duration::from_millis(300);

const COMMIT: &str =
    "mutation($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }";

/// What is to be made the baseline.
#[derive(Debug, Clone, Copy)]
pub struct BaselinePush<'a> {
    /// The branch that has it.
    pub branch: &'a str,
    /// Its file, from the root of the repository.
    pub path: &'a str,
    /// The commit that was evaluated.
    pub commit: &'a Sha,
    pub results: &'a Results,
    /// Whether a badge is written beside it.
    pub badge: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// It is what it was.
    Nothing,
    Committed {
        /// How many cases it has.
        cases: usize,
        oid: String,
    },
    /// The branch is protected, so a pull request proposes it.
    Proposed {
        number: u64,
        /// How many cases it has.
        cases: usize,
    },
}

/// Why it could not be.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// The run cannot become a baseline.
    #[error("{0}")]
    Refused(String),
    /// What is there cannot be read.
    #[error("{0}")]
    InputErrors(#[from] InputErrors),
    /// GitHub did not let it be.
    #[error("{0}")]
    GithubError(#[from] GithubError),
}

pub async fn push(client: &Client, push: &BaselinePush<'_>) -> Result<PushOutcome, PushError> {
    let mut protected = false;
    let mut last = GithubError::Unreachable(String::new());
    for _ in 0..TRIES {
        let Some(tip) = client.tip(push.branch).await? else {
            return Err(PushError::Refused(format!("there is no branch `{}` on GitHub", push.branch)));
        };
        if !client.is_ancestor(push.commit, &tip).await? {
            let (commit, branch) = (push.commit.short(), push.branch);
            return Err(PushError::Refused(format!("the run is of {commit}, which is not on `{branch}`")));
        }
        let tried = if protected {
            propose(client, push, &tip).await
        } else {
            commit_to(client, push, push.branch, &tip).await
        };
        last = match tried {
            Ok(pushed) => return Ok(pushed),
            Err(PushError::GithubError(error)) if is_protected(&error) && !protected => {
                protected = true;
                continue;
            }
            Err(PushError::GithubError(error)) if is_stale(&error) || moved(client, push.branch, &tip).await? => error,
            Err(failed) => return Err(failed),
        };
        if !client.moment(PAUSE).await {
            break;
        }
    }
    Err(GithubError::Unreachable(format!("others were faster {TRIES} times: {last}")).into())
}

/// Commits the turned baseline on top of a commit of a branch.
async fn commit_to(
    client: &Client,
    push: &BaselinePush<'_>,
    branch: &str,
    tip: &Sha,
) -> Result<PushOutcome, PushError> {
    let old = match client.file_at(push.path, tip).await? {
        Some(text) => Some(Baseline::parse(&format!("{branch}:{}", push.path), text)?),
        None => None,
    };
    let Some((new, files)) = updated(client, push, old.as_ref(), tip).await? else { return Ok(PushOutcome::Nothing) };
    let text = new.render().map_err(|error| PushError::Refused(format!("the baseline cannot be written: {error}")))?;
    let mut additions = vec![json!({"path": push.path, "contents": STANDARD.encode(text)})];
    if push.badge {
        additions.push(json!({"path": badge_path(push.path), "contents": STANDARD.encode(badge(&new))}));
    }
    let mut deletions = Vec::new();
    for FileChange { path, text } in files {
        match text {
            Some(text) => additions.push(json!({"path": path, "contents": STANDARD.encode(text)})),
            None => deletions.push(json!({"path": path})),
        }
    }
    let input = json!({
        "branch": {"repositoryNameWithOwner": client.repository().to_string(), "branchName": branch},
        "expectedHeadOid": tip.as_str(),
        "message": {"headline": format!("Update the evaluation baseline to {}", push.commit.short())},
        "fileChanges": {"additions": additions, "deletions": deletions},
    });
    let data = client.query(COMMIT, json!({"input": input})).await?;
    let oid = data.pointer("/createCommitOnBranch/commit/oid").and_then(Value::as_str).unwrap_or_default();
    Ok(PushOutcome::Committed { cases: new.cases(), oid: oid.to_owned() })
}

/// What the run makes of what is there. One of an older commit raises the best, and leaves the latest alone.
async fn updated(
    client: &Client,
    push: &BaselinePush<'_>,
    old: Option<&Baseline>,
    tip: &Sha,
) -> Result<Option<(Baseline, Vec<FileChange>)>, PushError> {
    let refused = |refusal: crate::baseline::UpdateError| PushError::Refused(refusal.to_string());
    if let Some(old) = old
        && let Some(produced) = &old.produced.commit
        && produced != push.commit
        && client.is_ancestor(push.commit, produced).await?
    {
        return Ok(raise(old, push.results).map_err(refused)?.map(|raised| (raised, Vec::new())));
    }
    let folder = blessings_folder(push.path);
    let blessings = seen_blessings(client, push, &folder, tip).await?;
    let Some(update) = update(old, &blessings, push.results).map_err(refused)? else { return Ok(None) };
    let all = [old.map(|old| old.blessings.as_slice()).unwrap_or_default(), blessings.as_slice()].concat();
    let files = file_changes(&folder, &all, &update.blessings)
        .map_err(|error| PushError::Refused(format!("the blessings cannot be written: {error}")))?;
    Ok(Some((update.baseline, files)))
}

/// The blessings that the run has seen. What the branch got since is about changes that the run has not measured.
async fn seen_blessings(
    client: &Client,
    push: &BaselinePush<'_>,
    folder: &str,
    tip: &Sha,
) -> Result<Vec<Blessing>, PushError> {
    let mut blessings = Vec::new();
    let seen = blessing_files(client, folder, push.commit).await?;
    if seen.is_empty() {
        return Ok(blessings);
    }
    for file in blessing_files(client, folder, tip).await?.into_iter().filter(|file| seen.contains(file)) {
        let Some(text) = client.file_at(&file.path, tip).await? else { continue };
        blessings.extend(BlessingFile::parse(&file.path, text)?);
    }
    Ok(blessings)
}

/// Commits to a branch of our own and opens a pull request, or adds to the one that is open.
async fn propose(client: &Client, push: &BaselinePush<'_>, tip: &Sha) -> Result<PushOutcome, PushError> {
    // One name for each baseline, so that no push leaves a branch of its own behind.
    let branch = side_branch(push);
    let open =
        client.list(&client.path(&format!("/pulls?state=open&base={}", encoded(push.branch))), None, 1000).await?;
    let own = client.repository().to_string();
    let text = |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let ours = open.iter().find(|pull| {
        text(pull, "/head/repo/full_name").is_some_and(|name| name.eq_ignore_ascii_case(&own))
            && text(pull, "/head/ref").as_ref() == Some(&branch)
    });
    let number = ours.and_then(|pull| pull["number"].as_u64());
    let old = client.file_at(push.path, tip).await?;
    let old = old.map(|text| Baseline::parse(push.path, text)).transpose()?;
    let reference = client.path(&format!("/git/refs/heads/{}", encoded_path(&branch)));
    let there = client.tip(&branch).await?;
    // What is on top of the branch is ours of a moment ago, or what others add to.
    let is_current = match &there {
        Some(side) => number.is_some() || client.is_ancestor(tip, side).await?,
        None => false,
    };
    let side = match there {
        Some(side) if is_current => side,
        left_over => {
            // Nothing is worth a branch that changes nothing.
            if updated(client, push, old.as_ref(), tip).await?.is_none() {
                return Ok(PushOutcome::Nothing);
            }
            // What a pull request that was merged or closed left is nobody's any more.
            if left_over.is_some() {
                client.json(Call::delete(&reference)).await?;
            }
            let body = json!({"ref": format!("refs/heads/{branch}"), "sha": tip.as_str()});
            client.json(Call::post(client.path("/git/refs"), body)).await?;
            tip.clone()
        }
    };
    let cases = match commit_to(client, push, &branch, &side).await? {
        PushOutcome::Committed { cases, .. } | PushOutcome::Proposed { cases, .. } => cases,
        PushOutcome::Nothing if number.is_some() => return Ok(PushOutcome::Nothing),
        PushOutcome::Nothing => 0,
    };
    let body = proposal(client, push, old, &branch).await?;
    let number = match number {
        Some(number) => {
            client.json(Call::patch(client.path(&format!("/pulls/{number}")), json!({"body": body}))).await?;
            number
        }
        None => {
            let body = json!({
                "title": "Update the evaluation baseline", "head": branch, "base": push.branch, "body": body,
            });
            match client.json(Call::post(client.path("/pulls"), body)).await {
                Ok(made) => made["number"].as_u64().unwrap_or_default(),
                // A branch without a pull request helps nobody. What is uncertain is tried again.
                Err(refused @ GithubError::Refused(_)) => {
                    drop(client.json(Call::delete(reference)).await);
                    return Err(refused.into());
                }
                Err(error) => return Err(error.into()),
            }
        }
    };
    Ok(PushOutcome::Proposed { number, cases })
}

/// The branch that proposes a baseline. Those of several configurations have one each.
fn side_branch(push: &BaselinePush<'_>) -> String {
    let default = crate::settings::BaselineLocation::default().path;
    let place = push.path.strip_suffix(&default).unwrap_or(push.path).trim_matches('/');
    let place: String = place.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let suffix = if place.is_empty() { String::new() } else { format!("-{place}") };
    format!("evalratchet/baseline-{}{suffix}", push.branch)
}

/// The text of the pull request: what the update changes, as the report of a release has it.
async fn proposal(
    client: &Client,
    push: &BaselinePush<'_>,
    old: Option<Baseline>,
    branch: &str,
) -> Result<String, PushError> {
    let why = format!(
        "`{}` is protected, so the baseline that its last run made is proposed here. Later runs add to this pull request until it is merged.\n",
        push.branch
    );
    let Some(side) = client.tip(branch).await? else { return Ok(why) };
    let new = client.file_at(push.path, &side).await?;
    let new = new.map(|text| Baseline::parse(push.path, text)).transpose()?;
    let summary = new.and_then(|new| summary_of(push, old, new));
    Ok(format!("{why}{}", summary.map(|summary| format!("\n{summary}")).unwrap_or_default()))
}

/// What differs between two baselines.
fn summary_of(push: &BaselinePush<'_>, old: Option<Baseline>, new: Baseline) -> Option<String> {
    let commit = |baseline: &Baseline| baseline.produced.commit.clone().unwrap_or_else(|| push.commit.clone());
    let named = |name: &str, commit: &Sha| Named { name: name.to_owned(), commit: commit.clone() };
    let (from, to) = (old.as_ref().map(&commit), commit(&new));
    let versions = old.into_iter().map(|old| (commit(&old), old)).chain([(to.clone(), new.clone())]).collect();
    let range = Range {
        from: from.map(|from| named(&format!("the baseline of {}", from.short()), &from)),
        to: named(&format!("{} at {}", push.branch, to.short()), &to),
        versions,
        gaps: Gaps::default(),
    };
    release::summary(&release::release(&range)?, None).ok()
}

/// Whether somebody else was faster, or nobody knows whether it was done: reading again shows it.
fn is_stale(error: &GithubError) -> bool {
    match error {
        GithubError::Graphql { kind, .. } => kind == "STALE_DATA",
        GithubError::Rejected { status, .. } => matches!(status, 409 | 422),
        GithubError::Uncertain(_) => true,
        GithubError::Unauthorized(_)
        | GithubError::Refused(_)
        | GithubError::NotFound(_)
        | GithubError::Unreachable(_) => false,
    }
}

/// Whether a branch is elsewhere now. GitHub words a lost race in several ways, but this is what it means.
async fn moved(client: &Client, branch: &str, tip: &Sha) -> Result<bool, GithubError> {
    Ok(client.tip(branch).await?.as_ref() != Some(tip))
}

/// Whether the branch takes changes only through pull requests.
fn is_protected(error: &GithubError) -> bool {
    let GithubError::Graphql { kind, message } = error else { return false };
    let message = message.to_lowercase();
    kind == "BRANCH_PROTECTION_RULE_VIOLATION"
        || ["protected branch", "rule violation", "through a pull request"].iter().any(|words| message.contains(words))
}
