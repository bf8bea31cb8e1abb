//! What `init` found in a directory, and what a kind writes for it. Each kind's part is its `starter.rs`.

/// What a directory holds, as far as it matters for a first configuration.
#[derive(Debug, Clone, Default)]
pub struct Survey {
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
    /// Other tools that write results, found by what configures them.
    pub tools: Vec<ResultTool>,
    /// Files in formats that suites read.
    pub data: FoundData,
    /// Results of other tools.
    pub results: Vec<ForeignResults>,
    /// A workflow that uses the action already.
    pub workflow: Option<String>,
    /// The repository, if it is one.
    pub repository: Option<SurveyedRepository>,
}

impl Survey {
    /// The language of the sample project: that of a manifest, if its tools are here to test it.
    pub fn language(&self) -> Option<Language> {
        self.manifests.iter().map(|(_, language)| *language).find(|language| self.installed.contains(language))
    }
}

/// A language with a sample project of its own, or with source that the built-in engine can cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// JavaScript and TypeScript.
    Node,
    Python,
    Rust,
    Go,
}

impl Language {
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

/// Another tool that writes results which can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultTool {
    pub name: &'static str,
    /// The file that tells of it.
    pub found: String,
    /// Where it is to write its results.
    pub results: &'static str,
    /// The command that writes them.
    pub command: String,
    /// Whether it asks models.
    pub varies: bool,
}

/// Files in formats that suites read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundData {
    /// Patterns of scenarios.
    pub scenarios: Vec<String>,
    /// Datasets of commands.
    pub commands: Vec<String>,
    /// Lists of retrieval cases.
    pub retrieval: Vec<String>,
    /// Runs of TREC.
    pub trec_runs: Vec<String>,
    /// Modules with a scorer, reviewed answers and recorded ones.
    pub golden: Vec<String>,
}

/// Texts as a list of TOML.
pub fn toml_list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|one| toml_string(one)).collect::<Vec<_>>().join(", "))
}

/// Results that another tool wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignResults {
    pub path: String,
    /// The share of the measured cases that pass.
    pub pass_rate: f64,
    /// How many cases could not be measured because of an error.
    pub errors: usize,
}

/// What git says about the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurveyedRepository {
    /// The default branch.
    pub branch: String,
    /// The directory within the repository, with a final `/`; empty at its root.
    pub prefix: String,
    /// Whether what runs write is ignored already.
    pub ignores_results: bool,
}

/// A first suite: its section of the configuration, and the files that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    pub section: String,
    pub files: Vec<NewFile>,
}

/// A file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Relative to the directory of the configuration, with `/`; `..` leads to the root of the repository.
    pub path: String,
    pub text: String,
    pub placement: Placement,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// As a new file; one that is there is kept.
    New,
    /// At the end of what is there.
    Appended,
}

impl NewFile {
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), placement: Placement::New }
    }
}

/// A text as TOML has it.
pub fn toml_string(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A value between 0 and 1 as a floor that it holds: cut after two digits, never rounded up.
pub(super) fn floor(value: f64) -> String {
    // 0.29 is a little less than 29 hundredths in binary.
    format!("{:.2}", (value * 100.0 + 1e-9).floor() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::floor;

    #[test]
    fn a_floor_is_never_above_what_was_measured() {
        for (value, expected) in [(1.0, "1.00"), (0.999, "0.99"), (0.29, "0.29"), (2.0 / 3.0, "0.66"), (0.0, "0.00")] {
            assert_eq!(floor(value), expected);
            let read: f64 = floor(value).parse().unwrap();
            assert!(read <= value, "{read} {value}");
        }
    }
}
