//! The tables of a comment: metrics, lanes, the trend.

use serde::Serialize;

use crate::aggregate::{is_expense, metric_specs};
use crate::model::{Better, Delta, MetricChange, Outcome};
use crate::report::comparison::cells;
use crate::report::sparkline;
use crate::results::{Results, SuiteResult};
use crate::text::counted;

#[derive(Debug, Serialize)]
pub(super) struct MetricsView {
    title: String,
    pub(super) folded: bool,
    sure: &'static str,
    trends: bool,
    pub(super) rows: Vec<MetricRow>,
    note: String,
}

#[derive(Debug, Serialize)]
pub(super) struct MetricRow {
    suite: String,
    metric: String,
    baseline: String,
    now: String,
    delta: String,
    sure: String,
    floor: String,
    target: String,
    trend: String,
}

/// What moved or does not hold, then in a fold what is as it was, cut so that each piece can be left out.
pub(super) fn metrics(results: &Results) -> Vec<MetricsView> {
    const PIECE: usize = 40;
    let trends = results.comparison.as_ref().is_some_and(|all| all.trend.values().flatten().any(|(_, v)| v.len() > 1));
    let (mut rows, mut same) = (Vec::new(), Vec::new());
    for suite in &results.suites {
        let compared = results.comparison.as_ref().and_then(|all| all.suites.iter().find(|one| one.id == suite.id));
        let (mut first, mut first_same) = (true, true);
        for spec in metric_specs(suite.kind).iter().filter(|spec| !spec.name.ends_with("-ms")) {
            let Some(metric) = suite.metrics.get(spec.name).filter(|metric| metric.value.is_some()) else { continue };
            let change = compared.and_then(|one| one.metrics.get(spec.name));
            let [baseline, delta] = cells(spec.name, change);
            let number = |value: f64| if is_expense(spec.name) { format!("{value:.4}") } else { format!("{value:.3}") };
            let past = results.comparison.as_ref().and_then(|all| all.trend.get(&suite.id)?.get(spec.name));
            let trend = past.filter(|past| past.len() > 1).map(|past| {
                let mut values = past.clone();
                values.push(metric.value);
                sparkline(&values)
            });
            let holds = |limit: f64, value: f64| match metric.better {
                Better::Higher => value >= limit,
                Better::Lower => value <= limit,
            };
            let missed = metric.min.zip(metric.value).is_some_and(|(min, value)| !holds(min, value));
            // What is as it was and holds need not be looked at.
            let is_same = !missed
                && change.is_some_and(|change| match change.delta {
                    Delta::Same { .. } => true,
                    // Less than is shown.
                    Delta::Better { by, .. } | Delta::Worse { by, .. } => {
                        by < 0.0005 && change.outcome != Outcome::Regressed
                    }
                    Delta::FromZero { .. } | Delta::Appeared { .. } | Delta::Disappeared { .. } | Delta::Absent => {
                        false
                    }
                });
            let (rows, first) = if is_same { (&mut same, &mut first_same) } else { (&mut rows, &mut first) };
            rows.push(MetricRow {
                suite: if *first { suite.id.to_string() } else { String::new() },
                metric: spec.name.to_owned(),
                baseline,
                now: metric.value.map_or_else(String::new, number),
                delta: pointed(&delta, change),
                sure: sureness(suite, change, metric.ci95),
                floor: metric.min.map_or_else(String::new, number),
                target: metric.target.map_or_else(String::new, number),
                trend: trend.unwrap_or_default(),
            });
            *first = false;
        }
    }
    let note = if results.comparison.is_some() {
        "<sub>*baseline* and Δ are over the cases that both sides have, *now* is over all.</sub>"
    } else {
        ""
    };
    let unchanged = format!("{} as in the baseline", counted(same.len(), "metric"));
    let mut views = Vec::new();
    for (rows, title, folded) in [(rows, "Metrics".to_owned(), false), (same, unchanged, true)] {
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            views.push(MetricsView {
                title: title.clone(),
                folded,
                sure: if results.comparison.is_some() { "how sure" } else { "95 % interval" },
                trends,
                rows: rows.by_ref().take(PIECE).collect(),
                note: note.to_owned(),
            });
        }
    }
    views
}

/// A delta with the sign that reviewers look for.
fn pointed(delta: &str, change: Option<&MetricChange>) -> String {
    let plain = delta.trim_end_matches([' ', '✓', '✗', '·', '?']);
    let sign = match change.map(|change| change.outcome) {
        Some(Outcome::Regressed) => " 🔴",
        Some(Outcome::Improved) => " 🟢",
        Some(Outcome::Inconclusive) => " ❔",
        Some(Outcome::Slipped | Outcome::Unchanged | Outcome::NotCompared) | None => "",
    };
    format!("{plain}{sign}")
}

/// How sure a change is: exact, or an interval.
fn sureness(suite: &SuiteResult, change: Option<&MetricChange>, ci95: Option<[f64; 2]>) -> String {
    match (change, ci95) {
        (Some(MetricChange { ci95: Some([low, high]), p, .. }), _) => {
            let p = p.map(|p| format!(", p {p:.3}")).unwrap_or_default();
            format!("Δ {low:+.3} … {high:+.3}{p}")
        }
        (Some(change), _) if !suite.varies && change.delta != Delta::Absent => "exact".to_owned(),
        (_, Some([low, high])) => format!("{low:.3} … {high:.3}"),
        (_, None) => String::new(),
    }
}

#[derive(Debug, Serialize)]
pub(super) struct LanesView {
    pub(super) rows: Vec<LaneRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct LaneRow {
    suite: String,
    lane: String,
    precision: [String; 2],
    recall: [String; 2],
    mrr: [String; 2],
    n: usize,
}

/// P@K, R@K and MRR for each lane, with what became of them.
pub(super) fn lanes(results: &Results) -> Option<LanesView> {
    let mut rows = Vec::new();
    for suite in &results.suites {
        let compared = results.comparison.as_ref().and_then(|all| all.suites.iter().find(|one| one.id == suite.id));
        for (slice, metrics) in &suite.slices {
            let Some(lane) = slice.strip_prefix("lane=") else { continue };
            let cell = |name: &str| {
                let value = metrics.get(name).and_then(|metric| metric.value);
                let change = compared.and_then(|one| one.slices.get(slice)?.get(name));
                let [_, delta] = cells(name, change);
                [value.map_or("–".to_owned(), |value| format!("{value:.3}")), pointed(&delta, change)]
            };
            rows.push(LaneRow {
                suite: suite.id.to_string(),
                lane: lane.to_owned(),
                precision: cell("precision-at-k"),
                recall: cell("recall-at-k"),
                mrr: cell("mrr"),
                n: metrics.get("mrr").map_or(0, |metric| metric.n),
            });
        }
    }
    (!rows.is_empty()).then_some(LanesView { rows })
}

#[derive(Debug, Serialize)]
pub(super) struct TrendView {
    pub(super) rows: Vec<TrendRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct TrendRow {
    suite: String,
    metric: String,
    line: String,
    first: String,
    last: String,
}

/// How every metric went, up to now.
pub(super) fn trend(results: &Results) -> Option<TrendView> {
    let comparison = results.comparison.as_ref()?;
    let mut rows = Vec::new();
    for suite in &results.suites {
        for (name, past) in comparison.trend.get(&suite.id).into_iter().flatten() {
            let now = suite.metrics.get(name).and_then(|metric| metric.value);
            let mut values = past.clone();
            values.push(now);
            let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.3}"));
            rows.push(TrendRow {
                suite: suite.id.to_string(),
                metric: name.clone(),
                line: sparkline(&values),
                first: number(past.iter().copied().flatten().next()),
                last: number(now),
            });
        }
    }
    (!rows.is_empty()).then_some(TrendView { rows })
}
