//! One suite's section, checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{FlipsSection, PassAtIds, PassAtSection, SuiteSection};
use super::{Overrides, TargetSettings, parse_duration, policy, target};
use crate::input::{Document, Found, Ignored, InputErrors, Pointer, expand_globs, find_directory};
use crate::model::{Flips, Mode, Policy, SuiteId, Threshold};
use crate::suites::Kind;

/// One suite, ready to be loaded and run.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
    /// The directory of the configuration.
    pub root: PathBuf,
    /// Its name.
    pub id: SuiteId,
    /// What it evaluates.
    pub kind: Kind,
    /// The files that hold its cases, in order, each once.
    pub files: Vec<Found>,
    /// Whether the smoke cases in the binary are run, too.
    pub builtin_cases: bool,
    /// How many results are looked at, if the case does not say.
    pub k: Option<usize>,
    /// Which expected ids must be found.
    pub pass_at: PassAt,
    /// Of a golden suite: the score from which on a case passes.
    pub pass_score: f64,
    /// Where answers come from.
    pub source: Source,
    /// The file of recorded answers, which need not be there yet.
    pub recordings: Option<Found>,
    /// Program tables of the user's own.
    pub programs: Vec<Found>,
    /// The system under test.
    pub target: TargetSettings,
    /// What it is held to.
    pub policy: Policy,
    /// Whether answers vary from run to run.
    pub varies: bool,
    /// With `--changed-since`: what it depends on; nothing if it always runs.
    pub paths: Vec<String>,
    /// The patterns of the files that it is made of, so that one that is gone is noticed, too.
    pub patterns: Vec<String>,
    /// How often each case is asked.
    pub repeat: usize,
    /// How many answers are asked for at the same time, if the user said so.
    pub jobs: Option<usize>,
}

impl SuiteSettings {
    /// Whether one of these files concerns the suite: what its `paths` name, what it is made of itself, its target, and
    /// `more`.
    pub fn is_affected_by(&self, changed: &[String], more: &[String]) -> bool {
        if self.paths.is_empty() {
            return true;
        }
        let mut patterns = globset::GlobSetBuilder::new();
        for pattern in self.paths.iter().chain(&self.patterns) {
            match globset::GlobBuilder::new(pattern).literal_separator(true).build() {
                Ok(glob) => patterns.add(glob),
                Err(_) => return true,
            };
        }
        let Ok(patterns) = patterns.build() else { return true };
        let own = self.files.iter().chain(&self.recordings).chain(&self.programs);
        let mut own: Vec<&str> = own.map(|found| found.shown.as_str()).chain(more.iter().map(String::as_str)).collect();
        own.extend(self.target.files());
        changed.iter().any(|file| {
            let inside = |own: &&str| file == own || file.strip_prefix(*own).is_some_and(|rest| rest.starts_with('/'));
            patterns.is_match(file) || own.iter().any(inside)
        })
    }
}

/// Where the answers of a suite come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From its target.
    Target,
    /// From its target, and they are recorded.
    Recorder,
    /// From recordings.
    Recordings,
    /// From nobody: it has no recordings, and no target may run.
    Nobody,
}

/// Which expected ids must be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PassAt {
    /// At least one.
    Any,
    /// Every one that the index holds.
    All,
}

/// The default of `timeout` for a target.
const fn default_timeout(kind: Kind) -> Duration {
    match kind {
        Kind::Scenario => Duration::from_secs(15 * 60),
        Kind::Command | Kind::Retrieval | Kind::Imported => Duration::from_secs(30),
        Kind::Golden => Duration::from_secs(60),
    }
}

pub(super) fn settle(
    root: &Path,
    document: &Document,
    at: &Pointer,
    section: SuiteSection,
    overrides: &Overrides,
    errors: &mut InputErrors,
) -> SuiteSettings {
    let SuiteSection {
        id,
        kind,
        cases,
        builtin_cases,
        k,
        pass_at,
        recordings,
        target,
        env,
        programs,
        gate,
        slices,
        max_drop,
        min_effect,
        flips,
        allow_removed,
        case_policy,
        paths,
        varies,
        repeat,
        pass_share,
        max_errors,
        timeout,
        jobs,
    } = section;

    let misplaced = [("builtin-cases", builtin_cases), ("k", k.is_some())];
    for (key, _) in misplaced.iter().filter(|(_, given)| *given && kind != Kind::Retrieval) {
        errors.push(document.error_at_key(&at.join(key), format!("only a retrieval suite has `{key}`")));
    }
    if kind == Kind::Imported && repeat.is_some_and(|repeat| repeat > 1) {
        errors.push(document.error_at_key(&at.join("repeat"), "nobody is asked for imported results"));
    }
    let (pass_at, pass_score) = settle_pass_at(document, &at.join("pass-at"), kind, pass_at, errors);
    if cases.is_empty() && !builtin_cases {
        errors.push(document.error(at, "a suite needs `cases`"));
    }
    let index = target.as_ref().and_then(|target| target.index.as_ref());
    let indexed = index.into_iter().flat_map(|index| index.code.iter().chain(&index.memory));
    let mut patterns: Vec<String> = cases.iter().chain(&programs).chain(indexed).chain(&recordings).cloned().collect();
    for pattern in &mut patterns {
        *pattern = pattern.trim_start_matches("./").to_owned();
    }
    if kind == Kind::Golden {
        patterns.extend(cases.iter().map(|folder| format!("{}/**", folder.trim_end_matches('/'))));
    }
    let files = match kind {
        Kind::Golden => settle_module(root, document, &at.join("cases"), &cases, errors),
        Kind::Scenario | Kind::Command | Kind::Retrieval | Kind::Imported => {
            settle_files(root, document, &at.join("cases"), &cases, Ignored::Found, errors)
        }
    };
    let programs = settle_files(root, document, &at.join("programs"), &programs, Ignored::Found, errors);
    let timeout = match timeout.as_deref().map(parse_duration) {
        None => default_timeout(kind),
        Some(Ok(duration)) => duration,
        Some(Err(why)) => {
            errors.push(document.error(&at.join("timeout"), why));
            default_timeout(kind)
        }
    };
    let timeout = overrides.timeout.unwrap_or(timeout);
    let has_target = target.is_some();
    let env_without_target = !has_target && !env.is_empty();
    let target = match target {
        Some(section) => {
            let suite = target::Suite { kind, env, timeout };
            target::settle(root, document, &at.join("target"), suite, section, errors)
        }
        None if matches!(kind, Kind::Scenario | Kind::Imported) => Some(TargetSettings::Nobody),
        None if kind == Kind::Retrieval && builtin_cases => Some(TargetSettings::Nobody),
        // Answers that were recorded elsewhere, keyed by the input alone.
        None if recordings.is_some() && matches!(overrides.mode, Mode::Auto | Mode::Replay) => {
            Some(TargetSettings::Nobody)
        }
        None => {
            errors.push(document.error(at, format!("a {kind} suite needs a `target`, the system under test")));
            None
        }
    };
    if builtin_cases && has_target {
        let message = "the built-in cases are about a corpus in the binary, not about this target";
        errors.push(
            document.error_at_key(&at.join("builtin-cases"), message).with_help("give them a suite of their own"),
        );
    }
    if env_without_target {
        errors.push(document.error_at_key(&at.join("env"), "there is no target that could see these"));
    }
    if kind != Kind::Command && !programs.is_empty() {
        errors.push(document.error(&at.join("programs"), "only a command suite has program tables"));
    }
    let gate = policy::settle_gate(document, &at.join("gate"), kind, gate, errors);
    let slices: BTreeMap<String, BTreeMap<String, Threshold>> = slices
        .into_iter()
        .map(|(slice, metrics)| {
            let at = at.join("slices").join(&slice);
            if !slice.contains('=') {
                let message = format!("`{slice}` is no slice");
                errors.push(document.error_at_key(&at, message).with_help("write it like \"lane=code\""));
            }
            let thresholds = policy::settle_gate(document, &at, kind, metrics, errors);
            (slice, thresholds)
        })
        .collect();
    let quarantine = policy::settle_quarantine(document, &at.join("case-policy"), case_policy, errors);
    for (index, pattern) in paths.iter().enumerate() {
        if let Err(error) = globset::Glob::new(pattern) {
            let message = format!("`{pattern}` is not a pattern: {}", error.kind());
            errors.push(document.error(&at.join("paths").join(index), message));
        }
    }
    let floor = gate.get("avg-score").and_then(|threshold| threshold.min);
    if kind == Kind::Golden && pass_score.is_none() && floor.is_none() && target.is_some() {
        let help = "say `avg-score = { min = … }` in its gate, or `pass-at = …`";
        errors.push(document.error(at, "nothing says which score a case needs to pass").with_help(help));
    }
    let source = settle_source(document, at, kind, recordings.as_deref(), target.as_ref(), overrides.mode, errors);
    let max_errors = policy::settle_max_errors(document, at, max_errors, target.as_ref(), errors);

    let (default, repeat) =
        (Policy::default(), if kind == Kind::Imported { 1 } else { overrides.repeat.or(repeat).unwrap_or(1) });
    let is_live = matches!(source, Source::Target | Source::Recorder);
    let is_model = matches!(target, Some(TargetSettings::OpenAi(_)));
    // With errors nothing will run, but the cases are still looked into for more of them.
    SuiteSettings {
        root: root.to_owned(),
        id: SuiteId::new(id),
        kind,
        files,
        builtin_cases,
        k: overrides.k.or(k),
        pass_at,
        pass_score: pass_score.or(floor).unwrap_or(1.0),
        source,
        recordings: recordings.map(|file| Found { path: root.join(&file), shown: file }),
        programs,
        target: target.unwrap_or(TargetSettings::Nobody),
        varies: varies.unwrap_or(repeat > 1 || (is_live && is_model)),
        policy: Policy {
            metrics: gate,
            slices,
            max_drop: max_drop.unwrap_or(default.max_drop),
            min_effect: min_effect.unwrap_or(default.min_effect),
            flips: match flips {
                None | Some(FlipsSection::Fail) => Flips::Fail,
                Some(FlipsSection::Report) => Flips::Report,
            },
            allow_removed,
            max_errors,
            pass_share: pass_share.unwrap_or(default.pass_share),
            pass_at: (kind == Kind::Golden).then_some(pass_score.or(floor)).flatten(),
            all_ids: pass_at == PassAt::All,
            quarantine,
            alpha: default.alpha,
        },
        paths,
        patterns,
        repeat,
        jobs: overrides.jobs.or(jobs),
    }
}

/// A golden suite is one module, a folder.
fn settle_module(
    root: &Path,
    document: &Document,
    at: &Pointer,
    cases: &[String],
    errors: &mut InputErrors,
) -> Vec<Found> {
    if cases.len() > 1 {
        let message = "a golden suite is one module, one folder";
        errors.push(document.error(&at.join(1), message).with_help("give each module a suite of its own"));
    }
    let mut found = Vec::new();
    for (index, folder) in cases.iter().enumerate().take(1) {
        match find_directory(root, folder) {
            Ok(folder) => found.push(folder),
            Err(why) => errors.push(document.error(&at.join(index), why)),
        }
    }
    found
}

/// What passes: ids of a retrieval suite, a score of a golden one.
fn settle_pass_at(
    document: &Document,
    at: &Pointer,
    kind: Kind,
    section: Option<PassAtSection>,
    errors: &mut InputErrors,
) -> (PassAt, Option<f64>) {
    match (kind, section) {
        (_, None) => (PassAt::Any, None),
        (Kind::Retrieval, Some(PassAtSection::Ids(PassAtIds::Any))) => (PassAt::Any, None),
        (Kind::Retrieval, Some(PassAtSection::Ids(PassAtIds::All))) => (PassAt::All, None),
        (Kind::Golden, Some(PassAtSection::Score(score))) => {
            if !(score > 0.0 && score <= 1.0) {
                errors.push(document.error(at, format!("{score} is not a score between 0 and 1")));
            }
            (PassAt::Any, Some(score))
        }
        (Kind::Retrieval, Some(PassAtSection::Score(_))) => {
            errors.push(document.error(at, "a retrieval suite passes at \"any\" or \"all\""));
            (PassAt::Any, None)
        }
        (Kind::Golden, Some(PassAtSection::Ids(_))) => {
            errors.push(document.error(at, "a golden suite passes at a score, such as 0.7"));
            (PassAt::Any, None)
        }
        (Kind::Scenario | Kind::Command | Kind::Imported, Some(_)) => {
            errors.push(document.error_at_key(at, format!("`pass-at` means nothing to the kind `{kind}`")));
            (PassAt::Any, None)
        }
    }
}

/// Where answers come from in this mode.
fn settle_source(
    document: &Document,
    at: &Pointer,
    kind: Kind,
    recordings: Option<&str>,
    target: Option<&TargetSettings>,
    mode: Mode,
    errors: &mut InputErrors,
) -> Source {
    if recordings.is_some() {
        let message = match kind {
            Kind::Command | Kind::Golden => None,
            Kind::Retrieval => Some("a retrieval suite replays with `target = { recorded = \"…\" }`"),
            Kind::Imported => Some("imported results are recordings already"),
            Kind::Scenario => Some("a scenario has no recordings: an edit that is written down is one"),
        };
        if let Some(message) = message {
            errors.push(document.error_at_key(&at.join("recordings"), message));
            return Source::Target;
        }
    }
    let asks_somebody = match target {
        Some(
            TargetSettings::Command(_)
            | TargetSettings::Worker(_)
            | TargetSettings::Agent(_)
            | TargetSettings::Http(_)
            | TargetSettings::OpenAi(_),
        ) => true,
        Some(TargetSettings::Index(_) | TargetSettings::Ranked(_) | TargetSettings::Nobody) | None => false,
    };
    match (mode, recordings) {
        (Mode::Auto | Mode::Replay, Some(_)) => Source::Recordings,
        (Mode::Record, Some(_)) => Source::Recorder,
        (Mode::Live, _) | (Mode::Auto | Mode::Record, None) => Source::Target,
        (Mode::Replay, None) if asks_somebody => Source::Nobody,
        (Mode::Replay, None) => Source::Target,
    }
}

/// The files that the patterns of a key lead to, each once.
pub(super) fn settle_files(
    root: &Path,
    document: &Document,
    at: &Pointer,
    patterns: &[String],
    ignored: Ignored,
    errors: &mut InputErrors,
) -> Vec<Found> {
    let mut files: Vec<Found> = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        match expand_globs(root, pattern, ignored) {
            Ok(found) => {
                for file in found {
                    if !files.contains(&file) {
                        files.push(file);
                    }
                }
            }
            Err(why) => errors.push(document.error(&at.join(index), why)),
        }
    }
    files
}
