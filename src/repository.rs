//! What git says about the directory that is evaluated.
#![expect(clippy::disallowed_methods, reason = "edge: asks git")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::model::Sha;

/// Why git did not answer. "There is none" is not an error, but `Ok(None)`.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GitError {
    /// git did not start.
    #[error("git cannot be started: {0}")]
    NotStarted(std::io::Error),
    /// git failed; `message` is what it wrote to standard error.
    #[error("`git {command}` failed: {message}")]
    Failed { command: String, message: String },
    /// git answered with something else than it was asked for.
    #[error("`git {command}` answered {answer:?}, which was not expected")]
    Unexpected { command: String, answer: String },
}

/// A directory in a git repository.
#[derive(Debug, Clone)]
pub(crate) struct Git {
    directory: PathBuf,
}

impl Git {
    /// The repository that a directory belongs to; `None` if there is no `.git` in it or above it. Whether git itself can
    /// read that repository shows when it is asked.
    pub(crate) fn open(directory: &Path) -> Option<Self> {
        let has_git = |directory: &Path| {
            let start = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
            start.ancestors().any(|above| above.join(".git").symlink_metadata().is_ok())
        };
        let is_named = std::env::var_os("GIT_DIR").is_some_and(|value| !value.is_empty());
        (is_named || has_git(directory)).then(|| Self { directory: directory.to_owned() })
    }

    /// What git answers, without the final newline.
    pub(crate) fn answer(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.output(arguments)?;
        if output.status.success() { Ok(text(&output)) } else { Err(failed(arguments, &output)) }
    }

    /// What git answers; `None` if it exits with 1, which is how it says no.
    pub(crate) fn answer_if_any(&self, arguments: &[&str]) -> Result<Option<String>, GitError> {
        let output = self.output(arguments)?;
        match output.status.code() {
            Some(0) => Ok(Some(text(&output))),
            Some(1) => Ok(None),
            Some(_) | None => Err(failed(arguments, &output)),
        }
    }

    /// The commit that is checked out; `None` before the first one.
    pub(crate) fn head(&self) -> Result<Option<Sha>, GitError> {
        self.commit("HEAD")
    }

    /// The commit of a ref, a tag or a hash; `None` if nothing here has this name.
    pub(crate) fn commit(&self, name: &str) -> Result<Option<Sha>, GitError> {
        let verify = |name: &str| self.answer_if_any(&["rev-parse", "--verify", "--quiet", "--end-of-options", name]);
        let Some(object) = verify(name)? else { return Ok(None) };
        let commit = format!("{object}^{{commit}}");
        if let Some(text) = verify(&commit)? {
            return sha(&["rev-parse", &commit], &text).map(Some);
        }
        // A hash that is not here is no error. A ref to an object that is not here is one, and git says so.
        if Sha::parse(name).is_some() {
            return Ok(None);
        }
        self.answer(&["rev-list", "--max-count=1", &object])?;
        Ok(None)
    }

    /// Whether a commit is here.
    pub(crate) fn has_commit(&self, commit: &Sha) -> Result<bool, GitError> {
        let commit = format!("{commit}^{{commit}}");
        Ok(self.answer_if_any(&["rev-parse", "--verify", "--quiet", &commit])?.is_some())
    }

    /// The directory within the repository, with a final `/`; empty at its root.
    pub(crate) fn prefix(&self) -> Result<String, GitError> {
        self.answer(&["rev-parse", "--show-prefix"])
    }

    /// Whether a part of the history is missing.
    pub(crate) fn is_shallow(&self) -> Result<bool, GitError> {
        Ok(self.answer(&["rev-parse", "--is-shallow-repository"])? == "true")
    }

    fn output(&self, arguments: &[&str]) -> Result<Output, GitError> {
        Command::new("git")
            .args(arguments)
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .env("GIT_OPTIONAL_LOCKS", "0")
            .output()
            .map_err(GitError::NotStarted)
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

fn failed(arguments: &[&str], output: &Output) -> GitError {
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let message = if message.is_empty() { output.status.to_string() } else { message };
    GitError::Failed { command: arguments.join(" "), message }
}

/// The commit that git answered with.
pub(crate) fn sha(arguments: &[&str], answer: &str) -> Result<Sha, GitError> {
    let unexpected = || GitError::Unexpected { command: arguments.join(" "), answer: answer.to_owned() };
    Sha::parse(answer.trim()).ok_or_else(unexpected)
}

/// The commit and the branch that are checked out, where there are any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Checkout {
    pub commit: Option<Sha>,
    /// The branch; none on a detached head.
    pub branch: Option<String>,
    /// The directory within the repository, with a final `/`; empty at its root.
    pub prefix: String,
    /// Whether tracked files, but for the baseline's, differ from the commit.
    pub dirty: bool,
}

impl Checkout {
    /// Asks git; empty where there is no repository or no commit yet.
    pub(crate) fn of(directory: &Path, baseline: &str) -> Result<Self, GitError> {
        let Some(git) = Git::open(directory) else { return Ok(Self::default()) };
        let Some(commit) = git.head()? else { return Ok(Self::default()) };
        let branch = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        let but = format!(":(exclude,literal){baseline}");
        let changes = git.answer(&["status", "--porcelain", "--untracked-files=no", "--", ":/", &but]);
        // A tree that git cannot look at does not count as clean.
        let dirty = changes.map_or_else(
            |error| {
                tracing::warn!("{error}");
                true
            },
            |changes| !changes.trim().is_empty(),
        );
        Ok(Self { commit: Some(commit), branch, prefix: git.prefix()?, dirty })
    }
}
