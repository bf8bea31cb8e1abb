//! Suites of kind `imported`: results that another tool produced.

mod config;
mod deepeval;
mod detail;
mod format;
mod inspect;
mod junit;
mod junit_names;
mod kind;
mod lines;
mod promptfoo;
mod record;
mod starter;
mod template;

use std::collections::BTreeMap;

pub use config::ImportedConfig;
pub use detail::ImportedDetail;
pub use format::{ImportedQuestion, load};
pub use kind::{ImportedEvidence, ImportedKind};
pub use lines::ImportedLine;
pub use record::{ImportFormat, ImportedAttempt, ImportedComponent};

use crate::model::{CheckName as _, MetricSpec, Score, Status, check_names};
use crate::suites::{Attempted, CaseDetail, Evaluation, Evidence as _, Loaded, LoadedCase, Question};

check_names! {
    /// What the other tool said is the one check.
    ImportedCheck {
        Imported = "imported",
    }
}

/// What the other tool said of one attempt.
pub fn evaluate(format: ImportFormat, attempt: &ImportedAttempt) -> Evaluation {
    let ImportedAttempt { status, score, details, components, metrics, note, tokens, cost, .. } = attempt;
    let mut measured = BTreeMap::new();
    measured.extend(tokens.map(|tokens| (MetricSpec::TOKENS_PER_ANSWER.name, tokens.total())));
    measured.extend(cost.map(|cost| (MetricSpec::COST_PER_ANSWER.name, cost)));
    Evaluation {
        status: *status,
        score: status.is_measured().then(|| Score::clamped(*score)),
        metrics: measured,
        checks: vec![ImportedCheck::Imported.check(*status, details.clone())],
        diff: None,
        detail: CaseDetail::Imported(ImportedDetail {
            format: format.name().to_owned(),
            components: components.clone(),
            metrics: metrics.clone(),
            note: note.clone(),
        }),
    }
}

/// Every attempt that the other tool made at a case, judged as it says.
pub fn attempts(question: &ImportedQuestion) -> Vec<Attempted> {
    let judged = |attempt: &ImportedAttempt| {
        let evidence = ImportedEvidence::new(question.format, attempt.clone());
        evidence.into_attempt(evaluate(question.format, attempt))
    };
    question.attempts.iter().map(judged).collect()
}

/// How the cases of a file came out, each by its first attempt.
pub fn statuses(loaded: &Loaded) -> Vec<Status> {
    let mut statuses = Vec::new();
    for LoadedCase { case, .. } in &loaded.cases {
        let Question::Imported(question) = &case.question else { continue };
        statuses.extend(question.attempts.first().map(|attempt| attempt.status));
    }
    statuses
}
