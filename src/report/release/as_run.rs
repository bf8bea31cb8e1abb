//! A baseline seen as a run, so that two releases are compared as a run is with its baseline.

use std::collections::BTreeMap;

use crate::baseline::{BaselineCase, BaselineSuite};
use crate::model::{
    CaseId, Fingerprint, FlatPolicy, Flips, Location, Policy, Quarantine, Status, SuiteId, Threshold, format_day,
};
use crate::results::{Attempt, CaseResult, SuiteResult};

/// The results that the comparison looks at. A baseline does not keep which slices a case belongs to.
pub(super) fn suite(id: &SuiteId, suite: &BaselineSuite) -> SuiteResult {
    SuiteResult {
        source: suite.source.clone(),
        untracked: Vec::new(),
        recorded_of: None,
        id: id.clone(),
        kind: suite.kind,
        status: Status::Unmeasured,
        replayed: suite.replayed,
        from_cache: 0,
        varies: suite.varies,
        affected: true,
        model: suite.model.clone(),
        policy: policy(&suite.policy),
        metrics: suite.metrics.iter().map(|(name, metric)| (name.clone(), metric.carried())).collect(),
        slices: BTreeMap::new(),
        detail: None,
        cases: suite.cases.iter().enumerate().map(|(position, (id, one))| case(position, id, one)).collect(),
    }
}

fn case(position: usize, id: &CaseId, case: &BaselineCase) -> CaseResult {
    let attempt = |index: usize| Attempt {
        status: if index < case.passes { Status::Passed } else { Status::Failed },
        score: None,
        duration_ms: 0.0,
        usage: None,
        ending: crate::model::EndingKind::Answered,
    };
    CaseResult {
        id: id.clone(),
        position,
        status: case.status,
        flaky: false,
        passed_again: false,
        score: Some(case.score),
        metrics: case.metrics.clone(),
        checks: Vec::new(),
        // Only files of release 0.1 have it, and only there it is looked at.
        fingerprint: case.fingerprint.clone().unwrap_or_else(|| Fingerprint::of(&serde_json::Value::Null)),
        question: case.question.clone(),
        key: case.key.clone(),
        key_edit: None,
        location: Location { file: String::new(), line: 0 },
        duration_ms: 0.0,
        // A baseline is text that somebody may have edited: more than this decides nothing.
        attempts: (0..case.attempts.min(1000)).map(attempt).collect(),
        diff: None,
        output: None,
        reproduce: String::new(),
        slices: Vec::new(),
        detail: None,
    }
}

/// What of a policy decides how far something may fall.
fn policy(flat: &FlatPolicy) -> Policy {
    let default = Policy::default();
    let value = |key: &str, default: f64| flat.get(key).copied().unwrap_or(default);
    let mut policy = Policy {
        max_drop: value("max-drop", default.max_drop),
        min_effect: value("min-effect", default.min_effect),
        alpha: value("alpha", default.alpha),
        flips: if value("flips", 1.0) > 0.0 { Flips::Fail } else { Flips::Report },
        ..default
    };
    for (key, value) in flat {
        match key.split_once(' ') {
            Some(("max-drop", metric)) if !metric.contains(' ') => {
                let threshold = Threshold { max_drop: Some(*value), ..Threshold::default() };
                policy.metrics.insert(metric.to_owned(), threshold);
            }
            Some(("quarantine", id)) => {
                let quarantine = Quarantine { owner: String::new(), until: format_day(*value), reason: None };
                policy.quarantine.insert(CaseId::new(id), quarantine);
            }
            Some(_) | None => {}
        }
    }
    policy
}
