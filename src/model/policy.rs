//! What a suite is held to. It stands in the results, so that whoever has them can judge again.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Better, CaseId, Nature, ROUNDING};

/// What a suite is held to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Policy {
    /// Metric → what it is held to.
    pub metrics: BTreeMap<String, Threshold>,
    /// Slice → metric → what it is held to there.
    pub slices: BTreeMap<String, BTreeMap<String, Threshold>>,
    /// How far a metric may fall below the baseline, if it does not say so itself.
    #[serde(default)]
    pub max_drop: f64,
    /// In a suite that varies, a smaller drop is none.
    #[serde(default)]
    pub min_effect: f64,
    /// In a suite that varies, how often a drop may be called one that is none.
    pub alpha: f64,
    /// What a case that passed and now fails does.
    #[serde(default)]
    pub flips: Flips,
    /// The cases that may go; `*` is all of them.
    #[serde(default)]
    pub allow_removed: Vec<String>,
    /// How many answers may be impossible to have.
    pub max_errors: MaxErrors,
    /// The share of attempts that must pass.
    pub pass_share: f64,
    /// Of a golden suite: the score from which on a case passes.
    #[serde(deserialize_with = "super::nullable")]
    pub pass_at: Option<f64>,
    /// Of a retrieval suite: whether every expected id must be found.
    pub all_ids: bool,
    /// Cases whose failures do not count for a while.
    #[serde(default)]
    pub quarantine: BTreeMap<CaseId, Quarantine>,
}

/// What a metric is held to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Threshold {
    /// The floor; a ceiling where lower is better.
    #[serde(deserialize_with = "super::nullable")]
    pub min: Option<f64>,
    /// What is aimed at; shown, not gated.
    pub target: Option<f64>,
    /// How far it may fall below the baseline.
    #[serde(deserialize_with = "super::nullable")]
    pub max_drop: Option<f64>,
}

/// What a case that passed and now fails does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flips {
    /// It fails the gate.
    #[default]
    Fail,
    /// It is reported but does not fail the run.
    Report,
}

/// A case whose failures do not count for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Quarantine {
    /// Who is responsible for fixing it.
    pub owner: String,
    /// The last day, `YYYY-MM-DD`.
    pub until: String,
    /// Why it is in quarantine.
    pub reason: Option<String>,
}

/// How many answers may be impossible to have before a run counts as broken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", try_from = "MaxErrorsFields")]
pub enum MaxErrors {
    /// This many cases.
    Count(usize),
    /// This share of all that were asked for, 0…1.
    Share(f64),
}

/// As [`MaxErrors`] is written, where further fields may stand beside it.
#[derive(Deserialize, JsonSchema)]
struct MaxErrorsFields {
    count: Option<usize>,
    share: Option<f64>,
}

impl TryFrom<MaxErrorsFields> for MaxErrors {
    type Error = &'static str;

    fn try_from(fields: MaxErrorsFields) -> Result<Self, Self::Error> {
        match (fields.count, fields.share) {
            (Some(count), None) => Ok(Self::Count(count)),
            (None, Some(share)) => Ok(Self::Share(share)),
            (None, None) => Err("missing field `count` or `share`"),
            (Some(_), Some(_)) => Err("both `count` and `share`"),
        }
    }
}

impl MaxErrors {
    /// Whether it is a share of what was asked for.
    pub const fn is_share(self) -> bool {
        matches!(self, Self::Share(_))
    }

    /// The largest number of errors allowed among `asked`.
    pub fn allowed(self, asked: usize) -> usize {
        match self {
            Self::Count(count) => count,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a share between 0 and 1 of a count of cases"
            )]
            // 29 % of 100 is 28.999999999999996.
            Self::Share(share) => (share * asked as f64 + ROUNDING).floor() as usize,
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            metrics: BTreeMap::new(),
            slices: BTreeMap::new(),
            max_drop: 0.01,
            min_effect: 0.02,
            alpha: 0.05,
            flips: Flips::Fail,
            allow_removed: Vec::new(),
            max_errors: MaxErrors::Count(0),
            pass_share: 0.5,
            pass_at: None,
            all_ids: false,
            quarantine: BTreeMap::new(),
        }
    }
}

/// How many answers may be missing, of a flat policy: a count, or percent where [`ERRORS_ARE_SHARE`] is 1.
const MAX_ERRORS: &str = "max-errors";
/// Whether [`MAX_ERRORS`] is a share. Baselines of 0.1.0 do not have it.
const ERRORS_ARE_SHARE: &str = "max-errors-share";

/// A policy as a flat list of numbers, as the baseline keeps it.
pub type FlatPolicy = BTreeMap<String, f64>;

impl Policy {
    /// Whether a metric is held to a floor or a ceiling, in the whole suite or in a slice.
    pub fn has_floors(&self) -> bool {
        self.metrics.values().chain(self.slices.values().flat_map(BTreeMap::values)).any(|one| one.min.is_some())
    }

    /// How far a metric may fall below the baseline.
    pub fn max_drop_of(&self, slice: Option<&str>, metric: &str) -> f64 {
        let of_slice = slice.and_then(|slice| self.slices.get(slice)?.get(metric)?.max_drop);
        let of_metric = self.metrics.get(metric).and_then(|threshold| threshold.max_drop);
        of_slice.or(of_metric).unwrap_or(self.max_drop)
    }

    /// Whether a case may go.
    pub fn allows_removal(&self, case: &CaseId) -> bool {
        self.allow_removed.iter().any(|id| id == "*" || id == case.as_str())
    }

    /// As a flat list of numbers; `better` tells a floor from a ceiling. A key is what it limits and what of.
    pub fn flat(&self, varies: bool, better: impl Fn(&str) -> Better) -> FlatPolicy {
        let flag = |set: bool| f64::from(u8::from(set));
        let mut flat = FlatPolicy::from([
            ("max-drop".to_owned(), self.max_drop),
            ("min-effect".to_owned(), self.min_effect),
            ("alpha".to_owned(), self.alpha),
            ("flips".to_owned(), flag(self.flips == Flips::Fail)),
            ("exact".to_owned(), flag(!varies)),
            ("pass-share".to_owned(), self.pass_share),
            ("all-ids".to_owned(), flag(self.all_ids)),
        ]);
        #[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
        let (errors, is_share) = match self.max_errors {
            MaxErrors::Count(count) => (count as f64, false),
            MaxErrors::Share(share) => (share * 100.0, true),
        };
        flat.insert(MAX_ERRORS.to_owned(), errors);
        flat.insert(ERRORS_ARE_SHARE.to_owned(), flag(is_share));
        flat.extend(self.pass_at.map(|score| ("pass-at".to_owned(), score)));
        let whole = self.metrics.iter().map(|(metric, threshold)| (metric.clone(), metric, threshold));
        let of_slices = self.slices.iter().flat_map(|(slice, metrics)| {
            metrics.iter().map(move |(metric, threshold)| (format!("{metric} {slice}"), metric, threshold))
        });
        for (name, metric, threshold) in whole.chain(of_slices) {
            let limit = match better(metric) {
                Better::Higher => "min",
                Better::Lower => "ceiling",
            };
            flat.extend(threshold.min.map(|min| (format!("{limit} {name}"), min)));
            flat.extend(threshold.max_drop.map(|drop| (format!("max-drop {name}"), drop)));
        }
        flat.extend(self.allow_removed.iter().map(|id| (format!("allow-removed {id}"), 1.0)));
        flat.extend(self.quarantine.iter().map(|(id, one)| (format!("quarantine {id}"), one.day())));
        flat
    }
}

impl Quarantine {
    /// The last day as a number that is greater for a later day.
    fn day(&self) -> f64 {
        let digits: String = self.until.chars().filter(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0.0)
    }
}

/// One thing that a policy holds less strictly than before.
#[derive(Debug, Clone, PartialEq)]
pub struct Weakening {
    /// What: `min mean-score`, `max-drop`, `quarantine some-case`.
    pub key: String,
    /// What it was; nothing where it is new.
    pub before: Option<f64>,
    /// What it is; nothing where it is gone.
    pub after: Option<f64>,
}

/// The value that a flat policy has for a key, as every report writes it: of an expense as a measured value is written, of
/// everything else as its author wrote it.
pub fn format_limit(key: &str, value: f64) -> String {
    let (what, of) = key.split_once(' ').unwrap_or((key, ""));
    let nature = match what {
        "min" | "ceiling" | "max-drop" => Nature::of(of.split_once(' ').map_or(of, |(metric, _)| metric)),
        "quarantine" => return format_day(value),
        _ => Nature::Quality,
    };
    if nature.is_expense() {
        return nature.format(value);
    }
    // Without the digits that only a machine needs.
    ((value * 1e6).round() / 1e6).to_string()
}

/// `20270131` as `2027-01-31`.
pub fn format_day(number: f64) -> String {
    let digits = format!("{number:.0}");
    match (digits.get(..4), digits.get(4..6), digits.get(6..)) {
        (Some(year), Some(month), Some(day)) if digits.len() == 8 => format!("{year}-{month}-{day}"),
        _ => digits,
    }
}

/// Everything that is held less strictly than before. `answers` is how many the suite asks for, where that is known: a count
/// and a share of missing answers are compared by what they allow there.
pub fn weakenings(before: &FlatPolicy, after: &FlatPolicy, answers: Option<usize>) -> Vec<Weakening> {
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).filter(|key| *key != ERRORS_ARE_SHARE).collect();
    keys.sort();
    keys.dedup();
    let weaker = |key: &&&String| match (max_errors(before), max_errors(after)) {
        (Some(was), Some(is)) if **key == MAX_ERRORS && was.is_share() != is.is_share() => match answers {
            Some(answers) => is.allowed(answers) > was.allowed(answers),
            None => is != MaxErrors::Count(0) && is != MaxErrors::Share(0.0),
        },
        _ => strictness(key, after) < strictness(key, before),
    };
    keys.iter()
        .filter(weaker)
        .map(|key| Weakening {
            key: (*key).clone(),
            before: before.get(*key).copied(),
            after: after.get(*key).copied(),
        })
        .collect()
}

/// What a flat policy allows to be missing; nothing if it does not say whether that is a count or a share.
fn max_errors(policy: &FlatPolicy) -> Option<MaxErrors> {
    let (errors, is_share) = (*policy.get(MAX_ERRORS)?, *policy.get(ERRORS_ARE_SHARE)?);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of answers, as it was written"
    )]
    let count = errors as usize;
    Some(if is_share > 0.0 { MaxErrors::Share(errors / 100.0) } else { MaxErrors::Count(count) })
}

/// What a flat policy has for a key, as every report writes it.
pub fn format_limit_of(policy: &FlatPolicy, key: &str) -> Option<String> {
    let of_drop = || key.strip_prefix("max-drop ").and_then(|of| max_drop(policy, of));
    let text = format_limit(key, policy.get(key).copied().or_else(of_drop)?);
    let is_share = key == MAX_ERRORS && max_errors(policy).is_some_and(MaxErrors::is_share);
    Some(if is_share { format!("{text} %") } else { text })
}

/// How far a metric may fall, `of` being its name and a slice: what is said of the slice, of the metric or of the suite. Time and
/// money may rise as far as they like unless somebody says so.
fn max_drop(policy: &FlatPolicy, of: &str) -> Option<f64> {
    let metric = of.split_once(' ').map_or(of, |(metric, _)| metric);
    let own = [of, metric].into_iter().find_map(|name| policy.get(&format!("max-drop {name}")));
    let of_suite = policy.get("max-drop").filter(|_| !Nature::of(metric).is_expense());
    own.or(of_suite).copied()
}

/// How many answers a policy allows to be missing, in words, where it is a share.
pub fn format_allowed_errors(policy: &FlatPolicy, key: &str, answers: Option<usize>) -> String {
    match (max_errors(policy), answers) {
        (Some(share @ MaxErrors::Share(_)), Some(answers)) if key == MAX_ERRORS => {
            format!(", which is {} of {answers} answers", share.allowed(answers))
        }
        (Some(_) | None, _) => String::new(),
    }
}

/// Takes back what a policy has for a key to what it was.
pub fn restore(policy: &mut FlatPolicy, before: &FlatPolicy, key: &str) {
    let keys: &[&str] = if key == MAX_ERRORS { &[MAX_ERRORS, ERRORS_ARE_SHARE] } else { &[key] };
    for key in keys {
        match before.get(*key) {
            Some(value) => policy.insert((*key).to_owned(), *value),
            None => policy.remove(*key),
        };
    }
}

/// How strict a policy is about one thing; greater is stricter. What is not said has the strength of its default.
fn strictness(key: &str, policy: &FlatPolicy) -> f64 {
    let value = policy.get(key).copied();
    let (kind, of) = key.split_once(' ').unwrap_or((key, ""));
    match kind {
        "min" | "pass-at" => value.unwrap_or(f64::NEG_INFINITY),
        "pass-share" | "alpha" | "flips" | "exact" | "all-ids" => value.unwrap_or(0.0),
        "ceiling" => -value.unwrap_or(f64::INFINITY),
        "allow-removed" => -value.or(policy.get("allow-removed *").copied()).unwrap_or(0.0),
        "max-drop" => -value.or_else(|| max_drop(policy, of)).unwrap_or(f64::INFINITY),
        // Errors that are allowed, cases that may go, the last day of a quarantine, the smallest effect.
        _ => -value.unwrap_or(0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drop_that_is_not_set_is_that_of_its_metric_or_suite() {
        let flat = |pairs: &[(&str, f64)]| pairs.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect();
        let policy: FlatPolicy = flat(&[("max-drop", 0.01), ("max-drop mrr", 0.02)]);
        let of = |key: &str| format_limit_of(&policy, key);
        assert_eq!(of("max-drop accuracy").as_deref(), Some("0.01"));
        assert_eq!(of("max-drop mrr lane=code").as_deref(), Some("0.02"));
        assert_eq!(of("max-drop cost-per-answer"), None);
        assert_eq!(of("min accuracy"), None);
    }

    #[test]
    fn a_share_of_errors_rounds_down_but_not_by_rounding() {
        assert_eq!(MaxErrors::Share(0.29).allowed(100), 29);
        assert_eq!(MaxErrors::Share(0.02).allowed(72), 1);
    }

    #[test]
    fn a_limit_is_written_as_its_metric_is() {
        for (key, value, text) in [
            ("min accuracy", 0.8, "0.8"),
            ("ceiling latency-p95-ms", 2000.0, "2.00 s"),
            ("ceiling cost-per-answer lane=code", 0.000_14, "0.00014"),
            ("max-drop tokens-per-answer", 5.0, "5.0"),
            ("max-drop", 0.02, "0.02"),
            ("max-drop accuracy", 0.005, "0.005"),
            ("max-errors", 7.000_000_000_000_001, "7"),
            ("quarantine a-case", 20_270_131.0, "2027-01-31"),
        ] {
            assert_eq!(format_limit(key, value), text, "{key}");
        }
    }
}
