//! The programs that a command line would run, wherever they stand in it: in lists, pipelines, loops and substitutions,
//! behind `sudo` and `xargs`, and in texts that a shell is given. Nothing is run.

use std::collections::HashMap;
use std::ops::Range;

use brush_parser::ParserOptions;
use brush_parser::ast::{
    self, AndOr, AssignmentName, AssignmentValue, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, SeparatorOperator,
};
use brush_parser::word::{self, Parameter, ParameterExpr, TildeExpr, WordPiece, WordPieceWithSource};

use super::equivalence::{CommandUsage, Tables, expand_braces, usage};

/// Texts in texts are read this deep.
const MAX_DEPTH: usize = 6;
const MAX_BYTES: usize = 8 * 1024;

/// One program with its arguments.
#[derive(Debug, Clone)]
pub struct ShellCall {
    pub words: Vec<CallWord>,
    pub redirects: Vec<CallRedirect>,
    /// The calls whose output is its standard input.
    pub input: Range<usize>,
    /// Text that it reads from its standard input, if that is known.
    pub input_text: Option<String>,
    /// The call that runs it, such as `sudo`.
    pub run_by: Option<usize>,
    /// The function in whose body it stands.
    pub function: Option<String>,
    pub background: bool,
}

/// A word, with what is known of what it becomes.
#[derive(Debug, Clone, Default)]
pub struct CallWord {
    /// As it is written.
    pub raw: String,
    /// Without quotes; variables that are known are filled in, others stand as `$name`.
    pub text: String,
    /// Whether it has a wildcard outside of quotes.
    pub glob: bool,
    /// Whether it begins with a variable that may be empty.
    pub may_be_empty: bool,
    /// The calls in its substitutions.
    pub inside: Vec<Range<usize>>,
}

/// A redirection to or from a file.
#[derive(Debug, Clone)]
pub struct CallRedirect {
    pub writes: bool,
    pub appends: bool,
    pub target: CallWord,
}

impl ShellCall {
    /// The program's name without its directory.
    pub fn program(&self) -> &str {
        let name = self.words.first().map_or("", |word| word.text.as_str());
        name.rsplit('/').next().unwrap_or(name)
    }

    pub fn texts(&self) -> Vec<String> {
        self.words.iter().map(|word| word.text.clone()).collect()
    }

    pub fn usage(&self, tables: &Tables) -> CommandUsage {
        usage(&self.texts(), tables)
    }

    /// As it is written, for people.
    pub fn shown(&self) -> String {
        self.words.iter().map(|word| word.raw.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Everything that a command line would run.
#[derive(Debug, Default)]
pub struct Calls {
    pub all: Vec<ShellCall>,
    /// The functions that it defines.
    pub functions: Vec<String>,
    /// What of its syntax the shell of POSIX does not have.
    pub extensions: Vec<&'static str>,
    /// Whether it could be parsed. If not, its lines were only cut into words.
    pub parsed: bool,
}

/// Reads a command line.
pub fn calls(text: &str, tables: &Tables) -> Calls {
    let mut walker = Walker {
        tables,
        options: ParserOptions::default(),
        out: Calls::default(),
        variables: HashMap::new(),
        depth: 0,
        function: None,
    };
    walker.out.parsed = walker.text(text, &(0..0)).is_some();
    if !walker.out.parsed {
        walker.out.all.clear();
        walker.pieces_of(text);
    }
    walker.out
}

struct Walker<'t> {
    tables: &'t Tables,
    options: ParserOptions,
    out: Calls,
    variables: HashMap<String, String>,
    depth: usize,
    function: Option<String>,
}

impl Walker<'_> {
    /// Reads a text as a shell would, and returns the calls that it adds.
    fn text(&mut self, text: &str, input: &Range<usize>) -> Option<Range<usize>> {
        if self.depth >= MAX_DEPTH || text.len() > MAX_BYTES {
            return None;
        }
        let nesting = text.bytes().filter(|byte| matches!(byte, b'(' | b'{' | b'[')).count();
        if nesting > 200 {
            return None;
        }
        let tokens = brush_parser::tokenize_str(text).ok()?;
        let program = brush_parser::parse_tokens(&tokens, &self.options).ok()?;
        for token in &tokens {
            match token.to_str() {
                "|&" => self.extends("`|&`"),
                "function" => self.extends("`function`"),
                "select" => self.extends("`select`"),
                _ => {}
            }
        }
        self.depth += 1;
        let start = self.out.all.len();
        for list in &program.complete_commands {
            self.list(list, input);
        }
        self.depth -= 1;
        Some(start..self.out.all.len())
    }

    /// Notes a piece of syntax that POSIX does not have.
    fn extends(&mut self, what: &'static str) {
        if !self.out.extensions.contains(&what) {
            self.out.extensions.push(what);
        }
    }

    /// What cannot be parsed is cut at operators and blanks.
    fn pieces_of(&mut self, text: &str) {
        for part in text.split(['\n', ';', '|', '&', '`']) {
            let words: Vec<CallWord> = part
                .split_whitespace()
                .map(|raw| {
                    let text = raw.trim_matches(['\'', '"', '(', ')', '{', '}']).to_owned();
                    CallWord { raw: raw.to_owned(), glob: text.contains('*'), text, ..CallWord::default() }
                })
                .filter(|word| !word.text.is_empty())
                .collect();
            if !words.is_empty() {
                self.push(words, Vec::new(), &(0..0), None, None, false);
            }
        }
    }

    fn list(&mut self, list: &CompoundList, input: &Range<usize>) {
        for item in &list.0 {
            let background = matches!(item.1, SeparatorOperator::Async);
            self.pipeline(&item.0.first, input, background);
            for next in &item.0.additional {
                let (AndOr::And(pipeline) | AndOr::Or(pipeline)) = next;
                self.pipeline(pipeline, input, background);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, input: &Range<usize>, background: bool) {
        let mut flows = input.clone();
        let start = self.out.all.len();
        for command in &pipeline.seq {
            let before = self.out.all.len();
            match command {
                ast::Command::Simple(simple) => self.simple(simple, &flows, background),
                ast::Command::Compound(compound, redirects) => {
                    self.compound(compound, &flows);
                    self.redirected(redirects.as_ref(), &flows);
                }
                ast::Command::Function(function) => {
                    let name = function.fname.value.clone();
                    self.out.functions.push(name.clone());
                    let outer = self.function.replace(name);
                    self.compound(&function.body.0, &flows);
                    self.function = outer;
                }
                ast::Command::ExtendedTest(..) => self.extends("`[[ ]]`"),
            }
            // What an earlier stage printed flows on through `tee`, `sed` and the like.
            flows = if before == self.out.all.len() { flows } else { start..self.out.all.len() };
        }
    }

    /// Redirections of a compound command, as a call without words.
    fn redirected(&mut self, redirects: Option<&ast::RedirectList>, input: &Range<usize>) {
        let redirects: Vec<CallRedirect> =
            redirects.iter().flat_map(|list| &list.0).filter_map(|one| self.redirect(one)).collect();
        if !redirects.is_empty() {
            self.push(Vec::new(), redirects, input, None, None, false);
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, input: &Range<usize>) {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, input),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, input),
            CompoundCommand::ForClause(clause) => {
                let values: Vec<CallWord> =
                    clause.values.iter().flatten().flat_map(|value| self.words(&value.value)).collect();
                // Each value in turn; the last stays.
                self.variables.remove(&clause.variable_name);
                for value in values.iter().filter(|value| !value.text.contains('$')).take(8) {
                    self.variables.insert(clause.variable_name.clone(), value.text.clone());
                    self.list(&clause.body.list, input);
                }
                self.variables.remove(&clause.variable_name);
                self.list(&clause.body.list, input);
            }
            CompoundCommand::CaseClause(clause) => {
                for branch in clause.cases.iter().filter_map(|case| case.cmd.as_ref()) {
                    self.list(branch, input);
                }
            }
            CompoundCommand::IfClause(clause) => {
                self.list(&clause.condition, input);
                self.list(&clause.then, input);
                for branch in clause.elses.iter().flatten() {
                    if let Some(condition) = &branch.condition {
                        self.list(condition, input);
                    }
                    self.list(&branch.body, input);
                }
            }
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.0, input);
                self.list(&clause.1.list, input);
            }
            CompoundCommand::ArithmeticForClause(clause) => {
                self.extends("`for (( ))`");
                self.list(&clause.body.list, input);
            }
            CompoundCommand::Arithmetic(_) => self.extends("`(( ))`"),
            CompoundCommand::Coprocess(_) => self.extends("`coproc`"),
        }
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, input: &Range<usize>, background: bool) {
        let (mut words, mut redirects, mut text) = (Vec::new(), Vec::new(), None);
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        let mut assigned = Vec::new();
        for item in prefix {
            match item {
                CommandPrefixOrSuffixItem::AssignmentWord(assignment, _) => {
                    if let (AssignmentName::VariableName(name), AssignmentValue::Scalar(value)) =
                        (&assignment.name, &assignment.value)
                    {
                        let value = self.words(&value.value).into_iter().next().unwrap_or_default();
                        assigned.push((name.clone(), value));
                    } else {
                        self.extends("arrays");
                    }
                    if assignment.append {
                        self.extends("`+=`");
                    }
                }
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    text = here_text(redirect).or(text);
                    redirects.extend(self.redirect(redirect));
                }
                CommandPrefixOrSuffixItem::Word(_) | CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {}
            }
        }
        if let Some(name) = &simple.word_or_name {
            words.extend(self.words(&name.value));
        } else {
            for (name, value) in assigned {
                if value.inside.is_empty() && !value.text.contains('$') {
                    self.variables.insert(name, value.text);
                } else {
                    self.variables.remove(&name);
                }
            }
        }
        for item in suffix {
            match item {
                CommandPrefixOrSuffixItem::IoRedirect(redirect) => {
                    text = here_text(redirect).or(text);
                    redirects.extend(self.redirect(redirect));
                }
                CommandPrefixOrSuffixItem::Word(word) | CommandPrefixOrSuffixItem::AssignmentWord(_, word) => {
                    words.extend(self.words(&word.value));
                }
                CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => words.push(self.process(subshell)),
            }
        }
        if !words.is_empty() || !redirects.is_empty() {
            self.push(words, redirects, input, text, None, background);
        }
    }

    fn process(&mut self, subshell: &ast::SubshellCommand) -> CallWord {
        self.extends("`<( )`");
        let start = self.out.all.len();
        self.list(&subshell.list, &(0..0));
        CallWord {
            raw: "<(…)".to_owned(),
            text: "/dev/fd/63".to_owned(),
            inside: std::iter::once(start..self.out.all.len()).collect(),
            ..CallWord::default()
        }
    }

    fn redirect(&mut self, redirect: &IoRedirect) -> Option<CallRedirect> {
        let one = |target: Option<CallWord>, writes: bool, appends: bool| {
            target.map(|target| CallRedirect { writes, appends, target })
        };
        match redirect {
            IoRedirect::File(_, kind, target) => {
                let appends = matches!(kind, IoFileRedirectKind::Append);
                let writes = appends
                    || matches!(
                        kind,
                        IoFileRedirectKind::Write
                            | IoFileRedirectKind::Clobber
                            | IoFileRedirectKind::ReadAndWrite
                            | IoFileRedirectKind::DuplicateOutput
                    );
                let word = match target {
                    IoFileRedirectTarget::Filename(word) => self.words(&word.value).into_iter().next(),
                    IoFileRedirectTarget::Duplicate(word) => self
                        .words(&word.value)
                        .into_iter()
                        .next()
                        .filter(|word| !word.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')),
                    IoFileRedirectTarget::ProcessSubstitution(_, subshell) => Some(self.process(subshell)),
                    IoFileRedirectTarget::Fd(_) => None,
                };
                one(word, writes, appends)
            }
            IoRedirect::OutputAndError(word, append) => {
                self.extends("`&>`");
                one(self.words(&word.value).into_iter().next(), true, *append)
            }
            IoRedirect::HereString(..) => {
                self.extends("`<<<`");
                None
            }
            IoRedirect::HereDocument(..) => None,
        }
    }

    /// Notes a call, and those that it runs in turn.
    fn push(
        &mut self,
        words: Vec<CallWord>,
        redirects: Vec<CallRedirect>,
        input: &Range<usize>,
        input_text: Option<String>,
        run_by: Option<usize>,
        background: bool,
    ) {
        let at = self.out.all.len();
        let call = ShellCall {
            words,
            redirects,
            input: input.clone(),
            input_text,
            run_by,
            function: self.function.clone(),
            background,
        };
        self.out.all.push(call.clone());
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            self.run_in_turn(&call, at, input);
            self.depth -= 1;
        }
    }

    /// The commands that a program is given to run: as words, or as a text.
    fn run_in_turn(&mut self, call: &ShellCall, at: usize, input: &Range<usize>) {
        let program = call.program().to_owned();
        let usage = call.usage(self.tables);
        let mut nested: Vec<Vec<CallWord>> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        let operand = |index: usize| usage.operands.get(index).map(|at| call.words[*at].text.clone());
        let rest = |from: usize| call.words.get(from..).map(Vec::from).filter(|words| !words.is_empty());
        match program.as_str() {
            name if is_shell(name) => {
                if let Some(option) = usage.options.iter().find(|option| option.names.iter().any(|name| name == "-c")) {
                    texts.extend(option.value.clone().or_else(|| operand(0)));
                } else if usage.operands.is_empty() {
                    texts.extend(call.input_text.clone());
                    texts.extend(self.printed(input));
                }
            }
            "eval" => texts.push(call.texts()[1..].join(" ")),
            "su" | "runuser" => texts.extend(value_of(&usage, &["-c", "--command"])),
            "trap" => texts.extend(operand(0)),
            "at" | "batch" => texts.extend(self.printed(input)),
            "ssh" => {
                let command: Vec<String> =
                    usage.operands.iter().skip(1).map(|at| call.words[*at].text.clone()).collect();
                texts.push(command.join(" "));
            }
            "watch" => {
                let from = usage.nested.or(usage.operands.first().copied());
                texts.extend(from.map(|from| call.texts()[from..].join(" ")));
            }
            "find" | "fd" | "fdfind" => nested.extend(executed(call)),
            "busybox" | "toybox" | "builtin" | "command" | "exec" | "nohup" | "then" | "do" | "else" | "setsid"
            | "pkexec" | "proot" | "fakeroot" | "unbuffer" | "caffeinate" => {
                nested.extend(usage.operands.first().copied().or(usage.nested).and_then(rest));
            }
            "docker" | "podman" | "kubectl" | "oc" | "nerdctl" | "lxc" => nested.extend(
                call.words.iter().position(|word| word.text == "--").and_then(|dash| rest(dash + 1)).or_else(|| {
                    let runs = usage.subcommands.iter().any(|name| matches!(name.as_str(), "exec" | "run"));
                    usage.operands.get(1).filter(|_| runs).copied().and_then(rest)
                }),
            ),
            _ => {
                nested.extend(usage.nested.and_then(rest));
                for word in &call.words {
                    texts.extend(scripted(&program, &word.text));
                }
            }
        }
        for words in nested {
            // `sudo VAR=1 rm`: assignments stand before the command.
            let from = words
                .iter()
                .position(|word| {
                    !word.text.split_once('=').is_some_and(|(name, _)| {
                        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    })
                })
                .unwrap_or(0);
            self.push(words[from..].to_vec(), Vec::new(), input, call.input_text.clone(), Some(at), call.background);
        }
        for text in texts.into_iter().filter(|text| !text.trim().is_empty()) {
            let start = self.out.all.len();
            if self.text(&text, input).is_none() {
                self.pieces_of(&text);
            }
            for inner in &mut self.out.all[start..] {
                inner.run_by.get_or_insert(at);
            }
        }
    }

    /// What the stages before are known to print.
    fn printed(&self, input: &Range<usize>) -> Option<String> {
        let last = self.out.all.get(input.clone())?.iter().rev().find(|call| call.run_by.is_none())?;
        echoed(last)
    }

    /// A raw word as the words it becomes.
    fn words(&mut self, raw: &str) -> Vec<CallWord> {
        let texts = expand_braces(raw);
        if texts.len() > 1 {
            self.extends("braces that expand");
        }
        texts.iter().map(|text| self.word(text)).collect()
    }

    fn word(&mut self, raw: &str) -> CallWord {
        let mut word = CallWord { raw: raw.to_owned(), ..CallWord::default() };
        match word::parse(raw, &self.options) {
            Ok(pieces) => self.pieces(&pieces, false, &mut word),
            Err(_) => word.text = raw.to_owned(),
        }
        word
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource], quoted: bool, word: &mut CallWord) {
        for WordPieceWithSource { piece, .. } in pieces {
            match piece {
                WordPiece::Text(text) => {
                    word.glob |= !quoted && text.contains(['*', '?', '[']);
                    word.text.push_str(text);
                }
                WordPiece::SingleQuotedText(text) => word.text.push_str(text),
                WordPiece::AnsiCQuotedText(text) => word.text.push_str(&decoded(text)),
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    self.pieces(inner, true, word)
                }
                WordPiece::TildeExpansion(TildeExpr::UserHome(user)) => word.text.push_str(&format!("~{user}")),
                WordPiece::TildeExpansion(TildeExpr::WorkingDir) => word.text.push('.'),
                WordPiece::TildeExpansion(_) => word.text.push('~'),
                WordPiece::EscapeSequence(text) => {
                    word.text.push_str(text.strip_prefix('\\').unwrap_or(text).trim_matches('\n'))
                }
                WordPiece::ArithmeticExpression(_) => word.text.push('0'),
                WordPiece::ParameterExpansion(expression) => self.parameter(expression, word),
                WordPiece::CommandSubstitution(text) | WordPiece::BackquotedCommandSubstitution(text) => {
                    let inside = self.text(text, &(0..0)).unwrap_or(0..0);
                    let printed = self.out.all.get(inside.clone()).and_then(|calls| match calls {
                        [one] => echoed(one),
                        _ => None,
                    });
                    word.text.push_str(&printed.unwrap_or_else(|| "$(…)".to_owned()));
                    word.inside.push(inside);
                }
            }
        }
    }

    fn parameter(&mut self, expression: &ParameterExpr, word: &mut CallWord) {
        if let Some(what) = beyond_posix(expression) {
            self.extends(what);
        }
        let (name, safe) = variable(expression);
        let name = name.unwrap_or_else(|| "?".to_owned());
        match (self.variables.get(&name), name.as_str()) {
            (Some(value), _) => word.text.push_str(value),
            (None, "HOME") => word.text.push('~'),
            (None, "PWD") => word.text.push('.'),
            (None, "IFS") => word.text.push(' '),
            (None, _) => {
                word.may_be_empty |= word.text.is_empty() && !safe;
                word.text.push_str(&format!("${name}"));
            }
        }
    }
}

/// What POSIX does not have of an expansion.
fn beyond_posix(expression: &ParameterExpr) -> Option<&'static str> {
    const VARIABLES: [&str; 13] = [
        "RANDOM",
        "SECONDS",
        "BASHPID",
        "EPOCHSECONDS",
        "HOSTNAME",
        "OSTYPE",
        "UID",
        "EUID",
        "BASH_SOURCE",
        "FUNCNAME",
        "PIPESTATUS",
        "BASH_VERSION",
        "SRANDOM",
    ];
    if matches!(expression, ParameterExpr::Substring { .. }) {
        Some("`${x:1:2}`")
    } else if matches!(expression, ParameterExpr::ReplaceSubstring { .. }) {
        Some("`${x/a/b}`")
    } else if matches!(
        expression,
        ParameterExpr::UppercaseFirstChar { .. }
            | ParameterExpr::UppercasePattern { .. }
            | ParameterExpr::LowercaseFirstChar { .. }
            | ParameterExpr::LowercasePattern { .. }
    ) {
        Some("`${x^}`")
    } else if matches!(expression, ParameterExpr::Transform { .. }) {
        Some("`${x@Q}`")
    } else if matches!(expression, ParameterExpr::VariableNames { .. } | ParameterExpr::MemberKeys { .. }) {
        Some("`${!x*}`")
    } else if let ParameterExpr::Parameter { parameter, indirect } = expression {
        let is_array = matches!(parameter, Parameter::NamedWithIndex { .. } | Parameter::NamedWithAllIndices { .. });
        let is_of_bash = matches!(parameter, Parameter::Named(name) if VARIABLES.contains(&name.as_str()));
        indirect.then_some("`${!x}`").or(is_array.then_some("arrays")).or(is_of_bash.then_some("variables of bash"))
    } else {
        None
    }
}

/// The name of the variable, and whether it is surely not empty.
fn variable(expression: &ParameterExpr) -> (Option<String>, bool) {
    if let ParameterExpr::Parameter { parameter, .. } = expression {
        (name_of(parameter), false)
    } else if let ParameterExpr::UseDefaultValues { parameter, default_value, .. }
    | ParameterExpr::AssignDefaultValues { parameter, default_value, .. } = expression
    {
        (name_of(parameter), default_value.as_ref().is_some_and(|value| !value.is_empty()))
    } else if let ParameterExpr::IndicateErrorIfNullOrUnset { parameter, .. } = expression {
        (name_of(parameter), true)
    } else {
        (None, false)
    }
}

fn name_of(parameter: &Parameter) -> Option<String> {
    match parameter {
        Parameter::Named(name)
        | Parameter::NamedWithIndex { name, .. }
        | Parameter::NamedWithAllIndices { name, .. } => Some(name.clone()),
        Parameter::Positional(number) => Some(number.to_string()),
        Parameter::Special(_) => None,
    }
}

fn value_of(usage: &CommandUsage, names: &[&str]) -> Option<String> {
    usage
        .options
        .iter()
        .find(|option| option.names.iter().any(|name| names.contains(&name.as_str())))
        .and_then(|option| option.value.clone())
}

/// Shells, by the name of the program.
pub fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh" | "mksh" | "fish" | "ash" | "csh" | "tcsh" | "rbash")
}

/// What `echo` or `printf` prints, if that is known.
fn echoed(call: &ShellCall) -> Option<String> {
    let texts = call.texts();
    let words = match call.program() {
        "echo" => texts[1..]
            .iter()
            .skip_while(|word| matches!(word.as_str(), "-n" | "-e" | "-ne" | "-en" | "-E"))
            .cloned()
            .collect::<Vec<_>>(),
        "printf" => {
            let format = texts.get(1)?.clone();
            if !format.contains('%') {
                return Some(decoded(&format));
            }
            texts[2..].to_vec()
        }
        _ => return None,
    };
    Some(words.join(" "))
}

/// The commands of `find -exec … ;` and `fd -x …`.
fn executed(call: &ShellCall) -> Vec<Vec<CallWord>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < call.words.len() {
        let text = call.words[at].text.as_str();
        at += 1;
        if matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir" | "-x" | "--exec" | "-X" | "--exec-batch") {
            let end = call.words[at..]
                .iter()
                .position(|word| matches!(word.text.as_str(), ";" | "+"))
                .map_or(call.words.len(), |length| at + length);
            if end > at {
                found.push(call.words[at..end].to_vec());
            }
            at = end;
        }
    }
    found
}

/// Commands of the shell in the scripts of other languages: `system("…")` and the like.
fn scripted(program: &str, text: &str) -> Vec<String> {
    let runs_scripts = program.starts_with("python")
        || program.starts_with("perl")
        || matches!(program, "ruby" | "node" | "php" | "awk" | "gawk" | "mawk" | "lua" | "deno" | "bun");
    if !runs_scripts {
        return Vec::new();
    }
    let mut found = Vec::new();
    for opener in [
        "system",
        "popen",
        "execSync",
        "exec",
        "shell_exec",
        "passthru",
        "run",
        "call",
        "check_call",
        "check_output",
        "Popen",
        "getoutput",
        "spawnSync",
    ] {
        for (at, _) in text.match_indices(opener) {
            let after = text[at + opener.len()..].trim_start().trim_start_matches('(').trim_start();
            let Some(quote) = after.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else { continue };
            found.extend(after[1..].split(quote).next().map(str::to_owned));
        }
    }
    found
}

fn here_text(redirect: &IoRedirect) -> Option<String> {
    match redirect {
        IoRedirect::HereDocument(_, document) => Some(document.doc.value.clone()),
        IoRedirect::HereString(_, word) => Some(word.value.trim_matches(['\'', '"']).to_owned()),
        IoRedirect::File(..) | IoRedirect::OutputAndError(..) => None,
    }
}

/// The text of `$'…'` and of formats: `\x2f`, `\57`, `\n`.
fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (digits, radix, skip) = if let Some(hex) = rest.strip_prefix('x') { (hex, 16, 1) } else { (rest, 8, 0) };
        let length = digits.chars().take(if radix == 16 { 2 } else { 3 }).take_while(|c| c.is_digit(radix)).count();
        match u32::from_str_radix(&digits[..length], radix).ok().and_then(char::from_u32) {
            Some(character) if length > 0 => {
                out.push(character);
                rest = &rest[skip + length..];
            }
            _ => {
                let Some(escaped) = rest.chars().next() else { break };
                out.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                });
                rest = &rest[escaped.len_utf8()..];
            }
        }
    }
    out.push_str(rest);
    out
}
