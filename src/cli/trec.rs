//! `trec`: trec_eval's measures over judgements and a run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{Failure, console};
use crate::input::{InputError, read_text};
use crate::model::ExitCode;
use crate::suites::retrieval::trec::{BadLine, Ties, evaluate, parse_judgements, parse_run};

/// Flags of `trec`.
#[derive(Debug, Args)]
pub(super) struct TrecArgs {
    /// Judgements: topic iteration document grade
    qrels: PathBuf,
    /// A run: topic Q0 document rank score tag
    run: PathBuf,
    /// Print each topic, too
    #[arg(long)]
    per_topic: bool,
    /// How documents with the same score are ordered
    #[arg(long, value_enum, default_value_t = Ties::Trec)]
    ties: Ties,
    /// How the measures are printed
    #[arg(long, value_enum, default_value_t = TrecFormat::Table)]
    format: TrecFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrecFormat {
    /// A measure per line, as trec_eval does
    Table,
    /// {"all": {…}, "topics": {"ID": {…}}}
    Json,
}

pub(super) fn trec(args: &TrecArgs) -> Result<ExitCode, Failure> {
    let shown = |path: &Path| path.display().to_string();
    // Both files are large; they are read and parsed at the same time.
    let (qrels, run) = std::thread::scope(|scope| {
        let qrels = scope.spawn(|| read_text(&args.qrels, &shown(&args.qrels)));
        let run = read_text(&args.run, &shown(&args.run));
        (qrels.join(), run)
    });
    let (Ok(qrels), run) = (qrels, run?) else { return Err(Failure::Usage("reading the judgements failed".into())) };
    let qrels = qrels?;
    let (judgements, parsed) = std::thread::scope(|scope| {
        let judgements = scope.spawn(|| parse_judgements(&qrels));
        let parsed = parse_run(&run);
        (judgements.join(), parsed)
    });
    let bad = |path: &Path, BadLine { line, why }: BadLine| InputError::in_file(format!("{}:{line}", shown(path)), why);
    let Ok(judgements) = judgements else { return Err(Failure::Usage("parsing the judgements failed".into())) };
    let judgements = judgements.map_err(|line| bad(&args.qrels, line))?;
    let parsed = parsed.map_err(|line| bad(&args.run, line))?;

    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (all, topics) = evaluate(&judgements, &parsed, args.ties, threads);
    if topics.is_empty() {
        console::error("no topic of the run has judgements");
        return Ok(ExitCode::NothingMeasured);
    }
    let mut out = String::new();
    match args.format {
        TrecFormat::Json => {
            let topics = if args.per_topic { topics } else { BTreeMap::new() };
            out = format!("{}\n", json!({"all": all, "topics": topics}));
        }
        TrecFormat::Table => {
            if args.per_topic {
                for (topic, measures) in &topics {
                    rows(topic, measures, &mut out);
                }
            }
            rows("all", &all, &mut out);
        }
    }
    console::print(&out);
    Ok(ExitCode::Passed)
}

fn rows(topic: &str, measures: &BTreeMap<String, f64>, out: &mut String) {
    for (name, value) in measures {
        out.push_str(&format!("{name:<22}\t{topic}\t{value:.4}\n"));
    }
}
