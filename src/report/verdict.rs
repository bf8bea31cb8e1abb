//! The verdict as a value, and in one line: never plain green when something was not measured, not gated or left out.

use super::change_counts;
use crate::model::{Comparison, Rule, Shard, Status};
use crate::results::{Results, Verdict};

/// The verdict, what it covers and what it does not.
#[derive(Debug, Clone, PartialEq)]
pub struct VerdictSummary<'a> {
    /// In one word.
    pub verdict: Verdict,
    /// What it covers, most important first.
    pub parts: Vec<VerdictPart<'a>>,
    /// The first reason that fails.
    pub because: Option<&'a str>,
}

/// Something that the verdict covers, or does not.
#[derive(Debug, Clone, PartialEq)]
pub enum VerdictPart<'a> {
    /// How many measured cases pass.
    Passing {
        /// So many pass.
        passed: usize,
        /// Of so many.
        measured: usize,
    },
    /// How many cases have no answer.
    Errors(usize),
    /// How many cases were not measured.
    Unmeasured(usize),
    /// How many cases a filter left out.
    Skipped(usize),
    /// Suites that a rule speaks of.
    Suites(SuitesOf, Vec<&'a str>),
    /// How cases changed since the baseline.
    Changes(&'a Comparison),
    /// Suites that nothing concerns which changed.
    NotAffected {
        /// So many.
        suites: usize,
        /// Of so many.
        of: usize,
    },
    /// Reasons that do not fail, since they were blessed, and why.
    Blessed {
        /// So many.
        count: usize,
        /// Each reason once.
        reasons: Vec<&'a str>,
    },
    /// Suites whose answers were recorded ones.
    Replayed {
        /// So many.
        suites: usize,
        /// Of so many.
        of: usize,
    },
    /// This is one part of a run.
    Shard(Shard),
    /// Something was left out.
    Partial,
}

/// What the verdict says of some suites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuitesOf {
    /// Nothing was measured in them.
    NothingMeasured,
    /// No floor holds them.
    NotGated,
    /// No case of them is what it was.
    NotComparable,
    /// A metric of them may have fallen.
    Inconclusive,
}

impl SuitesOf {
    const ALL: [Self; 4] = [Self::NothingMeasured, Self::NotGated, Self::NotComparable, Self::Inconclusive];

    const fn rule(self) -> Rule {
        match self {
            Self::NothingMeasured => Rule::NothingMeasured,
            Self::NotGated => Rule::NotGated,
            Self::NotComparable => Rule::NotComparable,
            Self::Inconclusive => Rule::Inconclusive,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::NothingMeasured => "nothing measured in",
            Self::NotGated => "not gated:",
            Self::NotComparable => "not comparable:",
            Self::Inconclusive => "inconclusive:",
        }
    }
}

impl<'a> VerdictSummary<'a> {
    /// That of a run.
    pub fn of(results: &'a Results) -> Self {
        let all = results.suites.len();
        let run = results.suites.iter().filter(|suite| suite.affected);
        let cases: Vec<_> = run.flat_map(|suite| &suite.cases).collect();
        let count = |status: Status| cases.iter().filter(|case| case.status == status).count();
        let passed = count(Status::Passed);
        let mut parts = vec![VerdictPart::Passing { passed, measured: passed + count(Status::Failed) }];
        let some = |count: usize| Some(count).filter(|count| *count > 0);
        parts.extend(some(count(Status::Error)).map(VerdictPart::Errors));
        parts.extend(some(count(Status::Unmeasured)).map(VerdictPart::Unmeasured));
        parts.extend(some(count(Status::Skipped)).map(VerdictPart::Skipped));
        for of in SuitesOf::ALL {
            let mut suites = suites_of(results, of.rule());
            suites.dedup();
            parts.extend((!suites.is_empty()).then_some(VerdictPart::Suites(of, suites)));
        }
        parts.extend(results.comparison.as_ref().map(VerdictPart::Changes));
        let not_affected = results.suites.iter().filter(|suite| !suite.affected).count();
        parts.extend(some(not_affected).map(|suites| VerdictPart::NotAffected { suites, of: all }));
        let mut reasons: Vec<&str> = results.gate.reasons.iter().filter_map(|one| one.blessed.as_deref()).collect();
        let blessed = reasons.len();
        reasons.sort_unstable();
        reasons.dedup();
        parts.extend(some(blessed).map(|count| VerdictPart::Blessed { count, reasons }));
        let replayed = results.suites.iter().filter(|suite| suite.replayed).count();
        parts.extend(some(replayed).map(|suites| VerdictPart::Replayed { suites, of: all }));
        match results.run.shard {
            Some(shard) => parts.push(VerdictPart::Shard(shard)),
            None if results.run.partial => parts.push(VerdictPart::Partial),
            None => {}
        }
        let because = results.gate.reasons.iter().find(|reason| reason.fails);
        Self { verdict: results.gate.verdict, parts, because: because.map(|reason| reason.message.as_str()) }
    }

    /// Everything after the word.
    pub fn rest(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(VerdictPart::text).collect();
        let because = self.because.map(|because| format!(" — {because}")).unwrap_or_default();
        format!("{}{because}", parts.join(" · "))
    }
}

fn suites_of(results: &Results, rule: Rule) -> Vec<&str> {
    let of_rule = results.gate.reasons.iter().filter(|reason| reason.rule == rule);
    of_rule.filter_map(|reason| reason.suite.as_ref().map(|suite| suite.as_str())).collect()
}

impl VerdictPart<'_> {
    /// In words; names of others are not escaped.
    pub fn text(&self) -> String {
        match self {
            Self::Passing { passed, measured } => format!("{passed} of {measured} measured cases pass"),
            Self::Errors(count) => format!("{count} could not be had"),
            Self::Unmeasured(count) => format!("{count} not measured"),
            Self::Skipped(count) => format!("{count} skipped by your filter"),
            Self::Suites(of, suites) => format!("{} {}", of.words(), suites.join(", ")),
            Self::Changes(comparison) => change_counts(comparison),
            Self::NotAffected { suites, of } => format!("{suites} of {of} suites not affected"),
            Self::Blessed { count, reasons } => format!("{count} blessed ({})", reasons.join("; ")),
            Self::Replayed { suites, of } => format!("{suites} of {of} suites replayed"),
            Self::Shard(shard) => format!("shard {shard}: a part is not judged, merge judges the whole"),
            Self::Partial => "partial run".to_owned(),
        }
    }
}

/// The verdict in a word.
pub const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Broken => "broken",
        Verdict::NothingMeasured => "nothing measured",
        Verdict::NotComparable => "not comparable",
        Verdict::NoBaseline => "no baseline",
        Verdict::NotJudged => "not judged",
        Verdict::Interrupted => "interrupted",
    }
}

/// One sentence that says how it came out and what it does not cover.
pub fn verdict_line(results: &Results) -> String {
    let summary = VerdictSummary::of(results);
    format!("{}: {}", verdict_word(summary.verdict), summary.rest())
}
