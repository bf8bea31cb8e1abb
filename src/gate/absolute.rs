//! What holds without a baseline: floors, errors, what was not measured.

use super::GateContext;
use crate::aggregate::better_of;
use crate::model::{Better, MaxErrors, Metric, Nature, Rule, Status, Threshold};
use crate::results::{CaseResult, Reason, RecordedOf, SuiteResult};
use crate::suites::{CaseView, Remark};
use crate::text::{counted, flag};

/// Floors and targets stand beside the values, so that a report needs nothing else.
pub(super) fn note_thresholds(suite: &mut SuiteResult) {
    let note = |metric: &mut Metric, threshold: &Threshold| {
        metric.min = threshold.min;
        metric.target = threshold.target;
    };
    for (name, threshold) in &suite.policy.metrics {
        if let Some(metric) = suite.metrics.get_mut(name) {
            note(metric, threshold);
        }
    }
    for (slice, metrics) in &suite.policy.slices {
        for (name, threshold) in metrics {
            if let Some(metric) = suite.slices.get_mut(slice).and_then(|slice| slice.get_mut(name)) {
                note(metric, threshold);
            }
        }
    }
}

pub(super) fn judge(suite: &SuiteResult, has_baseline: bool, circumstances: &GateContext) -> Vec<Reason> {
    let about = |rule: Rule, message: String| Reason::new(rule, Some(&suite.id), format!("{}: {message}", suite.id));
    let mut reasons = Vec::new();
    if !suite.affected {
        let message = "not affected by what changed; its values are the baseline's".to_owned();
        reasons.extend(quarantines(suite, circumstances));
        reasons.push(about(Rule::NotAffected, message).informing());
        return reasons;
    }
    let chosen: Vec<&CaseResult> = suite.cases.iter().filter(|case| case.status != Status::Skipped).collect();
    if chosen.is_empty() {
        if suite.cases.is_empty() {
            reasons.push(about(Rule::NothingMeasured, "has no case".into()).informing());
        }
        return reasons;
    }
    reasons.extend(errors(suite, &chosen));
    let measured = chosen.iter().filter(|case| case.status.is_measured()).count();
    if measured == 0 && !reasons.iter().any(|reason| reason.rule == Rule::TooManyErrors) {
        let none = match chosen.len() {
            1 => "its only case was not measured".to_owned(),
            many => format!("none of its {many} cases was measured"),
        };
        let message = format!("{none}{}", why_unmeasured(&chosen));
        reasons.push(about(Rule::NothingMeasured, message));
    }
    let unmeasured = match circumstances.strict {
        true => chosen.len() - measured,
        false => chosen.iter().filter(|case| case.status == Status::Unmeasured).count(),
    };
    if unmeasured > 0 && (measured > 0 || circumstances.strict) {
        let strict = if circumstances.strict { "--strict, and " } else { "" };
        let were = if unmeasured == 1 { "was" } else { "were" };
        let why = why_unmeasured(&chosen);
        let message = format!("{strict}{unmeasured} of {} cases {were} not measured{why}", chosen.len());
        // Errors are reported already.
        if circumstances.strict || !why.is_empty() {
            // The more, the worse.
            let value = Some(-share(unmeasured, 1));
            reasons.push(Reason { value, ..about(Rule::Unmeasured, message).failing(circumstances.strict) });
        }
    }
    let left_out = suite.cases.len() - chosen.len();
    let is_part = circumstances.filtered && left_out > 0;
    if measured > 0 && !is_part {
        reasons.extend(floors(suite));
    }
    if is_part && suite.policy.has_floors() {
        let message = format!("floors are not held to, since your filter left out {}", counted(left_out, "case"));
        reasons.push(about(Rule::FloorsNotHeld, message).informing());
    }
    reasons.extend(outdated_recordings(suite));
    reasons.extend(remarks(suite, &chosen, circumstances.strict));
    reasons.extend(quarantines(suite, circumstances));
    for case in chosen.iter().filter(|case| case.flaky) {
        let passed = case.attempts.iter().filter(|attempt| attempt.status == Status::Passed).count();
        let message = format!("{} is flaky: {passed} of {} attempts pass", case.id, case.attempts.len());
        reasons.push(Reason { case: Some(case.id.clone()), ..about(Rule::Flaky, message).informing() });
    }
    if has_baseline {
        return reasons;
    }
    // Time and cost say nothing about quality.
    let gated =
        suite.policy.metrics.iter().any(|(name, threshold)| threshold.min.is_some() && !Nature::of(name).is_expense());
    if !gated && suite.kind.every_case_must_pass() {
        for case in chosen.iter().filter(|case| case.status == Status::Failed) {
            if suite.policy.quarantine.contains_key(&case.id) {
                continue;
            }
            let wrong = case.checks.iter().filter(|check| check.status != Status::Passed).map(|check| check.name());
            let message = format!("{} failed: {}", case.id, wrong.collect::<Vec<_>>().join(", "));
            let value = case.score;
            reasons.push(Reason { case: Some(case.id.clone()), value, ..about(Rule::ScenarioFailed, message) });
        }
    } else if !gated {
        let passed = chosen.iter().filter(|case| case.status == Status::Passed).count();
        let message = format!("not gated: {passed} of {measured} pass, and no floor is set for it");
        // What was not measured has said so.
        reasons.extend((measured > 0).then(|| about(Rule::NotGated, message).informing()));
    }
    reasons
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are far below 2^52")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Why cases were not measured, in the words of the first.
fn why_unmeasured(chosen: &[&CaseResult]) -> String {
    let unmeasured = chosen.iter().filter(|case| case.status == Status::Unmeasured);
    let why = unmeasured.flat_map(|case| &case.checks).find_map(|check| check.details.as_ref());
    why.map(|why| format!(": {}", why.lines().next().unwrap_or_default())).unwrap_or_default()
}

fn errors(suite: &SuiteResult, chosen: &[&CaseResult]) -> Option<Reason> {
    let attempts: Vec<_> = chosen.iter().flat_map(|case| &case.attempts).collect();
    let errors = attempts.iter().filter(|attempt| attempt.status == Status::Error).count();
    if errors == 0 {
        return None;
    }
    let allowed = suite.policy.max_errors.allowed(attempts.len());
    let first = chosen
        .iter()
        .flat_map(|case| &case.checks)
        .find(|check| check.status == Status::Error)
        .and_then(|check| check.details.as_ref()?.lines().next().map(str::to_owned))
        .unwrap_or_default();
    let limit = match suite.policy.max_errors {
        MaxErrors::Count(count) => count.to_string(),
        MaxErrors::Share(share) => format!("{:.1} %", share * 100.0),
    };
    let why = if first.trim().is_empty() { String::new() } else { format!(": {first}") };
    let message =
        format!("{}: {errors} of {} attempts ended in an error (max-errors {limit}){why}", suite.id, attempts.len());
    Some(if errors > allowed {
        Reason::new(Rule::TooManyErrors, Some(&suite.id), message)
    } else {
        Reason::new(Rule::Errors, Some(&suite.id), message).informing()
    })
}

fn floors(suite: &SuiteResult) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let whole = suite.policy.metrics.iter().map(|(name, threshold)| (None, name, threshold, suite.metrics.get(name)));
    let sliced = suite.policy.slices.iter().flat_map(|(slice, metrics)| {
        metrics.iter().map(move |(name, threshold)| {
            (Some(slice), name, threshold, suite.slices.get(slice).and_then(|metrics| metrics.get(name)))
        })
    });
    for (slice, name, threshold, metric) in whole.chain(sliced) {
        let Some(min) = threshold.min else { continue };
        let place = slice.map_or(String::new(), |slice| format!("{slice} "));
        let (better, nature) = (better_of(suite.kind, name), Nature::of(name));
        let limit = match better {
            Better::Higher => "floor",
            Better::Lower => "ceiling",
        };
        let reason = |rule: Rule, message: String| Reason {
            metric: Some(name.clone()),
            slice: slice.cloned(),
            threshold: Some(min),
            ..Reason::new(rule, Some(&suite.id), format!("{}: {place}{message}", suite.id))
        };
        let Some(value) = metric.and_then(|metric| metric.value) else {
            reasons.push(reason(
                Rule::MissingMetric,
                format!("{name} has a {limit} of {}, but was not measured", nature.format(min)),
            ));
            continue;
        };
        if !better.meets(value, min) {
            let side = match better {
                Better::Higher => "below",
                Better::Lower => "above",
            };
            let (value_text, min_text) = nature.format_apart(value, min);
            let message = format!("{name} {value_text} is {side} its {limit} {min_text}");
            reasons.push(Reason { value: Some(value), ..reason(Rule::BelowMin, message) });
        }
    }
    reasons
}

/// Answers that another version of the target gave say nothing about the one that is here.
fn outdated_recordings(suite: &SuiteResult) -> Option<Reason> {
    let about =
        |message: String| Reason::new(Rule::OutdatedRecordings, Some(&suite.id), format!("{}: {message}", suite.id));
    match suite.recorded_of? {
        RecordedOf::This => None,
        RecordedOf::Another => Some(about(format!(
            "its recorded answers are of another version of the target; record them again with `evalratchet run{} --mode record`",
            flag("suite", suite.id.as_str())
        ))),
        RecordedOf::Unknown => Some(
            about("its recorded answers do not say of which version of the target they are".to_owned()).informing(),
        ),
    }
}

/// What the kind has to say.
fn remarks(suite: &SuiteResult, chosen: &[&CaseResult], strict: bool) -> Vec<Reason> {
    let views: Vec<CaseView<'_>> = chosen.iter().map(|case| case.view()).collect();
    let reason = |remark: Remark| {
        let Remark { rule, case, message, fails_when_strict } = remark;
        let message = format!("{}: {message}", suite.id);
        Reason { case, ..Reason::new(rule, Some(&suite.id), message).failing(fails_when_strict && strict) }
    };
    suite.kind.remarks(&views).into_iter().map(reason).collect()
}

fn quarantines(suite: &SuiteResult, circumstances: &GateContext) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut active = Vec::new();
    for (case, quarantine) in &suite.policy.quarantine {
        // ISO dates are ordered as texts are.
        if circumstances.today.as_str() > quarantine.until.as_str() {
            let message = format!(
                "{}: the quarantine of {case} expired on {} (owner {})",
                suite.id, quarantine.until, quarantine.owner
            );
            let reason = Reason::new(Rule::QuarantineExpired, Some(&suite.id), message);
            reasons.push(Reason { case: Some(case.clone()), ..reason });
        } else {
            active.push(format!("{case} until {} ({})", quarantine.until, quarantine.owner));
        }
    }
    if !active.is_empty() {
        let message = format!("{}: {} in quarantine: {}", suite.id, counted(active.len(), "case"), active.join(", "));
        reasons.push(Reason::new(Rule::Quarantined, Some(&suite.id), message).informing());
    }
    reasons
}
