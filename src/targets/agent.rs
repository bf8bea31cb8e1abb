//! `agent`: a process that edits the directory that a request names.

use std::path::Path;

use super::invocation::{Invocation, ProcessTarget};
use super::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties,
};
use crate::input::Place;
use crate::model::{Answer, Ending, Request};
use crate::process::Stop;

/// An agent as it is configured.
#[derive(Debug, Clone)]
pub struct AgentSettings(Invocation);

/// An agent that can be asked. What it answers is what it made of the directory.
#[derive(Debug)]
pub struct AgentTarget(ProcessTarget);

impl TargetProperties for AgentSettings {
    fn asks_outside(&self) -> bool {
        true
    }

    fn resolve(&mut self, root: &Path) {
        self.0.resolve(root);
    }

    fn named_files(&self) -> Vec<&str> {
        self.0.named_files()
    }

    fn program(&self) -> Option<&str> {
        self.0.program()
    }

    fn variables(&self) -> Vec<&str> {
        self.0.variables()
    }
}

impl TargetConfig for AgentSettings {
    type Section = Vec<String>;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Instruction];
    const STARTS_PROCESSES: bool = true;

    fn validate(argv: Vec<String>, keys: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        let beside = [("answer", keys.answer.is_some()), ("cwd", keys.cwd.is_some())];
        for (name, _) in beside.iter().filter(|(_, given)| *given) {
            let message = format!("an agent has no `{name}`: it edits the working copy it runs in");
            place.join(name).key_error(message);
        }
        Self(Invocation::validate(("agent", argv), keys, suite.asks.placeholders(), suite, place))
    }
}

impl BuildTarget for AgentSettings {
    type Target = AgentTarget;

    fn build(&self, context: &BuildContext) -> Result<AgentTarget, TargetError> {
        Ok(AgentTarget(ProcessTarget::new(self.0.clone(), context)))
    }
}

impl Askable for AgentTarget {
    async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        let Some(directory) = request.directory.clone() else {
            return Answer::ended(Ending::CouldNotStart { why: "an agent needs a directory to work in".into() });
        };
        let stdin = Some(request.stdin.clone().into_bytes());
        // What it writes is only for people.
        self.0.run(&request, directory, stdin, stop, |_, _| Ending::Empty).await
    }
}
