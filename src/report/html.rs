//! `report.html`: one file with everything in it, which asks for nothing over the network.
//!
//! The page is a frame, a style and a script; the results stand in it as JSON, and the script draws them as text. What
//! a model or a pull request wrote can end neither the element that it stands in nor become part of the page: the
//! policy of the page runs this one script and no other, and forbids it to make markup out of text.

mod page_data;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use self::page_data::PageData;
use super::{verdict_line, verdict_word};
use crate::results::Results;
use crate::text::plain;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// The results as a page of its own.
pub fn html(results: &Results) -> Result<String, serde_json::Error> {
    let ((style, style_hash), script) = (style(), unix_lines(SCRIPT));
    let verdict = plain(&verdict_line(results));
    let word = verdict_word(results.gate.verdict);
    let commit = results.run.commit.as_ref().map(|commit| format!(" ({})", commit.short())).unwrap_or_default();
    Ok(filled(
        &unix_lines(PAGE),
        &[
            ("title", &escaped(&format!("{word}{commit} · evalratchet"))),
            ("verdict", &escaped(&verdict)),
            ("style", &style),
            ("style-hash", &style_hash),
            ("script", &script),
            ("script-hash", &source_hash(&script)),
            ("data", &embedded(&serde_json::to_string(&PageData::new(results))?)),
        ],
    ))
}

/// The style of every page, and what a content security policy calls it.
pub(super) fn style() -> (String, String) {
    let style = unix_lines(STYLE);
    let hash = source_hash(&style);
    (style, hash)
}

/// A browser hashes what it reads, and it reads every end of a line as a newline.
fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Every `{{name}}` of the page by its value, in one pass: what a value holds is not looked at again.
fn filled(page: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, marked)) = rest.split_once("{{") {
        let Some((name, after)) = marked.split_once("}}") else { break };
        out.push_str(before);
        out.push_str(values.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Text of others in a page that is not drawn by a script.
pub(super) fn text(text: &str) -> String {
    escaped(&plain(text))
}

/// Text as the content of an element or of a quoted attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push(' '),
            _ if hides(character) => out.push_str(&format!("⟪U+{:04X}⟫", u32::from(character))),
            _ => out.push(character),
        }
    }
    out
}

/// Characters that end lines, reorder text or are not seen at all.
fn hides(character: char) -> bool {
    matches!(
        character,
        '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}

/// JSON inside a script element. Only strings hold these characters, so it stays the same JSON: nothing in it can end
/// the element or begin a comment, and nothing in it hides or reorders text for those who read the source. Browsers
/// read a long text of ASCII alone a good deal faster.
fn embedded(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && !"<>&\u{7f}".contains(character) {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
    out
}

/// What a content security policy calls an inline style or script.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::spec::{results, suite};
    use crate::model::{Output, Policy};

    const HOSTILE: &str =
        "</script><img src=x onerror=alert(1)><!-- \u{202e}&amp;\u{0}\u{1b}[31m\u{2028}🦀{{script}} <script>";

    fn hostile() -> Results {
        let mut results = results(vec![suite("a+ b-", &Policy::default())]);
        for case in results.suites.iter_mut().flat_map(|suite| &mut suite.cases) {
            case.diff = Some(HOSTILE.into());
            case.reproduce = HOSTILE.into();
            case.output =
                Some(Output { stdout: HOSTILE.into(), stdout_omitted: 0, stderr: HOSTILE.into(), stderr_omitted: 0 });
        }
        results.run.branch = Some(HOSTILE.into());
        for reason in &mut results.gate.reasons {
            reason.message = HOSTILE.into();
            reason.blessed = Some(HOSTILE.into());
        }
        results
    }

    fn data(page: &str) -> &str {
        let (_, after) = page.split_once(r#"<script type="application/json" id="data">"#).unwrap();
        after.split_once("</script>").unwrap().0
    }

    #[test]
    fn hostile_text_cannot_end_the_script_element_that_it_stands_in() {
        let page = html(&hostile()).unwrap();
        assert_eq!(page.matches("</script").count(), 2, "one for the data and one for the script");
        assert_eq!(page.matches("<script").count(), 2);
        assert!(!page.contains("<img"));
        assert!(!page.contains("<!--"));
        assert!(!page.contains('\u{202e}') && !page.contains('\u{2028}') && !page.contains('\u{0}'));
    }

    #[test]
    fn the_data_of_the_page_reads_back_as_the_same_results() {
        let results = hostile();
        let page = html(&results).unwrap();
        let read: serde_json::Value = serde_json::from_str(data(&page)).unwrap();
        assert_eq!(read["results"], serde_json::to_value(&results).unwrap());
        assert!(data(&page).is_ascii());
        assert_eq!(serde_json::from_value::<Results>(read["results"].clone()).unwrap(), results);
    }

    #[test]
    fn the_page_names_no_other_file_and_leaves_no_mark_unfilled() {
        let page = html(&results(vec![suite("a+", &Policy::default())])).unwrap();
        for outside in ["src=\"", "@import", "url(", "<iframe", "<object", "innerHTML", "{{"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn the_policy_of_the_page_names_its_own_script_and_style() {
        let page = html(&hostile()).unwrap();
        let (_, script) = page.rsplit_once("<script>").unwrap();
        let script = script.split_once("</script>").unwrap().0;
        let (_, style) = page.split_once("<style>").unwrap();
        let style = style.split_once("</style>").unwrap().0;
        assert!(page.contains(&format!("script-src '{}'", source_hash(script))));
        assert!(page.contains(&format!("style-src '{}'", source_hash(style))));
    }

    #[test]
    fn a_reader_without_scripts_gets_the_verdict() {
        let results = results(vec![suite("a+ b-", &Policy::default())]);
        let page = html(&results).unwrap();
        let (_, noscript) = page.split_once("<noscript>").unwrap();
        assert!(noscript.split_once("</noscript>").unwrap().0.contains(&escaped(&verdict_line(&results))));
    }
}
