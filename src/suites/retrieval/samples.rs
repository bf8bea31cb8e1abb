//! First cases of a retrieval suite: public symbols and notes that the built-in engine finds by what is written of them.

use std::collections::BTreeSet;

use serde_json::json;

use crate::model::Lane;
use crate::suites::starter::Survey;
use crate::targets::index::{CodeUnit, Index, Memory, UnitKind, cut, parse_memories};

/// How many results are surveyed at; in a small project more would hold nearly everything.
pub(super) const K: usize = 5;
/// How many symbols become cases, and how many notes.
const SYMBOLS: usize = 3;
const NOTES: usize = 2;
/// Names that say nothing, or stand everywhere.
const COMMON: [&str; 12] =
    ["main", "new", "default", "from", "fmt", "init", "setup", "index", "get", "set", "run", "test"];

/// Folders that are surveyed at before all others.
const MAIN_FOLDERS: [&str; 5] = ["src/", "lib/", "app/", "pkg/", "packages/"];

/// A question that the built-in engine answers rightly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) id: String,
    description: String,
    lane: Lane,
    query: String,
    expected: String,
}

/// Questions about the source and the notes that were found. Every one was asked, and its answer is among the first.
pub(super) fn samples(survey: &Survey) -> Vec<Sample> {
    let units: Vec<Vec<CodeUnit>> = survey.code.1.iter().map(|(path, text)| cut(path, text)).collect();
    let memories: Vec<Memory> =
        survey.notes.1.iter().filter_map(|(path, text)| parse_memories(path, text).ok()).flatten().collect();
    let index = Index::of_units(units.clone(), &memories);
    let is_found =
        |sample: &Sample| index.search(sample.lane, &sample.query, K).iter().any(|(id, _)| *id == sample.expected);
    let mut symbols = of_code(&survey.code.1, &units);
    symbols.retain(&is_found);
    let mut notes: Vec<Sample> = memories.iter().filter_map(of_note).filter(is_found).collect();
    notes.truncate(NOTES);
    let mut all = spread(symbols);
    all.extend(notes);
    let mut taken = BTreeSet::new();
    for sample in &mut all {
        let wanted = sample.id.clone();
        let mut number = 2;
        while !taken.insert(sample.id.clone()) {
            sample.id = format!("{wanted}-{number}");
            number += 1;
        }
    }
    all
}

pub(super) fn as_json(samples: &[Sample]) -> String {
    let cases: Vec<_> = samples
        .iter()
        .map(|Sample { id, description, lane, query, expected }| {
            json!({
                "id": id, "description": description, "lane": lane, "spec_id": "sample", "spec_content": query,
                "expected_ids": [expected], "tags": [id]
            })
        })
        .collect();
    format!("{:#}\n", json!(cases))
}

impl Sample {
    pub(super) const fn lane(&self) -> Lane {
        self.lane
    }
}

/// The first few, from as many files as there are.
fn spread(samples: Vec<Sample>) -> Vec<Sample> {
    let file = |sample: &Sample| sample.expected.split("::").next().unwrap_or_default().to_owned();
    let mut files = BTreeSet::new();
    let (mut chosen, others): (Vec<Sample>, Vec<Sample>) =
        samples.into_iter().partition(|sample| files.insert(file(sample)));
    chosen.extend(others);
    chosen.truncate(SYMBOLS);
    chosen
}

/// A question for each public symbol; those that something is written about come first.
fn of_code(sources: &[(String, String)], units: &[Vec<CodeUnit>]) -> Vec<Sample> {
    let mut found: Vec<((bool, bool), Sample)> = Vec::new();
    for ((_, source), units) in sources.iter().zip(units) {
        for unit in units.iter().filter(|unit| is_public(unit, source)) {
            let name = unit.symbol.rsplit("::").next().unwrap_or(&unit.symbol);
            // Comments of one line each end with a newline of their own.
            let comment = unit.doc.replace("\n\n", "\n");
            let written = sentence(&comment).or_else(|| docstring(unit).and_then(|text| sentence(&text)));
            let documented = written.is_some();
            let by = if documented { "what is written about it" } else { "its name" };
            let Some(query) = written.or_else(|| words(name)) else { continue };
            let sample = Sample {
                id: slug("code", &unit.symbol),
                description: format!("{by} should find {}", unit.symbol),
                lane: Lane::Code,
                query,
                expected: unit.id.clone(),
            };
            // What a project is about stands mostly there.
            let aside = !MAIN_FOLDERS.iter().any(|folder| unit.path.starts_with(folder));
            found.push(((!documented, aside), sample));
        }
    }
    found.sort_by_key(|(order, _)| *order);
    // What is written about two of them tells neither from the other.
    let queries: Vec<String> = found.iter().map(|(_, sample)| sample.query.clone()).collect();
    found.retain(|(_, sample)| queries.iter().filter(|query| **query == sample.query).count() == 1);
    found.into_iter().map(|(_, sample)| sample).collect()
}

/// Whether others may use it, as far as its text tells.
fn is_public(unit: &CodeUnit, source: &str) -> bool {
    let name = unit.symbol.rsplit("::").next().unwrap_or(&unit.symbol);
    let worthwhile = match unit.kind {
        UnitKind::Function | UnitKind::Type => !unit.is_test && !unit.id.contains('#'),
        UnitKind::Module | UnitKind::Constant | UnitKind::File => false,
    };
    if !worthwhile || name.len() < 3 || COMMON.contains(&name.to_lowercase().as_str()) {
        return false;
    }
    match unit.path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("rs") => unit.body.starts_with("pub "),
        Some("py") => unit.symbol.split("::").all(|part| !part.starts_with('_')),
        Some("go") => unit.symbol.split("::").all(|part| part.starts_with(char::is_uppercase)),
        Some(_) | None => !unit.symbol.contains("::") && exports(source, name),
    }
}

/// Whether a script exports a name, in one line or in a list.
fn exports(source: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut in_list = false;
    source.lines().any(|line| {
        let begins = line.contains("export");
        in_list = (begins && line.contains('{') || in_list) && !line.contains('}');
        (begins || in_list) && line.split(|c| !is_name(c)).any(|word| word == name)
    })
}

/// The text that a Python function or class begins with.
fn docstring(unit: &CodeUnit) -> Option<String> {
    let quotes = ["\"\"\"", "'''"];
    let mut lines = unit.body.lines().skip(1).skip_while(|line| !quotes.iter().any(|one| line.trim().starts_with(one)));
    let first = lines.next().filter(|_| unit.path.ends_with(".py"))?.trim();
    let (quote, text) = quotes.iter().find_map(|quote| Some((*quote, first.strip_prefix(quote)?)))?;
    if let Some((text, _)) = text.split_once(quote) {
        return Some(text.to_owned());
    }
    let rest = lines.take_while(|line| !line.contains(quote));
    Some(std::iter::once(text).chain(rest).collect::<Vec<_>>().join("\n"))
}

/// The first sentence of a comment, if it says something.
fn sentence(comment: &str) -> Option<String> {
    let mut said = Vec::new();
    for line in comment.lines() {
        let line = line.trim().trim_start_matches(['/', '*', '!', '#']).trim_end_matches("*/").trim();
        // An empty line ends a paragraph; what follows an `@` is for tools.
        if line.is_empty() && !said.is_empty() || line.starts_with(['@', ':', '`']) {
            break;
        }
        said.extend(line.split_whitespace());
    }
    let end = said.iter().position(|word| word.ends_with(['.', ':', '?'])).map_or(said.len(), |index| index + 1);
    let sentence = said[..end.min(25)].join(" ");
    let for_tools = ["eslint", "prettier", "noqa", "copyright", "spdx", "type:", "todo", "pylint"];
    let foreign = for_tools.iter().any(|word| sentence.to_lowercase().contains(word));
    (sentence.split(' ').count() >= 3 && !foreign).then_some(sentence)
}

/// `parse_shard` and `parseShard` as people say it.
fn words(name: &str) -> Option<String> {
    let mut text = String::new();
    let mut before = ' ';
    for c in name.chars() {
        if c == '_' || c == '$' {
            text.push(' ');
        } else {
            if c.is_uppercase() && before.is_lowercase() {
                text.push(' ');
            }
            text.extend(c.to_lowercase());
        }
        before = c;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// A question for a note: its title.
fn of_note(memory: &Memory) -> Option<Sample> {
    let title = memory.text.lines().find_map(|line| line.strip_prefix("# "))?.trim();
    let name = memory.id.strip_prefix("memory:").unwrap_or(&memory.id);
    (!title.is_empty()).then(|| Sample {
        id: slug("memory", name),
        description: format!("its title should find {name}"),
        lane: Lane::Memory,
        query: title.to_owned(),
        expected: memory.id.clone(),
    })
}

fn slug(lane: &str, name: &str) -> String {
    let mut slug = lane.to_owned();
    for part in name.to_lowercase().split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        slug.push('-');
        slug.push_str(part);
    }
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(path: &str, text: &str) -> Survey {
        Survey { code: (Vec::new(), vec![(path.to_owned(), text.to_owned())]), ..Survey::default() }
    }

    fn asked(survey: &Survey) -> Vec<(String, String)> {
        samples(survey).into_iter().map(|sample| (sample.expected, sample.query)).collect()
    }

    #[test]
    fn public_symbols_are_asked_for_by_what_is_written_about_them_else_by_name() {
        let rust =
            "/// Refuses what got worse. And more.\npub fn judge() {}\nfn hidden() {}\npub fn parse_shard() {}\n";
        let pair = |id: &str, query: &str| (id.to_owned(), query.to_owned());
        assert_eq!(
            asked(&survey("src/a.rs", rust)),
            [
                pair("code:src/a.rs::judge", "Refuses what got worse."),
                pair("code:src/a.rs::parse_shard", "parse shard")
            ]
        );
        let python =
            "def total(items):\n    \"\"\"Adds up the prices of a cart.\"\"\"\n    return 1\n\ndef _own(): pass\n";
        assert_eq!(asked(&survey("cart.py", python)), [pair("code:cart.py::total", "Adds up the prices of a cart.")]);
        let script =
            "/**\n * Splits a bill evenly.\n * @param x\n */\nexport function splitBill(x) {}\nfunction inner() {}\n";
        assert_eq!(asked(&survey("src/a.ts", script)), [pair("code:src/a.ts::splitBill", "Splits a bill evenly.")]);
        let go = "package p\n\n// Merge joins two shards of a run.\nfunc Merge() {}\nfunc own() {}\n";
        assert_eq!(asked(&survey("p.go", go)), [pair("code:p.go::Merge", "Merge joins two shards of a run.")]);
    }

    #[test]
    fn a_sentence_goes_on_over_lines_and_exports_may_be_a_list() {
        let rust = "/// Joins the shards\n/// of a run. Then judges.\n///\n/// More.\npub fn merge() {}\n";
        assert_eq!(asked(&survey("src/a.rs", rust))[0].1, "Joins the shards of a run.");
        let script = "const parse = (text) => text;\nconst own = () => 1;\nmodule.exports = {\n  parse,\n};\nown();\n";
        assert_eq!(asked(&survey("a.js", script)), [("code:a.js::parse".to_owned(), "parse".to_owned())]);
        let twice = "/// Says it all at once.\npub fn first() {}\n/// Says it all at once.\npub fn second() {}\n";
        assert_eq!(asked(&survey("a.rs", twice)), []);
    }

    #[test]
    fn at_most_three_symbols_from_as_many_files_as_there_are_always_the_same() {
        let file = |name: &str| {
            let text = format!(
                "/// Does {name} for one.\npub fn {name}_one() {{}}\n/// Does {name} for two.\npub fn {name}_two() {{}}\n"
            );
            (format!("src/{name}.rs"), text)
        };
        let survey = Survey { code: (Vec::new(), ["alpha", "beta"].map(file).to_vec()), ..Survey::default() };
        let ids = |survey: &Survey| -> Vec<String> { samples(survey).into_iter().map(|sample| sample.id).collect() };
        assert_eq!(ids(&survey), ["code-alpha-one", "code-beta-one", "code-alpha-two"]);
        assert_eq!(samples(&survey), samples(&survey));
        let mut aside = survey.clone();
        aside.code.1[0].0 = "bin/alpha.rs".into();
        assert_eq!(ids(&aside), ["code-beta-one", "code-alpha-one", "code-beta-two"]);
    }

    #[test]
    fn notes_are_asked_for_by_their_title_and_tests_and_licences_are_no_questions() {
        let notes = vec![("docs/exit.md".to_owned(), "# Exit codes\n\nText.\n".to_owned())];
        let survey =
            Survey { notes: (Vec::new(), notes), ..survey("tests/a.rs", "/// Is a test of it.\npub fn checks() {}\n") };
        assert_eq!(asked(&survey), [("memory:docs/exit".to_owned(), "Exit codes".to_owned())]);
        assert_eq!(sentence("// Copyright of somebody or other"), None);
        assert_eq!(sentence("// eslint-disable-next-line no-console"), None);
    }
}
