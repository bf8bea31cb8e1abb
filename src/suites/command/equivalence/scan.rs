//! Reads the words of a command by its table: options, operands, subcommands, and commands inside.

use std::collections::VecDeque;

use super::arguments::Opaque;
use super::form::{Piece, Word};
use super::order::Argument;
use super::program::{OptionSpec, Program};
use super::rules::EquivalenceRule;
use super::shell::ShellReader;
use super::table::ValueKind;

/// Reads the words of one command; a scope is the program or one of its subcommands.
pub(super) struct Scan<'r, 'n, 'p> {
    pub(super) reader: &'r mut ShellReader<'n>,
    pub(super) root: &'p Program,
    pub(super) expansions: usize,
    /// The groups of the options that were given by a long and by a short name.
    pub(super) spelled: [Vec<&'p str>; 2],
    pub(super) out: &'r mut Vec<Argument<'p>>,
}

/// A word that is still to be read, and whether the table put it there.
pub(super) type Queue = VecDeque<(Word, bool)>;

impl<'p> Scan<'_, '_, 'p> {
    /// Reads the words of the innermost scope of `chain`.
    pub(super) fn scope(&mut self, chain: &[&'p Program], words: VecDeque<Word>) -> Result<(), Opaque> {
        let Some(program) = chain.last().copied() else { return Err(Opaque) };
        let mut queue: Queue = words.into_iter().map(|word| (word, false)).collect();
        let (mut operands, mut first) = (0, true);
        let (mut options_end, mut after_operands) = (false, false);
        while let Some((word, made)) = queue.pop_front() {
            let leading = word.leading().to_owned();
            // The first operand ends the options, unless the program permutes; so does the only option of some.
            let is_option = leading.len() > 1 && leading.starts_with('-') && !options_end;
            if !options_end && leading == "--" && word.as_literal().is_some() && program.double_dash {
                return self.after_double_dash(chain, queue, operands);
            }
            if is_option {
                after_operands |= operands > 0;
                if operands > 0 && !made {
                    self.reader.notes.used(EquivalenceRule::OptionPosition);
                }
                if self.option(chain, &word, made, first, &mut queue)? {
                    return Ok(());
                }
                options_end = program.one_option && !queue.front().is_some_and(|(_, made)| *made);
            } else if (first && program.old_style && self.old_style(program, &word, &mut queue))
                || (program.bare_options && self.bare(program, chain, &word, &mut queue)?)
            {
                self.reader.notes.used(EquivalenceRule::OptionWord);
            } else {
                if !program.commands.is_empty() && operands == 0 {
                    return self.subcommand(chain, &word, queue);
                }
                if self.nests(program, operands, &word) {
                    return self.nested(program, word, queue);
                }
                if program.contiguous && after_operands {
                    return Err(Opaque);
                }
                let word = if operands == 0 { self.first_operand(program, word) } else { word };
                self.operand(program, word);
                operands += 1;
                if !program.permutes {
                    if program.nested.is_none() {
                        self.rest(program, queue);
                        return Ok(());
                    }
                    options_end = true;
                }
            }
            first = false;
        }
        self.without_command(program, operands);
        Ok(())
    }

    /// Long options that are read after the short ones must not meet short ones that they influence.
    pub(super) fn check_spelling(&self) -> Result<(), Opaque> {
        let [long, short] = &self.spelled;
        let mixed = self.root.long_after_short && long.iter().any(|group| short.contains(group));
        if mixed { Err(Opaque) } else { Ok(()) }
    }

    /// What runs if no command is named.
    fn without_command(&mut self, program: &Program, operands: usize) {
        if let Some(nested) = &program.nested
            && operands == nested.after
            && !nested.default.is_empty()
            && !self.reader.appending
        {
            self.reader.notes.used(EquivalenceRule::DefaultValue);
            let words = nested.default.iter().map(|word| Word::literal(word)).collect();
            let form = self.reader.nested_command(words, nested.appends);
            self.out.push(Argument::Nested(form));
        }
    }

    fn nests(&self, program: &Program, operands: usize, word: &Word) -> bool {
        let Some(nested) = &program.nested else { return false };
        let assignment = nested.assignments && word.leading().split_once('=').is_some_and(|(name, _)| is_name(name));
        operands >= nested.after && !assignment
    }

    /// This word and all that follow are a command of their own.
    fn nested(&mut self, program: &Program, word: Word, queue: Queue) -> Result<(), Opaque> {
        let mut words = vec![word];
        words.extend(queue.into_iter().map(|(word, _)| word));
        let appends = program.nested.as_ref().is_some_and(|nested| nested.appends);
        let form = self.reader.nested_command(words, appends);
        self.out.push(Argument::Nested(form));
        Ok(())
    }

    /// `po`, `po,svc` and `po/name` are other spellings of `pods`, `pods,services` and `pods/name`.
    fn first_operand(&mut self, program: &Program, word: Word) -> Word {
        let Some(text) = word.as_literal().filter(|_| !program.operand_aliases.is_empty()) else { return word };
        let (kinds, name) = match text.split_once('/') {
            Some((kinds, name)) => (kinds, Some(name)),
            None => (text, None),
        };
        let canonical = |kind: &str| program.operand_aliases.get(kind).map_or(kind.to_owned(), Clone::clone);
        let mut spelled = kinds.split(',').map(canonical).collect::<Vec<_>>().join(",");
        if let Some(name) = name {
            spelled.push('/');
            spelled.push_str(name);
        }
        if spelled != text {
            self.reader.notes.used(EquivalenceRule::Alias);
        }
        Word::literal(&spelled)
    }

    fn operand(&mut self, program: &Program, word: Word) {
        let key = word.leading().split_once('=').map(|(key, _)| key.to_owned());
        self.out.push(match key {
            Some(key) if program.keyed_operands && word.is_one_word() => Argument::Keyed { key, word },
            Some(_) | None => {
                let splits = word.0.iter().any(|piece| matches!(piece, Piece::Dynamic { quoted: false, .. }));
                Argument::Operand { fixed: self.reader.appending || word.is_unforeseeable() || splits, word }
            }
        });
    }

    /// Everything that is left is operands.
    fn rest(&mut self, program: &Program, queue: Queue) {
        for (word, _) in queue {
            self.operand(program, word);
        }
    }

    /// `--` is left out where it changes nothing: where no word after it could be taken for an option.
    fn after_double_dash(&mut self, chain: &[&'p Program], queue: Queue, operands: usize) -> Result<(), Opaque> {
        let Some(program) = chain.last().copied() else { return Err(Opaque) };
        let harmless = |word: &Word| !word.is_unforeseeable() && !word.leading().starts_with('-') && word.is_one_word();
        let looked_at = match &program.nested {
            Some(nested) => nested.after.saturating_sub(operands) + 1,
            None if program.permutes => queue.len(),
            None => 1,
        };
        let needless = !self.reader.appending
            && chain.len() == 1
            && program.commands.is_empty()
            && queue.iter().take(looked_at).all(|(word, _)| harmless(word));
        if needless {
            self.reader.notes.used(EquivalenceRule::EndOfOptions);
        } else {
            self.out.push(Argument::Operand { word: Word::literal("--"), fixed: true });
        }
        let mut queue = queue;
        let mut operands = operands;
        while let Some((word, _)) = queue.pop_front() {
            if self.nests(program, operands, &word) {
                return self.nested(program, word, queue);
            }
            self.operand(program, word);
            operands += 1;
        }
        self.without_command(program, operands);
        Ok(())
    }

    fn subcommand(&mut self, chain: &[&'p Program], word: &Word, queue: Queue) -> Result<(), Opaque> {
        let Some(program) = chain.last().copied() else { return Err(Opaque) };
        let name = word.as_literal().ok_or(Opaque)?;
        let (canonical, command) = program.commands.get(name).ok_or(Opaque)?;
        if canonical != name {
            self.reader.notes.used(EquivalenceRule::Alias);
        }
        let rest = queue.into_iter().map(|(word, _)| word);
        if let Some(alias) = &command.alias {
            self.count_expansion()?;
            self.reader.notes.used(EquivalenceRule::Alias);
            self.out.retain(|argument| !matches!(argument, Argument::Subcommand(_)));
            let words = alias.iter().map(|word| Word::literal(word)).chain(rest).collect();
            return self.scope(&[self.root], words);
        }
        self.out.push(Argument::Subcommand(canonical.clone()));
        let mut inner = chain.to_vec();
        inner.push(command);
        self.scope(&inner, rest.collect())
    }

    /// `tar xzf a.tgz`: letters without a dash, whose values follow in order.
    fn old_style(&mut self, program: &Program, word: &Word, queue: &mut Queue) -> bool {
        let Some(letters) = word.as_literal() else { return false };
        let mut parts = Vec::new();
        let mut values = 0;
        for letter in letters.chars() {
            let name = format!("-{letter}");
            let Some(spec) = program.option(&name) else { return false };
            let takes = match spec.value {
                None | Some(ValueKind::Optional) => false,
                Some(ValueKind::Required) => true,
                Some(ValueKind::Attached | ValueKind::Number | ValueKind::Two | ValueKind::Command) => return false,
            };
            let Some((value, _)) = (if takes { queue.get(values).cloned() } else { Some((Word::default(), true)) })
            else {
                return false;
            };
            parts.push((Word::literal(&name), true));
            if takes {
                values += 1;
                parts.push((value, true));
            }
        }
        queue.drain(..values);
        for part in parts.into_iter().rev() {
            queue.push_front(part);
        }
        true
    }

    /// `ps aux`: a word of letters that are options without a dash.
    fn bare(
        &mut self,
        program: &'p Program,
        chain: &[&'p Program],
        word: &Word,
        queue: &mut Queue,
    ) -> Result<bool, Opaque> {
        let Some(letters) = word.as_literal() else { return Ok(false) };
        let specs: Option<Vec<&OptionSpec>> =
            letters.chars().map(|letter| program.option(letter.encode_utf8(&mut [0; 4]))).collect();
        let Some(specs) = specs.filter(|specs| !specs.is_empty()) else { return Ok(false) };
        let last = specs.len() - 1;
        for (index, spec) in specs.into_iter().enumerate() {
            match spec.value {
                None => self.push(chain.len() - 1, spec, None, true, queue)?,
                Some(ValueKind::Required) if index == last => {
                    self.separate(chain.len() - 1, spec, ValueKind::Required, true, queue)?
                }
                Some(_) => return Err(Opaque),
            };
        }
        Ok(true)
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}
