//! Names and numbers with a meaning of their own, so that two of them cannot be swapped by mistake.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! text_newtype {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps the text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The text itself.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_newtype! {
    /// The name of a suite, unique within a configuration.
    SuiteId
}
text_newtype! {
    /// The name of a case, unique within its suite.
    CaseId
}

/// Where a retrieval looks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Lane {
    /// The notes of a team.
    Memory,
    /// The source code of the repository.
    Code,
}

impl Lane {
    /// The name used in files, flags and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Code => "code",
        }
    }
}

/// Whether answers come from the target or from recordings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Replay where a suite declares recordings, otherwise run its target.
    #[default]
    Auto,
    /// Always run the target.
    Live,
    /// Never run the target.
    Replay,
    /// Run the target and write recordings.
    Record,
}

/// Part `index` of `total`, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shard {
    /// Which part, from 1.
    pub index: u32,
    /// How many parts there are.
    pub total: u32,
}

/// A text that is no part of a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected I/N with 1 ≤ I ≤ N, such as 1/4, found `{0}`")]
pub struct ShardError(String);

impl std::str::FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ShardError(text.to_owned());
        let (index, total) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Self { index: index.parse().map_err(|_| wrong())?, total: total.parse().map_err(|_| wrong())? };
        if shard.index == 0 || shard.index > shard.total {
            return Err(wrong());
        }
        Ok(shard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.total)
    }
}

/// A quality between 0 and 1; never NaN, never infinite.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Score(f64);

impl Score {
    pub const ZERO: Self = Self(0.0);

    /// Clamps into 0…1; what is not a number is 0.
    pub fn clamped(value: f64) -> Self {
        if value.is_nan() { Self::ZERO } else { Self(value.clamp(0.0, 1.0)) }
    }

    pub const fn value(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_counted_from_one_and_never_beyond_its_total() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, total: 4 }));
        for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2", "1/2/3", ""] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_score_is_always_a_number_between_zero_and_one() {
        assert_eq!(Score::clamped(f64::NAN), Score::ZERO);
        assert_eq!(Score::clamped(f64::INFINITY).value(), 1.0);
        assert_eq!(Score::clamped(-3.0), Score::ZERO);
        assert_eq!(Score::clamped(0.25).value(), 0.25);
    }
}
