//! The flow from planned suites to judged results: asks the targets, scores what they answer, and concludes.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use crate::baseline::Baseline;
use crate::conclude::{Reference, conclude};
use crate::model::{AnswersFrom, CaseId, Fingerprint, Status, SuiteId, milliseconds};
use crate::plan::{MainKey, PlannedSuite, reproduce};
use crate::process::Stop;
use crate::results::{RecordedOf, Results, RunInfo, SuiteResult};
use crate::suites::{Attempted, RunServices};
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
    recorded_of: Option<RecordedOf>,
    /// Which of the attempts' cases were asked again because they seemed to have regressed.
    suspected: Vec<bool>,
    /// Which of them passed then, though only the first outcome counts.
    passed_again: Vec<bool>,
}

/// How many cases of a suite are asked once more, to see whether they are flaky.
const SECOND_TRIES: usize = 20;

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
        let (suspected, passed_again) = (vec![false; attempts.len()], vec![false; attempts.len()]);
        let took = elapsed().saturating_sub(began);
        let recorded_of = recorded_of(suite, recordings);
        asked.push(Asked { suite, source, attempts, took, recorded_of, suspected, passed_again });
    }
    let mut suites: Vec<SuiteResult> = asked.iter().map(|asked| suite_result(&request, asked)).collect();
    if let Some(reference) = &request.reference {
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
        subject: settings.subject.clone(),
        // Every case of a suite has the same.
        opinions: cases.first().map(|one| one.case.question.opinion_targets(settings)).unwrap_or_default(),
        environment: &request.environment,
        cache: &request.cache,
        redactor,
    })
}

/// Of which version of its target the recorded answers of a suite are; a model's request has the whole question.
fn recorded_of(suite: &PlannedSuite, recordings: &recordings::Recordings) -> Option<RecordedOf> {
    let settings = &suite.settings;
    let now = settings.subject.as_ref().filter(|_| settings.source == settings::Source::Recordings)?;
    let chosen: HashSet<&CaseId> =
        suite.cases.iter().filter(|planned| planned.chosen).map(|planned| &planned.case.id).collect();
    let of_cases = recordings.all().filter(|one| one.component.is_none() && chosen.contains(&one.case));
    let then: Vec<Option<&Fingerprint>> = of_cases.map(|one| one.subject.as_ref()).collect();
    Some(if then.iter().any(|then| then.is_some_and(|then| then != now)) {
        RecordedOf::Another
    } else if then.iter().any(Option::is_none) {
        RecordedOf::Unknown
    } else {
        RecordedOf::This
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
fn chosen(suite: &PlannedSuite) -> Vec<Arc<execute::ToAsk>> {
    let chosen = suite.cases.iter().filter(|planned| planned.chosen);
    chosen
        .map(|planned| {
            let by_main = match &planned.main_key {
                MainKey::Judges { question, .. } => Some(Arc::clone(question)),
                MainKey::Same | MainKey::Edited { .. } => None,
            };
            Arc::new(execute::ToAsk { case: planned.case.clone(), by_main })
        })
        .collect()
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

/// Asks what seems to have regressed again. Recordings would only say the same. With `--retry-suspects` the new attempts
/// count; without it the first outcome stands, and a second try only tells which cases are flaky.
async fn retry_suspects(
    request: &RunRequest,
    asked: &mut [Asked<'_>],
    suites: &[SuiteResult],
    baseline: &Baseline,
    progress: &execute::Progress,
    stop: &Stop,
) {
    for (asked, result) in asked.iter_mut().zip(suites) {
        let is_asked = matches!(asked.suite.settings.answers().answers, AnswersFrom::Target | AnswersFrom::Cases);
        let Some(before) = baseline.suites.get(&result.id).filter(|_| is_asked) else { continue };
        let varies = before.varies || asked.suite.settings.varies;
        let (tries, limit) = match request.retry_suspects {
            0 if varies => continue,
            0 => (1, SECOND_TRIES),
            tries => (tries, usize::MAX),
        };
        let suspects = compare::suspects(result, before);
        let cases = chosen(asked.suite);
        let of_suspects = cases.iter().enumerate().filter(|(_, asked)| suspects.contains(&asked.case.id));
        let of_suspects: Vec<usize> = of_suspects.map(|(index, _)| index).take(limit).collect();
        let again: Vec<Arc<execute::ToAsk>> = of_suspects.iter().map(|index| Arc::clone(&cases[*index])).collect();
        let first = asked.suite.settings.repeat;
        let attempts = first..first + tries;
        progress.more(again.len() * tries);
        let execution = execution(request, asked.suite, &asked.source, attempts);
        let more = execute::execute(&again, &execution, progress, stop).await;
        for (index, attempts) in of_suspects.into_iter().zip(more) {
            if request.retry_suspects > 0 {
                asked.attempts[index].extend(attempts);
                asked.suspected[index] = true;
            } else {
                asked.passed_again[index] = attempts.iter().any(|one| one.evaluation.status == Status::Passed);
            }
        }
    }
}

fn suite_result(request: &RunRequest, asked: &Asked<'_>) -> SuiteResult {
    let Asked { suite, attempts, took, suspected, passed_again, .. } = asked;
    let settings = &suite.settings;
    let mut attempts = attempts.iter().zip(suspected.iter().zip(passed_again));
    let mut cases = Vec::new();
    for planned in &suite.cases {
        let (attempted, suspected, passed_again) = match planned.chosen.then(|| attempts.next()).flatten() {
            Some((attempted, (suspected, passed_again))) => (attempted.as_slice(), *suspected, *passed_again),
            None => (&[][..], false, false),
        };
        let own = || reproduce(&request.config, request.run.mode, &settings.id, &planned.case.id);
        let reproduce = planned.case.question.reproduce().map_or_else(own, str::to_owned);
        let mut case = aggregate::case_result(planned, attempted, settings.policy.pass_share, reproduce);
        case.flaky = suspected && case.attempts.iter().any(|one| one.status == Status::Passed);
        case.passed_again = passed_again;
        cases.push(case);
    }
    let before = request.reference.as_ref().and_then(|reference| reference.baseline.suites.get(&settings.id));
    let mut result = SuiteResult {
        id: settings.id.clone(),
        kind: settings.kind,
        status: Status::Unmeasured,
        replayed: settings.source == settings::Source::Recordings,
        source: Some(settings.answers()),
        untracked: settings.untracked_cases().into_iter().map(str::to_owned).collect(),
        recorded_of: asked.recorded_of,
        from_cache: asked.attempts.iter().flatten().map(|attempt| attempt.from_cache).sum(),
        varies: settings.varies,
        affected: suite.affected,
        model: settings.target.model().map(str::to_owned),
        policy: settings.policy.clone(),
        metrics: BTreeMap::new(),
        slices: BTreeMap::new(),
        detail: None,
        cases,
    };
    let is_change = !request.circumstances.on_main || request.run.dirty;
    if let Some(before) = before.filter(|_| is_change) {
        compare::keep_slices(&mut result, before);
    }
    (result.metrics, result.slices) = match before.filter(|_| !suite.affected) {
        Some(carried) => carried.carried(),
        None => (aggregate::metrics(settings.kind, &result.cases), aggregate::slices(settings.kind, &result.cases)),
    };
    result.detail = result.kind.summarise(&result.views(), *took);
    result
}
