//! Runs every evaluation of a repository, and says what is good enough.
//!
//! ```text
//! load → plan → execute → score → aggregate → compare → gate → report
//! ```
//!
//! [`run`] is that flow. Four kinds of suite come in at `load`; from `score` on there is one result model,
//! [`model::Results`], and everything after it is the same for all kinds.

pub mod aggregate;
pub mod cli;
pub mod execute;
pub mod gate;
pub mod input;
pub mod model;
pub mod plan;
pub mod recordings;
pub mod report;
pub mod repository;
pub mod settings;
pub mod stats;
pub mod suites;
pub mod targets;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use model::{CaseResult, Mode, RESULTS_SCHEMA, Results, RunInfo, Status, SuiteId, SuiteResult, Tool};
use plan::{Planned, PlannedSuite};

/// What a run needs to know that is not in the configuration. The clock, git and the environment are asked by the
/// caller, so that a run is a function of its arguments and of what the targets answer.
#[derive(Debug)]
pub struct Request {
    /// The configuration, settled.
    pub config: String,
    /// The planned suites.
    pub suites: Vec<PlannedSuite>,
    /// What was recorded for each of them.
    pub recordings: Vec<recordings::Recordings>,
    /// Where answers come from.
    pub mode: Mode,
    /// Answers of earlier runs.
    pub cache: Arc<targets::Cache>,
    /// Whether something was left out by a filter or a shard.
    pub partial: bool,
    /// Which part this is.
    pub shard: Option<model::Shard>,
    /// `--strict`
    pub strict: bool,
    /// The seed of everything that is drawn at random.
    pub seed: u64,
    /// How many processors there are.
    pub cores: usize,
    /// The whole environment; targets see little of it.
    pub environment: Vec<(OsString, OsString)>,
    /// Where scenarios are carried out.
    pub stage: Arc<execute::Stage>,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// A name for this run.
    pub id: String,
    /// What is checked out.
    pub checkout: repository::Checkout,
}

/// The flow from planned suites to judged results. `elapsed` is asked once, at the end.
pub async fn run(
    request: Request,
    progress: &execute::Progress,
    stop: &execute::Stop,
    elapsed: impl Fn() -> Duration,
) -> (Results, Vec<(SuiteId, recordings::Recordings)>) {
    let mut suites = Vec::new();
    let mut to_write = Vec::new();
    for (suite, recordings) in request.suites.iter().zip(&request.recordings) {
        let began = elapsed();
        let respondent =
            Arc::new(targets::Respondent::new(suite, recordings.clone(), &request.environment, &request.cache));
        let asked = ask_suite(&request, suite, &respondent, progress, stop).await;
        let result = suite_result(&request, suite, asked, elapsed().saturating_sub(began));
        suites.push((result, suite.settings.clone()));
        to_write.extend(respondent.to_write(suite).map(|recordings| (suite.settings.id.clone(), recordings)));
    }
    progress.end();

    // The comparison with the baseline has its place here.
    let circumstances = gate::Circumstances {
        strict: request.strict,
        shard: request.shard.is_some(),
        interrupted: stop.is_requested(),
    };
    let gate = gate::judge(&mut suites, circumstances);
    let results = Results {
        schema: RESULTS_SCHEMA.to_owned(),
        tool: Tool { name: "evalratchet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        run: RunInfo {
            id: request.id,
            started_at: request.started_at,
            duration_ms: aggregate::milliseconds(elapsed()),
            commit: request.checkout.commit,
            branch: request.checkout.branch,
            mode: request.mode,
            shard: request.shard,
            seed: request.seed,
            partial: request.partial || stop.is_requested(),
        },
        suites: suites.into_iter().map(|(suite, _)| suite).collect(),
        comparison: (),
        gate,
    };
    (results, to_write)
}

async fn ask_suite(
    request: &Request,
    suite: &PlannedSuite,
    respondent: &Arc<targets::Respondent>,
    progress: &execute::Progress,
    stop: &execute::Stop,
) -> Vec<Vec<execute::Attempted>> {
    let settings = &suite.settings;
    let retrieval = settings.kind == model::Kind::Retrieval;
    let engine = retrieval.then(|| targets::Engine::new(&settings.target, &request.environment));
    let default_jobs = match &engine {
        Some(Ok(engine)) => engine.default_jobs(request.cores),
        Some(Err(_)) => request.cores,
        None => respondent.default_jobs(request.cores),
    };
    let execution = execute::Execution {
        respondent: Arc::clone(respondent),
        engine: engine.map(Arc::new),
        stage: Arc::clone(&request.stage),
        repeat: settings.repeat,
        jobs: settings.jobs.unwrap_or(default_jobs),
    };
    let chosen: Vec<Arc<suites::Case>> =
        suite.cases.iter().filter(|planned| planned.chosen).map(|planned| Arc::new(planned.case.clone())).collect();
    execute::execute(&chosen, &execution, progress, stop).await
}

fn suite_result(
    request: &Request,
    suite: &PlannedSuite,
    asked: Vec<Vec<execute::Attempted>>,
    took: Duration,
) -> SuiteResult {
    let settings = &suite.settings;
    let mut attempts = asked.into_iter();
    let cases: Vec<CaseResult> = suite
        .cases
        .iter()
        .map(|planned| {
            let attempted = if planned.chosen { attempts.next().unwrap_or_default() } else { Vec::new() };
            let reproduce = reproduce(&request.config, request.mode, suite, planned);
            aggregate::case_result(planned, &attempted, settings.pass_share, reproduce)
        })
        .collect();
    SuiteResult {
        id: settings.id.clone(),
        kind: settings.kind,
        status: Status::Unmeasured,
        replayed: settings.source == settings::Source::Recordings,
        metrics: aggregate::metrics(settings.kind, &cases),
        slices: aggregate::slices(settings.kind, &cases),
        detail: suites::suite_detail(settings, &cases, took),
        cases,
    }
}

/// One command line that runs a case alone.
fn reproduce(config: &str, mode: Mode, suite: &PlannedSuite, planned: &Planned) -> String {
    let mut line = String::from("evalratchet run");
    if config != settings::CONFIG_NAME {
        line.push_str(&format!(" --config {}", report::shell_quoted(config)));
    }
    match mode {
        Mode::Auto | Mode::Record => {}
        Mode::Live => line.push_str(" --mode live"),
        Mode::Replay => line.push_str(" --mode replay"),
    }
    let (suite, case) = (suite.settings.id.as_str(), planned.case.id.as_str());
    line.push_str(&format!(" --suite {} --case {}", report::shell_quoted(suite), report::shell_quoted(case)));
    line
}
