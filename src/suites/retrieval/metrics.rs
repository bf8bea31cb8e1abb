//! What is measured of a ranking. Pure arithmetic over "is the n-th one relevant?".
#![expect(clippy::cast_precision_loss, reason = "ranks are far below 2^52")]

/// Relevant ones among the first k, divided by k.
pub fn precision(relevant: &[bool], k: usize) -> f64 {
    hits(relevant, k) as f64 / k.max(1) as f64
}

/// Relevant ones among the first k, divided by all there are; 0 if there are none.
pub fn recall(relevant: &[bool], k: usize, total: usize) -> f64 {
    if total == 0 { 0.0 } else { hits(relevant, k) as f64 / total as f64 }
}

/// One divided by the rank of the first relevant one; 0 if there is none.
pub fn reciprocal_rank(relevant: &[bool]) -> f64 {
    relevant.iter().position(|hit| *hit).map_or(0.0, |index| 1.0 / (index + 1) as f64)
}

/// The mean of the precisions at each relevant one; those not found count 0.
pub fn average_precision(relevant: &[bool], total: usize) -> f64 {
    let (mut found, mut sum) = (0_usize, 0.0);
    for (index, _) in relevant.iter().enumerate().filter(|(_, hit)| **hit) {
        found += 1;
        sum += found as f64 / (index + 1) as f64;
    }
    if total == 0 { 0.0 } else { sum / total as f64 }
}

/// Discounted gain up to k, divided by the best possible; the gain is linear. `ideal` is sorted, best first.
pub fn ndcg(gains: &[f64], ideal: &[f64], k: usize) -> f64 {
    let dcg = |gains: &[f64]| -> f64 {
        gains.iter().take(k).enumerate().map(|(index, gain)| gain / ((index + 2) as f64).log2()).sum()
    };
    let best = dcg(ideal);
    if best > 0.0 { dcg(gains) / best } else { 0.0 }
}

fn hits(relevant: &[bool], k: usize) -> usize {
    relevant.iter().take(k).filter(|hit| **hit).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mrr_is_one_over_the_rank_of_the_first_hit() {
        for (relevant, expected) in [
            (vec![true, false], 1.0),
            (vec![false, true, true], 0.5),
            (vec![false; 4], 0.0),
            (vec![false, false, false, true], 0.25),
            (vec![], 0.0),
        ] {
            assert!((reciprocal_rank(&relevant) - expected).abs() < 1e-12, "{relevant:?}");
        }
    }

    #[test]
    fn precision_divides_by_k_even_when_fewer_were_retrieved() {
        assert!((precision(&[true, true], 5) - 0.4).abs() < 1e-12);
        assert!((recall(&[true, true], 5, 4) - 0.5).abs() < 1e-12);
        assert!((recall(&[true], 5, 0)).abs() < 1e-12);
    }
}
