//! Results of other tools enter baseline, gate and report like any other.

use serde_json::{Value, json};

use crate::support::{Ran, World};

fn world(file: &str, text: &str) -> World {
    let world = World::new();
    world.file("evalratchet.toml", &format!("[[suite]]\nid = \"other\"\nkind = \"imported\"\ncases = [\"{file}\"]\n[suite.gate]\npass-rate = {{ min = 0.3 }}\n"));
    world.file(file, text);
    world
}

fn told(ran: &Ran) -> Vec<(String, String)> {
    ran.statuses()
}

#[test]
fn json_lines_are_read_with_status_or_score_or_both() {
    let text = "{\"id\": \"a\", \"score\": 0.9}\n{\"id\": \"b\", \"status\": \"failed\", \"details\": \"no\"}\n{\"id\": \"c\", \"score\": 0.2, \"status\": \"passed\"}\n{\"id\": \"d\", \"status\": \"skipped\"}\n";
    let ran = world("r.jsonl", text).run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let expected = [("a", "passed"), ("b", "failed"), ("c", "passed"), ("d", "unmeasured")];
    assert_eq!(told(&ran), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    assert_eq!(ran.case("b")["location"]["line"], 2);
    let broken =
        world("r.jsonl", "{\"id\": \"a\"}\n{\"id\": \"b\", \"scor\": 1}\n{\"id\": \"c\", \"score\": 7}\n").run();
    assert_eq!(broken.code, 2);
    insta::assert_snapshot!(broken.stderr);
}

#[test]
fn results_that_are_not_there_yet_block_only_their_own_suite() {
    let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &[crate::support::case("a", "list", "ls")]);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    for (name, text, why) in [
        ("r.jsonl", None, "there is no file `r.jsonl`"),
        ("out/*.xml", None, "the pattern `out/*.xml` matches no file"),
        ("half.json", Some("{\"results\": ["), "half.json"),
    ] {
        let imported = format!("[[suite]]\nid = \"other\"\nkind = \"imported\"\ncases = [\"{name}\"]\n");
        world.file("evalratchet.toml", &format!("{config}{imported}"));
        text.map(|text| world.file(name, text));
        let alone = world.evalratchet(&["run", "--suite", "s", "--case", "a"]);
        assert_eq!(alone.code, 0, "{}{}", alone.stdout, alone.stderr);
        let listed = world.evalratchet(&["list"]);
        assert_eq!(listed.code, 0, "{}", listed.stderr);
        assert!(listed.stdout.contains("s (command, 1 case)"), "{}", listed.stdout);
        assert!(listed.stderr.contains("other is not listed:") && listed.stderr.contains(why), "{}", listed.stderr);
        for arguments in [&["run"][..], &["run", "--suite", "other"], &["check"]] {
            let ran = world.evalratchet(arguments);
            assert_eq!(ran.code, 2, "{}", ran.stdout);
            let help = text.is_some() || ran.stderr.contains("run the tool that writes it first");
            assert!(ran.stderr.contains(why) && help, "{}", ran.stderr);
        }
        for arguments in [&["baseline", "show"][..], &["doctor"]] {
            let ran = world.evalratchet(arguments);
            assert!(!ran.stderr.contains(why) && !ran.stdout.contains(why), "{}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn junit_files_regress_against_their_baseline() {
    let junit = |second: &str| {
        format!(
            "<testsuites><testsuite name=\"t\"><testcase classname=\"k\" name=\"one\"/><testcase classname=\"k\" name=\"two\">{second}</testcase></testsuite></testsuites>"
        )
    };
    let world = world("junit.xml", &junit(""));
    world.commit("first");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.file("junit.xml", &junit("<failure message=\"was 3\"/>"));
    let ran = world.run();
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("k::two passed and now fails (1.00 → 0.00): was 3"), "{}", ran.stdout);
    world.file("junit.xml", "<testsuites/>");
    assert_eq!(world.run().code, 2);
}

#[test]
fn promptfoos_output_is_read_and_its_errors_are_no_answers() {
    let result = |description: &str, success: bool, reason: Value| {
        json!({
            "success": success, "score": if success { 1.0 } else { 0.0 }, "failureReason": reason,
            "testCase": {"description": description, "vars": {}}, "vars": {"q": description},
            "provider": {"id": "echo"}, "prompt": {"raw": "{{q}}", "label": "p"}, "latencyMs": 12,
            "error": if success { Value::Null } else { json!("Expected output to contain x") },
            "gradingResult": {"pass": success, "score": 1, "reason": "because"},
        })
    };
    let output = json!({"evalId": "e", "results": {"version": 3, "results": [
        result("greets", true, json!(0)), result("counts", false, json!(1)), result("breaks", false, json!(2)),
        result("greets", true, json!(0)),
    ]}});
    let ran = world("promptfoo.json", &output.to_string()).run();
    assert_eq!(ran.code, 4);
    let expected = [("greets · echo · p", "passed"), ("counts · echo · p", "failed"), ("breaks · echo · p", "error")];
    assert_eq!(told(&ran), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    // The same test a second time is another attempt.
    assert_eq!(ran.case("greets · echo · p")["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(world("promptfoo.json", "{\"a\": 1}").run().code, 2);
}
