//! Where two commands differ, once everything that the normal form makes alike is set aside.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::form::Atom;
use super::rules::{EquivalenceRule, NotedOption, Notes};
use super::shell::ShellRead;
use crate::suites::command::Difference;

/// The first word that differs, as it is written.
pub(super) fn first_difference(a: &[String], b: &[String], note: Option<String>) -> Difference {
    let word = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    Difference { word: word + 1, expected: a.get(word).cloned(), generated: b.get(word).cloned(), note }
}

/// The first word that makes a difference: options that both have, in whichever spelling and order, make none.
pub(super) fn true_difference(a: &ShellRead, b: &ShellRead) -> Difference {
    // An option may be spelled in a way that is not noted, such as `-5`; the normal forms know better.
    let same_options = options(&a.form) == options(&b.form);
    let only = |of: &ShellRead, from: &ShellRead| {
        if same_options { Vec::new() } else { missing(&of.notes, &from.notes) }
    };
    let (only_a, only_b) = (only(a, b), only(b, a));
    let note = option_note(&only_a, &only_b).filter(|_| a.tokens.first() == b.tokens.first());
    let (ours, theirs) = (telling_words(a, &only_a, same_options), telling_words(b, &only_b, same_options));
    let Some((ours, theirs)) = differing(&ours, &theirs) else {
        return first_difference(&a.tokens, &b.tokens, note);
    };
    let shown = |of: &ShellRead, at: Option<usize>| at.and_then(|at| of.tokens.get(at).cloned());
    let word = ours.or(theirs).unwrap_or(0) + 1;
    Difference { word, expected: shown(a, ours), generated: shown(b, theirs), note }
}

/// A word that is not explained by options that both commands have.
struct TellingWord {
    /// Its place among the words as they are written.
    at: usize,
    /// Without quotes.
    text: String,
    /// Whether it is neither an option nor the value of one.
    is_operand: bool,
}

/// The words of a command without its options that the other one has, too, and their values.
fn telling_words(of: &ShellRead, only: &[NotedOption], same_options: bool) -> Vec<TellingWord> {
    let mut shared = of.notes.options.clone();
    for option in only {
        if let Some(at) = shared.iter().position(|other| other == option) {
            shared.remove(at);
        }
    }
    let letters: Vec<&str> = only.iter().filter_map(|option| short_letter(&option.name)).collect();
    let mut words = Vec::new();
    let (mut value_of, mut own_value_of): (Option<&NotedOption>, Option<&NotedOption>) = (None, None);
    for (at, written) in of.tokens.iter().enumerate() {
        let text = unquoted(written);
        let is_value = value_of.take().is_some_and(|option| option.value == text);
        let is_old_style = at == 1 && only.is_empty() && is_option_word(written, of);
        let is_shared = shared.iter().find(|option| spells(written, option));
        let own = only.iter().find(|option| spells(written, option));
        let is_only = own.is_some() || letters.iter().any(|letter| is_cluster(written) && written.contains(letter));
        let is_own_value = own_value_of.take().is_some_and(|option| option.value == text);
        if is_value || written == "--" || is_old_style {
            continue;
        }
        if let Some(option) = is_shared.filter(|_| !is_only) {
            value_of = Some(option).filter(|option| has_value_after(written, option));
            continue;
        }
        if same_options && written.len() > 1 && written.starts_with('-') {
            continue;
        }
        own_value_of = own.filter(|option| has_value_after(written, option));
        words.push(TellingWord { at, text, is_operand: !is_own_value && !written.starts_with('-') });
    }
    words
}

/// The options of a normal form, each with its value, in whichever order.
fn options(form: &[Atom]) -> Vec<&[Atom]> {
    let mut options = Vec::new();
    for (at, _) in form.iter().enumerate().filter(|(_, atom)| matches!(atom, Atom::Open("option" | "primary"))) {
        let length = form[at..].iter().position(|atom| *atom == Atom::Close).unwrap_or(form.len() - at);
        options.push(&form[at..at + length]);
    }
    options.sort();
    options
}

/// Whether the second word is a cluster of options without a dash, as in `tar xzf`; an option word may also be `-5`.
fn is_option_word(word: &str, of: &ShellRead) -> bool {
    let is_number =
        |token: &String| token.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    of.notes.has_used(EquivalenceRule::OptionWord) && !word.starts_with('-') && !of.tokens.iter().any(is_number)
}

/// Whether a word is this option, or a cluster that has it.
fn spells(word: &str, option: &NotedOption) -> bool {
    if word == option.name || word.strip_prefix(&option.name).is_some_and(|rest| rest.starts_with('=')) {
        return true;
    }
    let glued = !option.value.is_empty() && word.starts_with('-') && word.ends_with(&option.value);
    glued || short_letter(&option.name).is_some_and(|letter| is_cluster(word) && word.contains(letter))
}

/// Whether the value of an option is the next word.
fn has_value_after(word: &str, option: &NotedOption) -> bool {
    !option.value.is_empty() && !word.ends_with(&option.value)
}

fn short_letter(name: &str) -> Option<&str> {
    name.strip_prefix('-').filter(|letter| letter.chars().count() == 1 && !letter.starts_with('-'))
}

fn is_cluster(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word.starts_with("--")
}

fn unquoted(word: &str) -> String {
    word.chars().filter(|character| !matches!(character, '\'' | '"' | '\\')).collect()
}

/// The places of the two words that differ; an operand says more than an option. Nothing if only quotes or the order of
/// everything differ.
fn differing(a: &[TellingWord], b: &[TellingWord]) -> Option<(Option<usize>, Option<usize>)> {
    let texts = |words: &[TellingWord]| words.iter().map(|word| word.text.clone()).collect::<Vec<String>>();
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for op in capture_diff_slices(Algorithm::Myers, &texts(a), &texts(b)) {
        if let DiffOp::Equal { .. } = op {
            continue;
        }
        let (ours, theirs) = (&a[op.old_range()], &b[op.new_range()]);
        let operands = |words: &[TellingWord]| words.iter().find(|word| word.is_operand).map(|word| word.at);
        if let (Some(ours), Some(theirs)) = (operands(ours), operands(theirs)) {
            return Some((Some(ours), Some(theirs)));
        }
        removed.extend(ours);
        added.extend(theirs);
    }
    // Operands first, also where only one side has one.
    removed.sort_by_key(|word| !word.is_operand);
    added.sort_by_key(|word| !word.is_operand);
    match (removed.first(), added.first()) {
        (None, None) => None,
        // The same words in another order.
        (Some(ours), Some(theirs)) if ours.text == theirs.text => None,
        (ours, theirs) => Some((ours.map(|word| word.at), theirs.map(|word| word.at))),
    }
}

/// What one command has and the other has not.
fn missing(of: &Notes, from: &Notes) -> Vec<NotedOption> {
    let mut left = from.options.clone();
    let mut missing = Vec::new();
    for option in &of.options {
        match left.iter().position(|other| other == option) {
            Some(at) => {
                left.remove(at);
            }
            None => missing.push(option.clone()),
        }
    }
    missing
}

/// What the option does that is all that differs, or the two options that stand for each other.
fn option_note(only_a: &[NotedOption], only_b: &[NotedOption]) -> Option<String> {
    let about = |option: &NotedOption| format!("{}: {}", option.name, option.about);
    match (only_a, only_b) {
        ([one], []) | ([], [one]) => Some(about(one)),
        ([one], [other]) if one.name == other.name => Some(about(one)),
        ([one], [other]) => Some(format!("{}; {}", about(one), about(other))),
        _ => None,
    }
}
