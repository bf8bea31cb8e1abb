//! A rule of danger as it is written down in `rules.toml`.

use serde::{Deserialize, Deserializer};

use crate::suites::command::RiskLevel;

/// The file of all rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    pub rule: Vec<DangerRule>,
}

/// What makes a call dangerous. Everything that a rule names must hold.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct DangerRule {
    pub name: String,
    pub level: RiskLevel,
    /// What the call does, as the end of a sentence that begins with its words.
    pub about: String,
    /// Names of programs; `mkfs*` by their beginning, `SHELL` and `INTERPRETER` by what they are.
    #[serde(default)]
    pub programs: Vec<String>,
    /// Subcommands, one of which must be given.
    #[serde(default)]
    pub command: Vec<String>,
    /// Options that must all be given; `a|b` is one or the other, `-P=x` one with that value.
    #[serde(default)]
    pub options: Vec<String>,
    /// Options none of which may be given.
    #[serde(default)]
    pub without: Vec<String>,
    /// Sorts of paths, one of which an operand must be.
    #[serde(default)]
    pub operands: Vec<String>,
    /// Only the last operand is looked at.
    #[serde(default)]
    pub last: bool,
    /// Options and their values are looked at as well.
    #[serde(default)]
    pub any_word: bool,
    /// Sorts of paths that a redirection must overwrite.
    #[serde(default)]
    pub writes: Vec<String>,
    /// A redirection that appends counts as well.
    #[serde(default)]
    pub appends: bool,
    /// A pattern that the text of the call must match.
    #[serde(default, deserialize_with = "pattern")]
    pub text: Option<regex::Regex>,
    /// Where its input comes from.
    pub flow: Option<Flow>,
    pub shape: Option<Shape>,
    /// A command for which the rule holds.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for people and for tests"))]
    pub example: String,
    /// One that looks like it, for which the rule does not hold.
    #[cfg_attr(not(test), expect(dead_code, reason = "examples are for people and for tests"))]
    pub counter_example: String,
}

/// Where the input of a program comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flow {
    Network,
    /// From something that hides what it is.
    Decoded,
    Anything,
}

/// What cannot be said by words of the call alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A function that starts itself again and again.
    ForkBomb,
    /// No command, only its redirections.
    Nothing,
    /// Behind `sudo` and the like.
    ByRoot,
    /// After `cd /` and the like.
    InRoot,
}

fn pattern<'de, D: Deserializer<'de>>(from: D) -> Result<Option<regex::Regex>, D::Error> {
    let text = String::deserialize(from)?;
    regex::Regex::new(&format!("(?is){text}")).map(Some).map_err(serde::de::Error::custom)
}
