//! The history of a local clone.

use std::path::Path;

use super::lookup::CommitHistory;
use super::{Baseline, normal};
use crate::model::Sha;
use crate::repository::{Git, GitError, sha};

/// How far back the file's history is looked through.
const DEPTH: &str = "500";

/// The history of a clone, and who says where its branches are.
#[derive(Debug, Clone)]
pub(crate) struct ClonedHistory {
    pub git: Git,
    pub branches: Branches,
}

/// Who says where a branch is.
#[derive(Debug, Clone, Default)]
pub(crate) enum Branches {
    /// A developer's clone: `origin`, unless the local branch is further.
    #[default]
    Local,
    /// A job: the event and `origin`. A local branch may be the change itself.
    Job(JobBranches),
}

/// What the event of a job says about branches.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobBranches {
    /// The branch that a pull request goes to, and its commit then.
    pub base: Option<(String, Sha)>,
    /// The newest commit of the pull request.
    pub head: Option<Sha>,
    /// The repository that the pull request comes from, `owner/name`, if it is a fork.
    pub fork: Option<String>,
}

impl CommitHistory for ClonedHistory {
    type Error = GitError;

    async fn tip(&self, branch: &str) -> Result<Option<Sha>, GitError> {
        tip(&self.git, &self.branches, branch)
    }

    async fn parents(&self, commit: &Sha) -> Result<Vec<Sha>, GitError> {
        parents(&self.git, commit)
    }

    async fn merge_base(&self, one: &Sha, other: &Sha) -> Result<Option<Sha>, GitError> {
        let arguments = ["merge-base", one.as_str(), other.as_str()];
        self.git.answer_if_any(&arguments)?.map(|text| sha(&arguments, &text)).transpose()
    }

    async fn is_ancestor(&self, ancestor: &Sha, of: &Sha) -> Result<bool, GitError> {
        is_ancestor(&self.git, ancestor, of)
    }

    async fn file_at(&self, path: &str, commit: &Sha) -> Result<Option<String>, GitError> {
        file_at(&self.git, path, commit)
    }

    async fn versions(&self, path: &str, tip: &Sha) -> Result<Vec<Sha>, GitError> {
        log(&self.git, &["--max-count", DEPTH, tip.as_str()], path)
    }
}

/// The newest commit of a branch; of any other name, its commit.
pub(super) fn tip(git: &Git, branches: &Branches, branch: &str) -> Result<Option<Sha>, GitError> {
    let local = |branch: &str| git.commit(&format!("refs/heads/{branch}"));
    let remote = |branch: &str| git.commit(&format!("refs/remotes/origin/{branch}"));
    match branches {
        Branches::Local => match (remote(branch)?, local(branch)?) {
            (Some(remote), Some(local)) => Ok(Some(if is_ancestor(git, &remote, &local)? { local } else { remote })),
            (Some(one), None) | (None, Some(one)) => Ok(Some(one)),
            (None, None) => git.commit(branch),
        },
        Branches::Job(job) => {
            let short = branch.strip_prefix("origin/").unwrap_or(branch);
            if let Some((_, base)) = job.base.as_ref().filter(|(name, _)| name == short) {
                return base_tip(git, job, remote(short)?, base);
            }
            match remote(short)? {
                Some(commit) => Ok(Some(commit)),
                None => Ok(local(branch)?.or(git.commit(branch)?)),
            }
        }
    }
}

/// The newest commit of the branch that a pull request goes to: that of `origin`, unless `origin` is the fork or the pull
/// request is already in it; else the one that the event names.
fn base_tip(git: &Git, job: &JobBranches, remote: Option<Sha>, base: &Sha) -> Result<Option<Sha>, GitError> {
    let is_fork = match &job.fork {
        Some(fork) => is_of_repository(git.answer_if_any(&["config", "--get", "remote.origin.url"])?.as_deref(), fork),
        None => false,
    };
    if let Some(remote) = remote.filter(|_| !is_fork) {
        let is_merged = match &job.head {
            Some(head) => is_ancestor(git, head, &remote)?,
            None => false,
        };
        if !is_merged {
            return Ok(Some(remote));
        }
    }
    Ok(git.has_commit(base)?.then(|| base.clone()))
}

/// Whether an address is that of a repository, `owner/name`.
fn is_of_repository(url: Option<&str>, name: &str) -> bool {
    let Some(url) = url else { return false };
    let path = url.trim_end_matches('/').trim_end_matches(".git").replace(':', "/").to_lowercase();
    path.ends_with(&format!("/{}", name.to_lowercase()))
}

fn parents(git: &Git, commit: &Sha) -> Result<Vec<Sha>, GitError> {
    let arguments = ["rev-list", "--parents", "--max-count=1", commit.as_str()];
    git.answer(&arguments)?.split_whitespace().skip(1).map(|parent| sha(&arguments, parent)).collect()
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
    // Settings of `git log` do not apply to `rev-list`.
    let arguments = [&["rev-list"], which, &["--", &path]].concat();
    git.answer(&arguments)?.lines().map(|line| sha(&arguments, line)).collect()
}

/// Whether a commit of any branch has, or had, one of these files, which start at the root of the repository.
pub(crate) fn was_ever_here(git: &Git, paths: &[String]) -> Result<bool, GitError> {
    let paths: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
    let mut arguments = vec!["rev-list", "--all", "--max-count=1", "--"];
    arguments.extend(paths.iter().map(String::as_str));
    Ok(!git.answer(&arguments)?.is_empty())
}

/// The texts that a file has in the newest commits of all branches that changed it.
pub(crate) fn texts_on_all_branches(git: &Git, path: &str) -> Result<Vec<String>, GitError> {
    let commits = log(git, &["--all", "--max-count=50"], path)?;
    commits.iter().filter_map(|commit| file_at(git, path, commit).transpose()).collect()
}

/// The branch that the remote calls its own, if it is known.
pub(crate) fn default_branch(git: &Git) -> Result<Option<String>, GitError> {
    let name = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])?;
    Ok(name.and_then(|name| name.strip_prefix("origin/").map(str::to_owned)))
}

/// Every valid version of the baseline on a branch, newest first; `path` is relative to `root`.
pub(crate) fn history(root: &Path, path: &str, branch: &str) -> Result<Vec<(Sha, Baseline)>, GitError> {
    let Some(git) = Git::open(root)? else { return Ok(Vec::new()) };
    let Some(tip) = tip(&git, &Branches::Local, branch)? else { return Ok(Vec::new()) };
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
