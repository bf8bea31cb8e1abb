//! The system under test, asked one question at a time.

mod answer;
mod command;
mod engine;
mod environment;
mod worker;

use std::ffi::OsString;

use serde_json::{Value, json};

use crate::execute::Stop;
use crate::model::Answer;
use crate::settings::TargetSettings;

pub use engine::Engine;
pub use environment::Environment;

/// What a target is asked.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The case's id.
    pub id: &'a str,
    /// The question as a worker is given it.
    pub input: Value,
    /// The question as a command is given it on standard input, if no placeholder names it.
    pub stdin: String,
    /// What placeholders stand for.
    pub names: Vec<(&'static str, String)>,
}

impl<'a> Request<'a> {
    /// A prompt.
    pub fn prompt(id: &'a str, prompt: &str) -> Self {
        Self { id, input: json!(prompt), stdin: prompt.to_owned(), names: vec![("prompt", prompt.to_owned())] }
    }
}

/// A target that can be asked.
#[derive(Debug)]
pub enum Target {
    /// A process for each question.
    Command(command::CommandTarget),
    /// Long-lived processes that speak JSON lines.
    Worker(worker::WorkerTarget),
}

impl Target {
    /// Prepares a target that answers questions; nothing is started yet.
    pub fn new(settings: &TargetSettings, whole_environment: &[(OsString, OsString)]) -> Option<Self> {
        match settings {
            TargetSettings::Command(invocation) => {
                let environment = Environment::reduced(whole_environment, &invocation.env);
                Some(Self::Command(command::CommandTarget::new(invocation.clone(), environment)))
            }
            TargetSettings::Worker(invocation) => {
                let environment = Environment::reduced(whole_environment, &invocation.env);
                Some(Self::Worker(worker::WorkerTarget::new(invocation.clone(), environment)))
            }
            // An agent is called by the scenario it belongs to, an engine by the retrieval.
            TargetSettings::Agent(_)
            | TargetSettings::Http(_)
            | TargetSettings::Index(_)
            | TargetSettings::Ranked(_)
            | TargetSettings::Nobody => None,
        }
    }

    /// How many questions it is asked at the same time, unless the user says otherwise.
    pub fn default_jobs(&self, cores: usize) -> usize {
        match self {
            Self::Command(_) => cores,
            Self::Worker(_) => 1,
        }
    }

    /// Asks one question.
    pub async fn ask(&self, request: Request<'_>, stop: &Stop) -> Answer {
        match self {
            Self::Command(target) => target.ask(request, stop).await,
            Self::Worker(target) => target.ask(request, stop).await,
        }
    }

    /// Ends whatever is still running.
    pub async fn close(&self) {
        match self {
            Self::Command(_) => {}
            Self::Worker(target) => target.close().await,
        }
    }
}
