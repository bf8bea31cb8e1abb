//! "AI Evaluation Harness": its fixtures as they stand, and its scoring function as a scorer.

use serde_json::json;

use crate::support::World;

const CASES: &str = r#"[
  {
    "id": "simple-programming-task",
    "description": "Build a REST API for user authentication",
    "input": {
      "taskTitle": "Build a REST API for user authentication",
      "taskDescription": "Create endpoints for login, signup, and token refresh"
    },
    "expectedSubtasks": 6
  }
]
"#;

const GOLDEN: &str = r#"{
  "simple-programming-task": {
    "subtasks": [
      {"title": "Research JWT authentication best practices", "estimatedMinutes": 30, "xpReward": 35},
      {"title": "Set up Express.js server with TypeScript", "estimatedMinutes": 20, "xpReward": 25}
    ]
  }
}
"#;

/// `scoreTaskBreakdown`.
const SCORER: &str = r#"
[expected]
expectedSubtasks = { count = "$.golden.subtasks[*]" }

[[component]]
name = "count"
weight = 0.3
measure = "count-difference"
actual = "$.actual.subtasks[*]"
golden = "$.golden.subtasks[*]"
penalty = 0.05

[[component]]
name = "time"
weight = 0.4
measure = "sum-difference"
actual = "$.actual.subtasks[*].estimatedMinutes"
golden = "$.golden.subtasks[*].estimatedMinutes"

[[component]]
name = "xp"
weight = 0.3
measure = "sum-difference"
actual = "$.actual.subtasks[*].xpReward"
golden = "$.golden.subtasks[*].xpReward"
"#;

fn module(cases: &str, golden: Option<&str>, scorer: &str, answer: &str) -> World {
    let world = World::new();
    world.file("fixtures/task-breakdown/cases.json", cases);
    golden.map(|golden| world.file("fixtures/task-breakdown/golden.json", golden));
    world.file("fixtures/task-breakdown/scorer.toml", scorer);
    world.file("answer.json", answer);
    world.file(
        "evalratchet.toml",
        "[[suite]]\nid = \"task-breakdown\"\nkind = \"golden\"\ncases = [\"fixtures/task-breakdown\"]\nrecordings = \"recorded.jsonl\"\ntarget = { command = [\"cat\", \"answer.json\"] }\n[suite.gate]\navg-score = { min = 0.70, target = 0.85 }\n",
    );
    world
}

#[test]
fn the_literal_fixtures_load_and_a_wrong_count_is_a_note() {
    let answer = json!({"subtasks": [
        {"title": "Research", "estimatedMinutes": 30, "xpReward": 35},
        {"title": "Set up", "estimatedMinutes": 20, "xpReward": 25},
        {"title": "Test", "estimatedMinutes": 5, "xpReward": 6},
    ]});
    let world = module(CASES, Some(GOLDEN), SCORER, &answer.to_string());
    let recorded = world.evalratchet(&["run", "--mode", "record"]);
    assert_eq!(recorded.code, 0, "{}{}", recorded.stdout, recorded.stderr);
    // 0.3 − 0.05, 0.4 − 5/50, 0.3 − 6/60.
    let score = recorded.case("simple-programming-task")["score"].as_f64().unwrap();
    assert!((score - 0.75).abs() < 1e-9, "{score}");
    let detail = &recorded.results.as_ref().unwrap()["suites"][0]["detail"];
    for (field, value) in [
        ("module", json!("task-breakdown")),
        ("totalCases", json!(1)),
        ("passedCases", json!(1)),
        ("failedCases", json!(0)),
    ] {
        assert_eq!(detail[field], value, "{field}");
    }
    assert!(detail["avgScore"].is_number() && detail["duration"].as_str().unwrap().ends_with('s'));
    let checked = world.evalratchet(&["check"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    assert!(checked.stderr.contains("`expectedSubtasks` says 6, but golden has 2"), "{}", checked.stderr);
    assert!(
        recorded.stdout.contains("not checked by the scorer: expectedSubtasks says 6, but golden has 2"),
        "{}",
        recorded.stdout
    );
}

#[test]
fn a_field_that_no_expected_names_is_a_note() {
    let cases = CASES.replace("\"expectedSubtasks\": 6", "\"difficulty\": \"hard\"");
    let world = module(&cases, Some(GOLDEN), SCORER, "{\"subtasks\": []}");
    world.evalratchet(&["run", "--mode", "record"]);
    let checked = world.evalratchet(&["check"]);
    assert_eq!(checked.code, 0, "{}", checked.stderr);
    assert!(checked.stderr.contains("`difficulty` is not checked by the scorer"), "{}", checked.stderr);
}

#[test]
fn a_case_without_golden_is_not_measured_while_answers_are_new() {
    let two = CASES.replace("\n]\n", ",\n  {\"id\": \"new\", \"description\": \"d\", \"input\": {}}\n]\n");
    let world = module(&two, Some(GOLDEN), SCORER, "{\"subtasks\": [{\"estimatedMinutes\": 50, \"xpReward\": 60}]}");
    for mode in ["live", "record"] {
        let ran = world.evalratchet(&["run", "--mode", mode]);
        let case = ran.case("new");
        assert_eq!(case["status"], "unmeasured", "{}{}", ran.stdout, ran.stderr);
        let why = case["checks"][0]["details"].as_str().unwrap();
        assert!(why.contains("no golden yet") && why.contains("golden accept"), "{why}");
        assert!(case["detail"]["unread"].as_str().unwrap().contains("estimatedMinutes"), "the answer is shown");
    }
    assert_eq!(world.evalratchet(&["run", "--mode", "replay"]).code, 2);
    let accepted = world.evalratchet(&["golden", "accept", "new"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
}

#[test]
fn a_scorer_that_needs_no_golden_scores_without_it() {
    let scorer =
        "[[component]]\nname = \"some\"\nweight = 1.0\nmeasure = \"length\"\nactual = \"$.actual.title\"\nmax = 10\n";
    let world = module(CASES, None, scorer, "{\"title\": \"short\"}");
    world.evalratchet(&["run", "--mode", "record"]);
    let ran = world.run();
    assert_eq!(ran.case("simple-programming-task")["score"], 1.0, "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn golden_accept_refuses_what_contradicts_the_case() {
    let world = module(CASES, Some("{}"), SCORER, "{\"subtasks\": [{\"estimatedMinutes\": 1, \"xpReward\": 1}]}");
    world.evalratchet(&["run", "--mode", "record"]);
    let ran = world.evalratchet(&["golden", "accept"]);
    assert_eq!(ran.code, 2, "{}", ran.stdout);
    assert!(ran.stderr.contains("`expectedSubtasks` says 6, but the answer has 1"), "{}", ran.stderr);
}

#[test]
fn slots_join_the_tasks_of_the_input_and_counts_may_be_relative() {
    let scorer = r#"
[[component]]
name = "slots"
weight = 0.5
measure = "join"
actual = "$.actual.slots[*]"
with = "$.input.tasks[*]"
on = { actual = "taskId", with = "id" }
equal = { minutes = "estimatedMinutes" }
cover = "both"
[[component]]
name = "count"
weight = 0.5
measure = "count-difference"
actual = "$.actual.slots[*]"
golden = "$.input.tasks[*]"
relative = true
"#;
    let cases = r#"[{"id": "day", "description": "d", "input": {"tasks": [
        {"id": "a", "estimatedMinutes": 30}, {"id": "b", "estimatedMinutes": 20}, {"id": "c", "estimatedMinutes": 5}, {"id": "d", "estimatedMinutes": 5}]}}]"#;
    let answer = json!({"slots": [{"taskId": "a", "minutes": 30}, {"taskId": "b", "minutes": 25}, {"taskId": "x", "minutes": 1}]});
    let world = module(cases, None, scorer, &answer.to_string());
    let ran = world.evalratchet(&["run", "--mode", "record"]);
    let components = &ran.case("day")["detail"]["components"];
    // One of three slots fits, and two tasks have none; one of four is missing.
    assert_eq!(components[0]["value"], 0.1, "{components}");
    assert_eq!(components[1]["value"], 0.25, "{components}");
    assert!(
        components[0]["note"].as_str().unwrap().contains("\"b\": `minutes` is 25 where `estimatedMinutes` is 20"),
        "{components}"
    );
}
