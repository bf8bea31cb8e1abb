//! In a suite that varies: which runs of main count, and how likely what fell would have fallen by chance.
//!
//! The cases are fixed and their answers vary. So the runs of a case, main's and this one, are exchanged within the case,
//! each run whole; see [`Blocks`].

use std::collections::BTreeMap;

use super::{Pair, SHARE_OF_METRICS, SHARE_OF_SLICES, Test};
use crate::aggregate::{better_of, is_pass_rate};
use crate::baseline::{BaselineSuite, Past};
use crate::model::{Better, MetricChange, Nature, SuiteComparison};
use crate::results::CaseResult;
use crate::stats::{Blocks, Side, Tries, fisher, holm, mcnemar};
use crate::suites::Kind;

/// How often runs are shuffled, unless there are very many cases.
const DRAWS: usize = 4000;
/// The fewest shuffles; with very many cases a few of them tell.
const FEWEST_DRAWS: usize = 1000;
/// How much is added up in all shuffles together, but for those that there are at least.
const MOST_SUMMED: usize = 100_000_000;
/// Below this p-value, two-sided, an earlier run of main is not like those after it.
const DIFFERS: f64 = 0.20;
/// What it costs that the runs were chosen by looking at them: without this, with window = 5 and nothing changed, 5.3 % of
/// runs would be red by their metrics where 4 % may be.
const CHOICE: f64 = 1.25;

/// How often to draw for so much to add up.
pub(super) fn draws(size: usize) -> usize {
    (MOST_SUMMED / size.max(1)).clamp(FEWEST_DRAWS, DRAWS)
}

/// By how much p-values are raised for the choice of the runs.
pub(super) fn choice(before: &BaselineSuite) -> f64 {
    if before.alike() > 1 { CHOICE } else { 1.0 }
}

/// How many of main's runs count together, from the latest on: those of the same target and policy, up to one that took in a
/// blessing, and up to the first that differs from those after it.
pub(super) fn pooled(kind: Kind, before: &BaselineSuite, seed: u64) -> usize {
    let metrics: Vec<&str> =
        kind.metrics().iter().filter(|spec| !spec.nature().is_expense()).map(|spec| spec.name).collect();
    let earlier: Vec<u64> = before.earlier().take(before.alike() - 1).collect();
    let differs = |(index, number): (usize, &u64)| {
        let mut blocks = Blocks::new(metrics.len());
        for case in before.cases.values() {
            let Some(candidate) = case.in_run(*number) else { continue };
            let runs: Vec<Past<'_>> = std::iter::once(candidate).chain(case.past(&earlier[..index])).collect();
            add(
                &mut blocks,
                kind,
                &runs,
                metrics.iter().enumerate().map(|(test, metric)| (*metric, 1.0, vec![test])),
                None,
            );
        }
        let p = blocks.max_t(Side::Both, seed, draws(blocks.size()));
        p.into_iter().fold(1.0, f64::min) < DIFFERS
    };
    1 + earlier.iter().enumerate().position(differs).unwrap_or(earlier.len())
}

/// Adds a case to tests: a metric, its sign, and the tests that it counts in. Every run that counts has every metric.
fn add<'a>(
    blocks: &mut Blocks,
    kind: Kind,
    runs: &[Past<'_>],
    metrics: impl Iterator<Item = (&'a str, f64, Vec<usize>)>,
    now: Option<&CaseResult>,
) {
    let values = metrics.filter_map(|(metric, sign, tests)| {
        let now = match now {
            // What cannot gain counts only where it falls.
            Some(case) if super::is_vain(kind, metric, case, runs) => return None,
            Some(case) => Some(super::value_now(kind, metric, case)?),
            None => None,
        };
        let all = now.into_iter().map(Some).chain(runs.iter().map(|run| run.value(kind, metric)));
        let values: Option<Vec<f64>> = all.map(|value| Some(value? * sign)).collect();
        Some((values?, tests))
    });
    let values: Vec<(Vec<f64>, Vec<usize>)> = values.collect();
    blocks.add(values.iter().map(|(values, tests)| (values.as_slice(), tests.as_slice())));
}

/// 1 where more is better, −1 where less is.
pub(super) fn sign(better: Better) -> f64 {
    match better {
        Better::Higher => 1.0,
        Better::Lower => -1.0,
    }
}

/// Gives every metric and slice that was tested its p-value, corrected for the others of the suite.
pub(super) fn weigh(comparison: &mut SuiteComparison, kind: Kind, pairs: &[Pair<'_>], seed: u64, choice: f64) {
    let is_tested = |change: &MetricChange| change.ci95.is_some();
    let tested: Vec<String> =
        comparison.metrics.iter().filter(|(_, change)| is_tested(change)).map(|(name, _)| name.clone()).collect();
    let mut whole = Blocks::new(tested.len());
    for pair in pairs {
        let metrics = tested.iter().enumerate();
        let metrics = metrics.map(|(test, name)| (name.as_str(), sign(better_of(kind, name)), vec![test]));
        add(&mut whole, kind, &pair.past, metrics, Some(pair.now));
    }
    let p = whole.max_t(Side::Worse, seed, draws(whole.size()));
    for (name, p) in tested.iter().zip(p) {
        let exact = exactly(kind, name, pairs).unwrap_or(0.0);
        if let Some(change) = comparison.metrics.get_mut(name) {
            change.p = Some((p.max(exact) * choice).min(1.0));
        }
    }
    let mut numbers: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut count = 0;
    for (slice, metrics) in &comparison.slices {
        for (name, _) in metrics.iter().filter(|(_, change)| is_tested(change)) {
            numbers.entry(slice).or_default().insert(name, count);
            count += 1;
        }
    }
    let mut slices = Blocks::new(count);
    for pair in pairs {
        let of_case: Vec<_> = pair.now.slices.iter().filter_map(|slice| numbers.get(slice.as_str())).collect();
        let metrics = kind.metrics().iter().map(|spec| {
            let tests = of_case.iter().filter_map(|tests| tests.get(spec.name).copied()).collect();
            (spec.name, sign(spec.better), tests)
        });
        add(&mut slices, kind, &pair.past, metrics, Some(pair.now));
    }
    let p = slices.max_t(Side::Worse, seed, draws(slices.size()));
    let changes = comparison.slices.values_mut().flat_map(BTreeMap::values_mut).filter(|change| is_tested(change));
    for (change, p) in changes.zip(p) {
        change.p = Some((p * choice).min(1.0));
    }
}

/// How likely one metric would fall as it does, by itself.
pub(super) fn alone(test: &Test<'_>, pairs: &[Pair<'_>], choice: f64) -> f64 {
    let mut blocks = Blocks::new(1);
    let counting: Vec<&Pair<'_>> = pairs.iter().filter(|pair| !test.restored.contains(&pair.now.id)).collect();
    for pair in counting {
        let kind = test.suite.kind;
        let sign = sign(better_of(kind, test.metric));
        add(&mut blocks, kind, &pair.past, std::iter::once((test.metric, sign, vec![0])), Some(pair.now));
    }
    let p = blocks.max_t(Side::Worse, test.seed, draws(blocks.size())).pop().unwrap_or(1.0);
    (p * choice).min(1.0)
}

/// McNemar's test, if every case was asked once on each side: the same as the shuffles, without their chance.
fn exactly(kind: Kind, metric: &str, pairs: &[Pair<'_>]) -> Option<f64> {
    let once = |pair: &Pair<'_>| {
        pair.past.len() == 1 && pair.past.iter().all(|run| run.tries().attempts <= 1) && pair.now.attempts.len() <= 1
    };
    if !is_pass_rate(kind, metric) || !pairs.iter().all(once) {
        return None;
    }
    let passes = |pair: &Pair<'_>| (pair.past[0].tries().passes > 0, super::tries_now(pair.now).passes > 0);
    let count = |wanted: (bool, bool)| pairs.iter().filter(|pair| passes(pair) == wanted).count();
    Some(mcnemar(count((true, false)), count((false, true))).one_sided)
}

/// A case whose attempts are compared by themselves.
pub(super) struct CaseTest<'a> {
    pub(super) now: &'a CaseResult,
    pub(super) tries: (Tries, Tries),
    /// Over how many of main's runs.
    pub(super) runs: usize,
    pub(super) p: f64,
    pub(super) least: f64,
}

/// The attempts at each case, now and in those of main's runs that do not differ from those after them in this case.
pub(super) fn case_tests<'a>(pairs: &[Pair<'a>], choice: f64) -> Vec<CaseTest<'a>> {
    let test = |pair: &Pair<'a>| {
        let mut before = Tries::default();
        let mut runs = 0;
        for run in &pair.past {
            if runs > 0 && fisher(before, run.tries()).two_sided < DIFFERS {
                break;
            }
            before = before.and(run.tries());
            runs += 1;
        }
        let now = super::tries_now(pair.now);
        let fisher = fisher(before, now);
        let (p, least) = ((fisher.worse * choice).min(1.0), (fisher.least * choice).min(1.0));
        CaseTest { now: pair.now, tries: (before, now), runs, p, least }
    };
    pairs.iter().map(test).collect()
}

/// The attempts at each case in all of main's runs of the same target and policy, like or unlike each other.
pub(super) fn tries_of_main(before: &BaselineSuite) -> Vec<Vec<Tries>> {
    let earlier: Vec<u64> = before.earlier().take(before.alike() - 1).collect();
    before.cases.values().map(|case| case.past(&earlier).map(Past::tries).collect()).collect()
}

/// Which tests of several suites belong together.
#[derive(Clone, Copy)]
pub(super) enum Family {
    Metrics,
    Slices,
}

impl Family {
    pub(super) const ALL: [Self; 2] = [Self::Metrics, Self::Slices];

    /// How much of `alpha` it has.
    pub(super) const fn share(self) -> f64 {
        match self {
            Self::Metrics => SHARE_OF_METRICS,
            Self::Slices => SHARE_OF_SLICES,
        }
    }

    /// What was tested of it in a suite.
    pub(super) fn of(self, suite: &mut SuiteComparison) -> Vec<&mut MetricChange> {
        let changes: Vec<&mut MetricChange> = match self {
            Self::Metrics => suite.metrics.values_mut().collect(),
            Self::Slices => suite.slices.values_mut().flat_map(BTreeMap::values_mut).collect(),
        };
        changes.into_iter().filter(|change| change.p.is_some()).collect()
    }
}

/// Corrects the p-values of several suites for each other, by Holm's procedure over the least of each.
pub(super) fn between_suites(suites: &mut [Vec<&mut MetricChange>]) {
    let least: Vec<f64> =
        suites.iter().map(|changes| changes.iter().filter_map(|one| one.p).fold(1.0, f64::min)).collect();
    for ((changes, least), adjusted) in suites.iter_mut().zip(&least).zip(holm(&least)) {
        let factor = if *least > 0.0 { adjusted / least } else { 1.0 };
        for change in changes.iter_mut() {
            change.p = change.p.map(|p| (p * factor).min(1.0));
        }
    }
}

/// Whether a metric is compared case by case.
pub(super) fn is_of_cases(metric: &str) -> bool {
    Nature::of(metric) != Nature::Latency
}
