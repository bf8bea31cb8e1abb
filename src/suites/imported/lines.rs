//! JSON lines: a result on each line, in a format of our own.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::record::{ImportFormat, ImportedAttempt, Record, Records, Tokens, kept, metric_name, milliseconds};
use crate::input::{Checker, Document, InputErrors, Pointer};
use crate::model::Status;

/// A line of imported results.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "evalratchet imported result")]
pub struct ImportedLine {
    /// Unique in the suite, unless lines are attempts.
    #[schemars(length(min = 1))]
    pub id: String,
    /// Which attempt at the case this is, from 0 or 1; lines of the same id then are one case.
    pub attempt: Option<u32>,
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
    /// What was answered.
    pub output: Option<String>,
    /// What the answer cost, in whatever currency the other tool counts.
    #[schemars(range(min = 0.0))]
    pub cost: Option<f64>,
    /// How many tokens it took.
    pub tokens: Option<LineTokens>,
    /// Further scores by name; more is better.
    #[serde(default)]
    pub metrics: BTreeMap<String, f64>,
    /// A text that changes when the question does.
    pub fingerprint: Option<String>,
    /// Labels to select and slice by.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// Tokens, all together or in and out.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum LineTokens {
    /// All tokens together.
    Total(u64),
    /// The tokens of the question and those of the answer.
    Split(SplitTokens),
}

/// Tokens of the question and of the answer.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitTokens {
    /// The tokens of the question.
    pub input: u64,
    /// The tokens of the answer.
    pub output: u64,
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

static CHECKER: LazyLock<Checker<ImportedLine>> = LazyLock::new(Checker::new);

/// Reads every line, or says what is wrong with each.
pub(super) fn read(shown: &str, text: &str) -> Result<Records, InputErrors> {
    let mut errors = InputErrors::new();
    let mut records = Vec::new();
    let mut start = 0;
    for (index, whole) in text.split_inclusive('\n').enumerate() {
        let line = whole.trim_end_matches(['\n', '\r']);
        let at = start..start + line.len();
        start += whole.len();
        if line.trim().is_empty() {
            continue;
        }
        match read_line(shown, line, index + 1) {
            Ok((line, (status, score))) => records.push(record(line, at, status, score)),
            Err(wrong) => errors.extend(wrong),
        }
    }
    errors.into_result().map(|()| Records { format: ImportFormat::JsonLines, records, notes: Vec::new() })
}

type LineOutcome = (Status, f64);

/// A line that is as it should be is read at once; any other is looked at with care.
fn read_line(shown: &str, text: &str, number: usize) -> Result<(ImportedLine, LineOutcome), InputErrors> {
    if let Some(line) = serde_json::from_str(text).ok().filter(fits)
        && let Some(outcome) = outcome(&line)
    {
        return Ok((line, outcome));
    }
    let document = Document::json_at(shown, text.to_owned(), number)?;
    let line = CHECKER.read(&document)?;
    match outcome(&line) {
        Some(outcome) => Ok((line, outcome)),
        None => Err(document.error(&Pointer::root(), "says neither `score` nor `status`").into()),
    }
}

/// What the schema says beyond the types.
fn fits(line: &ImportedLine) -> bool {
    let is_positive = |value: Option<f64>| value.is_none_or(|value| value >= 0.0);
    !line.id.is_empty()
        && line.score.is_none_or(|score| (0.0..=1.0).contains(&score))
        && is_positive(line.duration_ms)
        && is_positive(line.cost)
}

fn record(line: ImportedLine, at: std::ops::Range<usize>, status: Status, score: f64) -> Record {
    let tokens = line.tokens.map(|tokens| match tokens {
        LineTokens::Total(total) => Tokens::Total(total),
        LineTokens::Split(SplitTokens { input, output }) => Tokens::Split { input, output },
    });
    let attempt = ImportedAttempt {
        details: line.details.as_deref().and_then(kept),
        duration: line.duration_ms.and_then(milliseconds),
        output: line.output.as_deref().and_then(kept),
        tokens,
        cost: line.cost,
        metrics: line.metrics.into_iter().map(|(name, value)| (metric_name(&name), value)).collect(),
        ..ImportedAttempt::new(status, score)
    };
    Record {
        id: line.id,
        at,
        tags: line.tags,
        question: json!(line.fingerprint),
        key: json!(null),
        repeats: line.attempt.is_some(),
        reproduce: None,
        attempt,
    }
}

/// Status and score, each by the other where one is missing.
fn outcome(line: &ImportedLine) -> Option<LineOutcome> {
    match (line.status, line.score) {
        (None, None) => None,
        (Some(status), score) => {
            let passed = f64::from(u8::from(status == ImportedStatus::Passed));
            Some((status.into(), score.unwrap_or(passed)))
        }
        (None, Some(score)) => Some((if score >= 0.5 { Status::Passed } else { Status::Failed }, score)),
    }
}
