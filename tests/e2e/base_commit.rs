//! The commit that a run is based on is never guessed, and a change does not choose it.

use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::baseline::{RIGHT, WRONG, with_baseline};
use crate::github::Github;
use crate::job::{Job, REPOSITORY, mirror};
use crate::support::{World, git};

const FILE: &str = ".evalratchet/baseline.json";

/// On a topic: a worse answer, a `[baseline]` of its own and a baseline that calls the answer right. Main moves on beside it.
fn own_yardstick() -> (World, String, String) {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    assert_eq!(world.run().code, 1);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let baseline = std::fs::read_to_string(world.path().join(FILE)).unwrap();
    let forged = baseline
        .replace("\"b\": {\"status\":\"passed\",\"score\":1.0", "\"b\": {\"status\":\"failed\",\"score\":0.0")
        .replace("1.0", "0.0");
    assert_ne!(forged, baseline);
    world.file("mine.json", &forged);
    world.file("evalratchet.toml", &format!("[baseline]\nref = \"topic\"\npath = \"mine.json\"\n\n{config}"));
    let topic = world.commit("my own yardstick");
    world.git(&["checkout", "-q", "main"]);
    world.file("unrelated.txt", "1");
    let main = world.commit("main moves on");
    (world, topic, main)
}

/// A job of a pull request from `head` to main, in a clone of the world that has this checked out.
fn job(world: &World, head: &str, checked_out: &str, from: &str) -> Job {
    let github = Arc::new(Github::start());
    mirror(world, &github);
    let mut job = Job::with(&github);
    let url = format!("file://{}", world.path().display());
    job.world.git(&["clone", "-q", &url, "clone"]);
    job.directory = job.world.path().join("clone");
    job.world.git_in("clone", &["checkout", "-q", "--detach", checked_out]);
    job.pull_request(head, json!({"full_name": from}));
    job.set("GITHUB_SHA", checked_out);
    job
}

/// Verdict, base and exit code of a run.
fn judged(job: &Job, arguments: &[&str]) -> (Value, Value, i32) {
    let ran = job.evalratchet(&[&["run"], arguments].concat());
    let text = std::fs::read_to_string(job.directory.join("evalratchet-out/results.json"));
    let text = text.unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
    let results: Value = serde_json::from_str(&text).unwrap();
    (results["gate"]["verdict"].clone(), results["comparison"]["baseline"]["base"].clone(), ran.code)
}

#[test]
fn a_head_that_was_updated_from_main_is_based_on_main() {
    let (world, _, main) = own_yardstick();
    world.git(&["checkout", "-q", "topic"]);
    world.git(&["merge", "-q", "--no-ff", "-m", "Merge branch 'main' into topic", "main"]);
    let updated = world.git(&["rev-parse", "HEAD"]);
    world.git(&["checkout", "-q", "main"]);
    for arguments in [&[][..], &["--baseline", "main"], &["--baseline", "origin/main"]] {
        let job = job(&world, &updated, &updated, REPOSITORY);
        assert_eq!(judged(&job, arguments), (json!("failed"), json!(main), 1), "{arguments:?}");
    }
}

#[test]
fn the_merge_commit_of_github_is_based_on_its_first_parent() {
    let (world, topic, main) = own_yardstick();
    world.git(&["checkout", "-q", "--detach", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-m", "merge", &topic]);
    let merge = world.git(&["rev-parse", "HEAD"]);
    world.git(&["branch", "-q", "merge", &merge]);
    world.git(&["checkout", "-q", "main"]);
    let job = job(&world, &topic, &merge, REPOSITORY);
    assert_eq!(judged(&job, &[]), (json!("failed"), json!(main), 1));
}

#[test]
fn in_a_job_a_local_main_that_is_ahead_of_origin_is_not_main() {
    let (world, topic, _) = own_yardstick();
    let before = world.git(&["merge-base", "main", &topic]);
    for variables in [&[("GITHUB_ACTIONS", "true")][..], &[("CI", "true")]] {
        let clone = World::new();
        let url = format!("file://{}", world.path().display());
        let output = git().args(["clone", "-q", &url]).arg(clone.path()).output().unwrap();
        assert!(output.status.success());
        // A fork's branch may be called main as well.
        clone.git(&["checkout", "-q", "-B", "main", &topic]);
        let since = ["run", "--changed-since", "main"];
        for arguments in [&["run"][..], &["run", "--baseline", "main"], &since] {
            let ran = clone.ran(clone.command(arguments).envs(variables.iter().copied()).output().unwrap());
            assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.results.as_ref().unwrap()["comparison"]["baseline"]["base"], before);
        }
    }
}

#[test]
fn where_origin_is_the_fork_the_event_says_what_main_is() {
    let (world, topic, main) = own_yardstick();
    let base = world.git(&["merge-base", "main", &topic]);
    let job = job(&world, &topic, &topic, "someone/fork");
    let git = |arguments: &[&str]| job.world.git_in("clone", arguments);
    git(&["remote", "set-url", "origin", "https://github.com/someone/fork"]);
    // The fork's main is the change itself, or anything else that its owner likes.
    git(&["update-ref", "refs/remotes/origin/main", &topic]);
    assert_eq!(judged(&job, &[]), (json!("failed"), json!(base), 1));
    git(&["update-ref", "refs/remotes/origin/main", &format!("{topic}~1")]);
    assert_eq!(judged(&job, &[]), (json!("failed"), json!(base), 1));
    // What the event names may not be here.
    let shallow = World::new();
    let url = format!("file://{}", world.path().display());
    let mut clone = Command::new("git");
    clone.args(["clone", "-q", "--single-branch", "--branch", "topic", &url]).arg(shallow.path());
    assert!(clone.status().unwrap().success());
    shallow.git(&["remote", "set-url", "origin", "git@github.com:someone/fork.git"]);
    shallow.git(&["update-ref", "refs/remotes/origin/main", &topic]);
    assert_ne!(main, base);
    let output = job.command(&["run"]).current_dir(shallow.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no branch `main` here"), "{said}");
}

#[test]
fn a_named_branch_does_not_let_a_change_choose_the_file() {
    let (world, topic, _) = own_yardstick();
    world.git(&["checkout", "-q", &topic]);
    for arguments in [&["run"][..], &["run", "--baseline", "main"]] {
        let ran = world.ran(world.command(arguments).env("CI", "true").output().unwrap());
        assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{arguments:?}: {}", ran.stdout);
        assert!(ran.stdout.contains("this change has another [baseline]"), "{}", ran.stdout);
    }
}

#[test]
fn an_edited_baseline_is_seen_although_the_change_names_another_file() {
    let world = with_baseline(WRONG);
    world.git(&["checkout", "-q", "-b", "topic"]);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let baseline = std::fs::read_to_string(world.path().join(FILE)).unwrap();
    world.file("copy/baseline.json", &baseline);
    world.file("evalratchet.toml", &format!("[baseline]\npath = \"copy/baseline.json\"\n\n{config}"));
    let passed = "\"a\": {\"status\":\"passed\",\"score\":1.0";
    assert!(baseline.contains(passed));
    world.file(FILE, &baseline.replace(passed, "\"a\": {\"status\":\"failed\",\"score\":0.0"));
    world.commit("lower what main holds, and show a copy");
    let ran = world.ran(world.command(&["run"]).env("CI", "true").output().unwrap());
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(crate::baseline::rules(&ran).contains(&"baseline-edited".to_owned()), "{}", ran.stdout);
}
