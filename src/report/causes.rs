//! Why the gate fails, each cause once: the cases that got worse, and under them what they pull down. Terminal, comment,
//! check and page say these sentences.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::model::{CaseChange, CaseId, Nature, Rule, SuiteId, format_score};
use crate::report::case_summary::Changes;
use crate::results::{Reason, Results};
use crate::text::{counted, flag};

/// How many causes are shown open.
pub const OPEN: usize = 10;
/// How many cases of a cause are listed where there are several causes.
const OF_SEVERAL: usize = 3;
/// How many metrics a sentence names.
const METRICS: usize = 3;

/// The causes of one suite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteCauses<'a> {
    /// The suite; nothing for what is about the whole run.
    pub suite: Option<&'a SuiteId>,
    pub causes: Vec<CauseLine<'a>>,
    /// The command that allows all of it.
    pub bless: Option<String>,
}

impl SuiteCauses<'_> {
    /// The command stands below the last cause that fails.
    pub fn bless_after(&self, cause: &CauseLine<'_>) -> Option<&String> {
        let last = self.causes.iter().rfind(|one| one.fails)?;
        self.bless.as_ref().filter(|_| std::ptr::eq(last, cause))
    }
}

/// One cause, in one line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CauseLine<'a> {
    /// Whether it fails the gate; what is blessed does not.
    pub fails: bool,
    /// Why it was blessed, each reason once.
    pub blessed: Vec<&'a str>,
    /// The rule that speaks.
    pub rule: Rule,
    pub sentence: String,
    /// A line for each case, if there are several; at most a few.
    pub cases: Vec<String>,
    /// How many further cases there are.
    pub more: usize,
    /// The case, if it is one.
    pub case: Option<&'a CaseId>,
    /// How many things it is about.
    pub count: usize,
    /// Whether cases have reasons of their own in it.
    pub names_cases: bool,
}

/// What reasons have in common that are one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CauseKind {
    /// The same rule speaks of cases, or of the policy.
    Same(Rule),
    /// Cases that score lower, and have no reason of their own.
    Lower,
    /// A reason that stands by itself, by its place.
    Itself(usize),
}

/// Reasons that are one cause.
#[derive(Debug, Default)]
struct CauseGroup<'a> {
    /// Those that are about a case, or stand by themselves.
    own: Vec<&'a Reason>,
    /// What follows from them.
    effects: Vec<&'a Reason>,
}

type Key<'a> = (bool, Option<&'a SuiteId>, CauseKind);

/// Every cause of a run, those that fail first, grouped by suite.
pub fn causes(results: &Results) -> Vec<SuiteCauses<'_>> {
    let groups = grouped(results);
    let several = groups.len() > 1;
    let changes = Changes::of(results);
    let mut lines: Vec<(Rank, Option<&SuiteId>, CauseLine<'_>)> = groups
        .into_iter()
        .map(|((fails, suite, kind), group)| {
            let line = group.line(suite, kind, several, &changes);
            (Rank::of(fails, &group), suite, line)
        })
        .collect();
    let position = |suite: Option<&SuiteId>| results.suites.iter().position(|one| Some(&one.id) == suite);
    lines.sort_by_key(|(rank, suite, _)| (*rank, position(*suite)));
    let mut suites: Vec<SuiteCauses<'_>> = Vec::new();
    for (_, suite, line) in lines {
        match suites.iter_mut().find(|one| one.suite == suite) {
            Some(known) => known.causes.push(line),
            None => suites.push(SuiteCauses { suite, causes: vec![line], bless: None }),
        }
    }
    for one in &mut suites {
        one.bless = bless_command(results, one);
    }
    suites
}

/// The sentence of the gravest cause that fails.
pub fn first_cause(results: &Results) -> Option<String> {
    let all = causes(results);
    all.into_iter().flat_map(|suite| suite.causes).find(|cause| cause.fails).map(|cause| cause.sentence)
}

/// What decides the verdict comes first, then floors that are missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    passes: bool,
    misses_no_floor: bool,
    rule: Rule,
}

impl Rank {
    fn of(fails: bool, group: &CauseGroup<'_>) -> Self {
        let rules = || group.own.iter().chain(&group.effects).map(|reason| reason.rule);
        let decides = |rule: Rule| {
            matches!(rule, Rule::Interrupted | Rule::TooManyErrors | Rule::NothingMeasured | Rule::NoCommonCase)
        };
        let is_first = rules().any(|rule| decides(rule) || matches!(rule, Rule::BelowMin | Rule::MissingMetric));
        let rule = rules().min().unwrap_or(Rule::NotGated);
        Self { passes: !fails, misses_no_floor: !is_first, rule }
    }
}

fn grouped(results: &Results) -> BTreeMap<Key<'_>, CauseGroup<'_>> {
    let reasons = || results.gate.reasons.iter().enumerate().filter(|(_, one)| one.fails || one.blessed.is_some());
    let mut of_cases: HashMap<(Option<&SuiteId>, &CaseId), &Reason> = HashMap::new();
    for (_, reason) in reasons() {
        if let Some(case) = &reason.case {
            let known = of_cases.entry((reason.suite.as_ref(), case)).or_insert(reason);
            // What fails says more than what is blessed.
            if reason.fails && !known.fails {
                *known = reason;
            }
        }
    }
    let mut groups: BTreeMap<Key<'_>, CauseGroup<'_>> = BTreeMap::new();
    for (at, reason) in reasons() {
        let suite = reason.suite.as_ref();
        if reason.case.is_some() || reason.rule == Rule::WeakenedGate {
            groups.entry((reason.fails, suite, CauseKind::Same(reason.rule))).or_default().own.push(reason);
        } else {
            let kind = kind_of(reason, at, &of_cases, results);
            let group = groups.entry((reason.fails, suite, kind)).or_default();
            let follows = !matches!(kind, CauseKind::Itself(own) if own == at);
            if follows { group.effects.push(reason) } else { group.own.push(reason) }
        }
    }
    groups
}

/// Where a reason belongs that is about no case.
fn kind_of(
    reason: &Reason,
    at: usize,
    of_cases: &HashMap<(Option<&SuiteId>, &CaseId), &Reason>,
    results: &Results,
) -> CauseKind {
    let suite = reason.suite.as_ref();
    // What could not be measured at all explains every metric that is missing.
    if matches!(reason.rule, Rule::Lost | Rule::MissingMetric) {
        let mut reasons = results.gate.reasons.iter();
        let decides = |one: &Reason| {
            matches!(one.rule, Rule::TooManyErrors | Rule::NothingMeasured) && one.fails && one.suite.as_ref() == suite
        };
        if let Some(at) = reasons.position(decides).filter(|_| reason.fails) {
            return CauseKind::Itself(at);
        }
    }
    let cases = &reason.cause.cases;
    let mut own = cases.iter().map(|case| of_cases.get(&(suite, case)).filter(|own| own.fails == reason.fails));
    let first = own.clone().next().flatten();
    match first.filter(|_| own.all(|own| own.is_some())) {
        Some(own) => CauseKind::Same(own.rule),
        // What is blessed by itself while its cases fail is said as it is.
        None if cases.is_empty()
            || (!reason.fails && cases.iter().any(|case| of_cases.contains_key(&(suite, case)))) =>
        {
            CauseKind::Itself(at)
        }
        None => CauseKind::Lower,
    }
}

impl<'a> CauseGroup<'a> {
    fn line(&self, suite: Option<&'a SuiteId>, kind: CauseKind, several: bool, changes: &Changes<'a>) -> CauseLine<'a> {
        let all = || self.own.iter().chain(&self.effects);
        let lower: Vec<&CaseId> = self.lower(kind);
        let count = if kind == CauseKind::Lower {
            self.effects.iter().map(|one| one.cause.count).max().unwrap_or(0)
        } else {
            self.own.len()
        };
        let of_suite = |text: String| suite.map_or(text.clone(), |suite| format!("{suite}: {text}"));
        let lower_line = |case: &CaseId| lower_sentence(case, suite.and_then(|suite| changes.get(suite, case)));
        let mut sentence = match (kind, self.own.as_slice(), lower.as_slice()) {
            (CauseKind::Lower, _, _) if self.is_as_it_was(suite, &lower, changes) => {
                return self.as_it_was();
            }
            (CauseKind::Lower, _, [case]) => of_suite(lower_line(case)),
            (CauseKind::Lower, _, _) => of_suite(format!("{} score lower", counted(count, "case"))),
            (_, [one], _) => one.message.clone(),
            (_, own, _) => of_suite(many(own.iter().map(|one| one.rule).min(), count)),
        };
        if let Some(effects) = effects(&self.effects, count) {
            sentence.push_str(&format!("; {effects}"));
        }
        let shown = if several { OF_SEVERAL } else { OPEN };
        let cases: Vec<String> = match kind {
            _ if count <= 1 => Vec::new(),
            CauseKind::Lower => lower.iter().take(shown).map(|case| lower_line(case)).collect(),
            CauseKind::Same(_) | CauseKind::Itself(_) => {
                self.own.iter().take(shown).map(|one| without_suite(one)).collect()
            }
        };
        CauseLine {
            fails: all().any(|one| one.fails),
            blessed: self.blessed(),
            rule: all().map(|one| one.rule).min().unwrap_or(Rule::NotGated),
            sentence,
            more: if count <= 1 { 0 } else { count - cases.len() },
            cases,
            case: match (self.own.as_slice(), lower.as_slice()) {
                ([one], _) => one.case.as_ref(),
                ([], [case]) => Some(case),
                (_, _) => None,
            },
            count: count.max(1),
            names_cases: self.own.iter().any(|one| one.case.is_some()),
        }
    }

    /// Whether none of the cases got worse since the baseline: they were blessed before, and only a floor needs it still.
    fn is_as_it_was(&self, suite: Option<&'a SuiteId>, cases: &[&'a CaseId], changes: &Changes<'a>) -> bool {
        let worse = |case: &&CaseId| {
            let change = suite.and_then(|suite| changes.get(suite, case));
            change.is_some_and(|one| one.score_was != one.score_now || one.was != one.now)
        };
        self.effects.iter().all(|one| !one.fails && one.rule == Rule::BelowMin) && !cases.iter().any(worse)
    }

    /// The floors that are missed, and nothing about cases.
    fn as_it_was(&self) -> CauseLine<'a> {
        let messages: Vec<&str> = self.effects.iter().map(|one| one.message.as_str()).collect();
        CauseLine {
            fails: false,
            blessed: self.blessed(),
            rule: Rule::BelowMin,
            sentence: messages.join("; "),
            cases: Vec::new(),
            more: 0,
            case: None,
            count: self.effects.len(),
            names_cases: false,
        }
    }

    fn blessed(&self) -> Vec<&'a str> {
        let reasons = if self.own.is_empty() { &self.effects } else { &self.own };
        let mut all: Vec<&str> = reasons.iter().filter_map(|one| one.blessed.as_deref()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The cases that score lower, those that weigh most first.
    fn lower(&self, kind: CauseKind) -> Vec<&'a CaseId> {
        if kind != CauseKind::Lower {
            return Vec::new();
        }
        let most = self.effects.iter().max_by_key(|one| one.cause.count);
        most.map(|one| one.cause.cases.iter().collect()).unwrap_or_default()
    }
}

fn lower_sentence(case: &CaseId, change: Option<&CaseChange>) -> String {
    match change.and_then(|one| one.score_was.zip(one.score_now)).filter(|(was, now)| was != now) {
        Some((was, now)) => format!("{case} scores lower ({} → {})", format_score(was), format_score(now)),
        None => format!("{case} got worse"),
    }
}

/// A message without the suite that stands above it.
fn without_suite(reason: &Reason) -> String {
    let prefix = reason.suite.as_ref().map(|suite| format!("{suite}: ")).unwrap_or_default();
    reason.message.strip_prefix(&prefix).unwrap_or(&reason.message).to_owned()
}

/// What a rule says of several.
fn many(rule: Option<Rule>, count: usize) -> String {
    let cases = counted(count, "case");
    match rule {
        Some(Rule::UnsafeAnswer) => format!("{cases} have an unsafe answer, and had none on main"),
        Some(Rule::CaseRegressed) => format!("{cases} regressed"),
        Some(Rule::ChangedFails) => format!("{cases} were changed; they passed and now fail"),
        Some(Rule::PassesOnlyByNewKey) => format!("{cases} pass only by their new keys; by main's keys they fail"),
        Some(Rule::KeyEdited) => format!("{cases} passed on main, and this change edits their keys"),
        Some(Rule::Flaky) => format!(
            "{cases} are flaky: they passed on main, failed now, and passed when asked once more; if answers vary, set `repeat` and `varies = true`"
        ),
        Some(Rule::ScenarioFailed) => format!("{cases} failed"),
        Some(Rule::Lost) => format!("{cases} were measured and are not now"),
        Some(Rule::CaseRemoved) => format!("{cases} are gone"),
        Some(Rule::QuarantineExpired) => format!("{} have expired", counted(count, "quarantine")),
        Some(Rule::BelowBest) => format!("{cases} fail, and once passed"),
        Some(Rule::WeakenedGate) => format!("the gate is weaker in {count} places"),
        Some(
            Rule::Interrupted
            | Rule::TooManyErrors
            | Rule::NothingMeasured
            | Rule::NoCommonCase
            | Rule::OutdatedRecordings
            | Rule::SourceChanged
            | Rule::BaselineEdited
            | Rule::SuiteRemoved
            | Rule::BelowMin
            | Rule::MetricDropped
            | Rule::SliceDropped
            | Rule::MissingMetric
            | Rule::Unmeasured
            | Rule::Inconclusive
            | Rule::Flipped
            | Rule::KnownFailures
            | Rule::Quarantined
            | Rule::NotAffected
            | Rule::NoBaseline
            | Rule::MissingId
            | Rule::CannotTell
            | Rule::Errors
            | Rule::Accepted
            | Rule::NotChecked
            | Rule::FloorsNotHeld
            | Rule::NotGated,
        )
        | None => format!("{cases} do not hold"),
    }
}

/// What follows from a cause: `pulls accuracy 1.000 → 0.875 and 2 slices below max-drop`.
fn effects(reasons: &[&Reason], causes: usize) -> Option<String> {
    let of = |rules: &[Rule]| reasons.iter().filter(|one| rules.contains(&one.rule)).copied().collect::<Vec<&Reason>>();
    let drops = of(&[Rule::MetricDropped]);
    let slices = of(&[Rule::SliceDropped]);
    let drop = |one: &&Reason| {
        let (metric, nature) = place(one);
        format!(
            "{metric} {} → {}",
            nature.format_or_dash(one.cause.without.or(one.before)),
            nature.format_or_dash(one.value)
        )
    };
    let mut fallen = listed(drops.iter().map(drop).collect(), "metric");
    match slices.as_slice() {
        [] => {}
        [one] if drops.is_empty() => fallen = Some(drop(one)),
        _ => {
            let mut names: Vec<&String> = slices.iter().filter_map(|one| one.slice.as_ref()).collect();
            names.dedup();
            let slices = counted(names.len(), "slice");
            fallen = Some(fallen.map_or(slices.clone(), |fallen| format!("{fallen} and {slices}")));
        }
    }
    let pulls = if causes == 1 { "pulls" } else { "they pull" };
    let mut said: Vec<String> = of(&[Rule::BelowMin]).iter().map(|floor| without_suite(floor)).collect();
    let more = said.len().saturating_sub(METRICS);
    said.truncate(METRICS);
    said.extend((more > 0).then(|| format!("{} missed", counted(more, "more floor"))));
    said.extend(fallen.map(|fallen| format!("{pulls} {fallen} below max-drop")));
    let unmeasured = of(&[Rule::Lost, Rule::MissingMetric]);
    // A metric of a slice may be lost while that of the suite is not.
    let named = |one: &&Reason| {
        let metric = one.metric.as_ref()?;
        Some(one.slice.as_ref().map_or_else(|| metric.clone(), |slice| format!("{metric} in {slice}")))
    };
    let mut metrics: Vec<String> = unmeasured.iter().filter_map(named).collect();
    metrics.sort();
    metrics.dedup();
    said.extend(listed(metrics, "metric").map(|metrics| format!("{metrics} cannot be measured")));
    (!said.is_empty()).then(|| said.join("; "))
}

fn place(reason: &Reason) -> (String, Nature) {
    let metric = reason.metric.as_deref().unwrap_or_default();
    let slice = reason.slice.as_ref().map(|slice| format!("{slice} ")).unwrap_or_default();
    (format!("{slice}{metric}"), Nature::of(metric))
}

/// The first few, and how many more there are.
fn listed(mut texts: Vec<String>, noun: &str) -> Option<String> {
    let more = texts.len().saturating_sub(METRICS);
    texts.truncate(METRICS);
    if texts.is_empty() {
        return None;
    }
    let more = if more > 0 { format!(" and {}", counted(more, &format!("more {noun}"))) } else { String::new() };
    Some(format!("{}{more}", texts.join(", ")))
}

/// How the user named the configuration; every case says it in the command that reproduces it.
fn config_flag(results: &Results) -> String {
    let command = results.suites.iter().flat_map(|suite| &suite.cases).map(|case| case.reproduce.as_str()).next();
    let flags = command.and_then(|command| command.strip_prefix("evalratchet run")).unwrap_or_default();
    let end = [" --mode ", " --suite"].iter().filter_map(|next| flags.find(next)).min().unwrap_or(0);
    flags[..end].to_owned()
}

/// The command that allows all that fails in a suite; nothing where nothing can be allowed.
fn bless_command(results: &Results, of: &SuiteCauses<'_>) -> Option<String> {
    let suite = of.suite?;
    let failing: Vec<&CauseLine<'_>> =
        of.causes.iter().filter(|cause| cause.fails && cause.rule.is_blessable()).collect();
    let only = match failing.as_slice() {
        [] => return None,
        [one] => one.case,
        _ => None,
    };
    let is_part = results.run.filtered || results.run.partial;
    if !results.run.overrides.is_empty() || (is_part && only.is_none()) {
        return None;
    }
    let mut line = String::from("evalratchet baseline bless");
    line.push_str(&config_flag(results));
    line.push_str(&flag("suite", suite.as_str()));
    if failing.iter().all(|cause| cause.rule.is_of_edit()) {
        line.push_str(" --changed");
    } else if let Some(case) = only {
        line.push_str(&flag("case", case.as_str()));
    }
    line.push_str(" --reason \"…\"");
    Some(line)
}

/// What informs and does not fail; of many cases that a rule says the same of, only a few.
pub fn remarks(results: &Results) -> Vec<(Rule, String)> {
    let informing = || results.gate.reasons.iter().filter(|one| !one.fails && one.blessed.is_none());
    let mut counts: BTreeMap<(Option<&SuiteId>, Rule), (usize, usize)> = BTreeMap::new();
    for one in informing().filter(|one| one.case.is_some()) {
        counts.entry((one.suite.as_ref(), one.rule)).or_default().0 += 1;
    }
    let mut lines = Vec::new();
    for one in informing() {
        let count = one.case.as_ref().and_then(|_| counts.get_mut(&(one.suite.as_ref(), one.rule)));
        let Some((all, seen)) = count else {
            lines.push((one.rule, one.message.clone()));
            continue;
        };
        *seen += 1;
        // One that is left over is as short as saying that it is.
        if *seen <= OF_SEVERAL || *all == OF_SEVERAL + 1 {
            lines.push((one.rule, one.message.clone()));
        } else if *seen == OF_SEVERAL + 1 {
            let suite = one.suite.as_ref().map(|suite| format!("{suite}: ")).unwrap_or_default();
            lines.push((one.rule, format!("{suite}and {} like that", counted(*all - OF_SEVERAL, "more case"))));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conclude::conclude;
    use crate::gate::GateContext;
    use crate::gate::spec::{baseline_of, reference, run_info, suite};
    use crate::model::{Policy, Threshold};

    fn judged(main: &str, run: &str, policy: &Policy) -> Results {
        let main = reference(baseline_of(vec![suite(main, policy)]));
        conclude(vec![suite(run, policy)], run_info(), Some(&main), &GateContext::default())
    }

    fn sentences(results: &Results) -> Vec<String> {
        causes(results).into_iter().flat_map(|suite| suite.causes).map(|cause| cause.sentence).collect()
    }

    #[test]
    fn three_hundred_broken_cases_are_one_cause_and_ten_lines() {
        let letters =
            |at: usize| format!("{}{}", char::from(b'a' + (at / 26) as u8), char::from(b'a' + (at % 26) as u8));
        let all = |sign: char| (0..300).map(|at| format!("{}{sign}", letters(at))).collect::<Vec<_>>().join(" ");
        let results = judged(&all('+'), &all('-'), &Policy::default());
        let causes = causes(&results);
        assert_eq!(causes.len(), 1);
        let [cause] = causes[0].causes.as_slice() else { panic!("{causes:?}") };
        assert_eq!(
            cause.sentence,
            "s: 300 cases regressed; they pull accuracy 1.000 → 0.000, mean-score 1.000 → 0.000 below max-drop"
        );
        assert_eq!((cause.cases.len(), cause.more), (10, 290));
        assert_eq!(causes[0].bless.as_deref(), Some("evalratchet baseline bless --suite s --reason \"…\""));
        assert_eq!(results.gate.reasons.iter().filter(|reason| reason.fails).count(), 302, "machines see all of them");
    }

    #[test]
    fn a_missed_floor_comes_first_with_the_case_that_explains_it() {
        let mut policy = Policy::default();
        policy.metrics.insert("accuracy".into(), Threshold { min: Some(0.9), ..Threshold::default() });
        let results = judged("a+ b+ c+", "a- b+", &policy);
        assert_eq!(
            sentences(&results),
            [
                "s: a passed and now fails (1.00 → 0.00); accuracy 0.500 is below its floor 0.900; pulls accuracy 1.000 → 0.500, mean-score 1.000 → 0.500 below max-drop",
                "s: c is gone; it passed in the baseline",
            ]
        );
    }
}
