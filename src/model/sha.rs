//! A commit.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// The full hash of a commit. In files it is a plain string.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha(String);

/// A text that is not the hash of a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the hash of a commit")]
pub struct NotASha(String);

impl Sha {
    /// Parses 40 or 64 hexadecimal digits. All zeros is how git says that there is no commit.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (digits && text.bytes().any(|byte| byte != b'0')).then(|| Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first seven digits, which is how people see it everywhere.
    pub fn short(&self) -> &str {
        self.0.get(..7).unwrap_or(&self.0)
    }
}

impl TryFrom<String> for Sha {
    type Error = NotASha;

    fn try_from(text: String) -> Result<Self, NotASha> {
        Self::parse(&text).ok_or_else(|| NotASha(text.chars().take(80).collect()))
    }
}

impl From<Sha> for String {
    fn from(sha: Sha) -> Self {
        sha.0
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl JsonSchema for Sha {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Sha".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_hash_is_a_commit() {
        let zeros = "0".repeat(40);
        for wrong in ["", "abc", &zeros, "--help--help--help--help--help--help--he"] {
            assert_eq!(Sha::parse(wrong), None, "{wrong}");
        }
        let sha = Sha::parse(&"AB".repeat(20)).unwrap();
        assert_eq!((sha.as_str(), sha.short()), ("ab".repeat(20).as_str(), "abababa"));
        assert!(Sha::parse(&"1".repeat(64)).is_some());
    }

    #[test]
    fn a_sha_is_written_as_a_plain_string() {
        let text = format!("\"{}\"", "a".repeat(40));
        let sha: Sha = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&sha).unwrap(), text);
        let error = serde_json::from_str::<Sha>("\"main\"").unwrap_err();
        assert_eq!(error.to_string(), "\"main\" is not the hash of a commit");
    }
}
