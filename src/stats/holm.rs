//! Holm's correction: many tests at once, and still at most 5 % runs with a false alarm.
#![expect(clippy::cast_precision_loss, reason = "counts of tests are far below 2^52")]

/// The p-values adjusted by Holm's step-down method, in the order given. What is not a number counts as 1.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|left, right| p_values[*left].total_cmp(&p_values[*right]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        // `min` prefers the number, so that NaN becomes 1.
        largest = largest.max((p_values[index] * (p_values.len() - rank) as f64).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::holm;
    use crate::stats::reference::{numbers, rows};

    fn assert_near(actual: &[f64], expected: &[f64]) {
        assert_eq!(actual.len(), expected.len());
        for (actual, expected) in actual.iter().zip(expected) {
            assert!((actual - expected).abs() < 1e-14, "{actual} is not {expected}");
        }
    }

    #[test]
    fn holm_agrees_with_statsmodels() {
        let table = rows("holm");
        assert!(table.len() >= 10);
        for row in table {
            assert_near(&holm(&numbers(&row["p_values"])), &numbers(&row["adjusted"]));
        }
    }

    /// The worked example of Wikipedia's article on the method.
    #[test]
    fn holm_agrees_with_a_published_example() {
        assert_near(&holm(&[0.01, 0.04, 0.03, 0.005]), &[0.03, 0.06, 0.06, 0.02]);
    }

    #[test]
    fn one_test_needs_no_correction_and_none_has_none() {
        assert_eq!(holm(&[0.031]), [0.031]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn adjusting_never_lowers_a_value_nor_changes_the_order_nor_exceeds_one() {
        for size in 1..30_u32 {
            let p_values: Vec<f64> = (0..size).map(|index| f64::from(index * 37 % 101) / 400.0).collect();
            let adjusted = holm(&p_values);
            for (left, p_left) in p_values.iter().enumerate() {
                assert!(adjusted[left] >= *p_left && adjusted[left] <= 1.0);
                assert!(adjusted[left] <= p_left * f64::from(size), "never above Bonferroni's");
                for (right, p_right) in p_values.iter().enumerate() {
                    assert!(p_left > p_right || adjusted[left] <= adjusted[right]);
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_number_is_never_significant() {
        let adjusted = holm(&[f64::NAN, 0.01, -f64::NAN]);
        assert_eq!((adjusted[0], adjusted[2]), (1.0, 1.0));
        assert!(adjusted[1] >= 0.01);
    }
}
