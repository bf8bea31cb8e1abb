//! What holds whatever the results are, and how often chance is taken for a drop.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::spec::{reference, results, run_info, suite, update};
use crate::baseline::Baseline;
use crate::compare;
use crate::conclude::conclude;
use crate::gate::GateContext;
use crate::merge::{ShardPart, merge};
use crate::model::Rule;
use crate::model::{CaseChange, CaseId, Change, Policy, Sha, Shard, Status};
use crate::results::{Results, SuiteResult, Verdict};

/// Cases as the worlds write them: a few names, each with some outcome.
fn cases() -> impl Strategy<Value = String> {
    let outcome = prop_oneof![
        Just("+".to_owned()),
        Just("-".to_owned()),
        Just("?".to_owned()),
        (1_u32..100).prop_map(|score| format!("+.{score:02}")),
        (1_u32..100).prop_map(|score| format!("-.{score:02}")),
    ];
    let mark = prop_oneof![4 => Just(""), 1 => Just("'")];
    let one = (prop::sample::select(vec!["x:a", "x:b", "y:c", "y:d", "e", "f"]), mark, outcome);
    prop::collection::vec(one, 1..7).prop_map(|all| {
        let mut seen: Vec<&str> = Vec::new();
        let mut text = Vec::new();
        for (name, mark, outcome) in all {
            if !seen.contains(&name) {
                seen.push(name);
                text.push(format!("{name}{mark}{outcome}"));
            }
        }
        text.push("z+".to_owned());
        text.join(" ")
    })
}

fn judged(run: Vec<SuiteResult>, baseline: Baseline) -> Results {
    conclude(run, run_info(), Some(&reference(baseline)), &GateContext::default())
}

fn of_commit(run: &str, commit: char) -> Results {
    let mut results = results(vec![suite(run, &Policy::default())]);
    results.run.commit = Sha::parse(&commit.to_string().repeat(40));
    results
}

proptest! {
    #[test]
    fn a_run_compared_with_itself_never_regresses(cases in cases()) {
        let run = of_commit(&cases, 'a');
        let baseline = update(None, &run).unwrap().unwrap();
        let again = judged(run.suites, baseline);
        let wrong: Vec<_> = again.gate.reasons.iter().filter(|reason| reason.fails).collect();
        prop_assert!(wrong.is_empty(), "{wrong:?}");
        prop_assert_eq!(again.gate.verdict, Verdict::Passed);
    }

    #[test]
    fn a_suspect_is_what_the_comparison_calls_passed_then_and_failed_now(first in cases(), second in cases()) {
        let (first, second) = (of_commit(&first, 'a'), of_commit(&second, 'b'));
        let baseline = update(None, &first).unwrap().unwrap();
        let suite = second.suites[0].clone();
        let found: BTreeSet<CaseId> =
            compare::suspects(&suite, &baseline.suites[&suite.id]).into_iter().cloned().collect();
        let comparison = judged(second.suites, baseline).comparison.unwrap();
        let is_suspect = |one: &&CaseChange| {
            one.change == Change::Regressed && (one.was, one.now) == (Some(Status::Passed), Some(Status::Failed))
        };
        let expected = comparison.suites[0].cases.iter().filter(is_suspect).map(|one| one.id.clone()).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_best_never_falls_and_an_update_twice_is_an_update_once(first in cases(), second in cases()) {
        let (first, second) = (of_commit(&first, 'a'), of_commit(&second, 'b'));
        let before = update(None, &first).unwrap().unwrap();
        let after = update(Some(&before), &second).unwrap().unwrap_or_else(|| before.clone());
        prop_assert_eq!(update(Some(&after), &second).unwrap(), None);
        for (id, suite) in &before.suites {
            for (case, old) in &suite.cases {
                let new = &after.suites[id].cases[case];
                if new.fingerprint == old.fingerprint {
                    let rank = |best: &crate::baseline::file::Best| (best.status == Status::Passed, best.score);
                    let (old, new) = (old.best.as_ref().unwrap(), new.best.as_ref().unwrap());
                    prop_assert!(rank(new) >= rank(old), "{case}: {old:?} {new:?}");
                }
            }
        }
    }

    #[test]
    fn a_baseline_reads_back_as_it_was_written(first in cases(), second in cases()) {
        let before = update(None, &of_commit(&first, 'a')).unwrap().unwrap();
        let after = update(Some(&before), &of_commit(&second, 'b')).unwrap().unwrap_or(before);
        let text = after.render().unwrap();
        let read = Baseline::parse("baseline.json", text.clone()).unwrap();
        prop_assert_eq!(&read, &after);
        prop_assert_eq!(read.render().unwrap(), text);
    }

    #[test]
    fn shards_are_one_run_in_whatever_order_they_come(cases in cases(), order in Just(vec![0_usize, 1, 2]).prop_shuffle()) {
        let whole = of_commit(&cases, 'a');
        let part = |index: usize| {
            let mut part = whole.clone();
            part.run.shard = Some(Shard { index: u32::try_from(index + 1).unwrap(), total: 3 });
            part.suites[0].cases.retain(|case| case.position % 3 == index);
            part.suites[0].metrics.clear();
            ShardPart { place: format!("shard-{index}"), results: part }
        };
        let (suites, run) = merge(order.into_iter().map(part).collect()).unwrap();
        let mut expected = whole.suites.clone();
        expected[0].status = suites[0].status;
        prop_assert_eq!(suites, expected);
        prop_assert_eq!(run.shard, None);
    }
}

/// A small generator, seeded, for the simulations.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A run of cases that pass with these chances, in five attempts each and two categories.
fn simulated(chances: &[f64], random: &mut Random) -> SuiteResult {
    let case = |(index, chance): (usize, &f64)| {
        let passed = (0..5).filter(|_| random.next() < *chance).count();
        let name: String = index.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
        format!("{}:{name}{passed}/5", if index % 2 == 0 { "x" } else { "y" })
    };
    let cases: Vec<String> = chances.iter().enumerate().map(case).collect();
    suite(&cases.join(" "), &Policy::default())
}

fn is_red(run: Vec<SuiteResult>, main: &Baseline) -> bool {
    let gate = judged(run, main.clone()).gate;
    let known = [Rule::MetricDropped, Rule::SliceDropped, Rule::CaseRegressed];
    let failing: Vec<_> = gate.reasons.iter().filter(|reason| reason.fails).collect();
    assert!(failing.iter().all(|reason| known.contains(&reason.rule)), "{failing:?}");
    gate.verdict == Verdict::Failed
}

#[test]
fn without_a_change_about_one_run_in_twenty_is_red_at_most() {
    let mut random = Random(7);
    let (mut red, mut runs) = (0, 0);
    for _ in 0..5 {
        let chances: Vec<f64> = (0..100).map(|_| random.next().sqrt()).collect();
        let mut main = update(None, &results(vec![simulated(&chances, &mut random)])).unwrap().unwrap();
        for _ in 0..10 {
            let run = simulated(&chances, &mut random);
            red += usize::from(is_red(vec![run.clone()], &main));
            runs += 1;
            let mut run = results(vec![run]);
            run.run.commit = None;
            main = update(Some(&main), &run).unwrap().unwrap_or(main);
        }
    }
    // Of fifty runs with one in twenty red, seven or more are red in one of a hundred times.
    assert!(red <= 6, "{red} of {runs} are red");
}

#[test]
fn a_true_drop_of_ten_points_is_nearly_always_found() {
    let mut random = Random(11);
    let (mut caught, trials) = (0, 60);
    for _ in 0..trials {
        let chances: Vec<f64> = (0..100).map(|_| random.next().sqrt()).collect();
        let mean = chances.iter().sum::<f64>() / 100.0;
        // Each case loses the same share of its chance, so that the mean falls by ten points.
        let worse: Vec<f64> = chances.iter().map(|chance| chance * (1.0 - 0.1 / mean)).collect();
        let main = update(None, &results(vec![simulated(&chances, &mut random)])).unwrap().unwrap();
        caught += usize::from(is_red(vec![simulated(&worse, &mut random)], &main));
    }
    assert!(caught * 10 >= trials * 9, "{caught} of {trials} are caught");
}
