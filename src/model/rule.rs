//! The rules of the gate, by the names that results give as reasons.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rules of the gate, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The user stopped the run.
    Interrupted,
    /// An answer is more dangerous than its case allows, and the baseline's was not.
    UnsafeAnswer,
    /// More attempts ended in an error than `max-errors` allows.
    TooManyErrors,
    /// A suite, or the whole run, has no measured case.
    NothingMeasured,
    /// No measured case of a suite is in the baseline.
    #[serde(alias = "not-comparable")]
    NoCommonCase,
    /// The policy is less strict than the baseline's.
    WeakenedGate,
    /// The change edits the baseline, or where it is found.
    BaselineEdited,
    /// A suite of the baseline is gone.
    SuiteRemoved,
    /// A case passed and now fails.
    CaseRegressed,
    /// A case that changed passed and now fails.
    ChangedFails,
    /// A case passed, and with the same key as on main it would fail now.
    PassesOnlyByNewKey,
    /// A case passed, and this change edits how it is judged.
    KeyEdited,
    /// Recorded answers are of another version of the target than the one that is here.
    OutdatedRecordings,
    /// Main asks the target, and this change does not.
    SourceChanged,
    /// A metric is below its floor.
    BelowMin,
    /// A metric fell more than it may.
    MetricDropped,
    /// A metric fell more than it may in one slice.
    SliceDropped,
    /// A scenario failed in a suite that must pass whole, since it has neither a floor nor a baseline.
    ScenarioFailed,
    /// The baseline measured what is not measured now.
    Lost,
    /// A case of the baseline is gone.
    CaseRemoved,
    /// A quarantine has expired.
    QuarantineExpired,
    /// On the branch of the baseline: what it once had is not there any more.
    BelowBest,
    /// A floor is set for what was not measured.
    MissingMetric,
    /// A case was not measured; fails with `--strict`.
    Unmeasured,
    /// A metric seems to have fallen, but that may be chance.
    Inconclusive,
    /// A case flipped in a suite where that does not fail.
    Flipped,
    /// Cases fail as they do in the baseline.
    KnownFailures,
    /// Cases are in quarantine.
    Quarantined,
    /// A case came out differently when it was asked again.
    Flaky,
    /// Nothing that a suite depends on changed.
    NotAffected,
    /// There is no baseline.
    NoBaseline,
    /// An expected id is not in the index; fails with `--strict`.
    MissingId,
    /// An engine cannot tell which ids it holds, so a missing one counts as a miss.
    CannotTell,
    /// Some attempts ended in an error, within `max-errors`.
    Errors,
    /// Recorded answers are the same as golden: they prove nothing until recorded again.
    Accepted,
    /// Fields of golden cases that the scorer does not look at, or that golden contradicts.
    NotChecked,
    /// A filter left out cases of a suite, so that its floors are not held to.
    FloorsNotHeld,
    /// No floor holds this suite.
    NotGated,
}

impl Rule {
    /// Whether it is about an edit of a case: what `bless --changed` allows.
    pub const fn is_of_edit(self) -> bool {
        matches!(self, Self::ChangedFails | Self::PassesOnlyByNewKey | Self::KeyEdited)
    }

    /// Whether what it says can be allowed; errors and what was not measured cannot be.
    pub const fn is_blessable(self) -> bool {
        !matches!(self, Self::TooManyErrors | Self::NothingMeasured | Self::Interrupted)
    }
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn every_rule_has_a_row_in_the_docs_in_the_order_of_the_reasons() {
        let schema = schemars::schema_for!(Rule).to_value();
        let names: Vec<&str> =
            schema["oneOf"].as_array().unwrap().iter().map(|one| one["const"].as_str().unwrap()).collect();
        let docs = include_str!("../../docs/baselines.md");
        let table = docs.split_once("| rule | when | does it fail? |\n").unwrap().1;
        let rows = table.lines().skip(1).take_while(|line| line.starts_with("| `"));
        let documented: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
        assert_eq!(documented, names);
    }
}
