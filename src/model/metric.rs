//! Metrics: what they are called, what they measure, which way is better, how a value is written, and what was measured.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which way a metric should go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// A higher value is better.
    Higher,
    /// A lower value is better.
    Lower,
}

/// What rounding may add to or take from a number of the size of 1: the mean of three times 0.7 is 0.6999999999999998.
pub const ROUNDING: f64 = 1e-9;

impl Better {
    /// Whether a value is as good as a limit, up to a step of rounding.
    pub fn meets(self, value: f64, limit: f64) -> bool {
        let slack = ROUNDING * limit.abs().max(1.0);
        match self {
            Self::Higher => value >= limit - slack,
            Self::Lower => value <= limit + slack,
        }
    }
}

/// What a metric measures. It decides how a value is written and what a metric is held to by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nature {
    /// How good answers are.
    Quality,
    /// How long answers take, in milliseconds.
    Latency,
    /// How many tokens answers take.
    Tokens,
    Cost,
}

/// What is known of a metric before it is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricSpec {
    /// Its kebab-case name, the same everywhere.
    pub name: &'static str,
    /// Which way is better.
    pub better: Better,
    /// What of the cases it is computed from.
    pub source: MetricSource,
    nature: Nature,
}

/// What of the cases a metric is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricSource {
    /// The share of cases that pass.
    Passes,
    /// The mean of their scores.
    Scores,
    /// The mean of the values that the kind's evaluation gives under the metric's name.
    CaseValues,
    /// The same, of a metric that is left out where no case has a value.
    SomeCaseValues,
    /// The F1 score of two sets of cases: those in either have a value, which is 1 for those in both.
    Overlap,
    /// A percentile of how long their answers took.
    Durations {
        /// From 0 to 100.
        percentile: usize,
    },
}

impl MetricSpec {
    /// The median time of an answer.
    pub const LATENCY_P50: Self = Self::latency("latency-p50-ms", 50);
    /// The time that 95 % of the answers keep within.
    pub const LATENCY_P95: Self = Self::latency("latency-p95-ms", 95);
    /// The mean number of tokens, in and out.
    pub const TOKENS_PER_ANSWER: Self = Self::expense("tokens-per-answer", Nature::Tokens);
    /// The mean cost of an answer.
    pub const COST_PER_ANSWER: Self = Self::expense("cost-per-answer", Nature::Cost);

    /// Every metric that is not a quality. `expense` is private, so that there is no other.
    const EXPENSES: [Self; 4] = [Self::LATENCY_P50, Self::LATENCY_P95, Self::TOKENS_PER_ANSWER, Self::COST_PER_ANSWER];

    /// A metric of how good answers are, from a value between 0 and 1 that each evaluation gives under this name.
    pub const fn quality(name: &'static str, better: Better) -> Self {
        Self { name, better, source: MetricSource::CaseValues, nature: Nature::Quality }
    }

    /// The same, where only some cases have a value, and a suite may have none.
    pub const fn of_some(name: &'static str, better: Better) -> Self {
        Self { source: MetricSource::SomeCaseValues, ..Self::quality(name, better) }
    }

    /// The F1 score of two sets of cases.
    pub const fn overlap(name: &'static str) -> Self {
        Self { source: MetricSource::Overlap, ..Self::quality(name, Better::Higher) }
    }

    /// The share of cases that pass, under the name that the kind has for it.
    pub const fn pass_rate(name: &'static str) -> Self {
        Self { source: MetricSource::Passes, ..Self::quality(name, Better::Higher) }
    }

    /// The mean of the scores, under the name that the kind has for it.
    pub const fn mean_score(name: &'static str) -> Self {
        Self { source: MetricSource::Scores, ..Self::quality(name, Better::Higher) }
    }

    const fn expense(name: &'static str, nature: Nature) -> Self {
        Self { name, better: Better::Lower, source: MetricSource::CaseValues, nature }
    }

    const fn latency(name: &'static str, percentile: usize) -> Self {
        Self { source: MetricSource::Durations { percentile }, ..Self::expense(name, Nature::Latency) }
    }

    pub const fn nature(&self) -> Nature {
        self.nature
    }
}

impl Nature {
    /// The nature of a metric by its name. What we do not define ourselves is a quality.
    pub fn of(metric: &str) -> Self {
        MetricSpec::EXPENSES.iter().find(|spec| spec.name == metric).map_or(Self::Quality, |spec| spec.nature)
    }

    /// Whether it is time or money. An expense is held to nothing unless the policy names it.
    pub const fn is_expense(self) -> bool {
        match self {
            Self::Quality => false,
            Self::Latency | Self::Tokens | Self::Cost => true,
        }
    }

    /// A value as every report writes it. What is not zero never reads as zero.
    pub fn format(self, value: f64) -> String {
        if !value.is_finite() {
            return NO_VALUE.to_owned();
        }
        let sign = if value < 0.0 { "−" } else { "" };
        format!("{sign}{}", self.magnitude(value.abs()))
    }

    /// The same, or a dash where there is no value.
    pub fn format_or_dash(self, value: Option<f64>) -> String {
        value.map_or_else(|| NO_VALUE.to_owned(), |value| self.format(value))
    }

    /// Two values that differ, with as many digits as it takes to see it.
    pub fn format_apart(self, one: f64, other: f64) -> (String, String) {
        const MOST_DECIMALS: usize = 12;
        let (short, short_other) = (self.format(one), self.format(other));
        if short != short_other || one == other || !one.is_finite() || !other.is_finite() {
            return (short, short_other);
        }
        let unit = if self == Self::Latency { " ms" } else { "" };
        let written = |value: f64, decimals: usize| format!("{value:.decimals$}{unit}");
        let differ = |decimals: &usize| written(one, *decimals) != written(other, *decimals);
        let decimals = (0..MOST_DECIMALS).find(differ).unwrap_or(MOST_DECIMALS);
        (written(one, decimals), written(other, decimals))
    }

    /// A difference of two values, always with its sign.
    pub fn format_change(self, by: f64) -> String {
        let plus = if by >= 0.0 { "+" } else { "" };
        format!("{plus}{}", self.format(by))
    }

    fn magnitude(self, value: f64) -> String {
        match self {
            Self::Quality => not_as_zero(value, 3),
            Self::Tokens => not_as_zero(value, 1),
            Self::Cost => significant(value, 3, 2),
            Self::Latency => latency(value),
        }
    }
}

/// What stands where there is no value.
pub const NO_VALUE: &str = "–";

/// The score of a case, or the points of a part of it, as every report writes them.
pub fn format_score(score: f64) -> String {
    format!("{score:.2}")
}

/// How likely something is by chance, as every report writes it.
pub fn format_p(p: f64) -> String {
    if p < 0.0005 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// With so many decimals, and more if it would read as zero without being it.
fn not_as_zero(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if value > 0.0 && text.chars().all(|character| matches!(character, '0' | '.')) {
        return significant(value, 1, decimals);
    }
    text
}

/// With so many significant digits, without zeros at its end, and with at least so many decimals.
fn significant(value: f64, digits: i32, least_decimals: usize) -> String {
    if value == 0.0 {
        return format!("{value:.least_decimals$}");
    }
    #[expect(clippy::cast_possible_truncation, reason = "the exponent of a float is small")]
    let exponent = value.log10().floor() as i32;
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0).max(least_decimals);
    let mut text = format!("{value:.decimals$}");
    let excess = text.len() - text.trim_end_matches('0').len();
    text.truncate(text.len() - excess.min(decimals - least_decimals));
    text
}

/// Milliseconds, seconds or minutes. The limits are those at which the rounded text would have a digit more.
fn latency(ms: f64) -> String {
    let seconds = ms / 1000.0;
    if ms < 0.95 {
        format!("{} ms", significant(ms, 2, 1))
    } else if ms < 9.95 {
        format!("{ms:.1} ms")
    } else if ms < 999.5 {
        format!("{ms:.0} ms")
    } else if seconds < 9.995 {
        format!("{seconds:.2} s")
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else {
        let minutes = (seconds.round() / 60.0).floor();
        format!("{minutes:.0} min {:02.0} s", seconds.round() - minutes * 60.0)
    }
}

/// A measured metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Metric {
    /// What was measured; `null` when no case could be.
    #[serde(deserialize_with = "super::nullable")]
    pub value: Option<f64>,
    /// Which way is better.
    pub better: Better,
    /// Over how many cases.
    pub n: usize,
    /// The 95 % interval, where one is defined.
    pub ci95: Option<[f64; 2]>,
    /// The floor that the gate holds it to (a ceiling where lower is better).
    pub min: Option<f64>,
    /// What is aimed at; shown, not gated.
    pub target: Option<f64>,
}

impl Metric {
    /// Whether it was measured and does not meet its floor or ceiling.
    pub fn misses_limit(&self) -> bool {
        self.min.zip(self.value).is_some_and(|(limit, value)| !self.better.meets(value, limit))
    }
}

/// One way of cutting a suite, such as `risk-level=high`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Slice(String);

impl Slice {
    /// `dimension=value`.
    pub fn new(dimension: &str, value: impl fmt::Display) -> Self {
        Self(format!("{dimension}={value}"))
    }

    /// The text `dimension=value`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the `=`.
    pub fn dimension(&self) -> &str {
        self.0.split_once('=').map_or(self.0.as_str(), |(dimension, _)| dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_written_by_what_its_metric_measures() {
        let table = [
            (Nature::Quality, 0.0, "0.000"),
            (Nature::Quality, 1.0, "1.000"),
            (Nature::Quality, 0.875, "0.875"),
            (Nature::Quality, 2.0 / 3.0, "0.667"),
            (Nature::Quality, 0.000_31, "0.0003"),
            (Nature::Quality, -0.25, "−0.250"),
            (Nature::Latency, 0.0, "0.0 ms"),
            (Nature::Latency, 0.0341, "0.034 ms"),
            (Nature::Latency, 0.5, "0.5 ms"),
            (Nature::Latency, 0.949, "0.95 ms"),
            (Nature::Latency, 0.96, "1.0 ms"),
            (Nature::Latency, 3.44, "3.4 ms"),
            (Nature::Latency, 9.96, "10 ms"),
            (Nature::Latency, 340.4, "340 ms"),
            (Nature::Latency, 999.6, "1.00 s"),
            (Nature::Latency, 2106.251, "2.11 s"),
            (Nature::Latency, 12_345.0, "12.3 s"),
            (Nature::Latency, 59_960.0, "1 min 00 s"),
            (Nature::Latency, 125_400.0, "2 min 05 s"),
            (Nature::Tokens, 0.0, "0.0"),
            (Nature::Tokens, 120.0, "120.0"),
            (Nature::Tokens, 1234.56, "1234.6"),
            (Nature::Tokens, 0.02, "0.02"),
            (Nature::Cost, 0.0, "0.00"),
            (Nature::Cost, 0.000_14, "0.00014"),
            (Nature::Cost, 0.000_001_234, "0.00000123"),
            (Nature::Cost, 0.012_345, "0.0123"),
            (Nature::Cost, 0.5, "0.50"),
            (Nature::Cost, 1.5, "1.50"),
            (Nature::Cost, 12.345_678, "12.35"),
            (Nature::Cost, 1234.0, "1234.00"),
            (Nature::Cost, f64::NAN, "–"),
        ];
        for (nature, value, text) in table {
            assert_eq!(nature.format(value), text, "{nature:?} {value}");
        }
    }

    #[test]
    fn a_step_of_rounding_misses_no_limit() {
        let mean = (0.7_f64 + 0.7 + 0.7) / 3.0;
        assert!(mean < 0.7 && Better::Higher.meets(mean, 0.7));
        assert!(Better::Lower.meets(0.1 + 0.2, 0.3));
        assert!(Better::Lower.meets(2_000.000_000_1, 2000.0));
        assert!(!Better::Higher.meets(0.699_999, 0.7) && !Better::Lower.meets(2000.001, 2000.0));
    }

    #[test]
    fn two_values_that_differ_are_never_written_alike() {
        let apart = |nature: Nature, one: f64, other: f64| nature.format_apart(one, other);
        let texts = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(apart(Nature::Quality, 0.75, 0.9), texts("0.750", "0.900"));
        assert_eq!(apart(Nature::Quality, 0.699_96, 0.7), texts("0.69996", "0.70000"));
        assert_eq!(apart(Nature::Latency, 2001.0, 2000.0), texts("2001 ms", "2000 ms"));
        assert_eq!(apart(Nature::Quality, 0.7, 0.7), texts("0.700", "0.700"));
    }

    #[test]
    fn a_change_has_a_sign_and_reads_as_zero_only_if_it_is_zero() {
        let table = [
            (Nature::Quality, 0.0139, "+0.014"),
            (Nature::Quality, -0.25, "−0.250"),
            (Nature::Quality, -0.0004, "−0.0004"),
            (Nature::Quality, 0.0, "+0.000"),
            (Nature::Latency, -1500.0, "−1.50 s"),
            (Nature::Latency, 0.04, "+0.04 ms"),
            (Nature::Tokens, 12.0, "+12.0"),
            (Nature::Cost, -0.000_02, "−0.00002"),
        ];
        for (nature, by, text) in table {
            assert_eq!(nature.format_change(by), text, "{nature:?} {by}");
        }
    }

    #[test]
    fn a_metric_has_the_nature_that_is_declared_for_its_name() {
        for (name, nature) in [
            ("latency-p50-ms", Nature::Latency),
            ("latency-p95-ms", Nature::Latency),
            ("tokens-per-answer", Nature::Tokens),
            ("cost-per-answer", Nature::Cost),
            ("accuracy", Nature::Quality),
            ("rows-per-answer", Nature::Quality),
            ("somebody-elses-ms", Nature::Quality),
        ] {
            assert_eq!(Nature::of(name), nature, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_not_zero_never_reads_as_zero(value in 1e-9_f64..1e9) {
            for nature in [Nature::Quality, Nature::Latency, Nature::Tokens, Nature::Cost] {
                let text = nature.format(value);
                proptest::prop_assert!(text.contains(|c: char| ('1'..='9').contains(&c)), "{:?} {} {}", nature, value, text);
            }
        }
    }
}
