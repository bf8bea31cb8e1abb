//! JSONPath (RFC 9535) into a case: `$.actual…`, `$.golden…`, `$.input…` and `$.case…`.
//!
//! A plain query tells an empty list from a missing one by silence. Here a path is walked step by step, so that what is
//! missing is named: which place has no such field, or is no list.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;
use serde_json_path::JsonPath;

/// A path into a case, ready to be walked.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
pub struct Selector {
    text: String,
    steps: Vec<Step>,
    /// Its segments, each in the one spelling that stands for all: a name, `*`, `?…`, or as it is written.
    canonical: Vec<String>,
}

impl JsonSchema for Selector {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": r"^\$"})
    }
}

/// Why a path cannot be used, or what a case lacks for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    #[error("`{path}` is not a JSONPath: {why}")]
    NotJsonPath { path: String, why: String },
    #[error("`{path}` must begin with $.actual, $.golden, $.input or $.case")]
    NoRoot { path: String },
    #[error("`{path}`: {why}")]
    Segment { path: String, why: String },
    /// A step of the path finds less than the places before it.
    #[error("`{path}`: {shares}`{place}` {lack}")]
    Missing { path: String, shares: String, place: String, lack: String },
    #[error("`{path}`: `{place}` is {found}, not a list")]
    NotList { path: String, place: String, found: String },
    #[error("`{path}` selects {count} values where one is wanted")]
    NotSingle { path: String, count: usize },
    #[error("`{path}`: expected {wanted}, found {found}")]
    WrongType { path: String, wanted: &'static str, found: String },
}

/// One more segment of a path.
#[derive(Debug, Clone)]
struct Step {
    /// The path up to and with this segment.
    path: JsonPath,
    /// What must be there.
    wants: Wants,
}

#[derive(Debug, Clone)]
enum Wants {
    /// Every place has this field or index.
    One(String),
    /// Every place is a list or an object, perhaps an empty one.
    Many,
    Anything,
}

/// Whose text a selector reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The answer that is judged.
    Actual,
    Golden,
    Input,
    /// The case's further fields.
    Case,
}

impl Selector {
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let path = || text.to_owned();
        let whole = JsonPath::parse(text)
            .map_err(|error| SelectorError::NotJsonPath { path: path(), why: error.to_string() })?;
        let segments = segments(text);
        let first = segments.first().map(|(_, wants)| wants);
        if !matches!(first, Some(Wants::One(name)) if root_of(name).is_some()) {
            return Err(SelectorError::NoRoot { path: path() });
        }
        let mut steps = Vec::new();
        let mut canonical = Vec::new();
        let mut start = 1;
        for (end, wants) in segments {
            canonical.push(canonical_segment(&text[start..end], &wants));
            start = end;
            let step = if end == text.len() { Ok(whole.clone()) } else { JsonPath::parse(&text[..end]) };
            let step = step.map_err(|error| SelectorError::Segment { path: path(), why: error.to_string() })?;
            steps.push(Step { path: step, wants });
        }
        Ok(Self { text: path(), steps, canonical })
    }

    /// Whose text it reads.
    pub fn root(&self) -> Root {
        match self.steps.first().map(|step| &step.wants) {
            Some(Wants::One(name)) => root_of(name).unwrap_or(Root::Actual),
            Some(Wants::Many | Wants::Anything) | None => Root::Actual,
        }
    }

    /// Its segments, each in the one spelling that stands for all.
    pub(super) fn canonical(&self) -> &[String] {
        &self.canonical
    }

    /// Whether it selects one value of every document that has it.
    pub(super) fn is_singular(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.wants, Wants::One(_)))
    }

    /// Whether a name that is nowhere goes unnoticed.
    pub(super) fn may_miss(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.wants, Wants::Anything))
    }

    /// What it selects, or what is missing. An empty list is not missing.
    pub fn select<'a>(&self, document: &'a Value) -> Result<Vec<&'a Value>, SelectorError> {
        let mut before = vec![document];
        let mut place = String::from("$");
        for step in &self.steps {
            let now = step.path.query(document).all();
            let error = match &step.wants {
                Wants::One(name) => {
                    let lacking = before.len().saturating_sub(now.len());
                    let example = before.iter().find(|value| !has(value, name));
                    (lacking > 0).then(|| SelectorError::Missing {
                        path: self.text.clone(),
                        shares: match before.len() {
                            0 | 1 => String::new(),
                            all => format!("{lacking} of {all} at "),
                        },
                        place: place.clone(),
                        lack: lacks(example.copied(), name),
                    })
                }
                Wants::Many => before.iter().find(|value| !value.is_array() && !value.is_object()).map(|value| {
                    SelectorError::NotList { path: self.text.clone(), place: place.clone(), found: kind_of(value) }
                }),
                Wants::Anything => None,
            };
            if let Some(error) = error {
                return Err(error);
            }
            place = step.path.to_string();
            before = now;
        }
        Ok(before)
    }

    /// What it selects as numbers.
    pub fn numbers(&self, document: &Value) -> Result<Vec<f64>, SelectorError> {
        let number = |value: &Value| {
            value.as_f64().filter(|number| number.is_finite()).ok_or_else(|| self.wrong_type(value, "a number"))
        };
        self.select(document)?.into_iter().map(number).collect()
    }

    /// What it selects as texts.
    pub fn texts<'a>(&self, document: &'a Value) -> Result<Vec<&'a str>, SelectorError> {
        let text = |value: &'a Value| value.as_str().ok_or_else(|| self.wrong_type(value, "a text"));
        self.select(document)?.into_iter().map(text).collect()
    }

    /// What it selects, which must be one value.
    pub fn single<'a>(&self, document: &'a Value) -> Result<&'a Value, SelectorError> {
        match self.select(document)?.as_slice() {
            [one] => Ok(one),
            many => Err(SelectorError::NotSingle { path: self.text.clone(), count: many.len() }),
        }
    }

    fn wrong_type(&self, value: &Value, wanted: &'static str) -> SelectorError {
        SelectorError::WrongType { path: self.text.clone(), wanted, found: kind_of(value) }
    }
}

impl TryFrom<String> for Selector {
    type Error = SelectorError;

    fn try_from(text: String) -> Result<Self, SelectorError> {
        Self::parse(&text)
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn root_of(name: &str) -> Option<Root> {
    match name {
        "actual" => Some(Root::Actual),
        "golden" => Some(Root::Golden),
        "input" => Some(Root::Input),
        "case" => Some(Root::Case),
        _ => None,
    }
}

fn has(value: &Value, name: &str) -> bool {
    match value {
        Value::Object(map) => map.contains_key(name),
        Value::Array(items) => name.parse::<usize>().is_ok_and(|index| index < items.len()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn lacks(value: Option<&Value>, name: &str) -> String {
    match value {
        Some(Value::Object(_)) | None => format!("has no `{name}`"),
        Some(other) => format!("is {}, which has no `{name}`", kind_of(other)),
    }
}

/// What a value is, in words.
pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => {
            let short: String = text.chars().take(40).collect();
            format!("the text {short:?}{}", if short.len() < text.len() { "…" } else { "" })
        }
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".into(),
    }
}

/// Where each segment of a valid path ends, and what it wants.
fn segments(text: &str) -> Vec<(usize, Wants)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 1;
    let mut descends = false;
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if bytes[at] == b'.' {
            if bytes.get(at + 1) == Some(&b'.') {
                descends = true;
                at += 2;
            } else {
                at += 1;
            }
            if bytes.get(at) != Some(&b'[') {
                let name = at;
                while at < bytes.len() && !matches!(bytes[at], b'.' | b'[') && !bytes[at].is_ascii_whitespace() {
                    at += 1;
                }
                found.push((at, wants(&text[name..at], descends)));
                continue;
            }
        }
        at = closing(bytes, at).unwrap_or(bytes.len());
        let inside = text[start..at].trim_start_matches('.').trim_start_matches('[').trim_end_matches(']').trim();
        found.push((at, bracketed(inside, descends)));
    }
    found
}

/// A segment in the one spelling that stands for all.
fn canonical_segment(written: &str, wants: &Wants) -> String {
    let inside = written.trim().trim_start_matches('.').trim_start_matches('[').trim_end_matches(']').trim();
    let bare: String = inside.chars().filter(|character| !character.is_whitespace()).collect();
    match wants {
        Wants::One(name) => format!("'{name}'"),
        Wants::Many if matches!(bare.as_str(), "*" | ":" | "::" | "0:" | "0::" | "::1" | "0::1") => "*".to_owned(),
        Wants::Many => inside.to_owned(),
        Wants::Anything => written.trim().to_owned(),
    }
}

fn wants(name: &str, descends: bool) -> Wants {
    match name {
        _ if descends => Wants::Anything,
        "*" => Wants::Many,
        name => Wants::One(name.to_owned()),
    }
}

fn bracketed(inside: &str, descends: bool) -> Wants {
    let quoted = inside.strip_prefix(['\'', '"']).and_then(|rest| rest.strip_suffix(['\'', '"']));
    match quoted {
        _ if descends => Wants::Anything,
        Some(name) if !name.contains(['\'', '"', '\\']) => Wants::One(name.to_owned()),
        Some(_) => Wants::Anything,
        None if inside.parse::<usize>().is_ok() => Wants::One(inside.to_owned()),
        None if inside.starts_with('?') || inside == "*" || inside.contains(':') => Wants::Many,
        None => Wants::Anything,
    }
}

/// The end of the bracket that opens at `at`.
fn closing(bytes: &[u8], at: usize) -> Option<usize> {
    let (mut depth, mut quote, mut index) = (0_usize, None, at);
    while let Some(byte) = bytes.get(index) {
        match (quote, byte) {
            (Some(_), b'\\') => index += 1,
            (Some(mark), byte) if mark == *byte => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'"') => quote = Some(*byte),
            (None, b'[') => depth += 1,
            (None, b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(index + 1);
                }
            }
            (None, _) => {}
        }
        index += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn select(path: &str, actual: Value) -> Result<usize, SelectorError> {
        Selector::parse(path).unwrap().select(&json!({ "actual": actual })).map(|found| found.len())
    }

    #[test]
    fn an_empty_list_is_not_a_missing_one() {
        assert_eq!(select("$.actual.tasks[*]", json!({"tasks": []})), Ok(0));
        assert_eq!(select("$.actual.tasks[*].minutes", json!({"tasks": []})), Ok(0));
        assert_eq!(select("$.actual.tasks[?@.minutes > 3]", json!({"tasks": [{"minutes": 1}]})), Ok(0));
    }

    #[test]
    fn what_is_missing_is_named_with_its_place() {
        for (path, actual, expected) in [
            ("$.actual.tasks[*]", json!({}), "`$.actual.tasks[*]`: `$.actual` has no `tasks`"),
            (
                "$.actual.tasks[*].minutes",
                json!({"tasks": [{"minutes": 1}, {}, {"minutes": 3}]}),
                "`$.actual.tasks[*].minutes`: 1 of 3 at `$.actual.tasks[*]` has no `minutes`",
            ),
            ("$.actual.tasks[*]", json!({"tasks": "none"}), "is the text \"none\", not a list"),
            ("$.actual.tasks", json!([1]), "is a list of 1, which has no `tasks`"),
            ("$.actual[0].a", json!([]), "is a list of 0, which has no `0`"),
            ("$.actual['a b'].c", json!({"a b": 3}), "is the number 3, which has no `c`"),
        ] {
            let error = select(path, actual).unwrap_err().to_string();
            assert!(error.contains(expected), "{path}: {error}");
        }
    }

    #[test]
    fn brackets_quotes_and_nested_filters_are_one_segment_each() {
        let actual = json!({"a]": [{"x": ["y"], "n": 2}, {"x": [], "n": 9}]});
        assert_eq!(select("$.actual['a]'][?@.x[?@ == ']' || @ == 'y']].n", actual.clone()), Ok(1));
        assert_eq!(select("$.actual..n", actual.clone()), Ok(2));
        assert_eq!(select("$.actual..nothing", actual), Ok(0));
    }

    #[test]
    fn a_path_begins_with_what_it_reads() {
        assert_eq!(Selector::parse("$.golden.x").unwrap().root(), Root::Golden);
        assert_eq!(Selector::parse("$['case'].n").unwrap().root(), Root::Case);
        for wrong in ["$", "$.subtasks", "$[*]", "$..x", "subtasks", "$.actual["] {
            assert!(Selector::parse(wrong).is_err(), "{wrong}");
        }
    }
}
