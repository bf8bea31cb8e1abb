//! Escaping at the sink: what a model or a pull request wrote must stay text.

/// A word as a POSIX shell reads it back.
pub fn shell_quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(safe) && !word.starts_with('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A flag of a command line with its value, after a blank. A value that looks like a flag is joined to it.
pub fn flag(name: &str, value: &str) -> String {
    let join = if value.starts_with('-') { '=' } else { ' ' };
    format!(" --{name}{join}{}", shell_quoted(value))
}

/// `1 case`, `2 cases`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Text for a terminal: control characters (escape sequences among them) are shown, not obeyed; newlines and tabs stay.
pub fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => shown.push(character),
            '\u{0}'..='\u{1f}' => shown.push(char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => shown.push('␡'),
            // C1 controls, the marks that reorder text, and what is no character at all.
            '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                shown.push_str(&format!("\\u{{{:x}}}", character as u32));
            }
            _ => shown.push(character),
        }
    }
    // A CI runner obeys these wherever they stand in a line.
    shown.replace("##[", "# #[")
}

/// Text in which every character can be seen: what has no width, looks like a blank, reorders text or is a control
/// character is written as an escape. Blanks, newlines and tabs stay.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_invisible(character) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character has no width, looks like a blank, reorders text or is a control character.
pub fn is_invisible(character: char) -> bool {
    match character {
        ' ' | '\n' | '\t' => false,
        _ if character.is_control() || character.is_whitespace() => true,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' => true,
        '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_is_read_back_by_a_shell() {
        assert_eq!(shell_quoted("plain-1.json"), "plain-1.json");
        assert_eq!(shell_quoted("it's $HOME"), r"'it'\''s $HOME'");
        assert_eq!(shell_quoted(""), "''");
        assert_eq!(shell_quoted("=id"), "'=id'");
    }

    #[test]
    fn what_cannot_be_seen_is_written_as_an_escape() {
        assert_eq!(
            visible("rm\u{a0}-rf\u{200b} b\u{202e}\u{feff}\u{7}\r"),
            "rm\\u{a0}-rf\\u{200b} b\\u{202e}\\u{feff}\\u{7}\\u{d}"
        );
        assert_eq!(visible("a b\tc\nä 日本 😀"), "a b\tc\nä 日本 😀");
    }

    #[test]
    fn no_escape_sequence_reaches_the_terminal() {
        assert_eq!(plain("\u{1b}[31mred\u{7}"), "␛[31mred␇");
        assert_eq!(plain("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(plain("\u{fffe}\u{ffff}"), "\\u{fffe}\\u{ffff}");
        assert_eq!(plain("two\nlines"), "two\nlines");
        assert_eq!(plain("##[error]x"), "# #[error]x");
    }
}
