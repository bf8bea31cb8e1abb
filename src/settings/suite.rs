//! One suite's section, checked.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::policy::ThresholdOf;
use super::sections::{CommonSection, FlipsSection};
use super::suite_section::{SuiteSection, kinds_with};
use super::{Overrides, Source, SuiteSettings, parse_duration, policy};
use crate::input::{FileSet, Found, InputErrors, Place, TrackedFiles};
use crate::model::{Flips, Mode, Policy, SuiteId, Threshold};
use crate::suites::Kind;
use crate::suites::config::{CasesAre, SuiteContext};
use crate::suites::scenario::adapters::Adapter;
use crate::targets::{self, SuiteFacts, TargetRules, TargetSettings};
use crate::text::{glob, truncate_middle};

/// What every suite is checked against.
pub(super) struct SuiteValidation<'a> {
    pub(super) root: &'a Path,
    pub(super) overrides: &'a Overrides,
    pub(super) adapters: &'a Arc<BTreeMap<String, Adapter>>,
    pub(super) alpha: f64,
}

/// Checks a suite. With mistakes nothing will run, but the cases are still looked into for more of them.
pub(super) fn validate(section: SuiteSection, context: &SuiteValidation<'_>, place: &Place<'_>) -> SuiteSettings {
    let SuiteSection { common, own, foreign } = section;
    let (kind, rules) = (common.kind, common.kind.rules());
    for key in foreign {
        place.join(&key).key_error(format!("only {} suite has `{key}`", either(&kinds_with(&key))));
    }
    let brought = own.brought_target();
    if common.cases.is_empty() && brought.is_none() {
        place.error("a suite needs `cases`");
    }
    let target = validate_target(&common, brought, context, place);
    let gate = policy::validate_gate(kind, ThresholdOf::Suite, &common.gate, &place.join("gate"));
    let config = own.validate(
        &SuiteContext {
            overrides: context.overrides,
            target: target.as_ref(),
            refusal: common.target.as_ref().and_then(|target| target.refusal.as_ref()),
            gate: &gate,
            adapters: context.adapters,
        },
        place,
    );
    let source = validate_source(&common, target.as_ref(), context.overrides.mode, place);
    let repeat = validate_repeat(&common, context.overrides, place);
    let mut policy = validate_policy(&common, gate, target.as_ref(), place);
    policy.alpha = context.alpha;
    config.hold_to(&mut policy);
    validate_paths(&common.paths, &place.join("paths"));
    let is_live = matches!(source, Source::Target | Source::Recorder);
    let is_model = target.as_ref().is_some_and(|target| target.model().is_some());
    let files = match rules.cases {
        CasesAre::Files | CasesAre::Results { .. } => FileSet::files(&place.join("cases"), common.cases),
        CasesAre::OneFolder { message, help } => {
            if common.cases.len() > 1 {
                place.join("cases").join(1).error_with_help(message, help);
            }
            FileSet::folder(&place.join("cases"), common.cases)
        }
    };
    SuiteSettings {
        root: context.root.to_owned(),
        id: SuiteId::new(common.id),
        kind,
        config,
        files,
        unavailable: InputErrors::new(),
        source,
        recordings: common.recordings.map(|file| Found { path: context.root.join(&file), shown: file }),
        target: target.unwrap_or(TargetSettings::NONE),
        target_text: Some(place.join("target").value()).filter(|value| !value.is_null()).map(|value| value.to_string()),
        policy,
        varies: common.varies.unwrap_or(repeat > 1 || (is_live && is_model)),
        paths: common.paths,
        tracked: TrackedFiles::default(),
        subject: None,
        repeat,
        jobs: context.overrides.jobs.or(common.jobs),
    }
}

/// The kinds in a sentence: `a golden or a retrieval`.
fn either(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| format!("a {kind}")).collect::<Vec<_>>().join(" or ")
}

/// The system under test; nothing if there is a mistake in it.
fn validate_target(
    common: &CommonSection,
    brought: Option<TargetSettings>,
    context: &SuiteValidation<'_>,
    place: &Place<'_>,
) -> Option<TargetSettings> {
    let CommonSection { kind, recordings, target, env, .. } = common;
    let timeout = validate_timeout(common, context.overrides, place);
    let rules = kind.rules().target;
    if let Some(section) = target {
        let place = place.join("target");
        let asks = match rules {
            TargetRules::Required(asks) | TargetRules::Optional(asks) => asks,
            TargetRules::Refused(why) => {
                place.error(why);
                return None;
            }
        };
        let facts = SuiteFacts { kind: kind.name(), asks, root: context.root, env: env.clone(), timeout };
        return targets::validate(section.clone(), &facts, &place);
    }
    if !env.is_empty() {
        place.join("env").key_error("there is no target that could see these");
    }
    // Answers that were recorded elsewhere, keyed by the input alone.
    let replays = recordings.is_some() && matches!(context.overrides.mode, Mode::Auto | Mode::Replay);
    if matches!(rules, TargetRules::Required(_)) && brought.is_none() && !replays {
        place.error(format!("a {kind} suite needs a `target`, the system under test"));
        return None;
    }
    Some(brought.unwrap_or(TargetSettings::NONE))
}

fn validate_timeout(common: &CommonSection, overrides: &Overrides, place: &Place<'_>) -> Duration {
    let default = common.kind.rules().timeout;
    let own = match common.timeout.as_deref().map(parse_duration) {
        None => default,
        Some(Ok(duration)) => duration,
        Some(Err(why)) => {
            place.join("timeout").error(why.to_string());
            default
        }
    };
    overrides.timeout.unwrap_or(own)
}

/// How often each case is asked.
fn validate_repeat(common: &CommonSection, overrides: &Overrides, place: &Place<'_>) -> usize {
    match common.kind.rules().no_repeat {
        None => overrides.repeat.or(common.repeat).unwrap_or(1),
        Some(why) => {
            if common.repeat.is_some_and(|repeat| repeat > 1) {
                place.join("repeat").key_error(why);
            }
            1
        }
    }
}

/// Where answers come from in this mode.
fn validate_source(common: &CommonSection, target: Option<&TargetSettings>, mode: Mode, place: &Place<'_>) -> Source {
    let has_recordings = common.recordings.is_some();
    if has_recordings && let Some(why) = common.kind.rules().no_recordings {
        place.join("recordings").key_error(why);
        return Source::Target;
    }
    match (mode, has_recordings) {
        (Mode::Auto | Mode::Replay, true) => Source::Recordings,
        (Mode::Record, true) => Source::Recorder,
        (Mode::Live, _) | (Mode::Auto | Mode::Record, false) => Source::Target,
        (Mode::Replay, false) if target.is_some_and(|target| target.properties().asks_outside()) => Source::Nobody,
        (Mode::Replay, false) => Source::Target,
    }
}

/// What the suite is held to, as far as every kind has it.
fn validate_policy(
    common: &CommonSection,
    gate: BTreeMap<String, Threshold>,
    target: Option<&TargetSettings>,
    place: &Place<'_>,
) -> Policy {
    let default = Policy::default();
    policy::validate_drop(common.max_drop, &place.join("max-drop"));
    policy::validate_drop(common.min_effect, &place.join("min-effect"));
    Policy {
        metrics: gate,
        slices: policy::validate_slices(common.kind, &common.slices, &place.join("slices")),
        max_drop: common.max_drop.unwrap_or(default.max_drop),
        min_effect: common.min_effect.unwrap_or(default.min_effect),
        flips: match common.flips {
            None | Some(FlipsSection::Fail) => Flips::Fail,
            Some(FlipsSection::Report) => Flips::Report,
        },
        allow_removed: policy::validate_allow_removed(&common.allow_removed, &place.join("allow-removed")),
        max_errors: policy::validate_max_errors(common.max_errors.as_ref(), target, &place.join("max-errors")),
        pass_share: common.pass_share.unwrap_or(default.pass_share),
        quarantine: policy::validate_quarantine(&common.case_policy, &place.join("case-policy")),
        ..default
    }
}

fn validate_paths(paths: &[String], place: &Place<'_>) {
    for (index, pattern) in paths.iter().enumerate() {
        if let Err(why) = glob(pattern) {
            let shown = truncate_middle(pattern, 100);
            place.join(index).error(format!("`{shown}` is not a pattern: {why}"));
        }
    }
}
