//! `find`: an expression with operators of its own, of which only what is provably the same is normalised.

use super::arguments::Opaque;
use super::form::{Atom, Form, Word};
use super::program::{OptionSpec, Program};
use super::rules::{EquivalenceRule, NotedOption};
use super::shell::ShellReader;
use super::table::ValueKind;

/// An expression; `All` and `Any` are flat.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Each(Vec<Expression>),
    Not(Box<Expression>),
    Primary { name: String, arguments: Form, class: Class },
}

/// What a primary does, as the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// Only looks.
    Test,
    /// Holds for the whole search, wherever it stands.
    Global,
    /// Prints, changes something, steers the search, or affects what follows.
    Other,
}

impl Expression {
    fn is_pure(&self) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().all(Self::is_pure),
            Self::Each(_) => false,
            Self::Not(inner) => inner.is_pure(),
            Self::Primary { class, .. } => *class == Class::Test,
        }
    }

    fn any_primary(&self, holds: &impl Fn(&str, Class) -> bool) -> bool {
        match self {
            Self::All(parts) | Self::Any(parts) | Self::Each(parts) => parts.iter().any(|part| part.any_primary(holds)),
            Self::Not(inner) => inner.any_primary(holds),
            Self::Primary { name, class, .. } => holds(name, *class),
        }
    }

    fn form(self, form: &mut Form) {
        let (sort, parts) = match self {
            Self::All(parts) => ("all", parts),
            Self::Any(parts) => ("any", parts),
            Self::Each(parts) => ("each", parts),
            Self::Not(inner) => ("not", vec![*inner]),
            Self::Primary { name, arguments, class: _ } => {
                form.push(Atom::Open("primary"));
                form.push(Atom::Name(name));
                form.extend(arguments);
                form.push(Atom::Close);
                return;
            }
        };
        form.push(Atom::Open(sort));
        for part in parts {
            part.form(form);
        }
        form.push(Atom::Close);
    }
}

impl ShellReader<'_> {
    /// The arguments of `find` in normal form.
    pub(super) fn find(&mut self, program: &Program, words: &[Word]) -> Result<Form, Opaque> {
        let mut form = Form::new();
        let mut at = 0;
        // -H, -L and -P override each other, so they keep their order.
        while let Some(option @ ("-H" | "-L" | "-P")) = words.get(at).and_then(Word::as_literal) {
            form.push(Atom::Name(option.to_owned()));
            at += 1;
        }
        let begins =
            |word: &Word| word.leading().starts_with('-') || matches!(word.as_literal(), Some("(" | "!" | ")" | ","));
        let starts: Vec<Word> = words[at..].iter().take_while(|word| !begins(word)).cloned().collect();
        if starts.iter().any(Word::is_unforeseeable) {
            return Err(Opaque);
        }
        at += starts.len();
        form.push(Atom::Open("starts"));
        if starts.is_empty() {
            self.notes.used_by_find("start");
            form.push(Atom::Word(Word::literal(".")));
        }
        form.extend(starts.into_iter().map(Atom::Word));
        form.push(Atom::Close);

        let mut parser = Parser { reader: self, program, words, at, moved: false };
        let expression = if at == words.len() { Expression::All(Vec::new()) } else { parser.each()? };
        if parser.at < words.len() {
            return Err(Opaque);
        }
        let moved = parser.moved;
        if moved {
            self.notes.used_by_find("moved");
        }
        let mut parts = match expression {
            Expression::All(parts) => parts,
            other @ (Expression::Any(_) | Expression::Each(_) | Expression::Not(_) | Expression::Primary { .. }) => {
                vec![other]
            }
        };
        self.hoist_globals(program, &mut parts, &mut form);
        let whole = Expression::All(parts.clone());
        let acts =
            whole.any_primary(&|name, class| class == Class::Other && name != "-prune" && !POSITIONAL.contains(&name));
        if !acts {
            self.notes.used_by_find("print");
            parts.push(Expression::Primary { name: "-print".into(), arguments: Form::new(), class: Class::Other });
        }
        sort_tests(&mut parts, &mut false);
        Expression::All(parts).form(&mut form);
        Ok(form)
    }

    /// Global options hold wherever they stand in the outermost conjunction, so they come first, sorted.
    fn hoist_globals(&mut self, program: &Program, parts: &mut Vec<Expression>, form: &mut Form) {
        let mut globals: Vec<(String, Form)> = Vec::new();
        parts.retain(|part| match part {
            Expression::Primary { name, arguments, class: Class::Global } => {
                globals.push((name.clone(), arguments.clone()));
                false
            }
            Expression::Primary { .. }
            | Expression::All(_)
            | Expression::Any(_)
            | Expression::Each(_)
            | Expression::Not(_) => true,
        });
        globals.sort_by(|a, b| a.0.cmp(&b.0));
        let given: Vec<String> = globals.iter().map(|(name, _)| name.clone()).collect();
        for (name, arguments) in globals {
            let once = given.iter().filter(|other| **other == name).count() == 1;
            let default = program.option(&name).and_then(|spec| spec.default.as_deref());
            let is_default = match (arguments.as_slice(), default) {
                ([Atom::Word(value)], Some(default)) => once && value.as_literal() == Some(default),
                _ => false,
            };
            if is_default {
                self.notes.used(EquivalenceRule::DefaultValue);
                continue;
            }
            form.push(Atom::Open("global"));
            form.push(Atom::Name(name));
            form.extend(arguments);
            form.push(Atom::Close);
        }
    }
}

/// Options that affect what follows, but do nothing themselves.
const POSITIONAL: [&str; 6] = ["-daystart", "-follow", "-regextype", "-warn", "-nowarn", "-noleaf"];

struct Parser<'r, 'n, 'w> {
    reader: &'r mut ShellReader<'n>,
    program: &'w Program,
    words: &'w [Word],
    at: usize,
    moved: bool,
}

impl Parser<'_, '_, '_> {
    fn peek(&self) -> Option<&str> {
        self.words.get(self.at).map(|word| word.as_literal().unwrap_or(""))
    }

    fn each(&mut self) -> Result<Expression, Opaque> {
        let mut parts = vec![self.any()?];
        while self.peek() == Some(",") {
            self.at += 1;
            parts.push(self.any()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Each(parts) })
    }

    fn any(&mut self) -> Result<Expression, Opaque> {
        let mut parts = vec![self.all()?];
        while let Some(operator @ ("-o" | "-or")) = self.peek() {
            if operator == "-or" {
                self.reader.notes.used_by_find("or");
            }
            self.at += 1;
            parts.push(self.all()?);
        }
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Expression::Any(inner) => flat.extend(inner),
                other
                @ (Expression::All(_) | Expression::Each(_) | Expression::Not(_) | Expression::Primary { .. }) => {
                    flat.push(other)
                }
            }
        }
        if flat.iter().all(Expression::is_pure) {
            let before = flat.clone();
            flat.sort();
            self.moved |= before != flat;
        }
        Ok(Expression::Any(flat))
    }

    fn all(&mut self) -> Result<Expression, Opaque> {
        let mut flat = Vec::new();
        loop {
            match self.not()? {
                Expression::All(inner) => flat.extend(inner),
                other
                @ (Expression::Any(_) | Expression::Each(_) | Expression::Not(_) | Expression::Primary { .. }) => {
                    flat.push(other)
                }
            }
            match self.peek() {
                Some("-a" | "-and") => {
                    self.reader.notes.used_by_find("and");
                    self.at += 1;
                }
                None | Some("-o" | "-or" | "," | ")") => break,
                Some(_) => {}
            }
        }
        sort_tests(&mut flat, &mut self.moved);
        Ok(if flat.len() == 1 { flat.remove(0) } else { Expression::All(flat) })
    }

    fn not(&mut self) -> Result<Expression, Opaque> {
        match self.peek() {
            Some(operator @ ("!" | "-not")) => {
                if operator == "-not" {
                    self.reader.notes.used(EquivalenceRule::OptionSynonym);
                }
                self.at += 1;
                Ok(Expression::Not(Box::new(self.not()?)))
            }
            Some("(") => {
                self.reader.notes.used_by_find("parentheses");
                self.at += 1;
                let inner = self.each()?;
                if self.peek() != Some(")") {
                    return Err(Opaque);
                }
                self.at += 1;
                Ok(inner)
            }
            Some(_) | None => self.primary(),
        }
    }

    fn primary(&mut self) -> Result<Expression, Opaque> {
        let name = self.words.get(self.at).and_then(Word::as_literal).ok_or(Opaque)?;
        self.at += 1;
        let Some(spec) = self.program.option(name) else {
            // -newerXY compares two kinds of time stamps.
            let kinds = name.strip_prefix("-newer").filter(|kinds| kinds.len() == 2).ok_or(Opaque)?;
            if !kinds.bytes().all(|kind| b"aBcmt".contains(&kind)) {
                return Err(Opaque);
            }
            let arguments = vec![self.argument()?];
            return Ok(Expression::Primary { name: name.to_owned(), arguments, class: Class::Test });
        };
        if name != spec.name {
            self.reader.notes.used(EquivalenceRule::OptionName);
        }
        let arguments = self.arguments(spec)?;
        let shown = arguments.iter().filter_map(|atom| match atom {
            Atom::Word(word) => Some(word.shown()),
            Atom::Open(_) | Atom::Close | Atom::Name(_) => None,
        });
        self.reader.notes.options.push(NotedOption {
            name: spec.name.clone(),
            value: shown.collect::<Vec<_>>().join(" "),
            about: spec.about.clone(),
        });
        // An unquoted wildcard or variable may become several words, which shifts all that follows.
        let certain = arguments.iter().all(|atom| !matches!(atom, Atom::Word(word) if !word.is_one_word()));
        let class = match spec.groups.first().map(String::as_str) {
            Some(_) if !certain => Class::Other,
            Some("test") => Class::Test,
            Some("global") => Class::Global,
            Some(_) | None => Class::Other,
        };
        Ok(Expression::Primary { name: spec.name.clone(), arguments, class })
    }

    fn arguments(&mut self, spec: &OptionSpec) -> Result<Form, Opaque> {
        match spec.value {
            None => Ok(Form::new()),
            Some(ValueKind::Required) => Ok(vec![self.argument()?]),
            Some(ValueKind::Two) => Ok(vec![self.argument()?, self.argument()?]),
            Some(ValueKind::Command) => {
                let rest = &self.words[self.at..];
                let end = (0..rest.len()).find(|index| match rest[*index].as_literal() {
                    Some(";") => true,
                    Some("+") => *index > 0 && rest[*index - 1].as_literal() == Some("{}"),
                    Some(_) | None => false,
                });
                let end = end.ok_or(Opaque)?;
                let terminator = rest[end].as_literal().unwrap_or_default().to_owned();
                let command = rest[..end].to_vec();
                self.at += end + 1;
                let mut form = self.reader.command(command);
                form.push(Atom::Name(terminator));
                Ok(form)
            }
            Some(ValueKind::Optional | ValueKind::Attached | ValueKind::Number) => Err(Opaque),
        }
    }

    fn argument(&mut self) -> Result<Atom, Opaque> {
        let word = self.words.get(self.at).cloned().ok_or(Opaque)?;
        self.at += 1;
        Ok(Atom::Word(word))
    }
}

/// Neighbouring tests commute: each run of them is sorted.
fn sort_tests(parts: &mut [Expression], moved: &mut bool) {
    for run in parts.chunk_by_mut(|a, b| a.is_pure() && b.is_pure()) {
        let before = run.to_vec();
        run.sort();
        *moved |= before != run;
    }
}
