//! What the page shows of a `scenario` case.

use super::observation::GoalStatus;
use super::{AssertionDetail, GoalDetail, ScenarioDetail};
use crate::model::{NO_VALUE, Nature, Status};
use crate::suites::page::{CasePage, PageBlock, PageCell, PageColumn, PageRow, PageSection, PageText};

pub(super) fn page(detail: &ScenarioDetail) -> CasePage {
    const FILES: usize = 200;
    let at = PageText::in_detail;
    let goals = match detail.goals.is_empty() {
        true => vec![PageBlock::Paragraph { text: "None declared.".to_owned() }],
        false => detail.goals.iter().enumerate().map(|(index, one)| goal(index, one)).collect(),
    };
    let note = Some(format!("adapter {}", detail.adapter_id));
    let mut sections = vec![PageSection { title: "Goals", note, blocks: goals }];
    if !detail.pattern_assertions.is_empty() {
        sections.push(PageSection::new("Assertions", vec![assertions(&detail.pattern_assertions)]));
    }
    if !detail.changed.is_empty() {
        let file = |index: usize| vec![PageCell::code(at(&format!("/changed/{index}")))];
        let items = (0..detail.changed.len().min(FILES)).map(file).collect();
        sections.push(PageSection::new("Files that the task changed", vec![PageBlock::Items { items }]));
    }
    if detail.working_copy.is_some() {
        let kept = vec![PageCell::code(at("/workingCopy"))];
        sections.push(PageSection::new("Working copy", vec![PageBlock::Items { items: vec![kept] }]));
    }
    CasePage { headline: Some(at("/title")), lead: Some(at("/title")), sections, ..CasePage::default() }
}

fn goal(index: usize, goal: &GoalDetail) -> PageBlock {
    let at = |field: &str| PageText::in_detail(&format!("/goals/{index}/{field}"));
    let status = match goal.status {
        GoalStatus::Passed => Status::Passed,
        GoalStatus::Failed | GoalStatus::TimedOut => Status::Failed,
        GoalStatus::NotRun => Status::Skipped,
        GoalStatus::Error => Status::Error,
    };
    let exit = goal.exit_code.map_or("no exit code".to_owned(), |code| format!("exit code {code}"));
    let ended = format!("{exit}, {}", Nature::Latency.format(goal.duration_ms));
    let mut blocks: Vec<PageBlock> = goal.error.iter().map(|_| PageBlock::Text { text: at("error") }).collect();
    for (heading, field) in [("Command", "command"), ("Standard output", "stdout"), ("Standard error", "stderr")] {
        blocks.push(PageBlock::Heading { text: heading });
        blocks.push(PageBlock::Text { text: at(field) });
    }
    PageBlock::Fold {
        summary: vec![
            PageCell::badge(status, goal.status.word()),
            PageCell::strong(goal.goal.as_str()),
            PageCell::code(at("command")),
            PageCell::quiet(ended),
        ],
        open: matches!(goal.status, GoalStatus::Failed | GoalStatus::TimedOut | GoalStatus::Error),
        blocks,
    }
}

fn assertions(all: &[AssertionDetail]) -> PageBlock {
    let column = |label: &'static str| PageColumn { label, number: false };
    let row = |(index, one): (usize, &AssertionDetail)| {
        let at = |field: &str| PageText::in_detail(&format!("/patternAssertions/{index}/{field}"));
        let mut kind = vec![PageCell::text(one.kind.as_str())];
        kind.extend(one.note.as_ref().map(|note| PageCell::quiet(note.as_str())));
        let path = match &one.path {
            Some(_) if one.scope == "fixture" => vec![PageCell::code(at("path"))],
            Some(_) => vec![PageCell::code(at("path")), PageCell::quiet(format!("in the {}", one.scope))],
            None => vec![PageCell::quiet(NO_VALUE)],
        };
        let details = one.details.as_ref().map(|_| PageCell::Text { text: at("details") });
        let cells = vec![
            kind,
            path,
            vec![PageCell::badge(one.status, one.status.word())],
            vec![details.unwrap_or_else(|| PageCell::quiet(NO_VALUE))],
        ];
        PageRow { is_hit: false, cells }
    };
    let columns = ["Assertion", "Path", "Status", "Details"].map(column).to_vec();
    PageBlock::Table { columns, rows: all.iter().enumerate().map(row).collect() }
}
