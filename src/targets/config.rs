//! What is known of a target before it is asked: its section, checked, and what follows from it. Pure.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::endpoint::Endpoint;
use super::with_targets;
use crate::input::{FileSet, InputErrors, Place};
use crate::model::{Lane, Request};

/// What is known of a target before it is built.
pub trait TargetProperties: fmt::Debug + Send + Sync {
    /// Whether somebody is asked who must not be asked in a replay: a process or a service.
    fn asks_outside(&self) -> bool;

    /// Whether it reads answers that somebody recorded before.
    fn is_recorded(&self) -> bool {
        false
    }

    /// Makes paths absolute that are relative to the directory of the configuration.
    fn resolve(&mut self, _root: &Path) {}

    /// The files that it reads.
    fn file_sets(&self) -> Vec<&FileSet> {
        Vec::new()
    }

    /// The same, to be found.
    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        Vec::new()
    }

    /// The lanes that it can look in, where that is known.
    fn lanes(&self) -> Option<Vec<Lane>> {
        None
    }

    /// Everything that it can find, where that can be listed.
    fn ids(&self) -> Option<Result<Vec<(Lane, String)>, String>> {
        None
    }

    /// The files that its command line names.
    fn named_files(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The program that must be installed.
    fn program(&self) -> Option<&str> {
        None
    }

    /// The environment variables that it is meant to see.
    fn variables(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The endpoint of the model, if it is one.
    fn endpoint(&self) -> Option<&Endpoint> {
        None
    }

    /// How many questions are asked at the same time, unless the user says otherwise.
    fn default_jobs(&self, cores: usize) -> usize {
        cores
    }

    /// A request as it goes out, without anything that differs between machines: what a recording is keyed by.
    fn recorded_request(&self, request: &Request) -> Value {
        json!({"input": request.input})
    }

    /// Looks into the files that it will read, so that what is wrong with them is reported before anything runs.
    fn check(&self) -> Result<(), InputErrors> {
        Ok(())
    }
}

/// A target as it is configured.
pub trait TargetConfig: TargetProperties + Clone {
    /// What stands under its key in `target`.
    type Section: Clone + fmt::Debug + DeserializeOwned + JsonSchema;

    /// What it can be asked.
    const ANSWERS: &'static [QuestionForm];
    /// Whether it starts processes, so that `env`, `answer`, `cwd` and `max-output` mean something to it.
    const STARTS_PROCESSES: bool = false;

    /// Checks its section. `place` is the whole of `target`.
    fn validate(section: Self::Section, keys: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Self;
}

/// No target: a scenario suite whose edits are all written down, or answers that were recorded elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct NoTarget;

impl TargetProperties for NoTarget {
    fn asks_outside(&self) -> bool {
        false
    }
}

/// Where a target's process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CwdSection {
    /// The configuration's directory.
    Config,
    /// A fresh empty directory, removed afterwards.
    Scratch,
}

/// Somebody who is asked for an opinion on an answer.
#[derive(Debug, Clone)]
pub struct OpinionTarget {
    pub name: String,
    pub target: TargetSettings,
    /// Whether what it says is recorded and replayed with the answers; else it is asked every time.
    pub recorded: bool,
}

/// How a target says that it refuses.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RefusalSection {
    /// Exit codes that mean a refusal.
    #[serde(default)]
    pub exit: Vec<i32>,
    /// A regular expression; an answer in which it is found is a refusal.
    pub pattern: Option<String>,
}

/// The keys of `target` that only processes have.
#[derive(Debug, Clone)]
pub struct ProcessKeys {
    pub(super) answer: Option<String>,
    pub(super) cwd: Option<CwdSection>,
    pub(super) max_output: Option<usize>,
}

/// What a kind of suite asks its target. A target fits a kind if it answers such questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionForm {
    /// A text; the answer is a text.
    Prompt,
    /// A JSON value, and a prompt that has it; the answer is JSON.
    Input,
    /// What to search for; the answer is a ranking in JSON.
    Query,
    /// What to do in a directory; the answer is what becomes of it.
    Instruction,
}

impl QuestionForm {
    /// The names in braces that the command line of a process for each question may have.
    pub(super) const fn placeholders(self) -> &'static [&'static str] {
        match self {
            Self::Prompt | Self::Input => &["prompt", "id"],
            Self::Query => &["query", "lane", "k", "id"],
            Self::Instruction => &["instruction", "id"],
        }
    }

    /// Whether answers are JSON, not text.
    pub(super) const fn is_json(self) -> bool {
        match self {
            Self::Input | Self::Query => true,
            Self::Prompt | Self::Instruction => false,
        }
    }
}

/// Whether a kind of suite has a target.
#[derive(Debug, Clone, Copy)]
pub enum TargetRules {
    /// It must have one.
    Required(QuestionForm),
    /// It may have one.
    Optional(QuestionForm),
    /// It has none, for this reason.
    Refused(&'static str),
}

/// What a target needs to know of its suite.
#[derive(Debug, Clone)]
pub struct SuiteFacts<'a> {
    /// The kind of suite, for messages.
    pub kind: &'a str,
    pub asks: QuestionForm,
    /// The directory of the configuration.
    pub root: &'a Path,
    /// Names of variables that the target may see.
    pub env: Vec<String>,
    /// How long one answer may take.
    pub timeout: Duration,
}

/// Checks `target`; nothing if it cannot be told which one is meant.
pub fn validate(section: TargetSection, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Option<TargetSettings> {
    let quoted =
        |keys: Vec<&str>, with: &str| keys.into_iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(with);
    let wanted = || quoted(keys_that_answer(suite.asks), " or ");
    if section.refusal.is_some() && suite.asks != QuestionForm::Prompt {
        place.join("refusal").key_error(format!("a {} suite has no refusals", suite.kind));
    }
    let (mut given, keys) = section.into_given();
    if let [one] = given.as_slice()
        && !one.starts_processes()
    {
        refuse_process_keys(one.key(), &keys, &suite.env, place);
    }
    if given.len() > 1 {
        let keys = quoted(given.iter().map(Given::key).collect(), " and ");
        place.error_with_help(format!("says {keys}"), "keep one of them");
        return None;
    }
    let Some(given) = given.pop() else {
        place.error_with_help(format!("does not say {}", wanted()), "add it");
        return None;
    };
    let key = given.key();
    if !keys_that_answer(suite.asks).contains(&key) {
        let message = format!("`{key}` is no target of a {} suite", suite.kind);
        place.join(key).error_with_help(message, format!("it has {}", wanted()));
        return None;
    }
    Some(given.validate(keys, suite, place))
}

/// The keys of the targets that answer such questions.
fn keys_that_answer(asks: QuestionForm) -> Vec<&'static str> {
    TARGETS.iter().filter(|(_, answers)| answers.contains(&asks)).map(|(key, _)| *key).collect()
}

/// Says which keys mean nothing where no process is started.
fn refuse_process_keys(key: &str, keys: &ProcessKeys, env: &[String], place: &Place<'_>) {
    let ProcessKeys { answer, cwd, max_output } = keys;
    let beside = [("answer", answer.is_some()), ("cwd", cwd.is_some()), ("max-output", max_output.is_some())];
    for (name, _) in beside.iter().filter(|(_, given)| *given) {
        place.join(name).key_error(format!("`{name}` means nothing beside `{key}`"));
    }
    if !env.is_empty() {
        place.error(format!("`env` means nothing to `{key}`: no process is started"));
    }
}

macro_rules! target_settings {
    ($($(#[$attribute:meta])* $key:ident: $target:ident($config:ty);)*) => {
        /// The system under test: exactly one target, and beside a process what belongs to it.
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        pub struct TargetSection {
            $($(#[$attribute])* pub $key: Option<<$config as TargetConfig>::Section>,)*
            /// A JSONPath into the output; without it the whole output is the answer.
            pub answer: Option<String>,
            /// Where the process runs: the configuration's directory, or a fresh empty one.
            pub cwd: Option<CwdSection>,
            /// How many bytes of each output stream are kept (default 1 MiB).
            #[schemars(range(min = 1))]
            pub max_output: Option<usize>,
            /// Of a command suite: how the target says that it refuses.
            pub refusal: Option<RefusalSection>,
        }

        impl TargetSection {
            /// The targets that are named, and the keys beside them.
            fn into_given(self) -> (Vec<Given>, ProcessKeys) {
                let Self { $($key,)* answer, cwd, max_output, refusal: _ } = self;
                let given = [$($key.map(|section| Given::$target(Box::new(section)))),*];
                (given.into_iter().flatten().collect(), ProcessKeys { answer, cwd, max_output })
            }
        }

        /// Every target, by its key.
        const TARGETS: &[(&str, &[QuestionForm])] = &[$((stringify!($key), <$config>::ANSWERS)),*];

        /// One target that a section names.
        enum Given {
            $($target(Box<<$config as TargetConfig>::Section>),)*
        }

        impl Given {
            const fn key(&self) -> &'static str {
                match self {
                    $(Self::$target(_) => stringify!($key),)*
                }
            }

            const fn starts_processes(&self) -> bool {
                match self {
                    $(Self::$target(_) => <$config>::STARTS_PROCESSES,)*
                }
            }

            fn validate(self, keys: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> TargetSettings {
                match self {
                    $(Self::$target(section) => {
                        TargetSettings::$target(Box::new(<$config>::validate(*section, keys, suite, place)))
                    })*
                }
            }
        }

        /// A target as it is configured, of any sort.
        #[derive(Debug, Clone)]
        pub enum TargetSettings {
            $(#[doc = concat!("`", stringify!($key), "`")] $target(Box<$config>),)*
            /// There is none, and none is needed.
            None(NoTarget),
        }

        impl TargetSettings {
            /// What is known of it.
            pub fn properties(&self) -> &dyn TargetProperties {
                match self {
                    $(Self::$target(config) => &**config,)*
                    Self::None(config) => config,
                }
            }

            /// The same, to be resolved.
            pub fn properties_mut(&mut self) -> &mut dyn TargetProperties {
                match self {
                    $(Self::$target(config) => &mut **config,)*
                    Self::None(config) => config,
                }
            }
        }
    };
}

with_targets!(target_settings);

impl TargetSettings {
    pub const NONE: Self = Self::None(NoTarget);

    /// Whether there is none.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None(_))
    }

    /// The model that is asked, if it is one.
    pub fn model(&self) -> Option<&str> {
        self.properties().endpoint().map(|endpoint| endpoint.model.as_str())
    }
}
