//! Judges a ranking against the ids that should be in it.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;

use super::RetrievalDetail;
use super::expected::{ExpectedId, file_of};
use super::metrics::{average_precision, ndcg, precision, recall, reciprocal_rank};
use super::{PassAt, RetrievalQuestion};
use crate::model::{Answer, CheckName as _, Meaning, Score, Status, check_names};
use crate::suites::{CaseDetail, Evaluation};

/// What an engine says about the ids it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Held {
    Known(HashSet<String>),
    CannotTell,
}

impl Held {
    /// Reads `{"present": […]}`. An engine that cannot tell says so by any other answer.
    pub fn read(answer: &Answer) -> Self {
        let text = answer.ending.said().unwrap_or_default();
        serde_json::from_str(text).map_or(Self::CannotTell, |Present { present }| Self::Known(present))
    }
}

/// What an engine answers when it is asked what it holds.
#[derive(Deserialize)]
struct Present {
    present: HashSet<String>,
}

/// What an engine answers.
#[derive(Deserialize)]
struct Ranking {
    ids: Vec<String>,
    scores: Option<Vec<f64>>,
}

check_names! {
    /// Whether the ranking has the ids that a case expects.
    RetrievalCheck {
        ExpectedIds = "expected-ids",
    }
}

/// Judges a given answer `{"ids": […], "scores": […]?}`; asks nobody.
pub fn evaluate(question: &RetrievalQuestion, answer: &Answer, held: &Held) -> Evaluation {
    let missing: Vec<String> = match held {
        Held::Known(ids) => {
            let is_missing = |id: &&String| !ids.contains(*id) && !question.not_asked_for.contains(*id);
            question.expected.iter().filter(is_missing).cloned().collect()
        }
        Held::CannotTell => Vec::new(),
    };
    let mut evaluation = match answer.ending.meaning() {
        Meaning::Judge(text) => match ranking(text) {
            Ok(ids) => judge(question, &ids, missing),
            Err(error) => without_ranking(question, missing, Status::Failed, error.to_string()),
        },
        Meaning::Status(status) => without_ranking(question, missing, status, answer.sentence()),
    };
    if let CaseDetail::Retrieval(detail) = &mut evaluation.detail {
        detail.index_told = *held != Held::CannotTell;
    }
    evaluation
}

/// Why an answer is no ranking.
#[derive(Debug, thiserror::Error)]
enum RankingError {
    #[error("the answer is not {{\"ids\": […]}}: {0}")]
    NotIds(#[from] serde_json::Error),
    #[error("{scores} scores for {ids} ids")]
    ScoreCount { scores: usize, ids: usize },
}

/// The ids, best first, each once. With scores, those decide, and then the id.
fn ranking(text: &str) -> Result<Vec<String>, RankingError> {
    let Ranking { ids, scores } = serde_json::from_str(text)?;
    let mut ids = match scores {
        None => ids,
        Some(scores) if scores.len() != ids.len() => {
            return Err(RankingError::ScoreCount { scores: scores.len(), ids: ids.len() });
        }
        Some(scores) => {
            let mut pairs: Vec<(String, f64)> = ids.into_iter().zip(scores).collect();
            pairs.sort_by(|a, b| b.1.partial_cmp(&a.1).unwrap_or(Ordering::Equal).then_with(|| a.0.cmp(&b.0)));
            pairs.into_iter().map(|(id, _)| id).collect()
        }
    };
    let mut seen = HashSet::new();
    ids.retain(|id| seen.insert(id.clone()));
    Ok(ids)
}

/// A result as it is ranked: a unit, or a file with its units.
struct RankedEntry<'a> {
    id: &'a str,
    units: Vec<&'a str>,
}

/// The ranking that is judged. Where only files and patterns are expected, it is one of files.
fn entries<'a>(question: &RetrievalQuestion, ids: &'a [String]) -> Vec<RankedEntry<'a>> {
    let mut entries: Vec<RankedEntry<'a>> = Vec::new();
    for id in ids {
        let name = if question.is_collapsed() { file_of(id) } else { id };
        match entries.iter_mut().find(|entry| question.is_collapsed() && entry.id == name) {
            Some(entry) => entry.units.push(id),
            None => entries.push(RankedEntry { id: name, units: vec![id] }),
        }
    }
    entries.truncate(question.k);
    entries
}

fn judge(question: &RetrievalQuestion, ids: &[String], missing: Vec<String>) -> Evaluation {
    let entries = entries(question, ids);
    let ids: Vec<String> = entries.iter().map(|entry| entry.id.to_owned()).collect();
    let wanted = question.wanted();
    // What was found is there, whatever an engine says of files and patterns.
    let is_found = |one: &ExpectedId| entries.iter().any(|entry| entry.units.iter().any(|unit| one.is_hit_by(unit)));
    let missing: Vec<String> = {
        let found = |id: &String| wanted.iter().any(|one| one.id == *id && one.is_coarse() && is_found(one));
        missing.into_iter().filter(|id| !found(id)).collect()
    };
    let present: Vec<&ExpectedId> = wanted.iter().filter(|one| !missing.contains(&one.id)).collect();
    if present.is_empty() {
        let why = "none of the expected ids is in the index".to_owned();
        let mut evaluation = without_ranking(question, missing, Status::Unmeasured, why);
        if let CaseDetail::Retrieval(detail) = &mut evaluation.detail {
            detail.top_ids = ids;
        }
        return evaluation;
    }
    // Each expected id counts once, by the first result that is it.
    let mut open = present.clone();
    let mut relevant = Vec::new();
    for entry in &entries {
        let before = open.len();
        open.retain(|one| !entry.units.iter().any(|unit| one.is_hit_by(unit)));
        relevant.push(open.len() < before);
    }
    let hits: Vec<String> = ids.iter().zip(&relevant).filter(|(_, hit)| **hit).map(|(id, _)| id.clone()).collect();
    let gains: Vec<f64> = relevant.iter().map(|hit| f64::from(u8::from(*hit))).collect();
    let ideal = vec![1.0; present.len()];
    let mrr = reciprocal_rank(&relevant);
    let (precision_at_k, recall_at_k) =
        (precision(&relevant, question.k), recall(&relevant, question.k, present.len()));
    let passed = match question.pass_at {
        PassAt::Any => !hits.is_empty(),
        PassAt::All => open.is_empty(),
    };
    let lost: Vec<&str> = open.iter().map(|one| one.id.as_str()).collect();
    let why = (!lost.is_empty()).then(|| format!("not among the first {}: {}", question.k, lost.join(", ")));
    let status = if passed { Status::Passed } else { Status::Failed };
    let mut found = detail(question);
    found.top_ids = ids;
    found.hits = hits;
    found.missing_expected_ids = missing;
    found.precision_at_k = Some(precision_at_k);
    found.recall_at_k = Some(recall_at_k);
    found.mrr = Some(mrr);
    Evaluation {
        status,
        score: Some(Score::clamped(mrr)),
        metrics: BTreeMap::from([
            ("precision-at-k", precision_at_k),
            ("recall-at-k", recall_at_k),
            ("mrr", mrr),
            ("ndcg-at-k", ndcg(&gains, &ideal, question.k)),
            ("map", average_precision(&relevant, present.len())),
            ("hit-rate", f64::from(u8::from(!found.hits.is_empty()))),
        ]),
        checks: vec![RetrievalCheck::ExpectedIds.check(status, why)],
        diff: None,
        detail: CaseDetail::Retrieval(found),
    }
}

fn without_ranking(question: &RetrievalQuestion, missing: Vec<String>, status: Status, why: String) -> Evaluation {
    let zeros = ["precision-at-k", "recall-at-k", "mrr", "ndcg-at-k", "map", "hit-rate"].map(|name| (name, 0.0));
    let mut found = detail(question);
    found.missing_expected_ids = missing;
    Evaluation {
        status,
        score: (status == Status::Failed).then_some(Score::ZERO),
        metrics: zeros.into(),
        checks: vec![RetrievalCheck::ExpectedIds.check(status, Some(why))],
        diff: None,
        detail: CaseDetail::Retrieval(found),
    }
}

/// The question as a report shows it, nothing retrieved yet.
pub fn detail(question: &RetrievalQuestion) -> RetrievalDetail {
    RetrievalDetail {
        case_id: question.id.clone(),
        description: question.description.clone(),
        spec_id: question.spec_id.clone(),
        spec_content: question.query.clone(),
        lane: question.lane,
        k: question.k,
        top_ids: Vec::new(),
        expected_ids: question.expected.clone(),
        hits: Vec::new(),
        missing_expected_ids: Vec::new(),
        precision_at_k: None,
        recall_at_k: None,
        mrr: None,
        source: question.source,
        index_told: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Lane;
    use crate::suites::retrieval::CaseOrigin;

    fn question(lane: Lane, expected: &[&str], k: usize) -> RetrievalQuestion {
        RetrievalQuestion {
            id: "q".into(),
            pass: serde_json::Map::new(),
            description: String::new(),
            lane,
            spec_id: "S".into(),
            query: "q".into(),
            expected: expected.iter().map(|id| (*id).to_owned()).collect(),
            not_asked_for: Vec::new(),
            k,
            source: CaseOrigin::Json,
            pass_at: PassAt::Any,
        }
    }

    fn measured(
        question: &RetrievalQuestion,
        answer: &str,
        held: &Held,
    ) -> (Status, BTreeMap<&'static str, f64>, RetrievalDetail) {
        let evaluation = evaluate(question, &Answer::text(answer), held);
        let CaseDetail::Retrieval(detail) = evaluation.detail else { panic!("not a retrieval") };
        (evaluation.status, evaluation.metrics, detail)
    }

    fn known(ids: &[&str]) -> Held {
        Held::Known(ids.iter().map(|id| (*id).to_owned()).collect())
    }

    #[test]
    fn memory_and_code_lanes_are_measured_alike_and_keep_their_lane() {
        for lane in [Lane::Memory, Lane::Code] {
            let (status, metrics, detail) =
                measured(&question(lane, &["b"], 5), r#"{"ids": ["a", "b"]}"#, &Held::CannotTell);
            assert_eq!(
                (status, detail.lane, metrics["mrr"], metrics["precision-at-k"], metrics["recall-at-k"]),
                (Status::Passed, lane, 0.5, 0.2, 1.0)
            );
        }
    }

    #[test]
    fn missing_ids_leave_the_denominator_and_a_case_with_none_left_is_not_measured() {
        let two = question(Lane::Code, &["a", "gone"], 5);
        let (status, metrics, detail) = measured(&two, r#"{"ids": ["a"]}"#, &known(&["a"]));
        assert_eq!(
            (status, metrics["recall-at-k"], detail.missing_expected_ids),
            (Status::Passed, 1.0, vec!["gone".to_owned()])
        );
        let (status, _, _) = measured(&two, r#"{"ids": ["a"]}"#, &known(&[]));
        assert_eq!(status, Status::Unmeasured);
        let (_, metrics, _) = measured(&two, r#"{"ids": ["a"]}"#, &Held::CannotTell);
        assert_eq!(metrics["recall-at-k"], 0.5);
    }

    #[test]
    fn repeats_count_once_and_scores_decide_over_the_order_given() {
        let (_, metrics, detail) =
            measured(&question(Lane::Code, &["c"], 3), r#"{"ids": ["a", "a", "b", "c"]}"#, &Held::CannotTell);
        assert_eq!((metrics["mrr"], detail.top_ids.len()), (1.0 / 3.0, 3));
        let (_, _, detail) = measured(
            &question(Lane::Code, &["c"], 3),
            r#"{"ids": ["b", "a", "c"], "scores": [1, 1, 2]}"#,
            &Held::CannotTell,
        );
        assert_eq!(detail.top_ids, ["c", "a", "b"]);
    }

    #[test]
    fn a_case_can_demand_all_expected_ids() {
        let mut both = question(Lane::Code, &["a", "b"], 5);
        both.pass_at = PassAt::All;
        assert_eq!(measured(&both, r#"{"ids": ["a"]}"#, &Held::CannotTell).0, Status::Failed);
        assert_eq!(measured(&both, r#"{"ids": ["b", "a"]}"#, &Held::CannotTell).0, Status::Passed);
        assert_eq!(measured(&both, "nonsense", &Held::CannotTell).0, Status::Failed);
    }
}
