//! `length`: neither too short nor too long.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part};
use crate::suites::golden::Selector;

/// Neither too short nor too long.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Length {
    /// The texts of the answer, or its items.
    actual: Selector,
    /// What is counted (default `characters`).
    #[serde(default)]
    unit: Unit,
    /// At least so many.
    min: Option<usize>,
    /// At most so many.
    max: Option<usize>,
}

/// What is counted.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Unit {
    /// The characters of each text.
    #[default]
    Characters,
    /// The words of each text.
    Words,
    /// The values that are selected.
    Items,
}

impl Definition for Length {
    const NAME: &'static str = "length";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        match (self.min, self.max) {
            (None | Some(0), None) => {
                Err(KeyError::new("actual", "says neither `min` nor `max`, so every length is right"))
            }
            (Some(min), Some(max)) if min > max => Err(KeyError::new("min", "is more than `max`")),
            (Some(_), _) | (None, Some(_)) => Ok(Value::Null),
        }
    }
}

impl Measure for Length {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let lengths: Vec<usize> = match self.unit {
            Unit::Items => vec![self.actual.select(input.document)?.len()],
            Unit::Characters => self.actual.texts(input.document)?.iter().map(|text| text.chars().count()).collect(),
            Unit::Words => self.actual.texts(input.document)?.iter().map(|t| t.split_whitespace().count()).collect(),
        };
        let fits =
            |length: &&usize| self.min.is_none_or(|min| **length >= min) && self.max.is_none_or(|max| **length <= max);
        let fitting = lengths.iter().filter(fits).count();
        let wrong = lengths.iter().find(|length| !fits(length));
        let bounds = match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => String::new(),
        };
        let unit = match self.unit {
            Unit::Characters => "characters",
            Unit::Words => "words",
            Unit::Items => "items",
        };
        let none = || lengths.is_empty().then(|| format!("`{}` selects no text", self.actual));
        let note = wrong.map(|length| format!("{length} {unit}, wanted {bounds}")).or_else(none);
        Ok(Measured::share(part(fitting, lengths.len(), 0.0), note))
    }
}
