//! Does a diff say what its author expected? Normalisation, matching, and the hunk that comes nearest.

use similar::{ChangeTag, TextDiff};

use super::format::Match;

/// A diff without what differs from machine to machine: line ends, everything before the first hunk, line numbers.
pub fn normalised(diff: &str) -> String {
    let text = diff.replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().collect();
    let start = match lines.iter().position(|line| is_hunk_header(line)) {
        Some(first) => first,
        None => without_file_header(&lines),
    };
    let mut out = String::with_capacity(text.len());
    for line in &lines[start..] {
        out.push_str(if is_hunk_header(line) { "@@ ... @@" } else { line });
        out.push('\n');
    }
    out
}

/// `@@ -1,2 +3,4 @@ fn x`, or what an author wrote in its place.
fn is_hunk_header(line: &str) -> bool {
    line.strip_prefix("@@ ").is_some_and(|rest| rest.contains("@@"))
}

/// Without any hunk header only a complete file header is one; a removed line may well begin with `-- `.
fn without_file_header(lines: &[&str]) -> usize {
    let header = lines.windows(2).position(|two| two[0].starts_with("--- ") && two[1].starts_with("+++ "));
    match header {
        Some(at) if lines[..at].iter().all(|line| is_extended_header(line)) => at + 2,
        Some(_) | None => 0,
    }
}

fn is_extended_header(line: &str) -> bool {
    ["diff --git ", "index ", "new file mode ", "deleted file mode ", "old mode ", "new mode ", "similarity index "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Whether a normalised diff changes anything.
pub fn changes_something(normalised: &str) -> bool {
    normalised.lines().any(|line| line.starts_with(['+', '-']))
}

/// Whether every changed line is blank, so that a part of almost any diff is the same.
pub fn changes_only_blanks(normalised: &str) -> bool {
    normalised.lines().all(|line| line.trim_start_matches(['+', '-', ' ']).trim().is_empty())
}

/// Whether the normalised diff matches the normalised expectation.
pub fn matches(expected: &str, actual: &str, how: Match) -> bool {
    let (expected, actual) = (expected.trim_end_matches('\n'), actual.trim_end_matches('\n'));
    match how {
        Match::Substring => actual.contains(expected) || has_hunks(expected, actual),
        Match::Exact => actual == expected,
        Match::Lines => {
            let (wanted, there): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
            there.windows(wanted.len().max(1)).any(|window| window == wanted)
        }
    }
}

/// How many lines of context a diff of ours has around a change.
const CONTEXT: usize = 3;

/// Whether every hunk of the expectation is found as consecutive lines of one hunk, in order. A hunk may have less context
/// than ours, or more: what lies beyond our own context is not known, and believed.
fn has_hunks(expected: &str, actual: &str) -> bool {
    let lines = |hunk: &str| -> Vec<String> {
        let without_header = hunk.lines().filter(|line| !is_hunk_header(line) && !line.starts_with('\\'));
        // Editors take the blank of an empty context line away.
        without_header.map(|line| if line.is_empty() { " ".to_owned() } else { line.to_owned() }).collect()
    };
    let (wanted, there): (Vec<_>, Vec<_>) = (
        split_hunks(expected).iter().map(|hunk| lines(hunk)).filter(|hunk| !hunk.is_empty()).collect(),
        split_hunks(actual).iter().map(|hunk| lines(hunk)).collect(),
    );
    let (mut hunk, mut from) = (0, 0);
    for want in &wanted {
        loop {
            let Some(lines) = there.get(hunk) else { return false };
            if let Some(end) = found_in(want, lines, from) {
                from = end;
                break;
            }
            (hunk, from) = (hunk + 1, 0);
        }
    }
    !wanted.is_empty()
}

/// Where a wanted hunk ends inside of a real one, from a line on. Context before the first and after the last real line may
/// stick out where the real hunk has all of its own context.
fn found_in(want: &[String], hunk: &[String], from: usize) -> Option<usize> {
    let is_context = |line: &String| line.starts_with(' ');
    let leading = |lines: &[String]| lines.iter().take_while(|line| is_context(line)).count();
    let trailing = |lines: &[String]| lines.iter().rev().take_while(|line| is_context(line)).count();
    let all_leading = leading(hunk) >= CONTEXT && from == 0;
    let all_trailing = trailing(hunk) >= CONTEXT;
    let before = if all_leading { leading(want).saturating_sub(leading(hunk)) } else { 0 };
    // What sticks out in front, the least first.
    for skipped in 0..=before {
        let rest = &want[skipped..];
        let starts = if skipped > 0 { 0..1 } else { from..hunk.len() };
        for start in starts {
            let inside = rest.len().min(hunk.len() - start);
            let outside = &rest[inside..];
            let fits = rest[..inside].iter().zip(&hunk[start..]).all(|(a, b)| a == b);
            let sticks_out = outside.is_empty() || (all_trailing && outside.iter().all(is_context));
            if fits && sticks_out && rest[..inside].iter().any(|line| !is_context(line)) {
                return Some(start + inside);
            }
        }
    }
    // A hunk of context alone changes nothing, but must be there.
    let is_only_context = want.iter().all(is_context);
    let windows = hunk.get(from..).unwrap_or_default();
    let at = windows.windows(want.len()).position(|window| window == want).filter(|_| is_only_context)?;
    Some(from + at + want.len())
}

/// The hunk that is most like what was expected, and how the two differ.
pub fn nearest_hunk(expected: &str, actual: &str) -> Option<String> {
    let hunks = split_hunks(actual);
    let wanted = split_hunks(expected);
    let mut best: Option<(f64, &str, &str)> = None;
    for want in &wanted {
        for hunk in &hunks {
            let likeness = f64::from(TextDiff::from_lines(want.as_str(), hunk.as_str()).ratio());
            // What matches already is not what the author looks for.
            if hunk.contains(want.trim_end_matches('\n')) {
                continue;
            }
            if best.is_none_or(|(before, ..)| likeness > before) {
                best = Some((likeness, want, hunk));
            }
        }
    }
    let (_, want, hunk) = best?;
    let mut excerpt = String::from("nearest hunk (< expected, > found):\n");
    for change in TextDiff::from_lines(want, hunk).iter_all_changes() {
        excerpt.push_str(match change.tag() {
            ChangeTag::Delete => "< ",
            ChangeTag::Insert => "> ",
            ChangeTag::Equal => "  ",
        });
        excerpt.push_str(change.value().trim_end_matches('\n'));
        excerpt.push('\n');
    }
    Some(excerpt)
}

fn split_hunks(normalised: &str) -> Vec<String> {
    let mut hunks: Vec<String> = Vec::new();
    for line in normalised.lines() {
        if hunks.is_empty() || is_hunk_header(line) {
            hunks.push(String::new());
        }
        if let Some(hunk) = hunks.last_mut() {
            hunk.push_str(line);
            hunk.push('\n');
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_numbers_and_functions_leave_the_hunk_header() {
        assert_eq!(normalised("@@ -1,2 +3,4 @@ fn x\n-a\n+b\n"), "@@ ... @@\n-a\n+b\n");
        assert_eq!(normalised("@@ -1 +1 @@\r\n-a\r\n+b\r\n"), "@@ ... @@\n-a\n+b\n");
    }

    #[test]
    fn everything_before_the_first_hunk_goes_and_nothing_after_it() {
        let pasted = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n--- b\n+++ c\n";
        assert_eq!(normalised(pasted), "@@ ... @@\n a\n--- b\n+++ c\n");
    }

    #[test]
    fn without_a_hunk_header_a_removed_line_of_dashes_stays() {
        assert_eq!(normalised("--- b\n"), "--- b\n");
        assert_eq!(normalised("--- a/x\n+++ b/x\n-a\n"), "-a\n");
        assert_eq!(normalised(" x\n--- a\n+++ b\n"), " x\n--- a\n+++ b\n");
    }

    #[test]
    fn a_substring_matches_and_another_one_does_not() {
        let actual = "@@ ... @@\n a\n-b\n+c\n@@ ... @@\n-d\n";
        assert!(matches("-b\n+c\n", actual, Match::Substring));
        assert!(matches("b\n+c", actual, Match::Substring));
        assert!(!matches("-b\n+x\n", actual, Match::Substring));
    }

    #[test]
    fn hunks_with_other_context_than_ours_match_in_order() {
        let actual = "@@ ... @@\n 1\n 2\n 3\n-a\n+A\n 4\n-b\n+B\n 5\n 6\n 7\n@@ ... @@\n x\n-c\n+C\n";
        for expected in [
            // Without context, and several hunks of it in one of ours.
            "@@ ... @@\n-a\n+A\n@@ ... @@\n-b\n+B\n@@ ... @@\n-c\n+C\n",
            "-a\n+A\n@@ ... @@\n-c\n+C",
            // With more context than three lines on both sides.
            "@@ ... @@\n -1\n 0\n 1\n 2\n 3\n-a\n+A\n 4\n-b\n+B\n 5\n 6\n 7\n 8\n 9\n",
            "@@ ... @@\n 3\n-a\n+A\n 4\n",
        ] {
            assert!(matches(expected, actual, Match::Substring), "{expected}");
        }
        for expected in [
            "@@ ... @@\n-b\n+B\n@@ ... @@\n-a\n+A\n",
            "@@ ... @@\n 9\n-a\n+A\n@@ ... @@\n-c\n+C\n",
            "@@ ... @@\n-a\n+A\n-b\n+B\n",
            "@@ ... @@\n-a\n+A\n@@ ... @@\n-a\n+A\n",
            // The last hunk begins with the file: there is nothing before its one line of context.
            "@@ ... @@\n-a\n+A\n@@ ... @@\n w\n x\n-c\n+C\n",
            "@@ ... @@\n-a\n+A\n@@ ... @@\n-c\n+C\n y\n",
        ] {
            assert!(!matches(expected, actual, Match::Substring), "{expected}");
        }
        assert!(!matches("@@ ... @@\n-a\n+A\n@@ ... @@\n-c\n+C\n", actual, Match::Lines));
    }

    #[test]
    fn lines_match_whole_and_in_a_row_and_exact_matches_all() {
        let actual = "@@ ... @@\n a\n-b\n+c\n";
        assert!(matches("-b\n+c", actual, Match::Lines));
        assert!(!matches("b\n+c", actual, Match::Lines));
        assert!(!matches(" a\n+c", actual, Match::Lines));
        assert!(!matches("-b\n+c", actual, Match::Exact));
        assert!(matches(actual, actual, Match::Exact));
    }

    #[test]
    fn the_nearest_hunk_shows_the_one_line_that_is_off() {
        let actual = "@@ ... @@\n-q\n+r\n@@ ... @@\n one\n-two\n+deux\n three\n";
        insta::assert_snapshot!(nearest_hunk("@@ ... @@\n one\n-two\n+zwei\n three\n", actual).unwrap(), @r"
        nearest hunk (< expected, > found):
          @@ ... @@
           one
          -two
        < +zwei
        > +deux
           three
        ");
    }
}
