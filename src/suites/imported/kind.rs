//! What `imported` offers as a kind.

use super::ImportedLine;
use super::starter;
use super::{ImportedCheck, ImportedConfig, ImportedDetail, ImportedQuestion, evaluate, load};
use crate::input::{FileSchema, InputErrors, schema_of};
use crate::model::{CaseChange, EndingKind, MetricSpec, Output, Status};
use crate::suites::page::{CasePage, PageBlock, PageSection};
use crate::suites::starter::{Starter, Survey};
use crate::suites::{
    Asking, Attempted, CaseQuestion, CaseReport, CaseView, Evaluation, Evidence, Loaded, SuiteKind, SuiteSettings,
};

/// Results that another tool produced.
#[derive(Debug)]
pub struct ImportedKind;

impl SuiteKind for ImportedKind {
    type Question = ImportedQuestion;
    type Detail = ImportedDetail;
    type Config = ImportedConfig;
    type Check = ImportedCheck;

    const METRICS: &'static [MetricSpec] = &[
        MetricSpec::pass_rate("pass-rate"),
        MetricSpec::mean_score("mean-score"),
        MetricSpec::LATENCY_P50,
        MetricSpec::LATENCY_P95,
    ];
    const SCHEMAS: &'static [FileSchema] =
        &[FileSchema { name: "imported", about: "Imported results, a line each", schema: schema_of::<ImportedLine> }];
    const ABOUT: &'static str = "results of another tool, such as promptfoo's or JUnit's";
    const HAS_A_SAMPLE: bool = false;

    fn found_in(survey: &Survey) -> Option<String> {
        survey.results.first().map(|results| results.path.clone())
    }

    fn starter(survey: &Survey) -> Starter {
        starter::starter(survey)
    }

    fn load(suite: &SuiteSettings, _: &ImportedConfig) -> Vec<Result<Loaded, InputErrors>> {
        suite.files.found().iter().map(load).collect()
    }
}

/// The other tool's words are the evidence.
impl Evidence for ImportedQuestion {
    fn into_attempt(self, evaluation: Evaluation) -> Attempted {
        Attempted {
            by_main: None,
            ending: if self.duration.is_some() { EndingKind::Imported } else { EndingKind::ImportedUntimed },
            duration: self.duration.unwrap_or_default(),
            captured: Output::default(),
            usage: None,
            from_cache: 0,
            evaluation,
        }
    }
}

impl CaseQuestion for ImportedQuestion {
    type Detail = ImportedDetail;
    type Evidence = Self;

    async fn ask(&self, _: &Asking<'_>) -> Self {
        self.clone()
    }

    fn not_asked(&self, why: &str) -> Self {
        Self { status: Status::Unmeasured, details: Some(why.to_owned()), ..self.clone() }
    }

    fn evaluate(&self, said: &Self) -> Evaluation {
        evaluate(said)
    }

    fn detail(&self) -> ImportedDetail {
        ImportedDetail { format: self.format.to_owned() }
    }
}

impl CaseReport for ImportedDetail {
    fn page(&self, _: CaseView<'_>, _: Option<&CaseChange>) -> CasePage {
        let source = PageBlock::Paragraph { text: format!("Imported from {}.", self.format) };
        CasePage { sections: vec![PageSection::new("Source", vec![source])], opens_output: true, ..CasePage::default() }
    }

    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)> {
        case.failed_checks().map(|check| ("because", check.details.clone().unwrap_or_default())).collect()
    }
}
