//! The messages that users see when something they wrote is wrong.

use serde_json::json;

use crate::support::{World, case};

const ECHO: &str = "target = { command = [\"echo\", \"ls\"] }";

/// What `check` and `run` say, which is the same; nothing is run and nothing written.
fn errors(world: &World) -> String {
    let (checked, ran) = (world.evalratchet(&["check"]), world.run());
    assert_eq!((checked.code, ran.code), (2, 2), "{}{}", checked.stdout, checked.stderr);
    assert_eq!(checked.stderr, ran.stderr);
    assert_eq!(ran.stdout, "");
    assert!(!world.path().join("evalratchet-out").exists());
    ran.stderr
}

#[test]
fn no_configuration_says_how_to_get_one() {
    insta::assert_snapshot!(errors(&World::new()));
}

#[test]
fn every_mistake_in_a_configuration_is_reported_at_once() {
    let world = World::new();
    world.file("cases.json", "{}");
    world.file(
        "evalratchet.toml",
        r#"[[suite]]
id = "a"
kind = "comand"
cases = ["cases.json"]
target = { comand = ["echo"] }
repeet = 3

[[suite]]
id = "b"
kind = "command"
cases = []
target = { command = "echo" }
repeat = 0
"#,
    );
    insta::assert_snapshot!(errors(&world));
}

#[test]
fn keys_that_depend_on_each_other_are_checked_too() {
    let world = World::new();
    world.dataset(&[case("a", "1", "ls")]);
    world.file(
        "evalratchet.toml",
        r#"[[suite]]
id = "a"
kind = "command"
cases = ["cases.json", "missing.json", "none/*.json"]
target = { command = ["echo", "{promt}"], worker = ["x"] }
timeout = "soon"
max-errors = "many"
[suite.gate]
acuracy = { min = 0.5 }
mean-score = {}

[[suite]]
id = "b"
kind = "command"
cases = ["cases.json"]
target = { command = ["echo", "{promt}"], answer = "cmd" }

[[suite]]
id = "a"
kind = "command"
cases = ["cases.json"]
target = { command = ["echo"] }
"#,
    );
    insta::assert_snapshot!(errors(&world));
}

#[test]
fn a_dataset_with_wrong_totals_says_which() {
    let world = World::new();
    world.config(ECHO);
    let dataset = json!({
        "name": "n", "version": "1", "description": "d",
        "metadata": {"total": 3, "by_category": {"c": 1, "x": 1}},
        "test_cases": [case("a", "1", "ls"), case("b", "2", "ls")],
    });
    world.file("cases.json", &serde_json::to_string_pretty(&dataset).unwrap());
    insta::assert_snapshot!(errors(&world));
}

#[test]
fn a_duplicate_id_names_both_places() {
    let world = World::with_target(
        "{ command = [\"echo\"] }",
        &[case("a", "1", "ls"), case("b", "2", "ls"), case("a", "3", "ls")],
    );
    insta::assert_snapshot!(errors(&world));
}

#[test]
fn wrong_fields_of_a_case_are_named_with_the_nearest_spelling() {
    let mut wrong = case("a", "1", "ls");
    wrong["promt"] = json!("typo");
    wrong["risk_level"] = json!("hihg");
    wrong["posix_compliant"] = json!("yes");
    wrong.as_object_mut().unwrap().remove("category");
    insta::assert_snapshot!(errors(&World::with_target("{ command = [\"echo\"] }", &[wrong])));
}

#[test]
fn empty_broken_and_non_utf8_files_have_messages_of_their_own() {
    let world = World::new();
    world.file(
        "evalratchet.toml",
        &format!("[[suite]]\nid = \"s\"\nkind = \"command\"\ncases = [\"data/*.json\"]\n{ECHO}\n"),
    );
    world.file("data/a-empty.json", "");
    world.file("data/b-broken.json", "{\"name\": \"n\",\n  \"version\": }");
    world.bytes("data/c-latin1.json", b"{\n\"name\": \"caf\xe9\"}");
    insta::assert_snapshot!(errors(&world));
}

#[test]
fn an_unwritable_output_directory_is_reported_before_anything_runs() {
    let world = World::with_target("{ command = [\"touch\", \"ran\"] }", &[case("a", "1", "ls")]);
    world.file("in-the-way", "");
    let ran = world.evalratchet(&["run", "--out", "in-the-way/out"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.starts_with("error: cannot write in-the-way/out"), "{}", ran.stderr);
    assert!(!world.path().join("ran").exists());
}

#[test]
fn settings_that_could_never_fail_or_never_hold_are_refused() {
    let world = World::new();
    world.dataset(&[case("a", "1", "ls")]);
    world.config(
        "target = { command = [\"echo\", \"ls\"] }\npass-share = 0\nrepeat = 99999999999\n[suite.gate]\naccuracy = { min = -1 }\n\
         mean-score = { min = 2 }\nexact-rate = { min = 0.9, target = 0.1 }",
    );
    insta::assert_snapshot!(errors(&world));
    world.config("target = { command = [\"echo\", \"ls\"] }\n[suite.gate]\naccuracy = { min = 0 }\nmean-score = { min = 2 }\nexact-rate = { min = 0.9, target = 0.1 }");
    insta::assert_snapshot!(errors(&world));
    world.config("target = { command = [\"echo\", \"ls\"] }\npass-share = nan");
    assert!(errors(&world).contains("expected number, found string \"nan\""));
}

#[test]
fn an_id_with_control_characters_or_blanks_at_its_ends_is_refused() {
    let world =
        World::with_target("{ command = [\"echo\"] }", &[case("a\n::error::x", "1", "ls"), case("b ", "2", "ls")]);
    insta::assert_snapshot!(errors(&world));
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
    let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &[case("a", "1", "ls")]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = world.command(&["list"]).stdout(full).output().unwrap();
    let ran = world.ran(output);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot write to standard output"), "{}", ran.stderr);
}

/// Loading looks at each position once: a dataset on a single long line is no harder than others.
#[test]
fn ten_thousand_cases_on_one_line_load() {
    let cases: Vec<_> = (0..10_000).map(|n| case(&format!("c{n}"), "p", "ls")).collect();
    let world = World::new();
    world.config(ECHO);
    world
        .file("cases.json", &json!({"name": "n", "version": "1", "description": "d", "test_cases": cases}).to_string());
    assert_eq!(world.evalratchet(&["check"]).stdout, "evalratchet.toml: 1 suite, 10000 cases, no mistake\n");
}

#[test]
fn max_errors_that_no_run_can_exceed_are_pointed_out() {
    let world = World::with_target(ECHO, &[case("a", "1", "ls"), case("b", "2", "ls")]);
    for (allowed, is_never_exceeded) in [(1, false), (2, true), (9, true)] {
        world.config(&format!("{ECHO}\nmax-errors = {allowed}"));
        let ran = world.evalratchet(&["check"]);
        assert_eq!(ran.code, if is_never_exceeded { 2 } else { 0 }, "{allowed}: {}", ran.stderr);
        assert_eq!(ran.stderr.contains("is never exceeded by 2 answers"), is_never_exceeded, "{}", ran.stderr);
        assert_eq!(world.run().code, 0, "a suite that became smaller still runs");
    }
}

#[test]
fn an_expected_command_that_does_nothing_is_a_mistake() {
    let mut second = case("b", "list", "ls");
    second["accepted_commands"] = serde_json::json!(["ls -1", "# anything goes", " "]);
    let world = World::with_target("{ command = [\"cat\"] }", &[case("a", "list", "# list the files"), second]);
    for nothing in ["$(# a)", "; # a", "''", "&&", "\u{200b}"] {
        let world = World::with_target("{ command = [\"cat\"] }", &[case("a", "list", nothing)]);
        assert_eq!(world.evalratchet(&["check"]).code, 2, "{nothing:?}");
    }
    let ran = world.evalratchet(&["check"]);
    assert_eq!(ran.code, 2);
    for message in [
        "an expected command must not be only a comment",
        "an accepted command must not be only a comment",
        "an accepted command must not be empty",
    ] {
        assert!(ran.stderr.contains(message), "{message}: {}", ran.stderr);
    }
}
