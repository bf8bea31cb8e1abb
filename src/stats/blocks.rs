//! Runs of a case permuted whole: had nothing changed, any of its runs could as well have been the one of now.
#![expect(clippy::cast_precision_loss, reason = "counts of runs and of shuffles are far below 2^52")]

use super::bootstrap::SplitMix64;

/// Up to so many ways to choose a run of each case, every one is tried.
const ENUMERATED: usize = 1 << 16;
/// Statistics that differ by less are equal but for rounding.
const ROUNDING: f64 = 1e-9;

/// In which direction a change counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Only what fell.
    Worse,
    /// What fell and what rose.
    Both,
}

/// Several tests over the same cases, whose runs are shuffled together.
///
/// A case has one value for each of its runs, the one of now first. Attempts within a run may be copies of each other
/// (a target that caches, one seed for a run), so that a run is what is exchanged, never an attempt. With one run on
/// each side this is the sign-flip test, and McNemar's test if each value is 0 or 1.
#[derive(Debug, Clone, Default)]
pub struct Blocks {
    tests: usize,
    cases: Vec<ShuffledCase>,
    entries: Vec<Entry>,
    /// Of each measured metric of a case: how far it would have fallen, for each run that could be the one of now.
    falls: Vec<f64>,
}

#[derive(Debug, Clone)]
struct ShuffledCase {
    runs: usize,
    entries: std::ops::Range<usize>,
}

#[derive(Debug, Clone)]
struct Entry {
    test: usize,
    /// Where its falls begin.
    at: usize,
}

impl Blocks {
    /// So many tests, without a case yet.
    pub fn new(tests: usize) -> Self {
        Self { tests, ..Self::default() }
    }

    /// Adds a case: the values of each metric in each run, the one of now first and more being better, and the tests
    /// that it counts in. Every metric of a case has the same runs. One that is the same in all runs says nothing.
    pub fn add<'a>(&mut self, metrics: impl IntoIterator<Item = (&'a [f64], &'a [usize])>) {
        let (mut runs, start) = (0, self.entries.len());
        for (values, tests) in metrics {
            let (sum, earlier) = (values.iter().sum::<f64>(), values.len().saturating_sub(1) as f64);
            let is_constant = values.windows(2).all(|pair| (pair[0] - pair[1]).abs() <= 1e-12 * sum.abs().max(1e-12));
            if is_constant || tests.is_empty() || !sum.is_finite() {
                continue;
            }
            debug_assert!(runs == 0 || runs == values.len(), "the metrics of a case have the same runs");
            runs = values.len();
            let at = self.falls.len();
            self.falls.extend(values.iter().map(|value| (sum - value) / earlier - value));
            self.entries.extend(tests.iter().map(|test| Entry { test: *test, at }));
        }
        if runs > 0 {
            self.cases.push(ShuffledCase { runs, entries: start..self.entries.len() });
        }
    }

    /// How much there is to add up in each shuffle.
    pub fn size(&self) -> usize {
        self.entries.len()
    }

    /// The p-value of each test, corrected for all of them by the step-down maxT procedure of Westfall and Young over
    /// common shuffles: each statistic is the fall in units of its spread over the shuffles, and is compared with the
    /// largest of all that are no larger themselves. What goes together costs nothing.
    ///
    /// If there are few ways to choose a run of each case all are tried, and the p-values are exact; else `draws` of
    /// them are drawn, and p = (1 + those at least as large) / (draws + 1).
    pub fn max_t(&self, side: Side, seed: u64, draws: usize) -> Vec<f64> {
        let spreads = self.spreads();
        let standard = |sums: &[f64]| -> Vec<f64> {
            let one = |(sum, spread): (&f64, &f64)| match (side, *spread > 0.0) {
                (Side::Worse, true) => sum / spread,
                (Side::Both, true) => (sum / spread).abs(),
                (Side::Worse | Side::Both, false) => f64::NEG_INFINITY,
            };
            sums.iter().zip(&spreads).map(one).collect()
        };
        let observed = standard(&self.sums(|_| 0));
        let mut order: Vec<usize> = (0..self.tests).filter(|test| observed[*test].is_finite()).collect();
        order.sort_by(|a, b| observed[*b].total_cmp(&observed[*a]).then(a.cmp(b)));
        let mut extreme = vec![0_usize; self.tests];
        let mut count = |sums: &[f64]| {
            let shuffled = standard(sums);
            let mut largest = f64::NEG_INFINITY;
            for test in order.iter().rev() {
                largest = largest.max(shuffled[*test]);
                extreme[*test] += usize::from(largest >= observed[*test] - ROUNDING);
            }
        };
        let ways = self.cases.iter().try_fold(1_usize, |all, case| all.checked_mul(case.runs));
        let (own, all) = match ways.filter(|ways| *ways <= ENUMERATED) {
            Some(ways) => {
                self.enumerate(0, &vec![0.0; self.tests], &mut count);
                (0, ways)
            }
            None => {
                let mut random = SplitMix64(seed);
                for _ in 0..draws {
                    count(&self.sums(|runs| random.below(runs)));
                }
                (1, draws + 1)
            }
        };
        let mut p = vec![1.0; self.tests];
        let mut least = 0.0_f64;
        for test in order {
            least = least.max((own + extreme[test]) as f64 / all as f64);
            p[test] = least;
        }
        p
    }

    /// The standard deviation of each sum over all shuffles.
    fn spreads(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.tests];
        for case in &self.cases {
            for entry in &self.entries[case.entries.clone()] {
                let falls = &self.falls[entry.at..entry.at + case.runs];
                squares[entry.test] += falls.iter().map(|fall| fall * fall).sum::<f64>() / case.runs as f64;
            }
        }
        squares.into_iter().map(f64::sqrt).collect()
    }

    /// The sum of each test, with a run chosen for each case.
    fn sums(&self, mut choose: impl FnMut(usize) -> usize) -> Vec<f64> {
        let mut sums = vec![0.0; self.tests];
        for case in &self.cases {
            let chosen = choose(case.runs);
            for entry in &self.entries[case.entries.clone()] {
                sums[entry.test] += self.falls[entry.at + chosen];
            }
        }
        sums
    }

    fn enumerate(&self, from: usize, sums: &[f64], count: &mut impl FnMut(&[f64])) {
        let Some(case) = self.cases.get(from) else { return count(sums) };
        for chosen in 0..case.runs {
            let mut sums = sums.to_vec();
            for entry in &self.entries[case.entries.clone()] {
                sums[entry.test] += self.falls[entry.at + chosen];
            }
            self.enumerate(from + 1, &sums, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mcnemar;
    use crate::stats::reference::{agrees, numbers, rows};

    /// One test over cases that have these values, the one of now first.
    fn single(cases: &[Vec<f64>]) -> Blocks {
        let mut blocks = Blocks::new(1);
        for values in cases {
            blocks.add([(values.as_slice(), [0].as_slice())]);
        }
        blocks
    }

    fn p(cases: &[Vec<f64>], draws: usize) -> f64 {
        single(cases).max_t(Side::Worse, 1, draws)[0]
    }

    /// Each case before and now, so that it changed by these differences.
    fn of_differences(differences: &[f64]) -> Vec<Vec<f64>> {
        differences.iter().map(|difference| vec![*difference, 0.0]).collect()
    }

    fn by_case(runs: &[Vec<f64>]) -> Vec<Vec<f64>> {
        (0..runs[0].len()).map(|case| runs.iter().map(|run| run[case]).collect()).collect()
    }

    #[test]
    fn runs_exchanged_within_cases_agree_with_scipy() {
        let table = rows("blocks");
        assert!(table.len() >= 16);
        for row in table {
            let runs: Vec<Vec<f64>> = row["runs"].as_array().unwrap().iter().map(numbers).collect();
            agrees(p(&by_case(&runs), 0), &row["worse"], 1e-12);
            if !row["both"].is_null() {
                agrees(single(&by_case(&runs)).max_t(Side::Both, 1, 0)[0], &row["both"], 1e-12);
            }
        }
    }

    #[test]
    fn with_one_run_on_each_side_it_is_the_sign_flip_test_of_scipy() {
        let table = rows("sign_flip");
        assert!(table.len() >= 10);
        for row in table {
            agrees(p(&of_differences(&numbers(&row["differences"])), 0), &row["p_worse"], 1e-12);
        }
        for row in rows("sign_flip_many") {
            let expected = row["p_worse"].as_f64().unwrap();
            let chance = 4.0 * (expected * (1.0 - expected) / 10_000.0).sqrt() + 2e-4;
            let actual = p(&of_differences(&numbers(&row["differences"])), 10_000);
            assert!((actual - expected).abs() < chance, "{actual} is not {expected}");
        }
    }

    #[test]
    fn with_single_attempts_it_is_mcnemars_test() {
        for (worse, better) in [(1, 0), (5, 0), (4, 2), (9, 2), (3, 3), (1, 6)] {
            let mut cases = vec![vec![0.0, 1.0]; worse];
            cases.extend(vec![vec![1.0, 0.0]; better]);
            cases.extend(vec![vec![1.0, 1.0]; 50]);
            assert!((p(&cases, 0) - mcnemar(worse, better).one_sided).abs() < 1e-12, "{worse} {better}");
        }
    }

    /// Darwin's maize, eighths of an inch: Fisher's (1935) permutation test has 863 of 32,768 combinations at least as
    /// extreme in one direction.
    #[test]
    fn darwins_maize_gives_fishers_count() {
        let darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
        let differences: Vec<f64> = darwin.iter().map(|difference| -f64::from(*difference)).collect();
        assert_eq!(p(&of_differences(&differences), 0), 863.0 / 32_768.0);
    }

    #[test]
    fn the_step_down_procedure_agrees_with_scipy() {
        let table = rows("max_t");
        assert!(table.len() >= 4);
        for row in table {
            let metrics: Vec<Vec<Vec<f64>>> = row["metrics"]
                .as_array()
                .unwrap()
                .iter()
                .map(|metric| by_case(&metric.as_array().unwrap().iter().map(numbers).collect::<Vec<_>>()))
                .collect();
            let tests: Vec<[usize; 1]> = (0..metrics.len()).map(|test| [test]).collect();
            let mut blocks = Blocks::new(metrics.len());
            for case in 0..metrics[0].len() {
                blocks.add(metrics.iter().zip(&tests).map(|(metric, test)| (metric[case].as_slice(), test.as_slice())));
            }
            for (actual, expected) in blocks.max_t(Side::Worse, 1, 0).iter().zip(row["adjusted"].as_array().unwrap()) {
                agrees(*actual, expected, 1e-12);
            }
        }
    }

    #[test]
    fn metrics_that_are_the_same_cost_nothing() {
        let cases: Vec<Vec<f64>> = (0..30).map(|case| vec![f64::from(case * 29 % 41) / 41.0 - 0.2, 0.5, 0.6]).collect();
        let mut twice = Blocks::new(3);
        for values in &cases {
            twice.add([(values.as_slice(), [0, 1].as_slice()), (values.as_slice(), [2].as_slice())]);
        }
        let alone = p(&cases, 2000);
        assert_eq!(twice.max_t(Side::Worse, 1, 2000), [alone; 3]);
    }

    #[test]
    fn copies_of_an_attempt_are_one_run_and_count_once() {
        let runs: Vec<Vec<f64>> = (0..12).map(|case| vec![f64::from(u8::from(case < 4)), 1.0]).collect();
        assert_eq!(p(&runs, 0), 0.5_f64.powi(8));
    }

    #[test]
    fn what_is_the_same_in_all_runs_says_nothing() {
        assert_eq!(p(&[], 100), 1.0);
        assert_eq!(p(&vec![vec![0.3; 4]; 20], 100), 1.0);
        assert_eq!(p(&[vec![0.0, 1.0]], 100), 0.5);
        assert_eq!(p(&[vec![0.0, 1.0, 1.0]], 100), 1.0 / 3.0);
        assert_eq!(p(&[vec![f64::NAN, 1.0], vec![0.0, 1.0]], 100), 0.5);
    }

    #[test]
    fn a_seed_gives_the_same_answer_each_time() {
        let cases: Vec<Vec<f64>> = (0..60).map(|case| vec![f64::from(case % 7), f64::from(case % 5), 3.0]).collect();
        let blocks = single(&cases);
        assert_eq!(blocks.max_t(Side::Worse, 9, 500), blocks.max_t(Side::Worse, 9, 500));
    }
}
