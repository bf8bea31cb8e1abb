//! Assertions: read, checked, and held against what was observed.

use super::directive;
use super::evaluate::ScenarioCheck;
use super::format::{AssertionFile, Endings, Match, OneOrMany, Scope};
use super::matching::{changes_only_blanks, changes_something, matches, nearest_hunk, normalised};
use super::observation::{FileState, Observation};
use super::unified::{hunks, is_binary};
use crate::input::{Document, InputErrors, Pointer, nearest};
use crate::model::{Check, CheckName as _, Status};
use crate::text::truncate_middle;

/// How much of a diff is shown.
const PREVIEW: usize = 4 * 1024;

/// What must hold afterwards.
#[derive(Debug, Clone)]
pub struct Assertion {
    pub kind: AssertionKind,
    /// Where its path leads.
    pub scope: Scope,
    /// Why, for people.
    pub note: Option<String>,
}

/// What an assertion says.
#[derive(Debug, Clone)]
pub enum AssertionKind {
    /// There is such a file.
    FileExists(String),
    /// There is no such file.
    FileAbsent(String),
    /// The file contains all of these.
    FileContains(String, Vec<String>),
    /// The file contains none of these.
    FileLacks(String, Vec<String>),
    /// The file changed like this.
    DiffMatch {
        path: String,
        /// What is expected, normalised.
        expected: String,
        /// How the two are compared.
        how: Match,
        endings: Endings,
    },
    /// The agent task changed nothing but these.
    OnlyChanged(Vec<String>),
    /// A type that does not exist, as it was written; it fails.
    Unknown { type_name: String, path: Option<String> },
}

impl AssertionKind {
    /// The file it is about.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::FileExists(path)
            | Self::FileAbsent(path)
            | Self::FileContains(path, _)
            | Self::FileLacks(path, _) => Some(path),
            Self::DiffMatch { path, .. } => Some(path),
            Self::OnlyChanged(_) => None,
            Self::Unknown { path, .. } => path.as_deref(),
        }
    }

    /// The check that it is in results; `Err` is a type that does not exist, as it was written.
    fn check_name(&self) -> Result<ScenarioCheck, &str> {
        match self {
            Self::FileExists(_) => Ok(ScenarioCheck::FileExists),
            Self::FileAbsent(_) => Ok(ScenarioCheck::FileAbsent),
            Self::FileContains(..) => Ok(ScenarioCheck::FileContains),
            Self::FileLacks(..) => Ok(ScenarioCheck::FileLacks),
            Self::DiffMatch { .. } => Ok(ScenarioCheck::DiffMatch),
            Self::OnlyChanged(_) => Ok(ScenarioCheck::OnlyChanged),
            Self::Unknown { type_name, .. } => Err(type_name),
        }
    }

    /// Its type as it was written.
    pub(super) fn type_name(&self) -> &str {
        match self.check_name() {
            Ok(known) => known.name(),
            Err(written) => written,
        }
    }

    pub(super) fn check(&self, status: Status, details: Option<String>) -> Check {
        match (self.check_name(), self.path()) {
            (Ok(known), Some(path)) => known.check_of(path, status, details),
            (Ok(known), None) => known.check(status, details),
            (Err(written), path) => Check::unknown(written, path, status, details),
        }
    }
}

/// Every type, with the fields that it has beside `type`, `scope` and `note`.
const TYPES: [(ScenarioCheck, &[&str]); 6] = [
    (ScenarioCheck::FileExists, &["path"]),
    (ScenarioCheck::FileAbsent, &["path"]),
    (ScenarioCheck::FileContains, &["path", "includes"]),
    (ScenarioCheck::FileLacks, &["path", "includes"]),
    (ScenarioCheck::DiffMatch, &["path", "expectedDiff", "match", "endings"]),
    (ScenarioCheck::OnlyChanged, &["paths"]),
];

/// The names of all types.
fn known_types() -> String {
    TYPES.map(|(check, _)| check.name()).join(", ")
}

pub(super) fn validate(
    document: &Document,
    at: &Pointer,
    file: &AssertionFile,
    errors: &mut InputErrors,
    warnings: &mut InputErrors,
) -> Option<Assertion> {
    let scope = file.scope.unwrap_or(Scope::Fixture);
    let made = |kind| Some(Assertion { kind, scope, note: file.note.clone() });
    let Some((check, fields)) = TYPES.iter().find(|(check, _)| check.name() == file.kind) else {
        let mistake = document.error(&at.join("type"), unknown_type(&file.kind));
        warnings.push(mistake.with_nearest(nearest(&file.kind, TYPES.iter().map(|(check, _)| check.name()))));
        return made(AssertionKind::Unknown { type_name: file.kind.clone(), path: file.path.clone() });
    };
    let before = errors.len();
    check_fields(document, at, &file.kind, fields, errors);
    let mut need = |given: bool, name: &str| {
        if !given {
            errors.push(document.error(at, format!("`{}` needs the field `{name}`", file.kind)));
        }
    };
    let path = file.path.clone().unwrap_or_default();
    if fields.contains(&"path") {
        need(file.path.is_some(), "path");
    }
    let includes = match &file.includes {
        Some(OneOrMany::One(text)) => vec![text.clone()],
        Some(OneOrMany::Many(texts)) => texts.clone(),
        None => Vec::new(),
    };
    let kind = match check {
        ScenarioCheck::FileExists => AssertionKind::FileExists(path),
        ScenarioCheck::FileAbsent => AssertionKind::FileAbsent(path),
        ScenarioCheck::FileContains | ScenarioCheck::FileLacks => {
            need(file.includes.is_some(), "includes");
            if file.includes.is_some() && (includes.is_empty() || includes.iter().any(String::is_empty)) {
                errors.push(document.error(&at.join("includes"), "must not be empty"));
            } else if *check == ScenarioCheck::FileContains
                && includes.iter().any(|text| matches!(text.as_str(), " " | "\n"))
            {
                errors.push(document.error(&at.join("includes"), "almost every file contains a blank"));
            }
            if *check == ScenarioCheck::FileContains {
                AssertionKind::FileContains(path, includes)
            } else {
                AssertionKind::FileLacks(path, includes)
            }
        }
        ScenarioCheck::OnlyChanged => {
            need(file.paths.is_some(), "paths");
            if scope == Scope::Repo {
                errors.push(document.error(&at.join("scope"), "`only-changed` is about the working copy"));
            }
            let paths = file.paths.clone().unwrap_or_default();
            for (index, path) in paths.iter().enumerate() {
                let place = at.join("paths").join(index);
                match directive::check_path(path) {
                    Ok(()) => errors.extend(check_literal(document, &place, path)),
                    Err(why) => errors.push(document.error(&place, why.to_string())),
                }
            }
            AssertionKind::OnlyChanged(paths)
        }
        // Not a type of assertion, so not in the list above.
        ScenarioCheck::Goal | ScenarioCheck::Agent | ScenarioCheck::Scenario => return None,
        ScenarioCheck::DiffMatch => {
            need(file.expected_diff.is_some(), "expectedDiff");
            let how = file.how.unwrap_or(Match::Substring);
            let expected = normalised(file.expected_diff.as_deref().unwrap_or_default());
            let place = at.join("expectedDiff");
            if file.expected_diff.is_some()
                && !(expected.is_empty() && how == Match::Exact)
                && !changes_something(&expected)
            {
                let message = if expected.is_empty() {
                    "must not be empty"
                } else {
                    "has only context: no line begins with + or -"
                };
                let help = "to expect that nothing changed, write an empty one with \"match\": \"exact\"";
                errors.push(document.error(&place, message).with_help(help));
            } else if how == Match::Substring && !expected.is_empty() && changes_only_blanks(&expected) {
                let message = "has no text: almost every diff contains it";
                errors.push(document.error(&place, message).with_help("add the lines that change"));
            }
            AssertionKind::DiffMatch { path, expected, how, endings: file.endings.unwrap_or_default() }
        }
    };
    if let Some(path) = file.path.as_deref().filter(|_| fields.contains(&"path")) {
        match directive::check_path(path) {
            Ok(()) => errors.extend(check_literal(document, &at.join("path"), path)),
            Err(why) => errors.push(document.error(&at.join("path"), why.to_string())),
        }
    }
    if errors.len() > before { None } else { made(kind) }
}

/// A path is taken as it is written, so one that looks like a pattern would never be what it says.
fn check_literal(document: &Document, at: &Pointer, path: &str) -> InputErrors {
    let alternatives = path.split_once('{').is_some_and(|(_, rest)| rest.contains(',') && rest.contains('}'));
    let range = ["[0-9", "[a-z", "[A-Z", "[!", "[^"].iter().any(|start| path.contains(start));
    if !path.contains(['*', '?']) && !alternatives && !range {
        return InputErrors::new();
    }
    let message = format!("`{path}` is taken literally: assertions name files, not patterns");
    document.error(at, message).with_help("name each file").into()
}

fn check_fields(document: &Document, at: &Pointer, kind: &str, fields: &[&str], errors: &mut InputErrors) {
    let value = at.steps().iter().try_fold(&document.value, |value, step| match step.parse::<usize>() {
        Ok(index) => value.get(index),
        Err(_) => value.get(step),
    });
    let known: Vec<&str> = ["type", "scope", "note"].into_iter().chain(fields.iter().copied()).collect();
    for name in value.and_then(serde_json::Value::as_object).into_iter().flat_map(serde_json::Map::keys) {
        if !known.contains(&name.as_str()) {
            let mistake = document.error_at_key(&at.join(name), format!("`{kind}` has no field `{name}`"));
            errors.push(match nearest(name, known.iter().copied()) {
                Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
                None => mistake.with_help(format!("it has: {}", known.join(", "))),
            });
        }
    }
}

fn unknown_type(name: &str) -> String {
    format!("unknown assertion type '{name}' (known: {})", known_types())
}

/// What is to be said of an assertion: nothing if it holds, else why not, and a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) why: String,
    pub(super) preview: Option<String>,
}

impl Assertion {
    /// Holds the assertion against what was observed.
    pub(super) fn check(&self, seen: &Observation) -> Result<(), Finding> {
        let fail = |why: String| Err(Finding { why, preview: None });
        let after = |path: &str| seen.after.get(&(self.scope, path.to_owned())).cloned().unwrap_or(FileState::Missing);
        match &self.kind {
            AssertionKind::FileExists(path) => match after(path) {
                FileState::File(_) => Ok(()),
                FileState::Missing => fail("file missing".into()),
                FileState::Directory => fail("it is a directory".into()),
                FileState::Unreadable(why) => fail(why),
            },
            AssertionKind::FileAbsent(path) => match after(path) {
                FileState::Missing => Ok(()),
                FileState::File(_) => fail("the file is there".into()),
                FileState::Directory => fail("there is a directory of this name".into()),
                FileState::Unreadable(why) => fail(why),
            },
            AssertionKind::FileContains(path, texts) => {
                let contents = text_of(after(path))?;
                let missing: Vec<String> =
                    texts.iter().filter(|text| !contents.contains(text.as_str())).map(|text| shown(text)).collect();
                if missing.is_empty() { Ok(()) } else { fail(format!("does not contain {}", missing.join(", "))) }
            }
            AssertionKind::FileLacks(path, texts) => {
                let contents = text_of(after(path))?;
                let there: Vec<String> =
                    texts.iter().filter(|text| contents.contains(text.as_str())).map(|text| shown(text)).collect();
                if there.is_empty() { Ok(()) } else { fail(format!("contains {}", there.join(", "))) }
            }
            AssertionKind::OnlyChanged(paths) => {
                let allowed = |changed: &String| paths.iter().any(|path| path.trim_start_matches("./") == changed);
                let others: Vec<String> =
                    seen.changed.iter().filter(|path| !allowed(path)).map(|path| shown(path)).collect();
                if others.is_empty() { Ok(()) } else { fail(format!("changed as well: {}", others.join(", "))) }
            }
            AssertionKind::DiffMatch { path, expected, how, endings } => {
                let before = seen.before.get(&(self.scope, path.clone())).cloned().unwrap_or(FileState::Missing);
                check_diff(before, after(path), expected, *how, *endings)
            }
            AssertionKind::Unknown { type_name, .. } => fail(unknown_type(type_name)),
        }
    }
}

fn check_diff(
    before: FileState,
    after: FileState,
    expected: &str,
    how: Match,
    endings: Endings,
) -> Result<(), Finding> {
    let fail = |why: &str| Err(Finding { why: why.to_owned(), preview: None });
    let bytes = |state: FileState| match state {
        FileState::File(bytes) => Ok(Some(bytes)),
        FileState::Missing => Ok(None),
        FileState::Directory => Err("it is a directory".to_owned()),
        FileState::Unreadable(why) => Err(why),
    };
    let (old, new) = match (bytes(before), bytes(after)) {
        (Ok(None), Ok(None)) => return fail("file missing"),
        (Ok(None), Ok(Some(new))) if new.is_empty() => return fail("an empty file was created"),
        (Ok(Some(old)), Ok(None)) if old.is_empty() => return fail("the file, which was empty, was deleted"),
        (Ok(old), Ok(new)) => (old.unwrap_or_default(), new.unwrap_or_default()),
        (Err(why), _) | (_, Err(why)) => return fail(&why),
    };
    if old != new && (is_binary(&old) || is_binary(&new)) {
        return fail("binary files differ");
    }
    let was_changed = old != new;
    let (old, new) = match endings {
        Endings::Same => (with_one_ending(old), with_one_ending(new)),
        Endings::Exact => (old, new),
    };
    let actual = normalised(&String::from_utf8_lossy(&hunks(&old, &new)));
    if (expected.is_empty() || !actual.is_empty()) && matches(expected, &actual, how) {
        return Ok(());
    }
    if actual.is_empty() && was_changed {
        return fail("the diff is empty: only line endings changed, which \"endings\": \"exact\" sees");
    }
    if actual.is_empty() {
        return fail("the diff is empty: the file did not change");
    }
    let mut preview =
        nearest_hunk(expected, &actual).map(|nearest| truncate_middle(&nearest, PREVIEW)).unwrap_or_default();
    preview.push_str(&format!("whole diff:\n{}", truncate_middle(&actual, PREVIEW)));
    let how = match how {
        Match::Substring => "does not contain what is expected",
        Match::Lines => "does not contain the expected lines in a row",
        Match::Exact => "is not exactly what is expected",
    };
    Err(Finding { why: format!("the diff {how}"), preview: Some(preview) })
}

/// A file with LF at the end of each line.
fn with_one_ending(bytes: Vec<u8>) -> Vec<u8> {
    if !bytes.contains(&b'\r') {
        return bytes;
    }
    let mut out = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

fn text_of(state: FileState) -> Result<String, Finding> {
    let why = match state {
        FileState::File(bytes) => match String::from_utf8(bytes) {
            Ok(text) => return Ok(text),
            Err(error) => return Ok(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        },
        FileState::Missing => "file missing".to_owned(),
        FileState::Directory => "it is a directory".to_owned(),
        FileState::Unreadable(why) => why,
    };
    Err(Finding { why, preview: None })
}

fn shown(text: &str) -> String {
    format!("`{}`", truncate_middle(text, 200))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(before: Option<&str>, after: Option<&str>) -> Observation {
        let state =
            |text: Option<&str>| text.map_or(FileState::Missing, |text| FileState::File(text.as_bytes().to_vec()));
        let mut seen = Observation::default();
        seen.before.insert((Scope::Fixture, "f".into()), state(before));
        seen.after.insert((Scope::Fixture, "f".into()), state(after));
        seen
    }

    fn check(kind: AssertionKind, seen: &Observation) -> Result<(), String> {
        let assertion = Assertion { kind, scope: Scope::Fixture, note: None };
        assertion.check(seen).map_err(|finding| finding.why)
    }

    fn diff(expected: &str, how: Match) -> AssertionKind {
        let endings = Endings::default();
        AssertionKind::DiffMatch { path: "f".into(), expected: normalised(expected), how, endings }
    }

    #[test]
    fn a_diff_that_says_what_is_expected_passes_and_any_other_fails() {
        let observation = seen(Some("a\nb\n"), Some("a\nc\n"));
        assert_eq!(check(diff("-b\n+c\n", Match::Substring), &observation), Ok(()));
        assert_eq!(check(diff("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Match::Exact), &observation), Ok(()));
        assert_eq!(
            check(diff("-b\n+x\n", Match::Substring), &observation),
            Err("the diff does not contain what is expected".into())
        );
    }

    #[test]
    fn line_endings_are_a_change_only_where_they_are_looked_at() {
        let observation = seen(Some("a\r\nb\r\nc\r\n"), Some("a\nB\nc\n"));
        assert_eq!(check(diff("@@ ... @@\n a\n-b\n+B\n c\n", Match::Exact), &observation), Ok(()));
        let exact = |expected: &str, how: Match| AssertionKind::DiffMatch {
            path: "f".into(),
            expected: normalised(expected),
            how,
            endings: Endings::Exact,
        };
        assert!(check(exact("@@ ... @@\n a\n-b\n+B\n c\n", Match::Exact), &observation).is_err());
        assert_eq!(check(exact("-a\n-b\n-c\n+a\n+B\n+c\n", Match::Lines), &observation), Ok(()));
        let only_endings = seen(Some("a\r\n"), Some("a\n"));
        let why = check(diff("-a\n+a\n", Match::Substring), &only_endings).unwrap_err();
        assert!(why.contains("only line endings changed"), "{why}");
        assert_eq!(check(exact("-a\n+a\n", Match::Substring), &only_endings), Ok(()));
    }

    #[test]
    fn missing_unchanged_created_deleted_and_binary_files_have_messages() {
        let changed = diff("+a\n", Match::Substring);
        assert_eq!(check(changed.clone(), &seen(None, None)), Err("file missing".into()));
        assert_eq!(
            check(changed.clone(), &seen(Some("x\n"), Some("x\n"))),
            Err("the diff is empty: the file did not change".into())
        );
        assert_eq!(check(changed.clone(), &seen(None, Some("a\n"))), Ok(()));
        assert_eq!(check(diff("-a\n", Match::Substring), &seen(Some("a\n"), None)), Ok(()));
        assert_eq!(check(changed, &seen(Some("\0"), Some("a\n"))), Err("binary files differ".into()));
        assert_eq!(check(diff("", Match::Exact), &seen(Some("x"), Some("x"))), Ok(()));
        assert!(check(diff("", Match::Exact), &seen(Some("x"), Some("y"))).is_err());
    }

    #[test]
    fn an_unknown_type_fails_and_says_what_is_known() {
        let assertion = Assertion {
            kind: AssertionKind::Unknown { type_name: "ast-match".into(), path: None },
            scope: Scope::Fixture,
            note: None,
        };
        let why = assertion.check(&Observation::default()).unwrap_err().why;
        assert_eq!(why, format!("unknown assertion type 'ast-match' (known: {})", known_types()));
    }

    #[test]
    fn contains_names_what_is_missing_and_lacks_what_is_there() {
        let observation = seen(None, Some("one two"));
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            check(AssertionKind::FileContains("f".into(), texts(&["one", "six"])), &observation),
            Err("does not contain `six`".into())
        );
        assert_eq!(
            check(AssertionKind::FileLacks("f".into(), texts(&["six", "two"])), &observation),
            Err("contains `two`".into())
        );
        assert_eq!(check(AssertionKind::FileAbsent("f".into()), &observation), Err("the file is there".into()));
        assert_eq!(check(AssertionKind::FileExists("g".into()), &observation), Err("file missing".into()));
    }

    #[test]
    fn only_changed_names_what_else_changed() {
        let mut observation = seen(None, None);
        observation.changed = vec!["a".into(), "b".into()];
        assert_eq!(
            check(AssertionKind::OnlyChanged(vec!["./a".into()]), &observation),
            Err("changed as well: `b`".into())
        );
        assert_eq!(check(AssertionKind::OnlyChanged(vec!["a".into(), "b".into()]), &observation), Ok(()));
    }
}
