//! What was found in a directory, and which kinds of suite fit it.

use std::collections::BTreeSet;

use crate::suites::Kind;
use crate::suites::starter::{Language, Survey};

/// A kind of suite, whether it fits, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    pub kind: Kind,
    /// Whether it is proposed.
    pub proposed: bool,
    /// What it is about, and what was found for it.
    pub about: String,
}

/// Every kind, with what was found for it. Where nothing was found at all, samples of those that need nothing are
/// proposed.
pub fn offers(survey: &Survey) -> Vec<Offer> {
    let found: Vec<(Kind, Option<String>)> = Kind::ALL.iter().map(|kind| (*kind, kind.found_in(survey))).collect();
    let nothing = found.iter().all(|(_, found)| found.is_none());
    let offer = |(kind, found): (Kind, Option<String>)| Offer {
        kind,
        proposed: found.is_some() || (nothing && kind.has_a_sample()),
        about: format!("{} ({})", kind.about(), found.unwrap_or_else(|| "a sample".to_owned())),
    };
    found.into_iter().map(offer).collect()
}

/// The language that a file at the top of a project tells of.
pub fn language_of(path: &str) -> Option<Language> {
    Some(match path {
        "package.json" => Language::Node,
        "pyproject.toml" | "setup.py" | "requirements.txt" => Language::Python,
        "Cargo.toml" => Language::Rust,
        "go.mod" => Language::Go,
        _ => return None,
    })
}

/// Folders that hold no source of one's own, or only tests and samples.
const NOT_SOURCE: [&str; 22] = [
    "benches",
    "build",
    "dist",
    "docs",
    "evals",
    "examples",
    "fixtures",
    "node_modules",
    "out",
    "site-packages",
    "spec",
    "target",
    "test",
    "testdata",
    "tests",
    "third_party",
    "tools",
    "vendor",
    "venv",
    "env",
    "migrations",
    "scripts",
];
/// Folders whose Markdown people look things up in.
const NOTES: [&str; 9] = ["adr", "decisions", "doc", "docs", "knowledge", "memories", "memory", "notes", "wiki"];
const EXTENSIONS: [&str; 10] = ["rs", "py", "ts", "mts", "tsx", "js", "mjs", "cjs", "jsx", "go"];

/// Patterns that match the source among these files, by folder.
pub fn code_patterns(paths: &[String]) -> Vec<String> {
    let pattern = |path: &String| {
        let extension = path.rsplit_once('.').map(|(_, extension)| extension).filter(|one| EXTENSIONS.contains(one))?;
        match path.split_once('/') {
            Some((folder, _)) if NOT_SOURCE.contains(&folder) || !is_plain(folder) => None,
            Some((folder, _)) => Some(format!("{folder}/**/*.{extension}")),
            // Settings of tools stand there as well, but so do the modules of small projects.
            None => Some(format!("*.{extension}")),
        }
    };
    paths.iter().filter_map(pattern).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Patterns that match the notes among these files.
pub fn note_patterns(paths: &[String]) -> Vec<String> {
    let pattern = |path: &String| {
        let (folder, rest) = path.split_once('/')?;
        (NOTES.contains(&folder) && rest.ends_with(".md")).then(|| format!("{folder}/**/*.md"))
    };
    paths.iter().filter_map(pattern).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a name means itself in a pattern.
fn is_plain(name: &str) -> bool {
    !name.contains(['*', '?', '[', ']', '{', '}', '\\', '!'])
}

/// The files that look like prompts.
pub fn prompts_among(paths: &[String]) -> Vec<String> {
    let is_prompt = |path: &&String| {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let text = ["md", "txt", "j2", "jinja", "jinja2", "prompt", "yaml", "yml"];
        let is_text = name.rsplit_once('.').is_some_and(|(_, extension)| text.contains(&extension));
        let named = name.contains("prompt") || folders.split('/').any(|folder| folder == "prompts");
        is_text && named && !path.starts_with("evals/")
    };
    paths.iter().filter(is_prompt).cloned().collect()
}

/// Whether a file may hold results of another tool, by its name.
pub fn may_be_results(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let readable = [".xml", ".json", ".jsonl", ".ndjson"].iter().any(|ending| name.ends_with(ending));
    let named = ["junit", "promptfoo", "result", "report", "test-"].iter().any(|word| name.contains(word));
    readable && named
}

/// A library for asking models that a manifest names.
pub fn sdk_in(manifest: &str) -> Option<&'static str> {
    const KNOWN: [&str; 12] = [
        "anthropic",
        "async-openai",
        "cohere",
        "genai",
        "langchain",
        "litellm",
        "llama-index",
        "mistralai",
        "ollama",
        "openai",
        "rig-core",
        "transformers",
    ];
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let words: BTreeSet<&str> = manifest.split(|c| !is_word(c)).collect();
    KNOWN.into_iter().find(|name| words.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::starter::ForeignResults;

    fn paths(all: &[&str]) -> Vec<String> {
        all.iter().map(|path| (*path).to_owned()).collect()
    }

    fn proposed(survey: &Survey) -> Vec<Kind> {
        offers(survey).into_iter().filter(|offer| offer.proposed).map(|offer| offer.kind).collect()
    }

    #[test]
    fn source_is_found_by_folder_and_tests_and_vendored_code_are_not_source() {
        let all =
            paths(&["src/a.rs", "src/deep/b.rs", "tests/c.rs", "vendor/d.rs", "setup.py", "web/app.ts", "README.md"]);
        assert_eq!(code_patterns(&all), ["*.py", "src/**/*.rs", "web/**/*.ts"]);
        assert_eq!(note_patterns(&paths(&["docs/a.md", "README.md", "src/x.md"])), ["docs/**/*.md"]);
    }

    #[test]
    fn prompts_results_and_libraries_are_recognised_by_their_names() {
        assert_eq!(prompts_among(&paths(&["prompts/a.txt", "src/prompt.md", "src/prompt.rs"])).len(), 2);
        assert!(may_be_results("out/junit.xml") && may_be_results("results.json") && !may_be_results("package.json"));
        assert_eq!(sdk_in(r#"{"dependencies": {"openai": "^4"}}"#), Some("openai"));
        assert_eq!(sdk_in(r#"{"name": "openai-like"}"#), None);
    }

    #[test]
    fn kinds_that_fit_are_proposed_and_samples_in_an_empty_directory() {
        assert_eq!(proposed(&Survey::default()), [Kind::Scenario, Kind::Command, Kind::Golden, Kind::Retrieval]);
        let manifests = vec![("package.json".to_owned(), Language::Node)];
        let node = Survey { manifests, ..Survey::default() };
        assert_eq!(proposed(&node), [Kind::Scenario]);
        let code = (vec!["src/**/*.js".to_owned()], Vec::new());
        let results = vec![ForeignResults { path: "junit.xml".into(), pass_rate: 1.0, errors: 0 }];
        let more = Survey { code, results, ..node };
        assert_eq!(proposed(&more), [Kind::Scenario, Kind::Retrieval, Kind::Imported]);
    }

    #[test]
    fn a_language_whose_tools_are_missing_gets_no_project_of_its_own() {
        let manifests = vec![("go.mod".to_owned(), Language::Go), ("Cargo.toml".to_owned(), Language::Rust)];
        let mut look = Survey { manifests, ..Survey::default() };
        assert_eq!(look.language(), None);
        look.installed = vec![Language::Rust];
        assert_eq!(look.language(), Some(Language::Rust));
    }
}
