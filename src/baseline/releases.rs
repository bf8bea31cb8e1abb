//! Tags, and the baseline between two of them.

use std::path::Path;

use super::Baseline;
use super::git::{git, normal, short, show};
use crate::input::InputErrors;

/// How many versions between two tags are looked at.
const MOST: usize = 500;

/// A tag of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// Its name.
    pub name: String,
    /// The commit that it is of.
    pub commit: String,
    /// When it was made, in seconds; of a tag without a date of its own, its commit.
    pub date: i64,
}

/// The versions of the baseline between two commits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Versions {
    /// The commits that wrote one, oldest first.
    pub readable: Vec<(String, Baseline)>,
    /// Those whose baseline cannot be read.
    pub unreadable: Vec<String>,
    /// How many older ones were not looked at.
    pub left_out: usize,
}

/// Every tag that a commit has in its history.
pub fn tags(root: &Path, commit: &str) -> Vec<Tag> {
    let format = "--format=%(creatordate:unix)%09%(*objectname)%09%(objectname)%09%(refname:strip=2)";
    let text = git(root, &["for-each-ref", &format!("--merged={commit}"), format, "refs/tags"]).unwrap_or_default();
    let tag = |line: &str| {
        let mut parts = line.splitn(4, '\t');
        let (date, of, own) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let commit = if of.is_empty() { own } else { of }.to_owned();
        Some(Tag { name: parts.next()?.to_owned(), commit, date })
    };
    text.lines().filter_map(tag).collect()
}

/// The commit of a tag, else of whatever else has this name.
pub fn commit_of(root: &Path, name: &str) -> Option<String> {
    let commit = |name: &str| {
        git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
    };
    commit(&format!("refs/tags/{name}")).or_else(|| commit(name))
}

/// Whether a part of the history is missing.
pub fn is_shallow(root: &Path) -> bool {
    git(root, &["rev-parse", "--is-shallow-repository"]).is_some_and(|answer| answer == "true")
}

/// The baseline that a commit carries, and the commit that wrote it; `path` is relative to `root`.
pub fn at_commit(root: &Path, path: &str, commit: &str) -> Result<Option<(String, Baseline)>, InputErrors> {
    let file = file(root, path);
    let Some(text) = show(root, commit, &file) else { return Ok(None) };
    let baseline = Baseline::parse(&format!("{file}@{}", short(commit)), text)?;
    let writer = log(root, &["--max-count", "1", commit], &file).into_iter().next();
    Ok(Some((writer.unwrap_or_else(|| commit.to_owned()), baseline)))
}

/// The versions of the baseline that `to` has and `from` has not.
pub fn versions(root: &Path, path: &str, from: &str, to: &str) -> Versions {
    let file = file(root, path);
    let commits = log(root, &["--topo-order", &format!("{from}..{to}")], &file);
    let mut versions = Versions { left_out: commits.len().saturating_sub(MOST), ..Versions::default() };
    for commit in commits.into_iter().take(MOST).rev() {
        // Where it was deleted there is none.
        let Some(text) = show(root, &commit, &file) else { continue };
        match Baseline::parse(&file, text) {
            Ok(baseline) => versions.readable.push((commit, baseline)),
            Err(_) => versions.unreadable.push(commit),
        }
    }
    versions
}

fn file(root: &Path, path: &str) -> String {
    let prefix = git(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    normal(&format!("{prefix}{path}"))
}

/// The commits that changed the file, newest first.
fn log(root: &Path, which: &[&str], file: &str) -> Vec<String> {
    let file = format!(":(top,literal){file}");
    let arguments = [&["log", "--format=%H"], which, &["--", &file]].concat();
    git(root, &arguments).unwrap_or_default().lines().map(str::to_owned).collect()
}
