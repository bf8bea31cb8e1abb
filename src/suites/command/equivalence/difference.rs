//! Where two commands differ. Their normal forms are compared, so that spellings and orders that mean the same make no
//! difference; then the word that was written for it is looked up.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::form::{Atom, Word};
use super::rules::EquivalenceRule;
use super::shell::ShellRead;
use crate::suites::command::Difference;

/// The first word that differs, as it is written.
pub(super) fn first_difference(a: &[String], b: &[String], note: Option<String>) -> Difference {
    let word = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    Difference { word: word + 1, expected: a.get(word).cloned(), generated: b.get(word).cloned(), note }
}

/// The first word that makes a difference: an operand if one does, else an option or its value.
pub(super) fn true_difference(a: &ShellRead, b: &ShellRead) -> Difference {
    let (ours, theirs) = (simple_commands(&a.form), simple_commands(&b.form));
    for (at, (one, other)) in ours.iter().zip(&theirs).enumerate() {
        if let Some(found) = differing(one, other) {
            let (a, b) = (&WrittenCommand::of(a, at, ours.len()), &WrittenCommand::of(b, at, theirs.len()));
            let told = found.told(a, b, one, other);
            // What is only implied on both sides has no word.
            if told.expected.is_some() || told.generated.is_some() {
                return told;
            }
        }
    }
    first_difference(&a.tokens, &b.tokens, None)
}

/// A program with its arguments, in normal form.
#[derive(Debug, Default)]
struct SimpleCommand {
    /// The program, subcommands, operands and targets of redirections, in their order.
    words: Vec<String>,
    options: Vec<GivenOption>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct GivenOption {
    /// Its canonical name.
    name: String,
    value: Option<String>,
}

/// The commands that a normal form runs, in their order.
fn simple_commands(form: &[Atom]) -> Vec<SimpleCommand> {
    let mut commands = vec![SimpleCommand::default()];
    let mut at = 0;
    while let Some(atom) = form.get(at) {
        at += 1;
        let Some(command) = commands.last_mut() else { break };
        match atom {
            Atom::Open("option" | "primary" | "global") => {
                let length = form[at..].iter().position(|atom| *atom == Atom::Close).unwrap_or(form.len() - at);
                command.options.extend(given_option(&form[at..at + length]));
                at += length;
            }
            Atom::Open("simple" | "compound") if !command.words.is_empty() || !command.options.is_empty() => {
                commands.push(SimpleCommand::default());
            }
            // The descriptor is told by the operator.
            Atom::Open("redirect") => at += 1,
            Atom::Open(_) | Atom::Close => {}
            Atom::Name(name) => command.words.push(name.clone()),
            Atom::Word(word) => command.words.push(shown(word)),
        }
    }
    commands
}

/// What stands between the brackets of an option.
fn given_option(atoms: &[Atom]) -> Option<GivenOption> {
    let (Atom::Name(name), values) = atoms.split_first()? else { return None };
    let scope = name.split_once(':').filter(|(scope, _)| scope.bytes().all(|byte| byte.is_ascii_digit()));
    let name = scope.map_or(name.as_str(), |(_, name)| name).to_owned();
    let values: Vec<String> = values
        .iter()
        .filter_map(|atom| match atom {
            Atom::Word(word) => Some(shown(word)),
            Atom::Name(_) | Atom::Open(_) | Atom::Close => None,
        })
        .collect();
    Some(GivenOption { name, value: (!values.is_empty()).then(|| values.join(" ")) })
}

/// A word without the marks that only a normal form has.
fn shown(word: &Word) -> String {
    word.shown().replace(|character: char| character < ' ', "")
}

/// What differs between two commands.
#[derive(Debug)]
enum FormDifference {
    /// A program, an operand or the target of a redirection; `moved` if only the order differs.
    Words { ours: Option<usize>, theirs: Option<usize>, moved: bool },
    /// The same option with another value.
    Value { name: String, ours: Option<String>, theirs: Option<String> },
    /// Options that only one of them has.
    Options { ours: Vec<GivenOption>, theirs: Vec<GivenOption> },
}

fn differing(a: &SimpleCommand, b: &SimpleCommand) -> Option<FormDifference> {
    if let Some((ours, theirs)) = differing_words(&a.words, &b.words) {
        let sorted = |words: &[String]| {
            let mut words = words.to_vec();
            words.sort();
            words
        };
        return Some(FormDifference::Words { ours, theirs, moved: sorted(&a.words) == sorted(&b.words) });
    }
    let (ours, theirs) = (missing(&a.options, &b.options), missing(&b.options, &a.options));
    let same = ours.iter().find_map(|one| Some((one, theirs.iter().find(|other| other.name == one.name)?)));
    if let Some((one, other)) = same {
        let (ours, theirs) = (one.value.clone(), other.value.clone());
        return Some(FormDifference::Value { name: one.name.clone(), ours, theirs });
    }
    (!ours.is_empty() || !theirs.is_empty()).then_some(FormDifference::Options { ours, theirs })
}

/// The places of the first two words that differ.
fn differing_words(a: &[String], b: &[String]) -> Option<(Option<usize>, Option<usize>)> {
    if a.len() == b.len() {
        let at = a.iter().zip(b).position(|(a, b)| a != b)?;
        return Some((Some(at), Some(at)));
    }
    let changes = capture_diff_slices(Algorithm::Myers, a, b);
    let change = changes.into_iter().find(|op| !matches!(op, DiffOp::Equal { .. }))?;
    let first = |range: std::ops::Range<usize>| (!range.is_empty()).then_some(range.start);
    Some((first(change.old_range()), first(change.new_range())))
}

/// What one command has and the other has not.
fn missing(of: &[GivenOption], from: &[GivenOption]) -> Vec<GivenOption> {
    let mut left = from.to_vec();
    let mut missing = Vec::new();
    for option in of {
        match left.iter().position(|other| other == option) {
            Some(at) => {
                left.remove(at);
            }
            None => missing.push(option.clone()),
        }
    }
    missing
}

impl FormDifference {
    /// The difference with the words that were written for it.
    fn told(
        self,
        a: &WrittenCommand<'_>,
        b: &WrittenCommand<'_>,
        one: &SimpleCommand,
        other: &SimpleCommand,
    ) -> Difference {
        let (ours, theirs, note) = match self {
            Self::Words { ours, theirs, moved } => {
                let place = |of: &WrittenCommand<'_>, command: &SimpleCommand, at: Option<usize>| {
                    at.map(|at| of.operand(command, at))
                };
                let note = moved.then(|| "the same words in another order".to_owned());
                (place(a, one, ours), place(b, other, theirs), note)
            }
            Self::Value { name, ours, theirs } => {
                let place = |of: &WrittenCommand<'_>, value: Option<String>, other: &WrittenCommand<'_>| {
                    value.and_then(|value| of.value(&name, &value, other))
                };
                (place(a, ours, b), place(b, theirs, a), a.about(&name, None))
            }
            Self::Options { ours, theirs } => {
                let place = |of: &WrittenCommand<'_>, only: &[GivenOption], elsewhere: &WrittenCommand<'_>| {
                    only.first().and_then(|option| of.option(option, only, elsewhere))
                };
                let (one, other) = (place(a, &ours, b), place(b, &theirs, a));
                let is_all = ours.len() <= 1 && theirs.len() <= 1;
                let about = |of: &WrittenCommand<'_>, only: &[GivenOption], shown: &Option<WrittenWord>| {
                    of.about(&only.first()?.name, shown.as_ref().map(|word| word.text.as_str()))
                };
                let notes = [about(a, &ours, &one), about(b, &theirs, &other)];
                let note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
                (one, other, Some(note).filter(|note| is_all && !note.is_empty()))
            }
        };
        let word = ours.as_ref().or(theirs.as_ref()).map_or(0, |place| place.at) + 1;
        let text = |place: Option<WrittenWord>| place.map(|place| place.text);
        Difference { word, expected: text(ours), generated: text(theirs), note }
    }
}

/// A word as it is written, and where.
struct WrittenWord {
    at: usize,
    text: String,
}

/// The words that were written for one of the commands.
struct WrittenCommand<'a> {
    read: &'a ShellRead,
    /// Its tokens among all.
    range: std::ops::Range<usize>,
}

impl<'a> WrittenCommand<'a> {
    /// The tokens of the command at this place; all of them if the operators do not tell.
    fn of(read: &'a ShellRead, index: usize, commands: usize) -> Self {
        let is_operator = |token: &String| matches!(token.as_str(), "|" | "||" | "&&" | ";" | "&" | "|&" | "\n");
        let places = read.tokens.iter().enumerate().filter(|(_, token)| is_operator(token)).map(|(at, _)| at);
        let ends: Vec<usize> = places.chain([read.tokens.len()]).collect();
        let start = index.checked_sub(1).and_then(|before| ends.get(before)).map_or(0, |end| end + 1);
        let range = match ends.get(index) {
            Some(end) if ends.len() == commands && start <= *end => start..*end,
            Some(_) | None => 0..read.tokens.len(),
        };
        Self { read, range }
    }

    fn tokens(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let start = self.range.start;
        let tokens = self.read.tokens.get(self.range.clone()).unwrap_or_default();
        tokens.iter().enumerate().map(move |(at, token)| (start + at, token.as_str()))
    }

    fn place(&self, at: usize, text: &str) -> WrittenWord {
        WrittenWord { at, text: text.to_owned() }
    }

    /// A word that is neither an option nor its value; `at` is its place among these.
    fn operand(&self, command: &SimpleCommand, at: usize) -> WrittenWord {
        let words = &command.words;
        let Some(text) = words.get(at) else { return self.place(self.range.start, "") };
        let earlier = words.iter().take(at).filter(|word| *word == text).count();
        let mut found: Vec<(usize, &str)> = self.tokens().filter(|(_, token)| unquoted(token) == *text).collect();
        let is_value = |(at, _): &(usize, &str)| {
            let mut of = command.options.iter().filter(|option| option.value.as_deref() == Some(text));
            of.any(|option| self.follows(*at, &option.name))
        };
        if !found.iter().all(is_value) {
            found.retain(|one| !is_value(one));
        }
        found.truncate(earlier + 1);
        match found.pop() {
            Some((at, token)) => self.place(at, token),
            // Something that the shell replaces, or another name of the same.
            None => {
                let nth = self.tokens().filter(|(_, token)| !is_option(token)).nth(at);
                match nth {
                    Some((place, token)) if text.contains('…') || at == 0 => self.place(place, token),
                    Some((place, _)) => self.place(place, text),
                    None => self.place(self.range.start, text),
                }
            }
        }
    }

    /// Whether a word stands after this option.
    fn follows(&self, at: usize, name: &str) -> bool {
        let before = at.checked_sub(1).filter(|before| *before >= self.range.start);
        before.and_then(|before| self.read.tokens.get(before)).is_some_and(|token| spells(token, name))
    }

    /// The value of an option: a word of its own, or the end of one.
    fn value(&self, name: &str, value: &str, other: &WrittenCommand<'_>) -> Option<WrittenWord> {
        let after_name = |(at, _): &(usize, &str)| self.follows(*at, name);
        let mut same: Vec<(usize, &str)> = self.tokens().filter(|(_, token)| unquoted(token) == value).collect();
        if let Some(place) = same.iter().position(after_name) {
            same.swap(0, place);
        }
        if let Some((at, token)) = same.first() {
            return Some(self.place(*at, token));
        }
        let glued = self.tokens().find(|(_, token)| is_option(token) && unquoted(token).ends_with(value));
        match glued {
            Some((at, _)) => Some(self.place(at, value)),
            // An option that stands for another one and its value.
            None => self.option(&GivenOption { name: name.to_owned(), value: None }, &[], other),
        }
    }

    /// An option that only this command has; nothing if it is only implied, as `-print` is by `find`. Of a cluster that has others, too, only its own letter is shown.
    fn option(&self, option: &GivenOption, only: &[GivenOption], other: &WrittenCommand<'_>) -> Option<WrittenWord> {
        let name = &option.name;
        let is_exact = |(_, token): &(usize, &str)| *token == name || token.starts_with(&format!("{name}="));
        let exact: Vec<(usize, &str)> = self.tokens().filter(is_exact).collect();
        // Of several, the one with this value.
        let has_value = |(at, token): &&(usize, &str)| {
            let value = option.value.as_deref();
            value.is_some_and(|value| token.ends_with(value))
                || self.read.tokens.get(at + 1).is_some_and(|next| Some(unquoted(next).as_str()) == value)
        };
        if let Some((at, token)) = exact.iter().find(has_value).or_else(|| exact.first()).copied() {
            return Some(self.place(at, token));
        }
        let mut clusters = self.tokens().filter(|(_, token)| spells(token, name));
        if let Some((at, token)) = clusters.next() {
            let is_own = |letter: char| only.iter().any(|one| one.name == format!("-{letter}"));
            let is_whole = token.chars().skip(1).all(is_own);
            return Some(self.place(at, if is_whole { token } else { name }));
        }
        // A first word without a dash, as in `tar xzf`.
        let letter = name.strip_prefix('-').unwrap_or(name);
        let first = self.tokens().nth(1).filter(|(_, token)| !is_option(token) && token.contains(letter));
        if let Some((at, _)) = first.filter(|_| self.read.notes.has_used(EquivalenceRule::OptionWord)) {
            return Some(self.place(at, name));
        }
        // Another spelling of it.
        let has = |token: &str| other.tokens().any(|(_, theirs)| theirs == token);
        let long = self.tokens().find(|(_, token)| is_option(token) && !has(token));
        long.map(|(at, token)| self.place(at, token))
    }

    /// What an option does; `shown` is how it was written, which may stand for another one.
    fn about(&self, name: &str, shown: Option<&str>) -> Option<String> {
        let noted = &self.read.notes.options;
        let by_text = || noted.iter().find(|noted| Some(noted.name.as_str()) == shown);
        let noted = noted.iter().find(|noted| noted.name == name).or_else(by_text)?;
        Some(format!("{}: {}", noted.name, noted.about))
    }
}

/// Whether a word is this option, or a cluster that has it.
fn spells(word: &str, name: &str) -> bool {
    let letter = name.strip_prefix('-').filter(|letter| letter.chars().count() == 1 && *letter != "-");
    let is_cluster = is_option(word) && !word.starts_with("--");
    word == name || letter.is_some_and(|letter| is_cluster && word.contains(letter))
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn unquoted(word: &str) -> String {
    word.chars().filter(|character| !matches!(character, '\'' | '"' | '\\')).collect()
}
