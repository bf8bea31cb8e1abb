//! `set-overlap`: how much of what is there should be, and the other way round.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, Measure, MeasureError, MeasureInput, Measured, part, when_empty};
use crate::suites::golden::Selector;

/// How much of what is there should be, and the other way round; a value that is there twice counts twice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SetOverlap {
    /// The values of the answer.
    actual: Selector,
    /// The values of golden.
    golden: Selector,
    /// How the overlap is counted (default `f1`).
    #[serde(default)]
    by: Overlap,
    /// Whether capital letters are the same as small ones (default false).
    #[serde(default)]
    ignore_case: bool,
    /// The share if neither side selects anything (default: 0, and a mistake where golden has nothing).
    #[schemars(range(min = 0.0, max = 1.0))]
    when_empty: Option<f64>,
}

/// How an overlap is counted.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Overlap {
    /// Twice the common ones by all of both.
    #[default]
    F1,
    /// The common ones by those of either.
    Jaccard,
}

impl Definition for SetOverlap {
    const NAME: &'static str = "set-overlap";
}

impl Measure for SetOverlap {
    fn decided_by_when_empty(&self) -> Option<&Selector> {
        Some(&self.golden).filter(|_| self.when_empty.is_some_and(|share| share > 0.0))
    }

    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let key = |value: &Value| match value {
            Value::String(text) if self.ignore_case => Value::from(text.to_lowercase()).to_string(),
            Value::Number(number) => number.as_f64().map_or(number.to_string(), |number| number.to_string()),
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
        };
        let actual: Vec<String> = self.actual.select(input.document)?.into_iter().map(key).collect();
        let mut golden: Vec<String> = self.golden.select(input.document)?.into_iter().map(key).collect();
        let (ours, theirs) = (actual.len(), golden.len());
        if ours + theirs == 0 {
            return when_empty(self.when_empty, &self.actual, &self.golden);
        }
        let mut common = 0;
        for value in &actual {
            if let Some(at) = golden.iter().position(|other| other == value) {
                golden.swap_remove(at);
                common += 1;
            }
        }
        let share = match self.by {
            Overlap::F1 => part(2 * common, ours + theirs, 0.0),
            Overlap::Jaccard => part(common, ours + theirs - common, 0.0),
        };
        Ok(Measured::share(share, format!("{common} in common, {ours} answered, {theirs} in golden")))
    }
}
