//! What the page shows of a `golden` case.

use super::{ComponentDetail, GoldenDetail};
use crate::model::{CaseChange, NO_VALUE, format_score};
use crate::suites::CaseView;
use crate::suites::page::{CasePage, PageBlock, PageCell, PageColumn, PageRow, PageSection, PageText};

pub(super) fn page(detail: &GoldenDetail, case: CaseView<'_>, change: Option<&CaseChange>) -> CasePage {
    let at = PageText::in_detail;
    let mut sections = Vec::new();
    if !detail.components.is_empty() {
        sections.push(PageSection::new("Components", vec![components(detail, change)]));
    }
    sections.push(PageSection::new("Request", vec![PageBlock::Text { text: at("/input") }]));
    sections.push(PageSection::new("Golden and answer", answer(detail, case)));
    CasePage {
        headline: Some(at("/description")),
        lead: Some(at("/description")),
        score_note: Some(format!("passes from {} on", format_score(detail.pass_at))),
        mark: detail.accepted.then_some("recorded answer is golden itself"),
        sections,
        has_difference: true,
        opens_output: false,
    }
}

fn components(detail: &GoldenDetail, change: Option<&CaseChange>) -> PageBlock {
    let was = |one: &ComponentDetail| change.and_then(|change| change.parts_was.get(&one.name)).copied();
    let is_known = change.is_some_and(|change| !change.parts_was.is_empty());
    let column = |label: &'static str, number: bool| PageColumn { label, number };
    let mut columns = vec![column("Component", false), column("Points", false), column("Earned", true)];
    columns.extend(is_known.then(|| column("Was", true)));
    columns.push(column("Note", false));
    let row = |(index, one): (usize, &ComponentDetail)| {
        let earned = one.value.map_or(NO_VALUE.to_owned(), format_score);
        let weight = format_score(one.weight);
        let then = was(one).map(|was| format!(", was {}", format_score(was))).unwrap_or_default();
        let label = match one.value {
            Some(_) => format!("{earned} of {weight}{then}"),
            None => format!("not measured of {weight}{then}"),
        };
        let name = vec![PageCell::text(one.name.as_str()), PageCell::quiet(one.measure.as_str())];
        let bar = PageCell::Bar { value: one.value, weight: one.weight, was: was(one), label };
        let mut cells = vec![name, vec![bar], vec![PageCell::strong(earned), PageCell::quiet(format!("of {weight}"))]];
        cells.extend(is_known.then(|| vec![then_points(one, was(one))]));
        let note = one.note.as_ref().map(|_| PageText::in_detail(&format!("/components/{index}/note")));
        cells.push(vec![note.map_or(PageCell::quiet(NO_VALUE), |note| PageCell::Text { text: note })]);
        PageRow { is_hit: false, cells }
    };
    PageBlock::Table { columns, rows: detail.components.iter().enumerate().map(row).collect() }
}

/// What a component earned in the baseline, and how far that is from now.
fn then_points(one: &ComponentDetail, was: Option<f64>) -> PageCell {
    let Some(was) = was else { return PageCell::quiet(NO_VALUE) };
    let (then, now) = (format_score(was), format_score(one.value.unwrap_or(0.0)));
    let gain = one.value.unwrap_or(0.0) - was;
    if then == now {
        return PageCell::text(then);
    }
    let sign = if gain > 0.0 { "▲" } else { "▼" };
    PageCell::text(format!("{then} {sign}{}", format_score(gain.abs())))
}

fn answer(detail: &GoldenDetail, case: CaseView<'_>) -> Vec<PageBlock> {
    let at = PageText::in_detail;
    let mut blocks = Vec::new();
    if detail.golden.is_null() {
        blocks.push(PageBlock::Paragraph { text: "There is no golden answer yet.".to_owned() });
    } else if case.diff.is_some() {
        blocks.push(PageBlock::Diff { text: PageText::At { at: "/diff".to_owned() } });
    } else if !detail.actual.is_null() {
        blocks.push(PageBlock::Paragraph { text: "The answer is the same as golden.".to_owned() });
    }
    if detail.unread.is_some() {
        blocks.push(PageBlock::Heading { text: "The answer could not be read" });
        blocks.push(PageBlock::Text { text: at("/unread") });
    }
    let fold = |summary: &'static str, pointer: &str, open: bool| PageBlock::Fold {
        summary: vec![PageCell::text(summary)],
        open,
        blocks: vec![PageBlock::Text { text: at(pointer) }],
    };
    if !detail.golden.is_null() {
        blocks.push(fold("Golden, whole", "/golden", false));
    }
    if !detail.actual.is_null() {
        blocks.push(fold("Answer, whole", "/actual", detail.golden.is_null()));
    }
    blocks
}
