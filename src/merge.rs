//! Joins the shards of a run. Metrics are computed from cases, never from metrics.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::aggregate;
use crate::model::Shard;
use crate::results::{Results, RunInfo, SuiteResult, Verdict};
use crate::text::counted;

/// A shard and where it was found.
#[derive(Debug)]
pub struct ShardPart {
    /// As the user named it.
    pub place: String,
    pub results: Results,
}

/// What keeps results from being the shards of one run.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("there is nothing to merge")]
    Nothing,
    #[error("{place}: is a whole run, not a shard")]
    WholeRun { place: String },
    #[error("{place}: shard {shard} was interrupted")]
    Interrupted { place: String, shard: Shard },
    #[error("{place}: {what} than {first}")]
    Differs { place: String, what: &'static str, first: String },
    #[error("shard {index} is there {} times: {}", .places.len(), .places.join(", "))]
    Twice { index: u32, places: Vec<String> },
    /// Some are missing; the first of them are listed.
    #[error("{} missing: {listed}", counted(*.count, "shard"))]
    Missing { count: usize, listed: String },
}

/// Joins all shards of one run, or says everything that keeps them from being one.
pub fn merge(parts: Vec<ShardPart>) -> Result<(Vec<SuiteResult>, RunInfo), Vec<MergeError>> {
    let mut wrong = Vec::new();
    let Some(first) = parts.first() else { return Err(vec![MergeError::Nothing]) };
    let mut places: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let expected = &first.results.run;
    for ShardPart { place, results } in &parts {
        let run = &results.run;
        let Some(shard) = run.shard else {
            wrong.push(MergeError::WholeRun { place: place.clone() });
            continue;
        };
        places.entry(shard.index).or_default().push(place);
        if results.gate.verdict == Verdict::Interrupted {
            wrong.push(MergeError::Interrupted { place: place.clone(), shard });
        }
        let total = expected.shard.map_or(shard.total, |shard| shard.total);
        let differs = [
            ("is of another number of shards", shard.total != total),
            ("has another configuration", run.config_hash != expected.config_hash),
            ("has other cases, or others were chosen", run.cases_hash != expected.cases_hash),
            ("is of another commit", run.commit != expected.commit),
            ("is of another attempt", run.attempt != expected.attempt),
            ("has another mode", run.mode != expected.mode),
            ("has another seed", run.seed != expected.seed),
            ("was written by another version", results.tool != first.results.tool),
        ];
        for (what, _) in differs.iter().filter(|(_, differs)| *differs) {
            wrong.push(MergeError::Differs { place: place.clone(), what, first: first.place.clone() });
        }
    }
    for (index, places) in places.iter().filter(|(_, places)| places.len() > 1) {
        let places = places.iter().map(|place| (*place).to_owned()).collect();
        wrong.push(MergeError::Twice { index: *index, places });
    }
    if let Some(total) = expected.shard.map(|shard| shard.total) {
        let there = places.keys().filter(|index| (1..=total).contains(*index)).count();
        let missing = usize::try_from(total).unwrap_or(usize::MAX).saturating_sub(there);
        if missing > 0 {
            let first = (1..=total).filter(|index| !places.contains_key(index)).take(10);
            let listed: Vec<String> = first.map(|index| format!("{index}/{total}")).collect();
            let more = if missing > listed.len() { ", …" } else { "" };
            wrong.push(MergeError::Missing { count: missing, listed: format!("{}{more}", listed.join(", ")) });
        }
    }
    let run = expected.clone();
    if wrong.is_empty() { Ok(join(parts, run)) } else { Err(wrong) }
}

fn join(mut parts: Vec<ShardPart>, first: RunInfo) -> (Vec<SuiteResult>, RunInfo) {
    parts.sort_by_key(|part| part.results.run.shard.map_or(0, |shard| shard.index));
    let runs: Vec<RunInfo> = parts.iter().map(|part| part.results.run.clone()).collect();
    let mut suites: Vec<SuiteResult> = Vec::new();
    for part in parts {
        for suite in part.results.suites {
            match suites.iter().position(|known| known.id == suite.id) {
                Some(index) => {
                    suites[index].cases.extend(suite.cases);
                    suites[index].from_cache += suite.from_cache;
                }
                None => suites.push(suite),
            }
        }
    }
    for suite in &mut suites {
        suite.cases.sort_by_key(|case| case.position);
        if suite.affected {
            suite.metrics = aggregate::metrics(suite.kind, &suite.cases);
            suite.slices = aggregate::slices(suite.kind, &suite.cases);
        }
        let asked: f64 = suite.cases.iter().flat_map(|case| &case.attempts).map(|attempt| attempt.duration_ms).sum();
        let took = Duration::try_from_secs_f64(asked / 1000.0).unwrap_or_default();
        suite.detail = suite.kind.summarise(&suite.views(), took);
    }
    let longest = runs.iter().map(|run| run.duration_ms).fold(0.0, f64::max);
    let mut run = first;
    if let Some(earliest) = runs.iter().min_by(|a, b| a.started_at.cmp(&b.started_at)) {
        (run.started_at, run.id) = (earliest.started_at.clone(), earliest.id.clone());
    }
    (run.shard, run.partial, run.duration_ms) = (None, run.filtered, longest);
    (suites, run)
}
