//! Asks the targets: bounded concurrency, whole process trees ended, results in case order.

mod progress;

use std::sync::Arc;

use tokio::task::JoinSet;

pub use progress::Progress;

use crate::model::{Ending, EndingKind};
use crate::process::Stop;
use crate::suites::{Asking, Attempted, Case, Question, RunServices};
use crate::targets::AnswerSource;
use crate::text::{Redact as _, truncate_middle};

/// How much of an output stream is carried into the results.
const OUTPUT_IN_RESULTS: usize = 8 * 1024;

/// What a suite's execution needs beside its cases.
#[derive(Debug)]
pub struct Execution {
    /// Who answers for the suite.
    pub source: Arc<AnswerSource>,
    pub services: Arc<RunServices>,
    /// Which times, counted from 0.
    pub attempts: std::ops::Range<usize>,
    /// How many at the same time.
    pub jobs: usize,
}

/// A case that is to be asked.
#[derive(Debug, Clone)]
pub struct ToAsk {
    pub case: Case,
    /// The question with main's key, where that is another one.
    pub by_main: Option<Arc<Question>>,
}

/// Asks every case so often. The answer has one entry for each case, in order, and in it one for each attempt.
pub async fn execute(
    cases: &[Arc<ToAsk>],
    execution: &Execution,
    progress: &Progress,
    stop: &Stop,
) -> Vec<Vec<Attempted>> {
    // What somebody else asked already is asked no more and no less often.
    let attempts_of = |asked: &ToAsk| match asked.case.question.attempts() {
        Some(_) if execution.attempts.start > 0 => 0..0,
        Some(count) => 0..count,
        None => execution.attempts.clone(),
    };
    let mut slots: Vec<Vec<Option<Attempted>>> = cases.iter().map(|case| vec![None; attempts_of(case).len()]).collect();
    let mut units = cases.iter().enumerate().flat_map(|(at, case)| attempts_of(case).map(move |attempt| (at, attempt)));
    let mut running = JoinSet::new();
    loop {
        while running.len() < execution.jobs && !stop.is_requested() {
            let Some((index, repeat)) = units.next() else { break };
            let asked = Arc::clone(&cases[index]);
            let (source, services) = (Arc::clone(&execution.source), Arc::clone(&execution.services));
            let stop = stop.clone();
            progress.started(asked.case.id.as_str());
            running.spawn(async move {
                let case = &asked.case.id;
                let asking = Asking { case, attempt: repeat, source: &source, services: &services, stop: &stop };
                (index, repeat, attempt(&asked, asking).await)
            });
        }
        match running.join_next().await {
            None => break,
            Some(Ok((index, attempt, attempted))) => {
                progress.finished(cases[index].case.id.as_str(), attempted.evaluation.status);
                slots[index][attempt - attempts_of(&cases[index]).start] = Some(attempted);
            }
            // A task that panicked is a defect of ours; its case is reported as not measured.
            Some(Err(error)) => tracing::error!("a case could not be evaluated: {error}"),
        }
    }
    execution.source.close().await;
    let why = Ending::Interrupted.sentence();
    let interrupted = |case: &Case| Attempted { ending: EndingKind::Interrupted, ..case.question.not_asked(&why) };
    slots
        .into_iter()
        .zip(cases)
        .map(|(attempts, asked)| {
            attempts.into_iter().map(|one| one.unwrap_or_else(|| interrupted(&asked.case))).collect()
        })
        .collect()
}

/// One attempt at a case, with no more of its output than results hold, and without what was confided to targets.
async fn attempt(asked: &ToAsk, asking: Asking<'_>) -> Attempted {
    let mut attempted = asked.case.question.attempt(asked.by_main.as_deref(), &asking).await;
    attempted.redact(asking.source.redactor());
    for stream in [&mut attempted.captured.stdout, &mut attempted.captured.stderr] {
        *stream = truncate_middle(stream, OUTPUT_IN_RESULTS);
    }
    attempted
}
