//! Every format that a run is written in.

use super::{Frame, annotations, comment, html, json, junit, sarif, summary};
use crate::results::Results;

/// A format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// results.json: everything, for programs
    Json,
    /// junit.xml: for CI systems
    Junit,
    /// results.sarif: for code scanning
    Sarif,
    /// comment.md: for a pull request
    Comment,
    /// summary.md: for the page of a job
    Summary,
    /// report.html: for people, one file
    Html,
    /// Workflow commands, for the lines of a pull request
    Annotations,
}

impl Format {
    /// Those that every run writes.
    pub const WRITTEN: [Self; 6] = [Self::Json, Self::Junit, Self::Sarif, Self::Comment, Self::Summary, Self::Html];

    /// The name of its file.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Json => "results.json",
            Self::Junit => "junit.xml",
            Self::Sarif => "results.sarif",
            Self::Comment => "comment.md",
            Self::Summary => "summary.md",
            Self::Html => "report.html",
            Self::Annotations => "annotations.txt",
        }
    }

    /// The report as text; `budget` is how many bytes a comment or a summary may have.
    pub fn render(self, results: &Results, budget: Option<usize>) -> Result<String, String> {
        match self {
            Self::Json => json(results).map_err(|error| error.to_string()),
            Self::Junit => junit(results).map_err(|error| error.to_string()),
            Self::Sarif => sarif(results).map_err(|error| error.to_string()),
            Self::Comment => comment(results, &Frame::default(), budget.unwrap_or(super::COMMENT_BUDGET))
                .map_err(|error| format!("{error:#}")),
            Self::Summary => summary(results, &Frame::default(), budget.unwrap_or(super::SUMMARY_BUDGET))
                .map_err(|error| format!("{error:#}")),
            Self::Html => html(results).map_err(|error| error.to_string()),
            Self::Annotations => Ok(annotations(results)),
        }
    }
}
