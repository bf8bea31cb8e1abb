//! Retrieval: rankings measured by lane, on the built-in engine and on the user's own.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Ran, World};

fn eval_case(id: &str, lane: &str, query: &str, expected: &[&str]) -> Value {
    json!({"id": id, "description": "d", "lane": lane, "spec_id": "S-1", "spec_content": query, "expected_ids": expected})
}

/// Two source files, two memories, and a case for each lane.
fn world(target: &str) -> World {
    let world = World::new();
    world.file("src/gate.rs", "/// Refuses the merge when quality slipped.\npub fn judge() {}\n");
    world.file(
        "src/shard.rs",
        "pub struct Shard;\nimpl Shard {\n    /// Splits cases by a stable hash.\n    pub fn of_case() {}\n}\n",
    );
    world.file("notes.json", r#"[{"id": "memory:kill", "text": "Children are killed by process group", "tags": ["process"]}, {"id": "memory:exit", "text": "Exit code four wins", "tags": []}]"#);
    configure(&world, target, "");
    cases(
        &world,
        &[
            eval_case("code_gate", "code", "refuse a merge", &["code:src/gate.rs::judge"]),
            eval_case("memory_kill", "memory", "kill child processes", &["memory:kill"]),
        ],
    );
    world
}

const INDEX: &str = r#"{ index = { code = ["src/**/*.rs"], memory = ["notes.json"] } }"#;

fn configure(world: &World, target: &str, rest: &str) {
    world.file(
        "evalratchet.toml",
        &format!("[[suite]]\nid = \"r\"\nkind = \"retrieval\"\ncases = [\"cases.json\"]\ntarget = {target}\n{rest}\n"),
    );
}

fn cases(world: &World, cases: &[Value]) {
    world.file("cases.json", &serde_json::to_string_pretty(&json!(cases)).unwrap());
}

fn metric(ran: &Ran, name: &str) -> Option<f64> {
    ran.results.as_ref().unwrap()["suites"][0]["metrics"][name]["value"].as_f64()
}

#[test]
fn both_lanes_are_measured_and_a_lane_can_be_chosen() {
    let world = world(INDEX);
    let ran = world.run();
    assert_eq!((metric(&ran, "mrr"), metric(&ran, "hit-rate")), (Some(1.0), Some(1.0)), "{}", ran.stdout);
    let slices = &ran.results.as_ref().unwrap()["suites"][0]["slices"];
    assert!(slices["lane=code"]["mrr"]["value"] == 1.0 && slices["lane=memory"]["recall-at-k"]["value"] == 1.0);
    let ran = world.evalratchet(&["run", "--lane", "memory"]);
    assert_eq!(ran.statuses(), [("code_gate".into(), "skipped".into()), ("memory_kill".into(), "passed".into())]);
    let ran = world.evalratchet(&["eval-code"]);
    assert_eq!(ran.statuses(), [("code_gate".into(), "passed".into()), ("memory_kill".into(), "skipped".into())]);
}

#[test]
fn the_output_of_eval_code_is_the_table_of_the_seed() {
    let ran = world(INDEX).evalratchet(&["eval-code"]);
    let table: Vec<&str> = ran.stdout.lines().skip(1).take(3).map(str::trim_end).collect();
    insta::assert_snapshot!(table.join("\n"), @"
     case_id     lane   source    k    P@k    R@k    MRR
    ─────────────────────────────────────────────────────
     code_gate   code   json     10   0.10   1.00   1.00
    ");
}

#[test]
fn every_field_of_the_seeds_result_is_there() {
    let ran = world(INDEX).run();
    let detail = &ran.case("code_gate")["detail"];
    for (field, expected) in [
        ("lane", json!("code")),
        ("k", json!(10)),
        ("expected_ids", json!(["code:src/gate.rs::judge"])),
        ("hits", json!(["code:src/gate.rs::judge"])),
        ("missing_expected_ids", json!([])),
        ("precision_at_k", json!(0.1)),
        ("recall_at_k", json!(1.0)),
        ("mrr", json!(1.0)),
        ("source", json!("json")),
    ] {
        assert_eq!(detail[field], expected, "{field}");
    }
    assert_eq!(detail["top_ids"][0], "code:src/gate.rs::judge");
}

#[test]
fn strict_fails_on_a_missing_id_that_is_otherwise_a_warning_and_no_denominator() {
    let world = world(INDEX);
    cases(
        &world,
        &[eval_case("one", "code", "refuse a merge", &["code:src/gate.rs::judge", "code:src/gate.rs::gone"])],
    );
    let ran = world.run();
    assert_eq!((ran.code, metric(&ran, "recall-at-k")), (0, Some(1.0)));
    assert!(
        ran.stdout.contains("· r: one expects what the index does not hold: code:src/gate.rs::gone (cases.json:2)"),
        "{}",
        ran.stdout
    );
    let ran = world.evalratchet(&["run", "--strict"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains("✗ r: one expects what the index does not hold: code:src/gate.rs::gone"),
        "{}",
        ran.stdout
    );

    cases(
        &world,
        &[
            eval_case("one", "code", "refuse a merge", &["code:src/gate.rs::gone"]),
            eval_case("two", "memory", "kill", &["memory:kill"]),
        ],
    );
    let ran = world.run();
    assert_eq!(ran.statuses()[0].1, "unmeasured");
    assert_eq!(ran.results.as_ref().unwrap()["suites"][0]["metrics"]["mrr"]["n"], 1);
    assert_eq!(world.evalratchet(&["run", "--strict"]).code, 1);
}

#[test]
fn k_comes_from_the_case_then_the_flag_then_the_suite() {
    let world = world(INDEX);
    let mut own = eval_case("own", "code", "judge", &["code:src/gate.rs::judge"]);
    own["k"] = json!(3);
    cases(&world, &[own, eval_case("other", "code", "judge", &["code:src/gate.rs::judge"])]);
    configure(&world, INDEX, "k = 7");
    let ks = |ran: &Ran| ["own", "other"].map(|id| ran.case(id)["detail"]["k"].as_u64().unwrap());
    assert_eq!(ks(&world.run()), [3, 7]);
    assert_eq!(ks(&world.evalratchet(&["run", "--k", "5"])), [3, 5]);
}

#[test]
fn built_in_cases_are_a_suite_that_an_external_namesake_replaces() {
    let world = World::new();
    world.file("evalratchet.toml", "[[suite]]\nid = \"smoke\"\nkind = \"retrieval\"\nbuiltin-cases = true\n");
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    let ids: Vec<String> = ran.statuses().into_iter().map(|(id, _)| id).collect();
    for id in ["code_stage0_handle_spec_auto", "code_stage0_spec_auto_state", "code_stage0_dcc"] {
        assert!(ids.contains(&id.to_owned()), "{ids:?}");
        assert_eq!((&ran.case(id)["detail"]["source"], &ran.case(id)["detail"]["k"]), (&json!("builtin"), &json!(5)));
    }
    assert!(ids.iter().filter(|id| id.starts_with("memory")).count() >= 3);

    world.file(
        "evalratchet.toml",
        "[[suite]]\nid = \"smoke\"\nkind = \"retrieval\"\nbuiltin-cases = true\ncases = [\"cases.json\"]\n",
    );
    let expected = "code:stage0/src/dcc.rs::compile_context";
    world.file(
        "cases.json",
        &json!({"cases": [eval_case("code_stage0_dcc", "code", "compile the context", &[expected])]}).to_string(),
    );
    let merged = world.run();
    assert_eq!(merged.case("code_stage0_dcc")["detail"]["source"], "json");
    assert_eq!(merged.statuses().len(), ids.len());
}

#[test]
fn mistakes_in_cases_are_reported_with_their_place() {
    let world = world(INDEX);
    let mut wrong = eval_case("a", "cod", "q", &[]);
    wrong["expected"] = json!([]);
    cases(&world, &[wrong]);
    let ran = world.run();
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
}

/// Answers rankings and `contains` from standard input.
const ENGINE: &str = r#"input=$(cat)
case $input in
  *contains*) echo '{"present": ["a", "b"]}' ;;
  *) echo '{"ids": ["x", "a", "a", "b"], "scores": [1, 3, 3, 2]}' ;;
esac"#;

#[test]
fn a_command_can_be_the_engine_and_is_asked_what_it_holds() {
    let world = world("{ command = [\"./engine\"] }");
    world.script("engine", ENGINE);
    cases(&world, &[eval_case("one", "code", "q", &["b", "nowhere"])]);
    let ran = world.run();
    let detail = &ran.case("one")["detail"];
    assert_eq!(
        (&detail["top_ids"], &detail["mrr"], &detail["missing_expected_ids"]),
        (&json!(["a", "b", "x"]), &json!(0.5), &json!(["nowhere"]))
    );

    // With the question as an argument nothing else can be asked, so nothing is missing.
    configure(&world, "{ command = [\"./engine\", \"{query}\", \"{lane}\", \"{k}\"] }", "");
    world.script("engine", "[ \"$1 $2 $3\" = 'q code 10' ] && echo '{\"ids\": [\"b\"]}'");
    let ran = world.run();
    let detail = &ran.case("one")["detail"];
    assert_eq!((&detail["recall_at_k"], &detail["missing_expected_ids"]), (&json!(0.5), &json!([])));
}

#[test]
fn a_worker_can_be_the_engine() {
    let world = world("{ worker = [\"./engine\"] }");
    world.script(
        "engine",
        r#"while read -r line; do
  id=${line#*\"id\":\"}; id=${id%%\"*}
  case $line in
    *contains*) printf '{"id":"%s","output":{"present":["a"]}}\n' "$id" ;;
    *) printf '{"id":"%s","output":{"ids":["a"]}}\n' "$id" ;;
  esac
done"#,
    );
    cases(&world, &[eval_case("one", "code", "q", &["a"]), eval_case("two", "memory", "q", &["a", "b"])]);
    let ran = world.run();
    assert_eq!(ran.statuses(), [("one".into(), "passed".into()), ("two".into(), "passed".into())]);
    assert_eq!(ran.case("two")["detail"]["missing_expected_ids"], json!(["b"]));
}

/// A server that answers each request with what `answer` makes of its body; ends with the test's process.
fn serve(answer: impl Fn(&str) -> (u16, String) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().take(100) {
            let Ok(mut stream) = stream else { continue };
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line == "\r\n" {
                    break;
                }
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap_or(0);
                }
            }
            let mut body = vec![0; length];
            if reader.read_exact(&mut body).is_err() {
                continue;
            }
            let (status, text) = answer(&String::from_utf8_lossy(&body));
            write!(stream, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}", text.len())
                .ok();
        }
    });
    format!("http://{address}/search")
}

#[test]
fn a_service_can_be_the_engine_and_its_refusals_are_errors_not_answers() {
    let url = serve(|body| match body {
        body if body.contains("contains") => (404, "no".into()),
        body if body.contains("forbidden") => (403, "{\"ids\": []}".into()),
        body if body.contains("busy") => (503, "try later".into()),
        body if body.contains("nonsense") => (200, "<html>".into()),
        _ => (200, "{\"ids\": [\"a\"]}".into()),
    });
    let world = world(&format!("{{ http = \"{url}\" }}"));
    configure(&world, &format!("{{ http = \"{url}\" }}"), "max-errors = 2");
    cases(&world, &["fine", "forbidden", "busy", "nonsense"].map(|query| eval_case(query, "code", query, &["a"])));
    let ran = world.run();
    let expected = [("fine", "passed"), ("forbidden", "error"), ("busy", "error"), ("nonsense", "failed")];
    assert_eq!(ran.statuses(), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    configure(&world, "{ http = \"http://127.0.0.1:9/\" }", "timeout = \"2s\"");
    let ran = world.run();
    assert_eq!((ran.code, ran.case("fine")["attempts"][0]["ending"].as_str()), (4, Some("unreachable")));
}

#[test]
fn a_trec_run_and_recorded_rankings_can_be_the_engine() {
    let world = world("{ run = \"x.run\" }");
    cases(&world, &[eval_case("one", "code", "q", &["b"]), eval_case("two", "code", "q", &["b"])]);
    world.file("x.run", "one Q0 b 9 1.0 t\none Q0 a 1 2.0 t\n");
    let ran = world.run();
    assert_eq!(ran.code, 4, "a case without a ranking is an error");
    assert_eq!((&ran.case("one")["detail"]["mrr"], &ran.case("two")["status"]), (&json!(0.5), &json!("error")));
    configure(&world, "{ recorded = \"r.jsonl\" }", "");
    world.file("r.jsonl", "{\"id\": \"one\", \"ids\": [\"b\"]}\n{\"id\": \"two\", \"ids\": [\"c\"]}\n");
    let ran = world.run();
    assert_eq!(ran.statuses(), [("one".into(), "passed".into()), ("two".into(), "failed".into())]);
}

#[test]
fn the_index_respects_gitignore_and_survives_odd_sources() {
    let world = world(INDEX);
    world.file(".gitignore", "src/generated/\n");
    world.file("src/generated/x.rs", "pub fn refuse_merge_generated() {}\n");
    world.bytes("src/latin1.rs", b"fn caf\xe9() {}\n");
    world.file("src/broken.rs", "fn ((((((( {{{{ \"\n");
    let ran = world.run();
    assert_eq!(ran.case("code_gate")["status"], "passed", "{}", ran.stdout);
    let text = ran.results.as_ref().unwrap().to_string();
    assert!(!text.contains("generated"), "an ignored file was indexed");
}

#[test]
fn trec_prints_trec_evals_names() {
    let world = World::new();
    world.file("q", "1 0 a 1\n1 0 b 0\n2 0 c 2\n");
    world.file("r", "1 Q0 b 1 0.5 t\n1 Q0 a 2 0.5 t\n2 Q0 c 1 1 t\n3 Q0 z 1 1 t\n");
    let ran = world.evalratchet(&["trec", "q", "r", "--per-topic", "--format", "json"]);
    let told: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (&told["topics"]["1"]["recip_rank"], &told["topics"]["2"]["map"], &told["all"]["recip_rank"]),
        (&json!(0.5), &json!(1.0), &json!(0.75))
    );
    assert!(told["topics"].get("3").is_none());
    for name in ["recip_rank", "map", "ndcg", "P_10", "recall_10", "ndcg_cut_10"] {
        assert!(told["all"][name].is_number(), "{name}");
    }
    let other = world.evalratchet(&["trec", "q", "r", "--per-topic", "--format", "json", "--ties", "id"]);
    let told: Value = serde_json::from_str(&other.stdout).unwrap();
    assert_eq!(told["topics"]["1"]["recip_rank"], 1.0);
    world.file("r", "1 Q0 b\n");
    let ran = world.evalratchet(&["trec", "q", "r"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("r:1: expected `topic Q0 document rank score tag`"), "{}", ran.stderr);
}

#[test]
fn every_id_that_the_shipped_cases_expect_exists() {
    let world = World::new();
    let output = Command::new(env!("CARGO_BIN_EXE_evalratchet"))
        .args(["run", "--kind", "retrieval", "--strict", "--out"])
        .arg(world.path().join("out"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn what_an_engine_will_read_is_looked_into_before_anything_runs() {
    let world = world("{ recorded = \"r.jsonl\" }");
    world.file("r.jsonl", "{\"id\": \"one\", \"ids\": []}\n{\"id\": \"one\", \"ids\": []}\n");
    world.file("x.run", "one Q0 b\n");
    world.file("notes.json", r#"[{"id": "a", "text": "t"}, {"id": "a", "text": "t"}]"#);
    let told = |target: &str, rest: &str| {
        configure(&world, target, rest);
        let ran = world.evalratchet(&["check"]);
        assert_eq!(ran.code, 2, "{target}");
        ran.stderr
    };
    assert!(told("{ recorded = \"r.jsonl\" }", "").contains("r.jsonl:2: a second ranking for `one`"));
    assert!(told("{ run = \"x.run\" }", "").contains("x.run:1: expected `topic Q0 document rank score tag`"));
    assert!(told(INDEX, "").contains("notes.json: a second memory is called `a`"));
    assert!(
        told("{ http = \"http://127.0.0.1:9/\", answer = \"$.x\" }", "")
            .contains("`answer` means nothing beside `http`")
    );
}

#[test]
fn an_engine_that_cannot_tell_what_it_holds_says_so_in_the_report() {
    let world = world("{ recorded = \"r.jsonl\" }");
    cases(&world, &[eval_case("one", "code", "q", &["b"])]);
    world.file("r.jsonl", "{\"id\": \"one\", \"ids\": [\"b\"]}\n");
    let ran = world.run();
    assert!(
        ran.stdout.contains("· r: the engine could not tell which ids it holds, for 1 of 1 cases"),
        "{}",
        ran.stdout
    );
}
