//! "Evaluation Harness `diff-match` Assertions": scenarios as the harness of that project has them.

use serde_json::{Value, json};

use crate::support::{Ran, World};

const BEFORE: &str = "import { db } from '../db.js';\n\nexport async function listUsers() {\n  const users = await db.getUsers();\n  const result = [];\n  for (const user of users) {\n    const posts = await db.getPostsForUser(user.id);\n    result.push({ ...user, posts });\n  }\n  return result;\n}\n";
const AFTER: &str = "import { db } from '../db.js';\n\nexport async function listUsers() {\n  const users = await db.getUsers();\n  const posts = await db.getAllPosts();\n  return users.map((user) => ({ ...user, posts: posts.filter((post) => post.userId === user.id) }));\n}\n";

fn scenario(more: Value) -> Value {
    let mut scenario = json!({
        "id": "backend-api-opt",
        "title": "Remove the N+1 query",
        "adapterId": "plain",
        "goals": ["test"],
        "fixture": {"path": "evaluation/fixtures/node-api-nplus1", "copyToTemp": true},
        "agentTask": {"instruction": format!("WRITE|src/routes/users.ts|{AFTER}")},
    });
    scenario.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scenario
}

fn world(scenario: &Value) -> World {
    let world = World::new();
    world.file("evaluation/fixtures/node-api-nplus1/src/routes/users.ts", BEFORE);
    world.file("evaluation/scenarios/backend-api-opt.json", &scenario.to_string());
    world.file(
        "evalratchet.toml",
        "[[suite]]\nid = \"evaluation\"\nkind = \"scenario\"\ncases = [\"evaluation/scenarios/*.json\"]\n[adapter.plain]\ngoals = { test = { command = \"test\", args = [\"-f\", \"{fixture}/src/routes/users.ts\", \"-a\", \"-f\", \"{repo}/evalratchet.toml\"] } }\n",
    );
    world
}

fn assertion(ran: &Ran) -> &Value {
    &ran.case("backend-api-opt")["detail"]["patternAssertions"][0]
}

#[test]
fn a_diff_without_context_matches_and_a_wrong_one_has_its_preview() {
    let expected = "@@ ... @@\n-  const result = [];\n-  for (const user of users) {\n-    const posts = await db.getPostsForUser(user.id);\n-    result.push({ ...user, posts });\n-  }\n-  return result;\n+  const posts = await db.getAllPosts();\n";
    let diff_match = |expected: &str| json!({"patternAssertions": [{"type": "diff-match", "path": "src/routes/users.ts", "expectedDiff": expected}]});
    let ran = world(&scenario(diff_match(expected))).run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(assertion(&ran)["status"], "passed");
    let wrong = world(&scenario(diff_match(&expected.replace("getAllPosts", "getPosts")))).run();
    assert_eq!(wrong.code, 1);
    assert_eq!(assertion(&wrong)["status"], "failed");
    let preview = assertion(&wrong)["preview"].as_str().unwrap();
    assert!(
        preview.contains("whole diff:") && preview.contains("+  const posts = await db.getAllPosts();"),
        "{preview}"
    );
}

#[test]
fn goals_may_be_objects_assertions_may_be_missing_and_three_fields_are_ignored_once() {
    let more = json!({
        "goals": [{"goal": "test", "timeoutMs": 120_000}], "requiresCleanFixture": true, "supportsParallel": false,
        "useEvaluationDefaults": true,
    });
    let world = world(&scenario(more.clone()));
    let mut second = scenario(more);
    second["id"] = json!("second");
    world.file("evaluation/scenarios/second.json", &second.to_string());
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stderr.matches("ignored in every scenario").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("requiresCleanFixture, supportsParallel, useEvaluationDefaults"), "{}", ran.stderr);
    let wrong = self::world(&scenario(json!({"requiresCleanFixtures": true}))).run();
    assert!(wrong.code == 2 && wrong.stderr.contains("requiresCleanFixtures"), "{}", wrong.stderr);
}

#[test]
fn a_built_in_adapter_can_be_replaced() {
    let world = world(&scenario(json!({"adapterId": "typescript-default"})));
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &config.replace("[adapter.plain]", "[adapter.typescript-default]"));
    let ran = world.run();
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let goal = &ran.case("backend-api-opt")["detail"]["goals"][0];
    assert!(goal["command"].as_str().unwrap().starts_with("test -f"), "{goal}");
}

#[test]
fn pytest_has_a_build_goal_that_does_nothing_and_says_so() {
    let ran = world(&scenario(json!({"adapterId": "python-pytest", "goals": ["build"]}))).run();
    let goal = &ran.case("backend-api-opt")["detail"]["goals"][0];
    assert_eq!(goal["status"], "passed", "{}{}", ran.stdout, ran.stderr);
    assert!(goal["stdout"].as_str().unwrap().contains("nothing to build"), "{goal}");
}

#[test]
fn a_file_with_other_line_endings_has_one_changed_line() {
    let edit = |endings: &str| {
        let mut assertion = json!({"type": "diff-match", "path": "a.txt", "match": "exact", "expectedDiff": "@@ ... @@\n one\n-two\n+TWO\n three\n"});
        if !endings.is_empty() {
            assertion["endings"] = json!(endings);
        }
        let world = world(&scenario(
            json!({"agentTask": {"instruction": "WRITE|a.txt|one\nTWO\nthree\n"}, "patternAssertions": [assertion]}),
        ));
        world.file("evaluation/fixtures/node-api-nplus1/a.txt", "one\r\ntwo\r\nthree\r\n");
        world.run()
    };
    let ran = edit("");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(edit("exact").code, 1);
}

#[test]
fn an_unknown_assertion_type_fails_loudly() {
    let ran =
        world(&scenario(json!({"patternAssertions": [{"type": "ast-match", "path": "src/routes/users.ts"}]}))).run();
    assert_eq!((ran.code, assertion(&ran)["status"].as_str()), (1, Some("failed")));
    assert!(assertion(&ran)["details"].as_str().unwrap().contains("unknown assertion type 'ast-match'"));
}
