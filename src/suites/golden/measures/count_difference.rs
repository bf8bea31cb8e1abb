//! `count-difference`: some points less for each item too many or too few.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Definition, Measure, MeasureError, MeasureInput, Measured, count};
use crate::suites::golden::Selector;

/// Some points less for each item too many or too few.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct CountDifference {
    /// The items of the answer.
    actual: Selector,
    /// The items of golden.
    golden: Selector,
    /// The points that an item costs.
    #[schemars(extend("exclusiveMinimum" = 0))]
    penalty: f64,
}

impl Definition for CountDifference {
    const NAME: &'static str = "count-difference";
}

impl Measure for CountDifference {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let (actual, golden) = (self.actual.select(input.document)?.len(), self.golden.select(input.document)?.len());
        let difference = count(actual.abs_diff(golden));
        Ok(Measured::less(self.penalty * difference, format!("{actual} where golden has {golden}")))
    }
}
