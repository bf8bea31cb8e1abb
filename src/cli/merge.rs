//! `merge`: joins the shards of a run and judges the whole.

use std::path::PathBuf;

use clap::Args;

use super::reference::BaselineArgs;
use super::run::{StdoutFormat, exit_code, remove_reports, write_results};
use super::{ConfigArgs, Failure, Overrides, console, mistakes, results_file, settings};
use crate::ci::CiContext;
use crate::conclude::conclude;
use crate::merge::{ShardPart, merge};
use crate::model::ExitCode;

/// Flags of `merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
    /// The directories of all shards
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,
    /// Fail when a case could not be measured
    #[arg(long)]
    strict: bool,
    /// Where the results go
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    out: PathBuf,
    /// What is printed on standard output
    #[arg(long, value_enum, default_value_t = StdoutFormat::Table)]
    format: StdoutFormat,
}

/// Merges, and leaves the mistakes where the results would be if there are any.
pub(super) fn merge_shards(args: &MergeArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    merged(args, ci).inspect_err(|failure| mistakes::leave(&args.out, &args.config, failure, ci))
}

fn merged(args: &MergeArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    let mut parts = Vec::new();
    for place in &args.parts {
        parts.push(ShardPart { place: place.display().to_string(), results: results_file::read(place)? });
    }
    let (suites, run) = merge(parts).map_err(|wrong| {
        let listed: String = wrong.iter().map(|one| format!("\n  - {one}")).collect();
        Failure::Usage(format!("these are not the shards of one run:{listed}"))
    })?;
    let same = |part: &PathBuf| part.canonicalize().ok() == args.out.canonicalize().ok();
    if !args.parts.iter().any(same) {
        remove_reports(&args.out)?;
    }
    let mut located = args.baseline.locate(&settings, ci)?;
    located.circumstances.strict = args.strict;
    located.circumstances.filtered = run.filtered;
    let results = conclude(suites, run, located.reference.as_ref(), &located.circumstances);
    write_results(&args.out, &results)?;
    super::run::print(&results, args.format)?;
    if args.format == StdoutFormat::Table {
        console::print(&format!("{}\n", args.out.join("report.html").display()));
    }
    Ok(exit_code(&results))
}
