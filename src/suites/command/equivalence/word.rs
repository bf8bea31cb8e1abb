//! The words of a command line: quotes removed, but what they protected remembered.

use brush_parser::ParserOptions;
use brush_parser::word::{
    self, BraceExpressionMember, BraceExpressionOrText, ParameterExpr, WordPiece, WordPieceWithSource,
};

use super::form::{Atom, Form, Piece, Word};
use super::rules::EquivalenceRule;
use super::shell::{ShellReader, Unparsed};

/// A word with more alternatives than this is not written out.
const MAX_ALTERNATIVES: usize = 256;

/// Where a word stands decides what the shell does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordContext {
    /// Braces, wildcards, splitting.
    Argument,
    /// After `name=`: neither wildcards nor splitting.
    Assignment,
    /// The target of a redirection: no braces.
    Target,
}

impl ShellReader<'_> {
    /// A raw word as the words it becomes; more than one only through braces.
    pub(super) fn words(&mut self, raw: &str, context: WordContext) -> Result<Vec<Word>, Unparsed> {
        if context == WordContext::Argument && raw.contains('{') {
            let parsed = word::parse_brace_expansions(raw, &self.options).map_err(|_| Unparsed::Syntax)?;
            let braced = parsed.filter(|parts| parts.iter().any(|part| matches!(part, BraceExpressionOrText::Expr(_))));
            if let Some(parts) = braced {
                let Some(texts) = expand(&parts).filter(|_| !is_padded(raw)) else {
                    return Ok(vec![Word(vec![dynamic("braces", raw, false)])]);
                };
                self.notes.used(EquivalenceRule::BraceExpansion);
                return texts.iter().map(|text| self.word(text, context)).collect();
            }
        }
        Ok(vec![self.word(raw, context)?])
    }

    /// A raw word, braces as they are.
    pub(super) fn word(&mut self, raw: &str, context: WordContext) -> Result<Word, Unparsed> {
        if context == WordContext::Target && raw.contains('{') {
            // Several targets are an error of the shell, not a file of that name.
            let parsed = word::parse_brace_expansions(raw, &self.options).map_err(|_| Unparsed::Syntax)?;
            if parsed.is_some_and(|parts| parts.iter().any(|part| matches!(part, BraceExpressionOrText::Expr(_)))) {
                return Ok(Word(vec![dynamic("braces", raw, false)]));
            }
        }
        if is_plain(raw) {
            return Ok(Word::literal(raw));
        }
        let pieces = word::parse(raw, &self.options).map_err(|_| Unparsed::Syntax)?;
        let mut word = Word::default();
        self.pieces(&pieces, raw, false, context, &mut word)?;
        Ok(word)
    }

    fn pieces(
        &mut self,
        pieces: &[WordPieceWithSource],
        raw: &str,
        quoted: bool,
        context: WordContext,
        word: &mut Word,
    ) -> Result<(), Unparsed> {
        for WordPieceWithSource { piece, start_index, end_index } in pieces {
            let keeps_one_word = quoted || context == WordContext::Assignment;
            match piece {
                WordPiece::Text(text) if quoted => word.push_literal(text),
                WordPiece::Text(text) => self.unquoted(text, context, word),
                WordPiece::SingleQuotedText(text) => {
                    self.notes.used(EquivalenceRule::Quoting);
                    word.push_literal(text);
                }
                WordPiece::AnsiCQuotedText(text) => {
                    self.notes.used(EquivalenceRule::Quoting);
                    match decode_ansi_c(text) {
                        Some(text) => word.push_literal(&text),
                        None => word.0.push(dynamic("ansi-c", text, true)),
                    }
                }
                WordPiece::DoubleQuotedSequence(inner) => {
                    self.notes.used(EquivalenceRule::Quoting);
                    if inner.is_empty() {
                        word.push_literal("");
                    }
                    self.pieces(inner, raw, true, context, word)?;
                }
                WordPiece::GettextDoubleQuotedSequence(_) => return Err(Unparsed::Syntax),
                WordPiece::TildeExpansion(tilde) => {
                    word.0.push(dynamic("tilde", &format!("{tilde:?}"), true));
                }
                WordPiece::ParameterExpansion(expression) => {
                    // `"$@"` and `"$*"` make several words or one; there the quotes matter even after `name=`.
                    let text = format!("{expression:?}");
                    let many = text.contains("AllPositionalParameters") || text.contains("AllIndices");
                    let source = slice(raw, *start_index, *end_index);
                    if matches!(expression, ParameterExpr::Parameter { .. }) && source.starts_with("${") {
                        self.notes.used(EquivalenceRule::ParameterBraces);
                    }
                    // Even between quotes it can be several words.
                    let sort = if many && quoted { "parameters" } else { "parameter" };
                    word.0.push(dynamic(sort, &text, keeps_one_word && !many));
                }
                WordPiece::CommandSubstitution(text) => {
                    let form = self.substitution(text);
                    word.0.push(Piece::Dynamic { form, quoted: keeps_one_word });
                }
                WordPiece::BackquotedCommandSubstitution(text) => {
                    self.notes.used(EquivalenceRule::CommandSubstitution);
                    // Inside of backticks a backslash has rules of its own.
                    let form = if text.contains('\\') {
                        vec![Atom::Open("backquoted"), Atom::Name(text.clone()), Atom::Close]
                    } else {
                        self.substitution(text)
                    };
                    word.0.push(Piece::Dynamic { form, quoted: keeps_one_word });
                }
                WordPiece::EscapeSequence(text) => self.escape(text, quoted, word),
                WordPiece::ArithmeticExpression(expression) => {
                    word.0.push(dynamic("arithmetic", &expression.value, keeps_one_word));
                }
            }
        }
        Ok(())
    }

    /// A command inside of a command, in its normal form or, if it cannot be read, as it is.
    fn substitution(&mut self, text: &str) -> Form {
        let mut form = vec![Atom::Open("substitution")];
        match self.nested(text) {
            Ok(inner) => form.extend(inner),
            Err(_) => form.push(Atom::Name(text.to_owned())),
        }
        form.push(Atom::Close);
        form
    }

    fn escape(&mut self, text: &str, quoted: bool, word: &mut Word) {
        let escaped = text.strip_prefix('\\').unwrap_or(text);
        if escaped == "\n" {
            return;
        }
        if !quoted {
            self.notes.used(EquivalenceRule::Quoting);
            word.push_literal(escaped);
        } else if matches!(escaped, "$" | "`" | "\"" | "\\") {
            word.push_literal(escaped);
        } else {
            // Between double quotes any other backslash stands for itself.
            word.push_literal(text);
        }
    }

    /// Text without quotes: wildcards and brackets keep their meaning.
    fn unquoted(&mut self, text: &str, context: WordContext, word: &mut Word) {
        if context == WordContext::Assignment {
            // Neither wildcards nor braces mean anything here, but a tilde does.
            for (index, part) in text.split('~').enumerate() {
                if index > 0 {
                    word.0.push(Piece::Special('~'));
                }
                if !part.is_empty() {
                    word.push_literal(part);
                }
            }
            return;
        }
        let mut in_bracket = word.0.contains(&Piece::Special('['));
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let extended = matches!(character, '!' | '+' | '@') && characters.peek() == Some(&'(');
            let special = extended || matches!(character, '*' | '?' | '[' | ']' | '(' | ')' | '|' | '~') || in_bracket;
            in_bracket = in_bracket || character == '[';
            if special {
                word.0.push(Piece::Special(character));
            } else {
                word.push_literal(character.encode_utf8(&mut [0; 4]));
            }
        }
    }
}

/// Nothing in it means anything to the shell.
fn is_plain(raw: &str) -> bool {
    // A bracket alone cannot be a pattern; it is the other name of `test`.
    matches!(raw, "[" | "]")
        || !raw.is_empty()
            && raw.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte) || byte >= 0x80)
}

fn dynamic(sort: &'static str, text: &str, quoted: bool) -> Piece {
    Piece::Dynamic { form: vec![Atom::Open(sort), Atom::Name(text.to_owned()), Atom::Close], quoted }
}

fn slice(raw: &str, start: usize, end: usize) -> &str {
    raw.get(start..end).unwrap_or_default()
}

/// The text of `$'…'`, unless it has an escape that is not one plain character.
fn decode_ansi_c(text: &str) -> Option<String> {
    let mut decoded = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            decoded.push(character);
            continue;
        }
        decoded.push(match characters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '\\' => '\\',
            '\'' => '\'',
            '"' => '"',
            _ => return None,
        });
    }
    Some(decoded)
}

/// `{01..10}` keeps its zeros, which the parser forgets.
fn is_padded(raw: &str) -> bool {
    let zero = |text: &str| {
        let digits = text.trim_start_matches('-');
        digits.starts_with('0') && digits[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    raw.match_indices("..").any(|(at, _)| {
        let start = raw[..at].rfind(['{', ',']).map_or(0, |open| open + 1);
        zero(&raw[start..at]) || zero(&raw[at + 2..])
    })
}

/// What a raw word becomes by braces alone; just itself where they are not written out.
pub fn expand_braces(raw: &str) -> Vec<String> {
    let parsed = word::parse_brace_expansions(raw, &parser_options()).ok().flatten();
    parsed.and_then(|parts| expand(&parts)).unwrap_or_else(|| vec![raw.to_owned()])
}

/// All alternatives, in bash's order; nothing if there are too many or a sequence is not a plain one.
fn expand(parts: &[BraceExpressionOrText]) -> Option<Vec<String>> {
    let mut texts = vec![String::new()];
    for part in parts {
        let alternatives = match part {
            BraceExpressionOrText::Text(text) => vec![text.clone()],
            BraceExpressionOrText::Expr(members) => {
                let mut all = Vec::new();
                for member in members {
                    all.extend(expand_member(member)?);
                }
                all
            }
        };
        if texts.len() * alternatives.len() > MAX_ALTERNATIVES {
            return None;
        }
        texts = texts.iter().flat_map(|text| alternatives.iter().map(move |next| format!("{text}{next}"))).collect();
    }
    Some(texts)
}

fn expand_member(member: &BraceExpressionMember) -> Option<Vec<String>> {
    match member {
        BraceExpressionMember::Child(parts) => expand(parts),
        BraceExpressionMember::NumberSequence { start, end, increment: 1 }
            if end.checked_sub(*start)? < 256 && start <= end =>
        {
            Some((*start..=*end).map(|number| number.to_string()).collect())
        }
        BraceExpressionMember::CharSequence { start, end, increment: 1 }
            if start <= end
                && start.is_ascii_alphabetic()
                && end.is_ascii_alphabetic()
                && start.is_ascii_lowercase() == end.is_ascii_lowercase() =>
        {
            Some((*start..=*end).map(String::from).collect())
        }
        // Descending, stepped or mixed sequences are left as they are written.
        BraceExpressionMember::NumberSequence { .. } | BraceExpressionMember::CharSequence { .. } => None,
    }
}

/// The options of the parser: bash, as people write it.
pub(super) fn parser_options() -> ParserOptions {
    ParserOptions::default()
}
