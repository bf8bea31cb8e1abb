//! The metrics of several baselines, one after another.

use super::Baseline;
use crate::model::Trend;

/// Suite → metric → a value for each version; where a version has none there is a gap.
pub fn series(versions: &[&Baseline]) -> Trend {
    let mut trend = Trend::new();
    for (index, version) in versions.iter().enumerate() {
        for (id, suite) in &version.suites {
            for (name, metric) in &suite.metrics {
                let values = trend.entry(id.clone()).or_default().entry(name.clone()).or_default();
                values.resize(index, None);
                values.push(Some(metric.value));
            }
        }
    }
    for values in trend.values_mut().flat_map(|metrics| metrics.values_mut()) {
        values.resize(versions.len(), None);
    }
    trend
}
