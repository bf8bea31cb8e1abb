//! The paired bootstrap: how sure is it that the mean over the cases fell?
#![expect(clippy::cast_precision_loss, reason = "counts of cases and of resamples are far below 2^52")]

use super::interval::mean;

/// Sums that differ by less than this share of all absolute differences are equal but for rounding.
pub(super) const ROUNDING: f64 = 1e-12;

/// What the bootstrap says about the mean difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrap {
    pub mean: f64,
    /// The percentile interval that holds 95 % of the resampled means.
    pub ci95: [f64; 2],
    /// The one-sided p-value of "the mean fell".
    pub p_worse: f64,
}

/// Resamples the cases' differences (now − before, one per case) with replacement.
///
/// Cases are what is drawn: the repeats of one case depend on each other and must be averaged before.
///
/// The p-value is that of the bootstrap under the null hypothesis: the differences are shifted so that their mean is
/// zero, and p = (1 + resamples whose shifted mean is at most the observed one) / (resamples + 1). A shifted resample
/// is a resample minus the mean, so the draws of the interval serve for both. The p-value is never 0, and ties count
/// against a change.
///
/// With few cases, or few distinct differences, the bootstrap is too liberal: it cannot draw what it has not seen. The
/// gate therefore takes its interval alone, and its p-values from [`Blocks`](super::Blocks).
///
/// Fewer than two cases, no resamples and differences that are not finite prove nothing: p is 1.
pub fn paired_bootstrap(differences: &[f64], seed: u64, resamples: usize) -> Bootstrap {
    let mean = mean(differences).unwrap_or(0.0);
    if differences.len() < 2 || resamples == 0 || !mean.is_finite() {
        return Bootstrap { mean, ci95: [mean, mean], p_worse: 1.0 };
    }
    let observed: f64 = differences.iter().sum();
    let size: f64 = differences.iter().map(|difference| difference.abs()).sum();
    let mut random = SplitMix64(seed);
    let mut sums: Vec<f64> = (0..resamples)
        .map(|_| (0..differences.len()).map(|_| differences[random.below(differences.len())]).sum())
        .collect();
    sums.sort_unstable_by(f64::total_cmp);
    let extreme = sums.partition_point(|sum| sum - observed <= observed + ROUNDING * size);
    let n = differences.len() as f64;
    Bootstrap {
        mean,
        ci95: [quantile(&sums, 25) / n, quantile(&sums, 975) / n],
        p_worse: (1 + extreme) as f64 / (resamples + 1) as f64,
    }
}

/// The quantile at so many thousandths, between the two nearest of the sorted values as NumPy does it.
fn quantile(sorted: &[f64], thousandths: usize) -> f64 {
    let last = sorted.len() - 1;
    let (rank, rest) = (last * thousandths / 1000, last * thousandths % 1000);
    let (low, high) = (sorted[rank], sorted[last.min(rank + 1)]);
    low + (high - low) * rest as f64 / 1000.0
}

/// Steele, Lea and Flood's generator: tiny, and integers only, so that a seed draws the same everywhere.
#[derive(Debug)]
pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    /// The next 64 random bits.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`, which is not 0; all are equally likely (Lemire 2019).
    #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted, and the high half is below a usize")]
    pub(super) fn below(&mut self, n: usize) -> usize {
        let n = n as u64;
        loop {
            let product = u128::from(self.next()) * u128::from(n);
            let low = product as u64;
            if low >= n || low >= n.wrapping_neg() % n {
                return (product >> 64) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::reference::{agrees, count, numbers, rows};

    /// The output for seed 1234567 that other implementations publish.
    #[test]
    fn the_generator_draws_the_published_numbers() {
        let mut random = SplitMix64(1_234_567);
        for expected in [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ] {
            assert_eq!(random.next(), expected);
        }
    }

    #[test]
    fn every_number_below_a_bound_is_equally_likely() {
        let mut random = SplitMix64(7);
        let mut drawn = [0_i32; 7];
        for _ in 0..70_000 {
            drawn[random.below(7)] += 1;
        }
        assert!(drawn.iter().all(|times| (times - 10_000).abs() < 400), "{drawn:?}");
        assert!((0..100).all(|_| random.below(1) == 0));
    }

    /// The same generator, written again in Python.
    #[test]
    fn a_seed_draws_the_same_as_in_another_language() {
        for row in rows("replay") {
            let differences = numbers(&row["differences"]);
            let actual = paired_bootstrap(&differences, row["seed"].as_u64().unwrap(), count(&row["resamples"]));
            agrees(actual.mean, &row["mean"], 1e-12);
            agrees(actual.ci95[0], &row["ci95"][0], 1e-12);
            agrees(actual.ci95[1], &row["ci95"][1], 1e-12);
            agrees(actual.p_worse, &row["p_worse"], 1e-12);
        }
    }

    #[test]
    fn the_bootstrap_agrees_with_numpy_but_for_chance() {
        for row in rows("bootstrap") {
            let differences = numbers(&row["differences"]);
            let actual = paired_bootstrap(&differences, 1, 10_000);
            let ci95 = numbers(&row["ci95"]);
            agrees(actual.mean, &row["mean"], 1e-12);
            for (actual, expected) in actual.ci95.iter().zip(&ci95) {
                assert!((actual - expected).abs() < 0.03 * (ci95[1] - ci95[0]), "{actual} is not {expected}");
            }
            let p = row["p_worse"].as_f64().unwrap();
            let chance = 4.0 * (p * (1.0 - p) / 10_000.0).sqrt() + 2e-4;
            assert!((actual.p_worse - p).abs() < chance, "{} is not {p}", actual.p_worse);
        }
    }

    #[test]
    fn nothing_is_significant_without_two_cases_or_without_a_difference() {
        let nothing = Bootstrap { mean: 0.0, ci95: [0.0, 0.0], p_worse: 1.0 };
        assert_eq!(paired_bootstrap(&[], 1, 1000), nothing);
        assert_eq!(paired_bootstrap(&[0.0; 50], 1, 1000), nothing);
        assert_eq!(paired_bootstrap(&[-1.0], 1, 1000), Bootstrap { mean: -1.0, ci95: [-1.0, -1.0], p_worse: 1.0 });
        assert_eq!(paired_bootstrap(&[-1.0, -0.5], 1, 0).p_worse, 1.0);
        assert_eq!(paired_bootstrap(&[-1.0, f64::NAN], 1, 1000).p_worse, 1.0);
        assert_eq!(paired_bootstrap(&[-1.0, f64::NEG_INFINITY], 1, 1000).p_worse, 1.0);
    }

    #[test]
    fn the_p_value_is_never_zero() {
        assert_eq!(paired_bootstrap(&[-1.0; 20], 1, 999).p_worse, 0.001);
        assert_eq!(paired_bootstrap(&[1.0; 20], 1, 999).p_worse, 1.0);
    }

    #[test]
    fn ties_count_against_a_change_in_spite_of_rounding() {
        for scale in [1.0, 0.1, 0.7, 1e-9] {
            let differences = [-0.2 * scale, -0.2 * scale, 0.4 * scale, -0.2 * scale, -0.6 * scale, 0.2 * scale];
            let expected = paired_bootstrap(&[-1.0, -1.0, 2.0, -1.0, -3.0, 1.0], 3, 5000).p_worse;
            assert_eq!(paired_bootstrap(&differences, 3, 5000).p_worse, expected);
        }
    }

    /// Of two cases, −1 and 0, a shifted resample is at most −½ exactly when it is −1 twice: one in four.
    #[test]
    fn two_cases_have_a_p_value_known_by_hand() {
        let quarter = paired_bootstrap(&[-1.0, 0.0], 1, 10_000).p_worse;
        assert!((quarter - 0.25).abs() < 0.02, "{quarter}");
    }

    #[test]
    fn scaling_the_differences_scales_the_interval_and_keeps_the_p_value() {
        let differences: Vec<f64> = (0..60).map(|case| f64::from(case * 29 % 41 - 22) / 40.0).collect();
        let doubled: Vec<f64> = differences.iter().map(|difference| difference * 2.0).collect();
        let (one, two) = (paired_bootstrap(&differences, 5, 2000), paired_bootstrap(&doubled, 5, 2000));
        assert_eq!(two.p_worse, one.p_worse);
        assert_eq!(two.ci95, one.ci95.map(|end| end * 2.0));
        assert_eq!(two.mean, one.mean * 2.0);
    }

    #[test]
    fn a_larger_drop_is_stronger_evidence() {
        let mut previous = 1.0;
        for drop in 0..20 {
            let differences: Vec<f64> = (0..60).map(|case| f64::from(case * 29 % 41 - 20 - drop) / 40.0).collect();
            let bootstrap = paired_bootstrap(&differences, 5, 2000);
            assert!(bootstrap.p_worse <= previous && bootstrap.p_worse > 0.0);
            assert!(bootstrap.ci95[0] <= bootstrap.mean && bootstrap.mean <= bootstrap.ci95[1]);
            previous = bootstrap.p_worse;
        }
        assert!(previous < 0.001);
    }

    #[test]
    fn another_seed_draws_differently_but_concludes_the_same() {
        let differences: Vec<f64> = (0..60).map(|case| f64::from(case * 29 % 41 - 22) / 40.0).collect();
        let (one, two) = (paired_bootstrap(&differences, 1, 10_000), paired_bootstrap(&differences, 2, 10_000));
        assert_eq!(one, paired_bootstrap(&differences, 1, 10_000));
        assert_ne!(one, two);
        assert!((one.p_worse - two.p_worse).abs() < 0.02);
    }
}
