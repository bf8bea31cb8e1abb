//! One suite as the configuration defines it, checked.

use std::path::PathBuf;

use super::Kind;
use super::config::{CasesAre, SuiteConfig};
use crate::input::{Document, FileSet, Found, InputErrors, TrackedFiles, words};
use crate::model::{AnswersFrom, ChangedPaths, Fingerprint, Policy, SuiteId, SuiteSource, normal};
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
    /// The same as the configuration writes it.
    pub target_text: Option<String>,
    /// What it is held to.
    pub policy: Policy,
    /// Whether answers vary from run to run.
    pub varies: bool,
    /// With `--changed-since`: what it depends on; nothing if it always runs.
    pub paths: Vec<String>,
    /// The files that git tracks.
    pub tracked: TrackedFiles,
    /// A hash of the tracked files that its target's command line and its `paths` name; only where answers are recorded and
    /// the target is a process.
    pub subject: Option<Fingerprint>,
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

    /// How its answers come about.
    pub fn answers(&self) -> SuiteSource {
        let target = self.target_text.clone();
        let answers = match (self.kind.rules().cases, self.source) {
            (CasesAre::Results { .. }, _) => {
                let files: Vec<&str> = self.files.found().iter().map(|found| found.shown.as_str()).collect();
                return SuiteSource { answers: AnswersFrom::AnotherTool, target: Some(files.join(", ")) };
            }
            (_, Source::Recordings) => AnswersFrom::Recordings,
            (_, Source::Target | Source::Recorder) if self.target.properties().is_recorded() => AnswersFrom::Recordings,
            (_, Source::Nobody) => AnswersFrom::Nobody,
            (_, Source::Target | Source::Recorder) if self.target.is_none() => AnswersFrom::Cases,
            (_, Source::Target | Source::Recorder) => AnswersFrom::Target,
        };
        SuiteSource { answers, target }
    }

    /// Says which files git tracks, and with that which version of its target this is.
    pub fn set_tracked(&mut self, tracked: &TrackedFiles) {
        self.tracked = tracked.clone();
        let named = self.target.properties().named_files();
        if self.recordings.is_none() || named.is_empty() {
            return;
        }
        let mut files = tracked.named(&self.root, named);
        files.extend(tracked.matching(&self.root, &self.paths));
        self.subject = Some(Fingerprint::of(&serde_json::json!(files)));
    }

    /// The files of its cases that git does not track.
    pub fn untracked_cases(&self) -> Vec<&str> {
        if matches!(self.kind.rules().cases, CasesAre::Results { .. }) {
            return Vec::new();
        }
        let found = self.files.found().iter().filter(|found| !self.tracked.has_any_of(&found.path));
        found.map(|found| found.shown.as_str()).collect()
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

    /// The patterns and the paths that the suite depends on.
    pub fn dependencies(&self) -> (Vec<String>, Vec<String>) {
        let target = self.target.properties();
        let sets: Vec<&FileSet> =
            self.config.file_sets().into_iter().chain(target.file_sets()).chain([&self.files]).collect();
        // A file that is gone is no longer found, but its pattern still matches it.
        let patterns = self.paths.iter().cloned().chain(sets.iter().flat_map(|set| set.globs())).collect();
        let found = sets.iter().flat_map(|set| set.found()).chain(&self.recordings);
        let mut paths: Vec<String> = found.map(|found| found.shown.clone()).collect();
        let words = target.named_files().into_iter().flat_map(words);
        paths.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        paths.extend(python_modules(&target.named_files()));
        (patterns, paths)
    }
}

/// What `python3 -m tool.main` runs: the package `tool`, or the module `tool.py`.
fn python_modules(arguments: &[&str]) -> Vec<String> {
    let words: Vec<&str> = arguments.iter().flat_map(|text| text.split_whitespace()).collect();
    let after = words.windows(2).filter(|pair| pair[0] == "-m").map(|pair| pair[1]);
    let joined = words.iter().filter_map(|word| word.strip_prefix("-m"));
    let names = after.chain(joined).filter_map(|name| name.split('.').next()).filter(|name| !name.is_empty());
    names.flat_map(|name| [name.to_owned(), format!("{name}.py")]).collect()
}
