//! What the page shows of a `command` case.

use super::{CommandDetail, Method};
use crate::suites::page::{CasePage, PageBlock, PageSection, PageSide, PageText};

pub(super) fn page(detail: &CommandDetail) -> CasePage {
    let at = PageText::in_detail;
    let is_expected = detail.compared_with.as_ref().is_none_or(|closest| *closest == detail.expected_command);
    let (title, closest) =
        if is_expected { ("Expected", "/expected_command") } else { ("Accepted, and closest", "/compared_with") };
    let sides = PageBlock::Sides {
        left: PageSide { title, text: Some(at(closest)) },
        right: PageSide {
            title: "Generated",
            text: detail.generated_command.as_ref().map(|_| at("/generated_command")),
        },
        marked: detail.method != Method::ExactMatch,
    };
    let mut sections = vec![
        PageSection::new("Prompt", vec![PageBlock::Text { text: at("/prompt") }]),
        PageSection::new("Answer", vec![sides, PageBlock::Paragraph { text: how_it_matched(detail) }]),
    ];
    let others: Vec<PageBlock> = others(detail).into_iter().map(|at| PageBlock::Text { text: at }).collect();
    if !others.is_empty() {
        let title = if is_expected { "Also accepted" } else { "Expected and also accepted" };
        sections.push(PageSection::new(title, others));
    }
    CasePage { headline: Some(at("/prompt")), sections, has_difference: true, ..CasePage::default() }
}

/// What would have been right as well.
fn others(detail: &CommandDetail) -> Vec<PageText> {
    const SHOWN: usize = 50;
    let closest = detail.compared_with.as_ref().unwrap_or(&detail.expected_command);
    let expected = [("/expected_command".to_owned(), &detail.expected_command)];
    let accepted = detail.accepted_commands.iter().enumerate();
    let accepted = accepted.map(|(index, command)| (format!("/accepted_commands/{index}"), command));
    let others = expected.into_iter().chain(accepted).filter(|(_, command)| *command != closest);
    others.take(SHOWN).map(|(pointer, _)| PageText::in_detail(&pointer)).collect()
}

fn how_it_matched(detail: &CommandDetail) -> String {
    let mut text = match (detail.method, &detail.rule) {
        (Method::ExactMatch, _) => "The same, byte for byte.".to_owned(),
        (Method::SemanticEquivalent, Some(rule)) => format!("Equivalent by the rule {rule}."),
        (Method::SemanticEquivalent, None) => "Equivalent.".to_owned(),
        (Method::NoMatch, _) if detail.refused => "The target refused, but a command is expected.".to_owned(),
        (Method::NoMatch, _) if detail.expects_refusal => "A refusal is expected.".to_owned(),
        (Method::NoMatch, _) => "No match.".to_owned(),
        (Method::Refused, _) => "The target refused, as it should.".to_owned(),
    };
    if detail.unwrapped {
        text.push_str(" The command was taken out of a longer answer.");
    }
    if let Some(why) = &detail.unsafe_because {
        text.push_str(&format!(" Unsafe: {why}."));
    }
    if !detail.not_posix.is_empty() {
        text.push_str(&format!(" POSIX does not have {}.", detail.not_posix.join(", ")));
    }
    if let Some(first) = &detail.first_difference {
        let word = |word: &Option<String>| word.as_ref().map_or("nothing".to_owned(), |word| format!("`{word}`"));
        let (expected, generated) = (word(&first.expected), word(&first.generated));
        text.push_str(&format!(
            " First difference at word {}: expected {expected}, generated {generated}.",
            first.word
        ));
        text.push_str(&first.note.as_ref().map(|note| format!(" {note}")).unwrap_or_default());
    }
    text
}
