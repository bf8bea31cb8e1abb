//! From answers to cases, from cases to metrics. Metrics are always computed from cases, never from other metrics.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{
    Better, ByMainKey, Check, EndingKind, KeyEdit, Metric, MetricSource, MetricSpec, Nature, Score, Status,
    milliseconds, rounded,
};
use crate::plan::{MainKey, Planned};
use crate::results::{Attempt, CaseResult};
use crate::stats::{deviation, mean, mean_interval, percentile, wilson};
use crate::suites::{Attempted, Evaluation, Kind};

/// Joins the attempts at a case into its result. A case passes if enough of its measured attempts do.
pub fn case_result(planned: &Planned, attempts: &[Attempted], pass_share: f64, reproduce: String) -> CaseResult {
    let case = &planned.case;
    let measured: Vec<&Attempted> = attempts.iter().filter(|one| one.evaluation.status.is_measured()).collect();
    let of_attempts = joint_status(attempts.iter().map(|one| one.evaluation.status), pass_share);
    let status = if planned.chosen { of_attempts } else { Status::Skipped };
    let scores: Vec<f64> = measured.iter().filter_map(|one| one.evaluation.score).map(Score::value).collect();
    let representative = attempts.iter().find(|one| one.evaluation.status == status).or(attempts.first());
    let durations: Vec<f64> = attempts.iter().map(|one| milliseconds(one.duration)).collect();
    CaseResult {
        id: case.id.clone(),
        position: planned.position,
        status,
        flaky: false,
        passed_again: false,
        score: mean(&scores),
        metrics: mean_metrics(measured.iter().map(|one| &one.evaluation))
            .into_iter()
            .chain(repeat_metrics(&measured, &scores))
            .collect(),
        checks: checks_of(representative, status, &measured, pass_share),
        fingerprint: case.fingerprint.clone(),
        question: Some(case.asked.clone()),
        key: Some(case.key.hash().clone()),
        key_edit: key_edit(planned, &measured, pass_share),
        location: case.location.clone(),
        duration_ms: rounded(mean(&durations).unwrap_or(0.0)),
        attempts: attempts.iter().map(attempt).collect(),
        diff: representative.and_then(|one| one.evaluation.diff.clone()),
        output: representative.map(|one| one.captured.clone()),
        reproduce,
        slices: case.slices.clone(),
        detail: Some(representative.map_or_else(|| case.question.detail(), |one| one.evaluation.detail.clone())),
    }
}

/// What the same answers come to by main's key.
fn key_edit(planned: &Planned, measured: &[&Attempted], pass_share: f64) -> Option<KeyEdit> {
    let (diff, why_not) = match &planned.main_key {
        MainKey::Same => return None,
        MainKey::Judges { diff, .. } => (Some(diff.clone()), None),
        MainKey::Edited { diff, why_not } => (diff.clone(), Some(why_not.clone())),
    };
    let judged: Vec<&Evaluation> = measured.iter().filter_map(|one| one.by_main.as_deref()).collect();
    let by_main = (!judged.is_empty() && judged.len() == measured.len()).then(|| {
        let passes = judged.iter().filter(|one| one.status == Status::Passed).count();
        let scores: Vec<f64> = judged.iter().filter_map(|one| one.score).map(Score::value).collect();
        let is_enough = passes > 0 && Better::Higher.meets(share(passes, judged.len()), pass_share);
        ByMainKey {
            status: if is_enough { Status::Passed } else { Status::Failed },
            score: mean(&scores),
            metrics: mean_metrics(judged.iter().copied()),
            attempts: judged.len(),
            passes,
        }
    });
    let why_not = why_not.or_else(|| by_main.is_none().then(|| "there is no answer to judge".to_owned()));
    Some(KeyEdit { diff, by_main, why_not })
}

/// The checks of the attempt that is shown. Of several attempts, too few passed; that one of them did not says less.
fn checks_of(
    representative: Option<&Attempted>,
    status: Status,
    measured: &[&Attempted],
    pass_share: f64,
) -> Vec<Check> {
    let mut checks = representative.map(|one| one.evaluation.checks.clone()).unwrap_or_default();
    if status != Status::Failed || measured.len() < 2 {
        return checks;
    }
    let passed = measured.iter().filter(|one| one.evaluation.status == Status::Passed).count();
    let sentence = format!("{passed} of {} attempts passed, {pass_share} needed", measured.len());
    if let Some(check) = checks.iter_mut().find(|check| check.status == Status::Failed) {
        check.details = Some(match check.details.take() {
            Some(details) => format!("{sentence}; one that failed: {details}"),
            None => sentence,
        });
    }
    checks
}

/// The mean over the attempts of whatever was measured beside the score.
fn mean_metrics<'a>(measured: impl Iterator<Item = &'a Evaluation>) -> BTreeMap<String, f64> {
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for one in measured {
        for (name, value) in &one.metrics {
            values.entry(name).or_default().push(*value);
        }
        for (name, value) in one.detail.report().measured().into_iter().flatten() {
            values.entry(name).or_default().push(*value);
        }
    }
    values.into_iter().filter_map(|(name, values)| Some((name.to_owned(), mean(&values)?))).collect()
}

/// What only repeated attempts tell: the share that passes, the spread of the scores, and for some k the chance that
/// one of k attempts passes (`pass-at-k`) and that all of them do (`pass-hat-k`).
fn repeat_metrics(measured: &[&Attempted], scores: &[f64]) -> Vec<(String, f64)> {
    let attempts = measured.len();
    if attempts < 2 {
        return Vec::new();
    }
    let passed = measured.iter().filter(|one| one.evaluation.status == Status::Passed).count();
    let mut metrics = vec![("pass-share".to_owned(), share(passed, attempts))];
    metrics.extend(deviation(scores).map(|spread| ("score-spread".to_owned(), spread)));
    let mut tries: Vec<usize> = [1, 2, 3, 5, 10].into_iter().filter(|k| *k < attempts).collect();
    tries.push(attempts);
    for k in tries {
        metrics.push((format!("pass-at-{k}"), 1.0 - draws(attempts - passed, attempts, k)));
        metrics.push((format!("pass-hat-{k}"), draws(passed, attempts, k)));
    }
    metrics
}

/// The chance that k of `all`, drawn without putting back, are all among `good`.
fn draws(good: usize, all: usize, k: usize) -> f64 {
    (0..k).map(|drawn| share(good.saturating_sub(drawn), all - drawn)).product()
}

/// How a case comes out whose attempts came out like this: it passes if enough of the measured ones do.
fn joint_status(attempts: impl Iterator<Item = Status> + Clone, pass_share: f64) -> Status {
    let count = |status: Status| attempts.clone().filter(|one| *one == status).count();
    let measured = attempts.clone().filter(|one| one.is_measured()).count();
    if measured == 0 {
        return if count(Status::Error) > 0 { Status::Error } else { Status::Unmeasured };
    }
    let passed = count(Status::Passed);
    let is_enough = passed > 0 && Better::Higher.meets(share(passed, measured), pass_share);
    if is_enough { Status::Passed } else { Status::Failed }
}

/// The status and the score that follow from a case's attempts; what has none was left out.
pub fn from_attempts(case: &CaseResult, pass_share: f64) -> (Status, Option<f64>) {
    if case.attempts.is_empty() {
        let status = if case.status == Status::Skipped { Status::Skipped } else { Status::Unmeasured };
        return (status, None);
    }
    let status = joint_status(case.attempts.iter().map(|one| one.status), pass_share);
    let measured = case.attempts.iter().filter(|one| one.status.is_measured());
    (status, mean(&measured.filter_map(|one| one.score).collect::<Vec<f64>>()))
}

/// Whether a case is what its attempts make it.
pub fn fits_attempts(case: &CaseResult, pass_share: f64) -> bool {
    let (status, score) = from_attempts(case, pass_share);
    let same_score = match (score, case.score) {
        (Some(one), Some(other)) => (one - other).abs() < 1e-6,
        (one, other) => one == other,
    };
    status == case.status && same_score
}

fn attempt(one: &Attempted) -> Attempt {
    Attempt {
        status: one.evaluation.status,
        score: one.evaluation.score.map(Score::value),
        duration_ms: milliseconds(one.duration),
        usage: one.usage,
        ending: one.ending,
    }
}

/// The metrics of a kind over some cases; those that could not be measured do not count.
pub fn metrics<'a>(kind: Kind, cases: impl IntoIterator<Item = &'a CaseResult>) -> BTreeMap<String, Metric> {
    let measured: Vec<&CaseResult> = cases.into_iter().filter(|case| case.status.is_measured()).collect();
    let latencies: Vec<f64> = measured
        .iter()
        .flat_map(|case| &case.attempts)
        .filter(|attempt| attempt.status.is_measured() && attempt.ending != EndingKind::ImportedUntimed)
        .map(|attempt| attempt.duration_ms)
        .collect();
    let measure = |spec: &MetricSpec| {
        if let MetricSource::Durations { percentile: at } = spec.source {
            return (percentile(&latencies, at), None, latencies.len());
        }
        let values =
            measured.iter().filter_map(|case| value_of(kind, spec.name, case.status, case.score, &case.metrics));
        let values: Vec<f64> = values.collect();
        // What is not between 0 and 1 has no interval.
        if spec.nature().is_expense() {
            return (mean(&values), None, values.len());
        }
        let (value, interval, n) = mean_of(&values);
        match spec.source {
            MetricSource::Overlap => (value.map(f1), interval.map(|ends| ends.map(f1)), n),
            MetricSource::Passes
            | MetricSource::Scores
            | MetricSource::CaseValues
            | MetricSource::SomeCaseValues
            | MetricSource::Durations { .. } => (value, interval, n),
        }
    };
    let of_kind = kind
        .metrics()
        .iter()
        .map(|spec| (spec, measure(spec)))
        // Only a model has a consumption, and not every suite has cases of every sort.
        .filter(|(spec, (_, _, n))| {
            let may_be_absent = matches!(spec.nature(), Nature::Tokens | Nature::Cost)
                || matches!(spec.source, MetricSource::SomeCaseValues | MetricSource::Overlap);
            *n > 0 || !may_be_absent
        })
        .map(|(spec, (value, ci95, n))| {
            (spec.name.to_owned(), Metric { value, better: spec.better, n, ci95, min: None, target: None })
        });
    of_kind.chain(brought_along(&measured)).collect()
}

/// The metrics whose names the cases bring along. What is not between 0 and 1 has no interval.
fn brought_along(measured: &[&CaseResult]) -> Vec<(String, Metric)> {
    let details = measured.iter().filter_map(|case| case.detail.as_ref()?.report().measured());
    let names: BTreeSet<&String> = details.flat_map(BTreeMap::keys).collect();
    let mut metrics = Vec::new();
    for name in names {
        let values: Vec<f64> = measured.iter().filter_map(|case| case.metrics.get(name)).copied().collect();
        let (value, ci95, n) = mean_of(&values);
        let ci95 = ci95.filter(|_| values.iter().all(|value| (0.0..=1.0).contains(value)));
        metrics.push((name.clone(), Metric { value, better: Better::Higher, n, ci95, min: None, target: None }));
    }
    metrics
}

/// Which way a metric is better.
pub fn better_of(kind: Kind, name: &str) -> Better {
    kind.metric(name).map_or(Better::Higher, |spec| spec.better)
}

/// Whether a metric is the share of cases that pass.
pub fn is_pass_rate(kind: Kind, name: &str) -> bool {
    kind.metric(name).is_some_and(|spec| spec.source == MetricSource::Passes)
}

/// What one case gives to a metric; latencies are not a case's.
pub fn value_of(
    kind: Kind,
    name: &str,
    status: Status,
    score: Option<f64>,
    metrics: &BTreeMap<String, f64>,
) -> Option<f64> {
    match kind.metric(name)?.source {
        MetricSource::Passes => Some(f64::from(u8::from(status == Status::Passed))),
        MetricSource::Scores => score,
        MetricSource::CaseValues | MetricSource::SomeCaseValues | MetricSource::Overlap => metrics.get(name).copied(),
        MetricSource::Durations { .. } => None,
    }
}

/// The values of cases as one number: their mean, or the F1 score that follows from it.
pub fn joined(kind: Kind, name: &str, values: &[f64]) -> Option<f64> {
    let is_overlap = kind.metric(name).is_some_and(|spec| spec.source == MetricSource::Overlap);
    mean(values).map(|value| if is_overlap { f1(value) } else { value })
}

/// The F1 score of two sets, from the share of those in both among those in either. It grows with that share, so that the
/// ends of an interval stay its ends.
fn f1(share: f64) -> f64 {
    2.0 * share / (1.0 + share)
}

/// A mean, its interval (Wilson's if every value is 0 or 1) and the number of values.
fn mean_of(values: &[f64]) -> (Option<f64>, Option<[f64; 2]>, usize) {
    let hits = values.iter().filter(|value| **value == 1.0).count();
    let misses = values.iter().filter(|value| **value == 0.0).count();
    let interval = if hits + misses == values.len() { wilson(hits, values.len()) } else { mean_interval(values) };
    (mean(values), interval, values.len())
}

/// The same metrics over every slice of the cases.
pub fn slices(kind: Kind, cases: &[CaseResult]) -> BTreeMap<String, BTreeMap<String, Metric>> {
    let mut by_slice: BTreeMap<&str, Vec<&CaseResult>> = BTreeMap::new();
    for case in cases {
        for slice in &case.slices {
            by_slice.entry(slice.as_str()).or_default().push(case);
        }
    }
    by_slice.into_iter().map(|(slice, cases)| (slice.to_owned(), metrics(kind, cases))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
