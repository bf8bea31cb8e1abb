//! `evalratchet.toml` as it is written: the sections that are not a kind's own.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::suite_section::SuiteSection;
use crate::results::KnownFailures;
use crate::suites::Kind;
use crate::suites::scenario::adapters::AdapterSection;

/// The configuration of a repository's evaluations.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "evalratchet.toml")]
pub struct ConfigFile {
    /// The suites, in the order in which they run and are reported.
    // One that cannot be read is `None`: its mistakes are reported, and the others keep their places.
    #[schemars(length(min = 1), with = "Vec<SuiteSection>")]
    pub suite: Vec<Option<SuiteSection>>,
    /// What runs are compared with.
    #[serde(default)]
    pub baseline: BaselineSection,
    /// How sure one must be that something got worse.
    #[serde(default)]
    pub statistics: StatisticsSection,
    /// How reports show what was found.
    #[serde(default)]
    pub report: ReportSection,
    /// Adapters of scenario suites beside the built-in ones.
    #[serde(default)]
    pub adapter: BTreeMap<String, AdapterSection>,
}

/// What runs are compared with.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BaselineSection {
    /// The branch that has the baseline. It must exist. Without it: `main`, else the default branch of `origin`.
    #[schemars(length(min = 1))]
    pub r#ref: Option<String>,
    /// Its file, relative to this one (default `.evalratchet/baseline.json`).
    #[schemars(length(min = 1))]
    pub path: Option<String>,
    /// Whether a run without a baseline is a mistake (default `false`).
    #[serde(default)]
    pub required: bool,
    /// How many of main's last runs it keeps of suites that vary (default 5).
    #[schemars(range(min = 1, max = 50))]
    pub window: Option<usize>,
}

/// How sure one must be that something got worse, in suites that vary.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StatisticsSection {
    /// How often a run may be called worse that is not (default 0.05). With less than 0.001 hardly any drop would be one.
    #[schemars(range(min = 0.001, max = 0.5))]
    pub alpha: Option<f64>,
}

/// How reports show what was found.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ReportSection {
    /// What JUnit makes of cases that fail as they do in the baseline: `show` (the default) or `skip`.
    pub known_failures: Option<KnownFailures>,
}

/// One suite: the keys that every kind may have.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CommonSection {
    /// Its name, unique in this file.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What it evaluates.
    pub kind: Kind,
    /// Files or patterns, relative to this file. Each must match. Only a retrieval suite with built-in cases may have
    /// none; a golden suite has one folder, its module.
    #[serde(default)]
    pub cases: Vec<String>,
    /// Of a command or golden suite: the file of recorded answers. With it, `run` replays unless `--mode` says otherwise.
    #[schemars(length(min = 1))]
    pub recordings: Option<String>,
    /// The system under test. A scenario suite needs one only for instructions in free text.
    pub target: Option<crate::targets::TargetSection>,
    /// Environment variables that the target may see beyond the harmless ones.
    #[serde(default)]
    pub env: Vec<String>,
    /// Metric name → what it is held to.
    #[serde(default)]
    pub gate: BTreeMap<String, ThresholdSection>,
    /// Slice, such as `"lane=code"` → metric name → what it is held to there.
    #[serde(default)]
    pub slices: BTreeMap<String, BTreeMap<String, ThresholdSection>>,
    /// How far a metric may fall below the baseline, if it does not say so itself (default 0.01).
    #[schemars(range(min = 0.0))]
    pub max_drop: Option<f64>,
    /// In a suite that varies: a smaller drop is none (default 0.02).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_effect: Option<f64>,
    /// What a case that passed and now fails does: `fail` (the default) or `report`.
    pub flips: Option<FlipsSection>,
    /// The ids of cases that may go, as a list or alone; `"*"` for all.
    #[serde(default)]
    pub allow_removed: AllowRemovedSection,
    /// Cases that are judged otherwise.
    #[serde(default)]
    pub case_policy: Vec<CasePolicySection>,
    /// With `--changed-since`: files or patterns, and the suite runs only if one of them changed.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Whether answers vary from run to run (default: with `repeat`, and when a model is asked).
    pub varies: Option<bool>,
    /// How often each case is asked.
    #[schemars(range(min = 1, max = 1000))]
    pub repeat: Option<usize>,
    /// With `repeat`: the share of attempts that must pass (default 0.5).
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub pass_share: Option<f64>,
    /// How many answers may be impossible to have before the run counts as broken: a count, or a share such as `"2%"` (default 0).
    pub max_errors: Option<MaxErrorsSection>,
    /// How long one answer may take, such as `"30s"` or `"2m"`.
    pub timeout: Option<String>,
    /// How many answers are asked for at the same time.
    #[schemars(range(min = 1, max = 1024))]
    pub jobs: Option<usize>,
}

/// Cases that may go.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AllowRemovedSection {
    /// `"*"`, or one id.
    One(String),
    /// The ids of these cases.
    Each(Vec<String>),
}

impl Default for AllowRemovedSection {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl From<AllowRemovedSection> for Vec<String> {
    fn from(section: AllowRemovedSection) -> Self {
        match section {
            AllowRemovedSection::One(id) => vec![id],
            AllowRemovedSection::Each(ids) => ids,
        }
    }
}

/// What a case that passed and now fails does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlipsSection {
    /// It fails the gate.
    Fail,
    /// It is reported but does not fail the run.
    Report,
}

/// A case that is judged otherwise.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CasePolicySection {
    /// The id of the case.
    #[schemars(length(min = 1))]
    pub case: String,
    /// Its failures do not count for a while.
    pub quarantine: QuarantineSection,
}

/// For how long failures do not count, and who mends them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct QuarantineSection {
    /// Who is responsible for fixing it.
    #[schemars(regex(pattern = r"\S"))]
    pub owner: String,
    /// The last day, `"YYYY-MM-DD"`.
    pub until: String,
    /// Why it is in quarantine.
    pub reason: Option<String>,
}

/// What a metric is held to.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ThresholdSection {
    /// The floor, where higher is better.
    pub min: Option<f64>,
    /// The ceiling, where lower is better: of latencies, tokens and cost.
    pub max: Option<f64>,
    /// What is aimed at; shown, not gated.
    pub target: Option<f64>,
    /// How far it may fall below the baseline.
    #[schemars(range(min = 0.0))]
    pub max_drop: Option<f64>,
}

/// A count, or a share in percent.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MaxErrorsSection {
    /// This many cases.
    Count(usize),
    /// A share of the cases, such as `"2%"`.
    Share(String),
}
