//! `list`: suites and cases, with file and line.

use clap::Args;
use serde_json::json;

use super::{ConfigArgs, Failure, SelectionArgs, console, load};
use crate::model::{ExitCode, Slice};
use crate::plan::{Selection, plan};
use crate::settings::Overrides;
use crate::suites::{EditError, Kind, Suite};
use crate::text::{counted, plain};

/// Flags of `list`.
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
    /// Print the ids that the index of a retrieval suite holds
    #[arg(long, conflicts_with = "show_diff")]
    ids: bool,
    /// Print what the edit of each scenario really does, ready to be pasted as expectedDiff
    #[arg(long, conflicts_with = "json")]
    show_diff: bool,
}

pub(super) fn list(args: ListArgs) -> Result<ExitCode, Failure> {
    let (settings, suites, _) = load(&args.config, &Overrides::default(), |_| false)?;
    let selection = args.selection.into_selection(None);
    let known: Vec<&str> = settings.suites.iter().map(|suite| suite.id.as_str()).collect();
    selection.check(&known, &settings.config)?;
    let unavailable = suites.iter().map(|suite| &suite.settings).filter(|suite| !suite.unavailable.is_empty());
    for suite in unavailable.filter(|suite| selection.may_choose(suite)) {
        console::note(&format!("{} is not listed:\n{}\n", suite.id, suite.unavailable));
    }
    if args.ids {
        return list_ids(&suites, &selection, args.json);
    }
    let (mut listed, mut wrong) = (0, false);
    for suite in plan(suites, &selection) {
        let (id, kind) = (&suite.settings.id, suite.settings.kind);
        let chosen: Vec<_> = suite.cases.iter().filter(|planned| planned.chosen).map(|planned| &planned.case).collect();
        listed += chosen.len();
        if !args.json {
            console::print(&format!("{} ({kind}, {})\n", plain(id.as_str()), counted(chosen.len(), "case")));
        }
        for case in chosen {
            let (file, line) = (&case.location.file, case.location.line);
            console::print(&if args.json {
                let value =
                    json!({"suite": id, "kind": kind, "id": case.id, "file": file, "line": line, "tags": case.tags});
                format!("{value}\n")
            } else {
                format!("  {}  {file}:{line}\n", plain(case.id.as_str()))
            });
            if let Some(edits) = args.show_diff.then(|| case.question.edits()).flatten() {
                wrong |= !show_diffs(edits);
            }
        }
    }
    Ok(if wrong {
        ExitCode::Invalid
    } else if listed == 0 {
        ExitCode::NothingMeasured
    } else {
        ExitCode::Passed
    })
}

/// Prints what the indexes of the chosen suites hold, as far as they can tell.
fn list_ids(suites: &[Suite], selection: &Selection, as_json: bool) -> Result<ExitCode, Failure> {
    let mut listed = 0;
    for suite in suites.iter().map(|suite| &suite.settings).filter(|suite| selection.may_choose(suite)) {
        let Some(ids) = suite.target.properties().ids() else {
            if suite.kind == Kind::Retrieval {
                console::note(&format!("{}: its target cannot list what it holds", suite.id));
            }
            continue;
        };
        let ids = ids.map_err(Failure::Usage)?;
        let is_meant =
            |id: &str| selection.filter.as_ref().is_none_or(|filter| id.contains(filter.trim_start_matches('=')));
        for (lane, id) in ids.iter().filter(|(_, id)| is_meant(id)) {
            if selection.slice.as_ref().is_some_and(|slice| *slice != Slice::new("lane", lane.name())) {
                continue;
            }
            listed += 1;
            console::print(&if as_json {
                format!("{}\n", json!({"suite": suite.id, "lane": lane, "id": id}))
            } else {
                format!("{}\n", plain(id))
            });
        }
    }
    Ok(if listed == 0 { ExitCode::NothingMeasured } else { ExitCode::Passed })
}

/// Prints what an edit does to each file; `false` if that could not be found out.
fn show_diffs(edits: Result<Vec<(String, String)>, EditError>) -> bool {
    match edits {
        Ok(diffs) => {
            for (path, diff) in diffs {
                console::print(&format!("\n{}\n{}", plain(&path), plain(&diff)));
            }
            console::print("\n");
            true
        }
        Err(why) => {
            console::error(&why.to_string());
            false
        }
    }
}
