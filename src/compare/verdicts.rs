//! With many metrics one falls by chance. What varies has regressed only if it is significant among all of them, and larger
//! than what counts as an effect.

use super::evidence::{CaseTest, Family, between_suites, case_tests, choice, tries_of_main};
use super::{SHARE_OF_CASES, pairs, renames};
use crate::baseline::{Baseline, BaselineSuite};
use crate::model::{AttemptsChange, Change, MetricChange, Outcome, Policy, SuiteComparison, SuiteState};
use crate::results::SuiteResult;
use crate::stats::{Discrete, overdispersion, tarone_holm};

/// Below this p-value main's runs differ more than independent attempts allow.
const REPEATS_ITSELF: f64 = 0.01;
/// How often attempts are shuffled to see that.
const SHUFFLES: usize = 400;

/// Says of each metric and of each case of the suites that vary whether it has regressed.
pub(super) fn decide(compared: &mut [SuiteComparison], suites: &[SuiteResult], baseline: &Baseline, seed: u64) {
    let varying: Vec<(usize, &SuiteResult, &BaselineSuite)> = compared
        .iter()
        .enumerate()
        .filter(|(_, one)| one.varies && one.state == SuiteState::Compared)
        .filter_map(|(at, one)| {
            let suite = suites.iter().find(|suite| suite.id == one.id)?;
            Some((at, suite, baseline.suites.get(&one.id)?))
        })
        .collect();
    for family in Family::ALL {
        let mut tests: Vec<(Vec<&mut MetricChange>, (&Policy, f64))> = Vec::new();
        for comparison in compared.iter_mut().filter(|one| one.varies) {
            let Some((_, suite, before)) = varying.iter().find(|(_, suite, _)| suite.id == comparison.id) else {
                continue;
            };
            tests.push((family.of(comparison), (&suite.policy, choice(before))));
        }
        tests.retain(|(changes, _)| !changes.is_empty());
        let (mut changes, policies): (Vec<_>, Vec<_>) = tests.into_iter().unzip();
        between_suites(&mut changes);
        #[expect(clippy::cast_precision_loss, reason = "a number of suites")]
        let suites = changes.len() as f64;
        for (changes, (policy, choice)) in changes.into_iter().zip(policies) {
            for change in changes {
                judge(change, policy, policy.alpha * family.share(), suites * choice);
            }
        }
    }
    name_cases(compared, &varying, seed);
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of cases and runs, and a small logarithm"
)]
fn judge(change: &mut MetricChange, policy: &Policy, level: f64, raised: f64) {
    if change.outcome == Outcome::Inconclusive {
        let large = change.delta.drop() > policy.min_effect;
        if large && change.p.is_some_and(|p| p < level) {
            change.outcome = Outcome::Regressed;
        } else if !large {
            change.outcome = Outcome::Slipped;
        }
    }
    // With too few cases no number of repeats decides: even if all fell, that would not be rare enough.
    let least = ((raised / level).ln() / ((change.pooled.max(1) + 1) as f64).ln()).ceil();
    if change.outcome != Outcome::Inconclusive {
        (change.repeats_needed, change.cases_needed) = (None, None);
    } else if (change.n as f64) < least {
        change.repeats_needed = None;
        change.cases_needed = change.cases_needed.map(|needed| needed.max(least as usize));
    } else {
        change.cases_needed = None;
    }
}

/// Names the cases whose attempts alone are evidence.
fn name_cases(compared: &mut [SuiteComparison], varying: &[(usize, &SuiteResult, &BaselineSuite)], seed: u64) {
    let mut tested: Vec<(usize, &SuiteResult, &BaselineSuite, Vec<Discrete>)> = Vec::new();
    let all: Vec<Vec<CaseTest<'_>>> = varying
        .iter()
        .map(|(at, suite, before)| {
            let pairs: Vec<_> = pairs(suite, before, &renames(suite, before), compared[*at].pooled).collect();
            case_tests(&pairs, choice(before))
        })
        .collect();
    for ((at, suite, before), tests) in varying.iter().zip(&all) {
        let discrete = tests.iter().map(|one| Discrete { p: one.p, least: one.least }).collect();
        tested.push((*at, suite, before, discrete));
    }
    let found = significant(&tested);
    for (((at, _, before, _), tests), found) in tested.iter().zip(&all).zip(found) {
        if !found.contains(&true) {
            continue;
        }
        let repeats = overdispersion(&tries_of_main(before), seed, SHUFFLES) < REPEATS_ITSELF;
        for (test, _) in tests.iter().zip(found).filter(|(_, found)| *found) {
            let listed = compared[*at].cases.iter_mut().find(|one| one.id == test.now.id);
            // What main's latest run had no better is not this change's doing.
            let Some(change) = listed.filter(|one| one.change == Change::Regressed) else { continue };
            let (before, now) = test.tries;
            change.attempts = Some(AttemptsChange {
                attempts_was: before.attempts,
                passes_was: before.passes,
                runs: test.runs,
                attempts_now: now.attempts,
                passes_now: now.passes,
                p: test.p,
                repeats,
            });
        }
    }
}

/// Which cases are significant in each suite: Tarone and Holm within it, Holm between suites.
#[expect(clippy::cast_precision_loss, reason = "a number of suites")]
fn significant(tested: &[(usize, &SuiteResult, &BaselineSuite, Vec<Discrete>)]) -> Vec<Vec<bool>> {
    let mut open = tested.len();
    loop {
        let level = |policy: &Policy| policy.alpha * SHARE_OF_CASES / open.max(1) as f64;
        let found: Vec<Vec<bool>> =
            tested.iter().map(|(_, suite, _, tests)| tarone_holm(tests, level(&suite.policy))).collect();
        let without = found.iter().filter(|suite| !suite.contains(&true)).count();
        if without >= open || without == 0 {
            return found;
        }
        open = without;
    }
}
