//! What a suite is held to. It stands in the results, so that whoever has them can judge anew.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Better, CaseId};

/// What a suite is held to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Metric → what it is held to.
    pub metrics: BTreeMap<String, Threshold>,
    /// Slice → metric → what it is held to there.
    pub slices: BTreeMap<String, BTreeMap<String, Threshold>>,
    /// How far a metric may fall below the baseline, if it does not say so itself.
    pub max_drop: f64,
    /// In a suite that varies, a smaller drop is none.
    pub min_effect: f64,
    /// In a suite that varies, how often a drop may be called one that is none.
    pub alpha: f64,
    /// What a case that passed and now fails does.
    pub flips: Flips,
    /// The cases that may go; `*` is all of them.
    pub allow_removed: Vec<String>,
    /// How many answers may be impossible to have.
    pub max_errors: MaxErrors,
    /// The share of attempts that must pass.
    pub pass_share: f64,
    /// Of a golden suite: the score from which on a case passes.
    pub pass_at: Option<f64>,
    /// Of a retrieval suite: whether every expected id must be found.
    pub all_ids: bool,
    /// Cases whose failures do not count for a while.
    pub quarantine: BTreeMap<CaseId, Quarantine>,
}

/// What a metric is held to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// The floor; a ceiling where lower is better.
    pub min: Option<f64>,
    /// What is aimed at; shown, not gated.
    pub target: Option<f64>,
    /// How far it may fall below the baseline.
    pub max_drop: Option<f64>,
}

/// What a case that passed and now fails does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Flips {
    /// It fails the gate.
    #[default]
    Fail,
    /// It is reported.
    Report,
}

/// A case whose failures do not count for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// Who mends it.
    pub owner: String,
    /// The last day, `YYYY-MM-DD`.
    pub until: String,
    /// Why.
    pub reason: Option<String>,
}

/// How many answers may be impossible to have before a run counts as broken.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MaxErrors {
    /// So many.
    Count(usize),
    /// This share of all that were asked for, 0…1.
    Share(f64),
}

impl MaxErrors {
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
            Self::Share(share) => (share * asked as f64).floor() as usize,
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

/// A policy as a flat list of numbers, as the baseline keeps it.
pub type FlatPolicy = BTreeMap<String, f64>;

impl Policy {
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

    /// As a flat list of numbers; `better` tells a floor from a ceiling.
    pub fn flat(&self, better: impl Fn(&str) -> Better) -> FlatPolicy {
        let mut flat = FlatPolicy::from([
            ("max-drop".to_owned(), self.max_drop),
            ("min-effect".to_owned(), self.min_effect),
            ("alpha".to_owned(), self.alpha),
            ("flips".to_owned(), f64::from(u8::from(self.flips == Flips::Fail))),
            ("pass-share".to_owned(), self.pass_share),
            ("all-ids".to_owned(), f64::from(u8::from(self.all_ids))),
        ]);
        #[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
        match self.max_errors {
            MaxErrors::Count(count) => flat.insert("max-errors".to_owned(), count as f64),
            MaxErrors::Share(share) => flat.insert("max-errors-share".to_owned(), share),
        };
        flat.extend(self.pass_at.map(|score| ("pass-at".to_owned(), score)));
        let whole = self.metrics.iter().map(|(metric, threshold)| (metric.clone(), metric, threshold));
        let of_slices = self.slices.iter().flat_map(|(slice, metrics)| {
            metrics.iter().map(move |(metric, threshold)| (format!("{slice} {metric}"), metric, threshold))
        });
        for (name, metric, threshold) in whole.chain(of_slices) {
            let limit = match better(metric) {
                Better::Higher => "min",
                Better::Lower => "ceiling",
            };
            flat.extend(threshold.min.map(|min| (format!("{name}.{limit}"), min)));
            flat.extend(threshold.max_drop.map(|drop| (format!("{name}.max-drop"), drop)));
        }
        flat.extend(self.allow_removed.iter().map(|id| (format!("allow-removed.{id}"), 1.0)));
        flat.extend(self.quarantine.keys().map(|id| (format!("quarantine.{id}"), 1.0)));
        flat
    }
}

/// One thing that a policy holds less strictly than before.
#[derive(Debug, Clone, PartialEq)]
pub struct Weakening {
    /// What: `mean-score.min`, `max-drop`, `quarantine.some-case`.
    pub key: String,
    /// What it was; nothing where it is new.
    pub before: Option<f64>,
    /// What it is; nothing where it is gone.
    pub after: Option<f64>,
}

/// Everything that is held less strictly than before.
pub fn weakenings(before: &FlatPolicy, after: &FlatPolicy) -> Vec<Weakening> {
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let mut found = Vec::new();
    for key in keys {
        let (was, is) = (before.get(key).copied(), after.get(key).copied());
        let strictness = |value: Option<f64>, policy: &FlatPolicy| {
            let kind = key.rsplit('.').next().unwrap_or(key);
            let (value, sign) = match kind {
                "min" | "pass-at" | "pass-share" | "alpha" | "flips" | "all-ids" => {
                    (value.unwrap_or(f64::NEG_INFINITY), 1.0)
                }
                "ceiling" => (value.unwrap_or(f64::INFINITY), -1.0),
                // Without a word of its own a metric has what the suite has.
                "max-drop" => (value.or(policy.get("max-drop").copied()).unwrap_or(0.01), -1.0),
                // A count is turned into a share and back only by somebody who means it.
                "max-errors" | "max-errors-share" if value.is_none() => (f64::INFINITY, -1.0),
                _ => (value.unwrap_or(0.0), -1.0),
            };
            value * sign
        };
        if strictness(is, after) < strictness(was, before) {
            found.push(Weakening { key: key.clone(), before: was, after: is });
        }
    }
    found
}
