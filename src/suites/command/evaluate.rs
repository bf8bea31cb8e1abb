//! Judges the command that was answered against those that are right.

use std::collections::BTreeMap;

use similar::{ChangeTag, TextDiff};

use super::CommandQuestion;
use super::equivalence::{Equivalence, compare};
use crate::model::{Answer, Check, Ending, Score, Status};
use crate::suites::CaseDetail;
use crate::suites::Evaluation;
use crate::suites::command::{CommandSuiteDetail, Difference, Method};

/// A command passes from this score on: whatever is equivalent does.
const PASS_AT: f64 = 0.90;

/// Judges a given answer; asks nobody.
pub fn evaluate(question: &CommandQuestion, answer: &Answer) -> Evaluation {
    match &answer.ending {
        Ending::Answered(command) => judge(question, command),
        Ending::Empty
        | Ending::NotUtf8 { .. }
        | Ending::Unreadable { .. }
        | Ending::ExitCode(_)
        | Ending::Signal(_)
        | Ending::TimedOut { .. } => without_answer(question, Status::Failed, Some(Score::ZERO), answer),
        Ending::CouldNotStart { .. } | Ending::Unreachable { .. } => {
            without_answer(question, Status::Error, None, answer)
        }
        Ending::Unasked { .. } | Ending::Interrupted => without_answer(question, Status::Unmeasured, None, answer),
    }
}

/// Judges the text of a command against every right one; the best match counts.
fn judge(question: &CommandQuestion, command: &str) -> Evaluation {
    let mut best = (question.expected.as_str(), compare(&question.expected, command, &question.tables));
    for accepted in &question.accepted {
        let verdict = compare(accepted, command, &question.tables);
        if verdict.score() > best.1.score() {
            best = (accepted, verdict);
        }
    }
    let (expected, verdict) = best;
    let score = verdict.score();
    let passed = score >= PASS_AT;
    Evaluation {
        status: if passed { Status::Passed } else { Status::Failed },
        score: Some(Score::clamped(score)),
        metrics: BTreeMap::from([("exact-rate", f64::from(u8::from(verdict == Equivalence::Exact)))]),
        checks: vec![check(if passed { Status::Passed } else { Status::Failed }, explain(&verdict))],
        diff: (!matches!(verdict, Equivalence::Exact)).then(|| diff(expected, command)),
        detail: CaseDetail::Command(question.detail(Some(command), Some((expected, &verdict)))),
    }
}

fn without_answer(question: &CommandQuestion, status: Status, score: Option<Score>, answer: &Answer) -> Evaluation {
    Evaluation {
        status,
        score,
        metrics: BTreeMap::from([("exact-rate", 0.0)]),
        checks: vec![check(status, Some(answer.sentence()))],
        diff: None,
        detail: CaseDetail::Command(question.detail(None, None)),
    }
}

fn check(status: Status, details: Option<String>) -> Check {
    Check { name: "expected-command".into(), status, details }
}

fn explain(verdict: &Equivalence) -> Option<String> {
    match verdict {
        Equivalence::Exact => None,
        Equivalence::Equivalent { rule, .. } => Some(format!("equivalent by {}", rule.name())),
        Equivalence::Different { difference, .. } => Some(sentence(difference)),
    }
}

/// The first difference in words.
pub fn sentence(difference: &Difference) -> String {
    let Difference { word, expected, generated, note } = difference;
    if expected.is_none() && generated.is_none() {
        return "every word is the same".to_owned();
    }
    let quoted = |text: &Option<String>| text.as_ref().map_or("nothing".to_owned(), |text| format!("`{text}`"));
    let note = note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
    format!("word {word}: expected {}, generated {}{note}", quoted(expected), quoted(generated))
}

/// Expected and generated as a diff, a line each.
fn diff(expected: &str, generated: &str) -> String {
    let lines = TextDiff::from_lines(expected, generated);
    let mut text = String::new();
    for change in lines.iter_all_changes() {
        text.push(match change.tag() {
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
            ChangeTag::Equal => ' ',
        });
        text.push_str(change.value().trim_end_matches('\n'));
        text.push('\n');
    }
    text
}

/// How many measured cases matched in which way.
pub fn suite_detail<'a>(details: impl Iterator<Item = (Status, &'a CaseDetail)>) -> CommandSuiteDetail {
    let mut counts = CommandSuiteDetail { exact_match: 0, semantic_equivalent: 0, no_match: 0 };
    for (_, detail) in details.filter(|(status, _)| status.is_measured()) {
        let CaseDetail::Command(detail) = detail else { continue };
        match detail.method {
            Method::ExactMatch => counts.exact_match += 1,
            Method::SemanticEquivalent => counts.semantic_equivalent += 1,
            Method::NoMatch => counts.no_match += 1,
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::suites::command::equivalence::Tables;

    fn question() -> CommandQuestion {
        CommandQuestion {
            prompt: "list everything".into(),
            expected: "ls -la".into(),
            accepted: vec!["find . -maxdepth 1".into()],
            category: "file_operations".into(),
            risk_level: "safe",
            posix_compliant: true,
            tables: Tables::shipped(),
        }
    }

    fn given(ending: Ending) -> Evaluation {
        evaluate(&question(), &Answer::ended(ending))
    }

    fn answered(text: &str) -> (f64, Method) {
        let evaluation = given(Ending::Answered(text.into()));
        let CaseDetail::Command(detail) = evaluation.detail else { panic!("not a command") };
        (evaluation.score.unwrap().value(), detail.method)
    }

    #[test]
    fn an_exact_match_scores_one() {
        assert_eq!(answered("ls -la"), (1.0, Method::ExactMatch));
    }

    #[test]
    fn other_whitespace_scores_ninety_five() {
        assert_eq!(answered("ls   -la "), (0.95, Method::SemanticEquivalent));
    }

    #[test]
    fn another_order_of_flags_scores_ninety() {
        assert_eq!(answered("ls -al"), (0.90, Method::SemanticEquivalent));
    }

    #[test]
    fn an_accepted_command_is_as_good_as_the_expected_one() {
        assert_eq!(answered("find . -maxdepth 1"), (1.0, Method::ExactMatch));
    }

    #[test]
    fn no_match_scores_zero_with_a_diff_that_names_the_first_word_that_differs() {
        let evaluation = given(Ending::Answered("pwd".into()));
        assert_eq!(evaluation.score, Some(Score::ZERO));
        assert_eq!(evaluation.diff.as_deref(), Some("-ls -la\n+pwd\n"));
        assert_eq!(evaluation.checks[0].details.as_deref(), Some("word 1: expected `ls`, generated `pwd`"));
    }

    #[test]
    fn a_fault_of_the_system_under_test_is_a_failure_and_counts() {
        let faults = [
            Ending::Empty,
            Ending::NotUtf8 { offset: 3 },
            Ending::Unreadable { why: "no JSON".into() },
            Ending::ExitCode(3),
            Ending::Signal(11),
            Ending::TimedOut { after: Duration::from_secs(1) },
        ];
        for fault in faults {
            let evaluation = given(fault.clone());
            assert_eq!((evaluation.status, evaluation.score), (Status::Failed, Some(Score::ZERO)), "{fault:?}");
        }
    }

    #[test]
    fn an_answer_that_could_not_be_had_is_an_error_and_does_not_count() {
        let evaluation = given(Ending::CouldNotStart { why: "not found".into() });
        assert_eq!((evaluation.status, evaluation.score), (Status::Error, None));
    }
}
