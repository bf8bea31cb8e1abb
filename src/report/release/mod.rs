//! The quality of a release, and how it changed since an earlier one: from the versions of the baseline that git has
//! between two tags to one typed report, and from that to Markdown, a page and JSON.

mod allowed;
mod as_run;
mod body;
mod gates;
mod gather;
mod html;
mod markdown;
mod release_report;
mod tags;
#[cfg(test)]
mod tests;
mod view_models;

pub use body::with_summary;
pub use gates::{below_min, worse};
pub use gather::{Named, Range, release};
pub use html::html;
pub use markdown::{RELEASE_BUDGET, ReleaseLinks, markdown, summary};
pub use release_report::{Gaps, ReleaseReport};
pub use tags::{before, newest};

/// The report as indented JSON with a final newline.
pub fn json(report: &ReleaseReport) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(report)?;
    text.push('\n');
    Ok(text)
}
