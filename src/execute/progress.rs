//! Progress on standard error: a bar for people, plain lines for logs, never on standard output.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock and writes to standard error")]

use std::io::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::model::Status;

/// At most one plain line in this time.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Tells how far a run is.
#[derive(Debug)]
pub struct Progress {
    state: Mutex<ProgressState>,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Bar(ProgressBar),
    Lines,
}

#[derive(Debug)]
struct ProgressState {
    total: usize,
    done: usize,
    failed: usize,
    errors: usize,
    running: Vec<String>,
    began: Instant,
    last_line: Instant,
}

impl Progress {
    /// A bar, for a terminal.
    pub fn bar(total: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} · {msg} · ETA {eta}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("━╸ "));
        }
        Self::new(total, Sink::Bar(bar))
    }

    /// Plain lines, at most one every five seconds.
    pub fn lines(total: usize) -> Self {
        Self::new(total, Sink::Lines)
    }

    fn new(total: usize, sink: Sink) -> Self {
        let now = Instant::now();
        let state =
            ProgressState { total, done: 0, failed: 0, errors: 0, running: Vec::new(), began: now, last_line: now };
        Self { state: Mutex::new(state), sink }
    }

    /// There is more to be asked than was thought.
    pub fn more(&self, attempts: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.total += attempts;
        if let Sink::Bar(bar) = &self.sink {
            bar.set_length(state.total as u64);
        }
    }

    /// A case is being asked.
    pub fn started(&self, case: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.running.push(case.to_owned());
        if let Sink::Bar(bar) = &self.sink {
            bar.set_message(state.message());
        }
    }

    /// A case was answered.
    pub fn finished(&self, case: &str, status: Status) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = state.running.iter().position(|running| running == case) {
            state.running.remove(at);
        }
        state.done += 1;
        match status {
            Status::Failed => state.failed += 1,
            Status::Error => state.errors += 1,
            Status::Passed | Status::Unmeasured | Status::Skipped => {}
        }
        match &self.sink {
            Sink::Bar(bar) => {
                bar.set_position(state.done as u64);
                bar.set_message(state.message());
            }
            Sink::Lines if state.last_line.elapsed() >= LINE_EVERY && state.done < state.total => {
                state.last_line = Instant::now();
                let counts = format!("{}/{} cases", state.done, state.total);
                let parts = [counts, state.message(), format!("ETA {:.0?}", state.eta())];
                let line = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
                writeln!(std::io::stderr(), "{line}").ok();
            }
            Sink::Lines => {}
        }
    }

    pub fn end(&self) {
        if let Sink::Bar(bar) = &self.sink {
            bar.finish_and_clear();
        }
    }
}

impl ProgressState {
    fn message(&self) -> String {
        let mut parts = Vec::new();
        for (count, word) in [(self.failed, "failed"), (self.errors, "errors")] {
            if count > 0 {
                parts.push(format!("{count} {word}"));
            }
        }
        if let Some(oldest) = self.running.first() {
            parts.push(format!("running {oldest}"));
        }
        parts.join(" · ")
    }

    fn eta(&self) -> Duration {
        let done = u32::try_from(self.done.max(1)).unwrap_or(u32::MAX);
        let left = u32::try_from(self.total.saturating_sub(self.done)).unwrap_or(u32::MAX);
        (self.began.elapsed() / done).saturating_mul(left)
    }
}
