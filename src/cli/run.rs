//! `run`: the flow up to the reports.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and the clock")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::affected::leave_out_unaffected;
use super::arguments::at_least_one;
use super::reference::{BaselineArgs, Located, branches};
use super::{
    ConfigArgs, Failure, LaneArg, SelectionArgs, config_path, console, found_config, imports, load_settings, main_keys,
    mistakes,
};
use crate::ci::CiContext;
use crate::execute::Progress;
use crate::input::{Found, InputErrors, write_atomically};
use crate::model::{ExitCode, Fingerprint, Mode, Rule, Shard};
use crate::plan::{PlannedSuite, Selection, plan};
use crate::process::{Stop, leftovers, stop_on_signals};
use crate::recordings::Recordings;
use crate::replay::{check_recordings, read_recordings};
use crate::report::{self, ReportFormat};
use crate::repository::Checkout;
use crate::results::{Reason, Results, RunInfo};
use crate::settings::{CONFIG_NAME, Config, Overrides, Settings, parse_duration};
use crate::suites::{Kind, RunServices, Suite};
use crate::targets::{Cache, Recorder};
use crate::text::{counted, sha256};

/// Flags of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Also gate these files of other tools: promptfoo, DeepEval, inspect, JUnit, JSON lines; needs no configuration
    #[arg(long = "import", value_name = "FILE", num_args = 1..)]
    imports: Vec<PathBuf>,
    /// Take answers of models in imported files for exact: a single case that flips fails
    #[arg(long, requires = "imports")]
    exact: bool,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Run part I of N, counted from 1
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Number of results to score for retrieval cases that don't set their own `k`
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    k: Option<usize>,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// Run only suites whose `paths` differ from what HEAD and this branch have in common
    #[arg(long, value_name = "REF")]
    changed_since: Option<String>,
    /// Ask what seems to have regressed N times more before judging
    #[arg(long, value_name = "N", default_value_t = 0)]
    retry_suspects: usize,
    /// Where answers come from [default: auto, or live with RUN_LIVE=true]
    #[arg(long, value_enum)]
    mode: Option<Mode>,
    /// Ask models again, even what an earlier run has asked
    #[arg(long)]
    no_cache: bool,
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
    /// Whether the built-in cases run where there is no configuration.
    #[arg(skip)]
    or_builtin: bool,
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    out: PathBuf,
    /// What is printed on standard output
    #[arg(long, value_enum, default_value_t = StdoutFormat::Table)]
    format: StdoutFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum StdoutFormat {
    /// Tables for people
    Table,
    /// The results file
    Json,
}

impl RunArgs {
    /// What `eval-code` asks for. Without a configuration it runs the cases that are in the binary.
    pub(super) fn only_code(&mut self) {
        self.only_retrieval();
        self.selection.lane = LaneArg::Code;
    }

    /// What `eval-backend` asks for.
    pub(super) fn only_retrieval(&mut self) {
        self.selection.kinds = vec![Kind::Retrieval];
        self.or_builtin = true;
    }
}

/// The configuration of `eval-code` where there is none.
const BUILTIN: &str = "[[suite]]\nid = \"builtin\"\nkind = \"retrieval\"\nbuiltin-cases = true\n";

/// Runs, and leaves the mistakes where the results would be if there are any.
pub(super) fn run(args: RunArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let (out, config) = (args.out.clone(), args.config.clone());
    measure(args, ci).inspect_err(|failure| mistakes::leave(&out, &config, failure, ci))
}

fn measure(args: RunArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let mode = args.mode.unwrap_or_else(mode_of_environment);
    let overrides = Overrides { timeout: args.timeout, repeat: args.repeat, jobs: args.jobs, k: args.k, mode };
    let selection = args.selection.into_selection(args.shard);
    let imports = Imports { files: &args.imports, exact: args.exact, or_builtin: args.or_builtin };
    let (settings, suites) = load_for(&args.config, imports, &overrides, &selection)?;
    let known: Vec<&str> = settings.suites.iter().map(|suite| suite.id.as_str()).collect();
    selection.check(&known, &settings.config)?;
    // Before reports are removed, which someone may have committed.
    let checkout = Checkout::of(&settings.root, &settings.baseline.path);
    // From here on nothing that is in the directory may pass for what this run found.
    prepare(&args.out)?;
    remove_reports(&args.out)?;
    let checkout = checkout?;
    let located = args.baseline.locate(&settings, ci)?;
    let mut suites = plan(suites, &selection);
    if let Some(reference) = &args.changed_since {
        let compared = located.reference.as_ref();
        leave_out_unaffected(&settings, &mut suites, compared, &branches(ci), &args.out, reference);
    }
    main_keys::attach(&settings, &mut suites, &located, checkout.dirty, &overrides);
    let recordings = read_all_recordings(&suites, &settings.config)?;

    let overrides = [("--timeout", args.timeout.is_some()), ("--k", args.k.is_some())];
    let choices = Choices {
        checkout,
        overrides: overrides.iter().filter(|(_, given)| *given).map(|(flag, _)| (*flag).to_owned()).collect(),
        flags: format!("{:?} {:?} {:?} {:?}", args.repeat, args.k, args.changed_since, args.retry_suspects),
        strict: args.strict,
        seed: args.seed,
        keep: args.keep,
        cache: !args.no_cache,
        retry_suspects: args.retry_suspects,
    };
    let mut results = execute(settings, suites, recordings, located, &selection, choices, ci)?;
    // Suites that vary only because of the flag are no suites to bless.
    let varies_now = |reason: &Reason| reason.rule == Rule::WeakenedGate && reason.policy.as_deref() == Some("exact");
    if args.repeat.is_some() && results.gate.reasons.iter().any(varies_now) {
        results.run.overrides.push("--repeat".to_owned());
    }
    let written = write_results(&args.out, &results);
    print(&results, args.format)?;
    written?;
    if args.format == StdoutFormat::Table {
        if console::is_verbose() {
            console::print(&report::below_one(&results, console::style()));
        }
        console::print(&format!("{}\n", args.out.join("report.html").display()));
    }
    say_digest(&args.out, ci);
    Ok(exit_code(&results))
}

/// Says in the log of a job what the results are, so that `publish --digest` knows them from what somebody wrote over them.
fn say_digest(out: &Path, ci: &CiContext) {
    if ci.is_job()
        && let Ok(bytes) = std::fs::read(out.join("results.json"))
    {
        console::note(&format!("results.json has the SHA-256 {}", sha256(&bytes)));
    }
}

/// What else is run beside the suites of the configuration, or without one.
struct Imports<'a> {
    files: &'a [PathBuf],
    exact: bool,
    or_builtin: bool,
}

/// The suites of the configuration, and those that are imported; with these there need not be a configuration.
fn load_for(
    config: &ConfigArgs,
    Imports { files: imports, exact, or_builtin }: Imports<'_>,
    overrides: &Overrides,
    selection: &Selection,
) -> Result<(Settings, Vec<Suite>), Failure> {
    let (mut settings, errors) = match found_config(config)? {
        Some(path) => Settings::load(&path, overrides)?,
        None if or_builtin => {
            let (config, _) = Config::parse(Path::new(CONFIG_NAME), BUILTIN.to_owned())?;
            Settings::validate(&config, overrides)
        }
        None if !imports.is_empty() => (Settings::without_config(PathBuf::from("."), overrides), InputErrors::new()),
        None => Settings::load(&config_path(config)?, overrides)?,
    };
    let added = imports::add(&mut settings, imports)?;
    let (settings, mut suites, _) = load_settings((settings, errors), |suite| selection.may_choose(suite))?;
    imports::assume_variation(&mut suites, &added, exact);
    imports::name_commands(&mut suites, &added);
    for suite in suites.iter().filter(|suite| selection.may_choose(&suite.settings)) {
        console::notes(&suite.notes);
    }
    Ok((settings, suites))
}

fn as_json(results: &Results) -> Result<String, Failure> {
    report::json(results).map_err(|error| Failure::Usage(format!("the results cannot be written: {error}")))
}

/// Writes the results into a directory, in every format. Each is tried, whatever became of the others, and only the
/// results themselves are worth an exit code.
pub(super) fn write_results(out: &Path, results: &Results) -> Result<(), Failure> {
    let mut lost = Ok(());
    for format in ReportFormat::all().iter().filter(|format| format.is_written_by_run()) {
        let path = out.join(format.file_name());
        let written = match format.render(results, None) {
            Ok(text) => write_atomically(&path, text.as_bytes())
                .map_err(|error| Failure::Write { path: path.display().to_string(), error }),
            Err(why) => Err(Failure::Usage(format!("{} cannot be made: {why}", format.file_name()))),
        };
        match (format, written) {
            (_, Ok(())) => {}
            (ReportFormat::Json, Err(failure)) => lost = Err(failure),
            (_, Err(failure)) => console::error(&failure.to_string()),
        }
    }
    lost
}

/// Removes the reports of an earlier run, and nothing else that is in the directory.
pub(super) fn remove_reports(out: &Path) -> Result<(), Failure> {
    for format in ReportFormat::all().iter().filter(|format| format.is_written_by_run()) {
        let path = out.join(format.file_name());
        match (format, std::fs::remove_file(&path)) {
            (_, Ok(())) => {}
            (_, Err(error)) if error.kind() == std::io::ErrorKind::NotFound => {}
            (ReportFormat::Json, Err(error)) => return Err(Failure::Write { path: path.display().to_string(), error }),
            // Only the results are worth an exit code; that this one cannot be replaced is said when it is written.
            (_, Err(_)) => {}
        }
    }
    let path = out.join(mistakes::FILE);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Failure::Write { path: path.display().to_string(), error })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints the results as the user wants them.
pub(super) fn print(results: &Results, format: StdoutFormat) -> Result<(), Failure> {
    match format {
        StdoutFormat::Json => console::print(&as_json(results)?),
        StdoutFormat::Table => console::print(&report::terminal(results, console::style())),
    }
    Ok(())
}

/// `RUN_LIVE=true` asks for live answers.
fn mode_of_environment() -> Mode {
    match std::env::var("RUN_LIVE") {
        Ok(value) if value == "true" || value == "1" => Mode::Live,
        Ok(_) | Err(_) => Mode::Auto,
    }
}

/// What was recorded for each suite, or every answer that a replay would miss.
pub(super) fn read_all_recordings(suites: &[PlannedSuite], config: &str) -> Result<Vec<Recordings>, InputErrors> {
    let mut errors = InputErrors::new();
    let mut all = Vec::new();
    for suite in suites {
        match read_recordings(&suite.settings) {
            Ok(recordings) => {
                errors.extend(check_recordings(suite, &recordings, config));
                all.push(recordings);
            }
            Err(wrong) => errors.extend(wrong),
        }
    }
    errors.into_result().map(|()| all)
}

/// Says at once if the results could not be written later.
fn prepare(out: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(out).map_err(|error| Failure::Write { path: out.display().to_string(), error })
}

/// What the user chose beside the cases, and what is checked out.
#[derive(Debug, Clone)]
struct Choices {
    checkout: Checkout,
    /// The flags that all shards of a run must share.
    flags: String,
    /// The flags that make the suites other than the configuration says.
    overrides: Vec<String>,
    strict: bool,
    seed: u64,
    keep: bool,
    cache: bool,
    retry_suspects: usize,
}

impl Choices {
    /// A hash of the configuration and of the flags that change what is asked.
    fn hash(&self, config_hash: &str) -> String {
        Fingerprint::of(&serde_json::json!([config_hash, self.flags])).as_str().to_owned()
    }
}

/// Where dependencies of fixtures and answers of models are kept, for all runs of this user.
fn cache_directory() -> PathBuf {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("EVALRATCHET_CACHE")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("evalratchet")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/evalratchet")))
        .unwrap_or_else(|| std::env::temp_dir().join("evalratchet-cache"))
}

fn execute(
    settings: Settings,
    suites: Vec<PlannedSuite>,
    recordings: Vec<Recordings>,
    located: Located,
    selection: &Selection,
    choices: Choices,
    ci: &CiContext,
) -> Result<Results, Failure> {
    let began = Instant::now();
    let now = jiff::Timestamp::now();
    let environment: Vec<_> = std::env::vars_os().collect();
    let cache = Arc::new(Cache::new(choices.cache.then(|| cache_directory().join("answers"))));
    let files: Vec<_> =
        suites.iter().map(|suite| (suite.settings.id.clone(), suite.settings.recordings.clone())).collect();
    let attempts: usize = suites
        .iter()
        .map(|suite| suite.settings.repeat * suite.cases.iter().filter(|planned| planned.chosen).count())
        .sum();
    let Located { reference, mut circumstances, base_files: _ } = located;
    circumstances.strict = choices.strict;
    circumstances.shard = selection.shard.is_some();
    circumstances.filtered = selection.is_filter();
    let checkout = choices.checkout.clone();
    let run = RunInfo {
        id: format!("{}-{}", now.strftime("%Y%m%dT%H%M%S%3f"), std::process::id()),
        started_at: jiff::fmt::temporal::DateTimePrinter::new().precision(Some(3)).timestamp_to_string(&now),
        duration_ms: 0.0,
        commit: checkout.commit,
        branch: checkout.branch,
        url: ci.run_url.clone(),
        config: Path::new(&settings.config).file_name().unwrap_or_default().to_string_lossy().into_owned(),
        prefix: checkout.prefix,
        known_failures: settings.known_failures,
        dirty: checkout.dirty,
        mode: settings.mode,
        shard: selection.shard,
        seed: choices.seed,
        partial: selection.is_partial(),
        filtered: selection.is_filter(),
        attempt: ci.attempt,
        config_hash: choices.hash(&settings.config_hash),
        overrides: choices.overrides,
        window: settings.window,
        cases_hash: cases_hash(&suites),
    };
    let request = crate::run::RunRequest {
        suites,
        recordings,
        cache: Arc::clone(&cache),
        reference,
        circumstances,
        retry_suspects: choices.retry_suspects,
        run,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        services: Arc::new(RunServices::new(&cache_directory(), &environment, choices.keep)),
        environment,
        config: settings.config,
    };
    console::redact_log(crate::run::redactor(&request));
    leftovers::adopt();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("no runtime: {error}")))?;
    let crate::run::RunOutcome { results, recorded } = runtime.block_on(async {
        let (switch, stop) = Stop::new();
        stop_on_signals(switch);
        let is_watched = console::stderr_is_terminal() && !ci.unattended;
        let progress = if is_watched { Progress::bar(attempts) } else { Progress::lines(attempts) };
        crate::run::run(request, &progress, &stop, || began.elapsed()).await
    });
    // A request to a service that does not answer cannot be taken back, but nobody waits for it any more.
    runtime.shutdown_background();
    match leftovers::end_all() {
        0 => {}
        count => console::note(&format!(
            "{} outlived the run and were ended",
            counted(count, "process").replace("processs", "processes")
        )),
    }
    for (suite, recorder) in recorded {
        let file = files.iter().find(|(id, _)| *id == suite).and_then(|(_, file)| file.as_ref());
        if let Some(file) = file {
            write_recordings(file, &recorder)?;
        }
    }
    let (hits, misses) = cache.counts();
    if hits + misses > 0 {
        console::note(&format!("cache: {hits} answers known from earlier runs, {misses} asked for"));
    }
    Ok(results)
}

/// Writes what was recorded, and says what was not. Without a new answer the file stays as it is.
fn write_recordings(file: &Found, recorder: &Recorder) -> Result<(), Failure> {
    let Recorder { recordings, recorded, without_answer, why, .. } = recorder;
    let because = why.as_deref().and_then(|why| why.lines().next()).map(|why| format!(": {why}")).unwrap_or_default();
    let lost = format!("{} had no answer{because}", counted(*without_answer, "question"));
    if *recorded == 0 {
        if *without_answer > 0 {
            console::note(&format!("nothing was recorded in {}; {lost}", file.shown));
        }
        return Ok(());
    }
    let text =
        recordings.render().map_err(|error| Failure::Usage(format!("{} cannot be written: {error}", file.shown)))?;
    write_atomically(&file.path, text.as_bytes())
        .map_err(|error| Failure::Write { path: file.shown.clone(), error })?;
    let lost = if *without_answer > 0 { format!("; not recorded: {lost}") } else { String::new() };
    console::note(&format!("recorded: {} in {}{lost}", counted(*recorded, "answer"), file.shown));
    Ok(())
}

/// A hash of every declared case and of what was chosen, the same in all shards.
fn cases_hash(suites: &[PlannedSuite]) -> String {
    let all: Vec<_> =
        suites.iter().map(|suite| serde_json::json!([suite.settings.id, suite.digest, suite.affected])).collect();
    Fingerprint::of(&all.into()).as_str().to_owned()
}

pub(super) fn exit_code(results: &Results) -> ExitCode {
    use crate::results::Verdict;
    match results.gate.verdict {
        Verdict::Passed | Verdict::NotJudged | Verdict::NoBaseline => ExitCode::Passed,
        Verdict::Failed => ExitCode::GateFailed,
        Verdict::NothingMeasured | Verdict::NoCommonCase => ExitCode::NothingMeasured,
        Verdict::Broken => ExitCode::Broken,
        Verdict::Interrupted => ExitCode::Interrupted,
    }
}
