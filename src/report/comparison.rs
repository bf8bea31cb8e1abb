//! What changed since the baseline, on the terminal.

use std::collections::BTreeMap;

use crate::model::{Change, Comparison, Nature, SuiteComparison, SuiteState, changes_in_words, format_score};
use crate::results::Results;
use crate::text::{counted, plain};

/// How many cases of a kind of change are listed.
const LISTED: usize = 8;

/// What a suite is compared with, each a sentence.
pub(super) fn comparison_notes(suite: &SuiteComparison) -> Vec<String> {
    let state = match suite.state {
        SuiteState::Added => "new: the baseline does not know this suite".to_owned(),
        SuiteState::Removed => "only the baseline knows it".to_owned(),
        SuiteState::NotAffected => "not affected by what changed: these are the baseline's values".to_owned(),
        SuiteState::NoCommonCase => suite.no_common_case(),
        SuiteState::Compared => String::new(),
    };
    let of_cases = suite.metrics.iter().filter(|(name, _)| Nature::of(name) != Nature::Latency);
    let cases = of_cases.map(|(_, change)| change.n).max().unwrap_or(0);
    let has_latency = suite.metrics.keys().any(|name| Nature::of(name) == Nature::Latency);
    let over = (cases > 0).then(|| {
        let runs = counted(suite.pooled, "run");
        let varies = if suite.varies { format!(" and {runs} of main, answers vary") } else { String::new() };
        let latency = if has_latency { ", latencies over all" } else { "" };
        let left_out = suite.comparable.saturating_sub(cases);
        let left_out =
            if left_out > 0 { format!(", without {left_out} flaky or in quarantine") } else { String::new() };
        let cases = counted(cases, "case");
        format!(
            "baseline and Δ are over the {cases} that both sides have{varies}{left_out}{latency}; values are over all"
        )
    });
    [state].into_iter().chain(over).filter(|note| !note.is_empty()).collect()
}

/// Which cases of a suite are not what they were.
pub(super) fn changed_cases(suite: &SuiteComparison) -> String {
    let mut out: String = comparison_notes(suite).iter().map(|note| format!("  {note}\n")).collect();
    let mut listed: BTreeMap<Change, Vec<String>> = BTreeMap::new();
    for case in suite.cases.iter().filter(|case| case.change != Change::Unchanged || case.renamed_from.is_some()) {
        let mut text = plain(case.id.as_str());
        if let Some(old) = &case.renamed_from {
            text.push_str(&format!(" (was {})", plain(old.as_str())));
        }
        if let (Some(was), Some(now)) = (case.score_was, case.score_now)
            && matches!(case.change, Change::Regressed | Change::Improved)
        {
            text.push_str(&format!(" {} → {}", format_score(was), format_score(now)));
        }
        listed.entry(case.change).or_default().push(text);
    }
    for (change, cases) in &listed {
        // What is as it was is listed only if its name is not.
        let word = if *change == Change::Unchanged { "renamed" } else { change.word() };
        let more = cases.len().saturating_sub(LISTED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let shown: Vec<&str> = cases.iter().take(LISTED).map(String::as_str).collect();
        out.push_str(&format!("  {} {word}: {}{more}\n", cases.len(), shown.join(", ")));
    }
    out
}

/// What the run was compared with, in a line.
pub(super) fn compared_with(results: &Results) -> Option<String> {
    let Comparison { baseline, .. } = results.comparison.as_ref()?;
    let commit = baseline.commit.as_ref().map(|commit| format!(" of {}", commit.short()));
    let age = age(&baseline.time, &results.run.started_at);
    Some(format!("compared with {}{}{age}", plain(&baseline.source), commit.unwrap_or_default()))
}

/// How old a baseline is, in days.
pub fn age(time: &str, now: &str) -> String {
    let (Ok(time), Ok(now)) = (time.parse::<jiff::Timestamp>(), now.parse::<jiff::Timestamp>()) else {
        return String::new();
    };
    match now.duration_since(time).as_hours() {
        ..24 => ", less than a day old".to_owned(),
        hours => format!(", {} old", counted(usize::try_from(hours / 24).unwrap_or(0), "day")),
    }
}

/// How cases and suites changed, for the verdict line; nothing if nothing was compared.
pub fn change_counts(comparison: &Comparison) -> Option<String> {
    let mut counts: BTreeMap<Change, usize> = BTreeMap::new();
    for (change, count) in comparison.suites.iter().flat_map(|suite| &suite.counts) {
        *counts.entry(*change).or_default() += count;
    }
    let cases = comparison.suites.iter().flat_map(|suite| &suite.cases);
    let renamed = cases.filter(|case| case.renamed_from.is_some()).count();
    let suites = |state: SuiteState| comparison.suites.iter().filter(|suite| suite.state == state).count();
    counts.remove(&Change::Changed);
    let mut words = vec![changes_in_words(&counts)];
    let questions: usize = comparison.suites.iter().map(|suite| suite.questions_changed).sum();
    let keys: usize = comparison.suites.iter().map(|suite| suite.keys_changed).sum();
    for (what, count) in [("question", questions), ("key", keys)] {
        words.push(if count > 0 { format!("{} changed", counted(count, what)) } else { String::new() });
    }
    words.push(if renamed > 0 { format!("{renamed} renamed") } else { String::new() });
    for (state, word) in [(SuiteState::Added, "new"), (SuiteState::Removed, "removed")] {
        words.push(match suites(state) {
            0 => String::new(),
            count => format!("{} {word}", counted(count, "suite")),
        });
    }
    words.retain(|words| !words.is_empty());
    let compared: usize = comparison.suites.iter().map(|suite| suite.comparable).sum();
    match (words.is_empty(), compared) {
        (false, _) => Some(format!("against the baseline {}", words.join(", "))),
        (true, 0) => None,
        (true, 1) => Some("1 compared case scores as in the baseline".to_owned()),
        (true, count) => Some(format!("{count} compared cases score as in the baseline")),
    }
}
