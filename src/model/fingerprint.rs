//! The fingerprint of a question: the same question has the same one on every platform.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A hash of what is asked and what is expected; never of the system under test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Hashes a question; the order of keys does not matter.
    pub fn of(question: &Value) -> Self {
        let mut hasher = Sha256::new();
        feed(&mut hasher, question);
        let digest = hasher.finalize();
        Self(digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Hashes what a value means: `1.0` is `1`, and the order of keys does not matter.
    pub fn normalised(value: &Value) -> Self {
        Self::of(&with_plain_numbers(value))
    }

    /// 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The value with every whole number written as one.
fn with_plain_numbers(value: &Value) -> Value {
    match value {
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(with_plain_numbers).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), with_plain_numbers(item))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// A number that is written with a point and is whole.
#[expect(clippy::cast_possible_truncation, reason = "whole and far below 2^63")]
fn whole(number: &serde_json::Number) -> Option<i64> {
    let float = number.as_f64().filter(|_| number.is_f64())?;
    (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)
}

/// Feeds a value in a form where no two different values give the same bytes.
fn feed(hasher: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hasher.update(b"n"),
        Value::Bool(flag) => hasher.update(if *flag { b"t" } else { b"f" }),
        Value::Number(number) => feed_text(hasher, b'd', &number.to_string()),
        Value::String(text) => feed_text(hasher, b's', text),
        Value::Array(items) => {
            feed_text(hasher, b'a', &items.len().to_string());
            for item in items {
                feed(hasher, item);
            }
        }
        Value::Object(map) => {
            feed_text(hasher, b'o', &map.len().to_string());
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            for (key, item) in entries {
                feed_text(hasher, b'k', key);
                feed(hasher, item);
            }
        }
    }
}

fn feed_text(hasher: &mut Sha256, tag: u8, text: &str) {
    hasher.update([tag]);
    hasher.update(text.len().to_string().as_bytes());
    hasher.update(b":");
    hasher.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Fingerprint;

    #[test]
    fn the_order_of_keys_does_not_change_it() {
        assert_eq!(Fingerprint::of(&json!({"a": 1, "b": [2]})), Fingerprint::of(&json!({"b": [2], "a": 1})));
    }

    #[test]
    fn values_that_only_look_alike_differ() {
        let all = [json!("1"), json!(1), json!(["1"]), json!([["1"]]), json!({"1": null}), json!(null), json!(false)];
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                assert_ne!(Fingerprint::of(a), Fingerprint::of(b), "{a} {b}");
            }
        }
    }

    #[test]
    fn the_fingerprint_of_a_value_never_changes() {
        let question = json!({"prompt": "list files", "expected": "ls"});
        insta::assert_snapshot!(Fingerprint::of(&question).as_str(), @"d0b8e88090806926c162443f6f9ed98d");
    }
}
