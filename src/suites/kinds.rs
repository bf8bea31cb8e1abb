//! The list of kinds: one line each. Everything that differs by kind is reached through it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::command::{CommandDetail, CommandSuiteDetail};
use super::golden::{GoldenDetail, GoldenSuiteDetail};
use super::imported::ImportedDetail;
use super::retrieval::{RetrievalDetail, RetrievalSuiteDetail};
use super::scenario::ScenarioDetail;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($name:literal): $detail:ty $(, $suite_detail:ty)?;)*) => {
        /// What a suite evaluates.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        impl Kind {
            /// Every kind, in the order in which documentation lists them.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The name used in files, flags and reports.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }
        }

        /// What only one kind of case has.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum CaseDetail {
            $(#[doc = concat!("A case of kind `", $name, "`.")] $kind($detail),)*
        }

        /// What only one kind of suite has.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case")]
        pub enum SuiteDetail {
            $($(#[doc = concat!("A suite of kind `", $name, "`.")] $kind($suite_detail),)?)*
        }
    };
}

kinds! {
    /// An edit of a fixture, goals that must hold, and assertions about what changed.
    Scenario("scenario"): ScenarioDetail;
    /// Natural language in, one shell command out.
    Command("command"): CommandDetail, CommandSuiteDetail;
    /// Structured output of a model, scored by parts against a reviewed answer.
    Golden("golden"): GoldenDetail, GoldenSuiteDetail;
    /// A question in, a ranking out.
    Retrieval("retrieval"): RetrievalDetail, RetrievalSuiteDetail;
    /// Results that another tool produced.
    Imported("imported"): ImportedDetail;
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
