//! `check`: load everything, report every mistake, run nothing.

use clap::Args;

use super::run::read_all_recordings;
use super::{ConfigArgs, Failure, console, load};
use crate::input::{InputError, InputErrors, several_nearest};
use crate::model::ExitCode;
use crate::plan::{Selection, plan};
use crate::settings::Overrides;
use crate::suites::retrieval::CaseOrigin;
use crate::suites::{Question, Suite};
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
    for suite in &suites {
        console::notes(&suite.notes);
        console::notes(&unknown_ids(suite)?);
    }
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

/// Expected ids that the index of a suite does not hold, with those that come nearest.
fn unknown_ids(suite: &Suite) -> Result<InputErrors, Failure> {
    let mut notes = InputErrors::new();
    let Some(ids) = suite.settings.target.properties().ids() else { return Ok(notes) };
    let ids = ids.map_err(Failure::Usage)?;
    for case in &suite.cases {
        let Question::Retrieval(question) = &case.question else { continue };
        // The built-in cases are asked of a corpus of their own.
        if question.source == CaseOrigin::Builtin {
            continue;
        }
        let of_lane = || ids.iter().filter(|(lane, _)| *lane == question.lane).map(|(_, id)| id.as_str());
        for expected in question.wanted().into_iter().filter(|one| !of_lane().any(|id| one.is_hit_by(id))) {
            let place = format!("{}:{}", case.location.file, case.location.line);
            let note = InputError::in_file(
                place,
                format!("{} expects `{}`, which the index does not hold", case.id, expected.id),
            );
            let near: Vec<String> =
                several_nearest(&expected.id, of_lane(), 3).iter().map(|id| format!("`{id}`")).collect();
            notes.push(if near.is_empty() { note } else { note.with_help(format!("nearest: {}", near.join(", "))) });
        }
    }
    Ok(notes)
}
