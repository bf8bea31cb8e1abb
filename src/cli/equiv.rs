//! `equiv`: whether two commands mean the same, for authors of cases.
#![expect(clippy::disallowed_methods, reason = "edge: reads standard input")]

use std::io::BufRead as _;

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::{Failure, console};
use crate::model::ExitCode;
use crate::suites::command::equivalence::{Equivalence, Tables, compare};
use crate::suites::command::sentence;
use crate::text::plain;

/// Flags of `equiv`.
#[derive(Debug, Args)]
pub(super) struct EquivArgs {
    /// The expected command
    #[arg(required_unless_present = "jsonl", allow_hyphen_values = true)]
    a: Option<String>,
    /// The command to compare with it
    #[arg(required_unless_present = "jsonl", allow_hyphen_values = true)]
    b: Option<String>,
    /// Read pairs {"a","b"} from standard input, one per line, and write {"score","method","rule"} for each
    #[arg(long, conflicts_with_all = ["a", "b"])]
    jsonl: bool,
}

#[derive(Deserialize)]
struct EquivalencePair {
    a: String,
    b: String,
}

pub(super) fn equiv(args: &EquivArgs) -> Result<ExitCode, Failure> {
    if args.jsonl {
        return pairs();
    }
    let (Some(a), Some(b)) = (&args.a, &args.b) else {
        return Err(Failure::Usage("name two commands, or give --jsonl".into()));
    };
    let verdict = compare(a, b, &Tables::shipped());
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

fn pairs() -> Result<ExitCode, Failure> {
    let mut out = String::new();
    let done = compare_lines(&mut out);
    console::print(&out);
    done.map(|()| ExitCode::Passed)
}

/// Compares line by line; what is in `out` at the end is still to be printed.
fn compare_lines(out: &mut String) -> Result<(), Failure> {
    let tables = Tables::shipped();
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let wrong = |why: String| Failure::Usage(format!("standard input, line {}: {why}", index + 1));
        let line = line.map_err(|error| wrong(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let pair: EquivalencePair = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        let verdict = compare(&pair.a, &pair.b, &tables);
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
