//! What was allowed to be worse, as the templates show it: weaker gates, blessings, quarantines.

use serde::Serialize;

use super::release_report::{ReleaseReport, Stood};
use super::view_models::{name, reason, short};
use crate::baseline::{Allowed, Blessing};
use crate::model::{Nature, format_limit, format_score};

#[derive(Debug, Clone, Serialize)]
pub(super) struct GateLine {
    pub(super) suite: String,
    key: String,
    then: String,
    now: String,
    reason: String,
}

pub(super) fn weakened(report: &ReleaseReport) -> Vec<GateLine> {
    let line = |one: &super::release_report::WeakenedGate| {
        let value = |value: Option<f64>| match value {
            None => "not set".to_owned(),
            Some(value) => format_limit(&one.key, value),
        };
        GateLine {
            suite: name(one.suite.as_str()),
            key: name(&one.key),
            then: value(one.value.then),
            now: value(one.value.now),
            reason: one.reason.as_deref().map(reason).unwrap_or_default(),
        }
    };
    report.weakened.iter().map(line).collect()
}

/// What was blessed for one reason at one time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct BlessingLine {
    pub(super) reason: String,
    pub(super) stood: StoodView,
    pub(super) items: Vec<BlessingItem>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct BlessingItem {
    rule: String,
    what: String,
}

/// When something stood in the baseline, in words around commits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct StoodView {
    before: bool,
    since: String,
    until: String,
}

fn stood(stood: &Stood) -> StoodView {
    let Stood { before, since, until } = stood;
    StoodView {
        before: *before,
        since: since.as_ref().map(short).unwrap_or_default(),
        until: until.as_ref().map(short).unwrap_or_default(),
    }
}

/// A blessing covers one thing, and one reason mostly has several.
pub(super) fn blessings(report: &ReleaseReport) -> Vec<BlessingLine> {
    let mut lines: Vec<BlessingLine> = Vec::new();
    for one in &report.blessings {
        let Blessing { allowed, reason: why, file: _ } = &one.blessing;
        let Allowed { rule, suite, case, metric, slice, policy, key: _, to, taken_in: _, was: _, now } = allowed;
        let to = to.or(now.as_ref().map(|now| now.score));
        let rule = serde_json::to_value(rule).ok().and_then(|value| Some(value.as_str()?.to_owned()));
        let parts = [case.as_ref().map(ToString::to_string), metric.clone(), slice.clone(), policy.clone()];
        // A blessing is of a metric, of a part of the policy, or of a case and its score.
        let number = |to: f64| match (metric, policy) {
            (Some(metric), _) => Nature::of(metric).format(to),
            (None, Some(key)) => format_limit(key, to),
            (None, None) => format_score(to),
        };
        let to = to.map(|to| format!("to {}", number(to)));
        let parts: Vec<String> = parts.into_iter().flatten().chain(to).collect();
        let what = name(format!("{suite} {}", parts.join(" ")).trim());
        let item = BlessingItem { rule: rule.unwrap_or_default(), what };
        let (why, stood) = (reason(why), stood(&one.stood));
        match lines.iter_mut().find(|line| line.reason == why && line.stood == stood) {
            Some(line) => line.items.push(item),
            None => lines.push(BlessingLine { reason: why, stood, items: vec![item] }),
        }
    }
    lines
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct QuarantineLine {
    name: String,
    until: String,
    stood: StoodView,
}

pub(super) fn quarantines(report: &ReleaseReport) -> Vec<QuarantineLine> {
    let line = |one: &super::release_report::QuarantineSeen| QuarantineLine {
        name: name(&format!("{}/{}", one.suite, one.case)),
        until: one.until.clone(),
        stood: stood(&one.stood),
    };
    report.quarantines.iter().map(line).collect()
}
