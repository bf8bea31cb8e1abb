//! Judges what somebody else measured, by what this repository holds its suites to.

use std::collections::BTreeMap;

use crate::aggregate::{self, better_of};
use crate::conclude::{Reference, conclude};
use crate::gate::{self, GateContext};
use crate::model::Rule;
use crate::model::{FlatPolicy, Policy, Status, SuiteId};
use crate::plan::reproduce;
use crate::results::{Reason, Results};
use crate::settings::SuiteSettings;

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
            case.reproduce = reproduce(&config, run.mode, &suite.id, &case.id);
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
