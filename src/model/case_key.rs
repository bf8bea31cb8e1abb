//! How an answer to a case is judged: its key. Two keys with the same hash judge every answer alike.

use std::sync::Arc;

use serde_json::Value;

use super::Fingerprint;

/// The part of the key that all cases of a suite share, such as a scorer.
#[derive(Debug, Clone)]
pub struct SharedKey {
    value: Value,
    hash: Fingerprint,
}

impl SharedKey {
    pub fn new(value: Value) -> Arc<Self> {
        let hash = Fingerprint::normalised(&value);
        Arc::new(Self { value, hash })
    }

    /// The key of a kind whose cases share nothing.
    pub fn nothing() -> Arc<Self> {
        Self::new(Value::Null)
    }
}

/// How an answer to a case is judged.
#[derive(Debug, Clone)]
pub struct CaseKey {
    own: Value,
    shared: Arc<SharedKey>,
    hash: Fingerprint,
}

impl CaseKey {
    /// The key of a case. What has no order must be sorted.
    pub fn new(own: Value, shared: Arc<SharedKey>) -> Self {
        let hash = Fingerprint::normalised(&serde_json::json!([own, shared.hash.as_str()]));
        Self { own, shared, hash }
    }

    pub const fn hash(&self) -> &Fingerprint {
        &self.hash
    }

    /// How this key differs from another one, each as people read it: first what the case has, then what its suite shares.
    pub fn texts(&self, other: &Self) -> (String, String) {
        let mut texts = (readable(&self.own), readable(&other.own));
        if self.shared.hash != other.shared.hash {
            texts.0.push_str(&readable(&self.shared.value));
            texts.1.push_str(&readable(&other.shared.value));
        }
        texts
    }
}

/// A value as people read it: a line for each line of its texts.
fn readable(value: &Value) -> String {
    if value.is_null() { String::new() } else { format!("{value:#}\n") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_shows_what_its_suite_shares_only_where_that_differs() {
        let scorer = SharedKey::new(json!({"weight": 1}));
        let (a, b) = (CaseKey::new(json!("ls"), Arc::clone(&scorer)), CaseKey::new(json!("pwd"), scorer));
        assert_ne!(a.hash(), b.hash());
        assert_eq!(a.texts(&b), ("\"ls\"\n".to_owned(), "\"pwd\"\n".to_owned()));
        let other = CaseKey::new(json!("ls"), SharedKey::new(json!({"weight": 2})));
        assert_ne!(a.hash(), other.hash());
        assert_eq!(a.texts(&other).1, "\"ls\"\n{\n  \"weight\": 2\n}\n");
    }

    #[test]
    fn how_a_number_is_written_is_not_part_of_a_key() {
        let key = |value: Value| CaseKey::new(value, SharedKey::nothing()).hash().clone();
        assert_eq!(key(json!({"a": 1})), key(json!({"a": 1.0})));
        assert_ne!(key(json!({"a": 1})), key(json!({"a": 1.5})));
        assert_ne!(key(json!({"a": 1})), key(json!({"a": "1"})));
    }
}
