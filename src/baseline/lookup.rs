//! The rule for finding the baseline: the newest version on the branch whose producing commit is the base of the run or
//! one of its ancestors.
//!
//! The rule is a pure function over [`CommitHistory`]. A clone and GitHub implement it, so both find the same baseline.

use super::Baseline;
use crate::input::InputErrors;
use crate::model::Sha;

/// What the rule needs to know about the commits of a repository. `Ok(None)` means that there is none; what could not be
/// looked up is an error.
pub(crate) trait CommitHistory {
    type Error: std::error::Error;

    /// The newest commit of a branch.
    async fn tip(&self, branch: &str) -> Result<Option<Sha>, Self::Error>;
    /// The parents of a commit; none if the commit or its parents are not known here.
    async fn parents(&self, commit: &Sha) -> Result<Vec<Sha>, Self::Error>;
    /// The best common ancestor of two commits.
    async fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>, Self::Error>;
    /// Whether one commit is another or one of its ancestors; `false` for a commit that is not known here.
    async fn is_ancestor(&self, ancestor: &Sha, of: &Sha) -> Result<bool, Self::Error>;
    /// A file as it is in a commit; `path` starts at the root of the repository.
    async fn file_at(&self, path: &str, commit: &Sha) -> Result<Option<String>, Self::Error>;
    /// The commits up to `tip` that changed a file, newest first.
    async fn versions(&self, path: &str, tip: &Sha) -> Result<Vec<Sha>, Self::Error>;
}

/// Which baseline is looked for, and for which commit.
#[derive(Debug, Clone)]
pub(crate) struct BaselineQuery {
    /// The commit that is evaluated.
    pub head: Sha,
    /// Whether that may be the merge commit that the host made of a pull request.
    pub may_be_merge: bool,
    /// The branch that the change goes to. Its configuration says where the baseline is.
    pub onto: Option<String>,
    /// The branch that has the baseline, unless the configuration of `onto` says otherwise.
    pub branch: String,
    /// Whether the user named `branch` now, so that no configuration says otherwise.
    pub named: bool,
    /// The baseline's file, from the root of the repository.
    pub path: String,
    /// The configuration's file, from the root of the repository.
    pub config: String,
    /// The configuration's directory, with a final `/`; empty at the root.
    pub prefix: String,
    /// The branch and the file that the text of a configuration names; `None` if it cannot be parsed.
    pub section_of: fn(&str) -> Option<(String, String)>,
    /// How many versions the trend shows; each costs a request.
    pub trend: usize,
}

/// What the rule found.
#[derive(Debug)]
pub(crate) struct BaselineLookup {
    /// The baseline, or why there is none.
    pub found: Result<FoundBaseline, NoBaseline>,
    /// The commit that the run is based on.
    pub base: Option<Sha>,
    /// Whether the evaluated commit is the tip of the branch that has the baseline.
    pub on_main: bool,
    /// What the user should know about where the baseline was looked for.
    pub remark: Option<String>,
}

/// A baseline, and where it was found.
#[derive(Debug)]
pub(crate) struct FoundBaseline {
    pub baseline: Baseline,
    /// Where it is, in words.
    pub source: String,
    /// The file as it is in the commit that the run is based on.
    pub at_base: Option<Baseline>,
    /// Earlier baselines up to this one, oldest first.
    pub versions: Vec<Baseline>,
}

/// Why there is no baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoBaseline {
    /// There is no repository, or it has no commit yet.
    NoCommit,
    /// The branch does not exist.
    NoBranch { branch: String },
    /// The evaluated commit and the branch have no common ancestor.
    NoCommonAncestor { branch: String },
    /// The file was deleted on the branch.
    Deleted { branch: String, path: String, commit: Sha },
    /// The branch has no version of the file.
    NoVersion { branch: String, base: Sha },
    /// The branch has versions, but none was produced by an ancestor of the base. `newest` is what produced the newest.
    NotAnAncestor { branch: String, base: Sha, newest: Option<Sha> },
}

/// Where the history is, which decides what to advise when there is no baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryPlace {
    Clone {
        /// Whether a part of its history is missing.
        shallow: bool,
        /// Whether the baseline's file is in the working directory.
        has_file: bool,
    },
    /// The host's API.
    GitHub,
}

impl NoBaseline {
    /// Why there is none, and what to do about it; `path` is the baseline's file as the configuration names it.
    pub(crate) fn message(&self, path: &str, place: HistoryPlace) -> String {
        let create = "on that branch, `evalratchet run` and `evalratchet baseline update --from evalratchet-out`, then commit the file";
        let deepen = "this is a shallow clone: `evalratchet baseline fetch`, or check out with `fetch-depth: 0`";
        let (is_shallow, has_file) = match place {
            HistoryPlace::Clone { shallow, has_file } => (shallow, has_file),
            HistoryPlace::GitHub => (false, false),
        };
        match self {
            Self::NoCommit => format!("no baseline: this is no git repository with a commit; {create}"),
            Self::NoBranch { branch } => match place {
                HistoryPlace::GitHub => format!("no baseline: there is no branch `{branch}` on GitHub"),
                HistoryPlace::Clone { .. } => {
                    let hint = if is_shallow { deepen } else { "name another with --baseline, or `ref` in [baseline]" };
                    format!("no baseline: there is no branch `{branch}` here; {hint}")
                }
            },
            Self::NoCommonAncestor { branch } => {
                let hint = if is_shallow { format!("; {deepen}") } else { String::new() };
                format!("no baseline: nothing is common to this commit and `{branch}`{hint}")
            }
            Self::Deleted { branch, path, commit } => {
                format!("no baseline: {path} was deleted on `{branch}` in {}", commit.short())
            }
            Self::NoVersion { branch, base } => {
                let hint = if is_shallow {
                    deepen.to_owned()
                } else if has_file {
                    format!("{path} is here, but not on `{branch}`; commit it there")
                } else {
                    create.to_owned()
                };
                no_version(branch, base, &hint)
            }
            Self::NotAnAncestor { branch, base, newest } => {
                let hint = match newest {
                    _ if is_shallow => deepen.to_owned(),
                    Some(commit) => {
                        format!("the one there is of {}, which is not in the history of this commit", commit.short())
                    }
                    None => "the one there does not say of which commit it is; make it in a git repository".to_owned(),
                };
                no_version(branch, base, &hint)
            }
        }
    }
}

fn no_version(branch: &str, base: &Sha, hint: &str) -> String {
    format!("no baseline on `{branch}` for {} or what came before it: {hint}", base.short())
}

/// Why it could not be decided whether there is a baseline.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LookupError<E: std::error::Error> {
    /// The history could not be read.
    #[error("{0}")]
    History(E),
    /// A baseline is there, but it is not valid.
    #[error("{0}")]
    Invalid(InputErrors),
}

impl<E: std::error::Error> From<InputErrors> for LookupError<E> {
    fn from(errors: InputErrors) -> Self {
        Self::Invalid(errors)
    }
}

/// Finds the baseline of a commit.
pub(crate) async fn find<H: CommitHistory>(
    history: &H,
    query: &BaselineQuery,
) -> Result<BaselineLookup, LookupError<H::Error>> {
    let (branch, path, remark) = section(history, query).await.map_err(LookupError::History)?;
    let mut lookup = BaselineLookup {
        found: Err(NoBaseline::NoBranch { branch: branch.clone() }),
        base: None,
        on_main: false,
        remark,
    };
    let Some(tip) = history.tip(&branch).await.map_err(LookupError::History)? else { return Ok(lookup) };
    let base = match merge_parent(history, query).await.map_err(LookupError::History)? {
        Some(parent) => Some(parent),
        None => history.merge_base(&query.head, &tip).await.map_err(LookupError::History)?,
    };
    let Some(base) = base else {
        lookup.found = Err(NoBaseline::NoCommonAncestor { branch });
        return Ok(lookup);
    };
    lookup.on_main = tip == query.head;
    let place = BranchFile { branch: &branch, path: &path, tip: &tip, base: &base };
    lookup.found = newest_that_fits(history, &place, query.trend).await?;
    lookup.base = Some(base);
    Ok(lookup)
}

/// The branch and the file to look at. A change does not decide that itself: what its base says counts.
async fn section<H: CommitHistory>(
    history: &H,
    query: &BaselineQuery,
) -> Result<(String, String, Option<String>), H::Error> {
    let own = (query.branch.clone(), query.path.clone(), None);
    let Some(onto) = query.onto.as_deref().filter(|_| !query.named) else { return Ok(own) };
    let Some(base) = base(history, query, onto).await? else { return Ok(own) };
    let text = history.file_at(&query.config, &base).await?;
    let Some((branch, path)) = text.as_deref().and_then(query.section_of) else { return Ok(own) };
    let path = normal(&format!("{}{path}", query.prefix));
    if (&branch, &path) == (&query.branch, &query.path) {
        return Ok(own);
    }
    let remark = format!("this change has another [baseline]; that of `{onto}` counts: `{path}` on `{branch}`");
    Ok((branch, path, Some(remark)))
}

/// The commit that a run is based on, if its change goes to this branch.
pub(crate) async fn base<H: CommitHistory>(
    history: &H,
    query: &BaselineQuery,
    branch: &str,
) -> Result<Option<Sha>, H::Error> {
    if let Some(parent) = merge_parent(history, query).await? {
        return Ok(Some(parent));
    }
    match history.tip(branch).await? {
        Some(tip) => history.merge_base(&query.head, &tip).await,
        None => Ok(None),
    }
}

/// The first parent of the merge commit that the host made of a pull request.
async fn merge_parent<H: CommitHistory>(history: &H, query: &BaselineQuery) -> Result<Option<Sha>, H::Error> {
    if !query.may_be_merge {
        return Ok(None);
    }
    match history.parents(&query.head).await?.as_slice() {
        [first, _second] => Ok(Some(first.clone())),
        _ => Ok(None),
    }
}

struct BranchFile<'a> {
    branch: &'a str,
    path: &'a str,
    tip: &'a Sha,
    base: &'a Sha,
}

async fn newest_that_fits<H: CommitHistory>(
    history: &H,
    place: &BranchFile<'_>,
    trend: usize,
) -> Result<Result<FoundBaseline, NoBaseline>, LookupError<H::Error>> {
    let BranchFile { branch, path, tip, base } = *place;
    let mut found: Option<FoundBaseline> = None;
    let mut newest = None;
    for (index, commit) in history.versions(path, tip).await.map_err(LookupError::History)?.iter().enumerate() {
        if found.as_ref().is_some_and(|found| found.versions.len() >= trend) {
            break;
        }
        let Some(text) = history.file_at(path, commit).await.map_err(LookupError::History)? else {
            if index == 0 {
                let commit = commit.clone();
                return Ok(Err(NoBaseline::Deleted { branch: branch.to_owned(), path: path.to_owned(), commit }));
            }
            continue;
        };
        let source = format!("{branch}:{path}@{}", commit.short());
        let baseline = Baseline::parse(&source, text);
        if let Some(found) = &mut found {
            // An older version that is not valid is only missing from the trend.
            found.versions.extend(baseline.ok());
            continue;
        }
        let baseline = baseline?;
        let fits = match &baseline.produced.commit {
            Some(produced) => history.is_ancestor(produced, base).await.map_err(LookupError::History)?,
            None => false,
        };
        if fits {
            found = Some(FoundBaseline { versions: vec![baseline.clone()], baseline, source, at_base: None });
        } else {
            newest.get_or_insert(baseline.produced.commit);
        }
    }
    let (branch, base) = (branch.to_owned(), base.clone());
    let Some(mut found) = found else {
        return Ok(Err(match newest {
            Some(newest) => NoBaseline::NotAnAncestor { branch, base, newest },
            None => NoBaseline::NoVersion { branch, base },
        }));
    };
    found.versions.reverse();
    let at_base = history.file_at(path, &base).await.map_err(LookupError::History)?;
    found.at_base = at_base.and_then(|text| Baseline::parse(path, text).ok());
    Ok(Ok(found))
}

/// A path without `.` and `..`.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests;
