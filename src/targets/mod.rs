//! The system under test.
//!
//! A target is a file that implements [`TargetConfig`] and [`BuildTarget`] for what is configured and [`Askable`] for
//! what is asked, and a line in the list in this file. Nothing outside of this folder matches on it.

mod agent;
mod answer;
mod answer_source;
mod budget;
mod cache;
mod command;
mod config;
mod endpoint;
mod environment;
mod http;
pub mod index;
mod invocation;
mod openai;
mod ranked;
mod source;
pub mod trec_run;
mod worker;

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::input::InputError;
use crate::model::{Answer, Ending, Request};
use crate::process::Stop;
use crate::text::Redactor;

pub use answer_source::{AnswerSource, Recorder, SILENT, SourceSetup};
pub use budget::Budget;
pub use cache::Cache;
use command::CommandSettings;
pub use config::{
    NoTarget, OpinionTarget, ProcessKeys, QuestionForm, RefusalSection, SuiteFacts, TargetConfig, TargetProperties,
    TargetRules, TargetSection, TargetSettings, validate,
};
pub use endpoint::{Endpoint, PriceSection};
pub use environment::{Environment, redactor};
use index::IndexSettings;
use invocation::Invocation;
use openai::OpenAiSettings;
pub use source::Source;

/// Asks an index that is no target of a suite.
pub async fn ask_index(
    index: &index::Index,
    request: crate::model::Request,
    stop: &crate::process::Stop,
) -> crate::model::Answer {
    Askable::ask(index, request, stop).await
}
use worker::WorkerSettings;

/// Calls a macro with the list of targets: each with its description and its key in `target`.
macro_rules! with_targets {
    ($callback:ident) => {
        $callback! {
            /// A process for each case: program and arguments, no shell. `{prompt}` and `{id}` are replaced, each as one
            /// argument; without `{prompt}` the prompt is given on standard input.
            #[schemars(length(min = 1))]
            command: Command($crate::targets::command::CommandSettings);
            /// One process for all cases that reads `{"id","input"}` and writes `{"id","output"}`, one JSON value per line.
            #[schemars(length(min = 1))]
            worker: Worker($crate::targets::worker::WorkerSettings);
            /// Of a scenario suite: a process that edits its current directory as `{instruction}` says; the instruction is on
            /// its standard input as well.
            #[schemars(length(min = 1))]
            agent: Agent($crate::targets::agent::AgentSettings);
            /// Of a retrieval suite: the built-in engine.
            index: Index($crate::targets::index::IndexSettings);
            /// Of a retrieval or golden suite: an address that answers POSTed JSON.
            #[schemars(length(min = 1))]
            http: Http($crate::targets::http::HttpSettings);
            /// Of a command or golden suite: a model behind an OpenAI-compatible chat endpoint.
            openai: OpenAi($crate::targets::openai::OpenAiSettings);
            /// Of a retrieval suite: a TREC run file; its topics are case ids.
            run: Run($crate::targets::ranked::RunSettings);
            /// Of a retrieval suite: recorded rankings, a line `{"id","ids"}` for each case.
            recorded: Recorded($crate::targets::ranked::RecordedSettings);
        }
    };
}
pub(crate) use with_targets;

/// A configured target that can be built.
pub trait BuildTarget: TargetConfig {
    type Target: Askable;

    /// Prepares what is asked. Files are read, but no process is started and nothing is sent.
    fn build(&self, context: &BuildContext) -> Result<Self::Target, TargetError>;
}

/// A target that can be asked.
pub trait Askable: fmt::Debug + Send + Sync {
    fn ask(&self, request: Request, stop: &Stop) -> impl Future<Output = Answer> + Send;

    /// Ends whatever is still running.
    fn close(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }
}

/// What a target is built with.
#[derive(Debug, Clone)]
pub struct BuildContext {
    /// The whole environment; processes see little of it.
    pub environment: Vec<(OsString, OsString)>,
    /// Answers of earlier runs.
    pub cache: Arc<Cache>,
    /// What all models of a suite may spend together.
    pub budget: Arc<Budget>,
    /// What must not be seen of what targets write.
    pub redactor: Arc<Redactor>,
}

/// Why a target could not be built.
#[derive(Debug, Clone, thiserror::Error)]
pub enum TargetError {
    /// A file cannot be read.
    #[error("{0}")]
    File(#[from] InputError),
    /// What a file holds cannot be used.
    #[error("{file}: {why}")]
    Content { file: String, why: String },
    /// A line of a file cannot be used.
    #[error("{file}:{line}: {why}")]
    Line {
        file: String,
        /// Counted from 1.
        line: usize,
        why: String,
    },
}

macro_rules! built_targets {
    ($($(#[$attribute:meta])* $key:ident: $target:ident($config:ty);)*) => {
        /// A target that can be asked.
        #[derive(Debug)]
        pub enum Target {
            $(#[doc = concat!("`", stringify!($key), "`")] $target(Box<<$config as BuildTarget>::Target>),)*
            None(NoTarget),
        }

        impl TargetSettings {
            /// See [`BuildTarget::build`].
            pub fn build(&self, context: &BuildContext) -> Result<Target, TargetError> {
                Ok(match self {
                    $(Self::$target(config) => Target::$target(Box::new(config.build(context)?)),)*
                    Self::None(config) => Target::None(*config),
                })
            }
        }

        impl Target {
            /// See [`Askable::ask`].
            pub async fn ask(&self, request: Request, stop: &Stop) -> Answer {
                match self {
                    $(Self::$target(target) => target.ask(request, stop).await,)*
                    Self::None(target) => target.ask(request, stop).await,
                }
            }

            /// See [`Askable::close`].
            pub async fn close(&self) {
                match self {
                    $(Self::$target(target) => target.close().await,)*
                    Self::None(target) => target.close().await,
                }
            }
        }
    };
}

with_targets!(built_targets);

impl TargetSettings {
    /// A program that is run below `root` for each question; it reads JSON and writes JSON.
    pub fn command(argv: &[String], root: &Path, timeout: Duration) -> Self {
        Self::Command(Box::new(CommandSettings::new(Invocation::verbatim(argv, root, timeout))))
    }

    /// The same, as one process that reads questions line by line.
    pub fn worker(argv: &[String], root: &Path, timeout: Duration) -> Self {
        Self::Worker(Box::new(WorkerSettings::new(Invocation::verbatim(argv, root, timeout))))
    }

    pub fn of_endpoint(endpoint: Endpoint) -> Self {
        Self::OpenAi(Box::new(OpenAiSettings::new(endpoint)))
    }

    /// The built-in engine over a corpus in the binary: JSON with `code`, a list of `{"id","text"}`, and `memory`.
    pub fn of_corpus(corpus: &'static str) -> Self {
        Self::Index(Box::new(IndexSettings::of_corpus(corpus)))
    }
}

impl Askable for NoTarget {
    async fn ask(&self, _: Request, _: &Stop) -> Answer {
        Answer::ended(Ending::CouldNotStart { why: "the suite has no target".into() })
    }
}
