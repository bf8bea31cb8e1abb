//! What git says of the directory that is evaluated.
#![expect(clippy::disallowed_methods, reason = "edge: asks git")]

use std::path::Path;
use std::process::{Command, Stdio};

/// The commit and the branch that are checked out, where there are any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkout {
    /// The full hash.
    pub commit: Option<String>,
    /// The branch; none on a detached head.
    pub branch: Option<String>,
    /// The directory within the repository, with a final `/`; empty at its root.
    pub prefix: String,
    /// Whether tracked files, but for the baseline's, differ from the commit.
    pub dirty: bool,
}

impl Checkout {
    /// Asks git; knows nothing where git is missing or there is no repository.
    pub fn of(directory: &Path, baseline: &str) -> Self {
        let Some(text) = git(directory, &["rev-parse", "HEAD", "--abbrev-ref", "HEAD"]) else { return Self::default() };
        let mut lines = text.lines().map(str::to_owned);
        let (commit, branch) = (lines.next(), lines.next().filter(|branch| branch != "HEAD"));
        let but = format!(":(exclude,literal){baseline}");
        let changes = git(directory, &["status", "--porcelain", "--untracked-files=no", "--", ":/", &but]);
        let prefix = git(directory, &["rev-parse", "--show-prefix"]).unwrap_or_default().trim_end().to_owned();
        Self { commit, branch, prefix, dirty: changes.is_some_and(|changes| !changes.trim().is_empty()) }
    }
}

/// What git answers in a directory; `None` if it fails or is not there.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .env("GIT_OPTIONAL_LOCKS", "0")
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
