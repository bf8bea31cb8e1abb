//! `worker`: long-lived processes that answer one JSON line for each they are given.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::path::Path;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::invocation::{Invocation, NoScratch, ProcessTarget};
use super::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties, answer,
};
use crate::input::Place;
use crate::model::{Answer, Ending, Output, Request};
use crate::process::{
    Capture, OutputReader, ProcessEnd, Spawn, StartError, Stop, ended, kill_group, start_process, terminate,
};

/// How long a worker may take to end once its input is closed.
const FAREWELL: Duration = Duration::from_secs(2);

/// A worker as it is configured.
#[derive(Debug, Clone)]
pub struct WorkerSettings(Invocation);

/// A worker that can be asked: as many processes as questions are asked at the same time, each started when first
/// needed and restarted after it failed.
#[derive(Debug)]
pub struct WorkerTarget {
    process: ProcessTarget,
    idle: Mutex<Vec<Worker>>,
}

impl WorkerSettings {
    /// A program that reads questions line by line.
    pub const fn new(invocation: Invocation) -> Self {
        Self(invocation)
    }
}

impl TargetProperties for WorkerSettings {
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

    fn default_jobs(&self, _: usize) -> usize {
        1
    }

    fn recorded_request(&self, request: &Request) -> Value {
        json!({"worker": self.0.written_argv(request), "input": request.input})
    }
}

impl TargetConfig for WorkerSettings {
    type Section = Vec<String>;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Prompt, QuestionForm::Input, QuestionForm::Query];
    const STARTS_PROCESSES: bool = true;

    /// It is given whole questions on its standard input, so its command line has no placeholders.
    fn validate(argv: Vec<String>, keys: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        Self(Invocation::validate(("worker", argv), keys, &[], suite, place))
    }
}

impl BuildTarget for WorkerSettings {
    type Target = WorkerTarget;

    fn build(&self, context: &BuildContext) -> Result<WorkerTarget, TargetError> {
        Ok(WorkerTarget { process: ProcessTarget::new(self.0.clone(), context), idle: Mutex::default() })
    }
}

#[derive(Debug)]
struct Worker {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: OutputReader,
    _scratch: Option<tempfile::TempDir>,
}

#[derive(Deserialize)]
struct Reply {
    id: String,
    output: Value,
}

impl Askable for WorkerTarget {
    async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        let ProcessTarget { invocation, environment, .. } = &self.process;
        let started = Instant::now();
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut worker = match idle.map_or_else(|| self.start(), Ok) {
            Ok(worker) => worker,
            Err(error) => return Answer::ended(Ending::CouldNotStart { why: error.to_string() }),
        };
        let limit = invocation.timeout;
        let exchange = worker.exchange(&request, invocation.max_output);
        let outcome = tokio::select! {
            outcome = timeout(limit, exchange) => outcome.unwrap_or(Err(Some(Ending::TimedOut { after: limit }))),
            () = stop.requested() => Err(Some(Ending::Interrupted)),
        };
        match outcome {
            Ok(output) => {
                let ending = answer::from_value(&output, invocation);
                let captured = Output { stdout: self.process.redacted(&output.to_string()), ..Output::default() };
                self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(worker);
                Answer { ending, captured, duration: started.elapsed(), hint: None, usage: None, from_cache: false }
            }
            Err(ending) => {
                let (ending, stderr) = worker.fail(ending).await;
                let stderr = self.process.shown(&stderr);
                let hint = environment.hint(&stderr).filter(|_| matches!(ending, Ending::ExitCode(_)));
                let captured = Output { stderr, ..Output::default() };
                Answer { ending, captured, duration: started.elapsed(), hint, usage: None, from_cache: false }
            }
        }
    }

    async fn close(&self) {
        let workers = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        for Worker { mut child, stdin, .. } in workers {
            let group = child.id();
            drop(stdin);
            if timeout(FAREWELL, child.wait()).await.is_err() {
                terminate(&mut child).await;
            }
            kill_group(group);
        }
    }
}

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
enum WorkerError {
    #[error(transparent)]
    Scratch(#[from] NoScratch),
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("the worker has no standard input or output")]
    NoPipes,
}

impl WorkerTarget {
    fn start(&self) -> Result<Worker, WorkerError> {
        let ProcessTarget { invocation, environment, .. } = &self.process;
        let (cwd, scratch) = invocation.directory()?;
        let spawn = Spawn {
            argv: invocation.argv.iter().map(|argument| argument.fill(&Default::default())).collect(),
            cwd,
            env: environment.visible.clone(),
            stdin: None,
            timeout: invocation.timeout,
            max_output: invocation.max_output,
        };
        let mut child = start_process(&spawn, Stdio::piped())?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(WorkerError::NoPipes);
        };
        let stderr = OutputReader::start(child.stderr.take(), spawn.max_output);
        Ok(Worker { child, stdin, stdout: BufReader::new(stdout), stderr, _scratch: scratch })
    }
}

impl Worker {
    /// One line out, one line in. `Err(None)` means that the process closed its output.
    async fn exchange(&mut self, request: &Request, max: usize) -> Result<Value, Option<Ending>> {
        let mut line = json!({"id": request.id, "input": &request.input}).to_string();
        line.push('\n');
        if self.stdin.write_all(line.as_bytes()).await.is_err() || self.stdin.flush().await.is_err() {
            return Err(None);
        }
        let line = self.read_line(max).await?;
        let unreadable = |why: String| Some(Ending::Unreadable { why });
        let line = String::from_utf8(line)
            .map_err(|error| Some(Ending::NotUtf8 { offset: error.utf8_error().valid_up_to() }))?;
        let reply: Reply = serde_json::from_str(&line)
            .map_err(|error| unreadable(format!("the worker did not answer {{\"id\",\"output\"}}: {error}")))?;
        if reply.id != request.id {
            return Err(unreadable(format!("the worker answered `{}` when asked `{}`", reply.id, request.id)));
        }
        Ok(reply.output)
    }

    async fn read_line(&mut self, max: usize) -> Result<Vec<u8>, Option<Ending>> {
        let (mut line, mut length) = (Vec::new(), 0_usize);
        loop {
            let chunk = self.stdout.fill_buf().await.map_err(|_| None)?;
            if chunk.is_empty() {
                return Err(None);
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.unwrap_or(chunk.len())];
            length += part.len();
            line.extend_from_slice(&part[..part.len().min(max.saturating_sub(line.len()))]);
            let used = part.len() + usize::from(end.is_some());
            self.stdout.consume(used);
            if end.is_some() {
                break;
            }
        }
        if length > max {
            let why = format!("the worker's line is {length} bytes long, {max} are kept (`max-output`)");
            return Err(Some(Ending::Unreadable { why }));
        }
        Ok(line)
    }

    /// Ends a worker that can no longer be trusted; `None` asks its exit status why.
    async fn fail(mut self, ending: Option<Ending>) -> (Ending, Capture) {
        let group = self.child.id();
        let ending = match ending {
            Some(ending) => {
                terminate(&mut self.child).await;
                ending
            }
            None => match timeout(FAREWELL, self.child.wait()).await {
                Ok(Ok(status)) => match ended(status) {
                    ProcessEnd::Exited(0) => Ending::Unreadable { why: "the worker ended without answering".into() },
                    ProcessEnd::Exited(code) => Ending::ExitCode(code),
                    ProcessEnd::Signalled(signal) => Ending::Signal(signal),
                    ProcessEnd::TimedOut | ProcessEnd::Stopped | ProcessEnd::CouldNotStart(_) => Ending::Interrupted,
                },
                Ok(Err(_)) | Err(_) => {
                    terminate(&mut self.child).await;
                    Ending::Unreadable { why: "the worker closed its output without answering".into() }
                }
            },
        };
        kill_group(group);
        (ending, self.stderr.so_far())
    }
}
