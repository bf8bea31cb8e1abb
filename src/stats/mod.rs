//! Intervals, percentiles, and tests of whether something got worse: pure arithmetic.

mod bootstrap;
mod holm;
mod interval;
mod mcnemar;
mod percentile;
mod power;
mod sign_flip;

pub use bootstrap::paired_bootstrap;
pub use holm::holm;
pub use interval::{deviation, mean, mean_interval, wilson};
pub use mcnemar::mcnemar;
pub use percentile::percentile;
pub use power::needed_cases;
pub use sign_flip::sign_flip;

/// What SciPy, statsmodels and NumPy answer, for the tests to compare with.
#[cfg(test)]
mod reference {
    use serde_json::Value;

    /// The rows of one table of `reference.json`.
    pub(super) fn rows(table: &str) -> Vec<Value> {
        let reference: Value = serde_json::from_str(include_str!("reference.json")).unwrap();
        reference[table].as_array().unwrap().clone()
    }

    /// A list of numbers.
    pub(super) fn numbers(value: &Value) -> Vec<f64> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
    }

    pub(super) fn count(value: &Value) -> usize {
        usize::try_from(value.as_u64().unwrap()).unwrap()
    }

    /// Asserts that two numbers agree but for `tolerance`, relative to the expected one.
    pub(super) fn agrees(actual: f64, expected: &Value, tolerance: f64) {
        let expected = expected.as_f64().unwrap();
        assert!((actual - expected).abs() <= tolerance * expected.abs(), "{actual} is not {expected}");
    }
}
