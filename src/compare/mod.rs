//! Then and now, case by case and metric by metric. Nothing is judged here but whether a change may be chance.

mod evidence;
mod verdicts;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::aggregate::{better_of, is_pass_rate, joined, value_of};
use crate::baseline::{Baseline, BaselineCase, BaselineSuite, Past};
use crate::model::{
    BaselineInfo, Better, ByMainKey, CaseChange, CaseId, Change, Comparison, Delta, MetricChange, Nature, Outcome,
    Policy, ROUNDING, Slice, Status, SuiteComparison, SuiteId, SuiteState, Trend,
};
use crate::results::{CaseResult, SuiteResult};
use crate::stats::{Tries, mean, needed_cases, paired_bootstrap};
use crate::suites::Kind;

/// How much of `alpha` the metrics of whole suites have.
const SHARE_OF_METRICS: f64 = 0.8;
/// How much the slices have.
const SHARE_OF_SLICES: f64 = 0.1;
/// How much single cases have.
const SHARE_OF_CASES: f64 = 0.1;

/// What the comparison takes into account beside both sides.
#[derive(Debug, Clone, Copy)]
pub struct CompareOptions {
    /// A filter left suites or cases out, so that what is not there is not gone.
    pub filtered: bool,
    /// The seed of everything that is drawn at random.
    pub seed: u64,
}

/// A case that both sides have, and measured.
#[derive(Clone)]
struct Pair<'a> {
    before: &'a BaselineCase,
    now: &'a CaseResult,
    /// The case in the runs of main that count, the latest first.
    past: Vec<Past<'a>>,
}

/// Compares suites with a baseline.
pub fn compare(
    suites: &[SuiteResult],
    baseline: &Baseline,
    info: BaselineInfo,
    circumstances: CompareOptions,
) -> Comparison {
    let mut compared: Vec<SuiteComparison> = Vec::new();
    for suite in suites {
        compared.push(match baseline.suites.get(&suite.id) {
            Some(before) => compare_suite(suite, before, circumstances),
            None => unmatched(&suite.id, SuiteState::Added, suite.varies),
        });
    }
    if !circumstances.filtered {
        for (id, before) in &baseline.suites {
            if !suites.iter().any(|suite| suite.id == *id) {
                compared.push(unmatched(id, SuiteState::Removed, before.varies));
            }
        }
    }
    verdicts::decide(&mut compared, suites, baseline, circumstances.seed);
    Comparison { baseline: info, suites: compared, trend: Trend::new() }
}

fn unmatched(id: &SuiteId, state: SuiteState, varies: bool) -> SuiteComparison {
    SuiteComparison {
        id: id.clone(),
        state,
        varies,
        pooled: 0,
        comparable: 0,
        questions_changed: 0,
        keys_changed: 0,
        counts: BTreeMap::new(),
        metrics: BTreeMap::new(),
        slices: BTreeMap::new(),
        cases: Vec::new(),
    }
}

fn compare_suite(suite: &SuiteResult, before: &BaselineSuite, circumstances: CompareOptions) -> SuiteComparison {
    let varies = suite.varies || before.varies;
    if !suite.affected {
        return unmatched(&suite.id, SuiteState::NotAffected, varies);
    }
    let renamed = renames(suite, before);
    let mut cases = Vec::new();
    let mut counts: BTreeMap<Change, usize> = BTreeMap::new();
    let pooled = if varies { evidence::pooled(suite.kind, before, circumstances.seed) } else { 0 };
    let pairs: Vec<Pair<'_>> = pairs(suite, before, &renamed, pooled).collect();
    let choice = evidence::choice(before);
    let (mut measured_both, mut questions_changed, mut keys_changed) = (0, 0, 0);
    for Matched { case, old, change } in matched(suite, before, &renamed) {
        let old_id = renamed.get(&case.id);
        let quarantined = suite.policy.quarantine.contains_key(&case.id);
        *counts.entry(change).or_default() += 1;
        let question_changed = old.is_some_and(|old| !old.has_question_of(case));
        let key_changed = old.is_some_and(|old| !old.has_key_of(case));
        measured_both += usize::from(old.is_some() && case.status.is_measured());
        questions_changed += usize::from(question_changed);
        keys_changed += usize::from(key_changed);
        let now = Judged::of(case);
        let is_same = matches!(change, Change::Unchanged | Change::Changed);
        let known_failure = is_same && now.status == Status::Failed;
        if change != Change::Unchanged || known_failure || old_id.is_some() {
            cases.push(CaseChange {
                id: case.id.clone(),
                change,
                renamed_from: old_id.cloned(),
                was: old.map(|old| old.status),
                now: Some(now.status),
                score_was: old.map(|old| old.score),
                score_now: now.score,
                since: old.and_then(|old| old.since.clone()),
                quarantined,
                parts_was: old.map(|old| old.parts.clone()).unwrap_or_default(),
                question_changed,
                key_changed,
                metrics_was: old.map(|old| old.metrics.clone()).unwrap_or_default(),
                attempts: None,
            });
        }
    }
    // A filter still lists every case of a suite that it leaves in, so what is not there is gone.
    let declared: HashSet<&CaseId> = suite.cases.iter().map(|case| &case.id).chain(renamed.values()).collect();
    for (id, old) in before.cases.iter().filter(|(id, _)| !declared.contains(id)) {
        *counts.entry(Change::Removed).or_default() += 1;
        cases.push(removed(id, old));
    }
    cases.sort_by(|a, b| (a.change, &a.id).cmp(&(b.change, &b.id)));
    let any_measured = suite.cases.iter().any(|case| case.status.is_measured());
    let state = if measured_both == 0 && any_measured && !before.cases.is_empty() {
        SuiteState::NoCommonCase
    } else {
        SuiteState::Compared
    };
    let mut metrics = BTreeMap::new();
    for spec in suite.kind.metrics() {
        let all = (
            before.metrics.get(spec.name).map(|metric| metric.value),
            suite.metrics.get(spec.name).and_then(|metric| metric.value),
        );
        let test = Test {
            suite,
            varies,
            pooled,
            choice,
            slice: None,
            metric: spec.name,
            seed: circumstances.seed,
            filtered: circumstances.filtered,
            restored: &BTreeSet::new(),
        };
        metrics.insert(spec.name.to_owned(), test.change(&pairs, all));
    }
    // Without a value on either side there is nothing to tell.
    metrics.retain(|_, change: &mut MetricChange| change.delta != Delta::Absent);
    let all = Test {
        suite,
        varies,
        pooled,
        choice,
        slice: None,
        metric: "",
        seed: circumstances.seed,
        filtered: circumstances.filtered,
        restored: &BTreeSet::new(),
    };
    let slices = slice_changes(&all, before, &pairs);
    let unmatched = unmatched(&suite.id, state, varies);
    let mut comparison = SuiteComparison {
        pooled,
        comparable: measured_both,
        questions_changed,
        keys_changed,
        counts,
        metrics,
        slices,
        cases,
        ..unmatched
    };
    if varies {
        evidence::weigh(&mut comparison, suite.kind, &pairs, circumstances.seed, choice);
    }
    comparison
}

/// A case that was run, and what the baseline has of it.
struct Matched<'a> {
    case: &'a CaseResult,
    old: Option<&'a BaselineCase>,
    change: Change,
}

fn matched<'a>(
    suite: &'a SuiteResult,
    before: &'a BaselineSuite,
    renamed: &HashMap<CaseId, CaseId>,
) -> impl Iterator<Item = Matched<'a>> {
    suite.cases.iter().filter(|case| case.status != Status::Skipped).map(|case| {
        let old = before.cases.get(renamed.get(&case.id).unwrap_or(&case.id));
        Matched { case, old, change: change_of(old, case) }
    })
}

/// The cases of a suite that passed in the baseline and fail now.
pub fn suspects<'a>(suite: &'a SuiteResult, before: &'a BaselineSuite) -> HashSet<&'a CaseId> {
    let renamed = renames(suite, before);
    let regressed = matched(suite, before, &renamed).filter(|one| {
        let was = one.old.map(|old| old.status);
        suite.affected
            && one.change == Change::Regressed
            && (was, one.case.status) == (Some(Status::Passed), Status::Failed)
    });
    regressed.map(|one| &one.case.id).collect()
}

/// The new names of cases whose question is the same.
fn renames(suite: &SuiteResult, before: &BaselineSuite) -> HashMap<CaseId, CaseId> {
    let present: HashSet<&CaseId> = suite.cases.iter().map(|case| &case.id).collect();
    let mut free: Vec<(&CaseId, &BaselineCase)> = before.cases.iter().filter(|(id, _)| !present.contains(id)).collect();
    let mut renamed = HashMap::new();
    if free.is_empty() {
        return renamed;
    }
    for case in suite.cases.iter().filter(|case| !before.cases.contains_key(&case.id)) {
        let is_same = |old: &BaselineCase| old.has_question_of(case) && old.has_key_of(case);
        if let Some(index) = free.iter().position(|(_, old)| is_same(old)) {
            renamed.insert(case.id.clone(), free.remove(index).0.clone());
        }
    }
    renamed
}

/// A case that main has stays in the slices that main counts it in, so that it cannot leave one by losing a tag. Slices that
/// main does not know are made of the tags that are here.
pub fn keep_slices(suite: &mut SuiteResult, before: &BaselineSuite) {
    let renamed = renames(suite, before);
    for case in &mut suite.cases {
        // Release 0.1 did not keep them.
        let old = before.cases.get(renamed.get(&case.id).unwrap_or(&case.id)).filter(|old| old.key.is_some());
        let Some(old) = old else { continue };
        let own = std::mem::replace(&mut case.slices, old.slices.clone());
        let is_new = |slice: &Slice| !before.slices.contains_key(slice.as_str()) && !old.slices.contains(slice);
        case.slices.extend(own.into_iter().filter(is_new));
    }
}

fn removed(id: &CaseId, old: &BaselineCase) -> CaseChange {
    CaseChange {
        id: id.clone(),
        change: Change::Removed,
        renamed_from: None,
        was: Some(old.status),
        now: None,
        score_was: Some(old.score),
        score_now: None,
        since: old.since.clone(),
        quarantined: false,
        parts_was: BTreeMap::new(),
        question_changed: false,
        key_changed: false,
        metrics_was: old.metrics.clone(),
        attempts: None,
    }
}

fn change_of(old: Option<&BaselineCase>, case: &CaseResult) -> Change {
    // What was never measured is not new each time.
    let Some(old) = old else {
        return if case.status.is_measured() { Change::Added } else { Change::Unchanged };
    };
    if !case.status.is_measured() {
        return Change::Lost;
    }
    let now = Judged::of(case);
    let gain = now.score.unwrap_or(0.0) - old.score;
    let flip = match (old.status, now.status) {
        (Status::Passed, Status::Failed) => -1.0,
        (Status::Failed, Status::Passed) => 1.0,
        _ if gain.abs() <= 1e-9 => 0.0,
        _ => gain,
    };
    if flip < 0.0 {
        Change::Regressed
    } else if flip > 0.0 && !now.gains_nothing {
        Change::Improved
    } else if !old.has_question_of(case) || !old.has_key_of(case) {
        Change::Changed
    } else {
        Change::Unchanged
    }
}

/// A case as it counts in the comparison: by main's key, where the change edits the key.
struct Judged<'a> {
    status: Status,
    score: Option<f64>,
    metrics: &'a BTreeMap<String, f64>,
    /// Attempts that were measured, and how many of them pass.
    passes: (usize, usize),
    /// The key was edited and main's could not be used, so that a better result proves nothing.
    gains_nothing: bool,
}

impl<'a> Judged<'a> {
    fn of(case: &'a CaseResult) -> Self {
        let measured = case.attempts.iter().filter(|attempt| attempt.status.is_measured());
        let passed = measured.clone().filter(|attempt| attempt.status == Status::Passed);
        let here = Self {
            status: case.status,
            score: case.score,
            metrics: &case.metrics,
            passes: (passed.count(), measured.count()),
            gains_nothing: false,
        };
        match case.key_edit.as_ref().map(|edit| &edit.by_main) {
            None => here,
            Some(None) => Self { gains_nothing: true, ..here },
            Some(Some(ByMainKey { status, score, metrics, attempts, passes })) => {
                Self { status: *status, score: *score, metrics, passes: (*passes, *attempts), gains_nothing: false }
            }
        }
    }
}

fn slice_changes(
    all: &Test<'_>,
    before: &BaselineSuite,
    pairs: &[Pair<'_>],
) -> BTreeMap<String, BTreeMap<String, MetricChange>> {
    let suite = all.suite;
    let mut changes = BTreeMap::new();
    for (slice, metrics) in &suite.slices {
        let dimension = slice.split_once('=').map_or(slice.as_str(), |(dimension, _)| dimension);
        if !suite.kind.compared_slices().contains(&dimension) && !suite.policy.slices.contains_key(slice) {
            continue;
        }
        let within: Vec<Pair<'_>> = within(Some(slice), pairs.iter().cloned()).collect();
        let old = before.slices.get(slice);
        let mut of_slice = BTreeMap::new();
        for spec in suite.kind.metrics().iter().filter(|spec| !spec.nature().is_expense()) {
            let values = (
                old.and_then(|old| old.get(spec.name)).map(|metric| metric.value),
                metrics.get(spec.name).and_then(|metric| metric.value),
            );
            let change = Test { slice: Some(slice), metric: spec.name, ..*all }.change(&within, values);
            if change.delta != Delta::Absent {
                of_slice.insert(spec.name.to_owned(), change);
            }
        }
        changes.insert(slice.clone(), of_slice);
    }
    changes
}

/// One metric of one suite or slice.
#[derive(Clone, Copy)]
struct Test<'a> {
    suite: &'a SuiteResult,
    varies: bool,
    /// How many runs of main count.
    pooled: usize,
    /// By how much p-values are raised for the choice of these runs.
    choice: f64,
    slice: Option<&'a str>,
    metric: &'a str,
    seed: u64,
    filtered: bool,
    /// Cases that count as they do in the baseline.
    restored: &'a BTreeSet<CaseId>,
}

/// One metric, of a whole suite or of a slice.
#[derive(Debug, Clone, Copy)]
pub struct MetricPlace<'a> {
    /// In which slice, if not in the whole suite.
    pub slice: Option<&'a str>,
    pub metric: &'a str,
    /// In a suite that varies: how many runs of main count.
    pub pooled: usize,
}

/// The cases that both sides have and measured, and how far a metric falls in each, the farthest first.
pub fn falls(suite: &SuiteResult, before: &BaselineSuite, place: MetricPlace<'_>) -> Vec<(CaseId, f64)> {
    let renamed = renames(suite, before);
    let nothing = BTreeSet::new();
    let test = Test::at(suite, before, place, 0, &nothing);
    let sign = evidence::sign(better_of(suite.kind, place.metric));
    let mut falls: Vec<(CaseId, f64)> = within(place.slice, pairs(suite, before, &renamed, place.pooled))
        .filter_map(|pair| Some((pair.now.id.clone(), test.values(&pair).map(|(before, now)| (before - now) * sign)?)))
        .filter(|(_, fall)| *fall > 1e-12)
        .collect();
    falls.sort_by(|(a, a_falls), (b, b_falls)| b_falls.total_cmp(a_falls).then_with(|| a.cmp(b)));
    falls
}

/// Whether a metric would still be worse than it may be if some cases were what they are in the baseline.
pub fn falls_without(
    suite: &SuiteResult,
    before: &BaselineSuite,
    place: MetricPlace<'_>,
    restored: &BTreeSet<CaseId>,
    seed: u64,
) -> bool {
    let renamed = renames(suite, before);
    let test = Test::at(suite, before, place, seed, restored);
    let pairs: Vec<Pair<'_>> = within(place.slice, pairs(suite, before, &renamed, place.pooled)).collect();
    let values: Vec<(f64, f64)> = pairs.iter().filter_map(|pair| test.values(pair)).collect();
    let delta = test.delta(&values);
    if !test.varies {
        return exact_outcome(delta, suite.policy.max_drop_of(place.slice, place.metric)) == Outcome::Regressed;
    }
    delta.drop() > suite.policy.min_effect && evidence::alone(&test, &pairs, test.choice) <= suite.policy.alpha
}

/// The pairs that count: what is in quarantine or came out differently when it was asked again says nothing exact.
fn pairs<'a>(
    suite: &'a SuiteResult,
    before: &'a BaselineSuite,
    renamed: &HashMap<CaseId, CaseId>,
    pooled: usize,
) -> impl Iterator<Item = Pair<'a>> {
    let earlier: Vec<u64> = before.earlier().take(pooled.saturating_sub(1)).collect();
    matched(suite, before, renamed).filter_map(move |Matched { case, old, .. }| {
        let old = old.filter(|_| case.status.is_measured())?;
        let counts = !case.flaky && !suite.policy.quarantine.contains_key(&case.id);
        counts.then(|| Pair { before: old, now: case, past: past(suite, old, case, &earlier) })
    })
}

/// The case in the runs of main that measured all that the latest did.
fn past<'a>(suite: &SuiteResult, old: &'a BaselineCase, case: &CaseResult, earlier: &[u64]) -> Vec<Past<'a>> {
    let kind = suite.kind;
    let specs = kind.metrics().iter().filter(|spec| evidence::is_of_cases(spec.name));
    let metrics: Vec<&str> = specs
        .map(|spec| spec.name)
        .filter(|name| Past::Latest(old).value(kind, name).is_some() && value_now(kind, name, case).is_some())
        .collect();
    old.past(earlier).filter(|run| metrics.iter().all(|name| run.value(kind, name).is_some())).collect()
}

fn within<'a>(slice: Option<&str>, pairs: impl Iterator<Item = Pair<'a>>) -> impl Iterator<Item = Pair<'a>> {
    pairs.filter(move |pair| slice.is_none_or(|slice| pair.now.slices.iter().any(|one| one.as_str() == slice)))
}

impl<'a> Test<'a> {
    fn at(
        suite: &'a SuiteResult,
        before: &BaselineSuite,
        place: MetricPlace<'a>,
        seed: u64,
        restored: &'a BTreeSet<CaseId>,
    ) -> Self {
        let (varies, choice) = (suite.varies || before.varies, evidence::choice(before));
        let MetricPlace { slice, metric, pooled } = place;
        Self { suite, varies, pooled, choice, slice, metric, seed, filtered: false, restored }
    }

    fn policy(&self) -> &'a Policy {
        &self.suite.policy
    }

    /// What became of the metric over these cases.
    fn delta(&self, values: &[(f64, f64)]) -> Delta {
        let before: Vec<f64> = values.iter().map(|(before, _)| *before).collect();
        let now: Vec<f64> = values.iter().map(|(_, now)| *now).collect();
        let joined = |values: &[f64]| joined(self.suite.kind, self.metric, values);
        Delta::of(better_of(self.suite.kind, self.metric), joined(&before), joined(&now))
    }

    fn change(&self, pairs: &[Pair<'_>], all: (Option<f64>, Option<f64>)) -> MetricChange {
        let better = better_of(self.suite.kind, self.metric);
        let (all_before, all_now) = all;
        let max_drop = self.policy().max_drop_of(self.slice, self.metric);
        let mut change = MetricChange {
            better,
            n: 0,
            pooled: 0,
            delta: Delta::Absent,
            outcome: Outcome::NotCompared,
            max_drop,
            all_before,
            all_now,
            p: None,
            ci95: None,
            repeats_needed: None,
            cases_needed: None,
        };
        let nature = Nature::of(self.metric);
        if nature == Nature::Latency {
            // A time is no case's, and is compared only where somebody asks for it.
            let named = self.policy().metrics.get(self.metric).is_some_and(|one| one.max_drop.is_some());
            change.delta = if named { Delta::of(better, all_before, all_now) } else { Delta::Absent };
            change.outcome = exact_outcome(change.delta, max_drop);
            return change;
        }
        let values: Vec<(f64, f64)> = pairs.iter().filter_map(|pair| self.values(pair)).collect();
        change.n = values.len();
        change.delta = if values.is_empty() {
            // No common case: then and now are about different things.
            if self.filtered { Delta::Absent } else { missing(all_before, all_now) }
        } else {
            self.delta(&values)
        };
        if values.is_empty() {
            return change;
        }
        if nature.is_expense() && self.policy().metrics.get(self.metric).is_none_or(|one| one.max_drop.is_none()) {
            change.outcome = match change.delta {
                Delta::Better { .. } => Outcome::Improved,
                Delta::Same { .. } => Outcome::Unchanged,
                Delta::Worse { .. } | Delta::FromZero { .. } => Outcome::Slipped,
                Delta::Appeared { .. } | Delta::Disappeared { .. } | Delta::Absent => Outcome::NotCompared,
            };
            return change;
        }
        if !self.varies {
            change.outcome = exact_outcome(change.delta, max_drop);
            return change;
        }
        self.significance(&mut change, &values, pairs);
        change
    }

    /// What a pair gives to the metric. Where answers vary, a pass is a share of attempts, and what it was the mean over
    /// main's runs.
    fn values(&self, pair: &Pair<'_>) -> Option<(f64, f64)> {
        let Pair { before, now, past } = pair;
        let judged = Judged::of(now);
        let (then, now_is) = if self.varies {
            let kind = self.suite.kind;
            let values: Option<Vec<f64>> = past.iter().map(|run| run.value(kind, self.metric)).collect();
            (mean(&values?)?, value_now(kind, self.metric, now)?)
        } else {
            let then = value_of(self.suite.kind, self.metric, before.status, Some(before.score), &before.metrics)?;
            (then, value_of(self.suite.kind, self.metric, judged.status, judged.score, judged.metrics)?)
        };
        let is_gain = match better_of(self.suite.kind, self.metric) {
            Better::Higher => now_is > then,
            Better::Lower => now_is < then,
        };
        let is_then = self.restored.contains(&now.id) || (judged.gains_nothing && is_gain);
        Some((then, if is_then { then } else { now_is }))
    }

    /// How sure the change is. Its p-value comes once all metrics of the suite are known, and whether it is a regression
    /// once all suites are.
    fn significance(&self, change: &mut MetricChange, values: &[(f64, f64)], pairs: &[Pair<'_>]) {
        let sign = evidence::sign(change.better);
        let gains: Vec<f64> = values.iter().map(|(before, now)| (now - before) * sign).collect();
        let bootstrap = paired_bootstrap(&gains, self.seed, evidence::draws(gains.len()));
        change.ci95 = Some(bootstrap.ci95);
        change.pooled = self.pooled;
        change.outcome = match change.delta {
            Delta::Worse { .. } | Delta::FromZero { better: false, .. } => Outcome::Inconclusive,
            Delta::Better { .. } | Delta::FromZero { better: true, .. } => Outcome::Improved,
            Delta::Same { .. } => Outcome::Unchanged,
            Delta::Appeared { .. } | Delta::Disappeared { .. } | Delta::Absent => Outcome::NotCompared,
        };
        if change.outcome == Outcome::Inconclusive {
            let level = self.policy().alpha * SHARE_OF_METRICS / self.choice;
            let needed = needed_cases(&gains, change.delta.drop().max(self.policy().min_effect), level);
            let repeats = pairs.iter().map(|pair| pair.now.attempts.len()).max().unwrap_or(1).max(1);
            change.cases_needed = needed;
            change.repeats_needed = needed
                .map(|needed| (needed * repeats).div_ceil(gains.len().max(1)).max(repeats + 1))
                .filter(|n| *n <= 1000);
        }
        if change.outcome == Outcome::Improved && bootstrap.ci95[0] <= 0.0 {
            change.outcome = Outcome::Unchanged;
        }
    }
}

/// Whether a case seems to gain in a metric, by a key that main's could not be tried for.
fn is_vain(kind: Kind, metric: &str, case: &CaseResult, runs: &[Past<'_>]) -> bool {
    let then: Option<Vec<f64>> = runs.iter().map(|run| run.value(kind, metric)).collect();
    let gain = || Some((value_now(kind, metric, case)? - mean(&then?)?) * evidence::sign(better_of(kind, metric)));
    Judged::of(case).gains_nothing && gain().is_some_and(|gain| gain > 0.0)
}

/// How often a case was asked and passed in this run.
fn tries_now(case: &CaseResult) -> Tries {
    match Judged::of(case).passes {
        (_, 0) => Tries { attempts: 1, passes: usize::from(Judged::of(case).status == Status::Passed) },
        (passes, attempts) => Tries { attempts, passes },
    }
}

/// What a case gives to a metric in this run, by main's key; a pass is a share of attempts.
fn value_now(kind: Kind, metric: &str, case: &CaseResult) -> Option<f64> {
    if is_pass_rate(kind, metric) {
        return Some(tries_now(case).share());
    }
    let judged = Judged::of(case);
    value_of(kind, metric, judged.status, judged.score, judged.metrics)
}

fn missing(before: Option<f64>, now: Option<f64>) -> Delta {
    match (before, now) {
        (_, Some(now)) => Delta::Appeared { now },
        (Some(before), None) => Delta::Disappeared { before },
        (None, None) => Delta::Absent,
    }
}

fn exact_outcome(delta: Delta, max_drop: f64) -> Outcome {
    match delta {
        Delta::Same { .. } => Outcome::Unchanged,
        Delta::Better { .. } | Delta::FromZero { better: true, .. } => Outcome::Improved,
        Delta::Worse { .. } | Delta::FromZero { better: false, .. } => {
            if delta.drop() > max_drop + ROUNDING * max_drop.max(1.0) { Outcome::Regressed } else { Outcome::Slipped }
        }
        Delta::Appeared { .. } | Delta::Disappeared { .. } | Delta::Absent => Outcome::NotCompared,
    }
}
