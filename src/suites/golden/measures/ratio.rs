//! `ratio`: the share of items that satisfy a condition.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part};
use crate::suites::golden::Selector;

/// The share of items that satisfy a condition.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Ratio {
    /// Selects the items that are counted.
    items: Selector,
    /// Those of them that are as they should be: the same path with a further condition.
    satisfying: Selector,
    /// The share if there is no item at all (default 0).
    #[schemars(range(min = 0.0, max = 1.0))]
    #[serde(default)]
    when_empty: f64,
}

impl Definition for Ratio {
    const NAME: &'static str = "ratio";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        if self.items.as_str() == self.satisfying.as_str() {
            return Err(KeyError::new("satisfying", "is the same path as `items`, so every item satisfies it"));
        }
        Ok(Value::Null)
    }
}

impl Measure for Ratio {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let items = self.items.select(input.document)?;
        let satisfying = self.satisfying.select(input.document)?;
        // What is selected is the same value in the same place, so its address tells.
        if satisfying.iter().any(|one| !items.iter().any(|item| std::ptr::eq(*item, *one))) {
            let message = format!("`{}` selects what `{}` does not", self.satisfying, self.items);
            return Err(MeasureError::Scorer(message));
        }
        let note = match items.len() {
            0 => format!("`{}` selects nothing", self.items),
            all => format!("{} of {all} satisfy `{}`", satisfying.len(), self.satisfying),
        };
        Ok(Measured::share(part(satisfying.len(), items.len(), self.when_empty), note))
    }
}
