//! DeepEval's test runs, as it saves them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::promptfoo::{ResultError, place_of};
use super::record::{
    ImportFormat, ImportedAttempt, ImportedComponent, Record, Records, clamped, in_id, kept, metric_name, short_in_id,
    tell_apart,
};
use crate::model::Status;
use crate::stats::mean;
use crate::text::shell_quoted;

/// A test run, alone or as DeepEval keeps its latest one.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TestRun<'a> {
    test_file: Option<String>,
    #[serde(borrow)]
    test_cases: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    conversational_test_cases: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    test_run_data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeepEvalCase<'a> {
    name: Option<String>,
    input: Option<Value>,
    #[serde(borrow)]
    actual_output: Option<&'a RawValue>,
    expected_output: Option<Value>,
    scenario: Option<Value>,
    expected_outcome: Option<Value>,
    turns: Option<Value>,
    success: Option<bool>,
    metrics_data: Option<Vec<MetricData>>,
    completion_time: Option<f64>,
    token_cost: Option<f64>,
    tags: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct MetricData {
    name: Option<String>,
    threshold: Option<f64>,
    success: Option<bool>,
    score: Option<f64>,
    reason: Option<String>,
    error: Option<String>,
}

/// The test run that a document is, if it is one.
pub(super) fn test_run<'a>(text: &'a str) -> Option<TestRun<'a>> {
    let run: TestRun<'a> = serde_json::from_str(text).ok()?;
    match run.test_run_data {
        Some(inner) => serde_json::from_str(inner.get()).ok().filter(|run: &TestRun<'a>| run.test_cases.is_some()),
        None => Some(run).filter(|run| run.test_cases.is_some()),
    }
}

/// Reads every test case. A metric is a component, and the score is the mean of the metrics.
pub(super) fn read(text: &str, run: &TestRun<'_>) -> Result<Records, Vec<ResultError>> {
    let mut errors = Vec::new();
    let mut records = Vec::new();
    let mut notes = Vec::new();
    let all = run.test_cases.iter().chain(&run.conversational_test_cases).flatten();
    for raw in all {
        let at = place_of(text, raw);
        let case: DeepEvalCase<'_> = match serde_json::from_str(raw.get()) {
            Ok(case) => case,
            Err(error) => {
                errors.push(ResultError { at, why: format!("is no test case of DeepEval's: {error}") });
                continue;
            }
        };
        let attempt = attempt(&case);
        notes.extend(attempt.note.clone().map(|note| (at.clone(), note)));
        let metrics: Vec<Value> =
            case.metrics_data.iter().flatten().map(|one| json!([one.name, one.threshold])).collect();
        records.push(Record {
            id: name(&case),
            at,
            tags: case.tags.iter().flatten().map(|tag| in_id(tag)).filter(|tag| !tag.is_empty()).collect(),
            question: json!([case.input, case.scenario, case.turns.as_ref().and_then(first_turn)]),
            key: json!([case.expected_output, case.expected_outcome, metrics]),
            repeats: true,
            reproduce: run.test_file.as_deref().map(|file| format!("deepeval test run {}", shell_quoted(file))),
            attempt,
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    tell_apart(&mut records, |_| None);
    Ok(Records { format: ImportFormat::DeepEval, records, notes })
}

fn first_turn(turns: &Value) -> Option<&Value> {
    turns.get(0)?.get("content")
}

/// Its name, unless DeepEval made it up from the position; then what was asked.
fn name(case: &DeepEvalCase<'_>) -> String {
    let name = case.name.as_deref().map(in_id).filter(|name| !name.is_empty());
    let is_made_up = |name: &String| {
        let rest = name.strip_prefix("conversational_").unwrap_or(name).strip_prefix("test_case_");
        rest.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let asked = case.input.as_ref().or(case.scenario.as_ref()).or(case.turns.as_ref().and_then(first_turn));
    let asked = asked.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    let asked = asked.map(|text| short_in_id(&text, 80)).filter(|text| !text.is_empty());
    match (name, asked) {
        (Some(name), Some(asked)) if is_made_up(&name) => asked,
        (Some(name), _) => name,
        (None, asked) => asked.unwrap_or_else(|| "test case".to_owned()),
    }
}

fn attempt(case: &DeepEvalCase<'_>) -> ImportedAttempt {
    let metrics: Vec<&MetricData> = case.metrics_data.iter().flatten().collect();
    let status = |one: &MetricData| match (&one.error, one.success) {
        (Some(_), _) => Status::Error,
        (None, Some(true)) => Status::Passed,
        (None, Some(false)) => Status::Failed,
        (None, None) => Status::Unmeasured,
    };
    let is = |wanted: Status| metrics.iter().any(|one| status(one) == wanted);
    let all = match case.success {
        _ if metrics.is_empty() => Status::Unmeasured,
        _ if is(Status::Failed) => Status::Failed,
        _ if is(Status::Error) => Status::Error,
        Some(true) => Status::Passed,
        Some(false) => Status::Failed,
        None => Status::Unmeasured,
    };
    let mut named: BTreeMap<String, f64> = BTreeMap::new();
    let mut note = None;
    for one in &metrics {
        let Some(score) = one.score.filter(|score| score.is_finite()) else { continue };
        let name = metric_name(one.name.as_deref().unwrap_or("metric"));
        let mut own = name.clone();
        for number in 2.. {
            if !named.contains_key(&own) {
                break;
            }
            own = format!("{name} #{number}");
        }
        named.insert(own, score);
        note = note.or(clamped(score).1);
    }
    let scores: Vec<f64> = named.values().map(|score| clamped(*score).0).collect();
    let score = mean(&scores).unwrap_or(f64::from(u8::from(all == Status::Passed)));
    let components = metrics.iter().map(|one| ImportedComponent {
        name: in_id(one.name.as_deref().unwrap_or("metric")),
        status: status(one),
        score: one.score.filter(|score| score.is_finite()),
        reason: one.error.as_deref().or(one.reason.as_deref()).and_then(kept),
    });
    ImportedAttempt {
        details: details(all, &metrics),
        duration: case.completion_time.and_then(|time| Duration::try_from_secs_f64(time).ok()),
        output: case.actual_output.and_then(super::promptfoo::output).or_else(|| turns(case)),
        cost: case.token_cost.filter(|cost| *cost > 0.0 && cost.is_finite()),
        metrics: named,
        components: components.collect(),
        note,
        ..ImportedAttempt::new(all, score)
    }
}

/// A conversation as text.
fn turns(case: &DeepEvalCase<'_>) -> Option<String> {
    let turns = case.turns.as_ref()?.as_array()?;
    let text = |turn: &Value, name: &str| turn.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let lines = turns.iter().map(|turn| format!("{}: {}", text(turn, "role"), text(turn, "content")));
    kept(&lines.collect::<Vec<_>>().join("\n"))
}

fn details(status: Status, metrics: &[&MetricData]) -> Option<String> {
    let wrong = metrics.iter().filter(|one| one.success != Some(true)).map(|one| {
        let name = one.name.as_deref().unwrap_or("metric");
        let threshold = one.threshold.map(|threshold| format!(" of {threshold}")).unwrap_or_default();
        let score = one.score.map(|score| format!(" {score}{threshold}")).unwrap_or_default();
        let why = one.error.as_deref().or(one.reason.as_deref()).map(|why| format!(": {why}")).unwrap_or_default();
        format!("{name}{score}{why}")
    });
    match status {
        Status::Passed | Status::Skipped => None,
        Status::Unmeasured if metrics.is_empty() => Some("not checked: the test case has no metric".to_owned()),
        Status::Unmeasured | Status::Failed | Status::Error => kept(&wrong.collect::<Vec<_>>().join("\n")),
    }
}
