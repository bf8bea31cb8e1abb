//! `regex`: texts that match a regular expression.

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part};
use crate::suites::golden::Selector;

/// The share of texts that match a regular expression.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Matches {
    /// The texts of the answer.
    actual: Selector,
    /// The expression; `^` and `$` for the whole text.
    #[schemars(length(min = 1))]
    pattern: String,
    #[serde(skip)]
    #[schemars(skip)]
    regex: Option<Regex>,
}

/// An expression that all of these match can hardly fail.
const SAMPLES: [&str; 8] = ["", "a", "Z", "0", " ", "é", "{}", "-\t."];

impl Definition for Matches {
    const NAME: &'static str = "regex";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        let regex = Regex::new(&self.pattern).map_err(|error| KeyError::new("pattern", error.to_string()))?;
        if SAMPLES.iter().all(|sample| regex.is_match(sample)) {
            return Err(KeyError::new("pattern", "matches every text, even an empty one"));
        }
        self.regex = Some(regex);
        Ok(Value::Null)
    }
}

impl Measure for Matches {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let texts = self.actual.texts(input.document)?;
        let Some(regex) = &self.regex else { return Err(MeasureError::Scorer("the expression was not read".into())) };
        let matching = texts.iter().filter(|text| regex.is_match(text)).count();
        let note = format!("{matching} of {} match `{}`", texts.len(), self.pattern);
        Ok(Measured::share(part(matching, texts.len(), 0.0), note))
    }
}
