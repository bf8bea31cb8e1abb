//! Suites of kind `imported`: results that another tool produced.

mod config;
mod detail;
mod format;
mod junit;
mod kind;
mod promptfoo;
mod starter;

use std::collections::BTreeMap;

pub use config::ImportedConfig;
pub use detail::ImportedDetail;
pub use format::{ImportedLine, ImportedQuestion, load};
pub use kind::ImportedKind;

use crate::model::{CheckName as _, Score, Status, check_names};
use crate::suites::{CaseDetail, CaseQuestion as _, Evaluation, Loaded, LoadedCase, Question};

check_names! {
    /// What the other tool said is the one check.
    ImportedCheck {
        Imported = "imported",
    }
}

/// What the other tool said.
pub fn evaluate(question: &ImportedQuestion) -> Evaluation {
    let ImportedQuestion { status, score, details, .. } = question;
    let measured = status.is_measured();
    Evaluation {
        status: *status,
        score: measured.then(|| Score::clamped(*score)),
        metrics: BTreeMap::new(),
        checks: vec![ImportedCheck::Imported.check(*status, details.clone())],
        diff: None,
        detail: CaseDetail::Imported(question.detail()),
    }
}

/// How the cases of a file came out.
pub fn statuses(loaded: &Loaded) -> Vec<Status> {
    let mut statuses = Vec::new();
    for LoadedCase { case, .. } in &loaded.cases {
        let Question::Imported(question) = &case.question else { continue };
        statuses.push(question.status);
    }
    statuses
}
