//! Runs every evaluation of a repository, compares with what `main` has, and says what is good enough.
//!
//! ```text
//! load → plan → execute → score → aggregate → compare → gate → report
//! ```
//!
//! [`run`] is that flow. All kinds of suite come in at `load`; from `score` on there is one result model,
//! `results::Results`, and everything after it is the same for all kinds.

mod aggregate;
mod baseline;
mod ci;
mod cli;
mod compare;
mod doctor;
mod execute;
mod gate;
mod github;
mod http;
mod init;
mod input;
mod merge;
mod model;
mod plan;
mod process;
mod recordings;
mod replay;
mod report;
mod repository;
mod results;
mod settings;
mod stats;
mod suites;
mod targets;
mod text;

pub use cli::main;

/// What benchmarks, fuzzing and end-to-end tests reach besides the binary. It may change at any time.
#[doc(hidden)]
pub mod internals {
    pub use crate::ci::RunAttempt;
    pub use crate::github::comment::{DesiredComment, Marker};
    pub use crate::model::Lane;
    pub use crate::report::{data, markdown, property};
    pub use crate::suites::command::equivalence::{EquivalenceRule, Tables, compare};
    pub use crate::suites::scenario::matching::normalised;
    pub use crate::suites::scenario::unified::hunks;
    pub use crate::targets::index::Index;
}

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use baseline::Baseline;
use model::{BaselineInfo, CaseId, Comparison, Mode, Status, SuiteId, Trend};
use plan::PlannedSuite;
use results::{RESULTS_SCHEMA, Results, RunInfo, SuiteResult, Tool};
use suites::Attempted;

/// What a run needs to know that is not in the configuration. The clock, git and the environment are asked by the
/// caller, so that a run is a function of its arguments and of what the targets answer.
#[derive(Debug)]
pub struct RunRequest {
    /// The configuration file as the user would name it.
    pub config: String,
    pub suites: Vec<PlannedSuite>,
    /// What was recorded for each of them.
    pub recordings: Vec<recordings::Recordings>,
    /// Answers of earlier runs.
    pub cache: Arc<targets::Cache>,
    /// What main has, if anything.
    pub reference: Option<Reference>,
    /// How the gate sees it; whether the run is interrupted is seen at the end.
    pub circumstances: gate::GateContext,
    /// How often what seems to have regressed is asked again.
    pub retry_suspects: usize,
    /// The circumstances of the run; its duration is filled in at the end.
    pub run: RunInfo,
    /// How many processors there are.
    pub cores: usize,
    /// The whole environment; targets see little of it.
    pub environment: Vec<(OsString, OsString)>,
    /// Where scenarios are carried out.
    pub stage: Arc<suites::scenario::ScenarioRunner>,
}

/// What a run is compared with.
#[derive(Debug, Clone)]
pub struct Reference {
    pub baseline: Baseline,
    /// Where it was found.
    pub info: BaselineInfo,
    /// What earlier baselines had.
    pub trend: Trend,
}

/// What a run left behind.
#[derive(Debug)]
pub struct RunOutcome {
    pub results: Results,
    /// The recordings of suites that were recorded.
    pub recorded: Vec<(SuiteId, targets::Recorder)>,
}

/// A suite that was asked.
struct Asked<'a> {
    suite: &'a PlannedSuite,
    source: Arc<targets::AnswerSource>,
    attempts: Vec<Vec<Attempted>>,
    took: Duration,
    /// Which of the attempts' cases were asked again because they seemed to have regressed.
    suspected: Vec<bool>,
}

/// The flow from planned suites to judged results. `elapsed` tells how much time has gone.
pub async fn run(
    request: RunRequest,
    progress: &execute::Progress,
    stop: &crate::process::Stop,
    elapsed: impl Fn() -> Duration,
) -> RunOutcome {
    let mut asked: Vec<Asked<'_>> = Vec::new();
    let redactor = Arc::new(redactor(&request));
    for (suite, recordings) in request.suites.iter().zip(&request.recordings) {
        let began = elapsed();
        let source = Arc::new(answer_source(&request, suite, recordings, &redactor));
        let execution = execution(&request, suite, &source, 0..suite.settings.repeat);
        let attempts = execute::execute(&chosen(suite), &execution, progress, stop).await;
        let suspected = vec![false; attempts.len()];
        asked.push(Asked { suite, source, attempts, took: elapsed().saturating_sub(began), suspected });
    }
    let mut suites: Vec<SuiteResult> = asked.iter().map(|asked| suite_result(&request, asked)).collect();
    if request.retry_suspects > 0
        && let Some(reference) = &request.reference
    {
        retry_suspects(&request, &mut asked, &suites, &reference.baseline, progress, stop).await;
        suites = asked.iter().map(|asked| suite_result(&request, asked)).collect();
    }
    progress.end();
    let recorded = asked
        .iter()
        .filter_map(|asked| Some((asked.suite.settings.id.clone(), asked.source.to_write(&asked.suite.declared)?)))
        .collect();
    let mut circumstances = request.circumstances;
    circumstances.interrupted = stop.is_requested();
    let mut run = request.run;
    run.partial |= stop.is_requested();
    run.duration_ms = model::milliseconds(elapsed());
    RunOutcome { results: conclude(suites, run, request.reference.as_ref(), &circumstances), recorded }
}

/// Compares and judges what was measured.
pub fn conclude(
    mut suites: Vec<SuiteResult>,
    run: RunInfo,
    reference: Option<&Reference>,
    circumstances: &gate::GateContext,
) -> Results {
    // A part is not compared: what it lacks is in the others.
    let reference = reference.filter(|_| !circumstances.shard);
    let comparison = compared(&suites, reference, &run);
    let gate = judge(&mut suites, reference, comparison.as_ref(), circumstances, run.seed);
    let tool = Tool { name: "evalratchet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let mut results = Results { schema: RESULTS_SCHEMA.to_owned(), tool, run, suites, comparison, gate };
    let is_whole = !results.run.partial && !circumstances.interrupted;
    if let Some(edited) = circumstances.edited.as_ref().filter(|_| is_whole)
        && let Some(remark) = gate::baseline_edited(edited, &circumstances.blessings, &results)
    {
        let mut circumstances = circumstances.clone();
        circumstances.remarks.push(remark);
        let seed = results.run.seed;
        results.gate = judge(&mut results.suites, reference, results.comparison.as_ref(), &circumstances, seed);
    }
    results
}

fn judge(
    suites: &mut [SuiteResult],
    reference: Option<&Reference>,
    comparison: Option<&Comparison>,
    circumstances: &gate::GateContext,
    seed: u64,
) -> results::Gate {
    let against = reference
        .zip(comparison)
        .map(|(reference, comparison)| gate::Against { baseline: &reference.baseline, comparison });
    gate::judge(suites, against, &gate::GateContext { seed, ..circumstances.clone() })
}

fn compared(suites: &[SuiteResult], reference: Option<&Reference>, run: &RunInfo) -> Option<Comparison> {
    let Reference { baseline, info, trend } = reference?;
    let circumstances = compare::CompareOptions { filtered: run.filtered, seed: run.seed };
    let comparison = compare::compare(suites, baseline, info.clone(), circumstances);
    Some(Comparison { trend: trend.clone(), ..comparison })
}

/// Who answers for a suite.
fn answer_source(
    request: &RunRequest,
    suite: &PlannedSuite,
    recordings: &recordings::Recordings,
    redactor: &Arc<text::Redactor>,
) -> targets::AnswerSource {
    let PlannedSuite { settings, cases, .. } = suite;
    targets::AnswerSource::new(targets::SourceSetup {
        target: &settings.target,
        source: settings.source,
        recordings: recordings.clone(),
        // Every case of a suite has the same.
        opinions: cases.first().map(|one| one.case.question.opinion_targets(settings)).unwrap_or_default(),
        environment: &request.environment,
        cache: &request.cache,
        redactor,
    })
}

/// Whatever a suite confides to a target is taken out of everything that the run writes.
pub(crate) fn redactor(request: &RunRequest) -> text::Redactor {
    let mut names: Vec<String> = Vec::new();
    for PlannedSuite { settings, cases, .. } in &request.suites {
        names.extend(settings.target.properties().variables().into_iter().map(str::to_owned));
        for opinion in cases.first().map(|one| one.case.question.opinion_targets(settings)).unwrap_or_default() {
            names.extend(opinion.target.properties().variables().into_iter().map(str::to_owned));
        }
    }
    targets::redactor(&request.environment, names.iter().map(String::as_str))
}

/// The cases that are to be asked.
fn chosen(suite: &PlannedSuite) -> Vec<Arc<suites::Case>> {
    suite.cases.iter().filter(|planned| planned.chosen).map(|planned| Arc::new(planned.case.clone())).collect()
}

/// How the cases of a suite are asked.
fn execution(
    request: &RunRequest,
    suite: &PlannedSuite,
    source: &Arc<targets::AnswerSource>,
    attempts: std::ops::Range<usize>,
) -> execute::Execution {
    execute::Execution {
        source: Arc::clone(source),
        stage: Arc::clone(&request.stage),
        attempts,
        jobs: suite.settings.jobs.unwrap_or_else(|| source.default_jobs(request.cores)),
    }
}

/// Asks what seems to have regressed again. Recordings would only say the same.
async fn retry_suspects(
    request: &RunRequest,
    asked: &mut [Asked<'_>],
    suites: &[SuiteResult],
    baseline: &Baseline,
    progress: &execute::Progress,
    stop: &crate::process::Stop,
) {
    for (asked, result) in asked.iter_mut().zip(suites) {
        if asked.suite.settings.source == settings::Source::Recordings {
            continue;
        }
        let Some(before) = baseline.suites.get(&result.id) else { continue };
        let suspects = compare::suspects(result, before);
        let cases = chosen(asked.suite);
        let of_suspects: Vec<usize> =
            cases.iter().enumerate().filter(|(_, case)| suspects.contains(&case.id)).map(|(index, _)| index).collect();
        let again: Vec<Arc<suites::Case>> = of_suspects.iter().map(|index| Arc::clone(&cases[*index])).collect();
        let first = asked.suite.settings.repeat;
        let attempts = first..first + request.retry_suspects;
        progress.more(again.len() * request.retry_suspects);
        let execution = execution(request, asked.suite, &asked.source, attempts);
        let more = execute::execute(&again, &execution, progress, stop).await;
        for (index, attempts) in of_suspects.into_iter().zip(more) {
            asked.attempts[index].extend(attempts);
            asked.suspected[index] = true;
        }
    }
}

fn suite_result(request: &RunRequest, asked: &Asked<'_>) -> SuiteResult {
    let Asked { suite, attempts, took, suspected, .. } = asked;
    let settings = &suite.settings;
    let mut attempts = attempts.iter().zip(suspected);
    let mut cases = Vec::new();
    for planned in &suite.cases {
        let (attempted, suspected) = match planned.chosen.then(|| attempts.next()).flatten() {
            Some((attempted, suspected)) => (attempted.as_slice(), *suspected),
            None => (&[][..], false),
        };
        let reproduce = reproduce(&request.config, request.run.mode, &settings.id, &planned.case.id);
        let mut case = aggregate::case_result(planned, attempted, settings.policy.pass_share, reproduce);
        case.flaky = suspected && case.attempts.iter().any(|one| one.status == Status::Passed);
        cases.push(case);
    }
    let carried = request
        .reference
        .as_ref()
        .filter(|_| !suite.affected)
        .and_then(|reference| reference.baseline.suites.get(&settings.id));
    let (metrics, slices) = match carried {
        Some(carried) => carried.carried(),
        None => (aggregate::metrics(settings.kind, &cases), aggregate::slices(settings.kind, &cases)),
    };
    let mut result = SuiteResult {
        id: settings.id.clone(),
        kind: settings.kind,
        status: Status::Unmeasured,
        replayed: settings.source == settings::Source::Recordings,
        from_cache: asked.attempts.iter().flatten().map(|attempt| attempt.from_cache).sum(),
        varies: settings.varies,
        affected: suite.affected,
        model: settings.target.model().map(str::to_owned),
        policy: settings.policy.clone(),
        metrics,
        slices,
        detail: None,
        cases,
    };
    result.detail = result.kind.summarise(&result.views(), *took);
    result
}

/// One command line that runs a case alone.
pub(crate) fn reproduce(config: &str, mode: Mode, suite: &SuiteId, case: &CaseId) -> String {
    let mut line = String::from("evalratchet run");
    if config != settings::CONFIG_NAME {
        line.push_str(&crate::text::flag("config", config));
    }
    match mode {
        Mode::Auto | Mode::Record => {}
        Mode::Live => line.push_str(" --mode live"),
        Mode::Replay => line.push_str(" --mode replay"),
    }
    line.push_str(&crate::text::flag("suite", suite.as_str()));
    line.push_str(&crate::text::flag("case", case.as_str()));
    line
}
