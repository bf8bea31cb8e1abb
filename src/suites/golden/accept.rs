//! Moves a reviewed answer into `golden.json`, and leaves everything else in it as it was written.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde_json::Value;

/// Why answers cannot be moved into a `golden.json`.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    #[error(transparent)]
    Syntax(#[from] jsonc_parser::errors::ParseError),
    #[error("expected an object: case id → reviewed answer")]
    NotObject,
}

/// The text of `golden.json` with these answers in it.
pub fn accepted(golden: &str, answers: &[(String, Value)]) -> Result<String, AcceptError> {
    let text = if golden.trim().is_empty() { "{}\n" } else { golden };
    let root = CstRootNode::parse(text, &ParseOptions::default())?;
    let object = root.object_value().ok_or(AcceptError::NotObject)?;
    for (id, answer) in answers {
        match object.get(id) {
            Some(property) => property.set_value(input(answer)),
            None => {
                object.append(id, input(answer));
            }
        }
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_answer_changes_and_the_rest_stays_as_it_was_written() {
        let before = "{\n  \"a\": {\"x\": [1,   2]},\n  \"b\": {\"x\": []}\n}\n";
        let after = accepted(before, &[("b".into(), json!({"x": [3, "é\"\n"]})), ("c".into(), json!(null))]).unwrap();
        assert!(after.starts_with("{\n  \"a\": {\"x\": [1,   2]},\n"), "{after}");
        let value: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(value, json!({"a": {"x": [1, 2]}, "b": {"x": [3, "é\"\n"]}, "c": null}));
    }

    #[test]
    fn a_module_may_have_no_reviewed_answer_yet() {
        let text = accepted("", &[("a".into(), json!({"n": 1.5}))]).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), json!({"a": {"n": 1.5}}));
        assert!(accepted("[]", &[]).is_err());
    }
}
