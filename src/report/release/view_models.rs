//! What the templates show, as plain values: the same for Markdown and for the page.

use serde::Serialize;

use super::markdown::ReleaseImportance;
use super::release_report::{CaseRelease, Direction, Ends, MetricRelease, ReleaseReport, SuiteRelease};
use crate::model::{Change, Delta, Nature, Outcome, Sha, Status, SuiteState, changes_in_words, format_score};
use crate::report::markdown::outcome_mark;
use crate::report::metric_display::{ChangeDisplay, certainty};
use crate::report::sparkline;
use crate::text::counted;
use crate::text::truncate_middle;

/// How much of a name is shown.
const NAME: usize = 200;
/// How much of a reason.
const REASON: usize = 600;

#[derive(Debug, Serialize)]
pub(super) struct HeadView {
    pub(super) alert: &'static str,
    pub(super) tone: &'static str,
    pub(super) to: String,
    pub(super) phrase: &'static str,
    pub(super) from: String,
    pub(super) counts: String,
    pub(super) notes: Vec<String>,
}

pub(super) fn head(report: &ReleaseReport) -> HeadView {
    let (alert, tone, phrase) = match report.direction {
        Direction::Better => ("TIP", "good", "is better than"),
        Direction::Worse => ("CAUTION", "bad", "is worse than"),
        Direction::Mixed => ("WARNING", "warn", "is better and worse than"),
        Direction::Same => ("NOTE", "", "is as good as"),
        Direction::NoCommonCase => ("WARNING", "warn", "has no case in common with"),
        Direction::Alone => ("NOTE", "", "has nothing to be compared with"),
    };
    let sum = |of: &dyn Fn(&SuiteRelease) -> Option<usize>| report.suites.iter().filter_map(of).sum::<usize>();
    let mut counts =
        vec![format!("{} of {} pass", sum(&|one| one.passed.now), counted(sum(&|one| one.cases.now), "case"))];
    if report.from.is_some() {
        counts.push(format!("{} of {} then", sum(&|one| one.passed.then), sum(&|one| one.cases.then)));
        counts.push(changes(report));
    }
    let more = [
        (report.weakened.len(), "gate", " weakened"),
        (report.blessings.len(), "blessing", ""),
        (report.quarantines.iter().filter(|one| one.stood.until.is_none()).count(), "case", " in quarantine"),
    ];
    let more = more.into_iter().filter(|(count, _, _)| *count > 0);
    counts.extend(more.map(|(count, noun, rest)| format!("{}{rest}", counted(count, noun))));
    HeadView {
        alert,
        tone,
        to: name(&report.to.name),
        phrase,
        from: report.from.as_ref().map(|from| name(&from.name)).unwrap_or_default(),
        counts: counts.join(" · "),
        notes: notes(report),
    }
}

fn changes(report: &ReleaseReport) -> String {
    let words = changes_in_words(&report.counts);
    if words.is_empty() { "no case changed".to_owned() } else { words }
}

/// What a reader must know not to be misled.
fn notes(report: &ReleaseReport) -> Vec<String> {
    let mut notes = Vec::new();
    if report.direction == Direction::Alone {
        notes.push("Values are absolute: there is no earlier release with a baseline, or none was wanted.".to_owned());
    }
    let same = report.from.as_ref().is_some_and(|from| from.measured == report.to.measured);
    if same && report.versions.len() == 1 {
        notes.push("Both carry the same baseline: nothing was measured in between.".to_owned());
    }
    let gaps = &report.gaps;
    if gaps.shallow {
        notes.push("The clone was shallow, so versions of the baseline may be missing.".to_owned());
    }
    if !gaps.unreadable.is_empty() {
        let versions = counted(gaps.unreadable.len(), "version");
        notes.push(format!("{versions} of the baseline in between cannot be read and is not looked at."));
    }
    if gaps.left_out > 0 {
        notes.push(format!("{} of the baseline in between are left out.", counted(gaps.left_out, "older version")));
    }
    notes
}

#[derive(Debug, Serialize)]
pub(super) struct SuiteRow {
    suite: String,
    kind: String,
    cases: String,
    passed: String,
    /// Words of our own.
    note: String,
    /// The models, where they were named.
    model: String,
}

pub(super) fn suites(report: &ReleaseReport) -> Vec<SuiteRow> {
    report.suites.iter().map(suite).collect()
}

fn suite(suite: &SuiteRelease) -> SuiteRow {
    let number = |value: usize| value.to_string();
    let mut notes: Vec<String> = Vec::new();
    match suite.state {
        Some(SuiteState::Added) => notes.push("new".to_owned()),
        Some(SuiteState::Removed) => notes.push("gone".to_owned()),
        Some(SuiteState::NoCommonCase) => notes.push("no case in common with the version before".to_owned()),
        Some(SuiteState::Compared | SuiteState::NotAffected) | None => {}
    }
    if suite.varies {
        notes.push("answers vary".to_owned());
    }
    match (suite.replayed.then, suite.replayed.now) {
        (Some(false), Some(true)) => notes.push("replayed, then live".to_owned()),
        (Some(true), Some(false)) => notes.push("live, then replayed".to_owned()),
        (_, Some(true)) => notes.push("replayed".to_owned()),
        (_, Some(false) | None) => {}
    }
    SuiteRow {
        suite: name(suite.id.as_str()),
        kind: kind(suite),
        cases: arrow(suite.cases.then.map(number), suite.cases.now.map(number)),
        passed: arrow(suite.passed.then.map(number), suite.passed.now.map(number)),
        note: notes.join(", "),
        model: arrow(suite.model.then.as_deref().map(name), suite.model.now.as_deref().map(name)),
    }
}

fn kind(suite: &SuiteRelease) -> String {
    serde_json::to_value(suite.kind).ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
}

/// `12 → 13`, or `13` if that is what it was.
fn arrow(then: Option<String>, now: Option<String>) -> String {
    match (then, now) {
        (Some(then), Some(now)) if then == now => now,
        (Some(then), Some(now)) => format!("{then} → {now}"),
        (Some(then), None) => format!("{then} → –"),
        (None, now) => now.unwrap_or_default(),
    }
}

#[derive(Debug, Serialize)]
pub(super) struct ReleaseMetricRow {
    suite: String,
    metric: String,
    then: String,
    now: String,
    delta: String,
    /// `good`, `bad` or nothing.
    tone: &'static str,
    mark: &'static str,
    sure: String,
    line: String,
    path: String,
    low: String,
    high: String,
    #[serde(skip)]
    pub(super) moved: bool,
}

/// Every metric, in the order that its kind has.
pub(super) fn metrics(report: &ReleaseReport) -> Vec<ReleaseMetricRow> {
    let mut rows = Vec::new();
    for suite in &report.suites {
        let specs = suite.kind.metrics();
        let place = |name: &str| specs.iter().position(|spec| spec.name == name).unwrap_or(specs.len());
        let mut metrics: Vec<_> = suite.metrics.iter().collect();
        metrics.sort_by_key(|(name, _)| place(name));
        rows.extend(metrics.into_iter().map(|(name, metric)| row(suite, name, metric)));
    }
    rows
}

fn row(suite: &SuiteRelease, metric_name: &str, metric: &MetricRelease) -> ReleaseMetricRow {
    let nature = Nature::of(metric_name);
    let or_none = |value: Option<f64>| nature.format_or_dash(value);
    let change = ChangeDisplay::new(nature, metric.delta, metric.outcome);
    let tone = match metric.outcome {
        Outcome::Improved => "good",
        Outcome::Regressed => "bad",
        Outcome::Inconclusive => "warn",
        Outcome::Slipped | Outcome::Unchanged | Outcome::NotCompared => "",
    };
    let is_exact = !suite.varies && !change.by.is_empty();
    let known = metric.trend.iter().copied().flatten();
    let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    ReleaseMetricRow {
        suite: name(suite.id.as_str()),
        metric: name(metric_name),
        then: or_none(metric.value.then),
        now: or_none(metric.value.now),
        delta: change.by,
        tone,
        mark: outcome_mark(metric.outcome),
        sure: certainty(nature, metric.ci95, metric.p, is_exact),
        line: if metric.trend.len() > 1 { sparkline(&metric.trend) } else { String::new() },
        path: path(&metric.trend, low, high),
        low: or_none(finite(low)),
        high: or_none(finite(high)),
        // What differs because there are other cases is no change, but nobody would call it the same.
        moved: !matches!(metric.delta, Delta::Same { .. }) || or_none(metric.value.then) != or_none(metric.value.now),
    }
}

/// The trend as the path of a picture that is 120 wide and 24 high.
fn path(trend: &[Option<f64>], low: f64, high: f64) -> String {
    if trend.len() < 2 {
        return String::new();
    }
    let mut path = String::new();
    let mut pen = 'M';
    for (index, value) in trend.iter().enumerate() {
        let Some(value) = value else {
            pen = 'M';
            continue;
        };
        #[expect(clippy::cast_precision_loss, reason = "counts of versions are far below 2^52")]
        let x = 2.0 + 116.0 * index as f64 / (trend.len() - 1) as f64;
        let y = if high - low < 1e-9 { 12.0 } else { 22.0 - 20.0 * (value - low) / (high - low) };
        path.push_str(&format!("{pen}{x:.1} {y:.1}"));
        pen = 'L';
    }
    path
}

#[derive(Debug, Serialize)]
pub(super) struct ReleaseCases {
    #[serde(skip)]
    pub(super) importance: ReleaseImportance,
    pub(super) title: String,
    pub(super) folded: bool,
    pub(super) entries: Vec<CaseEntry>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct CaseEntry {
    pub(super) name: String,
    /// Words and numbers of our own.
    note: String,
    was_called: String,
    since: String,
}

/// The cases by how they changed.
pub(super) fn cases(report: &ReleaseReport) -> Vec<ReleaseCases> {
    type Sort = (ReleaseImportance, &'static str, bool, fn(&SuiteRelease, &CaseRelease) -> bool);
    let sorts: [Sort; 9] = [
        (ReleaseImportance::Worse, "worse", false, |suite, one| one.change == Change::Regressed && !suite.varies),
        (ReleaseImportance::WorseByChance, "worse where answers vary, which may be chance", true, |suite, one| {
            one.change == Change::Regressed && suite.varies
        }),
        (ReleaseImportance::Removed, "removed", true, |_, one| matches!(one.change, Change::Removed | Change::Lost)),
        (ReleaseImportance::Changed, "changed", true, |_, one| one.change == Change::Changed),
        (ReleaseImportance::Added, "new", true, |_, one| one.change == Change::Added),
        (ReleaseImportance::Better, "better", true, |suite, one| one.change == Change::Improved && !suite.varies),
        (ReleaseImportance::BetterByChance, "better where answers vary, which may be chance", true, |suite, one| {
            one.change == Change::Improved && suite.varies
        }),
        (ReleaseImportance::Renamed, "renamed", true, |_, one| {
            one.change == Change::Unchanged && one.renamed_from.is_some()
        }),
        (ReleaseImportance::KnownFailures, "failing as before", true, |_, one| fails_as_before(one)),
    ];
    let mut lists = Vec::new();
    for (importance, title, folded, belongs) in sorts {
        let all = report.suites.iter().flat_map(|suite| suite.changes.iter().map(move |one| (suite, one)));
        let mut found: Vec<_> = all.filter(|(suite, one)| belongs(suite, one)).collect();
        // What changed sides first.
        found.sort_by_key(|(_, one)| one.status.then == one.status.now);
        let entries: Vec<CaseEntry> = found.into_iter().map(|(suite, one)| entry(suite, one)).collect();
        if !entries.is_empty() {
            let title = if report.from.is_none() { "failing" } else { title };
            lists.push(ReleaseCases {
                importance,
                title: format!("{} {title}", counted(entries.len(), "case")),
                folded,
                entries,
            });
        }
    }
    lists
}

fn fails_as_before(one: &CaseRelease) -> bool {
    one.change == Change::Unchanged && one.renamed_from.is_none() && one.status.now == Some(Status::Failed)
}

fn entry(suite: &SuiteRelease, one: &CaseRelease) -> CaseEntry {
    let Ends { then, now } = one.status;
    let both = |then: Option<String>, now: Option<String>| {
        if now.is_none() { then.unwrap_or_default() } else { arrow(then, now) }
    };
    let status = both(then.map(|status| status.to_string()), now.map(|status| status.to_string()));
    let score = |value: Option<f64>| value.map(format_score);
    let score = both(score(one.score.then), score(one.score.now));
    let gone = now.is_none();
    CaseEntry {
        name: name(&format!("{}/{}", suite.id, one.id)),
        note: if gone { format!("was {status} · {score}") } else { format!("{status} · {score}") },
        was_called: one.renamed_from.as_ref().map(|old| name(old.as_str())).unwrap_or_default(),
        since: one.since.as_ref().filter(|_| !gone).map(short).unwrap_or_default(),
    }
}

#[derive(Debug, Serialize)]
pub(super) struct SliceRow {
    suite: String,
    slice: String,
    metric: String,
    then: String,
    now: String,
}

/// The slices that are not what they were.
pub(super) fn slices(report: &ReleaseReport) -> Vec<SliceRow> {
    let mut rows = Vec::new();
    for suite in report.suites.iter().filter(|suite| suite.state == Some(SuiteState::Compared)) {
        for (slice, metrics) in &suite.slices {
            for (metric, Ends { then, now }) in metrics {
                let nature = Nature::of(metric);
                let (then, now) = (nature.format_or_dash(*then), nature.format_or_dash(*now));
                if then == now || nature.is_expense() {
                    continue;
                }
                rows.push(SliceRow {
                    suite: name(suite.id.as_str()),
                    slice: name(slice),
                    metric: name(metric),
                    then,
                    now,
                });
            }
        }
    }
    rows
}

#[derive(Debug, Serialize)]
pub(super) struct EndView {
    name: String,
    commit: String,
    measured: String,
    time: String,
    tool: String,
}

/// The ends of the comparison, the earlier one first, and how many versions lie between.
pub(super) fn ends(report: &ReleaseReport) -> Vec<EndView> {
    let end = |one: &super::release_report::Release| EndView {
        name: name(&one.name),
        commit: short(&one.commit),
        measured: one.measured.commit.as_ref().map(short).unwrap_or_default(),
        // The day is enough here.
        time: one.measured.time.chars().take(10).collect(),
        tool: name(&one.measured.tool),
    };
    report.from.iter().chain([&report.to]).map(end).collect()
}

pub(super) fn name(text: &str) -> String {
    truncate_middle(text, NAME).replace('\n', " ")
}

pub(super) fn reason(text: &str) -> String {
    truncate_middle(text, REASON).replace('\n', " ")
}

pub(super) fn short(commit: &Sha) -> String {
    commit.short().to_owned()
}
