//! From configuration to verdict.

use serde_json::{Value, json};

use crate::support::{World, case};

/// Answers `ls -la` to everything.
const ALWAYS_LS: &str = "{ command = [\"echo\", \"ls -la\"] }";

#[test]
fn a_suite_above_its_floor_passes_with_exit_0() {
    let world = World::with_target(ALWAYS_LS, &[case("a", "list", "ls -la")]);
    world.config(&format!("target = {ALWAYS_LS}\n[suite.gate]\naccuracy = {{ min = 0.5 }}"));
    let ran = world.evalratchet(&["run", "--baseline", "none"]);
    assert_eq!((ran.code, ran.verdict()), (0, "passed"));
    assert!(ran.stdout.contains("passed: 1 of 1 measured cases pass"), "{}", ran.stdout);
}

#[test]
fn a_suite_below_its_floor_fails_with_exit_1_and_its_numbers() {
    let world = World::with_target(ALWAYS_LS, &[case("a", "list", "ls -la"), case("b", "where", "pwd")]);
    world.config(&format!("target = {ALWAYS_LS}\n[suite.gate]\naccuracy = {{ min = 0.9 }}"));
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (1, "failed"));
    assert!(ran.stdout.contains("s: accuracy 0.500 is below its floor 0.900"), "{}", ran.stdout);
}

#[test]
fn a_floor_on_a_metric_where_lower_is_better_is_a_ceiling() {
    let world = World::with_target(ALWAYS_LS, &[case("a", "list", "ls -la")]);
    world.config(&format!("target = {ALWAYS_LS}\n[suite.gate]\nlatency-p95-ms = {{ max = 0.000001 }}"));
    let ran = world.run();
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("is above its ceiling"), "{}", ran.stdout);
}

#[test]
fn a_suite_without_a_floor_is_called_not_gated_and_never_plain_green() {
    let ran = World::with_target(ALWAYS_LS, &[case("a", "where", "pwd")]).run();
    assert_eq!(ran.code, 0);
    let last = ran.stdout.lines().rev().nth(1).unwrap();
    assert!(last.starts_with("no baseline: 0 of 1 measured cases pass") && last.contains("not gated: s"), "{last}");
}

#[test]
fn every_band_of_the_scores_is_in_the_results() {
    let cases = [
        case("exact", "1", "ls -la"),
        case("space", "2", "ls  -la"),
        case("flags", "3", "ls -a -l"),
        case("none", "4", "pwd"),
    ];
    let ran = World::with_target(ALWAYS_LS, &cases).run();
    let told: Vec<Value> = ["exact", "space", "flags", "none"]
        .iter()
        .map(|id| {
            let case = ran.case(id);
            json!([case["score"], case["detail"]["method"], case["detail"]["rule"]])
        })
        .collect();
    assert_eq!(
        Value::Array(told),
        json!([
            [1.0, "exact_match", "exact"],
            [0.95, "semantic_equivalent", "whitespace"],
            [0.9, "semantic_equivalent", "option-cluster"],
            [0.0, "no_match", null]
        ])
    );
}

#[test]
fn a_mismatch_shows_expected_generated_and_the_first_word_that_differs() {
    let ran = World::with_target("{ command = [\"echo\", \"ls -l\"] }", &[case("a", "list all", "ls -a")]).run();
    insta::assert_snapshot!(ran.case("a")["diff"].as_str().unwrap(), @r"
    -ls -a
    +ls -l
    ");
    let told = ran.stdout.split("\n\n").find(|part| part.starts_with("failed s/a")).unwrap();
    insta::assert_snapshot!(told, @"
    failed s/a  0.00  cases.json:6
        prompt     list all
        expected   ls -a
        generated  ls -l
        because    word 2: expected `-a`, generated `-l` (-a: do not ignore entries starting with .; -l: use a long listing format)
        reproduce  evalratchet run --suite s --case a
    ");
}

#[test]
fn results_are_byte_identical_from_run_to_run_apart_from_times() {
    let cases: Vec<Value> = (0..40).map(|n| case(&format!("c{n}"), &format!("p{n}"), "ls -la")).collect();
    let world = World::with_target("{ command = [\"sh\", \"-c\", \"sleep 0.0$(($$ % 5)); echo ls -al\"] }", &cases);
    let once = |jobs: &str| {
        let ran = world.evalratchet(&["run", "--jobs", jobs]);
        let mut results = ran.results.unwrap();
        forget_times(&mut results);
        serde_json::to_string_pretty(&results).unwrap()
    };
    assert_eq!(once("1"), once("8"));
}

/// Times, and nothing else, may differ between runs.
fn forget_times(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("latency-p50-ms");
            map.remove("latency-p95-ms");
            for (key, inner) in map.iter_mut() {
                match key.as_str() {
                    "duration_ms" | "started_at" => *inner = Value::Null,
                    "id" if inner.as_str().is_some_and(|id| id.contains('T')) => *inner = Value::Null,
                    _ => forget_times(inner),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(forget_times),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn repeat_asks_several_times_and_passes_by_share() {
    let world = World::with_target("{ command = [\"./flaky\"] }", &[case("a", "list", "ls")]);
    world.script(
        "flaky",
        "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; [ $n -eq 2 ] && echo pwd || echo ls",
    );
    let ran = world.evalratchet(&["run", "--repeat", "4", "--jobs", "1"]);
    let case = ran.case("a");
    assert_eq!((case["status"].as_str(), case["score"].as_f64()), (Some("passed"), Some(0.75)));
    let statuses: Vec<&str> =
        case["attempts"].as_array().unwrap().iter().map(|a| a["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["passed", "failed", "passed", "passed"]);

    world.config("target = { command = [\"./flaky\"] }\nrepeat = 2\npass-share = 1.0");
    std::fs::remove_file(world.path().join("n")).unwrap();
    let ran = world.evalratchet(&["run", "--jobs", "1"]);
    assert_eq!(ran.case("a")["status"], "failed");
    let because = "1 of 2 attempts passed, 1 needed; one that failed: word 1: expected `ls`, generated `pwd`";
    assert!(ran.stdout.contains(because), "{}", ran.stdout);
}

#[test]
fn format_json_prints_the_results_file_and_nothing_else() {
    let world = World::with_target(ALWAYS_LS, &[case("a", "list", "ls -la")]);
    let ran = world.evalratchet(&["run", "--format", "json"]);
    let written = std::fs::read_to_string(world.path().join("evalratchet-out/results.json")).unwrap();
    assert_eq!(ran.stdout, written);
    assert_eq!(ran.stderr, "");
}

#[test]
fn every_key_of_a_case_is_present_and_the_results_fit_their_schema() {
    let world = World::with_target(ALWAYS_LS, &[case("a", "list", "ls -la"), case("b", "list", "pwd")]);
    let results = world.evalratchet(&["run", "--filter", "=a"]).results.unwrap();
    let schema: Value = serde_json::from_str(&world.evalratchet(&["schema", "results"]).stdout).unwrap();
    let errors: Vec<String> =
        jsonschema::validator_for(&schema).unwrap().iter_errors(&results).map(|e| e.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let keys: Vec<&String> = results["suites"][0]["cases"][1].as_object().unwrap().keys().collect();
    let expected = [
        "id",
        "position",
        "status",
        "flaky",
        "score",
        "metrics",
        "checks",
        "fingerprint",
        "question",
        "key",
        "location",
        "duration_ms",
        "attempts",
        "diff",
        "output",
        "reproduce",
        "slices",
        "detail",
    ];
    assert_eq!(keys, expected);
}

#[test]
fn the_reproducing_command_line_runs_exactly_that_case() {
    let world = World::with_target(ALWAYS_LS, &[case("it's a", "1", "ls"), case("it's a b", "2", "ls")]);
    let line = world.run().case("it's a")["reproduce"].as_str().unwrap().to_owned();
    let line = line.replacen("evalratchet", env!("CARGO_BIN_EXE_evalratchet"), 1);
    let output = std::process::Command::new("sh").args(["-c", &line]).current_dir(world.path()).output().unwrap();
    let ran = world.ran(output);
    assert_eq!(ran.statuses(), [("it's a".into(), "failed".into()), ("it's a b".into(), "skipped".into())]);
}

#[test]
fn an_answer_can_be_taken_out_of_json() {
    let target = r#"{ command = ["echo", '{{"cmd": "ls -la"}}'], answer = "$.cmd" }"#;
    let ran = World::with_target(target, &[case("a", "list", "ls -la")]).run();
    assert_eq!(ran.case("a")["status"], "passed");
}

#[test]
fn program_tables_of_the_users_own_are_known_too() {
    let world = World::with_target("{ command = [\"echo\", \"frob -b -a\"] }", &[case("a", "frob", "frob -ab")]);
    assert_eq!(world.run().case("a")["status"], "failed");
    world.config("target = { command = [\"echo\", \"frob -b -a\"] }\nprograms = [\"tables/*.toml\"]");
    world.file(
        "tables/frob.toml",
        "about = \"frobs\"\n[options]\n\"-a\" = { about = \"a\" }\n\"-b\" = { about = \"b\" }\n",
    );
    assert_eq!(world.run().case("a")["status"], "passed");
    world.file("tables/frob.toml", "about = \"frobs\"\n[options]\n\"-a\" = { abut = \"a\" }\n");
    let ran = world.run();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("tables/frob.toml:3:10: unknown field `abut`"), "{}", ran.stderr);
}

#[test]
fn strict_fails_only_on_what_was_not_measured() {
    let world = World::with_target(
        "{ command = [\"{prompt}\"] }",
        &[case("a", "pwd", "ls"), case("b", "no-such-program", "ls")],
    );
    world.config("target = { command = [\"{prompt}\"] }\nmax-errors = 1");
    assert_eq!(world.run().code, 0);
    let ran = world.evalratchet(&["run", "--strict"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("s: --strict, and 1 of 2 cases was not measured"), "{}", ran.stdout);
    assert_eq!(world.evalratchet(&["run", "--strict", "--filter", "=a"]).code, 0);
}

#[test]
fn a_suite_of_which_nothing_could_be_measured_never_passes() {
    let world = World::with_target(ALWAYS_LS, &[case("a", "list", "ls -la")]);
    let suite = |id: &str, program: &str| {
        format!(
            "[[suite]]\nid = \"{id}\"\nkind = \"command\"\ncases = [\"cases.json\"]\nmax-errors = 9\n\
             target = {{ command = [\"{program}\", \"ls -la\"] }}\n[suite.gate]\naccuracy = {{ min = 0.5 }}\n"
        )
    };
    world.file("evalratchet.toml", &format!("{}{}", suite("good", "echo"), suite("gone", "no-such-program")));
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (1, "failed"));
    assert!(ran.stdout.contains("gone: its only case was not measured"), "{}", ran.stdout);
}
