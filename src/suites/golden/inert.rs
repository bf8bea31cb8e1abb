//! Whether the condition of a filter can fail at all.

use serde_json::{Value, json};
use serde_json_path::JsonPath;

/// More fields than this are not tried in all combinations.
const MOST_FIELDS: usize = 3;
/// Nor are more items tried than this.
const MOST_ITEMS: usize = 20_000;

/// Whether a filter (`?@.minutes > 3`) selects every item there can be, as `?1 == 1` does. It is tried on items that are
/// made of what the filter itself mentions, so a condition that any of them fails is one.
pub(super) fn selects_everything(filter: &str) -> bool {
    let Some(mentioned) = Mentioned::of(filter) else { return false };
    let Some(items) = mentioned.items() else { return false };
    let Ok(path) = JsonPath::parse(&format!("$[{filter}]")) else { return false };
    let list = Value::Array(items);
    path.query(&list).all().len() == list.as_array().map_or(0, Vec::len)
}

/// What a filter mentions: literals, and fields of the item.
#[derive(Debug, Default)]
struct Mentioned {
    values: Vec<Value>,
    fields: Vec<Vec<String>>,
}

impl Mentioned {
    /// `None` if the filter looks at something else, or calls a function.
    fn of(filter: &str) -> Option<Self> {
        let mut found = Self::default();
        let characters: Vec<char> = filter.chars().collect();
        let mut at = 0;
        while let Some(character) = characters.get(at).copied() {
            match character {
                '$' => return None,
                '(' if at > 0 && characters.get(at - 1).is_some_and(char::is_ascii_alphanumeric) => return None,
                '\'' | '"' => {
                    let text = quoted(&characters[at..])?;
                    at += text.chars().count() + 2;
                    found.values.push(Value::from(text));
                }
                '@' => {
                    let (field, length) = field(&characters[at + 1..])?;
                    at += 1 + length;
                    if !field.is_empty() && !found.fields.contains(&field) {
                        found.fields.push(field);
                    }
                }
                '0'..='9' => {
                    let digits: String =
                        characters[at..].iter().take_while(|c| c.is_ascii_digit() || **c == '.').collect();
                    at += digits.chars().count();
                    let number: f64 = digits.parse().ok()?;
                    found.values.extend([number, -number, number - 1.0, number + 1.0].map(Value::from));
                    found.values.extend(digits.parse::<i64>().ok().map(Value::from));
                }
                _ => at += 1,
            }
        }
        Some(found)
    }

    /// Items made of it; `None` if there would be too many.
    fn items(mut self) -> Option<Vec<Value>> {
        self.values.extend([
            json!(null),
            json!(true),
            json!(false),
            json!(-1e9),
            json!(1e9),
            json!("~"),
            json!([]),
            json!({}),
        ]);
        if self.fields.len() > MOST_FIELDS {
            return None;
        }
        let mut items = self.values.clone();
        let mut objects = vec![json!({})];
        for field in &self.fields {
            let with = |object: &Value, value: &Value| {
                let mut object = object.clone();
                set(&mut object, field, value);
                object
            };
            let more: Vec<Value> =
                objects.iter().flat_map(|object| self.values.iter().map(move |value| with(object, value))).collect();
            objects.extend(more);
            if objects.len() > MOST_ITEMS {
                return None;
            }
        }
        items.extend(objects);
        Some(items)
    }
}

/// A quoted text without escapes.
fn quoted(characters: &[char]) -> Option<String> {
    let (mark, rest) = characters.split_first()?;
    let text: String = rest.iter().take_while(|character| *character != mark).collect();
    (!text.contains('\\')).then_some(text)
}

/// The names after an `@`, and how long they are; `None` if there is more than names.
fn field(characters: &[char]) -> Option<(Vec<String>, usize)> {
    let mut names = Vec::new();
    let mut at = 0;
    loop {
        match characters.get(at) {
            Some('.') => {
                let is_name = |c: &&char| c.is_alphanumeric() || **c == '_';
                let name: String = characters[at + 1..].iter().take_while(is_name).collect();
                if name.is_empty() {
                    return None;
                }
                at += 1 + name.chars().count();
                names.push(name);
            }
            Some('[') => {
                let name = quoted(characters.get(at + 1..).filter(|rest| matches!(rest.first(), Some('\'' | '"')))?)?;
                at += name.chars().count() + 4;
                names.push(name);
            }
            Some(_) | None => return Some((names, at)),
        }
    }
}

fn set(object: &mut Value, field: &[String], value: &Value) {
    let mut place = object;
    for name in field {
        if !place.is_object() {
            *place = json!({});
        }
        place = &mut place[name.as_str()];
    }
    *place = value.clone();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_that_cannot_fail_is_found() {
        for filter in [
            "?1 == 1",
            "?@ == @",
            "?@.a == @.a",
            "?'x' == \"x\"",
            "?@.a || !@.a",
            "?@.a == 1 || @.a != 1",
            "?!(1 == 2)",
            "?@['a'] == @.a",
            "?@.a <= 3 || @.a > 3 || !(@.a <= 3 || @.a > 3)",
            "?2 < 3",
        ] {
            assert!(selects_everything(filter), "{filter}");
        }
    }

    #[test]
    fn a_condition_that_can_fail_is_left_alone() {
        for filter in [
            "?@",
            "?@.a",
            "?!@.a",
            "?@.minutes > 3",
            "?@.status != 'failed'",
            "?@ != 'x'",
            "?@.a.b == true",
            "?@.a < @.b",
            "?match(@.a, '[a-z]+')",
            "?!match(@.a, '[0-9]+')",
            "?length(@.a) < 1000",
            "?@.x == $.golden.x",
            "?@[0] == 1",
            "?@.a != @.b",
            "?@.a == 'x' || @.b == 'y'",
            "?@.a == 1.5",
            "?@.n != -3",
            "?@.a && @.b && @.c && @.d",
        ] {
            // `?@` holds for every item that exists.
            assert_eq!(selects_everything(filter), filter == "?@", "{filter}");
        }
    }
}
