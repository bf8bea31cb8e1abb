//! The system under test, asked one question at a time.

mod answer;
mod answer_source;
mod budget;
mod cache;
mod command;
mod engine;
mod environment;
mod http;
pub mod index;
mod openai;
mod rendered;
mod source;
mod worker;

use std::ffi::OsString;
use std::sync::Arc;

use crate::model::{Answer, Request};
use crate::process::Stop;
use crate::settings::TargetSettings;

pub use answer_source::{AnswerSource, SILENT, check_recordings, read_recordings};
pub use cache::Cache;
pub use engine::Engine;
pub use environment::Environment;
pub use openai::OpenAi;
pub use rendered::rendered;
pub use source::Source;

/// A target that can be asked.
#[derive(Debug)]
pub enum Target {
    /// A process for each question.
    Command(command::CommandTarget),
    /// Long-lived processes that speak JSON lines.
    Worker(worker::WorkerTarget),
    /// A service.
    Http(http::Service),
    /// A model.
    OpenAi(Box<OpenAi>),
}

impl Target {
    /// Prepares a target that answers questions; nothing is started yet.
    pub fn new(
        settings: &TargetSettings,
        whole_environment: &[(OsString, OsString)],
        cache: &Arc<Cache>,
    ) -> Option<Self> {
        match settings {
            TargetSettings::Command(invocation) => {
                let environment = Environment::reduced(whole_environment, &invocation.env);
                Some(Self::Command(command::CommandTarget::new(invocation.clone(), environment)))
            }
            TargetSettings::Worker(invocation) => {
                let environment = Environment::reduced(whole_environment, &invocation.env);
                Some(Self::Worker(worker::WorkerTarget::new(invocation.clone(), environment)))
            }
            TargetSettings::Http(target) => Some(Self::Http(http::Service::new(target.clone()))),
            TargetSettings::OpenAi(target) => {
                let target = OpenAi::new((**target).clone(), whole_environment, Arc::clone(cache));
                Some(Self::OpenAi(Box::new(target)))
            }
            // An agent is called by the scenario it belongs to, an engine by the retrieval.
            TargetSettings::Agent(_)
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
            Self::Http(_) | Self::OpenAi(_) => 8,
        }
    }

    /// Asks one question.
    pub async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        match self {
            Self::Command(target) => target.ask(request, stop).await,
            Self::Worker(target) => target.ask(request, stop).await,
            Self::Http(target) => target.post(&request.input, stop).await,
            Self::OpenAi(target) => target.ask(&request, stop).await,
        }
    }

    /// Ends whatever is still running.
    pub async fn close(&self) {
        match self {
            Self::Command(_) | Self::Http(_) | Self::OpenAi(_) => {}
            Self::Worker(target) => target.close().await,
        }
    }
}
