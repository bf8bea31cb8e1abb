//! Scenarios: an edit of a fixture, goals that must hold, and assertions about what changed.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{Ran, World, copy, is_gone, long_sleep};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A world with one scenario `s` on the fixture `f`, which has a file `a.txt` of three lines.
fn world(scenario: &Value) -> World {
    let world = World::new();
    world.file("evalratchet.toml", "[[suite]]\nid = \"agents\"\nkind = \"scenario\"\ncases = [\"s.json\"]\n\
        [adapter.sh]\nneeds = \"a shell\"\ngoals.ok = { command = \"true\" }\ngoals.bad = { command = \"sh\", args = [\"-c\", \"echo out; echo err >&2; exit 3\"] }\n\
        goals.env = { command = \"sh\", args = [\"-c\", \"echo $WHO in $PWD of {fixture}\"], env = { WHO = \"adapter\" } }\n\
        goals.slow = { command = \"sleep\", args = [\"600\"], timeout = \"300ms\" }\ngoals.gone = { command = \"no-such-tool\" }\n");
    world.file("f/a.txt", "one\ntwo\nthree\n");
    write(&world, scenario);
    world
}

fn write(world: &World, scenario: &Value) {
    let mut whole = json!({
        "id": "s", "title": "t", "adapterId": "sh", "goals": [], "fixture": {"path": "f"},
        "agentTask": {"instruction": "WRITE|a.txt|one\nTWO\nthree\n"},
        "patternAssertions": [],
    });
    for (key, value) in scenario.as_object().unwrap() {
        whole[key] = value.clone();
    }
    whole.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    world.file("s.json", &serde_json::to_string_pretty(&whole).unwrap());
}

fn run(scenario: &Value) -> Ran {
    world(scenario).run()
}

/// `status: details` of every assertion.
fn assertions(ran: &Ran) -> Vec<String> {
    let told = ran.case("s")["detail"]["patternAssertions"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    told.iter().map(|one| format!("{}: {}", text(&one["status"]), text(&one["details"]))).collect()
}

fn goals(ran: &Ran) -> Vec<String> {
    let told = ran.case("s")["detail"]["goals"].as_array().unwrap();
    told.iter().map(|one| format!("{}: {}", one["goal"].as_str().unwrap(), one["status"].as_str().unwrap())).collect()
}

fn diff_match(expected: &str) -> Value {
    json!({"type": "diff-match", "path": "a.txt", "expectedDiff": expected})
}

#[test]
fn goals_and_agents_are_told_the_directory_they_run_in() {
    let world = world(&json!({"agentTask": {"instruction": "do it"}, "goals": ["where"]}));
    let place = "echo $PWD $OLDPWD > \\\"$PWD/$1.txt\\\"; pwd -P";
    let goal = format!("command = \"sh\", args = [\"-c\", \"{place}\", \"sh\", \"goal\"]");
    world.file(
        "evalratchet.toml",
        &format!(
            "[[suite]]\nid = \"agents\"\nkind = \"scenario\"\ncases = [\"s.json\"]\nenv = [\"OLDPWD\"]\n\
             target = {{ agent = [\"sh\", \"-c\", \"{place}\", \"sh\", \"agent\"] }}\n\
             [adapter.sh]\nneeds = \"a shell\"\ngoals.where = {{ {goal} }}\n"
        ),
    );
    let mut command = world.command(&["run", "--keep"]);
    command.env("PWD", world.path()).env("OLDPWD", world.path());
    let ran = world.ran(command.output().unwrap());
    assert_eq!(ran.case("s")["status"], "passed", "{}{}", ran.stdout, ran.stderr);
    let copy = ran.case("s")["detail"]["workingCopy"].as_str().unwrap();
    for name in ["agent.txt", "goal.txt"] {
        assert!(!world.path().join(name).exists(), "{name} was written into the repository");
        let text = std::fs::read_to_string(PathBuf::from(copy).join(name)).unwrap();
        assert_eq!(text.trim(), PathBuf::from(copy).canonicalize().unwrap().display().to_string());
    }
}

#[test]
fn a_diff_match_yields_a_result_that_depends_on_the_diff() {
    let right = run(&json!({"patternAssertions": [diff_match("-two\n+TWO\n")]}));
    assert_eq!((right.code, assertions(&right)), (0, vec!["passed: -".into()]));
    let wrong = run(&json!({"patternAssertions": [diff_match("-two\n+deux\n")]}));
    assert_eq!(
        (wrong.code, assertions(&wrong)),
        (1, vec!["failed: the diff does not contain what is expected".into()])
    );
    let shown = wrong.case("s")["diff"].as_str().unwrap();
    insta::assert_snapshot!(shown, @r"
    diff-match a.txt
    nearest hunk (< expected, > found):
    > @@ ... @@
    >  one
      -two
    < +deux
    > +TWO
    >  three
    whole diff:
    @@ ... @@
     one
    -two
    +TWO
     three
    ");
}

#[test]
fn what_git_prints_can_be_pasted_as_it_is() {
    let pasted = "diff --git a/a.txt b/a.txt\nindex 4cb29ea..b3ef37e 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
    let mut assertion = diff_match(pasted);
    for how in ["substring", "lines", "exact"] {
        assertion["match"] = json!(how);
        assert_eq!(run(&json!({"patternAssertions": [assertion]})).code, 0, "{how}");
    }
}

#[test]
fn an_unknown_assertion_type_fails_the_run_and_is_reported_by_check() {
    let world = world(
        &json!({"patternAssertions": [{"type": "diff-mach", "path": "a.txt", "query": 3}, {"type": "file-exists", "path": "a.txt"}]}),
    );
    let ran = world.run();
    assert_eq!(ran.code, 1);
    let known = "known: file-exists, file-absent, file-contains, file-lacks, diff-match, only-changed";
    assert_eq!(assertions(&ran), [format!("failed: unknown assertion type 'diff-mach' ({known})"), "passed: -".into()]);
    assert_eq!(ran.case("s")["score"], 0.5);
    let checked = world.evalratchet(&["check"]);
    assert_eq!(checked.code, 2);
    assert!(checked.stderr.contains("did you mean `diff-match`?"), "{}", checked.stderr);
}

#[test]
fn every_mistake_in_a_scenario_is_reported_at_once() {
    let world = world(&json!({
        "adapterId": "typescript-defualt",
        "fixture": {"path": "../outside", "copyToTemp": false},
        "agentTask": {"instruction": ["WRITE|../x|y", {"delete": {"path": "/etc/passwd"}}, "free text", {}]},
        "patternAssertions": [
            diff_match(" only context\n"), diff_match(""), {"type": "file-contains", "path": "a.txt"},
            {"type": "file-exists", "path": "../x", "includes": "y"}, {"type": "only-changed"},
        ],
    }));
    let ran = world.run();
    assert_eq!(ran.code, 2);
    insta::assert_snapshot!(ran.stderr);

    write(
        &world,
        &json!({"adapterId": "sh", "goals": ["okk", "ok", "ok"], "overrides": {"okay": {}}, "patternAssertion": []}),
    );
    insta::assert_snapshot!(world.run().stderr);
    write(&world, &json!({"goals": ["okk", "ok", "ok"], "overrides": {"okay": {}}}));
    insta::assert_snapshot!(world.run().stderr);
    write(&world, &json!({}));
    assert!(world.run().stderr.contains("declares neither goals nor assertions"));
}

#[test]
fn goals_that_fail_do_not_stop_the_others_nor_the_assertions() {
    let sleep = long_sleep();
    let seconds = sleep.strip_prefix("sleep ").unwrap();
    let ran = run(&json!({
        "goals": ["bad", "ok", "slow"],
        "overrides": {"slow": {"args": [seconds]}},
        "patternAssertions": [diff_match("+TWO\n"), {"type": "file-exists", "path": "b"}],
    }));
    assert_eq!(ran.code, 1);
    assert_eq!(goals(&ran), ["bad: failed", "ok: passed", "slow: timed out"]);
    assert_eq!(assertions(&ran), ["passed: -", "failed: file missing"]);
    assert_eq!(ran.case("s")["score"], 0.4);
    let bad = &ran.case("s")["detail"]["goals"][0];
    assert_eq!(
        (bad["exitCode"].as_i64(), bad["stdout"].as_str(), bad["stderr"].as_str()),
        (Some(3), Some("out\n"), Some("err\n"))
    );
    assert!(is_gone(&sleep));
}

#[test]
fn a_tool_that_is_not_installed_is_an_error_and_names_what_the_adapter_needs() {
    let ran = run(&json!({"goals": ["gone"], "patternAssertions": [diff_match("+TWO\n")]}));
    assert_eq!((ran.code, ran.case("s")["status"].as_str()), (4, Some("error")));
    assert_eq!(ran.case("s")["checks"][0]["details"], "no-such-tool not found; the adapter sh needs a shell");
    assert_eq!(assertions(&ran), ["passed: -"]);
}

#[test]
fn an_override_of_the_goal_wins_over_the_scenarios_which_wins_over_the_adapters() {
    let who = |overrides: Value| {
        let ran = run(&json!({"goals": ["env"], "overrides": overrides}));
        let stdout = ran.case("s")["detail"]["goals"][0]["stdout"].as_str().unwrap().to_owned();
        let words: Vec<String> = stdout.split_whitespace().map(str::to_owned).collect();
        assert_eq!(words[2], words[4], "a goal runs in the working copy");
        words[0].clone()
    };
    assert_eq!(who(json!({})), "adapter");
    assert_eq!(who(json!({"*": {"env": {"WHO": "scenario"}}})), "scenario");
    assert_eq!(who(json!({"*": {"env": {"WHO": "scenario"}}, "env": {"env": {"WHO": "goal"}}})), "goal");
    let ran = run(&json!({"goals": ["slow"], "overrides": {"slow": {"command": "true", "timeoutMs": 10000}}}));
    assert_eq!(goals(&ran), ["slow: passed"]);
}

#[test]
fn directives_write_append_delete_and_replace_and_only_changed_names_the_rest() {
    let world = world(&json!({
        "agentTask": {"instruction": [
            "WRITE|deep/er/new.txt|a|b\nc",
            {"append": {"path": "a.txt", "contents": "four\n"}},
            {"delete": {"path": "gone.txt"}},
            {"replace": {"path": "b.txt", "old": "old", "new": "new"}},
        ]},
        "patternAssertions": [
            {"type": "file-contains", "path": "deep/er/new.txt", "includes": "a|b\nc"},
            {"type": "diff-match", "path": "a.txt", "match": "exact", "expectedDiff": "@@ ... @@\n one\n two\n three\n+four\n"},
            {"type": "file-absent", "path": "gone.txt"},
            {"type": "diff-match", "path": "gone.txt", "expectedDiff": "-bye"},
            {"type": "file-lacks", "path": "b.txt", "includes": ["old", "older"]},
            {"type": "only-changed", "paths": ["a.txt", "b.txt", "gone.txt"]},
        ],
    }));
    world.file("f/gone.txt", "bye");
    world.file("f/b.txt", "an old thing");
    let told = assertions(&world.run());
    assert_eq!(told[..5], ["passed: -", "passed: -", "passed: -", "passed: -", "passed: -"]);
    assert_eq!(told[5], "failed: changed as well: `deep/er/new.txt`");
    assert_eq!(
        std::fs::read_to_string(world.path().join("f/a.txt")).unwrap(),
        "one\ntwo\nthree\n",
        "the fixture itself is never touched"
    );
}

#[test]
fn an_edit_that_does_not_fit_is_an_error_of_the_scenario() {
    for (old, why) in [
        ("nowhere", "a.txt: the text to be replaced is not there"),
        ("t", "a.txt: the text to be replaced is there 2 times"),
    ] {
        let replace = json!([{"replace": {"path": "a.txt", "old": old, "new": "x"}}]);
        let ran = run(&json!({"agentTask": {"instruction": replace}, "patternAssertions": [diff_match("+x\n")]}));
        assert_eq!((ran.code, ran.case("s")["checks"][0]["details"].as_str()), (4, Some(why)));
    }
}

#[test]
fn a_copy_keeps_modes_links_and_empty_directories_and_obeys_gitignore() {
    let world = world(&json!({"goals": ["ok"]}));
    let script = world.file("f/tool", "x");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(world.path().join("f/empty/deeper")).unwrap();
    symlink("a.txt", world.path().join("f/link")).unwrap();
    world.file("f/.gitignore", "dist\n");
    world.file("f/dist/built", "");
    let ran = world.evalratchet(&["run", "--keep"]);
    let copy = PathBuf::from(ran.case("s")["detail"]["workingCopy"].as_str().unwrap());
    assert_eq!(std::fs::metadata(copy.join("tool")).unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(std::fs::read_link(copy.join("link")).unwrap(), PathBuf::from("a.txt"));
    assert!(copy.join("empty/deeper").is_dir() && !copy.join("dist").exists());
    assert_eq!(std::fs::read_to_string(copy.join("a.txt")).unwrap(), "one\nTWO\nthree\n");
    std::fs::remove_dir_all(copy.parent().unwrap()).unwrap();
}

#[test]
fn links_that_leave_the_fixture_are_refused_and_nothing_is_written_through_one() {
    let world = world(&json!({"patternAssertions": [diff_match("+TWO\n")]}));
    symlink("../outside.txt", world.path().join("f/leak")).unwrap();
    let ran = world.run();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the link `leak` leads out of the tree, to `../outside.txt`"), "{}", ran.stderr);
    std::fs::remove_file(world.path().join("f/leak")).unwrap();

    // An agent may make such a link; what is asserted then is not read through it.
    world.file("secret.txt", "TWO");
    world.script("agent", "ln -s \"$OLDPWD/../\" nowhere; rm a.txt; ln -s /etc/hostname a.txt");
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file(
        "evalratchet.toml",
        &config.replacen("[adapter.sh]", "target = { agent = [\"./agent\"] }\n[adapter.sh]", 1),
    );
    write(
        &world,
        &json!({"agentTask": {"instruction": "go"}, "patternAssertions": [{"type": "file-contains", "path": "a.txt", "includes": "x"}]}),
    );
    let ran = world.run();
    assert_ne!(ran.code, 0);
    assert!(ran.stdout.contains("leads out of the tree") || ran.stdout.contains("through a link"), "{}", ran.stdout);
}

#[test]
fn free_text_goes_to_the_agent_and_without_one_that_is_a_mistake() {
    let world = world(
        &json!({"agentTask": {"instruction": "Shout the second line"}, "patternAssertions": [diff_match("-two\n+TWO\n")]}),
    );
    let ran = world.run();
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("this is text for an agent, but the suite has none"), "{}", ran.stderr);

    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let with = |agent: &str| {
        world.file(
            "evalratchet.toml",
            &config.replacen("[adapter.sh]", &format!("target = {{ agent = [{agent}] }}\n[adapter.sh]"), 1),
        )
    };
    with("\"./agent\", \"{instruction}\"");
    world.script("agent", "[ \"$1\" = 'Shout the second line' ] && [ \"$(cat)\" = \"$1\" ] && sed -i s/two/TWO/ a.txt");
    assert_eq!(world.run().code, 0);

    world.script("agent", "echo 'no idea' >&2; exit 9");
    let ran = world.run();
    assert_eq!((ran.code, ran.case("s")["status"].as_str()), (1, Some("failed")));
    assert_eq!(assertions(&ran), ["failed: the diff is empty: the file did not change"]);
    assert!(ran.stdout.contains("the agent failed: exit code 9"), "{}", ran.stdout);
    with("\"no-such-agent\"");
    assert_eq!(world.run().code, 4);
}

#[test]
fn scope_repo_looks_into_the_repository() {
    let here = json!({"type": "file-contains", "path": "note.md", "scope": "repo", "includes": "hello"});
    let world = world(&json!({"patternAssertions": [here, {"type": "file-absent", "path": "note.md"}]}));
    world.file("note.md", "hello");
    assert_eq!(world.run().code, 0);
}

#[test]
fn dependencies_that_cannot_be_installed_are_an_error_with_the_tools_last_lines() {
    let world = world(&json!({"adapterId": "typescript-default", "goals": ["test"]}));
    world.file("f/package.json", "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"true\"}}");
    world.file("f/package-lock.json", "{ not json");
    let output = world.command(&["run"]).env("EVALRATCHET_CACHE", world.path().join("cache")).output().unwrap();
    let ran = world.ran(output);
    assert_eq!(ran.code, 4);
    let why = ran.case("s")["checks"][0]["details"].as_str().unwrap();
    assert!(
        why.starts_with("installing dependencies failed: `npm ci --ignore-scripts") && why.lines().count() > 1,
        "{why}"
    );
    assert_eq!(goals(&ran), ["test: not run"]);
    assert_eq!(ran.case("s")["score"], Value::Null);
}

#[test]
fn an_adapter_of_the_configuration_installs_once_for_the_same_lock_file() {
    let world = world(&json!({"adapterId": "own", "goals": ["test"]}));
    world.file("f/deps.lock", "1");
    world.file(
        "evalratchet.toml",
        r#"[[suite]]
id = "agents"
kind = "scenario"
cases = ["s.json"]
[adapter.own]
goals.test = { command = "sh", args = ["-c", "cat deps/version && tool"] }
[adapter.own.install]
lock-file = "deps.lock"
commands = [
  ["sh", "-c", "mkdir deps bin && cp deps.lock deps/version && echo x >> $HOME/installed"],
  ["sh", "-c", "printf '#!/bin/sh\necho of-the-path' > {install}/bin/tool && chmod +x {install}/bin/tool"],
]
copy = "deps"
path = "bin"
"#,
    );
    let run = || {
        let mut command = world.command(&["run"]);
        command.env("EVALRATCHET_CACHE", world.path().join("cache")).env("HOME", world.path());
        world.ran(command.output().unwrap())
    };
    let (first, second) = (run(), run());
    assert_eq!((first.code, second.code), (0, 0), "{}", first.stdout);
    assert_eq!(second.case("s")["detail"]["goals"][0]["stdout"], "1of-the-path\n");
    assert_eq!(std::fs::read_to_string(world.path().join("installed")).unwrap(), "x\n");
}

#[test]
fn what_an_adapter_installs_must_stay_in_its_folder() {
    let world = world(&json!({}));
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let install = "[adapter.sh.install]\nlock-file = \"../x\"\ncommands = [[\"true\"]]\ncopy = \"/tmp\"\n";
    world.file("evalratchet.toml", &format!("{config}{install}"));
    let told = world.evalratchet(&["check"]).stderr;
    assert!(told.contains("the path `../x` leaves its directory"), "{told}");
    assert!(told.contains("the path `/tmp` is absolute"), "{told}");
}

/// The shipped scenarios in a world of their own, changed by `edit`.
fn shipped(edit: impl Fn(&mut Value)) -> World {
    let world = World::new();
    world.file("evalratchet.toml", "[[suite]]\nid = \"agents\"\nkind = \"scenario\"\ncases = [\"scenarios/*.json\"]\n");
    copy(&root().join("fixtures"), world.path());
    for entry in std::fs::read_dir(root().join("scenarios")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let mut scenario: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            edit(&mut scenario);
            world.file(&format!("scenarios/{}", path.file_name().unwrap().to_str().unwrap()), &scenario.to_string());
        }
    }
    world
}

#[test]
fn backend_api_opt_runs_end_to_end_and_its_diff_match_is_real() {
    let ran = shipped(|_| {}).evalratchet(&["run", "--case", "backend-api-opt"]);
    let case = ran.case("backend-api-opt");
    assert_eq!((ran.code, case["score"].as_f64()), (0, Some(1.0)), "{}", ran.stdout);
    let told = case["detail"]["patternAssertions"].as_array().unwrap();
    assert!(told.iter().any(|one| one["type"] == "diff-match" && one["status"] == "passed"));

    // Were diff-match a no-op again, a wrong expectation would pass as well.
    let wrong = shipped(|scenario| {
        for assertion in scenario["patternAssertions"].as_array_mut().unwrap() {
            if let Some(expected) = assertion["expectedDiff"].as_str().filter(|expected| !expected.is_empty()) {
                assertion["expectedDiff"] = json!(format!("{expected}+never written\n"));
            }
        }
    });
    let ran = wrong.evalratchet(&["run", "--filter", "docs"]);
    assert_eq!(ran.code, 1);
    let failed = ran.statuses().into_iter().filter(|(_, status)| status == "failed").count();
    assert!(failed >= 3, "{:?}", ran.statuses());
}

#[test]
fn without_its_agent_task_every_shipped_scenario_fails() {
    let world = shipped(|scenario| {
        scenario.as_object_mut().unwrap().remove("agentTask");
    });
    let ran = world.run();
    assert_eq!(ran.code, 1);
    let statuses = ran.statuses();
    assert!(statuses.len() >= 6);
    assert!(statuses.iter().all(|(_, status)| status == "failed"), "{statuses:?}");
}

#[test]
fn list_shows_what_an_edit_really_produces() {
    let world = world(&json!({"patternAssertions": [diff_match("+TWO\n")]}));
    insta::assert_snapshot!(world.evalratchet(&["list", "--suite", "agents", "--case", "s", "--show-diff"]).stdout, @r"
    agents (scenario, 1 case)
      s  s.json:1

    a.txt
    @@ ... @@
     one
    -two
    +TWO
     three
    ");
}

#[test]
fn what_an_agent_leaves_behind_is_its_own_fault_and_never_hangs_the_run() {
    let world = world(
        &json!({"agentTask": {"instruction": "go"}, "patternAssertions": [{"type": "file-contains", "path": "p", "includes": "x"}]}),
    );
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file(
        "evalratchet.toml",
        &config.replacen("[adapter.sh]", "target = { agent = [\"./agent\"] }\n[adapter.sh]", 1),
    );
    world.script(
        "agent",
        "mkfifo p; ln -s /usr/bin/env out; echo hidden > evil; printf '.gitignore\\nevil\\n' > .gitignore",
    );
    let ran = world.run();
    assert_eq!((ran.code, ran.case("s")["status"].as_str()), (1, Some("failed")));
    assert_eq!(assertions(&ran), ["failed: it is neither a file nor a directory"]);
    assert_eq!(
        ran.case("s")["detail"]["changed"],
        json!([".gitignore", "evil", "out", "p"]),
        "an edit cannot hide behind .gitignore"
    );
}

#[test]
fn an_unchanged_file_is_not_one_that_was_created_empty() {
    let unchanged = json!({"type": "diff-match", "path": "new", "match": "exact", "expectedDiff": ""});
    let ran = run(&json!({"agentTask": {"instruction": "WRITE|new|"}, "patternAssertions": [unchanged]}));
    assert_eq!(assertions(&ran), ["failed: an empty file was created"]);
}

#[test]
fn a_ceiling_on_latency_alone_does_not_excuse_a_scenario_that_fails() {
    let world = world(&json!({"patternAssertions": [diff_match("+deux\n")]}));
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let gate = "[suite.gate]\nlatency-p95-ms = { max = 60000 }\n[adapter.sh]";
    world.file("evalratchet.toml", &config.replacen("[adapter.sh]", gate, 1));
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{}", ran.stdout);
}

#[test]
fn a_failed_agent_earns_nothing_whatever_holds_anyway() {
    let world = world(
        &json!({"agentTask": {"instruction": "go"}, "patternAssertions": [{"type": "file-exists", "path": "a.txt"}]}),
    );
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let gate = "target = { agent = [\"false\"] }\n[suite.gate]\nreward = { min = 1.0 }\n[adapter.sh]";
    world.file("evalratchet.toml", &config.replacen("[adapter.sh]", gate, 1));
    let ran = world.run();
    assert_eq!(assertions(&ran), ["passed: -"]);
    assert_eq!((ran.code, ran.case("s")["score"].as_f64()), (1, Some(0.0)));
}

#[test]
fn an_assertion_with_a_pattern_or_without_text_is_a_mistake() {
    for (assertion, message) in [
        (json!({"type": "only-changed", "paths": ["src/*.rs"]}), "`src/*.rs` is taken literally"),
        (json!({"type": "only-changed", "paths": ["a.{txt,md}"]}), "is taken literally"),
        (json!({"type": "file-absent", "path": "**/*.log"}), "is taken literally"),
        (json!({"type": "file-contains", "path": "a.txt", "includes": "\n"}), "almost every file contains a blank"),
        (diff_match("+\n"), "has no text: almost every diff contains it"),
    ] {
        let ran = world(&json!({"patternAssertions": [assertion]})).evalratchet(&["check"]);
        assert!(ran.code == 2 && ran.stderr.contains(message), "{message}: {}", ran.stderr);
    }
    let routes = json!({"patternAssertions": [{"type": "only-changed", "paths": ["a.txt", "pages/[id].tsx"]}]});
    assert_eq!(world(&routes).evalratchet(&["check"]).code, 0);
}
