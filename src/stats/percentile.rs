//! Percentiles by the nearest rank.

/// The smallest value that at least `percent` of the values do not exceed; nothing for no values.
pub fn percentile(values: &[f64], percent: usize) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn the_nearest_rank_is_always_one_of_the_values() {
        let values = [15.0, 20.0, 35.0, 40.0, 50.0];
        assert_eq!(percentile(&values, 50), Some(35.0));
        assert_eq!(percentile(&values, 95), Some(50.0));
        assert_eq!(percentile(&values, 0), Some(15.0));
        assert_eq!(percentile(&[], 50), None);
    }
}
