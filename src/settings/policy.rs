//! What a suite is held to, checked.

use std::collections::BTreeMap;

use super::sections::{AllowRemovedSection, CasePolicySection, MaxErrorsSection, QuarantineSection, ThresholdSection};
use crate::input::{Place, is_slip, nearest};
use crate::model::{Better, CaseId, MaxErrors, Nature, Quarantine, Threshold};
use crate::suites::Kind;
use crate::targets::TargetSettings;

/// Thresholds of metrics. `place` is the table that has them.
pub(super) fn validate_gate(
    kind: Kind,
    of: ThresholdOf,
    gate: &BTreeMap<String, ThresholdSection>,
    place: &Place<'_>,
) -> BTreeMap<String, Threshold> {
    let specs = kind.metrics();
    let mut thresholds = BTreeMap::new();
    for (name, section) in gate {
        let place = place.join(name);
        let spec = specs.iter().find(|spec| spec.name == name);
        // The cases of an imported suite bring metrics of their own names.
        let may_be_theirs = kind == Kind::Imported && !specs.iter().any(|spec| is_slip(name, spec.name));
        if spec.is_none() && !may_be_theirs {
            let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
            let help = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known: {}", known.join(", ")),
            };
            place.key_error_with_help(format!("unknown metric `{name}` of a {kind} suite"), help);
        }
        if let Some(spec) = spec {
            validate_threshold(name, of, *section, &place, spec.better);
        }
        // The results call a ceiling `min`, too. With the wrong key it is a mistake, and still what was meant.
        let ThresholdSection { min, max, target, max_drop } = *section;
        let limit = match spec.map(|spec| spec.better) {
            Some(Better::Lower) => max.or(min),
            Some(Better::Higher) | None => min.or(max),
        };
        thresholds.insert(name.clone(), Threshold { min: limit, target, max_drop });
    }
    thresholds
}

/// Where a threshold stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ThresholdOf {
    /// The suite as a whole.
    Suite,
    /// One slice of it.
    Slice,
}

fn validate_threshold(name: &str, of: ThresholdOf, threshold: ThresholdSection, place: &Place<'_>, better: Better) {
    let ThresholdSection { min, max, target, max_drop } = threshold;
    let (own, limit, other, other_limit) = match better {
        Better::Higher => ("min", min, "max", max),
        Better::Lower => ("max", max, "min", min),
    };
    if min.is_none() && max.is_none() && target.is_none() && max_drop.is_none() {
        place.error(format!("says neither `{own}`, `max-drop` nor `target`, so it gates nothing"));
    }
    if let Some(value) = other_limit {
        let (direction, kind) = match better {
            Better::Higher => ("higher", "floor"),
            Better::Lower => ("lower", "ceiling"),
        };
        let message = format!("{direction} is better for {name}, so `{other}` is no limit");
        place.join(other).error_with_help(message, format!("write `{own} = {value}` for a {kind}"));
    }
    for (key, value) in [(own, limit), ("target", target)] {
        if let Some(problem) = value.and_then(|value| never_decides(name, value, better)) {
            place.join(key).error(problem);
        }
    }
    if let (Some(limit), Some(target)) = (limit, target)
        && !better.meets(target, limit)
    {
        place.join("target").error(format!("is easier to reach than `{own}`"));
    }
    let is_expense = Nature::of(name).is_expense();
    if let Some(drop) = max_drop {
        let place = place.join("max-drop");
        if is_expense && of == ThresholdOf::Slice {
            place.error(format!("{name} is not compared in a slice, so this gates nothing"));
        } else if !is_expense && drop >= 1.0 {
            place.error(format!("{name} can't fall by more than {drop}, so this gates nothing"));
        }
    }
}

/// Why a limit says nothing about what is measured: every value meets it, or none does.
fn never_decides(name: &str, limit: f64, better: Better) -> Option<String> {
    match better {
        Better::Higher if better.meets(0.0, limit) => {
            Some(format!("{limit} holds whatever is measured, so it gates nothing"))
        }
        Better::Higher if !better.meets(1.0, limit) => {
            Some(format!("{limit} can never be reached: {name} is at most 1"))
        }
        // What costs nothing costs 0; what takes no time does not exist.
        Better::Lower if limit < 0.0 || (limit == 0.0 && Nature::of(name) == Nature::Latency) => {
            Some(format!("{limit} can never be met: {name} is more than that"))
        }
        Better::Higher | Better::Lower => None,
    }
}

/// How far every metric may fall, or must fall to count. `place` is the key's.
pub(super) fn validate_drop(drop: Option<f64>, place: &Place<'_>) {
    if let Some(drop) = drop.filter(|drop| *drop >= 1.0) {
        place.error(format!("no metric can fall by more than {drop}, so this gates nothing"));
    }
}

pub(super) fn validate_slices(
    kind: Kind,
    slices: &BTreeMap<String, BTreeMap<String, ThresholdSection>>,
    place: &Place<'_>,
) -> BTreeMap<String, BTreeMap<String, Threshold>> {
    let mut all = BTreeMap::new();
    for (slice, metrics) in slices {
        let place = place.join(slice);
        if !slice.contains('=') {
            place.key_error_with_help(format!("`{slice}` is no slice"), "write it like \"lane=code\"");
        }
        all.insert(slice.clone(), validate_gate(kind, ThresholdOf::Slice, metrics, &place));
    }
    all
}

pub(super) fn validate_quarantine(sections: &[CasePolicySection], place: &Place<'_>) -> BTreeMap<CaseId, Quarantine> {
    let mut all = BTreeMap::new();
    for (index, CasePolicySection { case, quarantine }) in sections.iter().enumerate() {
        let place = place.join(index);
        let QuarantineSection { owner, until, reason } = quarantine.clone();
        if until.parse::<jiff::civil::Date>().is_err() || until.len() != 10 {
            let place = place.join("quarantine").join("until");
            place.error_with_help(format!("`{until}` is not a day"), "write it like \"2026-12-31\"");
        }
        if all.insert(CaseId::new(case.clone()), Quarantine { owner, until, reason }).is_some() {
            place.join("case").error(format!("a second policy for `{case}`"));
        }
    }
    all
}

/// The cases that may go. Only `*` alone stands for others.
pub(super) fn validate_allow_removed(section: &AllowRemovedSection, place: &Place<'_>) -> Vec<String> {
    let check = |id: &str, place: &Place<'_>| {
        if id.trim().is_empty() {
            place.error("an id must not be empty");
        } else if id != "*" && id.contains('*') {
            let help = "name each case, or all of them with `\"*\"`";
            place.error_with_help(format!("`{id}` is taken literally, and no case is called so"), help);
        }
    };
    match section {
        AllowRemovedSection::One(id) => check(id, place),
        AllowRemovedSection::Each(ids) => {
            ids.iter().enumerate().for_each(|(index, id)| check(id, &place.join(index)));
        }
    }
    section.clone().into()
}

pub(super) fn validate_max_errors(
    section: Option<&MaxErrorsSection>,
    target: Option<&TargetSettings>,
    place: &Place<'_>,
) -> MaxErrors {
    match section {
        // A model behind a network is allowed a bad moment.
        None if target.is_some_and(|target| target.model().is_some()) => MaxErrors::Share(0.02),
        None => MaxErrors::Count(0),
        Some(MaxErrorsSection::Count(count)) => MaxErrors::Count(*count),
        Some(MaxErrorsSection::Share(text)) => {
            let percent = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
            match percent.filter(|percent| (0.0..=100.0).contains(percent)) {
                Some(percent) => {
                    if percent >= 100.0 {
                        place.error(format!("`{text}` is never exceeded, so a run without any answer would pass"));
                    }
                    MaxErrors::Share(percent / 100.0)
                }
                None => {
                    place.error(format!("`{text}` is neither a count nor a share such as \"2%\""));
                    MaxErrors::Count(0)
                }
            }
        }
    }
}
