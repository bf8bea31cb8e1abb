//! `ratio`: the share of items that satisfy a condition.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part};
use crate::suites::golden::Selector;
use crate::suites::golden::inert::selects_everything;

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
        let (items, satisfying) = (self.items.canonical(), self.satisfying.canonical());
        let is_same = |(all, some): (&String, &String)| {
            all == some || (all == "*" && some.starts_with('?') && selects_everything(some))
        };
        if items == satisfying {
            return Err(KeyError::new("satisfying", "is the same path as `items`, so every item satisfies it"));
        }
        if items.len() == satisfying.len() && items.iter().zip(satisfying).all(is_same) {
            return Err(KeyError::new("satisfying", "has a condition that every item satisfies"));
        }
        Ok(Value::Null)
    }
}

impl Measure for Ratio {
    fn decided_by_when_empty(&self) -> Option<&Selector> {
        Some(&self.items).filter(|_| self.when_empty > 0.0)
    }

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
