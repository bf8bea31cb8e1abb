//! What the configuration needs to know of a kind: the keys that only this kind has, and what of the common keys fits it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use schemars::Schema;
use schemars::generate::SchemaGenerator;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::kinds::with_kinds;
use super::scenario::adapters::Adapter;
use super::{Kind, Loaded, SuiteKind, SuiteSettings};
use crate::input::{FileSet, InputErrors, Place};
use crate::model::{Mode, Policy, Threshold};
use crate::targets::{RefusalSection, TargetRules, TargetSettings};

/// The configuration of one kind of suite, checked.
pub trait KindConfig: Clone + fmt::Debug + Sized {
    /// The keys that only this kind has, as they are written.
    type Section: Clone + fmt::Debug + Default + DeserializeOwned + JsonSchema;

    /// What of the common keys fits it.
    const RULES: ConfigRules;

    /// The target that cases bring along which are not in `cases`.
    fn brought_target(_section: &Self::Section) -> Option<TargetSettings> {
        None
    }

    /// Checks the section. `place` is the whole suite.
    fn validate(section: Self::Section, suite: &SuiteContext<'_>, place: &Place<'_>) -> Self;

    /// What the suite is held to beyond the common keys.
    fn hold_to(&self, _policy: &mut Policy) {}

    /// The files that it names beside `cases`.
    fn file_sets(&self) -> Vec<&FileSet> {
        Vec::new()
    }

    /// The same, to be found.
    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        Vec::new()
    }
}

/// What of the keys that every suite may have fits a kind.
#[derive(Debug, Clone, Copy)]
pub struct ConfigRules {
    /// How long one answer may take, if nobody says otherwise.
    pub timeout: Duration,
    /// What `cases` names.
    pub cases: CasesAre,
    /// Why there can be no `recordings`, if so.
    pub no_recordings: Option<&'static str>,
    /// Why a case cannot be asked several times, if so.
    pub no_repeat: Option<&'static str>,
    pub target: TargetRules,
}

/// What `cases` of a suite names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CasesAre {
    Files,
    /// Files that another tool writes before each run. A suite that is not run does not need them.
    Results {
        /// What to do where they are missing.
        help: &'static str,
    },
    /// One folder; with it, what to say if there are several.
    OneFolder {
        message: &'static str,
        /// What to do about it.
        help: &'static str,
    },
}

/// What a kind may look at when it checks its own keys.
#[derive(Debug, Clone, Copy)]
pub struct SuiteContext<'a> {
    pub overrides: &'a Overrides,
    /// The target, unless there is a mistake in it.
    pub target: Option<&'a TargetSettings>,
    /// How the target says that it refuses.
    pub refusal: Option<&'a RefusalSection>,
    /// Metric → what it is held to.
    pub gate: &'a BTreeMap<String, Threshold>,
    /// Every adapter, by name.
    pub adapters: &'a Arc<BTreeMap<String, Adapter>>,
}

/// What flags say over the configuration.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--timeout`
    pub timeout: Option<Duration>,
    /// `--repeat`
    pub repeat: Option<usize>,
    /// `--jobs`
    pub jobs: Option<usize>,
    /// `--k`
    pub k: Option<usize>,
    /// `--mode`
    pub mode: Mode,
}

/// Which cases pass.
// Two kinds have `pass-at`, and each accepts one of the forms.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PassAtSection {
    /// Which expected ids must be found.
    Ids(super::retrieval::PassAt),
    /// The score from which on a case passes.
    Score(f64),
}

macro_rules! kind_configs {
    ($($(#[$doc:meta])* $kind:ident($name:literal): $of:ty $(, $suite_detail:ty)?;)*) => {
        /// The keys that only one kind has, as they are written.
        #[derive(Debug, Clone)]
        pub enum OwnSection {
            $(#[doc = concat!("Those of ", $name, " suites.")] $kind(<<$of as SuiteKind>::Config as KindConfig>::Section),)*
        }

        /// What only one kind configures, checked.
        #[derive(Debug, Clone)]
        pub enum SuiteConfig {
            $(#[doc = concat!("That of ", $name, " suites.")] $kind(<$of as SuiteKind>::Config),)*
        }

        impl Kind {
            /// See [`KindConfig::RULES`].
            pub const fn rules(self) -> &'static ConfigRules {
                match self {
                    $(Self::$kind => &<$of as SuiteKind>::Config::RULES,)*
                }
            }

            /// The schema of the keys that only this kind has.
            pub fn own_schema(self, generator: &mut SchemaGenerator) -> Schema {
                match self {
                    $(Self::$kind => <<$of as SuiteKind>::Config as KindConfig>::Section::json_schema(generator),)*
                }
            }
        }

        impl SuiteSettings {
            /// See [`SuiteKind::load`].
            pub(super) fn load(&self) -> Vec<Result<Loaded, InputErrors>> {
                match &self.config {
                    $(SuiteConfig::$kind(config) => <$of>::load(self, config),)*
                }
            }
        }

        impl OwnSection {
            /// Reads the keys that only this kind has.
            pub fn read(kind: Kind, keys: Value) -> Result<Self, serde_json::Error> {
                match kind {
                    $(Kind::$kind => serde_json::from_value(keys).map(Self::$kind),)*
                }
            }

            /// See [`KindConfig::brought_target`].
            pub fn brought_target(&self) -> Option<TargetSettings> {
                match self {
                    $(Self::$kind(section) => <$of as SuiteKind>::Config::brought_target(section),)*
                }
            }

            /// See [`KindConfig::validate`].
            pub fn validate(self, suite: &SuiteContext<'_>, place: &Place<'_>) -> SuiteConfig {
                match self {
                    $(Self::$kind(section) => SuiteConfig::$kind(<$of as SuiteKind>::Config::validate(section, suite, place)),)*
                }
            }
        }

        impl SuiteConfig {
            /// See [`KindConfig::hold_to`].
            pub fn hold_to(&self, policy: &mut Policy) {
                match self {
                    $(Self::$kind(config) => config.hold_to(policy),)*
                }
            }

            /// See [`KindConfig::file_sets`].
            pub fn file_sets(&self) -> Vec<&FileSet> {
                match self {
                    $(Self::$kind(config) => config.file_sets(),)*
                }
            }

            /// See [`KindConfig::file_sets_mut`].
            pub fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
                match self {
                    $(Self::$kind(config) => config.file_sets_mut(),)*
                }
            }
        }
    };
}

with_kinds!(kind_configs);
