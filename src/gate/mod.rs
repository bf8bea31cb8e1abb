//! Whether what was measured is good enough, and every reason why not.

mod absolute;
mod causes;
#[cfg(test)]
mod properties;
mod relative;
#[cfg(test)]
pub(crate) mod spec;

pub use relative::weaker;

use crate::aggregate::better_of;
use crate::baseline::{Baseline, Blessing, update};
use crate::model::Rule;
use crate::model::{Better, Comparison, ExitCode, Status, SuiteComparison, SuiteId, SuiteState};
use crate::results::{Cause, Gate, Reason, Results, SuiteResult, Verdict};

/// What the gate takes into account beside the results.
#[derive(Debug, Clone, Default)]
pub struct GateContext {
    /// `--strict`: what was not measured fails.
    pub strict: bool,
    /// `--shard`: only `merge` judges.
    pub shard: bool,
    /// The user stopped the run.
    pub interrupted: bool,
    /// A filter left something out.
    pub filtered: bool,
    /// This is the baseline's own branch: what it once had must still be there.
    pub on_main: bool,
    /// The seed of everything that is drawn at random.
    pub seed: u64,
    /// Today, `YYYY-MM-DD`.
    pub today: String,
    /// What to say about a baseline that is not there; nothing if none was wanted.
    pub no_baseline: Option<String>,
    /// What may be worse all the same.
    pub blessings: Vec<Blessing>,
    /// The baseline's file then and now, if this change may not turn it.
    pub edited: Option<Box<Edited>>,
    /// What is to be said of the baseline itself, such as that this change edits it.
    pub remarks: Vec<Reason>,
}

/// The baseline's file, where the run is based and as this change has it.
#[derive(Debug, Clone)]
pub struct Edited {
    /// In the commit that the run is based on.
    pub at_base: Baseline,
    /// As the change has it; nothing if it deletes it.
    pub own: Option<Baseline>,
}

/// The baseline and what it was found to be compared with.
#[derive(Debug, Clone, Copy)]
pub struct Against<'a> {
    pub baseline: &'a Baseline,
    /// How the run compares with it.
    pub comparison: &'a Comparison,
}

/// Judges the suites, marks each with its status, and says why.
pub fn judge(suites: &mut [SuiteResult], against: Option<Against<'_>>, circumstances: &GateContext) -> Gate {
    let nothing_in_common = against.is_some_and(|against| nothing_in_common(against.comparison));
    let mut reasons = circumstances.remarks.clone();
    for reason in &mut reasons {
        bless_one(reason, Better::Higher, &circumstances.blessings);
    }
    for suite in suites.iter_mut() {
        absolute::note_thresholds(suite);
        let compared = against.and_then(|against| {
            let before = against.baseline.suites.get(&suite.id)?;
            let comparison = against.comparison.suites.iter().find(|one| one.id == suite.id)?;
            Some((before, comparison))
        });
        let is_held = compared.is_some_and(|(_, comparison)| comparison.state != SuiteState::NoCommonCase);
        let mut found = absolute::judge(suite, is_held, circumstances);
        if let Some((before, comparison)) = compared {
            found.extend(relative::judge(suite, before, comparison, circumstances));
        }
        bless(&mut found, suite, &circumstances.blessings);
        let before = compared.map(|(suite, comparison)| causes::Before { suite, comparison });
        causes::explain(&mut found, suite, before, &circumstances.blessings, circumstances.seed);
        suite.status = status_of(suite, &found);
        reasons.extend(found);
    }
    if let Some(against) = against.filter(|_| !circumstances.filtered) {
        let mut found = relative::removed_suites(against.comparison);
        for reason in &mut found {
            bless_one(reason, Better::Higher, &circumstances.blessings);
        }
        reasons.extend(found);
    }
    let anything = suites.iter().any(|suite| !suite.affected)
        || suites.iter().flat_map(|suite| &suite.cases).any(|case| case.status.is_measured());
    if !anything && !reasons.iter().any(|reason| reason.rule == Rule::TooManyErrors) {
        reasons.push(Reason::new(Rule::NothingMeasured, None, "no case was measured"));
    }
    if circumstances.interrupted {
        reasons.push(Reason::new(Rule::Interrupted, None, "the run was interrupted; its results are partial"));
    }
    if let (None, Some(why)) = (against, &circumstances.no_baseline) {
        reasons.push(Reason::new(Rule::NoBaseline, None, why).informing());
    }
    if circumstances.shard {
        // A part is not judged: what it misses, the others may have.
        reasons.iter_mut().for_each(|reason| reason.fails = false);
    }
    reasons.sort_by_key(|reason| (!reason.fails, reason.rule));
    let seen = Seen { anything, nothing_in_common, compared: against.is_some() };
    let (verdict, exit) = verdict(&reasons, circumstances, seen);
    Gate { verdict, exit_code: exit.code(), reasons }
}

/// Adds a reason that is known only once everything else is judged.
pub fn add_reason(gate: &mut Gate, mut reason: Reason, circumstances: &GateContext) {
    bless_one(&mut reason, Better::Higher, &circumstances.blessings);
    reason.fails &= !circumstances.shard;
    if reason.fails && matches!(gate.verdict, Verdict::Passed | Verdict::NoBaseline) {
        gate.verdict = Verdict::Failed;
        gate.exit_code = ExitCode::GateFailed.code();
    }
    gate.reasons.push(reason);
    gate.reasons.sort_by_key(|reason| (!reason.fails, reason.rule));
}

/// What a run has to be judged by.
#[derive(Clone, Copy)]
struct Seen {
    /// Something was measured, or carried over.
    anything: bool,
    /// Every suite that the baseline knows has no case in common with it.
    nothing_in_common: bool,
    compared: bool,
}

fn verdict(reasons: &[Reason], circumstances: &GateContext, seen: Seen) -> (Verdict, ExitCode) {
    let Seen { anything, nothing_in_common, compared } = seen;
    let has = |rule: Rule| reasons.iter().any(|reason| reason.fails && reason.rule == rule);
    if circumstances.interrupted {
        (Verdict::Interrupted, ExitCode::Interrupted)
    } else if circumstances.shard {
        (Verdict::NotJudged, ExitCode::Passed)
    } else if has(Rule::TooManyErrors) {
        (Verdict::Broken, ExitCode::Broken)
    } else if !anything {
        (Verdict::NothingMeasured, ExitCode::NothingMeasured)
    } else if has(Rule::NoCommonCase) && nothing_in_common {
        (Verdict::NoCommonCase, ExitCode::NothingMeasured)
    } else if reasons.iter().any(|reason| reason.fails) {
        (Verdict::Failed, ExitCode::GateFailed)
    } else if !compared && circumstances.no_baseline.is_some() {
        (Verdict::NoBaseline, ExitCode::Passed)
    } else {
        (Verdict::Passed, ExitCode::Passed)
    }
}

/// A change may carry blessings, and what `baseline update` makes of its own results. Anything else in its baseline is
/// something that nobody measured.
pub fn baseline_edited(edited: &Edited, blessings: &[Blessing], results: &Results) -> Option<Reason> {
    let Edited { at_base, own } = edited;
    let Some(own) = own else {
        let message = "this change takes the baseline away, or makes it unreadable";
        return Some(Reason::new(Rule::BaselineEdited, None, message));
    };
    if own.without_commits() == at_base.without_commits() {
        return None;
    }
    // Uncommitted edits are what is being looked at; blessings that the change carries are its own to absorb.
    let mut results = results.clone();
    results.run.dirty = false;
    let measured = update(Some(at_base), blessings, &results).ok().flatten();
    if measured.is_some_and(|measured| measured.baseline.without_commits() == own.without_commits()) {
        return None;
    }
    let message = "this change edits the baseline, and says there what this run does not measure";
    Some(Reason::new(Rule::BaselineEdited, None, message))
}

/// Whether the baseline knows suites that were run, and not one case of them.
fn nothing_in_common(comparison: &Comparison) -> bool {
    let known: Vec<&SuiteComparison> = comparison
        .suites
        .iter()
        .filter(|suite| matches!(suite.state, SuiteState::Compared | SuiteState::NoCommonCase))
        .collect();
    let carried = comparison.suites.iter().any(|suite| suite.state == SuiteState::NotAffected);
    !carried && !known.is_empty() && known.iter().all(|suite| suite.state == SuiteState::NoCommonCase)
}

/// What is blessed informs and does not fail.
fn bless(reasons: &mut [Reason], suite: &SuiteResult, blessings: &[Blessing]) {
    for reason in reasons {
        let better = reason.metric.as_ref().map_or(Better::Higher, |metric| better_of(suite.kind, metric));
        bless_one(reason, better, blessings);
    }
}

fn bless_one(reason: &mut Reason, better: Better, blessings: &[Blessing]) {
    // A policy has its own direction, so that it must be exactly what was blessed.
    let covers = |one: &&Blessing| {
        let of_policy = reason.rule == Rule::WeakenedGate;
        one.covers(reason, better) && (!of_policy || one.covers(reason, Better::Lower))
    };
    if reason.fails
        && reason.rule.is_blessable()
        && let Some(blessing) = blessings.iter().find(covers)
    {
        reason.fails = false;
        reason.blessed = Some(blessing.reason.clone());
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

impl Reason {
    /// A reason that fails, and nothing else said of it yet.
    pub fn new(rule: Rule, suite: Option<&SuiteId>, message: impl Into<String>) -> Self {
        Self {
            rule,
            fails: true,
            suite: suite.cloned(),
            case: None,
            metric: None,
            slice: None,
            value: None,
            threshold: None,
            before: None,
            policy: None,
            key: None,
            blessed: None,
            cause: Cause::default(),
            message: message.into(),
        }
    }

    /// The same, but it only informs.
    #[must_use]
    pub fn informing(self) -> Self {
        Self { fails: false, ..self }
    }

    /// The same, but it fails only if `fails`.
    #[must_use]
    pub fn failing(self, fails: bool) -> Self {
        Self { fails, ..self }
    }
}
