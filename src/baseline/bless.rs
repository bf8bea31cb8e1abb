//! What a `bless` allows: of the reasons for which a run was failed, those that the user names.

use super::blessings::{Allowed, CaseLevel};
use crate::model::{CaseChange, CaseId, Rule, SuiteId};
use crate::results::{Reason, Results};

/// What the user names; nothing named is everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlessSelection {
    /// Only what is about this suite.
    pub suite: Option<String>,
    /// Only what is about this case.
    pub case: Option<String>,
    /// Only what is about this metric.
    pub metric: Option<String>,
    /// Only what comes of edits of cases.
    pub changed: bool,
}

/// Why nothing can be blessed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlessError {
    #[error("the run was not failed for anything that could be blessed")]
    NothingFailed,
    /// The user names something else.
    #[error("none of the {0} reasons for which the run was failed is named so")]
    NotNamed(usize),
    /// The run is not of everything.
    #[error(
        "the run is of a part only, so its metrics are not the suite's\n  = run `evalratchet run` whole and bless that, or name the case with --case"
    )]
    Partial,
    /// Flags made the suites other than they are.
    #[error(
        "the run had {0}, so what it measured is not what the configuration says\n  = run `evalratchet run` without, and bless that"
    )]
    Overridden(String),
    /// The run did not ask the case.
    #[error("the run did not measure the case `{0}`, so nothing is known of it")]
    NotRun(String),
}

/// What is blessed, each with the sentence that says so, and what it does not reach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blessed {
    /// What may be worse from now on.
    pub allows: Vec<Allowed>,
    /// The reasons that this covers, but for those that the blessed cases explain.
    pub covered: Vec<String>,
    /// How many reasons the blessed cases explain.
    pub explained: usize,
    /// Reasons that other cases explain as well, and these cases.
    pub not_reached: Vec<(String, Vec<CaseId>)>,
}

/// Allows what the run was failed for, as far as it is named.
pub fn bless(results: &Results, wanted: &BlessSelection) -> Result<Blessed, BlessError> {
    let run = &results.run;
    if !run.overrides.is_empty() {
        return Err(BlessError::Overridden(run.overrides.join(" and ")));
    }
    let is_part = run.filtered || run.partial || run.shard.is_some();
    match &wanted.case {
        None if is_part => return Err(BlessError::Partial),
        Some(case) if is_part => {
            let all = results.suites.iter().flat_map(|suite| &suite.cases);
            if !all.clone().any(|one| one.id.as_str() == case && one.status.is_measured()) {
                return Err(BlessError::NotRun(case.clone()));
            }
        }
        Some(_) | None => {}
    }
    let failing: Vec<&Reason> =
        results.gate.reasons.iter().filter(|reason| reason.fails && reason.rule.is_blessable()).collect();
    if failing.is_empty() {
        return Err(BlessError::NothingFailed);
    }
    let mut blessed = Blessed::default();
    for reason in failing.iter().filter(|reason| is_named(results, reason, wanted)) {
        let Some(suite) = &reason.suite else { continue };
        if is_part && reason.case.is_none() {
            continue;
        }
        let by_metric = wanted.metric.is_some() && wanted.case.is_none();
        if reason.case.is_some() || reason.cause.is_itself() || by_metric {
            blessed.add(entry(results, reason, suite));
            blessed.covered.push(reason.message.clone());
        } else {
            blessed.add_explained(results, reason, suite, wanted.case.as_deref());
        }
    }
    if blessed.allows.is_empty() { Err(BlessError::NotNamed(failing.len())) } else { Ok(blessed) }
}

fn is_named(results: &Results, reason: &Reason, wanted: &BlessSelection) -> bool {
    let BlessSelection { suite, case, metric, changed } = wanted;
    if *changed && !reason.rule.is_of_edit() && !only_edits_explain(results, reason) {
        return false;
    }
    let of_suite = |wanted: &String| reason.suite.as_ref().is_some_and(|one| one.as_str() == wanted);
    let of_case = |wanted: &String| {
        let kinds = ["quarantine", "allow-removed"];
        let of_policy = kinds.iter().any(|kind| reason.policy.as_ref() == Some(&format!("{kind} {wanted}")));
        of_policy || reason.cause.cases.iter().any(|one| one.as_str() == wanted)
    };
    let of_metric = |wanted: &String| {
        let mut words = reason.policy.iter().flat_map(|key| key.split(' ')).skip(1);
        reason.metric.as_ref() == Some(wanted) || words.next() == Some(wanted)
    };
    suite.as_ref().is_none_or(of_suite) && case.as_ref().is_none_or(of_case) && metric.as_ref().is_none_or(of_metric)
}

/// Whether every case that explains a reason was edited.
fn only_edits_explain(results: &Results, reason: &Reason) -> bool {
    let suites = results.comparison.iter().flat_map(|all| &all.suites);
    let changes =
        || suites.clone().filter(|suite| Some(&suite.id) == reason.suite.as_ref()).flat_map(|suite| &suite.cases);
    let is_edited =
        |case: &CaseId| changes().any(|change| change.id == *case && (change.question_changed || change.key_changed));
    reason.case.is_none() && !reason.cause.is_itself() && reason.cause.cases.iter().all(is_edited)
}

impl Blessed {
    fn add(&mut self, allowed: Allowed) {
        let same = |one: &Allowed| {
            (one.rule, &one.suite, &one.case, &one.metric, &one.slice, &one.policy, &one.key)
                == (
                    allowed.rule,
                    &allowed.suite,
                    &allowed.case,
                    &allowed.metric,
                    &allowed.slice,
                    &allowed.policy,
                    &allowed.key,
                )
        };
        if !self.allows.iter().any(same) {
            self.allows.push(allowed);
        }
    }

    /// What cases explain is allowed through them, so that it stays allowed when the suite changes elsewhere.
    fn add_explained(&mut self, results: &Results, reason: &Reason, suite: &SuiteId, only: Option<&str>) {
        let has_own_reason = |case: &CaseId| {
            results
                .gate
                .reasons
                .iter()
                .any(|one| one.fails && one.suite.as_ref() == Some(suite) && one.case.as_ref() == Some(case))
        };
        let cases = reason.cause.cases.iter().filter(|case| only.is_none_or(|only| case.as_str() == only));
        let of_cases: Option<Vec<Allowed>> =
            cases.filter(|case| !has_own_reason(case)).map(|case| lower(results, suite, case)).collect();
        match of_cases.filter(|_| only.is_some() || reason.cause.count == reason.cause.cases.len()) {
            Some(of_cases) => of_cases.into_iter().for_each(|one| self.add(one)),
            None => self.add(entry(results, reason, suite)),
        }
        let others: Vec<CaseId> = match only {
            Some(only) => reason.cause.cases.iter().filter(|case| case.as_str() != only).cloned().collect(),
            None => Vec::new(),
        };
        if others.is_empty() {
            self.explained += 1;
        } else {
            self.not_reached.push((reason.message.clone(), others));
        }
    }
}

/// Exactly what a reason says.
fn entry(results: &Results, reason: &Reason, suite: &SuiteId) -> Allowed {
    let of_level = matches!(
        reason.rule,
        Rule::CaseRegressed
            | Rule::ChangedFails
            | Rule::PassesOnlyByNewKey
            | Rule::Flaky
            | Rule::Lost
            | Rule::CaseRemoved
    );
    let case = reason.case.as_ref().filter(|_| of_level);
    let was = case.and_then(|case| level_was(results, suite, case));
    let now = case.filter(|_| reason.value.is_some() && was.is_some()).and_then(|case| level_now(results, suite, case));
    Allowed {
        rule: reason.rule,
        suite: suite.clone(),
        case: reason.case.clone(),
        metric: reason.metric.clone(),
        slice: reason.slice.clone(),
        policy: reason.policy.clone(),
        key: reason.key.clone(),
        to: reason.value.filter(|_| now.is_none()),
        taken_in: false,
        was,
        now,
    }
}

/// A case that scores lower and explains something, without a reason of its own.
fn lower(results: &Results, suite: &SuiteId, case: &CaseId) -> Option<Allowed> {
    Some(Allowed {
        rule: Rule::CaseRegressed,
        suite: suite.clone(),
        case: Some(case.clone()),
        metric: None,
        slice: None,
        policy: None,
        key: None,
        to: None,
        taken_in: false,
        was: Some(level_was(results, suite, case)?),
        now: Some(level_now(results, suite, case)?),
    })
}

fn level_was(results: &Results, suite: &SuiteId, case: &CaseId) -> Option<CaseLevel> {
    let suites = results.comparison.iter().flat_map(|all| &all.suites);
    let change = suites.filter(|one| one.id == *suite).flat_map(|one| &one.cases).find(|one| one.id == *case)?;
    let CaseChange { was, score_was, metrics_was, .. } = change;
    Some(CaseLevel { status: (*was)?, score: (*score_was)?, metrics: metrics_was.clone() })
}

fn level_now(results: &Results, suite: &SuiteId, case: &CaseId) -> Option<CaseLevel> {
    let suite = results.suites.iter().find(|one| one.id == *suite)?;
    CaseLevel::now(suite.cases.iter().find(|one| one.id == *case)?)
}
