//! The comment on a pull request and the summary of a job: the verdict first, then what changed, whole blocks at a time.
//! The verdict always stays.

mod sections;
mod tables;
mod view_models;

use super::markdown;
use super::size_budget::fitted;
use super::templates::is_address;
use crate::model::Sha;
use crate::results::Results;
use crate::text::truncate_middle;

/// How much a comment may hold. GitHub allows 65,536 characters; the rest is for the hidden marker and the frame.
pub const COMMENT_BUDGET: usize = 63_000;
/// How much a job summary may hold: GitHub allows 1 MiB.
pub const SUMMARY_BUDGET: usize = 1_000_000;
/// How much of a note or an address a frame holds.
const FRAME_PART: usize = 250;

/// The comment on a pull request: what `comment.md` says, and within a [`Frame`] what is published.
pub fn comment(results: &Results, budget: usize) -> Result<String, minijinja::Error> {
    Ok(fitted(&sections::all(results, sections::CommentLength::Comment, None)?, budget))
}

/// The summary of a job, which has more room.
pub fn summary(results: &Results, budget: usize) -> Result<String, minijinja::Error> {
    Ok(fitted(&sections::all(results, sections::CommentLength::Summary, None)?, budget))
}

/// What only whoever publishes knows. It stands around the comment and changes nothing of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// Where the numbers come from, if they are not this repository's own.
    pub origin: Option<String>,
    /// The address of the report.
    pub artifact: Option<String>,
    /// The commit that was pushed. What was evaluated may be the commit that the host made of it and its base.
    pub head: Option<Sha>,
}

impl Frame {
    /// The comment as it is published: what `comment.md` says, unless less than that is allowed.
    pub fn comment(&self, results: &Results, budget: usize) -> Result<String, minijinja::Error> {
        let blocks = sections::all(results, sections::CommentLength::Comment, self.head.as_ref())?;
        Ok(self.around(&fitted(&blocks, budget.min(COMMENT_BUDGET))))
    }

    /// The summary as it is published: what `summary.md` says, unless less than that is allowed.
    pub fn summary(&self, results: &Results, budget: usize) -> Result<String, minijinja::Error> {
        let budget = budget.saturating_sub(self.around("").len());
        let blocks = sections::all(results, sections::CommentLength::Summary, self.head.as_ref())?;
        Ok(self.around(&fitted(&blocks, budget.min(SUMMARY_BUDGET))))
    }

    /// The same around any text.
    pub fn around(&self, content: &str) -> String {
        let origin = self.origin.as_ref().map(|origin| {
            let origin = markdown::text(&truncate_middle(origin, FRAME_PART));
            format!("*{origin}*\n\n")
        });
        let artifact = self.artifact.as_ref().filter(|url| is_address(url) && url.len() <= FRAME_PART);
        let artifact = artifact.map(|url| format!("\n<sub>[the report]({url})</sub>\n"));
        format!("{}{content}{}", origin.unwrap_or_default(), artifact.unwrap_or_default())
    }
}
