//! How a run compares with the baseline.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Better, CaseId, Mode, ROUNDING, Sha, Status, SuiteId};
use crate::text::counted;

/// How a run compares with the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Comparison {
    /// What it was compared with.
    pub baseline: BaselineInfo,
    /// One entry for each suite of either side.
    pub suites: Vec<SuiteComparison>,
    /// Suite → metric → what earlier baselines had, oldest first; the last is this baseline's.
    #[serde(default)]
    pub trend: Trend,
}

/// Suite → metric → values, oldest first.
pub type Trend = BTreeMap<SuiteId, BTreeMap<String, Vec<Option<f64>>>>;

/// Which baseline it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineInfo {
    /// Where it was found, in words.
    pub source: String,
    /// The commit that produced it.
    pub commit: Option<Sha>,
    /// When its run began, RFC 3339.
    pub time: String,
    /// The version of the tool.
    pub tool: String,
    /// Where its answers came from.
    pub mode: Mode,
    /// The commit that the run is based on.
    pub base: Option<Sha>,
    /// The branch whose baseline would have been used, if the user named another with `--baseline`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<String>,
}

/// How a suite compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuiteComparison {
    /// The suite's id.
    pub id: SuiteId,
    /// Whether it could be compared.
    pub state: SuiteState,
    /// Whether its answers vary from run to run, so that only a significant drop is one.
    pub varies: bool,
    /// In a suite that varies: how many of main's last runs count together; left out otherwise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pooled: usize,
    /// How many cases both sides have and measured.
    pub comparable: usize,
    /// How many cases that both sides have ask something else now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub questions_changed: usize,
    /// How many cases that both sides have are judged in another way now.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub keys_changed: usize,
    /// How many cases changed in which way.
    #[serde(default)]
    pub counts: BTreeMap<Change, usize>,
    /// Metric → how it changed.
    pub metrics: BTreeMap<String, MetricChange>,
    /// Slice → metric → how it changed there.
    #[serde(default)]
    pub slices: BTreeMap<String, BTreeMap<String, MetricChange>>,
    /// Every case that is not as it was, and every one that fails as it did.
    pub cases: Vec<CaseChange>,
}

impl SuiteComparison {
    /// Why no case of it is compared: how each of them changed.
    pub fn no_common_case(&self) -> String {
        let words = changes_in_words(&self.counts);
        let counts = if words.is_empty() { String::new() } else { format!(" ({words})") };
        format!("no measured case of it is in the baseline{counts}")
    }
}

/// How many cases changed in which way; nothing if none did.
pub fn changes_in_words(counts: &BTreeMap<Change, usize>) -> String {
    let order = [Change::Regressed, Change::Improved, Change::Lost, Change::Changed, Change::Added, Change::Removed];
    let count = |change: Change| counts.get(&change).copied().filter(|count| *count > 0);
    let parts: Vec<String> =
        order.into_iter().filter_map(|change| Some(format!("{} {}", count(change)?, change.word()))).collect();
    parts.join(", ")
}

/// Whether a suite could be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SuiteState {
    /// Both sides have it, and its cases were compared.
    Compared,
    /// The baseline does not know it.
    Added,
    /// Only the baseline knows it.
    Removed,
    /// No measured case of it is in the baseline.
    #[serde(alias = "not-comparable")]
    NoCommonCase,
    /// Nothing that it depends on changed; it was not run.
    NotAffected,
}

/// How a case changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It failed or scored less.
    Regressed,
    /// It was measured and now is not.
    Lost,
    /// It comes out as it did, but its question or its key is another.
    Changed,
    /// The baseline has it and this run does not.
    Removed,
    /// It passes or scores more.
    Improved,
    /// This run has it and the baseline does not.
    Added,
    /// It is as it was.
    Unchanged,
}

impl Change {
    /// The word that every report has for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Regressed => "worse",
            Self::Lost => "not measured any more",
            Self::Changed => "edited",
            Self::Removed => "removed",
            Self::Improved => "better",
            Self::Added => "new",
            Self::Unchanged => "unchanged",
        }
    }
}

/// One case, then and now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CaseChange {
    /// Its id, the present one if there is one.
    pub id: CaseId,
    /// How the case changed.
    pub change: Change,
    /// What it was called, if that changed.
    pub renamed_from: Option<CaseId>,
    /// How it came out then.
    pub was: Option<Status>,
    /// How it comes out now.
    pub now: Option<Status>,
    /// Its score in the baseline.
    pub score_was: Option<f64>,
    /// Its score in this run.
    pub score_now: Option<f64>,
    /// Since which commit it has been as it was.
    pub since: Option<Sha>,
    /// Whether it is in quarantine.
    #[serde(default)]
    pub quarantined: bool,
    /// The parts that it had then: points of golden components, ranks of expected ids.
    #[serde(default)]
    pub parts_was: BTreeMap<String, f64>,
    /// Whether the target is asked something else.
    #[serde(default, skip_serializing_if = "is_false")]
    pub question_changed: bool,
    /// Whether an answer is judged in another way.
    #[serde(default, skip_serializing_if = "is_false")]
    pub key_changed: bool,
    /// What else was measured of it then; left out if nothing was.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics_was: BTreeMap<String, f64>,
    /// In a suite that varies: its attempts then and now, if they alone are evidence that it got worse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<AttemptsChange>,
}

/// The attempts at a case, then and now.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AttemptsChange {
    /// How often it was asked on main.
    pub attempts_was: usize,
    /// How often it passed there.
    pub passes_was: usize,
    /// In how many of main's runs.
    pub runs: usize,
    /// How often it was asked now.
    pub attempts_now: usize,
    /// How often it passes now.
    pub passes_now: usize,
    /// How likely so few would pass by chance, if attempts are independent.
    pub p: f64,
    /// Whether main's runs differ more than independent attempts allow, so that these prove nothing.
    pub repeats: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// How a metric changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetricChange {
    /// Which way is better.
    pub better: Better,
    /// Over how many cases both sides are compared.
    pub n: usize,
    /// In a suite that varies: over how many of main's last runs; left out otherwise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pooled: usize,
    /// How it changed, over the cases that both sides have.
    pub delta: Delta,
    /// What that means.
    pub outcome: Outcome,
    /// How far it may fall.
    pub max_drop: f64,
    /// The value then over all cases.
    pub all_before: Option<f64>,
    /// The value now over all cases.
    pub all_now: Option<f64>,
    /// In a suite that varies: how likely such a drop is by chance, corrected for all metrics of the run.
    pub p: Option<f64>,
    /// In a suite that varies: the 95 % interval of the change.
    pub ci95: Option<[f64; 2]>,
    /// How many repeats of each case would decide, roughly.
    pub repeats_needed: Option<usize>,
    /// How many cases would, where no number of repeats does.
    pub cases_needed: Option<usize>,
}

impl MetricChange {
    /// What the change is over: the common cases, or all of them if the metric is no case's, as a latency is. Nothing
    /// where there is no common case to speak of.
    pub fn scope(&self) -> Option<String> {
        match (self.n, self.delta) {
            (0, Delta::Appeared { .. } | Delta::Disappeared { .. } | Delta::Absent) => None,
            (0, Delta::Same { .. } | Delta::Better { .. } | Delta::Worse { .. } | Delta::FromZero { .. }) => {
                Some("over all cases".to_owned())
            }
            (n, _) if self.pooled > 0 => {
                Some(format!("over {} and {} of main", counted(n, "common case"), counted(self.pooled, "run")))
            }
            (n, _) => Some(format!("over {}", counted(n, "common case"))),
        }
    }
}

/// How a value changed, over the cases that both sides have.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Delta {
    /// It is what it was.
    Same {
        /// The value on both sides.
        value: f64,
    },
    /// The value is better than in the baseline.
    Better {
        /// The value in the baseline.
        before: f64,
        /// The value in this run.
        now: f64,
        /// By how much, always positive.
        by: f64,
    },
    /// The value is worse than in the baseline.
    Worse {
        /// The value in the baseline.
        before: f64,
        /// The value in this run.
        now: f64,
        /// By how much, always positive.
        by: f64,
    },
    /// It was 0, so nothing is relative to it.
    FromZero {
        /// The value in this run.
        now: f64,
        /// Whether that is better.
        better: bool,
    },
    /// It was not measured then.
    Appeared {
        /// The value in this run.
        now: f64,
    },
    /// It is not measured now.
    Disappeared {
        /// The value in the baseline.
        before: f64,
    },
    /// It was never measured.
    Absent,
}

impl Delta {
    /// How a value changed.
    pub fn of(better: Better, before: Option<f64>, now: Option<f64>) -> Self {
        let (before, now) = match (before, now) {
            (Some(before), Some(now)) => (before, now),
            (None, Some(now)) => return Self::Appeared { now },
            (Some(before), None) => return Self::Disappeared { before },
            (None, None) => return Self::Absent,
        };
        let gain = match better {
            Better::Higher => now - before,
            Better::Lower => before - now,
        };
        // A step of rounding is no change.
        if gain.abs() <= ROUNDING * before.abs().max(1.0) {
            Self::Same { value: now }
        } else if before == 0.0 {
            Self::FromZero { now, better: gain > 0.0 }
        } else if gain > 0.0 {
            Self::Better { before, now, by: gain }
        } else {
            Self::Worse { before, now, by: -gain }
        }
    }

    /// How much worse it is; 0 if it is not.
    pub fn drop(self) -> f64 {
        match self {
            Self::Worse { by, .. } => by,
            Self::FromZero { now, better: false } => now.abs(),
            Self::Same { .. }
            | Self::Better { .. }
            | Self::FromZero { .. }
            | Self::Appeared { .. }
            | Self::Disappeared { .. }
            | Self::Absent => 0.0,
        }
    }

    /// The values of the baseline and of this run.
    pub fn values(self) -> (Option<f64>, Option<f64>) {
        match self {
            Self::Same { value } => (Some(value), Some(value)),
            Self::Better { before, now, .. } | Self::Worse { before, now, .. } => (Some(before), Some(now)),
            Self::FromZero { now, .. } => (Some(0.0), Some(now)),
            Self::Appeared { now } => (None, Some(now)),
            Self::Disappeared { before } => (Some(before), None),
            Self::Absent => (None, None),
        }
    }
}

/// What a change of a metric means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The value is better than in the baseline.
    Improved,
    /// It is as it was.
    Unchanged,
    /// It is worse, but no more than it may be.
    Slipped,
    /// It is worse than it may be.
    Regressed,
    /// It seems worse, but that may be chance.
    Inconclusive,
    /// There is nothing to compare.
    NotCompared,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_knows_which_way_is_better_what_was_zero_and_what_is_missing() {
        let of = Delta::of;
        assert_eq!(of(Better::Higher, Some(0.5), Some(0.75)), Delta::Better { before: 0.5, now: 0.75, by: 0.25 });
        assert_eq!(of(Better::Lower, Some(50.0), Some(75.0)), Delta::Worse { before: 50.0, now: 75.0, by: 25.0 });
        assert_eq!(of(Better::Higher, Some(0.0), Some(0.5)), Delta::FromZero { now: 0.5, better: true });
        assert_eq!(of(Better::Lower, Some(0.0), Some(0.5)), Delta::FromZero { now: 0.5, better: false });
        assert_eq!(of(Better::Lower, Some(0.0), Some(0.5)).drop(), 0.5);
        assert_eq!(of(Better::Higher, Some(0.0), Some(0.0)), Delta::Same { value: 0.0 });
        assert_eq!(of(Better::Higher, Some(0.1 + 0.2), Some(0.3)), Delta::Same { value: 0.3 });
        assert_eq!(of(Better::Higher, None, Some(0.5)), Delta::Appeared { now: 0.5 });
        assert_eq!(of(Better::Higher, Some(0.5), None), Delta::Disappeared { before: 0.5 });
        assert_eq!(of(Better::Higher, None, None), Delta::Absent);
    }
}
