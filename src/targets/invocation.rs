//! Processes as targets: what to start, with which arguments, and where its answer stands.
#![expect(clippy::disallowed_methods, reason = "edge: makes a directory for each case")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json_path::JsonPath;

use super::config::CwdSection;
use super::{BuildContext, Environment, ProcessKeys, SuiteFacts};
use crate::input::{Place, nearest};
use crate::model::{Answer, Ending, Output, Request};
use crate::process::{Capture, Finished, ProcessEnd, Spawn, Stop, run_process};
use crate::text::Redactor;

/// The default of `max-output`.
const MAX_OUTPUT: usize = 1 << 20;

/// How to start a process and read its answer.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The program, then its arguments. Once resolved, a program below the configuration's directory is found there
    /// and not in the current directory.
    pub(super) argv: Vec<Template>,
    /// The same as it was written, for recordings that are read on another machine.
    written: Vec<Template>,
    cwd: Cwd,
    /// Names of environment variables that it may see beyond the harmless ones.
    env: Vec<String>,
    /// How long one answer may take.
    pub(super) timeout: Duration,
    /// How many bytes of each stream are kept.
    pub(super) max_output: usize,
    /// Where in the output the answer stands.
    pub(super) answer: Option<JsonPath>,
    /// Whether the answer is JSON, not text.
    pub(super) json: bool,
}

/// A process that wants an empty directory cannot have one.
#[derive(Debug, thiserror::Error)]
#[error("no scratch directory: {0}")]
pub(super) struct NoScratch(#[from] std::io::Error);

/// Where a process runs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cwd {
    Directory(PathBuf),
    /// In a fresh empty directory, removed afterwards.
    Scratch,
}

impl Invocation {
    /// A program that is run below `root` with exactly these arguments, and answers in JSON.
    pub fn verbatim(argv: &[String], root: &Path, timeout: Duration) -> Self {
        let written: Vec<Template> = argv.iter().map(|argument| Template::verbatim(argument)).collect();
        Self {
            argv: Template::rooted(&written, root),
            written,
            cwd: Cwd::Directory(root.to_owned()),
            env: Vec::new(),
            timeout,
            max_output: MAX_OUTPUT,
            answer: None,
            json: true,
        }
    }

    /// Checks a command line, which stands under a key of `place`, and the keys beside it.
    pub(super) fn validate(
        (key, argv): (&str, Vec<String>),
        keys: ProcessKeys,
        placeholders: &[&str],
        suite: &SuiteFacts<'_>,
        place: &Place<'_>,
    ) -> Self {
        let ProcessKeys { answer, cwd, max_output } = keys;
        let answer = answer.and_then(|path| match JsonPath::parse(&path) {
            Ok(path) => Some(path),
            Err(error) => {
                let message = format!("`{path}` is not a JSONPath: {error}");
                place.join("answer").error_with_help(message, "write it like $.command");
                None
            }
        });
        let written: Vec<Template> = argv.iter().map(|argument| Template::parse(argument)).collect();
        for (index, template) in written.iter().enumerate() {
            validate_placeholders(template, placeholders, &place.join(key).join(index));
        }
        Self {
            argv: written.clone(),
            written,
            cwd: match cwd {
                None | Some(CwdSection::Config) => Cwd::Directory(suite.root.to_owned()),
                Some(CwdSection::Scratch) => Cwd::Scratch,
            },
            env: suite.env.clone(),
            timeout: suite.timeout,
            max_output: max_output.unwrap_or(MAX_OUTPUT),
            answer,
            json: suite.asks.is_json(),
        }
    }

    pub(super) fn resolve(&mut self, root: &Path) {
        self.argv = Template::rooted(&self.written, root);
    }

    pub(super) fn named_files(&self) -> Vec<&str> {
        self.written.iter().filter_map(Template::text).map(|text| text.trim_start_matches("./")).collect()
    }

    pub(super) fn program(&self) -> Option<&str> {
        self.argv.first()?.text()
    }

    pub(super) fn variables(&self) -> Vec<&str> {
        self.env.iter().map(String::as_str).collect()
    }

    /// The command line as it was written, with what a request puts into it.
    pub(super) fn written_argv(&self, request: &Request) -> Vec<String> {
        filled(&self.written, request)
    }

    /// The directory to run in; a scratch one lives as long as the second value.
    pub(super) fn directory(&self) -> Result<(PathBuf, Option<tempfile::TempDir>), NoScratch> {
        match &self.cwd {
            Cwd::Directory(path) => Ok((path.clone(), None)),
            Cwd::Scratch => {
                let scratch = tempfile::Builder::new().prefix("evalratchet-").tempdir()?;
                Ok((scratch.path().to_owned(), Some(scratch)))
            }
        }
    }
}

fn filled(templates: &[Template], request: &Request) -> Vec<String> {
    let mut values = BTreeMap::from([("id", request.id.as_str())]);
    values.extend(request.names.iter().map(|(name, value)| (*name, value.as_str())));
    templates.iter().map(|argument| argument.fill(&values)).collect()
}

/// A process for each question.
#[derive(Debug)]
pub(super) struct ProcessTarget {
    pub(super) invocation: Invocation,
    pub(super) environment: Environment,
    redactor: Arc<Redactor>,
}

impl ProcessTarget {
    pub(super) fn new(invocation: Invocation, context: &BuildContext) -> Self {
        let environment = Environment::reduced(&context.environment, &invocation.env);
        Self { invocation, environment, redactor: Arc::clone(&context.redactor) }
    }

    /// What a stream holds, as text for people, without what was confided to the target.
    pub(super) fn shown(&self, capture: &Capture) -> String {
        let (head, tail) = capture.halves();
        if capture.omitted == 0 {
            return self.redactor.text(&String::from_utf8_lossy(&[head, tail].concat()));
        }
        self.redactor.halves(&String::from_utf8_lossy(&head), &String::from_utf8_lossy(&tail))
    }

    pub(super) fn redacted(&self, text: &str) -> String {
        self.redactor.text(text)
    }

    /// Runs it to its end. `read` makes an ending of what it wrote to standard output, if its exit code is 0.
    pub(super) async fn run(
        &self,
        request: &Request,
        cwd: PathBuf,
        stdin: Option<Vec<u8>>,
        stop: &Stop,
        read: impl FnOnce(Vec<u8>, u64) -> Ending,
    ) -> Answer {
        let argv = filled(&self.invocation.argv, request);
        if argv.iter().any(|argument| argument.contains('\0')) {
            return Answer::ended(Ending::CouldNotStart { why: "an argument cannot hold a NUL character".into() });
        }
        let spawn = Spawn {
            argv,
            cwd,
            env: self.environment.visible.clone(),
            stdin,
            timeout: self.invocation.timeout,
            max_output: self.invocation.max_output,
        };
        let Finished { end, stdout, stderr, duration } = run_process(&spawn, stop).await;
        let stdout_omitted = stdout.omitted;
        let captured = Output {
            stdout: self.shown(&stdout),
            stderr: self.shown(&stderr),
            stdout_omitted,
            stderr_omitted: stderr.omitted,
        };
        let stdout = stdout.into_bytes();
        let ending = match end {
            ProcessEnd::Exited(0) => read(stdout, stdout_omitted),
            ProcessEnd::Exited(code) => Ending::ExitCode(code),
            ProcessEnd::Signalled(signal) => Ending::Signal(signal),
            ProcessEnd::TimedOut => Ending::TimedOut { after: self.invocation.timeout },
            ProcessEnd::Stopped => Ending::Interrupted,
            ProcessEnd::CouldNotStart(error) => Ending::CouldNotStart { why: error.to_string() },
        };
        let hint = matches!(ending, Ending::ExitCode(_) | Ending::Empty)
            .then(|| self.environment.hint(&format!("{}\n{}", captured.stderr, captured.stdout)))
            .flatten();
        Answer { ending, captured, duration, hint, usage: None, from_cache: false }
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

/// An argument with `{names}` in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads `{name}`; `{{` and `}}` are braces. Anything else in braces is text.
    fn parse(text: &str) -> Self {
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
    fn verbatim(text: &str) -> Self {
        Self(vec![Part::Text(text.to_owned())])
    }

    /// The same command line, with a program that is named by a relative path looked for below `root`.
    fn rooted(written: &[Self], root: &Path) -> Vec<Self> {
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
    fn text(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The names it wants.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Name(name) => Some(name.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The argument itself: every value goes in as it is, whatever it contains.
    pub(super) fn fill(&self, values: &BTreeMap<&str, &str>) -> String {
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
