//! `check`: load everything, report every mistake, run nothing.

use clap::Args;

use super::run::read_all_recordings;
use super::{ConfigArgs, Failure, console, load};
use crate::model::ExitCode;
use crate::plan::{Selection, plan};
use crate::settings::Overrides;
use crate::text::{counted, plain};

/// Flags of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    config: ConfigArgs,
}

pub(super) fn check(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let (settings, suites, warnings) = load(&args.config, &Overrides::default(), |_| true)?;
    warnings.into_result()?;
    let planned = plan(suites.clone(), &Selection::default());
    read_all_recordings(&planned, &settings.config)?;
    for case in suites.iter().flat_map(|suite| &suite.cases) {
        for note in case.question.contradictions() {
            let line = format!("note: {}:{}: {}: {note}", case.location.file, case.location.line, case.id.as_str());
            console::print(&format!("{}\n", plain(&line)));
        }
    }
    let cases: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    let (suites, cases) = (counted(suites.len(), "suite"), counted(cases, "case"));
    console::print(&format!("{}: {suites}, {cases}, no mistake\n", settings.config));
    Ok(ExitCode::Passed)
}
