//! Which of two arguments may change places, and the one order that stands for all equivalent ones.
//!
//! A sequence in which some neighbours may be swapped is a trace. Its normal form is found by taking, again and again,
//! the smallest argument that nothing before it holds back. Two sequences have the same normal form exactly if one can
//! be turned into the other by allowed swaps.

use super::form::{Atom, Form, Word};
use super::program::OptionSpec;
use super::table::OptionRepeat;

/// One argument of a program that the table knows.
#[derive(Debug, Clone)]
pub(super) enum Argument<'a> {
    /// An option with its value.
    Option {
        /// Whose option it is: 0 the program's, 1 its subcommand's, and so on.
        scope: usize,
        spec: &'a OptionSpec,
        value: Option<Word>,
        /// Whether its place is fixed, because its value may turn out to be no word or several.
        fixed: bool,
    },
    /// An operand: keeps its place among operands.
    Operand {
        word: Word,
        /// Whether it could turn out to be an option, so that nothing may pass it.
        fixed: bool,
    },
    /// A `key=value` operand: keeps its place among those with its key.
    Keyed { key: String, word: Word },
    /// The name of a subcommand.
    Subcommand(String),
    /// The rest is a command of its own.
    Nested(Form),
}

impl Argument<'_> {
    /// Whether two arguments must keep their order.
    fn holds_back(&self, other: &Self) -> bool {
        use Argument::{Keyed, Nested, Operand, Option, Subcommand};
        match (self, other) {
            (Option { fixed: true, .. } | Operand { fixed: true, .. }, _)
            | (_, Option { fixed: true, .. } | Operand { fixed: true, .. }) => true,
            (Option { scope, spec, .. }, Option { scope: other_scope, spec: other_spec, .. }) => {
                scope == other_scope
                    && ((spec.position && other_spec.position)
                        || (spec.name == other_spec.name && spec.repeat != Some(OptionRepeat::Unordered))
                        || spec
                            .groups
                            .iter()
                            .any(|group| other_spec.groups.contains(group) && !same_unordered(spec, other_spec)))
            }
            (Option { spec, .. }, Operand { .. } | Keyed { .. } | Nested(_))
            | (Operand { .. } | Keyed { .. } | Nested(_), Option { spec, .. }) => spec.position,
            (Option { .. }, Subcommand(_)) | (Subcommand(_), Option { .. }) => false,
            (Keyed { key, .. }, Keyed { key: other_key, .. }) => key == other_key,
            (
                Operand { .. } | Keyed { .. } | Subcommand(_) | Nested(_),
                Operand { .. } | Keyed { .. } | Subcommand(_) | Nested(_),
            ) => true,
        }
    }

    /// What decides among those that nothing holds back.
    fn key(&self) -> (u8, usize, &str, Option<&Word>) {
        match self {
            Argument::Option { scope, spec, value, .. } => (0, *scope, &spec.name, value.as_ref()),
            Argument::Keyed { key, word } => (1, 0, key, Some(word)),
            Argument::Operand { word, .. } => (2, 0, "", Some(word)),
            Argument::Subcommand(name) => (3, 0, name, None),
            Argument::Nested(_) => (4, 0, "", None),
        }
    }

    fn form(self, form: &mut Form) {
        match self {
            Argument::Option { scope, spec, value, fixed: _ } => {
                form.push(Atom::Open("option"));
                form.push(Atom::Name(format!("{scope}:{}", spec.name)));
                form.extend(value.map(Atom::Word));
                form.push(Atom::Close);
            }
            Argument::Operand { word, .. } | Argument::Keyed { word, .. } => form.push(Atom::Word(word)),
            Argument::Subcommand(name) => {
                form.push(Atom::Open("subcommand"));
                form.push(Atom::Name(name));
                form.push(Atom::Close);
            }
            Argument::Nested(inner) => form.extend(inner),
        }
    }
}

fn same_unordered(a: &OptionSpec, b: &OptionSpec) -> bool {
    a.name == b.name && a.repeat == Some(OptionRepeat::Unordered)
}

/// What changed places on the way to the normal order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moved {
    /// An option passed another one.
    pub(super) options: bool,
    /// A `key=value` operand passed another one.
    pub(super) keyed: bool,
}

/// The one order that stands for all equivalent ones.
pub(super) fn normal_order(arguments: Vec<Argument<'_>>) -> (Form, Moved) {
    let mut form = Form::new();
    let mut moved = Moved::default();
    let mut left = arguments;
    while !left.is_empty() {
        let free = |at: usize| left[..at].iter().all(|before| !before.holds_back(&left[at]));
        let next =
            (0..left.len()).filter(|at| free(*at)).min_by(|a, b| left[*a].key().cmp(&left[*b].key())).unwrap_or(0);
        let passed = &left[..next];
        match &left[next] {
            Argument::Option { .. } => {
                moved.options |= passed.iter().any(|other| matches!(other, Argument::Option { .. }))
            }
            Argument::Keyed { .. } => moved.keyed |= passed.iter().any(|other| matches!(other, Argument::Keyed { .. })),
            Argument::Operand { .. } | Argument::Subcommand(_) | Argument::Nested(_) => {}
        }
        left.remove(next).form(&mut form);
    }
    (form, moved)
}
