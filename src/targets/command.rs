//! A process for each question.
#![expect(clippy::disallowed_methods, reason = "edge: makes a directory for each case")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Environment, answer};
use crate::model::{Answer, Captured, Ending, Request};
use crate::process::{Finished, ProcessEnd, Spawn, Stop, run_process};
use crate::settings::{Cwd, Invocation};

/// A target that is a command.
#[derive(Debug)]
pub struct CommandTarget {
    invocation: Invocation,
    environment: Environment,
    asks_by_argument: bool,
}

impl CommandTarget {
    pub(super) fn new(invocation: Invocation, environment: Environment) -> Self {
        let named = |name: &str| name == "prompt" || name == "query";
        let asks_by_argument = invocation.argv.iter().any(|argument| argument.names().any(named));
        Self { invocation, environment, asks_by_argument }
    }

    /// Whether the question is an argument, so that nothing else can be asked.
    pub(super) const fn asks_by_argument(&self) -> bool {
        self.asks_by_argument
    }

    pub(super) async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        let (directory, _scratch) = match directory(&self.invocation.cwd) {
            Ok(directory) => directory,
            Err(why) => return Answer::ended(Ending::CouldNotStart { why }),
        };
        let mut values = BTreeMap::from([("id", request.id.as_str())]);
        values.extend(request.names.iter().map(|(name, value)| (*name, value.as_str())));
        let argv: Vec<String> = self.invocation.argv.iter().map(|argument| argument.fill(&values)).collect();
        if argv.iter().any(|argument| argument.contains('\0')) {
            return Answer::ended(Ending::CouldNotStart { why: "an argument cannot hold a NUL character".into() });
        }
        let spawn = Spawn {
            argv,
            cwd: directory,
            env: self.environment.visible.clone(),
            stdin: (!self.asks_by_argument).then(|| request.stdin.clone().into_bytes()),
            timeout: self.invocation.timeout,
            max_output: self.invocation.max_output,
        };
        self.read(run_process(&spawn, stop).await)
    }

    fn read(&self, finished: Finished) -> Answer {
        let Finished { end, stdout, stderr, duration } = finished;
        let (stdout_omitted, stderr_omitted) = (stdout.omitted, stderr.omitted);
        let stdout = stdout.into_bytes();
        let captured = Captured {
            stdout: self.environment.redacted(String::from_utf8_lossy(&stdout).into_owned()),
            stderr: self.environment.redacted(String::from_utf8_lossy(&stderr.into_bytes()).into_owned()),
            stdout_omitted,
            stderr_omitted,
        };
        let ending = match end {
            ProcessEnd::Exited(0) => answer::from_stdout(stdout, stdout_omitted, &self.invocation),
            ProcessEnd::Exited(code) => Ending::ExitCode(code),
            ProcessEnd::Signalled(signal) => Ending::Signal(signal),
            ProcessEnd::TimedOut => Ending::TimedOut { after: self.invocation.timeout },
            ProcessEnd::Stopped => Ending::Interrupted,
            ProcessEnd::CouldNotStart(why) => Ending::CouldNotStart { why },
        };
        let hint = match &ending {
            Ending::ExitCode(_) | Ending::Empty => {
                self.environment.hint(&format!("{}\n{}", captured.stderr, captured.stdout))
            }
            Ending::Answered(_)
            | Ending::NotUtf8 { .. }
            | Ending::Unreadable { .. }
            | Ending::Signal(_)
            | Ending::TimedOut { .. }
            | Ending::CouldNotStart { .. }
            | Ending::Unreachable { .. }
            | Ending::Unasked { .. }
            | Ending::Interrupted => None,
        };
        Answer { ending, captured, duration, hint, usage: None }
    }
}

/// The directory to run in; a scratch one lives as long as the second value.
pub(super) fn directory(cwd: &Cwd) -> Result<(PathBuf, Option<tempfile::TempDir>), String> {
    match cwd {
        Cwd::Directory(path) => Ok((path.clone(), None)),
        Cwd::Scratch => {
            let scratch = tempfile::Builder::new()
                .prefix("evalratchet-")
                .tempdir()
                .map_err(|error| format!("no scratch directory: {error}"))?;
            Ok((scratch.path().to_owned(), Some(scratch)))
        }
    }
}
