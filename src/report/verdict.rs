//! The verdict line as a value: the word, and everything that qualifies it. Terminal, comment, check and page draw the same
//! parts, so that none of them is plain green when something was not measured, not gated, not compared or left out.

use super::causes::{CauseLine, causes, first_cause};
use super::change_counts;
use crate::model::{Comparison, Rule, Shard, Status};
use crate::results::{Results, SuiteResult, Verdict};
use crate::text::{counted, truncate_middle};

/// How many names or reasons of others the line lists; the rest is counted.
const LISTED: usize = 5;
/// How much of the reason of a blessing it shows, in bytes.
const BLESSING: usize = 120;
/// How much of the name of a baseline it shows, in bytes.
const SOURCE: usize = 120;

/// The verdict, what it covers and what it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictSummary<'a> {
    pub verdict: Verdict,
    /// What it covers, most important first.
    pub parts: Vec<VerdictPart<'a>>,
    /// The gravest cause that fails.
    pub because: Option<String>,
}

/// Something that the verdict covers, or does not.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictPart<'a> {
    /// How many measured cases pass.
    Passing { passed: usize, measured: usize },
    /// Suites were run, and no case of them was measured.
    NoneMeasured,
    /// How many cases have no answer.
    Errors(usize),
    /// How many cases were not measured.
    Unmeasured(usize),
    /// How many cases a filter left out.
    Skipped(usize),
    /// Suites that no floor and no baseline holds to anything.
    NotGated(Vec<Ungated<'a>>),
    /// Suites that a rule speaks of.
    Suites(SuitesOf, Vec<&'a str>),
    /// How cases changed since the baseline.
    Changes(&'a Comparison),
    /// There was nothing to compare with.
    NotCompared,
    /// The user named another baseline than that of the branch.
    OtherBaseline {
        /// Where it was found.
        source: &'a str,
        /// The branch whose baseline would have been used.
        instead_of: &'a str,
    },
    /// Suites that nothing concerns which changed.
    NotAffected { suites: usize, of: usize },
    /// Reasons that do not fail, since they were blessed, and why.
    Blessed {
        count: usize,
        /// Each reason once.
        reasons: Vec<&'a str>,
    },
    /// Suites whose answers were recorded ones.
    Replayed { suites: usize, of: usize },
    /// How many answers came from the cache of earlier runs.
    FromCache(usize),
    /// Suites whose cases git does not track.
    Untracked(Vec<&'a str>),
    /// This is one part of a run.
    Shard(Shard),
    /// Something was left out.
    Partial,
}

/// A suite that nothing gates, and how its cases came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ungated<'a> {
    pub suite: &'a str,
    /// So many cases pass.
    pub passed: usize,
    /// Of so many that were measured.
    pub measured: usize,
}

/// How the gate sees a suite. What nothing gates is neither right nor wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuiteVerdict<'a> {
    /// Something gates it, or nothing of it was measured.
    Judged(Status),
    /// Nothing gates it.
    NotGated(Ungated<'a>),
    /// It is a part of a suite, and `merge` judges the whole.
    NotJudged(Ungated<'a>),
    /// It was not run, and its values are the baseline's.
    NotAffected,
}

impl<'a> SuiteVerdict<'a> {
    /// That of a suite.
    pub fn of(results: &'a Results, suite: &'a SuiteResult) -> Self {
        let fails = results.gate.reasons.iter().any(|one| one.fails && one.suite.as_ref() == Some(&suite.id));
        match Ungated::of(results, suite) {
            _ if !suite.affected => Self::NotAffected,
            _ if results.gate.verdict == Verdict::NotJudged && suite.status != Status::Skipped => {
                Self::NotJudged(Ungated::counted(suite))
            }
            Some(ungated) if !fails => Self::NotGated(ungated),
            Some(_) | None => Self::Judged(suite.status),
        }
    }

    /// The status that a report colours it by: one that says neither good nor bad where nothing judges it.
    pub const fn colour(self) -> Status {
        match self {
            Self::Judged(status) => status,
            Self::NotGated(_) | Self::NotJudged(_) => Status::Unmeasured,
            Self::NotAffected => Status::Skipped,
        }
    }

    pub fn text(self) -> String {
        match self {
            Self::Judged(status) => status.word().to_owned(),
            Self::NotGated(suite) => format!("not gated: {}", suite.counts()),
            Self::NotJudged(suite) if suite.measured == 0 => "not judged".to_owned(),
            Self::NotJudged(suite) => format!("not judged: {}", suite.counts()),
            Self::NotAffected => "not affected".to_owned(),
        }
    }
}

/// What the verdict says of some suites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuitesOf {
    /// Nothing was measured in them.
    NothingMeasured,
    /// No measured case of them is in the baseline.
    NoCommonCase,
    /// Their answers come about in another way than on main.
    SourceChanged,
    /// Their recorded answers may be of another version of the target.
    OutdatedRecordings,
    /// A filter left out cases of them, so that their floors are not held to.
    FloorsNotHeld,
    /// A metric of them may have fallen.
    Inconclusive,
}

impl SuitesOf {
    const ALL: [Self; 6] = [
        Self::NothingMeasured,
        Self::NoCommonCase,
        Self::SourceChanged,
        Self::OutdatedRecordings,
        Self::FloorsNotHeld,
        Self::Inconclusive,
    ];

    const fn rule(self) -> Rule {
        match self {
            Self::NothingMeasured => Rule::NothingMeasured,
            Self::NoCommonCase => Rule::NoCommonCase,
            Self::SourceChanged => Rule::SourceChanged,
            Self::OutdatedRecordings => Rule::OutdatedRecordings,
            Self::FloorsNotHeld => Rule::FloorsNotHeld,
            Self::Inconclusive => Rule::Inconclusive,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::NothingMeasured => "nothing measured in",
            Self::NoCommonCase => "no case in common with the baseline:",
            Self::SourceChanged => "answers come from another source than on main:",
            Self::OutdatedRecordings => "recordings may be outdated:",
            Self::FloorsNotHeld => "floors not held to:",
            Self::Inconclusive => "inconclusive:",
        }
    }
}

impl<'a> Ungated<'a> {
    /// What to say of a suite if nothing gates it; `None` if something does, or if it was not measured.
    pub fn of(results: &'a Results, suite: &'a SuiteResult) -> Option<Self> {
        let mut about = results.gate.reasons.iter().filter(|reason| reason.suite.as_ref() == Some(&suite.id));
        let is_ungated = about.any(|reason| reason.rule == Rule::NotGated);
        Some(Self::counted(suite)).filter(|ungated| is_ungated && ungated.measured > 0)
    }

    fn counted(suite: &'a SuiteResult) -> Self {
        let count = |status: Status| suite.cases.iter().filter(|case| case.status == status).count();
        let passed = count(Status::Passed);
        Self { suite: suite.id.as_str(), passed, measured: passed + count(Status::Failed) }
    }

    /// `3 of 8 pass`.
    pub fn counts(&self) -> String {
        format!("{} of {} pass", self.passed, self.measured)
    }
}

impl<'a> VerdictSummary<'a> {
    pub fn of(results: &'a Results) -> Self {
        let mut parts = case_counts(results);
        let ungated: Vec<Ungated<'_>> = results.suites.iter().filter_map(|suite| Ungated::of(results, suite)).collect();
        parts.extend((!ungated.is_empty()).then_some(VerdictPart::NotGated(ungated)));
        for of in SuitesOf::ALL {
            let mut suites = suites_of(results, of.rule());
            suites.dedup();
            parts.extend((!suites.is_empty()).then_some(VerdictPart::Suites(of, suites)));
        }
        parts.extend(compared(results));
        parts.extend(circumstances(results));
        Self { verdict: results.gate.verdict, parts, because: first_cause(results) }
    }

    /// Everything that qualifies the word. `foreign` escapes what others wrote.
    pub fn qualified(&self, foreign: &dyn Fn(&str) -> String) -> String {
        let parts: Vec<String> = self.parts.iter().map(|part| part.text(foreign)).collect();
        parts.join(" · ")
    }

    /// Everything after the word, not escaped.
    pub fn rest(&self) -> String {
        let qualified = self.qualified(&str::to_owned);
        match &self.because {
            Some(because) if qualified.is_empty() => because.clone(),
            Some(because) => format!("{qualified} — {because}"),
            None => qualified,
        }
    }
}

/// How the cases of the suites that were run came out.
fn case_counts<'a>(results: &Results) -> Vec<VerdictPart<'a>> {
    let run: Vec<&SuiteResult> = results.suites.iter().filter(|suite| suite.affected).collect();
    let cases = || run.iter().flat_map(|suite| &suite.cases);
    let count = |status: Status| cases().filter(|case| case.status == status).count();
    let passed = count(Status::Passed);
    let measured = passed + count(Status::Failed);
    let mut parts = Vec::new();
    if measured > 0 {
        parts.push(VerdictPart::Passing { passed, measured });
    } else if !run.is_empty() && results.gate.verdict != Verdict::NothingMeasured {
        parts.push(VerdictPart::NoneMeasured);
    }
    parts.extend(some(count(Status::Error)).map(VerdictPart::Errors));
    parts.extend(some(count(Status::Unmeasured)).map(VerdictPart::Unmeasured));
    parts.extend(some(count(Status::Skipped)).map(VerdictPart::Skipped));
    parts
}

/// What the run was compared with; a part of a run is compared by nobody but `merge`.
fn compared(results: &Results) -> Option<VerdictPart<'_>> {
    match &results.comparison {
        Some(comparison) => change_counts(comparison).map(|_| VerdictPart::Changes(comparison)),
        None if results.run.shard.is_some() => None,
        None => Some(VerdictPart::NotCompared),
    }
}

/// The baseline that the user named, if it is not that of the branch.
fn other_baseline(results: &Results) -> Option<VerdictPart<'_>> {
    let info = &results.comparison.as_ref()?.baseline;
    Some(VerdictPart::OtherBaseline { source: &info.source, instead_of: info.instead_of.as_deref()? })
}

/// What was not run, blessed, replayed or left out.
fn circumstances(results: &Results) -> Vec<VerdictPart<'_>> {
    let of = results.suites.len();
    let suites = |is: fn(&&SuiteResult) -> bool| some(results.suites.iter().filter(is).count());
    let mut parts = Vec::new();
    parts.extend(other_baseline(results));
    parts.extend(suites(|suite| !suite.affected).map(|suites| VerdictPart::NotAffected { suites, of }));
    let of_causes = causes(results);
    let blessed: Vec<&CauseLine<'_>> =
        of_causes.iter().flat_map(|suite| &suite.causes).filter(|cause| !cause.fails).collect();
    let mut reasons: Vec<&str> = blessed.iter().flat_map(|cause| cause.blessed.iter().copied()).collect();
    let blessed = blessed.iter().map(|cause| cause.count).sum();
    reasons.sort_unstable();
    reasons.dedup();
    parts.extend(some(blessed).map(|count| VerdictPart::Blessed { count, reasons }));
    parts.extend(suites(|suite| suite.replayed).map(|suites| VerdictPart::Replayed { suites, of }));
    parts.extend(some(results.suites.iter().map(|suite| suite.from_cache).sum()).map(VerdictPart::FromCache));
    let untracked: Vec<&str> =
        results.suites.iter().filter(|suite| !suite.untracked.is_empty()).map(|suite| suite.id.as_str()).collect();
    parts.extend((!untracked.is_empty()).then_some(VerdictPart::Untracked(untracked)));
    match results.run.shard {
        Some(shard) => parts.push(VerdictPart::Shard(shard)),
        None if results.run.partial => parts.push(VerdictPart::Partial),
        None => {}
    }
    parts
}

fn some(count: usize) -> Option<usize> {
    Some(count).filter(|count| *count > 0)
}

fn suites_of(results: &Results, rule: Rule) -> Vec<&str> {
    let of_rule = results.gate.reasons.iter().filter(|reason| reason.rule == rule);
    of_rule.filter_map(|reason| reason.suite.as_ref().map(|suite| suite.as_str())).collect()
}

impl VerdictPart<'_> {
    /// In words. `foreign` escapes what others wrote.
    pub fn text(&self, foreign: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::Passing { passed, measured } => format!("{passed} of {measured} measured cases pass"),
            Self::NoneMeasured => "no case was measured".to_owned(),
            Self::Errors(count) => format!("{count} without an answer"),
            Self::Unmeasured(count) => format!("{count} not measured"),
            Self::Skipped(count) => format!("{count} skipped by your filter"),
            Self::NotGated(suites) => {
                let suite = |one: &Ungated<'_>| format!("{} ({})", foreign(one.suite), one.counts());
                format!("not gated: {}", listed(suites.iter().map(suite).collect(), ", "))
            }
            Self::Suites(of, suites) => {
                let names = suites.iter().map(|name| foreign(name)).collect();
                format!("{} {}", of.words(), listed(names, ", "))
            }
            Self::Changes(comparison) => change_counts(comparison).unwrap_or_default(),
            Self::NotCompared => "not compared".to_owned(),
            Self::OtherBaseline { source, instead_of } => {
                let name = |text: &str| foreign(&truncate_middle(text, SOURCE).replace('\n', " "));
                format!("compared with {}, not with the baseline on {}", name(source), name(instead_of))
            }
            Self::NotAffected { suites, of } => format!("{suites} of {of} suites not affected"),
            Self::Blessed { count, reasons } => {
                let reason = |one: &&str| foreign(&truncate_middle(one, BLESSING).replace('\n', " "));
                format!("{count} blessed ({})", listed(reasons.iter().map(reason).collect(), "; "))
            }
            Self::Replayed { suites, of } => format!("{suites} of {of} suites replayed"),
            Self::FromCache(count) => format!("{} from the cache", counted(*count, "answer")),
            Self::Untracked(suites) => {
                let names = suites.iter().map(|name| foreign(name)).collect();
                format!("cases that git does not track: {}", listed(names, ", "))
            }
            Self::Shard(shard) => format!("shard {shard}: a part is not judged, merge judges the whole"),
            Self::Partial => "partial run".to_owned(),
        }
    }
}

/// The first few of a list, and how many more there are.
fn listed(mut all: Vec<String>, between: &str) -> String {
    let more = all.len().saturating_sub(LISTED);
    all.truncate(LISTED);
    let shown = all.join(between);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// The verdict in a word.
pub const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Broken => "broken",
        Verdict::NothingMeasured => "nothing measured",
        Verdict::NoCommonCase => "no case in common",
        Verdict::NoBaseline => "no baseline",
        Verdict::NotJudged => "not judged",
        Verdict::Interrupted => "interrupted",
    }
}

/// One sentence that says how it came out and what it does not cover.
pub fn verdict_line(results: &Results) -> String {
    let summary = VerdictSummary::of(results);
    let word = verdict_word(summary.verdict);
    match summary.rest().as_str() {
        "" => word.to_owned(),
        rest => format!("{word}: {rest}"),
    }
}

#[cfg(test)]
mod tests;
