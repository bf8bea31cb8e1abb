//! Files of other tools: JSON lines, promptfoo's JSON, JUnit XML.

use std::sync::LazyLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{junit, promptfoo};
use crate::input::{Checker, Document, Found, InputError, InputErrors, Pointer};
use crate::model::{CaseId, CaseKey, Fingerprint, Location, SharedKey, Status};
use crate::suites::{Case, Loaded, LoadedCase, Question, read, tag_slices};

/// A line of imported results.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "evalratchet imported result")]
pub struct ImportedLine {
    /// Unique in the suite.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Its quality, 0…1; by default 1 if it passed.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub score: Option<f64>,
    /// How it came out; by default it passed if its score is at least 0.5.
    pub status: Option<ImportedStatus>,
    /// Why the case came out this way.
    pub details: Option<String>,
    /// How long it took.
    #[schemars(range(min = 0.0))]
    pub duration_ms: Option<f64>,
    /// A text that changes when the question does.
    pub fingerprint: Option<String>,
    /// Labels to select and slice by.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// How an imported case came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImportedStatus {
    /// The case passed.
    Passed,
    /// The case failed.
    Failed,
    /// The case could not be evaluated.
    Error,
    /// The other tool left it out.
    Skipped,
}

impl From<ImportedStatus> for Status {
    fn from(status: ImportedStatus) -> Self {
        match status {
            ImportedStatus::Passed => Self::Passed,
            ImportedStatus::Failed => Self::Failed,
            ImportedStatus::Error => Self::Error,
            // Skipped is only what the user's own filter leaves out.
            ImportedStatus::Skipped => Self::Unmeasured,
        }
    }
}

/// What another tool said of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedQuestion {
    /// How it came out.
    pub status: Status,
    pub score: f64,
    pub details: Option<String>,
    /// How long it took, if the other tool says so.
    pub duration: Option<Duration>,
    /// What it was read from.
    pub format: &'static str,
}

/// One case as any of the formats gives it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ImportedCase {
    pub(super) id: String,
    pub(super) line: usize,
    pub(super) tags: Vec<String>,
    /// What changes when the question does, if the format knows it.
    pub(super) asked: Value,
    pub(super) question: ImportedQuestion,
}

static CHECKER: LazyLock<Checker<ImportedLine>> = LazyLock::new(Checker::new);

/// Reads a file of results.
pub fn load(found: &Found) -> Result<Loaded, InputErrors> {
    let text = read(&found.path, &found.shown)?;
    let start = text.trim_start();
    let cases = if start.starts_with('<') {
        junit::read(&text).map_err(|why| InputError::in_file(&found.shown, why.to_string()))?
    } else if found.shown.ends_with(".jsonl") || found.shown.ends_with(".ndjson") {
        read_lines(&found.shown, &text)?
    } else {
        let document = Document::json(&found.shown, text.clone())?;
        promptfoo::read(&document).map_err(|why| document.error(&Pointer::root(), why.to_string()))?
    };
    if cases.is_empty() {
        return Err(InputError::in_file(&found.shown, "has no case").into());
    }
    // Positions were found by each format; ids are pointed at by their line.
    let document =
        Document::json(&found.shown, json!(cases.iter().map(|case| &case.id).collect::<Vec<_>>()).to_string())?;
    let cases = cases.into_iter().enumerate().map(|(index, case)| LoadedCase {
        at_id: Pointer::root().join(index),
        case: Case {
            fingerprint: Fingerprint::of(&json!({"kind": "imported", "id": case.id, "asked": case.asked})),
            asked: Fingerprint::normalised(&json!({"kind": "imported", "asked": case.asked})),
            // Another tool judged, and its results do not say how.
            key: CaseKey::new(Value::Null, SharedKey::nothing()),
            id: CaseId::new(case.id),
            slices: tag_slices(&case.tags),
            tags: case.tags,
            location: Location { file: found.shown.clone(), line: case.line },
            question: Question::Imported(Box::new(case.question)),
        },
    });
    Ok(Loaded { cases: cases.collect(), warnings: InputErrors::new(), document })
}

fn read_lines(shown: &str, text: &str) -> Result<Vec<ImportedCase>, InputErrors> {
    let mut errors = InputErrors::new();
    let mut cases = Vec::new();
    for document in Document::json_lines(shown, text)? {
        let line = match CHECKER.read(&document) {
            Ok(line) => line,
            Err(wrong) => {
                errors.extend(wrong);
                continue;
            }
        };
        let number = document.line(&Pointer::root());
        let Some((status, score)) = outcome(line.status, line.score) else {
            let message = "says neither `score` nor `status`";
            errors.push(document.error(&Pointer::root(), message));
            continue;
        };
        let duration = line.duration_ms.and_then(|time| Duration::try_from_secs_f64(time / 1000.0).ok());
        cases.push(ImportedCase {
            id: line.id,
            line: number,
            tags: line.tags,
            asked: json!(line.fingerprint),
            question: ImportedQuestion { status, score, details: line.details, duration, format: "json-lines" },
        });
    }
    errors.into_result().map(|()| cases)
}

/// Status and score, each by the other where one is missing.
fn outcome(status: Option<ImportedStatus>, score: Option<f64>) -> Option<(Status, f64)> {
    match (status, score) {
        (None, None) => None,
        (Some(status), score) => {
            let passed = f64::from(u8::from(status == ImportedStatus::Passed));
            Some((status.into(), score.unwrap_or(passed)))
        }
        (None, Some(score)) => Some((if score >= 0.5 { Status::Passed } else { Status::Failed }, score)),
    }
}
