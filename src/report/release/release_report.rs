//! What a release report says, as values: `release.json` is this, and the other formats are made of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::baseline::{Blessing, Produced};
use crate::model::{Better, CaseId, Change, Delta, Outcome, Sha, Status, SuiteId, SuiteState};
use crate::results::Tool;
use crate::suites::Kind;

/// The value of `schema` in every release report of this version.
pub const RELEASE_SCHEMA: &str = "evalratchet.release/v1";

/// The quality of a release, and how it changed since an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(title = "evalratchet release report")]
pub struct ReleaseReport {
    /// `evalratchet.release/v1`.
    pub schema: String,
    /// The program that wrote the report.
    pub tool: Tool,
    /// How quality changed, in a word.
    pub direction: Direction,
    /// The earlier release; nothing if there is none to compare with.
    pub from: Option<Release>,
    /// The release that the report is about.
    pub to: Release,
    /// The versions of the baseline from one to the other, both included, oldest first.
    pub versions: Vec<ReleaseVersion>,
    /// What is missing between the two.
    pub gaps: Gaps,
    /// How many cases changed in which way, in all suites.
    pub counts: BTreeMap<Change, usize>,
    /// The suites of both, by id.
    pub suites: Vec<SuiteRelease>,
    /// Everything that was blessed in any version, oldest first.
    pub blessings: Vec<BlessingSeen>,
    /// Everything that was in quarantine in any version.
    pub quarantines: Vec<QuarantineSeen>,
    /// What is held less strictly than in the earlier release.
    pub weakened: Vec<WeakenedGate>,
}

/// How quality changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Something is better and nothing worse.
    Better,
    /// Something is worse and nothing better.
    Worse,
    /// Some is better, some is worse.
    Mixed,
    /// What both have is as it was.
    Same,
    /// Nothing is in both.
    NoCommonCase,
    /// There is no earlier release.
    Alone,
}

/// One end of the comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Release {
    /// The tag, or whatever else the user named.
    pub name: String,
    /// The commit that the tag points to.
    pub commit: Sha,
    /// Which commit its baseline was measured at, when and with what.
    pub measured: Produced,
}

/// A version of the baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
#[schemars(rename = "Version")]
pub struct ReleaseVersion {
    /// The commit that wrote it.
    pub commit: Sha,
    /// The commit that it was measured at.
    pub measured: Option<Sha>,
    /// When its run began, RFC 3339.
    pub time: String,
}

/// What could not be looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gaps {
    /// Whether the clone is shallow, so that versions may be missing.
    pub shallow: bool,
    /// Commits between the two whose baseline cannot be read.
    pub unreadable: Vec<Sha>,
    /// How many versions are left out because there are too many.
    pub left_out: usize,
}

/// A value in the earlier release and in this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Ends<T> {
    /// In the earlier release.
    pub then: Option<T>,
    /// The value in this release.
    pub now: Option<T>,
}

/// How a suite changed between the releases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuiteRelease {
    /// The suite's id.
    pub id: SuiteId,
    /// What it evaluates.
    pub kind: Kind,
    /// Whether it could be compared; nothing without an earlier release.
    pub state: Option<SuiteState>,
    /// Whether its answers vary from run to run, so that only a significant drop is one.
    pub varies: bool,
    /// Whether its answers were recorded ones.
    pub replayed: Ends<bool>,
    /// The model that was asked.
    pub model: Ends<String>,
    /// How many cases it has.
    pub cases: Ends<usize>,
    /// How many of them pass.
    pub passed: Ends<usize>,
    /// How many cases both have, with the same question.
    pub comparable: usize,
    /// How many cases changed in which way.
    pub counts: BTreeMap<Change, usize>,
    /// Metric → then, now and in between.
    pub metrics: BTreeMap<String, MetricRelease>,
    /// Slice → metric → then and now, each over all cases of its side.
    pub slices: BTreeMap<String, BTreeMap<String, Ends<f64>>>,
    /// Every case that is not as it was, every one with a new name, and every one that fails.
    pub changes: Vec<CaseRelease>,
}

/// How a metric changed between the releases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MetricRelease {
    /// Which way is better.
    pub better: Better,
    /// The value over all cases of its side.
    pub value: Ends<f64>,
    /// Over how many cases both sides are compared.
    pub n: usize,
    /// How it changed, over the cases that both sides have.
    pub delta: Delta,
    /// What that means.
    pub outcome: Outcome,
    /// In a suite that varies: how likely such a drop is by chance, corrected for all metrics.
    pub p: Option<f64>,
    /// In a suite that varies: the 95 % interval of the change.
    pub ci95: Option<[f64; 2]>,
    /// The value in each version.
    pub trend: Vec<Option<f64>>,
}

/// One case, then and now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CaseRelease {
    /// Its id, the present one if there is one.
    pub id: CaseId,
    /// How the case changed.
    pub change: Change,
    /// What it was called, if that changed.
    pub renamed_from: Option<CaseId>,
    /// How it came out.
    pub status: Ends<Status>,
    /// Its score, from 0 to 1.
    pub score: Ends<f64>,
    /// Since which commit it has come out as it does; of a case that is gone, as it did then.
    pub since: Option<Sha>,
}

/// Something that was blessed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BlessingSeen {
    /// What it allows, and why.
    pub blessing: Blessing,
    /// When it stood in the baseline.
    pub stood: Stood,
}

/// A case in quarantine. The baseline knows neither who mends it nor why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct QuarantineSeen {
    /// The suite that it is about.
    pub suite: SuiteId,
    /// The case that is in quarantine.
    pub case: CaseId,
    /// The last day, `YYYY-MM-DD`, as the last version that has it says.
    pub until: String,
    /// When it stood in the baseline.
    pub stood: Stood,
}

/// When something stood in the baseline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Stood {
    /// Whether it already did in the earlier release.
    pub before: bool,
    /// The first version that has it; nothing if that is the first of all that were looked at.
    pub since: Option<Sha>,
    /// The version from which on it is gone; nothing if it stands in the release.
    pub until: Option<Sha>,
}

/// Something that is held less strictly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct WeakenedGate {
    /// The suite that it is about.
    pub suite: SuiteId,
    /// What: `min mean-score`, `max-drop`, `quarantine some-case`.
    pub key: String,
    /// What it was and is; nothing where it is not set.
    pub value: Ends<f64>,
    /// Why, if it was blessed in the range.
    pub reason: Option<String>,
}
