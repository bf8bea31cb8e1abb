//! Takes confided values out of text, in whichever form they stand there.
//!
//! A target that is given a secret may print it as it is, inside of JSON, in a URL, in base64, or over several lines, and
//! what it printed may have been shortened since. A value is therefore compared character by character, each in any of
//! its spellings.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::Value;

use super::quote::is_invisible;

/// What stands in the place of a confided value.
const REDACTED: &str = "[redacted]";
/// Shorter values are too likely to stand in a text by chance.
const SHORTEST: usize = 6;
/// A line of a value that has several, or an encoded one, must be a little longer to count by itself.
const SHORTEST_PART: usize = 8;

/// Values that must not leave the process.
#[derive(Clone, Default)]
pub struct Redactor {
    secrets: Vec<Secret>,
}

/// A value in one of its forms.
#[derive(Clone)]
struct Secret {
    text: String,
    units: Vec<SecretUnit>,
}

/// The values themselves are nobody's business.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} values)", self.secrets.len())
    }
}

/// A character of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SecretUnit {
    Char(char),
    /// So many backslashes: escaping multiplies them.
    Backslashes(usize),
    /// A line break, however it is written, with the blanks around it.
    Break,
}

/// Something with text in it that may hold a confided value.
pub trait Redact {
    fn redact(&mut self, redactor: &Redactor);
}

impl Redactor {
    /// Redacts these values wherever they stand.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for value in values {
            texts
                .extend([value, value.trim()].into_iter().filter(|v| v.chars().count() >= SHORTEST).map(str::to_owned));
            let lines = value.split(['\n', '\r']).map(str::trim).filter(|line| line.chars().count() >= SHORTEST_PART);
            texts.extend(lines.filter(|_| value.trim().contains(['\n', '\r'])).map(str::to_owned));
            if value.trim().chars().count() >= SHORTEST {
                texts.extend(encoded(value.as_bytes()).filter(|text| text.len() >= SHORTEST_PART));
            }
        }
        // The longest first, so that no part of it is left over.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        Self { secrets: texts.into_iter().map(|text| Secret { units: units(&text), text }).collect() }
    }

    /// A text without the values.
    pub fn text(&self, text: &str) -> String {
        self.part(text, false, false)
    }

    /// The beginning and the end of a text whose middle is lost; a value that the cut goes through is found as well.
    pub fn halves(&self, head: &str, tail: &str) -> String {
        self.part(head, false, true) + &self.part(tail, true, false)
    }

    fn part(&self, text: &str, begins_cut: bool, ends_cut: bool) -> String {
        // Where nothing is escaped, broken or cut, a value stands as it is, and that is found quickly.
        let has_breaks = self.secrets.iter().any(|secret| secret.units.contains(&SecretUnit::Break));
        if !begins_cut && !ends_cut && !has_breaks && !text.contains(is_special) {
            let whole = |text: String, secret: &Secret| match text.contains(&secret.text) {
                true => text.replace(&secret.text, REDACTED),
                false => text,
            };
            return self.secrets.iter().fold(text.to_owned(), whole);
        }
        let mut out = String::new();
        let (mut at, mut copied, mut after_cut) = (0, 0, begins_cut);
        while let Some(character) = text[at..].chars().next() {
            let first = text.as_bytes()[at];
            let is_escape = matches!(first, b'\\' | b'%' | b'&' | b'+' | b'\'');
            let may_begin = |secret: &&Secret| {
                after_cut
                    || is_escape
                    || secret.text.as_bytes().first() == Some(&first)
                    || secret.units.first() == Some(&SecretUnit::Break)
            };
            let candidates = self.secrets.iter().filter(may_begin);
            let found = candidates.filter_map(|one| found_at(text, at, &one.units, after_cut, ends_cut)).max();
            if let Some(end) = found {
                out.push_str(&text[copied..at]);
                out.push_str(REDACTED);
                (at, copied, after_cut) = (end, end, false);
                continue;
            }
            at += character.len_utf8();
            after_cut = character == '…' || (after_cut && is_beside_cut(character));
        }
        out + &text[copied..]
    }
}

/// What may spell a value in another way, break it, or stand in it unseen.
fn is_special(character: char) -> bool {
    matches!(character, '\\' | '%' | '&' | '+' | '\'' | '\n' | '…' | '␛' | '␀' | '␍' | '␊') || is_invisible(character)
}

/// What may stand between a text and the mark that says that it was cut.
fn is_beside_cut(character: char) -> bool {
    character.is_whitespace() || matches!(character, '"' | '\'' | '`')
}

/// The end of a value that begins here, or of a part of it where the text was cut.
fn found_at(text: &str, at: usize, secret: &[SecretUnit], after_cut: bool, ends_cut: bool) -> Option<usize> {
    let (matched, end) = matched(text, at, secret);
    if matched == secret.len() {
        return Some(end);
    }
    let rest = text[end..].trim_start_matches(is_beside_cut);
    if matched >= SHORTEST && (rest.starts_with('…') || (ends_cut && rest.is_empty())) {
        return Some(end);
    }
    let tails = (1..secret.len().saturating_sub(SHORTEST - 1)).filter(|_| after_cut);
    tails.map(|from| &secret[from..]).find_map(|tail| {
        let (matched, end) = self::matched(text, at, tail);
        (matched == tail.len()).then_some(end)
    })
}

/// How many units stand here one after the other, and where the last one ends.
fn matched(text: &str, at: usize, secret: &[SecretUnit]) -> (usize, usize) {
    let mut end = at;
    for (index, unit) in secret.iter().enumerate() {
        if let SecretUnit::Char(character) = unit
            && text[end..].starts_with(*character)
            && !matches!(character, '\\' | '%' | '&' | '+' | '\'')
        {
            end += character.len_utf8();
            continue;
        }
        let mut found = spellings(&text[end..], *unit);
        let mut skipped = 0;
        // What breaks a line and what is not seen does not hide the rest.
        while found == [None; 2] && index > 0 {
            let rest = &text[end + skipped..];
            let Some(length) = line_break(rest).or_else(|| unseen(rest)).filter(|length| *length > 0) else { break };
            skipped += length;
            found = spellings(&text[end + skipped..], *unit).map(|one| one.map(|spelling| skipped + spelling));
        }
        match found {
            [None, None] => return (index, end),
            [Some(length), None] | [None, Some(length)] => end += length,
            // A `%` may be itself or begin an escape, so both ways are tried.
            [Some(one), Some(other)] => {
                let ways = [one, other].map(|length| matched(text, end + length, &secret[index + 1..]));
                let [(count, last), ..] = if ways[0].0 >= ways[1].0 { ways } else { [ways[1], ways[0]] };
                return (index + 1 + count, last);
            }
        }
    }
    (secret.len(), end)
}

fn units(text: &str) -> Vec<SecretUnit> {
    let mut units = Vec::new();
    for character in text.chars() {
        match (character, units.last_mut()) {
            ('\\', Some(SecretUnit::Backslashes(count))) => *count += 1,
            ('\\', _) => units.push(SecretUnit::Backslashes(1)),
            ('\r' | '\n' | ' ' | '\t', Some(SecretUnit::Break)) => {}
            ('\r' | '\n', _) => {
                while let Some(SecretUnit::Char(' ' | '\t')) = units.last() {
                    units.pop();
                }
                units.push(SecretUnit::Break);
            }
            (other, _) => units.push(SecretUnit::Char(other)),
        }
    }
    units
}

/// How long a terminal's control sequence or another character without a width is, which a reader or a later step leaves out
/// or shows as an escape.
fn unseen(rest: &str) -> Option<usize> {
    let (character, length) = match rest.chars().next()? {
        '\\' => escaped_character(rest)?,
        '␛' => ('\u{1b}', '␛'.len_utf8()),
        '␀' => ('\0', '␀'.len_utf8()),
        other => (other, other.len_utf8()),
    };
    match character {
        '\u{1b}' | '\u{9b}' => Some(length + control_sequence(&rest[length..], character == '\u{9b}')),
        other => is_invisible(other).then_some(length),
    }
}

/// The character that an escape with backslashes stands for, and how long the escape is.
fn escaped_character(rest: &str) -> Option<(char, usize)> {
    let after = rest.trim_start_matches('\\');
    let digits = |text: &str, count: usize| text.get(..count).map(str::to_owned);
    let (code, length) = if let Some(braced) = after.strip_prefix("u{") {
        let end = braced.find('}').filter(|end| *end <= 6)?;
        (digits(braced, end)?, end + 3)
    } else if let Some(four) = after.strip_prefix('u') {
        (digits(four, 4)?, 5)
    } else if let Some(two) = after.strip_prefix('x') {
        (digits(two, 2)?, 3)
    } else if after.starts_with("033") {
        ("1b".to_owned(), 3)
    } else if after.starts_with('e') {
        ("1b".to_owned(), 1)
    } else if after.starts_with('0') {
        ("0".to_owned(), 1)
    } else {
        return None;
    };
    let character = char::from_u32(u32::from_str_radix(&code, 16).ok()?)?;
    Some((character, rest.len() - after.len() + length))
}

/// How long the part of a control sequence after its first character is.
fn control_sequence(after: &str, is_csi: bool) -> usize {
    let parameters = |text: &str| {
        let last = text.find(|c: char| !('\u{20}'..='\u{3f}').contains(&c)).unwrap_or(text.len());
        let is_final = |c: char| ('\u{40}'..='\u{7e}').contains(&c);
        last + usize::from(text[last..].starts_with(is_final))
    };
    match after.as_bytes().first() {
        _ if is_csi => parameters(after),
        Some(b'[') => 1 + parameters(&after[1..]),
        // The title of a window or a link, up to its end.
        Some(b']' | b'P' | b'X' | b'^' | b'_') => {
            let bell = after.find('\u{7}').map(|at| at + 1);
            let string_end = after.find("\u{1b}\\").map(|at| at + 2);
            bell.into_iter().chain(string_end).min().unwrap_or(1)
        }
        Some(b' '..=b'/') => 1 + usize::from(after[1..].starts_with(|c: char| c.is_ascii_graphic())),
        Some(b'0'..=b'~') => 1,
        Some(_) | None => 0,
    }
}

/// Base64 and hexadecimal digits that stand for these bytes, wherever they begin in what was encoded.
fn encoded(bytes: &[u8]) -> impl Iterator<Item = String> {
    let mut texts = Vec::new();
    for offset in 0..3 {
        let padded: Vec<u8> = std::iter::repeat_n(0, offset).chain(bytes.iter().copied()).collect();
        // Only digits that no neighbour has a share in.
        let (from, to) = ((offset * 8).div_ceil(6), padded.len() * 8 / 6);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            texts.extend(engine.encode(&padded).get(from..to).map(str::to_owned));
        }
    }
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    texts.push(hex.to_uppercase());
    texts.push(hex);
    texts.into_iter()
}

/// How long the break of a line is, with what a diff or an indentation puts before the next one.
fn line_break(rest: &str) -> Option<usize> {
    let mut next = one_break(rest)?;
    while let Some(after) = one_break(next) {
        next = after;
    }
    let next = next.trim_start_matches([' ', '\t']);
    let next = next.strip_prefix(['+', '-', '|', '>', '#']).unwrap_or(next).trim_start_matches([' ', '\t']);
    Some(rest.len() - next.len())
}

/// What follows a character that ends a line, however it is written.
fn one_break(rest: &str) -> Option<&str> {
    const PLAIN: [&str; 4] = ["\n", "\r", "␍", "␊"];
    const ESCAPED: [&str; 12] =
        ["n", "r", "u{d}", "u{a}", "u000d", "u000a", "u000D", "u000A", "x0d", "x0a", "015", "012"];
    let after = rest.trim_start_matches('\\');
    let spellings: &[&str] = if after.len() < rest.len() { &ESCAPED } else { &PLAIN };
    let literal = spellings.iter().find_map(|one| after.strip_prefix(one));
    literal.or_else(|| ["%0A", "%0D", "%0a", "%0d", "&#10;", "&#13;"].iter().find_map(|one| rest.strip_prefix(one)))
}

/// How long the spellings of a unit are that a text begins with: the escaped one and the plain one.
fn spellings(rest: &str, unit: SecretUnit) -> [Option<usize>; 2] {
    let backslashes = rest.len() - rest.trim_start_matches('\\').len();
    let escaped = |character: char| {
        let length = escape(rest.get(backslashes..).filter(|_| backslashes > 0)?, character)?;
        Some(backslashes + length)
    };
    match unit {
        SecretUnit::Backslashes(count) => {
            let encoded = (0..count).try_fold(0, |at, _| percent(&rest[at..], '\\').map(|length| at + length));
            [
                encoded.or_else(|| escaped('\\').filter(|_| count == 1)),
                Some(backslashes).filter(|there| *there >= count),
            ]
        }
        SecretUnit::Break => {
            let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            let broken = line_break(&rest[blank..]).map(|length| blank + length);
            [broken, Some(blank).filter(|blank| *blank > 0 && broken.is_none())]
        }
        SecretUnit::Char(character) => {
            let other = match rest.as_bytes().first() {
                Some(b'\\') => escaped(character),
                Some(b'%') => percent(rest, character),
                Some(b'&') => entity(rest, character),
                Some(b'+') => (character == ' ').then_some(1),
                Some(b'\'') if character == '\'' => {
                    let quoted = [r"'\''", "'\"'\"'"].into_iter().find(|quoted| rest.starts_with(quoted));
                    quoted.map(str::len)
                }
                Some(_) | None => None,
            };
            [other, rest.starts_with(character).then(|| character.len_utf8())]
        }
    }
}

/// What follows a backslash, or several of them, in JSON, in a shell and in the languages that print texts.
fn escape(after: &str, character: char) -> Option<usize> {
    let letter = match character {
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{8}' => 'b',
        '\u{c}' => 'f',
        other => other,
    };
    if after.starts_with(letter) && !character.is_alphanumeric() {
        return Some(letter.len_utf8());
    }
    let braced = format!("u{{{:x}}}", u32::from(character));
    if starts_with(after, &braced) {
        return Some(braced.len());
    }
    let mut utf16 = [0; 2];
    let unicode: Vec<String> = character.encode_utf16(&mut utf16).iter().map(|unit| format!("u{unit:04x}")).collect();
    let latin: Option<Vec<String>> = u8::try_from(u32::from(character)).ok().map(|byte| vec![format!("x{byte:02x}")]);
    let mut utf8 = [0; 4];
    let bytes = character.encode_utf8(&mut utf8).as_bytes();
    let hex: Vec<String> = bytes.iter().map(|byte| format!("x{byte:02x}")).collect();
    let octal: Vec<String> = bytes.iter().map(|byte| format!("{byte:03o}")).collect();
    [Some(unicode), latin, Some(hex), Some(octal)].into_iter().flatten().find_map(|codes| escapes(after, &codes))
}

/// The length of these codes one after the other, each but the first after a backslash.
fn escapes(after: &str, codes: &[String]) -> Option<usize> {
    let mut rest = after;
    for (index, code) in codes.iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix('\\')?.trim_start_matches('\\');
        }
        rest = starts_with(rest, code).then(|| &rest[code.len()..])?;
    }
    Some(after.len() - rest.len())
}

/// A character of a URL, perhaps escaped twice.
fn percent(rest: &str, character: char) -> Option<usize> {
    let mut utf8 = [0; 4];
    let mut left = rest;
    for byte in character.encode_utf8(&mut utf8).bytes() {
        left = left.strip_prefix('%')?;
        let digits = format!("{byte:02x}");
        let escapes = |text: &&str| text.starts_with("25") || starts_with(text, &digits);
        while let Some(again) = left.strip_prefix("25").filter(escapes) {
            left = again;
        }
        left = starts_with(left, &digits).then(|| &left[2..])?;
    }
    Some(rest.len() - left.len())
}

/// A character of HTML or XML.
fn entity(rest: &str, character: char) -> Option<usize> {
    let name = match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&apos;",
        _ => "",
    };
    let code = u32::from(character);
    let spellings = [name.to_owned(), format!("&#{code};"), format!("&#x{code:x};")];
    spellings.into_iter().find(|one| !one.is_empty() && starts_with(rest, one)).map(|one| one.len())
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

impl Redact for String {
    fn redact(&mut self, redactor: &Redactor) {
        if !redactor.secrets.is_empty() {
            *self = redactor.text(self);
        }
    }
}

impl<T: Redact> Redact for Option<T> {
    fn redact(&mut self, redactor: &Redactor) {
        if let Some(inner) = self {
            inner.redact(redactor);
        }
    }
}

impl<T: Redact> Redact for Vec<T> {
    fn redact(&mut self, redactor: &Redactor) {
        for item in self {
            item.redact(redactor);
        }
    }
}

impl Redact for Value {
    /// A number that spells a value is replaced by a text, and the names of fields are texts as well.
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::String(text) => text.redact(redactor),
            Self::Number(number) => {
                let shown = number.to_string();
                let redacted = redactor.text(&shown);
                if redacted != shown {
                    *self = Self::String(redacted);
                }
            }
            Self::Array(items) => items.redact(redactor),
            Self::Object(fields) => {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, mut value)| {
                    value.redact(redactor);
                    (redactor.text(&name), value)
                }));
            }
            Self::Null | Self::Bool(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SECRET: &str = "pä\"ss w\\rd/'4&2%x<😀";

    fn redacted(text: &str) -> String {
        Redactor::new([SECRET]).text(text)
    }

    #[test]
    fn a_value_is_found_in_every_spelling() {
        let json = json!(SECRET).to_string();
        let ascii = "p\\u00e4\\\"ss w\\\\rd\\/'4&2%x<\\ud83d\\ude00";
        let percent: String = SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for spelled in [
            SECRET.to_owned(),
            json.clone(),
            json!(json).to_string(),
            ascii.to_owned(),
            format!("{SECRET:?}"),
            format!("{}", SECRET.escape_unicode()),
            percent.clone(),
            percent.to_lowercase().replace('%', "%25"),
            "p%C3%A4%22ss+w%5Crd%2F'4%262%25x%3C%F0%9F%98%80".to_owned(),
            SECRET.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;").replace('\'', "&#39;"),
            crate::text::shell_quoted(SECRET),
            SECRET.bytes().map(|byte| format!("{byte:02x}")).collect(),
        ] {
            let text = redacted(&format!("before {spelled} after"));
            assert!(text.starts_with("before ") && text.ends_with(" after"), "{text}");
            assert!(text.contains(REDACTED) && text.len() < 34, "{spelled}: {text}");
        }
    }

    #[test]
    fn base64_is_found_wherever_the_value_begins() {
        let redactor = Redactor::new(["correct horse battery"]);
        for before in ["", "u", "us", "use", "user:"] {
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                let text = engine.encode(format!("{before}correct horse battery, and more"));
                let redacted = redactor.text(&text);
                assert!(redacted.contains(REDACTED), "{before}: {redacted}");
            }
        }
    }

    #[test]
    fn line_breaks_and_the_marks_of_a_diff_do_not_hide_a_value() {
        let redactor = Redactor::new(["correct-horse-battery"]);
        for text in [
            "correct-\nhorse-battery",
            "+correct-hor\n+se-battery",
            "  correct-h\r\n  orse-battery",
            "correct-hor\\nse-battery",
        ] {
            assert!(redactor.text(text).ends_with(REDACTED), "{}", redactor.text(text));
        }
        let key = Redactor::new(["-----BEGIN KEY-----\nMIIEvAIBADAN\nBgkqhkiG9w0B\n-----END KEY-----"]);
        assert_eq!(key.text("line 2: MIIEvAIBADAN, line 3"), "line 2: [redacted], line 3");
    }

    #[test]
    fn what_is_not_seen_does_not_hide_a_value() {
        let redactor = Redactor::new(["correct-horse"]);
        for text in [
            "corr\u{1b}[01;31m\u{1b}[Kect-h\u{1b}[m\u{1b}[Korse",
            "corr\u{0}ect\u{0}\u{0}-horse",
            "corr\\u001b[31mect\\u001b[0m-horse",
            "corr\\u{1b}[31mect\\u{0}-horse",
            "corr␛[31mect␀-horse",
            "corr\\u{200b}ect\\u00ad-horse",
            "cor\u{200b}rect\u{ad}-h\u{feff}orse",
            "correct\u{1b}]8;;http://x\u{7}-horse",
            "corr\u{1b}(Bect\u{9b}1m-\u{7}horse",
            "corr\rect-horse",
        ] {
            assert_eq!(redactor.text(&format!("a {text} b")), "a [redacted] b", "{text:?}");
        }
        // Neither a cut sequence nor one without an end is a reason to stop.
        for text in ["corr\u{1b}", "corr\u{1b}[", "corr\u{1b}]x", "corr\\u001b", "é\u{1b}é", "corr\u{1b}\u{e9}"] {
            assert_eq!(redactor.text(text), text);
        }
    }

    #[test]
    fn the_line_breaks_of_a_value_may_be_others_in_the_text() {
        for value in ["alph77\r\nbrav99", "alph77\nbrav99", "alph77\rbrav99", "alph77 \n\n  brav99\n"] {
            let redactor = Redactor::new([value]);
            for text in [
                "alph77\nbrav99",
                "alph77\r\nbrav99",
                "+alph77\n+brav99",
                "+alph77\\u{d}\n+brav99",
                "alph77%0D%0Abrav99",
                "alph77\\r\\nbrav99",
                "alph77 brav99",
            ] {
                let redacted = redactor.text(text);
                assert!(redacted.ends_with(REDACTED) && !redacted.contains("77"), "{value:?}: {redacted}");
            }
        }
    }

    #[test]
    fn a_value_that_was_cut_is_found_by_its_part() {
        let redactor = Redactor::new(["correct-horse-battery"]);
        assert_eq!(redactor.text("the text \"correct-hor\"… is long"), "the text \"[redacted]\"… is long");
        assert_eq!(
            redactor.text("correct-h\n… 20 bytes left out …\n-battery!"),
            "[redacted]\n… 20 bytes left out …\n[redacted]!"
        );
        assert_eq!(redactor.halves("a correct-hor", "battery b"), "a [redacted][redacted] b");
        assert_eq!(redactor.text("correct-hor is no secret, nor a battery"), "correct-hor is no secret, nor a battery");
    }

    #[test]
    fn short_values_and_other_text_stay() {
        let redactor = Redactor::new(["true", "", "  12  "]);
        assert_eq!(redactor.text("true or 12, \\ and \\u00e4"), "true or 12, \\ and \\u00e4");
    }

    #[test]
    fn values_names_and_numbers_of_json_are_redacted() {
        let mut value = json!({"k-12345678": [12_345_678, "a12345678b", null, 7]});
        value.redact(&Redactor::new(["12345678"]));
        assert_eq!(value, json!({"k-[redacted]": ["[redacted]", "a[redacted]b", null, 7]}));
    }
}
