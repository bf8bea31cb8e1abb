//! What a suite is held to, checked.

use std::collections::BTreeMap;

use super::sections::{CasePolicySection, MaxErrorsSection, QuarantineSection, ThresholdSection};
use crate::input::{Place, nearest};
use crate::model::{Better, CaseId, MaxErrors, MetricSpec, Quarantine, Threshold};
use crate::suites::Kind;
use crate::targets::TargetSettings;

/// Thresholds of metrics. `place` is the table that has them.
pub(super) fn validate_gate(
    kind: Kind,
    gate: &BTreeMap<String, ThresholdSection>,
    place: &Place<'_>,
) -> BTreeMap<String, Threshold> {
    let specs = kind.metrics();
    let mut thresholds = BTreeMap::new();
    for (name, section) in gate {
        let place = place.join(name);
        let spec = specs.iter().find(|spec| spec.name == name);
        if spec.is_none() {
            let known: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
            let help = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known: {}", known.join(", ")),
            };
            place.key_error_with_help(format!("unknown metric `{name}` of a {kind} suite"), help);
        }
        validate_threshold(name, spec, *section, &place);
        let ThresholdSection { min, target, max_drop } = *section;
        thresholds.insert(name.clone(), Threshold { min, target, max_drop });
    }
    thresholds
}

fn validate_threshold(name: &str, spec: Option<&MetricSpec>, threshold: ThresholdSection, place: &Place<'_>) {
    let ThresholdSection { min, target, max_drop } = threshold;
    if min.is_none() && target.is_none() && max_drop.is_none() {
        place.error("says neither `min`, `max-drop` nor `target`, so it gates nothing");
    }
    let lower_is_better = spec.is_some_and(|spec| spec.better == Better::Lower);
    if let Some(min) = min.filter(|min| *min <= 0.0) {
        place.join("min").error(format!("{min} holds whatever is measured, so it gates nothing"));
    }
    if let Some(min) = min.filter(|min| *min > 1.0 && !lower_is_better) {
        place.join("min").error(format!("{min} can never be reached: {name} is at most 1"));
    }
    if let (Some(min), Some(target)) = (min, target)
        && ((target < min && !lower_is_better) || (target > min && lower_is_better))
    {
        place.join("target").error("is easier to reach than `min`");
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
        all.insert(slice.clone(), validate_gate(kind, metrics, &place));
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
                Some(percent) => MaxErrors::Share(percent / 100.0),
                None => {
                    place.error(format!("`{text}` is neither a count nor a share such as \"2%\""));
                    MaxErrors::Count(0)
                }
            }
        }
    }
}
