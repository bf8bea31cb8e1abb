//! Finds the JSON in what a model said: alone, in a fence, or amid prose.

use serde_json::Value;

/// How many beginnings are tried before a text counts as having no JSON in it.
const BEGINNINGS: usize = 2000;

/// What was said holds no JSON that could be the answer.
#[derive(Debug, thiserror::Error)]
#[error("the answer is not JSON: {0}")]
pub struct NoJson(serde_json::Error);

/// The JSON in a text: the whole of it, or else the longest object or list that stands in it.
pub fn json_in(text: &str) -> Result<Value, NoJson> {
    let whole = match serde_json::from_str(text.trim()) {
        // A text in JSON may itself hold the JSON that is meant.
        Ok(Value::String(inner)) if inner.contains(['{', '[']) => {
            return Ok(json_in(&inner).unwrap_or(Value::String(inner)));
        }
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    let mut best: Option<(usize, Value)> = None;
    let mut at = 0;
    for _ in 0..BEGINNINGS {
        let Some(start) = text[at..].find(['{', '[']).map(|offset| at + offset) else { break };
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                let length = stream.byte_offset();
                if best.as_ref().is_none_or(|(longest, _)| length > *longest) {
                    best = Some((length, value));
                }
                at = start + length;
            }
            Some(Err(_)) | None => at = start + 1,
        }
    }
    // What is cut off has whole parts, but they are not the answer.
    let opens = text.trim_start().trim_start_matches("```json").trim_start_matches("```").trim_start();
    match best {
        Some((_, value)) if !opens.starts_with(['{', '[']) || starts_with(opens, &value) => Ok(value),
        Some(_) | None => Err(NoJson(whole)),
    }
}

/// Whether a text begins with this very value.
fn starts_with(text: &str, value: &Value) -> bool {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    stream.next().is_some_and(|first| first.is_ok_and(|first| first == *value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::json_in;

    #[test]
    fn json_is_found_alone_in_a_fence_and_amid_prose() {
        let answer = json!({"a": [1, {"b": "}```{"}]});
        for text in [
            answer.to_string(),
            format!("  {answer:#}\n"),
            format!("Sure! Here it is:\n```json\n{answer:#}\n```\nAnything else?"),
            format!("```\n{answer}\n```"),
            json!(answer.to_string()).to_string(),
            format!("The plan [draft] is {answer}. Enjoy {{it}}!"),
            format!("For example {{\"a\": 1}} would be wrong, so:\n{answer:#}"),
        ] {
            assert_eq!(json_in(&text).ok().as_ref(), Some(&answer), "{text}");
        }
    }

    #[test]
    fn what_is_cut_off_or_is_no_json_is_an_error_that_says_so() {
        for text in [
            "",
            "I am sorry, I cannot do that.",
            r#"{"tasks": [{"title": "a", "effort": "S"}, {"title": "b"#,
            "```json\n{\"tasks\": [{\"title\": \"a\"}, {\"tit",
            "{'single': 'quotes'}",
        ] {
            assert!(json_in(text).unwrap_err().to_string().starts_with("the answer is not JSON: "), "{text}");
        }
    }

    #[test]
    fn hostile_brackets_do_not_take_for_ever() {
        for text in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18), "[1,".repeat(1 << 18)] {
            assert!(json_in(&text).is_err());
        }
    }
}
