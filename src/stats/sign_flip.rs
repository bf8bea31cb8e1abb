//! The sign-flip test: the permutation test of paired differences.
#![expect(clippy::cast_precision_loss, reason = "counts of cases and of resamples are far below 2^52")]

use super::bootstrap::{ROUNDING, SplitMix64};

/// Up to so many differences, every combination of signs is tried.
const ENUMERATED: usize = 16;

/// The one-sided p-value of "the mean fell": had nothing changed, each case's difference (now − before, one per case)
/// could as well have had the other sign; how many combinations of signs lead to a sum no larger than the observed one?
///
/// Differences of zero have no sign and say nothing. Up to 16 others are enumerated and the p-value is exact; with more
/// of them, `resamples` combinations are drawn and p = (1 + those at most the observed sum) / (resamples + 1).
///
/// The gate takes the larger of this p-value and that of [`paired_bootstrap`](super::paired_bootstrap): with `n` cases
/// that changed, this one is never below 2⁻ⁿ, while the bootstrap may call two cases significant. Differences that
/// are not finite prove nothing: p is 1.
pub fn sign_flip(differences: &[f64], seed: u64, resamples: usize) -> f64 {
    let changed: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    let observed: f64 = changed.iter().sum();
    if !observed.is_finite() {
        return 1.0;
    }
    let limit = observed + ROUNDING * changed.iter().map(|difference| difference.abs()).sum::<f64>();
    if changed.len() <= ENUMERATED {
        let all = changed.iter().fold(1.0, |all, _| all * 2.0);
        return combinations(&changed, 0.0, limit) as f64 / all;
    }
    let mut random = SplitMix64(seed);
    let extreme = (0..resamples).filter(|_| flipped(&changed, &mut random) <= limit).count();
    (1 + extreme) as f64 / (resamples + 1) as f64
}

/// How many combinations of signs add up to at most `limit`, on top of `sum`.
fn combinations(differences: &[f64], sum: f64, limit: f64) -> usize {
    match differences {
        [] => usize::from(sum <= limit),
        [first, rest @ ..] => combinations(rest, sum + first, limit) + combinations(rest, sum - first, limit),
    }
}

/// The sum with random signs, one bit each.
fn flipped(differences: &[f64], random: &mut SplitMix64) -> f64 {
    let mut sum = 0.0;
    for word in differences.chunks(64) {
        let mut bits = random.next();
        for difference in word {
            sum += f64::from_bits(difference.to_bits() ^ (bits << 63));
            bits >>= 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::paired_bootstrap;
    use crate::stats::reference::{agrees, count, numbers, rows};

    #[test]
    fn few_differences_agree_exactly_with_scipy() {
        let table = rows("sign_flip");
        assert!(table.len() >= 10);
        for row in table {
            agrees(sign_flip(&numbers(&row["differences"]), 1, 0), &row["p_worse"], 1e-12);
        }
    }

    #[test]
    fn many_differences_agree_with_the_exact_distribution_but_for_chance() {
        for row in rows("sign_flip_many") {
            let p = row["p_worse"].as_f64().unwrap();
            let chance = 4.0 * (p * (1.0 - p) / 10_000.0).sqrt() + 2e-4;
            let actual = sign_flip(&numbers(&row["differences"]), 1, 10_000);
            assert!((actual - p).abs() < chance, "{actual} is not {p}");
        }
    }

    /// The same generator, written again in Python.
    #[test]
    fn a_seed_flips_the_same_signs_as_in_another_language() {
        for row in rows("replay") {
            let differences = numbers(&row["differences"]);
            let actual = sign_flip(&differences, row["seed"].as_u64().unwrap(), count(&row["resamples"]));
            agrees(actual, &row["sign_flip"], 1e-12);
        }
    }

    /// Darwin's maize, eighths of an inch: Fisher's (1935) permutation test has 863 of 32,768 combinations at least as
    /// extreme in one direction.
    #[test]
    fn darwins_maize_gives_fishers_count() {
        let darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
        let differences: Vec<f64> = darwin.iter().map(|difference| -f64::from(*difference)).collect();
        assert_eq!(sign_flip(&differences, 1, 0), 863.0 / 32_768.0);
    }

    #[test]
    fn nothing_is_significant_without_a_difference() {
        assert_eq!(sign_flip(&[], 1, 1000), 1.0);
        assert_eq!(sign_flip(&[0.0, -0.0, 0.0], 1, 1000), 1.0);
        assert_eq!(sign_flip(&[-1.0], 1, 1000), 0.5);
        assert_eq!(sign_flip(&[-1.0, f64::NAN], 1, 1000), 1.0);
        assert_eq!(sign_flip(&[-1.0; 40], 1, 0), 1.0);
    }

    #[test]
    fn cases_that_did_not_change_do_not_matter() {
        let changed = [-0.4, 0.2, -0.6, -0.2, -0.8];
        let mut padded = vec![0.0; 200];
        padded.extend(changed);
        assert_eq!(sign_flip(&padded, 1, 1000), sign_flip(&changed, 1, 1000));
    }

    #[test]
    fn if_all_fell_only_one_combination_is_as_extreme() {
        for n in 1..=ENUMERATED {
            let all = 0.5_f64.powi(i32::try_from(n).unwrap());
            assert_eq!(sign_flip(&vec![-0.3; n], 1, 0), all);
            assert_eq!(sign_flip(&vec![0.3; n], 1, 0), 1.0);
        }
        assert_eq!(sign_flip(&[-0.3; 200], 1, 999), 0.001);
    }

    #[test]
    fn neither_scale_nor_order_nor_rounding_matters() {
        let whole = [-3.0, 1.0, -2.0, -4.0, 2.0, -1.0, -3.0, 1.0];
        for scale in [1.0, 0.1, 0.2, 0.7, 1e-9, 1e9] {
            let mut scaled = whole.map(|difference| difference * scale);
            scaled.reverse();
            assert_eq!(sign_flip(&scaled, 1, 0), sign_flip(&whole, 1, 0));
        }
    }

    #[test]
    fn a_larger_drop_is_stronger_evidence() {
        for cases in [12, 60] {
            let mut previous = 1.0;
            for drop in 0..10 {
                let differences: Vec<f64> = (0..cases).map(|case| f64::from(case * 29 % 41 - 20 - drop)).collect();
                let p = sign_flip(&differences, 5, 20_000);
                assert!(p <= previous + 0.01, "{p} after {previous}");
                previous = p;
            }
        }
    }

    #[test]
    fn a_few_equal_drops_convince_only_the_bootstrap() {
        let differences = [-0.2, -0.2, -0.2];
        assert!(paired_bootstrap(&differences, 1, 10_000).p_worse < 0.001);
        assert_eq!(sign_flip(&differences, 1, 10_000), 0.125);
    }
}
