//! Every way in which a system under test can end, and that nothing of it is left behind.

use crate::support::{World, case, is_gone, long_sleep};

/// One case, asked by a script; its status, how it ended, and what is said about it.
fn ends(script: &str, timeout: &str) -> (String, String, String) {
    let target = format!("{{ command = [\"./subject\", \"{{prompt}}\"] }}\ntimeout = \"{timeout}\"");
    let world = World::with_target(&target, &[case("a", "list", "ls")]);
    world.script("subject", script);
    outcome(&world)
}

fn outcome(world: &World) -> (String, String, String) {
    let ran = world.run();
    let case = ran.case("a");
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    (text(&case["status"]), text(&case["attempts"][0]["ending"]), text(&case["checks"][0]["details"]))
}

fn expect(script: &str, status: &str, ending: &str, details: &str) {
    let found = ends(script, "2m");
    assert_eq!((found.0.as_str(), found.1.as_str(), found.2.as_str()), (status, ending, details), "{script}");
}

fn expect_timeout(script: &str) {
    let expected = ("failed".to_owned(), "timeout".to_owned(), "no answer within 600ms".to_owned());
    assert_eq!(ends(script, "600ms"), expected, "{script}");
}

#[test]
fn an_answer_is_measured() {
    expect("echo ls", "passed", "answered", "");
}

#[test]
fn silence_is_a_failure() {
    expect("true", "failed", "empty", "the answer is empty");
}

#[test]
fn bytes_that_are_not_text_are_a_failure() {
    expect("printf 'ls \\377'", "failed", "not-utf8", "the answer is not UTF-8 (first wrong byte at offset 3)");
}

#[test]
fn an_exit_code_is_a_failure_and_its_stderr_is_kept() {
    let world = World::with_target("{ command = [\"./subject\"] }", &[case("a", "list", "ls")]);
    world.script("subject", "echo ls; echo 'no model here' >&2; exit 3");
    let ran = world.run();
    let case = ran.case("a");
    assert_eq!((case["status"].as_str(), case["attempts"][0]["ending"].as_str()), (Some("failed"), Some("exit-code")));
    assert_eq!(case["output"]["stderr"], "no model here\n");
    assert!(ran.stdout.contains("exit code 3"), "{}", ran.stdout);
}

#[test]
fn a_signal_is_a_failure() {
    expect("kill -SEGV $$", "failed", "signal", "ended by signal 11 (SEGV)");
}

#[test]
fn a_timeout_is_a_failure() {
    expect_timeout("sleep 600");
}

#[test]
fn a_program_that_cannot_start_is_an_error_and_the_run_is_broken() {
    let world = World::with_target("{ command = [\"no-such-program\"] }", &[case("a", "list", "ls")]);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (4, "broken"));
    assert!(
        ran.stdout.contains("could not start: `no-such-program` was not found; is it installed and on PATH?"),
        "{}",
        ran.stdout
    );

    world.file("not-executable", "");
    world.config("target = { command = [\"./not-executable\"] }");
    let ran = world.run();
    assert_eq!(ran.code, 4);
    assert!(ran.stdout.contains("is not executable; try chmod +x"), "{}", ran.stdout);
}

#[test]
fn errors_within_max_errors_do_not_break_the_run_but_are_reported() {
    let world = World::with_target(
        "{ command = [\"{prompt}\"] }",
        &[case("a", "no-such-program", "ls"), case("b", "pwd", "ls")],
    );
    world.config("target = { command = [\"{prompt}\"] }\nmax-errors = \"50%\"");
    let ran = world.run();
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("1 of 2 attempts ended in an error"), "{}", ran.stdout);
    assert_eq!(ran.results.as_ref().unwrap()["suites"][0]["metrics"]["accuracy"]["n"], 1);
}

#[test]
fn a_child_that_ignores_term_is_killed_with_all_that_it_started() {
    let sleep = long_sleep();
    expect_timeout(&format!("trap '' TERM; {sleep} & {sleep}; {sleep}"));
    assert!(is_gone(&sleep));
}

#[test]
fn a_child_that_forks_and_exits_has_answered_and_leaves_nothing_running() {
    let sleep = long_sleep();
    expect(&format!("{sleep} & echo ls"), "passed", "answered", "");
    assert!(is_gone(&sleep));
}

#[test]
fn fifty_megabytes_on_one_line_are_counted_and_not_kept() {
    let world = World::with_target("{ command = [\"./subject\"] }", &[case("a", "list", "ls")]);
    world.script("subject", "head -c 52428800 /dev/zero | tr '\\0' x; echo");
    let ran = world.run();
    let case = ran.case("a");
    assert_eq!((case["status"].as_str(), case["attempts"][0]["ending"].as_str()), (Some("failed"), Some("unreadable")));
    assert_eq!(case["checks"][0]["details"], "the answer is 52428801 bytes long, 1048576 are kept (`max-output`)");
    assert_eq!(case["output"]["stdout_omitted"], 52_428_801 - 1_048_576);
    let size = std::fs::metadata(world.path().join("evalratchet-out/results.json")).unwrap().len();
    assert!(size < 100_000, "{size}");
}

#[test]
fn a_prompt_reaches_the_program_as_one_argument_whatever_it_contains() {
    let nasty = "it's \"here\" $(touch pwned) `touch pwned`; rm -rf x\n{id} \\ é * ~";
    let world = World::with_target("{ command = [\"./subject\", \"{prompt}\", \"{id}\"] }", &[case("a", nasty, "ls")]);
    world.script("subject", "[ $# -eq 2 ] && [ \"$2\" = a ] && printf %s \"$1\" > got; echo ls");
    assert_eq!(world.run().case("a")["status"], "passed");
    assert_eq!(std::fs::read_to_string(world.path().join("got")).unwrap(), nasty);
    assert!(!world.path().join("pwned").exists());
}

#[test]
fn without_a_placeholder_the_prompt_is_on_standard_input() {
    let world = World::with_target("{ command = [\"cat\"] }", &[case("a", "ls -la", "ls -la")]);
    assert_eq!(world.run().case("a")["status"], "passed");
}

#[test]
fn a_target_sees_no_token_and_a_failure_names_what_was_held_back() {
    let world = World::with_target("{ command = [\"./subject\"] }", &[case("a", "list", "ls")]);
    world.script("subject", "env > seen; [ -n \"$MY_TOKEN\" ] || { echo 'MY_TOKEN is not set' >&2; exit 1; }; echo ls");
    let run = |world: &World| {
        let output =
            world.command(&["run"]).env("MY_TOKEN", "s3cret").env("GITHUB_TOKEN", "ghs_x").env("CI", "true").output();
        world.ran(output.unwrap())
    };
    let ran = run(&world);
    assert_eq!(ran.case("a")["status"], "failed");
    let details = ran.case("a")["checks"][0]["details"].as_str().unwrap();
    assert!(details.contains("held back from the target: MY_TOKEN"), "{details}");
    let seen = std::fs::read_to_string(world.path().join("seen")).unwrap();
    assert!(!seen.contains("TOKEN") && !seen.contains("CI=") && seen.contains("PATH="), "{seen}");

    world.config("target = { command = [\"./subject\"] }\nenv = [\"MY_TOKEN\"]");
    let ran = run(&world);
    assert_eq!(ran.case("a")["status"], "passed");
    assert!(!ran.stdout.contains("s3cret") && !ran.results.unwrap().to_string().contains("s3cret"));

    // What was confided to the target is not repeated, even if the target does.
    world.script("subject", "echo \"key $MY_TOKEN\" >&2; exit 1");
    let ran = run(&world);
    assert_eq!(ran.case("a")["output"]["stderr"], "key [redacted]\n");
}

#[test]
fn what_a_target_prints_is_no_command_to_a_ci_runner() {
    let world = World::with_target("{ command = [\"./subject\"] }", &[case("a", "list", "ls")]);
    world.script("subject", "printf 'x\\n::error file=x::pwned\\n##[add-mask]y\\033[31m\\n'");
    let ran = world.run();
    for line in ran.stdout.lines() {
        assert!(!line.trim_start().starts_with("::") && !line.contains("##[") && !line.contains('\u{1b}'), "{line}");
    }
    assert!(ran.stdout.contains("::error file=x::pwned"), "{}", ran.stdout);
}

#[test]
fn a_scratch_directory_is_fresh_and_gone_afterwards() {
    let world = World::with_target(
        "{ command = [\"sh\", \"-c\", \"pwd > $OUT; ls; touch x; echo ls\"], cwd = \"scratch\" }",
        &[case("a", "1", "ls"), case("b", "2", "ls")],
    );
    world.config("target = { command = [\"sh\", \"-c\", \"pwd > $OUT; ls; touch x; echo ls\"], cwd = \"scratch\" }\nenv = [\"OUT\"]");
    let out = world.path().join("where");
    let output = world.command(&["run", "--jobs", "1"]).env("OUT", &out).output().unwrap();
    let ran = world.ran(output);
    assert_eq!(ran.statuses(), [("a".into(), "passed".into()), ("b".into(), "passed".into())]);
    let place = std::fs::read_to_string(out).unwrap();
    assert!(!std::path::Path::new(place.trim()).exists());
}

#[test]
fn jobs_bound_how_many_run_at_the_same_time() {
    let cases: Vec<_> = (0..12).map(|n| case(&format!("c{n}"), "p", "ls")).collect();
    let world = World::with_target("{ command = [\"./subject\"] }", &cases);
    // The first one waits for a second.
    let meet = "while [ $(ls on | wc -l) -lt 2 ] && [ ! -e met ]; do sleep 0.01; done; touch met";
    let script = format!("mkdir -p on; mkdir on/$$; {meet}; ls on | wc -l >> peak; rmdir on/$$; echo ls");
    world.script("subject", &script);
    assert_eq!(world.evalratchet(&["run", "--jobs", "3"]).code, 0);
    let peaks = std::fs::read_to_string(world.path().join("peak")).unwrap();
    let peak = peaks.lines().map(|line| line.trim().parse::<usize>().unwrap()).max().unwrap();
    assert!((2..=3).contains(&peak), "{peak}");
}

#[test]
fn progress_is_plain_lines_without_a_terminal_and_absent_from_json() {
    let cases: Vec<_> = (0..4).map(|n| case(&format!("c{n}"), "p", "ls")).collect();
    let world = World::with_target("{ command = [\"sh\", \"-c\", \"sleep 2; echo ls\"] }", &cases);
    let ran = world.evalratchet(&["run", "--jobs", "1", "--format", "json"]);
    let is_progress = |line: &str| line.contains("/4 cases · ") && line.contains("ETA") && !line.contains('\u{1b}');
    assert!(!ran.stderr.is_empty() && ran.stderr.lines().all(is_progress), "{}", ran.stderr);
    assert!(serde_json::from_str::<serde_json::Value>(&ran.stdout).is_ok());
}

#[test]
#[cfg(target_os = "linux")]
fn what_leaves_its_group_does_not_outlive_the_run() {
    let sleep = long_sleep();
    let world = World::with_target("{ command = [\"./answer.sh\"] }", &[case("a", "b", "pwd")]);
    // A daemon: a session of its own, its parent gone, its streams closed.
    world.script(
        "answer.sh",
        &format!("setsid sh -c '{sleep} >/dev/null 2>&1 </dev/null &' >/dev/null 2>&1 </dev/null\necho pwd"),
    );
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("outlived the run"), "{}", ran.stderr);
    assert!(is_gone(&sleep), "{sleep} goes on");
}
