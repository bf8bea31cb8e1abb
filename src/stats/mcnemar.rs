//! McNemar's exact test: of the cases that changed, did more get worse than better?
#![expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]

/// The p-values of McNemar's exact test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact {
    /// How likely at least so many cases would get worse if either direction were equally likely.
    pub one_sided: f64,
    /// How likely so uneven a change would be in either direction.
    pub two_sided: f64,
}

/// Compares the `worse` cases, which passed before and fail now, with the `better` ones; the others say nothing.
pub fn mcnemar(worse: usize, better: usize) -> Exact {
    let tail = upper_tail(worse.max(better), worse.min(better));
    let one_sided = if worse >= better {
        tail
    } else {
        worse.checked_sub(1).map_or(1.0, |fewer| 1.0 - upper_tail(better + 1, fewer))
    };
    Exact { one_sided, two_sided: (2.0 * tail).min(1.0) }
}

/// P(X ≥ high) for X ~ Binomial(high + low, ½), where high ≥ low.
///
/// Every probability is taken relative to the middle one and follows from its neighbour by a ratio. All terms are
/// positive and none overflows, so no logarithm is needed and every platform computes the same.
fn upper_tail(high: usize, low: usize) -> f64 {
    let half = (high - low) / 2;
    let (mut above, mut below) = (high - half, low + half);
    let (mut weight, mut tail) = (1.0, 0.0);
    // The lower half mirrors the upper one; a middle that both share counts once.
    let mut total = if above == below { -1.0 } else { 0.0 };
    while weight >= f64::MIN_POSITIVE {
        total += 2.0 * weight;
        if above >= high {
            tail += weight;
        }
        weight *= below as f64 / (above as f64 + 1.0);
        above += 1;
        below = below.saturating_sub(1);
    }
    tail / total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::reference::{agrees, count, rows};

    #[test]
    fn mcnemar_agrees_with_scipy_and_statsmodels() {
        let table = rows("mcnemar");
        assert!(table.len() >= 30);
        for row in table {
            let exact = mcnemar(count(&row["worse"]), count(&row["better"]));
            agrees(exact.one_sided, &row["one_sided"], 1e-10);
            agrees(exact.two_sided, &row["two_sided"], 1e-10);
        }
    }

    /// 6 against 16 discordant pairs, and the 9 against 2 of exact2x2's vignette (Fay 2010).
    #[test]
    fn mcnemar_agrees_with_published_values() {
        assert_eq!(format!("{:.4}", mcnemar(6, 16).two_sided), "0.0525");
        assert_eq!(format!("{:.5}", mcnemar(9, 2).two_sided), "0.06543");
    }

    #[test]
    fn without_a_changed_case_nothing_is_significant() {
        assert_eq!(mcnemar(0, 0), Exact { one_sided: 1.0, two_sided: 1.0 });
    }

    #[test]
    fn if_all_got_worse_the_p_value_is_a_power_of_one_half() {
        for n in 1..=60 {
            let doubled = mcnemar(n, 0).one_sided * 2.0_f64.powi(i32::try_from(n).unwrap());
            assert!((doubled - 1.0).abs() < 1e-13, "{n}");
            assert_eq!(mcnemar(0, n).one_sided, 1.0);
        }
    }

    #[test]
    fn the_two_sided_test_does_not_care_about_the_direction() {
        for worse in 0..40 {
            for better in 0..40 {
                assert_eq!(mcnemar(worse, better).two_sided, mcnemar(better, worse).two_sided);
            }
        }
    }

    #[test]
    fn both_directions_overlap_in_exactly_the_observed_outcome() {
        for worse in 1..40 {
            for better in 1..40 {
                let complement = 1.0 - mcnemar(better + 1, worse - 1).one_sided;
                assert!((mcnemar(worse, better).one_sided - complement).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn more_cases_that_got_worse_are_stronger_evidence() {
        for n in [1, 2, 7, 50, 301, 2000] {
            for worse in 1..=n {
                let (fewer, more) = (mcnemar(worse - 1, n - worse + 1).one_sided, mcnemar(worse, n - worse).one_sided);
                assert!(more <= fewer, "{worse} of {n}");
                assert!((0.0..=1.0).contains(&more));
            }
        }
    }

    #[test]
    fn huge_counts_neither_overflow_nor_divide_by_nothing() {
        assert_eq!(mcnemar(100_000, 0), Exact { one_sided: 0.0, two_sided: 0.0 });
        assert_eq!(mcnemar(0, 100_000).one_sided, 1.0);
        let even = mcnemar(1_000_000_000, 1_000_000_000);
        assert!((even.one_sided - 0.5).abs() < 1e-4 && even.two_sided == 1.0);
    }
}
