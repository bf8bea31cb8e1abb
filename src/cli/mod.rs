//! The command line: one file per verb.
#![expect(clippy::disallowed_methods, reason = "edge: the environment, the clock and the standard streams")]

mod affected;
mod arguments;
mod baseline;
mod check;
mod compare;
mod completions;
mod console;
mod danger;
mod diff;
mod doctor;
mod equiv;
mod golden;
mod imports;
mod init;
mod list;
mod main_keys;
mod merge;
mod mistakes;
mod publish;
mod reference;
mod release;
mod remote;
mod report;
mod resolve;
mod results_file;
mod run;
mod schema;
mod trec;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::baseline::LookupError;
use crate::ci::{self, EventError};
use crate::input::{InputError, InputErrors, TrackedFiles};
use crate::model::{ExitCode, Lane, Slice};
use crate::plan::Selection;
use crate::repository::{Git, GitError};
use crate::settings::{Overrides, Settings, find_config, no_config};
use crate::suites::Kind;
use crate::suites::{self, Suite, SuiteSettings};

/// Runs every evaluation of a repository and says whether it is good enough.
#[derive(Debug, Parser)]
#[command(name = "evalratchet", version, arg_required_else_help = true)]
struct Cli {
    /// Say more on standard error; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write a first configuration for what is found here, with samples and workflows
    Init(init::InitArgs),
    /// Run the suites and judge what they measured
    Run(run::RunArgs),
    /// Shortcut for run --kind retrieval --lane code
    EvalCode(run::RunArgs),
    /// Shortcut for run --kind retrieval
    #[command(hide = true)]
    EvalBackend(run::RunArgs),
    /// Compare two results files as the gate does
    Compare(compare::CompareArgs),
    /// Join the shards of a run and judge the whole
    Merge(merge::MergeArgs),
    /// Render a format again from the results of a run, or report on a release
    Report(report::ReportArgs),
    /// Tell GitHub what a run found: comment, check run, annotations, summary, outputs
    Publish(publish::PublishArgs),
    /// The baseline on main
    #[command(subcommand)]
    Baseline(baseline::BaselineVerb),
    /// Load everything and report every mistake; run nothing
    Check(check::CheckArgs),
    /// Explain the environment: event, baseline, tools, and what the token may do
    Doctor(doctor::DoctorArgs),
    /// List suites and cases with file and line
    List(list::ListArgs),
    /// Print the JSON Schemas of all formats
    Schema(schema::SchemaArgs),
    /// Reviewed answers of golden suites
    #[command(subcommand)]
    Golden(golden::GoldenVerb),
    /// Say whether two commands mean the same
    Equiv(equiv::EquivArgs),
    /// Say how dangerous a command is, and why; it is not run
    Danger(danger::DangerArgs),
    /// Print trec_eval's measures of a run
    Trec(trec::TrecArgs),
    /// Print the diff of two files as `expectedDiff` wants it
    Diff(diff::DiffArgs),
    /// Print a script that completes commands in a shell
    Completions(completions::CompletionsArgs),
}

/// Where the configuration is.
#[derive(Debug, Clone, Args)]
struct ConfigArgs {
    /// The configuration [default: the nearest evalratchet.toml upwards]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Which cases are meant.
#[derive(Debug, Args)]
struct SelectionArgs {
    /// Only these suites
    #[arg(long = "suite", alias = "module", value_name = "ID", num_args = 1..)]
    suites: Vec<String>,
    /// Only suites of these kinds
    #[arg(long = "kind", value_name = "KIND", num_args = 1..)]
    kinds: Vec<Kind>,
    /// Only cases whose suite/id contains TEXT; =ID for exactly one id
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Only the case of exactly this id
    #[arg(long, value_name = "ID", conflicts_with = "filter")]
    case: Option<String>,
    /// Of retrieval cases, only those of this lane
    #[arg(long, value_enum, default_value_t = LaneArg::Both)]
    lane: LaneArg,
    /// Only cases with this tag
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LaneArg {
    /// What a team remembers
    Memory,
    /// Source code
    Code,
    /// Everything
    Both,
}

impl SelectionArgs {
    fn into_selection(self, shard: Option<crate::model::Shard>) -> Selection {
        let Self { suites, kinds, filter, case, lane, tags } = self;
        let slice = match lane {
            LaneArg::Memory => Some(Slice::new("lane", Lane::Memory.name())),
            LaneArg::Code => Some(Slice::new("lane", Lane::Code.name())),
            LaneArg::Both => None,
        };
        let filter = filter.or(case.map(|id| format!("={id}")));
        Selection { suites, kinds, filter, tags, slice, shard }
    }
}

/// What stops a verb before it can give an answer of its own. All of it exits 2.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{0}")]
    InputErrors(#[from] InputErrors),
    #[error("cannot write {path}: {error}")]
    Write { path: String, error: std::io::Error },
    #[error("{0}")]
    Git(#[from] GitError),
    #[error("{0}")]
    Event(#[from] EventError),
    #[error("{0}")]
    Usage(String),
}

impl<E: std::error::Error> From<LookupError<E>> for Failure
where
    Self: From<E>,
{
    fn from(error: LookupError<E>) -> Self {
        match error {
            LookupError::History(error) => error.into(),
            LookupError::Invalid(errors) => errors.into(),
        }
    }
}

impl From<InputError> for Failure {
    fn from(mistake: InputError) -> Self {
        Self::InputErrors(mistake.into())
    }
}

/// The program: parses the arguments, runs the verb, and turns whatever happens into an exit code.
pub fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    log_to_stderr(cli.verbose);
    console::set_verbose(cli.verbose > 0);
    let done = std::panic::catch_unwind(|| match cli.verb {
        Verb::Init(args) => init::init(&args),
        Verb::Run(args) => run::run(args, &ci::context()),
        Verb::EvalCode(mut args) => {
            args.only_code();
            run::run(args, &ci::context())
        }
        Verb::EvalBackend(mut args) => {
            args.only_retrieval();
            run::run(args, &ci::context())
        }
        Verb::Compare(args) => compare::compare(&args),
        Verb::Merge(args) => merge::merge_shards(&args, &ci::context()),
        Verb::Report(args) => report::report(&args, &ci::context()),
        Verb::Publish(args) => publish::publish(&args, &ci::context()),
        Verb::Baseline(verb) => baseline::baseline(verb, &ci::context()),
        Verb::Check(args) => check::check(&args),
        Verb::Doctor(args) => doctor::doctor(&args, &ci::context()),
        Verb::List(args) => list::list(args),
        Verb::Schema(args) => schema::schema(&args),
        Verb::Golden(verb) => golden::golden(verb),
        Verb::Equiv(args) => equiv::equiv(&args),
        Verb::Danger(args) => danger::danger_of(&args),
        Verb::Diff(args) => diff::diff(&args),
        Verb::Trec(args) => trec::trec(&args),
        Verb::Completions(args) => completions::completions(&args),
    });
    let code = match done {
        Ok(Ok(ExitCode::Passed)) if console::output_was_lost() => ExitCode::Invalid,
        Ok(Ok(code)) => code,
        Ok(Err(failure)) => {
            console::error(&failure.to_string());
            ExitCode::Invalid
        }
        Err(_) => {
            console::error("this is a defect of evalratchet; please report it with the lines above");
            ExitCode::Broken
        }
    };
    code.code().into()
}

/// Runs what may have to wait for an answer.
fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("no runtime: {error}")))?;
    Ok(runtime.block_on(work))
}

fn log_to_stderr(verbose: u8) {
    use tracing_subscriber::filter::{LevelFilter, Targets};
    use tracing_subscriber::prelude::*;
    let level = match verbose {
        0 => LevelFilter::WARN,
        1 => LevelFilter::DEBUG,
        2.. => LevelFilter::TRACE,
    };
    let from_environment = std::env::var("EVALRATCHET_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let mut filter = from_environment.unwrap_or_else(|| Targets::new().with_target("evalratchet", level));
    // The parser of shell commands logs every word of an answer by itself, where no confided value is recognised.
    for target in ["arithmetic", "expansion", "parse", "tokenize"] {
        filter = filter.with_target(target, LevelFilter::OFF);
    }
    let layer = tracing_subscriber::fmt::layer().with_writer(|| console::LogWriter).with_ansi(false).without_time();
    tracing_subscriber::registry().with(layer).with(filter).init();
}

/// The configuration that is meant.
fn config_path(config: &ConfigArgs) -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().unwrap_or_default();
    found_config(config)?.ok_or_else(|| no_config(&here).into())
}

/// The configuration that is meant, if there is one.
fn found_config(config: &ConfigArgs) -> Result<Option<PathBuf>, Failure> {
    if let Some(path) = &config.config {
        return Ok(Some(path.clone()));
    }
    let here = std::env::current_dir().map_err(|error| Failure::Usage(format!("no current directory: {error}")))?;
    // Below the current directory a relative name is what people would write.
    let relative = |found: PathBuf| found.strip_prefix(&here).map(Path::to_owned).unwrap_or(found);
    Ok(find_config(&here, Path::is_file).map(relative))
}

/// The configuration alone, or every mistake in it. Where there is none, what `run --import` goes by.
fn settings(config: &ConfigArgs, overrides: &Overrides) -> Result<Settings, Failure> {
    let (settings, errors) = match found_config(config)? {
        Some(path) => Settings::load(&path, overrides)?,
        None => (Settings::without_config(PathBuf::from("."), overrides), InputErrors::new()),
    };
    errors.into_result()?;
    Ok(settings)
}

/// The configuration that is meant, with everything in it loaded, or every mistake in it. The last value is what
/// `check` reports and `run` lets fail. Results of other tools are only missed in suites that are `needed`.
fn load(
    config: &ConfigArgs,
    overrides: &Overrides,
    needed: impl Fn(&SuiteSettings) -> bool,
) -> Result<(Settings, Vec<Suite>, InputErrors), Failure> {
    load_settings(Settings::load(&config_path(config)?, overrides)?, needed)
}

/// The same of a configuration that is read already, together with the mistakes in it.
fn load_settings(
    (mut settings, mut errors): (Settings, InputErrors),
    needed: impl Fn(&SuiteSettings) -> bool,
) -> Result<(Settings, Vec<Suite>, InputErrors), Failure> {
    let tracked = match Git::open(&settings.root) {
        Ok(Some(git)) => git.tracked_files(),
        Ok(None) => Ok(TrackedFiles::default()),
        Err(error) => Err(error),
    };
    match tracked {
        Ok(tracked) => settings.suites.iter_mut().for_each(|suite| suite.set_tracked(&tracked)),
        // What compares asks git as well, and fails then.
        Err(error) => tracing::debug!("{error}"),
    }
    let (suites, warnings) = match suites::load(&settings.config, &settings.suites) {
        Ok(loaded) => loaded,
        Err(more) => {
            errors.extend(more);
            (Vec::new(), InputErrors::new())
        }
    };
    for suite in suites.iter().map(|suite| &suite.settings).filter(|suite| needed(suite)) {
        errors.extend(suite.unavailable.clone());
    }
    errors.into_result()?;
    Ok((settings, suites, warnings))
}
