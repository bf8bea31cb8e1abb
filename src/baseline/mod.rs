//! What `main` has: one small file whose git history is the trend.

mod fetched;
mod file;
mod git;
mod releases;
mod trend;
mod update;

pub use fetched::{FETCHED_SCHEMA, Fetched, Where};
pub use file::{BASELINE_SCHEMA, Baseline, BaselineCase, BaselineMetric, BaselineSuite, Best, Blessing, Produced};
pub use git::{
    CheckoutContext, Found, Wanted, changed_files, default_branch, file_at_base, find, history, is_ancestor, normal,
};
pub use releases::{Tag, Versions, at_commit, commit_of, is_shallow, tags, versions};
pub use trend::series;
pub use update::{Refusal, from_results, parts, raise, update};
