//! Fisher's exact test: do fewer of these attempts pass than of those?
#![expect(clippy::cast_precision_loss, reason = "counts of attempts are far below 2^52")]

/// How often something was tried, and how often it passed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tries {
    pub attempts: usize,
    /// At most as many.
    pub passes: usize,
}

impl Tries {
    /// The share that passed; 0 of none.
    pub fn share(self) -> f64 {
        self.passes as f64 / self.attempts.max(1) as f64
    }

    /// Both together.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self { attempts: self.attempts + other.attempts, passes: self.passes + other.passes }
    }
}

/// The p-values of Fisher's exact test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fisher {
    /// How likely at most so many of the attempts now would pass, if all attempts had the same chance.
    pub worse: f64,
    /// How likely a table no more likely than this one would be.
    pub two_sided: f64,
    /// The least that `worse` could be with as many attempts and passes in all.
    pub least: f64,
}

/// Compares attempts now with those before, given how many pass in all.
pub fn fisher(before: Tries, now: Tries) -> Fisher {
    let passes = before.passes + now.passes;
    let (low, high) = (passes.saturating_sub(before.attempts), passes.min(now.attempts));
    // The ratio of the probabilities of k + 1 and k passes now; every weight is relative to the likeliest number.
    let ratio = |k: usize| {
        let above = (now.attempts - k) as f64 * (passes - k) as f64;
        above / ((k + 1) as f64 * (before.attempts + k + 1 - passes) as f64)
    };
    let mode = (low..high).find(|k| ratio(*k) <= 1.0).unwrap_or(high);
    let mut weights = vec![1.0; high - low + 1];
    for k in mode..high {
        weights[k + 1 - low] = weights[k - low] * ratio(k);
    }
    for k in (low..mode).rev() {
        weights[k - low] = weights[k + 1 - low] / ratio(k);
    }
    let total: f64 = weights.iter().sum();
    let own = weights[now.passes - low];
    // As SciPy does it, what is as likely but for rounding counts.
    let no_likelier = weights.iter().filter(|weight| **weight <= own * (1.0 + 1e-7));
    Fisher {
        worse: weights[..=now.passes - low].iter().sum::<f64>() / total,
        two_sided: no_likelier.sum::<f64>() / total,
        least: weights[0] / total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::reference::{agrees, count, rows};

    #[test]
    fn fishers_test_agrees_with_scipy() {
        let table = rows("fisher");
        assert!(table.len() >= 14);
        for row in table {
            let tries = |side: &str| Tries { passes: count(&row[side][0]), attempts: count(&row[side][1]) };
            let actual = fisher(tries("before"), tries("now"));
            agrees(actual.worse, &row["worse"], 1e-9);
            agrees(actual.two_sided, &row["two_sided"], 1e-9);
            agrees(actual.least, &row["least"], 1e-9);
        }
    }

    #[test]
    fn no_attempt_and_no_pass_say_nothing() {
        for (before, now) in [((0, 0), (0, 0)), ((0, 5), (0, 5)), ((5, 5), (5, 5)), ((0, 0), (3, 7))] {
            let tries = |(passes, attempts)| Tries { attempts, passes };
            assert!((fisher(tries(before), tries(now)).worse - 1.0).abs() < 1e-12);
        }
    }
}
