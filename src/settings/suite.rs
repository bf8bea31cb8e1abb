//! One suite's section, checked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::file::{MaxErrorsSection, PassAtIds, PassAtSection, SuiteSection, ThresholdSection};
use super::{Overrides, TargetSettings, parse_duration, target};
use crate::aggregate::metric_specs;
use crate::input::{Document, Found, Ignored, Mistakes, Pointer, expand_globs, find_directory, nearest};
use crate::model::{Better, Kind, Mode, SuiteId};

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
    /// Metric name → what it is held to.
    pub gate: BTreeMap<String, Threshold>,
    /// How often each case is asked.
    pub repeat: usize,
    /// The share of attempts that must pass.
    pub pass_share: f64,
    /// How many answers may be impossible to have.
    pub max_errors: MaxErrors,
    /// How many answers are asked for at the same time, if the user said so.
    pub jobs: Option<usize>,
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

/// What a metric is held to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The floor; a ceiling where lower is better.
    pub min: Option<f64>,
    /// What is aimed at.
    pub target: Option<f64>,
}

/// How many answers may be impossible to have before a run counts as broken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaxErrors {
    /// So many.
    Count(usize),
    /// This share of all that were asked for, 0…1.
    Share(f64),
}

impl MaxErrors {
    /// The largest number of errors allowed among `asked`.
    pub fn allowed(self, asked: usize) -> usize {
        match self {
            Self::Count(count) => count,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "a share between 0 and 1 of a count of cases"
            )]
            Self::Share(share) => (share * asked as f64).floor() as usize,
        }
    }
}

/// The default of `timeout` for a target.
const fn default_timeout(kind: Kind) -> Duration {
    match kind {
        Kind::Scenario => Duration::from_secs(15 * 60),
        Kind::Command | Kind::Retrieval => Duration::from_secs(30),
        Kind::Golden => Duration::from_secs(60),
    }
}

pub(super) fn settle(
    root: &Path,
    document: &Document,
    at: &Pointer,
    section: SuiteSection,
    overrides: &Overrides,
    mistakes: &mut Mistakes,
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
        repeat,
        pass_share,
        max_errors,
        timeout,
        jobs,
    } = section;

    let misplaced = [("builtin-cases", builtin_cases), ("k", k.is_some())];
    for (key, _) in misplaced.iter().filter(|(_, given)| *given && kind != Kind::Retrieval) {
        mistakes.push(document.mistake_at_key(&at.join(key), format!("only a retrieval suite has `{key}`")));
    }
    let (pass_at, pass_score) = settle_pass_at(document, &at.join("pass-at"), kind, pass_at, mistakes);
    if cases.is_empty() && !builtin_cases {
        mistakes.push(document.mistake(at, "a suite needs `cases`"));
    }
    let files = match kind {
        Kind::Golden => settle_module(root, document, &at.join("cases"), &cases, mistakes),
        Kind::Scenario | Kind::Command | Kind::Retrieval => {
            settle_files(root, document, &at.join("cases"), &cases, Ignored::Found, mistakes)
        }
    };
    let programs = settle_files(root, document, &at.join("programs"), &programs, Ignored::Found, mistakes);
    let timeout = match timeout.as_deref().map(parse_duration) {
        None => default_timeout(kind),
        Some(Ok(duration)) => duration,
        Some(Err(why)) => {
            mistakes.push(document.mistake(&at.join("timeout"), why));
            default_timeout(kind)
        }
    };
    let timeout = overrides.timeout.unwrap_or(timeout);
    let has_target = target.is_some();
    let env_without_target = !has_target && !env.is_empty();
    let target = match target {
        Some(section) => {
            let suite = target::Suite { kind, env, timeout };
            target::settle(root, document, &at.join("target"), suite, section, mistakes)
        }
        None if kind == Kind::Scenario => Some(TargetSettings::Nobody),
        None if kind == Kind::Retrieval && builtin_cases => Some(TargetSettings::Nobody),
        // Answers that were recorded elsewhere, keyed by the input alone.
        None if recordings.is_some() && matches!(overrides.mode, Mode::Auto | Mode::Replay) => {
            Some(TargetSettings::Nobody)
        }
        None => {
            mistakes.push(document.mistake(at, format!("a {kind} suite needs a `target`, the system under test")));
            None
        }
    };
    if builtin_cases && has_target {
        let message = "the built-in cases are about a corpus in the binary, not about this target";
        mistakes.push(
            document.mistake_at_key(&at.join("builtin-cases"), message).with_help("give them a suite of their own"),
        );
    }
    if env_without_target {
        mistakes.push(document.mistake_at_key(&at.join("env"), "there is no target that could see these"));
    }
    if kind != Kind::Command && !programs.is_empty() {
        mistakes.push(document.mistake(&at.join("programs"), "only a command suite has program tables"));
    }
    let gate = settle_gate(document, at, kind, gate, mistakes);
    let floor = gate.get("avg-score").and_then(|threshold| threshold.min);
    if kind == Kind::Golden && pass_score.is_none() && floor.is_none() && target.is_some() {
        let help = "say `avg-score = { min = … }` in its gate, or `pass-at = …`";
        mistakes.push(document.mistake(at, "nothing says which score a case needs to pass").with_help(help));
    }
    let source = settle_source(document, at, kind, recordings.as_deref(), target.as_ref(), overrides.mode, mistakes);
    let max_errors = settle_max_errors(document, at, max_errors, target.as_ref(), mistakes);

    // With mistakes nothing will run, but the cases are still looked into for more of them.
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
        gate,
        repeat: overrides.repeat.or(repeat).unwrap_or(1),
        pass_share: pass_share.unwrap_or(0.5),
        max_errors,
        jobs: overrides.jobs.or(jobs),
    }
}

/// A golden suite is one module, a folder.
fn settle_module(
    root: &Path,
    document: &Document,
    at: &Pointer,
    cases: &[String],
    mistakes: &mut Mistakes,
) -> Vec<Found> {
    if cases.len() > 1 {
        let message = "a golden suite is one module, one folder";
        mistakes.push(document.mistake(&at.join(1), message).with_help("give each module a suite of its own"));
    }
    let mut found = Vec::new();
    for (index, folder) in cases.iter().enumerate().take(1) {
        match find_directory(root, folder) {
            Ok(folder) => found.push(folder),
            Err(why) => mistakes.push(document.mistake(&at.join(index), why)),
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
    mistakes: &mut Mistakes,
) -> (PassAt, Option<f64>) {
    match (kind, section) {
        (_, None) => (PassAt::Any, None),
        (Kind::Retrieval, Some(PassAtSection::Ids(PassAtIds::Any))) => (PassAt::Any, None),
        (Kind::Retrieval, Some(PassAtSection::Ids(PassAtIds::All))) => (PassAt::All, None),
        (Kind::Golden, Some(PassAtSection::Score(score))) => {
            if !(score > 0.0 && score <= 1.0) {
                mistakes.push(document.mistake(at, format!("{score} is not a score between 0 and 1")));
            }
            (PassAt::Any, Some(score))
        }
        (Kind::Retrieval, Some(PassAtSection::Score(_))) => {
            mistakes.push(document.mistake(at, "a retrieval suite passes at \"any\" or \"all\""));
            (PassAt::Any, None)
        }
        (Kind::Golden, Some(PassAtSection::Ids(_))) => {
            mistakes.push(document.mistake(at, "a golden suite passes at a score, such as 0.7"));
            (PassAt::Any, None)
        }
        (Kind::Scenario | Kind::Command, Some(_)) => {
            mistakes.push(document.mistake_at_key(at, format!("a {kind} suite has no `pass-at`")));
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
    mistakes: &mut Mistakes,
) -> Source {
    if recordings.is_some() {
        let message = match kind {
            Kind::Command | Kind::Golden => None,
            Kind::Retrieval => Some("a retrieval suite replays with `target = { recorded = \"…\" }`"),
            Kind::Scenario => Some("a scenario has no recordings: an edit that is written down is one"),
        };
        if let Some(message) = message {
            mistakes.push(document.mistake_at_key(&at.join("recordings"), message));
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
    mistakes: &mut Mistakes,
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
            Err(why) => mistakes.push(document.mistake(&at.join(index), why)),
        }
    }
    files
}

fn settle_gate(
    document: &Document,
    at: &Pointer,
    kind: Kind,
    gate: BTreeMap<String, ThresholdSection>,
    mistakes: &mut Mistakes,
) -> BTreeMap<String, Threshold> {
    let at = at.join("gate");
    let specs = metric_specs(kind);
    for (name, threshold) in &gate {
        if !specs.iter().any(|spec| spec.name == name) {
            let mistake = document.mistake_at_key(&at.join(name), format!("unknown metric `{name}` of a {kind} suite"));
            let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
            mistakes.push(match nearest(name, names.iter().copied()) {
                Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
                None => mistake.with_help(format!("known: {}", names.join(", "))),
            });
        }
        let ThresholdSection { min, target } = threshold;
        if min.is_none() && target.is_none() {
            mistakes.push(document.mistake(&at.join(name), "says neither `min` nor `target`, so it gates nothing"));
        }
        let at = at.join(name);
        let is_time = specs.iter().any(|spec| spec.name == name && spec.better == Better::Lower);
        if let Some(min) = min.filter(|min| *min <= 0.0) {
            mistakes.push(
                document.mistake(&at.join("min"), format!("{min} holds whatever is measured, so it gates nothing")),
            );
        }
        if let Some(min) = min.filter(|min| *min > 1.0 && !is_time) {
            mistakes
                .push(document.mistake(&at.join("min"), format!("{min} can never be reached: {name} is at most 1")));
        }
        if let (Some(min), Some(target)) = (min, target)
            && ((target < min && !is_time) || (target > min && is_time))
        {
            mistakes.push(document.mistake(&at.join("target"), "is easier to reach than `min`"));
        }
    }
    gate.into_iter().map(|(name, ThresholdSection { min, target })| (name, Threshold { min, target })).collect()
}

fn settle_max_errors(
    document: &Document,
    at: &Pointer,
    section: Option<MaxErrorsSection>,
    target: Option<&TargetSettings>,
    mistakes: &mut Mistakes,
) -> MaxErrors {
    match section {
        // A model behind a network is allowed a bad moment.
        None if matches!(target, Some(TargetSettings::OpenAi(_))) => MaxErrors::Share(0.02),
        None => MaxErrors::Count(0),
        Some(MaxErrorsSection::Count(count)) => MaxErrors::Count(count),
        Some(MaxErrorsSection::Share(text)) => {
            let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
            match percent.filter(|percent| (0.0..=100.0).contains(percent)) {
                Some(percent) => MaxErrors::Share(percent / 100.0),
                None => {
                    let message = format!("`{text}` is neither a count nor a share such as \"2%\"");
                    mistakes.push(document.mistake(&at.join("max-errors"), message));
                    MaxErrors::Count(0)
                }
            }
        }
    }
}
