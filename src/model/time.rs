//! Durations as they stand in files.

use std::time::Duration;

/// A duration in milliseconds, to the microsecond.
pub fn milliseconds(duration: Duration) -> f64 {
    rounded(duration.as_secs_f64() * 1000.0)
}

/// A number with three decimals.
pub fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
