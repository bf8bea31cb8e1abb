//! Results of other tools without a configuration: `run --import`, and both sides of `compare`.
#![expect(clippy::disallowed_methods, reason = "edge: looks for files")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

use super::Failure;
use crate::aggregate;
use crate::input::{FileSet, Found, InputError, InputErrors, TrackedFiles};
use crate::model::{Policy, Status, SuiteId};
use crate::plan::{Selection, plan};
use crate::results::{Results, SuiteResult};
use crate::settings::{Settings, Source};
use crate::suites::config::SuiteConfig;
use crate::suites::imported::{self, ImportedConfig};
use crate::suites::{self, Kind, Question, Suite, SuiteSettings};
use crate::targets::TargetSettings;
use crate::text::flag;

/// Adds a suite for each file to those of the configuration.
pub(super) fn add(settings: &mut Settings, files: &[PathBuf]) -> Result<Vec<SuiteId>, InputErrors> {
    let mut errors = InputErrors::new();
    let mut added: Vec<SuiteId> = Vec::new();
    for file in files {
        let shown = file.to_string_lossy().replace('\\', "/");
        if !file.is_file() {
            let message = "there is no such file";
            errors.push(InputError::in_file(shown, message).with_help("run the tool that writes it first"));
            continue;
        }
        let taken: Vec<String> = settings.suites.iter().map(|suite| suite.id.to_string()).collect();
        let id = unique(&suite_name(file), &taken);
        added.push(SuiteId::new(id.clone()));
        let found = Found { path: file.clone(), shown: within(&settings.root, file).unwrap_or(shown) };
        settings.suites.push(suite_settings(&settings.root, id, found));
    }
    errors.into_result().map(|()| added)
}

/// Says which of the suites vary: those of tools that ask models, and those that asked a case several times.
pub(super) fn assume_variation(suites: &mut [Suite], added: &[SuiteId], exact: bool) {
    for suite in suites.iter_mut().filter(|suite| added.contains(&suite.settings.id)) {
        suite.settings.varies = !exact && varies(suite);
    }
}

/// Where a file does not name the command of its tool, reading it again is all that there is.
pub(super) fn name_commands(suites: &mut [Suite], added: &[SuiteId]) {
    for suite in suites.iter_mut().filter(|suite| added.contains(&suite.settings.id)) {
        let file = suite.settings.files.found().first().map(|found| found.path.to_string_lossy().into_owned());
        for case in &mut suite.cases {
            if let Question::Imported(question) = &mut case.question {
                let again = || {
                    let file = file.as_deref().unwrap_or_default();
                    format!("evalratchet run{}{}", flag("import", file), flag("case", case.id.as_str()))
                };
                question.reproduce = Some(question.reproduce.take().unwrap_or_else(again));
            }
        }
    }
}

fn varies(suite: &Suite) -> bool {
    suite.cases.iter().any(|case| {
        let Question::Imported(question) = &case.question else { return false };
        question.format.varies() || question.attempts.len() > 1
    })
}

/// A file as the configuration would name it.
fn within(root: &Path, file: &Path) -> Option<String> {
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let inside = file.canonicalize().ok()?.strip_prefix(root.canonicalize().ok()?).ok()?.to_owned();
    Some(inside.to_string_lossy().replace('\\', "/"))
}

#[expect(clippy::unwrap_used, reason = "a constant; a test of this file would fail")]
static TIME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\d{4}-?\d{2}-?\d{2}([T_-]\d{2}[-_:]?\d{2}([-_:]?\d{2})?)?([+-]\d{2}[-:]?\d{2})?Z?").unwrap()
});
#[expect(clippy::unwrap_used, reason = "a constant; a test of this file would fail")]
static RANDOM: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"_[A-Za-z0-9]{22}$").unwrap());

/// The name of a file as the id of a suite.
fn suite_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or_default().to_owned();
    // inspect and DeepEval put the time into the name, and inspect a random id: another one in each run.
    let stem = TIME.replace_all(&RANDOM.replace(&stem, ""), "").into_owned();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let parts: Vec<&str> = stem.split(|c| !fits(c)).filter(|part| !part.is_empty()).collect();
    let name = parts.join("-");
    let name = name.trim_matches(['-', '_']);
    if name.is_empty() { "imported".to_owned() } else { name.to_owned() }
}

fn unique(name: &str, taken: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|one| !taken.contains(one)).unwrap_or_default()
}

fn suite_settings(root: &Path, id: String, found: Found) -> SuiteSettings {
    SuiteSettings {
        root: root.to_owned(),
        id: SuiteId::new(id),
        kind: Kind::Imported,
        config: SuiteConfig::Imported(ImportedConfig),
        files: FileSet::of_found(found),
        unavailable: InputErrors::new(),
        source: Source::Target,
        recordings: None,
        target: TargetSettings::NONE,
        target_text: None,
        tracked: TrackedFiles::default(),
        subject: None,
        policy: Policy::default(),
        varies: false,
        paths: Vec::new(),
        repeat: 1,
        jobs: None,
    }
}

/// One side of a comparison: what a run of evalratchet wrote, or a file of another tool.
pub(super) enum ComparedSide {
    Results(Box<Results>),
    Imported(Box<SuiteResult>),
}

/// Reads a side. Whether a file is one of ours it says itself.
pub(super) fn read_side(place: &Path, exact: bool) -> Result<ComparedSide, Failure> {
    let path = if place.is_dir() { place.join("results.json") } else { place.to_owned() };
    let shown = path.to_string_lossy().replace('\\', "/");
    let text = crate::input::read_text(&path, &shown)?;
    if is_ours(&text) {
        let results = Results::parse(text.as_bytes()).map_err(|error| Failure::Usage(format!("{shown}: {error}")))?;
        return Ok(ComparedSide::Results(Box::new(results)));
    }
    drop(text);
    let suite = suite_settings(Path::new(""), suite_name(&path), Found { path: path.clone(), shown: shown.clone() });
    let (mut suites, _) = suites::load(&shown, &[suite])?;
    let id = suites.iter().map(|suite| suite.settings.id.clone()).collect::<Vec<_>>();
    assume_variation(&mut suites, &id, exact);
    for suite in &suites {
        suite.settings.unavailable.clone().into_result()?;
        super::console::notes(&suite.notes);
    }
    let mut results = suites.into_iter().map(measured);
    let suite = results.next().ok_or_else(|| Failure::Usage(format!("{shown}: has no case")))?;
    Ok(ComparedSide::Imported(Box::new(suite)))
}

/// Whether a text says that evalratchet wrote it; a file that is cut off still does.
fn is_ours(text: &str) -> bool {
    let start: String = text.chars().take(2000).filter(|c| !c.is_whitespace()).collect();
    start.contains("\"schema\":\"evalratchet.")
}

/// What the other tool found out about a suite, as results have it.
fn measured(suite: Suite) -> SuiteResult {
    let (kind, varies, id) = (suite.settings.kind, suite.settings.varies, suite.settings.id.clone());
    let policy = suite.settings.policy.clone();
    let planned = plan(vec![suite], &Selection::default());
    let mut cases = Vec::new();
    for planned in planned.iter().flat_map(|suite| &suite.cases) {
        let Question::Imported(question) = &planned.case.question else { continue };
        let attempts = imported::attempts(question);
        let reproduce = planned.case.question.reproduce().unwrap_or_default().to_owned();
        cases.push(aggregate::case_result(planned, &attempts, policy.pass_share, reproduce));
    }
    SuiteResult {
        id,
        kind,
        status: Status::Unmeasured,
        replayed: false,
        // Two files have two names, and that is no change of how answers come about.
        source: None,
        untracked: Vec::new(),
        recorded_of: None,
        from_cache: 0,
        varies,
        affected: true,
        model: None,
        policy,
        metrics: aggregate::metrics(kind, &cases),
        slices: aggregate::slices(kind, &cases),
        detail: None,
        cases,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_is_called_as_its_file() {
        for (file, name) in [
            ("out/junit.xml", "junit"),
            ("a b.json", "a-b"),
            (".deepeval/.latest_run_full.json", "latest_run_full"),
            ("promptfoo.results.json", "promptfoo"),
            ("…", "imported"),
            ("logs/2026-11-17T04-52-46-00-00_cities_9g9uM7C8memru9NHbR9cTt.json", "cities"),
            ("out/test_run_20261117_045145.json", "test_run"),
        ] {
            assert_eq!(suite_name(Path::new(file)), name, "{file}");
        }
        assert_eq!(unique("a", &["a".to_owned(), "a-2".to_owned()]), "a-3");
    }
}
