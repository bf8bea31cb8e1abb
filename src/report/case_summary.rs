//! What several reports say of a case, said once.

use std::collections::{HashMap, HashSet};

use crate::model::{CaseChange, CaseId, Status, SuiteId};
use crate::results::{CaseResult, Results, SuiteResult};

/// How a case is to be seen beside the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is wrong, and was not before, or nobody knows.
    New,
    /// It is wrong as it was.
    Known,
    /// It is right, or was not run.
    Fine,
}

/// Finds the change of a case quickly.
#[derive(Debug)]
pub struct Changes<'a>(HashMap<(&'a SuiteId, &'a CaseId), &'a CaseChange>);

impl<'a> Changes<'a> {
    pub fn of(results: &'a Results) -> Self {
        let suites = results.comparison.iter().flat_map(|all| &all.suites);
        Self(suites.flat_map(|suite| suite.cases.iter().map(move |one| ((&suite.id, &one.id), one))).collect())
    }

    /// The change of a case, if it is not what it was or fails as it did.
    pub fn get(&self, suite: &'a SuiteId, case: &'a CaseId) -> Option<&'a CaseChange> {
        self.0.get(&(suite, case)).copied()
    }

    /// How a case is to be seen.
    pub fn standing(&self, suite: &'a SuiteResult, case: &'a CaseResult) -> Standing {
        match case.status {
            Status::Failed | Status::Error => {
                let known = self
                    .get(&suite.id, &case.id)
                    .is_some_and(|one| one.was == Some(Status::Failed) && one.now == Some(Status::Failed));
                if known { Standing::Known } else { Standing::New }
            }
            Status::Passed | Status::Unmeasured | Status::Skipped => Standing::Fine,
        }
    }
}

/// For which cases that are wrong the gate fails.
#[derive(Debug)]
pub struct GateFailures<'a> {
    cases: HashMap<(&'a SuiteId, &'a CaseId), bool>,
    suites: HashSet<&'a SuiteId>,
}

impl<'a> GateFailures<'a> {
    pub fn of(results: &'a Results) -> Self {
        let (mut cases, mut suites) = (HashMap::new(), HashSet::new());
        for reason in &results.gate.reasons {
            match (&reason.suite, &reason.case) {
                (Some(suite), Some(case)) => *cases.entry((suite, case)).or_insert(false) |= reason.fails,
                (Some(suite), None) if reason.fails => {
                    suites.insert(suite);
                }
                (Some(_), None) | (None, _) => {}
            }
        }
        Self { cases, suites }
    }

    /// Whether the gate fails because of a case: it says so of the case, or of its suite as a whole and nothing of the
    /// case. What is blessed, not gated or only reported does not fail.
    pub fn has(&self, suite: &'a SuiteId, case: &'a CaseId) -> bool {
        self.cases.get(&(suite, case)).copied().unwrap_or_else(|| self.suites.contains(suite))
    }
}

/// Why a case is as it is, in one line: its first check that does not hold.
pub fn why(case: &CaseResult) -> String {
    let wrong = case.checks.iter().filter(|check| !matches!(check.status, Status::Passed | Status::Skipped));
    let details = wrong.clone().find_map(|check| check.details.as_ref());
    let first = details.and_then(|details| details.lines().next()).map(str::to_owned);
    first.or_else(|| wrong.clone().next().map(|check| check.name().to_owned())).unwrap_or_default()
}
