//! The arguments of a program that a table knows, brought into their one normal order.

use std::collections::VecDeque;
use std::sync::Arc;

use super::form::{Atom, Form, Piece, Word};
use super::order::{Argument, normal_order};
use super::program::{Lookup, OptionSpec, Program};
use super::rules::{NotedOption, Rule};
use super::shell::Reader;
use super::table::{DigitsPlace, Repeat, ValueKind};

/// Where programs of the system live: there a path names the same program as its last part.
const SYSTEM_DIRECTORIES: [&str; 5] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/"];

/// How many times options may stand for others before a table is taken for circular.
const MAX_EXPANSIONS: usize = 64;

/// The table does not explain these arguments; they are compared as they stand.
#[derive(Debug)]
pub(super) struct Opaque;

impl Reader<'_> {
    /// A command and its arguments in normal form.
    pub(super) fn command(&mut self, mut words: Vec<Word>) -> Form {
        if !self.appending
            && words.first().and_then(Word::as_literal) == Some("[")
            && words.last().and_then(Word::as_literal) == Some("]")
        {
            self.notes.used(Rule::TestBracket);
            words.pop();
            words[0] = Word::literal("test");
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
            self.notes.used(Rule::Alias);
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
            let mut scan = Scan { reader: self, root: program, expansions: 0, out: &mut arguments };
            scan.scope(&[program], words.to_vec().into())?;
            self.simplify(&mut arguments);
            let (ordered, moved) = normal_order(arguments);
            if moved.options {
                self.notes.used(Rule::OptionOrder);
            }
            if moved.keyed {
                self.notes.used(Rule::KeyedOperand);
            }
            form.extend(ordered);
        }
        form.push(Atom::Close);
        Ok(form)
    }

    /// A command that another one runs; `appends` if that one adds arguments or puts them in.
    fn nested_command(&mut self, words: Vec<Word>, appends: bool) -> Form {
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
            let repeated = spec.repeat == Some(Repeat::Idempotent) && spec.groups.is_empty() && twins > 1;
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
                self.notes.used(if default { Rule::DefaultValue } else { Rule::OptionRepeated });
                arguments.remove(index);
            } else {
                index += 1;
            }
        }
    }
}

/// Reads the words of one command; a scope is the program or one of its subcommands.
struct Scan<'r, 'n, 'p> {
    reader: &'r mut Reader<'n>,
    root: &'p Program,
    expansions: usize,
    out: &'r mut Vec<Argument<'p>>,
}

/// A word that is still to be read, and whether the table put it there.
type Queue = VecDeque<(Word, bool)>;

impl<'p> Scan<'_, '_, 'p> {
    /// Reads the words of the innermost scope of `chain`.
    fn scope(&mut self, chain: &[&'p Program], words: VecDeque<Word>) -> Result<(), Opaque> {
        let Some(program) = chain.last().copied() else { return Err(Opaque) };
        let mut queue: Queue = words.into_iter().map(|word| (word, false)).collect();
        let (mut operands, mut first) = (0, true);
        let mut options_end = false;
        while let Some((word, made)) = queue.pop_front() {
            let leading = word.leading().to_owned();
            // The first operand ends the options, unless the program permutes; so does the only option of some.
            let is_option = leading.len() > 1 && leading.starts_with('-') && !options_end;
            if !options_end && leading == "--" && word.as_literal().is_some() && program.double_dash {
                return self.after_double_dash(chain, queue, operands);
            }
            if is_option {
                if operands > 0 && !made {
                    self.reader.notes.used(Rule::OptionPosition);
                }
                if self.option(chain, &word, made, first, &mut queue)? {
                    return Ok(());
                }
                options_end = program.one_option && !queue.front().is_some_and(|(_, made)| *made);
            } else if (first && program.old_style && self.old_style(program, &word, &mut queue))
                || (program.bare_options && self.bare(program, chain, &word, &mut queue)?)
            {
                self.reader.notes.used(Rule::OptionWord);
            } else {
                if !program.commands.is_empty() && operands == 0 {
                    return self.subcommand(chain, &word, queue);
                }
                if self.nests(program, operands, &word) {
                    return self.nested(program, word, queue);
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

    /// What runs if no command is named.
    fn without_command(&mut self, program: &Program, operands: usize) {
        if let Some(nested) = &program.nested
            && operands == nested.after
            && !nested.default.is_empty()
            && !self.reader.appending
        {
            self.reader.notes.used(Rule::DefaultValue);
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
            self.reader.notes.used(Rule::Alias);
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
            self.reader.notes.used(Rule::EndOfOptions);
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
            self.reader.notes.used(Rule::Alias);
        }
        let rest = queue.into_iter().map(|(word, _)| word);
        if let Some(alias) = &command.alias {
            self.count_expansion()?;
            self.reader.notes.used(Rule::Alias);
            self.out.retain(|argument| !matches!(argument, Argument::Subcommand(_)));
            let words = alias.iter().map(|word| Word::literal(word)).chain(rest).collect();
            return self.scope(&[self.root], words);
        }
        self.out.push(Argument::Subcommand(canonical.clone()));
        let mut inner = chain.to_vec();
        inner.push(command);
        self.scope(&inner, rest.collect())
    }

    /// Reads one option word; `true` if it took all the words that follow.
    fn option(
        &mut self,
        chain: &[&'p Program],
        word: &Word,
        made: bool,
        first: bool,
        queue: &mut Queue,
    ) -> Result<bool, Opaque> {
        let Some(program) = chain.last().copied() else { return Err(Opaque) };
        let leading = word.leading();
        let in_place = match program.digits_place {
            None => true,
            Some(DigitsPlace::First) => first,
            Some(DigitsPlace::Alone) => first && queue.len() <= 1,
        };
        if let Some(digits) = program.digits.as_ref().filter(|_| in_place)
            && let Some(number) = word.as_literal().map(|text| &text[1..])
            && !number.is_empty()
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && program.option(leading).is_none()
        {
            self.reader.notes.used(Rule::OptionWord);
            queue.push_front((Word::literal(number), true));
            queue.push_front((Word::literal(digits), true));
            return Ok(false);
        }
        if leading.starts_with("--") {
            return self.long(chain, word, made, queue);
        }
        if program.clusters { self.cluster(chain, word, made, queue) } else { self.whole(chain, word, made, queue) }
    }

    /// `--name`, `--name=value`.
    fn long(&mut self, chain: &[&'p Program], word: &Word, made: bool, queue: &mut Queue) -> Result<bool, Opaque> {
        let leading = word.leading();
        let (name, value) = match leading.split_once('=') {
            Some((name, _)) => (name, Some(word.after(name.len() + 1))),
            None if word.as_literal().is_some() => (leading, None),
            None => return Err(Opaque),
        };
        let (scope, spec, by_prefix) = self.find_long(chain, name).ok_or(Opaque)?;
        if !made {
            if by_prefix {
                self.reader.notes.used(Rule::OptionPrefix);
            } else if name != spec.name {
                self.reader.notes.used(Rule::OptionName);
            }
        }
        match (spec.value, value) {
            (None, Some(_)) | (Some(ValueKind::Attached), None) => Err(Opaque),
            (Some(_), Some(value)) => {
                let value = if value.is_one_word() { value } else { marked(value) };
                self.push(scope, spec, Some(value), made, queue)
            }
            (None | Some(ValueKind::Optional), None) => self.push(scope, spec, None, made, queue),
            (Some(kind @ (ValueKind::Required | ValueKind::Number | ValueKind::Two | ValueKind::Command)), None) => {
                if kind == ValueKind::Required && !made {
                    self.reader.notes.used(Rule::OptionValue);
                }
                self.separate(scope, spec, kind, made, queue)
            }
        }
    }

    fn find_long(&self, chain: &[&'p Program], name: &str) -> Option<(usize, &'p OptionSpec, bool)> {
        for (scope, program) in Self::visible(chain) {
            let single = name.strip_prefix('-').filter(|_| program.dashes);
            if let Some(spec) = program.option(name).or_else(|| single.and_then(|single| program.option(single))) {
                return Some((scope, spec, false));
            }
        }
        let scope = chain.len().checked_sub(1)?;
        match chain.last()?.long_option(name) {
            Lookup::Exact(spec) => Some((scope, spec, false)),
            Lookup::Prefix(spec) => Some((scope, spec, true)),
            Lookup::Unknown => None,
        }
    }

    /// The scopes whose options may stand here, innermost first.
    fn visible<'c>(chain: &'c [&'p Program]) -> impl Iterator<Item = (usize, &'p Program)> + 'c {
        let last = chain.len().saturating_sub(1);
        chain
            .iter()
            .enumerate()
            .rev()
            .filter(move |(scope, program)| *scope == last || program.inherit)
            .map(|(scope, program)| (scope, *program))
    }

    /// A word of one-letter options (some have more letters), the last perhaps with its value.
    fn cluster(&mut self, chain: &[&'p Program], word: &Word, made: bool, queue: &mut Queue) -> Result<bool, Opaque> {
        let letters = word.leading()[1..].to_owned();
        let mut at = 0;
        let mut expanded: Vec<(Word, bool)> = Vec::new();
        let mut count = 0;
        loop {
            let rest = &letters[at..];
            let found = Self::visible(chain)
                .find_map(|(scope, program)| program.short_option(rest).map(|(spec, length)| (scope, spec, length)));
            let (scope, spec, length) = found.ok_or(Opaque)?;
            let name = format!("-{}", &rest[..length]);
            at += length;
            count += 1;
            let value = word.after(1 + at);
            let nothing_left = at == letters.len() && word.0.len() == 1;
            if spec.value.is_none() || (nothing_left && spec.value == Some(ValueKind::Optional)) {
                if at == letters.len() && !nothing_left {
                    // A flag, and then something that the shell puts in: letters, or nothing.
                    return Err(Opaque);
                }
                if !nothing_left || count > 1 {
                    // Several options in one word: read them one by one.
                    expanded.push((Word::literal(&name), made));
                    if nothing_left {
                        break;
                    }
                    continue;
                }
                self.note_name(&name, spec, made);
                return self.push(scope, spec, None, made, queue);
            }
            if count > 1 {
                let mut last = Word::literal(&name);
                if !nothing_left {
                    last = Word::default();
                    last.push_literal(&name);
                    for piece in value.0 {
                        match piece {
                            Piece::Literal(text) => last.push_literal(&text),
                            piece @ (Piece::Special(_) | Piece::Dynamic { .. }) => last.0.push(piece),
                        }
                    }
                }
                expanded.push((last, made));
                break;
            }
            self.note_name(&name, spec, made);
            if nothing_left {
                let Some(kind) = spec.value.filter(|kind| *kind != ValueKind::Attached) else { return Err(Opaque) };
                return self.separate(scope, spec, kind, made, queue);
            }
            if spec.value == Some(ValueKind::Two) || spec.value == Some(ValueKind::Command) {
                return Err(Opaque);
            }
            if matches!(spec.value, Some(ValueKind::Required | ValueKind::Number)) && !made {
                self.reader.notes.used(Rule::OptionValue);
            }
            let sure = value.is_one_word() && value.is_surely_not_empty();
            let value = if sure { value } else { marked(value) };
            return self.push(scope, spec, Some(value), made, queue);
        }
        for _ in 1..expanded.len() {
            self.reader.notes.used(Rule::OptionCluster);
        }
        for part in expanded.into_iter().rev() {
            queue.push_front(part);
        }
        Ok(false)
    }

    /// A single-dash word that is one whole name.
    fn whole(&mut self, chain: &[&'p Program], word: &Word, made: bool, queue: &mut Queue) -> Result<bool, Opaque> {
        let Some(program) = chain.last().copied() else { return Err(Opaque) };
        let leading = word.leading().to_owned();
        let exact = word.as_literal().and_then(|name| {
            Self::visible(chain).find_map(|(scope, program)| {
                let double = program.dashes.then(|| format!("-{name}"));
                let found = program.option(name).or_else(|| double.and_then(|double| program.option(&double)));
                found.map(|spec| (scope, spec))
            })
        });
        if let Some((scope, spec)) = exact {
            self.note_name(&leading, spec, made);
            return match spec.value {
                None | Some(ValueKind::Optional) => self.push(scope, spec, None, made, queue),
                Some(ValueKind::Attached) => Err(Opaque),
                Some(kind) => self.separate(scope, spec, kind, made, queue),
            };
        }
        if program.equals
            && let Some((name, _)) = leading.split_once('=')
        {
            let found =
                Self::visible(chain).find_map(|(scope, program)| program.option(name).map(|spec| (scope, spec)));
            let (scope, spec) = found.ok_or(Opaque)?;
            let value = word.after(name.len() + 1);
            if spec.value.is_none() {
                return Err(Opaque);
            }
            if !made {
                self.reader.notes.used(Rule::OptionValue);
            }
            let value = if value.is_one_word() { value } else { marked(value) };
            return self.push(scope, spec, Some(value), made, queue);
        }
        // `-O2`, `-Iinclude`: one letter with its value.
        let end = leading.char_indices().nth(2).map_or(leading.len(), |(at, _)| at);
        let spec = program.option(&leading[..end]).ok_or(Opaque)?;
        let value = word.after(end);
        if spec.value.is_none() || !value.is_one_word() || !value.is_surely_not_empty() {
            return Err(Opaque);
        }
        if spec.value == Some(ValueKind::Required) && !made {
            self.reader.notes.used(Rule::OptionValue);
        }
        self.push(chain.len() - 1, spec, Some(value), made, queue)
    }

    /// The value is the next word, or the next two, or all that follow.
    fn separate(
        &mut self,
        scope: usize,
        spec: &'p OptionSpec,
        kind: ValueKind,
        made: bool,
        queue: &mut Queue,
    ) -> Result<bool, Opaque> {
        match kind {
            ValueKind::Optional | ValueKind::Attached => self.push(scope, spec, None, made, queue),
            ValueKind::Required => {
                let (value, _) = queue.pop_front().ok_or(Opaque)?;
                self.push(scope, spec, Some(value), made, queue)
            }
            ValueKind::Number => {
                let number =
                    queue.front().is_some_and(|(word, _)| word.leading().starts_with(|c: char| c.is_ascii_digit()));
                let value = if number { queue.pop_front().map(|(word, _)| word) } else { None };
                self.push(scope, spec, value, made, queue)
            }
            ValueKind::Two => {
                let (Some((first, _)), Some((second, _))) = (queue.pop_front(), queue.pop_front()) else {
                    return Err(Opaque);
                };
                let mut both = first;
                both.0.push(Piece::Special('\u{2}'));
                both.0.extend(second.0);
                self.push(scope, spec, Some(both), made, queue)
            }
            ValueKind::Command => {
                self.push(scope, spec, None, made, queue)?;
                let words: Vec<Word> = std::mem::take(queue).into_iter().map(|(word, _)| word).collect();
                let form = self.reader.nested_command(words, true);
                self.out.push(Argument::Nested(form));
                Ok(true)
            }
        }
    }

    fn push(
        &mut self,
        scope: usize,
        spec: &'p OptionSpec,
        value: Option<Word>,
        made: bool,
        queue: &mut Queue,
    ) -> Result<bool, Opaque> {
        if !made {
            self.reader.notes.options.push(NotedOption {
                name: spec.name.clone(),
                value: value.as_ref().map(Word::shown).unwrap_or_default(),
                about: spec.about.clone(),
            });
        }
        if let Some(words) = &spec.same_as {
            if value.is_some() {
                return Err(Opaque);
            }
            self.count_expansion()?;
            if !made {
                self.reader.notes.used(Rule::OptionSynonym);
            }
            for word in words.iter().rev() {
                queue.push_front((Word::literal(word), true));
            }
            return Ok(false);
        }
        let value = value.map(|value| match value.as_literal() {
            Some(text) if spec.canonical_value(text) != text => {
                self.reader.notes.used(Rule::OptionSynonym);
                Word::literal(spec.canonical_value(text))
            }
            Some(_) | None => value,
        });
        let fixed = value.as_ref().is_some_and(|value| !value.is_one_word() && spec.value != Some(ValueKind::Two));
        self.out.push(Argument::Option { scope, spec, value, fixed });
        Ok(false)
    }

    fn count_expansion(&mut self) -> Result<(), Opaque> {
        self.expansions += 1;
        if self.expansions > MAX_EXPANSIONS { Err(Opaque) } else { Ok(()) }
    }

    fn note_name(&mut self, name: &str, spec: &OptionSpec, made: bool) {
        if name != spec.name && !made {
            self.reader.notes.used(Rule::OptionName);
        }
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

/// An attached value that may vanish is not the same as the next word.
fn marked(value: Word) -> Word {
    let mut pieces = vec![Piece::Special('\u{1}')];
    pieces.extend(value.0);
    Word(pieces)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}
