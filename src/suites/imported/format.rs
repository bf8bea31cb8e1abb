//! Which format a file of results is in, and from its records to cases.

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::promptfoo::{OutputFile, ResultError};
use super::record::{ImportFormat, ImportedAttempt, RecordedCase, Records, by_case};
use super::{deepeval, inspect, junit, lines, promptfoo};
use crate::input::{Document, Found, InputError, InputErrors, Pointer};
use crate::model::{CaseId, CaseKey, Fingerprint, Location, SharedKey};
use crate::suites::{Case, Loaded, LoadedCase, Question, read, tag_slices};

/// What another tool said of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedQuestion {
    /// What it was read from.
    pub format: ImportFormat,
    /// One entry for each time that the other tool asked it; shared, since there may be many cases.
    pub attempts: Arc<Vec<ImportedAttempt>>,
    /// The command of the other tool that runs this case alone.
    pub reproduce: Option<String>,
}

const FORMATS: &str = "promptfoo's results (JSON or JSONL), a test run of DeepEval's, a JSON log of inspect_ai's, JUnit XML \
                       (pytest, jest-junit, node --test and others) and JSON lines with `id` and `score` or `status`";

/// Reads a file of results, in whichever format it is.
pub fn load(found: &Found) -> Result<Loaded, InputErrors> {
    let text = read(&found.path, &found.shown)?;
    let records = records(&found.shown, &text)?;
    if records.records.is_empty() {
        return Err(InputError::in_file(&found.shown, "has no case").into());
    }
    Ok(loaded(&found.shown, text, records))
}

fn loaded(shown: &str, text: String, records: Records) -> Loaded {
    let Records { format, records, notes } = records;
    let cases = by_case(records);
    let places: Vec<Range<usize>> = cases.iter().map(|case| case.first.at.clone()).collect();
    let document = Document::of_places(shown, text, places);
    let mut remarks = InputErrors::new();
    remarks.extend(first_notes(&document, notes));
    let cases = cases.into_iter().enumerate().map(|(index, RecordedCase { first, attempts })| {
        let at = Pointer::root().join(index);
        // A case of another tool is its id: another id is another case, whatever else is the same.
        let asked = Fingerprint::normalised(&json!({"kind": "imported", "id": first.id, "asked": first.question}));
        let key = CaseKey::new(first.key.clone(), SharedKey::nothing());
        // Without a key it is what release 0.1 hashed.
        let both = if first.key.is_null() { first.question } else { json!([first.question, first.key]) };
        LoadedCase {
            case: Case {
                fingerprint: Fingerprint::of(&json!({"kind": "imported", "id": first.id, "asked": both})),
                asked,
                key,
                id: CaseId::new(first.id),
                slices: tag_slices(&first.tags),
                tags: first.tags,
                location: Location { file: shown.to_owned(), line: document.line(&at) },
                question: Question::Imported(Box::new(ImportedQuestion {
                    format,
                    attempts,
                    reproduce: first.reproduce,
                })),
            },
            at_id: at,
        }
    });
    Loaded { cases: cases.collect(), warnings: InputErrors::new(), notes: remarks, document }
}

/// How many notes are made of a file; more of them say nothing new.
const NOTES: usize = 3;

fn first_notes(document: &Document, notes: Vec<(Range<usize>, String)>) -> InputErrors {
    let more = notes.len().saturating_sub(NOTES);
    let mut remarks = InputErrors::new();
    for (index, (place, note)) in notes.into_iter().take(NOTES).enumerate() {
        let more = if index + 1 == NOTES && more > 0 { format!("; and {more} more like this") } else { String::new() };
        remarks.push(document.error_in(place, format!("{note}{more}")));
    }
    remarks
}

fn records(shown: &str, text: &str) -> Result<Records, InputErrors> {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.starts_with('<') {
        return junit::read(text).map_err(|why| match why {
            junit::JunitError::Root(_) => unknown(shown, &why.to_string()),
            junit::JunitError::Count { at, what } => Document::error_at_place(shown, text, at, what).into(),
            junit::JunitError::Xml(_) => InputError::in_file(shown, why.to_string()).into(),
        });
    }
    let at_line = |errors: Vec<ResultError>| of_results(shown, text, errors);
    if is_lines(shown, text) {
        let first = text.lines().find(|line| !line.trim().is_empty()).and_then(|line| serde_json::from_str(line).ok());
        if first.as_ref().is_some_and(promptfoo::is_result) {
            return promptfoo::read(text, &raw_lines(shown, text)?).map_err(at_line);
        }
        return lines::read(shown, text);
    }
    if !start.starts_with(['{', '[']) {
        let words: String = start.lines().next().unwrap_or_default().chars().take(60).collect();
        return Err(unknown(shown, &format!("is text that begins with {words:?}")));
    }
    of_document(shown, text, at_line)
}

fn of_document(
    shown: &str,
    text: &str,
    at_line: impl Fn(Vec<ResultError>) -> InputErrors,
) -> Result<Records, InputErrors> {
    if let Some(log) = text.contains("\"eval\"").then(|| inspect::log(text)).flatten() {
        return inspect::read(text, &log).map_err(at_line);
    }
    if let Some(run) = text.contains("\"testCases\"").then(|| deepeval::test_run(text)).flatten() {
        return deepeval::read(text, &run).map_err(at_line);
    }
    if let Ok(file) = serde_json::from_str::<OutputFile<'_>>(text)
        && let Some(results) = promptfoo::results_in(&file)
    {
        return promptfoo::read(text, &results).map_err(at_line);
    }
    // Whatever it is, a mistake in its syntax comes first.
    let value: Value = serde_json::from_str(text).map_err(|error| Document::invalid_json(shown, text, &error))?;
    Err(unknown(shown, &looks_like(&value)))
}

/// Whether each line is a value of its own.
fn is_lines(shown: &str, text: &str) -> bool {
    if shown.ends_with(".jsonl") || shown.ends_with(".ndjson") {
        return true;
    }
    let mut first = text.lines().filter(|line| !line.trim().is_empty()).take(2);
    let is_object = |line: Option<&str>| {
        line.is_some_and(|line| {
            line.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
        })
    };
    is_object(first.next()) && first.next().is_some_and(|line| line.trim_start().starts_with('{'))
}

fn raw_lines<'a>(shown: &str, text: &'a str) -> Result<Vec<&'a serde_json::value::RawValue>, InputErrors> {
    let mut errors = InputErrors::new();
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(value) => all.push(value),
            Err(_) => errors.extend(Document::json_at(shown, line.to_owned(), index + 1).err().unwrap_or_default()),
        }
    }
    errors.into_result().map(|()| all)
}

fn of_results(shown: &str, text: &str, errors: Vec<ResultError>) -> InputErrors {
    let mut all = InputErrors::new();
    for ResultError { at, why } in errors {
        all.push(Document::error_at_place(shown, text, at, why));
    }
    all
}

fn unknown(shown: &str, looks_like: &str) -> InputErrors {
    let message = format!("{looks_like}, which is none of the formats that can be imported");
    InputError::in_file(shown, message).with_help(format!("these can: {FORMATS}")).into()
}

/// What a JSON document is, in words.
fn looks_like(value: &Value) -> String {
    let keys = |map: &serde_json::Map<String, Value>| {
        let named: Vec<String> = map.keys().take(6).map(|key| format!("`{}`", key.escape_debug())).collect();
        let dots = if map.len() > named.len() { ", …" } else { "" };
        if named.is_empty() { "no key".to_owned() } else { format!("the keys {}{dots}", named.join(", ")) }
    };
    match value {
        Value::Object(map) => {
            let schema = map.get("schema").and_then(Value::as_str).unwrap_or_default();
            if schema.starts_with("evalratchet.results/") {
                return "is what a run of evalratchet writes (`compare` takes it, an import does not)".to_owned();
            }
            format!("is a JSON object with {}", keys(map))
        }
        Value::Array(all) => match all.first() {
            Some(Value::Object(first)) => {
                format!("is a JSON list of {} objects, the first with {}", all.len(), keys(first))
            }
            Some(_) | None => format!("is a JSON list of {}", all.len()),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => "is a single JSON value".to_owned(),
    }
}
