//! From what a target wrote to the answer in it.

use serde_json::Value;

use super::invocation::Invocation;
use crate::model::Ending;

/// Reads the answer out of standard output. One final newline does not belong to it.
pub(super) fn from_stdout(bytes: Vec<u8>, omitted: u64, invocation: &Invocation) -> Ending {
    if omitted > 0 {
        let length = bytes.len() as u64 + omitted;
        return Ending::Unreadable {
            why: format!("the answer is {length} bytes long, {} are kept (`max-output`)", bytes.len()),
        };
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => return Ending::NotUtf8 { offset: error.utf8_error().valid_up_to() },
    };
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    if text.trim().is_empty() {
        return Ending::Empty;
    }
    if invocation.answer.is_none() {
        return Ending::Answered(text);
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(value) => from_value(&value, invocation),
        Err(error) => Ending::Unreadable { why: format!("the output is not JSON: {error}") },
    }
}

/// Reads the answer out of a JSON value.
pub(super) fn from_value(value: &Value, invocation: &Invocation) -> Ending {
    let (found, what) = match &invocation.answer {
        None => (value, "the output".to_owned()),
        Some(path) => match path.query(value).first() {
            Some(found) => (found, format!("the value at `{path}`")),
            None => return Ending::Unreadable { why: format!("the output has nothing at `{path}`") },
        },
    };
    if invocation.json {
        return Ending::Answered(found.to_string());
    }
    match found.as_str() {
        Some(text) if text.trim().is_empty() => Ending::Empty,
        Some(text) => Ending::Answered(text.to_owned()),
        None => Ending::Unreadable { why: format!("{what} is not a string: {found}") },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use serde_json_path::JsonPath;

    use super::*;

    fn read(bytes: &[u8], path: Option<&str>) -> Ending {
        let answer = path.map(|path| JsonPath::parse(path).unwrap());
        let mut invocation = Invocation::verbatim(&[], Path::new(""), Duration::ZERO);
        (invocation.answer, invocation.json) = (answer, false);
        from_stdout(bytes.to_vec(), 0, &invocation)
    }

    #[test]
    fn only_the_final_newline_is_dropped() {
        assert_eq!(read(b"ls\n", None), Ending::Answered("ls".into()));
        assert_eq!(read(b"ls\r\n", None), Ending::Answered("ls".into()));
        assert_eq!(read(b" ls \n\n", None), Ending::Answered(" ls \n".into()));
    }

    #[test]
    fn nothing_but_blanks_is_empty() {
        assert_eq!(read(b"", None), Ending::Empty);
        assert_eq!(read(b" \n\n", None), Ending::Empty);
    }

    #[test]
    fn the_first_wrong_byte_is_named() {
        assert_eq!(read(b"ls \xff", None), Ending::NotUtf8 { offset: 3 });
    }

    #[test]
    fn a_path_selects_a_string_or_says_why_not() {
        assert_eq!(read(br#"{"cmd": "ls"}"#, Some("$.cmd")), Ending::Answered("ls".into()));
        for (output, expected) in [
            (r#"{"cmd": 3}"#, "the value at `$.cmd` is not a string: 3"),
            (r#"{"other": 3}"#, "the output has nothing at `$.cmd`"),
        ] {
            assert_eq!(read(output.as_bytes(), Some("$.cmd")), Ending::Unreadable { why: expected.into() });
        }
        assert!(matches!(read(b"oops", Some("$.cmd")), Ending::Unreadable { .. }));
    }
}
