//! A case is its id: edited questions stay in the comparison, and edited keys are held against main's.

use std::fs;

use serde_json::{Value, json};

use crate::baseline::{RIGHT, WRONG, rules, with_baseline};
use crate::support::{Ran, World, case};

/// On a branch of its own, so that main is what it was.
fn branch(world: &World) {
    world.git(&["checkout", "-q", "-b", "change"]);
}

fn cases(expected: &str) -> Vec<Value> {
    vec![case("a", "one", "ls -la"), case("b", "two", expected), case("c", "three", "whoami")]
}

fn bless_changed(world: &World) {
    let blessed =
        world.evalratchet(&["baseline", "bless", "--changed", "--suite", "s", "--reason", "the answer was wrong"]);
    assert_eq!(blessed.code, 0, "{}", blessed.stderr);
}

/// The informing reasons of a run.
fn remarks(ran: &Ran) -> Vec<String> {
    let reasons = ran.results.as_ref().unwrap()["gate"]["reasons"].as_array().unwrap();
    let informing = reasons.iter().filter(|reason| reason["fails"] == false);
    informing.map(|reason| reason["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_edited_question_stays_in_the_comparison() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.dataset(&[case("a", "one", "ls -la"), case("b", "two ", "pwd"), case("c", "three ", "whoami")]);
    world.file("answers.txt", "one: ls -la\ntwo : pwd\nthree : whoami\n");
    let fine = world.run();
    assert_eq!((fine.code, fine.verdict()), (0, "passed"), "{}", fine.stdout);
    assert!(fine.stdout.contains("2 questions changed"), "{}", fine.stdout);
    world.file("answers.txt", "one: ls -la\ntwo : cd\nthree : whoami\n");
    let worse = world.run();
    assert_eq!(worse.code, 1, "{}", worse.stdout);
    assert_eq!(rules(&worse)[0], "changed-fails");
}

#[test]
fn one_space_in_every_prompt_of_a_varying_suite_hides_nothing() {
    let ids: Vec<String> = (0..12).map(|at| format!("q{at}")).collect();
    let all = |blank: &str| ids.iter().map(|id| case(id, &format!("{id}{blank}"), "pwd")).collect::<Vec<Value>>();
    let world = World::with_target("{ command = [\"./answer.sh\"] }\nvaries = true\nrepeat = 2", &all(""));
    world.script("answer.sh", "cat answer.txt");
    world.file("answer.txt", "pwd");
    world.commit("first");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    branch(&world);
    world.dataset(&all(" "));
    world.file("answer.txt", "cd");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{}", ran.stdout);
}

#[test]
fn answers_that_only_an_edited_key_makes_right_fail_and_cost_one_line() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.file("answers.txt", WRONG);
    world.dataset(&cases("cd"));
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{}", ran.stdout);
    assert_eq!(rules(&ran)[0], "passes-only-by-new-key");
    assert!(ran.stdout.contains("b passes only by its new key; by main's key it fails"), "{}", ran.stdout);
    assert!(ran.stdout.contains("bless --suite s --changed"), "{}", ran.stdout);
    let edit = &ran.case("b")["key_edit"];
    assert_eq!((&edit["by_main"]["status"], &edit["by_main"]["score"]), (&json!("failed"), &json!(0.0)));
    let diff = edit["diff"].as_str().unwrap();
    assert!(diff.contains("-  \"expected\": \"pwd\"") && diff.contains("+  \"expected\": \"cd\""), "{diff}");
    let comment = fs::read_to_string(world.path().join("evalratchet-out/comment.md")).unwrap();
    assert!(comment.contains("-  \"expected\": \"pwd\"") && comment.contains("answer: cd"), "{comment}");

    bless_changed(&world);
    let blessed = world.run();
    assert_eq!((blessed.code, blessed.verdict()), (0, "passed"), "{}", blessed.stdout);
    // It covers this key and no other one.
    world.dataset(&cases("cd ~"));
    world.file("answers.txt", "one: ls -la\ntwo: cd ~\nthree: whoami\n");
    assert_eq!(world.run().code, 1);

    // On main the new key is main's.
    world.dataset(&cases("cd"));
    world.file("answers.txt", WRONG);
    world.commit("corrected");
    world.git(&["checkout", "-q", "main"]);
    world.git(&["merge", "-q", "change"]);
    let main = world.run();
    assert_eq!((main.code, main.verdict()), (0, "passed"), "{}", main.stdout);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    assert!(
        !world.path().join(".evalratchet/blessings").exists()
            || fs::read_dir(world.path().join(".evalratchet/blessings")).unwrap().next().is_none()
    );
}

#[test]
fn a_corrected_key_of_a_failing_case_is_shown_and_is_no_improvement() {
    let world = with_baseline(WRONG);
    branch(&world);
    world.dataset(&cases("cd"));
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 key changed"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("better"), "{}", ran.stdout);
    let suite = &ran.results.as_ref().unwrap()["comparison"]["suites"][0];
    assert_eq!(suite["metrics"]["accuracy"]["delta"]["is"], "same", "{suite}");
    assert_eq!(ran.case("b")["status"], "passed");
}

#[test]
fn a_second_right_answer_passes_without_a_word() {
    let world = with_baseline(RIGHT);
    branch(&world);
    let mut more = cases("pwd");
    more[1]["accepted_commands"] = json!(["pwd -P"]);
    world.dataset(&more);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 key changed"), "{}", ran.stdout);
}

#[test]
fn a_key_that_becomes_stricter_fails_until_blessed_and_stays_blessed_on_main() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.dataset(&cases("pwd -P"));
    let ran = world.run();
    assert_eq!((ran.code, rules(&ran)[0].as_str()), (1, "changed-fails"), "{}", ran.stdout);
    bless_changed(&world);
    assert_eq!(world.run().code, 0);
    world.commit("stricter");
    world.git(&["checkout", "-q", "main"]);
    world.git(&["merge", "-q", "change"]);
    let main = world.run();
    assert_eq!(main.code, 0, "{}", main.stdout);
}

#[test]
fn honest_edits_of_a_whole_suite_stay_green() {
    let world = with_baseline(RIGHT);
    branch(&world);
    let mut edited = cases("pwd");
    for case in &mut edited {
        case["category"] = json!("another");
        case["posix_compliant"] = json!(false);
        case["tags"] = json!(["new"]);
        case["metadata"] = json!({"note": "x"});
    }
    edited.reverse();
    world.dataset(&edited);
    let text = fs::read_to_string(world.path().join("cases.json")).unwrap();
    world.file("cases.json", &text.replace('\n', "\r\n"));
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("changed"), "{}", ran.stdout);
}

#[test]
fn a_run_without_a_common_id_exits_3_and_one_suite_of_several_fails_until_blessed() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.dataset(&[case("x", "one", "ls -l"), case("y", "two", "cd")]);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (3, "no-common-case"), "{}", ran.stdout);

    let two = "[[suite]]\nid = \"t\"\nkind = \"command\"\ncases = [\"other.json\"]\ntarget = { command = [\"./answer.sh\", \"{prompt}\"] }\n";
    world.git(&["checkout", "-q", "-f", "main"]);
    let config = fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("{config}{two}"));
    let other = fs::read_to_string(world.path().join("cases.json")).unwrap();
    world.file("other.json", &other);
    world.commit("two suites");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline of both");
    world.git(&["checkout", "-q", "-b", "second"]);
    world.dataset(&[case("x", "one", "ls -l"), case("y", "two", "cd")]);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{}", ran.stdout);
    assert!(rules(&ran).contains(&"no-common-case".to_owned()));
    let blessed = world.evalratchet(&["baseline", "bless", "--suite", "s", "--reason", "new cases"]);
    assert_eq!(blessed.code, 0, "{}", blessed.stderr);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
}

#[test]
fn a_case_cannot_leave_a_slice_by_losing_its_tag() {
    let tagged = |tags: [&str; 3]| {
        let mut all = cases("pwd");
        for (case, tag) in all.iter_mut().zip(tags) {
            case["tags"] = json!([tag]);
        }
        all
    };
    let floor = "target = { command = [\"./answer.sh\", \"{prompt}\"] }\nflips = \"report\"\nmax-drop = 0.9\n[suite.slices.\"tag=critical\"]\naccuracy = { min = 0.9 }";
    let world = World::new();
    world.config(floor);
    world.dataset(&tagged(["critical", "critical", "plain"]));
    world.script("answer.sh", "sed -n \"s/^$1: //p\" answers.txt");
    world.file("answers.txt", RIGHT);
    world.commit("first");
    let first = world.run();
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    branch(&world);
    world.file("answers.txt", WRONG);
    world.dataset(&tagged(["critical", "plain", "critical"]));
    let ran = world.run();
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(rules(&ran).contains(&"below-min".to_owned()), "{:?}", rules(&ran));
}

#[test]
fn recordings_instead_of_a_target_are_a_reason_and_can_be_blessed() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.config("target = { command = [\"./answer.sh\", \"{prompt}\"] }\nrecordings = \"recorded.jsonl\"");
    assert_eq!(world.evalratchet(&["run", "--mode", "record"]).code, 0);
    world.file("answers.txt", WRONG);
    let ran = world.run();
    assert_eq!((ran.code, rules(&ran)), (1, vec!["source-changed".to_owned()]), "{}", ran.stdout);
    assert!(ran.stdout.contains("main asks the target, and this change replays recorded answers"), "{}", ran.stdout);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "cheaper"]).code, 0);
    assert_eq!(world.run().code, 0);
}

#[test]
fn recordings_of_another_version_of_the_target_are_outdated() {
    let world = World::with_target(
        "{ command = [\"./answer.sh\", \"{prompt}\"] }\nrecordings = \"recorded.jsonl\"\npaths = [\"lib/**\"]",
        &cases("pwd"),
    );
    world.script("answer.sh", "sed -n \"s/^$1: //p\" lib/answers.txt");
    world.file("lib/answers.txt", RIGHT);
    world.commit("first");
    assert_eq!(world.evalratchet(&["run", "--mode", "record"]).code, 0);
    world.commit("recorded");
    let fresh = world.run();
    assert_eq!(fresh.code, 0, "{}{}", fresh.stdout, fresh.stderr);
    assert!(!fresh.stdout.contains("outdated"), "{}", fresh.stdout);
    for file in ["lib/answers.txt", "answer.sh"] {
        let text = fs::read_to_string(world.path().join(file)).unwrap();
        world.file(file, &format!("{text}# more\n"));
        let ran = world.run();
        assert_eq!((ran.code, rules(&ran)), (1, vec!["outdated-recordings".to_owned()]), "{file}: {}", ran.stdout);
        assert!(ran.stdout.contains("evalratchet run --suite s --mode record"), "{}", ran.stdout);
        world.file(file, &text.replace('\n', "\r\n"));
        assert_eq!(world.run().code, 0, "{file}: line endings are no other version");
        world.file(file, &text);
    }
    // Recordings of release 0.1 do not say it.
    let recorded = fs::read_to_string(world.path().join("recorded.jsonl")).unwrap();
    let lines: Vec<String> = recorded
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line.as_object_mut().unwrap().remove("subject");
            line.to_string()
        })
        .collect();
    world.file("recorded.jsonl", &(lines.join("\n") + "\n"));
    let old = world.run();
    assert_eq!(old.code, 0, "{}", old.stdout);
    assert!(remarks(&old).contains(&"outdated-recordings".to_owned()));
    assert!(old.stdout.contains("recordings may be outdated: s"), "{}", old.stdout);
}

#[test]
fn cases_that_git_does_not_track_are_said_in_the_verdict() {
    let world = with_baseline(RIGHT);
    assert!(!world.run().stdout.contains("does not track"));
    world.file(".gitignore", "evalratchet-out\ncases.json\n");
    world.git(&["rm", "-q", "--cached", "cases.json"]);
    world.commit("ignored");
    let ran = world.run();
    assert!(ran.stdout.contains("cases that git does not track: s"), "{}", ran.stdout);
}

#[test]
fn an_edited_fixture_or_goal_of_a_scenario_that_passed_is_a_reason() {
    let world = World::new();
    world.file("evalratchet.toml", "[[suite]]\nid = \"s\"\nkind = \"scenario\"\ncases = [\"one.json\"]\n[adapter.sh.goals.test]\ncommand = \"sh\"\nargs = [\"test.sh\"]\n");
    let scenario = json!({
        "id": "one", "title": "t", "adapterId": "sh", "goals": ["test"], "fixture": {"path": "fixture"},
        "agentTask": {"instruction": "WRITE|a.txt|right"},
        "patternAssertions": [{"type": "file-contains", "path": "a.txt", "includes": "right"}]
    });
    world.file("one.json", &scenario.to_string());
    world.file("fixture/a.txt", "wrong");
    world.file("fixture/notes.txt", "one\ntwo\n");
    world.file("fixture/test.sh", "grep -q right a.txt\n");
    world.commit("first");
    let first = world.run();
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    branch(&world);
    world.file("fixture/notes.txt", "one\r\ntwo\r\n");
    assert_eq!(rules(&world.run()), Vec::<String>::new(), "line endings");
    world.file("fixture/a.txt", "quite wrong");
    let question = world.run();
    assert_eq!(question.code, 0, "{}", question.stdout);
    assert!(question.stdout.contains("1 question changed"), "{}", question.stdout);
    world.file("fixture/test.sh", "true\n");
    let key = world.run();
    assert_eq!((key.code, rules(&key)), (1, vec!["key-edited".to_owned()]), "{}", key.stdout);
    bless_changed(&world);
    let blessed = world.run();
    assert_eq!(blessed.code, 0, "{}", blessed.stdout);
}

#[test]
fn a_case_that_passes_the_second_time_is_called_flaky_and_still_fails() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.script(
        "answer.sh",
        "[ \"$1\" = two ] && [ ! -e asked ] && touch asked && echo cd && exit; sed -n \"s/^$1: //p\" answers.txt",
    );
    world.config("target = { command = [\"./answer.sh\", \"{prompt}\"] }");
    let ran = world.run();
    assert!(ran.code == 1 && rules(&ran).contains(&"flaky".to_owned()), "{}", ran.stdout);
    assert!(!rules(&ran).contains(&"case-regressed".to_owned()), "{}", ran.stdout);
    assert!(ran.stdout.contains("`repeat` and `varies = true`"), "{}", ran.stdout);
    assert_eq!(ran.case("b")["status"], "failed", "the first outcome stands");
    assert_eq!(ran.case("b")["attempts"].as_array().unwrap().len(), 1);
}

#[test]
fn a_flag_that_main_uses_as_well_belongs_to_mains_key() {
    let world = World::new();
    let retrieval = "[[suite]]\nid = \"s\"\nkind = \"retrieval\"\ncases = [\"cases.json\"]\nk = 10\nmax-drop = 0.5\ntarget = { command = [\"./search.sh\"] }\n";
    world.file("evalratchet.toml", retrieval);
    let cases = |expected: &str| json!([{"id": "a", "description": "d", "lane": "memory", "spec_id": "s", "spec_content": "q", "expected_ids": [expected]}]);
    world.file("cases.json", &cases("m3").to_string());
    let answers = |third: &str, fourth: &str| format!("echo '{{\"ids\": [\"x\", \"y\", \"{third}\", \"{fourth}\"]}}'");
    world.script("search.sh", &answers("m3", "m4"));
    world.commit("first");
    let first = world.evalratchet(&["run", "--k", "3"]);
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    branch(&world);
    world.script("search.sh", &answers("m4", "m3"));
    world.file("cases.json", &cases("m4").to_string());
    let ran = world.evalratchet(&["run", "--k", "3"]);
    assert!(ran.code == 1 && rules(&ran).contains(&"passes-only-by-new-key".to_owned()), "{}", ran.stdout);
}

#[test]
fn a_blessing_of_outdated_recordings_stays_until_they_are_recorded_again() {
    let world = World::with_target(
        "{ command = [\"./answer.sh\", \"{prompt}\"] }\nrecordings = \"recorded.jsonl\"",
        &cases("pwd"),
    );
    world.script("answer.sh", "sed -n \"s/^$1: //p\" answers.txt");
    world.file("answers.txt", RIGHT);
    world.commit("first");
    assert_eq!(world.evalratchet(&["run", "--mode", "record"]).code, 0);
    world.commit("recorded");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.script("answer.sh", "# more\nsed -n \"s/^$1: //p\" answers.txt");
    world.commit("another version");
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "the same answers"]).code, 0);
    world.commit("blessed");
    assert_eq!(world.run().code, 0);
    world.evalratchet(&["baseline", "update"]);
    world.commit("updated");
    let later = world.run();
    assert_eq!(later.code, 0, "{}", later.stdout);
}

#[test]
fn where_mains_files_cannot_be_read_an_edited_key_is_a_reason() {
    let world = with_baseline(RIGHT);
    branch(&world);
    world.dataset(&cases("cd"));
    world.file("answers.txt", WRONG);
    let ran = world.evalratchet(&["run", "--baseline", ".evalratchet/baseline.json"]);
    assert_eq!((ran.code, rules(&ran)[0].as_str()), (1, "key-edited"), "{}", ran.stdout);
    assert!(ran.stdout.contains("are not here"), "{}", ran.stdout);
}
