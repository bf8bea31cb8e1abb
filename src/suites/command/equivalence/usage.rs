//! How a program is called, as its table sees it: the options by all their names, the operands, the subcommands, and where
//! another command starts. Unlike a normal form it never gives up: what the table does not know is kept as it stands.

use super::program::{Lookup, OptionSpec, Program, Tables};
use super::table::{ValueForm, ValueKind};

/// A command line, sorted by what its words are.
#[derive(Debug, Default, Clone)]
pub struct CommandUsage {
    pub options: Vec<UsedOption>,
    /// The places of the operands among the words, without subcommands.
    pub operands: Vec<usize>,
    /// The names of the subcommands.
    pub subcommands: Vec<String>,
    /// Where a command of its own starts.
    pub nested: Option<usize>,
    /// Whether a table describes the program.
    pub known: bool,
}

/// An option with every name that it has.
#[derive(Debug, Clone)]
pub struct UsedOption {
    pub names: Vec<String>,
    /// The place of the word that it stands in.
    pub at: usize,
    pub value: Option<String>,
}

/// Sorts the words of a command, the program's name first.
pub fn usage(words: &[String], tables: &Tables) -> CommandUsage {
    let mut usage = CommandUsage::default();
    let Some(name) = words.first() else { return usage };
    let name = name.rsplit('/').next().unwrap_or(name);
    let mut program = tables.program(name);
    // An alias such as `egrep` is described by what it stands for.
    if let Some(first) = program.as_ref().and_then(|program| program.alias.as_ref()?.first()) {
        program = tables.program(first);
    }
    usage.known = program.is_some();
    let whole = program.clone();
    let mut at = 1;
    let mut options_end = false;
    while at < words.len() {
        let word = words[at].as_str();
        let knows = program.as_deref();
        let is_option = word.len() > 1 && word.starts_with('-') && !options_end;
        if is_option && word == "--" {
            options_end = true;
        } else if is_option {
            let taken = option(word, at, words.get(at + 1), knows, whole.as_deref(), &mut usage.options);
            if let Taken::Rest = taken {
                usage.nested = Some(at + 1);
                return usage;
            }
            at += usize::from(matches!(taken, Taken::Next));
        } else if let Some(inner) =
            knows.and_then(|program| program.commands.get(word)).filter(|_| usage.operands.is_empty())
        {
            usage.subcommands.push(inner.0.clone());
            let inner = std::sync::Arc::clone(&inner.1);
            program = Some(inner);
        } else if let Some(nested) = knows.and_then(|program| program.nested.as_ref()) {
            let assigns = nested.assignments && word.split_once('=').is_some_and(|(name, _)| is_name(name));
            if usage.operands.len() >= nested.after && !assigns {
                usage.nested = Some(at);
                return usage;
            }
            if !assigns {
                usage.operands.push(at);
            }
        } else {
            usage.operands.push(at);
        }
        at += 1;
    }
    usage
}

/// What an option word took beside itself.
enum Taken {
    Nothing,
    Next,
    Rest,
}

fn option(
    word: &str,
    at: usize,
    next: Option<&String>,
    program: Option<&Program>,
    whole: Option<&Program>,
    options: &mut Vec<UsedOption>,
) -> Taken {
    let found = |name: &str| {
        [program, whole].into_iter().flatten().find_map(|program| {
            let spec = match program.long_option(name) {
                Lookup::Exact(spec) | Lookup::Prefix(spec) => Some(spec),
                Lookup::Unknown => program.dashes.then(|| program.option(name.strip_prefix('-')?)).flatten(),
            };
            spec.map(|spec| (spec, program))
        })
    };
    let names = |spec: &OptionSpec, program: &Program| program.names_of(spec);
    let take = |spec: &OptionSpec| match spec.value {
        Some(ValueKind::Command) => Taken::Rest,
        Some(ValueKind::Required) if spec.takes(ValueForm::Next) => Taken::Next,
        Some(ValueKind::Two) => Taken::Next,
        Some(ValueKind::Number) if next.is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit())) => {
            Taken::Next
        }
        Some(_) | None => Taken::Nothing,
    };
    let whole_words = program.is_some_and(|program| !program.clusters);
    if word.starts_with("--") || whole_words {
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value.to_owned())));
        if let Some((spec, program)) = found(name) {
            let taken = if value.is_some() { Taken::Nothing } else { take(spec) };
            let value = value.or_else(|| matches!(taken, Taken::Next).then(|| next.cloned()).flatten());
            options.push(UsedOption { names: names(spec, program), at, value });
            return taken;
        }
        if word.starts_with("--") {
            options.push(UsedOption { names: vec![name.to_owned()], at, value });
            return Taken::Nothing;
        }
    }
    // A cluster: letter by letter, until one takes a value.
    let mut rest = &word[1..];
    while let Some(letter) = rest.chars().next() {
        let spec = [program, whole].into_iter().flatten().find_map(|program| {
            let (spec, length) = program.short_option(rest)?;
            Some((spec, length, program))
        });
        let Some((spec, length, program)) = spec else {
            options.push(UsedOption { names: vec![format!("-{letter}")], at, value: None });
            rest = &rest[letter.len_utf8()..];
            continue;
        };
        rest = &rest[length..];
        let mut used = UsedOption { names: names(spec, program), at, value: None };
        if spec.value.is_some() && !rest.is_empty() {
            used.value = Some(rest.to_owned());
            options.push(used);
            return Taken::Nothing;
        }
        let taken = if rest.is_empty() { take(spec) } else { Taken::Nothing };
        used.value = matches!(taken, Taken::Next).then(|| next.cloned()).flatten();
        options.push(used);
        if rest.is_empty() {
            return taken;
        }
    }
    Taken::Nothing
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}
