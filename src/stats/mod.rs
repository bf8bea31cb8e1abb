//! Intervals and percentiles: pure arithmetic.

mod interval;
mod percentile;

pub use interval::{mean, mean_interval, wilson};
pub use percentile::percentile;
