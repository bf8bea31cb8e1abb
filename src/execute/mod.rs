//! Asks the targets: bounded concurrency, whole process trees ended, results in case order.

mod progress;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::task::JoinSet;

pub use progress::Progress;

use crate::model::{Answer, Captured, Ending, Request, Usage};
use crate::process::Stop;
use crate::suites::scenario::ScenarioRunner;
use crate::suites::{Case, Evaluation, Question, command, golden, imported, retrieval};
use crate::targets::{AnswerSource, Engine, SILENT};
use crate::text::truncate_middle;

/// How much of an output stream is carried into the results.
const OUTPUT_IN_RESULTS: usize = 8 * 1024;

/// One time that a case was asked.
#[derive(Debug, Clone)]
pub struct Attempted {
    /// How it ended, by its stable name.
    pub ending: &'static str,
    /// How long it took.
    pub duration: Duration,
    /// What was written, shortened.
    pub captured: Captured,
    /// What the answer consumed.
    pub usage: Option<Usage>,
    /// What is to be said of it.
    pub evaluation: Evaluation,
}

impl Attempted {
    fn new(answer: Answer, evaluation: Evaluation) -> Self {
        let ending = answer.ending.name();
        Self { ending, duration: answer.duration, captured: answer.captured, usage: answer.usage, evaluation }
    }
}

/// What a suite's execution needs beside its cases.
#[derive(Debug)]
pub struct Execution {
    /// Who is asked for commands and golden answers.
    pub respondent: Arc<AnswerSource>,
    /// Who is asked for rankings, or why nobody can be.
    pub engine: Option<Arc<Result<Engine, String>>>,
    /// Where scenarios are carried out.
    pub stage: Arc<ScenarioRunner>,
    /// Which times, counted from 0.
    pub attempts: std::ops::Range<usize>,
    /// How many at the same time.
    pub jobs: usize,
}

/// Asks every case so often. The answer has one entry for each case, in order, and in it one for each attempt.
pub async fn execute(
    cases: &[Arc<Case>],
    execution: &Execution,
    progress: &Progress,
    stop: &Stop,
) -> Vec<Vec<Attempted>> {
    let mut slots: Vec<Vec<Option<Attempted>>> = cases.iter().map(|_| vec![None; execution.attempts.len()]).collect();
    let mut units = (0..cases.len()).flat_map(|case| execution.attempts.clone().map(move |attempt| (case, attempt)));
    let mut running = JoinSet::new();
    loop {
        while running.len() < execution.jobs && !stop.is_requested() {
            let Some((index, attempt)) = units.next() else { break };
            let case = Arc::clone(&cases[index]);
            let (respondent, engine) = (Arc::clone(&execution.respondent), execution.engine.clone());
            let (stage, stop) = (Arc::clone(&execution.stage), stop.clone());
            progress.started(case.id.as_str());
            running.spawn(async move {
                (index, attempt, ask(&case, attempt, &respondent, engine.as_deref(), &stage, &stop).await)
            });
        }
        match running.join_next().await {
            None => break,
            Some(Ok((index, attempt, attempted))) => {
                progress.finished(cases[index].id.as_str(), attempted.evaluation.status);
                slots[index][attempt - execution.attempts.start] = Some(attempted);
            }
            // A task that panicked is a defect of ours; its case is reported as not measured.
            Some(Err(error)) => tracing::error!("a case could not be evaluated: {error}"),
        }
    }
    execution.respondent.close().await;
    if let Some(Ok(engine)) = execution.engine.as_deref() {
        engine.close().await;
    }
    let interrupted = |case: &Case| Attempted {
        ending: Ending::Interrupted.name(),
        duration: Duration::ZERO,
        captured: Captured::default(),
        usage: None,
        evaluation: case.question.interrupted(),
    };
    slots
        .into_iter()
        .zip(cases)
        .map(|(attempts, case)| attempts.into_iter().map(|one| one.unwrap_or_else(|| interrupted(case))).collect())
        .collect()
}

async fn ask(
    case: &Case,
    repeat: usize,
    respondent: &AnswerSource,
    engine: Option<&Result<Engine, String>>,
    stage: &ScenarioRunner,
    stop: &Stop,
) -> Attempted {
    let mut attempted = match &case.question {
        Question::Scenario(_) | Question::Retrieval(_) if respondent.is_silent() => {
            let answer = Answer::ended(Ending::Unasked { why: SILENT.into() });
            Attempted::new(answer, case.question.without_answer(SILENT))
        }
        Question::Scenario(question) => stage.attempt(question, case.id.as_str(), stop).await,
        Question::Command(question) => {
            let request = Request::prompt(case.id.as_str(), &question.prompt).again(repeat);
            let answer = respondent.ask(request, stop).await;
            let evaluation = command::evaluate(question, &answer);
            Attempted::new(answer, evaluation)
        }
        Question::Golden(question) => {
            let request =
                case.question.request(&case.id).unwrap_or_else(|| Request::value(case.id.as_str(), &Value::Null));
            let mut answer = respondent.ask(request.again(repeat), stop).await;
            let opinions = respondent.opinions(question, &case.id, repeat, &answer, stop).await;
            for opinion in opinions.values() {
                answer.usage = Usage::sum(answer.usage, opinion.usage);
            }
            let evaluation = golden::evaluate(question, &answer, &opinions);
            Attempted::new(answer, evaluation)
        }
        Question::Imported(question) => Attempted {
            ending: if question.duration.is_some() { "imported" } else { "imported-untimed" },
            duration: question.duration.unwrap_or_default(),
            captured: Captured::default(),
            usage: None,
            evaluation: imported::evaluate(question),
        },
        Question::Retrieval(question) => {
            let id = case.id.as_str();
            let (answer, held) = match engine {
                Some(Ok(engine)) => {
                    let held = engine.held(id, question.lane, &question.expected, stop).await;
                    (engine.search(id, question, stop).await, held)
                }
                Some(Err(why)) => {
                    (Answer::ended(Ending::CouldNotStart { why: why.clone() }), retrieval::Held::CannotTell)
                }
                None => (
                    Answer::ended(Ending::CouldNotStart { why: "the suite has no engine".into() }),
                    retrieval::Held::CannotTell,
                ),
            };
            let evaluation = retrieval::evaluate(question, &answer, &held);
            Attempted::new(answer, evaluation)
        }
    };
    for stream in [&mut attempted.captured.stdout, &mut attempted.captured.stderr] {
        *stream = truncate_middle(stream, OUTPUT_IN_RESULTS);
    }
    attempted
}
