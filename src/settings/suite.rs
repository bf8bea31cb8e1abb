//! One suite's section, checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::file::{MaxErrorsSection, PassAtSection, SuiteSection, ThresholdSection};
use super::{Overrides, TargetSettings, parse_duration, target};
use crate::aggregate::metric_specs;
use crate::input::{Document, Found, Ignored, Mistakes, Pointer, expand_globs, nearest};
use crate::model::{Kind, SuiteId};

/// One suite, ready to be loaded and run.
#[derive(Debug, Clone)]
pub struct SuiteSettings {
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

    let misplaced = [("builtin-cases", builtin_cases), ("k", k.is_some()), ("pass-at", pass_at.is_some())];
    for (key, _) in misplaced.iter().filter(|(_, given)| *given && kind != Kind::Retrieval) {
        mistakes.push(document.mistake_at_key(&at.join(key), format!("only a retrieval suite has `{key}`")));
    }
    if cases.is_empty() && !builtin_cases {
        mistakes.push(document.mistake(at, "a suite needs `cases`"));
    }
    let files = settle_files(root, document, &at.join("cases"), &cases, Ignored::Found, mistakes);
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
    let max_errors = settle_max_errors(document, at, max_errors, mistakes);

    // With mistakes nothing will run, but the cases are still looked into for more of them.
    SuiteSettings {
        id: SuiteId::new(id),
        kind,
        files,
        builtin_cases,
        k: overrides.k.or(k),
        pass_at: match pass_at {
            None | Some(PassAtSection::Any) => PassAt::Any,
            Some(PassAtSection::All) => PassAt::All,
        },
        programs,
        target: target.unwrap_or(TargetSettings::Nobody),
        gate,
        repeat: overrides.repeat.or(repeat).unwrap_or(1),
        pass_share: pass_share.unwrap_or(0.5),
        max_errors,
        jobs: overrides.jobs.or(jobs),
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
        let is_time = name.ends_with("-ms");
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
    mistakes: &mut Mistakes,
) -> MaxErrors {
    match section {
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
