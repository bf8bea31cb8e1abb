//! `danger`: what running a command could do, for authors of cases.
#![expect(clippy::disallowed_methods, reason = "edge: reads standard input")]

use std::io::BufRead as _;

use clap::Args;
use serde::Deserialize;
use serde_json::json;

use super::{Failure, console};
use crate::model::ExitCode;
use crate::suites::command::equivalence::Tables;
use crate::suites::command::{danger, posix_extensions};
use crate::text::plain;

/// Flags of `danger`.
#[derive(Debug, Args)]
pub(super) struct DangerArgs {
    /// The command to look at; it is not run
    #[arg(required_unless_present = "jsonl", allow_hyphen_values = true)]
    command: Option<String>,
    /// Read {"command"} from standard input, one per line, and write {"level","rules","parsed","not_posix"} for each
    #[arg(long, conflicts_with = "command")]
    jsonl: bool,
}

#[derive(Deserialize)]
struct CommandLine {
    command: String,
}

pub(super) fn danger_of(args: &DangerArgs) -> Result<ExitCode, Failure> {
    let tables = Tables::shipped();
    if args.jsonl {
        return lines(&tables);
    }
    let Some(command) = &args.command else {
        return Err(Failure::Usage("name a command, or give --jsonl".into()));
    };
    let danger = danger(command, &tables);
    let mut text = danger.level.name().to_owned();
    if !danger.parsed {
        text.push_str(" · it cannot be parsed, so only its words were looked at");
    }
    text.push('\n');
    for finding in &danger.findings {
        text.push_str(&format!("  {:<8}  {}  ({})\n", finding.level.name(), plain(&finding.sentence()), finding.rule));
    }
    if danger.findings.is_empty() {
        text.push_str("  no rule holds: as far as known, it only reads\n");
    }
    console::print(&text);
    Ok(ExitCode::Passed)
}

fn lines(tables: &Tables) -> Result<ExitCode, Failure> {
    for (index, line) in std::io::stdin().lock().lines().enumerate() {
        let wrong = |why: String| Failure::Usage(format!("standard input, line {}: {why}", index + 1));
        let line = line.map_err(|error| wrong(error.to_string()))?;
        if line.trim().is_empty() {
            continue;
        }
        let CommandLine { command } = serde_json::from_str(&line).map_err(|error| wrong(error.to_string()))?;
        let danger = danger(&command, tables);
        let rules: Vec<&str> = danger.findings.iter().map(|finding| finding.rule).collect();
        console::print(&format!(
            "{}\n",
            json!({
                "level": danger.level.name(),
                "rules": rules,
                "parsed": danger.parsed,
                "not_posix": posix_extensions(&command, tables).unwrap_or_default(),
            })
        ));
    }
    Ok(ExitCode::Passed)
}
