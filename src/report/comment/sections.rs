//! The blocks of a comment, each from a template.

use super::Frame;
use super::tables;
use super::view_models::{self, View};
use crate::report::size_budget::Block;
use crate::report::templates;
use crate::results::Results;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// A comment: what a reviewer needs.
    Comment,
    /// A page of its own: the trend of every metric as well.
    Summary,
}

const TEMPLATES: [(&str, &str); 9] = [
    ("verdict", include_str!("verdict.md.j2")),
    ("reasons", include_str!("reasons.md.j2")),
    ("metrics", include_str!("metrics.md.j2")),
    ("lanes", include_str!("lanes.md.j2")),
    ("heading", include_str!("heading.md.j2")),
    ("case", include_str!("case.md.j2")),
    ("list", include_str!("list.md.j2")),
    ("trend", include_str!("trend.md.j2")),
    ("footer", include_str!("footer.md.j2")),
];

/// Every block, in the order of the document.
pub(super) fn all(results: &Results, frame: &Frame, room: Room) -> Result<Vec<Block>, minijinja::Error> {
    let environment = templates::of_markdown(&TEMPLATES)?;
    let mut blocks = Vec::new();
    let mut push = |template: &str, priority: u32, things: usize, view: &dyn View| -> Result<(), minijinja::Error> {
        let text = environment.get_template(template)?.render(view.value())?;
        blocks.push(Block { priority, things, text });
        Ok(())
    };
    push("verdict", 0, 1, &view_models::verdict(results, frame))?;
    let (telling, failing): (Vec<_>, Vec<_>) =
        view_models::reasons(results).into_iter().partition(|(priority, _)| *priority >= 30);
    for (priority, part) in &failing {
        push("reasons", *priority, part.lines.len(), part)?;
    }
    for (index, table) in tables::metrics(results).into_iter().enumerate() {
        let priority = if table.folded { 55 } else { 20 + u32::from(index > 0) };
        push("metrics", priority, table.rows.len(), &table)?;
    }
    if let Some(lanes) = tables::lanes(results) {
        push("lanes", 22, lanes.rows.len(), &lanes)?;
    }
    for section in view_models::sections(results) {
        push("heading", section.priority, 0, &section.heading)?;
        for (index, case) in section.cases.iter().enumerate() {
            // The first few are worth more than everything that comes later.
            let later = u32::from(index >= 10) * 20;
            push("case", section.priority + 1 + later, 1, case)?;
        }
    }
    for (priority, list) in view_models::lists(results) {
        push("list", priority, list.entries.len(), &list)?;
    }
    for (priority, part) in &telling {
        push("reasons", *priority, part.lines.len(), part)?;
    }
    if room == Room::Summary
        && let Some(trend) = tables::trend(results)
    {
        push("trend", 70, trend.rows.len(), &trend)?;
    }
    push("footer", 5, 0, &view_models::footer(results, frame))?;
    Ok(blocks)
}
