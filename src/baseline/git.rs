//! The history of a local clone.

use std::path::Path;

use super::lookup::CommitHistory;
use super::{Baseline, normal};
use crate::model::Sha;
use crate::repository::{Git, GitError, sha};

/// How far back the file's history is looked through.
const DEPTH: &str = "500";

impl CommitHistory for Git {
    type Error = GitError;

    /// The remote's, unless the local one is further.
    async fn tip(&self, branch: &str) -> Result<Option<Sha>, GitError> {
        tip(self, branch)
    }

    async fn parents(&self, commit: &Sha) -> Result<Vec<Sha>, GitError> {
        let arguments = ["log", "--max-count=1", "--format=%P", commit.as_str()];
        self.answer(&arguments)?.split_whitespace().map(|parent| sha(&arguments, parent)).collect()
    }

    async fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>, GitError> {
        let arguments = ["merge-base", one.as_str(), other.as_str()];
        self.answer_if_any(&arguments)?.map(|text| sha(&arguments, &text)).transpose()
    }

    async fn is_ancestor(&self, ancestor: &Sha, of: &Sha) -> Result<bool, GitError> {
        is_ancestor(self, ancestor, of)
    }

    async fn file_at(&self, path: &str, commit: &Sha) -> Result<Option<String>, GitError> {
        file_at(self, path, commit)
    }

    async fn versions(&self, path: &str, tip: &Sha) -> Result<Vec<Sha>, GitError> {
        log(self, &["--max-count", DEPTH, tip.as_str()], path)
    }
}

fn tip(git: &Git, branch: &str) -> Result<Option<Sha>, GitError> {
    let remote = git.commit(&format!("refs/remotes/origin/{branch}"))?;
    let local = git.commit(&format!("refs/heads/{branch}"))?;
    match (remote, local) {
        (Some(remote), Some(local)) => Ok(Some(if is_ancestor(git, &remote, &local)? { local } else { remote })),
        (Some(one), None) | (None, Some(one)) => Ok(Some(one)),
        (None, None) => git.commit(branch),
    }
}

/// Whether one commit is another or one of its ancestors; `false` for a commit that is not here.
pub(crate) fn is_ancestor(git: &Git, ancestor: &Sha, of: &Sha) -> Result<bool, GitError> {
    if !git.has_commit(ancestor)? || !git.has_commit(of)? {
        return Ok(false);
    }
    Ok(git.answer_if_any(&["merge-base", "--is-ancestor", ancestor.as_str(), of.as_str()])?.is_some())
}

/// A file as it is in a commit; `path` starts at the root of the repository.
pub(super) fn file_at(git: &Git, path: &str, commit: &Sha) -> Result<Option<String>, GitError> {
    // `git show` fails in the same way for a path that is not there and for an object that is missing.
    let pathspec = format!(":(literal){path}");
    let entry = git.answer(&["ls-tree", "--full-tree", "-z", commit.as_str(), "--", &pathspec])?;
    let Some(object) = entry.split('\t').next().and_then(|entry| entry.split(' ').nth(2)) else { return Ok(None) };
    git.answer(&["cat-file", "blob", object]).map(Some)
}

/// The commits that changed a file, newest first.
pub(super) fn log(git: &Git, which: &[&str], path: &str) -> Result<Vec<Sha>, GitError> {
    let path = format!(":(top,literal){path}");
    let arguments = [&["log", "--format=%H"], which, &["--", &path]].concat();
    git.answer(&arguments)?.lines().map(|line| sha(&arguments, line)).collect()
}

/// The branch that the remote calls its own, if it is known.
pub(crate) fn default_branch(git: &Git) -> Result<Option<String>, GitError> {
    let name = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])?;
    Ok(name.and_then(|name| name.strip_prefix("origin/").map(str::to_owned)))
}

/// Every valid version of the baseline on a branch, newest first; `path` is relative to `root`.
pub(crate) fn history(root: &Path, path: &str, branch: &str) -> Result<Vec<(Sha, Baseline)>, GitError> {
    let Some(git) = Git::open(root) else { return Ok(Vec::new()) };
    let Some(tip) = tip(&git, branch)? else { return Ok(Vec::new()) };
    let file = normal(&format!("{}{path}", git.prefix()?));
    let mut versions = Vec::new();
    for commit in log(&git, &["--max-count", DEPTH, tip.as_str()], &file)? {
        let text = file_at(&git, &file, &commit)?;
        if let Some(baseline) = text.and_then(|text| Baseline::parse(&file, text).ok()) {
            versions.push((commit, baseline));
        }
    }
    Ok(versions)
}

/// The files that differ from the common ancestor of HEAD and `reference`, relative to `root`; `None` if there is no such
/// ancestor.
pub(crate) fn changed_files(root: &Path, reference: &str) -> Result<Option<Vec<String>>, GitError> {
    let Some(git) = Git::open(root) else { return Ok(None) };
    let Some(tip) = tip(&git, reference)? else { return Ok(None) };
    let Some(base) = git.answer_if_any(&["merge-base", "HEAD", tip.as_str()])? else { return Ok(None) };
    let changed = git.answer(&["diff", "--name-only", "--relative", "--no-renames", "-z", &base, "--"])?;
    let untracked = git.answer(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = changed.split('\0').chain(untracked.split('\0')).filter(|name| !name.is_empty());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    // What changed above the configuration is not seen by --relative.
    let prefix = git.prefix()?;
    if !prefix.is_empty() {
        let all = git.answer(&["diff", "--name-only", "--no-renames", "-z", &base, "--", ":/"])?;
        let above = all.split('\0').filter(|name| !name.is_empty() && !name.starts_with(&prefix));
        let up = "../".repeat(prefix.matches('/').count());
        names.extend(above.map(|name| format!("{up}{name}")));
    }
    names.sort();
    names.dedup();
    Ok(Some(names))
}
