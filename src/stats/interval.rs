//! 95 % intervals for shares and means.
#![expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]

/// The 97.5 % quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The arithmetic mean; nothing for no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of a sample; needs two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    Some((values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / freedom as f64).sqrt())
}

/// Wilson's score interval for `hits` out of `n`.
pub fn wilson(hits: usize, n: usize) -> Option<[f64; 2]> {
    if n == 0 || hits > n {
        return None;
    }
    let (p, n) = (hits as f64 / n as f64, n as f64);
    let centre = p + Z * Z / (2.0 * n);
    let spread = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    Some([((centre - spread) / scale).max(0.0), ((centre + spread) / scale).min(1.0)])
}

/// Student's interval for the mean of values that lie between 0 and 1; needs two of them.
pub fn mean_interval(values: &[f64]) -> Option<[f64; 2]> {
    let centre = mean(values)?;
    let freedom = values.len().checked_sub(1).filter(|freedom| *freedom > 0)?;
    let spread = student_quantile(freedom) * deviation(values)? / (values.len() as f64).sqrt();
    Some([(centre - spread).max(0.0), (centre + spread).min(1.0)])
}

/// The 97.5 % quantile of Student's t: exact for 1 and 2 degrees of freedom, else the Cornish-Fisher expansion.
fn student_quantile(freedom: usize) -> f64 {
    let (n, z) = (freedom as f64, Z);
    match freedom {
        1 => 12.706_204_736_174_698,
        2 => 4.302_652_729_749_464,
        _ => {
            let g1 = (z.powi(3) + z) / 4.0;
            let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
            let g3 = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
            let g4 =
                (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92_160.0;
            z + g1 / n + g2 / n.powi(2) + g3 / n.powi(3) + g4 / n.powi(4)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(actual: f64, expected: f64, tolerance: f64) {
        assert!((actual - expected).abs() < tolerance, "{actual} is not {expected}");
    }

    /// Computed with statsmodels' `proportion_confint(k, n, method="wilson")`.
    #[test]
    fn wilson_agrees_with_statsmodels() {
        for (hits, n, low, high) in [
            (0, 10, 0.0, 0.277_532_799),
            (5, 10, 0.236_593_091, 0.763_406_909),
            (10, 10, 0.722_467_201, 1.0),
            (61, 72, 0.746_777_106, 0.912_492_913),
        ] {
            let [lower, upper] = wilson(hits, n).unwrap();
            near(lower, low, 1e-8);
            near(upper, high, 1e-8);
        }
        assert_eq!(wilson(0, 0), None);
    }

    /// Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
    #[test]
    fn wilson_agrees_with_newcombes_table() {
        for (hits, n, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let [lower, upper] = wilson(hits, n).unwrap();
            near(lower, low, 5e-5);
            near(upper, high, 5e-5);
        }
    }

    /// Computed with `scipy.stats.t.ppf(0.975, df)`.
    #[test]
    fn students_quantile_agrees_with_scipy() {
        for (freedom, expected, tolerance) in [
            (1, 12.706_204_736, 1e-9),
            (2, 4.302_652_730, 1e-9),
            (3, 3.182_446_305, 0.02),
            (5, 2.570_581_836, 1e-3),
            (10, 2.228_138_852, 1e-5),
            (30, 2.042_272_456, 1e-6),
            (100, 1.983_971_519, 1e-7),
        ] {
            near(student_quantile(freedom), expected, tolerance);
        }
    }

    #[test]
    fn an_interval_of_equal_values_has_no_width_and_one_value_has_none() {
        assert_eq!(mean_interval(&[0.5, 0.5, 0.5]), Some([0.5, 0.5]));
        assert_eq!(mean_interval(&[0.5]), None);
    }
}
