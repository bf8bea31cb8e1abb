//! Asks the targets: bounded concurrency, whole process trees ended, results in case order.

mod process;
mod progress;
mod stop;

use std::sync::Arc;

use tokio::task::JoinSet;

pub use process::{
    Finished, ProcessEnd, Reader, Spawn, ended, kill_group, run as run_process, start as start_process, terminate,
};
pub use progress::Progress;
pub use stop::{Stop, StopSwitch, stop_on_signals};

use crate::model::{Answer, Ending, truncate_middle};
use crate::suites::{Case, Evaluation};
use crate::targets::{Request, Target};

/// How much of an output stream is carried into the results.
const OUTPUT_IN_RESULTS: usize = 8 * 1024;

/// One time that a case was asked.
#[derive(Debug, Clone)]
pub struct Attempted {
    /// What came back.
    pub answer: Answer,
    /// What is to be said of it.
    pub evaluation: Evaluation,
}

/// What a suite's execution needs beside its cases.
#[derive(Debug)]
pub struct Execution {
    /// Who is asked.
    pub target: Arc<Target>,
    /// How often.
    pub repeat: usize,
    /// How many at the same time.
    pub jobs: usize,
}

/// Asks every case `repeat` times. The answer has one entry for each case, in order, and in it one for each attempt.
pub async fn execute(
    cases: &[Arc<Case>],
    execution: &Execution,
    progress: &Progress,
    stop: &Stop,
) -> Vec<Vec<Attempted>> {
    let mut slots: Vec<Vec<Option<Attempted>>> = cases.iter().map(|_| vec![None; execution.repeat]).collect();
    let mut units = (0..cases.len()).flat_map(|case| (0..execution.repeat).map(move |attempt| (case, attempt)));
    let mut running = JoinSet::new();
    loop {
        while running.len() < execution.jobs && !stop.is_requested() {
            let Some((index, attempt)) = units.next() else { break };
            let case = Arc::clone(&cases[index]);
            let (target, stop) = (Arc::clone(&execution.target), stop.clone());
            progress.started(case.id.as_str());
            running.spawn(async move { (index, attempt, ask(&case, &target, &stop).await) });
        }
        match running.join_next().await {
            None => break,
            Some(Ok((index, attempt, attempted))) => {
                progress.finished(cases[index].id.as_str(), attempted.evaluation.status);
                slots[index][attempt] = Some(attempted);
            }
            // A task that panicked is a defect of ours; its case is reported as not measured.
            Some(Err(error)) => tracing::error!("a case could not be evaluated: {error}"),
        }
    }
    execution.target.close().await;
    let interrupted = |case: &Case| {
        let answer = Answer::ended(Ending::Interrupted);
        Attempted { evaluation: case.question.evaluate(&answer), answer }
    };
    slots
        .into_iter()
        .zip(cases)
        .map(|(attempts, case)| attempts.into_iter().map(|one| one.unwrap_or_else(|| interrupted(case))).collect())
        .collect()
}

async fn ask(case: &Case, target: &Target, stop: &Stop) -> Attempted {
    let request = Request { id: case.id.as_str(), input: case.question.input() };
    let mut answer = target.ask(request, stop).await;
    let evaluation = case.question.evaluate(&answer);
    for stream in [&mut answer.captured.stdout, &mut answer.captured.stderr] {
        *stream = truncate_middle(stream, OUTPUT_IN_RESULTS);
    }
    Attempted { answer, evaluation }
}
