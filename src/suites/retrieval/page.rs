//! What the page shows of a `retrieval` case.

use super::RetrievalDetail;
use crate::model::{CaseChange, NO_VALUE, Nature, Status};
use crate::suites::page::{CasePage, PageBlock, PageCell, PageColumn, PageRow, PageSection, PageText};

pub(super) fn page(detail: &RetrievalDetail, change: Option<&CaseChange>) -> CasePage {
    let at = PageText::in_detail;
    let said = if detail.description.is_empty() { at("/spec_content") } else { at("/description") };
    let query = PageSection {
        title: "Query",
        note: Some(match detail.spec_id.as_str() {
            "" => format!("looked for {} in {}", detail.k, detail.lane.name()),
            spec => format!("{spec}, looked for {} in {}", detail.k, detail.lane.name()),
        }),
        blocks: vec![PageBlock::Text { text: at("/spec_content") }],
    };
    let mut found = vec![PageBlock::Paragraph { text: measures(detail) }];
    match detail.top_ids.is_empty() {
        true => found.push(PageBlock::Paragraph { text: "Nothing was found.".to_owned() }),
        false => found.push(ranking(detail, change)),
    }
    found.extend(missed(detail, change));
    if !detail.index_told {
        let text = "The engine cannot tell which ids it holds, so a missing one counts as a miss.";
        found.push(PageBlock::Paragraph { text: text.to_owned() });
    }
    CasePage {
        headline: Some(said.clone()),
        lead: (!detail.description.is_empty()).then_some(said),
        sections: vec![query, PageSection::new("Found", found)],
        ..CasePage::default()
    }
}

fn measures(detail: &RetrievalDetail) -> String {
    let number = |value: Option<f64>| Nature::Quality.format_or_dash(value);
    let (precision, recall) = (number(detail.precision_at_k), number(detail.recall_at_k));
    format!("P@k {precision} · R@k {recall} · MRR {}", number(detail.mrr))
}

fn was(change: Option<&CaseChange>, id: &str) -> Option<f64> {
    change.and_then(|change| change.parts_was.get(id)).copied()
}

fn ranking(detail: &RetrievalDetail, change: Option<&CaseChange>) -> PageBlock {
    let is_known = change.is_some_and(|change| !change.parts_was.is_empty());
    let column = |label: &'static str| PageColumn { label, number: false };
    let mut columns = vec![column("Rank"), column("Id"), column("Expected")];
    columns.extend(is_known.then(|| column("Was")));
    let row = |(index, id): (usize, &String)| {
        let is_hit = detail.hits.contains(id);
        let expected = if is_hit { PageCell::badge(Status::Passed, "hit") } else { PageCell::quiet(NO_VALUE) };
        let mut cells = vec![
            vec![PageCell::text((index + 1).to_string())],
            vec![PageCell::code(PageText::in_detail(&format!("/top_ids/{index}")))],
            vec![expected],
        ];
        let then = was(change, id).map_or("not found".to_owned(), |rank| format!("rank {rank}"));
        cells.extend(is_known.then(|| vec![PageCell::text(if is_hit { then } else { String::new() })]));
        PageRow { is_hit, cells }
    };
    PageBlock::Table { columns, rows: detail.top_ids.iter().enumerate().map(row).collect() }
}

/// What was expected and is not among the first.
fn missed(detail: &RetrievalDetail, change: Option<&CaseChange>) -> Vec<PageBlock> {
    let is_missed = |id: &str| detail.rank_of(id).is_none_or(|rank| rank > detail.k);
    let mut items = Vec::new();
    for (index, id) in detail.expected_ids.iter().enumerate().filter(|(_, id)| is_missed(id)) {
        let word = if detail.missing_expected_ids.contains(id) { "not in the index" } else { "missed" };
        let mut item = vec![
            PageCell::badge(Status::Failed, word),
            PageCell::code(PageText::in_detail(&format!("/expected_ids/{index}"))),
        ];
        item.extend(was(change, id).map(|rank| PageCell::text(format!("was rank {rank}"))));
        items.push(item);
    }
    if items.is_empty() {
        return Vec::new();
    }
    vec![PageBlock::Heading { text: "Expected and not found" }, PageBlock::Items { items }]
}
