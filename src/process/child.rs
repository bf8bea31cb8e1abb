//! One child process, in its own group, from start to its certain end.
#![expect(clippy::disallowed_methods, reason = "edge: starts processes and reads the clock")]

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::Stop;

/// How long a child may take to end after TERM, before KILL.
const GRACE: Duration = Duration::from_secs(2);
/// How long the output may stay open after the child has ended, because a grandchild still holds it.
const LINGER: Duration = Duration::from_millis(250);

#[derive(Debug, Clone)]
pub struct Spawn {
    /// The program, then its arguments.
    pub argv: Vec<String>,
    pub cwd: PathBuf,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// What is written to its standard input.
    pub stdin: Option<Vec<u8>>,
    /// How long it may take.
    pub timeout: Duration,
    /// How many bytes of each stream are kept.
    pub max_output: usize,
}

/// Every way in which a process can end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessEnd {
    /// By itself, with this code.
    Exited(i32),
    Signalled(i32),
    /// Killed after its time was up.
    TimedOut,
    /// Killed because the user stopped the run.
    Stopped,
    /// It never began.
    CouldNotStart(StartError),
}

impl ProcessEnd {
    /// How it ended, in words; `limit` is the time that it had.
    pub fn sentence(&self, limit: Duration) -> String {
        match self {
            Self::Exited(code) => format!("exit code {code}"),
            Self::Signalled(signal) => format!("ended by signal {signal}"),
            Self::TimedOut => format!("timed out after {limit:?}"),
            Self::Stopped => "interrupted".to_owned(),
            Self::CouldNotStart(error) => error.to_string(),
        }
    }
}

/// Why a process could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("no program is named")]
    NoProgram,
    #[error("`{0}` was not found; is it installed and on PATH?")]
    NotFound(String),
    #[error("`{0}` is not executable; try chmod +x")]
    NotExecutable(String),
    #[error("`{program}`: {why}")]
    Refused { program: String, why: String },
    /// It was started, but the system does not say how it ended.
    #[error("{0}")]
    Lost(String),
}

/// A process that has ended, and all that it started.
#[derive(Debug)]
pub struct Finished {
    pub end: ProcessEnd,
    pub stdout: Capture,
    pub stderr: Capture,
    /// From start to end.
    pub duration: Duration,
}

/// The beginning and the end of a stream, and how long it was.
#[derive(Debug, Default, Clone)]
pub struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// How many bytes were left out between the two.
    pub omitted: u64,
}

impl Capture {
    /// Takes more in, keeping at most `max` bytes.
    pub fn push(&mut self, bytes: &[u8], max: usize) {
        let (head_max, tail_max) = (max - max / 2, max / 2);
        let fits = bytes.len().min(head_max.saturating_sub(self.head.len()));
        self.head.extend_from_slice(&bytes[..fits]);
        let rest = &bytes[fits..];
        let skip = rest.len().saturating_sub(tail_max);
        let drop = (self.tail.len() + rest.len() - skip).saturating_sub(tail_max);
        self.tail.drain(..drop);
        self.tail.extend(&rest[skip..]);
        self.omitted += (skip + drop) as u64;
    }

    /// What was kept of the beginning and of the end.
    pub fn halves(&self) -> (Vec<u8>, Vec<u8>) {
        (self.head.clone(), self.tail.iter().copied().collect())
    }

    /// What was kept; the whole stream if nothing was omitted.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        bytes.extend(self.tail);
        bytes
    }
}

/// Runs a process to its end. Whatever it started in its group is gone afterwards.
pub async fn run(spawn: &Spawn, stop: &Stop) -> Finished {
    let started = Instant::now();
    let mut child = match start(spawn, if spawn.stdin.is_some() { Stdio::piped() } else { Stdio::null() }) {
        Ok(child) => child,
        Err(why) => {
            return Finished {
                end: ProcessEnd::CouldNotStart(why),
                stdout: Capture::default(),
                stderr: Capture::default(),
                duration: started.elapsed(),
            };
        }
    };
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), spawn.stdin.clone()) {
        // A child need not read what it is given, so a broken pipe is no error.
        tokio::spawn(async move { pipe.write_all(&bytes).await.ok() });
    }
    let stdout = OutputReader::start(child.stdout.take(), spawn.max_output);
    let stderr = OutputReader::start(child.stderr.take(), spawn.max_output);

    let group = child.id();
    let end = tokio::select! {
        status = child.wait() => status.map_or_else(|error| ProcessEnd::CouldNotStart(StartError::Lost(error.to_string())), ended),
        () = tokio::time::sleep(spawn.timeout) => {
            terminate(&mut child).await;
            ProcessEnd::TimedOut
        }
        () = stop.requested() => {
            terminate(&mut child).await;
            ProcessEnd::Stopped
        }
    };
    let duration = started.elapsed();
    let mut readers = [stdout, stderr];
    for reader in &mut readers {
        reader.finish(LINGER).await;
    }
    kill_group(group);
    for reader in &mut readers {
        reader.finish(LINGER).await;
    }
    let [stdout, stderr] = readers.map(OutputReader::into_capture);
    Finished { end, stdout, stderr, duration }
}

/// Starts a process in a group of its own.
pub fn start(spawn: &Spawn, stdin: Stdio) -> Result<Child, StartError> {
    let Some((program, arguments)) = spawn.argv.split_first() else { return Err(StartError::NoProgram) };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&spawn.cwd)
        .env_clear()
        .envs(spawn.env.iter().map(|(name, value)| (name, value)))
        // What a shell inherits is where its parent was.
        .env("PWD", directory(&spawn.cwd))
        .env_remove("OLDPWD")
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    command.spawn().map_err(|error| {
        let program = program.clone();
        if error.kind() == std::io::ErrorKind::NotFound {
            StartError::NotFound(program)
        } else if error.kind() == std::io::ErrorKind::PermissionDenied {
            StartError::NotExecutable(program)
        } else {
            StartError::Refused { program, why: error.to_string() }
        }
    })
}

/// A directory as programs expect it in `PWD`: absolute, without `.` and `..`.
fn directory(cwd: &Path) -> PathBuf {
    cwd.canonicalize().or_else(|_| std::path::absolute(cwd)).unwrap_or_else(|_| cwd.to_owned())
}

/// How a status reads.
pub fn ended(status: ExitStatus) -> ProcessEnd {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ProcessEnd::Signalled(signal);
    }
    ProcessEnd::Exited(status.code().unwrap_or(-1))
}

/// TERM to the whole group, then KILL; returns when the child is gone.
pub async fn terminate(child: &mut Child) {
    let group = child.id();
    signal_group(group, GroupSignal::Term);
    if timeout(GRACE, child.wait()).await.is_err() {
        kill_group(group);
        child.start_kill().ok();
        child.wait().await.ok();
    }
}

/// KILL to whatever is left of a group.
pub fn kill_group(group: Option<u32>) {
    signal_group(group, GroupSignal::Kill);
}

#[derive(Clone, Copy)]
enum GroupSignal {
    Term,
    Kill,
}

#[cfg(unix)]
fn signal_group(group: Option<u32>, signal: GroupSignal) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match signal {
        GroupSignal::Term => Signal::TERM,
        GroupSignal::Kill => Signal::KILL,
    };
    if let Some(pid) = group.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
        // The group may be gone already, which is what is wanted.
        kill_process_group(pid, signal).ok();
    }
}

#[cfg(not(unix))]
fn signal_group(_group: Option<u32>, _signal: GroupSignal) {
    // No groups here: `terminate` ends the child itself.
}

/// Reads a stream in the background into a bounded capture.
#[derive(Debug)]
pub struct OutputReader {
    capture: Arc<Mutex<Capture>>,
    task: Option<JoinHandle<()>>,
}

impl OutputReader {
    pub fn start(stream: Option<impl AsyncRead + Unpin + Send + 'static>, max: usize) -> Self {
        let capture = Arc::new(Mutex::new(Capture::default()));
        let shared = Arc::clone(&capture);
        let task = stream.map(|mut stream| {
            tokio::spawn(async move {
                let mut buffer = vec![0; 16 * 1024];
                while let Ok(count @ 1..) = stream.read(&mut buffer).await {
                    shared.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count], max);
                }
            })
        });
        Self { capture, task }
    }

    /// Waits for the end of the stream, but not for ever.
    async fn finish(&mut self, limit: Duration) {
        if let Some(task) = &mut self.task
            && timeout(limit, task).await.is_ok()
        {
            self.task = None;
        }
    }

    /// What was read so far.
    pub fn so_far(&self) -> Capture {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn into_capture(self) -> Capture {
        if let Some(task) = self.task {
            task.abort();
        }
        std::mem::take(&mut *self.capture.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::Capture;

    #[test]
    fn a_capture_keeps_both_ends_within_its_bound_and_counts_the_rest() {
        let mut capture = Capture::default();
        for chunk in [&b"0123"[..], b"4567", b"89"] {
            capture.push(chunk, 6);
        }
        assert_eq!(capture.omitted, 4);
        assert_eq!(capture.into_bytes(), b"012789");

        let mut whole = Capture::default();
        whole.push(b"0123456789", 10);
        assert_eq!((whole.omitted, whole.into_bytes()), (0, b"0123456789".to_vec()));
    }
}
