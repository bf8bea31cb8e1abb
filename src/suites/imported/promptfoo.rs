//! promptfoo's `--output results.json`.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::format::{ImportedCase, ImportedQuestion};
use crate::input::{Document, Pointer};
use crate::model::Status;

/// Why a file is not read as promptfoo's results.
#[derive(Debug, thiserror::Error)]
pub(super) enum PromptfooError {
    #[error("expected promptfoo's results: {{\"results\": {{\"results\": […]}}}}")]
    NoResults,
    #[error("`{id}` has the score {score}, which is not between 0 and 1")]
    Score { id: String, score: f64 },
    #[error("a result does not say `success`")]
    NoSuccess,
}

/// Reads every result. A case is a test and the prompt and provider it was asked of; its name is its description.
pub(super) fn read(document: &Document) -> Result<Vec<ImportedCase>, PromptfooError> {
    let root = Pointer::root();
    let value = &document.value;
    let (at, results) = if value["results"]["results"].is_array() {
        (root.join("results").join("results"), &value["results"]["results"])
    } else if value["results"].is_array() {
        (root.join("results"), &value["results"])
    } else {
        return Err(PromptfooError::NoResults);
    };
    let mut cases = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    for (index, result) in results.as_array().into_iter().flatten().enumerate() {
        let at = at.join(index);
        let name = name(result);
        let count = names.entry(name.clone()).and_modify(|count| *count += 1).or_insert(1);
        let id = if *count > 1 { format!("{name} #{count}") } else { name };
        let (status, details) = status(result)?;
        let passed = f64::from(u8::from(status == Status::Passed));
        let score = result["score"].as_f64().or_else(|| result["gradingResult"]["score"].as_f64()).unwrap_or(passed);
        if !(0.0..=1.0).contains(&score) {
            return Err(PromptfooError::Score { id, score });
        }
        let asked = json!({
            "vars": result["vars"], "prompt": result["prompt"]["raw"], "assert": result["testCase"]["assert"],
        });
        cases.push(ImportedCase {
            id,
            line: document.line(&at),
            tags: Vec::new(),
            asked,
            question: ImportedQuestion {
                status,
                score,
                details,
                duration: result["latencyMs"].as_f64().and_then(|time| Duration::try_from_secs_f64(time / 1000.0).ok()),
                format: "promptfoo",
            },
        });
    }
    Ok(cases)
}

fn name(result: &Value) -> String {
    let text = |value: &Value| value.as_str().filter(|text| !text.trim().is_empty()).map(|text| text.trim().to_owned());
    let test = text(&result["testCase"]["description"]).or_else(|| text(&result["description"])).unwrap_or_else(|| {
        match &result["vars"] {
            Value::Object(vars) => {
                let pairs = vars.iter().map(|(name, value)| {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let short: String = value.chars().filter(|c| !c.is_control()).take(40).collect();
                    format!("{name}={}", short.trim())
                });
                pairs.collect::<Vec<_>>().join(" ")
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => String::new(),
        }
    });
    let provider = text(&result["provider"]["label"])
        .or_else(|| text(&result["provider"]["id"]))
        .or_else(|| text(&result["provider"]));
    let prompt =
        text(&result["prompt"]["label"]).map(|label| label.chars().filter(|c| !c.is_control()).take(40).collect());
    let parts: Vec<String> =
        [Some(test).filter(|test| !test.is_empty()), provider, prompt].into_iter().flatten().collect();
    let name = parts.join(" · ");
    if name.trim().is_empty() { "test".to_owned() } else { name.trim().to_owned() }
}

/// A failed assertion is the answer's fault; an error is nobody's answer.
fn status(result: &Value) -> Result<(Status, Option<String>), PromptfooError> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let reason = text(&result["gradingResult"]["reason"]).or_else(|| text(&result["error"]));
    let success = result["success"].as_bool().ok_or(PromptfooError::NoSuccess)?;
    // promptfoo's ResultFailureReason: 0 none, 1 assertion, 2 error.
    let errored = result["failureReason"].as_i64() == Some(2)
        || (result["failureReason"].is_null() && !success && result["gradingResult"].is_null());
    Ok(match (success, errored) {
        (true, _) => (Status::Passed, None),
        (false, true) => (Status::Error, text(&result["error"]).or(reason)),
        (false, false) => (Status::Failed, reason),
    })
}
