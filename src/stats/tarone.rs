//! Tarone's correction, stepwise as Holm's: what cannot be significant does not count.
#![expect(clippy::cast_precision_loss, reason = "counts of tests are far below 2^52")]

/// A test of something that comes in whole numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Discrete {
    /// Its p-value.
    pub p: f64,
    /// The least p-value that it could have had.
    pub least: f64,
}

/// Which tests are significant at `alpha` together.
///
/// With K tests at a level of alpha / K each, only those whose least p-value is no larger can err; so K need not be
/// larger than their number (Tarone 1990). What is rejected leaves, and the rest is looked at again (Hommel and
/// Krummenauer 1998). If every test could have any p-value this is Holm's procedure.
pub fn tarone_holm(tests: &[Discrete], alpha: f64) -> Vec<bool> {
    let mut rejected = vec![false; tests.len()];
    let mut least: Vec<f64> = tests.iter().map(|test| test.least).collect();
    least.sort_by(f64::total_cmp);
    let mut order: Vec<usize> = (0..tests.len()).collect();
    order.sort_by(|a, b| tests[*a].p.total_cmp(&tests[*b].p).then(a.cmp(b)));
    for index in order {
        let test = tests[index];
        let level = alpha / smallest_count(&least, alpha) as f64;
        if test.p > level {
            break;
        }
        rejected[index] = true;
        let at = least.partition_point(|one| *one < test.least);
        least.remove(at);
    }
    rejected
}

/// The smallest K of which no more than K tests could be significant at alpha / K; `least` is sorted.
fn smallest_count(least: &[f64], alpha: f64) -> usize {
    let could = |k: usize| least.partition_point(|one| *one <= alpha / k as f64);
    // It falls as k rises, so that halving finds where k overtakes it.
    let (mut low, mut high) = (1, least.len().max(1));
    while low < high {
        let middle = low.midpoint(high);
        if could(middle) <= middle {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::reference::{numbers, rows};

    #[test]
    fn if_everything_can_be_significant_it_is_holms_procedure() {
        let table = rows("tarone_holm");
        assert!(table.len() >= 5);
        for row in table {
            let tests: Vec<Discrete> = numbers(&row["p"]).into_iter().map(|p| Discrete { p, least: 0.0 }).collect();
            let expected: Vec<bool> =
                row["rejected"].as_array().unwrap().iter().map(|one| one.as_bool().unwrap()).collect();
            assert_eq!(tarone_holm(&tests, row["alpha"].as_f64().unwrap()), expected);
        }
    }

    #[test]
    fn what_cannot_be_significant_does_not_count() {
        let mut tests = vec![Discrete { p: 0.004, least: 0.001 }];
        tests.extend(vec![Discrete { p: 1.0, least: 0.3 }; 1000]);
        assert!(tarone_holm(&tests, 0.005)[0]);
        tests.extend(vec![Discrete { p: 1.0, least: 0.0001 }; 2]);
        assert!(!tarone_holm(&tests, 0.005)[0]);
    }

    #[test]
    fn nothing_is_rejected_of_nothing() {
        assert!(tarone_holm(&[], 0.05).is_empty());
    }
}
