//! The nouns that every room shares: no I/O, no policy.

mod answer;
mod exit;
mod fingerprint;
mod identity;
mod metric;
mod results;
mod status;
mod truncate;

pub use answer::{Answer, Captured, Ending};
pub use exit::ExitCode;
pub use fingerprint::Fingerprint;
pub use identity::{CaseId, Kind, Mode, Score, Shard, SuiteId};
pub use metric::{Better, Metric, MetricSpec, Slice};
pub use results::{
    AssertionDetail, Attempt, CaseDetail, CaseResult, Check, CommandDetail, CommandSuiteDetail, Difference, Gate,
    GoalDetail, Location, Method, Output, RESULTS_SCHEMA, Reason, Results, Rule, RunInfo, ScenarioDetail, SuiteDetail,
    SuiteResult, Tool, Verdict,
};
pub use status::Status;
pub use truncate::truncate_middle;
