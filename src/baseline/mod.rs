//! What `main` has: one small file whose git history is the trend.

mod badge;
mod bless;
mod blessings;
mod changes;
mod fetched;
pub(crate) mod file;
mod git;
mod history;
mod lookup;
mod releases;
mod trend;
mod update;

pub use badge::{badge, badge_path};
pub use bless::{BlessSelection, Blessed, bless};
pub use blessings::{
    Allowed, Blessing, BlessingFile, CaseLevel, FileChange, blessings_folder, file_changes, says_something,
};
pub(crate) use changes::WorkTree;
pub use fetched::{FetchedBaseline, FetchedFrom};
#[cfg(test)]
pub use file::BaselineMetric;
pub(crate) use file::is_conflicted;
pub use file::{Baseline, BaselineCase, BaselineSuite, Produced};
pub(crate) use git::{
    Branches, ClonedHistory, JobBranches, default_branch, history, is_ancestor, texts_on_all_branches, was_ever_here,
};
pub use history::Past;
pub(crate) use lookup::{
    BaselineLookup, BaselineQuery, CommitHistory, FoundBaseline, HistoryPlace, LookupError, NamedBy, NoBaseline,
    PullRequestCommits, base, find, location_of_base, normal, parse_committed,
};
pub use releases::Tag;
pub(crate) use releases::{ReleaseError, Versions, at_commit, blessings_at, commit_of, tags, versions};
pub use trend::series;
pub use update::{BaselineUpdate, UpdateError, from_results, raise, update};
