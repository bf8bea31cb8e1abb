//! `[[suite]]` as it is written: the keys that every kind may have, and those of its own kind.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::generate::SchemaGenerator;
use schemars::{JsonSchema, Schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::sections::CommonSection;
use crate::suites::Kind;
use crate::suites::config::OwnSection;

/// A `[[suite]]` section.
#[derive(Debug, Clone)]
pub struct SuiteSection {
    /// The keys that every kind may have.
    pub common: CommonSection,
    /// The keys that only its kind has.
    pub own: OwnSection,
    /// The keys that only other kinds have.
    pub foreign: Vec<String>,
}

/// The keys that only one kind has.
static OWN_KEYS: LazyLock<BTreeMap<Kind, Vec<String>>> = LazyLock::new(|| {
    let mut generator = SchemaGenerator::default();
    let keys = |schema: Schema| match schema.get("properties") {
        Some(Value::Object(properties)) => properties.keys().cloned().collect(),
        Some(_) | None => Vec::new(),
    };
    Kind::ALL.iter().map(|kind| (*kind, keys(kind.own_schema(&mut generator)))).collect()
});

/// The kinds that have a key of this name as their own.
pub(super) fn kinds_with(key: &str) -> Vec<Kind> {
    OWN_KEYS.iter().filter(|(_, keys)| keys.iter().any(|own| own == key)).map(|(kind, _)| *kind).collect()
}

impl<'de> Deserialize<'de> for SuiteSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (mut common, mut own, mut foreign) = (Map::new(), Map::new(), Vec::new());
        let section = Map::deserialize(deserializer)?;
        let kind = Kind::deserialize(section.get("kind").unwrap_or(&Value::Null)).map_err(D::Error::custom)?;
        for (key, value) in section {
            let kinds = kinds_with(&key);
            if kinds.contains(&kind) {
                own.insert(key, value);
            } else if kinds.is_empty() {
                common.insert(key, value);
            } else {
                foreign.push(key);
            }
        }
        Ok(Self {
            common: CommonSection::deserialize(Value::Object(common)).map_err(D::Error::custom)?,
            own: OwnSection::read(kind, Value::Object(own)).map_err(D::Error::custom)?,
            foreign,
        })
    }
}

impl JsonSchema for SuiteSection {
    fn schema_name() -> Cow<'static, str> {
        "SuiteSection".into()
    }

    /// One flat object with the keys of all kinds. Two kinds that have a key in common describe it alike.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = CommonSection::json_schema(generator);
        for kind in Kind::ALL {
            let own = kind.own_schema(generator);
            let Some(own) = own.get("properties").and_then(Value::as_object) else { continue };
            let Some(all) = schema.get_mut("properties").and_then(Value::as_object_mut) else { continue };
            for (key, property) in own {
                let mut property = property.clone();
                let before = all.get(key).and_then(|there| there["description"].as_str());
                let description = describe(*kind, property["description"].as_str(), before);
                property["description"] = description.into();
                all.insert(key.clone(), property);
            }
        }
        schema.insert("description".into(), "A suite: what is evaluated, and what it is held to.".into());
        schema
    }
}

/// What a key of a kind's own means, after what it means to the kinds before.
fn describe(kind: Kind, own: Option<&str>, before: Option<&str>) -> String {
    let mut letters = own.unwrap_or_default().chars();
    let first: String = letters.next().into_iter().flat_map(char::to_lowercase).collect();
    let article = if kind.name().starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let own = format!("Of {article} {kind} suite: {first}{}", letters.as_str());
    before.map_or(own.clone(), |before| format!("{before} {own}"))
}
