//! The baseline on GitHub, fetched where there is no history.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use crate::baseline::{RIGHT, WRONG, repository, with_baseline};
use crate::baseline_push::push_job;
use crate::github::Github;
use crate::github::faults::Fault;
use crate::job::{Job, REPOSITORY, mirror, together};
use crate::support::{Ran, World};

const FILE: &str = ".evalratchet/baseline.json";

/// A job in a checkout of this commit: all of its history, only the commit, or no git at all.
fn checkout(world: &World, github: &Arc<Github>, sha: &str, how: &str) -> Job {
    let mut job = Job::with(github);
    let url = format!("file://{}", world.path().display());
    let depth = if how == "full" { "2147483647" } else { "1" };
    job.world.git(&["init", "-q", "clone"]);
    job.directory = job.world.path().join("clone");
    let git = |arguments: &[&str]| {
        job.world.git_in("clone", arguments);
    };
    git(&["remote", "add", "origin", &url]);
    if how == "full" {
        git(&["fetch", "-q", "origin", "+refs/heads/*:refs/remotes/origin/*"]);
    }
    git(&["-c", "protocol.version=2", "fetch", "-q", "--depth", depth, "origin", sha]);
    git(&["checkout", "-q", "--detach", sha]);
    if how == "no git" {
        std::fs::remove_dir_all(job.directory.join(".git")).unwrap();
        job.set("GITHUB_WORKSPACE", &job.directory.display().to_string());
    }
    job.push("topic", sha);
    job
}

/// Makes it a job of a pull request from this commit to `base`, whose merge commit is checked out.
fn as_merge(job: &mut Job, base: &str, of: &str) {
    let head = job.head.clone();
    job.pull_request_to(of, json!({"full_name": REPOSITORY}), base);
    job.set("GITHUB_SHA", &head);
}

/// Verdict, what it was compared with, and the exit code.
fn judged(job: &Job, baseline: Option<&Path>) -> (Value, Value, Option<i32>) {
    let mut command = job.command(&["run", "--format", "json"]);
    if let Some(file) = baseline {
        command.arg("--baseline").arg(file);
    }
    let output = command.output().unwrap();
    let results: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (results["gate"]["verdict"].clone(), results["comparison"]["baseline"].clone(), output.status.code())
}

fn fetched(job: &Job, more: &[&str]) -> (Ran, PathBuf) {
    let ran = job.evalratchet(&[&["baseline", "fetch"], more].concat());
    (ran, job.directory.join("evalratchet-out/baseline.json"))
}

/// What a full clone judges, a shallow one and a bare directory judge too.
fn same_everywhere(world: &World, sha: &str, pull_request: Option<(&str, &str)>, verdict: &str) -> Value {
    let github = Arc::new(Github::start());
    mirror(world, &github);
    let job = |how: &str| {
        let mut job = checkout(world, &github, sha, how);
        if let Some((base, of)) = pull_request {
            as_merge(&mut job, base, of);
        }
        job
    };
    let full = judged(&job("full"), None);
    assert_eq!(full.0, verdict);
    together(["shallow", "no git"], |how| {
        let job = job(how);
        if how == "shallow" && job.directory.join(FILE).exists() {
            let ran = job.evalratchet(&["run"]);
            assert_eq!(ran.code, 2, "{}", ran.stdout);
            assert!(ran.stderr.contains("fetch-depth: 0"), "{}", ran.stderr);
        }
        let (ran, file) = fetched(&job, &[]);
        assert_eq!(ran.code, 0, "{how}: {}", ran.stderr);
        assert_eq!(judged(&job, Some(&file)), full, "{how}");
    });
    full.1
}

#[test]
fn a_fetched_baseline_judges_as_a_full_clone_does() {
    let world = with_baseline(WRONG);
    let first = world.git(&["rev-parse", "main"]);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", "one: ls\ntwo: cd\nthree: whoami\n");
    let topic = world.commit("worse");
    world.git(&["checkout", "-q", "main"]);
    world.file("answers.txt", RIGHT);
    world.commit("main moves on");
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    let main = world.commit("a newer baseline");
    let at = |commit: &str| format!("main:{FILE}@{}", &commit[..7]);
    // A branch that left before is compared with what was there then.
    let with = same_everywhere(&world, &topic, None, "failed");
    assert_eq!((&with["base"], &with["source"]), (&json!(first), &json!(at(&first))));
    // GitHub's merge commit, with what main has now.
    world.git(&["checkout", "-q", "-b", "merge", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-X", "theirs", "-m", "merge", "topic"]);
    let merge = world.git(&["rev-parse", "HEAD"]);
    let with = same_everywhere(&world, &merge, Some(("main", &topic)), "failed");
    assert_eq!((&with["base"], &with["source"]), (&json!(main), &json!(at(&main))));
    // On main itself.
    same_everywhere(&world, &main, None, "passed");
    // Of a pull request to another branch the base is not on main.
    world.git(&["checkout", "-q", "-b", "release", &first]);
    world.file("release.txt", "1");
    let release = world.commit("a release");
    world.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    let onto_release = world.git(&["rev-parse", "HEAD"]);
    world.git(&["branch", "-q", "keep", &onto_release]);
    world.git(&["reset", "-q", "--hard", &release]);
    let with = same_everywhere(&world, &onto_release, Some(("release", &topic)), "failed");
    assert_eq!((&with["base"], &with["source"]), (&json!(release), &json!(at(&first))));
    // Deleted is deleted.
    world.git(&["checkout", "-q", "main"]);
    world.git(&["rm", "-q", FILE]);
    let gone = world.commit("no baseline");
    assert_eq!(same_everywhere(&world, &gone, None, "no-baseline"), Value::Null);
}

#[test]
fn without_a_baseline_the_file_says_why_and_one_that_cannot_be_read_is_a_mistake() {
    let world = repository(RIGHT);
    let sha = world.commit("first");
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    let job = checkout(&world, &github, &sha, "shallow");
    let (ran, file) = fetched(&job, &[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("no baseline on `main`"), "{}", ran.stdout);
    assert!(std::fs::read_to_string(&file).unwrap().contains("no baseline on `main`"));
    assert_eq!(judged(&job, Some(&file)), (json!("no-baseline"), Value::Null, Some(0)));
    assert_eq!(fetched(&job, &["--ref", "nowhere"]).0.code, 2);

    github.repository(REPOSITORY, |repository| repository.commit("main", &[(FILE, "{")], &[]));
    std::fs::remove_file(&file).unwrap();
    let (ran, file) = fetched(&job, &[]);
    assert_eq!((ran.code, file.exists()), (2, false), "{}", ran.stderr);
    assert!(ran.stderr.contains("main:.evalratchet/baseline.json@"), "{}", ran.stderr);
}

#[test]
fn fetched_files_of_main_judge_edited_keys_as_a_full_clone_does() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", WRONG);
    let cases = std::fs::read_to_string(world.path().join("cases.json")).unwrap();
    world.file("cases.json", &cases.replace("\"pwd\"", "\"cd\""));
    let topic = world.commit("another answer is right");
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    for how in ["full", "shallow", "no git"] {
        let job = checkout(&world, &github, &topic, how);
        let ran = if how == "full" {
            job.evalratchet(&["run"])
        } else {
            let (ran, file) = fetched(&job, &[]);
            assert_eq!(ran.code, 0, "{how}: {}", ran.stderr);
            job.evalratchet(&["run", "--baseline", file.to_str().unwrap()])
        };
        assert_eq!(ran.code, 1, "{how}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("b passes only by its new key; by main's key it fails"), "{how}: {}", ran.stdout);
    }
}

#[test]
fn a_change_does_not_choose_its_yardstick_nor_edit_it_when_it_is_fetched() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", WRONG);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("[baseline]\nref = \"topic\"\npath = \"mine.json\"\n\n{config}"));
    let own = std::fs::read_to_string(world.path().join(FILE)).unwrap();
    world.file(
        "mine.json",
        &own.replace("\"b\": {\"status\":\"passed\",\"score\":1.0", "\"b\": {\"status\":\"failed\",\"score\":0.0"),
    );
    let topic = world.commit("my own yardstick");
    world.git(&["checkout", "-q", "-b", "merge", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-m", "merge", "topic"]);
    let merge = world.git(&["rev-parse", "HEAD"]);
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    for (sha, is_merge) in [(&merge, true), (&topic, false)] {
        let mut job = checkout(&world, &github, sha, "shallow");
        as_merge(&mut job, "main", &topic);
        job.set("GITHUB_SHA", &merge);
        let (ran, file) = fetched(&job, &[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("main:.evalratchet/baseline.json@"), "merge {is_merge}: {}", ran.stdout);
        let (verdict, with, code) = judged(&job, Some(&file));
        assert_eq!((&verdict, code), (&json!("failed"), Some(1)));
        assert!(with["source"].as_str().unwrap().starts_with("main:"), "{with}");
    }

    let world = with_baseline(WRONG);
    world.git(&["checkout", "-q", "-b", "topic"]);
    let own = std::fs::read_to_string(world.path().join(FILE)).unwrap();
    let edited =
        own.replace("\"a\": {\"status\":\"passed\",\"score\":1.0", "\"a\": {\"status\":\"failed\",\"score\":0.0");
    assert_ne!(edited, own);
    world.file(FILE, &edited);
    let topic = world.commit("edit");
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    let job = checkout(&world, &github, &topic, "shallow");
    let (_, file) = fetched(&job, &[]);
    let ran = job.evalratchet(&["run", "--baseline", &file.display().to_string()]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    let written = std::fs::read_to_string(job.directory.join("evalratchet-out/results.json")).unwrap();
    let results: Value = serde_json::from_str(&written).unwrap();
    let reasons = results["gate"]["reasons"].as_array().unwrap();
    let failing: Vec<&Value> = reasons.iter().filter(|one| one["fails"] == true).map(|one| &one["rule"]).collect();
    assert_eq!(failing, ["baseline-edited"]);
}

#[test]
fn a_configuration_below_the_root_has_its_baseline_beside_it() {
    let world = repository(RIGHT);
    world.git(&["init", "-q"]);
    std::fs::create_dir(world.path().join("evals")).unwrap();
    for name in ["evalratchet.toml", "cases.json", "answer.sh", "answers.txt"] {
        std::fs::rename(world.path().join(name), world.path().join("evals").join(name)).unwrap();
    }
    let config = std::fs::read_to_string(world.path().join("evals/evalratchet.toml")).unwrap();
    for (section, place) in [
        ("", "evals/.evalratchet/baseline.json"),
        ("[baseline]\npath = \"./kept/baseline.json\"\n\n", "evals/kept/baseline.json"),
    ] {
        world.file("evals/evalratchet.toml", &format!("{section}{config}"));
        let sha = world.commit("next");
        let github = Arc::new(Github::start());
        mirror(&world, &github);
        let run = ["run", "--config", "evals/evalratchet.toml", "--out", "evalratchet-out/0"];
        world.evalratchet(&run);
        let job = push_job(&world, &github, &sha);
        let from =
            ["baseline", "update", "--push", "--config", "evals/evalratchet.toml", "--from", "evalratchet-out/0"];
        let ran = job.evalratchet(&from);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        github.repository(REPOSITORY, |repository| {
            assert!(repository.commits[&repository.branches["main"]].files.contains_key(place), "{place}");
        });
        for how in ["shallow", "no git"] {
            let job = checkout(&world, &github, &sha, how);
            let (ran, _) = fetched(&job, &["--config", "evals/evalratchet.toml"]);
            assert!(ran.stdout.contains(&format!("main:{place}@")), "{how}: {}{}", ran.stdout, ran.stderr);
        }
    }
}

#[test]
fn a_github_that_cannot_be_reached_is_no_missing_baseline() {
    let world = repository(RIGHT);
    let sha = world.commit("first");
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    let job = checkout(&world, &github, &sha, "shallow");
    // One that was fetched before is of another commit.
    let (ran, file) = fetched(&job, &[]);
    assert_eq!((ran.code, file.exists()), (0, true), "{}", ran.stderr);
    github.fault(Fault::on("GET", "").always().fails(502));
    let (ran, file) = fetched(&job, &["--deadline", "1s"]);
    assert_eq!((ran.code, file.exists()), (5, false), "{}", ran.stderr);
    github.forget_faults().fault(Fault::on("GET", "/contents/").first(2).resets());
    assert_eq!(fetched(&job, &[]).0.code, 0);
}
