//! Judges an answer by the components of its module's scorer.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use similar::TextDiff;

use super::GoldenQuestion;
use super::json_in::{NoJson, json_in};
use super::measures::{Asks, MeasureError, MeasureInput};
use super::scorer::AnswerForm;
use super::{ComponentDetail, GoldenDetail};
use crate::model::{
    Answer, CaseId, CheckName as _, Ending, Meaning, MetricSpec, Nature, Request, Score, Status, Usage, check_names,
    format_score,
};
use crate::suites::{CaseDetail, Evaluation};
use crate::text::truncate_middle;

/// How much of a diff or of an unreadable answer is kept.
const KEPT: usize = 8 * 1024;

check_names! {
    /// The score as a whole, and each component of the scorer.
    GoldenCheck {
        Score = "score",
        Component = "component",
    }
}

/// What somebody is asked whose opinion a component wants.
#[derive(Debug)]
pub struct OpinionRequest<'a> {
    /// The component's place in the scorer.
    pub component: usize,
    pub name: &'a str,
    pub request: Request,
}

/// What to ask before a given answer can be judged. Nothing, if the answer cannot be read.
pub fn opinion_requests<'a>(question: &'a GoldenQuestion, case: &CaseId, answer: &Answer) -> Vec<OpinionRequest<'a>> {
    let (Ending::Answered(text), Some(golden)) = (&answer.ending, &question.golden) else { return Vec::new() };
    let Ok(actual) = read_answer(question, text) else { return Vec::new() };
    let document = document(question, &actual, golden);
    let mut requests = Vec::new();
    for (component, one) in question.scorer.components.iter().enumerate() {
        let Some(asks) = one.measure.asks() else { continue };
        let body = match asks {
            Asks::Judge(judge) => Some(judge.request(&document)),
            Asks::ScorerProgram(_) => None,
        };
        let request = Request { body, ..Request::value(case.as_str(), &document) };
        requests.push(OpinionRequest { component, name: &one.name, request });
    }
    requests
}

/// Judges a given answer with given opinions (component → what was said); asks nobody.
pub fn evaluate(question: &GoldenQuestion, answer: &Answer, opinions: &BTreeMap<usize, Answer>) -> Evaluation {
    let mut evaluation = match answer.ending.meaning() {
        Meaning::Judge(text) => match (read_answer(question, text), &question.golden) {
            (_, None) if question.scorer.needs_golden => {
                let why = "no golden yet; if the answer is good, record it (--mode record) and take it with `evalratchet golden accept`";
                without(question, Status::Unmeasured, why.to_owned(), Some(text))
            }
            (Ok(actual), golden) => {
                let golden = golden.as_ref().unwrap_or(&Value::Null);
                judge(question, actual, golden, answer.duration, opinions)
            }
            (Err(error), _) => without(question, Status::Failed, error.to_string(), Some(text)),
        },
        Meaning::Status(status) => without(question, status, answer.sentence(), None),
    };
    if let Some(Usage { input_tokens, output_tokens, cost }) = answer.usage {
        #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
        evaluation.metrics.insert(MetricSpec::TOKENS_PER_ANSWER.name, (input_tokens + output_tokens) as f64);
        if let Some(cost) = cost {
            evaluation.metrics.insert(MetricSpec::COST_PER_ANSWER.name, cost);
        }
    }
    evaluation
}

/// The answer in the form that the module wants.
pub fn read_answer(question: &GoldenQuestion, text: &str) -> Result<Value, NoJson> {
    match question.scorer.answer {
        AnswerForm::Json => json_in(text),
        // A worker and a service answer in JSON; a text among it is meant as one.
        AnswerForm::Text => Ok(match serde_json::from_str(text) {
            Ok(Value::String(text)) => Value::String(text),
            Ok(_) | Err(_) => Value::String(text.to_owned()),
        }),
    }
}

fn document(question: &GoldenQuestion, actual: &Value, golden: &Value) -> Value {
    json!({"actual": actual, "golden": golden, "input": question.input, "case": question.further})
}

fn judge(
    question: &GoldenQuestion,
    actual: Value,
    golden: &Value,
    latency: Duration,
    opinions: &BTreeMap<usize, Answer>,
) -> Evaluation {
    let document = document(question, &actual, golden);
    let mut components = Vec::new();
    let mut checks = Vec::new();
    let mut sum = 0.0;
    for (index, component) in question.scorer.components.iter().enumerate() {
        let input = MeasureInput { document: &document, latency, opinion: opinions.get(&index) };
        let (value, status, note) = match component.measure.measure(input) {
            Ok(measured) => (Some(measured.earned.points(component.weight)), Status::Passed, measured.note),
            Err(MeasureError::Answer(why)) => (Some(0.0), Status::Failed, Some(why)),
            Err(MeasureError::Scorer(why)) => (None, Status::Error, Some(why)),
        };
        sum += value.unwrap_or(0.0);
        let earned = value.map_or("not measured".to_owned(), |value| {
            format!("{} of {}", format_score(value), format_score(component.weight))
        });
        let details = note.as_ref().map_or(earned.clone(), |note| format!("{earned}: {note}"));
        checks.push(GoldenCheck::Component.check_of(&component.name, status, Some(details)));
        components.push(ComponentDetail {
            name: component.name.clone(),
            measure: component.measure_name.to_owned(),
            weight: component.weight,
            value,
            note,
        });
    }
    // What adds up to the floor on paper must not miss it by a rounding step.
    let score = Score::clamped((sum * 1e12).round() / 1e12);
    let broken = checks.iter().any(|check| check.status == Status::Error);
    let status = if broken {
        Status::Error
    } else if score.value() >= question.pass_at {
        Status::Passed
    } else {
        Status::Failed
    };
    let unmeasured = components.iter().find(|component| component.value.is_none());
    let sentence = match unmeasured {
        Some(component) => format!("{}: {}", component.name, component.note.as_deref().unwrap_or_default()),
        None => {
            let [score, pass_at] = [score.value(), question.pass_at].map(|value| Nature::Quality.format(value));
            format!("{score}, passes from {pass_at} on")
        }
    };
    checks.insert(0, GoldenCheck::Score.check(status, Some(sentence)));
    let accepted = question.replayed && question.golden.is_some() && actual == *golden;
    Evaluation {
        status,
        score: (!broken).then_some(score),
        metrics: BTreeMap::new(),
        checks,
        diff: (question.golden.is_some() && actual != *golden).then(|| diff(golden, &actual)),
        detail: CaseDetail::Golden(GoldenDetail { actual, components, accepted, ..detail(question) }),
    }
}

fn without(question: &GoldenQuestion, status: Status, why: String, text: Option<&str>) -> Evaluation {
    let mut checks = vec![GoldenCheck::Score.check(status, Some(why))];
    for component in &question.scorer.components {
        checks.push(GoldenCheck::Component.check_of(&component.name, status, None));
    }
    let mut detail = detail(question);
    detail.unread = text.map(|text| truncate_middle(text, KEPT));
    if status == Status::Failed {
        for component in &mut detail.components {
            component.value = Some(0.0);
        }
    }
    Evaluation {
        status,
        score: (status == Status::Failed).then_some(Score::ZERO),
        metrics: BTreeMap::new(),
        checks,
        diff: None,
        detail: CaseDetail::Golden(detail),
    }
}

/// The question as a report shows it, nothing answered yet.
pub fn detail(question: &GoldenQuestion) -> GoldenDetail {
    let components = question.scorer.components.iter().map(|component| ComponentDetail {
        name: component.name.clone(),
        measure: component.measure_name.to_owned(),
        weight: component.weight,
        value: None,
        note: None,
    });
    GoldenDetail {
        module: question.module.clone(),
        description: question.description.clone(),
        input: question.input.clone(),
        golden: question.golden.clone().unwrap_or_default(),
        actual: Value::Null,
        unread: None,
        components: components.collect(),
        pass_at: question.pass_at,
        accepted: false,
        not_checked: question.not_checked.clone(),
    }
}

/// From golden to the answer, as a diff.
fn diff(golden: &Value, actual: &Value) -> String {
    let shown = |value: &Value| format!("{value:#}\n");
    let (golden, actual) = (shown(golden), shown(actual));
    let text =
        TextDiff::from_lines(&golden, &actual).unified_diff().context_radius(2).header("golden", "answer").to_string();
    truncate_middle(&text, KEPT)
}
