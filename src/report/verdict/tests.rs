//! What every sentence of the verdict line says is so, in every report that draws it.

use super::{VerdictSummary, verdict_line};
use crate::conclude::conclude;
use crate::gate::GateContext;
use crate::gate::spec::{baseline_of, reference, results, run_info, suite};
use crate::model::{CaseChange, Change, Policy, Rule, Shard, Status, SuiteId, SuiteState, Threshold, Usage};
use crate::report::tests::{alive, page_display};
use crate::report::{ReportFormat, Style, corpus, terminal};
use crate::results::{Reason, Results, RunInfo, SuiteResult};

fn named(id: &str, cases: &str) -> SuiteResult {
    SuiteResult { id: SuiteId::new(id), ..suite(cases, &Policy::default()) }
}

fn compared(main: Vec<SuiteResult>, run: Vec<SuiteResult>) -> Results {
    conclude(run, run_info(), Some(&reference(baseline_of(main))), &GateContext::default())
}

/// The first line of the comment as its reader sees it.
fn first_line(results: &Results) -> String {
    let comment = ReportFormat::Comment.render(results, None).unwrap();
    // The title, and the line that qualifies it.
    let head: String = comment.lines().take(4).map(|line| format!("{line}\n")).collect();
    alive(&head).0.replace('\u{200b}', "")
}

fn worlds() -> Vec<(&'static str, Results)> {
    let mut worlds = corpus::all();
    worlds.retain(|(name, _)| !matches!(*name, "hostile" | "ten thousand"));
    let mut replayed = named("s", "a+ b-");
    replayed.replayed = true;
    let mut carried = named("s", "a~ b~");
    carried.affected = false;
    let mut partial = run_info();
    (partial.partial, partial.filtered) = (true, true);
    let mut other = reference(baseline_of(vec![named("s", "a+")]));
    (other.info.source, other.info.instead_of) = ("mine *new*.json".to_owned(), Some("main".to_owned()));
    let other = conclude(vec![named("s", "a+")], run_info(), Some(&other), &GateContext::default());
    let filtered = GateContext { filtered: true, ..GateContext::default() };
    let in_shard = GateContext { shard: true, ..GateContext::default() };
    worlds.extend([
        ("not gated", results((0..9).map(|n| named(&format!("s{n}"), "a+ b-")).collect())),
        ("replayed", results(vec![replayed])),
        ("other baseline", other),
        ("not affected", compared(vec![named("s", "a+ b+")], vec![carried, named("t", "x+")])),
        ("filtered", conclude(vec![named("s", "a+ b~")], partial, None, &filtered)),
        ("shard", conclude(vec![named("s", "a+ b-")], shard_info(), None, &in_shard)),
        ("new suite", compared(vec![named("s", "a+")], vec![named("s", "a+"), named("t", "b-")])),
        ("gone suite", compared(vec![named("s", "a+"), named("t", "b-")], vec![named("s", "a+")])),
        ("renamed", compared(vec![named("s", "a+")], vec![named("s", "b=a+")])),
        ("not comparable", compared(vec![named("s", "a+ b+")], vec![named("s", "a'- b'+")])),
        ("varies", compared(vec![named("s", "a4/5 b5/5")], vec![named("s", "a3/5 b2/5")])),
        ("no answer", results(vec![named("s", "a! b!")])),
        ("known and worse", compared(vec![named("s", "a-.4 b+")], vec![named("s", "a-.2 b+")])),
        ("changed and still failing", compared(vec![named("s", "a- b+")], vec![named("s", "a'- b+")])),
        ("gone and new", compared(vec![named("s", "a+ b+")], vec![named("s", "c- d+")])),
        (
            "never measured",
            compared(vec![named("s", "a?"), named("t", "x+")], vec![named("s", "a?"), named("t", "x~")]),
        ),
        ("slower", slower()),
        ("spent long ago", spent_long_ago()),
        ("shard below its floor", conclude(vec![below_its_floor()], shard_info(), None, &in_shard)),
    ]);
    worlds
}

fn shard_info() -> RunInfo {
    RunInfo { partial: true, shard: Some(Shard { index: 1, total: 2 }), ..run_info() }
}

fn below_its_floor() -> SuiteResult {
    let mut suite = named("s", "a+ b-");
    let floor = Threshold { min: Some(0.9), ..Threshold::default() };
    suite.policy.metrics.insert("accuracy".into(), floor);
    suite
}

/// A suite whose answers take longer than its `max-drop` allows, and are otherwise what they were.
fn slower() -> Results {
    let suite = |ms: f64| {
        let mut suite = named("s", "a+ b+");
        suite
            .policy
            .metrics
            .insert("latency-p95-ms".into(), Threshold { max_drop: Some(10.0), ..Threshold::default() });
        suite.cases.iter_mut().flat_map(|case| &mut case.attempts).for_each(|attempt| attempt.duration_ms = ms);
        suite.metrics = crate::aggregate::metrics(suite.kind, &suite.cases);
        suite
    };
    compared(vec![suite(20.0)], vec![suite(900.0)])
}

/// A suite whose answers were recorded, with what they cost then.
fn spent_long_ago() -> Results {
    let mut suite = named("s", "a+");
    suite.replayed = true;
    suite.cases[0].attempts[0].usage = Some(Usage { input_tokens: 1000, output_tokens: 10, cost: Some(0.25) });
    results(vec![suite])
}

/// What people read of these results.
fn texts(results: &Results) -> Vec<(&'static str, String)> {
    let render = |format: ReportFormat| format.render(results, None).unwrap();
    vec![
        ("verdict", verdict_line(results)),
        ("terminal", terminal(results, Style { color: false, width: 200 })),
        ("comment", format!("{}\n{}", render(ReportFormat::Comment), alive(&render(ReportFormat::Comment)).0)),
        ("summary", alive(&render(ReportFormat::Summary)).0),
        ("page", page_display(&render(ReportFormat::Html))),
        ("junit", render(ReportFormat::Junit)),
    ]
}

/// A sentence, and whether it is true of some results.
type Sentence = (&'static str, fn(&Results) -> bool);

fn count(results: &Results, change: Change) -> usize {
    results.comparison.iter().flat_map(|all| &all.suites).filter_map(|suite| suite.counts.get(&change)).sum()
}

fn has_state(results: &Results, state: SuiteState) -> bool {
    results.comparison.iter().flat_map(|all| &all.suites).any(|suite| suite.state == state)
}

fn is_as_in_the_baseline(results: &Results) -> bool {
    let changes = [Change::Regressed, Change::Lost, Change::Changed, Change::Removed, Change::Improved, Change::Added];
    let comparable: usize = results.comparison.iter().flat_map(|all| &all.suites).map(|suite| suite.comparable).sum();
    comparable > 0
        && changes.into_iter().all(|change| count(results, change) == 0)
        && !has_state(results, SuiteState::Added)
        && !has_state(results, SuiteState::Removed)
}

fn is_measured(results: &Results) -> bool {
    results.suites.iter().flat_map(|suite| &suite.cases).any(|case| case.status.is_measured())
}

/// The cases that failed in the baseline and fail now.
fn failing_twice(results: &Results) -> impl Iterator<Item = &CaseChange> {
    let changes = results.comparison.iter().flat_map(|all| &all.suites).flat_map(|suite| &suite.cases);
    changes.filter(|one| one.was == Some(Status::Failed) && one.now == Some(Status::Failed))
}

fn failed_before(results: &Results) -> bool {
    failing_twice(results).any(|one| one.change == Change::Changed)
}

fn failed_otherwise(results: &Results) -> bool {
    failing_twice(results).any(|one| matches!(one.change, Change::Regressed | Change::Improved))
}

fn about_s(results: &Results) -> impl Iterator<Item = &Reason> {
    results.gate.reasons.iter().filter(|one| one.suite.as_ref().is_some_and(|suite| suite.as_str() == "s"))
}

const SENTENCES: &[Sentence] = &[
    ("of 0 measured", |_| false),
    ("over 0 ", |_| false),
    ("over the 0 ", |_| false),
    ("nothing changed since", |_| false),
    ("no case is what it is", |_| false),
    ("scores as in the baseline", is_as_in_the_baseline),
    ("score as in the baseline", is_as_in_the_baseline),
    ("fails as in the baseline", |results| !failed_otherwise(results)),
    ("failing as in the baseline", |results| !failed_otherwise(results)),
    ("can be compared with the baseline", |results| has_state(results, SuiteState::NoCommonCase)),
    ("so nothing is compared", |results| count(results, Change::Changed) == 0),
    ("no case was measured", |results| !is_measured(results)),
    ("not compared", |results| results.comparison.is_none()),
    ("✗ s (", |results| results.gate.exit_code != 0),
    ("✗ ", |results| results.gate.exit_code != 0),
    ("✓ s (", |results| about_s(results).all(|one| !one.fails && one.rule != Rule::NotGated)),
    ("newly failing", |results| !failed_before(results)),
    ("0.25 spent", |results| results.suites.iter().any(|suite| !suite.replayed)),
    ("0 cases) skipped", |_| false),
    ("): \n", |_| false),
];

#[test]
fn no_report_says_what_is_not_so() {
    let mut wrong = Vec::new();
    for (name, results) in worlds() {
        for (report, text) in texts(&results) {
            for (sentence, is_so) in SENTENCES {
                if text.contains(sentence) && !is_so(&results) {
                    wrong.push(format!("{name}: the {report} says `{sentence}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_comment_begins_with_everything_that_the_verdict_line_says() {
    for (name, results) in worlds() {
        let line = first_line(&results);
        for part in VerdictSummary::of(&results).parts {
            let text = part.text(&str::to_owned);
            assert!(line.contains(&text), "{name}: `{text}` is not in `{line}`");
        }
    }
}
