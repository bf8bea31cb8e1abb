//! Judges what somebody else measured, by what this repository holds its suites to.

use std::collections::BTreeMap;

use crate::aggregate;
use crate::gate::Circumstances;
use crate::model::{Results, SuiteId};
use crate::settings::SuiteSettings;
use crate::{Reference, conclude};

/// The same numbers, compared and judged anew. Of the results only cases are believed; means, slices, comparison and
/// verdict are made again, and what a suite is held to is what the base says.
pub fn rejudge(
    results: Results,
    of_base: &BTreeMap<SuiteId, SuiteSettings>,
    reference: Option<&Reference>,
    circumstances: &Circumstances,
) -> Results {
    let Results { mut suites, run, .. } = results;
    for suite in &mut suites {
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
        // Nothing is carried that nobody has.
        suite.affected |= carried.is_none();
    }
    conclude(suites, run, reference, circumstances)
}
