//! What `scenario` offers as a kind.

use std::path::Path;
use std::time::Duration;

use super::ScenarioFile;
use super::evaluate::ScenarioCheck;
use super::observation::{GoalStatus, Observation};
use super::page;
use super::starter;
use super::{ScenarioConfig, ScenarioDetail, ScenarioQuestion, detail, evaluate, load_suite};
use crate::input::{FileSchema, InputErrors, schema_of};
use crate::model::{Better, CaseChange, EndingKind, MetricSpec, Output};
use crate::suites::page::CasePage;
use crate::suites::starter::{Starter, Survey};
use crate::suites::{
    Asking, Attempted, CaseQuestion, CaseReport, CaseView, EditError, Evaluation, Evidence, Loaded, RequiredTool,
    SuiteKind, SuiteSettings,
};
use crate::targets::SILENT;

/// An edit of a fixture, goals that must hold, and assertions about what changed.
#[derive(Debug)]
pub struct ScenarioKind;

impl SuiteKind for ScenarioKind {
    type Question = ScenarioQuestion;
    type Detail = ScenarioDetail;
    type Config = ScenarioConfig;
    type Check = ScenarioCheck;

    const METRICS: &'static [MetricSpec] = &[
        MetricSpec::pass_rate("pass-rate"),
        MetricSpec::quality("reward", Better::Higher),
        MetricSpec::LATENCY_P50,
        MetricSpec::LATENCY_P95,
    ];
    const EVERY_CASE_MUST_PASS: bool = true;
    const SCHEMAS: &'static [FileSchema] =
        &[FileSchema { name: "scenario", about: "Scenarios", schema: schema_of::<ScenarioFile> }];
    const ABOUT: &'static str = "edits of a small project: do its tests pass, and did only the right lines change?";

    fn found_in(survey: &Survey) -> Option<String> {
        survey.data.scenarios.first().cloned().or_else(|| survey.manifests.first().map(|(path, _)| path.clone()))
    }

    fn starter(survey: &Survey) -> Starter {
        starter::starter(survey)
    }

    fn load(suite: &SuiteSettings, config: &ScenarioConfig) -> Vec<Result<Loaded, InputErrors>> {
        load_suite(suite, config)
    }
}

/// What was seen, and how long it took to see it.
#[derive(Debug)]
pub struct ScenarioEvidence {
    pub seen: Observation,
    pub duration: Duration,
}

impl Evidence for ScenarioEvidence {
    fn into_attempt(self, evaluation: Evaluation) -> Attempted {
        let Self { seen, duration } = self;
        let shown = seen.goals.iter().find(|goal| goal.status != GoalStatus::Passed).or(seen.goals.last());
        let captured = Output {
            stdout: shown.map(|goal| goal.stdout.clone()).unwrap_or_default(),
            stderr: shown.map(|goal| goal.stderr.clone()).unwrap_or_default(),
            ..Output::default()
        };
        let ending = if seen.not_asked {
            EndingKind::Unasked
        } else if seen.interrupted {
            EndingKind::Interrupted
        } else if seen.broken.is_some() || seen.goals.iter().any(|goal| goal.status == GoalStatus::Error) {
            EndingKind::CouldNotStart
        } else {
            EndingKind::Answered
        };
        Attempted { ending, duration, captured, usage: None, from_cache: 0, evaluation, by_main: None }
    }
}

impl CaseQuestion for ScenarioQuestion {
    type Detail = ScenarioDetail;
    type Evidence = ScenarioEvidence;

    async fn ask(&self, asking: &Asking<'_>) -> ScenarioEvidence {
        if asking.source.is_silent() {
            return self.not_asked(SILENT);
        }
        asking.services.scenarios.perform(self, asking).await
    }

    fn not_asked(&self, why: &str) -> ScenarioEvidence {
        let seen =
            Observation { not_asked: true, interrupted: true, broken: Some(why.to_owned()), ..Observation::default() };
        ScenarioEvidence { seen, duration: Duration::ZERO }
    }

    fn evaluate(&self, evidence: &ScenarioEvidence) -> Evaluation {
        evaluate(self, &evidence.seen)
    }

    fn detail(&self) -> ScenarioDetail {
        detail(self)
    }

    fn files(&self) -> Option<&Path> {
        Some(&self.fixture)
    }

    fn edits(&self) -> Option<Result<Vec<(String, String)>, EditError>> {
        Some(super::runner::produced_diffs(self).map_err(EditError::from))
    }

    fn required_tools(&self) -> Vec<RequiredTool<'_>> {
        let tool = |program| RequiredTool { program, by: &self.adapter.id, needs: &self.adapter.needs };
        self.goals.iter().map(|goal| tool(&goal.command.command)).collect()
    }
}

impl CaseReport for ScenarioDetail {
    fn page(&self, _: CaseView<'_>, _: Option<&CaseChange>) -> CasePage {
        page::page(self)
    }

    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)> {
        let mut lines = vec![("title", self.title.clone())];
        for check in case.failed_checks() {
            let text = format!("{}: {}", check.name(), check.details.as_deref().unwrap_or(""));
            lines.push((check.status.word(), text));
        }
        lines.extend(case.diff.map(|diff| ("diff", diff.to_owned())));
        let broken = self.goals.iter().find(|goal| goal.status != GoalStatus::Passed);
        let stdout = broken.map(|goal| goal.stdout.trim_end()).filter(|stdout| !stdout.trim().is_empty());
        lines.extend(stdout.map(|stdout| ("stdout", stdout.to_owned())));
        if case.failed_checks().any(|check| check.subject_of(ScenarioCheck::Goal).is_some()) {
            lines.extend(case.stderr().map(|stderr| ("stderr", stderr)));
        }
        lines
    }

    fn working_copy(&self) -> Option<&str> {
        self.working_copy.as_deref()
    }
}
