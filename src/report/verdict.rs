//! The verdict in one line: never plain green when something was not measured, not gated or left out.

use super::change_counts;
use crate::model::Rule;
use crate::model::Status;
use crate::results::{Results, Verdict};

/// One sentence that says how it came out and what it does not cover.
pub fn verdict_line(results: &Results) -> String {
    let run = results.suites.iter().filter(|suite| suite.affected);
    let cases: Vec<_> = run.flat_map(|suite| &suite.cases).collect();
    let count = |status: Status| cases.iter().filter(|case| case.status == status).count();
    let measured = count(Status::Passed) + count(Status::Failed);
    let word = match results.gate.verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Broken => "broken",
        Verdict::NothingMeasured => "nothing measured",
        Verdict::NotComparable => "not comparable",
        Verdict::NoBaseline => "no baseline",
        Verdict::NotJudged => "not judged",
        Verdict::Interrupted => "interrupted",
    };
    let mut parts = vec![format!("{} of {measured} measured cases pass", count(Status::Passed))];
    for (status, text) in [
        (Status::Error, "could not be had"),
        (Status::Unmeasured, "not measured"),
        (Status::Skipped, "skipped by your filter"),
    ] {
        if count(status) > 0 {
            parts.push(format!("{} {text}", count(status)));
        }
    }
    let reasons = |rule: Rule| -> Vec<&str> {
        let of_rule = results.gate.reasons.iter().filter(|reason| reason.rule == rule);
        of_rule.filter_map(|reason| reason.suite.as_ref().map(|suite| suite.as_str())).collect()
    };
    for (rule, text) in [
        (Rule::NothingMeasured, "nothing measured in"),
        (Rule::NotGated, "not gated:"),
        (Rule::NotComparable, "not comparable:"),
        (Rule::Inconclusive, "inconclusive:"),
    ] {
        let mut suites = reasons(rule);
        suites.dedup();
        if !suites.is_empty() {
            parts.push(format!("{text} {}", suites.join(", ")));
        }
    }
    if let Some(comparison) = &results.comparison {
        parts.push(change_counts(comparison));
    }
    let affected = results.suites.iter().filter(|suite| !suite.affected).count();
    if affected > 0 {
        parts.push(format!("{affected} of {} suites not affected", results.suites.len()));
    }
    let blessed: Vec<&str> = results.gate.reasons.iter().filter_map(|reason| reason.blessed.as_deref()).collect();
    if !blessed.is_empty() {
        let mut reasons = blessed.clone();
        reasons.sort_unstable();
        reasons.dedup();
        parts.push(format!("{} blessed ({})", blessed.len(), reasons.join("; ")));
    }
    let replayed = results.suites.iter().filter(|suite| suite.replayed).count();
    if replayed > 0 {
        parts.push(format!("{replayed} of {} suites replayed", results.suites.len()));
    }
    match results.run.shard {
        Some(shard) => parts.push(format!("shard {shard}: a part is not judged, merge judges the whole")),
        None if results.run.partial => parts.push("partial run".into()),
        None => {}
    }
    let because = results.gate.reasons.iter().find(|reason| reason.fails);
    let because = because.map(|reason| format!(" — {}", reason.message)).unwrap_or_default();
    format!("{word}: {}{because}", parts.join(" · "))
}
