//! Release reports in real git repositories, with real tags and real updates of the baseline.

use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, World, case, git};

const RIGHT: &str = "one: ls -la\ntwo: pwd\nthree: whoami\n";
const WRONG: &str = "one: ls -la\ntwo: cd\nthree: whoami\n";

/// A repository whose program answers from a file.
fn repository() -> World {
    let cases = [case("a", "one", "ls -la"), case("b", "two", "pwd"), case("c", "three", "whoami")];
    let world = World::with_target("{ command = [\"./answer.sh\", \"{prompt}\"] }", &cases);
    world.script("answer.sh", "sed -n \"s/^$1: //p\" answers.txt");
    world.file(".gitignore", "evalratchet-out\nevalratchet-release\n");
    world.git(&["init", "-q"]);
    world
}

/// Commits these answers, then the baseline that they make.
fn measured(world: &World, answers: &str) {
    world.file("answers.txt", answers);
    world.commit("answers");
    world.run();
    let ran = world.evalratchet(&["baseline", "update"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    world.commit("baseline");
}

fn release(world: &World, arguments: &[&str]) -> (Ran, Value) {
    std::fs::remove_dir_all(world.path().join("evalratchet-release")).ok();
    let ran = world.evalratchet(&[&["report", "release"], arguments].concat());
    let json = std::fs::read_to_string(world.path().join("evalratchet-release/release.json"));
    (ran, json.map(|text| serde_json::from_str(&text).unwrap()).unwrap_or_default())
}

/// The names of both ends.
fn ends(json: &Value) -> (Option<&str>, Option<&str>) {
    (json["from"]["name"].as_str(), json["to"]["name"].as_str())
}

#[test]
fn the_last_two_tags_are_compared_and_all_three_files_are_written() {
    let world = repository();
    measured(&world, WRONG);
    world.git(&["tag", "v1.2.0"]);
    measured(&world, RIGHT);
    world.git(&["tag", "v1.3.0"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ends(&json), (Some("v1.2.0"), Some("v1.3.0")));
    assert_eq!((&json["schema"], &json["direction"]), (&"evalratchet.release/v1".into(), &"better".into()));
    let read = |name: &str| std::fs::read_to_string(world.path().join("evalratchet-release").join(name)).unwrap();
    assert_eq!(ran.stdout, read("release.md"));
    assert!(read("release.html").starts_with("<!DOCTYPE html>") && read("release.html").contains("is better than"));
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"`[0-9a-f]{7}`", "`[commit]`");
    settings.add_filter(r"\d{4}-\d\d-\d\d", "[day]");
    settings.bind(|| insta::assert_snapshot!(ran.stdout));
    // A worse release is told, not failed.
    measured(&world, WRONG);
    world.git(&["tag", "v1.4.0"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!((ran.code, &json["direction"], ends(&json)), (0, &"worse".into(), (Some("v1.3.0"), Some("v1.4.0"))));
    // The flags choose others, and another place.
    let (ran, json) = release(&world, &["--from", "v1.2.0", "--to", "v1.4.0"]);
    assert_eq!((ran.code, &json["direction"]), (0, &"same".into()));
    assert_eq!(json["versions"].as_array().unwrap().len(), 3);
    // Every version is there, oldest first.
    measured(&world, "one: x\ntwo: x\nthree: whoami\n");
    measured(&world, RIGHT);
    let (_, json) = release(&world, &["--from", "v1.2.0", "--to", "HEAD"]);
    let trend = json["suites"][0]["metrics"]["accuracy"]["trend"].as_array().unwrap();
    let trend: Vec<String> = trend.iter().map(|value| format!("{:.2}", value.as_f64().unwrap())).collect();
    assert_eq!(trend, ["0.67", "1.00", "0.67", "0.33", "1.00"]);
    let (ran, json) = release(&world, &["--to", "v1.3.0", "--out", "elsewhere/deep"]);
    assert_eq!((ran.code, json), (0, Value::Null));
    assert!(world.path().join("elsewhere/deep/release.json").is_file());
}

#[test]
fn ten_comes_after_nine_and_a_final_version_is_compared_with_a_final_one() {
    let world = repository();
    for tag in ["v1.9.0", "v1.10.0-rc.1", "v1.10.0"] {
        measured(&world, if tag == "v1.9.0" { WRONG } else { RIGHT });
        world.commit("more");
        world.git(&["tag", tag]);
    }
    // A tag that is made later is not newer for that.
    world.git(&["tag", "v1.8.0", "v1.9.0~1"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!((ran.code, ends(&json)), (0, (Some("v1.9.0"), Some("v1.10.0"))), "{}", ran.stderr);
    let (_, json) = release(&world, &["--to", "v1.10.0-rc.1"]);
    assert_eq!(ends(&json), (Some("v1.9.0"), Some("v1.10.0-rc.1")));
    // What HEAD does not have in its history is not there yet.
    world.git(&["checkout", "-q", "v1.10.0-rc.1"]);
    let (_, json) = release(&world, &[]);
    assert_eq!(ends(&json), (Some("v1.9.0"), Some("v1.10.0-rc.1")));
}

#[test]
fn annotated_tags_names_that_are_no_versions_and_commits_do_as_well() {
    let world = repository();
    let tag = |name: &str, day: &str| {
        let mut git = git();
        git.args(["tag", "-a", "-m", "a release", name]).env("GIT_COMMITTER_DATE", format!("2026-01-{day}T00:00:00Z"));
        assert!(git.current_dir(world.path()).output().unwrap().status.success());
    };
    measured(&world, WRONG);
    tag("winter", "05");
    measured(&world, RIGHT);
    tag("autumn", "06");
    let (ran, json) = release(&world, &[]);
    assert_eq!((ran.code, ends(&json)), (0, (Some("winter"), Some("autumn"))), "{}", ran.stderr);
    // The commit is the tag's, not the object of the tag itself.
    assert_eq!(json["to"]["commit"], world.git(&["rev-parse", "HEAD"]).as_str());
    measured(&world, WRONG);
    let (ran, json) = release(&world, &["--to", "HEAD"]);
    assert_eq!((ran.code, ends(&json)), (0, (Some("autumn"), Some("HEAD"))), "{}", ran.stderr);
    assert_eq!(json["direction"], "worse");
}

#[test]
fn without_tags_without_a_baseline_or_with_a_wrong_name_it_says_what_to_do() {
    let world = repository();
    let said = |arguments: &[&str]| {
        let (ran, json) = release(&world, arguments);
        assert_eq!((ran.code, json, ran.stdout.as_str()), (2, Value::Null, ""), "{arguments:?}");
        ran.stderr
    };
    assert!(said(&[]).contains("no git repository with a commit"));
    world.file("answers.txt", RIGHT);
    world.commit("before the baseline");
    assert!(said(&[]).contains("there is no tag in the history of this commit\n  = fetch them"), "{}", said(&[]));
    world.git(&["tag", "v0.9.0"]);
    let none = said(&[]);
    assert!(
        none.contains("`v0.9.0` has no .evalratchet/baseline.json\n  = make the baseline before the tag"),
        "{none}"
    );
    measured(&world, RIGHT);
    world.git(&["tag", "v1.0.0"]);
    let earlier = said(&[]);
    assert!(
        earlier.contains("`v0.9.0` has no .evalratchet/baseline.json\n  = name a later one with --from"),
        "{earlier}"
    );
    assert!(earlier.contains("--from none"), "{earlier}");
    assert!(said(&["--to", "v1.0.1"]).contains("--to: there is no tag `v1.0.1` here\n  = did you mean `v1.0.0`?"));
    assert!(said(&["--from=--help"]).contains("--from: there is no tag `--help`"));
    assert!(said(&["--from", "v1.0.0", "--to", "v0.9.0"]).contains("has no"));
    let (ran, json) = release(&world, &["--from", "none"]);
    assert_eq!((ran.code, &json["direction"], &json["from"]), (0, &"alone".into(), &Value::Null));
    assert!(ran.stdout.contains("has nothing to be compared with"), "{}", ran.stdout);
    measured(&world, WRONG);
    world.git(&["tag", "v1.1.0"]);
    assert!(said(&["--from", "v1.1.0", "--to", "v1.0.0"]).contains("`v1.1.0` comes after `v1.0.0`\n  = swap"));
    // One that cannot be read is not the same as none.
    world.file(".evalratchet/baseline.json", "{\"schema\": \"evalratchet.baseline/v1\", \"produced\": 3}");
    world.commit("broken");
    world.git(&["tag", "v1.2.0"]);
    let broken = said(&[]);
    assert!(broken.contains("`v1.2.0` has a baseline that cannot be read\n  = make the baseline"), "{broken}");
    assert!(broken.contains(".evalratchet/baseline.json@") && broken.contains("produced"), "{broken}");
}

#[test]
fn a_single_tag_is_shown_alone_and_that_is_said() {
    let world = repository();
    measured(&world, WRONG);
    world.git(&["tag", "v1.0.0"]);
    // A name that moves along is no earlier release.
    world.git(&["tag", "v1"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!((ran.code, ends(&json)), (0, (None, Some("v1.0.0"))));
    assert!(ran.stderr.contains("no tag before `v1.0.0`, so there is nothing to compare with"), "{}", ran.stderr);
    assert!(ran.stdout.contains("| `s` | `accuracy` | 0.667 |"), "{}", ran.stdout);
}

#[test]
fn a_shallow_clone_does_not_pass_for_a_first_release() {
    let world = repository();
    measured(&world, WRONG);
    world.git(&["tag", "v1.0.0"]);
    measured(&world, RIGHT);
    world.git(&["tag", "v1.1.0"]);
    let elsewhere = World::new();
    let url = format!("file://{}", world.path().display());
    let run = |name: &str, arguments: &[&str]| {
        let mut command = world.command(&[&["report", "release"], arguments].concat());
        elsewhere.ran(command.current_dir(elsewhere.path().join(name)).output().unwrap())
    };
    elsewhere.git(&["clone", "-q", "--depth", "1", "--no-tags", &url, "bare"]);
    let ran = run("bare", &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no tag in the history") && ran.stderr.contains("fetch-depth: 0"), "{}", ran.stderr);
    elsewhere.git(&["clone", "-q", "--depth", "1", "--branch", "v1.1.0", &url, "tagged"]);
    let ran = run("tagged", &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("no tag before `v1.1.0`") && ran.stderr.contains("fetch-depth: 0"), "{}", ran.stderr);
    let ran = run("tagged", &["--from", "v1.0.0"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("fetch-depth: 0"), "{}", ran.stderr);
    let ran = run("tagged", &["--from", "none"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("The clone was shallow"), "{}", ran.stdout);
}

#[test]
fn a_blessing_that_came_and_went_between_the_tags_is_reported() {
    let world = repository();
    measured(&world, RIGHT);
    world.git(&["tag", "v1.0.0"]);
    world.file("answers.txt", WRONG);
    world.commit("break");
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "cd is *asked* for now"]).code, 0);
    world.commit("bless");
    assert_eq!(world.run().code, 0);
    assert!(world.evalratchet(&["baseline", "update"]).stdout.contains("absorbed"));
    let absorbed = world.commit("absorb");
    world.git(&["tag", "v1.1.0"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let blessings = json["blessings"].as_array().unwrap();
    let of_case = blessings.iter().find(|one| one["blessing"]["case"] == "b").unwrap();
    assert_eq!(of_case["blessing"]["reason"], "cd is *asked* for now");
    let stood = &of_case["stood"];
    assert_eq!(
        (&stood["since"], &stood["until"], &stood["before"]),
        (&absorbed.into(), &Value::Null, &false.into()),
        "the version that took it in tells of it"
    );
    assert!(ran.stdout.contains(r"- cd is \*asked\* for now (since `"), "{}", ran.stdout);
    assert!(ran.stdout.contains("- `s/b` passed → failed · 1.00 → 0.00 · since `"), "{}", ran.stdout);
    assert_eq!(json["versions"].as_array().unwrap().len(), 2, "a blessing is a file of its own");
    // Not part of the next release.
    world.commit("more");
    measured(&world, RIGHT);
    world.git(&["tag", "v1.2.0"]);
    assert_eq!(release(&world, &[]).1["blessings"], Value::Array(Vec::new()));
}

#[test]
fn a_weaker_gate_and_a_quarantine_are_reported() {
    let world = repository();
    let config = |rest: &str| {
        world.config(&format!("target = {{ command = [\"./answer.sh\", \"{{prompt}}\"] }}\n{rest}"));
    };
    config("[suite.gate]\naccuracy = { min = 0.6 }");
    measured(&world, WRONG);
    world.git(&["tag", "v1.0.0"]);
    config(
        "[suite.gate]\naccuracy = { min = 0.1 }\n[[suite.case-policy]]\ncase = \"b\"\nquarantine = { owner = \"o\", until = \"2099-01-31\" }",
    );
    world.commit("weaken");
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "until the rewrite"]).code, 0);
    world.commit("bless");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("update");
    world.git(&["tag", "v1.1.0"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("- `s` `min accuracy` was 0.6 and is 0.1 — *blessed:* until the rewrite"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("- `s/b` until 2099-01-31 (since `"), "{}", ran.stdout);
    assert_eq!(json["quarantines"][0]["stood"]["until"], Value::Null);
}

#[test]
fn a_configuration_in_a_subdirectory_has_its_own_baseline() {
    let made = repository();
    made.file("answers.txt", WRONG);
    let world = World::new();
    for name in ["evalratchet.toml", "cases.json", "answer.sh", "answers.txt"] {
        std::fs::create_dir_all(world.path().join("evals")).unwrap();
        std::fs::copy(made.path().join(name), world.path().join("evals").join(name)).unwrap();
    }
    let inside = |arguments: &[&str]| {
        let mut command = world.command(arguments);
        let output = command.current_dir(world.path().join("evals")).output().unwrap();
        world.ran(output)
    };
    world.commit("first");
    for (answers, tag) in [(WRONG, "v1"), (RIGHT, "v2")] {
        world.file("evals/answers.txt", answers);
        world.commit("answers");
        inside(&["run"]);
        assert_eq!(inside(&["baseline", "update"]).code, 0);
        world.commit("baseline");
        world.git(&["tag", tag]);
    }
    let ran = inside(&["report", "release"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("**`v2` is better than `v1`**"), "{}", ran.stdout);
    assert!(world.path().join("evals/evalratchet-release/release.md").is_file());
    // From above, with --config.
    let ran = world.evalratchet(&["report", "release", "--config", "evals/evalratchet.toml", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(Path::new(&world.path().join("out/release.json")).is_file());
}

#[test]
fn a_version_in_between_that_cannot_be_read_is_left_out_and_counted() {
    let world = repository();
    measured(&world, WRONG);
    world.git(&["tag", "v1.0.0"]);
    let path = world.path().join(".evalratchet/baseline.json");
    let good = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "{").unwrap();
    world.commit("broken");
    std::fs::write(&path, good).unwrap();
    world.commit("mended");
    measured(&world, RIGHT);
    world.git(&["tag", "v1.1.0"]);
    let (ran, json) = release(&world, &[]);
    assert_eq!((ran.code, json["gaps"]["unreadable"].as_array().unwrap().len()), (0, 1), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 version of the baseline in between cannot be read"), "{}", ran.stdout);
}

#[test]
fn the_other_form_of_report_is_as_it_was() {
    let world = repository();
    world.file("answers.txt", RIGHT);
    world.run();
    assert_eq!(world.evalratchet(&["report", "--from", "evalratchet-out", "--format", "junit"]).code, 0);
    let missing = world.evalratchet(&["report"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("--format"), "{}", missing.stderr);
    let both = world.evalratchet(&["report", "--format", "junit", "release"]);
    assert_eq!(both.code, 2);
    assert!(both.stderr.contains("cannot be used with"), "{}", both.stderr);
}
