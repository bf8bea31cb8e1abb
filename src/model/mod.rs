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
pub use identity::{CaseId, Kind, Lane, Mode, Score, Shard, Source, SuiteId};
pub use metric::{Better, Metric, MetricSpec, Slice};
pub use results::{
    AssertionDetail, Attempt, CaseDetail, CaseResult, Check, CommandDetail, CommandSuiteDetail, Difference, Gate,
    GoalDetail, Location, Method, Output, RESULTS_SCHEMA, Reason, Results, RetrievalDetail, RetrievalSuiteDetail, Rule,
    RunInfo, ScenarioDetail, SuiteDetail, SuiteResult, Tool, Verdict,
};
pub use status::Status;
pub use truncate::truncate_middle;
