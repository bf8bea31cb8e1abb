//! Suites of kind `imported`: results that another tool produced.

mod config;
mod detail;
mod format;
mod junit;
mod promptfoo;

use std::collections::BTreeMap;

pub use config::ImportedConfig;
pub use detail::ImportedDetail;
pub use format::{ImportedLine, ImportedQuestion, load};

use crate::model::{Check, Score};
use crate::suites::{CaseDetail, Evaluation};

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
        detail: detail(question),
    }
}

/// The case as a report shows it.
pub fn detail(question: &ImportedQuestion) -> CaseDetail {
    CaseDetail::Imported(ImportedDetail { format: question.format.to_owned() })
}
