//! `equal`: the same values.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, Measure, MeasureError, MeasureInput, Measured, nothing};
use crate::suites::golden::Selector;
use crate::suites::golden::selector::kind_of;

/// The same values in the same order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Equal {
    /// The values of the answer.
    actual: Selector,
    /// What they should be: values of golden, of the input or of the case.
    golden: Selector,
    /// What is the same (default `exact`).
    #[serde(default)]
    by: Sameness,
}

/// What is the same.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Sameness {
    /// Every character.
    #[default]
    Exact,
    /// Capital letters are the same as small ones.
    IgnoreCase,
    /// Letters, digits and symbols such as `<` and `%` count; case, blanks and punctuation do not.
    Normalised,
}

impl Definition for Equal {
    const NAME: &'static str = "equal";
}

impl Measure for Equal {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let actual = self.actual.select(input.document)?;
        let golden = self.golden.select(input.document)?;
        if actual.is_empty() && golden.is_empty() {
            return Err(nothing(&self.actual, &self.golden));
        }
        if actual.len() != golden.len() {
            return Ok(Measured::share(0.0, format!("{} values where golden has {}", actual.len(), golden.len())));
        }
        let different = actual.iter().zip(&golden).find(|(a, b)| self.key(a) != self.key(b));
        Ok(match different {
            None => Measured::share(1.0, None),
            Some((a, b)) => Measured::share(0.0, format!("{} where golden has {}", kind_of(a), kind_of(b))),
        })
    }
}

impl Equal {
    /// Equal values have equal keys.
    fn key(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => match self.by {
                Sameness::Exact => value.clone(),
                Sameness::IgnoreCase => Value::from(text.to_lowercase()),
                Sameness::Normalised => Value::from(normalised(text)),
            },
            Value::Number(number) => number.as_f64().map_or(value.clone(), Value::from),
            Value::Array(items) => items.iter().map(|item| self.key(item)).collect(),
            Value::Object(map) => {
                let mut entries: Vec<_> = map.iter().map(|(name, item)| (name.clone(), self.key(item))).collect();
                entries.sort_by(|a, b| a.0.cmp(&b.0));
                Value::Object(entries.into_iter().collect())
            }
            Value::Null | Value::Bool(_) => value.clone(),
        }
    }
}

/// The words, numbers and symbols of a text, in small letters. A text that has only punctuation is itself.
pub(super) fn normalised(text: &str) -> String {
    let characters: Vec<char> = text.to_lowercase().chars().collect();
    let mut tokens = String::new();
    for (index, character) in characters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| characters.get(before)).copied();
        let after = characters.get(index + 1).copied();
        if character.is_alphanumeric() {
            tokens.push(*character);
        } else if !character.is_whitespace() && is_symbol(before, *character, after) {
            // A decimal point belongs to its number; every other symbol stands for itself.
            let own = !matches!(character, '.' | ',');
            tokens.push_str(&if own { format!(" {character} ") } else { character.to_string() });
        } else {
            tokens.push(' ');
        }
    }
    let words: Vec<&str> = tokens.split_whitespace().collect();
    if words.is_empty() { text.trim().to_owned() } else { words.join(" ") }
}

/// Whether a character that is neither letter nor digit changes what a text says.
fn is_symbol(before: Option<char>, character: char, after: Option<char>) -> bool {
    let is = |neighbour: Option<char>, test: fn(char) -> bool| neighbour.is_some_and(test);
    let is_letter = |neighbour| is(neighbour, char::is_alphabetic);
    let is_digit = |neighbour| is(neighbour, |c: char| c.is_ascii_digit());
    let is_blank = |neighbour: Option<char>| neighbour.is_none_or(char::is_whitespace);
    match character {
        '.' | ',' => is_digit(before) && is_digit(after),
        // A sign, a minus or an option; not a hyphen or a dash.
        '-' => !(is_blank(after) || is_letter(before) && is_letter(after)),
        // `!=` and `!x`; not the end of a sentence.
        '!' => after == Some('=') || (is_blank(before) && !is_blank(after)),
        '*' | '/' | '\\' => {
            !is_blank(before) && !is_blank(after) && before != Some(character) && after != Some(character)
        }
        '+' | '<' | '=' | '>' | '|' | '~' | '^' | '$' | '%' | '&' => true,
        other if other.is_ascii() => false,
        other => !PUNCTUATION.contains(other),
    }
}

/// Punctuation beyond ASCII.
const PUNCTUATION: &str = "‘’‚“”„«»‹›–—‐‑‒―…¿¡·•、。「」『』【】（）〈〉《》！？；：，．";
