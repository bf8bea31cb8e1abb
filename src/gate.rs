//! Whether what was measured is good enough, and every reason why not.

use crate::model::{
    Better, CaseDetail, ExitCode, Gate, Kind, Reason, Rule, Status, SuiteDetail, SuiteId, SuiteResult, Verdict,
};
use crate::settings::{MaxErrors, SuiteSettings, Threshold};

/// What the gate takes into account beside the results.
#[derive(Debug, Clone, Copy, Default)]
pub struct Circumstances {
    /// `--strict`: what was not measured fails.
    pub strict: bool,
    /// `--shard`: only `merge` judges.
    pub shard: bool,
    /// The user stopped the run.
    pub interrupted: bool,
}

/// Judges the suites, marks each with its status, and says why.
pub fn judge(suites: &mut [(SuiteResult, SuiteSettings)], circumstances: Circumstances) -> Gate {
    let mut reasons = Vec::new();
    for (suite, settings) in suites.iter_mut() {
        note_thresholds(suite, settings);
        let found = judge_suite(suite, settings, circumstances.strict);
        suite.status = status_of(suite, &found);
        reasons.extend(found);
    }
    let anything = suites.iter().flat_map(|(suite, _)| &suite.cases).any(|case| case.status.is_measured());
    if !anything && !reasons.iter().any(|reason| reason.rule == Rule::TooManyErrors) {
        reasons.push(reason(Rule::NothingMeasured, None, "no case was measured".into()));
    }
    if circumstances.interrupted {
        reasons.push(reason(Rule::Interrupted, None, "the run was interrupted; its results are partial".into()));
    }
    reasons.sort_by_key(|reason| (!reason.fails, reason.rule));

    let has = |rule: Rule| reasons.iter().any(|reason| reason.fails && reason.rule == rule);
    let (verdict, exit) = if circumstances.interrupted {
        (Verdict::Interrupted, ExitCode::Interrupted)
    } else if circumstances.shard {
        (Verdict::NotJudged, ExitCode::Passed)
    } else if has(Rule::TooManyErrors) {
        (Verdict::Broken, ExitCode::Broken)
    } else if !anything {
        (Verdict::NothingMeasured, ExitCode::NothingMeasured)
    } else if reasons.iter().any(|reason| reason.fails) {
        (Verdict::Failed, ExitCode::GateFailed)
    } else {
        (Verdict::Passed, ExitCode::Passed)
    };
    Gate { verdict, exit_code: exit.code(), reasons }
}

/// Whether a metric is about time or money, not about quality.
fn is_expense(name: &str) -> bool {
    name.ends_with("-ms") || name.ends_with("-per-answer")
}

fn judge_suite(suite: &SuiteResult, settings: &SuiteSettings, strict: bool) -> Vec<Reason> {
    let about = |rule, message| reason(rule, Some(&suite.id), message);
    let mut reasons = Vec::new();
    let chosen: Vec<_> = suite.cases.iter().filter(|case| case.status != Status::Skipped).collect();
    if chosen.is_empty() {
        if suite.cases.is_empty() {
            reasons.push(about(Rule::NothingMeasured, format!("{}: has no case", suite.id)).informing());
        }
        return reasons;
    }

    let attempts: Vec<_> = chosen.iter().flat_map(|case| &case.attempts).collect();
    let errors = attempts.iter().filter(|attempt| attempt.status == Status::Error).count();
    if errors > 0 {
        let allowed = settings.max_errors.allowed(attempts.len());
        let first = chosen
            .iter()
            .flat_map(|case| &case.checks)
            .find(|check| check.status == Status::Error)
            .and_then(|check| check.details.clone())
            .unwrap_or_default();
        let limit = match settings.max_errors {
            MaxErrors::Count(count) => count.to_string(),
            MaxErrors::Share(share) => format!("{:.1} %", share * 100.0),
        };
        let asked = attempts.len();
        let message =
            format!("{}: {errors} of {asked} answers could not be had (max-errors {limit}): {first}", suite.id);
        reasons.push(if errors > allowed {
            about(Rule::TooManyErrors, message)
        } else {
            about(Rule::Errors, message).informing()
        });
    }

    let measured = chosen.iter().filter(|case| case.status.is_measured()).count();
    if measured == 0 && !reasons.iter().any(|reason| reason.rule == Rule::TooManyErrors) {
        reasons.push(about(
            Rule::NothingMeasured,
            format!("{}: none of its {} cases was measured", suite.id, chosen.len()),
        ));
    }
    let unmeasured = chosen.len() - measured;
    if strict && unmeasured > 0 {
        reasons.push(about(
            Rule::Unmeasured,
            format!(
                "{}: --strict, and {unmeasured} of {} cases {} not measured",
                suite.id,
                chosen.len(),
                if unmeasured == 1 { "was" } else { "were" }
            ),
        ));
    }
    for (name, metric) in &suite.metrics {
        let (Some(min), Some(value)) = (metric.min, metric.value) else { continue };
        let (holds, limit) = match metric.better {
            Better::Higher => (value >= min, "below its floor"),
            Better::Lower => (value <= min, "above its ceiling"),
        };
        if !holds {
            reasons.push(Reason {
                metric: Some(name.clone()),
                value: Some(value),
                threshold: Some(min),
                ..about(Rule::BelowMin, format!("{}: {name} {value:.3} is {limit} {min:.3}", suite.id))
            });
        }
    }
    for case in &chosen {
        if let Some(CaseDetail::Retrieval(detail)) = &case.detail
            && !detail.missing_expected_ids.is_empty()
        {
            let (file, line) = (&case.location.file, case.location.line);
            let ids = detail.missing_expected_ids.join(", ");
            let message =
                format!("{}: {} expects what the index does not hold: {ids} ({file}:{line})", suite.id, case.id);
            let reason = Reason { case: Some(case.id.clone()), ..about(Rule::MissingId, message) };
            reasons.push(if strict { reason } else { reason.informing() });
        }
    }
    let untold = chosen.iter().filter(|case| {
        case.status.is_measured() && matches!(&case.detail, Some(CaseDetail::Retrieval(detail)) if !detail.index_told)
    });
    let untold = untold.count();
    if untold > 0 {
        let message =
            format!("{}: the engine could not tell which ids it holds, for {untold} of {measured} cases", suite.id);
        reasons.push(about(Rule::CannotTell, message).informing());
    }
    if let Some(SuiteDetail::Golden(detail)) = &suite.detail
        && detail.accepted > 0
    {
        let message = format!(
            "{}: {} of {} recorded answers are the same as golden; accepted, but they prove nothing until recorded anew (--mode record --no-cache)",
            suite.id,
            detail.accepted,
            chosen.len()
        );
        reasons.push(about(Rule::Accepted, message).informing());
    }
    // How fast or how dear it is says nothing about how good it is.
    let gated = settings.gate.iter().any(|(name, threshold)| threshold.min.is_some() && !is_expense(name));
    if !gated && suite.kind == Kind::Scenario {
        for case in chosen.iter().filter(|case| case.status == Status::Failed) {
            let wrong =
                case.checks.iter().filter(|check| check.status != Status::Passed).map(|check| check.name.as_str());
            let message = format!("{}: {} failed: {}", suite.id, case.id, wrong.collect::<Vec<_>>().join(", "));
            let value = case.score;
            reasons.push(Reason { case: Some(case.id.clone()), value, ..about(Rule::ScenarioFailed, message) });
        }
    } else if !gated {
        reasons.push(about(Rule::NotGated, format!("{}: not gated (no floor is set for it)", suite.id)).informing());
    }
    reasons
}

/// Floors and targets stand beside the values, so that a report needs no configuration.
fn note_thresholds(suite: &mut SuiteResult, settings: &SuiteSettings) {
    for (name, Threshold { min, target }) in &settings.gate {
        if let Some(metric) = suite.metrics.get_mut(name) {
            metric.min = *min;
            metric.target = *target;
        }
    }
}

/// The gate's view of a suite; one that is not gated is what its cases are.
fn status_of(suite: &SuiteResult, reasons: &[Reason]) -> Status {
    let any = |status: Status| suite.cases.iter().any(|case| case.status == status);
    let has = |rule: Rule| reasons.iter().any(|reason| reason.rule == rule);
    if suite.cases.iter().all(|case| case.status == Status::Skipped) {
        Status::Skipped
    } else if has(Rule::TooManyErrors) {
        Status::Error
    } else if !suite.cases.iter().any(|case| case.status.is_measured()) {
        Status::Unmeasured
    } else if reasons.iter().any(|reason| reason.fails) || (has(Rule::NotGated) && any(Status::Failed)) {
        Status::Failed
    } else {
        Status::Passed
    }
}

fn reason(rule: Rule, suite: Option<&SuiteId>, message: String) -> Reason {
    Reason {
        rule,
        fails: true,
        suite: suite.cloned(),
        case: None,
        metric: None,
        slice: None,
        value: None,
        threshold: None,
        message,
    }
}

impl Reason {
    fn informing(self) -> Self {
        Self { fails: false, ..self }
    }
}
