//! Suites of kind `imported`: results that another tool produced.

mod config;
mod detail;
mod format;
mod junit;
mod kind;
mod promptfoo;

use std::collections::BTreeMap;

pub use config::ImportedConfig;
pub use detail::ImportedDetail;
pub use format::{ImportedLine, ImportedQuestion, load};
pub use kind::ImportedKind;

use crate::model::{Check, Score};
use crate::suites::{CaseDetail, CaseQuestion as _, Evaluation};

/// What the other tool said.
pub fn evaluate(question: &ImportedQuestion) -> Evaluation {
    let ImportedQuestion { status, score, details, .. } = question;
    let measured = status.is_measured();
    Evaluation {
        status: *status,
        score: measured.then(|| Score::clamped(*score)),
        metrics: BTreeMap::new(),
        checks: vec![Check { name: "imported".into(), status: *status, details: details.clone() }],
        diff: None,
        detail: CaseDetail::Imported(question.detail()),
    }
}
