//! Judges what somebody else measured, by what this repository holds its suites to.

use std::collections::BTreeMap;

use crate::aggregate;
use crate::gate::Circumstances;
use crate::model::{Results, Status, SuiteId};
use crate::settings::SuiteSettings;
use crate::{Reference, conclude};

/// The same numbers, compared and judged anew. Of the results only measured cases are believed; means, slices, comparison
/// and verdict are made again, and what a suite is held to is what the base says. What was left out by their own word is
/// missing; what they say nothing changed about is only shown, and makes the run a partial one.
pub fn rejudge(
    results: Results,
    of_base: &BTreeMap<SuiteId, SuiteSettings>,
    reference: Option<&Reference>,
    circumstances: &Circumstances,
) -> Results {
    let Results { mut suites, mut run, .. } = results;
    (run.filtered, run.partial) = (false, false);
    let circumstances = &Circumstances { filtered: false, ..circumstances.clone() };
    for suite in &mut suites {
        let known = reference.is_some_and(|reference| reference.baseline.suites.contains_key(&suite.id));
        suite.affected |= !known;
        run.partial |= !suite.affected;
        if suite.affected {
            suite.cases.retain(|case| case.status != Status::Skipped);
        }
        if let Some(settings) = of_base.get(&suite.id) {
            suite.policy = settings.policy.clone();
            suite.varies = settings.varies;
            suite.kind = settings.kind;
        }
        let carried =
            reference.filter(|_| !suite.affected).and_then(|reference| reference.baseline.suites.get(&suite.id));
        (suite.metrics, suite.slices) = match carried {
            Some(carried) => aggregate::carried(carried),
            None => (aggregate::metrics(suite.kind, &suite.cases), aggregate::slices(suite.kind, &suite.cases)),
        };
    }
    conclude(suites, run, reference, circumstances)
}
