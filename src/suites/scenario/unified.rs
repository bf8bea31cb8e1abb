//! The unified diff that `git diff` prints, since that is what authors paste.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, sources::byte_lines};

/// Lines of context around a change.
const CONTEXT: usize = 3;
/// A file with a NUL among its first bytes is binary, as for git.
const BINARY_WINDOW: usize = 8000;
/// How much of the line that names the function stands in a hunk header, as for git.
const FUNCTION_BYTES: usize = 80;

/// Whether a diff of these bytes would be unreadable.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(BINARY_WINDOW)].contains(&0)
}

/// The hunks of a diff, with git's headers; empty if nothing changed.
pub fn hunks(before: &[u8], after: &[u8]) -> Vec<u8> {
    let input = InternedInput::new(byte_lines(before), byte_lines(after));
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    let lines =
        |tokens: &[imara_diff::Token]| -> Vec<&[u8]> { tokens.iter().map(|token| input.interner[*token]).collect() };
    let (old, new) = (lines(&input.before), lines(&input.after));

    let changes: Vec<LineChange> =
        diff.hunks().map(|hunk| LineChange { old: widened(hunk.before), new: widened(hunk.after) }).collect();
    let mut out = Vec::new();
    let mut function: Option<&[u8]> = None;
    let mut searched = 0;
    for group in changes.chunk_by(|a, b| b.old.start - a.old.end <= 2 * CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let old_range = first.old.start.saturating_sub(CONTEXT)..(last.old.end + CONTEXT).min(old.len());
        let new_range = first.new.start.saturating_sub(CONTEXT)..(last.new.end + CONTEXT).min(new.len());
        if let Some(line) = (searched..old_range.start).rev().map(|at| old[at]).find(|line| names_function(line)) {
            function = Some(line);
        }
        searched = old_range.start;
        header(&old_range, &new_range, function, &mut out);
        let mut at = old_range.start;
        for change in group {
            write_lines(b' ', &old[at..change.old.start], &mut out);
            write_lines(b'-', &old[change.old.clone()], &mut out);
            write_lines(b'+', &new[change.new.clone()], &mut out);
            at = change.old.end;
        }
        write_lines(b' ', &old[at..old_range.end], &mut out);
    }
    out
}

/// Lines that were replaced by others.
struct LineChange {
    old: Range<usize>,
    new: Range<usize>,
}

fn widened(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn names_function(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
}

fn header(old: &Range<usize>, new: &Range<usize>, function: Option<&[u8]>, out: &mut Vec<u8>) {
    let side = |range: &Range<usize>| match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    };
    out.extend_from_slice(format!("@@ -{} +{} @@", side(old), side(new)).as_bytes());
    if let Some(line) = function {
        let cut = &line[..line.len().min(FUNCTION_BYTES)];
        out.push(b' ');
        out.extend_from_slice(cut.trim_ascii_end());
    }
    out.push(b'\n');
}

fn write_lines(sign: u8, lines: &[&[u8]], out: &mut Vec<u8>) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn diff(before: &str, after: &str) -> String {
        String::from_utf8(hunks(before.as_bytes(), after.as_bytes())).unwrap()
    }

    /// Applies a diff as `patch` would, but without any tolerance.
    pub(crate) fn apply(before: &str, diff: &str) -> String {
        let old: Vec<&str> = before.split_inclusive('\n').collect();
        let (mut out, mut at) = (String::new(), 0);
        let lines: Vec<&str> = diff.split_inclusive('\n').collect();
        for (index, line) in lines.iter().enumerate() {
            let bare = lines.get(index + 1).is_some_and(|next| next.starts_with('\\'));
            let text = if bare { line[1..].trim_end_matches('\n') } else { &line[1..] };
            match line.as_bytes()[0] {
                b'@' => {
                    let start: usize = line[4..].split([',', ' ']).next().unwrap().parse().unwrap();
                    let none = line[4..].split(' ').next().unwrap().ends_with(",0");
                    let start = if none { start } else { start - 1 };
                    out.extend(old[at..start].iter().copied());
                    at = start;
                }
                b' ' => {
                    assert_eq!(old[at], text);
                    out.push_str(text);
                    at += 1;
                }
                b'-' => {
                    assert_eq!(old[at], text);
                    at += 1;
                }
                b'+' => out.push_str(text),
                b'\\' => {}
                other => panic!("{other}"),
            }
        }
        out.extend(old[at..].iter().copied());
        out
    }

    #[test]
    fn hunk_headers_are_written_as_git_writes_them() {
        insta::assert_snapshot!(diff("", "a\nb\n"), @r"
        @@ -0,0 +1,2 @@
        +a
        +b
        ");
        insta::assert_snapshot!(diff("a\n", ""), @r"
        @@ -1 +0,0 @@
        -a
        ");
        insta::assert_snapshot!(diff("fn x() {\n1\n2\n3\n4\n5\n6\n}\n", "fn x() {\n1\n2\n3\n4\n5\nsix\n}\n"), @r"
        @@ -4,5 +4,5 @@ fn x() {
         3
         4
         5
        -6
        +six
         }
        ");
    }

    #[test]
    fn a_missing_final_newline_is_marked() {
        insta::assert_snapshot!(diff("a\nb", "a\nb\n"), @r"
        @@ -1,2 +1,2 @@
         a
        -b
        \ No newline at end of file
        +b
        ");
    }

    proptest! {
        #[test]
        fn every_diff_applies_and_yields_the_new_file(
            before in "([abc{}\\- +]{0,3}\r?\n){0,30}[ab]{0,2}",
            after in "([abc{}\\- +]{0,3}\r?\n){0,30}[ab]{0,2}",
        ) {
            prop_assert_eq!(apply(&before, &diff(&before, &after)), after);
        }
    }
}
