//! `contains`: texts in which certain words stand, or do not.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part};
use crate::suites::golden::Selector;
use serde_json::Value;

/// Whether certain words stand in the selected texts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Contains {
    /// The texts of the answer.
    actual: Selector,
    /// The words that are looked for.
    #[serde(default)]
    wanted: Vec<String>,
    /// Or where they stand: in golden, the input or the case.
    golden: Option<Selector>,
    /// Which of them must be there (default `all`).
    #[serde(default)]
    which: Which,
    /// Whether capital letters are the same as small ones (default false).
    #[serde(default)]
    ignore_case: bool,
}

/// Which words must be there.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Which {
    /// All; the share of those that are counts.
    #[default]
    All,
    /// At least one of the values must be there.
    Any,
    /// None of the values may be there.
    None,
}

impl Definition for Contains {
    const NAME: &'static str = "contains";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        match (self.wanted.is_empty(), &self.golden) {
            (true, None) => {
                Err(KeyError::new("actual", "says neither `wanted` nor `golden`, so nothing is looked for"))
            }
            (false, Some(_)) => Err(KeyError::new("golden", "`wanted` says already what is looked for; keep one")),
            (true, Some(_)) | (false, None) if self.wanted.iter().any(|word| word.trim().is_empty()) => {
                Err(KeyError::new("wanted", "every text contains an empty one"))
            }
            (true, Some(_)) | (false, None) => Ok(Value::Null),
        }
    }
}

impl Measure for Contains {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let fold = |text: &str| if self.ignore_case { text.to_lowercase() } else { text.to_owned() };
        let texts: Vec<String> = self.actual.texts(input.document)?.into_iter().map(fold).collect();
        let wanted: Vec<String> = match &self.golden {
            Some(golden) => golden.texts(input.document)?.into_iter().map(str::to_owned).collect(),
            None => self.wanted.clone(),
        };
        let wanted: Vec<String> = wanted.into_iter().filter(|word| !word.trim().is_empty()).collect();
        let nothing = |path: &Selector, what| MeasureError::Answer(format!("`{path}` selects no {what}"));
        if texts.is_empty() {
            return Err(nothing(&self.actual, "text"));
        }
        if let Some(golden) = self.golden.as_ref().filter(|_| wanted.iter().all(|word| word.trim().is_empty())) {
            return Err(nothing(golden, "word to look for"));
        }
        let is_there = |word: &&String| texts.iter().any(|text| text.contains(&fold(word)));
        let there: Vec<&String> = wanted.iter().filter(is_there).collect();
        let missing: Vec<&str> = wanted.iter().filter(|word| !is_there(word)).map(String::as_str).collect();
        Ok(match self.which {
            Which::All => {
                let note = (!missing.is_empty()).then(|| format!("not there: {}", missing.join(", ")));
                Measured::share(part(there.len(), wanted.len(), 0.0), note)
            }
            Which::Any => {
                let note = there.is_empty().then(|| format!("none of these is there: {}", missing.join(", ")));
                Measured::share(if there.is_empty() { 0.0 } else { 1.0 }, note)
            }
            Which::None => {
                let found: Vec<&str> = there.iter().map(|word| word.as_str()).collect();
                let note = (!found.is_empty()).then(|| format!("must not be there: {}", found.join(", ")));
                Measured::share(if found.is_empty() { 1.0 } else { 0.0 }, note)
            }
        })
    }
}
