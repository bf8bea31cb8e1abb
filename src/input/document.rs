//! JSON and TOML with the position of every value.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use super::{InputError, InputErrors};

/// A parsed text that still knows where everything stood.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file, as the user would name it.
    pub file: String,
    pub value: Value,
    text: String,
    /// Where each line begins.
    line_starts: Vec<usize>,
    /// The line number of the first line of `text` (JSON lines have one document per line).
    first_line: usize,
    root: Spanned,
}

/// Where something stands, with enough of the line to recognise it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The line, shortened around the place.
    pub excerpt: String,
    /// Characters of the excerpt before the place.
    pub indent: usize,
    /// How many characters the place covers on this line.
    pub width: usize,
}

/// A path into a document: `/test_cases/3/id`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pointer(Vec<String>);

impl Pointer {
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads the notation of RFC 6901.
    pub fn parse(text: &str) -> Self {
        Self(text.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect())
    }

    /// The keys and indexes, outermost first.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// One step further, to a key or an index.
    #[must_use]
    pub fn join(&self, step: impl ToString) -> Self {
        let mut steps = self.0.clone();
        steps.push(step.to_string());
        Self(steps)
    }
}

#[derive(Debug, Clone)]
struct Spanned {
    range: Range<usize>,
    children: Children,
}

#[derive(Debug, Clone)]
enum Children {
    None,
    Array(Vec<Spanned>),
    Object(Vec<(String, Range<usize>, Spanned)>),
}

impl Document {
    /// Parses one JSON value.
    pub fn json(file: &str, text: String) -> Result<Self, InputErrors> {
        Self::json_at(file, text, 1)
    }

    /// Parses one JSON value per line; blank lines are skipped.
    pub fn json_lines(file: &str, text: &str) -> Result<Vec<Self>, InputErrors> {
        let mut documents = Vec::new();
        let mut errors = InputErrors::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match Self::json_at(file, line.to_owned(), index + 1) {
                Ok(document) => documents.push(document),
                Err(wrong) => errors.extend(wrong),
            }
        }
        errors.into_result().map(|()| documents)
    }

    /// Parses the JSON value on one line of a file.
    pub fn json_at(file: &str, text: String, first_line: usize) -> Result<Self, InputErrors> {
        if text.trim().is_empty() {
            return Err(empty(file).into());
        }
        // Unlike skipping the value, reading it refuses nesting that the parser below could not take.
        if let Err(error) = serde_json::from_str::<Value>(&text) {
            return Err(invalid_json(file, &text, first_line, &error).into());
        }
        let strict = jsonc_parser::ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = jsonc_parser::parse_to_ast(&text, &jsonc_parser::CollectOptions::default(), &strict)
            .map_err(|error| InputError::in_file(file, format!("invalid JSON: {error}")))?;
        let Some(tree) = parsed.value else { return Err(empty(file).into()) };
        let mut repeated = Vec::new();
        let (value, root) = from_json(&tree, &mut repeated);
        let mut errors = InputErrors::new();
        for (key, range) in repeated {
            errors.push(error_at(file, &text, first_line, range, format!("the key `{key}` stands here a second time")));
        }
        errors.into_result()?;
        drop(tree);
        Ok(Self { file: file.to_owned(), value, line_starts: line_starts(&text), text, first_line, root })
    }

    /// A text of which only some places are known; a pointer's first step is the number of one.
    pub fn of_places(file: &str, text: String, places: Vec<Range<usize>>) -> Self {
        let children = places.into_iter().map(|range| Spanned { range, children: Children::None }).collect();
        let root = Spanned { range: 0..text.len(), children: Children::Array(children) };
        let line_starts = line_starts(&text);
        Self { file: file.to_owned(), value: Value::Null, line_starts, text, first_line: 1, root }
    }

    /// A mistake at a place of a text that is not parsed here.
    pub fn error_at_place(file: &str, text: &str, place: Range<usize>, message: impl Into<String>) -> InputError {
        error_at(file, text, 1, place, message.into())
    }

    /// What a parser of JSON says of a text.
    pub fn invalid_json(file: &str, text: &str, error: &serde_json::Error) -> InputError {
        if text.trim().is_empty() { empty(file) } else { invalid_json(file, text, 1, error) }
    }

    /// Parses a TOML document.
    pub fn toml(file: &str, text: String) -> Result<Self, InputErrors> {
        let (table, syntax_errors) = DeTable::parse_recoverable(&text);
        let mut errors = InputErrors::new();
        for error in syntax_errors {
            let range = error.span().unwrap_or(0..0);
            errors.push(error_at(file, &text, 1, range, format!("invalid TOML: {}", error.message())));
        }
        errors.into_result()?;
        let range = table.span();
        let (value, root) = from_toml_table(table.get_ref(), range);
        drop(table);
        Ok(Self { file: file.to_owned(), value, line_starts: line_starts(&text), text, first_line: 1, root })
    }

    /// Where the value at `pointer` stands; the nearest enclosing one if it does not exist.
    pub fn position(&self, pointer: &Pointer) -> Position {
        let (_, node) = self.find(pointer);
        locate(&self.text, self.first_line, node.range.clone())
    }

    /// The line on which the value at `pointer` begins.
    pub fn line(&self, pointer: &Pointer) -> usize {
        let (_, node) = self.find(pointer);
        self.first_line + self.line_starts.partition_point(|start| *start <= node.range.start).saturating_sub(1)
    }

    /// A mistake about the value at `pointer`.
    pub fn error(&self, pointer: &Pointer, message: impl Into<String>) -> InputError {
        InputError {
            file: self.file.clone(),
            position: Some(Box::new(self.position(pointer))),
            message: message.into(),
            help: None,
        }
    }

    /// A mistake at a place of the text.
    pub fn error_in(&self, place: Range<usize>, message: impl Into<String>) -> InputError {
        error_at(&self.file, &self.text, self.first_line, place, message.into())
    }

    /// A mistake about the last key of `pointer` rather than its value.
    pub fn error_at_key(&self, pointer: &Pointer, message: impl Into<String>) -> InputError {
        let (key, node) = self.find(pointer);
        let range = key.unwrap_or_else(|| node.range.clone());
        InputError {
            file: self.file.clone(),
            position: Some(Box::new(locate(&self.text, self.first_line, range))),
            message: message.into(),
            help: None,
        }
    }

    fn find(&self, pointer: &Pointer) -> (Option<Range<usize>>, &Spanned) {
        let mut key = None;
        let mut node = &self.root;
        for step in &pointer.0 {
            let next = match &node.children {
                Children::None => None,
                Children::Array(items) => {
                    step.parse::<usize>().ok().and_then(|i| items.get(i)).map(|item| (None, item))
                }
                Children::Object(entries) => {
                    entries.iter().find(|(name, ..)| name == step).map(|(_, range, child)| (Some(range.clone()), child))
                }
            };
            let Some((next_key, child)) = next else { return (None, node) };
            key = next_key;
            node = child;
        }
        (key, node)
    }
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

fn invalid_json(file: &str, text: &str, first_line: usize, error: &serde_json::Error) -> InputError {
    let offset = offset_of(text, error.line(), error.column());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
    error_at(file, text, first_line, offset..offset + 1, format!("invalid JSON: {message}"))
}

fn empty(file: &str) -> InputError {
    InputError::in_file(file, "the file is empty").with_help("remove it, or take it out of `cases`")
}

fn from_json(node: &ast::Value<'_>, repeated: &mut Vec<(String, Range<usize>)>) -> (Value, Spanned) {
    let range = node.start()..node.end();
    let leaf = |value| (value, Spanned { range: range.clone(), children: Children::None });
    match node {
        ast::Value::NullKeyword(_) => leaf(Value::Null),
        ast::Value::BooleanLit(literal) => leaf(Value::Bool(literal.value)),
        ast::Value::StringLit(literal) => leaf(Value::String(literal.value.to_string())),
        ast::Value::NumberLit(literal) => leaf(literal.value.parse().map_or(Value::Null, Value::Number)),
        ast::Value::Array(array) => {
            let (values, spans) = array.elements.iter().map(|item| from_json(item, repeated)).unzip();
            (Value::Array(values), Spanned { range, children: Children::Array(spans) })
        }
        ast::Value::Object(object) => {
            let mut map = Map::new();
            let mut entries = Vec::new();
            for property in &object.properties {
                let name = property.name.as_str().to_owned();
                let key = property.name.start()..property.name.end();
                let (value, span) = from_json(&property.value, repeated);
                if map.insert(name.clone(), value).is_some() {
                    repeated.push((name.clone(), key.clone()));
                }
                entries.push((name, key, span));
            }
            (Value::Object(map), Spanned { range, children: Children::Object(entries) })
        }
    }
}

fn from_toml_table(table: &DeTable<'_>, range: Range<usize>) -> (Value, Spanned) {
    let mut map = Map::new();
    let mut entries = Vec::new();
    for (key, item) in table {
        let (value, span) = from_toml(item.get_ref(), item.span());
        map.insert(key.get_ref().to_string(), value);
        entries.push((key.get_ref().to_string(), key.span(), span));
    }
    (Value::Object(map), Spanned { range, children: Children::Object(entries) })
}

fn from_toml(value: &DeValue<'_>, range: Range<usize>) -> (Value, Spanned) {
    let leaf = |value| (value, Spanned { range: range.clone(), children: Children::None });
    match value {
        DeValue::String(text) => leaf(Value::String(text.to_string())),
        DeValue::Boolean(flag) => leaf(Value::Bool(*flag)),
        DeValue::Integer(number) => {
            leaf(i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Null, Value::from))
        }
        // JSON has no `nan` and `inf`; as text they are told to be no numbers.
        DeValue::Float(number) => leaf(match number.as_str().replace('_', "").parse::<f64>() {
            Ok(value) if value.is_finite() => Value::from(value),
            Ok(_) | Err(_) => Value::String(number.as_str().to_owned()),
        }),
        DeValue::Datetime(moment) => leaf(Value::String(moment.to_string())),
        DeValue::Array(array) => {
            let (values, spans) = array.iter().map(|item| from_toml(item.get_ref(), item.span())).unzip();
            (Value::Array(values), Spanned { range, children: Children::Array(spans) })
        }
        DeValue::Table(table) => from_toml_table(table, range),
    }
}

fn error_at(file: &str, text: &str, first_line: usize, range: Range<usize>, message: String) -> InputError {
    InputError { file: file.to_owned(), position: Some(Box::new(locate(text, first_line, range))), message, help: None }
}

/// serde_json counts columns in bytes, from 1, and 0 for the start of a line.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (start + column.saturating_sub(1)).min(text.len().saturating_sub(1))
}

/// Excerpts are cut to about this many characters, so that a minified file still gives a readable message.
const EXCERPT: usize = 100;

fn locate(text: &str, first_line: usize, range: Range<usize>) -> Position {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (floor(range.start), floor(range.end.max(range.start)));
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let before = text[line_start..start].chars().count();
    let covered = text[start..end.min(line_end)].chars().count().max(1);

    let skip = if before > EXCERPT / 2 && line.chars().count() > EXCERPT { before - EXCERPT / 2 } else { 0 };
    let shown: String = line.chars().skip(skip).take(EXCERPT).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let lead = if skip > 0 { "…" } else { "" };
    let tail = if line.chars().count() > skip + EXCERPT { "…" } else { "" };
    let indent = before - skip + lead.chars().count();
    Position {
        line: first_line + text[..start].matches('\n').count(),
        column: before + 1,
        width: covered.min(EXCERPT.saturating_sub(before - skip)).max(1),
        excerpt: format!("{lead}{shown}{tail}"),
        indent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_values_keep_the_line_they_stand_on() {
        let text = "{\n  \"cases\": [\n    {\"id\": \"a\"},\n    {\"id\": \"b\"}\n  ]\n}\n";
        let document = Document::json("x.json", text.into()).unwrap();
        assert_eq!(document.line(&Pointer::parse("/cases/1")), 4);
        assert_eq!(document.position(&Pointer::parse("/cases/1/id")).column, 12);
    }

    #[test]
    fn toml_values_keep_the_line_they_stand_on() {
        let document = Document::toml("x.toml", "[[suite]]\nid = \"a\"\n\n[[suite]]\nid = \"b\"\n".into()).unwrap();
        assert_eq!(document.line(&Pointer::parse("/suite/1/id")), 5);
    }

    #[test]
    fn a_syntax_error_shows_the_place() {
        let wrong = Document::json("x.json", "{\n  \"a\": 1,\n  \"b\" 2\n}".into()).unwrap_err();
        insta::assert_snapshot!(wrong);
        let wrong = Document::toml("x.toml", "a = 1\nb = = 2\n".into()).unwrap_err();
        insta::assert_snapshot!(wrong);
    }

    #[test]
    fn a_repeated_key_is_a_mistake() {
        let wrong = Document::json("x.json", "{\"id\": 1,\n \"id\": 2}".into()).unwrap_err();
        insta::assert_snapshot!(wrong);
    }

    #[test]
    fn every_broken_line_of_json_lines_is_reported_with_its_number() {
        let wrong = Document::json_lines("x.jsonl", "{\"a\":1}\n{oops\n\n[1,]\n").unwrap_err();
        insta::assert_snapshot!(wrong);
    }

    #[test]
    fn a_minified_file_gives_a_short_excerpt() {
        let text = format!("[{}{{\"id\": tru}}]", "{\"id\": true},".repeat(1000));
        let message = Document::json("x.json", text).unwrap_err().to_string();
        assert!(message.lines().all(|line| line.chars().count() < 140), "{message}");
        assert!(message.contains("tru"), "{message}");
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_overflow() {
        let text = "[".repeat(100_000);
        assert!(Document::json("x.json", text).is_err());
    }
}
