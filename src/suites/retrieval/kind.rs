//! What `retrieval` offers as a kind.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use super::CaseList;
use super::builtin;
use super::evaluate::RetrievalCheck;
use super::expected::ExpectedId;
use super::page;
use super::starter;
use super::{
    CaseOrigin, Held, RetrievalConfig, RetrievalDetail, RetrievalQuestion, RetrievalSuiteDetail, detail, evaluate, load,
};
use crate::input::{FileSchema, InputErrors, schema_of};
use crate::model::{
    Answer, Better, CaseChange, CaseId, Change, Ending, MetricSpec, NO_VALUE, Request, Rule, Status, format_score,
};
use crate::suites::page::CasePage;
use crate::suites::starter::{Starter, Survey};
use crate::suites::{
    Asking, Attempted, CaseDetail, CaseQuestion, CaseReport, CaseRow, CaseTable, CaseView, Evaluation, Evidence,
    Listed, Loaded, Remark, SliceTable, SuiteDetail, SuiteKind, SuiteReport, SuiteSettings, TableRows,
};
use crate::text::plain;

/// How many cases the table has; of more, it has the worst.
const ROWS: usize = 60;

/// How many units an engine is asked for, for each file that is looked at.
const UNITS_PER_FILE: usize = 20;

/// A question in, a ranking out.
#[derive(Debug)]
pub struct RetrievalKind;

impl SuiteKind for RetrievalKind {
    type Question = RetrievalQuestion;
    type Detail = RetrievalDetail;
    type Config = RetrievalConfig;
    type Check = RetrievalCheck;

    const METRICS: &'static [MetricSpec] = &[
        MetricSpec::quality("precision-at-k", Better::Higher),
        MetricSpec::quality("recall-at-k", Better::Higher),
        MetricSpec::quality("mrr", Better::Higher),
        MetricSpec::quality("ndcg-at-k", Better::Higher),
        MetricSpec::quality("map", Better::Higher),
        MetricSpec::quality("hit-rate", Better::Higher),
        MetricSpec::LATENCY_P50,
        MetricSpec::LATENCY_P95,
    ];
    const COMPARED_SLICES: &'static [&'static str] = &["lane"];
    const SLICE_TABLE: Option<SliceTable> = Some(SliceTable {
        title: "Retrieval by lane",
        dimension: "lane",
        metrics: &[("precision-at-k", "P@K"), ("recall-at-k", "R@K"), ("mrr", "MRR")],
    });
    const SCHEMAS: &'static [FileSchema] =
        &[FileSchema { name: "retrieval-cases", about: "Cases of retrieval suites", schema: schema_of::<CaseList> }];
    const ABOUT: &'static str = "search in source or notes: is the right thing among the first results?";

    fn found_in(survey: &Survey) -> Option<String> {
        let first = survey.data.retrieval.first().or(survey.code.0.first());
        first.or(survey.notes.0.first()).cloned()
    }

    fn starter(survey: &Survey) -> Starter {
        starter::starter(survey)
    }

    fn load(suite: &SuiteSettings, config: &RetrievalConfig) -> Vec<Result<Loaded, InputErrors>> {
        let mut loaded = load(suite, config);
        loaded.extend(suite.target.properties().check().err().map(Err));
        loaded
    }

    fn summarise(cases: &[CaseView<'_>], _: Duration) -> Option<SuiteDetail> {
        let mut missing: Vec<String> = Vec::new();
        for case in cases {
            if let Some(CaseDetail::Retrieval(detail)) = case.detail {
                missing.extend(detail.missing_expected_ids.iter().cloned());
            }
        }
        missing.sort();
        missing.dedup();
        Some(SuiteDetail::Retrieval(RetrievalSuiteDetail { missing_expected_ids: missing }))
    }

    fn remarks(cases: &[CaseView<'_>]) -> Vec<Remark> {
        let mut remarks = Vec::new();
        let (mut measured, mut unknown) = (0, 0);
        for case in cases {
            let Some(CaseDetail::Retrieval(detail)) = case.detail else { continue };
            if !detail.missing_expected_ids.is_empty() {
                let (file, line) = (&case.location.file, case.location.line);
                let ids = detail.missing_expected_ids.join(", ");
                let message = format!("{} expects what the index does not hold: {ids} ({file}:{line})", case.id);
                let case = Some(case.id.clone());
                remarks.push(Remark { rule: Rule::MissingId, case, message, fails_when_strict: true });
            }
            measured += usize::from(case.status.is_measured());
            unknown += usize::from(case.status.is_measured() && !detail.index_told);
        }
        if unknown > 0 {
            let message = format!("the engine could not tell which ids it holds, for {unknown} of {measured} cases");
            remarks.push(Remark { rule: Rule::CannotTell, case: None, message, fails_when_strict: false });
        }
        remarks
    }

    fn table(cases: &[CaseView<'_>]) -> Option<CaseTable> {
        let number = |value: Option<f64>| value.map_or(NO_VALUE.to_owned(), format_score);
        let mut rows = Vec::new();
        for case in cases.iter().filter(|case| case.status != Status::Skipped) {
            let Some(CaseDetail::Retrieval(detail)) = case.detail else { continue };
            let cells = [
                plain(case.id.as_str()),
                detail.lane.name().to_owned(),
                detail.source.name().to_owned(),
                detail.k.to_string(),
                number(detail.precision_at_k),
                number(detail.recall_at_k),
                number(detail.mrr),
            ];
            rows.push(CaseRow { score: case.score, cells: cells.into_iter().map(|cell| (cell, false)).collect() });
        }
        let header = ["case_id", "lane", "source", "k", "P@k", "R@k", "MRR"].map(str::to_owned).to_vec();
        Some(CaseTable { header, rows, text_columns: 3, shown: TableRows::AllUpTo(ROWS) })
    }
}

/// A ranking, and which of the expected ids the engine holds at all.
#[derive(Debug)]
pub struct RetrievalEvidence {
    pub answer: Answer,
    pub held: Held,
}

impl Evidence for RetrievalEvidence {
    fn into_attempt(self, evaluation: Evaluation) -> Attempted {
        self.answer.into_attempt(evaluation)
    }
}

impl CaseQuestion for RetrievalQuestion {
    type Detail = RetrievalDetail;
    type Evidence = RetrievalEvidence;

    async fn ask(&self, asking: &Asking<'_>) -> RetrievalEvidence {
        let Asking { case, attempt, source, stop, .. } = *asking;
        if self.source == CaseOrigin::Builtin {
            // Its data are in the binary, whatever the suite's target is.
            let ask = |request: Request| builtin::ask(request, stop);
            let held = ask(self.held_request(case)).await;
            return RetrievalEvidence { answer: ask(self.search_request(case)).await, held: Held::read(&held) };
        }
        let held = source.ask(self.held_request(case).again(attempt), stop).await;
        let answer = source.ask(self.search_request(case).again(attempt), stop).await;
        RetrievalEvidence { answer, held: Held::read(&held) }
    }

    fn not_asked(&self, why: &str) -> RetrievalEvidence {
        RetrievalEvidence { answer: Answer::ended(Ending::Unasked { why: why.to_owned() }), held: Held::CannotTell }
    }

    fn evaluate(&self, evidence: &RetrievalEvidence) -> Evaluation {
        evaluate(self, &evidence.answer, &evidence.held)
    }

    fn with_key_of(&self, main: &Self) -> Option<Self> {
        let Self { expected, k, pass_at, .. } = main.clone();
        let not_asked_for = expected.iter().filter(|id| !self.expected.contains(id)).cloned().collect();
        Some(Self { expected, not_asked_for, k, pass_at, ..self.clone() })
    }

    fn judge_reported(&self, reported: &RetrievalDetail) -> Option<Evaluation> {
        let answer = Answer::text(json!({"ids": reported.top_ids}).to_string());
        Some(evaluate(self, &answer, &Held::CannotTell))
    }

    fn detail(&self) -> RetrievalDetail {
        detail(self)
    }
}

impl RetrievalQuestion {
    /// Asks for a ranking: `{"query","lane","k"}`.
    fn search_request(&self, case: &CaseId) -> Request {
        // A ranking of files needs more than one unit of each.
        let k = if self.is_collapsed() { self.k.saturating_mul(UNITS_PER_FILE) } else { self.k };
        let mut input = json!({"query": self.query, "lane": self.lane, "k": k});
        for (name, value) in &self.pass {
            input[name] = value.clone();
        }
        let lane = self.lane.name().to_owned();
        let names = vec![("query", self.query.clone()), ("lane", lane), ("k", k.to_string())];
        Request { names, ..Request::value(case.as_str(), &input) }
    }

    /// Asks which of the expected ids an engine holds: `{"contains","lane"}`. There is no `{query}` to put it into.
    fn held_request(&self, case: &CaseId) -> Request {
        let input = json!({"contains": self.expected, "lane": self.lane});
        let names = vec![("lane", self.lane.name().to_owned()), ("k", "0".to_owned())];
        Request { names, ..Request::value(case.as_str(), &input) }
    }
}

impl CaseReport for RetrievalDetail {
    fn answer(&self) -> Option<String> {
        Some(self.top_ids.join(", "))
    }

    fn page(&self, _: CaseView<'_>, change: Option<&CaseChange>) -> CasePage {
        page::page(self, change)
    }

    /// Where the expected ids stand, then and now.
    fn preview(&self, _: CaseView<'_>, change: Option<&CaseChange>) -> Option<String> {
        // Where the question was another or ranks were not kept, nothing is known of then.
        let change = change.filter(|one| {
            let asked = !matches!(one.change, Change::Added | Change::Changed);
            asked && (!one.parts_was.is_empty() || one.was == Some(Status::Failed))
        });
        let mut lines = String::new();
        for id in &self.expected_ids {
            let now = self.rank_of(id);
            let was = change.and_then(|change| change.parts_was.get(id)).copied();
            let missing = self.missing_expected_ids.contains(id);
            #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^52")]
            let sign = match (was, now) {
                (Some(_), None) => '-',
                (None, Some(_)) if change.is_some() => '+',
                (Some(was), Some(now)) if (now as f64) > was => '-',
                (Some(was), Some(now)) if (now as f64) < was => '+',
                (Some(_) | None, Some(_)) | (None, None) => ' ',
            };
            let place = |rank: Option<String>| {
                rank.map_or(format!("not among the first {}", self.k), |rank| format!("rank {rank}"))
            };
            let now_text =
                if missing { "not in the index".to_owned() } else { place(now.map(|rank| rank.to_string())) };
            let then = match (was, change) {
                (Some(was), _) => format!("rank {was} → "),
                (None, Some(_)) => "not found → ".to_owned(),
                (None, None) => String::new(),
            };
            lines.push_str(&format!("{sign} {id}: {then}{now_text}\n"));
        }
        Some(lines)
    }

    fn explain(&self, case: CaseView<'_>) -> Vec<(&'static str, String)> {
        let mut lines = vec![("query", self.spec_content.clone())];
        lines.extend(case.failed_checks().map(|check| ("because", check.details.clone().unwrap_or_default())));
        lines.push(("found", self.top_ids.join("\n")));
        lines
    }

    fn note(&self) -> Option<String> {
        let missing = &self.missing_expected_ids;
        (!missing.is_empty()).then(|| format!("not in the index: {}", missing.join(", ")))
    }

    fn parts(&self) -> BTreeMap<String, f64> {
        #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^52")]
        let ranks = self.expected_ids.iter().filter_map(|id| Some((id.clone(), self.rank_of(id)? as f64)));
        ranks.collect()
    }
}

impl RetrievalDetail {
    /// The rank of the first result that is what is expected, from 1.
    pub(super) fn rank_of(&self, expected: &str) -> Option<usize> {
        let expected = ExpectedId::new(expected);
        self.top_ids.iter().position(|top| expected.is_shown_as(top)).map(|rank| rank + 1)
    }
}

impl SuiteReport for RetrievalSuiteDetail {
    fn listed(&self) -> Option<Listed<'_>> {
        Some(Listed {
            noun: "id",
            title: "expected but not in the index",
            short_title: "not in the index",
            entries: &self.missing_expected_ids,
        })
    }
}
