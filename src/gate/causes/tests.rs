//! One cause, one line: which cases explain a reason, and what blessing them covers.

use crate::baseline::{Baseline, BlessSelection, Blessing, BlessingFile, bless, update};
use crate::gate::spec::{World, floor, short, world};
use crate::model::Policy;
use crate::results::{Gate, Results};

/// Each failing reason in short, and the cases that explain it.
fn causes(gate: &Gate) -> Vec<String> {
    let one = |reason: &crate::results::Reason| {
        let cases: Vec<&str> = reason.cause.cases.iter().map(|case| case.as_str()).collect();
        format!("{} <- {}", short(reason), cases.join(" ")).trim_end_matches(" <- ").to_owned()
    };
    gate.reasons.iter().filter(|reason| reason.fails).map(one).collect()
}

fn strict(policy: &mut Policy) {
    policy.max_drop = 0.01;
}

fn blessing(results: &Results, case: Option<&str>) -> Vec<Blessing> {
    let wanted = BlessSelection { case: case.map(str::to_owned), ..BlessSelection::default() };
    let file = BlessingFile { reason: "agreed".into(), allows: bless(results, &wanted).unwrap().allows };
    // What a run reads is what a file says.
    BlessingFile::parse("b.toml", file.render().unwrap()).unwrap()
}

fn one_broken() -> World {
    world("one broken case", "x:a+ x:b+ y:c+ y:d+", "x:a+ x:b- y:c+ y:d+").policy(strict)
}

#[test]
fn a_case_that_regressed_explains_the_drops_of_its_metrics_and_slices() {
    assert_eq!(
        causes(&one_broken().judged()),
        [
            "case-regressed b <- b",
            "metric-dropped accuracy <- b",
            "metric-dropped mean-score <- b",
            "slice-dropped category=x accuracy <- b",
            "slice-dropped category=x mean-score <- b",
        ]
    );
}

#[test]
fn a_drop_that_no_flip_explains_is_explained_by_the_cases_that_score_lower() {
    let world = world("two score lower", "a+ b+ c+", "a+.7 b+.5 c+").policy(strict);
    assert_eq!(causes(&world.judged()), ["metric-dropped mean-score <- b a"], "the one that falls most comes first");
}

#[test]
fn a_flip_does_not_explain_what_others_lose_as_well() {
    let world = world("a flips, b scores lower", "a+ b+ c+", "a- b+.5 c+").policy(strict);
    let causes = causes(&world.judged());
    assert_eq!(causes, ["case-regressed a <- a", "metric-dropped accuracy <- a", "metric-dropped mean-score <- a b"]);
}

#[test]
fn a_significant_drop_stands_by_itself_where_answers_vary() {
    let main = "a10/10 b10/10 c10/10 d10/10 e10/10 f10/10 g10/10 h10/10";
    let run = "a7/10 b6/10 c7/10 d6/10 e7/10 f6/10 g7/10 h6/10";
    let gate = world("all got worse", main, run).policy(strict).judged();
    assert_eq!(causes(&gate), ["metric-dropped accuracy", "metric-dropped mean-score"]);
}

#[test]
fn cases_whose_attempts_are_evidence_explain_the_drop() {
    let main = "a10/10 b10/10 c10/10 d10/10 e10/10 f10/10 g10/10 h10/10";
    let run = "a0/10 b0/10 c0/10 d0/10 e0/10 f0/10 g10/10 h10/10";
    let gate = world("six broke", main, run).policy(strict).judged();
    let causes = causes(&gate);
    assert!(causes.contains(&"case-regressed a <- a".to_owned()), "{causes:?}");
    assert!(causes.contains(&"metric-dropped accuracy <- a b c d e f".to_owned()), "{causes:?}");
}

#[test]
fn a_missed_floor_says_whether_it_would_hold_without_the_new_cases() {
    let message = |run: &'static str| {
        let gate = world("new cases", "a+ b+ c-", run).policy(floor("accuracy", 0.6)).judged();
        gate.reasons.iter().find(|reason| reason.fails).unwrap().message.clone()
    };
    assert_eq!(
        message("a+ b+ c- d- e-"),
        "s: accuracy 0.400 is below its floor 0.600; without the 2 new cases it would hold (0.667)"
    );
    let gate = world("new and worse", "a+ b+ c-", "a+ b- c- d-").policy(floor("accuracy", 0.6)).judged();
    let floor = gate.reasons.iter().find(|reason| short(reason) == "below-min accuracy").unwrap();
    assert!(floor.message.ends_with("; without the 1 new case it would not hold either (0.333)"), "{}", floor.message);
}

#[test]
fn a_floor_is_explained_by_the_case_that_regressed() {
    let world = world("below its floor", "a+ b+ c+ d+", "a+ b- c+ d+").policy(floor("accuracy", 0.9));
    assert_eq!(causes(&world.judged()), ["case-regressed b <- b", "below-min accuracy <- b"]);
    let gone = world_of_removal();
    assert_eq!(causes(&gone.judged()), ["below-min accuracy <- b", "case-removed b <- b"]);
}

fn world_of_removal() -> World {
    world("a good case is gone", "a+ b+ c-", "a+ c-").policy(floor("accuracy", 0.6))
}

#[test]
fn blessing_the_case_covers_what_it_explains_and_an_unrelated_deletion_changes_nothing() {
    let blessings = blessing(&one_broken().results(), Some("b"));
    assert_eq!(blessings.len(), 1, "{blessings:?}");
    one_broken().blessing(&blessings).passes();
    world("a case is gone besides", "x:a+ x:b+ y:c+ y:d+", "x:a+ x:b- y:c+")
        .policy(strict)
        .policy(|p| p.allow_removed = vec!["d".into()])
        .blessing(&blessings)
        .passes();
    world("another case breaks", "x:a+ x:b+ y:c+ y:d+", "x:a+ x:b- y:c- y:d+")
        .policy(strict)
        .blessing(&blessings)
        .fails(&[
            "case-regressed c",
            "metric-dropped accuracy",
            "metric-dropped mean-score",
            "slice-dropped category=y accuracy",
            "slice-dropped category=y mean-score",
        ]);
}

#[test]
fn a_blessing_of_a_floor_through_its_case_holds_when_the_suite_changes_elsewhere() {
    let below = || world("below its floor", "a+ b+ c+ d+", "a+ b- c+ d+").policy(floor("accuracy", 0.9));
    let blessings = blessing(&below().results(), Some("b"));
    below().blessing(&blessings).passes();
    world("one less", "a+ b+ c+ d+", "a+ b- c+")
        .policy(floor("accuracy", 0.9))
        .policy(|p| p.allow_removed = vec!["d".into()])
        .blessing(&blessings)
        .passes();
    world("a new failing case", "a+ b+ c+ d+", "a+ b- c+ d+ e-")
        .policy(floor("accuracy", 0.9))
        .blessing(&blessings)
        .fails(&["below-min accuracy"]);
}

#[test]
fn a_blessing_allows_nothing_worse_than_it_says() {
    let half = || world("scores half", "a+ b+ c+", "a+ b+.5 c+").policy(strict);
    let blessings = blessing(&half().results(), Some("b"));
    half().blessing(&blessings).passes();
    world("less than half", "a+ b+ c+", "a+ b+.4 c+")
        .policy(strict)
        .blessing(&blessings)
        .fails(&["metric-dropped mean-score"]);
    world("main has made it better since", "a+ b+ c+", "a+ b- c+")
        .policy(strict)
        .blessing(&blessing(&world("then", "a+ b+.8 c+", "a+ b- c+").policy(strict).results(), Some("b")))
        .fails(&["case-regressed b", "metric-dropped accuracy", "metric-dropped mean-score"]);
}

#[test]
fn blessing_one_of_two_cases_leaves_what_both_explain() {
    let two = || world("two break", "a+ b+ c+", "a- b- c+").policy(strict);
    let blessed =
        bless(&two().results(), &BlessSelection { case: Some("a".into()), ..BlessSelection::default() }).unwrap();
    assert_eq!(blessed.not_reached.len(), 2, "{blessed:?}");
    let of_a = blessing(&two().results(), Some("a"));
    two().blessing(&of_a).fails(&["case-regressed b", "metric-dropped accuracy", "metric-dropped mean-score"]);
    let of_b = blessing(&two().results(), Some("b"));
    two().blessing(&of_a).blessing(&of_b).passes();
    two().blessing(&blessing(&two().results(), None)).passes();
}

fn after(main: &World, blessings: &[Blessing]) -> (Baseline, Vec<Blessing>) {
    let old = crate::gate::spec::baseline_of(vec![crate::gate::spec::suite("a+ b+ c+ d+", &Policy::default())]);
    let updated = update(Some(&old), blessings, &main.results()).unwrap().unwrap();
    (updated.baseline, updated.blessings)
}

#[test]
fn an_update_takes_blessings_in_but_keeps_those_that_a_floor_needs() {
    let plain = || world("no floor", "a+ b+ c+ d+", "a+ b- c+ d+").policy(strict);
    let blessings = blessing(&plain().results(), Some("b"));
    let (main, remaining) = after(&plain().blessing(&blessings), &blessings);
    assert_eq!(remaining, []);
    assert_eq!(main.took_in.len(), 1);
    assert_eq!(main.took_in[0].reason, "agreed");

    let below = || world("below its floor", "a+ b+ c+ d+", "a+ b- c+ d+").policy(floor("accuracy", 0.9));
    let blessings = blessing(&below().results(), Some("b"));
    let (_, remaining) = after(&below().blessing(&blessings), &blessings);
    assert!(remaining[0].allowed.taken_in, "{remaining:?}");
    // Main has it now, and the floor is still missed.
    let later = || world("later", "a+ b- c+ d+", "a+ b- c+ d+").policy(floor("accuracy", 0.9));
    later().fails(&["below-min accuracy"]);
    later().blessing(&remaining).passes();
    // What main took in allows no new regression.
    world("mended and broken again", "a+ b+ c+ d+", "a+ b- c+ d+").policy(strict).blessing(&remaining).fails(&[
        "case-regressed b",
        "metric-dropped accuracy",
        "metric-dropped mean-score",
    ]);
    let mended = world("mended", "a+ b- c+ d+", "a+ b+ c+ d+").policy(floor("accuracy", 0.9)).blessing(&remaining);
    let (_, remaining) = after(&mended, &remaining);
    assert_eq!(remaining, [], "the floor holds without it");
}

#[test]
fn a_part_of_a_run_is_held_to_no_floor_and_blesses_nothing_but_its_case() {
    let part = || {
        world("only b was asked", "a+ b+ c+", "a~ b- c~").policy(floor("accuracy", 0.5)).given(|c| c.filtered = true)
    };
    part().fails(&["case-regressed b"]);
    let results = part().results();
    let refused = |case: Option<&str>| {
        let wanted = BlessSelection { case: case.map(str::to_owned), ..BlessSelection::default() };
        bless(&results, &wanted).map(|blessed| blessed.allows.len()).map_err(|error| error.to_string())
    };
    assert!(refused(None).unwrap_err().starts_with("the run is of a part only"));
    assert!(refused(Some("a")).unwrap_err().contains("did not measure the case `a`"));
    assert_eq!(refused(Some("b")), Ok(1));
}

#[test]
fn a_blessed_case_does_not_cover_a_floor_that_only_new_cases_miss() {
    let twenty = "a+ b+ c+ d+ e+ f+ g+ h+ i+ j+ k+ l+ m+ n+ o+ p+ q+ r+ s+ t+";
    let one_bad = "a- b+ c+ d+ e+ f+ g+ h+ i+ j+ k+ l+ m+ n+ o+ p+ q+ r+ s+ t+";
    let with_new = "a- b+ c+ d+ e+ f+ g+ h+ i+ j+ k+ l+ m+ n+ o+ p+ q+ r+ s+ t+ u- v-";
    let blessings = blessing(&world("then", twenty, one_bad).policy(floor("accuracy", 0.9)).results(), Some("a"));
    let later = world("later", twenty, with_new).policy(floor("accuracy", 0.9)).blessing(&blessings);
    let gate = later.fails(&["below-min accuracy"]);
    let message = &gate.reasons.iter().find(|reason| reason.fails).unwrap().message;
    assert!(message.ends_with("without the 2 new cases it would hold (0.950)"), "{message}");
}

#[test]
fn a_floor_is_explained_by_a_case_beside_one_that_is_blessed_already() {
    let blessings = blessing(
        &world("then", "a+ b+ c+ d+ e+ f+ g+ h+", "a- b+ c+ d+ e+ f+ g+ h+").policy(floor("accuracy", 0.9)).results(),
        Some("a"),
    );
    let both = world("both", "a+ b+ c+ d+ e+ f+ g+ h+", "a- b- c+ d+ e+ f+ g+ h+").policy(floor("accuracy", 0.9));
    assert_eq!(causes(&both.blessing(&blessings).judged()), ["case-regressed b <- b", "below-min accuracy <- b"]);
}

#[test]
fn a_blessing_of_what_was_not_measured_has_a_bound() {
    let strict = |run: &'static str| world("strict", None, run).given(|c| c.strict = true);
    let blessings = blessing(&strict("a+ b+ c+ d?").results(), None);
    assert_eq!(strict("a+ b+ c+ d?").blessing(&blessings).judged().exit_code, 0);
    strict("a+ b+ c+ d? e? f?").blessing(&blessings).fails(&["unmeasured"]);
}

#[test]
fn a_run_with_flags_that_change_the_suites_blesses_nothing() {
    let mut results = one_broken().results();
    results.run.overrides = vec!["--k".to_owned()];
    let refused = bless(&results, &BlessSelection::default()).unwrap_err().to_string();
    assert!(refused.starts_with("the run had --k, so"), "{refused}");
}

#[test]
fn an_update_takes_in_no_more_than_the_gate_let_through() {
    let then = world("then", "a+ b+ c+ d+", "a+.6 b+ c+ d+").policy(strict).results();
    let blessings = blessing(&then, Some("a"));
    let worse = world("it failed since", "a+ b+ c+ d+", "a-.2 b+ c+ d+").policy(strict).blessing(&blessings);
    assert!(
        causes(&worse.judged()).contains(&"case-regressed a <- a".to_owned()),
        "a pass that was blessed may not fail"
    );
    let (main, remaining) = after(&worse, &blessings);
    assert_eq!(remaining.len(), 1, "it is not used up");
    let best = &main.suites.values().next().unwrap().cases.values().next().unwrap().best;
    assert!(best.as_ref().is_some_and(|best| best.score == 1.0), "{best:?}");
}

#[test]
fn a_part_of_a_run_blesses_no_metric_whatever_is_named() {
    let part = world("only b", "a+ b+ c+", "a~ b- c~").policy(strict).given(|c| c.filtered = true).results();
    let wanted =
        BlessSelection { case: Some("b".into()), metric: Some("accuracy".into()), ..BlessSelection::default() };
    assert!(bless(&part, &wanted).is_err());
}
