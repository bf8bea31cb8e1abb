//! `tolerance`: numbers that are near enough.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part, when_empty};
use crate::suites::golden::Selector;

/// The share of numbers that are near enough to golden's, pair by pair; what has no partner is not.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Tolerance {
    /// The numbers of the answer.
    actual: Selector,
    /// The numbers of golden.
    golden: Selector,
    /// How far off a number may be.
    #[schemars(range(min = 0.0))]
    within: Option<f64>,
    /// How far off it may be relative to golden, such as 0.1.
    #[schemars(range(min = 0.0))]
    within_share: Option<f64>,
    /// The share if neither side selects anything (default: 0, and a mistake where golden has nothing).
    #[schemars(range(min = 0.0, max = 1.0))]
    when_empty: Option<f64>,
}

/// Nobody measures anything so large that this is a tolerance.
const FARTHEST: f64 = 1e15;

impl Definition for Tolerance {
    const NAME: &'static str = "tolerance";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        match (self.within, self.within_share) {
            (None, None) => Err(KeyError::new("actual", "says neither `within` nor `within-share`")),
            (Some(_), Some(_)) => Err(KeyError::new("within", "`within-share` says it otherwise; keep one")),
            (Some(within), None) if within >= FARTHEST => {
                Err(KeyError::new("within", format!("every number is within {within} of golden's")))
            }
            (None, Some(share)) if share >= 1.0 => Err(KeyError::new(
                "within-share",
                format!("{share} lets 0 be near enough to any number; say less than 1"),
            )),
            (Some(_), None) | (None, Some(_)) => Ok(Value::Null),
        }
    }
}

impl Measure for Tolerance {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let (actual, golden) = (self.actual.numbers(input.document)?, self.golden.numbers(input.document)?);
        let allowed = |golden: f64| self.within.unwrap_or_else(|| self.within_share.unwrap_or(0.0) * golden.abs());
        // A step of rounding does not decide.
        let near = |(a, b): &(&f64, &f64)| (**a - **b).abs() <= allowed(**b) + 1e-12 * b.abs();
        let near = actual.iter().zip(&golden).filter(near).count();
        let all = actual.len().max(golden.len());
        if all == 0 {
            return when_empty(self.when_empty, &self.actual, &self.golden);
        }
        Ok(Measured::share(part(near, all, 0.0), format!("{near} of {all} are near enough")))
    }
}
