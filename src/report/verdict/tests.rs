//! What every sentence of the verdict line says is so, in every report that draws it.

use super::VerdictSummary;
use crate::conclude;
use crate::gate::GateContext;
use crate::gate::spec::{baseline_of, reference, results, run_info, suite};
use crate::model::{Policy, Shard, SuiteId};
use crate::report::tests::alive;
use crate::report::{ReportFormat, corpus};
use crate::results::{Results, SuiteResult};

fn named(id: &str, cases: &str) -> SuiteResult {
    SuiteResult { id: SuiteId::new(id), ..suite(cases, &Policy::default()) }
}

fn compared(main: Vec<SuiteResult>, run: Vec<SuiteResult>) -> Results {
    conclude(run, run_info(), Some(&reference(baseline_of(main))), &GateContext::default())
}

/// The first line of the comment as its reader sees it.
fn first_line(results: &Results) -> String {
    let comment = ReportFormat::Comment.render(results, None).unwrap();
    let head: String = comment.lines().take(2).map(|line| format!("{}\n", line.trim_start_matches("> "))).collect();
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
    let mut shard = run_info();
    (shard.partial, shard.shard) = (true, Some(Shard { index: 1, total: 2 }));
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
        ("shard", conclude(vec![named("s", "a+ b-")], shard, None, &in_shard)),
        ("new suite", compared(vec![named("s", "a+")], vec![named("s", "a+"), named("t", "b-")])),
        ("gone suite", compared(vec![named("s", "a+"), named("t", "b-")], vec![named("s", "a+")])),
        ("renamed", compared(vec![named("s", "a+")], vec![named("s", "b=a+")])),
        ("not comparable", compared(vec![named("s", "a+ b+")], vec![named("s", "a'- b'+")])),
        ("varies", compared(vec![named("s", "a4/5 b5/5")], vec![named("s", "a3/5 b2/5")])),
    ]);
    worlds
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
