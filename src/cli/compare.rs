//! `compare`: two files of results, judged as the gate judges.
#![expect(clippy::disallowed_methods, reason = "edge: the clock")]

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::imports::{ComparedSide, read_side};
use super::reference::{info, today};
use super::{Failure, console};
use crate::baseline::from_results;
use crate::conclude::{Reference, conclude};
use crate::gate;
use crate::model::{ExitCode, Mode, SuiteId, Trend};
use crate::report::{self, ReportFormat};
use crate::results::{Gate, KnownFailures, RESULTS_SCHEMA, Results, RunInfo, SuiteResult, Tool, USUAL_WINDOW, Verdict};

/// Flags of `compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The results before: of a run (a file or its directory), or a file of promptfoo, DeepEval, inspect, JUnit or JSON lines
    before: PathBuf,
    /// The results after, in any of these formats
    after: PathBuf,
    /// Take answers of models for exact: a single case that flips fails
    #[arg(long)]
    exact: bool,
    /// Of results with several suites, the one to compare with a file of another tool
    #[arg(long, value_name = "ID")]
    suite: Option<String>,
    /// Fail when a case could not be measured
    #[arg(long)]
    strict: bool,
    /// What is printed on standard output
    #[arg(long, value_enum, default_value_t = CompareFormat::Table)]
    format: CompareFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// Tables for people
    Table,
    /// The comment of a pull request
    Markdown,
    /// The page
    Html,
    /// The results file
    Json,
}

pub(super) fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let (before, after) = (read_side(&args.before, args.exact)?, read_side(&args.after, args.exact)?);
    let (mut before, mut after) = sides(args, before, after)?;
    for (place, results) in [(&args.before, &before), (&args.after, &after)] {
        if let Some(shard) = results.run.shard {
            let place = place.display();
            return Err(Failure::Usage(format!("{place}: is shard {shard}; merge the shards of a run first")));
        }
    }
    if let Some(suite) = before.suites.iter().find(|suite| !suite.affected) {
        let place = args.before.display();
        return Err(Failure::Usage(format!("{place}: `{}` was not run there (not affected)", suite.id)));
    }
    if args.exact {
        before.suites.iter_mut().chain(&mut after.suites).for_each(|suite| suite.varies = false);
    }
    let baseline = from_results(&before);
    let info = info(&baseline, args.before.display().to_string(), None);
    let circumstances = gate::GateContext {
        strict: args.strict,
        filtered: after.run.filtered,
        today: today(),
        ..gate::GateContext::default()
    };
    let reference = Reference { baseline, info, trend: Trend::new() };
    let results = conclude(after.suites, after.run, Some(&reference), &circumstances);
    print(&results, args.format)?;
    Ok(super::run::exit_code(&results))
}

/// Both sides as results. A file of another tool is one suite, and is compared with the one suite of the other side.
fn sides(args: &CompareArgs, before: ComparedSide, after: ComparedSide) -> Result<(Results, Results), Failure> {
    let only = |mut results: Box<Results>, place: &Path| -> Result<Results, Failure> {
        let chosen = |suite: &SuiteResult| args.suite.as_ref().is_none_or(|id| suite.id.as_str() == id);
        let known: Vec<String> = results.suites.iter().map(|suite| suite.id.to_string()).collect();
        results.suites.retain(chosen);
        match results.suites.len() {
            1 => Ok(*results),
            _ => Err(Failure::Usage(format!(
                "{}: one suite is compared with a file of another tool\n  = choose it with --suite: {}",
                place.display(),
                known.join(", ")
            ))),
        }
    };
    Ok(match (before, after) {
        (ComparedSide::Results(before), ComparedSide::Results(after)) => (*before, *after),
        (ComparedSide::Results(before), ComparedSide::Imported(after)) => {
            let before = only(before, &args.before)?;
            let id = before.suites.first().map(|suite| suite.id.clone());
            (before, alone(*after, id))
        }
        (ComparedSide::Imported(before), ComparedSide::Results(after)) => {
            let after = only(after, &args.after)?;
            let id = after.suites.first().map(|suite| suite.id.clone());
            (alone(*before, id), after)
        }
        (ComparedSide::Imported(before), ComparedSide::Imported(after)) => {
            let id = after.id.clone();
            (alone(*before, Some(id.clone())), alone(*after, Some(id)))
        }
    })
}

/// A suite of another tool as the results of a run.
fn alone(mut suite: SuiteResult, id: Option<SuiteId>) -> Results {
    if let Some(id) = id {
        suite.id = id;
    }
    let now = jiff::Timestamp::now();
    let run = RunInfo {
        id: now.strftime("%Y%m%dT%H%M%S%3f").to_string(),
        started_at: jiff::fmt::temporal::DateTimePrinter::new().precision(Some(3)).timestamp_to_string(&now),
        duration_ms: 0.0,
        commit: None,
        branch: None,
        mode: Mode::Auto,
        shard: None,
        seed: 0,
        partial: false,
        filtered: false,
        attempt: 1,
        url: None,
        config: crate::settings::CONFIG_NAME.to_owned(),
        prefix: String::new(),
        known_failures: KnownFailures::Show,
        dirty: false,
        overrides: Vec::new(),
        config_hash: String::new(),
        cases_hash: String::new(),
        window: USUAL_WINDOW,
    };
    let tool = Tool { name: "evalratchet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let gate = Gate { verdict: Verdict::NotJudged, exit_code: 0, reasons: Vec::new() };
    Results { schema: RESULTS_SCHEMA.to_owned(), tool, run, suites: vec![suite], comparison: None, gate }
}

fn print(results: &Results, format: CompareFormat) -> Result<(), Failure> {
    let rendered = |format: ReportFormat| {
        format.render(results, None).map_err(|error| Failure::Usage(format!("the results cannot be written: {error}")))
    };
    console::print(&match format {
        CompareFormat::Table => report::terminal(results, console::style()),
        CompareFormat::Markdown => rendered(ReportFormat::Comment)?,
        CompareFormat::Html => rendered(ReportFormat::Html)?,
        CompareFormat::Json => rendered(ReportFormat::Json)?,
    });
    Ok(())
}
