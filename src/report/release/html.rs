//! `release.html`: one file without a script, which asks for nothing over the network. Nothing is left out of it.

use minijinja::Error;
use serde::Serialize;

use super::allowed::{self, BlessingLine, GateLine, QuarantineLine};
use super::release_report::ReleaseReport;
use super::view_models::{self, EndView, HeadView, ReleaseCases, ReleaseMetricRow, SliceRow, SuiteRow};
use crate::report::html::style;
use crate::report::templates::{of_html, value_of};
use crate::text::counted;

const TEMPLATES: [(&str, &str); 1] = [("page", include_str!("page.html.j2"))];

#[derive(Debug, Serialize)]
struct Page {
    style: String,
    style_hash: String,
    head: HeadView,
    compared: bool,
    trends: bool,
    ends: Vec<EndView>,
    versions: String,
    suites: Vec<SuiteRow>,
    metrics: Vec<ReleaseMetricRow>,
    weakened: Vec<GateLine>,
    blessings: Vec<BlessingLine>,
    quarantines: Vec<QuarantineLine>,
    cases: Vec<ReleaseCases>,
    slices: Vec<SliceRow>,
    tool: String,
}

/// The report as a page of its own.
pub fn html(report: &ReleaseReport) -> Result<String, Error> {
    let (style, style_hash) = style();
    let page = Page {
        style,
        style_hash,
        head: view_models::head(report),
        compared: report.from.is_some(),
        trends: report.versions.len() > 1,
        ends: view_models::ends(report),
        versions: counted(report.versions.len(), "version"),
        suites: view_models::suites(report),
        metrics: view_models::metrics(report),
        weakened: allowed::weakened(report),
        blessings: allowed::blessings(report),
        quarantines: allowed::quarantines(report),
        cases: view_models::cases(report),
        slices: view_models::slices(report),
        tool: report.tool.version.clone(),
    };
    of_html(&TEMPLATES)?.get_template("page")?.render(value_of(&page))
}
