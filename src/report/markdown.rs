//! Markdown as GitHub renders it: what somebody else wrote stays text there, whatever it says.
//!
//! Outside of code a mention, a reference, an address or an image would come alive, so each has an invisible space put
//! into it; inside of code nothing does but the end of the code, and our own hidden marker, which nobody may forge.

use crate::model::Outcome;
use crate::text::plain;

/// An invisible space that keeps two characters from meaning something together.
const GAP: char = '\u{200b}';

/// How Markdown marks the change of a metric.
pub(super) const fn outcome_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Improved => "🟢",
        Outcome::Regressed => "🔴",
        Outcome::Inconclusive => "❔",
        Outcome::Slipped | Outcome::Unchanged | Outcome::NotCompared => "",
    }
}

/// Text that takes part in a sentence.
pub fn text(text: &str) -> String {
    let text = plain(text).replace(['\n', '\t'], " ");
    let mut out = String::with_capacity(text.len() + 16);
    let mut hex = 0;
    let characters: Vec<char> = text.chars().collect();
    for (index, character) in characters.iter().copied().enumerate() {
        // A long run of hexadecimal digits is a commit to GitHub.
        hex = if character.is_ascii_hexdigit() { hex + 1 } else { 0 };
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '!' | '|' | '~' | '$' | '"' | '\'' | '+'
            | '=' => {
                out.push('\\');
                out.push(character);
            }
            // `+1`, `- x`, `1. x` and `# x` mean something at the beginning of a line, and no line begins here.
            '@' | '#' => {
                out.push(character);
                out.push(GAP);
            }
            // The beginning of an address, or of an emoji.
            ':' if characters.get(index + 1).is_some_and(|next| next.is_alphanumeric() || "/+-_".contains(*next)) => {
                out.push(':');
                out.push(GAP);
            }
            '.' if index >= 3 && characters[index - 3..index].iter().all(|c| c.eq_ignore_ascii_case(&'w')) => {
                out.push(GAP);
                out.push('.');
            }
            '-' if index >= 2 && matches!(characters[index - 2..index], ['G' | 'g', 'H' | 'h']) => {
                out.push(GAP);
                out.push('-');
            }
            character => out.push(character),
        }
        if hex == 6 {
            out.push(GAP);
            hex = 0;
        }
    }
    out
}

/// A sentence of our own, with text of others in it: what stands between backticks is code.
pub fn prose(sentence: &str) -> String {
    let pieces: Vec<&str> = sentence.split('`').collect();
    // One too many belongs to somebody's text, so none of them is ours for sure.
    if pieces.len().is_multiple_of(2) {
        return text(sentence);
    }
    let piece = |(index, piece): (usize, &&str)| match index % 2 {
        1 if !piece.is_empty() => code(piece),
        1 => "\\`\\`".to_owned(),
        _ => text(piece),
    };
    pieces.iter().enumerate().map(piece).collect()
}

/// A code span within a table, where a bar would end the cell even in code.
pub fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

pub fn code(text: &str) -> String {
    let text = unmarked(&plain(text)).replace(['\n', '\t'], " ");
    if text.trim().is_empty() {
        return "` `".to_owned();
    }
    let ticks = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// A block of code.
pub fn fence(text: &str, language: &str) -> String {
    let mut text = unmarked(&plain(text));
    // A runner that prints the report obeys a line that begins so.
    if text.contains("::") {
        let quiet = |line: &str| match line.trim_start().strip_prefix("::") {
            Some(rest) => format!("{}:{GAP}:{rest}", &line[..line.len() - rest.len() - 2]),
            None => line.to_owned(),
        };
        text = text.lines().map(quiet).collect::<Vec<_>>().join("\n");
    }
    let ticks = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{ticks}{language}\n{}\n{ticks}", text.trim_end_matches('\n'))
}

/// Code within raw HTML, such as the line that a fold shows.
pub fn html_code(text: &str) -> String {
    let text = unmarked(&plain(text)).replace(['\n', '\t'], " ");
    format!("<code>{}</code>", html(&text))
}

/// Text within raw HTML, where it is no code: nothing comes alive.
fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// Without the beginning of an HTML comment, which is how our own marker begins.
pub(super) fn unmarked(text: &str) -> String {
    text.replace("<!--", &format!("<!{GAP}--"))
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_span_ends_where_it_should_whatever_is_in_it() {
        assert_eq!(code("ls -la"), "`ls -la`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`x`"), "`` `x` ``");
        assert_eq!(code("a | b"), "`a | b`");
        assert_eq!(cell("a | b"), "`a \\| b`");
        assert_eq!(code("a\nb"), "`a b`");
        assert_eq!(code(""), "` `");
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence("x\n", "diff"), "```diff\nx\n```");
        assert_eq!(fence("```\nx\n````", ""), "`````\n```\nx\n````\n`````");
    }

    #[test]
    fn no_markup_in_a_sentence_is_rendered() {
        let escaped = text(
            "@everyone #1 <b> [x](javascript:alert) ![i](https://x.y) GH-1 www.x.y 0123456789abcdef <!-- m --> :tada:",
        );
        for alive in ["@everyone", "#1", "<b>", "[x](", "https://", "GH-1", "www.x", "01234567", "<!--", ":tada:"] {
            assert!(!escaped.contains(alive), "{alive} in {escaped}");
        }
        assert!(!code("<!-- marker -->").contains("<!--") && !fence("<!-- marker -->", "").contains("<!--"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_opens_or_closes_markup(text in "\\PC{0,40}|[`<>!\\-|\n:@#\u{1b}\u{202e} a]{0,40}") {
            for escaped in [super::text(&text), code(&text), html_code(&text)] {
                let escape = char::from(27);
                proptest::prop_assert!(!escaped.contains('\n') && !escaped.contains("<!--") && !escaped.contains(escape));
            }
            proptest::prop_assert!(!super::text(&text).contains('<'));
            let block = fence(&text, "diff");
            let ticks: String = block.chars().take_while(|c| *c == '`').collect();
            let lines: Vec<&str> = block.lines().collect();
            proptest::prop_assert_eq!(lines[lines.len() - 1], ticks.as_str());
            proptest::prop_assert!(lines[1..lines.len() - 1].iter().all(|line| !line.contains(&ticks)));
            let (data, property) = (crate::report::data(&text), crate::report::property(&text));
            proptest::prop_assert!(!data.contains(['\r', '\n']) && !property.contains(['\r', '\n', ',', ':']));
        }
    }
}
