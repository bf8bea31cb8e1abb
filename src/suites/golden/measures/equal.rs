//! `equal`: the same values.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, Measure, MeasureError, MeasureInput, Measured};
use crate::suites::golden::Selector;
use crate::suites::golden::selector::kind_of;

/// The same values in the same order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Equal {
    /// The values of the answer.
    actual: Selector,
    /// What they should be: values of golden, of the input or of the case.
    golden: Selector,
    /// What is the same (default `exact`).
    #[serde(default)]
    by: Sameness,
}

/// What is the same.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Sameness {
    /// Every character.
    #[default]
    Exact,
    /// Capital letters are the same as small ones.
    IgnoreCase,
    /// Letters and digits alone count; case, blanks and punctuation do not.
    Normalised,
}

impl Definition for Equal {
    const NAME: &'static str = "equal";
}

impl Measure for Equal {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let actual = self.actual.select(input.document)?;
        let golden = self.golden.select(input.document)?;
        if actual.len() != golden.len() {
            return Ok(Measured::share(0.0, format!("{} values where golden has {}", actual.len(), golden.len())));
        }
        let different = actual.iter().zip(&golden).find(|(a, b)| self.key(a) != self.key(b));
        Ok(match different {
            None => Measured::share(1.0, None),
            Some((a, b)) => Measured::share(0.0, format!("{} where golden has {}", kind_of(a), kind_of(b))),
        })
    }
}

impl Equal {
    /// Equal values have equal keys.
    fn key(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.by {
                Sameness::Exact => value.clone(),
                Sameness::IgnoreCase => Value::from(text.to_lowercase()),
                Sameness::Normalised => {
                    let words = text.to_lowercase();
                    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                    Value::from(words.collect::<Vec<_>>().join(" "))
                }
            },
            Value::Number(number) => number.as_f64().map_or(value.clone(), Value::from),
            Value::Array(items) => items.iter().map(|item| self.key(item)).collect(),
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().map(|(name, item)| (name.clone(), self.key(item))).collect();
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Value::Object(entries.into_iter().collect())
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }
}
