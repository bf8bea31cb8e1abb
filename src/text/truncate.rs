//! The one way in which long text is shortened.

/// Keeps the beginning and the end of a text and says how much was left out between them.
pub fn truncate_middle(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let mut head = max_bytes / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - (max_bytes - max_bytes / 2);
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n… {} bytes left out …\n{}", &text[..head], tail - head, &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::truncate_middle;

    #[test]
    fn a_long_text_keeps_both_ends_and_counts_what_is_gone() {
        assert_eq!(truncate_middle("short", 10), "short");
        assert_eq!(truncate_middle("abcdefghij", 4), "ab\n… 6 bytes left out …\nij");
        assert_eq!(truncate_middle("äöüß", 5), "ä\n… 4 bytes left out …\nß");
    }
}
