//! The rule for finding the baseline: the newest version on the branch whose producing commit is the base of the run or
//! one of its ancestors.
//!
//! The rule is a pure function over [`CommitHistory`]. A clone and GitHub implement it, so both find the same baseline.

use super::{Baseline, is_conflicted};
use crate::input::{InputError, InputErrors};
use crate::model::Sha;
use crate::settings::BaselineLocation;

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
    /// The pull request that `head` may be the host's merge commit of.
    pub pull_request: Option<PullRequestCommits>,
    /// The branch that the change goes to. Its configuration says where the baseline is.
    pub onto: Option<String>,
    /// What the user named on the command line. It comes before what configurations say.
    pub named: Option<String>,
    /// `[baseline]` of the configuration as the change has it.
    pub own: BaselineLocation,
    /// The branch that has the baseline if no configuration names one and `main` does not exist.
    pub default_branch: Option<String>,
    /// The configuration's file, from the root of the repository.
    pub config: String,
    /// The configuration's directory, with a final `/`; empty at the root.
    pub prefix: String,
    /// Reads `[baseline]` in the text of a configuration; `None` if it cannot be parsed.
    pub section_of: fn(&str) -> Option<BaselineLocation>,
    /// How many versions the trend shows; each costs a request.
    pub trend: usize,
}

/// The commits of a pull request, as the host's event names them.
#[derive(Debug, Clone)]
pub(crate) struct PullRequestCommits {
    /// Its newest commit.
    pub head: Sha,
    /// The commit of the branch that it goes to, if the event names it.
    pub base: Option<Sha>,
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
    /// The branch that configurations name, if the user named another commit.
    pub instead_of: Option<String>,
    /// Whether a configuration says that there must be a baseline.
    pub required: bool,
    /// The baseline's file relative to the configuration, as the base has it; `None` if that is not known.
    pub path: Option<String>,
}

impl BaselineLookup {
    fn without(none: NoBaseline, required: bool) -> Self {
        Self { found: Err(none), base: None, on_main: false, remark: None, instead_of: None, required, path: None }
    }
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
    /// There is no repository, and so no branch.
    NoRepository { branch: String, named_by: NamedBy },
    /// The repository has no commit yet, and so no branch.
    NoCommit { branch: String, named_by: NamedBy },
    /// The branch does not exist.
    NoBranch { branch: String, named_by: NamedBy },
    /// The evaluated commit and the branch have no common ancestor.
    NoCommonAncestor { branch: String },
    /// The file was deleted on the branch.
    Deleted { branch: String, path: String, commit: Sha },
    /// The branch has no version of the file.
    NoVersion { branch: String, base: Sha },
    /// The branch has versions, but none was produced by an ancestor of the base. `newest` is what produced the newest.
    NotAnAncestor { branch: String, base: Sha, newest: Option<Sha> },
}

/// Who says that the baseline is on this branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// The user, on the command line.
    User,
    /// `ref` in the configuration.
    Config,
    Nobody,
}

impl NamedBy {
    /// Whether somebody wrote the name, so that it must exist.
    const fn is_somebody(self) -> bool {
        match self {
            Self::User | Self::Config => true,
            Self::Nobody => false,
        }
    }
}

/// Where the history is, which decides what to advise when there is no baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryPlace {
    Clone {
        /// Whether a part of its history is missing.
        shallow: bool,
        /// Whether the baseline's file is in the working directory.
        has_file: bool,
        /// Whether a commit of any branch has the file: a change can delete it from the working directory.
        had_file: bool,
        /// Whether there is a remote `origin`, which may have branches that are not here.
        has_origin: bool,
    },
    GitHub,
}

impl NoBaseline {
    /// Whether a baseline may exist all the same, so that a run without one would hide a regression.
    pub(crate) const fn is_uncertain(&self, place: HistoryPlace) -> bool {
        let (shallow, may_exist, has_origin) = match place {
            HistoryPlace::Clone { shallow, has_file, had_file, has_origin } => {
                (shallow, has_file || had_file, has_origin)
            }
            HistoryPlace::GitHub => (false, false, false),
        };
        match self {
            Self::NoRepository { named_by, .. } | Self::NoCommit { named_by, .. } => named_by.is_somebody(),
            Self::Deleted { .. } => false,
            Self::NoBranch { named_by, .. } => named_by.is_somebody() || (may_exist && (shallow || has_origin)),
            Self::NoCommonAncestor { .. } => may_exist,
            Self::NoVersion { .. } | Self::NotAnAncestor { .. } => may_exist && shallow,
        }
    }

    /// Why there is none, and what to do about it; `path` is the baseline's file as the configuration names it.
    pub(crate) fn message(&self, path: &str, place: HistoryPlace) -> String {
        let create = "on that branch, `evalratchet run` and `evalratchet baseline update --from evalratchet-out`, then commit the file";
        let (is_shallow, has_file) = match place {
            HistoryPlace::Clone { shallow, has_file, .. } => (shallow, has_file),
            HistoryPlace::GitHub => (false, false),
        };
        match self {
            Self::NoRepository { branch, named_by } => no_repository(branch, *named_by),
            Self::NoCommit { branch, named_by } => no_commit(branch, *named_by),
            Self::NoBranch { branch, named_by } => no_branch(branch, *named_by, place),
            Self::NoCommonAncestor { branch } => {
                let hint = if is_shallow { DEEPEN } else { "fetch the history that connects them" };
                format!("no baseline: this commit and `{branch}` have no common ancestor; {hint}")
            }
            Self::Deleted { branch, path, commit } => {
                format!("no baseline: {path} was deleted on `{branch}` in {}", commit.short())
            }
            Self::NoVersion { branch, base } => {
                let hint = if is_shallow {
                    DEEPEN.to_owned()
                } else if has_file {
                    format!("{path} is here, but not on `{branch}`; commit it there")
                } else {
                    create.to_owned()
                };
                no_version(branch, base, &hint)
            }
            Self::NotAnAncestor { branch, base, newest } => {
                let hint = match newest {
                    _ if is_shallow => DEEPEN.to_owned(),
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

fn no_repository(branch: &str, named_by: NamedBy) -> String {
    let instead = "run in a clone that has it, name a baseline file, or pass `--baseline none`";
    match named_by {
        NamedBy::User => format!("this is no git repository, so there is no branch or commit `{branch}`; {instead}"),
        NamedBy::Config => {
            format!("`ref` in [baseline] is `{branch}`, but this is no git repository; {instead} on the command line")
        }
        NamedBy::Nobody => {
            "no baseline: this is no git repository, so nothing is compared; `git init` makes it one".to_owned()
        }
    }
}

fn no_commit(branch: &str, named_by: NamedBy) -> String {
    match named_by {
        NamedBy::User => format!("this repository has no commit yet, so there is no branch or commit `{branch}`"),
        NamedBy::Config => {
            format!("`ref` in [baseline] is `{branch}`, but this repository has no commit yet; fetch that branch")
        }
        NamedBy::Nobody => "no baseline: this repository has no commit yet; commit, `evalratchet run` and \
             `evalratchet baseline update`, then commit the file"
            .to_owned(),
    }
}

const DEEPEN: &str = "this is a shallow clone: check out with `fetch-depth: 0`, or run `evalratchet baseline fetch` and name its file with --baseline";

fn no_branch(branch: &str, named_by: NamedBy, place: HistoryPlace) -> String {
    match (named_by, place) {
        (NamedBy::User, HistoryPlace::Clone { .. }) => {
            format!("there is no branch or commit `{branch}` here, nor a file of that name that ends in .json")
        }
        (_, HistoryPlace::Clone { shallow: true, .. }) => {
            format!("no baseline: there is no branch `{branch}` here; {DEEPEN}")
        }
        (NamedBy::Config, HistoryPlace::Clone { .. }) => {
            format!("`ref` in [baseline] is `{branch}`, and there is no such branch here; fetch it, or correct `ref`")
        }
        (NamedBy::Nobody, HistoryPlace::Clone { .. }) => {
            format!(
                "no baseline: there is no branch `{branch}` here; fetch it, or name another with `ref` in [baseline]"
            )
        }
        (NamedBy::User | NamedBy::Config | NamedBy::Nobody, HistoryPlace::GitHub) => {
            format!("no baseline: there is no branch `{branch}` on GitHub")
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
    let merged = merge_parent(history, query).await.map_err(LookupError::History)?;
    let place = match place(history, query, merged.as_ref()).await.map_err(LookupError::History)? {
        Ok(place) => place,
        Err(none) => return Ok(BaselineLookup::without(none, query.own.required)),
    };
    let BaselinePlace { branch, named_by, path, configured_path, tip, required, remark, instead_of } = place;
    let none = NoBaseline::NoBranch { branch: branch.clone(), named_by };
    let without = BaselineLookup::without(none, required);
    let mut lookup = BaselineLookup { remark, instead_of, path: Some(configured_path), ..without };
    let Some(tip) = tip else { return Ok(lookup) };
    let base = match merged {
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

/// Where the baseline is looked for.
struct BaselinePlace {
    branch: String,
    named_by: NamedBy,
    /// From the root of the repository.
    path: String,
    /// Relative to the configuration.
    configured_path: String,
    /// The newest commit of the branch, if it exists.
    tip: Option<Sha>,
    required: bool,
    remark: Option<String>,
    instead_of: Option<String>,
}

/// The branch and the file to look at. A change does not decide that itself: what its base says counts.
async fn place<H: CommitHistory>(
    history: &H,
    query: &BaselineQuery,
    merged: Option<&Sha>,
) -> Result<Result<BaselinePlace, NoBaseline>, H::Error> {
    let own = &query.own;
    let theirs = match section_of_base(history, query, merged).await? {
        BaseSection::Section(location) => Some(location),
        BaseSection::None => None,
        // Only the defaults need nobody who vouches for them.
        BaseSection::Unknown(_) if !own.names_branch && own.path == BaselineLocation::default().path => None,
        BaseSection::Unknown(none) => return Ok(Err(none)),
    };
    let location = theirs.as_ref().unwrap_or(own);
    let path = normal(&format!("{}{}", query.prefix, location.path));
    let named_by = if location.names_branch { NamedBy::Config } else { NamedBy::Nobody };
    let mut branch = location.branch.clone();
    let mut tip = history.tip(&branch).await?;
    if let (None, NamedBy::Nobody, Some(default)) = (&tip, named_by, &query.default_branch) {
        tip = history.tip(default).await?;
        branch.clone_from(default);
    }
    let other_branch = query.named.is_none() && location.branch != own.branch;
    let differs = other_branch || normal(&location.path) != normal(&own.path);
    let remark = differs.then(|| {
        let onto = query.onto.as_deref().unwrap_or_default();
        let on = if query.named.is_none() { format!(" on `{branch}`") } else { String::new() };
        format!("this change has another [baseline]; that of `{onto}` counts: `{path}`{on}")
    });
    let required = own.required || location.required;
    let configured_path = location.path.clone();
    let place = BaselinePlace { branch, named_by, path, configured_path, tip, required, remark, instead_of: None };
    let Some(named) = query.named.as_ref().filter(|named| **named != place.branch) else {
        let named_by = if query.named.is_some() { NamedBy::User } else { named_by };
        return Ok(Ok(BaselinePlace { named_by, ..place }));
    };
    let tip = history.tip(named).await?;
    let instead_of = (tip != place.tip).then_some(place.branch);
    Ok(Ok(BaselinePlace { branch: named.clone(), named_by: NamedBy::User, tip, instead_of, ..place }))
}

/// What the commit that the change is based on says about `[baseline]`.
enum BaseSection {
    /// It has a configuration that says where the baseline is.
    Section(BaselineLocation),
    /// It has no configuration, or nobody knows which branch the change goes to.
    None,
    /// It cannot be looked at, and this is why.
    Unknown(NoBaseline),
}

async fn section_of_base<H: CommitHistory>(
    history: &H,
    query: &BaselineQuery,
    merged: Option<&Sha>,
) -> Result<BaseSection, H::Error> {
    let Some(onto) = query.onto.as_deref() else { return Ok(BaseSection::None) };
    let branch = onto.to_owned();
    let base = match merged {
        Some(parent) => parent.clone(),
        None => {
            let Some(tip) = history.tip(onto).await? else {
                return Ok(BaseSection::Unknown(NoBaseline::NoBranch { branch, named_by: NamedBy::Nobody }));
            };
            match history.merge_base(&query.head, &tip).await? {
                Some(base) => base,
                None => return Ok(BaseSection::Unknown(NoBaseline::NoCommonAncestor { branch })),
            }
        }
    };
    Ok(match history.file_at(&query.config, &base).await? {
        // What cannot be parsed names nothing, so the defaults count, and not what the change says.
        Some(text) => BaseSection::Section((query.section_of)(&text).unwrap_or_default()),
        None => BaseSection::None,
    })
}

/// `[baseline]` as the commit has it that the change is based on; `None` if that cannot be looked at.
pub(crate) async fn location_of_base<H: CommitHistory>(
    history: &H,
    query: &BaselineQuery,
) -> Result<Option<BaselineLocation>, H::Error> {
    let merged = merge_parent(history, query).await?;
    match section_of_base(history, query, merged.as_ref()).await? {
        BaseSection::Section(location) => Ok(Some(location)),
        BaseSection::None | BaseSection::Unknown(_) => Ok(None),
    }
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

/// The first parent of the merge commit that the host made of a pull request. A merge commit of the pull request itself,
/// as "Update branch" makes one, has a first parent that is the pull request's own.
async fn merge_parent<H: CommitHistory>(history: &H, query: &BaselineQuery) -> Result<Option<Sha>, H::Error> {
    let Some(PullRequestCommits { head, base }) = &query.pull_request else { return Ok(None) };
    if query.head == *head {
        return Ok(None);
    }
    let parents = history.parents(&query.head).await?;
    let [first, second] = parents.as_slice() else { return Ok(None) };
    if second != head {
        return Ok(None);
    }
    if base.as_ref() == Some(first) {
        return Ok(Some(first.clone()));
    }
    let Some(onto) = query.onto.as_deref() else { return Ok(None) };
    let Some(tip) = history.tip(onto).await? else { return Ok(None) };
    Ok(history.is_ancestor(first, &tip).await?.then(|| first.clone()))
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
        let baseline = parse_committed(&source, path, text);
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

/// A version that somebody committed. With the markers of a conflict in it there is no side to take, so the help is another one
/// than for a conflict in the working directory.
pub(crate) fn parse_committed(source: &str, path: &str, text: String) -> Result<Baseline, InputErrors> {
    if is_conflicted(&text) {
        let help = format!("commit the last good version again: `git log -- {path}` lists them");
        return Err(InputError::in_file(source, "was committed with the conflict markers of git")
            .with_help(help)
            .into());
    }
    Baseline::parse(source, text)
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
