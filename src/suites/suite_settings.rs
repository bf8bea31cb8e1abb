//! One suite as the configuration defines it, checked.

use std::path::PathBuf;

use super::Kind;
use super::config::{CasesAre, SuiteConfig};
use crate::input::{Document, FileSet, Found, InputErrors};
use crate::model::{Policy, SuiteId};
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

    /// Whether one of these files concerns the suite: what its `paths` name, what it is made of itself, its target, and
    /// `more`.
    pub fn is_affected_by(&self, changed: &[String], more: &[String]) -> bool {
        if self.paths.is_empty() {
            return true;
        }
        let target = self.target.properties();
        let sets: Vec<&FileSet> =
            self.config.file_sets().into_iter().chain(target.file_sets()).chain([&self.files]).collect();
        // A file that is gone is no longer found, but its pattern still matches it.
        let globs = sets.iter().flat_map(|set| set.globs());
        let recordings = self.recordings.iter().map(|found| found.shown.trim_start_matches("./").to_owned());
        let mut patterns = globset::GlobSetBuilder::new();
        for pattern in self.paths.iter().cloned().chain(globs).chain(recordings) {
            match globset::GlobBuilder::new(&pattern).literal_separator(true).build() {
                Ok(glob) => patterns.add(glob),
                Err(_) => return true,
            };
        }
        let Ok(patterns) = patterns.build() else { return true };
        let found = sets.iter().flat_map(|set| set.found()).chain(&self.recordings);
        let mut own: Vec<&str> =
            found.map(|found| found.shown.as_str()).chain(more.iter().map(String::as_str)).collect();
        own.extend(target.named_files());
        changed.iter().any(|file| {
            let inside = |own: &&str| file == own || file.strip_prefix(*own).is_some_and(|rest| rest.starts_with('/'));
            patterns.is_match(file) || own.iter().any(inside)
        })
    }
}
