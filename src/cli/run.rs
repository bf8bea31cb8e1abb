//! `run`: the flow up to the reports.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and the clock")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::{ConfigArgs, Failure, LaneArg, SelectionArgs, console, load};
use crate::execute::{Progress, Stage, Stop, stop_on_signals};
use crate::input::write_atomically;
use crate::model::{ExitCode, Kind, Results, Shard};
use crate::plan::{Selection, plan};
use crate::report;
use crate::repository::Checkout;
use crate::settings::{Overrides, Settings, parse_duration};
use crate::suites::Suite;

/// Flags of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Run part I of N, counted from 1
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Of retrieval cases that do not say it themselves: how many results are looked at
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    k: Option<usize>,
    /// Ask each case N times
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    repeat: Option<usize>,
    /// Ask for at most N answers at the same time
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    jobs: Option<usize>,
    /// How long one answer may take, such as 30s
    #[arg(long, value_name = "D", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// Fail when a case could not be measured
    #[arg(long)]
    strict: bool,
    /// Keep the working copies of scenarios and say where they are
    #[arg(long)]
    keep: bool,
    /// The seed of everything that is drawn at random
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    out: PathBuf,
    /// What is printed on standard output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Table,
    /// The results file
    Json,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a whole number from 1".into()),
        Ok(number) => Ok(number),
    }
}

impl RunArgs {
    /// What `eval-code` asks for.
    pub(super) fn only_code(&mut self) {
        self.selection.kinds = vec![Kind::Retrieval];
        self.selection.lane = LaneArg::Code;
    }
}

pub(super) fn run(args: RunArgs) -> Result<ExitCode, Failure> {
    let overrides = Overrides { timeout: args.timeout, repeat: args.repeat, jobs: args.jobs, k: args.k };
    let (settings, suites, _) = load(&args.config, &overrides)?;
    let selection = args.selection.into_selection(args.shard);
    let known: Vec<&str> = settings.suites.iter().map(|suite| suite.id.as_str()).collect();
    selection.check(&known, &settings.config)?;
    prepare(&args.out)?;

    let results =
        execute(settings, suites, &selection, Choices { strict: args.strict, seed: args.seed, keep: args.keep })?;
    let text =
        report::json(&results).map_err(|error| Failure::Usage(format!("the results cannot be written: {error}")))?;
    let path = args.out.join("results.json");
    write_atomically(&path, text.as_bytes())
        .map_err(|error| Failure::Write { path: path.display().to_string(), error })?;

    match args.format {
        Format::Json => console::print(&text),
        Format::Table => {
            console::print(&report::terminal(&results, console::style()));
            console::print(&format!("{}\n", path.display()));
        }
    }
    Ok(exit_code(&results))
}

/// Says at once if the results could not be written later.
fn prepare(out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(|error| Failure::Write { path: out.display().to_string(), error })
}

/// What the user chose beside the cases.
#[derive(Debug, Clone, Copy)]
struct Choices {
    strict: bool,
    seed: u64,
    keep: bool,
}

/// Where dependencies of fixtures are installed, for all runs of this user.
fn install_cache() -> PathBuf {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("EVALRATCHET_CACHE")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("evalratchet")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/evalratchet")))
        .unwrap_or_else(|| std::env::temp_dir().join("evalratchet-cache"))
        .join("install")
}

fn execute(
    settings: Settings,
    suites: Vec<Suite>,
    selection: &Selection,
    choices: Choices,
) -> Result<Results, Failure> {
    let began = Instant::now();
    let now = jiff::Timestamp::now();
    let environment: Vec<_> = std::env::vars_os().collect();
    let suites = plan(suites, selection);
    let attempts: usize = suites
        .iter()
        .map(|suite| suite.settings.repeat * suite.cases.iter().filter(|planned| planned.chosen).count())
        .sum();
    let request = crate::Request {
        suites,
        partial: selection.is_partial(),
        shard: selection.shard,
        strict: choices.strict,
        seed: choices.seed,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        stage: Arc::new(Stage::new(install_cache(), environment.clone(), choices.keep)),
        environment,
        started_at: jiff::fmt::temporal::DateTimePrinter::new().precision(Some(3)).timestamp_to_string(&now),
        id: format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3f"), std::process::id()),
        checkout: Checkout::of(&settings.root),
        config: settings.config,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("no runtime: {error}")))?;
    let results = runtime.block_on(async {
        let (switch, stop) = Stop::new();
        stop_on_signals(switch);
        let progress = if console::stderr_is_watched() { Progress::bar(attempts) } else { Progress::lines(attempts) };
        Ok(crate::run(request, &progress, &stop, || began.elapsed()).await)
    });
    // A request to a service that does not answer cannot be taken back, but nobody waits for it any more.
    runtime.shutdown_background();
    results
}

fn exit_code(results: &Results) -> ExitCode {
    use crate::model::Verdict;
    match results.gate.verdict {
        Verdict::Passed | Verdict::NotJudged => ExitCode::Passed,
        Verdict::Failed => ExitCode::GateFailed,
        Verdict::NothingMeasured => ExitCode::NothingMeasured,
        Verdict::Broken => ExitCode::Broken,
        Verdict::Interrupted => ExitCode::Interrupted,
    }
}
