//! GitHub: where we are, what is there, and what should be.
//!
//! What should be there is worked out by pure functions (`comment`, `check`); only `client` sends anything.

mod access;
pub mod archive;
pub mod check;
mod client;
pub mod comment;
mod dry;
mod history;
pub mod intake;
mod limits;
pub mod outcome;
mod permissions;
pub mod publish;
pub mod push;
mod rejudge;
pub mod release;

pub use access::Access;
pub use client::{Call, Client, encoded, encoded_path};
pub use dry::DryRun;
pub use history::blessing_files;
pub use permissions::{May, Permission, permissions};
pub use rejudge::{MainKeys, Suites, rejudge};

/// Why GitHub did not give or do something.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GithubError {
    /// The token is not accepted.
    #[error("{0}")]
    Unauthorized(String),
    /// The token may not do this.
    #[error("{0}")]
    Refused(String),
    /// It is not there, or the token may not see it.
    #[error("{0}")]
    NotFound(String),
    /// The request is wrong, or no longer right.
    #[error("{why}")]
    Rejected {
        status: u16,
        message: String,
        /// All of it in words.
        why: String,
    },
    /// GraphQL answered with an error.
    #[error("{message}")]
    Graphql { kind: String, message: String },
    /// No answer could be had.
    #[error("{0}")]
    Unreachable(String),
    /// It was sent, and nobody knows what became of it.
    #[error("{0}")]
    Uncertain(String),
}

#[cfg(test)]
mod spec;
