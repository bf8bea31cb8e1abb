//! What a suite is held to, checked.

use std::collections::BTreeMap;

use super::TargetSettings;
use super::file::{CasePolicySection, MaxErrorsSection, QuarantineSection, ThresholdSection};
use crate::aggregate::metric_specs;
use crate::input::{Document, InputErrors, Pointer, nearest};
use crate::model::{Better, CaseId, MaxErrors, Quarantine, Threshold};
use crate::suites::Kind;

pub(super) fn settle_gate(
    document: &Document,
    at: &Pointer,
    kind: Kind,
    gate: BTreeMap<String, ThresholdSection>,
    errors: &mut InputErrors,
) -> BTreeMap<String, Threshold> {
    let specs = metric_specs(kind);
    for (name, threshold) in &gate {
        if !specs.iter().any(|spec| spec.name == name) {
            let mistake = document.error_at_key(&at.join(name), format!("unknown metric `{name}` of a {kind} suite"));
            let names: Vec<&str> = specs.iter().map(|spec| spec.name).collect();
            errors.push(match nearest(name, names.iter().copied()) {
                Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
                None => mistake.with_help(format!("known: {}", names.join(", "))),
            });
        }
        let ThresholdSection { min, target, max_drop } = threshold;
        if min.is_none() && target.is_none() && max_drop.is_none() {
            let message = "says neither `min`, `max-drop` nor `target`, so it gates nothing";
            errors.push(document.error(&at.join(name), message));
        }
        let at = at.join(name);
        let is_time = specs.iter().any(|spec| spec.name == name && spec.better == Better::Lower);
        if let Some(min) = min.filter(|min| *min <= 0.0) {
            errors.push(
                document.error(&at.join("min"), format!("{min} holds whatever is measured, so it gates nothing")),
            );
        }
        if let Some(min) = min.filter(|min| *min > 1.0 && !is_time) {
            errors.push(document.error(&at.join("min"), format!("{min} can never be reached: {name} is at most 1")));
        }
        if let (Some(min), Some(target)) = (min, target)
            && ((target < min && !is_time) || (target > min && is_time))
        {
            errors.push(document.error(&at.join("target"), "is easier to reach than `min`"));
        }
    }
    gate.into_iter()
        .map(|(name, ThresholdSection { min, target, max_drop })| (name, Threshold { min, target, max_drop }))
        .collect()
}

pub(super) fn settle_quarantine(
    document: &Document,
    at: &Pointer,
    sections: Vec<CasePolicySection>,
    errors: &mut InputErrors,
) -> BTreeMap<CaseId, Quarantine> {
    let mut all = BTreeMap::new();
    for (index, CasePolicySection { case, quarantine }) in sections.into_iter().enumerate() {
        let at = at.join(index);
        if quarantine.until.parse::<jiff::civil::Date>().is_err() || quarantine.until.len() != 10 {
            let message = format!("`{}` is not a day", quarantine.until);
            errors.push(
                document.error(&at.join("quarantine").join("until"), message).with_help("write it like \"2026-12-31\""),
            );
        }
        let QuarantineSection { owner, until, reason } = quarantine;
        if all.insert(CaseId::new(case.clone()), Quarantine { owner, until, reason }).is_some() {
            errors.push(document.error(&at.join("case"), format!("a second policy for `{case}`")));
        }
    }
    all
}

pub(super) fn settle_max_errors(
    document: &Document,
    at: &Pointer,
    section: Option<MaxErrorsSection>,
    target: Option<&TargetSettings>,
    errors: &mut InputErrors,
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
                    errors.push(document.error(&at.join("max-errors"), message));
                    MaxErrors::Count(0)
                }
            }
        }
    }
}
