//! What the page holds as JSON: the results, and beside every number of them the text that the page shows for it. The script
//! formats no metric, score, time or cost itself, so that the page writes a number as every other report does.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::model::{
    CaseChange, CaseId, Metric, MetricChange, NO_VALUE, Nature, Status, SuiteComparison, SuiteId, format_limit,
    format_p, format_score,
};
use crate::report::comparison::comparison_notes;
use crate::report::metric_display::{ChangeDisplay, floor, interval};
use crate::report::{SuiteCauses, SuiteVerdict, VerdictSummary, causes, change_counts, verdict_word};
use crate::results::{Attempt, CaseResult, Results, SuiteResult};
use crate::suites::page::CasePage;

/// Everything that the script draws.
#[derive(Debug, Serialize)]
pub(super) struct PageData<'a> {
    results: &'a Results,
    display: Display<'a>,
}

#[derive(Debug, Serialize)]
struct Display<'a> {
    verdict: VerdictDisplay,
    /// How cases and suites changed; nothing if nothing was compared.
    changes: Option<String>,
    /// Why the gate fails, in the words of every report.
    causes: Vec<SuiteCauses<'a>>,
    duration: String,
    /// In the order of the results.
    suites: Vec<SuiteDisplay<'a>>,
    /// Suite → case → its scores, for every case that changed.
    scores: BTreeMap<&'a SuiteId, BTreeMap<&'a CaseId, ScoresDisplay>>,
}

#[derive(Debug, Serialize)]
struct VerdictDisplay {
    word: &'static str,
    rest: String,
}

#[derive(Debug, Serialize)]
struct SuiteDisplay<'a> {
    /// How the gate sees it.
    verdict: SuiteBadge,
    /// What it is compared with.
    compared: Vec<String>,
    /// The names of the metrics, the most important first.
    order: Vec<&'a str>,
    metrics: BTreeMap<&'a str, MetricDisplay>,
    slices: BTreeMap<&'a str, BTreeMap<&'a str, MetricDisplay>>,
    /// What its kind says of it.
    notes: Vec<String>,
    /// In the order of the results.
    cases: Vec<CaseDisplay<'a>>,
}

#[derive(Debug, Serialize)]
struct SuiteBadge {
    /// The status that gives it its colour and sign.
    colour: Status,
    text: String,
}

#[derive(Debug, Serialize)]
struct MetricDisplay {
    nature: Nature,
    /// Whether it does not meet its floor or ceiling.
    misses_limit: bool,
    value: String,
    interval: Option<String>,
    floor: Option<String>,
    target: Option<String>,
    change: Option<ChangeDisplay>,
    /// All that there is to say of the change, in a sentence.
    hint: Option<String>,
    trend: Vec<PointDisplay>,
}

/// A value of a trend, oldest first; the last is that of the run.
#[derive(Debug, Serialize)]
struct PointDisplay {
    value: Option<f64>,
    text: String,
}

#[derive(Debug, Serialize)]
struct ScoresDisplay {
    was: Option<String>,
    now: Option<String>,
}

#[derive(Debug, Serialize)]
struct CaseDisplay<'a> {
    /// What only its kind knows to show.
    page: Option<CasePage>,
    score: Option<String>,
    duration: String,
    metrics: BTreeMap<&'a str, String>,
    attempts: Vec<AttemptDisplay>,
}

#[derive(Debug, Serialize)]
struct AttemptDisplay {
    score: Option<String>,
    duration: String,
    cost: Option<String>,
}

impl<'a> PageData<'a> {
    pub(super) fn new(results: &'a Results) -> Self {
        let comparison = results.comparison.as_ref();
        let compared = comparison.iter().flat_map(|all| &all.suites);
        let summary = VerdictSummary::of(results);
        let display = Display {
            verdict: VerdictDisplay { word: verdict_word(summary.verdict), rest: summary.rest() },
            changes: comparison.and_then(change_counts),
            causes: causes(results),
            duration: Nature::Latency.format(results.run.duration_ms),
            suites: results.suites.iter().map(|suite| suite_display(results, suite)).collect(),
            scores: compared.map(|suite| (&suite.id, scores(suite))).collect(),
        };
        Self { results, display }
    }
}

fn scores(suite: &SuiteComparison) -> BTreeMap<&CaseId, ScoresDisplay> {
    let texts =
        |was: Option<f64>, now: Option<f64>| ScoresDisplay { was: was.map(format_score), now: now.map(format_score) };
    suite.cases.iter().map(|case| (&case.id, texts(case.score_was, case.score_now))).collect()
}

fn suite_display<'a>(results: &'a Results, suite: &'a SuiteResult) -> SuiteDisplay<'a> {
    let comparison = results.comparison.as_ref();
    let verdict = SuiteVerdict::of(results, suite);
    let compared = comparison.and_then(|all| all.suites.iter().find(|one| one.id == suite.id));
    let past = comparison.and_then(|all| all.trend.get(&suite.id));
    let metric = |name: &'a str, metric: &Metric| {
        let change = compared.and_then(|one| one.metrics.get(name));
        let past = past.and_then(|past| past.get(name)).map_or(&[][..], Vec::as_slice);
        (name, metric_display(name, metric, change, trend(Nature::of(name), metric, change, past)))
    };
    let of_slice = |slice: &'a str, metrics: &'a BTreeMap<String, Metric>| {
        let changes = compared.and_then(|one| one.slices.get(slice));
        let metric = |(name, metric): (&'a String, &Metric)| {
            (name.as_str(), metric_display(name, metric, changes.and_then(|all| all.get(name)), Vec::new()))
        };
        (slice, metrics.iter().map(metric).collect())
    };
    let changes = compared.iter().flat_map(|one| &one.cases).map(|one| (&one.id, one));
    let changes: HashMap<&CaseId, &CaseChange> = changes.collect();
    SuiteDisplay {
        verdict: SuiteBadge { colour: verdict.colour(), text: verdict.text() },
        compared: compared.map(comparison_notes).unwrap_or_default(),
        order: order(suite),
        metrics: suite.metrics.iter().map(|(name, one)| metric(name, one)).collect(),
        slices: suite.slices.iter().map(|(slice, metrics)| of_slice(slice, metrics)).collect(),
        notes: notes(suite),
        cases: suite.cases.iter().map(|case| case_display(case, changes.get(&case.id).copied())).collect(),
    }
}

/// Qualities before expenses, what is gated first, and else as the kind lists them.
fn order(suite: &SuiteResult) -> Vec<&str> {
    let specs = suite.kind.metrics();
    let place = |name: &str| specs.iter().position(|spec| spec.name == name).unwrap_or(specs.len());
    let mut names: Vec<(&str, &Metric)> = suite.metrics.iter().map(|(name, metric)| (name.as_str(), metric)).collect();
    names.sort_by_key(|(name, metric)| (Nature::of(name).is_expense(), metric.min.is_none(), place(name)));
    names.into_iter().map(|(name, _)| name).collect()
}

fn metric_display(
    name: &str,
    metric: &Metric,
    change: Option<&MetricChange>,
    trend: Vec<PointDisplay>,
) -> MetricDisplay {
    let nature = Nature::of(name);
    MetricDisplay {
        nature,
        misses_limit: metric.misses_limit(),
        value: nature.format_or_dash(metric.value),
        interval: interval(nature, metric.ci95),
        floor: floor(nature, metric),
        target: metric.target.map(|target| nature.format(target)),
        change: change.map(|change| ChangeDisplay::of(nature, Some(change))),
        hint: change.map(|change| hint(name, nature, change)),
        trend,
    }
}

fn hint(name: &str, nature: Nature, change: &MetricChange) -> String {
    let mut parts: Vec<String> = change.scope().into_iter().collect();
    parts.push(format!("may fall by {}", format_limit(&format!("max-drop {name}"), change.max_drop)));
    parts.extend(change.p.map(format_p));
    parts.extend(change.ci95.map(|[low, high]| {
        format!("95 % interval of the change {} … {}", nature.format_change(low), nature.format_change(high))
    }));
    parts.extend(change.repeats_needed.map(|repeats| format!("about {repeats} repeats would decide")));
    parts.extend(change.cases_needed.map(|cases| format!("about {cases} cases would decide")));
    parts.join("; ")
}

/// Earlier baselines and the run; where no history is known, the baseline and the run.
fn trend(nature: Nature, metric: &Metric, change: Option<&MetricChange>, past: &[Option<f64>]) -> Vec<PointDisplay> {
    let before = change.and_then(|change| change.all_before);
    let past = if past.is_empty() { before.map(Some).into_iter().collect() } else { past.to_vec() };
    if past.is_empty() {
        return Vec::new();
    }
    let point = |value: Option<f64>| PointDisplay { value, text: nature.format_or_dash(value) };
    past.into_iter().chain([metric.value]).map(point).collect()
}

fn notes(suite: &SuiteResult) -> Vec<String> {
    let Some(detail) = &suite.detail else { return Vec::new() };
    let report = detail.report();
    let listed = report.listed().filter(|listed| !listed.entries.is_empty());
    let listed = listed.map(|listed| format!("{}: {}", listed.short_title, listed.entries.join(", ")));
    report.line().into_iter().chain(report.notes()).chain(listed).collect()
}

fn case_display<'a>(case: &'a CaseResult, change: Option<&CaseChange>) -> CaseDisplay<'a> {
    CaseDisplay {
        page: case.detail.as_ref().map(|detail| detail.report().page(case.view(), change)),
        score: case.score.map(format_score),
        duration: Nature::Latency.format(case.duration_ms),
        metrics: case.metrics.iter().map(|(name, value)| (name.as_str(), Nature::of(name).format(*value))).collect(),
        attempts: case.attempts.iter().map(attempt_display).collect(),
    }
}

fn attempt_display(attempt: &Attempt) -> AttemptDisplay {
    AttemptDisplay {
        score: attempt.score.map(format_score),
        duration: Nature::Latency.format(attempt.duration_ms),
        cost: attempt.usage.map(|usage| usage.cost.map_or(NO_VALUE.to_owned(), |cost| Nature::Cost.format(cost))),
    }
}
