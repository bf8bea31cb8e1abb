//! `count-difference`: some points less for each item too many or too few.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, check_penalty, count, when_empty,
};
use crate::suites::golden::Selector;

/// Some points less for each item too many or too few.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct CountDifference {
    /// The items of the answer.
    actual: Selector,
    /// The items of golden.
    golden: Selector,
    /// The points that an item costs; with `relative`, what being off by as many as golden has costs (default 1).
    #[schemars(extend("exclusiveMinimum" = 0))]
    penalty: Option<f64>,
    /// Whether the difference is taken relative to golden's count.
    #[serde(default)]
    relative: bool,
    /// The share if neither side selects anything (default: 0, and a mistake where golden has nothing).
    #[schemars(range(min = 0.0, max = 1.0))]
    when_empty: Option<f64>,
}

impl Definition for CountDifference {
    const NAME: &'static str = "count-difference";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        match (self.penalty, self.relative) {
            (Some(penalty), _) => check_penalty(penalty)?,
            (None, true) => {}
            (None, false) => {
                return Err(KeyError::new("penalty", "says not what an item costs; or say `relative = true`"));
            }
        }
        if self.actual.is_singular() {
            let why =
                format!("`{}` is one value of every answer, never more or fewer; count items with `[*]`", self.actual);
            return Err(KeyError::new("actual", why));
        }
        Ok(Value::Null)
    }
}

impl Measure for CountDifference {
    fn decided_by_when_empty(&self) -> Option<&Selector> {
        Some(&self.golden).filter(|_| self.when_empty.is_some_and(|share| share > 0.0))
    }

    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let (actual, golden) = (self.actual.select(input.document)?.len(), self.golden.select(input.document)?.len());
        if actual == 0 && golden == 0 {
            return when_empty(self.when_empty, &self.actual, &self.golden);
        }
        let difference = count(actual.abs_diff(golden));
        let off = match (self.relative, golden) {
            (true, 0) => {
                let why = format!("`{}` selects nothing, and no count is relative to that", self.golden);
                return Err(MeasureError::Scorer(why));
            }
            (true, golden) => difference / count(golden),
            (false, _) => difference,
        };
        Ok(Measured::less(self.penalty.unwrap_or(1.0) * off, format!("{actual} where golden has {golden}")))
    }
}
