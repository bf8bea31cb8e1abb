//! How a case, a check or a suite came out.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a case, a check or a suite came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It was measured and is good.
    Passed,
    /// It was measured and the system under test is at fault.
    Failed,
    /// There is no answer because of an error; no mean counts it.
    Error,
    /// Nothing could be measured; out of the means.
    Unmeasured,
    /// The user's own filter left it out.
    Skipped,
}

impl Status {
    /// Whether it counts in the means.
    pub const fn is_measured(self) -> bool {
        match self {
            Self::Passed | Self::Failed => true,
            Self::Error | Self::Unmeasured | Self::Skipped => false,
        }
    }

    /// The word that every report uses.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Unmeasured => "unmeasured",
            Self::Skipped => "skipped",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
