//! The system under test, checked: what to start, with which arguments, and where its answer stands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json_path::JsonPath;

use super::openai::{self, OpenAiTarget};
use super::sections::{CwdSection, IndexSection, OpenAiSection, TargetSection};
use crate::input::{FileSet, Place, nearest};
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
    /// The files that its command line names.
    pub fn named_files(&self) -> Vec<&str> {
        match self {
            Self::Command(invocation) | Self::Worker(invocation) | Self::Agent(invocation) => {
                invocation.written.iter().filter_map(Template::text).map(|text| text.trim_start_matches("./")).collect()
            }
            Self::Index(_) | Self::Ranked(_) | Self::Http(_) | Self::OpenAi(_) | Self::Nobody => Vec::new(),
        }
    }

    /// The files that it reads.
    pub fn file_sets(&self) -> Vec<&FileSet> {
        match self {
            Self::Index(files) => vec![&files.code, &files.memory],
            Self::Ranked(RankedFile::Trec(file) | RankedFile::Lines(file)) => vec![file],
            Self::Command(_) | Self::Worker(_) | Self::Agent(_) | Self::Http(_) | Self::OpenAi(_) | Self::Nobody => {
                Vec::new()
            }
        }
    }

    /// The same, to be found.
    pub fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        match self {
            Self::Index(files) => vec![&mut files.code, &mut files.memory],
            Self::Ranked(RankedFile::Trec(file) | RankedFile::Lines(file)) => vec![file],
            Self::Command(_) | Self::Worker(_) | Self::Agent(_) | Self::Http(_) | Self::OpenAi(_) | Self::Nobody => {
                Vec::new()
            }
        }
    }

    /// Makes its program known by an absolute path, where it was named by one below `root`.
    pub fn resolve(&mut self, root: &Path) {
        match self {
            Self::Command(invocation) | Self::Worker(invocation) | Self::Agent(invocation) => {
                invocation.argv = Template::rooted(&invocation.written, root);
            }
            Self::Index(_) | Self::Ranked(_) | Self::Http(_) | Self::OpenAi(_) | Self::Nobody => {}
        }
    }

    /// Whether a process or a service is asked, which a replay must not do.
    pub const fn asks_somebody(&self) -> bool {
        match self {
            Self::Command(_) | Self::Worker(_) | Self::Agent(_) | Self::Http(_) | Self::OpenAi(_) => true,
            Self::Index(_) | Self::Ranked(_) | Self::Nobody => false,
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
    pub code: FileSet,
    /// JSON or Markdown files.
    pub memory: FileSet,
}

/// Rankings that were made before.
#[derive(Debug, Clone)]
pub enum RankedFile {
    /// A TREC run file; its topics are case ids.
    Trec(FileSet),
    /// A line `{"id","ids"}` for each case.
    Lines(FileSet),
}

/// How to start a process and read its answer.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The program, then its arguments. Once resolved, a program below the configuration's directory is found there
    /// and not in the current directory.
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
    pub fn rooted(written: &[Self], root: &Path) -> Vec<Self> {
        let mut templates = written.to_vec();
        if let Some(program) = templates.first_mut() {
            let name = program.fill(&BTreeMap::new());
            if name.contains('/') && !program.begins_absolute() {
                program.0.insert(0, Part::Text(format!("{}/", absolute(root).display())));
            }
        }
        templates
    }

    fn begins_absolute(&self) -> bool {
        matches!(self.0.first(), Some(Part::Text(text)) if Path::new(text).is_absolute())
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
    Address(String),
    Ranked(String),
}

/// What a target needs to know of its suite.
pub(super) struct Suite<'a> {
    pub(super) kind: Kind,
    pub(super) root: &'a Path,
    pub(super) env: Vec<String>,
    pub(super) timeout: Duration,
}

/// The keys that only a process has.
struct ProcessKeys {
    answer: Option<String>,
    cwd: Option<CwdSection>,
    max_output: Option<usize>,
}

/// Checks the section of a target; nothing if it cannot be told which one is meant.
pub(super) fn validate(suite: Suite<'_>, section: TargetSection, place: &Place<'_>) -> Option<TargetSettings> {
    let kind = suite.kind;
    let rules = kind.rules().target;
    if let Some(why) = rules.refused {
        place.error(why);
        return None;
    }
    let wanted = rules.keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ");
    let (mut given, keys) = given(section);
    if let [(key, Given::Index(_) | Given::Address(_) | Given::Ranked(_) | Given::OpenAi(_))] = given.as_slice() {
        refuse_process_keys(key, &keys, &suite.env, place);
    }
    if given.len() > 1 {
        let keys = given.iter().map(|(key, _)| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
        place.error_with_help(format!("says {keys}"), "keep one of them");
        return None;
    }
    let Some((key, given)) = given.pop() else {
        place.error_with_help(format!("does not say {wanted}"), "add it");
        return None;
    };
    let at = place.join(key);
    if !rules.keys.contains(&key) {
        at.error_with_help(format!("`{key}` is no target of a {kind} suite"), format!("it has {wanted}"));
        return None;
    }
    Some(match given {
        Given::Process(argv) => {
            let invocation = validate_process(key, argv, keys, suite, place);
            match key {
                "command" => TargetSettings::Command(invocation),
                "worker" => TargetSettings::Worker(invocation),
                _ => TargetSettings::Agent(invocation),
            }
        }
        Given::Index(section) => TargetSettings::Index(validate_index(section, &at)),
        Given::Address(url) => {
            if !url.starts_with("http://") && !url.starts_with("https://") {
                at.error(format!("`{url}` is not an http address"));
            }
            TargetSettings::Http(HttpTarget { url, timeout: suite.timeout })
        }
        Given::OpenAi(section) => TargetSettings::OpenAi(Box::new(openai::validate(*section, suite.timeout, &at))),
        Given::Ranked(path) => {
            let file = FileSet::one_file(&at, path);
            TargetSettings::Ranked(if key == "run" { RankedFile::Trec(file) } else { RankedFile::Lines(file) })
        }
    })
}

/// The targets that a section names, by key, and the keys beside them.
fn given(section: TargetSection) -> (Vec<(&'static str, Given)>, ProcessKeys) {
    let TargetSection { command, worker, agent, index, http, openai, run, recorded, answer, cwd, max_output } = section;
    let mut given: Vec<(&'static str, Given)> = Vec::new();
    for (key, argv) in [("command", command), ("worker", worker), ("agent", agent)] {
        given.extend(argv.map(|argv| (key, Given::Process(argv))));
    }
    given.extend(index.map(|index| ("index", Given::Index(index))));
    given.extend(openai.map(|openai| ("openai", Given::OpenAi(Box::new(openai)))));
    given.extend(http.map(|url| ("http", Given::Address(url))));
    for (key, path) in [("run", run), ("recorded", recorded)] {
        given.extend(path.map(|path| (key, Given::Ranked(path))));
    }
    (given, ProcessKeys { answer, cwd, max_output })
}

/// Says which keys mean nothing where no process is started.
fn refuse_process_keys(key: &str, keys: &ProcessKeys, env: &[String], place: &Place<'_>) {
    let ProcessKeys { answer, cwd, max_output } = keys;
    let beside = [("answer", answer.is_some()), ("cwd", cwd.is_some()), ("max-output", max_output.is_some())];
    for (name, _) in beside.iter().filter(|(_, given)| *given) {
        place.join(name).key_error(format!("`{name}` means nothing beside `{key}`"));
    }
    if !env.is_empty() {
        place.error(format!("`env` means nothing to `{key}`: no process is started"));
    }
}

fn validate_index(section: IndexSection, place: &Place<'_>) -> IndexFiles {
    let IndexSection { code, memory } = section;
    if code.is_empty() && memory.is_empty() {
        place.error_with_help("indexes nothing", "say `code` or `memory`");
    }
    IndexFiles {
        code: FileSet::sources(&place.join("code"), code),
        memory: FileSet::sources(&place.join("memory"), memory),
    }
}

fn validate_process(
    key: &str,
    argv: Vec<String>,
    keys: ProcessKeys,
    suite: Suite<'_>,
    place: &Place<'_>,
) -> Invocation {
    let ProcessKeys { answer, cwd, max_output } = keys;
    let rules = suite.kind.rules().target;
    if key == "agent" {
        for (name, _) in [("answer", answer.is_some()), ("cwd", cwd.is_some())].iter().filter(|(_, given)| *given) {
            let message = format!("an agent has no `{name}`: it edits the working copy it runs in");
            place.join(name).key_error(message);
        }
    }
    let answer = answer.and_then(|path| match JsonPath::parse(&path) {
        Ok(path) => Some(path),
        Err(error) => {
            let message = format!("`{path}` is not a JSONPath: {error}");
            place.join("answer").error_with_help(message, "write it like $.command");
            None
        }
    });
    // A worker is given whole questions on its standard input.
    let placeholders = if key == "worker" { &[] } else { rules.placeholders };
    let written: Vec<Template> = argv.iter().map(|argument| Template::parse(argument)).collect();
    for (index, template) in written.iter().enumerate() {
        validate_placeholders(template, placeholders, &place.join(key).join(index));
    }
    Invocation {
        argv: written.clone(),
        written,
        cwd: match cwd {
            None | Some(CwdSection::Config) => Cwd::Directory(suite.root.to_owned()),
            Some(CwdSection::Scratch) => Cwd::Scratch,
        },
        env: suite.env,
        timeout: suite.timeout,
        max_output: max_output.unwrap_or(MAX_OUTPUT),
        answer,
        json: rules.json,
    }
}

fn validate_placeholders(template: &Template, known: &[&str], place: &Place<'_>) {
    for name in template.names().filter(|name| !known.contains(name)) {
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{{{near}}}`? (braces themselves: `{{{{` and `}}}}`)"),
            None => "braces themselves are written `{{` and `}}`".to_owned(),
        };
        place.error_with_help(format!("nothing is known as `{{{name}}}` here"), help);
    }
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
