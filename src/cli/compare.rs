//! `compare`: two results files, judged as the gate judges.

use std::path::PathBuf;

use clap::Args;

use super::reference::{info, today};
use super::{Failure, results_file};
use crate::baseline::from_results;
use crate::conclude::{Reference, conclude};
use crate::gate;
use crate::model::{ExitCode, Trend};

/// Flags of `compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The results before, a file or the directory of a run
    before: PathBuf,
    /// The results after
    after: PathBuf,
    /// Fail when a case could not be measured
    #[arg(long)]
    strict: bool,
    /// What is printed on standard output
    #[arg(long, value_enum, default_value_t = super::run::StdoutFormat::Table)]
    format: super::run::StdoutFormat,
}

pub(super) fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let (before, after) = (results_file::read(&args.before)?, results_file::read(&args.after)?);
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
    super::run::print(&results, args.format)?;
    Ok(super::run::exit_code(&results))
}
