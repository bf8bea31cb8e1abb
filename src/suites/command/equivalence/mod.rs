//! When do two commands mean the same?
//!
//! Both are parsed and brought into a normal form; they are equivalent if the forms are equal. Everything that goes
//! into a form is either syntax of the shell or stands in a table about the program (`docs/program-tables.md`).
//! The engine is conservative: a false "equivalent" is a defect, a missed one only a lower score.

mod arguments;
mod difference;
mod find;
mod form;
mod options;
mod order;
mod program;
mod render;
mod rules;
mod scan;
mod shell;
mod table;
#[cfg(test)]
mod tests;
mod usage;
mod word;

pub use program::Tables;
pub use render::normal_text;
pub use rules::EquivalenceRule;
pub use table::ProgramTable;
pub use usage::{CommandUsage, usage};
pub use word::expand_braces;

use crate::suites::command::{Difference, Method};
use crate::text::is_invisible;
use difference::{first_difference, true_difference};
use form::{Atom, Piece};
use shell::{ShellRead, read};

/// The answer to the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Equivalence {
    /// Byte for byte.
    Exact,
    Equivalent {
        /// The rule that held.
        rule: EquivalenceRule,
    },
    /// Not that we could tell.
    Different {
        /// The first word that differs.
        difference: Difference,
        /// Why the question could not be looked into, if that is so.
        reason: Option<String>,
    },
}

impl Equivalence {
    /// The score of its band.
    pub const fn score(&self) -> f64 {
        match self {
            Self::Exact => 1.0,
            Self::Equivalent { rule: EquivalenceRule::Whitespace } => 0.95,
            Self::Equivalent { .. } => 0.90,
            Self::Different { .. } => 0.0,
        }
    }

    pub const fn method(&self) -> Method {
        match self {
            Self::Exact => Method::ExactMatch,
            Self::Equivalent { .. } => Method::SemanticEquivalent,
            Self::Different { .. } => Method::NoMatch,
        }
    }

    /// The rule that held.
    pub const fn rule(&self) -> Option<EquivalenceRule> {
        match self {
            Self::Exact => Some(EquivalenceRule::Exact),
            Self::Equivalent { rule } => Some(*rule),
            Self::Different { .. } => None,
        }
    }

    /// The first word that differs.
    pub const fn difference(&self) -> Option<&Difference> {
        match self {
            Self::Different { difference, .. } => Some(difference),
            Self::Exact | Self::Equivalent { .. } => None,
        }
    }
}

/// Compares a generated command with the expected one.
pub fn compare(expected: &str, generated: &str, tables: &Tables) -> Equivalence {
    if expected == generated && !expected.trim().is_empty() {
        return Equivalence::Exact;
    }
    match (read(expected, tables), read(generated, tables)) {
        // Whoever does nothing answers no question, so two of them are not the same answer.
        (Ok(a), Ok(b)) if a.form == b.form && !does_nothing(&a.form) => {
            let rule =
                if a.tokens == b.tokens { whitespace_or_comment(&a, &b) } else { a.notes.deciding_rule(&b.notes) };
            Equivalence::Equivalent { rule }
        }
        (Ok(a), Ok(b)) if does_nothing(&a.form) && does_nothing(&b.form) => Equivalence::Different {
            difference: first_difference(&[], &[], Some("neither is a command".to_owned())),
            reason: None,
        },
        (Ok(a), Ok(b)) if a.tokens == b.tokens => Equivalence::Different {
            difference: first_difference(&a.tokens, &b.tokens, None),
            reason: Some("only blanks differ, but inside of a construct that is compared as it is written".to_owned()),
        },
        (Ok(a), Ok(b)) => Equivalence::Different { difference: true_difference(&a, &b), reason: None },
        (Err(why), _) | (_, Err(why)) => {
            let (a, b) = (expected.trim(), generated.trim());
            if a == b && !is_no_command(a, tables) {
                return Equivalence::Equivalent { rule: EquivalenceRule::Whitespace };
            }
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            Equivalence::Different {
                difference: first_difference(&words(a), &words(b), None),
                reason: Some(why.reason().to_owned()),
            }
        }
    }
}

/// The same words and operators: only blanks differ, or a comment.
fn whitespace_or_comment(a: &ShellRead, b: &ShellRead) -> EquivalenceRule {
    if a.notes.has_used(EquivalenceRule::Comment) || b.notes.has_used(EquivalenceRule::Comment) {
        EquivalenceRule::Comment
    } else {
        EquivalenceRule::Whitespace
    }
}

/// Whether a text holds no command at all: nothing, or only comments, operators and empty words.
pub fn is_no_command(text: &str, tables: &Tables) -> bool {
    match read(text, tables) {
        Ok(read) => does_nothing(&read.form),
        Err(_) => {
            let mut without_comments = text.lines().map(|line| match line.find('#') {
                Some(at) if line[..at].chars().next_back().is_none_or(is_before_comment) => &line[..at],
                Some(_) | None => line,
            });
            let is_empty = |character: char| " \t;&|<>()$`'\"\\".contains(character) || is_invisible(character);
            without_comments.all(|line| line.chars().all(is_empty))
        }
    }
}

fn is_before_comment(character: char) -> bool {
    character.is_whitespace() || ";&|()".contains(character)
}

/// Whether a normal form runs nothing: there is no word in it, or only empty ones.
fn does_nothing(form: &[Atom]) -> bool {
    form.iter().all(|atom| match atom {
        Atom::Open(sort) => *sort != "redirect",
        Atom::Close => true,
        Atom::Name(name) => matches!(name.as_str(), "&&" | "||" | "!"),
        Atom::Word(word) => word.0.iter().all(|piece| match piece {
            Piece::Literal(text) => text.chars().all(is_invisible),
            Piece::Special(character) => is_invisible(*character),
            Piece::Dynamic { form, .. } => match form.as_slice() {
                // What could not be read stands there as it is written.
                [Atom::Open("substitution" | "backquoted"), Atom::Name(text), Atom::Close] => {
                    text.trim().is_empty() || (text.trim_start().starts_with('#') && !text.trim().contains('\n'))
                }
                [Atom::Open("substitution"), inner @ ..] => does_nothing(inner),
                _ => false,
            },
        }),
    })
}
