//! What `golden` offers as a kind.

use std::collections::BTreeMap;
use std::time::Duration;

use super::CaseFile;
use super::evaluate::GoldenCheck;
use super::measures::Asks;
use super::page;
use super::scorer::scorer_schema;
use super::starter;
use super::{
    ComponentDetail, GoldenConfig, GoldenDetail, GoldenQuestion, GoldenSuiteDetail, OpinionRequest, detail, evaluate,
    load, opinion_requests,
};
use crate::input::{FileSchema, InputErrors, schema_of};
use crate::model::{
    Answer, CaseChange, CaseId, Change, Ending, MetricSpec, NO_VALUE, Nature, Request, Rule, Status, Usage,
    format_score,
};
use crate::stats::mean;
use crate::suites::page::CasePage;
use crate::suites::starter::{Starter, Survey};
use crate::suites::{
    Asking, Attempted, CaseDetail, CaseQuestion, CaseReport, CaseRow, CaseTable, CaseView, Evaluation, Evidence,
    Loaded, Remark, SuiteDetail, SuiteKind, SuiteReport, SuiteSettings, TableRows,
};
use crate::targets::{OpinionTarget, TargetSettings};
use crate::text::{Redact as _, Redactor, counted, plain};

/// How many of the worst cases the table of components has.
const WORST: usize = 5;

/// Structured output of a model, scored by parts against a reviewed answer.
#[derive(Debug)]
pub struct GoldenKind;

impl SuiteKind for GoldenKind {
    type Question = GoldenQuestion;
    type Detail = GoldenDetail;
    type Config = GoldenConfig;
    type Check = GoldenCheck;

    const METRICS: &'static [MetricSpec] = &[
        MetricSpec::mean_score("avg-score"),
        MetricSpec::pass_rate("pass-rate"),
        MetricSpec::TOKENS_PER_ANSWER,
        MetricSpec::COST_PER_ANSWER,
        MetricSpec::LATENCY_P50,
        MetricSpec::LATENCY_P95,
    ];
    const SCHEMAS: &'static [FileSchema] = &[
        FileSchema { name: "golden-cases", about: "Cases of golden suites", schema: schema_of::<CaseFile> },
        FileSchema { name: "scorer", about: "scorer.toml of golden suites", schema: scorer_schema },
    ];
    const ABOUT: &'static str = "structured output of a model or program: how near is it to a reviewed answer?";

    fn found_in(survey: &Survey) -> Option<String> {
        let sdk = survey.sdk.as_ref().map(|(name, manifest)| format!("{name} in {manifest}"));
        survey.data.golden.first().cloned().or_else(|| survey.prompts.first().cloned()).or(sdk)
    }

    fn starter(survey: &Survey) -> Starter {
        starter::starter(survey)
    }

    fn load(suite: &SuiteSettings, config: &GoldenConfig) -> Vec<Result<Loaded, InputErrors>> {
        load(suite, config).into_iter().collect()
    }

    fn summarise(cases: &[CaseView<'_>], took: Duration) -> Option<SuiteDetail> {
        let mut details = Vec::new();
        for case in cases {
            let Some(CaseDetail::Golden(detail)) = case.detail else { continue };
            details.push(detail);
        }
        let module = details.first().map_or("", |detail| detail.module.as_str());
        let count = |status: Status| cases.iter().filter(|case| case.status == status).count();
        let measured = cases.iter().filter(|case| case.status.is_measured());
        let scores: Vec<f64> = measured.filter_map(|case| case.score).collect();
        Some(SuiteDetail::Golden(GoldenSuiteDetail {
            module: plain(module.rsplit('/').next().unwrap_or(module)),
            total_cases: cases.len(),
            avg_score: mean(&scores),
            passed_cases: count(Status::Passed),
            failed_cases: count(Status::Failed),
            duration: format!("{:.1}s", took.as_secs_f64()),
            accepted: details.iter().filter(|detail| detail.accepted).count(),
            usage: cases.iter().map(|case| case.usage).fold(None, Usage::sum),
        }))
    }

    fn remarks(cases: &[CaseView<'_>]) -> Vec<Remark> {
        let is_accepted = |case: &&CaseView<'_>| matches!(case.detail, Some(CaseDetail::Golden(one)) if one.accepted);
        let accepted = cases.iter().filter(is_accepted).count();
        let mut remarks: Vec<Remark> = not_checked(cases).into_iter().collect();
        if accepted == 0 {
            return remarks;
        }
        let message = format!(
            "{accepted} of {} recorded answers are the same as golden; accepted, but they prove nothing until recorded again (--mode record --no-cache)",
            cases.len()
        );
        remarks.push(Remark { rule: Rule::Accepted, case: None, message, fails_when_strict: false });
        remarks
    }

    fn table(cases: &[CaseView<'_>]) -> Option<CaseTable> {
        let number = |value: Option<f64>| value.map_or(NO_VALUE.to_owned(), format_score);
        let mut header = vec!["worst cases".to_owned(), "score".to_owned()];
        let mut rows = Vec::new();
        for case in cases.iter().filter(|case| case.status.is_measured()) {
            let Some(CaseDetail::Golden(detail)) = case.detail else { continue };
            if rows.is_empty() {
                let name = |one: &ComponentDetail| format!("{} {}", plain(&one.name), format_score(one.weight));
                header.extend(detail.components.iter().map(name));
            }
            let score = Nature::Quality.format(case.score.unwrap_or(0.0));
            let mut cells = vec![(plain(case.id.as_str()), false), (score, false)];
            let is_bad = |one: &ComponentDetail| one.value.is_some_and(|value| value < one.weight / 2.0);
            cells.extend(detail.components.iter().map(|one| (number(one.value), is_bad(one))));
            rows.push(CaseRow { score: case.score, cells });
        }
        (!rows.is_empty()).then_some(CaseTable { header, rows, text_columns: 1, shown: TableRows::Worst(WORST) })
    }
}

/// What the scorer does not look at, in one sentence.
fn not_checked(cases: &[CaseView<'_>]) -> Option<Remark> {
    let mut first: Option<(&CaseId, &str)> = None;
    let mut count = 0;
    for case in cases {
        let Some(CaseDetail::Golden(detail)) = case.detail else { continue };
        if let Some(what) = detail.not_checked.first() {
            first = first.or(Some((case.id, what)));
            count += 1;
        }
    }
    let (case, what) = first?;
    let more = if count > 1 { format!(", and the same in {}", counted(count - 1, "more case")) } else { String::new() };
    let message = format!("not checked by the scorer: {what} of {case}{more}");
    Some(Remark { rule: Rule::NotChecked, case: None, message, fails_when_strict: false })
}

/// An answer and what judges and scorers' own programs say of it, by component.
#[derive(Debug)]
pub struct GoldenEvidence {
    pub answer: Answer,
    pub opinions: BTreeMap<usize, Answer>,
}

impl Evidence for GoldenEvidence {
    fn into_attempt(self, evaluation: Evaluation) -> Attempted {
        let judged = self.opinions.values().filter(|opinion| opinion.from_cache).count();
        let attempted = self.answer.into_attempt(evaluation);
        Attempted { from_cache: attempted.from_cache + judged, ..attempted }
    }
}

impl CaseQuestion for GoldenQuestion {
    type Detail = GoldenDetail;
    type Evidence = GoldenEvidence;

    async fn ask(&self, asking: &Asking<'_>) -> GoldenEvidence {
        let Asking { case, attempt, source, stop, .. } = *asking;
        let mut answer = source.ask(self.as_request(case).again(attempt), stop).await;
        let mut opinions = BTreeMap::new();
        for OpinionRequest { component, name, request } in self.opinions_to_ask(case, &answer, source.redactor()) {
            let Some(source) = source.opinion(name) else { continue };
            let opinion = source.ask(request.again(attempt), stop).await;
            answer.usage = Usage::sum(answer.usage, opinion.usage);
            opinions.insert(component, opinion);
        }
        GoldenEvidence { answer, opinions }
    }

    fn not_asked(&self, why: &str) -> GoldenEvidence {
        let answer = Answer::ended(Ending::Unasked { why: why.to_owned() });
        GoldenEvidence { answer, opinions: BTreeMap::new() }
    }

    fn evaluate(&self, evidence: &GoldenEvidence) -> Evaluation {
        evaluate(self, &evidence.answer, &evidence.opinions)
    }

    fn with_key_of(&self, main: &Self) -> Option<Self> {
        let Self { golden, further, scorer, pass_at, .. } = main.clone();
        let asks_nobody = scorer.components.iter().all(|one| one.measure.asks().is_none());
        asks_nobody.then(|| Self { golden, further, scorer, pass_at, ..self.clone() })
    }

    fn judge_reported(&self, reported: &GoldenDetail) -> Option<Evaluation> {
        let asks_nobody = self.scorer.components.iter().all(|one| one.measure.asks().is_none());
        let answer = Answer::text(reported.answer().filter(|_| asks_nobody)?);
        Some(evaluate(self, &answer, &BTreeMap::new()))
    }

    fn detail(&self) -> GoldenDetail {
        detail(self)
    }

    fn request(&self, id: &CaseId) -> Option<Request> {
        Some(self.as_request(id))
    }

    fn opinion_requests(&self, id: &CaseId, answer: &Answer) -> Vec<(&str, Request)> {
        opinion_requests(self, id, answer).into_iter().map(|one| (one.name, one.request)).collect()
    }

    fn opinion_targets(&self, suite: &SuiteSettings) -> Vec<OpinionTarget> {
        let scorer = self.scorer.components.iter();
        scorer.filter_map(|one| Some(component(&one.name, one.measure.asks()?, suite))).collect()
    }
}

/// Whom a component of the scorer asks. A judge's opinion is recorded, a program runs every time.
fn component(name: &str, asks: Asks<'_>, suite: &SuiteSettings) -> OpinionTarget {
    let (target, recorded) = match asks {
        Asks::Judge(judge) => {
            let endpoint = judge.endpoint(suite.target.properties().endpoint());
            (TargetSettings::of_endpoint(endpoint), true)
        }
        Asks::ScorerProgram(program) => (program.target(&suite.root), false),
    };
    OpinionTarget { name: name.to_owned(), target, recorded }
}

impl GoldenQuestion {
    /// A model that judges an answer does not see what was confided to the target.
    fn opinions_to_ask(&self, case: &CaseId, answer: &Answer, redactor: &Redactor) -> Vec<OpinionRequest<'_>> {
        let mut redacted = answer.clone();
        redacted.redact(redactor);
        let mut requests = opinion_requests(self, case, answer);
        for (seen, asked) in opinion_requests(self, case, &redacted).into_iter().zip(&mut requests) {
            if asked.request.body.is_some() && seen.component == asked.component {
                *asked = seen;
            }
        }
        requests
    }

    fn as_request(&self, id: &CaseId) -> Request {
        Request {
            names: vec![("prompt", self.prompt.clone())],
            schema: self.schema.clone(),
            ..Request::value(id.as_str(), &self.input)
        }
    }
}

impl CaseReport for GoldenDetail {
    fn answer(&self) -> Option<String> {
        self.unread.clone().or_else(|| (!self.actual.is_null()).then(|| self.actual.to_string()))
    }

    fn page(&self, case: CaseView<'_>, change: Option<&CaseChange>) -> CasePage {
        page::page(self, case, change)
    }

    /// What each component earned, then and now; those that moved first.
    fn preview(&self, _: CaseView<'_>, change: Option<&CaseChange>) -> Option<String> {
        let change = change.filter(|one| one.change != Change::Changed);
        let was = |one: &ComponentDetail| change.and_then(|change| change.parts_was.get(&one.name)).copied();
        let moved = |one: &&ComponentDetail| match (was(one), one.value) {
            (Some(was), Some(now)) => (was - now).abs() > 1e-9,
            (Some(_), None) | (None, Some(_)) | (None, None) => false,
        };
        let number = |value: Option<f64>| value.map_or(NO_VALUE.to_owned(), format_score);
        let mut lines = String::new();
        let (first, rest): (Vec<&ComponentDetail>, Vec<&ComponentDetail>) = self.components.iter().partition(moved);
        for one in first.into_iter().chain(rest) {
            let sign = match (was(one), one.value) {
                (Some(was), Some(now)) if now < was - 1e-9 => '-',
                (Some(was), Some(now)) if now > was + 1e-9 => '+',
                (Some(_) | None, Some(_) | None) => ' ',
            };
            let then = was(one).map(|was| format!("{} → ", format_score(was))).unwrap_or_default();
            let note = one.note.as_ref().map(|note| format!("  {note}")).unwrap_or_default();
            let (value, weight) = (number(one.value), format_score(one.weight));
            lines.push_str(&format!("{sign} {}: {then}{value} of {weight}{note}\n", one.name));
        }
        if let Some(unread) = &self.unread {
            lines.push_str(&format!("  answer: {unread}\n"));
        }
        Some(lines)
    }

    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)> {
        let mut lines = vec![("about", self.description.clone())];
        for check in case.checks {
            let Some(details) = &check.details else { continue };
            lines.push(match check.subject_of(GoldenCheck::Component) {
                Some(name) => ("", format!("{name} {details}")),
                None => ("score", details.clone()),
            });
        }
        lines.extend(self.unread.clone().map(|unread| ("answer", unread)));
        lines
    }

    fn adds_diff(&self) -> bool {
        true
    }

    fn parts(&self) -> BTreeMap<String, f64> {
        self.components.iter().filter_map(|one| Some((one.name.clone(), one.value?))).collect()
    }
}

impl SuiteReport for GoldenSuiteDetail {
    fn line(&self) -> Option<String> {
        let Self { module, total_cases, avg_score, passed_cases, failed_cases, duration, accepted: _, usage: _ } = self;
        let avg = Nature::Quality.format_or_dash(*avg_score);
        Some(format!(
            "module {} · {} · avg {avg} · {passed_cases} passed · {failed_cases} failed · {duration}",
            plain(module),
            counted(*total_cases, "case")
        ))
    }

    fn notes(&self) -> Vec<String> {
        let accepted = format!("{} recorded answers are the same as golden", self.accepted);
        let mut notes: Vec<String> = (self.accepted > 0).then_some(accepted).into_iter().collect();
        notes.extend(self.usage.map(|Usage { input_tokens, output_tokens, cost }| {
            let cost = cost.map(|cost| format!(", cost {}", Nature::Cost.format(cost))).unwrap_or_default();
            format!("{input_tokens} tokens in, {output_tokens} out{cost}")
        }));
        notes
    }
}
