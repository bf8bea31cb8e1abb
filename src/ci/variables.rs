//! Variables of an environment, as a value.

use std::collections::BTreeMap;

/// The variables of an environment. One that is empty counts as not set.
#[derive(Clone, Default)]
pub struct Variables(BTreeMap<String, String>);

impl Variables {
    pub fn of<K: Into<String>, V: Into<String>>(all: impl IntoIterator<Item = (K, V)>) -> Self {
        let all = all.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(all.filter(|(_, value)| !value.is_empty()).collect())
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}
