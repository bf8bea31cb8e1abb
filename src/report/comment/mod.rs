//! The comment on a pull request and the summary of a job: the verdict first, then what changed, whole blocks at a time.
//! The verdict always stays.

mod sections;
mod tables;
mod view_models;

use super::size_budget::fitted;
use crate::results::Results;

/// How much a comment may hold: GitHub allows 65,536 characters.
pub const COMMENT_BUDGET: usize = 65_000;
/// How much a job summary may hold: GitHub allows 1 MiB.
pub const SUMMARY_BUDGET: usize = 1_000_000;

/// What only who publishes knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// What is to be said of where the numbers come from.
    pub origin: Option<String>,
    /// Where the report can be had.
    pub artifact: Option<String>,
}

/// The comment on a pull request.
pub fn comment(results: &Results, frame: &Frame, budget: usize) -> Result<String, minijinja::Error> {
    Ok(fitted(&sections::all(results, frame, sections::Room::Comment)?, budget))
}

/// The summary of a job, which has more room.
pub fn summary(results: &Results, frame: &Frame, budget: usize) -> Result<String, minijinja::Error> {
    Ok(fitted(&sections::all(results, frame, sections::Room::Summary)?, budget))
}
