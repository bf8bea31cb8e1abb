//! What was found in a directory, and which kinds of suite fit it.

use std::collections::BTreeSet;

use crate::suites::Kind;

/// A language with a sample project of its own, or with source that the built-in engine can cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// JavaScript and TypeScript.
    Node,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// Go.
    Go,
}

impl Language {
    /// How people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Node => "Node",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::Go => "Go",
        }
    }

    /// The program that must be there to test a sample project; none if there is no sample project.
    pub const fn tool(self) -> Option<&'static str> {
        match self {
            Self::Node => Some("npm"),
            Self::Python => Some("python3"),
            Self::Rust => Some("cargo"),
            Self::Go => None,
        }
    }
}

/// What a directory holds, as far as it matters for a first configuration.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// Manifests, with their language.
    pub manifests: Vec<(String, Language)>,
    /// The languages whose tools are installed.
    pub installed: Vec<Language>,
    /// Patterns of source, and the files that they match: path and text.
    pub code: (Vec<String>, Vec<(String, String)>),
    /// Patterns of notes in Markdown, and the files that they match: path and text.
    pub notes: (Vec<String>, Vec<(String, String)>),
    /// Files that look like prompts.
    pub prompts: Vec<String>,
    /// A library that asks models, and the manifest that names it.
    pub sdk: Option<(String, String)>,
    /// Results of other tools.
    pub results: Vec<Results>,
    /// A workflow that uses the action already.
    pub workflow: Option<String>,
    /// The repository, if it is one.
    pub repository: Option<Repository>,
}

/// Results that another tool wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    /// The file.
    pub path: String,
    /// The share of the measured ones that pass.
    pub pass_rate: f64,
    /// How many could not be had.
    pub errors: usize,
}

/// What git says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The default branch.
    pub branch: String,
    /// The directory within the repository, with a final `/`; empty at its root.
    pub prefix: String,
    /// Whether what runs write is ignored already.
    pub ignores_results: bool,
}

/// A kind of suite, whether it fits, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The kind.
    pub kind: Kind,
    /// Whether it is proposed.
    pub proposed: bool,
    /// What it is about, and what was found for it.
    pub about: String,
}

impl Look {
    /// Every kind, with what was found for it. Where nothing was found at all, samples of the four that need nothing are
    /// proposed.
    pub fn offers(&self) -> Vec<Offer> {
        let found: Vec<(Kind, Option<String>)> =
            Kind::ALL.iter().copied().map(|kind| (kind, self.found_for(kind))).collect();
        let nothing = found.iter().all(|(_, found)| found.is_none());
        found
            .into_iter()
            .map(|(kind, found)| Offer {
                kind,
                proposed: found.is_some() || (nothing && kind != Kind::Imported),
                about: format!("{} ({})", about(kind), found.unwrap_or_else(|| "a sample".to_owned())),
            })
            .collect()
    }

    fn found_for(&self, kind: Kind) -> Option<String> {
        let first = |of: &[String]| of.first().cloned();
        match kind {
            Kind::Scenario => self.manifests.first().map(|(path, _)| path.clone()),
            // Nothing in a repository tells that a program answers with shell commands.
            Kind::Command => None,
            Kind::Golden => {
                let sdk = self.sdk.as_ref().map(|(name, manifest)| format!("{name} in {manifest}"));
                first(&self.prompts).or(sdk)
            }
            Kind::Retrieval => first(&self.code.0).or_else(|| first(&self.notes.0)),
            Kind::Imported => self.results.first().map(|results| results.path.clone()),
        }
    }

    /// The language of the sample project: that of a manifest, if its tools are here to test it.
    pub fn language(&self) -> Option<Language> {
        self.manifests.iter().map(|(_, language)| *language).find(|language| self.installed.contains(language))
    }
}

const fn about(kind: Kind) -> &'static str {
    match kind {
        Kind::Scenario => "edits of a small project: do its tests pass, and did only the right lines change?",
        Kind::Command => "a program that answers with shell commands: are they right?",
        Kind::Golden => "structured output of a model or program: how near is it to a reviewed answer?",
        Kind::Retrieval => "search in source or notes: is the right thing among the first results?",
        Kind::Imported => "results of another tool, such as promptfoo's or JUnit's",
    }
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

    fn paths(all: &[&str]) -> Vec<String> {
        all.iter().map(|path| (*path).to_owned()).collect()
    }

    fn proposed(look: &Look) -> Vec<Kind> {
        look.offers().into_iter().filter(|offer| offer.proposed).map(|offer| offer.kind).collect()
    }

    #[test]
    fn source_is_found_by_folder_and_tests_and_vendored_code_are_not_source() {
        let all =
            paths(&["src/a.rs", "src/deep/b.rs", "tests/c.rs", "vendor/d.rs", "setup.py", "web/app.ts", "README.md"]);
        assert_eq!(code_patterns(&all), ["*.py", "src/**/*.rs", "web/**/*.ts"]);
        assert_eq!(note_patterns(&paths(&["docs/a.md", "README.md", "src/x.md"])), ["docs/**/*.md"]);
    }

    #[test]
    fn prompts_results_and_libraries_are_told_by_their_names() {
        assert_eq!(prompts_among(&paths(&["prompts/a.txt", "src/prompt.md", "src/prompt.rs"])).len(), 2);
        assert!(may_be_results("out/junit.xml") && may_be_results("results.json") && !may_be_results("package.json"));
        assert_eq!(sdk_in(r#"{"dependencies": {"openai": "^4"}}"#), Some("openai"));
        assert_eq!(sdk_in(r#"{"name": "openai-like"}"#), None);
    }

    #[test]
    fn what_is_found_is_proposed_and_in_an_empty_directory_all_that_needs_nothing() {
        assert_eq!(proposed(&Look::default()), [Kind::Scenario, Kind::Command, Kind::Golden, Kind::Retrieval]);
        let manifests = vec![("package.json".to_owned(), Language::Node)];
        let node = Look { manifests, ..Look::default() };
        assert_eq!(proposed(&node), [Kind::Scenario]);
        let code = (vec!["src/**/*.js".to_owned()], Vec::new());
        let results = vec![Results { path: "junit.xml".into(), pass_rate: 1.0, errors: 0 }];
        let more = Look { code, results, ..node };
        assert_eq!(proposed(&more), [Kind::Scenario, Kind::Retrieval, Kind::Imported]);
    }

    #[test]
    fn a_language_whose_tools_are_missing_gets_no_project_of_its_own() {
        let manifests = vec![("go.mod".to_owned(), Language::Go), ("Cargo.toml".to_owned(), Language::Rust)];
        let mut look = Look { manifests, ..Look::default() };
        assert_eq!(look.language(), None);
        look.installed = vec![Language::Rust];
        assert_eq!(look.language(), Some(Language::Rust));
    }
}
