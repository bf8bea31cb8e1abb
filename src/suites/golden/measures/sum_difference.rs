//! `sum-difference`: as many points less as the sum is off, relative to golden's.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, check_penalty};
use crate::suites::golden::Selector;

/// As many points less as the sum is off, relative to golden's.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SumDifference {
    /// The numbers of the answer.
    actual: Selector,
    /// The numbers of golden.
    golden: Selector,
    /// The points that being off by the whole sum costs (default 1).
    #[schemars(extend("exclusiveMinimum" = 0))]
    #[serde(default = "one")]
    penalty: f64,
}

const fn one() -> f64 {
    1.0
}

impl Definition for SumDifference {
    const NAME: &'static str = "sum-difference";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        check_penalty(self.penalty).map(|()| Value::Null)
    }
}

impl Measure for SumDifference {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let golden = sum(&self.golden.numbers(input.document)?);
        if golden == 0.0 {
            return Err(MeasureError::Scorer(format!(
                "`{}` adds up to 0, and nothing is relative to that",
                self.golden
            )));
        }
        let actual = sum(&self.actual.numbers(input.document)?);
        let off = (actual - golden).abs() / golden.abs();
        if !off.is_finite() {
            return Err(MeasureError::Answer(format!("`{}` adds up to more than can be compared", self.actual)));
        }
        Ok(Measured::less(self.penalty * off, format!("{actual} where golden has {golden}")))
    }
}

/// Of nothing it is 0, not −0.
fn sum(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |sum, number| sum + number)
}
