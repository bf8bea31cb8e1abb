//! How the answers of a suite come about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the answers of a suite come about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuiteSource {
    pub answers: AnswersFrom,
    /// The target as the configuration writes it, or the files that another tool wrote.
    pub target: Option<String>,
}

/// Who gives the answers of a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswersFrom {
    /// The target is asked.
    Target,
    /// Recorded answers of the target.
    Recordings,
    /// The results of another tool.
    AnotherTool,
    /// The cases themselves say what is done.
    Cases,
    /// The target may not be asked, and nothing is recorded.
    Nobody,
}

impl AnswersFrom {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Target => "asks the target",
            Self::Recordings => "replays recorded answers",
            Self::AnotherTool => "imports results of another tool",
            Self::Cases => "has no target",
            Self::Nobody => "asks nobody",
        }
    }
}
