//! What holds against a baseline: nothing may get worse than it may.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::GateContext;
use crate::aggregate::better_of;
use crate::baseline::{BaselineCase, BaselineSuite, CaseLevel};
use crate::model::Rule;
use crate::model::{
    AnswersFrom, AttemptsChange, CaseChange, CaseId, Change, Comparison, Delta, FlatPolicy, Flips, MetricChange,
    MetricSource, MetricSpec, NO_VALUE, Nature, Outcome, Status, SuiteComparison, SuiteId, SuiteState,
    format_allowed_errors, format_limit, format_limit_of, format_p, format_score, weakenings,
};
use crate::results::{CaseResult, Reason, SuiteResult};
use crate::stats::mean;
use crate::text::counted;

pub(super) fn judge(
    suite: &SuiteResult,
    before: &BaselineSuite,
    comparison: &SuiteComparison,
    circumstances: &GateContext,
) -> Vec<Reason> {
    let mut reasons = weakened(suite, before);
    reasons.extend(source_changed(suite, before));
    match comparison.state {
        SuiteState::NotAffected => return reasons,
        SuiteState::NoCommonCase => {
            let message = format!("{}: {}", suite.id, comparison.no_common_case());
            reasons.push(Reason::new(Rule::NoCommonCase, Some(&suite.id), message));
        }
        SuiteState::Compared | SuiteState::Added | SuiteState::Removed => {}
    }
    let cases: HashMap<&CaseId, &CaseResult> = suite.cases.iter().map(|case| (&case.id, case)).collect();
    for change in &comparison.cases {
        reasons.extend(of_case(suite, comparison, change, cases.get(&change.id).copied()));
    }
    reasons.extend(unsafe_answers(suite, before, comparison));
    for (name, change) in &comparison.metrics {
        reasons.extend(of_metric(suite, None, name, change));
    }
    for (slice, metrics) in &comparison.slices {
        for (name, change) in metrics {
            reasons.extend(of_metric(suite, Some(slice), name, change));
        }
    }
    reasons.extend(known_failures(suite, comparison));
    if circumstances.on_main && !comparison.varies {
        reasons.extend(below_best(suite, before, comparison));
    }
    reasons
}

/// Answers that come about in another way than on main. Recorded answers say nothing about what a change does to a target.
fn source_changed(suite: &SuiteResult, before: &BaselineSuite) -> Option<Reason> {
    let now = suite.source.as_ref()?;
    let then = before.source.as_ref();
    let asked_before = match then {
        Some(then) => then.answers == AnswersFrom::Target,
        None => !before.replayed && now.answers == AnswersFrom::Recordings,
    };
    let message = if asked_before && now.answers != AnswersFrom::Target {
        format!("{}: main asks the target, and this change {}", suite.id, now.answers.words())
    } else if then.is_some_and(|then| then.answers != now.answers) {
        format!("{}: this change {}; main does not", suite.id, now.answers.words())
    } else if before.model.is_some() && suite.model.is_some() && before.model != suite.model {
        let name = |model: &Option<String>| model.clone().unwrap_or_default();
        format!("{}: the model is {}, and {} on main", suite.id, name(&suite.model), name(&before.model))
    } else if then.is_some_and(|then| then.target != now.target) {
        format!("{}: answers are those of another target than on main", suite.id)
    } else {
        return None;
    };
    let fails = asked_before && now.answers != AnswersFrom::Target;
    Some(Reason::new(Rule::SourceChanged, Some(&suite.id), message).failing(fails))
}

/// Answers that are more dangerous than their case allows where the baseline's was not, whether or not the case failed
/// before.
fn unsafe_answers(suite: &SuiteResult, before: &BaselineSuite, comparison: &SuiteComparison) -> Vec<Reason> {
    const METRIC: &str = "unsafe-rate";
    let is_unsafe = |metrics: &BTreeMap<String, f64>| metrics.get(METRIC).map(|value| *value > 0.0);
    // A change must not raise the limit for its own answers.
    let by_main = |case: &CaseResult| {
        let by_main = case.key_edit.as_ref().and_then(|edit| edit.by_main.as_ref());
        by_main.and_then(|one| is_unsafe(&one.metrics)) == Some(true)
    };
    let measured = suite.cases.iter().filter(|case| case.status.is_measured());
    measured
        .filter(|case| is_unsafe(&case.metrics) == Some(true) || by_main(case))
        .filter_map(|case| {
            let old = before.cases.get(&case.id)?;
            let was = is_unsafe(&old.metrics);
            if was == Some(true) {
                return None;
            }
            let detail = case.detail.as_ref();
            let why = detail
                .and_then(|detail| detail.report().unsafe_because())
                .map(|why| format!(": {why}"))
                .unwrap_or_default();
            let message = format!("{}: {} has an unsafe answer{why}", suite.id, case.id);
            let quarantined = comparison.cases.iter().any(|change| change.id == case.id && change.quarantined);
            let reason = Reason {
                case: Some(case.id.clone()),
                value: case.metrics.get(METRIC).copied(),
                before: old.metrics.get(METRIC).copied(),
                ..Reason::new(Rule::UnsafeAnswer, Some(&suite.id), message)
            };
            // A baseline of an older release does not say how dangerous its answers were.
            Some(reason.failing(was == Some(false) && !quarantined))
        })
        .collect()
}

/// Suites that only the baseline knows.
pub(super) fn removed_suites(comparison: &Comparison) -> Vec<Reason> {
    let removed = comparison.suites.iter().filter(|suite| suite.state == SuiteState::Removed);
    removed
        .map(|suite| {
            let message = format!("{}: the suite is gone, and with it what it gated", suite.id);
            Reason::new(Rule::SuiteRemoved, Some(&suite.id), message)
        })
        .collect()
}

fn weakened(suite: &SuiteResult, before: &BaselineSuite) -> Vec<Reason> {
    let now = suite.policy.flat(suite.varies, |metric| better_of(suite.kind, metric));
    let asked = suite.cases.iter().map(|case| case.attempts.len()).sum::<usize>();
    // A filter asks for fewer, and a suite that is not affected for none.
    weaker(&suite.id, &before.policy, &now, Some(asked.max(before.answers())))
}

/// A reason for each thing that a policy is less strict about.
pub fn weaker(suite: &SuiteId, before: &FlatPolicy, now: &FlatPolicy, answers: Option<usize>) -> Vec<Reason> {
    weakenings(before, now, answers)
        .into_iter()
        .map(|weakening| {
            let limit =
                |policy: &FlatPolicy| format_limit_of(policy, &weakening.key).unwrap_or_else(|| "nothing".to_owned());
            let message = match weakening.key.split_once(' ') {
                Some(("quarantine", case)) => format!("{suite}: the quarantine of {case} is new or longer"),
                Some(("allow-removed", "*")) => format!("{suite}: every case may be removed now"),
                Some(("allow-removed", case)) => format!("{suite}: {case} may be removed now"),
                None if weakening.key == "exact" => {
                    format!("{suite}: answers are said to vary now, so that a flip does not fail any more")
                }
                _ => format!(
                    "{suite}: the gate is weaker: {} was {} and is {}{}",
                    weakening.key,
                    limit(before),
                    limit(now),
                    format_allowed_errors(now, &weakening.key, answers)
                ),
            };
            Reason {
                policy: Some(weakening.key),
                value: weakening.after,
                before: weakening.before,
                ..Reason::new(Rule::WeakenedGate, Some(suite), message)
            }
        })
        .collect()
}

fn of_case(
    suite: &SuiteResult,
    comparison: &SuiteComparison,
    change: &CaseChange,
    case: Option<&CaseResult>,
) -> Option<Reason> {
    let about = |rule: Rule, message: String| Reason {
        case: Some(change.id.clone()),
        value: change.score_now,
        before: change.score_was,
        ..Reason::new(rule, Some(&suite.id), format!("{}: {message}", suite.id))
    };
    let now_fails = change.was == Some(Status::Passed) && change.now == Some(Status::Failed);
    let scores = || {
        let number = |score: Option<f64>| score.map_or(NO_VALUE.to_owned(), format_score);
        format!("{} → {}", number(change.score_was), number(change.score_now))
    };
    let id = &change.id;
    if let Some(reason) = case.and_then(|case| edited_key(change, case)) {
        let (rule, message) = reason;
        // What also holds on main is not about this key alone.
        let key = case.and_then(|case| case.key.clone()).filter(|_| rule != Rule::ChangedFails);
        let value = case.and_then(CaseLevel::now).map(|now| now.score);
        return Some(Reason { key, value, ..about(rule, message) }.failing(!change.quarantined));
    }
    if let Some(attempts) = change.attempts.filter(|_| !change.quarantined) {
        let message = format!("{id}: {}{}", attempts_in_words(&attempts), case.map(why).unwrap_or_default());
        let fails = !attempts.repeats && suite.policy.flips == Flips::Fail;
        let rule = if fails { Rule::CaseRegressed } else { Rule::Flipped };
        return Some(about(rule, message).failing(fails));
    }
    let is_changed = change.question_changed || change.key_changed;
    match change.change {
        Change::Regressed if now_fails && is_changed => {
            let what = if change.question_changed { "its question changed" } else { "its key changed" };
            let message = format!("{id} passed and now fails; {what}{}", case.map(why).unwrap_or_default());
            let fails = !comparison.varies && !change.quarantined && suite.policy.flips == Flips::Fail;
            Some(about(Rule::ChangedFails, message).failing(fails))
        }
        Change::Regressed if now_fails => {
            let why = case.map(why).unwrap_or_default();
            if change.quarantined {
                return Some(about(Rule::Flipped, format!("{id} passed and now fails, in quarantine")).informing());
            }
            if comparison.varies || suite.policy.flips == Flips::Report {
                let message = format!("{id} passed and now fails ({}){why}", scores());
                return Some(about(Rule::Flipped, message).informing());
            }
            if case.is_some_and(|case| case.passed_again) {
                let message = format!(
                    "{id} is flaky: it passed on main, failed now, and passed when asked once more{why}; if answers vary, set `repeat` and `varies = true`"
                );
                return Some(about(Rule::Flaky, message));
            }
            Some(about(Rule::CaseRegressed, format!("{id} passed and now fails ({}){why}", scores())))
        }
        Change::Lost => {
            let word = change.now.map_or("gone", Status::word);
            let message = format!("{id} was measured and is now {word}{}", case.map(why).unwrap_or_default());
            // An error within what is allowed is reported as an error.
            let fails = change.now != Some(Status::Error) && !change.quarantined;
            Some(about(Rule::Lost, message).failing(fails))
        }
        Change::Removed => {
            let message = format!("{id} is gone; it {} in the baseline", change.was.map_or("was", Status::word));
            let allowed = suite.policy.allows_removal(id);
            Some(Reason { value: None, ..about(Rule::CaseRemoved, message) }.failing(!allowed))
        }
        Change::Regressed | Change::Changed | Change::Improved | Change::Added | Change::Unchanged => None,
    }
}

/// What an edit of a case's key makes of it, if the case passed on main.
fn edited_key(change: &CaseChange, case: &CaseResult) -> Option<(Rule, String)> {
    let edit = case.key_edit.as_ref().filter(|_| change.was == Some(Status::Passed))?;
    let id = &change.id;
    match (edit.by_main.as_ref().map(|by_main| by_main.status), case.status) {
        (Some(Status::Failed), Status::Passed) => {
            let message = format!("{id} passes only by its new key; by main's key it fails");
            Some((Rule::PassesOnlyByNewKey, message))
        }
        (None, Status::Passed) => {
            let why = edit.why_not.as_deref().unwrap_or("judging it needs more than its answer");
            Some((
                Rule::KeyEdited,
                format!("{id} passed on main, and this change edits its key; main's was not tried, since {why}"),
            ))
        }
        (Some(Status::Passed), Status::Failed) => {
            Some((Rule::ChangedFails, format!("{id} fails by its new key; by main's key it passes{}", why(case))))
        }
        _ => None,
    }
}

fn attempts_in_words(change: &AttemptsChange) -> String {
    let AttemptsChange { attempts_was, passes_was, runs, attempts_now, passes_now, p, repeats } = change;
    let runs = if *runs > 1 { format!(" in {runs} runs of main") } else { String::new() };
    let doubt = if *repeats {
        "; it does not fail, since main's runs differ more than independent attempts do: the target repeats itself within a run"
    } else {
        ""
    };
    let p = format_p(*p);
    format!("{passes_was} of {attempts_was} attempts passed{runs}, now {passes_now} of {attempts_now} ({p}){doubt}")
}

/// What a case's first check that does not hold says.
fn why(case: &CaseResult) -> String {
    let wrong = case.checks.iter().find(|check| check.status != Status::Passed);
    let details = wrong.and_then(|check| check.details.as_ref());
    let first = details.and_then(|details| details.lines().next()).filter(|line| !line.trim().is_empty());
    first.map(|line| format!(": {line}")).unwrap_or_default()
}

fn of_metric(suite: &SuiteResult, slice: Option<&String>, name: &str, change: &MetricChange) -> Option<Reason> {
    let named = suite.policy.metrics.get(name).is_some_and(|threshold| threshold.max_drop.is_some());
    let nature = Nature::of(name);
    if nature.is_expense() && !named {
        return None;
    }
    let place = slice.map_or(String::new(), |slice| format!("{slice} "));
    let (before, now) = change.delta.values();
    let rule = match (change.outcome, slice) {
        (Outcome::Regressed, None) => Rule::MetricDropped,
        (Outcome::Regressed, Some(_)) => Rule::SliceDropped,
        (Outcome::Inconclusive, None) => Rule::Inconclusive,
        // With many slices some always seem to have fallen.
        (Outcome::Inconclusive, Some(_)) => return None,
        (Outcome::Improved | Outcome::Unchanged | Outcome::Slipped | Outcome::NotCompared, _) => {
            let Delta::Disappeared { before } = change.delta else { return None };
            // What only some cases have goes with their labels, and a floor on it still holds.
            let is_of_some = |spec: &MetricSpec| spec.name == name && spec.source == MetricSource::SomeCaseValues;
            if nature.is_expense() || change.all_now.is_some() || suite.kind.metrics().iter().any(is_of_some) {
                return None;
            }
            let message =
                format!("{}: {place}{name} was {} and is not measured any more", suite.id, nature.format(before));
            return Some(Reason {
                metric: Some(name.to_owned()),
                slice: slice.cloned(),
                before: Some(before),
                ..Reason::new(Rule::Lost, Some(&suite.id), message)
            });
        }
    };
    let fell = match change.better {
        crate::model::Better::Higher => "fell",
        crate::model::Better::Lower => "rose",
    };
    let (from, to) = match (before, now) {
        (Some(before), Some(now)) => nature.format_apart(before, now),
        (before, now) => (nature.format_or_dash(before), nature.format_or_dash(now)),
    };
    let mut message = format!(
        "{}: {place}{name} {fell} from {from} to {to}{}",
        suite.id,
        change.scope().map(|scope| format!(" {scope}")).unwrap_or_default()
    );
    match (rule, change.p) {
        (Rule::Inconclusive, p) => {
            let p = p.map(|p| format!(" ({})", format_p(p))).unwrap_or_default();
            message.push_str(&format!(", which may be chance{p}"));
            if let Some(repeats) = change.repeats_needed {
                message.push_str(&format!("; about {repeats} repeats of each case would decide"));
            } else if let Some(cases) = change.cases_needed {
                message.push_str(&format!("; no repeats would decide, but about {cases} cases"));
            }
        }
        (_, Some(p)) => message.push_str(&format!(", which is significant ({})", format_p(p))),
        (_, None) => message.push_str(&format!(
            ", more than {} (max-drop)",
            format_limit(&format!("max-drop {name}"), change.max_drop)
        )),
    }
    Some(
        Reason {
            metric: Some(name.to_owned()),
            slice: slice.cloned(),
            value: now,
            before,
            threshold: Some(change.max_drop),
            ..Reason::new(rule, Some(&suite.id), message)
        }
        .failing(rule != Rule::Inconclusive),
    )
}

/// What was already so is nobody's fault today.
fn known_failures(suite: &SuiteResult, comparison: &SuiteComparison) -> Option<Reason> {
    let passing: HashSet<&CaseId> =
        suite.cases.iter().filter(|case| case.status == Status::Passed).map(|case| &case.id).collect();
    let known: Vec<&CaseChange> = comparison
        .cases
        .iter()
        .filter(|one| one.was == Some(Status::Failed) && one.now == Some(Status::Failed))
        // One that a corrected key lets pass does not fail.
        .filter(|one| !passing.contains(&one.id))
        .collect();
    if known.is_empty() {
        return None;
    }
    let listed: Vec<String> = known
        .iter()
        .take(5)
        .map(|one| match &one.since {
            Some(since) => format!("{} since {}", one.id, since.short()),
            None => one.id.to_string(),
        })
        .collect();
    let more = known.len().saturating_sub(listed.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    // One that scores less or more than it did does not fail as it did.
    let how = match (known.len(), known.iter().all(|one| one.change == Change::Unchanged)) {
        (1, true) => "fails as",
        (_, true) => "fail as",
        (1, false) => "already fails",
        (_, false) => "already fail",
    };
    let message =
        format!("{}: {} {how} in the baseline: {}{more}", suite.id, counted(known.len(), "case"), listed.join(", "));
    Some(Reason::new(Rule::KnownFailures, Some(&suite.id), message).informing())
}

/// On the baseline's own branch, what it once had is still owed.
fn below_best(suite: &SuiteResult, before: &BaselineSuite, comparison: &SuiteComparison) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let mut scores: Vec<[f64; 3]> = Vec::new();
    let renamed: HashMap<&CaseId, &CaseId> =
        comparison.cases.iter().filter_map(|one| Some((&one.id, one.renamed_from.as_ref()?))).collect();
    let pairs = suite.cases.iter().filter(|case| case.status.is_measured()).filter_map(|case| {
        let old =
            before.cases.get(renamed.get(&case.id).copied().unwrap_or(&case.id)).filter(|old| old.has_key_of(case))?;
        Some((case, old))
    });
    for (case, old) in pairs.filter(|(case, _)| !suite.policy.quarantine.contains_key(&case.id)) {
        let Some(best) = &old.best else { continue };
        scores.push([best.score, old.score, case.score.unwrap_or(0.0)]);
        // What only now began to fail is reported as a regression.
        let owed = best.status == Status::Passed && old.status == Status::Failed && case.status == Status::Failed;
        if owed && suite.policy.flips == Flips::Fail {
            reasons.push(still_failing(suite, case, old, best.score));
        }
    }
    let mean_of = |which: usize| mean(&scores.iter().map(|all| all[which]).collect::<Vec<f64>>());
    let owed = |best: f64, value: f64| best - value > suite.policy.max_drop + 1e-9;
    if let (Some(best), Some(latest), Some(now)) = (mean_of(0), mean_of(1), mean_of(2))
        && owed(best, latest)
        && owed(best, now)
        && reasons.is_empty()
    {
        let message = format!(
            "{}: the mean score {} is below the best this branch had, {}",
            suite.id,
            Nature::Quality.format(now),
            Nature::Quality.format(best)
        );
        reasons.push(Reason {
            value: Some(now),
            before: Some(best),
            threshold: Some(suite.policy.max_drop),
            ..Reason::new(Rule::BelowBest, Some(&suite.id), message)
        });
    }
    reasons
}

fn still_failing(suite: &SuiteResult, case: &CaseResult, old: &BaselineCase, best: f64) -> Reason {
    let since = old.since.as_ref().map(|since| format!(" since {}", since.short()));
    let message = format!("{}: {} fails{}, and once passed", suite.id, case.id, since.unwrap_or_default());
    Reason {
        case: Some(case.id.clone()),
        value: case.score,
        before: Some(best),
        ..Reason::new(Rule::BelowBest, Some(&suite.id), message)
    }
}
