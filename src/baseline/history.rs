//! The runs of main that a baseline keeps of a suite that varies, and which of them count together.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::file::{BaselineCase, BaselineSuite};
use crate::aggregate::{is_pass_rate, value_of};
use crate::model::{Fingerprint, Sha, Status};
use crate::stats::Tries;
use crate::suites::Kind;

/// A run of main.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct BaselineRun {
    /// Its number; each run has the next one.
    pub number: u64,
    /// The commit that was evaluated.
    #[serde(default)]
    pub commit: Option<Sha>,
    /// A hash of where its answers came from.
    pub target: Fingerprint,
    /// A hash of what it was held to.
    pub policy: Fingerprint,
    /// Whether it took in a blessing of this suite: main became worse on purpose, and what was before does not count.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blessed: bool,
}

/// What a case was in a run before the latest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct CaseRun {
    /// How often it was asked.
    pub attempts: usize,
    /// How often it passed.
    pub passes: usize,
    /// Its quality, if that is not the share of attempts that passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What else was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, f64>,
    /// What was asked and how it was judged, if that was not what it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Fingerprint>,
}

/// What is known of a new run of main beside its results.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewRun<'a> {
    pub(super) commit: Option<&'a Sha>,
    /// Whether it took in a blessing of the suite.
    pub(super) blessed: bool,
    /// How many runs are kept.
    pub(super) window: usize,
}

/// What a case is: runs of it count together as long as this is the same.
fn identity(case: &BaselineCase) -> Fingerprint {
    Fingerprint::of(&json!([case.fingerprint, case.question, case.key]))
}

fn target(suite: &BaselineSuite) -> Fingerprint {
    Fingerprint::of(&json!([suite.kind, suite.model, suite.replayed, suite.source]))
}

fn policy(suite: &BaselineSuite) -> Fingerprint {
    Fingerprint::of(&json!(suite.policy))
}

/// Notes a run of main: `new` is what it measured, `old` what was known before it, with the commit it is of.
///
/// A run of the same commit as the latest one replaces that.
pub(super) fn note_run(old: Option<(&BaselineSuite, Option<&Sha>)>, new: &mut BaselineSuite, run: NewRun<'_>) {
    if !new.varies {
        return;
    }
    let mut runs = old.map(|(old, commit)| known_runs(old, commit)).unwrap_or_default();
    let again = runs.last().is_some_and(|last| last.commit.is_some() && last.commit.as_ref() == run.commit);
    let replaced = if again { runs.pop() } else { None };
    let number = replaced.as_ref().or(runs.last()).map_or(1, |one| one.number + u64::from(replaced.is_none()));
    let blessed = run.blessed || replaced.is_some_and(|one| one.blessed);
    runs.push(BaselineRun { number, commit: run.commit.cloned(), target: target(new), policy: policy(new), blessed });
    runs.drain(..runs.len().saturating_sub(run.window.max(1)));
    let oldest = runs.first().map_or(number, |one| one.number);
    for case in new.cases.values_mut() {
        case.runs.retain(|other, _| (oldest..number).contains(other));
    }
    new.runs = runs;
}

/// The runs of a suite; one of a baseline that kept none is the run that made it.
fn known_runs(suite: &BaselineSuite, commit: Option<&Sha>) -> Vec<BaselineRun> {
    if !suite.varies || !suite.runs.is_empty() {
        return suite.runs.clone();
    }
    let (target, policy) = (target(suite), policy(suite));
    vec![BaselineRun { number: 1, commit: commit.cloned(), target, policy, blessed: false }]
}

/// Hands the runs of a case on to what it is now, what was the latest among them.
pub(super) fn hand_on(suite: &BaselineSuite, before: &BaselineCase, now: &mut BaselineCase) {
    if !suite.varies {
        return;
    }
    let (was, is) = (identity(before), identity(now));
    now.runs.clone_from(&before.runs);
    for run in now.runs.values_mut() {
        let own = run.fingerprint.take().unwrap_or_else(|| was.clone());
        run.fingerprint = Some(own).filter(|own| *own != is);
    }
    let latest = suite.runs.last().map_or(1, |run| run.number);
    let share = before.pass_share();
    now.runs.insert(
        latest,
        CaseRun {
            attempts: before.attempts,
            passes: before.passes,
            score: Some(before.score).filter(|score| (score - share).abs() > 1e-12),
            metrics: before.metrics.clone(),
            fingerprint: Some(was).filter(|was| *was != is),
        },
    );
}

impl BaselineSuite {
    /// How many of its runs, from the latest on, are of the same target and policy and had nothing blessed since.
    pub fn alike(&self) -> usize {
        let Some(latest) = self.runs.last() else { return 1 };
        let mut alike = 0;
        for run in self.runs.iter().rev() {
            if (&run.target, &run.policy) != (&latest.target, &latest.policy) {
                break;
            }
            alike += 1;
            if run.blessed {
                break;
            }
        }
        alike
    }

    /// The numbers of its runs before the latest, the newest first.
    pub fn earlier(&self) -> impl Iterator<Item = u64> {
        self.runs.iter().rev().skip(1).map(|run| run.number)
    }
}

/// A case in one run of main.
#[derive(Debug, Clone, Copy)]
pub enum Past<'a> {
    /// In the latest.
    Latest(&'a BaselineCase),
    /// In one before.
    Earlier(&'a CaseRun),
}

impl BaselineCase {
    /// The case in main's runs, the latest first: in that one and in those of `earlier` that asked and judged the same.
    pub fn past<'a>(&'a self, earlier: &[u64]) -> impl Iterator<Item = Past<'a>> {
        let before = earlier.iter().filter_map(|number| self.runs.get(number));
        let same = before.take_while(|run| run.fingerprint.is_none());
        std::iter::once(Past::Latest(self)).chain(same.map(Past::Earlier))
    }

    /// The case in one of main's runs before the latest, if it was the same.
    pub fn in_run(&self, number: u64) -> Option<Past<'_>> {
        self.runs.get(&number).filter(|run| run.fingerprint.is_none()).map(Past::Earlier)
    }
}

impl Past<'_> {
    /// How often it was asked and passed. What does not say how often was asked once.
    pub fn tries(self) -> Tries {
        let (attempts, passes) = match self {
            Self::Latest(case) if case.attempts == 0 => (1, usize::from(case.status == Status::Passed)),
            Self::Latest(case) => (case.attempts, case.passes),
            Self::Earlier(run) => (run.attempts, run.passes),
        };
        Tries { attempts, passes }
    }

    /// What it gives to a metric; a pass is a share of attempts.
    pub fn value(self, kind: Kind, metric: &str) -> Option<f64> {
        if is_pass_rate(kind, metric) {
            return Some(self.tries().share());
        }
        match self {
            Self::Latest(case) => value_of(kind, metric, case.status, Some(case.score), &case.metrics),
            Self::Earlier(run) => {
                let score = run.score.unwrap_or_else(|| self.tries().share());
                value_of(kind, metric, Status::Failed, Some(score), &run.metrics)
            }
        }
    }
}
