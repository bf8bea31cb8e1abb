//! What is published of a run: the conclusion of the check, the outputs of the step, and what to say if there is nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::check;
use super::comment::RowVerdict;
use crate::ci::{Event, EventKind, Origin};
use crate::model::ExitCode;
use crate::model::Rule;
use crate::model::{Change, Sha, SuiteState};
use crate::report::{self, Annotation, Level, markdown, verdict_line};
use crate::results::{Mistakes, Results, Verdict};
use crate::text::plain;

/// What a check concludes.
pub fn conclusion(results: &Results, event: &Event) -> &'static str {
    let verdict = results.gate.verdict;
    match verdict {
        // Who has no secrets cannot measure everything, and that says nothing about the change.
        _ if is_foreign(event) && without_secrets(results) => "neutral",
        Verdict::Passed if is_foreign(event) && results.run.partial => "neutral",
        Verdict::Passed => "success",
        Verdict::NoBaseline | Verdict::NotJudged => "neutral",
        Verdict::Interrupted => "cancelled",
        Verdict::Failed | Verdict::Broken | Verdict::NothingMeasured | Verdict::NoCommonCase => "failure",
    }
}

/// Whether the run had no secrets, and its results are the word of somebody else.
fn is_foreign(event: &Event) -> bool {
    event.is_fork() || event.dependabot
}

/// Whether everything that fails is something that was not measured.
fn without_secrets(results: &Results) -> bool {
    let mut failing = results.gate.reasons.iter().filter(|reason| reason.fails).peekable();
    let unmeasured = |rule: Rule| {
        matches!(
            rule,
            Rule::TooManyErrors | Rule::NothingMeasured | Rule::Lost | Rule::Unmeasured | Rule::MissingMetric
        )
    };
    failing.peek().is_some() && failing.all(|reason| unmeasured(reason.rule))
}

/// What is to be said of numbers that nobody here measured.
/// `judged` if they were judged again here.
pub fn origin_note(event: &Event, judged: bool, base: Option<&Sha>) -> Option<String> {
    let whose = match (&event.origin, event.dependabot) {
        (Origin::Fork(Some(name)), _) => format!("The numbers are the fork's own ({name})"),
        (Origin::Fork(None), _) => "The numbers are those of a fork that is gone".to_owned(),
        (Origin::Own, _) if !judged => return None,
        (Origin::Own, true) => "The numbers are those of Dependabot's branch".to_owned(),
        (Origin::Own, false) => "The numbers are those of a job that ran the change's own code".to_owned(),
    };
    let base = base.map(|base| format!(" at {}", base.short())).unwrap_or_default();
    let judged = if judged {
        format!("; they were compared and judged again with this repository's configuration and baseline{base}")
    } else {
        String::new()
    };
    Some(format!("{whose}{judged}."))
}

/// Whether results of this commit are about the event by what the event itself says. `merge` is the merge commit of the
/// pull request, if the host names it.
pub fn is_of_event(commit: &Sha, event: &Event, merge: Option<&Sha>) -> bool {
    let checked_out = match event.kind {
        // There the job's own commit is the base branch's, which says nothing about the change.
        EventKind::PullRequestTarget | EventKind::WorkflowRun | EventKind::IssueComment => None,
        EventKind::PullRequest
        | EventKind::Push
        | EventKind::MergeGroup
        | EventKind::Release
        | EventKind::Schedule
        | EventKind::WorkflowDispatch
        | EventKind::Other(_) => event.checked_out.as_ref(),
    };
    let head = event.head.as_ref().map(|head| &head.0);
    [checked_out, head, merge].into_iter().flatten().any(|known| known == commit)
}

/// How a check is shown.
pub fn check_report(results: &Results, event: &Event, summary: String) -> check::CheckReport {
    let annotations = report::worst(results);
    check::CheckReport {
        conclusion: conclusion(results, event),
        title: plain(&verdict_line(results)).replace('\n', " "),
        summary,
        annotations: annotations.iter().map(annotation).collect(),
    }
}

/// How the check of a run is shown that measured nothing because of mistakes.
pub fn invalid_report(mistakes: &Mistakes, summary: String) -> check::CheckReport {
    let annotations = report::mistake_annotations(mistakes);
    check::CheckReport {
        conclusion: "failure",
        title: plain(&report::mistakes_line(mistakes)).replace('\n', " "),
        summary,
        annotations: annotations.iter().map(annotation).collect(),
    }
}

/// How the check of a job is shown that was cancelled before it had a verdict.
pub fn cancelled_report() -> check::CheckReport {
    let summary = "The job was cancelled before the evaluations ended. This says nothing about quality.".to_owned();
    check::CheckReport { conclusion: "cancelled", title: "Cancelled".to_owned(), summary, annotations: Vec::new() }
}

/// A verdict as a row of the comment has it.
pub const fn row_verdict(verdict: Verdict) -> RowVerdict {
    match verdict {
        Verdict::Passed => RowVerdict::Passed,
        Verdict::Failed => RowVerdict::Failed,
        Verdict::Broken => RowVerdict::Broken,
        Verdict::NothingMeasured => RowVerdict::NothingMeasured,
        Verdict::NoCommonCase => RowVerdict::NoCommonCase,
        Verdict::NoBaseline => RowVerdict::NoBaseline,
        Verdict::NotJudged => RowVerdict::NotJudged,
        Verdict::Interrupted => RowVerdict::Interrupted,
    }
}

/// An annotation as the API wants it.
fn annotation(one: &Annotation) -> Value {
    let Annotation { level, file, line, title, message } = one;
    let level = match level {
        Level::Error => "failure",
        Level::Warning => "warning",
    };
    let title: String = plain(title).replace('\n', " ").chars().take(250).collect();
    let message = plain(message);
    json!({
        "path": file, "start_line": line, "end_line": line, "annotation_level": level, "title": title,
        "message": if message.trim().is_empty() { "failed" } else { &message },
    })
}

/// What is shown where a run left nothing that can be read.
pub fn nothing_report(why: &str) -> check::CheckReport {
    let summary = nothing(why);
    let title = format!("no results: {}", plain(why).replace('\n', " "));
    check::CheckReport { conclusion: "failure", title, summary, annotations: Vec::new() }
}

/// The comment where a run left nothing.
pub fn nothing(why: &str) -> String {
    format!(
        "### ⚠️ No results of this commit\n\n{}\n\n**→** This says nothing about quality: look at the log of the run.\n",
        markdown::prose(&why.replace('\n', " "))
    )
}

/// Whether a run is worth a comment where there is none yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum CommentWhen {
    /// Always
    Always,
    /// When something is not as it was, or not as it should be
    Changes,
    /// When something is not as it should be
    Regressions,
    /// Never, and none that is there is changed
    Never,
}

impl CommentWhen {
    /// Whether these results are worth one.
    pub fn is_met(self, results: Option<&Results>) -> bool {
        let Some(results) = results else { return self != Self::Never };
        let is_wrong = !matches!(results.gate.verdict, Verdict::Passed | Verdict::NoBaseline | Verdict::NotJudged);
        let counted = |change: Change| count(results, change) > 0;
        let changed =
            [Change::Regressed, Change::Lost, Change::Changed, Change::Removed, Change::Improved, Change::Added];
        match self {
            Self::Always => true,
            Self::Changes => {
                is_wrong
                    || results.comparison.is_none()
                    || changed.into_iter().any(counted)
                    || has_other_suites(results)
            }
            Self::Regressions => is_wrong || counted(Change::Regressed) || counted(Change::Lost),
            Self::Never => false,
        }
    }
}

/// Whether a suite is new or gone.
fn has_other_suites(results: &Results) -> bool {
    let mut suites = results.comparison.iter().flat_map(|comparison| &comparison.suites);
    suites.any(|suite| matches!(suite.state, SuiteState::Added | SuiteState::Removed))
}

fn count(results: &Results, change: Change) -> usize {
    let suites = results.comparison.iter().flat_map(|comparison| &comparison.suites);
    suites.filter_map(|suite| suite.counts.get(&change)).sum()
}

/// The outputs of the step, by name.
/// Without results, `instead` is the verdict and the exit code.
pub fn outputs(
    results: Option<&Results>,
    instead: (&'static str, ExitCode),
    directory: &str,
) -> Vec<(&'static str, String)> {
    let file = |format: report::ReportFormat| format!("{}/{}", directory.trim_end_matches('/'), format.file_name());
    let mut outputs = match results {
        Some(results) => {
            let word = serde_json::to_value(results.gate.verdict).ok();
            let word = word.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            let regressions = count(results, Change::Regressed) + count(results, Change::Lost);
            vec![
                ("verdict", word),
                ("exit-code", results.gate.exit_code.to_string()),
                ("regressions", regressions.to_string()),
                ("improvements", count(results, Change::Improved).to_string()),
                ("metrics", metrics(results).to_string()),
            ]
        }
        None => vec![
            ("verdict", instead.0.to_owned()),
            ("exit-code", instead.1.code().to_string()),
            ("regressions", "0".to_owned()),
            ("improvements", "0".to_owned()),
            ("metrics", "{}".to_owned()),
        ],
    };
    outputs.extend([
        ("results-dir", directory.to_owned()),
        ("junit", file(report::ReportFormat::Junit)),
        ("sarif", file(report::ReportFormat::Sarif)),
        ("report", file(report::ReportFormat::Html)),
    ]);
    outputs
}

/// Suite → metric → its value, and what it was over the cases that both have.
fn metrics(results: &Results) -> Value {
    let compared = |suite: &crate::model::SuiteId, metric: &str| {
        let suites = results.comparison.iter().flat_map(|all| &all.suites);
        let one = suites.filter(|one| one.id == *suite).find_map(|one| one.metrics.get(metric))?;
        let (before, now) = one.delta.values();
        Some((before?, now?))
    };
    let mut all = serde_json::Map::new();
    for suite in &results.suites {
        let metrics: BTreeMap<&String, Value> = suite
            .metrics
            .iter()
            .map(|(name, metric)| {
                let compared = compared(&suite.id, name);
                let value = json!({
                    "value": metric.value, "n": metric.n,
                    "baseline": compared.map(|(before, _)| before),
                    "delta": compared.map(|(before, now)| now - before),
                });
                (name, value)
            })
            .collect();
        all.insert(suite.id.to_string(), json!(metrics));
    }
    Value::Object(all)
}

/// Outputs as they stand in `GITHUB_OUTPUT`; `delimiter` must be one that no value has.
pub fn output_lines(outputs: &[(&'static str, String)], delimiter: &str) -> String {
    outputs.iter().map(|(name, value)| format!("{name}<<{delimiter}\n{value}\n{delimiter}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conclude::conclude;
    use crate::gate::GateContext;
    use crate::gate::spec::{baseline_of, reference, run_info, suite};
    use crate::model::{Policy, SuiteId};
    use crate::results::SuiteResult;

    #[test]
    fn a_new_suite_is_a_change_that_is_worth_a_comment() {
        let named = |id: &str| SuiteResult { id: SuiteId::new(id), ..suite("a+", &Policy::default()) };
        let main = reference(baseline_of(vec![named("s")]));
        let judged = |suites| conclude(suites, run_info(), Some(&main), &GateContext::default());
        assert!(!CommentWhen::Changes.is_met(Some(&judged(vec![named("s")]))));
        assert!(CommentWhen::Changes.is_met(Some(&judged(vec![named("s"), named("t")]))));
    }
}
