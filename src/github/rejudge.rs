//! Judges what somebody else measured, by what this repository holds its suites to.

use std::collections::{BTreeMap, HashMap};

use crate::aggregate::{self, better_of};
use crate::baseline::BaselineCase;
use crate::conclude::{Reference, conclude};
use crate::gate::{self, GateContext};
use crate::model::Rule;
use crate::model::{ByMainKey, CaseId, FlatPolicy, KeyEdit, Policy, Score, Status, SuiteId};
use crate::plan::reproduce;
use crate::results::{CaseResult, Reason, Results};
use crate::settings::SuiteSettings;
use crate::suites::Case;

/// What configurations say of suites.
pub type Suites = BTreeMap<SuiteId, SuiteSettings>;

/// The same numbers, compared and judged again. Of the results only measured cases are believed; means, slices, comparison
/// and verdict are made again, and what a suite is held to is what the base says. What was left out by their own word is
/// missing; what they say nothing changed about is only shown, and makes the run a partial one. `of_head` is what the
/// change itself says, which must not be weaker; nothing if it cannot be read.
pub fn rejudge(
    results: Results,
    of_base: &Suites,
    of_head: Option<&Suites>,
    reference: Option<&Reference>,
    main: &MainKeys,
    circumstances: &GateContext,
) -> Results {
    let Results { mut suites, mut run, .. } = results;
    (run.filtered, run.partial) = (false, false);
    let mut circumstances = GateContext { filtered: false, ..circumstances.clone() };
    circumstances.remarks.extend(weakened(of_base, of_head));
    let in_baseline = |id: &SuiteId| reference.is_some_and(|reference| reference.baseline.suites.contains_key(id));
    // Of what the baseline knows, comparing notices that it is missing.
    for id in of_base.keys().filter(|id| !in_baseline(id) && !suites.iter().any(|suite| suite.id == **id)) {
        let message = format!("{id}: the suite is in the configuration of the base, and not in the results");
        circumstances.remarks.push(Reason::new(Rule::SuiteRemoved, Some(id), message));
    }
    let config = format!("{}{}", run.prefix, run.config);
    for suite in &mut suites {
        let settings = of_base.get(&suite.id);
        let known = settings.or_else(|| of_head.and_then(|of_head| of_head.get(&suite.id)));
        suite.policy = known.map_or_else(Policy::default, |settings| settings.policy.clone());
        if let Some(settings) = known {
            suite.varies = settings.varies;
            suite.kind = settings.kind;
        }
        // Only what says what it depends on can be left alone.
        let may_be_left_alone = settings.is_some_and(|settings| !settings.paths.is_empty());
        suite.affected |= !in_baseline(&suite.id) || !may_be_left_alone;
        run.partial |= !suite.affected;
        if suite.affected {
            suite.cases.retain(|case| case.status != Status::Skipped);
        }
        for case in &mut suite.cases {
            // How many attempts must pass is for the base to say, too.
            (case.status, case.score) = aggregate::from_attempts(case, suite.policy.pass_share);
            case.reproduce = reproduce(&config, run.mode, &suite.id, &case.id);
            let before = reference.and_then(|reference| reference.baseline.suites.get(&suite.id)?.cases.get(&case.id));
            case.key_edit = before.and_then(|before| main.edit_of(&suite.id, case, before));
        }
        let carried =
            reference.filter(|_| !suite.affected).and_then(|reference| reference.baseline.suites.get(&suite.id));
        (suite.metrics, suite.slices) = match carried {
            Some(carried) => carried.carried(),
            None => (aggregate::metrics(suite.kind, &suite.cases), aggregate::slices(suite.kind, &suite.cases)),
        };
    }
    conclude(suites, run, reference, &circumstances)
}

/// The cases as the base has them, or why they cannot be read.
#[derive(Debug)]
pub enum MainKeys {
    Read(HashMap<(SuiteId, CaseId), Case>),
    NotRead(String),
}

impl MainKeys {
    /// What the reported answer comes to by the base's key. Which key was used is the others' own word, so that the answer is
    /// judged again whatever they say.
    fn edit_of(&self, suite: &SuiteId, case: &CaseResult, before: &BaselineCase) -> Option<KeyEdit> {
        let not_tried = |why: &str| KeyEdit { diff: None, by_main: None, why_not: Some(why.to_owned()) };
        let main = match self {
            Self::Read(cases) => cases.get(&(suite.clone(), case.id.clone()))?,
            Self::NotRead(why) => return (!before.has_key_of(case)).then(|| not_tried(why)),
        };
        let is_same = case.key.as_ref() == Some(main.key.hash());
        let reported = case.detail.as_ref().filter(|_| case.status.is_measured());
        let judged = reported.and_then(|detail| main.question.judge_reported(detail));
        let Some(judged) = judged.filter(|judged| judged.status.is_measured()) else {
            return (!is_same).then(|| not_tried("judging it needs more than its answer"));
        };
        let by_main = ByMainKey {
            status: judged.status,
            score: judged.score.map(Score::value),
            metrics: judged.metrics.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            attempts: 1,
            passes: usize::from(judged.status == Status::Passed),
        };
        (!is_same || judged.status != case.status).then_some(KeyEdit {
            diff: None,
            by_main: Some(by_main),
            why_not: None,
        })
    }
}

/// What the change makes less strict than the base has it.
fn weakened(of_base: &Suites, of_head: Option<&Suites>) -> Vec<Reason> {
    let Some(of_head) = of_head else {
        let message = "the configuration of this change cannot be read, so nobody knows whether it is weaker";
        return vec![Reason::new(Rule::WeakenedGate, None, message)];
    };
    let flat = |settings: &SuiteSettings| -> FlatPolicy {
        settings.policy.flat(settings.varies, |metric| better_of(settings.kind, metric))
    };
    let gone = |id: &SuiteId| {
        let message = format!("{id}: the suite is gone from the configuration of this change");
        vec![Reason::new(Rule::SuiteRemoved, Some(id), message)]
    };
    let of_suite = |(id, base): (&SuiteId, &SuiteSettings)| match of_head.get(id) {
        Some(head) => gate::weaker(id, &flat(base), &flat(head), None),
        None => gone(id),
    };
    of_base.iter().flat_map(of_suite).collect()
}
