//! The nouns that every module shares: no I/O, no policy.

mod answer;
mod case_key;
mod changed_paths;
mod check;
mod comparison;
mod exit;
mod fingerprint;
mod identity;
mod key_edit;
mod metric;
mod nullable;
mod policy;
mod request;
mod rule;
mod sha;
mod status;
mod suite_source;
mod time;

pub use answer::{Answer, Ending, EndingKind, Meaning, Usage};
pub use case_key::{CaseKey, SharedKey};
pub use changed_paths::{ChangedPaths, Link, normal};
pub(crate) use check::check_names;
pub use check::{Check, CheckName, Location, Output};
pub use comparison::{
    AttemptsChange, BaselineInfo, CaseChange, Change, Comparison, Delta, MetricChange, Outcome, SuiteComparison,
    SuiteState, Trend, changes_in_words,
};
pub use exit::ExitCode;
pub use fingerprint::Fingerprint;
pub use identity::{CaseId, Lane, Mode, Score, Shard, SuiteId};
pub use key_edit::{ByMainKey, KeyEdit};
pub use metric::{Better, Metric, MetricSource, MetricSpec, NO_VALUE, Nature, ROUNDING, Slice, format_p, format_score};
pub(crate) use nullable::nullable;
pub use policy::{
    FlatPolicy, Flips, MaxErrors, Policy, Quarantine, Threshold, format_allowed_errors, format_day, format_limit,
    format_limit_of, restore, weakenings,
};
pub use request::Request;
pub use rule::Rule;
pub use sha::Sha;
pub use status::Status;
pub use suite_source::{AnswersFrom, SuiteSource};
pub use time::{milliseconds, rounded};
