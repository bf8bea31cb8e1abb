//! What changed since the baseline, on the terminal.

use std::collections::BTreeMap;

use crate::model::{Change, Comparison, SuiteComparison, SuiteState, format_score};
use crate::results::Results;
use crate::text::{counted, plain};

/// How many cases of a kind of change are listed.
const LISTED: usize = 8;

/// Which cases of a suite are not what they were.
pub(super) fn changed_cases(suite: &SuiteComparison) -> String {
    let mut out = String::new();
    match suite.state {
        SuiteState::Added => return "  new: the baseline does not know this suite\n".to_owned(),
        SuiteState::NotAffected => {
            return "  not affected by what changed: these are the baseline's values\n".to_owned();
        }
        SuiteState::NotComparable => out.push_str("  not comparable: no case is what it is in the baseline\n"),
        SuiteState::Removed | SuiteState::Compared => {}
    }
    if suite.comparable > 0 {
        let varies = if suite.varies { ", answers vary" } else { "" };
        out.push_str(&format!(
            "  baseline and Δ are over the {} that both sides have{varies}; values are over all\n",
            counted(suite.comparable, "case")
        ));
    }
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
        let word = match change {
            Change::Regressed => "worse",
            Change::Lost => "not measured any more",
            Change::Changed => "changed",
            Change::Removed => "removed",
            Change::Improved => "better",
            Change::Added => "new",
            Change::Unchanged => "renamed",
        };
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
    let mut words = vec![changes_in_words(&counts)];
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

/// How many cases changed in which way; nothing if none did.
pub(super) fn changes_in_words(counts: &BTreeMap<Change, usize>) -> String {
    let words = [
        (Change::Regressed, "worse"),
        (Change::Improved, "better"),
        (Change::Lost, "not measured any more"),
        (Change::Changed, "changed"),
        (Change::Added, "new"),
        (Change::Removed, "removed"),
    ];
    let parts: Vec<String> = words
        .iter()
        .filter_map(|(change, word)| {
            counts.get(change).filter(|count| **count > 0).map(|count| format!("{count} {word}"))
        })
        .collect();
    parts.join(", ")
}
