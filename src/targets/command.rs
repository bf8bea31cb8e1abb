//! `command`: a process for each question.

use std::path::Path;

use serde_json::{Value, json};

use super::invocation::{Invocation, ProcessTarget};
use super::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties, answer,
};
use crate::input::Place;
use crate::model::{Answer, Ending, Request};
use crate::process::Stop;

/// The names in braces by which a question is an argument.
const QUESTIONS: [&str; 2] = ["prompt", "query"];

/// A command as it is configured.
#[derive(Debug, Clone)]
pub struct CommandSettings(Invocation);

/// A command that can be asked.
#[derive(Debug)]
pub struct CommandTarget {
    process: ProcessTarget,
    asks_by_argument: bool,
}

impl CommandSettings {
    /// A program that reads a question on its standard input.
    pub const fn new(invocation: Invocation) -> Self {
        Self(invocation)
    }

    /// Whether the question is an argument, so that nothing is said on standard input.
    fn asks_by_argument(&self) -> bool {
        self.0.argv.iter().any(|argument| argument.names().any(|name| QUESTIONS.contains(&name)))
    }
}

impl TargetProperties for CommandSettings {
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

    fn recorded_request(&self, request: &Request) -> Value {
        let stdin = (!self.asks_by_argument()).then_some(&request.stdin);
        json!({"command": self.0.written_argv(request), "stdin": stdin})
    }
}

impl TargetConfig for CommandSettings {
    type Section = Vec<String>;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Prompt, QuestionForm::Input, QuestionForm::Query];
    const STARTS_PROCESSES: bool = true;

    fn validate(argv: Vec<String>, keys: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        Self(Invocation::validate(("command", argv), keys, suite.asks.placeholders(), suite, place))
    }
}

impl BuildTarget for CommandSettings {
    type Target = CommandTarget;

    fn build(&self, context: &BuildContext) -> Result<CommandTarget, TargetError> {
        let process = ProcessTarget::new(self.0.clone(), context);
        Ok(CommandTarget { process, asks_by_argument: self.asks_by_argument() })
    }
}

impl Askable for CommandTarget {
    async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        if self.asks_by_argument && !QUESTIONS.iter().any(|name| request.name(name).is_some()) {
            return Answer::ended(Ending::Unasked { why: "this cannot be asked by an argument".into() });
        }
        let (directory, _scratch) = match self.process.invocation.directory() {
            Ok(directory) => directory,
            Err(error) => return Answer::ended(Ending::CouldNotStart { why: error.to_string() }),
        };
        let stdin = (!self.asks_by_argument).then(|| request.stdin.clone().into_bytes());
        let read = |bytes, omitted| answer::from_stdout(bytes, omitted, &self.process.invocation);
        self.process.run(&request, directory, stdin, stop, read).await
    }
}
