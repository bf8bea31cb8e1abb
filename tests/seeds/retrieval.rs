//! "Extend Eval Harness for Code Lane & Code Hits": its cases, its result fields and its commands.

use serde_json::{Value, json};

use crate::support::{Ran, World};

/// `EvalCase` as its serde derive reads it.
const CASE: &str = r#"[
  {
    "id": "code_stage0_handle_spec_auto",
    "description": "Stage0 should surface handle_spec_auto in code lane for speckit.auto",
    "lane": "code",
    "spec_id": "SPEC-KIT-102",
    "spec_content": "Integrate Stage0Engine::run_stage0 into handle_spec_auto in the /speckit.auto pipeline...",
    "expected_ids": ["code:tui/src/chatwidget/spec_kit/pipeline_coordinator.rs::handle_spec_auto"],
    "k": 5
  }
]"#;

fn world(cases: &str, more: &str) -> World {
    let world = World::new();
    world.file(
        "tui/src/chatwidget/spec_kit/pipeline_coordinator.rs",
        "/// Runs the pipeline of speckit.auto.\npub fn handle_spec_auto() { run_stage0(); }\n\nfn run_stage0() {}\n",
    );
    world.file("src/core.py", "def start():\n    pass\n\ndef parse_config(text):\n    \"\"\"Parses the configuration.\"\"\"\n    return text\n");
    world.file("src/other.py", "def unrelated():\n    pass\n");
    world.file("cases.json", cases);
    world.file(
        "evalratchet.toml",
        &format!("[[suite]]\nid = \"r\"\nkind = \"retrieval\"\ncases = [\"cases.json\"]\n{more}\n"),
    );
    world
}

const INDEX: &str = "target = { index = { code = [\"tui/**/*.rs\", \"src/**/*.py\"] } }";

fn detail<'a>(ran: &'a Ran, id: &str) -> &'a Value {
    &ran.case(id)["detail"]
}

#[test]
fn the_seeds_case_gives_every_field_of_its_result() {
    let ran = world(CASE, INDEX).run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let detail = detail(&ran, "code_stage0_handle_spec_auto");
    assert_eq!(detail["case_id"], "code_stage0_handle_spec_auto");
    for (field, value) in [
        ("lane", json!("code")),
        ("k", json!(5)),
        ("mrr", json!(1.0)),
        ("precision_at_k", json!(0.2)),
        ("recall_at_k", json!(1.0)),
        ("source", json!("json")),
        ("missing_expected_ids", json!([])),
    ] {
        assert_eq!(detail[field], value, "{field}");
    }
    for field in ["top_ids", "expected_ids", "hits"] {
        assert!(detail[field].is_array(), "{field}");
    }
    let header = ran.stdout.lines().find(|line| line.contains("case_id")).unwrap();
    assert_eq!(header.split_whitespace().collect::<Vec<_>>(), ["case_id", "lane", "source", "k", "P@k", "R@k", "MRR"]);
}

#[test]
fn short_cases_files_and_patterns_are_understood() {
    let cases = r#"[
      {"name": "a file", "query": "parse configuration", "expected_ids": ["code:src/core.py"], "k": 2},
      {"name": "a pattern", "query": "parse configuration", "expected_ids": ["code:src/core.py::*"], "k": 2},
      {"name": "mixed", "query": "parse configuration", "expected_ids": ["code:src/core.py", "code:src/other.py::unrelated"], "k": 2},
      {"name": "gone", "query": "parse configuration", "expected_ids": ["code:src/cor.py::parse_config"], "k": 2}
    ]"#;
    let world = world(cases, INDEX);
    let ran = world.run();
    assert_eq!(ran.case("a file")["status"], "passed", "{}{}", ran.stdout, ran.stderr);
    for id in ["a file", "a pattern"] {
        let found = detail(&ran, id);
        assert_eq!(found["hits"], json!(["code:src/core.py"]), "{id}");
        assert_eq!(
            (&found["recall_at_k"], &found["precision_at_k"], &found["mrr"]),
            (&json!(1.0), &json!(0.5), &json!(1.0)),
            "{id}"
        );
        assert!(
            found["top_ids"].as_array().unwrap().iter().all(|top| !top.as_str().unwrap().contains("::")),
            "{found}"
        );
    }
    let mixed = detail(&ran, "mixed");
    assert_eq!(mixed["hits"], json!(["code:src/core.py::parse_config"]));
    assert_eq!(mixed["recall_at_k"], 0.5);
    let gone = detail(&ran, "gone");
    assert_eq!(
        (&ran.case("gone")["status"], &gone["missing_expected_ids"]),
        (&json!("unmeasured"), &json!(["code:src/cor.py::parse_config"]))
    );
    assert_eq!(gone["top_ids"][0], "code:src/core.py::parse_config", "rankings are shown for unmeasured cases, too");
    let checked = world.evalratchet(&["check"]);
    assert_eq!(checked.code, 0);
    assert!(
        checked.stderr.contains("gone expects `code:src/cor.py::parse_config`, which the index does not hold"),
        "{}",
        checked.stderr
    );
    assert!(checked.stderr.contains("nearest: `code:src/core.py::parse_config`"), "{}", checked.stderr);
    let ids = world.evalratchet(&["list", "--ids", "--suite", "r", "--filter", "core.py"]);
    assert_eq!(ids.stdout, "code:src/core.py::start\ncode:src/core.py::parse_config\n");
}

#[test]
fn a_lane_is_needed_only_where_there_are_two() {
    let cases = r#"[{"name": "a", "query": "parse", "expected_ids": ["code:src/core.py::parse_config"]}]"#;
    assert_eq!(world(cases, INDEX).run().code, 0);
    let both = world(cases, "target = { index = { code = [\"src/**/*.py\"], memory = [\"notes.json\"] } }");
    both.file("notes.json", "[{\"id\": \"memory:a\", \"text\": \"b\"}]");
    let ran = both.run();
    assert!(ran.code == 2 && ran.stderr.contains("the field `lane` is missing"), "{}", ran.stderr);
}

#[test]
fn fields_that_a_suite_passes_reach_the_engine_and_others_are_mistakes() {
    let cases =
        r#"[{"name": "a", "query": "parse", "lane": "code", "domain": "tools", "expected_ids": ["code:tools"]}]"#;
    let engine = "#!/bin/sh\nread line\ncase $line in *contains*) echo '{\"present\": [\"code:tools\"]}' ;; *'\"domain\":\"tools\"'*) echo '{\"ids\": [\"code:tools\"]}' ;; *) echo '{\"ids\": []}' ;; esac\n";
    let world = world(cases, "pass = [\"domain\"]\ntarget = { command = [\"./engine.sh\"] }");
    world.script("engine.sh", engine.trim_start_matches("#!/bin/sh\n"));
    let ran = world.run();
    assert_eq!(ran.case("a")["status"], "passed", "{}{}", ran.stdout, ran.stderr);
    let strict = self::world(cases, INDEX).run();
    assert!(strict.code == 2 && strict.stderr.contains("domain"), "{}", strict.stderr);
}

#[test]
fn built_in_cases_run_beside_a_target_and_without_a_configuration() {
    let ran = world(CASE, &format!("builtin-cases = true\n{INDEX}")).run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let statuses = ran.statuses();
    assert!(statuses.len() > 1 && statuses.iter().all(|(_, status)| status == "passed"), "{statuses:?}");
    let alone = World::new().evalratchet(&["eval-code"]);
    assert_eq!(alone.code, 0, "{}{}", alone.stdout, alone.stderr);
    assert!(alone.stdout.contains("builtin") && alone.stdout.contains("MRR"), "{}", alone.stdout);
    assert_eq!(World::new().evalratchet(&["eval-backend", "--lane", "memory"]).code, 0);
    assert!(!World::new().evalratchet(&["--help"]).stdout.contains("eval-backend"));
}
