//! The flow from planned suites to judged results: asks the targets, scores what they answer, and concludes.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use crate::baseline::Baseline;
use crate::conclude::{Reference, conclude};
use crate::model::{Status, SuiteId, milliseconds};
use crate::plan::{PlannedSuite, reproduce};
use crate::process::Stop;
use crate::results::{Results, RunInfo, SuiteResult};
use crate::suites::{Attempted, Case, RunServices};
use crate::{aggregate, compare, execute, gate, recordings, settings, targets, text};

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
    /// What kinds keep for the whole run.
    pub services: Arc<RunServices>,
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
    stop: &Stop,
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
    run.duration_ms = milliseconds(elapsed());
    RunOutcome { results: conclude(suites, run, request.reference.as_ref(), &circumstances), recorded }
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
pub fn redactor(request: &RunRequest) -> text::Redactor {
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
fn chosen(suite: &PlannedSuite) -> Vec<Arc<Case>> {
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
        services: Arc::clone(&request.services),
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
    stop: &Stop,
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
        let again: Vec<Arc<Case>> = of_suspects.iter().map(|index| Arc::clone(&cases[*index])).collect();
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
