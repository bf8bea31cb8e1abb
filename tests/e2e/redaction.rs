//! What a suite confides to its target through `env` is seen nowhere, however the target spells it.

use serde_json::json;

use crate::job::files;
use crate::support::{World, case};

const SECRET: &str = "hun\"ter/2 & co-7f3a9c";

/// Spellings that a reader could turn back into the value.
fn spellings() -> Vec<String> {
    let json = json!(SECRET).to_string();
    let percent: String = SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let html = SECRET.replace('&', "&amp;").replace('"', "&quot;");
    vec![SECRET.to_owned(), json.trim_matches('"').to_owned(), percent, html, "7f3a9c".to_owned()]
}

/// Runs, renders every format, and fails if any of what was printed or written has the value.
fn seen_nowhere(world: &World, arguments: &[&str]) {
    let (mut printed, mut written) = (String::new(), Vec::new());
    for arguments in [arguments, &["run", "-vv", "--format", "json"], &["report", "--format", "comment"]] {
        let output = world.command(arguments).env("CONFIDED", SECRET).env("EVALRATCHET_LOG", "trace").output().unwrap();
        printed += &String::from_utf8_lossy(&[output.stdout, output.stderr].concat());
        // A later run may replay what an earlier one recorded without the value.
        written.extend(files(&world.path().join("evalratchet-out")));
    }
    assert!(written.len() > 4);
    let recordings = files(world.path()).into_iter().filter(|(path, _)| path.ends_with("recorded.jsonl"));
    for (name, text) in written.iter().cloned().chain(recordings).chain([("printed".into(), printed)]) {
        for spelling in spellings().iter().map(String::as_str).chain(["7f3\\u{1b}", "7f3\\u{0}", "[K7f3"]) {
            let at = text.find(spelling);
            let around = at.map(|at| text[..at].chars().rev().take(80).collect::<String>());
            assert_eq!(at, None, "{} has {spelling} after (reversed) {around:?}", name.display());
        }
    }
    assert!(written.iter().any(|(_, text)| text.contains("[redacted]")));
}

#[test]
fn a_command_that_prints_a_confided_value_does_not_publish_it() {
    let ids = ["raw", "json", "url", "split", "fail", "color", "nul", "color-fail"];
    let world = World::new();
    world.dataset(&ids.map(|id| case(id, id, "pwd")));
    world.config("target = { command = [\"./t.sh\"] }\nenv = [\"CONFIDED\"]\nrecordings = \"recorded.jsonl\"");
    let percent: String = SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect();
    world.file("json", &json!({"k": SECRET}).to_string());
    world.file("url", &format!("curl http://x/{percent}"));
    world.script(
        "t.sh",
        "read -r q; case $q in raw) echo \"login $CONFIDED\" ;; split) echo \"$CONFIDED\" | fold -w 5 ;; \
         fail) echo \"$CONFIDED\" >&2; exit 3 ;; color) echo \"$CONFIDED\" | grep --color=always 7f3 ;; \
         nul) echo \"$CONFIDED\" | sed 's/7f3/&@/' | tr @ '\\000' ;; \
         color-fail) echo \"$CONFIDED\" | grep --color=always 7f3 >&2; exit 3 ;; *) cat \"$q\" ;; esac",
    );
    seen_nowhere(&world, &["run", "--mode", "record"]);
    seen_nowhere(&world, &["run", "--mode", "live"]);
}

#[test]
fn a_confided_value_of_two_lines_is_seen_in_no_diff() {
    let world = World::with_target("{ command = [\"./t.sh\"] }", &[case("a", "q", "pwd")]);
    world.config("target = { command = [\"./t.sh\"] }\nenv = [\"CONFIDED\"]");
    world.script("t.sh", "echo before; echo \"$CONFIDED\"; echo after");
    let ran = world.ran(world.command(&["run"]).env("CONFIDED", "alph77\r\nbrav99").output().unwrap());
    let printed = [("printed".into(), ran.stdout + &ran.stderr)];
    for (name, text) in files(&world.path().join("evalratchet-out")).into_iter().chain(printed) {
        for half in ["alph77", "brav99"] {
            assert!(!text.contains(half), "{}: {text}", name.display());
        }
    }
}

#[test]
fn ids_fields_and_shortened_texts_of_answers_are_redacted() {
    let world = World::new();
    world.file(
        "evalratchet.toml",
        "[[suite]]\nid = \"r\"\nkind = \"retrieval\"\ncases = [\"r.json\"]\nenv = [\"CONFIDED\"]\ntarget = { command = [\"cat\", \"ids\"] }\n\
         [[suite]]\nid = \"m\"\nkind = \"golden\"\ncases = [\"m\"]\nenv = [\"CONFIDED\"]\npass-at = 0.5\ntarget = { command = [\"cat\", \"answer\"] }\n",
    );
    let ids = json!(["x"]);
    let case = json!({"id": "a", "description": "d", "lane": "code", "spec_id": "s", "spec_content": "q", "expected_ids": ids});
    world.file("r.json", &json!([case]).to_string());
    world.file("ids", &json!({"ids": [format!("doc:{SECRET}"), "y"]}).to_string());
    // The message about a wrong text has only its first characters, and so only a part of the value.
    let answer = json!({"t": format!("{}{SECRET}", "x".repeat(30)), SECRET: SECRET.repeat(3)});
    world.file("answer", &answer.to_string());
    world.file("m/cases.json", &json!([{"id": "c", "description": "d", "input": {}}]).to_string());
    world.file("m/golden.json", &json!({"c": {"t": "right"}}).to_string());
    let component = "measure = \"equal\"\nactual = \"$.actual.t\"\ngolden = \"$.golden.t\"\n";
    world.file("m/scorer.toml", &format!("[[component]]\nname = \"t\"\nweight = 1.0\n{component}"));
    seen_nowhere(&world, &["run"]);
    let results = std::fs::read_to_string(world.path().join("evalratchet-out/results.json")).unwrap();
    assert!(!results.contains("xhun"), "{results}");
}

#[test]
fn an_agent_cannot_publish_a_confided_value_by_its_edits() {
    let world = World::new();
    world.file(
        "evalratchet.toml",
        "[[suite]]\nid = \"a\"\nkind = \"scenario\"\ncases = [\"s.json\"]\nenv = [\"CONFIDED\"]\ntarget = { agent = [\"./agent.sh\"] }\n\
         [adapter.sh]\nneeds = \"a shell\"\ngoals.show = { command = \"sh\", args = [\"-c\", \"cat a.txt; exit 1\"] }\n",
    );
    let agent = "printf %s \"$CONFIDED\" > a.txt; mkdir -p \"$CONFIDED\"; touch \"$CONFIDED/f\"; echo \"$CONFIDED\" >&2; exit 4";
    world.script("agent.sh", agent);
    world.file("f/a.txt", "one\n");
    let scenario = json!({
        "id": "s", "title": "t", "adapterId": "sh", "goals": ["show"], "fixture": {"path": "f"},
        "agentTask": {"instruction": "do it"},
        "patternAssertions": [
            {"type": "diff-match", "path": "a.txt", "expectedDiff": "-one\n+two\n"}, {"type": "only-changed", "paths": ["a.txt"]},
        ],
    });
    world.file("s.json", &scenario.to_string());
    seen_nowhere(&world, &["run"]);
}

#[test]
fn a_confided_value_may_be_the_right_answer() {
    let world = World::with_target("{ command = [\"./t.sh\"] }", &[case("a", "q", "curl https://api.example.org")]);
    world.config("target = { command = [\"./t.sh\"] }\nenv = [\"CONFIDED\"]");
    world.script("t.sh", "echo \"curl $CONFIDED\"");
    let ran = world.ran(world.command(&["run"]).env("CONFIDED", "https://api.example.org").output().unwrap());
    assert_eq!((ran.code, ran.case("a")["score"].as_f64()), (0, Some(1.0)), "{}", ran.stdout);
    assert_eq!(ran.case("a")["detail"]["generated_command"], "curl [redacted]");
}
