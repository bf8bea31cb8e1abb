//! The tables of a comment: metrics, slices, the trend.

use serde::Serialize;

use crate::model::{Comparison, Delta, Metric, MetricChange, Nature, Outcome};
use crate::report::markdown::outcome_mark;
use crate::report::metric_display::{ChangeDisplay, certainty, floor, interval};
use crate::report::sparkline;
use crate::results::{Results, SuiteResult};
use crate::suites::{Kind, SliceTable};
use crate::text::counted;

#[derive(Debug, Serialize)]
pub(super) struct MetricsView {
    title: String,
    pub(super) folded: bool,
    sure: &'static str,
    trends: bool,
    pub(super) rows: Vec<CommentMetricRow>,
    note: String,
}

#[derive(Debug, Serialize)]
pub(super) struct CommentMetricRow {
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
        for spec in suite.kind.metrics().iter().filter(|spec| spec.nature() != Nature::Latency) {
            let Some(metric) = suite.metrics.get(spec.name).filter(|metric| metric.value.is_some()) else { continue };
            let change = compared.and_then(|one| one.metrics.get(spec.name));
            let nature = spec.nature();
            let shown = ChangeDisplay::of(nature, change);
            let past = results.comparison.as_ref().and_then(|all| all.trend.get(&suite.id)?.get(spec.name));
            let trend = past.filter(|past| past.len() > 1).map(|past| {
                let mut values = past.clone();
                values.push(metric.value);
                sparkline(&values)
            });
            // What is as it was and holds need not be looked at.
            let is_same = !metric.misses_limit()
                && change.is_some_and(|change| match change.delta {
                    Delta::Same { .. } => true,
                    Delta::Better { before, now, .. } | Delta::Worse { before, now, .. } => {
                        nature.format(before) == nature.format(now) && change.outcome != Outcome::Regressed
                    }
                    Delta::FromZero { .. } | Delta::Appeared { .. } | Delta::Disappeared { .. } | Delta::Absent => {
                        false
                    }
                });
            let (rows, first) = if is_same { (&mut same, &mut first_same) } else { (&mut rows, &mut first) };
            rows.push(CommentMetricRow {
                suite: if *first { suite.id.to_string() } else { String::new() },
                metric: spec.name.to_owned(),
                delta: marked(&shown),
                baseline: shown.before,
                now: nature.format_or_dash(metric.value),
                sure: sure(suite, nature, change, metric),
                floor: floor(nature, metric).unwrap_or_default(),
                target: metric.target.map_or_else(String::new, |target| nature.format(target)),
                trend: trend.unwrap_or_default(),
            });
            *first = false;
        }
    }
    let note = results.comparison.as_ref().map(metrics_note).unwrap_or_default();
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
                note: note.clone(),
            });
        }
    }
    views
}

/// A change with the mark that reviewers look for. The space keeps both in one line.
fn marked(change: &ChangeDisplay) -> String {
    format!("{}\u{a0}{}", change.by, outcome_mark(change.outcome)).trim().to_owned()
}

/// How sure a change is; without one, the interval of the value.
fn sure(suite: &SuiteResult, nature: Nature, change: Option<&MetricChange>, metric: &Metric) -> String {
    let of_change = change.map(|change| {
        let is_exact = !suite.varies && change.delta != Delta::Absent;
        certainty(nature, change.ci95, change.p, is_exact)
    });
    of_change.filter(|text| !text.is_empty()).or_else(|| interval(nature, metric.ci95)).unwrap_or_default()
}

#[derive(Debug, Serialize)]
pub(super) struct SlicesView {
    title: &'static str,
    dimension: &'static str,
    metrics: Vec<&'static str>,
    pub(super) rows: Vec<CommentSliceRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct CommentSliceRow {
    suite: String,
    slice: String,
    /// Of each metric its value and its change.
    cells: Vec<[String; 2]>,
    n: usize,
}

/// The slices of every kind that has a table for them, with how they changed.
pub(super) fn slices(results: &Results) -> Vec<SlicesView> {
    let mut views = Vec::new();
    for (kind, table) in Kind::ALL.iter().filter_map(|kind| Some((*kind, kind.slice_table()?))) {
        let suites = results.suites.iter().filter(|suite| suite.kind == kind);
        let rows: Vec<CommentSliceRow> = suites.flat_map(|suite| slice_rows(results, suite, table)).collect();
        if !rows.is_empty() {
            let metrics = table.metrics.iter().map(|(_, heading)| *heading).collect();
            views.push(SlicesView { title: table.title, dimension: table.dimension, metrics, rows });
        }
    }
    views
}

fn slice_rows(results: &Results, suite: &SuiteResult, table: SliceTable) -> Vec<CommentSliceRow> {
    let compared = results.comparison.as_ref().and_then(|all| all.suites.iter().find(|one| one.id == suite.id));
    let mut rows = Vec::new();
    for (slice, metrics) in &suite.slices {
        let Some((_, value)) = slice.split_once('=').filter(|(dimension, _)| *dimension == table.dimension) else {
            continue;
        };
        let cell = |name: &str| {
            let value = metrics.get(name).and_then(|metric| metric.value);
            let change = compared.and_then(|one| one.slices.get(slice)?.get(name));
            let nature = Nature::of(name);
            [nature.format_or_dash(value), marked(&ChangeDisplay::of(nature, change))]
        };
        let last = table.metrics.last().and_then(|(name, _)| metrics.get(*name));
        rows.push(CommentSliceRow {
            suite: suite.id.to_string(),
            slice: value.to_owned(),
            cells: table.metrics.iter().map(|(name, _)| cell(name)).collect(),
            n: last.map_or(0, |metric| metric.n),
        });
    }
    rows
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
            let nature = Nature::of(name);
            rows.push(TrendRow {
                suite: suite.id.to_string(),
                metric: name.clone(),
                line: sparkline(&values),
                first: nature.format_or_dash(past.iter().copied().flatten().next()),
                last: nature.format_or_dash(now),
            });
        }
    }
    (!rows.is_empty()).then_some(TrendView { rows })
}

/// What baseline and Δ are over.
fn metrics_note(comparison: &Comparison) -> String {
    let mut runs: Vec<usize> = comparison.suites.iter().map(|suite| suite.pooled).filter(|runs| *runs > 0).collect();
    runs.sort_unstable();
    let varies = match (runs.first(), runs.last()) {
        (Some(least), Some(most)) if least < most => {
            format!(" Where answers vary, *baseline* is the mean of {least} to {most} runs of main.")
        }
        (Some(runs), _) => format!(" Where answers vary, *baseline* is the mean of {} of main.", counted(*runs, "run")),
        (None, _) => String::new(),
    };
    format!("<sub>*baseline* and Δ are over the cases that both sides have, *now* is over all.{varies}</sub>")
}
