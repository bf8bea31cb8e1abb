//! The ratchet: what a new run on `main` makes of the baseline.

use std::collections::{BTreeMap, BTreeSet};

use super::blessings::{Allowed, Blessing, BlessingFile, as_files};
use super::file::{BASELINE_SCHEMA, Baseline, BaselineCase, BaselineMetric, BaselineSuite, Best, Produced};
use super::history::{NewRun, hand_on, note_run};
use crate::aggregate::{better_of, joined, value_of};
use crate::model::Rule;
use crate::model::{CaseId, FlatPolicy, Metric, Nature, Sha, Status, SuiteId, restore, weakenings};
use crate::results::{CaseResult, Reason, Results, SuiteResult, Verdict};

/// Why a run cannot become a baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// It is not a whole run.
    #[error("the run is partial ({0}); a baseline is made of a whole one")]
    Partial(&'static str),
    /// Attempts ended in an error.
    #[error("{0} of {1} ended in an error; a baseline is made of answers")]
    Errors(usize, SuiteId),
    #[error("the run measured nothing")]
    Nothing,
    /// It is of files that no commit has.
    #[error("the run is of a checkout with uncommitted changes; commit them and run again")]
    Dirty,
    /// It is older than what is there.
    #[error("the run is of {0}, the baseline of {1}, which is newer")]
    Older(Sha, Sha),
}

/// What a run makes of a baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineUpdate {
    /// The new baseline.
    pub baseline: Baseline,
    /// What may still be worse: floors that the baseline cannot take in. Every other blessing is used up.
    pub blessings: Vec<Blessing>,
}

/// What a run makes of a baseline and its blessings; `None` if nothing changes.
pub fn update(
    old: Option<&Baseline>,
    blessings: &[Blessing],
    results: &Results,
) -> Result<Option<BaselineUpdate>, UpdateError> {
    check(results)?;
    let mut new = from_results(results);
    let blessings = &[old.map(|old| old.blessings.as_slice()).unwrap_or_default(), blessings].concat();
    let remaining = still_needed(blessings, results);
    let is_used = |one: &&Blessing| {
        matches!(fate(&one.allowed, results), BlessingFate::Absorbed | BlessingFate::AbsorbedForFloor)
    };
    // Only what the gate let through is taken in, and no worse than that.
    let used: Vec<Blessing> = blessings.iter().filter(is_used).cloned().collect();
    new.took_in = taken_in(&used);
    let commit = results.run.commit.as_ref();
    let note = |id: &SuiteId, suite: &mut BaselineSuite| {
        let blessed = used.iter().any(|one| one.allowed.suite == *id && !one.allowed.taken_in);
        let before = old.and_then(|old| Some((old.suites.get(id)?, old.produced.commit.as_ref())));
        note_run(before, suite, NewRun { commit, blessed, window: results.run.window });
    };
    let Some(old) = old else {
        new.suites.iter_mut().for_each(|(id, suite)| note(id, suite));
        return Ok(Some(BaselineUpdate { baseline: new, blessings: remaining }));
    };
    for (id, suite) in &old.suites {
        match new.suites.get_mut(id) {
            Some(current) => {
                if let Some(result) = results.suites.iter().find(|result| result.id == *id) {
                    ratchet(id, suite, current, result, &used, commit);
                    note(id, current);
                }
            }
            None if used.iter().any(|one| one.allowed.rule == Rule::SuiteRemoved && one.allowed.suite == *id) => {}
            None => {
                new.suites.insert(id.clone(), suite.clone());
            }
        }
    }
    let added = new.suites.iter_mut().filter(|(id, _)| !old.suites.contains_key(*id));
    added.for_each(|(id, suite)| note(id, suite));
    let same = old.suites == new.suites && remaining == *blessings && old.blessings.is_empty();
    Ok((!same).then_some(BaselineUpdate { baseline: new, blessings: remaining }))
}

/// What a run of an older commit makes of a newer baseline: what it had better than anything since is the best.
/// The latest stays the latest.
pub fn raise(newer: &Baseline, older: &Results) -> Result<Option<Baseline>, UpdateError> {
    check(older)?;
    let mut raised = newer.clone();
    for (id, suite) in from_results(older).suites {
        let Some(known) = raised.suites.get_mut(&id).filter(|known| !known.varies && !suite.varies) else { continue };
        for (case, was) in suite.cases {
            let Some(now) = known.cases.get_mut(&case).filter(|now| now.has_same_key(&was)) else {
                continue;
            };
            let better = |best: &Best| rank(was.status, was.score) > rank(best.status, best.score);
            if now.best.as_ref().is_some_and(better) {
                now.best = was.best;
            }
        }
    }
    Ok((raised != *newer).then_some(raised))
}

/// What becomes of a blessing when a run becomes the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlessingFate {
    /// The run needed it, and the baseline has it now.
    Absorbed,
    /// The baseline has it, and a floor is still missed without it.
    AbsorbedForFloor,
    /// The baseline cannot have it, or the run does not tell whether it is still needed.
    Stays,
    /// What it allowed is not so any more.
    Done,
}

fn fate(one: &Allowed, results: &Results) -> BlessingFate {
    let absolute = matches!(
        one.rule,
        Rule::BelowMin
            | Rule::MissingMetric
            | Rule::QuarantineExpired
            | Rule::Unmeasured
            | Rule::MissingId
            | Rule::ScenarioFailed
            | Rule::OutdatedRecordings
    );
    let of_suite = || results.gate.reasons.iter().filter(|reason| reason.suite.as_ref() == Some(&one.suite));
    let is_same = |reason: &Reason| {
        (reason.rule, &reason.case, &reason.metric, &reason.slice, &reason.policy)
            == (one.rule, &one.case, &one.metric, &one.slice, &one.policy)
    };
    let explains = |reason: &Reason| one.case.iter().any(|case| reason.cause.cases.contains(case));
    let is_blessed = |reason: &&Reason| reason.blessed.is_some();
    let holds_a_floor = one.was.is_some()
        && of_suite().filter(is_blessed).any(|reason| reason.rule == Rule::BelowMin && explains(reason));
    let is_used = of_suite().filter(is_blessed).any(|reason| is_same(reason) || explains(reason));
    let was_run = results.suites.iter().any(|suite| suite.id == one.suite && suite.affected);
    let is_open = || {
        of_suite().any(|reason| {
            let is_floor = one.taken_in && reason.rule == Rule::BelowMin;
            let is_unmeasured = one.rule == Rule::Unmeasured && reason.rule == Rule::Unmeasured;
            (reason.fails && (is_same(reason) || explains(reason) || is_floor)) || is_unmeasured
        })
    };
    if holds_a_floor {
        BlessingFate::AbsorbedForFloor
    } else if is_used && !absolute {
        BlessingFate::Absorbed
    } else if is_used || (!was_run && one.rule != Rule::SuiteRemoved) || is_open() {
        BlessingFate::Stays
    } else {
        BlessingFate::Done
    }
}

/// The blessings that stay: floors are missed whatever main has, and what was worse than blessed is still open.
fn still_needed(blessings: &[Blessing], results: &Results) -> Vec<Blessing> {
    let mut needed = Vec::new();
    for blessing in blessings {
        let mut blessing = blessing.clone();
        match fate(&blessing.allowed, results) {
            BlessingFate::Absorbed | BlessingFate::Done => continue,
            BlessingFate::AbsorbedForFloor => blessing.allowed.taken_in = true,
            BlessingFate::Stays => {}
        }
        needed.push(blessing);
    }
    needed
}

/// The blessings of which main takes in something now.
fn taken_in(used: &[Blessing]) -> Vec<BlessingFile> {
    let new = used.iter().filter(|one| !one.allowed.taken_in);
    let new: Vec<Blessing> = new.map(|one| Blessing { file: None, ..one.clone() }).collect();
    as_files(&new).into_values().collect()
}

fn check(results: &Results) -> Result<(), UpdateError> {
    let run = &results.run;
    if results.gate.verdict == Verdict::Interrupted {
        return Err(UpdateError::Partial("it was interrupted"));
    }
    if run.shard.is_some() {
        return Err(UpdateError::Partial("it is one shard; merge them first"));
    }
    if run.filtered || run.partial {
        return Err(UpdateError::Partial("a filter left something out"));
    }
    if run.dirty {
        return Err(UpdateError::Dirty);
    }
    for suite in &results.suites {
        let errors = suite.cases.iter().filter(|case| case.status == Status::Error).count();
        if errors > 0 {
            return Err(UpdateError::Errors(errors, suite.id.clone()));
        }
    }
    let measured = results.suites.iter().flat_map(|suite| &suite.cases).any(|case| case.status.is_measured());
    let carried = results.suites.iter().any(|suite| !suite.affected);
    if measured || carried { Ok(()) } else { Err(UpdateError::Nothing) }
}

/// A run as a baseline that knows nothing else.
pub fn from_results(results: &Results) -> Baseline {
    let commit = results.run.commit.clone();
    // What was not run is not known by this run.
    let suites = results
        .suites
        .iter()
        .filter(|suite| suite.affected)
        .map(|suite| (suite.id.clone(), of_suite(suite, commit.as_ref())));
    Baseline {
        schema: BASELINE_SCHEMA.to_owned(),
        produced: Produced {
            commit: commit.clone(),
            time: results.run.started_at.clone(),
            tool: results.tool.version.clone(),
            mode: results.run.mode,
        },
        blessings: Vec::new(),
        took_in: Vec::new(),
        suites: suites.collect(),
    }
}

fn of_suite(suite: &SuiteResult, commit: Option<&Sha>) -> BaselineSuite {
    let cases = suite.cases.iter().filter_map(|case| Some((case.id.clone(), of_case(case, suite.varies, commit)?)));
    BaselineSuite {
        kind: suite.kind,
        varies: suite.varies,
        replayed: suite.replayed,
        model: suite.model.clone(),
        source: suite.source.clone(),
        policy: suite.policy.flat(suite.varies, |metric| better_of(suite.kind, metric)),
        runs: Vec::new(),
        metrics: kept(&suite.metrics, suite),
        slices: suite.slices.iter().map(|(slice, metrics)| (slice.clone(), kept(metrics, suite))).collect(),
        cases: cases.collect(),
    }
}

/// Times differ in every run, so they are kept only where they are gated.
fn kept(metrics: &BTreeMap<String, Metric>, suite: &SuiteResult) -> BTreeMap<String, BaselineMetric> {
    let is_kept = |name: &String| Nature::of(name) != Nature::Latency || suite.policy.metrics.contains_key(name);
    let metric = |metric: &Metric| Some(BaselineMetric { value: metric.value?, better: metric.better, n: metric.n });
    let kept = metrics.iter().filter(|(name, _)| is_kept(name));
    kept.filter_map(|(name, one)| Some((name.clone(), metric(one)?))).collect()
}

fn of_case(case: &CaseResult, varies: bool, commit: Option<&Sha>) -> Option<BaselineCase> {
    let score = case.score.filter(|_| case.status.is_measured())?;
    let measured = case.attempts.iter().filter(|attempt| attempt.status.is_measured());
    let (attempts, passes) = measured.fold((0, 0), |(attempts, passes), attempt| {
        (attempts + 1, passes + usize::from(attempt.status == Status::Passed))
    });
    let commit = commit.cloned();
    // What only repeats show is kept as `attempts` and `passes`.
    let is_kept = |name: &str| !name.starts_with("pass-") && name != "score-spread";
    Some(BaselineCase {
        status: case.status,
        score,
        metrics: case.metrics.iter().filter(|(name, _)| is_kept(name)).map(|(n, v)| (n.clone(), *v)).collect(),
        parts: parts(case),
        attempts,
        passes,
        fingerprint: if case.key.is_some() { None } else { Some(case.fingerprint.clone()) },
        question: case.question.clone(),
        key: case.key.clone(),
        slices: case.slices.clone(),
        runs: BTreeMap::new(),
        since: commit.clone(),
        best: (!varies).then_some(Best { status: case.status, score, commit }),
    })
}

/// The parts of a case's score that a report can compare.
pub fn parts(case: &CaseResult) -> BTreeMap<String, f64> {
    case.detail.as_ref().map(|detail| detail.report().parts()).unwrap_or_default()
}

/// Turns one suite: the latest is the latest, the best never falls unless that was blessed.
fn ratchet(
    id: &SuiteId,
    old: &BaselineSuite,
    new: &mut BaselineSuite,
    result: &SuiteResult,
    blessings: &[Blessing],
    commit: Option<&Sha>,
) {
    let blessed = |rules: &[Rule], case: Option<&CaseId>| {
        blessings
            .iter()
            .map(|one| &one.allowed)
            .any(|one| rules.contains(&one.rule) && one.suite == *id && one.case.as_ref() == case && !one.taken_in)
    };
    let level_is_blessed = blessed(&[Rule::MetricDropped, Rule::BelowBest], None);
    let slice_is_blessed = |case: &CaseId| {
        let slices =
            result.cases.iter().find(|one| one.id == *case).map(|one| one.slices.as_slice()).unwrap_or_default();
        blessings.iter().map(|one| &one.allowed).any(|one| {
            one.rule == Rule::SliceDropped
                && one.suite == *id
                && one.slice.as_ref().is_some_and(|slice| slices.iter().any(|own| own.as_str() == slice))
        })
    };
    let renamed = renames(old, new);
    let mut survivors = BTreeMap::new();
    for (case, before) in &old.cases {
        let now_called = renamed.get(case).unwrap_or(case);
        let Some(now) = new.cases.get_mut(now_called) else {
            // Still declared, but not measured this time: what main last had stays.
            let declared = result.cases.iter().any(|one| one.id == *case);
            let may_go = result.policy.allows_removal(case) || blessed(&[Rule::CaseRemoved], Some(case));
            let gone = if declared { blessed(&[Rule::Lost], Some(case)) } else { may_go };
            if !gone {
                survivors.insert(case.clone(), before.clone());
            }
            continue;
        };
        if new.varies {
            hand_on(old, before, now);
        }
        if before.status == now.status {
            now.since.clone_from(&before.since);
        }
        // The best by another key is none by this one.
        if !before.has_same_key(now) {
            continue;
        }
        // An answer that varies today does not make yesterday's best undone.
        if now.best.is_none() {
            now.best.clone_from(&before.best);
        } else if let (Some(best), Some(now_best)) = (&before.best, &now.best) {
            let is_blessed = blessed(&[Rule::CaseRegressed, Rule::Flaky, Rule::BelowBest], Some(case))
                || blessed(&[Rule::CaseRegressed, Rule::Flaky, Rule::BelowBest], Some(now_called))
                || ((level_is_blessed || slice_is_blessed(now_called)) && best.status == now_best.status);
            let was_better = rank(best.status, best.score) >= rank(now_best.status, now_best.score);
            if was_better && !is_blessed {
                now.best = Some(best.clone());
            } else if was_better {
                now.best = Some(Best { commit: commit.cloned(), ..now_best.clone() });
            }
        }
    }
    new.cases.extend(survivors);
    new.policy = merged_policy(old, new, id, blessings);
    recompute(new, result);
}

/// Passing is better than failing, whatever the score.
fn rank(status: Status, score: f64) -> (bool, f64) {
    (status == Status::Passed, score)
}

/// Cases of the old side that the new one calls otherwise.
fn renames(old: &BaselineSuite, new: &BaselineSuite) -> BTreeMap<CaseId, CaseId> {
    let mut free: Vec<&CaseId> = new.cases.keys().filter(|id| !old.cases.contains_key(*id)).collect();
    let mut renamed = BTreeMap::new();
    for (id, case) in old.cases.iter().filter(|(id, _)| !new.cases.contains_key(*id)) {
        let same = free.iter().position(|other| new.cases[*other].is_same_case(case));
        if let Some(index) = same {
            renamed.insert(id.clone(), free.remove(index).clone());
        }
    }
    renamed
}

/// What became less strict without a blessing stays as strict as it was.
fn merged_policy(old: &BaselineSuite, new: &BaselineSuite, suite: &SuiteId, blessings: &[Blessing]) -> FlatPolicy {
    let mut merged = new.policy.clone();
    for weakening in weakenings(&old.policy, &new.policy, Some(old.answers().max(new.answers()))) {
        let blessed = blessings.iter().map(|one| &one.allowed).any(|one| {
            one.rule == Rule::WeakenedGate && one.suite == *suite && one.policy.as_ref() == Some(&weakening.key)
        });
        if !blessed {
            restore(&mut merged, &old.policy, &weakening.key);
        }
    }
    merged
}

/// Metrics are those of the cases that are there now, survivors included.
fn recompute(suite: &mut BaselineSuite, result: &SuiteResult) {
    let value = |name: &str, ids: &dyn Fn(&CaseId) -> bool| {
        let cases = suite.cases.iter().filter(|(id, _)| ids(id));
        let values: Vec<f64> = cases
            .filter_map(|(_, case)| value_of(result.kind, name, case.status, Some(case.score), &case.metrics))
            .collect();
        joined(result.kind, name, &values).map(|value| (value, values.len()))
    };
    let mut metrics = suite.metrics.clone();
    for (name, metric) in metrics.iter_mut().filter(|(name, _)| !Nature::of(name).is_expense()) {
        if let Some((mean, n)) = value(name, &|_| true) {
            (metric.value, metric.n) = (mean, n);
        }
    }
    let mut slices = suite.slices.clone();
    for (slice, metrics) in &mut slices {
        let within: BTreeSet<&CaseId> = result
            .cases
            .iter()
            .filter(|case| case.slices.iter().any(|one| one.as_str() == slice))
            .map(|case| &case.id)
            .collect();
        for (name, metric) in metrics.iter_mut().filter(|(name, _)| !Nature::of(name).is_expense()) {
            if let Some((mean, n)) = value(name, &|id| within.contains(id)) {
                (metric.value, metric.n) = (mean, n);
            }
        }
    }
    suite.metrics = metrics;
    suite.slices = slices;
}

impl BaselineCase {
    /// The share of attempts that passed.
    #[expect(clippy::cast_precision_loss, reason = "counts of attempts are far below 2^52")]
    pub fn pass_share(&self) -> f64 {
        if self.attempts == 0 {
            f64::from(u8::from(self.status == Status::Passed))
        } else {
            self.passes as f64 / self.attempts as f64
        }
    }
}

/// Metrics and metrics of slices.
type MetricsAndSlices = (BTreeMap<String, Metric>, BTreeMap<String, BTreeMap<String, Metric>>);

impl BaselineSuite {
    /// How many answers were measured for it.
    pub fn answers(&self) -> usize {
        self.cases.values().map(|case| case.attempts).sum()
    }

    /// Its metrics, for a suite that was not run.
    pub fn carried(&self) -> MetricsAndSlices {
        let carry = |metrics: &BTreeMap<String, BaselineMetric>| -> BTreeMap<String, Metric> {
            metrics.iter().map(|(name, metric)| (name.clone(), metric.carried())).collect()
        };
        (carry(&self.metrics), self.slices.iter().map(|(slice, metrics)| (slice.clone(), carry(metrics))).collect())
    }
}

impl BaselineMetric {
    /// As a metric that a report shows.
    pub fn carried(self) -> Metric {
        let Self { value, better, n } = self;
        Metric { value: Some(value), better, n, ci95: None, min: None, target: None }
    }
}
