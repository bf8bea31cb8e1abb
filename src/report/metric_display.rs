//! A metric and how it changed as the texts that terminal, comment, page and release share. Each format draws the outcome
//! with a mark of its own.

use serde::Serialize;

use crate::model::{Better, Delta, Metric, MetricChange, NO_VALUE, Nature, Outcome, format_p};

/// What a metric was, and by how much it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct ChangeDisplay {
    /// What it was, or a dash.
    pub(super) before: String,
    /// `+0.014`, `=`, or nothing where one side is missing.
    pub(super) by: String,
    pub(super) outcome: Outcome,
}

impl ChangeDisplay {
    pub(super) fn new(nature: Nature, delta: Delta, outcome: Outcome) -> Self {
        let (before, now) = delta.values();
        let by = match (delta, before, now) {
            (Delta::Same { .. }, _, _) => "=".to_owned(),
            (_, Some(before), Some(now)) => nature.format_change(now - before),
            (_, None, _) | (_, _, None) => String::new(),
        };
        Self { before: nature.format_or_dash(before), by, outcome }
    }

    /// Of a metric that may not have been compared.
    pub(super) fn of(nature: Nature, change: Option<&MetricChange>) -> Self {
        match change {
            Some(change) => Self::new(nature, change.delta, change.outcome),
            None => Self { before: NO_VALUE.to_owned(), by: String::new(), outcome: Outcome::NotCompared },
        }
    }
}

/// How sure a change is: an interval, `exact`, or nothing.
pub(super) fn certainty(nature: Nature, ci95: Option<[f64; 2]>, p: Option<f64>, is_exact: bool) -> String {
    match ci95 {
        Some([low, high]) => {
            let p = p.map(|p| format!(", {}", format_p(p))).unwrap_or_default();
            format!("Δ {} … {}{p}", nature.format_change(low), nature.format_change(high))
        }
        None if is_exact => "exact".to_owned(),
        None => String::new(),
    }
}

/// The 95 % interval of a value.
pub(super) fn interval(nature: Nature, ci95: Option<[f64; 2]>) -> Option<String> {
    ci95.map(|[low, high]| format!("{} … {}", nature.format(low), nature.format(high)))
}

/// What the gate holds a metric to: a floor, or a ceiling where lower is better.
pub(super) fn floor(nature: Nature, metric: &Metric) -> Option<String> {
    metric.min.map(|min| match metric.better {
        Better::Higher => nature.format(min),
        Better::Lower => format!("≤ {}", nature.format(min)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_written_as_its_metric_is() {
        let of = |nature: Nature, before: Option<f64>, now: Option<f64>| {
            let ChangeDisplay { before, by, .. } =
                ChangeDisplay::new(nature, Delta::of(Better::Higher, before, now), Outcome::Improved);
            (before, by)
        };
        let texts = |before: &str, by: &str| (before.to_owned(), by.to_owned());
        assert_eq!(of(Nature::Quality, Some(0.875), Some(0.889)), texts("0.875", "+0.014"));
        assert_eq!(of(Nature::Quality, Some(0.875), Some(0.875)), texts("0.875", "="));
        assert_eq!(of(Nature::Cost, Some(0.000_14), Some(0.000_12)), texts("0.00014", "−0.00002"));
        assert_eq!(of(Nature::Latency, Some(0.0), Some(1200.0)), texts("0.0 ms", "+1.20 s"));
        assert_eq!(of(Nature::Quality, None, Some(0.5)), texts("–", ""));
        assert_eq!(of(Nature::Quality, Some(0.5), None), texts("0.500", ""));
    }
}
