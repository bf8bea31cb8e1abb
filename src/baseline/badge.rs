//! A badge for the README: what the baseline says, as shields.io reads it from an address.

use serde_json::json;

use super::Baseline;
use crate::model::Status;

/// The file beside the baseline.
pub fn badge_path(baseline: &str) -> String {
    match baseline.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/badge.json"),
        None => "badge.json".to_owned(),
    }
}

/// `endpoint` of shields.io: how many cases pass.
pub fn badge(baseline: &Baseline) -> String {
    let cases = || baseline.suites.values().flat_map(|suite| suite.cases.values());
    let (all, passed) = (cases().count(), cases().filter(|case| case.status == Status::Passed).count());
    let colour = match (passed, all) {
        (_, 0) => "lightgrey",
        (passed, all) if passed == all => "brightgreen",
        // At least nine of ten.
        (passed, all) if passed * 10 >= all * 9 => "green",
        (passed, all) if passed * 2 >= all => "yellow",
        (_, _) => "red",
    };
    let badge =
        json!({"schemaVersion": 1, "label": "evals", "message": format!("{passed} of {all} pass"), "color": colour});
    format!("{badge:#}\n")
}
