//! What explains a reason. A case that got worse explains the drops, slices and floors that would be fine without it;
//! what is blessed of a case is blessed there as well.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::aggregate::{better_of, joined, value_of};
use crate::baseline::{BaselineSuite, Blessing, CaseLevel};
use crate::compare::{MetricPlace, falls, falls_without};
use crate::model::{CaseId, Nature, Rule, Status, SuiteComparison};
use crate::results::{CaseResult, Cause, Reason, SuiteResult};
use crate::text::counted;

/// What main has of a suite, and how the run compares with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before<'a> {
    pub(super) suite: &'a BaselineSuite,
    pub(super) comparison: &'a SuiteComparison,
}

/// Says of each reason which cases explain it, and passes over what only blessed cases explain.
pub(super) fn explain(
    reasons: &mut [Reason],
    suite: &SuiteResult,
    before: Option<Before<'_>>,
    blessings: &[Blessing],
    seed: u64,
) {
    for reason in reasons.iter_mut() {
        reason.cause = Cause::of(reason.case.iter().cloned().collect());
    }
    let listed: BTreeSet<CaseId> =
        reasons.iter().filter(|reason| reason.fails).filter_map(|reason| reason.case.clone()).collect();
    let gone: Vec<CaseId> = reasons
        .iter()
        .filter(|reason| matches!(reason.rule, Rule::Lost | Rule::CaseRemoved))
        .filter_map(|reason| reason.case.clone())
        .collect();
    let explanation = Explanation { suite, before, listed, blessed: blessed_cases(suite, before, blessings), seed };
    for reason in reasons.iter_mut().filter(|reason| reason.case.is_none()) {
        let is = |rules: &[Rule]| rules.contains(&reason.rule);
        if is(&[Rule::MetricDropped, Rule::SliceDropped]) {
            explanation.drop(reason);
        } else if is(&[Rule::BelowMin]) {
            explanation.floor(reason);
        } else if is(&[Rule::Lost, Rule::MissingMetric]) {
            // What was measured for these cases alone is gone with them.
            reason.cause = Cause::of(gone.clone());
        }
    }
}

/// A case that may be worse, and why.
struct BlessedCase<'a> {
    was: CaseLevel,
    taken_in: bool,
    reason: &'a str,
}

struct Explanation<'a> {
    suite: &'a SuiteResult,
    before: Option<Before<'a>>,
    /// The cases that the gate names.
    listed: BTreeSet<CaseId>,
    blessed: BTreeMap<CaseId, BlessedCase<'a>>,
    seed: u64,
}

impl Explanation<'_> {
    fn drop(&self, reason: &mut Reason) {
        let (Some(before), Some(metric)) = (self.before, reason.metric.clone()) else { return };
        if Nature::of(&metric).is_expense() {
            return;
        }
        let slice = reason.slice.clone();
        let place = MetricPlace { slice: slice.as_deref(), metric: &metric, pooled: before.comparison.pooled };
        let still_falls =
            |restored: &BTreeSet<CaseId>| falls_without(self.suite, before.suite, place, restored, self.seed);
        let falling: Vec<CaseId> = falls(self.suite, before.suite, place).into_iter().map(|(id, _)| id).collect();
        let blessed: BTreeSet<CaseId> =
            self.blessed.iter().filter(|(_, one)| !one.taken_in).map(|(id, _)| id.clone()).collect();
        let among =
            |cases: &BTreeSet<CaseId>| falling.iter().filter(|id| cases.contains(*id)).cloned().collect::<Vec<_>>();
        let listed = among(&self.listed);
        if reason.fails && !blessed.is_empty() && !still_falls(&blessed) {
            reason.cause = Cause::of(among(&blessed));
            self.bless(reason, &blessed);
        } else if !listed.is_empty() && !still_falls(&self.listed.union(&blessed).cloned().collect()) {
            reason.cause = Cause { without: self.without(place, &listed, &among(&blessed)), ..Cause::of(listed) };
        } else if !before.comparison.varies && !still_falls(&falling.iter().cloned().collect()) {
            let rest: Vec<CaseId> = falling.iter().filter(|id| !blessed.contains(*id)).cloned().collect();
            reason.cause = Cause { without: self.without(place, &rest, &among(&blessed)), ..Cause::of(rest) };
        }
    }

    /// The metric with some cases as they were; nothing if no blessed case has a share in the drop.
    fn without(&self, place: MetricPlace<'_>, cases: &[CaseId], blessed: &[CaseId]) -> Option<f64> {
        if blessed.iter().all(|id| cases.contains(id)) {
            return None;
        }
        self.value(place, &self.levels(&mut cases.iter()), &self.new_cases(place))
    }

    fn floor(&self, reason: &mut Reason) {
        let (Some(metric), Some(min)) = (reason.metric.clone(), reason.threshold) else { return };
        if Nature::of(&metric).is_expense() {
            return;
        }
        let slice = reason.slice.clone();
        let pooled = self.before.map_or(0, |before| before.comparison.pooled);
        let place = MetricPlace { slice: slice.as_deref(), metric: &metric, pooled };
        let better = better_of(self.suite.kind, &metric);
        let is_met = |value: Option<f64>| value.is_some_and(|value| better.meets(value, min));
        let nothing = BTreeMap::new();
        let new = self.new_cases(place);
        let without_new = self.value(place, &nothing, &new);
        // What only new cases miss is no old case's fault, whatever it was.
        if !new.is_empty() && is_met(without_new) {
            note_new_cases(reason, place, &new, without_new, "it would hold");
            return;
        }
        let blessed: BTreeMap<CaseId, CaseLevel> =
            self.blessed.iter().map(|(id, one)| (id.clone(), one.was.clone())).collect();
        let falling: Vec<CaseId> = match self.before {
            Some(before) => falls(self.suite, before.suite, place).into_iter().map(|(id, _)| id).collect(),
            None => Vec::new(),
        };
        let listed: BTreeMap<CaseId, CaseLevel> = self.levels(&mut self.listed.iter());
        let with_blessed = |cases: BTreeMap<CaseId, CaseLevel>| cases.into_iter().chain(blessed.clone()).collect();
        let none = BTreeSet::new();
        if reason.fails && !blessed.is_empty() && is_met(self.value(place, &blessed, &none)) {
            reason.cause = Cause::of(blessed.keys().cloned().collect());
            self.bless(reason, &blessed.keys().cloned().collect());
        } else if !listed.is_empty() && is_met(self.value(place, &with_blessed(listed.clone()), &none)) {
            let weighing = falling.iter().filter(|id| self.listed.contains(*id));
            let gone = self.listed.iter().filter(|id| !falling.contains(id) && listed.contains_key(*id));
            reason.cause = Cause::of(weighing.chain(gone).cloned().collect());
        } else if is_met(self.value(place, &with_blessed(self.levels(&mut falling.iter())), &none)) {
            reason.cause = Cause::of(falling);
        }
        if !new.is_empty() {
            note_new_cases(reason, place, &new, without_new, "it would not hold either");
        }
    }

    /// What cases are in the baseline.
    fn levels(&self, cases: &mut dyn Iterator<Item = &CaseId>) -> BTreeMap<CaseId, CaseLevel> {
        let Some(before) = self.before else { return BTreeMap::new() };
        cases.filter_map(|id| Some((id.clone(), CaseLevel::before(before.suite.cases.get(id)?)))).collect()
    }

    /// The measured cases that the baseline does not know.
    fn new_cases(&self, place: MetricPlace<'_>) -> BTreeSet<CaseId> {
        let Some(before) = self.before else { return BTreeSet::new() };
        let renamed: BTreeSet<&CaseId> =
            before.comparison.cases.iter().filter(|one| one.renamed_from.is_some()).map(|one| &one.id).collect();
        let here = self.suite.cases.iter().filter(|case| case.status.is_measured() && is_in(case, place.slice));
        here.filter(|case| !before.suite.cases.contains_key(&case.id) && !renamed.contains(&case.id))
            .map(|case| case.id.clone())
            .collect()
    }

    /// A metric over all cases, some of them as they were and some left out.
    fn value(
        &self,
        place: MetricPlace<'_>,
        restored: &BTreeMap<CaseId, CaseLevel>,
        left_out: &BTreeSet<CaseId>,
    ) -> Option<f64> {
        let of = |level: &CaseLevel| {
            value_of(self.suite.kind, place.metric, level.status, Some(level.score), &level.metrics)
        };
        let here = self.suite.cases.iter().filter(|case| is_in(case, place.slice) && !left_out.contains(&case.id));
        let mut values: Vec<f64> = here
            .filter_map(|case| match restored.get(&case.id) {
                Some(level) => of(level),
                None => value_of(self.suite.kind, place.metric, case.status, case.score, &case.metrics)
                    .filter(|_| case.status.is_measured()),
            })
            .collect();
        // In which slices a case was that is gone, nobody knows.
        if place.slice.is_none() {
            let declared: BTreeSet<&CaseId> = self.suite.cases.iter().map(|case| &case.id).collect();
            values.extend(restored.iter().filter(|(id, _)| !declared.contains(id)).filter_map(|(_, level)| of(level)));
        }
        joined(self.suite.kind, place.metric, &values)
    }

    fn bless(&self, reason: &mut Reason, cases: &BTreeSet<CaseId>) {
        let mut why: Vec<&str> =
            self.blessed.iter().filter(|(id, _)| cases.contains(*id)).map(|(_, one)| one.reason).collect();
        why.sort_unstable();
        why.dedup();
        reason.fails = false;
        reason.blessed = Some(why.join("; "));
    }
}

/// New cases pull a metric down without anything having got worse.
fn note_new_cases(
    reason: &mut Reason,
    place: MetricPlace<'_>,
    new: &BTreeSet<CaseId>,
    value: Option<f64>,
    would: &str,
) {
    let shown = Nature::of(place.metric).format_or_dash(value);
    reason.message.push_str(&format!("; without the {} {would} ({shown})", counted(new.len(), "new case")));
}

/// Whether a rule is about how good a case is.
const fn of_level(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::CaseRegressed
            | Rule::ChangedFails
            | Rule::PassesOnlyByNewKey
            | Rule::Flaky
            | Rule::Lost
            | Rule::CaseRemoved
    )
}

fn is_in(case: &CaseResult, slice: Option<&str>) -> bool {
    slice.is_none_or(|slice| case.slices.iter().any(|one| one.as_str() == slice))
}

/// The cases that may be worse than they were, as far as they are no worse than was blessed.
fn blessed_cases<'a>(
    suite: &SuiteResult,
    before: Option<Before<'_>>,
    blessings: &'a [Blessing],
) -> BTreeMap<CaseId, BlessedCase<'a>> {
    let cases: HashMap<&CaseId, &CaseResult> = suite.cases.iter().map(|case| (&case.id, case)).collect();
    let better = |metric: &str| better_of(suite.kind, metric);
    let mut blessed = BTreeMap::new();
    for Blessing { allowed, reason, .. } in blessings.iter().filter(|one| one.allowed.suite == suite.id) {
        let Some(id) = allowed.case.as_ref().filter(|_| of_level(allowed.rule)) else { continue };
        let on_main = before.and_then(|before| before.suite.cases.get(id)).map(CaseLevel::before);
        // What release 0.1 blessed covers the case alone.
        let Some(was) = allowed.was.clone() else { continue };
        let now = cases.get(id).filter(|case| case.status != Status::Skipped).and_then(|case| CaseLevel::now(case));
        let covers = match (&now, &allowed.now) {
            (Some(now), Some(least)) => now.is_no_worse_than(least, better),
            (None, None) => matches!(allowed.rule, Rule::Lost | Rule::CaseRemoved),
            (Some(_), None) | (None, Some(_)) => false,
        };
        // What main has made better since must not be lost unseen.
        let on_main_now = on_main.clone();
        let from_there = on_main.is_none_or(|on_main| allowed.taken_in || was.is_no_worse_than(&on_main, better));
        // Until main has it, what main has is what it is measured by.
        let was = on_main_now.filter(|_| !allowed.taken_in).unwrap_or(was);
        if covers && from_there {
            blessed.insert(id.clone(), BlessedCase { was, taken_in: allowed.taken_in, reason });
        }
    }
    blessed
}
