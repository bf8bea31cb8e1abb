//! What flags accept beyond what their types say.

use crate::baseline::says_something;

/// Why the value of a flag is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("a reason must say something")]
    BlankReason,
    #[error("a key has 1 to 150 printable characters")]
    Key,
    #[error("expected a whole number from 1")]
    NotPositive,
}

pub(super) fn reason(text: &str) -> Result<String, ArgumentError> {
    if says_something(text) { Ok(text.trim().to_owned()) } else { Err(ArgumentError::BlankReason) }
}

/// The key of a comment, which stands in its marker.
pub(super) fn comment_key(text: &str) -> Result<String, ArgumentError> {
    let is_key = !text.trim().is_empty() && text.len() <= 150 && !text.chars().any(char::is_control);
    if is_key { Ok(text.trim().to_owned()) } else { Err(ArgumentError::Key) }
}

pub(super) fn at_least_one(text: &str) -> Result<usize, ArgumentError> {
    text.parse().ok().filter(|number| *number > 0).ok_or(ArgumentError::NotPositive)
}
