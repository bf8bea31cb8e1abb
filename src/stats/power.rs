//! How many cases a test needs to see a drop.
#![expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]

use super::interval::mean;

/// The 80 % quantile of the normal distribution: the power asked for.
const Z_POWER: f64 = 0.841_621_233_572_914_4;

/// How many cases in all a one-sided paired test at level `alpha` would need to see a mean drop of `effect` with a
/// probability of 80 %, if the differences go on to vary as these do.
///
/// By the normal approximation, n = ((z₁₋ₐ + z₀.₈) · sd / effect)²; but never fewer cases than can be significant in
/// the sign-flip test, whose p-value is at least 2⁻ⁿ. Nothing for fewer than two differences, which do
/// not vary, for an effect that is no drop, and for a level that is none.
pub fn needed_cases(differences: &[f64], effect: f64, alpha: f64) -> Option<usize> {
    if differences.len() < 2 || effect.is_nan() || effect <= 0.0 {
        return None;
    }
    let z_alpha = -normal_quantile(alpha)?;
    let centre = mean(differences)?;
    let squares: f64 = differences.iter().map(|difference| (difference - centre).powi(2)).sum();
    let sd = (squares / (differences.len() - 1) as f64).sqrt();
    let needed = ((z_alpha + Z_POWER).max(0.0) * sd / effect).powi(2).ceil();
    let least = std::iter::successors(Some(1.0), |p| Some(p / 2.0)).take_while(|p| *p >= alpha).count();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number; too large saturates")]
    needed.is_finite().then(|| (needed as usize).max(least))
}

/// The quantile of the normal distribution; nothing outside of (0, 1). Wichura (1988), algorithm AS 241, PPND16.
fn normal_quantile(p: f64) -> Option<f64> {
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return None;
    }
    let centred = p - 0.5;
    if centred.abs() <= 0.425 {
        return Some(centred * ratio(&CENTRE, 0.180_625 - centred * centred));
    }
    let distance = (-p.min(1.0 - p).ln()).sqrt();
    let quantile = if distance <= 5.0 { ratio(&NEAR, distance - 1.6) } else { ratio(&FAR, distance - 5.0) };
    Some(quantile.copysign(centred))
}

/// The quotient of two polynomials, whose coefficients begin with the constants.
fn ratio([above, below]: &[[f64; 8]; 2], x: f64) -> f64 {
    let polynomial = |coefficients: &[f64; 8]| coefficients.iter().rev().fold(0.0, |sum, term| sum * x + term);
    polynomial(above) / polynomial(below)
}

/// For probabilities from 0.075 to 0.925.
const CENTRE: [[f64; 8]; 2] = [
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
];

/// For probabilities down to 10⁻¹¹ on either side.
const NEAR: [[f64; 8]; 2] = [
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];

/// For what is rarer.
const FAR: [[f64; 8]; 2] = [
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_7e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::reference::{agrees, count, numbers, rows};

    #[test]
    fn the_normal_quantile_agrees_with_scipy() {
        let table = rows("normal_quantile");
        assert!(table.len() >= 20);
        for row in table {
            agrees(normal_quantile(row["p"].as_f64().unwrap()).unwrap(), &row["z"], 1e-13);
        }
        agrees(normal_quantile(0.8).unwrap(), &Z_POWER.into(), 1e-15);
    }

    #[test]
    fn the_normal_quantile_is_symmetric_and_rises() {
        let mut previous = f64::NEG_INFINITY;
        for step in 1..1024 {
            let p = f64::from(step) / 1024.0;
            let quantile = normal_quantile(p).unwrap();
            assert!(quantile > previous);
            assert_eq!(quantile, -normal_quantile(1.0 - p).unwrap());
            previous = quantile;
        }
        for outside in [-0.1, 0.0, 1.0, 1.1, f64::NAN] {
            assert_eq!(normal_quantile(outside), None);
        }
    }

    #[test]
    fn needed_cases_agree_with_the_formula_in_scipy() {
        for row in rows("needed_cases") {
            let (effect, alpha) = (row["effect"].as_f64().unwrap(), row["alpha"].as_f64().unwrap());
            let needed = needed_cases(&numbers(&row["differences"]), effect, alpha);
            assert_eq!(needed, Some(count(&row["needed"])));
        }
    }

    /// (1.6449 + 0.8416)² = 6.1826: the usual table's factor for 5 % one-sided and 80 % power.
    #[test]
    fn a_standard_deviation_of_ten_effects_needs_the_published_factor_a_hundredfold() {
        let differences: Vec<f64> = (0..1000).map(|case| if case % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert_eq!(needed_cases(&differences, 0.1, 0.05), Some(619));
    }

    #[test]
    fn half_the_effect_needs_four_times_the_cases_and_the_scale_does_not_matter() {
        let differences: Vec<f64> = (0..60).map(|case| f64::from(case * 29 % 41 - 20) / 40.0).collect();
        let doubled: Vec<f64> = differences.iter().map(|difference| difference * 2.0).collect();
        for effect in [0.2, 0.1, 0.05, 0.01] {
            let needed = needed_cases(&differences, effect, 0.05).unwrap();
            let half = needed_cases(&differences, effect / 2.0, 0.05).unwrap();
            assert!((4 * needed - 4..=4 * needed).contains(&half), "{half} is not four times {needed}");
            assert_eq!(needed_cases(&doubled, effect * 2.0, 0.05), Some(needed));
            assert!(needed_cases(&differences, effect, 0.01) > Some(needed));
        }
    }

    #[test]
    fn never_fewer_cases_are_enough_than_the_sign_flip_test_needs() {
        assert_eq!(needed_cases(&[0.1, 0.1], 0.1, 0.05), Some(5));
        assert_eq!(needed_cases(&[0.1, 0.1], 0.1, 0.01), Some(7));
    }

    #[test]
    fn without_a_drop_a_level_or_two_differences_there_is_no_answer() {
        let differences = [0.1, -0.2, 0.3];
        assert_eq!(needed_cases(&differences, 0.0, 0.05), None);
        assert_eq!(needed_cases(&differences, -0.1, 0.05), None);
        assert_eq!(needed_cases(&differences, f64::NAN, 0.05), None);
        assert_eq!(needed_cases(&differences, 0.1, 0.0), None);
        assert_eq!(needed_cases(&[0.1], 0.1, 0.05), None);
        assert_eq!(needed_cases(&[0.1, f64::NAN], 0.1, 0.05), None);
    }
}
