//! The nouns that every room shares: no I/O, no policy.

mod answer;
mod comparison;
mod detail;
mod exit;
mod fingerprint;
mod identity;
mod metric;
mod policy;
mod request;
mod results;
mod status;
mod truncate;

pub use answer::{Answer, Captured, Ending, Usage};
pub use comparison::{
    BaselineInfo, CaseChange, Change, Comparison, Delta, MetricChange, Outcome, SuiteComparison, SuiteState, Trend,
};
pub use detail::{
    AssertionDetail, CaseDetail, CommandDetail, CommandSuiteDetail, ComponentDetail, Difference, GoalDetail,
    GoldenDetail, GoldenSuiteDetail, ImportedDetail, Method, RetrievalDetail, RetrievalSuiteDetail, ScenarioDetail,
    SuiteDetail,
};
pub use exit::ExitCode;
pub use fingerprint::Fingerprint;
pub use identity::{CaseId, Kind, Lane, Mode, Score, Shard, Source, SuiteId};
pub use metric::{Better, Metric, MetricSpec, Slice};
pub use policy::{FlatPolicy, Flips, MaxErrors, Policy, Quarantine, Threshold, Weakening, weakenings};
pub use request::Request;
pub use results::{
    Attempt, CaseResult, Check, Gate, KnownFailures, Location, Output, RESULTS_SCHEMA, Reason, Results, Rule, RunInfo,
    SuiteResult, Tool, Verdict,
};
pub use status::Status;
pub use truncate::truncate_middle;
