//! Intervals, percentiles, and tests of whether something got worse: pure arithmetic.

mod blocks;
mod bootstrap;
mod dispersion;
mod fisher;
mod holm;
mod interval;
mod mcnemar;
mod percentile;
mod power;
mod tarone;

pub use blocks::{Blocks, Side};
pub use bootstrap::paired_bootstrap;
pub use dispersion::overdispersion;
pub use fisher::{Tries, fisher};
pub use holm::holm;
pub use interval::{deviation, mean, mean_interval, wilson};
pub use mcnemar::mcnemar;
pub use percentile::percentile;
pub use power::needed_cases;
pub use tarone::{Discrete, tarone_holm};

/// What SciPy, statsmodels and NumPy answer, for the tests to compare with.
#[cfg(test)]
mod reference {
    use serde_json::Value;

    /// The rows of one table of `reference.json` or `evidence.json`.
    pub(super) fn rows(table: &str) -> Vec<Value> {
        let files = [include_str!("reference.json"), include_str!("evidence.json")];
        let tables = files.iter().map(|text| serde_json::from_str::<Value>(text).unwrap()[table].clone());
        tables.into_iter().find_map(|rows| rows.as_array().cloned()).unwrap()
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
