//! Words of prose and parts of identifiers, brought to one form.

use std::cell::RefCell;
use std::collections::HashMap;

use rust_stemmers::{Algorithm, Stemmer};

/// Words so common that they say nothing.
const STOP_WORDS: [&str; 58] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "do", "does", "for", "from", "had", "has", "have",
    "how", "i", "if", "in", "into", "is", "it", "its", "no", "not", "of", "on", "or", "our", "should", "so", "such",
    "than", "that", "the", "their", "then", "there", "these", "they", "this", "to", "up", "was", "we", "were", "what",
    "when", "where", "which", "will", "with", "would", "you", "your", "also",
];

/// Words that commits begin with, as they are after stemming.
const NOISE: [&str; 26] = [
    "fix",
    "add",
    "feat",
    "featur",
    "chore",
    "refactor",
    "doc",
    "updat",
    "remov",
    "support",
    "use",
    "make",
    "allow",
    "improv",
    "chang",
    "test",
    "bug",
    "issu",
    "implement",
    "introduc",
    "ensur",
    "handl",
    "move",
    "renam",
    "avoid",
    "bump",
];

/// Whether a term says little about the place.
pub(super) fn is_noise(term: &str) -> bool {
    NOISE.contains(&term)
}

/// Calls `out` with every term of a text: the stemmed words, the stemmed parts of identifiers, and identifiers as a whole.
pub(super) fn terms(text: &str, out: &mut impl FnMut(&str)) {
    let mut parts: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()) {
        // A word of this length is data, not language.
        if word.len() > 200 {
            continue;
        }
        parts.clear();
        split_identifier(word, &mut parts);
        for part in &parts {
            if part.chars().count() > 1 && !STOP_WORDS.contains(&part.as_str()) {
                stemmed(part, out);
            }
        }
        if parts.len() > 1 {
            out(&parts.concat());
        }
    }
}

/// `parseHTTPRequest2`, `parse_http_request_2` → parse, http, request, 2.
fn split_identifier(word: &str, parts: &mut Vec<String>) {
    let characters: Vec<char> = word.chars().collect();
    let mut part = String::new();
    for (index, character) in characters.iter().enumerate() {
        let previous = index.checked_sub(1).map(|at| characters[at]);
        let next = characters.get(index + 1);
        let begins = match previous {
            Some(previous) => {
                (character.is_uppercase() && !previous.is_uppercase())
                    || (character.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
                    || (character.is_numeric() != previous.is_numeric())
            }
            None => false,
        };
        if (begins || *character == '_') && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if *character != '_' {
            part.extend(character.to_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
}

/// Stemming is the most expensive step, so each thread remembers what it has stemmed.
fn stemmed(word: &str, out: &mut impl FnMut(&str)) {
    const REMEMBERED: usize = 100_000;
    thread_local! {
        static STEMS: RefCell<(Stemmer, HashMap<String, String>)> = RefCell::new((Stemmer::create(Algorithm::English), HashMap::new()));
    }
    STEMS.with(|stems| {
        let (stemmer, known) = &mut *stems.borrow_mut();
        if let Some(stem) = known.get(word) {
            out(stem);
            return;
        }
        let stem = stemmer.stem(word).into_owned();
        out(&stem);
        if known.len() < REMEMBERED {
            known.insert(word.to_owned(), stem);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        terms(text, &mut |term| found.push(term.to_owned()));
        found
    }

    #[test]
    fn identifiers_fall_into_parts_and_stay_whole_too() {
        assert_eq!(all("parseHTTPRequest2"), ["pars", "http", "request", "parsehttprequest2"]);
        assert_eq!(all("handle_spec_auto"), ["handl", "spec", "auto", "handlespecauto"]);
    }

    #[test]
    fn prose_is_stemmed_and_common_words_go() {
        assert_eq!(all("The files are being copied"), ["file", "be", "copi"]);
        assert_eq!(all("Größenänderung"), ["größenänderung"]);
    }
}
