//! One process that speaks JSON lines.

use serde_json::Value;

use crate::support::{World, case};

/// A worker whose answers all come, however busy the machine is.
fn world(script: &str, cases: usize) -> World {
    with_timeout("2m", script, cases)
}

fn with_timeout(timeout: &str, script: &str, cases: usize) -> World {
    let cases: Vec<Value> =
        (0..cases).map(|n| case(&format!("c{n}"), &format!("say {n}"), &format!("echo {n}"))).collect();
    let world = World::with_target(&format!("{{ worker = [\"./worker\"] }}\ntimeout = \"{timeout}\""), &cases);
    world.script("worker", &format!("echo started >> starts\n{script}"));
    world
}

fn starts(world: &World) -> usize {
    std::fs::read_to_string(world.path().join("starts")).unwrap().lines().count()
}

/// Answers `echo N` to `say N`.
const GOOD: &str = r#"while read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  n=${line#*say }; n=${n%%\"*}
  printf '{"id":"%s","output":"echo %s"}\n' "$id" "$n"
done"#;

#[test]
fn one_process_answers_all_cases() {
    let world = world(GOOD, 5);
    let ran = world.run();
    assert!(ran.statuses().iter().all(|(_, status)| status == "passed"), "{:?}", ran.statuses());
    assert_eq!(starts(&world), 1);
}

#[test]
fn with_more_jobs_there_are_as_many_processes() {
    // No answer before all of them have started.
    let all = "while [ $(wc -l < starts) -lt 3 ]; do sleep 0.01; done";
    let world = world(&format!("{all}\n{GOOD}"), 6);
    let ran = world.evalratchet(&["run", "--jobs", "3"]);
    assert!(ran.statuses().iter().all(|(_, status)| status == "passed"), "{:?}", ran.statuses());
    assert_eq!(starts(&world), 3);
}

#[test]
fn a_worker_that_hangs_or_crashes_costs_one_case_and_is_started_again() {
    let script = GOOD.replace(
        "printf",
        "case $n in 1) sleep 600;; 2) exit 7;; 3) echo nonsense; continue;; 4) id=other;; 5) exit 0;; esac; printf",
    );
    let world = with_timeout("5s", &script, 7);
    let ran = world.run();
    let told: Vec<(String, String)> = (0..7)
        .map(|n| {
            let case = ran.case(&format!("c{n}"));
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&case["status"]), text(&case["attempts"][0]["ending"]))
        })
        .collect();
    let expected = [
        ("passed", "answered"),
        ("failed", "timeout"),
        ("failed", "exit-code"),
        ("failed", "unreadable"),
        ("failed", "unreadable"),
        ("failed", "unreadable"),
        ("passed", "answered"),
    ];
    assert_eq!(told, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(starts(&world), 6);
}

#[test]
fn a_worker_that_cannot_start_is_an_error() {
    let world = World::with_target("{ worker = [\"no-such-worker\"] }", &[case("a", "x", "ls")]);
    assert_eq!(world.run().code, 4);
}
