//! `results.json`, version 1: the wire format that everything after scoring works on.
//!
//! Every key is always written, `null` where empty. Cases and suites keep the order of the configuration.
//!
//! Files of other versions are read, too. Unknown fields are ignored. A missing field gets a default if that cannot turn
//! a failure into a pass: a missing `dirty` is `true`, a missing floor is an error. A value that an enum does not have is
//! an error: each of them decides what counts, what fails or how a number is read, so nothing may be assumed. An
//! `ending` that is not known is read as `other`, since no verdict depends on it.

mod mistakes;

use std::collections::BTreeMap;

pub use mistakes::{MISTAKES_SCHEMA, Mistake, Mistakes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{
    CaseId, Check, Comparison, EndingKind, Fingerprint, KeyEdit, Location, Metric, Mode, Output, Policy, Rule, Sha,
    Shard, Slice, Status, SuiteId, SuiteSource, Usage, nullable,
};
use crate::suites::{CaseDetail, CaseView, Kind, SuiteDetail};

/// The value of `schema` in every results file of this version.
pub const RESULTS_SCHEMA: &str = "evalratchet.results/v1";

/// Everything that one run found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Results {
    /// `evalratchet.results/v1`.
    pub schema: String,
    /// The program that wrote the file.
    #[serde(default)]
    pub tool: Tool,
    /// The circumstances.
    pub run: RunInfo,
    /// One entry for each suite of the configuration that was not filtered out whole.
    pub suites: Vec<SuiteResult>,
    /// How it compares with the baseline; `null` without one.
    #[serde(default)]
    pub comparison: Option<Comparison>,
    /// What the gate says.
    pub gate: Gate,
}

/// Why a text is not a results file of this version.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// It is not JSON.
    #[error("is not JSON: {0}")]
    NotJson(serde_json::Error),
    /// It does not say what it is.
    #[error("has no schema; {RESULTS_SCHEMA} is expected")]
    NoSchema,
    /// It is something else, or of another major version.
    #[error("has the schema {0}, not {RESULTS_SCHEMA}")]
    OtherSchema(String),
    /// A field that is needed is missing, or a value is not known.
    #[error("does not fit {RESULTS_SCHEMA}: {error}{}", written_by(.tool))]
    DoesNotFit {
        /// What is wrong, and where.
        error: serde_json::Error,
        /// The program that wrote the file.
        tool: Tool,
    },
}

/// What a file says that it is; nothing else of it needs to be readable.
#[derive(Deserialize)]
struct Header {
    schema: Option<String>,
    #[serde(default)]
    tool: serde_json::Value,
}

impl Results {
    /// Reads a results file of version 1, whichever release wrote it.
    pub fn parse(bytes: &[u8]) -> Result<Self, ResultsError> {
        let header: Header = serde_json::from_slice(bytes).map_err(ResultsError::NotJson)?;
        match header.schema {
            Some(schema) if schema == RESULTS_SCHEMA => {}
            Some(other) => return Err(ResultsError::OtherSchema(other.chars().take(80).collect())),
            None => return Err(ResultsError::NoSchema),
        }
        serde_json::from_slice(bytes).map_err(|error| {
            let tool = serde_json::from_value(header.tool).unwrap_or_default();
            ResultsError::DoesNotFit { error, tool }
        })
    }
}

/// Names the release that wrote a file, if it is another one than this.
fn written_by(tool: &Tool) -> String {
    let (other, this) = (&tool.version, env!("CARGO_PKG_VERSION"));
    if other.is_empty() || other == this {
        return String::new();
    }
    let other: String = other.chars().take(40).collect();
    format!("; it was written by evalratchet {other}, and this is {this}")
}

/// The program that wrote the results.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Tool {
    /// The program's name, `evalratchet`.
    #[serde(default)]
    pub name: String,
    /// The program's version.
    #[serde(default)]
    pub version: String,
}

/// The circumstances of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct RunInfo {
    /// Unique for a configuration and a moment.
    #[serde(default)]
    pub id: String,
    /// When the run began, RFC 3339 in UTC.
    #[serde(default)]
    pub started_at: String,
    /// From start to end.
    #[serde(default)]
    pub duration_ms: f64,
    /// The commit that was evaluated, where git knows it.
    pub commit: Option<Sha>,
    /// Its branch, where git knows it.
    pub branch: Option<String>,
    /// Where answers came from.
    #[serde(default)]
    pub mode: Mode,
    /// Which part this is, if the run was split.
    #[serde(deserialize_with = "nullable")]
    pub shard: Option<Shard>,
    /// The seed of everything that is drawn at random.
    #[serde(default)]
    pub seed: u64,
    /// Whether a filter, a shard or an interruption left something out.
    #[serde(default = "yes")]
    pub partial: bool,
    /// Whether a filter left something out.
    #[serde(default)]
    pub filtered: bool,
    /// Which attempt of a CI job this is, from 1.
    #[serde(default = "first")]
    pub attempt: u32,
    /// Where the run can be looked at, if it is one of CI.
    pub url: Option<String>,
    /// The configuration's file name.
    pub config: String,
    /// The configuration's directory within the repository, with a final `/`; empty at its root.
    #[serde(default)]
    pub prefix: String,
    /// What reports make of cases that fail as they do in the baseline.
    #[serde(default)]
    pub known_failures: KnownFailures,
    /// Whether tracked files differ from the commit.
    #[serde(default = "yes")]
    pub dirty: bool,
    /// Flags that make the suites other than the configuration says; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overrides: Vec<String>,
    /// How many runs of main the baseline keeps of suites that vary; left out if it is five.
    #[serde(default = "usual_window", skip_serializing_if = "is_usual_window")]
    pub window: usize,
    /// A hash of the configuration and of the flags that change what is asked.
    pub config_hash: String,
    /// A hash of every declared case and of what was chosen, the same in all shards of a run.
    pub cases_hash: String,
}

/// What reports make of cases that fail as they do in the baseline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KnownFailures {
    /// They are shown as what they are.
    #[default]
    Show,
    /// They are skipped in JUnit, with the reason.
    Skip,
}

/// The results of a suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SuiteResult {
    /// Its id in the configuration.
    pub id: SuiteId,
    /// What it evaluates.
    pub kind: Kind,
    /// The gate's view of it.
    pub status: Status,
    /// Whether its answers were recorded ones.
    #[serde(default)]
    pub replayed: bool,
    /// How its answers come about; release 0.1 did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SuiteSource>,
    /// Files of its cases that git does not track; left out if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untracked: Vec<String>,
    /// Whether its recorded answers are of the target as it is here; left out where nothing is replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded_of: Option<RecordedOf>,
    /// How many of its answers came from the cache of earlier runs, those of judges included; left out if none did.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from_cache: usize,
    /// Whether its answers vary from run to run.
    #[serde(default)]
    pub varies: bool,
    /// Whether anything that it depends on changed; if not, it was not run and its values are the baseline's.
    #[serde(default = "yes")]
    pub affected: bool,
    /// The model that was asked.
    pub model: Option<String>,
    /// What it is held to.
    pub policy: Policy,
    /// Metric name → value over all measured cases.
    pub metrics: BTreeMap<String, Metric>,
    /// Slice → the same metrics over its cases.
    pub slices: BTreeMap<String, BTreeMap<String, Metric>>,
    /// What only this kind has.
    #[serde(deserialize_with = "nullable")]
    pub detail: Option<SuiteDetail>,
    /// One entry for each declared case (of this shard).
    pub cases: Vec<CaseResult>,
}

impl SuiteResult {
    /// Its cases as their kind needs them.
    pub fn views(&self) -> Vec<CaseView<'_>> {
        self.cases.iter().map(CaseResult::view).collect()
    }
}

/// Of which version of a process target recorded answers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RecordedOf {
    /// Of the one that is here.
    This,
    /// Of another one.
    Another,
    /// The recordings do not say.
    Unknown,
}

/// The results of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CaseResult {
    /// Its id in the suite.
    pub id: CaseId,
    /// Its place among all cases of the suite, from 0.
    pub position: usize,
    /// How it came out.
    pub status: Status,
    /// Whether attempts at it came out differently when it was suspected.
    #[serde(default)]
    pub flaky: bool,
    /// Whether it failed, and passed when it was asked once more. The first outcome stands; left out if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub passed_again: bool,
    /// Its quality, 0…1; `null` unless measured.
    #[serde(deserialize_with = "nullable")]
    pub score: Option<f64>,
    /// What else was measured.
    pub metrics: BTreeMap<String, f64>,
    /// One entry for each declared check.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// A hash of question and key together, as release 0.1 made it.
    pub fingerprint: Fingerprint,
    /// A hash of what the target is asked; release 0.1 did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Fingerprint>,
    /// A hash of how an answer is judged; release 0.1 did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Fingerprint>,
    /// What it comes to by main's key, if the change edits its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_edit: Option<KeyEdit>,
    /// Where it is defined.
    pub location: Location,
    /// The mean over its attempts.
    #[serde(default)]
    pub duration_ms: f64,
    /// One entry for each time it was asked.
    pub attempts: Vec<Attempt>,
    /// What differs from the expected answer.
    pub diff: Option<String>,
    /// What the target wrote in the first attempt that came out as the case did.
    pub output: Option<Output>,
    /// One command line that runs this case alone.
    #[serde(default)]
    pub reproduce: String,
    /// The slices that it belongs to.
    pub slices: Vec<Slice>,
    /// What only this kind has.
    #[serde(deserialize_with = "nullable")]
    pub detail: Option<CaseDetail>,
}

impl CaseResult {
    /// The case as its kind needs it.
    pub fn view(&self) -> CaseView<'_> {
        CaseView {
            id: &self.id,
            status: self.status,
            score: self.score,
            checks: &self.checks,
            diff: self.diff.as_deref(),
            output: self.output.as_ref(),
            location: &self.location,
            usage: self.attempts.iter().map(|attempt| attempt.usage).fold(None, Usage::sum),
            detail: self.detail.as_ref(),
        }
    }
}

/// One time that a case was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Attempt {
    /// How it came out.
    pub status: Status,
    /// Its quality, unless the attempt ended in an error.
    #[serde(deserialize_with = "nullable")]
    pub score: Option<f64>,
    /// How long it took.
    pub duration_ms: f64,
    /// What the answer consumed, where that is known.
    pub usage: Option<Usage>,
    /// How asking ended.
    pub ending: EndingKind,
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Gate {
    /// What the gate decided.
    pub verdict: Verdict,
    /// What `run` exited with.
    pub exit_code: u8,
    /// Why, gravest first; some inform and do not fail.
    pub reasons: Vec<Reason>,
}

/// The gate's answer in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything that is gated holds.
    Passed,
    /// Something that is gated does not hold.
    Failed,
    /// More attempts ended in an error than `max-errors` allows.
    Broken,
    /// There was nothing to judge.
    NothingMeasured,
    /// There is a baseline, and no case of the run is in it.
    #[serde(alias = "not-comparable")]
    NoCommonCase,
    /// What is gated holds, and there is no baseline yet.
    NoBaseline,
    /// One part of a run; `merge` judges the whole.
    NotJudged,
    /// The run was stopped.
    Interrupted,
}

/// Why the gate says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields, transform = cause_may_be_missing)]
pub struct Reason {
    /// Which rule speaks.
    pub rule: Rule,
    /// Whether it fails the gate or only informs.
    pub fails: bool,
    /// About which suite.
    pub suite: Option<SuiteId>,
    /// About which case.
    pub case: Option<CaseId>,
    /// About which metric.
    pub metric: Option<String>,
    /// The slice that it is about, such as `lane=code`.
    pub slice: Option<String>,
    /// What was measured.
    pub value: Option<f64>,
    /// What it was held to.
    pub threshold: Option<f64>,
    /// What it was in the baseline.
    pub before: Option<f64>,
    /// About which part of the policy.
    pub policy: Option<String>,
    /// About which key of a case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Fingerprint>,
    /// Why it does not fail all the same, if it was blessed.
    pub blessed: Option<String>,
    /// What explains it.
    #[serde(default)]
    pub cause: Cause,
    /// All of it in one sentence.
    pub message: String,
}

/// Release 0.1 did not write the cause of a reason.
fn cause_may_be_missing(schema: &mut schemars::Schema) {
    if let Some(required) = schema.get_mut("required").and_then(serde_json::Value::as_array_mut) {
        required.retain(|name| name != "cause");
    }
}

/// The cases that explain a reason: were they what they are in the baseline, the reason would not be there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Cause {
    /// Those that weigh most, at most a hundred; none if the reason stands by itself.
    #[serde(default)]
    pub cases: Vec<CaseId>,
    /// How many there are.
    #[serde(default)]
    pub count: usize,
    /// The value that the metric would have if these cases were as in the baseline, where blessed cases pull it down as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without: Option<f64>,
}

impl Cause {
    /// How many cases a cause lists.
    const LISTED: usize = 100;

    /// Cases that explain something, those that weigh most first.
    pub fn of(mut cases: Vec<CaseId>) -> Self {
        let count = cases.len();
        cases.truncate(Self::LISTED);
        Self { cases, count, without: None }
    }

    /// Whether no case explains it.
    pub fn is_itself(&self) -> bool {
        self.cases.is_empty()
    }
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
const fn is_false(value: &bool) -> bool {
    !*value
}

/// How many runs of main a baseline keeps, unless the configuration says it.
pub const USUAL_WINDOW: usize = 5;

const fn usual_window() -> usize {
    USUAL_WINDOW
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out a reference")]
const fn is_usual_window(window: &usize) -> bool {
    *window == USUAL_WINDOW
}

const fn first() -> u32 {
    1
}
