//! Suites that vary: main's runs in the baseline, and how often chance is taken for a drop. Everything is seeded.

use serde_json::Value;

use crate::support::{Ran, World, case};

/// Answers `say N PER-MILLE` rightly with that chance, less `SHIFT`; with `COPIED` alike in all attempts of a run. Case `BROKEN`
/// is never right.
const WORKER: &str = r#"next() { x=$(( x * 6364136223846793005 + 1442695040888963407 )); }
x=$(( SEED * 7919 + 104729 )); next; next; next
while read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  rest=${line#*say }; rest=${rest%%\"*}
  n=${rest% *}; chance=${rest#* }
  if [ "$COPIED" = 1 ]; then x=$(( SEED * 1000003 + n * 7919 )); next; next; next; fi
  next
  answer=wrong
  if [ $(( ((x >> 33) & 1073741823) % 1000 )) -lt $(( chance - SHIFT )) ]; then answer=$n; fi
  case " $BROKEN " in *" $n "*) answer=wrong;; esac
  printf '{"id":"%s","output":"echo %s"}\n' "$id" "$answer"
done"#;

/// What a run is like.
#[derive(Clone, Copy)]
struct Draw {
    seed: u64,
    /// By how many per mille each case is worse.
    shift: u64,
    copied: bool,
    broken: &'static str,
}

const USUAL: Draw = Draw { seed: 0, shift: 0, copied: false, broken: "" };

/// A suite of cases that are right with these chances, per mille.
fn world(chances: &[u64], repeat: usize, rest: &str) -> World {
    let one = |(n, chance): (usize, &u64)| case(&format!("c{n}"), &format!("say {n} {chance}"), &format!("echo {n}"));
    let cases: Vec<Value> = chances.iter().enumerate().map(one).collect();
    let environment = "env = [\"SEED\", \"SHIFT\", \"COPIED\", \"BROKEN\"]";
    let target = format!("{{ worker = [\"./worker\"] }}\n{environment}\nrepeat = {repeat}\njobs = 1\n{rest}");
    let world = World::with_target(&target, &cases);
    world.script("worker", WORKER);
    world
}

/// Chances from 0.3 to 1.0, as the hundred cases of the issue.
fn chances() -> Vec<u64> {
    (0..100).map(|case| 300 + (case * 379) % 700).collect()
}

fn run(world: &World, draw: Draw) -> Ran {
    let mut command = world.command(&["run"]);
    command.env("SEED", draw.seed.to_string()).env("SHIFT", draw.shift.to_string()).env("BROKEN", draw.broken);
    command.env("COPIED", if draw.copied { "1" } else { "0" });
    let ran = world.ran(command.output().unwrap());
    assert!([0, 1].contains(&ran.code), "{}{}", ran.stdout, ran.stderr);
    ran
}

/// A run on main that becomes its baseline.
fn merge(world: &World, draw: Draw) {
    world.commit("work");
    run(world, draw);
    let updated = world.evalratchet(&["baseline", "update"]);
    assert_eq!(updated.code, 0, "{}", updated.stderr);
    world.commit("baseline");
}

fn suite(ran: &Ran) -> &Value {
    &ran.results.as_ref().unwrap()["comparison"]["suites"][0]
}

fn failing(ran: &Ran) -> Vec<(&str, &str)> {
    let reasons = ran.results.as_ref().unwrap()["gate"]["reasons"].as_array().unwrap();
    reasons
        .iter()
        .filter(|reason| reason["fails"] == true)
        .map(|reason| (reason["rule"].as_str().unwrap(), reason["message"].as_str().unwrap()))
        .collect()
}

fn baseline(world: &World) -> Value {
    let text = std::fs::read_to_string(world.path().join(".evalratchet/baseline.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn with_a_window_of_five_drops_are_found_and_chance_is_not_taken_for_one() {
    let world = world(&chances(), 3, "");
    for seed in 1..=5 {
        merge(&world, Draw { seed, ..USUAL });
    }
    let (mut red, mut found, steps) = (0, 0, 10);
    for step in 0..steps {
        red += usize::from(run(&world, Draw { seed: 100 + step, ..USUAL }).code == 1);
        found += usize::from(run(&world, Draw { seed: 200 + step, shift: 100, ..USUAL }).code == 1);
        merge(&world, Draw { seed: 6 + step, ..USUAL });
    }
    assert!(red <= 1, "{red} of {steps} are red without a change");
    assert!(found >= 8, "{found} of {steps} drops are found");
}

#[test]
fn copied_attempts_are_not_taken_for_a_drop() {
    let world = world(&chances(), 3, "");
    for seed in 1..=2 {
        merge(&world, Draw { seed, copied: true, ..USUAL });
    }
    let (mut red, steps) = (0, 10);
    for step in 0..steps {
        red += usize::from(run(&world, Draw { seed: 100 + step, copied: true, ..USUAL }).code == 1);
        merge(&world, Draw { seed: 3 + step, copied: true, ..USUAL });
    }
    assert!(red <= 1, "{red} of {steps} are red without a change");
}

#[test]
fn after_main_fell_innocent_changes_are_not_blamed() {
    let world = world(&chances(), 3, "");
    for seed in 1..=4 {
        merge(&world, Draw { seed, ..USUAL });
    }
    merge(&world, Draw { seed: 5, shift: 100, ..USUAL });
    let (mut red, runs) = (0, 10);
    for seed in 0..runs {
        let ran = run(&world, Draw { seed: 100 + seed, shift: 100, ..USUAL });
        red += usize::from(ran.code == 1);
        assert_eq!(suite(&ran)["pooled"], 1);
    }
    assert!(red <= 1, "{red} of {runs} are red");
}

#[test]
fn a_case_that_always_passed_and_never_passes_now_is_named() {
    let world = world(&[1000, 1000, 900, 800, 700, 600, 1000, 1000], 10, "");
    merge(&world, Draw { seed: 1, ..USUAL });
    let ran = run(&world, Draw { seed: 50, broken: "6", ..USUAL });
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let [(rule, message)] = failing(&ran)[..] else { panic!("{:?}", failing(&ran)) };
    assert_eq!(rule, "case-regressed");
    assert!(message.starts_with("s: c6: 10 of 10 attempts passed, now 0 of 10 (p < 0.001)"), "{message}");
    for seed in 2..=3 {
        merge(&world, Draw { seed, ..USUAL });
    }
    let ran = run(&world, Draw { seed: 50, broken: "6", ..USUAL });
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let named =
        failing(&ran).iter().any(|(_, message)| message.starts_with("s: c6: 30 of 30 attempts passed in 3 runs"));
    assert!(named, "{:?}", failing(&ran));
    assert_eq!(run(&world, Draw { seed: 51, ..USUAL }).code, 0);
}

#[test]
fn where_the_target_repeats_itself_a_named_case_only_informs() {
    let world = world(&chances()[..40], 10, "");
    for seed in 1..=3 {
        merge(&world, Draw { seed, copied: true, ..USUAL });
    }
    let ran = run(&world, Draw { seed: 104, copied: true, ..USUAL });
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("the target repeats itself within a run"), "{}", ran.stdout);
}

#[test]
fn six_of_ten_cases_that_never_pass_any_more_fail_the_gate() {
    let world = world(&[1000; 10], 10, "");
    merge(&world, Draw { seed: 1, ..USUAL });
    let ran = run(&world, Draw { seed: 2, broken: "0 1 2 3 4 5", ..USUAL });
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let named = failing(&ran).iter().filter(|(rule, _)| *rule == "case-regressed").count();
    assert_eq!(named, 6);
}

#[test]
fn the_baseline_keeps_as_many_runs_as_its_window_and_each_commit_once() {
    let world = world(&[1000, 800, 500], 4, "[baseline]\nwindow = 3");
    for seed in 1..=5 {
        merge(&world, Draw { seed, ..USUAL });
    }
    let numbers = |world: &World| -> Vec<u64> {
        let runs = baseline(world)["suites"]["s"]["runs"].clone();
        runs.as_array().unwrap().iter().map(|run| run["number"].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers(&world), [3, 4, 5]);
    let of_case = baseline(&world)["suites"]["s"]["cases"]["c1"]["runs"].clone();
    assert_eq!(of_case.as_object().unwrap().keys().collect::<Vec<_>>(), ["3", "4"]);
    // The same commit is evaluated twice.
    for seed in [6, 7] {
        run(&world, Draw { seed, ..USUAL });
        assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
        assert_eq!(numbers(&world), [4, 5, 6]);
    }
    world.git(&["checkout", "-q", "."]);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &config.replace("window = 3", "window = 2"));
    merge(&world, Draw { seed: 8, ..USUAL });
    assert_eq!(numbers(&world), [5, 6]);
    world.file("evalratchet.toml", &config.replace("window = 3", "window = 0"));
    assert_eq!(world.run().code, 2);
}

#[test]
fn runs_before_a_blessing_and_of_another_policy_do_not_count() {
    let world = world(&[1000; 12], 5, "");
    for seed in 1..=2 {
        merge(&world, Draw { seed, ..USUAL });
    }
    let pooled = |world: &World, draw: Draw| suite(&run(world, draw))["pooled"].as_u64().unwrap();
    assert_eq!(pooled(&world, USUAL), 2);
    let worse = Draw { broken: "0 1 2 3 4 5", ..USUAL };
    assert_eq!(run(&world, worse).code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "wanted"]).code, 0);
    merge(&world, worse);
    assert_eq!(baseline(&world)["suites"]["s"]["runs"][2]["blessed"], true);
    assert_eq!(pooled(&world, worse), 1);
    merge(&world, worse);
    assert_eq!(pooled(&world, worse), 2);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("{config}\n[suite.gate]\naccuracy = {{ min = 0.1 }}\n"));
    merge(&world, worse);
    assert_eq!(pooled(&world, worse), 1);
}
