//! What several reports say of a case, said once.

use std::collections::HashMap;

use similar::{ChangeTag, TextDiff};

use crate::model::{CaseChange, CaseId, Change, NO_VALUE, Status, SuiteId, format_score};
use crate::results::{CaseResult, Results, SuiteResult};
use crate::suites::CaseDetail;
use crate::suites::golden::{ComponentDetail, GoldenDetail};
use crate::suites::retrieval::RetrievalDetail;

/// How a case is to be seen beside the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is wrong, and was not before, or nobody knows.
    New,
    /// It is wrong as it was.
    Known,
    /// It is right, or was not run.
    Fine,
}

/// Finds the change of a case quickly.
#[derive(Debug)]
pub struct Changes<'a>(HashMap<(&'a SuiteId, &'a CaseId), &'a CaseChange>);

impl<'a> Changes<'a> {
    /// Those of a run.
    pub fn of(results: &'a Results) -> Self {
        let suites = results.comparison.iter().flat_map(|all| &all.suites);
        Self(suites.flat_map(|suite| suite.cases.iter().map(move |one| ((&suite.id, &one.id), one))).collect())
    }

    /// The change of a case, if it is not what it was or fails as it did.
    pub fn get(&self, suite: &'a SuiteId, case: &'a CaseId) -> Option<&'a CaseChange> {
        self.0.get(&(suite, case)).copied()
    }

    /// How a case is to be seen.
    pub fn standing(&self, suite: &'a SuiteResult, case: &'a CaseResult) -> Standing {
        match case.status {
            Status::Failed | Status::Error => {
                let known = self.get(&suite.id, &case.id).is_some_and(|one| {
                    one.was == Some(Status::Failed) && one.now == Some(Status::Failed) && one.change != Change::Changed
                });
                if known { Standing::Known } else { Standing::New }
            }
            Status::Passed | Status::Unmeasured | Status::Skipped => Standing::Fine,
        }
    }
}

/// Why a case is as it is, in one line: its first check that does not hold.
pub fn why(case: &CaseResult) -> String {
    let wrong = case.checks.iter().filter(|check| !matches!(check.status, Status::Passed | Status::Skipped));
    let details = wrong.clone().find_map(|check| check.details.as_ref());
    let first = details.and_then(|details| details.lines().next()).map(str::to_owned);
    first.or_else(|| wrong.clone().next().map(|check| check.name.clone())).unwrap_or_default()
}

/// What differs from what is expected, as text: a diff, the marked words, the parts, the ranks.
pub fn preview(case: &CaseResult, change: Option<&CaseChange>) -> Option<String> {
    match &case.detail {
        Some(CaseDetail::Command(detail)) => {
            let generated = detail.generated_command.as_ref().filter(|_| case.status != Status::Passed)?;
            let expected = detail.compared_with.as_ref().unwrap_or(&detail.expected_command);
            Some(marked(expected, generated))
        }
        Some(CaseDetail::Golden(detail)) => Some(parts(detail, change)),
        Some(CaseDetail::Retrieval(detail)) => Some(ranks(detail, change)),
        Some(CaseDetail::Scenario(_) | CaseDetail::Imported(_)) | None => case.diff.clone(),
    }
}

/// Two commands, one below the other, and a line with `^` below the words that differ.
fn marked(expected: &str, generated: &str) -> String {
    let (mut out, mut marks) = ([String::new(), String::new()], [String::new(), String::new()]);
    let diff = TextDiff::from_words(expected, generated);
    for change in diff.iter_all_changes() {
        let text = change.value();
        let sides: &[usize] = match change.tag() {
            ChangeTag::Equal => &[0, 1],
            ChangeTag::Delete => &[0],
            ChangeTag::Insert => &[1],
        };
        let mark = if change.tag() == ChangeTag::Equal || text.trim().is_empty() { ' ' } else { '^' };
        for side in sides {
            out[*side].push_str(text);
            marks[*side].extend(text.chars().map(|c| if c == '\n' { '\n' } else { mark }));
        }
    }
    let mut lines = String::new();
    for (sign, (text, marks)) in ["-", "+"].into_iter().zip(out.iter().zip(&marks)) {
        for (text, marks) in text.lines().zip(marks.lines()) {
            lines.push_str(&format!("{sign} {text}\n"));
            if marks.contains('^') {
                lines.push_str(&format!("  {}\n", marks.trim_end()));
            }
        }
    }
    lines
}

/// What each component earned, then and now; those that moved first.
fn parts(detail: &GoldenDetail, change: Option<&CaseChange>) -> String {
    let change = change.filter(|one| one.change != Change::Changed);
    let was = |one: &ComponentDetail| change.and_then(|change| change.parts_was.get(&one.name)).copied();
    let moved = |one: &&ComponentDetail| match (was(one), one.value) {
        (Some(was), Some(now)) => (was - now).abs() > 1e-9,
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    };
    let number = |value: Option<f64>| value.map_or(NO_VALUE.to_owned(), format_score);
    let mut lines = String::new();
    let (first, rest): (Vec<&ComponentDetail>, Vec<&ComponentDetail>) = detail.components.iter().partition(moved);
    for one in first.into_iter().chain(rest) {
        let sign = match (was(one), one.value) {
            (Some(was), Some(now)) if now < was - 1e-9 => '-',
            (Some(was), Some(now)) if now > was + 1e-9 => '+',
            (Some(_) | None, Some(_) | None) => ' ',
        };
        let then = was(one).map(|was| format!("{} → ", format_score(was))).unwrap_or_default();
        let note = one.note.as_ref().map(|note| format!("  {note}")).unwrap_or_default();
        lines.push_str(&format!(
            "{sign} {}: {then}{} of {}{note}\n",
            one.name,
            number(one.value),
            format_score(one.weight)
        ));
    }
    if let Some(unread) = &detail.unread {
        lines.push_str(&format!("  answer: {unread}\n"));
    }
    lines
}

/// Where the expected ids stand, then and now.
fn ranks(detail: &RetrievalDetail, change: Option<&CaseChange>) -> String {
    // Where the question was another or ranks were not kept, nothing is known of then.
    let change = change.filter(|one| {
        let asked = !matches!(one.change, Change::Added | Change::Changed);
        asked && (!one.parts_was.is_empty() || one.was == Some(Status::Failed))
    });
    let mut lines = String::new();
    for id in &detail.expected_ids {
        let now = detail.top_ids.iter().position(|top| top == id).map(|rank| rank + 1);
        let was = change.and_then(|change| change.parts_was.get(id)).copied();
        let missing = detail.missing_expected_ids.contains(id);
        #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^52")]
        let sign = match (was, now) {
            (Some(_), None) => '-',
            (None, Some(_)) if change.is_some() => '+',
            (Some(was), Some(now)) if (now as f64) > was => '-',
            (Some(was), Some(now)) if (now as f64) < was => '+',
            (Some(_) | None, Some(_)) | (None, None) => ' ',
        };
        let place = |rank: Option<String>| {
            rank.map_or(format!("not among the first {}", detail.k), |rank| format!("rank {rank}"))
        };
        let now_text = if missing { "not in the index".to_owned() } else { place(now.map(|rank| rank.to_string())) };
        let then = match (was, change) {
            (Some(was), _) => format!("rank {was} → "),
            (None, Some(_)) => "not found → ".to_owned(),
            (None, None) => String::new(),
        };
        lines.push_str(&format!("{sign} {id}: {then}{now_text}\n"));
    }
    lines
}
