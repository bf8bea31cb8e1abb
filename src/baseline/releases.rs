//! Tags, and the baseline between two of them.

use super::git::{file_at, log};
use super::{Baseline, Blessing, BlessingFile, blessings_folder, normal};
use crate::input::InputErrors;
use crate::model::Sha;
use crate::repository::{Git, GitError, sha};

/// How many versions between two tags are looked at.
const MOST: usize = 500;

/// A tag of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    pub name: String,
    /// The commit that it is of.
    pub commit: Sha,
    /// When it was made, in seconds; of a tag without a date of its own, its commit.
    pub date: i64,
}

/// The versions of the baseline between two commits.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Versions {
    /// The commits that wrote one, oldest first.
    pub readable: Vec<(Sha, Baseline)>,
    /// Those whose baseline is not valid.
    pub unreadable: Vec<Sha>,
    /// How many older ones were not looked at.
    pub left_out: usize,
}

/// Every tag that a commit has in its history.
pub(crate) fn tags(git: &Git, commit: &Sha) -> Result<Vec<Tag>, GitError> {
    let format = "--format=%(creatordate:unix)%09%(*objectname)%09%(objectname)%09%(refname:strip=2)";
    let arguments = ["for-each-ref", &format!("--merged={commit}"), format, "refs/tags"];
    let tag = |line: &str| {
        let mut parts = line.splitn(4, '\t');
        let (date, of, own) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let commit = sha(&arguments, if of.is_empty() { own } else { of });
        let name = parts.next()?.to_owned();
        Some(commit.map(|commit| Tag { name, commit, date }))
    };
    git.answer(&arguments)?.lines().filter_map(tag).collect()
}

/// The commit of a tag, else of whatever else has this name.
pub(crate) fn commit_of(git: &Git, name: &str) -> Result<Option<Sha>, GitError> {
    match git.commit(&format!("refs/tags/{name}"))? {
        Some(commit) => Ok(Some(commit)),
        None => git.commit(name),
    }
}

/// Why the baseline of a release could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReleaseError {
    /// git did not answer.
    #[error("{0}")]
    Git(#[from] GitError),
    /// The baseline is not valid.
    #[error("{0}")]
    Invalid(#[from] InputErrors),
}

/// The baseline that a commit carries, and the commit that wrote it; `path` is relative to the directory.
pub(crate) fn at_commit(git: &Git, path: &str, commit: &Sha) -> Result<Option<(Sha, Baseline)>, ReleaseError> {
    let file = normal(&format!("{}{path}", git.prefix()?));
    let Some(text) = file_at(git, &file, commit)? else { return Ok(None) };
    let mut baseline = Baseline::parse(&format!("{file}@{}", commit.short()), text)?;
    baseline.blessings.extend(blessings_at(git, &blessings_folder(&file), commit)?);
    let writer = log(git, &["--max-count", "1", commit.as_str()], &file)?.into_iter().next();
    Ok(Some((writer.unwrap_or_else(|| commit.clone()), baseline)))
}

/// The blessings that stand in a commit. What is no regular file, such as a symbolic link, is none.
pub(crate) fn blessings_at(git: &Git, folder: &str, commit: &Sha) -> Result<Vec<Blessing>, ReleaseError> {
    let listed =
        git.answer(&["ls-tree", "-z", "--full-tree", "--name-only", commit.as_str(), &format!("{folder}/")])?;
    let mut blessings = Vec::new();
    for path in listed.split('\0').filter(|path| path.ends_with(".toml")) {
        let Some(text) = file_at(git, path, commit)? else { continue };
        blessings.extend(BlessingFile::parse(&format!("{path}@{}", commit.short()), text)?);
    }
    Ok(blessings)
}

/// The versions of the baseline that `to` has and `from` has not.
pub(crate) fn versions(git: &Git, path: &str, from: &Sha, to: &Sha) -> Result<Versions, GitError> {
    let file = normal(&format!("{}{path}", git.prefix()?));
    let commits = log(git, &["--topo-order", &format!("{from}..{to}")], &file)?;
    let mut versions = Versions { left_out: commits.len().saturating_sub(MOST), ..Versions::default() };
    for commit in commits.into_iter().take(MOST).rev() {
        // Where it was deleted there is none.
        let Some(text) = file_at(git, &file, &commit)? else { continue };
        match Baseline::parse(&file, text) {
            Ok(baseline) => versions.readable.push((commit, baseline)),
            Err(_) => versions.unreadable.push(commit),
        }
    }
    Ok(versions)
}
