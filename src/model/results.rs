//! `results.json`, version 1: the wire format that everything after scoring works on.
//!
//! Every key is always present, `null` where empty. Cases and suites keep the order of the configuration.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CaseId, Fingerprint, Kind, Lane, Metric, Mode, Shard, Slice, Source, Status, SuiteId};

/// The value of `schema` in every results file of this version.
pub const RESULTS_SCHEMA: &str = "evalratchet.results/v1";

/// Everything that one run found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// `evalratchet.results/v1`.
    pub schema: String,
    /// Who wrote it.
    pub tool: Tool,
    /// The circumstances.
    pub run: RunInfo,
    /// One entry for each suite of the configuration that was not filtered out whole.
    pub suites: Vec<SuiteResult>,
    /// How it compares with the baseline: always `null` until there are baselines.
    pub comparison: (),
    /// What the gate says.
    pub gate: Gate,
}

/// The program that wrote the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// `evalratchet`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The circumstances of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunInfo {
    /// Unique for a configuration and a moment.
    pub id: String,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// From start to end.
    pub duration_ms: f64,
    /// The commit that was evaluated, where git knows it.
    pub commit: Option<String>,
    /// Its branch, where git knows it.
    pub branch: Option<String>,
    /// Where answers came from.
    pub mode: Mode,
    /// Which part this is, if the run was split.
    pub shard: Option<Shard>,
    /// The seed of everything that is drawn at random.
    pub seed: u64,
    /// Whether a filter, a shard or an interruption left something out.
    pub partial: bool,
}

/// One suite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuiteResult {
    /// Its id in the configuration.
    pub id: SuiteId,
    /// What it evaluates.
    pub kind: Kind,
    /// The gate's view of it.
    pub status: Status,
    /// Whether its answers were recorded ones.
    pub replayed: bool,
    /// Metric name → value over all measured cases.
    pub metrics: BTreeMap<String, Metric>,
    /// Slice → the same metrics over its cases.
    pub slices: BTreeMap<String, BTreeMap<String, Metric>>,
    /// What only this kind has.
    pub detail: Option<SuiteDetail>,
    /// One entry for each declared case (of this shard).
    pub cases: Vec<CaseResult>,
}

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CaseResult {
    /// Its id in the suite.
    pub id: CaseId,
    /// How it came out.
    pub status: Status,
    /// Its quality, 0…1; `null` unless measured.
    pub score: Option<f64>,
    /// What else was measured.
    pub metrics: BTreeMap<String, f64>,
    /// One entry for each declared check.
    pub checks: Vec<Check>,
    /// A hash of the question.
    pub fingerprint: Fingerprint,
    /// Where it is defined.
    pub location: Location,
    /// The mean over its attempts.
    pub duration_ms: f64,
    /// One entry for each time it was asked.
    pub attempts: Vec<Attempt>,
    /// What differs from the expected answer.
    pub diff: Option<String>,
    /// What the target wrote in the first attempt that came out as the case did.
    pub output: Option<Output>,
    /// One command line that runs this case alone.
    pub reproduce: String,
    /// The slices that it belongs to.
    pub slices: Vec<Slice>,
    /// What only this kind has.
    pub detail: Option<CaseDetail>,
}

/// One declared check of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// How it came out.
    pub status: Status,
    /// Why, in one line; `null` where there is nothing to say.
    pub details: Option<String>,
}

/// A place in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Location {
    /// Relative to the configuration, with `/`.
    pub file: String,
    /// From 1.
    pub line: usize,
}

/// One time that a case was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// How it came out.
    pub status: Status,
    /// Its quality, unless the answer could not be had.
    pub score: Option<f64>,
    /// How long it took.
    pub duration_ms: f64,
    /// How asking ended: `answered`, `empty`, `not-utf8`, `unreadable`, `exit-code`, `signal`, `timeout`,
    /// `could-not-start` or `interrupted`.
    pub ending: String,
}

/// What a target wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Standard output.
    pub stdout: String,
    /// Bytes of it that were left out.
    pub stdout_omitted: u64,
    /// Standard error.
    pub stderr: String,
    /// Bytes of it that were left out.
    pub stderr_omitted: u64,
}

/// What only one kind of suite has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SuiteDetail {
    /// Of a `command` suite.
    Command(CommandSuiteDetail),
    /// Of a `retrieval` suite.
    Retrieval(RetrievalSuiteDetail),
}

/// What the engine of a `retrieval` suite says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RetrievalSuiteDetail {
    /// Expected ids that the index does not hold.
    pub missing_expected_ids: Vec<String>,
}

/// How many measured cases matched in which way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandSuiteDetail {
    /// Byte for byte.
    pub exact_match: usize,
    /// By a rule.
    pub semantic_equivalent: usize,
    /// Not at all.
    pub no_match: usize,
}

/// What only one kind of case has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CaseDetail {
    /// Of a `scenario` case.
    Scenario(ScenarioDetail),
    /// Of a `command` case.
    Command(CommandDetail),
    /// Of a `retrieval` case.
    Retrieval(RetrievalDetail),
}

/// What a `retrieval` case asked and found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RetrievalDetail {
    /// For people.
    pub description: String,
    /// The specification it comes from.
    pub spec_id: String,
    /// What was asked.
    pub spec_content: String,
    /// Where was looked.
    pub lane: Lane,
    /// How many were looked at.
    pub k: usize,
    /// What was found, best first.
    pub top_ids: Vec<String>,
    /// What should be found.
    pub expected_ids: Vec<String>,
    /// What of it was found.
    pub hits: Vec<String>,
    /// What of it the index does not hold; left out of denominators.
    pub missing_expected_ids: Vec<String>,
    /// Hits divided by k.
    pub precision_at_k: Option<f64>,
    /// Hits divided by the expected ids that the index holds.
    pub recall_at_k: Option<f64>,
    /// One divided by the rank of the first hit.
    pub mrr: Option<f64>,
    /// Where the case comes from.
    pub source: Source,
}

/// What a `scenario` case did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScenarioDetail {
    /// What it is about.
    pub title: String,
    /// How goals became commands.
    pub adapter_id: String,
    /// One entry for each declared goal.
    pub goals: Vec<GoalDetail>,
    /// One entry for each declared assertion.
    pub pattern_assertions: Vec<AssertionDetail>,
    /// The files that the agent task created, changed or deleted.
    pub changed: Vec<String>,
    /// Where the working copy is, if it was kept.
    pub working_copy: Option<String>,
}

/// How a goal went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoalDetail {
    /// Its name.
    pub goal: String,
    /// `passed`, `failed`, `timed out`, `not run` or `error`.
    pub status: String,
    /// What was run.
    pub command: String,
    /// Its exit code, if it ended by itself.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: f64,
    /// Its standard output, shortened in the middle.
    pub stdout: String,
    /// Its standard error, shortened in the middle.
    pub stderr: String,
    /// What else there is to say.
    pub error: Option<String>,
}

/// How an assertion came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssertionDetail {
    /// Its type as it was written.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file it is about.
    pub path: Option<String>,
    /// `fixture` or `repo`.
    pub scope: String,
    /// How it came out.
    pub status: Status,
    /// Why.
    pub details: Option<String>,
    /// What its author noted.
    pub note: Option<String>,
}

/// The question and the verdict of a `command` case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandDetail {
    /// What was asked.
    pub prompt: String,
    /// What is expected.
    pub expected_command: String,
    /// What is right as well.
    pub accepted_commands: Vec<String>,
    /// What was answered, if anything.
    pub generated_command: Option<String>,
    /// Which of the expected and accepted commands it was closest to.
    pub compared_with: Option<String>,
    /// How it matched.
    pub method: Method,
    /// The rule that held, by its stable name; `null` without a match.
    pub rule: Option<String>,
    /// The first word that differs.
    pub first_difference: Option<Difference>,
    /// As declared.
    pub category: String,
    /// As declared.
    pub risk_level: String,
    /// As declared.
    pub posix_compliant: bool,
}

/// How a generated command matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Byte for byte.
    ExactMatch,
    /// By a rule.
    SemanticEquivalent,
    /// Not at all.
    NoMatch,
}

/// The first word in which two commands differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Which word, from 1.
    pub word: usize,
    /// What is expected there; `null` past its end.
    pub expected: Option<String>,
    /// What was generated there; `null` past its end.
    pub generated: Option<String>,
    /// What the option that differs does, where one option is all that differs.
    pub note: Option<String>,
}

/// What the gate says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    /// In one word.
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
    /// Answers could not be had.
    Broken,
    /// There was nothing to judge.
    NothingMeasured,
    /// One part of a run; `merge` judges the whole.
    NotJudged,
    /// The run was stopped.
    Interrupted,
}

/// Why the gate says so.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
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
    /// In which slice.
    pub slice: Option<String>,
    /// What was measured.
    pub value: Option<f64>,
    /// What it was held to.
    pub threshold: Option<f64>,
    /// All of it in one sentence.
    pub message: String,
}

/// The rules of the gate, gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The user stopped the run.
    Interrupted,
    /// More answers could not be had than `max-errors` allows.
    TooManyErrors,
    /// A suite, or the whole run, has no measured case.
    NothingMeasured,
    /// A metric is below its floor.
    BelowMin,
    /// A scenario failed in a suite that must pass whole, since it has no floor.
    ScenarioFailed,
    /// With `--strict`: a case was not measured.
    Unmeasured,
    /// An expected id is not in the index; fails with `--strict`.
    MissingId,
    /// Some answers could not be had, within `max-errors`.
    Errors,
    /// No floor holds this suite.
    NotGated,
}
