//! The baseline on GitHub, found by the same rule as in a clone: the newest on the branch whose producing commit is the
//! base of the run or came before it.

use serde_json::Value;

use super::{Call, Client, GithubError, Sha, encoded, encoded_path};
use crate::baseline::{Baseline, Fetched, Where, normal};
use crate::input::{InputError, InputErrors};
use crate::settings::baseline_section;

/// How many versions of the file are looked through.
const MOST_VERSIONS: usize = 100;
/// How many of them a trend shows; each costs a request.
const TREND: usize = 8;

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The branch that the change goes to. Its configuration says where the baseline is.
    pub onto: String,
    /// The branch that has it, if no configuration says otherwise.
    pub branch: String,
    /// The baseline's file, from the root of the repository.
    pub path: String,
    /// The configuration's file, from the root of the repository.
    pub config: String,
    /// The configuration's directory, with a final `/`; empty at the root.
    pub prefix: String,
    /// Whether the user named the branch now, so that no configuration says otherwise.
    pub named: bool,
    /// What was checked out, or what was evaluated.
    pub commit: Sha,
    /// Whether that may be the merge commit that GitHub made of a pull request.
    pub may_be_merge: bool,
}

/// Why a baseline could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// GitHub did not say.
    #[error("{0}")]
    GithubError(#[from] GithubError),
    /// What is there cannot be read.
    #[error("{0}")]
    InputErrors(#[from] InputErrors),
}

/// Looks for the baseline.
pub async fn find(client: &Client, wanted: &Wanted) -> Result<Fetched, Failed> {
    let mut fetched = Fetched::nowhere(String::new());
    let nowhere = |fetched: Fetched, why: String| Ok(Fetched { found: Where::Nowhere(why), ..fetched });
    let (mut branch, mut path) = (wanted.branch.clone(), wanted.path.clone());
    if wanted.named && tip(client, &branch).await?.is_none() {
        let message = format!("there is no branch `{branch}` in {}", client.repository());
        return Err(InputErrors::from(InputError::in_file("--ref", message)).into());
    }
    // Where to look is not for a change to say: what its base has counts.
    if !wanted.named
        && let Some(base) = base(client, wanted, &wanted.onto).await?
        && let Some((named, place)) =
            file_at(client, &wanted.config, base.as_str()).await?.as_deref().and_then(baseline_section)
    {
        let place = normal(&format!("{}{place}", wanted.prefix));
        if (&named, &place) != (&branch, &path) {
            fetched.remark =
                Some(format!("this change has another [baseline]; that of its base counts: `{place}` on `{named}`"));
            (branch, path) = (named, place);
        }
    }
    let Some(tip) = tip(client, &branch).await? else {
        return nowhere(fetched, format!("no baseline: there is no branch `{branch}` on GitHub"));
    };
    let Some(base) = base(client, wanted, &branch).await? else {
        return nowhere(fetched, format!("no baseline: nothing is common to {} and `{branch}`", wanted.commit.short()));
    };
    fetched.base = Some(base.to_string());
    fetched.on_main = tip == wanted.commit;
    let history = format!("/commits?sha={tip}&path={}", encoded(&path));
    let history = client.list(&client.path(&history), None, MOST_VERSIONS).await?;
    let commits = history.iter().filter_map(|one| one.get("sha").and_then(Value::as_str)).take(MOST_VERSIONS);
    let mut foreign = None;
    for (index, commit) in commits.enumerate() {
        if fetched.versions.len() >= TREND {
            break;
        }
        let Some(text) = file_at(client, &path, commit).await? else {
            if index == 0 {
                let when = commit.get(..7).unwrap_or(commit);
                return nowhere(fetched, format!("no baseline: {path} was deleted on `{branch}` in {when}"));
            }
            continue;
        };
        let shown = format!("{branch}:{path}@{}", commit.get(..7).unwrap_or(commit));
        let found = Baseline::parse(&shown, text);
        if fetched.baseline.is_some() {
            // An older one that cannot be read is only missing from the trend.
            fetched.versions.extend(found.ok());
            continue;
        }
        let found = found?;
        let produced = found.produced.commit.as_deref().and_then(Sha::parse);
        let fits = match &produced {
            Some(produced) => is_ancestor(client, produced, &base).await?,
            None => false,
        };
        if fits {
            fetched.found = Where::At(shown);
            fetched.versions.push(found.clone());
            fetched.baseline = Some(found);
        } else {
            foreign.get_or_insert(produced);
        }
    }
    fetched.versions.reverse();
    if fetched.baseline.is_some() {
        let at_base = file_at(client, &path, base.as_str()).await?;
        fetched.at_base = at_base.and_then(|text| Baseline::parse(&path, text).ok());
        return Ok(fetched);
    }
    let hint = match foreign {
        Some(Some(commit)) => {
            format!("the one there is of {}, which is not in the history of this commit", commit.short())
        }
        Some(None) => "the one there does not say of which commit it is; make it in a git repository".to_owned(),
        None => format!(
            "on that branch, `evalratchet run` and `evalratchet baseline update --from evalratchet-out`, then commit {path}"
        ),
    };
    nowhere(fetched, format!("no baseline on `{branch}` for {} or what came before it: {hint}", base.short()))
}

/// The commit that a run is based on: the first parent of the merge commit that GitHub made, else what it has in common
/// with a branch.
pub async fn base(client: &Client, wanted: &Wanted, branch: &str) -> Result<Option<Sha>, GithubError> {
    if wanted.may_be_merge
        && let Some(commit) = commit(client, &wanted.commit).await?
        && let Some([first, _]) = commit["parents"].as_array().map(Vec::as_slice)
        && let Some(first) = first["sha"].as_str().and_then(Sha::parse)
    {
        return Ok(Some(first));
    }
    let Some(tip) = tip(client, branch).await? else { return Ok(None) };
    let compared = compare(client, &tip, &wanted.commit).await?;
    Ok(compared.and_then(|value| value["merge_base_commit"]["sha"].as_str().and_then(Sha::parse)))
}

/// The newest commit of a branch.
pub async fn tip(client: &Client, branch: &str) -> Result<Option<Sha>, GithubError> {
    let path = client.path(&format!("/git/ref/heads/{}", encoded_path(branch)));
    let reference = found(client.json(Call::get(path)).await)?;
    let Some(reference) = reference else {
        // A repository that the token may not see has no branches either, and that is not the same.
        if found(client.json(Call::get(client.path(""))).await)?.is_none() {
            let why = format!("{} is not there, or the token may not see it", client.repository());
            return Err(GithubError::Unreachable(why));
        }
        return Ok(None);
    };
    match reference["object"]["sha"].as_str().and_then(Sha::parse) {
        Some(sha) => Ok(Some(sha)),
        // An answer that says nothing is not the same as none.
        None => Err(GithubError::Unreachable(format!("GitHub does not say where `{branch}` is"))),
    }
}

/// Whether one commit is another or came before it.
pub async fn is_ancestor(client: &Client, ancestor: &Sha, of: &Sha) -> Result<bool, GithubError> {
    if ancestor == of {
        return Ok(true);
    }
    let compared = compare(client, ancestor, of).await?;
    let status = compared.as_ref().and_then(|value| value["status"].as_str());
    Ok(matches!(status, Some("ahead" | "identical")))
}

async fn compare(client: &Client, base: &Sha, head: &Sha) -> Result<Option<Value>, GithubError> {
    let path = client.path(&format!("/compare/{base}...{head}?per_page=1"));
    found(client.json(Call::get(path)).await)
}

/// A file as it is in a commit.
pub async fn file_at(client: &Client, path: &str, commit: &str) -> Result<Option<String>, GithubError> {
    let path = client.path(&format!("/contents/{}?ref={}", encoded_path(path), encoded(commit)));
    found(client.text(Call::get(path).raw()).await)
}

/// A commit, if there is one.
pub(super) async fn commit(client: &Client, sha: &Sha) -> Result<Option<Value>, GithubError> {
    match client.json(Call::get(client.path(&format!("/commits/{sha}")))).await {
        // This is how GitHub says that it has no such commit.
        Err(GithubError::Rejected { status: 422, .. }) => Ok(None),
        answer => found(answer),
    }
}

/// What is not there is no trouble.
fn found<T>(answer: Result<T, GithubError>) -> Result<Option<T>, GithubError> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(GithubError::NotFound(_)) => Ok(None),
        Err(trouble) => Err(trouble),
    }
}
