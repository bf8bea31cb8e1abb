//! `report`: renders any format again from results; `report release` is another file.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Failure, console, release, results_file};
use crate::ci::CiContext;
use crate::input::write_atomically;
use crate::model::ExitCode;
use crate::report::ReportFormat;

/// Verbs of `report`.
#[derive(Debug, Subcommand)]
enum ReportVerb {
    /// How quality changed between two tags
    Release(release::ReleaseArgs),
}

/// Flags of `report`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct ReportArgs {
    #[command(subcommand)]
    verb: Option<ReportVerb>,
    /// The results, a file or the directory of a run
    #[arg(long, value_name = "FILE|DIR", default_value = "evalratchet-out")]
    from: PathBuf,
    /// Which format
    #[arg(long, value_enum, required = true)]
    format: Option<ReportFormat>,
    /// How many bytes a comment or a summary may have [default: 63000, or 1000000]
    #[arg(long, value_name = "BYTES")]
    budget: Option<usize>,
    /// Write it into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn report(args: &ReportArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    if let Some(ReportVerb::Release(args)) = &args.verb {
        return release::report(args, ci);
    }
    // Without another verb it is required.
    let Some(format) = args.format else { return Err(Failure::Usage("--format is missing".to_owned())) };
    let results = results_file::read(&args.from)?;
    let text = format.render(&results, args.budget).map_err(|error| Failure::Usage(error.to_string()))?;
    match &args.out {
        Some(path) => write_atomically(path, text.as_bytes())
            .map_err(|error| Failure::Write { path: path.display().to_string(), error })?,
        None => console::print(&text),
    }
    Ok(ExitCode::Passed)
}
