//! Ctrl-C.

use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{World, case, is_gone, long_sleep};

#[test]
fn an_interrupted_run_stops_its_children_writes_what_is_finished_and_exits_130() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        interrupt(signal);
    }
}

fn interrupt(signal: &str) {
    let sleep = long_sleep();
    let cases = [case("quick", "ls", "ls"), case("slow", &sleep, "ls"), case("never", "ls", "ls")];
    let world = World::with_target("{ command = [\"./subject\", \"{prompt}\"] }", &cases);
    world.script("subject", "case $1 in sleep*) touch began; $1;; esac; echo ls");
    let mut command = world.command(&["run", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let waited = Instant::now();
    while !world.path().join("began").exists() && waited.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args([signal, &pid]).output().unwrap().status.success());
    let ran = world.ran(child.wait_with_output().unwrap());

    assert_eq!((ran.code, ran.verdict()), (130, "interrupted"));
    assert_eq!(ran.results.as_ref().unwrap()["run"]["partial"], true);
    let expected = [("quick", "passed"), ("slow", "unmeasured"), ("never", "unmeasured")];
    assert_eq!(ran.statuses(), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    assert!(is_gone(&sleep));
}

#[test]
fn an_interrupted_run_says_in_which_slices_a_metric_is_missing() {
    let mut cases = [case("quick", "one", "ls"), case("slow", "two", "ls"), case("never", "three", "ls")];
    for case in &mut cases[1..] {
        case["category"] = "late".into();
    }
    let world = World::with_target("{ command = [\"./subject\", \"{prompt}\"] }", &cases);
    world.script("subject", "if [ -e slow ] && [ $1 = two ]; then touch began; sleep 600; fi; echo ls");
    world.commit("first");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.file("slow", "");
    let mut command = world.command(&["run", "--jobs", "1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let waited = Instant::now();
    while !world.path().join("began").exists() && waited.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).output().unwrap().status.success());
    let ran = world.ran(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.verdict()), (130, "interrupted"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("; accuracy cannot be measured"), "{}", ran.stdout);
    let missing = ran.stdout.lines().filter(|line| line.contains("cannot be measured"));
    for line in missing {
        assert!(line.contains("accuracy in category=late"), "{line}");
    }
}
