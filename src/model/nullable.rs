//! Fields that may be empty but never missing.

use serde::{Deserialize, Deserializer};

/// Reads a field that may be `null` but must be there: taken for `null`, it could turn a failure into a pass.
pub(crate) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(value: D) -> Result<Option<T>, D::Error> {
    Option::deserialize(value)
}
