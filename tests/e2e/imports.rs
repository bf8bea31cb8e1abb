//! Files of other tools without a configuration: `run --import` and `compare`.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Ran, World};

fn sample(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/imports").join(name)
}

fn world_with(name: &str) -> World {
    let world = World::new();
    world.file(name, &fs::read_to_string(sample(name)).unwrap());
    world
}

/// Id, status, attempts and score of every case, in short.
fn told(ran: &Ran) -> Vec<String> {
    let suites =
        ran.results.as_ref().unwrap_or_else(|| panic!("{}{}", ran.stdout, ran.stderr))["suites"].as_array().unwrap();
    let cases = suites.iter().flat_map(|suite| suite["cases"].as_array().unwrap());
    let line = |case: &Value| {
        let score = case["score"].as_f64().map_or("–".to_owned(), |score| format!("{score:.2}"));
        let (id, status) = (case["id"].as_str().unwrap(), case["status"].as_str().unwrap());
        format!("{id} | {status} | {} | {score}", case["attempts"].as_array().unwrap().len())
    };
    cases.map(line).collect()
}

#[test]
fn promptfoos_results_keep_outputs_scores_and_costs() {
    let world = world_with("promptfoo.json");
    let ran = world.evalratchet(&["run", "--import", "promptfoo.json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        told(&ran),
        [
            "peru · echo · prompt 1 | failed | 1 | 0.50",
            "city=Paris · echo · prompt 1 | passed | 1 | 1.00",
            "city=Oslo · echo · prompt 1 | unmeasured | 1 | –",
        ]
    );
    let peru = ran.case("peru · echo · prompt 1");
    assert_eq!(peru["output"]["stdout"], "Name the country of Lima.");
    assert_eq!(peru["metrics"]["country"], 0.0);
    assert_eq!(peru["metrics"]["cost-per-answer"], 0.002);
    assert_eq!(peru["metrics"]["tokens-per-answer"], 15.0);
    assert_eq!(peru["attempts"][0]["usage"], json!({"input_tokens": 10, "output_tokens": 5, "cost": 0.002}));
    assert_eq!(peru["slices"], json!(["tag=region=sa"]));
    assert_eq!(peru["detail"]["components"][1]["name"], "country (contains)");
    assert_eq!(peru["reproduce"], "promptfoo eval --filter-pattern '^peru$'");
    assert_eq!(peru["location"], json!({"file": "promptfoo.json", "line": 10}));
    assert_eq!(peru["checks"][0]["details"], "Expected output to contain \"Peru\"\nand more");
    let paris = ran.case("city=Paris · echo · prompt 1");
    assert_eq!(paris["output"]["stdout"], "{ \"country\": \"France\" }");
    assert_eq!(paris["detail"]["note"], "the score 7 is not between 0 and 1, so it counts as 1");
    assert!(ran.stderr.contains("note: promptfoo.json:33:"), "{}", ran.stderr);
    let oslo = ran.case("city=Oslo · echo · prompt 1");
    assert_eq!(oslo["checks"][0]["details"], "not checked: the test has no assertions");
    assert!(ran.stdout.contains(" country "), "{}", ran.stdout);
    let suite = &ran.results.as_ref().unwrap()["suites"][0];
    assert_eq!((&suite["id"], &suite["varies"]), (&json!("promptfoo"), &json!(true)));
}

#[test]
fn an_edited_prompt_is_the_same_case_and_repeats_are_attempts() {
    let world = world_with("promptfoo.json");
    let before: Value = serde_json::from_str(&fs::read_to_string(sample("promptfoo.json")).unwrap()).unwrap();
    let mut after = before.clone();
    for result in after["results"]["results"].as_array_mut().unwrap() {
        let city = result["vars"]["city"].as_str().unwrap().to_owned();
        result["prompt"] =
            json!({"raw": format!("In which country is {city}?"), "label": "In which country is {{city}}?"});
    }
    world.file("after.json", &after.to_string());
    let compared = world.evalratchet(&["compare", "promptfoo.json", "after.json", "--format", "json"]);
    assert_eq!(compared.code, 0, "{}{}", compared.stdout, compared.stderr);
    let results: Value = serde_json::from_str(&compared.stdout).unwrap();
    let comparison = &results["comparison"]["suites"][0];
    assert_eq!(comparison["state"], "compared");
    assert_eq!(comparison["comparable"], 2);
    // The same results three times, as `--repeat 3` writes them.
    let mut repeated = before.clone();
    let all = repeated["results"]["results"].as_array_mut().unwrap();
    let once = all.clone();
    for round in 1..3 {
        for (index, mut result) in once.clone().into_iter().enumerate() {
            result["testIdx"] = json!(once.len() * round + index);
            all.push(result);
        }
    }
    let lines: Vec<String> = all.iter().map(Value::to_string).collect();
    world.file("repeated.json", &repeated.to_string());
    let ran = world.evalratchet(&["run", "--import", "repeated.json"]);
    assert_eq!(told(&ran).len(), 3);
    assert!(told(&ran)[0].contains("| failed | 3 |"), "{:?}", told(&ran));
    // As JSON lines it is the same.
    world.file("repeated.jsonl", &lines.join("\n"));
    assert_eq!(told(&world.evalratchet(&["run", "--import", "repeated.jsonl"])), told(&ran));
}

#[test]
fn deepevals_test_runs_have_a_component_for_each_metric() {
    let ran = world_with("deepeval.json").evalratchet(&["run", "--import", "deepeval.json"]);
    assert_eq!(ran.code, 4, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        told(&ran),
        [
            "test_cities[peru] | passed | 1 | 0.90",
            "Capital of France? | failed | 1 | 0.60",
            "Capital of X? | error | 1 | –",
        ]
    );
    let france = ran.case("Capital of France?");
    assert_eq!(france["checks"][0]["details"], "Answer Relevancy 0.2 of 0.5: it is Paris");
    assert_eq!(france["metrics"]["Toxicity"], 1.0);
    assert_eq!(france["reproduce"], "deepeval test run test_cities.py");
    assert_eq!(ran.case("test_cities[peru]")["duration_ms"], 1500.0);
}

#[test]
fn inspects_epochs_are_attempts_and_its_scorers_metrics() {
    let ran = world_with("inspect.json").evalratchet(&["run", "--import", "inspect.json"]);
    assert_eq!(ran.code, 4, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(told(&ran), ["peru | passed | 2 | 0.50", "2 | failed | 2 | 0.00"]);
    let peru = ran.case("peru");
    assert_eq!(peru["metrics"]["graded"], 0.7);
    assert_eq!(peru["reproduce"], "inspect eval evals/cities.py@cities --model openai/gpt-4o-mini --sample-id peru");
    assert_eq!(ran.case("2")["metrics"]["graded style"], 1.0);
}

#[test]
fn junit_ids_are_readable_and_say_nothing_twice() {
    for (name, ids) in [
        (
            "pytest.xml",
            &[
                "tests.test_m.TestA::test_p[1]",
                "tests.test_m.TestA::test_p[2]",
                "tests.test_m::test_setup",
                "tests.test_m::test_skip",
            ][..],
        ),
        ("jest.xml", &["Math adds", "Math subtracts", "Math deep later", "top"]),
        ("node.xml", &["Math › adds", "Math › subtracts", "Math › deep › adds", "Math › deep › later", "adds"]),
    ] {
        let ran = world_with(name).evalratchet(&["run", "--import", name]);
        let found: Vec<String> = ran.statuses().into_iter().map(|(id, _)| id).collect();
        assert_eq!(found, ids, "{name}");
    }
    let ran = world_with("pytest.xml").evalratchet(&["run", "--import", "pytest.xml"]);
    let case = ran.case("tests.test_m.TestA::test_p[2]");
    assert_eq!(case["reproduce"], "pytest 'tests/test_m.py::TestA::test_p[2]'");
    let details = case["checks"][0]["details"].as_str().unwrap();
    assert!(details.contains("multi\n  line\nassert 2 == 1") && details.contains("test_m.py:4"), "{details}");
    // Whole in the case, one line in what the gate says.
    let reasons = ran.results.as_ref().unwrap()["gate"]["reasons"].as_array().unwrap();
    assert!(reasons.iter().all(|reason| !reason["message"].as_str().unwrap().contains('\n')), "{reasons:?}");
}

#[test]
fn json_lines_have_attempts_outputs_costs_tokens_and_metrics() {
    let ran = world_with("lines.jsonl").evalratchet(&["run", "--import", "lines.jsonl"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(told(&ran), ["greets | passed | 2 | 0.60", "counts | passed | 1 | 1.00"]);
    let greets = ran.case("greets");
    assert_eq!(greets["metrics"]["warmth"], 0.5);
    assert_eq!(greets["metrics"]["cost-per-answer"], 0.02);
    assert_eq!(greets["metrics"]["tokens-per-answer"], 15.0);
    assert_eq!(ran.results.as_ref().unwrap()["suites"][0]["metrics"]["warmth"]["value"], 0.5);
}

#[test]
fn a_file_in_no_known_format_gets_one_message() {
    let world = World::new();
    for (name, text, looks_like) in [
        ("a.json", "{\"tests\": [], \"summary\": {}}", "is a JSON object with the keys `tests`, `summary`"),
        ("b.json", "[{\"title\": 1}]", "is a JSON list of 1 objects, the first with the keys `title`"),
        ("c.csv", "id,score\na,1\n", "is text that begins with \"id,score\""),
        ("d.xml", "<html/>", "is XML with the root <html>"),
    ] {
        world.file(name, text);
        let ran = world.evalratchet(&["run", "--import", name]);
        assert_eq!(ran.code, 2, "{name}: {}", ran.stdout);
        assert!(ran.stderr.contains(looks_like), "{name}: {}", ran.stderr);
        for format in ["promptfoo", "DeepEval", "inspect_ai", "JUnit XML", "JSON lines"] {
            assert!(ran.stderr.contains(format), "{name}: {}", ran.stderr);
        }
        assert!(ran.stderr.contains("1 mistake"), "{}", ran.stderr);
    }
    world.file("half.json", "{\"results\": {\"results\": [{\"success\": true}");
    let ran = world.evalratchet(&["run", "--import", "half.json"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("half.json:1:") && ran.stderr.contains("invalid JSON"),
        "{}",
        ran.stderr
    );
    world.file("lost.xml", "<testsuite name=\"t\" tests=\"2\"><testcase name=\"a\"/></testsuite>");
    let ran = world.evalratchet(&["run", "--import", "lost.xml"]);
    assert!(
        ran.code == 2 && ran.stderr.contains("lost.xml:1:1: declares 2 tests, but has 1 test case"),
        "{}",
        ran.stderr
    );
}

fn junit(second: &str) -> String {
    format!(
        "<testsuites><testsuite name=\"t\"><testcase classname=\"k\" name=\"one\"/><testcase classname=\"k\" name=\"two\">{second}</testcase></testsuite></testsuites>"
    )
}

#[test]
fn an_imported_file_is_gated_against_main_without_a_configuration() {
    let world = World::new();
    world.file("out/junit.xml", &junit(""));
    world.file(".gitignore", "evalratchet-out\nout\n");
    world.git(&["init", "-q"]);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "first"]);
    let import = ["run", "--import", "out/junit.xml"];
    assert_eq!(world.evalratchet(&import).code, 0);
    let updated = world.evalratchet(&["baseline", "update"]);
    assert_eq!(updated.code, 0, "{}{}", updated.stdout, updated.stderr);
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "baseline"]);
    assert_eq!(world.evalratchet(&import).code, 0);
    world.file("out/junit.xml", &junit("<failure message=\"was 3\">\nat line 4</failure>"));
    let ran = world.evalratchet(&import);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("k::two passed and now fails (1.00 → 0.00): was 3"), "{}", ran.stdout);
    assert!(ran.stdout.contains("evalratchet run --import out/junit.xml --case k::two"), "{}", ran.stdout);
    let missing = world.evalratchet(&["run", "--import", "out/nothing.xml"]);
    assert!(missing.code == 2 && missing.stderr.contains("there is no such file"), "{}", missing.stderr);
}

#[test]
fn compare_takes_any_two_files_in_every_format() {
    let world = World::new();
    world.file("old.xml", &junit(""));
    world.file("new.xml", &junit("<failure message=\"was 3\"/>"));
    let ran = world.evalratchet(&["compare", "old.xml", "new.xml"]);
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("k::two passed and now fails"), "{}", ran.stdout);
    for (format, start) in
        [("markdown", "evalratchet"), ("html", "<!doctype html>"), ("json", "evalratchet.results/v1")]
    {
        let ran = world.evalratchet(&["compare", "old.xml", "new.xml", "--format", format]);
        assert_eq!(ran.code, 1, "{format}: {}", ran.stderr);
        assert!(ran.stdout.to_lowercase().contains(start), "{format}: {}", &ran.stdout[..200]);
    }
    // What models answer varies, unless it is said not to.
    let line = |score: f64| {
        json!({"success": score > 0.5, "score": score, "failureReason": u8::from(score < 0.5), "promptIdx": 0,
        "provider": {"id": "echo"}, "prompt": {"raw": "a", "label": "a"}, "vars": {"q": "a"},
        "testCase": {"description": "a", "assert": [{"type": "contains", "value": "a"}]}})
    };
    world.file("old.jsonl", &format!("{}\n", line(1.0)));
    world.file("new.jsonl", &format!("{}\n", line(0.0)));
    assert_eq!(world.evalratchet(&["compare", "old.jsonl", "new.jsonl"]).code, 0);
    assert_eq!(world.evalratchet(&["compare", "old.jsonl", "new.jsonl", "--exact"]).code, 1);
    // A run of ours with one suite stands on either side.
    assert_eq!(world.evalratchet(&["run", "--import", "old.xml", "--out", "before"]).code, 0);
    assert_eq!(world.evalratchet(&["compare", "before", "new.xml"]).code, 1);
    assert_eq!(world.evalratchet(&["compare", "new.xml", "before"]).code, 0);
    world.file("else.jsonl", "{\"id\": \"something else\", \"score\": 1}\n");
    let other = world.evalratchet(&["compare", "old.xml", "else.jsonl"]);
    assert!(other.code != 0, "{}", other.stdout);
}

#[test]
fn imported_metrics_can_have_floors_and_slips_are_found() {
    let world = world_with("lines.jsonl");
    let config = |gate: &str| {
        world.file(
            "evalratchet.toml",
            &format!("[[suite]]\nid = \"l\"\nkind = \"imported\"\ncases = [\"lines.jsonl\"]\n[suite.gate]\n{gate}\n"),
        );
    };
    config("warmth = { min = 0.9 }");
    assert_eq!(world.run().code, 1);
    config("warmth = { min = 0.4 }");
    assert_eq!(world.run().code, 0);
    config("pas-rate = { min = 0.4 }");
    let ran = world.run();
    assert!(ran.code == 2 && ran.stderr.contains("did you mean `pass-rate`?"), "{}", ran.stderr);
}
