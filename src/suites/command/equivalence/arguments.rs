//! The arguments of a program that a table knows, brought into their one normal order.

use std::sync::Arc;

use super::form::{Atom, Form, Word};
use super::order::{Argument, normal_order};
use super::program::Program;
use super::rules::EquivalenceRule;
use super::scan::Scan;
use super::shell::ShellReader;
use super::table::OptionRepeat;

/// Where programs of the system live: there a path names the same program as its last part.
const SYSTEM_DIRECTORIES: [&str; 5] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"];

/// The table does not explain these arguments; they are compared as they stand.
#[derive(Debug)]
pub(super) struct Opaque;

impl ShellReader<'_> {
    /// A command and its arguments in normal form.
    pub(super) fn command(&mut self, mut words: Vec<Word>) -> Form {
        if !self.appending
            && words.first().and_then(Word::as_literal) == Some("[")
            && words.last().and_then(Word::as_literal) == Some("]")
        {
            self.notes.used(EquivalenceRule::TestBracket);
            words.pop();
            words[0] = Word::literal("test");
        }
        // In bash `==` is another spelling of `=`, where it is surely the operator.
        if !self.appending
            && let [test, _, operator, _] = words.as_mut_slice()
            && test.as_literal() == Some("test")
            && operator.as_literal() == Some("==")
        {
            self.notes.used(EquivalenceRule::TestBracket);
            *operator = Word::literal("=");
        }
        for _ in 0..4 {
            let Some(name) = words.first().and_then(Word::as_literal).map(str::to_owned) else { break };
            let known = SYSTEM_DIRECTORIES.iter().find_map(|directory| name.strip_prefix(directory)).unwrap_or(&name);
            let Some(program) = self.tables.program(known) else { break };
            let Some(alias) = program.alias.as_ref().filter(|_| known == name) else {
                if program.alias.is_some() {
                    break;
                }
                let before = self.notes.clone();
                match self.known_command(&name, known, &program, &words[1..]) {
                    Ok(form) => return form,
                    Err(Opaque) => {
                        self.notes = before;
                        break;
                    }
                }
            };
            self.notes.used(EquivalenceRule::Alias);
            words.splice(..1, alias.iter().map(|word| Word::literal(word)));
        }
        let mut form = vec![Atom::Open("words")];
        form.extend(words.into_iter().map(Atom::Word));
        form.push(Atom::Close);
        form
    }

    fn known_command(
        &mut self,
        name: &str,
        known: &str,
        program: &Arc<Program>,
        words: &[Word],
    ) -> Result<Form, Opaque> {
        let mut form = vec![Atom::Open("program"), Atom::Name(name.to_owned())];
        if known == "find" {
            form.extend(self.find(program, words)?);
        } else {
            let mut arguments = Vec::new();
            let mut scan =
                Scan { reader: self, root: program, expansions: 0, spelled: Default::default(), out: &mut arguments };
            scan.scope(&[program], words.to_vec().into())?;
            scan.check_spelling()?;
            self.simplify(&mut arguments);
            let (ordered, moved) = normal_order(arguments);
            if moved.options {
                self.notes.used(EquivalenceRule::OptionOrder);
            }
            if moved.keyed {
                self.notes.used(EquivalenceRule::KeyedOperand);
            }
            form.extend(ordered);
        }
        form.push(Atom::Close);
        Ok(form)
    }

    /// A command that another one runs; `appends` if that one adds arguments or puts them in.
    pub(super) fn nested_command(&mut self, words: Vec<Word>, appends: bool) -> Form {
        let outer = self.appending;
        self.appending = outer || appends;
        let form = self.command(words);
        self.appending = outer;
        form
    }

    /// Leaves out what says nothing: repeats of a plain flag, and values that are the default.
    fn simplify(&mut self, arguments: &mut Vec<Argument<'_>>) {
        let option = |argument: &Argument<'_>| match argument {
            Argument::Option { scope, spec, fixed: false, .. } => Some((*scope, spec.name.clone())),
            Argument::Option { .. }
            | Argument::Operand { .. }
            | Argument::Keyed { .. }
            | Argument::Subcommand(_)
            | Argument::Nested(_) => None,
        };
        let mut index = 0;
        while index < arguments.len() {
            let (Some(this), Argument::Option { spec, value, .. }) = (option(&arguments[index]), &arguments[index])
            else {
                index += 1;
                continue;
            };
            let twins = arguments.iter().filter(|other| option(other).as_ref() == Some(&this)).count();
            let repeated = spec.repeat == Some(OptionRepeat::Idempotent) && spec.groups.is_empty() && twins > 1;
            let alone = twins == 1
                && !arguments.iter().enumerate().any(|(at, other)| match other {
                    Argument::Option { spec: other, fixed, .. } => {
                        at != index && (*fixed || other.groups.iter().any(|group| spec.groups.contains(group)))
                    }
                    Argument::Operand { .. }
                    | Argument::Keyed { .. }
                    | Argument::Subcommand(_)
                    | Argument::Nested(_) => false,
                });
            let default =
                alone && spec.default.is_some() && value.as_ref().and_then(Word::as_literal) == spec.default.as_deref();
            if repeated || default {
                self.notes.used(if default { EquivalenceRule::DefaultValue } else { EquivalenceRule::OptionRepeated });
                arguments.remove(index);
            } else {
                index += 1;
            }
        }
    }
}
