//! From measured suites to results: compares them with the baseline and judges them. `run`, `merge`, `compare` and `publish`
//! all end here.

use crate::baseline::Baseline;
use crate::compare::{CompareOptions, compare};
use crate::gate::{self, Against, GateContext};
use crate::model::{BaselineInfo, Comparison, Trend};
use crate::results::{RESULTS_SCHEMA, Results, RunInfo, SuiteResult, Tool};

/// What a run is compared with.
#[derive(Debug, Clone)]
pub struct Reference {
    pub baseline: Baseline,
    /// Where it was found.
    pub info: BaselineInfo,
    /// What earlier baselines had.
    pub trend: Trend,
}

/// Compares and judges what was measured.
pub fn conclude(
    mut suites: Vec<SuiteResult>,
    run: RunInfo,
    reference: Option<&Reference>,
    circumstances: &GateContext,
) -> Results {
    // A part is not compared: what it lacks is in the others.
    let reference = reference.filter(|_| !circumstances.shard);
    let comparison = reference.map(|Reference { baseline, info, trend }| {
        let options = CompareOptions { filtered: run.filtered, seed: run.seed };
        Comparison { trend: trend.clone(), ..compare(&suites, baseline, info.clone(), options) }
    });
    let against = reference
        .zip(comparison.as_ref())
        .map(|(reference, comparison)| Against { baseline: &reference.baseline, comparison });
    let circumstances = &GateContext { seed: run.seed, ..circumstances.clone() };
    let gate = gate::judge(&mut suites, against, circumstances);
    let tool = Tool { name: "evalratchet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    let mut results = Results { schema: RESULTS_SCHEMA.to_owned(), tool, run, suites, comparison, gate };
    let is_whole = !results.run.partial && !circumstances.interrupted;
    // Whether an edit of the baseline is what an update makes of this run is known only once the run is judged.
    if let Some(edited) = circumstances.edited.as_ref().filter(|_| is_whole)
        && let Some(reason) = gate::baseline_edited(edited, &circumstances.blessings, &results)
    {
        gate::add_reason(&mut results.gate, reason, circumstances);
    }
    results
}
