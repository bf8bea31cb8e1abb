//! The system under test, checked: what to start, with which arguments, and where its answer stands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json_path::JsonPath;

use super::file::{CwdSection, IndexSection, OpenAiSection, TargetSection};
use super::openai::{self, OpenAiTarget};
use super::suite::settle_files;
use crate::input::{Document, Found, Ignored, InputErrors, Pointer, nearest};
use crate::suites::Kind;

/// The system under test.
#[derive(Debug, Clone)]
pub enum TargetSettings {
    /// A process for each case.
    Command(Invocation),
    /// One process for all cases, speaking JSON lines.
    Worker(Invocation),
    /// A process that edits the working copy of a fixture.
    Agent(Invocation),
    /// A service that answers POSTed JSON.
    Http(HttpTarget),
    /// A model behind an OpenAI-compatible chat endpoint.
    OpenAi(Box<OpenAiTarget>),
    /// The built-in retrieval engine.
    Index(IndexFiles),
    /// Rankings that were made before.
    Ranked(RankedFile),
    /// There is none: a scenario suite whose edits are all written down.
    Nobody,
}

impl TargetSettings {
    /// The files of the repository that it is made of, as far as the configuration names them.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Self::Command(invocation) | Self::Worker(invocation) | Self::Agent(invocation) => {
                invocation.written.iter().filter_map(Template::text).map(|text| text.trim_start_matches("./")).collect()
            }
            Self::Index(files) => files.code.iter().chain(&files.memory).map(|found| found.shown.as_str()).collect(),
            Self::Ranked(RankedFile::Trec(found) | RankedFile::Lines(found)) => vec![&found.shown],
            Self::Http(_) | Self::OpenAi(_) | Self::Nobody => Vec::new(),
        }
    }

    /// The model that is asked, if it is one.
    pub fn model(&self) -> Option<&str> {
        match self {
            Self::OpenAi(target) => Some(&target.model),
            Self::Command(_)
            | Self::Worker(_)
            | Self::Agent(_)
            | Self::Http(_)
            | Self::Index(_)
            | Self::Ranked(_)
            | Self::Nobody => None,
        }
    }
}

/// A service that answers POSTed JSON.
#[derive(Debug, Clone)]
pub struct HttpTarget {
    /// Where it is.
    pub url: String,
    /// How long one answer may take.
    pub timeout: Duration,
}

/// What the built-in engine indexes.
#[derive(Debug, Clone)]
pub struct IndexFiles {
    /// Source files.
    pub code: Vec<Found>,
    /// JSON or Markdown files.
    pub memory: Vec<Found>,
}

/// Rankings that were made before.
#[derive(Debug, Clone)]
pub enum RankedFile {
    /// A TREC run file; its topics are case ids.
    Trec(Found),
    /// A line `{"id","ids"}` for each case.
    Lines(Found),
}

/// How to start a process and read its answer.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The program, then its arguments.
    pub argv: Vec<Template>,
    /// The same as it was written, for recordings that are read on another machine.
    pub written: Vec<Template>,
    /// Where it runs.
    pub cwd: Cwd,
    /// Names of environment variables that it may see beyond the harmless ones.
    pub env: Vec<String>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How many bytes of each stream are kept.
    pub max_output: usize,
    /// Where in the output the answer stands.
    pub answer: Option<JsonPath>,
    /// Whether the answer is JSON, not text.
    pub json: bool,
}

/// Where a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cwd {
    /// In this directory.
    Directory(PathBuf),
    /// In a fresh empty directory, removed afterwards.
    Scratch,
}

/// The default of `max-output`.
const MAX_OUTPUT: usize = 1 << 20;

/// An argument with `{names}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads `{name}`; `{{` and `}}` are braces. Anything else in braces is text.
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
                plain.push_str(&rest[..1]);
                rest = after;
            } else if let Some(name) = placeholder(rest) {
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Name(name.to_owned()));
                rest = &rest[name.len() + 2..];
            } else {
                plain.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        parts.retain(|part| *part != Part::Text(String::new()));
        Self(parts)
    }

    /// A text in which braces are only braces.
    pub fn verbatim(text: &str) -> Self {
        Self(vec![Part::Text(text.to_owned())])
    }

    /// The same command line, with a program that is named by a relative path looked for below `root`.
    pub fn rooted(templates: &[Self], argv: &[String], root: &Path) -> Vec<Self> {
        let mut templates = templates.to_vec();
        if let Some(program) = argv.first()
            && program.contains('/')
            && Path::new(program).is_relative()
            && let Some(first) = templates.first_mut()
        {
            first.0.insert(0, Part::Text(format!("{}/", absolute(root).display())));
        }
        templates
    }

    /// The text, if it has no names in it.
    pub fn text(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The names it wants.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The argument itself: every value goes in as it is, whatever it contains.
    pub fn fill(&self, values: &BTreeMap<&str, &str>) -> String {
        self.0
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.as_str(),
                Part::Name(name) => values.get(name.as_str()).copied().unwrap_or_default(),
            })
            .collect()
    }
}

fn placeholder(text: &str) -> Option<&str> {
    let (name, _) = text.strip_prefix('{')?.split_once('}')?;
    let fits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    fits.then_some(name)
}

/// What a section says, whatever its key.
enum Given {
    Process(Vec<String>),
    OpenAi(Box<OpenAiSection>),
    Index(IndexSection),
    Place(String),
}

/// What a target needs to know of its suite.
pub(super) struct Suite {
    pub(super) kind: Kind,
    pub(super) env: Vec<String>,
    pub(super) timeout: Duration,
}

pub(super) fn settle(
    root: &Path,
    document: &Document,
    at: &Pointer,
    suite: Suite,
    section: TargetSection,
    errors: &mut InputErrors,
) -> Option<TargetSettings> {
    let Suite { kind, env, timeout } = suite;
    let TargetSection { command, worker, agent, index, http, openai, run, recorded, answer, cwd, max_output } = section;
    let mut given: Vec<(&str, Given)> = Vec::new();
    for (key, argv) in [("command", command), ("worker", worker), ("agent", agent)] {
        given.extend(argv.map(|argv| (key, Given::Process(argv))));
    }
    given.extend(index.map(|index| ("index", Given::Index(index))));
    given.extend(openai.map(|openai| ("openai", Given::OpenAi(Box::new(openai)))));
    for (key, text) in [("http", http), ("run", run), ("recorded", recorded)] {
        given.extend(text.map(|text| (key, Given::Place(text))));
    }
    let fitting: &[&str] = match kind {
        Kind::Scenario => &["agent"],
        Kind::Command => &["command", "worker", "openai"],
        Kind::Imported => &[],
        Kind::Golden => &["openai", "command", "worker", "http"],
        Kind::Retrieval => &["index", "command", "worker", "http", "run", "recorded"],
    };
    if kind == Kind::Imported {
        errors.push(document.error(at, "imported results have no target: another tool asked it"));
        return None;
    }
    let wanted = fitting.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
    if let [(key, Given::Index(_) | Given::Place(_) | Given::OpenAi(_))] = given.as_slice() {
        let beside = [("answer", answer.is_some()), ("cwd", cwd.is_some()), ("max-output", max_output.is_some())];
        for (name, _) in beside.iter().filter(|(_, given)| *given) {
            errors.push(document.error_at_key(&at.join(name), format!("`{name}` means nothing beside `{key}`")));
        }
        if !env.is_empty() {
            errors.push(document.error(at, format!("`env` means nothing to `{key}`: no process is started")));
        }
    }
    let (key, argv) = match given.as_slice() {
        [(key, Given::Process(argv))] if fitting.contains(key) => (*key, argv.clone()),
        [(key, Given::Index(index))] if fitting.contains(key) => {
            let at = at.join(key);
            let code = settle_files(root, document, &at.join("code"), &index.code, Ignored::Skipped, errors);
            let memory = settle_files(root, document, &at.join("memory"), &index.memory, Ignored::Skipped, errors);
            if index.code.is_empty() && index.memory.is_empty() {
                errors.push(document.error(&at, "indexes nothing").with_help("say `code` or `memory`"));
            }
            return Some(TargetSettings::Index(IndexFiles { code, memory }));
        }
        [(key @ "http", Given::Place(url))] if fitting.contains(key) => {
            if !url.starts_with("http://") && !url.starts_with("https://") {
                errors.push(document.error(&at.join(key), format!("`{url}` is not an http address")));
            }
            return Some(TargetSettings::Http(HttpTarget { url: url.clone(), timeout }));
        }
        [(key, Given::OpenAi(section))] if fitting.contains(key) => {
            let target = openai::settle(document, &at.join(key), (**section).clone(), timeout, errors);
            return Some(TargetSettings::OpenAi(Box::new(target)));
        }
        [(key, Given::Place(path))] if fitting.contains(key) => {
            let mut found =
                settle_files(root, document, &at.join(key), std::slice::from_ref(path), Ignored::Found, errors);
            if found.len() > 1 {
                let message = format!("`{path}` matches {} files; name one", found.len());
                errors.push(document.error(&at.join(key), message));
            }
            let found = found.pop()?;
            let trec = *key == "run";
            return Some(TargetSettings::Ranked(if trec { RankedFile::Trec(found) } else { RankedFile::Lines(found) }));
        }
        [(key, _)] => {
            let message = format!("`{key}` is no target of a {kind} suite");
            errors.push(document.error(&at.join(key), message).with_help(format!("it has {wanted}")));
            return None;
        }
        [] => {
            errors.push(document.error(at, format!("does not say {wanted}")).with_help("add it"));
            return None;
        }
        several => {
            let keys = several.iter().map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
            errors.push(document.error(at, format!("says {keys}")).with_help("keep one of them"));
            return None;
        }
    };
    if key == "agent" {
        for (name, given) in [("answer", answer.is_some()), ("cwd", cwd.is_some())] {
            if given {
                let message = format!("an agent has no `{name}`: it edits the working copy it runs in");
                errors.push(document.error_at_key(&at.join(name), message));
            }
        }
    }
    let allowed: &[&str] = match key {
        "command" if kind == Kind::Retrieval => &["query", "lane", "k", "id"],
        "command" => &["prompt", "id"],
        "agent" => &["instruction", "id"],
        _ => &[],
    };
    let answer = answer.and_then(|path| match JsonPath::parse(&path) {
        Ok(path) => Some(path),
        Err(error) => {
            let message = format!("`{path}` is not a JSONPath: {error}");
            errors.push(document.error(&at.join("answer"), message).with_help("write it like $.command"));
            None
        }
    });
    let mut templates = Vec::new();
    for (index, argument) in argv.iter().enumerate() {
        let template = Template::parse(argument);
        for name in template.names().filter(|name| !allowed.contains(name)) {
            let message = format!("nothing is known as `{{{name}}}` here");
            let help = match nearest(name, allowed.iter().copied()) {
                Some(near) => format!("did you mean `{{{near}}}`? (braces themselves: `{{{{` and `}}}}`)"),
                None => "braces themselves are written `{{` and `}}`".to_owned(),
            };
            errors.push(document.error(&at.join(key).join(index), message).with_help(help));
        }
        templates.push(template);
    }
    // A program named by a path is looked for beside the configuration, not in the current directory.
    let rooted = Template::rooted(&templates, &argv, root);
    let cwd = match cwd {
        None | Some(CwdSection::Config) => Cwd::Directory(root.to_owned()),
        Some(CwdSection::Scratch) => Cwd::Scratch,
    };
    let invocation = Invocation {
        argv: rooted,
        written: templates,
        cwd,
        env,
        timeout,
        max_output: max_output.unwrap_or(MAX_OUTPUT),
        answer,
        json: matches!(kind, Kind::Retrieval | Kind::Golden),
    };
    Some(match key {
        "command" => TargetSettings::Command(invocation),
        "worker" => TargetSettings::Worker(invocation),
        _ => TargetSettings::Agent(invocation),
    })
}

/// A relative program path is resolved by the system against the child's directory, so it must not stay relative.
fn absolute(root: &Path) -> PathBuf {
    std::path::absolute(root).unwrap_or_else(|_| root.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, prompt: &str) -> String {
        Template::parse(template).fill(&BTreeMap::from([("prompt", prompt)]))
    }

    #[test]
    fn a_prompt_is_one_argument_whatever_it_contains() {
        let nasty = "it's \"quoted\" {prompt} $(rm -rf /) `x`\n{id} \\";
        assert_eq!(fill("{prompt}", nasty), nasty);
        assert_eq!(fill("--ask={prompt}!", "a b"), "--ask=a b!");
    }

    #[test]
    fn braces_that_name_nothing_stay_as_they_are() {
        assert_eq!(fill("{{prompt}}", "x"), "{prompt}");
        assert_eq!(fill("{\"a\": 1}", "x"), "{\"a\": 1}");
        assert_eq!(fill("{}", "x"), "{}");
        assert_eq!(fill("{prompt", "x"), "{prompt");
    }
}
