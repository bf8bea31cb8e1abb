//! What `imported` offers as a kind.

use std::collections::BTreeMap;

use super::ImportedLine;
use super::starter;
use super::{
    ImportFormat, ImportedAttempt, ImportedCheck, ImportedComponent, ImportedConfig, ImportedDetail, ImportedQuestion,
    evaluate, load,
};
use crate::input::{FileSchema, InputErrors, schema_of};
use crate::model::{CaseChange, EndingKind, MetricSpec, NO_VALUE, Output, Status, format_score};
use crate::suites::page::{CasePage, PageBlock, PageCell, PageColumn, PageRow, PageSection, PageText};
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
        MetricSpec::TOKENS_PER_ANSWER,
        MetricSpec::COST_PER_ANSWER,
        MetricSpec::LATENCY_P50,
        MetricSpec::LATENCY_P95,
    ];
    const SCHEMAS: &'static [FileSchema] =
        &[FileSchema { name: "imported", about: "Imported results, a line each", schema: schema_of::<ImportedLine> }];
    const ABOUT: &'static str = "results of another tool, such as promptfoo's or JUnit's";
    const HAS_A_SAMPLE: bool = false;

    fn found_in(survey: &Survey) -> Option<String> {
        let tools: Vec<String> = survey.tools.iter().map(|tool| format!("{}: {}", tool.name, tool.found)).collect();
        let results = survey.results.first().map(|results| results.path.clone());
        if tools.is_empty() { results } else { Some(tools.join(", ")) }
    }

    fn starter(survey: &Survey) -> Starter {
        starter::starter(survey)
    }

    fn load(suite: &SuiteSettings, _: &ImportedConfig) -> Vec<Result<Loaded, InputErrors>> {
        suite.files.found().iter().map(load).collect()
    }
}

/// What the other tool said of one attempt is the evidence.
#[derive(Debug)]
pub struct ImportedEvidence {
    format: ImportFormat,
    attempt: ImportedAttempt,
}

impl ImportedEvidence {
    pub fn new(format: ImportFormat, attempt: ImportedAttempt) -> Self {
        Self { format, attempt }
    }
}

impl Evidence for ImportedEvidence {
    fn into_attempt(self, evaluation: Evaluation) -> Attempted {
        let ImportedAttempt { duration, ref output, .. } = self.attempt;
        Attempted {
            by_main: None,
            ending: if duration.is_some() { EndingKind::Imported } else { EndingKind::ImportedUntimed },
            duration: duration.unwrap_or_default(),
            captured: Output { stdout: output.clone().unwrap_or_default(), ..Output::default() },
            usage: self.attempt.usage(),
            from_cache: 0,
            evaluation,
        }
    }
}

impl CaseQuestion for ImportedQuestion {
    type Detail = ImportedDetail;
    type Evidence = ImportedEvidence;

    async fn ask(&self, asking: &Asking<'_>) -> ImportedEvidence {
        match self.attempts.get(asking.attempt) {
            Some(attempt) => ImportedEvidence { format: self.format, attempt: attempt.clone() },
            None => self.not_asked("the other tool did not ask it again"),
        }
    }

    fn not_asked(&self, why: &str) -> ImportedEvidence {
        let attempt =
            ImportedAttempt { details: Some(why.to_owned()), ..ImportedAttempt::new(Status::Unmeasured, 0.0) };
        ImportedEvidence { format: self.format, attempt }
    }

    fn evaluate(&self, said: &ImportedEvidence) -> Evaluation {
        evaluate(said.format, &said.attempt)
    }

    fn detail(&self) -> ImportedDetail {
        ImportedDetail { format: self.format.name().to_owned(), ..ImportedDetail::default() }
    }

    fn attempts(&self) -> Option<usize> {
        Some(self.attempts.len())
    }

    fn reproduce(&self) -> Option<&str> {
        self.reproduce.as_deref()
    }
}

impl CaseReport for ImportedDetail {
    fn page(&self, _: CaseView<'_>, _: Option<&CaseChange>) -> CasePage {
        let source = PageBlock::Paragraph { text: format!("Imported from {}.", self.format) };
        let mut blocks = vec![source];
        blocks.extend(self.note.clone().map(|text| PageBlock::Paragraph { text }));
        let mut sections = vec![PageSection::new("Source", blocks)];
        if !self.components.is_empty() {
            sections.push(PageSection::new("Assertions and metrics", vec![components(&self.components)]));
        }
        CasePage { sections, opens_output: true, ..CasePage::default() }
    }

    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)> {
        let mut lines: Vec<(&'static str, String)> =
            case.failed_checks().map(|check| ("because", check.details.clone().unwrap_or_default())).collect();
        let output = case.output.map(|output| output.stdout.trim_end()).filter(|text| !text.trim().is_empty());
        lines.extend(output.map(|output| ("output", output.to_owned())));
        if self.components.len() > 1 {
            lines.extend(self.components.iter().map(|one| ("", in_words(one))));
        }
        lines.extend(self.note.clone().map(|note| ("note", note)));
        lines
    }

    fn note(&self) -> Option<String> {
        self.note.clone()
    }

    fn measured(&self) -> Option<&BTreeMap<String, f64>> {
        Some(&self.metrics)
    }
}

/// A component in one line.
fn in_words(component: &ImportedComponent) -> String {
    let ImportedComponent { name, status, score, reason } = component;
    let score = score.map(|score| format!(" {}", format_score(score))).unwrap_or_default();
    let reason = reason.as_ref().and_then(|reason| reason.lines().next()).map(|reason| format!(": {reason}"));
    format!("{} {name}{score}{}", status.word(), reason.unwrap_or_default())
}

fn components(all: &[ImportedComponent]) -> PageBlock {
    let column = |label: &'static str| PageColumn { label, number: false };
    let row = |(index, one): (usize, &ImportedComponent)| {
        let at = |field: &str| PageText::in_detail(&format!("/components/{index}/{field}"));
        let reason = one.reason.as_ref().map(|_| PageCell::Text { text: at("reason") });
        let cells = vec![
            vec![PageCell::code(at("name"))],
            vec![PageCell::badge(one.status, one.status.word())],
            vec![PageCell::text(one.score.map_or(NO_VALUE.to_owned(), format_score))],
            vec![reason.unwrap_or_else(|| PageCell::quiet(NO_VALUE))],
        ];
        PageRow { is_hit: false, cells }
    };
    let columns = ["Name", "Status", "Score", "Reason"].map(column).to_vec();
    PageBlock::Table { columns, rows: all.iter().enumerate().map(row).collect() }
}
