//! What `command` offers as a kind.

use std::time::Duration;

use super::CommandDataset;
use super::equivalence::ProgramTable;
use super::evaluate::CommandCheck;
use super::page;
use super::starter;
use super::{
    CommandConfig, CommandDetail, CommandQuestion, CommandSuiteDetail, Method, RefusalCounts, evaluate, load,
    load_tables, marked,
};
use crate::input::{FileSchema, InputErrors, schema_of};
use crate::model::{Answer, Better, CaseChange, CaseId, Ending, MetricSpec, Request, Status};
use crate::suites::page::CasePage;
use crate::suites::starter::{Starter, Survey};
use crate::suites::{
    Asking, CaseDetail, CaseQuestion, CaseReport, CaseView, Evaluation, Loaded, SuiteDetail, SuiteKind, SuiteReport,
    SuiteSettings,
};
use crate::text::visible;

/// Natural language in, one shell command out.
#[derive(Debug)]
pub struct CommandKind;

impl SuiteKind for CommandKind {
    type Question = CommandQuestion;
    type Detail = CommandDetail;
    type Config = CommandConfig;
    type Check = CommandCheck;

    const METRICS: &'static [MetricSpec] = &[
        MetricSpec::pass_rate("accuracy"),
        MetricSpec::mean_score("mean-score"),
        MetricSpec::quality("exact-rate", Better::Higher),
        MetricSpec::of_some("unsafe-rate", Better::Lower),
        MetricSpec::of_some("posix-rate", Better::Higher),
        MetricSpec::of_some("refusal-precision", Better::Higher),
        MetricSpec::of_some("refusal-recall", Better::Higher),
        MetricSpec::overlap("refusal-f1"),
        MetricSpec::of_some("false-refusal-rate", Better::Lower),
        MetricSpec::TOKENS_PER_ANSWER,
        MetricSpec::COST_PER_ANSWER,
        MetricSpec::LATENCY_P50,
        MetricSpec::LATENCY_P95,
    ];
    const COMPARED_SLICES: &'static [&'static str] = &["category", "risk-level"];
    const SCHEMAS: &'static [FileSchema] = &[
        FileSchema {
            name: "command-dataset",
            about: "Datasets of command suites",
            schema: schema_of::<CommandDataset>,
        },
        FileSchema {
            name: "program-table",
            about: "Program tables of command suites",
            schema: schema_of::<ProgramTable>,
        },
    ];
    const ABOUT: &'static str = "a program that answers with shell commands: are they right?";

    fn found_in(survey: &Survey) -> Option<String> {
        survey.data.commands.first().cloned()
    }

    fn starter(survey: &Survey) -> Starter {
        starter::starter(survey)
    }

    fn load(suite: &SuiteSettings, config: &CommandConfig) -> Vec<Result<Loaded, InputErrors>> {
        let programs = config.programs.found();
        match load_tables(programs) {
            Ok(tables) => {
                let files = suite.files.found().iter();
                files.map(|file| load(&file.path, &file.shown, &tables, config)).collect()
            }
            Err(wrong) => vec![Err(wrong)],
        }
    }

    fn summarise(cases: &[CaseView<'_>], _: Duration) -> Option<SuiteDetail> {
        let mut counts = CommandSuiteDetail {
            exact_match: 0,
            semantic_equivalent: 0,
            no_match: 0,
            refusals: None,
            unsafe_answers: 0,
        };
        let mut refusals = RefusalCounts::default();
        for case in cases.iter().filter(|case| case.status.is_measured()) {
            let Some(CaseDetail::Command(detail)) = case.detail else { continue };
            match detail.method {
                Method::ExactMatch => counts.exact_match += 1,
                Method::SemanticEquivalent => counts.semantic_equivalent += 1,
                Method::NoMatch => counts.no_match += 1,
                Method::Refused => {}
            }
            counts.unsafe_answers += usize::from(detail.unsafe_because.is_some());
            *match (detail.expects_refusal, detail.refused) {
                (true, true) => &mut refusals.right,
                (true, false) => &mut refusals.missed,
                (false, true) => &mut refusals.needless,
                (false, false) => &mut refusals.answered,
            } += 1;
        }
        counts.refusals = (refusals.right + refusals.missed + refusals.needless > 0).then_some(refusals);
        Some(SuiteDetail::Command(counts))
    }
}

impl CaseQuestion for CommandQuestion {
    type Detail = CommandDetail;
    type Evidence = Answer;

    async fn ask(&self, asking: &Asking<'_>) -> Answer {
        let request = Request::prompt(asking.case.as_str(), &self.prompt).again(asking.attempt);
        asking.source.ask(request, asking.stop).await
    }

    fn not_asked(&self, why: &str) -> Answer {
        Answer::ended(Ending::Unasked { why: why.to_owned() })
    }

    fn evaluate(&self, answer: &Answer) -> Evaluation {
        evaluate(self, answer)
    }

    fn with_key_of(&self, main: &Self) -> Option<Self> {
        // What is asked stays this change's; what is right, and how dangerous an answer may be, is main's.
        let Self { prompt, category, posix_compliant, .. } = self.clone();
        Some(Self { prompt, category, posix_compliant, ..main.clone() })
    }

    fn judge_reported(&self, reported: &CommandDetail) -> Option<Evaluation> {
        // How a target refused is not reported.
        let generated = reported.generated_command.as_ref().filter(|_| !reported.refused)?;
        Some(evaluate(self, &Answer::text(generated)))
    }

    fn contradictions(&self) -> Vec<String> {
        Self::contradictions(self)
    }

    fn detail(&self) -> CommandDetail {
        self.detail_with(None, None)
    }

    fn request(&self, id: &CaseId) -> Option<Request> {
        Some(Request::prompt(id.as_str(), &self.prompt))
    }
}

impl CaseReport for CommandDetail {
    fn answer(&self) -> Option<String> {
        self.generated_command.clone()
    }

    fn page(&self, _: CaseView<'_>, _: Option<&CaseChange>) -> CasePage {
        page::page(self)
    }

    fn unsafe_because(&self) -> Option<&str> {
        self.unsafe_because.as_deref()
    }

    fn preview(&self, case: CaseView<'_>, _: Option<&CaseChange>) -> Option<String> {
        let generated = self.generated_command.as_ref().filter(|_| case.status != Status::Passed)?;
        if self.expects_refusal || self.refused {
            return None;
        }
        Some(marked(self.compared_with.as_ref().unwrap_or(&self.expected_command), generated))
    }

    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)> {
        let expected = self.compared_with.as_ref().unwrap_or(&self.expected_command);
        let expected = if self.expects_refusal { "a refusal".to_owned() } else { visible(expected) };
        let mut lines = vec![("prompt", self.prompt.clone()), ("expected", expected)];
        lines.extend(self.generated_command.as_deref().map(|generated| ("generated", visible(generated))));
        lines.extend(case.failed_checks().map(|check| ("because", check.details.clone().unwrap_or_default())));
        lines.extend(self.unsafe_because.as_deref().map(|why| ("unsafe", visible(why))));
        lines.extend((!self.not_posix.is_empty()).then(|| ("not POSIX", visible(&self.not_posix.join(", ")))));
        lines.extend(case.stderr().map(|stderr| ("stderr", stderr)));
        lines
    }
}

impl SuiteReport for CommandSuiteDetail {
    fn line(&self) -> Option<String> {
        let Self { exact_match, semantic_equivalent, no_match, refusals, unsafe_answers } = self;
        let mut line = format!("{exact_match} exact · {semantic_equivalent} equivalent · {no_match} no match");
        if *unsafe_answers > 0 {
            line.push_str(&format!(" · {unsafe_answers} unsafe"));
        }
        if let Some(refusals) = refusals {
            line.push_str(&format!(" · {}", refusals.sentence()));
        }
        Some(line)
    }
}
