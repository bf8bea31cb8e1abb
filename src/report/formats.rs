//! Every format that a run is written in.
//!
//! Whatever depends on the format is an exhaustive match here, and everything else goes over [`ReportFormat::all`]: what
//! `run` writes, what `--format` takes, the test that looks for a docs section, and the snapshots.

use clap::ValueEnum;

use super::{COMMENT_BUDGET, SUMMARY_BUDGET, annotations, comment, html, json, junit, sarif, summary};
use crate::results::Results;

/// A format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
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

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Xml(#[from] quick_junit::SerializeError),
    #[error("{0:#}")]
    Template(#[from] minijinja::Error),
}

impl ReportFormat {
    /// Every one of them.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

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

    /// Whether every run writes it.
    pub const fn is_written_by_run(self) -> bool {
        match self {
            Self::Json | Self::Junit | Self::Sarif | Self::Comment | Self::Summary | Self::Html => true,
            // They are for the log of a job, and `publish` prints them there.
            Self::Annotations => false,
        }
    }

    /// The report as text; `budget` is how many bytes a comment or a summary may have.
    pub fn render(self, results: &Results, budget: Option<usize>) -> Result<String, RenderError> {
        Ok(match self {
            Self::Json => json(results)?,
            Self::Junit => junit(results)?,
            Self::Sarif => sarif(results)?,
            Self::Comment => comment(results, budget.unwrap_or(COMMENT_BUDGET))?,
            Self::Summary => summary(results, budget.unwrap_or(SUMMARY_BUDGET))?,
            Self::Html => html(results)?,
            Self::Annotations => annotations(results),
        })
    }
}
