//! Puts a summary into the body of a release that somebody else wrote, between two markers, and leaves the rest alone.
//!
//! A marker counts if it is a line of its own and in no block of code. A beginning without an end, or an end without a
//! beginning, is text like any other.

use std::ops::Range;

use crate::report::markdown::unmarked;

/// The body with the summary in it: where the summary of this key stood, else at its end.
pub fn with_summary(body: &str, summary: &str, key: &str) -> String {
    let mut out = replaced(body, summary, key);
    // A pair that is gone may have stood between two markers, which are a pair from then on.
    for _ in lines(body) {
        let next = replaced(&out, summary, key);
        if next == out {
            break;
        }
        out = next;
    }
    out
}

fn replaced(body: &str, summary: &str, key: &str) -> String {
    let (begin, end) = (marker(key, "begin"), marker(key, "end"));
    let lines = lines(body);
    let ours = ours(&lines, &begin, &end);
    let Some(first) = ours.first() else {
        let newline =
            if body.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        let block = format!("{begin}{newline}{}{end}{newline}", content(summary, newline));
        return added(body, &block, newline, is_open_at_the_end(&lines));
    };
    let newline = if lines[first.start].ends_with("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(body.len() + summary.len());
    for (index, line) in lines.iter().enumerate() {
        let within = |pair: &Range<usize>| pair.contains(&index) || pair.end == index;
        if first.contains(&index) || index == first.end {
            // Both markers stay; what is between them is new.
            if index == first.start {
                out.push_str(line);
                out.push_str(&content(summary, newline));
            } else if index == first.end {
                out.push_str(line);
            }
        } else if !ours[1..].iter().any(within) {
            out.push_str(line);
        }
    }
    out
}

/// A line that nobody sees. Whatever a key holds, it cannot end the comment.
fn marker(key: &str, side: &str) -> String {
    let mut safe = String::new();
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"_.-".contains(&byte) {
            safe.push(char::from(byte));
        } else {
            safe.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("<!-- evalratchet:release:{safe}:{side} -->")
}

/// What stands between the markers. It can neither forge a marker nor leave a block of code open.
fn content(summary: &str, newline: &str) -> String {
    let mut text = unmarked(&summary.replace("\r\n", "\n")).trim_matches('\n').to_owned();
    if let Some(fence) = text.lines().fold(None, Fence::after) {
        text.push_str(&format!("\n{}", fence.closing()));
    }
    if text.is_empty() {
        return String::new();
    }
    format!("{newline}{}{newline}{newline}", text.replace('\n', newline))
}

/// At the end, or before a body that ends in the middle of a block of code, where it would be code as well.
fn added(body: &str, block: &str, newline: &str, before: bool) -> String {
    if body.is_empty() {
        return block.to_owned();
    }
    if before {
        return format!("{block}{newline}{body}");
    }
    let ends_line = body.ends_with('\n');
    let blank = body.ends_with("\n\n") || body.ends_with("\n\r\n");
    let gap = match (ends_line, blank) {
        (_, true) => String::new(),
        (true, false) => newline.to_owned(),
        (false, false) => newline.repeat(2),
    };
    format!("{body}{gap}{block}")
}

/// The lines with their ends.
fn lines(body: &str) -> Vec<&str> {
    body.split_inclusive('\n').collect()
}

/// The pairs that are ours: from the line that begins one to the line that ends it.
fn ours(lines: &[&str], begin: &str, end: &str) -> Vec<Range<usize>> {
    let is = |line: &str, marker: &str| line.trim_end_matches(['\r', '\n', ' ', '\t']) == marker;
    let mut pairs = Vec::new();
    let mut start = None;
    let mut fence = None;
    for (index, line) in lines.iter().enumerate() {
        if is(line, begin) {
            (start, fence) = (Some(index), None);
        } else if let Some(from) = start {
            if is(line, end) && fence.is_none() {
                pairs.push(from..index);
                start = None;
            } else {
                fence = Fence::after(fence, line);
            }
        }
    }
    let fenced = fenced(lines, &pairs);
    pairs.retain(|pair| !fenced.iter().any(|block| block.contains(&pair.start)));
    pairs
}

/// The blocks of code, without looking at what stands between markers. One that is never closed is none, so that what
/// somebody forgot to close does not hide a summary for ever.
fn fenced(lines: &[&str], pairs: &[Range<usize>]) -> Vec<Range<usize>> {
    let within = |index: usize| pairs.iter().any(|pair| pair.contains(&index) || pair.end == index);
    let outside: Vec<usize> = (0..lines.len()).filter(|index| !within(*index)).collect();
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(index) = outside.get(at) {
        at += 1;
        let Some(fence) = Fence::opened_by(lines[*index]) else { continue };
        if let Some(close) = outside[at..].iter().position(|later| fence.is_closed_by(lines[*later])) {
            blocks.push(*index..outside[at + close]);
            at += close + 1;
        }
    }
    blocks
}

fn is_open_at_the_end(lines: &[&str]) -> bool {
    lines.iter().fold(None, |fence, line| Fence::after(fence, line)).is_some()
}

/// The line that opened a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    character: char,
    length: usize,
}

impl Fence {
    /// The state after a line.
    fn after(open: Option<Self>, line: &str) -> Option<Self> {
        match open {
            Some(fence) => Some(fence).filter(|fence| !fence.is_closed_by(line)),
            None => Self::opened_by(line),
        }
    }

    fn opened_by(line: &str) -> Option<Self> {
        let (character, length, rest) = Self::run(line)?;
        // An info string with a backtick is code within a line.
        let is_fence = length >= 3 && !(character == '`' && rest.contains('`'));
        is_fence.then_some(Self { character, length })
    }

    fn is_closed_by(self, line: &str) -> bool {
        Self::run(line).is_some_and(|(character, length, rest)| {
            character == self.character && length >= self.length && rest.trim().is_empty()
        })
    }

    /// What a line begins with, in whatever list or quotation it stands.
    fn run(line: &str) -> Option<(char, usize, &str)> {
        let of_container = |character: char| character.is_ascii_digit() || " \t>-*+.)".contains(character);
        let text = line.trim_start_matches(of_container);
        let character = text.chars().next().filter(|character| matches!(character, '`' | '~'))?;
        let rest = text.trim_start_matches(character);
        Some((character, text.len() - rest.len(), rest))
    }

    fn closing(self) -> String {
        String::from(self.character).repeat(self.length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BEGIN: &str = "<!-- evalratchet:release:k:begin -->";
    const END: &str = "<!-- evalratchet:release:k:end -->";

    fn pair(text: &str) -> String {
        format!("{BEGIN}\n\n{text}\n\n{END}\n")
    }

    fn put(body: &str) -> String {
        with_summary(body, "new", "k")
    }

    #[test]
    fn an_empty_body_becomes_the_summary_and_another_has_it_at_its_end() {
        assert_eq!(put(""), pair("new"));
        assert_eq!(put("notes"), format!("notes\n\n{}", pair("new")));
        assert_eq!(put("notes\n"), format!("notes\n\n{}", pair("new")));
        assert_eq!(put("notes\n\n"), format!("notes\n\n{}", pair("new")));
        assert_eq!(put("a\r\nb"), format!("a\r\nb\n\n{}", pair("new")).replace("\r\n", "\n").replace('\n', "\r\n"));
    }

    #[test]
    fn text_between_the_markers_is_replaced_and_nothing_else() {
        let body = format!("before \n{}\nafter\t\n no newline", pair("old\n```\nx\n```"));
        assert_eq!(put(&body), format!("before \n{}\nafter\t\n no newline", pair("new")));
        let crlf = body.replace('\n', "\r\n");
        assert_eq!(put(&crlf), put(&body).replace('\n', "\r\n"));
        // Markers without anything between them, and without an end of line after the last.
        assert_eq!(put(&format!("{BEGIN}\n{END}")), pair("new").trim_end());
    }

    #[test]
    fn a_marker_without_its_partner_removes_nothing() {
        for body in [
            format!("a\n{BEGIN}\nb\n"),
            format!("a\n{END}\nb\n"),
            format!("a\n{END}\nb\n{BEGIN}\nc\n"),
            format!("a {BEGIN}\nb\n{END}\n"),
            format!("a\n{BEGIN}\nb\n{END} c\n"),
            format!("a\n{BEGIN}\nb\n```\n{END}\n```\nc\n"),
        ] {
            assert_eq!(put(&body), format!("{body}\n{}", pair("new")), "{body}");
        }
        // The second beginning is the one that has an end.
        let body = format!("a\n{BEGIN}\nb\n{}c\n", pair("old"));
        assert_eq!(put(&body), format!("a\n{BEGIN}\nb\n{}c\n", pair("new")));
        let body = format!("a\n{}b\n{END}\nc\n", pair("old"));
        assert_eq!(put(&body), format!("a\n{}b\n{END}\nc\n", pair("new")));
    }

    #[test]
    fn markers_in_a_block_of_code_are_text() {
        for (open, close) in
            [("```", "```"), ("~~~~html", "~~~~~"), ("- ```", "  ```"), ("1. ```", "   ```"), ("> ```", "> ```")]
        {
            let body = format!("see:\n{open}\n{}{close}\nrest\n", pair("old"));
            assert_eq!(put(&body), format!("{body}\n{}", pair("new")), "{open}");
            let both = format!("{body}\n{}", pair("old"));
            assert_eq!(put(&both), format!("{body}\n{}", pair("new")), "{open}");
        }
        let indented = format!("see:\n\n    {BEGIN}\n    old\n    {END}\n");
        assert_eq!(put(&indented), format!("{indented}\n{}", pair("new")));
    }

    #[test]
    fn a_body_that_ends_in_the_middle_of_code_has_the_summary_before_it() {
        let body = "notes\n```\ncode";
        assert_eq!(put(body), format!("{}\n{body}", pair("new")));
        assert_eq!(put(&put(body)), put(body));
    }

    #[test]
    fn of_two_pairs_the_first_is_filled_and_the_second_removed() {
        let body = format!("a\n{}b\n{}c\n", pair("old"), pair("older"));
        assert_eq!(put(&body), format!("a\n{}b\nc\n", pair("new")));
    }

    #[test]
    fn keys_do_not_collide_and_cannot_end_the_marker() {
        let one = with_summary("", "one", "a");
        let both = with_summary(&one, "two", "b");
        assert!(both.starts_with(&one) && both.contains("two"));
        assert_eq!(with_summary(&both, "one", "a"), both);
        let hostile = with_summary("", "x", "--> <b>\n");
        assert_eq!(hostile.matches("-->").count(), 2, "{hostile}");
        assert_eq!(with_summary(&hostile, "x", "--> <b>\n"), hostile);
    }

    #[test]
    fn a_summary_can_forge_no_marker_and_leaves_no_code_open() {
        let hostile = format!("a\n{END}\n{BEGIN}\n```\nb");
        let once = with_summary("", &hostile, "k");
        assert_eq!((once.matches(BEGIN).count(), once.matches(END).count(), once.matches("```").count()), (1, 1, 2));
        assert_eq!(with_summary(&once, &hostile, "k"), once);
    }

    /// Lines that a body may be made of, the difficult ones often.
    fn bodies() -> impl Strategy<Value = String> {
        let line = prop_oneof![
            Just(BEGIN.to_owned()),
            Just(END.to_owned()),
            Just(format!("{BEGIN} x")),
            Just(format!("  {END}")),
            Just("```".to_owned()),
            Just("```rust".to_owned()),
            Just("~~~~".to_owned()),
            Just("- ```".to_owned()),
            Just("<!--".to_owned()),
            Just(String::new()),
            "[a-z`~<!> -]{0,8}",
        ];
        let line = (line, prop_oneof![Just("\n"), Just("\r\n")]).prop_map(|(line, end)| line + end);
        (proptest::collection::vec(line, 0..14), any::<bool>()).prop_map(|(lines, cut)| {
            let body = lines.concat();
            if cut { body.trim_end_matches(['\r', '\n']).to_owned() } else { body }
        })
    }

    fn summaries() -> impl Strategy<Value = String> {
        prop_oneof![bodies(), "\\PC{0,30}", Just("| a |\n|---|\n| 1 |".to_owned())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_summary_put_in_twice_stands_once_and_the_last_counts(body in bodies(), one in summaries(), two in summaries()) {
            let once = with_summary(&body, &one, "k");
            prop_assert_eq!(&with_summary(&once, &one, "k"), &once);
            prop_assert_eq!(with_summary(&once, &two, "k"), with_summary(&body, &two, "k"));
        }

        #[test]
        fn every_line_that_is_not_between_markers_stays_where_it_was(body in bodies(), summary in summaries()) {
            let out = with_summary(&body, &summary, "k");
            // Whatever counts as a pair, before the first beginning and after the last end nothing is touched.
            let all = lines(&body);
            let first = all.iter().position(|line| line.starts_with(BEGIN)).unwrap_or(all.len());
            let last = all.iter().rposition(|line| line.starts_with(END)).map_or(0, |at| at + 1);
            let (head, tail) = (all[..first].concat(), all[last..].concat());
            prop_assert!(out.contains(&head) && out.contains(&tail));
            // Without an end after a beginning nothing is taken away at all.
            if last <= first {
                prop_assert!(out.starts_with(&body) || out.ends_with(&body), "{:?}", out);
            }
            let kept = out.lines().filter(|line| line.starts_with(BEGIN) || line.starts_with(END)).count();
            prop_assert!(kept >= 2);
        }

        #[test]
        fn text_around_a_pair_is_left_byte_for_byte(
            before in "([a-z *|#-]{0,9}\r?\n){0,4}", after in "([a-z *|#-]{0,9}\r?\n){0,4}[a-z]{0,3}",
            old in "[a-z\n]{0,20}", summary in "[a-z|\n]{1,20}",
        ) {
            let body = format!("{before}{}{after}", pair(&old));
            let out = with_summary(&body, &summary, "k");
            let inner = out.strip_prefix(&before).and_then(|rest| rest.strip_suffix(&after)).unwrap();
            prop_assert!(inner.starts_with(BEGIN) && inner.trim_end().ends_with(END));
            prop_assert!(inner.contains(summary.trim_matches('\n')));
        }
    }
}
