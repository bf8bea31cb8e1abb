//! What a job that makes a release can fail on.

use super::gather::Range;
use super::release_report::ReleaseReport;
use crate::model::{Change, Nature, Outcome};

/// Every metric and case that is worse than in the earlier release for sure.
pub fn worse(report: &ReleaseReport) -> Vec<String> {
    let mut all = Vec::new();
    for suite in &report.suites {
        let metrics = suite.metrics.iter().filter(|(_, metric)| metric.outcome == Outcome::Regressed);
        all.extend(metrics.map(|(name, _)| format!("{} {name}", suite.id)));
        // In a suite whose answers vary a single case may be chance.
        let lost = suite.changes.iter().filter(|case| match case.change {
            Change::Regressed => !suite.varies,
            Change::Lost => true,
            Change::Improved | Change::Unchanged | Change::Changed | Change::Added | Change::Removed => false,
        });
        all.extend(lost.map(|case| format!("{}/{}", suite.id, case.id)));
    }
    all
}

/// Every metric of the release that is below its floor, or above it if less is better.
pub fn below_min(range: &Range) -> Vec<String> {
    let Some((_, now)) = range.versions.last() else { return Vec::new() };
    let mut all = Vec::new();
    for (id, suite) in &now.suites {
        for (name, metric) in &suite.metrics {
            let floor =
                suite.policy.get(&format!("min {name}")).or_else(|| suite.policy.get(&format!("ceiling {name}")));
            let Some(floor) = floor.filter(|floor| !metric.better.meets(metric.value, **floor)) else { continue };
            let nature = Nature::of(name);
            all.push(format!("{id} {name} {} (floor {})", nature.format(metric.value), nature.format(*floor)));
        }
    }
    all
}
