//! `report`: renders any format again from results.

use std::path::PathBuf;

use clap::Args;

use super::{Failure, console, results_file};
use crate::input::write_atomically;
use crate::model::ExitCode;
use crate::report::Format;

/// Flags of `report`.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The results, a file or the directory of a run
    #[arg(long, value_name = "FILE|DIR", default_value = "evalratchet-out")]
    from: PathBuf,
    /// Which format
    #[arg(long, value_enum)]
    format: Format,
    /// How many bytes a comment or a summary may have [default: 65000, or 1000000]
    #[arg(long, value_name = "BYTES")]
    budget: Option<usize>,
    /// Write it into this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    let results = results_file::read(&args.from)?;
    let text = args.format.render(&results, args.budget).map_err(Failure::Usage)?;
    match &args.out {
        Some(path) => write_atomically(path, text.as_bytes())
            .map_err(|error| Failure::Write { path: path.display().to_string(), error })?,
        None => console::print(&text),
    }
    Ok(ExitCode::Passed)
}
