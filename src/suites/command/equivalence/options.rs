//! The spellings of options: long ones, clusters, whole words, and where their values stand.

use super::arguments::Opaque;
use super::form::{Piece, Word};
use super::order::Argument;
use super::program::{Lookup, OptionSpec, Program};
use super::rules::{EquivalenceRule, NotedOption};
use super::scan::{Queue, Scan};
use super::table::{DigitsPlace, ValueForm, ValueKind};

/// How many times options may stand for others before a table is taken for circular.
const MAX_EXPANSIONS: usize = 64;

impl<'p> Scan<'_, '_, 'p> {
    /// Reads one option word; `true` if it took all the words that follow.
    pub(super) fn option(
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
            self.reader.notes.used(EquivalenceRule::OptionWord);
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
        self.spelled[0].extend(spec.groups.iter().map(String::as_str));
        if !made {
            if by_prefix {
                self.reader.notes.used(EquivalenceRule::OptionPrefix);
            } else if name != spec.name {
                self.reader.notes.used(EquivalenceRule::OptionName);
            }
        }
        match (spec.value, value) {
            (None, Some(_)) | (Some(ValueKind::Attached), None) => Err(Opaque),
            (Some(_), Some(_)) if !made && !spec.takes(ValueForm::Equals) => Err(Opaque),
            (Some(_), Some(value)) => {
                let value = if value.is_one_word() { value } else { marked(value) };
                self.push(scope, spec, Some(value), made, queue)
            }
            (None | Some(ValueKind::Optional), None) => self.push(scope, spec, None, made, queue),
            (Some(kind @ (ValueKind::Required | ValueKind::Number | ValueKind::Two | ValueKind::Command)), None) => {
                if kind == ValueKind::Required && !made {
                    self.reader.notes.used(EquivalenceRule::OptionValue);
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
            // A name of several letters stands alone, unless the program reads it letter by letter.
            if !self.root.names_in_clusters
                && length > rest.chars().next().map_or(0, char::len_utf8)
                && (count > 1 || at < letters.len())
            {
                return Err(Opaque);
            }
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
                self.spelled[1].extend(spec.groups.iter().map(String::as_str));
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
            if !spec.takes(ValueForm::Attached) {
                return Err(Opaque);
            }
            if matches!(spec.value, Some(ValueKind::Required | ValueKind::Number)) && !made {
                self.reader.notes.used(EquivalenceRule::OptionValue);
            }
            let sure = value.is_one_word() && value.is_surely_not_empty();
            let value = if sure { value } else { marked(value) };
            return self.push(scope, spec, Some(value), made, queue);
        }
        for _ in 1..expanded.len() {
            self.reader.notes.used(EquivalenceRule::OptionCluster);
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
            if spec.value.is_none() || !(made || spec.takes(ValueForm::Equals)) {
                return Err(Opaque);
            }
            if !made {
                self.reader.notes.used(EquivalenceRule::OptionValue);
            }
            let value = if value.is_one_word() { value } else { marked(value) };
            return self.push(scope, spec, Some(value), made, queue);
        }
        // `-O2`, `-Iinclude`: one letter with its value.
        let end = leading.char_indices().nth(2).map_or(leading.len(), |(at, _)| at);
        let spec = program.option(&leading[..end]).ok_or(Opaque)?;
        let value = word.after(end);
        if !spec.takes(ValueForm::Attached) || !value.is_one_word() || !value.is_surely_not_empty() {
            return Err(Opaque);
        }
        if spec.value == Some(ValueKind::Required) && !made {
            self.reader.notes.used(EquivalenceRule::OptionValue);
        }
        self.push(chain.len() - 1, spec, Some(value), made, queue)
    }

    /// The value is the next word, or the next two, or all that follow.
    pub(super) fn separate(
        &mut self,
        scope: usize,
        spec: &'p OptionSpec,
        kind: ValueKind,
        made: bool,
        queue: &mut Queue,
    ) -> Result<bool, Opaque> {
        match kind {
            ValueKind::Optional | ValueKind::Attached => self.push(scope, spec, None, made, queue),
            ValueKind::Required if !made && !spec.takes(ValueForm::Next) => Err(Opaque),
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

    pub(super) fn push(
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
        let value = value.or_else(|| {
            let implied = spec.without_value.as_deref()?;
            self.reader.notes.used(EquivalenceRule::OptionSynonym);
            Some(Word::literal(implied))
        });
        if let Some(words) = &spec.same_as {
            self.count_expansion()?;
            if !made {
                self.reader.notes.used(EquivalenceRule::OptionSynonym);
            }
            for word in words.iter().rev() {
                queue.push_front((filled_in(word, value.as_ref())?, true));
            }
            return Ok(false);
        }
        let value = value.map(|value| match value.as_literal() {
            Some(text) if spec.canonical_value(text) != text => {
                self.reader.notes.used(EquivalenceRule::OptionSynonym);
                Word::literal(spec.canonical_value(text))
            }
            Some(_) | None => value,
        });
        let fixed = value.as_ref().is_some_and(|value| !value.is_one_word() && spec.value != Some(ValueKind::Two));
        self.out.push(Argument::Option { scope, spec, value, fixed });
        Ok(false)
    }

    pub(super) fn count_expansion(&mut self) -> Result<(), Opaque> {
        self.expansions += 1;
        if self.expansions > MAX_EXPANSIONS { Err(Opaque) } else { Ok(()) }
    }

    fn note_name(&mut self, name: &str, spec: &OptionSpec, made: bool) {
        if name != spec.name && !made {
            self.reader.notes.used(EquivalenceRule::OptionName);
        }
    }
}

/// A word that an option stands for, with the value of the option in place of `{}`.
fn filled_in(word: &str, value: Option<&Word>) -> Result<Word, Opaque> {
    match (word.strip_suffix("{}"), value) {
        (None, None) => Ok(Word::literal(word)),
        (Some(before), Some(value)) if value.is_one_word() && value.is_surely_not_empty() => {
            let mut filled = Word::default();
            if !before.is_empty() {
                filled.push_literal(before);
            }
            for piece in &value.0 {
                match piece {
                    Piece::Literal(text) => filled.push_literal(text),
                    Piece::Special(_) | Piece::Dynamic { .. } => filled.0.push(piece.clone()),
                }
            }
            Ok(filled)
        }
        (None, Some(_)) | (Some(_), None | Some(_)) => Err(Opaque),
    }
}

/// An attached value that may vanish is not the same as the next word.
fn marked(value: Word) -> Word {
    let mut pieces = vec![Piece::Special('\u{1}')];
    pieces.extend(value.0);
    Word(pieces)
}
