//! From the versions of a baseline to what a release report says.

use std::collections::{BTreeMap, BTreeSet};

use super::as_run;
use super::release_report::{
    BlessingSeen, CaseRelease, Direction, Ends, Gaps, MetricRelease, QuarantineSeen, RELEASE_SCHEMA, Release,
    ReleaseReport, ReleaseVersion, Stood, SuiteRelease, WeakenedGate,
};
use crate::baseline::{Allowed, Baseline, BaselineSuite, Blessing, BlessingFile, series};
use crate::compare::{CompareOptions, compare};
use crate::model::Rule;
use crate::model::{
    BaselineInfo, CaseChange, CaseId, Change, Delta, MetricChange, Nature, Outcome, Sha, Status, SuiteComparison,
    SuiteId, SuiteState, Trend, format_day, weakenings,
};
use crate::results::Tool;

/// A name that the user gave or that was found, and its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub commit: Sha,
}

/// What a report is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    /// The earlier release, if there is one.
    pub from: Option<Named>,
    pub to: Named,
    /// The commits that wrote the baseline, and what they wrote, oldest first. The first is what `from` has, the last what
    /// `to` has; a single one is what both have.
    pub versions: Vec<(Sha, Baseline)>,
    /// What is missing in between.
    pub gaps: Gaps,
}

/// The report of a range; `None` if there is no version in it.
pub fn release(range: &Range) -> Option<ReleaseReport> {
    let Range { from, to, versions, gaps } = range;
    let (_, now) = versions.last()?;
    let then = from.as_ref().and(versions.first()).map(|(_, baseline)| baseline);
    let trend = series(&versions.iter().map(|(_, version)| version).collect::<Vec<_>>());
    let suites = suites(then, now, &trend);
    let mut counts = BTreeMap::new();
    for (change, count) in suites.iter().flat_map(|suite| &suite.counts) {
        *counts.entry(*change).or_default() += count;
    }
    let blessings = blessings(versions, from.is_some());
    Some(ReleaseReport {
        schema: RELEASE_SCHEMA.to_owned(),
        tool: Tool { name: "evalratchet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() },
        direction: direction(then.is_some(), &suites),
        from: from.as_ref().zip(then).map(|(named, baseline)| end(named, baseline)),
        to: end(to, now),
        versions: versions.iter().map(|(commit, baseline)| version(commit, baseline)).collect(),
        gaps: gaps.clone(),
        counts,
        weakened: then.map(|then| weakened(then, now, &blessings)).unwrap_or_default(),
        quarantines: quarantines(versions, from.is_some()),
        blessings,
        suites,
    })
}

fn end(named: &Named, baseline: &Baseline) -> Release {
    Release { name: named.name.clone(), commit: named.commit.clone(), measured: baseline.produced.clone() }
}

fn version(commit: &Sha, baseline: &Baseline) -> ReleaseVersion {
    let produced = &baseline.produced;
    ReleaseVersion { commit: commit.clone(), measured: produced.commit.clone(), time: produced.time.clone() }
}

/// Better or worse is what is sure: metrics, and of suites that do not vary each case. Time and money are reported, but are
/// not quality.
fn direction(compared: bool, suites: &[SuiteRelease]) -> Direction {
    let moved = |outcome: Outcome, change: Change| {
        suites.iter().any(|suite| {
            let cases = !suite.varies && suite.counts.contains_key(&change);
            cases || suite.metrics.iter().any(|(name, one)| !Nature::of(name).is_expense() && one.outcome == outcome)
        })
    };
    if !compared {
        return Direction::Alone;
    }
    if suites.iter().all(|suite| suite.comparable == 0) {
        return Direction::NoCommonCase;
    }
    match (moved(Outcome::Improved, Change::Improved), moved(Outcome::Regressed, Change::Regressed)) {
        (true, false) => Direction::Better,
        (false, true) => Direction::Worse,
        (true, true) => Direction::Mixed,
        (false, false) => Direction::Same,
    }
}

fn suites(then: Option<&Baseline>, now: &Baseline, trend: &Trend) -> Vec<SuiteRelease> {
    let runs: Vec<_> = now.suites.iter().map(|(id, suite)| as_run::suite(id, suite)).collect();
    let compared = then.map(|then| compare(&runs, then, info(then), CompareOptions { filtered: false, seed: 0 }));
    let ids: BTreeSet<&SuiteId> =
        then.into_iter().flat_map(|then| then.suites.keys()).chain(now.suites.keys()).collect();
    let of_one = |id: &SuiteId| {
        let ends = (then.and_then(|then| then.suites.get(id)), now.suites.get(id));
        let change = compared.as_ref().and_then(|all| all.suites.iter().find(|one| one.id == *id));
        one_suite(id, ends, change, trend)
    };
    ids.into_iter().filter_map(of_one).collect()
}

/// Nothing of it is shown; the comparison wants to know whom it is about.
fn info(baseline: &Baseline) -> BaselineInfo {
    let produced = &baseline.produced;
    BaselineInfo {
        source: String::new(),
        commit: produced.commit.clone(),
        time: produced.time.clone(),
        tool: produced.tool.clone(),
        mode: produced.mode,
        base: None,
        instead_of: None,
    }
}

fn one_suite(
    id: &SuiteId,
    (then, now): (Option<&BaselineSuite>, Option<&BaselineSuite>),
    compared: Option<&SuiteComparison>,
    trend: &Trend,
) -> Option<SuiteRelease> {
    let newest = now.or(then)?;
    let passed = |suite: &BaselineSuite| suite.cases.values().filter(|case| case.status == Status::Passed).count();
    let ends = |of: &dyn Fn(&BaselineSuite) -> usize| Ends { then: then.map(of), now: now.map(of) };
    let mut counts = compared.map(|one| one.counts.clone()).unwrap_or_default();
    // A suite that is new or gone is so with all its cases.
    match compared.map(|one| one.state) {
        Some(SuiteState::Added) => counts = BTreeMap::from([(Change::Added, newest.cases.len())]),
        Some(SuiteState::Removed) => counts = BTreeMap::from([(Change::Removed, newest.cases.len())]),
        Some(SuiteState::Compared | SuiteState::NoCommonCase | SuiteState::NotAffected) | None => {}
    }
    counts.retain(|_, count| *count > 0);
    Some(SuiteRelease {
        id: id.clone(),
        kind: newest.kind,
        state: compared.map(|one| one.state),
        varies: newest.varies || then.is_some_and(|then| then.varies),
        replayed: Ends { then: then.map(|one| one.replayed), now: now.map(|one| one.replayed) },
        model: Ends { then: then.and_then(|one| one.model.clone()), now: now.and_then(|one| one.model.clone()) },
        cases: ends(&|suite| suite.cases.len()),
        passed: ends(&passed),
        comparable: compared.map_or(0, |one| one.comparable),
        counts,
        metrics: metrics(id, (then, now), compared, trend),
        slices: slices(then, now),
        changes: changes(then, now, compared),
    })
}

fn metrics(
    id: &SuiteId,
    (then, now): (Option<&BaselineSuite>, Option<&BaselineSuite>),
    compared: Option<&SuiteComparison>,
    trend: &Trend,
) -> BTreeMap<String, MetricRelease> {
    let mut all = BTreeMap::new();
    for (name, metric) in [then, now].into_iter().flatten().flat_map(|suite| &suite.metrics) {
        let value = |suite: Option<&BaselineSuite>| Some(suite?.metrics.get(name)?.value);
        let change = compared.and_then(|one| one.metrics.get(name));
        let (n, delta, outcome, p, ci95) = match change {
            Some(MetricChange { n, delta, outcome, p, ci95, .. }) => (*n, *delta, *outcome, *p, *ci95),
            None => (0, Delta::Absent, Outcome::NotCompared, None, None),
        };
        let trend = trend.get(id).and_then(|metrics| metrics.get(name)).cloned().unwrap_or_default();
        let value = Ends { then: value(then), now: value(now) };
        all.insert(name.clone(), MetricRelease { better: metric.better, value, n, delta, outcome, p, ci95, trend });
    }
    all
}

fn slices(then: Option<&BaselineSuite>, now: Option<&BaselineSuite>) -> BTreeMap<String, BTreeMap<String, Ends<f64>>> {
    let mut all: BTreeMap<String, BTreeMap<String, Ends<f64>>> = BTreeMap::new();
    let sides = [then, now].into_iter().flatten();
    for (slice, metrics) in sides.flat_map(|suite| &suite.slices) {
        for name in metrics.keys() {
            let value = |suite: Option<&BaselineSuite>| Some(suite?.slices.get(slice)?.get(name)?.value);
            let ends = Ends { then: value(then), now: value(now) };
            all.entry(slice.clone()).or_default().insert(name.clone(), ends);
        }
    }
    all
}

/// What the comparison lists; without one, what fails. The cases of a suite that is new or gone are not listed one by one,
/// but for those that fail.
fn changes(
    then: Option<&BaselineSuite>,
    now: Option<&BaselineSuite>,
    compared: Option<&SuiteComparison>,
) -> Vec<CaseRelease> {
    let since = |suite: Option<&BaselineSuite>, id: &CaseId| suite?.cases.get(id)?.since.clone();
    let both = then.is_some() && now.is_some();
    if let Some(compared) = compared.filter(|_| both) {
        let case = |one: &CaseChange| CaseRelease {
            id: one.id.clone(),
            change: one.change,
            renamed_from: one.renamed_from.clone(),
            status: Ends { then: one.was, now: one.now },
            score: Ends { then: one.score_was, now: one.score_now },
            since: since(now, &one.id).or_else(|| since(then, &one.id)),
        };
        return compared.cases.iter().map(case).collect();
    }
    let change = if compared.is_some() { Change::Added } else { Change::Unchanged };
    let failing = now.into_iter().flat_map(|suite| &suite.cases).filter(|(_, case)| case.status == Status::Failed);
    let case = |(id, case): (&CaseId, &crate::baseline::BaselineCase)| CaseRelease {
        id: id.clone(),
        change,
        renamed_from: None,
        status: Ends { then: None, now: Some(case.status) },
        score: Ends { then: None, now: Some(case.score) },
        since: case.since.clone(),
    };
    failing.map(case).collect()
}

/// From where to where something stood: the versions that have it are given.
fn stood(versions: &[(Sha, Baseline)], having: &[usize], compared: bool) -> Option<Stood> {
    let (first, last) = (having.first()?, having.last()?);
    Some(Stood {
        before: compared && *first == 0,
        since: versions.get(*first).filter(|_| *first > 0).map(|(commit, _)| commit.clone()),
        until: versions.get(last + 1).map(|(commit, _)| commit.clone()),
    })
}

fn blessings(versions: &[(Sha, Baseline)], compared: bool) -> Vec<BlessingSeen> {
    let mut seen: Vec<(&Blessing, Vec<usize>)> = Vec::new();
    for (index, (_, version)) in versions.iter().enumerate() {
        for blessing in &version.blessings {
            match seen.iter_mut().find(|(known, _)| *known == blessing) {
                Some((_, having)) => having.push(index),
                None => seen.push((blessing, vec![index])),
            }
        }
    }
    let standing = seen.into_iter().filter_map(|(blessing, having)| {
        Some(BlessingSeen { blessing: blessing.clone(), stood: stood(versions, &having, compared)? })
    });
    // What the first version took in belongs to the release before.
    let since = versions.iter().skip(usize::from(compared));
    let taken_in = since.flat_map(|(commit, version)| {
        let stood = Stood { before: false, since: Some(commit.clone()), until: None };
        let blessings = version.took_in.iter().flat_map(BlessingFile::blessings);
        blessings.map(move |blessing| BlessingSeen { blessing, stood: stood.clone() })
    });
    standing.chain(taken_in).collect()
}

fn quarantines(versions: &[(Sha, Baseline)], compared: bool) -> Vec<QuarantineSeen> {
    let mut seen: BTreeMap<(&SuiteId, &str), (f64, Vec<usize>)> = BTreeMap::new();
    for (index, (_, version)) in versions.iter().enumerate() {
        for (id, suite) in &version.suites {
            for (key, day) in &suite.policy {
                let Some(case) = key.strip_prefix("quarantine ") else { continue };
                let (last, having) = seen.entry((id, case)).or_default();
                *last = *day;
                having.push(index);
            }
        }
    }
    let seen = seen.into_iter().filter_map(|((suite, case), (day, having))| {
        let stood = stood(versions, &having, compared)?;
        Some(QuarantineSeen { suite: suite.clone(), case: CaseId::new(case), until: format_day(day), stood })
    });
    seen.collect()
}

fn weakened(then: &Baseline, now: &Baseline, blessings: &[BlessingSeen]) -> Vec<WeakenedGate> {
    let mut all = Vec::new();
    for (id, suite) in &now.suites {
        let Some(before) = then.suites.get(id) else { continue };
        for weakening in weakenings(&before.policy, &suite.policy, Some(suite.answers())) {
            let of_it = |one: &&BlessingSeen| {
                let Allowed { rule, suite, policy, .. } = &one.blessing.allowed;
                *rule == Rule::WeakenedGate && suite == id && policy.as_ref() == Some(&weakening.key)
            };
            all.push(WeakenedGate {
                suite: id.clone(),
                reason: blessings.iter().rev().find(of_it).map(|one| one.blessing.reason.clone()),
                value: Ends { then: weakening.before, now: weakening.after },
                key: weakening.key,
            });
        }
    }
    all
}
