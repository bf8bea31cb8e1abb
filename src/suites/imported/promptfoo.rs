//! promptfoo's `--output`: one JSON document, or a result on each line.
//!
//! A file may have tens of thousands of results, so each is read by itself, and of each only what is used.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::record::{
    ImportFormat, ImportedAttempt, ImportedComponent, Record, Records, Tokens, clamped, in_id, kept, metric_name,
    milliseconds, short_in_id, tell_apart,
};
use super::template::label_of;
use crate::model::Status;
use crate::text::shell_quoted;

/// Why a result is not read as one of promptfoo's, and where it stands.
#[derive(Debug)]
pub(super) struct ResultError {
    pub(super) at: Range<usize>,
    pub(super) why: String,
}

/// A document of results.
#[derive(Deserialize)]
pub(super) struct OutputFile<'a> {
    #[serde(borrow)]
    results: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    results: Option<Vec<&'a RawValue>>,
}

/// What is used of a result.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptfooResult<'a> {
    success: Option<bool>,
    score: Option<f64>,
    #[serde(borrow)]
    error: Option<Cow<'a, str>>,
    failure_reason: Option<i64>,
    grading_result: Option<Grading<'a>>,
    latency_ms: Option<f64>,
    cost: Option<f64>,
    token_usage: Option<TokenUsage>,
    #[serde(default)]
    named_scores: Option<BTreeMap<String, Value>>,
    prompt: Option<Prompt<'a>>,
    prompt_idx: Option<i64>,
    provider: Option<Provider<'a>>,
    response: Option<Response<'a>>,
    test_case: Option<PromptfooTest<'a>>,
    #[serde(borrow)]
    description: Option<Cow<'a, str>>,
    vars: Option<Value>,
    metadata: Option<Value>,
}

/// Which prompt of which provider a result belongs to.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptPlace<'a> {
    prompt_idx: Option<i64>,
    #[serde(borrow)]
    provider: Option<Provider<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Grading<'a> {
    score: Option<f64>,
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
    component_results: Option<Vec<Option<ComponentResult<'a>>>>,
}

#[derive(Deserialize)]
struct ComponentResult<'a> {
    pass: Option<bool>,
    score: Option<f64>,
    #[serde(borrow)]
    reason: Option<Cow<'a, str>>,
    assertion: Option<Value>,
}

#[derive(Deserialize)]
struct TokenUsage {
    prompt: Option<u64>,
    completion: Option<u64>,
    total: Option<u64>,
}

#[derive(Deserialize)]
struct Prompt<'a> {
    #[serde(borrow)]
    raw: Option<Cow<'a, str>>,
    #[serde(borrow)]
    label: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Provider<'a> {
    #[serde(borrow)]
    Id(Cow<'a, str>),
    Named {
        id: Option<String>,
        label: Option<String>,
    },
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct PromptfooTest<'a> {
    #[serde(borrow)]
    description: Option<Cow<'a, str>>,
    vars: Option<Value>,
    assert: Option<Value>,
    metadata: Option<Value>,
}

/// The results in a document, each where it stands; `None` if there is no such list.
pub(super) fn results_in<'a>(file: &OutputFile<'a>) -> Option<Vec<&'a RawValue>> {
    let results = file.results?;
    if let Ok(list) = serde_json::from_str::<Vec<&RawValue>>(results.get()) {
        return Some(list);
    }
    serde_json::from_str::<Inner<'_>>(results.get()).ok()?.results
}

/// Whether a line is a result of promptfoo's.
pub(super) fn is_result(line: &Value) -> bool {
    line.get("promptIdx").is_some() || (line.get("success").is_some() && line.get("provider").is_some())
}

/// Reads every result. A case is a test with one prompt and one provider; `--repeat` asks it several times.
pub(super) fn read(text: &str, results: &[&RawValue]) -> Result<Records, Vec<ResultError>> {
    let positions = prompt_positions(results);
    let mut errors = Vec::new();
    let mut records = Vec::new();
    let mut variables = Vec::new();
    let mut notes = Vec::new();
    for raw in results {
        let at = place_of(text, raw);
        let result: PromptfooResult<'_> = match serde_json::from_str(raw.get()) {
            Ok(result) => result,
            Err(error) => {
                errors.push(ResultError { at, why: format!("is no result of promptfoo's: {error}") });
                continue;
            }
        };
        let Some(success) = result.success else {
            errors.push(ResultError { at, why: "the result does not say `success`".to_owned() });
            continue;
        };
        let vars = result.test_case.as_ref().and_then(|test| test.vars.clone()).or_else(|| result.vars.clone());
        let id = name(&result, vars.as_ref(), &positions);
        let assert = result.test_case.as_ref().and_then(|test| test.assert.clone()).unwrap_or_default();
        variables.push(result.description().and(vars.as_ref()).map(in_words).filter(|words| !words.is_empty()));
        let record = Record {
            id,
            tags: tags(&result),
            question: json!({ "vars": vars }),
            key: assert,
            repeats: true,
            reproduce: result.description().map(|text| format!("promptfoo eval --filter-pattern {}", pattern(text))),
            attempt: attempt(result, success),
            at,
        };
        if let Some(note) = &record.attempt.note {
            notes.push((record.at.clone(), note.clone()));
        }
        records.push(record);
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    tell_apart(&mut records, |index| variables[index].clone());
    Ok(Records { format: ImportFormat::Promptfoo, records, notes })
}

/// Where a part of a text stands in it.
pub(super) fn place_of(text: &str, part: &RawValue) -> Range<usize> {
    let start = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.get().len()
}

impl PromptfooResult<'_> {
    /// What the user calls the test.
    fn description(&self) -> Option<&str> {
        let of_test = self.test_case.as_ref().and_then(|test| test.description.as_deref());
        of_test.or(self.description.as_deref()).map(str::trim).filter(|text| !text.is_empty())
    }
}

/// promptfoo numbers prompts and providers together. The place of a prompt is that among those of its provider.
fn prompt_positions(results: &[&RawValue]) -> BTreeMap<i64, usize> {
    let mut of_provider: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for raw in results {
        if let Ok(PromptPlace { prompt_idx: Some(index), provider }) = serde_json::from_str(raw.get()) {
            of_provider.entry(provider_name(provider.as_ref()).unwrap_or_default()).or_default().insert(index);
        }
    }
    of_provider.values().flat_map(|all| all.iter().enumerate().map(|(place, index)| (*index, place + 1))).collect()
}

fn provider_name(provider: Option<&Provider<'_>>) -> Option<String> {
    let text = |text: &str| Some(in_id(text)).filter(|text| !text.is_empty());
    match provider? {
        Provider::Id(id) => text(id),
        Provider::Named { id, label } => label.as_deref().and_then(text).or_else(|| id.as_deref().and_then(text)),
    }
}

fn name(result: &PromptfooResult<'_>, vars: Option<&Value>, positions: &BTreeMap<i64, usize>) -> String {
    let test = result.description().map(in_id).or_else(|| vars.map(in_words)).filter(|test| !test.is_empty());
    let prompt = result.prompt.as_ref();
    let label = prompt.and_then(|prompt| {
        let raw = prompt.raw.as_deref().unwrap_or_default();
        label_of(prompt.label.as_deref()?, raw).map(|label| short_in_id(&label, 60))
    });
    let label = label.or_else(|| {
        let place = result.prompt_idx.and_then(|index| positions.get(&index)).copied();
        place.or(prompt.map(|_| 1)).map(|place| format!("prompt {place}"))
    });
    let parts: Vec<String> = [test, provider_name(result.provider.as_ref()), label].into_iter().flatten().collect();
    if parts.is_empty() { "test".to_owned() } else { parts.join(" · ") }
}

/// Variables as `name=value`.
fn in_words(vars: &Value) -> String {
    let Value::Object(vars) = vars else { return String::new() };
    let pairs = vars.iter().map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{}={}", in_id(name), short_in_id(&value, 40))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

/// Metadata of the test as `name=value`; what promptfoo adds for itself is left out.
fn tags(result: &PromptfooResult<'_>) -> Vec<String> {
    let of_test = result.test_case.as_ref().and_then(|test| test.metadata.as_ref());
    let Some(Value::Object(metadata)) = of_test.or(result.metadata.as_ref()) else { return Vec::new() };
    let mut tags = Vec::new();
    for (name, value) in metadata.iter().filter(|(name, _)| !name.starts_with('_')) {
        let one = |value: &Value| match value {
            Value::String(text) => Some(in_id(text)),
            Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        let values: Vec<String> = match value {
            Value::Array(all) => all.iter().filter_map(one).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                one(value).into_iter().collect()
            }
        };
        let short = values.into_iter().filter(|value| !value.is_empty() && value.chars().count() <= 60);
        tags.extend(short.map(|value| format!("{}={value}", in_id(name))));
    }
    tags
}

fn attempt(result: PromptfooResult<'_>, success: bool) -> ImportedAttempt {
    let status = status(&result, success);
    let passed = f64::from(u8::from(status == Status::Passed));
    let graded = result.grading_result.as_ref().and_then(|grading| grading.score);
    let (score, note) = clamped(result.score.or(graded).unwrap_or(passed));
    let details = details(&result, status);
    let metrics = result.named_scores.iter().flatten().filter_map(|(name, value)| {
        value.as_f64().filter(|value| value.is_finite()).map(|value| (metric_name(name), value))
    });
    ImportedAttempt {
        details,
        duration: result.latency_ms.and_then(milliseconds),
        output: result.response.as_ref().and_then(|response| response.output).and_then(output),
        // promptfoo writes 0 for what it does not know.
        tokens: result.token_usage.as_ref().and_then(tokens),
        cost: result.cost.filter(|cost| *cost > 0.0 && cost.is_finite()),
        metrics: metrics.collect(),
        components: result.grading_result.map(components).unwrap_or_default(),
        note,
        ..ImportedAttempt::new(status, score)
    }
}

fn tokens(usage: &TokenUsage) -> Option<Tokens> {
    match (usage.prompt.unwrap_or(0), usage.completion.unwrap_or(0), usage.total.unwrap_or(0)) {
        (0, 0, 0) => None,
        (0, 0, total) => Some(Tokens::Total(total)),
        (input, output, _) => Some(Tokens::Split { input, output }),
    }
}

/// A text as it is; anything else as JSON.
pub(super) fn output(raw: &RawValue) -> Option<String> {
    match serde_json::from_str::<Cow<'_, str>>(raw.get()) {
        Ok(text) => kept(&text),
        Err(_) if raw.get() == "null" => None,
        Err(_) => kept(raw.get()),
    }
}

fn components(grading: Grading<'_>) -> Vec<ImportedComponent> {
    let all = grading.component_results.into_iter().flatten().flatten();
    let component = |one: ComponentResult<'_>| {
        let text = |name: &str| one.assertion.as_ref()?.get(name)?.as_str().map(str::to_owned);
        let kind = text("type").unwrap_or_else(|| "assertion".to_owned());
        ImportedComponent {
            name: short_in_id(&text("metric").map_or(kind.clone(), |metric| format!("{metric} ({kind})")), 80),
            status: if one.pass == Some(true) { Status::Passed } else { Status::Failed },
            score: one.score.filter(|score| score.is_finite()),
            reason: one.reason.as_deref().and_then(kept),
        }
    };
    all.map(component).collect()
}

/// A failed assertion is the answer's fault; an error is nobody's answer; without an assertion nothing was checked.
fn status(result: &PromptfooResult<'_>, success: bool) -> Status {
    // promptfoo's ResultFailureReason: 0 none, 1 assertion, 2 error.
    let errored = result.failure_reason == Some(2)
        || (result.failure_reason.is_none() && !success && result.grading_result.is_none());
    match (success, errored) {
        (true, _) if !is_checked(result) => Status::Unmeasured,
        (true, _) => Status::Passed,
        (false, true) => Status::Error,
        (false, false) => Status::Failed,
    }
}

/// Whether anything was asserted. Files that do not say are believed.
fn is_checked(result: &PromptfooResult<'_>) -> bool {
    let asserts = result.test_case.as_ref().and_then(|test| test.assert.as_ref());
    let components = result.grading_result.as_ref().and_then(|grading| grading.component_results.as_ref());
    let reason = result.grading_result.as_ref().and_then(|grading| grading.reason.as_deref());
    match (asserts, components) {
        (_, Some(all)) if !all.is_empty() => true,
        (Some(Value::Array(asserts)), _) => !asserts.is_empty(),
        _ => reason != Some("No assertions"),
    }
}

fn details(result: &PromptfooResult<'_>, status: Status) -> Option<String> {
    let reason = result.grading_result.as_ref().and_then(|grading| grading.reason.as_deref()).and_then(kept);
    let error = result.error.as_deref().and_then(kept);
    match status {
        Status::Passed | Status::Skipped => None,
        Status::Unmeasured => Some("not checked: the test has no assertions".to_owned()),
        Status::Error => error.or(reason),
        Status::Failed => reason.or(error),
    }
}

/// A description as a pattern that matches it, for a shell.
fn pattern(description: &str) -> String {
    shell_quoted(&format!("^{}$", regex::escape(description)))
}
