//! `join`: items of the answer and the items elsewhere that they refer to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader, part, when_empty};
use crate::suites::golden::Selector;

/// Items of the answer, such as the slots of a plan, joined with those that they refer to, such as the tasks of the input.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Join {
    /// The items of the answer.
    actual: Selector,
    /// The items that they refer to: of the input, of golden or of the case.
    with: Selector,
    /// The field of an answer's item, and the field of the other that has the same value.
    on: Fields,
    /// Further fields that must be the same in both: the answer's → the other's.
    #[serde(default)]
    equal: BTreeMap<String, String>,
    /// Whether the others must all be referred to as well (default `answer`: only that every item refers to one).
    #[serde(default)]
    cover: Cover,
    /// The share if neither side selects anything (default: 0).
    #[schemars(range(min = 0.0, max = 1.0))]
    when_empty: Option<f64>,
}

/// The fields by which two items belong together.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Fields {
    /// The field of an answer's item.
    actual: String,
    /// The field of an item that it may refer to.
    with: String,
}

/// Which side must be found whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Cover {
    /// Every item of the answer.
    #[default]
    Answer,
    /// And every one of the others.
    Both,
}

impl Definition for Join {
    const NAME: &'static str = "join";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        if self.on.actual.is_empty() || self.on.with.is_empty() {
            return Err(KeyError::new("on", "names no field"));
        }
        Ok(Value::Null)
    }
}

impl Measure for Join {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let (actual, with) = (self.actual.select(input.document)?, self.with.select(input.document)?);
        if actual.is_empty() && with.is_empty() {
            return when_empty(self.when_empty, &self.actual, &self.with);
        }
        let mut used = vec![false; with.len()];
        let (mut good, mut first_wrong) = (0, None);
        for item in &actual {
            let key = item.get(&self.on.actual).filter(|key| !key.is_null());
            let partner = with.iter().position(|other| key.is_some() && other.get(&self.on.with) == key);
            if let Some(place) = partner {
                used[place] = true;
            }
            match self.wrong_with(key, partner.map(|place| with[place]), item) {
                None => good += 1,
                Some(why) => first_wrong = first_wrong.or(Some(why)),
            }
        }
        let left = used.iter().filter(|used| !**used).count();
        let (all, left_note) = match self.cover {
            Cover::Answer => (actual.len(), None),
            Cover::Both => {
                (actual.len() + left, (left > 0).then(|| format!("{left} of {} not referred to", with.len())))
            }
        };
        let mut note = format!("{good} of {all} fit");
        for more in [first_wrong, left_note].into_iter().flatten() {
            note.push_str(&format!("; {more}"));
        }
        Ok(Measured::share(part(good, all, 0.0), note))
    }
}

impl Join {
    /// What is wrong with an item, if anything is.
    fn wrong_with(&self, key: Option<&Value>, partner: Option<&Value>, item: &Value) -> Option<String> {
        let Some(key) = key else { return Some(format!("an item has no `{}`", self.on.actual)) };
        let Some(partner) = partner else { return Some(format!("nothing has the `{}` {key}", self.on.with)) };
        let different = self.equal.iter().find(|(own, other)| item.get(*own) != partner.get(*other));
        different.map(|(own, other)| {
            let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            format!("{key}: `{own}` is {} where `{other}` is {}", shown(item.get(own)), shown(partner.get(other)))
        })
    }
}
