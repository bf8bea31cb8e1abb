//! Main's keys: how the commit that a change is based on judges the cases whose keys the change edits.
#![expect(clippy::disallowed_methods, reason = "edge: writes the files of a commit into a temporary directory")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use similar::TextDiff;

use super::reference::{Located, file_name};
use crate::baseline::{BaselineCase, BaselineSuite};
use crate::input::InputErrors;
use crate::model::{CaseId, Sha, SuiteId};
use crate::plan::{MainKey, Planned, PlannedSuite};
use crate::repository::{Git, GitError};
use crate::settings::{Overrides, Settings};
use crate::suites::{self, Case};
use crate::text::truncate_middle;

/// How much of the difference between two keys is kept, in bytes.
const LONGEST_DIFF: usize = 4000;

/// Why main's keys cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum KeysError {
    #[error("the files of the commit that this change is based on are not here")]
    NoBase,
    #[error("git cannot read {0}: {1}")]
    Git(String, GitError),
    #[error("no temporary directory: {0}")]
    Scratch(std::io::Error),
    #[error("{0} is behind a link that leads out of main's files")]
    LeadsOut(String),
    #[error("main's files cannot be loaded: {0}")]
    Invalid(String),
}

/// The cases of main, by suite and id.
pub(super) type MainCases = HashMap<(SuiteId, CaseId), Case>;

/// Says of each case whose key differs from main's how it is judged there. For main's own commit there is nothing to say.
pub(super) fn attach(
    settings: &Settings,
    suites: &mut [PlannedSuite],
    located: &Located,
    dirty: bool,
    flags: &Overrides,
) {
    let is_change = !located.circumstances.on_main || dirty;
    let Some(reference) = located.reference.as_ref().filter(|_| is_change) else { return };
    let differs = |suite: &PlannedSuite, planned: &Planned| {
        let before = reference.baseline.suites.get(&suite.settings.id);
        before.and_then(|before| before_of(before, planned)).is_some_and(|before| !has_key_of(before, &planned.case))
    };
    if !suites.iter().any(|suite| suite.cases.iter().any(|planned| planned.chosen && differs(suite, planned))) {
        return;
    }
    let base = reference.info.base.as_ref();
    let without_flags = Overrides { mode: flags.mode, ..Overrides::default() };
    let mut main = main_cases(settings, located, base, &without_flags);
    // Where main runs with the same flag, its key has it.
    let flagged = Overrides { k: flags.k, ..without_flags };
    if let (Ok(main), Some(_)) = (&mut main, flags.k) {
        for (place, case) in main_cases(settings, located, base, &flagged).unwrap_or_default() {
            let before = reference.baseline.suites.get(&place.0).and_then(|suite| suite.cases.get(&place.1));
            if before.is_some_and(|before| has_key_of(before, &case)) {
                main.insert(place, case);
            }
        }
    }
    for suite in suites {
        let all: Vec<bool> = suite.cases.iter().map(|planned| planned.chosen && differs(suite, planned)).collect();
        let id = suite.settings.id.clone();
        for (planned, _) in suite.cases.iter_mut().zip(all).filter(|(_, differs)| *differs) {
            planned.main_key = main_key(&id, &planned.case, main.as_ref());
        }
    }
}

fn before_of<'a>(suite: &'a BaselineSuite, planned: &Planned) -> Option<&'a BaselineCase> {
    suite.cases.get(&planned.case.id)
}

/// Whether the baseline was judged by the key that a case has now. Release 0.1 hashed question and key together.
fn has_key_of(before: &BaselineCase, case: &Case) -> bool {
    match &before.key {
        Some(key) => key == case.key.hash(),
        None => before.fingerprint.as_ref() == Some(&case.fingerprint),
    }
}

fn main_key(suite: &SuiteId, case: &Case, main: Result<&MainCases, &KeysError>) -> MainKey {
    let main = match main {
        Ok(main) => main,
        Err(error) => return MainKey::Edited { diff: None, why_not: error.to_string() },
    };
    let Some(theirs) = main.get(&(suite.clone(), case.id.clone())) else {
        let why_not = "the commit that this change is based on does not have the case".to_owned();
        return MainKey::Edited { diff: None, why_not };
    };
    // The baseline may be older than the commit that the change is based on.
    if theirs.key.hash() == case.key.hash() {
        return MainKey::Same;
    }
    let (now, before) = case.key.texts(&theirs.key);
    let diff = TextDiff::from_lines(&before, &now).unified_diff().context_radius(1).to_string();
    let diff = truncate_middle(diff.trim_end(), LONGEST_DIFF);
    match case.question.with_key_of(&theirs.question) {
        Some(question) => MainKey::Judges { question: Arc::new(question), diff },
        None => MainKey::Edited { diff: Some(diff), why_not: "judging it needs more than its answer".to_owned() },
    }
}

/// The cases as the base of the change has them.
fn main_cases(
    settings: &Settings,
    located: &Located,
    base: Option<&Sha>,
    flags: &Overrides,
) -> Result<MainCases, KeysError> {
    let scratch = tempfile::tempdir().map_err(KeysError::Scratch)?;
    let root = match (&located.base_files, base) {
        (Some(folder), _) => folder.clone(),
        (None, Some(base)) => written(settings, base, scratch.path())?,
        (None, None) => return Err(KeysError::NoBase),
    };
    load(&root.join(file_name(&settings.config)), flags)
}

/// Writes the files of a commit, and returns the directory of the configuration among them.
fn written(settings: &Settings, base: &Sha, into: &Path) -> Result<PathBuf, KeysError> {
    let failed = |error| KeysError::Git(base.short().to_owned(), error);
    let git = Git::open(&settings.root).map_err(failed)?.ok_or(KeysError::NoBase)?;
    if !git.has_commit(base).map_err(failed)? {
        return Err(KeysError::NoBase);
    }
    git.write_tree(base, into).map_err(failed)?;
    Ok(into.join(git.prefix().map_err(failed)?))
}

/// The temporary directory that a folder is in.
fn top_of(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let temporary = std::env::temp_dir().canonicalize().ok()?;
    let inside = folder.strip_prefix(&temporary).ok().and_then(|inside| inside.components().next());
    Some(inside.map_or(folder.clone(), |first| temporary.join(first)))
}

/// Loads every case of a configuration.
pub(super) fn load(config: &Path, flags: &Overrides) -> Result<MainCases, KeysError> {
    let invalid = |errors: InputErrors| KeysError::Invalid(errors.to_string().lines().next().unwrap_or("").to_owned());
    let (settings, errors) = Settings::load(config, flags).map_err(invalid)?;
    errors.into_result().map_err(invalid)?;
    // A link that leads out of these files leads to those of the change.
    let top = config.parent().and_then(top_of).unwrap_or_default();
    for found in settings.suites.iter().flat_map(|suite| suite.files.found()) {
        if !found.path.canonicalize().is_ok_and(|path| path.starts_with(&top)) {
            return Err(KeysError::LeadsOut(found.shown.clone()));
        }
    }
    let (suites, _) = suites::load(&settings.config, &settings.suites).map_err(invalid)?;
    let mut cases = MainCases::new();
    for suite in suites {
        for case in suite.cases {
            cases.insert((suite.settings.id.clone(), case.id.clone()), case);
        }
    }
    Ok(cases)
}
