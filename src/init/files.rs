//! The files of a first configuration.

use super::samples::{self, Sample};
use super::workflows::workflows;
use super::{Language, Look, floor};
use crate::model::Lane;
use crate::suites::Kind;

/// A file that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Relative to the directory of the configuration, with `/`; `..` leads to the root of the repository.
    pub path: String,
    /// What stands in it.
    pub text: String,
    /// How it is written.
    pub written: Written,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// As a new file; one that is there is kept.
    New,
    /// At the end of what is there.
    Appended,
}

impl NewFile {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into(), written: Written::New }
    }
}

const HEADER: &str = "# The evaluations of this repository. `evalratchet run` runs them and judges what they measured;
# `evalratchet check` finds every mistake in this file and in the cases. Floors (`min`) are what was measured when this
# file was written: raise them as things get better.
";

/// Everything that is written for these kinds, the configuration first.
pub fn files(look: &Look, kinds: &[Kind]) -> Vec<NewFile> {
    let mut config = HEADER.to_owned();
    if let Some(repository) = look.repository.as_ref().filter(|repository| repository.branch != "main") {
        config.push_str(&format!("\n[baseline]\nref = {}\n", quoted(&repository.branch)));
    }
    let mut of_suites = Vec::new();
    for kind in Kind::ALL.iter().filter(|kind| kinds.contains(kind)) {
        let (section, files) = match kind {
            Kind::Scenario => scenario(look.language()),
            Kind::Command => command(),
            Kind::Golden => golden(),
            Kind::Retrieval => retrieval(look),
            Kind::Imported => imported(look),
        };
        config.push_str(&section);
        of_suites.extend(files);
    }
    let mut all = vec![NewFile::new(crate::settings::CONFIG_NAME, config)];
    all.extend(of_suites);
    all.extend(workflows(look));
    if look.repository.as_ref().is_some_and(|repository| !repository.ignores_results) {
        let text = "evalratchet-out/\n".to_owned();
        all.push(NewFile { path: ".gitignore".into(), text, written: Written::Appended });
    }
    all
}

/// A section of the configuration, and the files that it speaks of.
type Part = (String, Vec<NewFile>);

macro_rules! template {
    ($name:literal) => {
        include_str!(concat!("templates/", $name))
    };
}

/// A project in the repository's own language, where that can be tested without installing anything; else in shell.
fn scenario(language: Option<Language>) -> Part {
    let (adapter, scenario, fixture): (&str, &str, &[(&str, &str)]) = match language {
        Some(Language::Node) => (
            "",
            template!("scenario/node/scenario.json"),
            &[
                ("package.json", template!("scenario/node/package.json")),
                ("greet.mjs", template!("scenario/node/greet.mjs")),
                ("check.mjs", template!("scenario/node/check.mjs")),
            ],
        ),
        Some(Language::Python) => (
            template!("scenario/python/adapter.toml"),
            template!("scenario/python/scenario.json"),
            &[("greet.py", template!("scenario/python/greet.py")), ("check.py", template!("scenario/python/check.py"))],
        ),
        Some(Language::Rust) => (
            "",
            template!("scenario/rust/scenario.json"),
            &[
                // A manifest of its own name would keep its folder out of the published package.
                ("Cargo.toml", template!("scenario/rust/Cargo.toml.txt")),
                ("src/lib.rs", template!("scenario/rust/lib.rs.txt")),
            ],
        ),
        Some(Language::Go) | None => (
            template!("scenario/shell/adapter.toml"),
            template!("scenario/shell/scenario.json"),
            &[("greet.sh", template!("scenario/shell/greet.sh")), ("check.sh", template!("scenario/shell/check.sh"))],
        ),
    };
    let mut files = vec![NewFile::new("evals/scenarios/greet-the-world.json", scenario)];
    files.extend(fixture.iter().map(|(name, text)| NewFile::new(format!("evals/fixtures/greeter/{name}"), *text)));
    (format!("{}{adapter}", template!("scenario/suite.toml")), files)
}

fn command() -> Part {
    let files = [("cases.json", template!("command/cases.json")), ("answer.sh", template!("command/answer.sh"))];
    let files = files.map(|(name, text)| NewFile::new(format!("evals/commands/{name}"), text));
    (template!("command/suite.toml").to_owned(), files.into())
}

fn golden() -> Part {
    let files = [
        ("cases.json", template!("golden/cases.json")),
        ("golden.json", template!("golden/golden.json")),
        ("scorer.toml", template!("golden/scorer.toml")),
        ("prompt.md", template!("golden/prompt.md")),
        ("recorded.jsonl", template!("golden/recorded.jsonl")),
    ];
    let files = files.map(|(name, text)| NewFile::new(format!("evals/golden/tickets/{name}"), text));
    (template!("golden/suite.toml").to_owned(), files.into())
}

/// Questions about what was found; where there are too few, also about sample notes. With a single case nothing would be
/// measured once its symbol is gone, and that is another answer than a failed gate.
fn retrieval(look: &Look) -> Part {
    let samples = samples::samples(look);
    let is_asked = |lane: Lane| samples.iter().any(|sample| sample.lane() == lane);
    let code = if is_asked(Lane::Code) { look.code.0.clone() } else { Vec::new() };
    let mut memory = if is_asked(Lane::Memory) { look.notes.0.clone() } else { Vec::new() };
    let mut ids: Vec<String> = samples.iter().map(|Sample { id, .. }| id.clone()).collect();
    let mut cases = vec!["evals/retrieval/cases.json".to_owned()];
    let mut files = Vec::new();
    if samples.len() < 2 {
        let (notes, about_notes) = ("evals/retrieval/memories.json", "evals/retrieval/memory_cases.json");
        files.push(NewFile::new(notes, template!("retrieval/memories.json")));
        files.push(NewFile::new(about_notes, template!("retrieval/memory_cases.json")));
        ids.extend(SAMPLE_NOTES.map(str::to_owned));
        memory.push(notes.to_owned());
        cases.push(about_notes.to_owned());
    }
    if samples.is_empty() {
        cases.remove(0);
    } else {
        files.insert(0, NewFile::new("evals/retrieval/cases.json", samples::as_json(&samples)));
    }
    let list = |name: &str, values: &[String]| {
        let values: Vec<String> = values.iter().map(|one| quoted(one)).collect();
        (!values.is_empty()).then(|| format!("{name} = [{}]", values.join(", ")))
    };
    let index: Vec<String> = [list("code", &code), list("memory", &memory)].into_iter().flatten().collect();
    let slices: Vec<String> =
        ids.iter().map(|id| format!("{} = {{ hit-rate = {{ min = 1.0 }} }}", quoted(&format!("tag={id}")))).collect();
    let section = template!("retrieval/suite.toml")
        .replace("@CASES@", &list("cases", &cases).unwrap_or_default())
        .replace("@K@", &samples::K.to_string())
        .replace("@INDEX@", &index.join(", "))
        .replace("@SLICES@", &slices.join("\n"));
    (section, files)
}

/// The cases about the sample notes.
const SAMPLE_NOTES: [&str; 3] = ["memory-release-day", "memory-flaky-tests", "memory-committed-key"];

/// A suite for each file of results; where there is none, one for a sample.
fn imported(look: &Look) -> Part {
    let section = |id: &str, path: &str, which: &str, pass_rate: f64, errors: usize| {
        let errors = if errors == 0 { String::new() } else { format!("max-errors = {errors}\n") };
        template!("imported/suite.toml")
            .replace("@WHICH@", which)
            .replace("@ID@", id)
            .replace("@FILE@", &quoted(path))
            .replace("@ERRORS@", &errors)
            .replace("@FLOOR@", &floor(pass_rate))
    };
    if look.results.is_empty() {
        let path = "evals/results/sample.jsonl";
        let which = " These are samples: let your tool write such a file before each run.";
        return (
            section("results", path, which, 0.75, 0),
            vec![NewFile::new(path, template!("imported/sample.jsonl"))],
        );
    }
    let mut text = String::new();
    for (index, results) in look.results.iter().enumerate() {
        let id = if index == 0 { "results".to_owned() } else { format!("results-{}", index + 1) };
        let which = " Let it write them anew before each run, in the workflow as well.";
        text.push_str(&section(&id, &results.path, which, results.pass_rate, results.errors));
    }
    (text, Vec::new())
}

/// A text as TOML has it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
