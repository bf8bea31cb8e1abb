//! One suite as the configuration defines it, checked.

use std::path::PathBuf;

use super::Kind;
use super::config::{CasesAre, SuiteConfig};
use crate::input::{Document, FileSet, Found, InputErrors};
use crate::model::{ChangedPaths, Policy, SuiteId, normal};
use crate::targets::{Source, TargetSettings};

/// One suite, ready to be loaded and run once its files are found.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
    /// The directory of the configuration.
    pub root: PathBuf,
    pub id: SuiteId,
    pub kind: Kind,
    /// What only its kind configures.
    pub config: SuiteConfig,
    /// The files that hold its cases, or their folder.
    pub files: FileSet,
    /// Why its results cannot be read, where another tool should have written them.
    pub unavailable: InputErrors,
    /// Where answers come from.
    pub source: Source,
    /// The file of recorded answers, which need not be there yet.
    pub recordings: Option<Found>,
    /// The system under test.
    pub target: TargetSettings,
    /// What it is held to.
    pub policy: Policy,
    /// Whether answers vary from run to run.
    pub varies: bool,
    /// With `--changed-since`: what it depends on; nothing if it always runs.
    pub paths: Vec<String>,
    /// How often each case is asked.
    pub repeat: usize,
    /// How many answers are asked for at the same time, if the user said so.
    pub jobs: Option<usize>,
}

impl SuiteSettings {
    /// Finds the files that it names.
    pub fn resolve(&mut self, document: &Document, errors: &mut InputErrors) {
        let Self { root, kind, config, files, unavailable, target, .. } = self;
        let target = target.properties_mut();
        target.resolve(root);
        for set in config.file_sets_mut().into_iter().chain(target.file_sets_mut()) {
            set.resolve(root, document, errors);
        }
        match kind.rules().cases {
            CasesAre::Files | CasesAre::OneFolder { .. } => files.resolve(root, document, errors),
            CasesAre::Results { help } => {
                files.resolve(root, document, unavailable);
                unavailable.add_help(help);
            }
        }
    }

    /// Whether what changed concerns the suite: what its `paths` name, what it is made of itself, its target, and `more`.
    pub fn is_affected_by(&self, changed: &ChangedPaths, more: &[String]) -> bool {
        if self.paths.is_empty() {
            return true;
        }
        let (patterns, paths) = self.dependencies();
        patterns.iter().any(|pattern| changed.concern_pattern(pattern))
            || paths.iter().chain(more).any(|path| changed.concern_path(&normal(path)))
    }

    /// The files that hold its cases and their recorded answers.
    pub fn case_files(&self) -> Vec<String> {
        self.files.found().iter().chain(&self.recordings).map(|found| found.shown.clone()).collect()
    }

    /// The patterns and the paths that the suite depends on.
    pub fn dependencies(&self) -> (Vec<String>, Vec<String>) {
        let target = self.target.properties();
        let sets: Vec<&FileSet> =
            self.config.file_sets().into_iter().chain(target.file_sets()).chain([&self.files]).collect();
        // A file that is gone is no longer found, but its pattern still matches it.
        let patterns = self.paths.iter().cloned().chain(sets.iter().flat_map(|set| set.globs())).collect();
        let found = sets.iter().flat_map(|set| set.found()).chain(&self.recordings);
        let mut paths: Vec<String> = found.map(|found| found.shown.clone()).collect();
        // A script that a shell is given may name files, too.
        let is_between = |c: char| c.is_whitespace() || "=;|&<>()'\"`".contains(c);
        let words = target.named_files().into_iter().flat_map(|text| text.split(is_between).chain([text]));
        paths.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        (patterns, paths)
    }
}
