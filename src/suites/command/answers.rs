//! Answers as they come: the command itself, without the fence, the prompt sign and the explanation around it.

/// The one command in an answer, and whether anything was around it. Where it cannot be told which words are the command,
/// the answer is taken as it is.
pub fn unwrapped(answer: &str) -> (String, bool) {
    let whole = answer.trim();
    let command = match fenced(whole).as_slice() {
        [] => without_prose(whole).unwrap_or_else(|| whole.to_owned()),
        [one] => without_prompt(one),
        _ => whole.to_owned(),
    };
    let unwrapped = command != whole;
    (command, unwrapped)
}

/// The texts of the fenced blocks.
fn fenced(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(char, usize, Vec<&str>)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let sign = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = sign.map_or(0, |sign| trimmed.chars().take_while(|c| *c == sign).count());
        match (&mut open, sign) {
            (None, Some(sign)) if length >= 3 && !trimmed[length..].contains('`') => {
                open = Some((sign, length, Vec::new()))
            }
            (Some((opened, least, lines)), Some(sign))
                if *opened == sign && length >= *least && trimmed.trim_end().len() == length =>
            {
                blocks.push(lines.join("\n"));
                open = None;
            }
            (Some((_, _, lines)), _) => lines.push(line),
            (None, _) => {}
        }
    }
    blocks.extend(open.map(|(_, _, lines)| lines.join("\n")));
    blocks
}

/// Without a fence: the paragraph that is the command.
fn without_prose(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))
        && !inner.contains('`')
    {
        return Some(without_prompt(inner));
    }
    // A here-document may hold empty lines.
    if text.contains("<<") {
        return Some(without_prompt(text));
    }
    let mut paragraphs: Vec<&str> = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty()).collect();
    while paragraphs.len() > 1 && is_lead_in(paragraphs[0]) {
        paragraphs.remove(0);
    }
    let mut lines: Vec<&str> = paragraphs.first()?.lines().collect();
    if lines.len() > 1 && is_lead_in(lines[0]) {
        lines.remove(0);
    }
    let prose = lines.iter().skip(1).position(|line| is_prose(line)).map_or(lines.len(), |at| at + 1);
    let inline = lines[..prose].join("\n");
    let inline = inline
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        .filter(|one| !one.contains('`'))
        .map(str::to_owned)
        .unwrap_or(inline);
    Some(without_prompt(&inline))
}

/// `Here is the command:`
fn is_lead_in(text: &str) -> bool {
    text.ends_with(':') && text.starts_with(|c: char| c.is_uppercase()) && text.contains(' ') && !text.contains('\n')
}

/// A line that begins as a sentence does. No program begins with a capital and a word after it.
fn is_prose(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or("");
    let capital = first.starts_with(|c: char| c.is_uppercase())
        && first[first.chars().next().map_or(0, char::len_utf8)..]
            .chars()
            .all(|c| c.is_lowercase() || matches!(c, '\'' | ',' | ':'));
    (capital && words.next().is_some() && !first.contains('='))
        || (first == "-" && words.next().is_some_and(|word| word.starts_with('`')))
}

/// Without `$ ` or `# ` before the command, and without what a terminal printed below it.
fn without_prompt(text: &str) -> String {
    let text = text.trim_matches('\n').trim();
    let lines: Vec<&str> = text.lines().collect();
    if lines.iter().any(|line| line.trim_start().starts_with("$ ")) {
        let mut kept: Vec<String> = Vec::new();
        let mut goes_on = false;
        for line in lines {
            let line = line.trim_start();
            if let Some(command) = line.strip_prefix("$ ") {
                kept.push(command.trim_end().to_owned());
            } else if goes_on {
                kept.push(line.strip_prefix("> ").unwrap_or(line).trim_end().to_owned());
            } else {
                continue;
            }
            goes_on = kept.last().is_some_and(|line| line.ends_with('\\'));
        }
        return kept.join("\n");
    }
    // A `# ` before the only line is the prompt of root; before other lines it is a comment.
    match lines.as_slice() {
        [one] => one.strip_prefix("# ").map_or_else(|| text.to_owned(), |command| command.trim().to_owned()),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::unwrapped;

    #[test]
    fn the_one_command_is_taken_out_of_what_is_around_it() {
        for answer in [
            "```bash\nls -la\n```",
            "```\n$ ls -la\n```",
            "~~~sh\nls -la\n~~~",
            "Here is the command:\n\n```sh\nls -la\n```\n\nIt lists everything.",
            "Sure! Try this:\n```\nls -la\n```",
            "$ ls -la",
            "# ls -la",
            "$ ls -la\ntotal 0",
            "`ls -la`",
            "ls -la\n\nThis lists all files.",
            "ls -la\nThis lists all files, also hidden ones.",
            "Use the following command:\n\nls -la",
            "  ls -la\n\n- `-l` is for long\n",
            "```bash\nls -la",
        ] {
            assert_eq!(unwrapped(answer), ("ls -la".to_owned(), true), "{answer:?}");
        }
    }

    #[test]
    fn what_is_only_a_command_is_left_alone() {
        for answer in
            ["ls -la", "# list\nls -la", "cd src\nls", "cat <<E\na\n\nb\nE", "echo '$ a'", "X=1 make\nMake=2 make"]
        {
            assert_eq!(unwrapped(answer), (answer.to_owned(), false), "{answer:?}");
        }
    }

    #[test]
    fn two_commands_are_not_one() {
        let two = "```\nls\n```\nor\n```\nls -a\n```";
        assert_eq!(unwrapped(two), (two.to_owned(), false));
    }
}
