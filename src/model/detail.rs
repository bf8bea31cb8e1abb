//! What only one kind of suite or case has to say, in the spelling of its own format.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Lane, Source, Status, Usage};

/// What only one kind of suite has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SuiteDetail {
    /// Of a `command` suite.
    Command(CommandSuiteDetail),
    /// Of a `golden` suite.
    Golden(GoldenSuiteDetail),
    /// Of a `retrieval` suite.
    Retrieval(RetrievalSuiteDetail),
}

/// A module in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoldenSuiteDetail {
    /// The module's folder.
    pub module: String,
    /// How many cases it has.
    pub total_cases: usize,
    /// The mean score of those that were measured.
    pub avg_score: Option<f64>,
    /// How many passed.
    pub passed_cases: usize,
    /// How many did not.
    pub failed_cases: usize,
    /// From the first question to the last answer, such as `4.2s`.
    pub duration: String,
    /// How many recorded answers are the same as golden: they prove nothing until recorded anew.
    pub accepted: usize,
    /// What the answers consumed, where that is known.
    pub usage: Option<Usage>,
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
    /// Of a `golden` case.
    Golden(GoldenDetail),
    /// Of a `retrieval` case.
    Retrieval(RetrievalDetail),
    /// Of an `imported` case.
    Imported(ImportedDetail),
}

/// Where an `imported` case comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedDetail {
    /// `json-lines`, `promptfoo` or `junit`.
    pub format: String,
}

/// What a `golden` case asked, was answered and earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GoldenDetail {
    /// The module's folder.
    pub module: String,
    /// For people.
    pub description: String,
    /// What was asked.
    pub input: Value,
    /// The reviewed answer; `null` if there is none yet.
    pub golden: Value,
    /// What was answered, read as the module wants it; `null` if it could not be.
    pub actual: Value,
    /// What was answered, as text, where it could not be read.
    pub unread: Option<String>,
    /// One entry for each component of the scorer.
    pub components: Vec<ComponentDetail>,
    /// The score from which on a case passes.
    pub pass_at: f64,
    /// Whether a recorded answer is the same as golden.
    pub accepted: bool,
}

/// What one component earned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentDetail {
    /// Its name.
    pub name: String,
    /// Its measure.
    pub measure: String,
    /// What it can earn.
    pub weight: f64,
    /// What it earned; `null` if it was not measured.
    pub value: Option<f64>,
    /// What there is to say about it.
    pub note: Option<String>,
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
    /// Whether the engine could tell which ids it holds; if not, nothing is known to be missing.
    pub index_told: bool,
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
