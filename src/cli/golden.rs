//! `golden accept`: moves reviewed answers from the recordings into `golden.json`.

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use similar::TextDiff;

use super::{ConfigArgs, Failure, console, load};
use crate::input::{InputError, InputErrors, is_file, nearest, read_text, write_atomically};
use crate::model::{CaseId, ExitCode, Fingerprint, Mode};
use crate::replay::read_recordings;
use crate::settings::Overrides;
use crate::suites::Kind;
use crate::suites::golden::{GoldenQuestion, accepted, read_answer};
use crate::suites::{Question, Suite};
use crate::text::{counted, plain};

/// Verbs of `golden`.
#[derive(Debug, Subcommand)]
pub(super) enum GoldenVerb {
    /// Show what was recorded as a diff, and make it the reviewed answer
    Accept(AcceptArgs),
}

/// Flags of `golden accept`.
#[derive(Debug, Args)]
pub(super) struct AcceptArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Only this suite
    #[arg(long, alias = "module", value_name = "ID")]
    suite: Option<String>,
    /// Show the diff and change nothing
    #[arg(long)]
    dry_run: bool,
    /// These cases [default: those that have no reviewed answer yet]
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
}

pub(super) fn golden(verb: GoldenVerb) -> Result<ExitCode, Failure> {
    let GoldenVerb::Accept(args) = verb;
    let overrides = Overrides { mode: Mode::Record, ..Overrides::default() };
    let (settings, suites, _) = load(&args.config, &overrides, |_| false)?;
    let suites: Vec<Suite> = suites
        .into_iter()
        .filter(|suite| suite.settings.kind == Kind::Golden)
        .filter(|suite| args.suite.as_ref().is_none_or(|id| suite.settings.id.as_str() == id))
        .collect();
    if suites.is_empty() {
        let what = args.suite.map_or("no golden suite".to_owned(), |id| format!("no golden suite `{id}`"));
        return Err(Failure::Usage(format!("{}: there is {what}", settings.config)));
    }
    check_names(&suites, &args.cases, &settings.config)?;
    // Everything is read before anything is written.
    let mut changes = Vec::new();
    for suite in &suites {
        changes.extend(change(suite, &args.cases)?);
    }
    let total: usize = changes.iter().map(|change| change.answers).sum();
    if total == 0 {
        let hint = if args.cases.is_empty() {
            "every case has a reviewed answer; name those to replace"
        } else {
            "they are the reviewed answers already"
        };
        console::print(&format!("nothing to accept: {hint}\n"));
        return Ok(ExitCode::Passed);
    }
    for change in &changes {
        console::print(&plain(&change.diff));
        if !args.dry_run {
            write_atomically(&change.path, change.text.as_bytes())
                .map_err(|error| Failure::Write { path: change.shown.clone(), error })?;
        }
    }
    let done = if args.dry_run { "would be accepted" } else { "accepted" };
    let files: Vec<&str> = changes.iter().map(|change| change.shown.as_str()).collect();
    console::print(&format!("{} {done} in {}\n", counted(total, "answer"), files.join(", ")));
    Ok(ExitCode::Passed)
}

/// Says which cases do not exist.
fn check_names(suites: &[Suite], cases: &[String], config: &str) -> Result<(), InputErrors> {
    let known: Vec<&str> = suites.iter().flat_map(|suite| &suite.cases).map(|case| case.id.as_str()).collect();
    let mut errors = InputErrors::new();
    for wrong in cases.iter().filter(|id| !known.contains(&id.as_str())) {
        let mistake = InputError::in_file(config, format!("no golden suite has a case `{wrong}`"));
        errors.push(mistake.with_nearest(nearest(wrong, known.iter().copied())));
    }
    errors.into_result()
}

/// What becomes of a module's `golden.json`.
struct GoldenEdit {
    path: std::path::PathBuf,
    shown: String,
    text: String,
    diff: String,
    answers: usize,
}

fn change(suite: &Suite, cases: &[String]) -> Result<Option<GoldenEdit>, Failure> {
    let Some(folder) = suite.settings.files.found().first() else { return Ok(None) };
    let (recordings, target) = (read_recordings(&suite.settings)?, suite.settings.target.properties());
    let mut errors = InputErrors::new();
    let mut answers: Vec<(String, Value)> = Vec::new();
    for case in &suite.cases {
        let Question::Golden(question) = &case.question else { continue };
        let wanted =
            if cases.is_empty() { question.golden.is_none() } else { cases.iter().any(|id| case.id.as_str() == id) };
        if !wanted {
            continue;
        }
        let recorded = recordings.all().find(|one| one.case == case.id && one.component.is_none() && one.repeat == 0);
        let request = case.question.request(&case.id).map(|request| target.recorded_request(&request));
        let current = recorded.ok_or_else(|| nothing_recorded(&case.id, suite)).and_then(|one| {
            if request.as_ref().is_some_and(|request| one.key == Fingerprint::of(request)) {
                Ok(one)
            } else {
                Err(stale(&case.id, suite))
            }
        });
        let said = current.and_then(|one| match &one.failure {
            Some(why) => Err(format!("what is recorded for `{}` is a failure: {why}", case.id)),
            None => read_answer(question, &one.answer).map_err(|error| error.to_string()),
        });
        match said {
            Ok(answer) if question.golden.as_ref() == Some(&answer) => {}
            Ok(answer) if contradiction(question, &answer).is_some() => {
                let why = contradiction(question, &answer).unwrap_or_default();
                let why = format!(
                    "the answer for `{}` is not accepted: {why}\n  = correct the case, or record again",
                    case.id
                );
                errors.push(InputError::in_file(format!("{}/cases.json", folder.shown), why));
            }
            Ok(answer) => answers.push((case.id.to_string(), answer)),
            Err(why) => errors.push(InputError::in_file(format!("{}/golden.json", folder.shown), why)),
        }
    }
    errors.into_result()?;
    if answers.is_empty() {
        return Ok(None);
    }
    let (path, shown) = (folder.path.join("golden.json"), format!("{}/golden.json", folder.shown));
    let before = if is_file(&path) { read_text(&path, &shown)? } else { String::new() };
    let text = accepted(&before, &answers).map_err(|why| Failure::Usage(format!("{shown}: {why}")))?;
    let diff = TextDiff::from_lines(&before, &text).unified_diff().header(&shown, &shown).to_string();
    Ok(Some(GoldenEdit { path, shown, text, diff, answers: answers.len() }))
}

/// What a case says of its answer, if the answer is otherwise.
fn contradiction(question: &GoldenQuestion, answer: &Value) -> Option<String> {
    let document = json!({"actual": answer, "golden": answer, "input": question.input, "case": question.further});
    let (field, message) = question.scorer.contradictions(&document).into_iter().next()?;
    Some(format!("`{field}` {}", message.replace("golden has", "the answer has")))
}

fn nothing_recorded(case: &CaseId, suite: &Suite) -> String {
    let id = &suite.settings.id;
    format!("nothing is recorded for `{case}`\n  = evalratchet run --suite {id} --case {case} --mode record")
}

fn stale(case: &CaseId, suite: &Suite) -> String {
    let id = &suite.settings.id;
    format!(
        "what is recorded for `{case}` answers another request than today's\n  = evalratchet run --suite {id} --case {case} --mode record"
    )
}
