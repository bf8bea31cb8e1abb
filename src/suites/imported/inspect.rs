//! The JSON log of an `inspect_ai` evaluation: samples, each once per epoch, each judged by every scorer.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::promptfoo::{ResultError, place_of};
use super::record::{
    ImportFormat, ImportedAttempt, ImportedComponent, Record, Records, Tokens, clamped, in_id, kept, metric_name,
};
use crate::model::Status;
use crate::stats::mean;
use crate::text::shell_quoted;

/// A score passes from here on; a correct answer is 1, a partly correct one 0.5.
const PASS_AT: f64 = 0.5;

/// A log.
#[derive(Deserialize)]
pub(super) struct InspectLog<'a> {
    status: Option<String>,
    eval: Option<EvalSpec>,
    #[serde(borrow)]
    samples: Option<Vec<&'a RawValue>>,
    error: Option<SampleError>,
}

#[derive(Deserialize)]
struct EvalSpec {
    task: Option<String>,
    task_file: Option<String>,
    model: Option<String>,
}

#[derive(Deserialize)]
struct InspectSample {
    id: Value,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    target: Value,
    output: Option<SampleOutput>,
    #[serde(default)]
    scores: Option<Map<String, Value>>,
    #[serde(default)]
    metadata: Value,
    #[serde(default)]
    model_usage: Option<BTreeMap<String, ModelUsage>>,
    total_time: Option<f64>,
    error: Option<SampleError>,
}

#[derive(Deserialize)]
struct SampleOutput {
    completion: Option<String>,
}

#[derive(Deserialize)]
struct ModelUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    total_cost: Option<f64>,
}

#[derive(Deserialize)]
struct SampleError {
    message: Option<String>,
}

/// The log that a document is, if it is one.
pub(super) fn log<'a>(text: &'a str) -> Option<InspectLog<'a>> {
    serde_json::from_str(text)
        .ok()
        .filter(|log: &InspectLog<'a>| log.eval.as_ref().is_some_and(|eval| eval.task.is_some()))
}

/// Reads every sample. Epochs are attempts; the first scorer decides, and each is a metric.
pub(super) fn read(text: &str, log: &InspectLog<'_>) -> Result<Records, Vec<ResultError>> {
    let Some(samples) = &log.samples else {
        let why = "the log has no samples; let inspect write them (log_samples)".to_owned();
        return Err(vec![ResultError { at: 0..1, why }]);
    };
    let mut errors = Vec::new();
    let mut records = Vec::new();
    let mut notes = Vec::new();
    if log.status.as_deref().is_some_and(|status| status != "success") {
        let why = log.error.as_ref().and_then(|error| error.message.as_deref()).map(in_id).unwrap_or_default();
        let status = log.status.as_deref().unwrap_or_default();
        notes
            .push((0..1, format!("the evaluation ended with the status `{status}`, so samples may be missing: {why}")));
    }
    for raw in samples {
        let at = place_of(text, raw);
        let sample: InspectSample = match serde_json::from_str(raw.get()) {
            Ok(sample) => sample,
            Err(error) => {
                errors.push(ResultError { at, why: format!("is no sample of inspect's: {error}") });
                continue;
            }
        };
        let id = sample.id.as_str().map_or_else(|| sample.id.to_string(), in_id);
        let attempt = attempt(&sample);
        notes.extend(attempt.note.clone().map(|note| (at.clone(), note)));
        let scorers: Vec<&String> = sample.scores.iter().flat_map(Map::keys).collect();
        records.push(Record {
            reproduce: reproduce(log, &id),
            tags: tags(&sample.metadata),
            question: asked(&sample.input),
            key: json!([sample.target, scorers.first()]),
            repeats: true,
            id,
            at,
            attempt,
        });
    }
    if errors.is_empty() { Ok(Records { format: ImportFormat::Inspect, records, notes }) } else { Err(errors) }
}

/// What was asked. Messages have ids that differ from run to run; what they say does not.
fn asked(input: &Value) -> Value {
    match input {
        Value::Array(messages) => messages.iter().map(|one| json!([one["role"], one["content"]])).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => input.clone(),
    }
}

fn tags(metadata: &Value) -> Vec<String> {
    let Value::Object(metadata) = metadata else { return Vec::new() };
    let mut tags = Vec::new();
    for (name, value) in metadata {
        let value = match value {
            Value::String(text) => in_id(text),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => continue,
        };
        if !value.is_empty() && value.chars().count() <= 60 {
            tags.push(format!("{}={value}", in_id(name)));
        }
    }
    tags
}

fn reproduce(log: &InspectLog<'_>, sample: &str) -> Option<String> {
    let EvalSpec { task, task_file, model } = log.eval.as_ref()?;
    let task = task.as_deref()?;
    let target = task_file.as_ref().map_or_else(|| task.to_owned(), |file| format!("{file}@{task}"));
    let model = model.as_ref().map(|model| format!(" --model {}", shell_quoted(model))).unwrap_or_default();
    Some(format!("inspect eval {}{model} --sample-id {}", shell_quoted(&target), shell_quoted(sample)))
}

fn attempt(sample: &InspectSample) -> ImportedAttempt {
    let mut metrics = BTreeMap::new();
    let mut components = Vec::new();
    let mut note = None;
    let mut deciding: Option<f64> = None;
    for (index, (scorer, score)) in sample.scores.iter().flatten().enumerate() {
        let values = values(scorer, &score["value"]);
        let clamped: Vec<(f64, Option<String>)> = values.iter().map(|(_, value)| clamped(*value)).collect();
        if index == 0 {
            deciding = mean(&clamped.iter().map(|(value, _)| *value).collect::<Vec<f64>>());
            note = clamped.into_iter().find_map(|(_, note)| note);
        }
        let of_scorer = mean(&values.iter().map(|(_, value)| *value).collect::<Vec<f64>>());
        components.push(ImportedComponent {
            name: in_id(scorer),
            status: match of_scorer {
                None => Status::Unmeasured,
                Some(value) if value >= PASS_AT => Status::Passed,
                Some(_) => Status::Failed,
            },
            score: of_scorer,
            reason: score["explanation"].as_str().and_then(kept),
        });
        metrics.extend(values.into_iter().map(|(name, value)| (metric_name(&name), value)));
    }
    let (status, score, details) = match (&sample.error, deciding) {
        (Some(error), _) => (Status::Error, 0.0, error.message.as_deref().and_then(kept)),
        (None, None) => (Status::Unmeasured, 0.0, Some("not checked: no scorer gave a score".to_owned())),
        (None, Some(score)) if score >= PASS_AT => (Status::Passed, score, None),
        (None, Some(score)) => {
            let why = components.first().map(|first: &ImportedComponent| match &first.reason {
                Some(reason) => format!("{}: {reason}", first.name),
                None => format!("{}: {score}", first.name),
            });
            (Status::Failed, score, why)
        }
    };
    let usage = sample.model_usage.as_ref().filter(|usage| !usage.is_empty());
    let tokens = usage.map(|usage| Tokens::Split {
        input: usage.values().map(|one| one.input_tokens).sum(),
        output: usage.values().map(|one| one.output_tokens).sum(),
    });
    let costs: Vec<f64> = usage.iter().flat_map(|usage| usage.values()).filter_map(|one| one.total_cost).collect();
    ImportedAttempt {
        details,
        duration: sample.total_time.and_then(|time| Duration::try_from_secs_f64(time).ok()),
        output: sample.output.as_ref().and_then(|output| output.completion.as_deref()).and_then(kept),
        tokens,
        cost: (!costs.is_empty()).then(|| costs.iter().sum()),
        metrics,
        components,
        note,
        ..ImportedAttempt::new(status, score)
    }
}

/// What a scorer said, as numbers: one under its own name, or several under theirs.
fn values(scorer: &str, value: &Value) -> Vec<(String, f64)> {
    match value {
        Value::Object(several) => {
            let named = several.iter().filter_map(|(name, value)| Some((format!("{scorer} {name}"), number(value)?)));
            named.collect()
        }
        Value::Array(several) => {
            let numbers: Vec<f64> = several.iter().filter_map(number).collect();
            mean(&numbers).map(|value| (scorer.to_owned(), value)).into_iter().collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            number(value).map(|value| (scorer.to_owned(), value)).into_iter().collect()
        }
    }
}

/// inspect's letters are correct, partly correct, incorrect and no answer.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        Value::Number(number) => number.as_f64().filter(|number| number.is_finite()),
        Value::String(text) => match text.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            "yes" | "true" => Some(1.0),
            "no" | "false" => Some(0.0),
            other => other.parse().ok().filter(|number: &f64| number.is_finite()),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
