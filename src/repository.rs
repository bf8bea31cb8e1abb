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
}

impl Checkout {
    /// Asks git; knows nothing where git is missing or there is no repository.
    pub fn of(directory: &Path) -> Self {
        let output = Command::new("git")
            .args(["rev-parse", "HEAD", "--abbrev-ref", "HEAD"])
            .current_dir(directory)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let Ok(output) = output else { return Self::default() };
        if !output.status.success() {
            return Self::default();
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines().map(str::to_owned);
        Self { commit: lines.next(), branch: lines.next().filter(|branch| branch != "HEAD") }
    }
}
