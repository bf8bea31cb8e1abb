//! Whether runs differ more than independent attempts allow.
#![expect(clippy::cast_precision_loss, reason = "counts of attempts are far below 2^52")]

use super::bootstrap::SplitMix64;
use super::fisher::Tries;

/// How much is shuffled in all; of more cases every so-manieth is looked at.
const MOST: usize = 20_000_000;
/// One in so many cases may be an outlier: one that main itself changed.
const OUTLIERS: usize = 20;

/// How likely the runs of these cases would differ as much as they do, or more, if each attempt at a case had the same
/// chance whatever the run. `cases` has the runs of each case.
///
/// The measure is Pearson's chi-squared of passes by run, summed over the cases, but for the largest twentieth of them:
/// what changed in a few cases is no property of the target. Attempts are shuffled among the runs of their case,
/// `draws` times, and p = (1 + those that differ at least as much) / (draws + 1). With one attempt in each run every
/// shuffle is as uneven as the other, and p is 1.
pub fn overdispersion(cases: &[Vec<Tries>], seed: u64, draws: usize) -> f64 {
    let total = |runs: &[Tries]| runs.iter().fold(Tries::default(), |sum, run| sum.and(*run));
    let says_something = |runs: &&Vec<Tries>| {
        let all = total(runs);
        runs.len() > 1 && all.passes > 0 && all.passes < all.attempts && all.attempts > runs.len()
    };
    let mut telling: Vec<&Vec<Tries>> = cases.iter().filter(says_something).collect();
    let size: usize = telling.iter().map(|runs| total(runs).attempts).sum();
    let step = (size * draws).div_ceil(MOST).max(1);
    telling = telling.into_iter().step_by(step).collect();
    if telling.is_empty() {
        return 1.0;
    }
    let observed = trimmed(telling.iter().map(|runs| unevenness(runs)).collect());
    let mut random = SplitMix64(seed);
    let shuffle = |_| {
        let uneven = telling.iter().map(|runs| unevenness(&shuffled(runs, &mut random))).collect();
        trimmed(uneven)
    };
    let extreme = (0..draws).map(shuffle).filter(|sum| *sum >= observed * (1.0 - 1e-9)).count();
    (1 + extreme) as f64 / (draws + 1) as f64
}

fn trimmed(mut uneven: Vec<f64>) -> f64 {
    uneven.sort_unstable_by(f64::total_cmp);
    uneven.truncate(uneven.len() - uneven.len() / OUTLIERS);
    uneven.iter().sum()
}

/// Pearson's chi-squared of passes by run.
fn unevenness(runs: &[Tries]) -> f64 {
    let all = runs.iter().fold(Tries::default(), |sum, run| sum.and(*run));
    let share = all.passes as f64 / all.attempts as f64;
    let of_run = |run: &Tries| (run.passes as f64 - run.attempts as f64 * share).powi(2) / run.attempts.max(1) as f64;
    runs.iter().map(of_run).sum::<f64>() / (share * (1.0 - share))
}

/// The passes of a case dealt out among its attempts at random.
fn shuffled(runs: &[Tries], random: &mut SplitMix64) -> Vec<Tries> {
    let mut left = runs.iter().fold(Tries::default(), |sum, run| sum.and(*run));
    let mut dealt = runs.to_vec();
    for run in &mut dealt {
        run.passes = 0;
        for _ in 0..run.attempts {
            let passes = random.below(left.attempts) < left.passes;
            left.attempts -= 1;
            left.passes -= usize::from(passes);
            run.passes += usize::from(passes);
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::reference::{count, rows};

    fn tries(runs: &[(usize, usize)]) -> Vec<Tries> {
        runs.iter().map(|(passes, attempts)| Tries { attempts: *attempts, passes: *passes }).collect()
    }

    #[test]
    fn shuffled_attempts_agree_with_all_permutations_of_scipy_but_for_chance() {
        let table = rows("dispersion");
        assert!(table.len() >= 6);
        for row in table {
            let runs = row["runs"].as_array().unwrap().iter();
            let runs: Vec<(usize, usize)> = runs.map(|run| (count(&run[0]), count(&run[1]))).collect();
            let (actual, expected) = (overdispersion(&[tries(&runs)], 3, 10_000), row["p"].as_f64().unwrap());
            let chance = 4.0 * (expected * (1.0 - expected) / 10_000.0).sqrt() + 2e-4;
            assert!((actual - expected).abs() < chance, "{runs:?}: {actual} is not {expected}");
        }
    }

    #[test]
    fn copied_attempts_are_seen_and_independent_ones_are_not() {
        let mut random = SplitMix64(5);
        let (mut copied, mut independent) = (Vec::new(), Vec::new());
        for _ in 0..40 {
            let chance = 3 + random.below(7);
            let mut passes = || usize::from(random.below(10) < chance);
            copied.push(tries(&[(3 * passes(), 3), (3 * passes(), 3)]));
            let mut run = || (passes() + passes() + passes(), 3);
            independent.push(tries(&[run(), run()]));
        }
        assert!(overdispersion(&copied, 1, 400) < 0.01);
        assert!(overdispersion(&independent, 1, 400) > 0.05);
    }

    #[test]
    fn one_case_among_many_that_main_changed_is_no_property_of_the_target() {
        let mut cases: Vec<Vec<Tries>> =
            (0..40).map(|case| tries(&[(3 + case % 4, 10), (3 + (case + 1) % 4, 10)])).collect();
        cases.push(tries(&[(10, 10), (0, 10)]));
        assert!(overdispersion(&cases, 1, 400) > 0.05);
    }

    #[test]
    fn single_attempts_and_a_single_run_say_nothing() {
        assert_eq!(overdispersion(&[tries(&[(1, 1), (0, 1), (1, 1)])], 1, 100), 1.0);
        assert_eq!(overdispersion(&[tries(&[(4, 10)])], 1, 100), 1.0);
        assert_eq!(overdispersion(&[tries(&[(10, 10), (10, 10)])], 1, 100), 1.0);
    }
}
