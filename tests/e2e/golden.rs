//! Golden suites, recorded and live.

use std::time::Duration;

use serde_json::{Value, json};

use crate::chat::{Chat, Reply, says};
use crate::support::{Ran, World};

const SCORER: &str = r#"
[expected]
expectedTasks = { count = "$.golden.tasks[*]" }

[[component]]
name = "count"
weight = 0.5
measure = "count-difference"
actual = "$.actual.tasks[*]"
golden = "$.golden.tasks[*]"
penalty = 0.1

[[component]]
name = "minutes"
weight = 0.5
measure = "sum-difference"
actual = "$.actual.tasks[*].minutes"
golden = "$.golden.tasks[*].minutes"
"#;

const GOOD: &str = r#"{"tasks": [{"minutes": 10}, {"minutes": 20}]}"#;
const OFF: &str = r#"{"tasks": [{"minutes": 10}, {"minutes": 26}]}"#;

/// A module of these cases, each with the same golden answer, asked by this target.
fn module(ids: &[&str], target: &str, more: &str) -> World {
    let world = World::new();
    world.file(
        "evalratchet.toml",
        &format!(
            "[[suite]]\nid = \"m\"\nkind = \"golden\"\ncases = [\"m\"]\ntarget = {target}\n{more}\n[suite.gate]\navg-score = {{ min = 0.6, target = 0.9 }}\n"
        ),
    );
    let cases: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "description": format!("about {id}"), "input": {"title": format!("do {id}")}, "expectedTasks": 2}))
        .collect();
    world.file("m/cases.json", &serde_json::to_string_pretty(&cases).unwrap());
    let golden: serde_json::Map<String, Value> =
        ids.iter().map(|id| ((*id).to_owned(), serde_json::from_str(GOOD).unwrap())).collect();
    world.file("m/golden.json", &serde_json::to_string_pretty(&golden).unwrap());
    world.file("m/scorer.toml", SCORER);
    world.file("m/prompt.md", "Split up: {{ input.title }}");
    world
}

fn openai(chat: &Chat, more: &str) -> String {
    format!("{{ openai = {{ model = \"m-1\", base-url = \"{}\"{more} }} }}", chat.url)
}

/// Runs with a key and a cache of its own.
fn run(world: &World, arguments: &[&str]) -> Ran {
    let mut command = world.command(&["run"]);
    command.args(arguments).env("OPENAI_API_KEY", "sk-secret-of-the-test").env_remove("RUN_LIVE");
    command.env("EVALRATCHET_CACHE", world.path().join("cache"));
    world.ran(command.output().unwrap())
}

const RECORDED: &str = "recordings = \"m/recorded.jsonl\"";

#[test]
fn an_answer_is_scored_by_its_parts_and_the_parts_are_in_the_results() {
    let chat = Chat::start(|_, _| says(OFF));
    let ran = run(&module(&["a"], &openai(&chat, ""), ""), &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let case = ran.case("a");
    assert_eq!(case["score"], json!(0.8));
    let components = case["detail"]["components"].as_array().unwrap();
    assert_eq!((&components[0]["name"], &components[0]["value"]), (&json!("count"), &json!(0.5)));
    assert!((components[1]["value"].as_f64().unwrap() - 0.3).abs() < 1e-12);
    assert_eq!(components[1]["note"], "36 where golden has 30");
    let suite = &ran.results.as_ref().unwrap()["suites"][0];
    let mut detail = suite["detail"].clone();
    assert!(detail["duration"].as_str().unwrap().ends_with('s'));
    detail["duration"] = json!("0.0s");
    insta::assert_json_snapshot!(detail);
    assert_eq!(suite["metrics"]["tokens-per-answer"]["value"], json!(120.0));
}

#[test]
fn the_terminal_shows_the_module_and_what_each_part_of_the_worst_cases_earned() {
    let chat = Chat::start(|_, seen| says(if seen.prompt().contains("do b") { r#"{"tasks": []}"# } else { OFF }));
    let ran = run(&module(&["a", "b", "c"], &openai(&chat, ""), ""), &["--jobs", "1"]);
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"latency-p\d+-ms .*", "latency …");
    // How wide a column is depends on how long an answer took.
    settings.add_filter(r" {2,}", "  ");
    settings.add_filter(r"─+", "─");
    settings.add_filter(r"(?s)slowest\n.*?\n\n", "");
    settings.add_filter(r"\d+\.\ds\n", "[time]\n");
    settings.bind(|| insta::assert_snapshot!(ran.stdout));
}

#[test]
fn json_is_found_in_prose_and_what_is_none_is_a_failed_case_that_shows_the_answer() {
    let chat = Chat::start(|_, seen| {
        says(if seen.prompt().contains("do a") {
            "Sure:\n```json\n{\"tasks\": [{\"minutes\": 30}]}\n```\n"
        } else {
            "I would rather not."
        })
    });
    let ran = run(&module(&["a", "b"], &openai(&chat, ""), ""), &[]);
    assert_eq!(ran.case("a")["score"], json!(0.9));
    let case = ran.case("b");
    assert_eq!((&case["status"], &case["score"]), (&json!("failed"), &json!(0.0)));
    assert_eq!(case["detail"]["unread"], "I would rather not.");
    assert!(ran.stdout.contains("I would rather not."), "{}", ran.stdout);
}

#[test]
fn a_missing_part_earns_nothing_and_a_gap_in_golden_is_found_at_load() {
    let chat = Chat::start(|_, _| says(r#"{"tasks": [{"minutes": 30}, {}]}"#));
    let world = module(&["a"], &openai(&chat, ""), "");
    let ran = run(&world, &[]);
    let checks = ran.case("a")["checks"].to_string();
    assert!(checks.contains("`$.actual.tasks[*].minutes`: 1 of 2 at `$.actual.tasks[*]` has no `minutes`"), "{checks}");
    assert_eq!(ran.case("a")["score"], json!(0.5));

    world.file("m/golden.json", r#"{"a": {"tasks": [{"minutes": 10}, {"minute": 20}]}}"#);
    let ran = run(&world, &[]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);
    assert_eq!(chat.seen().len(), 1);
}

#[test]
fn every_mistake_in_a_module_is_reported_at_once() {
    let world = module(&["a", "b"], "{ command = [\"true\"] }", "");
    world.file(
        "m/cases.json",
        r#"[
  {"id": "a", "description": "x", "input": {}, "expectedTasks": 3},
  {"id": "b", "description": "x", "input": {}, "expectedSubtasks": 2},
  {"id": "c", "description": "x", "input": {}}
]"#,
    );
    let broken = SCORER
        .replace("$.actual.tasks[*].minutes", "$.tasks[")
        .replace("weight = 0.5\nmeasure = \"count-difference\"", "weight = 0.4\nmeasure = \"count-diference\"");
    let ran = run(&world, &[]);
    insta::assert_snapshot!("mistakes_in_cases", ran.stderr);
    world.file("m/scorer.toml", &broken);
    let ran = run(&world, &[]);
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!("mistakes_in_a_scorer", ran.stderr);
    world.file("m/scorer.toml", "component = [");
    assert_eq!(run(&world, &[]).code, 2);
    std::fs::remove_file(world.path().join("m/scorer.toml")).unwrap();
    let ran = run(&world, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("m/scorer.toml"), "{}", ran.stderr);
}

#[test]
fn recording_then_replaying_gives_the_same_scores_and_asks_nobody() {
    let chat = Chat::start(|_, seen| says(if seen.prompt().contains("do b") { GOOD } else { OFF }));
    let world = module(&["a", "b"], &openai(&chat, ""), RECORDED);
    let recorded = run(&world, &["--mode", "record"]);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let asked = chat.seen().len();
    assert_eq!(asked, 2);
    let text = std::fs::read_to_string(world.path().join("m/recorded.jsonl")).unwrap();
    assert!(!text.contains("sk-secret"), "{text}");
    drop(chat);

    let replayed = run(&world, &[]);
    assert_eq!(replayed.code, 0, "{}", replayed.stderr);
    for id in ["a", "b"] {
        assert_eq!(replayed.case(id)["score"], recorded.case(id)["score"]);
    }
    let suite = &replayed.results.as_ref().unwrap()["suites"][0];
    assert_eq!(suite["replayed"], json!(true));
    assert!(replayed.stdout.contains("1 of 1 suites replayed"), "{}", replayed.stdout);
    assert_eq!(suite["detail"]["accepted"], json!(1));
    assert!(replayed.stdout.contains("1 of 2 recorded answers are the same as golden"), "{}", replayed.stdout);
    assert_eq!(recorded.results.as_ref().unwrap()["suites"][0]["detail"]["accepted"], json!(0));

    // Recording again changes nothing that it need not change.
    let again = std::fs::read_to_string(world.path().join("m/recorded.jsonl")).unwrap();
    assert_eq!(text, again);
}

#[test]
fn a_missing_or_stale_recording_stops_the_replay_with_a_diff() {
    let chat = Chat::start(|_, _| says(OFF));
    let world = module(&["a", "b"], &openai(&chat, ""), RECORDED);
    let missing = run(&world, &[]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("there is no recording for `a`, nor any other"), "{}", missing.stderr);
    assert_eq!(chat.seen().len(), 0);
    assert!(missing.results.is_none());

    assert_eq!(run(&world, &["--mode", "record", "--case", "a"]).code, 0);
    world.file("m/prompt.md", "Split up now: {{ input.title }}");
    let stale = run(&world, &[]);
    assert_eq!(stale.code, 2);
    insta::assert_snapshot!(stale.stderr);

    // What is recorded may not be edited unnoticed.
    let text = std::fs::read_to_string(world.path().join("m/recorded.jsonl")).unwrap();
    world.file("m/recorded.jsonl", &text.replace("do a", "do z"));
    let forged = run(&world, &[]);
    assert_eq!(forged.code, 2);
    assert!(forged.stderr.contains("this is not the key of the request beside it"), "{}", forged.stderr);
}

#[test]
fn a_new_case_is_recorded_reviewed_and_accepted() {
    let chat = Chat::start(|_, _| says(OFF));
    let world = module(&["a"], &openai(&chat, ""), RECORDED);
    run(&world, &["--mode", "record"]);
    let mut cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(world.path().join("m/cases.json")).unwrap()).unwrap();
    cases.push(json!({"id": "new", "description": "d", "input": {"title": "do new"}}));
    world.file("m/cases.json", &serde_json::to_string_pretty(&cases).unwrap());

    let without = run(&world, &[]);
    assert_eq!(without.code, 2);
    assert!(without.stderr.contains("`new` has no reviewed answer"), "{}", without.stderr);
    let recorded = run(&world, &["--mode", "record"]);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    assert_eq!(recorded.case("new")["status"], "unmeasured");
    assert!(recorded.case("new")["checks"].to_string().contains("no golden yet"));

    let golden = world.path().join("m/golden.json");
    let before = std::fs::read_to_string(&golden).unwrap();
    let shown = world.evalratchet(&["golden", "accept", "--dry-run"]);
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    insta::assert_snapshot!(shown.stdout);
    assert_eq!(std::fs::read_to_string(&golden).unwrap(), before);
    assert_eq!(world.evalratchet(&["golden", "accept"]).code, 0);
    let ran = run(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.case("new")["detail"]["accepted"], json!(true));
    assert!(world.evalratchet(&["golden", "accept"]).stdout.starts_with("nothing to accept"));
    let wrong = world.evalratchet(&["golden", "accept", "neu"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("did you mean `new`?"), "{}", wrong.stderr);
}

#[test]
fn a_busy_endpoint_is_asked_again_when_it_says_and_a_broken_one_soon() {
    let chat = Chat::start(|number, _| match number {
        0 => Reply::Http(
            429,
            "retry-after: 1\r\n",
            r#"{"error": {"message": "slow down", "type": "rate_limit"}}"#.into(),
        ),
        1 => Reply::Http(500, "", "oops".into()),
        2 => Reply::Drop,
        _ => says(GOOD),
    });
    let ran = run(&module(&["a"], &openai(&chat, ""), ""), &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.case("a")["score"], json!(1.0));
    let seen = chat.seen();
    assert_eq!(seen.len(), 4);
    assert!(seen[1].at - seen[0].at >= Duration::from_secs(1));
}

#[test]
fn a_missing_answer_is_an_error_and_is_never_scored() {
    let rate = r#"{"error": {"message": "Rate limit reached for key sk-secret-of-the-test", "type": "rate_limit"}}"#;
    for (reply, message) in [
        (Reply::Http(429, "", rate.into()), "status 429: Rate limit reached for key [redacted]"),
        (
            Reply::Http(401, "", r#"{"error": {"message": "bad key"}}"#.into()),
            "/chat/completions: status 401: bad key; check the key in OPENAI_API_KEY",
        ),
        (Reply::Http(503, "", "down".into()), "status 503"),
        (Reply::Http(200, "", rate.into()), "answered with an error: Rate limit reached"),
        (Reply::Http(200, "", "<html>proxy</html>".into()), "did not answer in JSON"),
        (Reply::Http(200, "", r#"{"choices": []}"#.into()), "without a choice"),
        (Reply::Drop, "could not be reached: http://127.0.0.1:"),
        (Reply::Hang, "no answer within 1s"),
    ] {
        let chat = Chat::start(move |_, _| reply.clone());
        let timeout = if message.contains("within 1s") { "timeout = \"1s\"" } else { "timeout = \"2m\"" };
        let ran = run(&module(&["a"], &openai(&chat, ", retries = 0"), timeout), &[]);
        assert_eq!(ran.code, 4, "{message}: {}", ran.stdout);
        let case = ran.case("a");
        assert_eq!((&case["status"], &case["score"]), (&json!("error"), &Value::Null), "{message}");
        assert!(case["checks"].to_string().contains(message), "{message}: {}", case["checks"]);
        assert!(!ran.stdout.contains("sk-secret") && !ran.results.unwrap().to_string().contains("sk-secret"));
    }
}

#[test]
fn one_wrong_idea_in_a_module_is_one_message() {
    let target = "{ command = [\"cat\", \"answer\"] }";
    let world = module(&["a", "b", "c", "d", "e"], target, "");
    let golden: Vec<(&str, Value)> = ["a", "b", "c", "d", "e"].map(|id| (id, json!({"items": []}))).to_vec();
    let golden: serde_json::Map<String, Value> = golden.into_iter().map(|(id, value)| (id.to_owned(), value)).collect();
    world.file("m/golden.json", &serde_json::to_string_pretty(&golden).unwrap());
    let ran = world.evalratchet(&["check"]);
    assert_eq!(ran.code, 2);
    let message =
        "the component `count` cannot be measured on golden itself: `$.actual.tasks[*]`: `$.actual` has no `tasks`";
    assert!(ran.stderr.contains(message), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("4 more cases (`b`, `c`, `d`, …)") && ran.stderr.contains("`minutes`"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("\n1 mistake\n"), "{}", ran.stderr);

    // Lists that are empty on both sides, fields that nobody knows, answers that nobody reviewed.
    let empty: serde_json::Map<String, Value> = golden.keys().map(|id| (id.clone(), json!({"tasks": []}))).collect();
    for (file, text, message) in [
        ("m/golden.json", json!(empty), "neither `$.actual.tasks[*]` nor `$.golden.tasks[*]` selects anything"),
        ("m/golden.json", json!({}), "`a` has no reviewed answer in m/golden.json; the same in 4 more cases"),
    ] {
        let world = module(&["a", "b", "c", "d", "e"], target, "");
        let cases = std::fs::read_to_string(world.path().join("m/cases.json")).unwrap();
        world.file("m/cases.json", &cases.replace("\"expectedTasks\": 2", "\"expectedTasks\": 0"));
        let scorer = SCORER.split("[[component]]\nname = \"minutes\"").next().unwrap();
        world.file("m/scorer.toml", &scorer.replace("weight = 0.5", "weight = 1.0"));
        world.file(file, &text.to_string());
        let ran = world.evalratchet(&["check"]);
        assert!(ran.stderr.contains(message) && ran.stderr.contains("\n1 mistake\n"), "{}", ran.stderr);
    }
}

#[test]
fn a_component_that_reads_no_answer_is_a_mistake() {
    for (from, to, message) in [
        ("actual = \"$.actual.tasks[*]\"", "actual = \"$.golden.tasks[*]\"", "does not read the answer"),
        ("actual = \"$.actual.tasks[*]\"", "actual = \"$.input.title\"", "does not read the answer"),
        ("golden = \"$.golden.tasks[*]\"", "golden = \"$.actual.tasks[*]\"", "compared with itself"),
    ] {
        let world = module(&["a"], "{ command = [\"cat\"] }", "");
        world.file("m/scorer.toml", &SCORER.replacen(from, to, 1));
        let ran = world.evalratchet(&["check"]);
        assert_eq!(ran.code, 2, "{to}");
        assert!(ran.stderr.contains("m/scorer.toml:") && ran.stderr.contains(message), "{}", ran.stderr);
    }
    let schema =
        "[[component]]\nname = \"s\"\nweight = 1.0\nmeasure = \"schema\"\nactual = \"$.actual\"\nfile = \"s.json\"\n";
    for text in ["{}", "true", "{\"title\": \"any\"}", "{\"anyOf\": [{\"type\": \"object\"}, true]}"] {
        let world = module(&["a"], "{ command = [\"cat\"] }", "");
        world.file(
            "m/scorer.toml",
            &format!("[expected]\nexpectedTasks = {{ count = \"$.golden.tasks[*]\" }}\n{schema}"),
        );
        world.file("m/s.json", text);
        let ran = world.evalratchet(&["check"]);
        assert!(ran.code == 2 && ran.stderr.contains("`s.json` accepts every value"), "{text}: {}", ran.stderr);
    }
}

#[test]
fn a_recording_counts_the_answers_of_this_run_and_names_what_had_none() {
    let chat = Chat::start(|index, _| if index == 1 { Reply::Http(401, "", "{}".into()) } else { says(GOOD) });
    let world = module(&["a", "b", "c"], &openai(&chat, ", retries = 0"), RECORDED);
    let ran = run(&world, &["--mode", "record", "--jobs", "1"]);
    let expected = "recorded: 2 answers in m/recorded.jsonl; not recorded: 1 question had no answer: could not be reached: http://127.0.0.1:";
    assert!(ran.stderr.contains(expected) && ran.stderr.contains("status 401"), "{}", ran.stderr);
    let before = std::fs::read(world.path().join("m/recorded.jsonl")).unwrap();

    // Without a key nothing is recorded, and what was is left alone.
    let mut command = world.command(&["run", "--mode", "record", "--no-cache"]);
    let ran = world.ran(command.env_remove("OPENAI_API_KEY").output().unwrap());
    let expected = "nothing was recorded in m/recorded.jsonl; 3 questions had no answer: OPENAI_API_KEY is not set";
    assert!(ran.stderr.contains(expected) && !ran.stderr.contains("recorded: "), "{}", ran.stderr);
    assert_eq!(std::fs::read(world.path().join("m/recorded.jsonl")).unwrap(), before);
}

#[test]
fn the_verdict_counts_answers_from_the_cache() {
    let chat = Chat::start(|_, _| says(GOOD));
    let world = module(&["a", "b"], &openai(&chat, ""), "");
    let fresh = run(&world, &["--mode", "live"]);
    assert!(!fresh.stdout.contains("from the cache"), "{}", fresh.stdout);
    let again = run(&world, &["--mode", "live"]);
    assert!(again.stdout.contains(" · 2 answers from the cache"), "{}", again.stdout);
    assert_eq!(again.results.unwrap()["suites"][0]["from_cache"], 2);
    let comment = std::fs::read_to_string(world.path().join("evalratchet-out/comment.md")).unwrap();
    assert!(comment.contains("2 answers from the cache"), "{comment}");
}

#[test]
fn without_its_key_a_live_suite_is_unmeasured_and_names_the_variable() {
    let chat = Chat::start(|_, _| says(GOOD));
    let world = module(&["a"], &openai(&chat, ", api-key-env = \"MY_KEY\""), "");
    let ran = run(&world, &[]);
    assert_eq!(ran.code, 3);
    assert_eq!(ran.case("a")["status"], "unmeasured");
    assert!(ran.case("a")["checks"].to_string().contains("MY_KEY is not set"), "{}", ran.case("a")["checks"]);
    assert_eq!(chat.seen().len(), 0);
}

#[test]
fn run_live_is_honoured_and_replay_runs_no_target() {
    let chat = Chat::start(|_, _| says(OFF));
    let world = module(&["a"], &openai(&chat, ""), RECORDED);
    run(&world, &["--mode", "record", "--no-cache"]);
    let mut command = world.command(&["run", "--no-cache"]);
    command.env("OPENAI_API_KEY", "k").env("RUN_LIVE", "true");
    let ran = world.ran(command.output().unwrap());
    assert_eq!((ran.code, chat.seen().len()), (0, 2), "{}", ran.stderr);
    assert_eq!(ran.results.unwrap()["run"]["mode"], "live");

    let bare = module(&["a"], &openai(&chat, ""), "");
    let ran = run(&bare, &["--mode", "replay"]);
    assert_eq!((ran.code, chat.seen().len()), (3, 2));
    assert!(ran.case("a")["checks"].to_string().contains("no recordings"));
}

#[test]
fn the_request_has_the_prompt_the_parameters_and_the_schema_of_the_module() {
    let chat = Chat::start(|_, _| says(GOOD));
    let more = ", system = \"Be brief.\", temperature = 0.5, max-answer-tokens = 99, parameters = { seed = 7 }";
    let world = module(&["a"], &openai(&chat, more), "");
    world.file("m/answer.schema.json", r#"{"type": "object"}"#);
    run(&world, &[]);
    let seen = &chat.seen()[0];
    assert!(seen.head.starts_with("POST /v1/chat/completions"), "{}", seen.head);
    assert!(seen.head.to_lowercase().contains("authorization: bearer sk-secret-of-the-test"));
    insta::assert_json_snapshot!(seen.body);
}

#[test]
fn an_endpoint_that_wants_no_key_is_sent_none() {
    let chat = Chat::start(|_, _| says(GOOD));
    let world = module(&["a"], &openai(&chat, ", api-key-env = \"\""), "");
    let mut command = world.command(&["run"]);
    command.env("OPENAI_API_KEY", "sk-secret-of-the-test").env("OPENAI_ORG_ID", "org-1").env_remove("RUN_LIVE");
    assert_eq!(world.ran(command.output().unwrap()).code, 0);
    let head = chat.seen()[0].head.to_lowercase();
    assert!(!head.contains("authorization") && head.contains("openai-organization: org-1"), "{head}");
}

#[test]
fn caps_stop_cleanly_and_what_did_not_run_is_unmeasured() {
    // An answer costs 100 × 1 + 20 × 2 = 140 millionths; the body and 50 tokens must fit before it is asked.
    let chat = Chat::start(|_, _| says(OFF));
    let ids = ["a", "b", "c", "d", "e", "f"];
    let requests = run(&module(&ids, &openai(&chat, ", max-requests = 2"), ""), &[]);
    assert_eq!(chat.seen().len(), 2);
    let unmeasured = |ran: &Ran| ran.statuses().iter().filter(|(_, status)| status == "unmeasured").count();
    assert_eq!(unmeasured(&requests), 4);
    assert!(requests.stdout.contains("4 not measured"), "{}", requests.stdout);

    let price = ", price = { input = 1.0, output = 2.0 }, max-answer-tokens = 50";
    let cost = run(&module(&ids, &openai(&chat, &format!("{price}, max-cost = 0.0006")), ""), &[]);
    let spent = cost.results.as_ref().unwrap()["suites"][0]["detail"]["usage"]["cost"].as_f64().unwrap();
    assert!(spent <= 0.0006 && spent > 0.0, "{spent}");
    assert!(unmeasured(&cost) > 0);
    let why = cost.results.as_ref().unwrap().to_string();
    assert!(why.contains("max-cost is reached"), "{why}");

    let tokens = run(&module(&ids, &openai(&chat, ", max-tokens = 500, max-answer-tokens = 50"), ""), &["--jobs", "6"]);
    let measured = 6 - unmeasured(&tokens);
    assert!(measured * 120 <= 500 && measured > 0, "{measured}");

    let missing = run(&module(&ids, &openai(&chat, ", max-cost = 1.0"), ""), &[]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("means nothing without a price"), "{}", missing.stderr);
}

#[test]
fn started_again_a_run_pays_only_for_what_is_missing() {
    let chat = Chat::start(|number, _| {
        if number == 1 { Reply::Http(400, "", r#"{"error": {"message": "no"}}"#.into()) } else { says(OFF) }
    });
    let world = module(&["a", "b", "c"], &openai(&chat, ""), "");
    let first = run(&world, &["--jobs", "1"]);
    assert_eq!((first.code, chat.seen().len()), (4, 3));
    let second = run(&world, &["--jobs", "1"]);
    assert_eq!((second.code, chat.seen().len()), (0, 4));
    assert!(second.stderr.contains("cache: 2 answers known from earlier runs, 1 asked for"), "{}", second.stderr);
    assert_eq!(second.case("a")["score"], first.case("a")["score"]);
    run(&world, &["--jobs", "1", "--no-cache"]);
    assert_eq!(chat.seen().len(), 7);
    // Asked twice, the second time is a question of its own.
    run(&world, &["--repeat", "2"]);
    assert_eq!(chat.seen().len(), 10);
}

#[test]
fn repeats_have_a_mean_a_spread_and_the_chance_of_k_tries() {
    let chat = Chat::start(|number, _| says(if number % 2 == 0 { GOOD } else { r#"{"tasks": []}"# }));
    let ran = run(&module(&["a"], &openai(&chat, ""), ""), &["--repeat", "4", "--jobs", "1"]);
    let case = ran.case("a");
    assert_eq!(case["attempts"].as_array().unwrap().len(), 4);
    assert_eq!(case["metrics"]["pass-share"], json!(0.5));
    // Two of four pass: of two tries, 1 − C(2,2)/C(4,2) have one that passes, and C(2,2)/C(4,2) only such.
    let near = |name: &str, expected: f64| {
        let value = case["metrics"][name].as_f64().unwrap_or_else(|| panic!("no {name} in {}", case["metrics"]));
        assert!((value - expected).abs() < 1e-9, "{name}: {value}");
    };
    near("pass-at-2", 5.0 / 6.0);
    near("pass-hat-2", 1.0 / 6.0);
    near("pass-at-4", 1.0);
    near("pass-hat-4", 0.0);
    near("score-spread", case["score"].as_f64().map(|mean| (((1.0 - mean).powi(2)) * 4.0 / 3.0).sqrt()).unwrap());
}

#[test]
fn a_judge_is_asked_recorded_and_replayed() {
    let chat = Chat::start(|_, seen| {
        if seen.body["model"] == "judge-1" {
            says(r#"{"score": 0.5, "reason": "half of it is missing"}"#)
        } else {
            says(OFF)
        }
    });
    let world = module(&["a"], &openai(&chat, ""), RECORDED);
    let judge = "\n[[component]]\nname = \"tone\"\nweight = 0.2\nmeasure = \"judge\"\nmodel = \"judge-1\"\nrubric = \"Is it complete?\"\n";
    world.file("m/scorer.toml", &(SCORER.replace("weight = 0.5", "weight = 0.4") + judge));
    let recorded = run(&world, &["--mode", "record"]);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    assert_eq!(chat.seen().len(), 2);
    assert!(chat.seen()[1].prompt().contains("Is it complete?"));
    drop(chat);
    let replayed = run(&world, &[]);
    assert_eq!(replayed.code, 0, "{}", replayed.stderr);
    let tone = &replayed.case("a")["detail"]["components"][2];
    assert_eq!((&tone["value"], &tone["note"]), (&json!(0.1), &json!("half of it is missing")));

    world.file(
        "m/scorer.toml",
        &(SCORER.replace("weight = 0.5", "weight = 0.4") + &judge.replace("complete", "polite")),
    );
    let stale = run(&world, &[]);
    assert_eq!(stale.code, 2);
    assert!(stale.stderr.contains("the recording for the judge `tone` of `a` is stale"), "{}", stale.stderr);
}

#[test]
fn a_scorers_own_program_scores_and_when_it_talks_nonsense_the_case_is_an_error() {
    let component = |kind: &str, program: &str| {
        format!("[[component]]\nname = \"own\"\nweight = 1.0\nmeasure = \"command\"\n{kind} = [\"{program}\"]\n")
    };
    let world = module(&["a", "b"], &format!("{{ command = [\"echo\", '{GOOD}'] }}"), "max-errors = 5");
    world.script("score.sh", r#"cat >/dev/null; echo '{"score": 0.75, "reason": "so so"}'"#);
    world.file(
        "m/scorer.toml",
        &format!(
            "[expected]\nexpectedTasks = {{ count = \"$.golden.tasks[*]\" }}\n{}",
            component("command", "./score.sh")
        ),
    );
    let ran = run(&world, &[]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.case("b")["score"], json!(0.75));

    world.script(
        "worker.sh",
        r#"while read -r line; do id=$(printf %s "$line" | sed 's/.*"id":"\([ab]\)".*/\1/'); echo "{\"id\": \"$id\", \"output\": {\"score\": 1, \"reason\": \"$$\"}}"; done"#,
    );
    world.file(
        "m/scorer.toml",
        &format!(
            "[expected]\nexpectedTasks = {{ count = \"$.golden.tasks[*]\" }}\n{}",
            component("worker", "./worker.sh")
        ),
    );
    let ran = run(&world, &["--jobs", "1"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let process = |id: &str| ran.case(id)["detail"]["components"][0]["note"].clone();
    assert_eq!(process("a"), process("b"));

    for nonsense in ["echo nonsense", "exit 3", "echo '{\"score\": 7}'", "echo '{\"reason\": \"x\"}'", "true"] {
        world.script("score.sh", &format!("cat >/dev/null; {nonsense}"));
        world.file(
            "m/scorer.toml",
            &format!(
                "[expected]\nexpectedTasks = {{ count = \"$.golden.tasks[*]\" }}\n{}",
                component("command", "./score.sh")
            ),
        );
        let ran = run(&world, &[]);
        assert_eq!(ran.case("a")["status"], "error", "{nonsense}");
        assert_eq!(ran.case("a")["score"], Value::Null, "{nonsense}");
        assert!(ran.case("a")["checks"].to_string().contains("the scorer's program"), "{nonsense}");
    }
}

#[test]
fn a_command_suite_can_be_recorded_and_replayed_too() {
    let world = World::with_target(
        "{ command = [\"./answer.sh\"] }\nrecordings = \"recorded.jsonl\"",
        &[crate::support::case("a", "list", "ls")],
    );
    world.script("answer.sh", "echo ls");
    assert_eq!(run(&world, &["--mode", "record"]).code, 0);
    world.script("answer.sh", "echo rm -rf /");
    let ran = run(&world, &[]);
    assert_eq!(ran.case("a")["status"], "passed");
    let live = run(&world, &["--mode", "live"]);
    assert_eq!(live.case("a")["status"], "failed");
}

#[test]
fn shipped_modules_score_between_their_floors_and_one_when_recomputed() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read =
        |path: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(root.join(path)).unwrap()).unwrap() };
    let world = World::new();
    let mut command = world.command(&["run", "--kind", "golden", "--baseline", "none", "--out"]);
    command.arg(world.path().join("evalratchet-out")).current_dir(root).env_remove("RUN_LIVE");
    let ran = world.ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let suites = ran.results.as_ref().unwrap()["suites"].as_array().unwrap();
    for (suite, (module, floor, target, least)) in suites.iter().zip([
        ("task-breakdown", 0.70, 0.85, 12),
        ("daily-planner", 0.65, 0.80, 8),
        ("inbox-atomizer", 0.60, 0.75, 8),
    ]) {
        let avg = &suite["metrics"]["avg-score"];
        assert_eq!(
            (&suite["detail"]["module"], &avg["min"], &avg["target"]),
            (&json!(module), &json!(floor), &json!(target))
        );
        assert!(avg["value"].as_f64().unwrap() > floor && avg["value"].as_f64().unwrap() < 1.0);
        assert!(suite["cases"].as_array().unwrap().len() >= least);
    }
    // The seed's formula, written down once more.
    let golden = read("datasets/golden/task-breakdown/golden.json");
    let sum = |answer: &Value, field: &str| -> f64 {
        answer["subtasks"].as_array().unwrap().iter().map(|task| task[field].as_f64().unwrap()).sum()
    };
    for case in suites[0]["cases"].as_array().unwrap() {
        let (actual, golden) = (&case["detail"]["actual"], &golden[case["id"].as_str().unwrap()]);
        let count = |answer: &Value| answer["subtasks"].as_array().unwrap().len() as f64;
        let off = |field: &str| (sum(actual, field) - sum(golden, field)).abs() / sum(golden, field);
        let score = (0.3 - (count(actual) - count(golden)).abs() * 0.05).max(0.0)
            + (0.4 - off("estimatedMinutes")).max(0.0)
            + (0.3 - off("xpReward")).max(0.0);
        let measured = case["score"].as_f64().unwrap();
        assert!((measured - score.clamp(0.0, 1.0)).abs() < 1e-9, "{}: {measured} {score}", case["id"]);
    }
}

#[test]
fn components_and_ids_that_share_a_mistake_are_one_message() {
    let component = |name: &str, actual: &str, golden: &str| {
        format!(
            "[[component]]\nname = \"{name}\"\nweight = 0.25\nmeasure = \"equal\"\nactual = \"{actual}\"\ngolden = \"{golden}\"\n"
        )
    };
    let names = ["a", "b", "c", "d"];
    for (actual, golden, message) in [
        ("$.golden.tasks", "$.golden.tasks", "does not read the answer"),
        ("$.tasks", "$.tasks", "must begin with $.actual"),
    ] {
        let world = module(&["a"], "{ command = [\"cat\"] }", "");
        world.file("m/scorer.toml", &names.map(|name| component(name, actual, golden)).concat());
        let ran = world.evalratchet(&["check"]);
        assert_eq!((ran.code, ran.stderr.matches(message).count()), (2, 1), "{}", ran.stderr);
        assert!(ran.stderr.contains("the same in 3 more components (`b`, `c`, `d`)"), "{}", ran.stderr);
    }
    let world = module(&["a"], "{ command = [\"cat\"] }", "");
    let mut golden = json!({"a": serde_json::from_str::<Value>(GOOD).unwrap()});
    for id in ["v", "w", "x", "y", "z"] {
        golden[id] = golden["a"].clone();
    }
    world.file("m/golden.json", &golden.to_string());
    let ran = world.evalratchet(&["check"]);
    assert_eq!((ran.code, ran.stderr.matches("there is no case").count()), (2, 1), "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no case `v` in cases.json, nor 4 more (`w`, `x`, `y`, …)"), "{}", ran.stderr);
}

#[test]
fn a_path_that_selects_nothing_in_any_case_is_a_mistake() {
    let scorer = |path: &str| {
        format!(
            "[expected]\nexpectedTasks = {{ count = \"$.golden.tasks[*]\" }}\n[[component]]\nname = \"o\"\nweight = 1.0\nmeasure = \"set-overlap\"\nactual = \"$.actual..{path}\"\ngolden = \"$.golden..{path}\"\nwhen-empty = 1.0\n"
        )
    };
    let world = module(&["a", "b"], "{ command = [\"cat\"] }", "");
    world.file("m/scorer.toml", &scorer("zz"));
    let ran = world.evalratchet(&["check"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("`$.golden..zz` selects nothing in any case"), "{}", ran.stderr);
    world.file("m/scorer.toml", &scorer("minutes"));
    assert_eq!(world.evalratchet(&["check"]).code, 0);
}

#[test]
fn only_questions_that_were_asked_are_counted() {
    let chat = Chat::start(|_, _| says(GOOD));
    let world = module(&["a", "b", "c"], &openai(&chat, ""), RECORDED);
    let mut command = world.command(&["run", "--mode", "record"]);
    command.env("EVALRATCHET_CACHE", world.path().join("cache")).env_remove("OPENAI_API_KEY");
    let ran = world.ran(command.output().unwrap());
    assert!(!ran.stderr.contains("asked for"), "{}", ran.stderr);
    let ran = run(&world, &["--mode", "record"]);
    assert!(ran.stderr.contains("cache: 0 answers known from earlier runs, 3 asked for"), "{}", ran.stderr);
}
