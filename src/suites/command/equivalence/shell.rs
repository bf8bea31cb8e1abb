//! From the text of a command line to its normal form: lists, pipelines, redirections, compound commands.

use brush_parser::ast::{
    self, AndOr, Assignment, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    CompoundListItem, IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, SeparatorOperator, SourceLocation as _,
};
use brush_parser::{ParserOptions, SourceSpan, Token};

use super::form::{Atom, Form, Piece, Word};
use super::program::Tables;
use super::rules::{EquivalenceRule, Notes};
use super::word::{WordContext, parser_options};

/// Longer commands are not looked into.
const MAX_BYTES: usize = 8 * 1024;
/// Deeper ones neither: the parser works with the stack.
const MAX_DEPTH: usize = 64;

/// Why a command could not be brought into a normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unparsed {
    TooLong,
    TooDeep,
    Syntax,
}

impl Unparsed {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::TooLong => "longer than 8 KiB, compared as text only",
            Self::TooDeep => "nested more than 64 levels deep, compared as text only",
            Self::Syntax => "not a command that could be parsed, compared as text only",
        }
    }
}

/// A command that was read.
#[derive(Debug)]
pub(super) struct ShellRead {
    pub(super) form: Form,
    /// The words and operators as they were written.
    pub(super) tokens: Vec<String>,
    pub(super) notes: Notes,
}

/// Reads one command line.
pub(super) struct ShellReader<'n> {
    pub(super) options: ParserOptions,
    pub(super) tables: &'n Tables,
    pub(super) notes: Notes,
    depth: usize,
    /// Whether the command being read gets further arguments when it runs.
    pub(super) appending: bool,
    /// The text being read, by character, since that is how the parser counts.
    source: Vec<char>,
}

/// Reads a command line into its normal form.
pub(super) fn read(text: &str, tables: &Tables) -> Result<ShellRead, Unparsed> {
    let mut reader = ShellReader {
        options: parser_options(),
        tables,
        notes: Notes::default(),
        depth: 0,
        appending: false,
        source: Vec::new(),
    };
    let tokens = tokenize(text)?;
    let form = reader.program(text, &tokens)?;
    let shown = significant(&tokens).iter().map(|token| token.to_str().to_owned()).collect();
    Ok(ShellRead { form, tokens: shown, notes: reader.notes })
}

/// Tokens, after checking that the parser can bear the text.
fn tokenize(text: &str) -> Result<Vec<Token>, Unparsed> {
    if text.len() > MAX_BYTES {
        return Err(Unparsed::TooLong);
    }
    if depth(text) > MAX_DEPTH {
        return Err(Unparsed::TooDeep);
    }
    // `{fd}>file` opens a descriptor; the parser does not know it.
    if text.contains("}>") || text.contains("}<") {
        return Err(Unparsed::Syntax);
    }
    brush_parser::tokenize_str(text).map_err(|_| Unparsed::Syntax)
}

/// An upper bound of how deep a text nests: brackets, quotes and keywords that open something.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0_usize);
    for byte in text.bytes() {
        match byte {
            b'(' | b'{' | b'[' => open += 1,
            b')' | b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    let keywords = text.split(|c: char| !c.is_ascii_alphanumeric());
    let keywords = keywords
        .filter(|word| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select" | "function" | "coproc"));
    let bangs = text.split_whitespace().filter(|word| *word == "!").count();
    deepest.max(keywords.count()).max(bangs)
}

/// The tokens without newlines at either end.
fn significant(tokens: &[Token]) -> &[Token] {
    let is_newline = |token: &Token| matches!(token, Token::Operator(text, _) if text == "\n");
    let start = tokens.iter().position(|token| !is_newline(token)).unwrap_or(tokens.len());
    let end = tokens.iter().rposition(|token| !is_newline(token)).map_or(start, |at| at + 1);
    &tokens[start..end]
}

impl ShellReader<'_> {
    fn program(&mut self, text: &str, tokens: &[Token]) -> Result<Form, Unparsed> {
        let program = brush_parser::parse_tokens(tokens, &self.options).map_err(|_| Unparsed::Syntax)?;
        let outer = std::mem::replace(&mut self.source, text.chars().collect());
        // Every character belongs to a token, is blank, or stands in a comment.
        let written: usize = tokens.iter().map(|token| token.to_str().chars().count()).sum();
        let black = self.source.iter().filter(|c| !c.is_whitespace()).count();
        if black > written {
            self.notes.used(EquivalenceRule::Comment);
        }
        for (index, token) in tokens.iter().enumerate() {
            match token {
                Token::Operator(text, _) if text == "\n" || (text == ";" && index + 1 == tokens.len()) => {
                    self.notes.used(EquivalenceRule::Separator);
                }
                Token::Operator(text, _) if text == "|&" => self.notes.used(EquivalenceRule::Redirection),
                Token::Operator(..) | Token::Word(..) => {}
            }
        }
        let mut form = Form::new();
        let lists: Vec<&CompoundListItem> = program.complete_commands.iter().flat_map(|list| &list.0).collect();
        let done = self.items(&lists, &mut form);
        self.source = outer;
        done.map(|()| form)
    }

    /// A command inside of another one.
    pub(super) fn nested(&mut self, text: &str) -> Result<Form, Unparsed> {
        if self.depth >= 8 {
            return Err(Unparsed::TooDeep);
        }
        self.depth += 1;
        let form = tokenize(text).and_then(|tokens| self.program(text, &tokens));
        self.depth -= 1;
        form
    }

    fn list(&mut self, list: &CompoundList, form: &mut Form) -> Result<(), Unparsed> {
        let items: Vec<&CompoundListItem> = list.0.iter().collect();
        self.items(&items, form)
    }

    fn items(&mut self, items: &[&CompoundListItem], form: &mut Form) -> Result<(), Unparsed> {
        for CompoundListItem(and_or, separator) in items {
            form.push(Atom::Open(match separator {
                SeparatorOperator::Async => "background",
                SeparatorOperator::Sequence => "foreground",
            }));
            self.pipeline(&and_or.first, form)?;
            for next in &and_or.additional {
                let (operator, pipeline) = match next {
                    AndOr::And(pipeline) => ("&&", pipeline),
                    AndOr::Or(pipeline) => ("||", pipeline),
                };
                form.push(Atom::Name(operator.to_owned()));
                self.pipeline(pipeline, form)?;
            }
            form.push(Atom::Close);
        }
        Ok(())
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, form: &mut Form) -> Result<(), Unparsed> {
        form.push(Atom::Open("pipeline"));
        if let Some(timed) = &pipeline.timed {
            let posix = matches!(timed, ast::PipelineTimed::TimedWithPosixOutput(_));
            form.push(Atom::Name(if posix { "time -p" } else { "time" }.to_owned()));
        }
        if pipeline.bang {
            form.push(Atom::Name("!".to_owned()));
        }
        for command in &pipeline.seq {
            match command {
                ast::Command::Simple(simple) => self.simple(simple, form)?,
                ast::Command::Compound(compound, redirects) => {
                    form.push(Atom::Open("compound"));
                    self.compound(compound, form)?;
                    self.redirects(redirects.iter().flat_map(|list| &list.0), form)?;
                    form.push(Atom::Close);
                }
                ast::Command::Function(_) => self.verbatim(command.location().as_ref(), form)?,
                ast::Command::ExtendedTest(test, redirects) => {
                    self.verbatim(test.location().as_ref(), form)?;
                    self.redirects(redirects.iter().flat_map(|list| &list.0), form)?;
                }
            }
        }
        form.push(Atom::Close);
        Ok(())
    }

    /// What is not looked into: the text as it was written.
    fn verbatim(&mut self, span: Option<&SourceSpan>, form: &mut Form) -> Result<(), Unparsed> {
        let span = span.ok_or(Unparsed::Syntax)?;
        let text = self.source.get(span.start.index..span.end.index).ok_or(Unparsed::Syntax)?;
        form.push(Atom::Open("verbatim"));
        form.push(Atom::Name(text.iter().collect()));
        form.push(Atom::Close);
        Ok(())
    }

    fn compound(&mut self, compound: &CompoundCommand, form: &mut Form) -> Result<(), Unparsed> {
        match compound {
            CompoundCommand::BraceGroup(group) => {
                form.push(Atom::Open("group"));
                self.list(&group.list, form)?;
            }
            CompoundCommand::Subshell(subshell) => {
                form.push(Atom::Open("subshell"));
                self.list(&subshell.list, form)?;
            }
            // The parser does not tell `for x in; do` from `for x; do`.
            CompoundCommand::ForClause(clause) if clause.values.as_ref().is_none_or(Vec::is_empty) => {
                return self.verbatim(compound.location().as_ref(), form);
            }
            CompoundCommand::ForClause(clause) => {
                form.push(Atom::Open("for"));
                form.push(Atom::Name(clause.variable_name.clone()));
                if let Some(values) = &clause.values {
                    form.push(Atom::Name("in".to_owned()));
                    for value in values {
                        form.extend(self.words(&value.value, WordContext::Argument)?.into_iter().map(Atom::Word));
                    }
                }
                form.push(Atom::Name("do".to_owned()));
                self.list(&clause.body.list, form)?;
            }
            CompoundCommand::IfClause(clause) => {
                form.push(Atom::Open("if"));
                self.list(&clause.condition, form)?;
                form.push(Atom::Name("then".to_owned()));
                self.list(&clause.then, form)?;
                for branch in clause.elses.iter().flatten() {
                    form.push(Atom::Name("else".to_owned()));
                    if let Some(condition) = &branch.condition {
                        self.list(condition, form)?;
                        form.push(Atom::Name("then".to_owned()));
                    }
                    self.list(&branch.body, form)?;
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                let until = matches!(compound, CompoundCommand::UntilClause(_));
                form.push(Atom::Open(if until { "until" } else { "while" }));
                self.list(&clause.0, form)?;
                form.push(Atom::Name("do".to_owned()));
                self.list(&clause.1.list, form)?;
            }
            CompoundCommand::Arithmetic(_)
            | CompoundCommand::ArithmeticForClause(_)
            | CompoundCommand::CaseClause(_)
            | CompoundCommand::Coprocess(_) => return self.verbatim(compound.location().as_ref(), form),
        }
        form.push(Atom::Close);
        Ok(())
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, form: &mut Form) -> Result<(), Unparsed> {
        let mut assignments = Form::new();
        let mut redirects: Vec<(&IoRedirect, bool)> = Vec::new();
        let mut words = Vec::new();
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => redirects.push((redirect, false)),
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                    self.assignment(assignment, &word.value, &mut assignments)?;
                }
                CommandPrefixOrSuffixItem::Word(_) | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {
                    return Err(Unparsed::Syntax);
                }
            }
        }
        if let Some(name) = &simple.word_or_name {
            words.extend(self.program_name(&name.value)?);
        }
        let suffix: Vec<&CommandPrefixOrSuffixItem> = simple.suffix.iter().flat_map(|suffix| &suffix.0).collect();
        for (index, item) in suffix.iter().enumerate() {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    let last =
                        suffix[index..].iter().all(|item| matches!(item, CommandPrefixOrSuffixItem::IoRedirect(_)));
                    redirects.push((redirect, last));
                }
                CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.extend(self.words(&word.value, WordContext::Argument)?);
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(kind, subshell) => {
                    let mut inner = vec![Atom::Open("process"), Atom::Name(format!("{kind}"))];
                    self.list(&subshell.list, &mut inner)?;
                    inner.push(Atom::Close);
                    words.push(Word(vec![Piece::Dynamic { form: inner, quoted: true }]));
                }
            }
        }
        form.push(Atom::Open("simple"));
        form.extend(assignments);
        if !words.is_empty() {
            form.extend(self.command(words));
        }
        if redirects.iter().any(|(_, last)| !last) {
            self.notes.used(EquivalenceRule::Redirection);
        }
        self.redirects(redirects.iter().map(|(redirect, _)| *redirect), form)?;
        form.push(Atom::Close);
        Ok(())
    }

    /// Quotes around the name of a program keep the shell from looking for an alias, so they are kept.
    fn program_name(&mut self, raw: &str) -> Result<Vec<Word>, Unparsed> {
        let mut words = self.words(raw, WordContext::Argument)?;
        if raw.contains(['\\', '\'', '"'])
            && let Some(first) = words.first_mut()
        {
            first.0.insert(0, Piece::Special('\u{3}'));
        }
        Ok(words)
    }

    fn assignment(&mut self, assignment: &Assignment, raw: &str, form: &mut Form) -> Result<(), Unparsed> {
        form.push(Atom::Open("assignment"));
        match (&assignment.name, &assignment.value) {
            (AssignmentName::VariableName(name), AssignmentValue::Scalar(value)) => {
                form.push(Atom::Name(format!("{name}{}", if assignment.append { "+=" } else { "=" })));
                form.push(Atom::Word(self.word(&value.value, WordContext::Assignment)?));
            }
            (AssignmentName::VariableName(_) | AssignmentName::ArrayElementName(..), _) => {
                form.push(Atom::Name(raw.to_owned()));
            }
        }
        form.push(Atom::Close);
        Ok(())
    }

    fn redirects<'a>(
        &mut self,
        redirects: impl IntoIterator<Item = &'a IoRedirect>,
        form: &mut Form,
    ) -> Result<(), Unparsed> {
        for redirect in redirects {
            match redirect {
                IoRedirect::File(fd, kind, target) => self.file_redirect(*fd, kind, target, form)?,
                IoRedirect::OutputAndError(word, append) => {
                    let word = self.word(&word.value, WordContext::Target)?;
                    self.both_redirects(word, *append, form);
                }
                IoRedirect::HereDocument(fd, document) => {
                    form.push(Atom::Open("here-document"));
                    form.push(Atom::Name(fd.unwrap_or(0).to_string()));
                    form.push(Atom::Name(format!("{} {}", document.remove_tabs, document.requires_expansion)));
                    form.push(Atom::Name(document.doc.value.clone()));
                    form.push(Atom::Close);
                }
                IoRedirect::HereString(fd, word) => {
                    form.push(Atom::Open("here-string"));
                    form.push(Atom::Name(fd.unwrap_or(0).to_string()));
                    form.push(Atom::Word(self.word(&word.value, WordContext::Target)?));
                    form.push(Atom::Close);
                }
            }
        }
        Ok(())
    }

    fn file_redirect(
        &mut self,
        fd: Option<i32>,
        kind: &IoFileRedirectKind,
        target: &IoFileRedirectTarget,
        form: &mut Form,
    ) -> Result<(), Unparsed> {
        let reads = matches!(
            kind,
            IoFileRedirectKind::Read | IoFileRedirectKind::ReadAndWrite | IoFileRedirectKind::DuplicateInput
        );
        let default = if reads { 0 } else { 1 };
        if fd == Some(default) {
            self.notes.used(EquivalenceRule::Redirection);
        }
        let target = match target {
            // Behind `>&` the shell looks at a `-` or a number before it removes quotes.
            IoFileRedirectTarget::Duplicate(word) if word.value.contains(['\\', '\'', '"']) => {
                vec![Atom::Name(word.value.clone())]
            }
            IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word) => {
                let word = self.word(&word.value, WordContext::Target)?;
                let is_descriptor = |text: &str| text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit());
                if fd.is_none()
                    && matches!(kind, IoFileRedirectKind::DuplicateOutput)
                    && word.as_literal().is_some_and(|text| !is_descriptor(text))
                {
                    self.both_redirects(word, false, form);
                    return Ok(());
                }
                vec![Atom::Word(word)]
            }
            IoFileRedirectTarget::Fd(number) => vec![Atom::Word(Word::literal(&number.to_string()))],
            IoFileRedirectTarget::ProcessSubstitution(kind, subshell) => {
                let mut inner = vec![Atom::Open("process"), Atom::Name(format!("{kind}"))];
                self.list(&subshell.list, &mut inner)?;
                inner.push(Atom::Close);
                inner
            }
        };
        push_redirect(fd.unwrap_or(default), &kind.to_string(), target, form);
        Ok(())
    }

    /// `&>f` is `>f 2>&1`.
    fn both_redirects(&mut self, word: Word, append: bool, form: &mut Form) {
        self.notes.used(EquivalenceRule::Redirection);
        push_redirect(1, if append { ">>" } else { ">" }, vec![Atom::Word(word)], form);
        push_redirect(2, ">&", vec![Atom::Word(Word::literal("1"))], form);
    }
}

fn push_redirect(fd: i32, operator: &str, target: Form, form: &mut Form) {
    form.push(Atom::Open("redirect"));
    form.push(Atom::Name(fd.to_string()));
    form.push(Atom::Name(operator.to_owned()));
    form.extend(target);
    form.push(Atom::Close);
}
