//! Pure functions from the result model to text, one file per format.

mod annotations;
pub mod case_summary;
mod causes;
mod comment;
mod comparison;
#[cfg(test)]
mod corpus;
mod formats;
mod html;
mod json;
mod junit;
pub mod markdown;
mod metric_display;
mod mistakes;
pub mod release;
mod sarif;
mod size_budget;
mod templates;
mod terminal;
mod trend;
mod verdict;

pub use annotations::{Annotation, Level, annotations, data, property, workflow_commands, worst};
pub use causes::{CauseLine, OPEN, SuiteCauses, causes, remarks};
pub use comment::{COMMENT_BUDGET, Frame, SUMMARY_BUDGET, comment, summary};
pub use comparison::{age, change_counts};
pub use formats::ReportFormat;
pub use html::html;
pub use json::json;
pub use junit::junit;
pub use mistakes::{mistake_annotations, mistakes_comment, mistakes_line};
pub use sarif::sarif;
pub use terminal::{Style, below_one, terminal};
pub use trend::{baseline, sparkline, trend};
pub use verdict::{SuiteVerdict, VerdictSummary, verdict_line, verdict_word};

#[cfg(test)]
pub(crate) mod tests;
