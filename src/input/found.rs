//! What is looked for, and what was found.

use std::path::PathBuf;

/// A file that a pattern led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    /// Relative to the configuration, with `/`.
    pub shown: String,
}

/// Whether files that git ignores are found, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignored {
    Found,
    Skipped,
}

/// Why the files that a configuration names were not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    /// A file was named where a folder is wanted.
    #[error("`{0}` is a file; a module is a folder")]
    NotAFolder(String),
    /// There is no such folder.
    #[error("there is no folder `{0}`")]
    NoFolder(String),
    /// A folder was named where files are wanted.
    #[error("`{0}` is a directory; name files, such as `{folder}/*.json`", folder = .0.trim_end_matches('/'))]
    NotAFile(String),
    /// There is no such file.
    #[error("there is no file `{0}`")]
    NoFile(String),
    /// A pattern leads out of the configuration's directory.
    #[error("the pattern `{0}` must stay below the configuration's directory")]
    Outside(String),
    /// A pattern cannot be read.
    #[error("the pattern `{pattern}` is not valid: {why}")]
    Invalid {
        /// As it was written.
        pattern: String,
        /// What is wrong with it.
        why: String,
    },
    /// A pattern matches nothing.
    #[error("the pattern `{0}` matches no file")]
    NoMatch(String),
    /// A pattern matches several files where one is wanted.
    #[error("`{pattern}` matches {count} files; name one")]
    Several {
        /// As it was written.
        pattern: String,
        /// How many files it matches.
        count: usize,
    },
}
