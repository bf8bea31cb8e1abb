//! The tables of a comment: metrics, slices, the trend.

use serde::Serialize;

use crate::model::{Comparison, Delta, Metric, MetricChange, NO_VALUE, Nature, Outcome};
use crate::report::markdown::outcome_mark;
use crate::report::metric_display::{ChangeDisplay, certainty, floor, interval};
use crate::report::sparkline;
use crate::results::{Results, SuiteResult};
use crate::suites::SliceTable;
use crate::text::counted;

#[derive(Debug, Serialize)]
pub(super) struct MetricsView {
    title: String,
    pub(super) folded: bool,
    /// The columns after the metric; those without any value are left out.
    columns: Vec<&'static str>,
    pub(super) rows: Vec<CommentMetricRow>,
    note: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct CommentMetricRow {
    suite: String,
    metric: String,
    cells: Vec<String>,
}

/// What a reader looks for first comes first: a narrow screen shows no more than that.
const COLUMNS: [&str; 7] = ["Δ", "now", "baseline", "how sure", "floor", "target", "trend"];

/// What moved or does not hold, then in a fold what is as it was, cut so that each piece can be left out.
pub(super) fn metrics(results: &Results) -> Vec<MetricsView> {
    const PIECE: usize = 40;
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
            let fails = fails(results, suite, None, spec.name);
            let mut now = nature.format_or_dash(metric.value);
            if fails && change.is_none() {
                now.push_str(FAILS);
            }
            rows.push(CommentMetricRow {
                suite: if *first { suite.id.to_string() } else { String::new() },
                metric: spec.name.to_owned(),
                cells: vec![
                    marked(&shown, fails),
                    now,
                    shown.before,
                    sure(suite, nature, change, metric),
                    floor(nature, metric).unwrap_or_default(),
                    metric.target.map_or_else(String::new, |target| nature.format(target)),
                    trend.unwrap_or_default(),
                ],
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
            let piece: Vec<CommentMetricRow> = rows.by_ref().take(PIECE).collect();
            let used: Vec<bool> = (0..COLUMNS.len())
                .map(|at| piece.iter().any(|row| !matches!(row.cells[at].as_str(), "" | NO_VALUE)))
                .collect();
            let kept =
                |cells: Vec<String>| cells.into_iter().zip(&used).filter(|(_, used)| **used).map(|(cell, _)| cell);
            views.push(MetricsView {
                title: title.clone(),
                folded,
                columns: COLUMNS.into_iter().zip(&used).filter(|(_, used)| **used).map(|(name, _)| name).collect(),
                rows: piece
                    .into_iter()
                    .map(|row| CommentMetricRow { cells: kept(row.cells.clone()).collect(), ..row })
                    .collect(),
                note: note.clone(),
            });
        }
    }
    views
}

/// The mark of what fails. The space keeps it in the line of its number.
const FAILS: &str = "\u{a0}🔴";

/// A change with the mark that reviewers look for. Whatever fails the gate has one, also if it did not move.
fn marked(change: &ChangeDisplay, fails: bool) -> String {
    let mark = outcome_mark(change.outcome);
    if fails && !change.by.is_empty() {
        return format!("{}{FAILS}", change.by);
    }
    format!("{}\u{a0}{mark}", change.by).trim().to_owned()
}

/// Whether the gate fails because of a metric.
fn fails(results: &Results, suite: &SuiteResult, slice: Option<&str>, metric: &str) -> bool {
    results.gate.reasons.iter().any(|reason| {
        reason.fails
            && reason.suite.as_ref() == Some(&suite.id)
            && reason.slice.as_deref() == slice
            && reason.metric.as_deref() == Some(metric)
    })
}

/// How sure a change is, where something varies; without a change, the interval of the value.
fn sure(suite: &SuiteResult, nature: Nature, change: Option<&MetricChange>, metric: &Metric) -> String {
    if !suite.varies {
        return String::new();
    }
    let of_change = change.map(|change| certainty(nature, change.ci95, change.p, false));
    of_change.filter(|text| !text.is_empty()).or_else(|| interval(nature, metric.ci95)).unwrap_or_default()
}

#[derive(Debug, Serialize)]
pub(super) struct SlicesView {
    title: &'static str,
    suite: String,
    dimension: &'static str,
    metrics: Vec<&'static str>,
    pub(super) rows: Vec<CommentSliceRow>,
}

#[derive(Debug, Serialize)]
pub(super) struct CommentSliceRow {
    slice: String,
    /// Of each metric its value, and its change below it, so that both fit a narrow screen.
    cells: Vec<String>,
    n: usize,
}

/// The slices of every suite whose kind has a table for them, with how they changed.
pub(super) fn slices(results: &Results) -> Vec<SlicesView> {
    let mut views = Vec::new();
    for suite in &results.suites {
        let Some(table) = suite.kind.slice_table() else { continue };
        let rows = slice_rows(results, suite, table);
        if !rows.is_empty() {
            let metrics = table.metrics.iter().map(|(_, heading)| *heading).collect();
            let (title, dimension) = (table.title, table.dimension);
            views.push(SlicesView { title, suite: suite.id.to_string(), dimension, metrics, rows });
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
            let nature = Nature::of(name);
            let value = nature.format_or_dash(metrics.get(name).and_then(|metric| metric.value));
            let change = compared.and_then(|one| one.slices.get(slice)?.get(name));
            let fails = fails(results, suite, Some(slice), name);
            match marked(&ChangeDisplay::of(nature, change), fails).as_str() {
                "" if fails => format!("{value}{FAILS}"),
                "" => value,
                delta => format!("{value}<br>{delta}"),
            }
        };
        let last = table.metrics.last().and_then(|(name, _)| metrics.get(*name));
        rows.push(CommentSliceRow {
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
