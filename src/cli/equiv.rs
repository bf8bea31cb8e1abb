//! `equiv`: whether two commands mean the same, for authors of cases.
#![expect(clippy::disallowed_methods, reason = "edge: reads standard input and a directory of tables")]

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::{Failure, console};
use crate::input::Found;
use crate::model::ExitCode;
use crate::suites::command::equivalence::{Equivalence, Tables, compare, normal_text};
use crate::suites::command::{load_tables, sentence};
use crate::text::plain;

/// Flags of `equiv`.
#[derive(Debug, Args)]
pub(super) struct EquivArgs {
    /// The expected command
    #[arg(required_unless_present_any = ["jsonl", "normal"], allow_hyphen_values = true)]
    a: Option<String>,
    /// The command to compare with it
    #[arg(required_unless_present_any = ["jsonl", "normal"], allow_hyphen_values = true)]
    b: Option<String>,
    /// Read pairs {"a","b"} from standard input, one per line, and write {"score","method","rule"} for each
    #[arg(long, conflicts_with_all = ["a", "b"])]
    jsonl: bool,
    /// A directory of program tables of your own, *.toml, which are known beside the shipped ones
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,
    /// Print the normal form of one command, which `accepted_patterns` are matched with
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["a", "b", "jsonl"], allow_hyphen_values = true)]
    normal: Option<String>,
}

#[derive(Deserialize)]
struct EquivalencePair {
    a: String,
    b: String,
}

pub(super) fn equiv(args: &EquivArgs) -> Result<ExitCode, Failure> {
    let tables = args.programs.as_deref().map_or_else(|| Ok(Tables::shipped()), own_tables)?;
    if let Some(command) = &args.normal {
        console::print(&format!("{}\n", plain(&normal_text(command, &tables))));
        return Ok(ExitCode::Passed);
    }
    if args.jsonl {
        return pairs(&tables);
    }
    let (Some(a), Some(b)) = (&args.a, &args.b) else {
        return Err(Failure::Usage("name two commands, or give --jsonl".into()));
    };
    let verdict = compare(a, b, &tables);
    let (band, rest) = match &verdict {
        Equivalence::Exact => ("exact", String::new()),
        Equivalence::Equivalent { rule, .. } => ("equivalent", format!(" · rule {}", rule.name())),
        Equivalence::Different { difference, reason } => {
            let why = reason.as_ref().map(|why| format!(" · {why}")).unwrap_or_default();
            ("different", format!(" · {}{why}", sentence(difference)))
        }
    };
    console::print(&format!("{band} · score {:.2}{}\n", verdict.score(), plain(&rest)));
    Ok(if verdict.score() > 0.0 { ExitCode::Passed } else { ExitCode::GateFailed })
}

/// The tables in a directory, before the shipped ones.
fn own_tables(directory: &Path) -> Result<Tables, Failure> {
    let unreadable = |error: std::io::Error| Failure::Usage(format!("{}: {error}", directory.display()));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let shown = path.display().to_string();
            found.push(Found { path, shown });
        }
    }
    if found.is_empty() {
        return Err(Failure::Usage(format!("{}: there is no program table, *.toml, in it", directory.display())));
    }
    found.sort_by(|a, b| a.shown.cmp(&b.shown));
    Ok(load_tables(&found)?)
}

fn pairs(tables: &Tables) -> Result<ExitCode, Failure> {
    let mut out = String::new();
    let done = compare_lines(tables, &mut out);
    console::print(&out);
    done.map(|()| ExitCode::Passed)
}

/// Compares line by line; what is in `out` at the end is still to be printed.
fn compare_lines(tables: &Tables, out: &mut String) -> Result<(), Failure> {
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let wrong = |why: String| Failure::Usage(format!("standard input, line {}: {why}", index + 1));
        let line = line.map_err(|error| wrong(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let pair: EquivalencePair = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        let verdict = compare(&pair.a, &pair.b, tables);
        let value = json!({
            "score": verdict.score(),
            "method": verdict.method(),
            "rule": verdict.rule().map(|rule| rule.name()),
        });
        out.push_str(&format!("{value}\n"));
        if out.len() > 64 * 1024 {
            console::print(out);
            out.clear();
        }
    }
    Ok(())
}
