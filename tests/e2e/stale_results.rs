//! Results of another commit never pass for those of this one.

use serde_json::json;

use crate::baseline::{RIGHT, repository, with_baseline};
use crate::job::{Job, REPOSITORY, samples};
use crate::support::World;

const REPORTS: [&str; 6] = ["results.json", "junit.xml", "results.sarif", "comment.md", "summary.md", "report.html"];

/// Which reports of a run are there.
fn reports(world: &World) -> Vec<&'static str> {
    REPORTS.into_iter().filter(|name| world.path().join("evalratchet-out").join(name).exists()).collect()
}

#[test]
fn a_run_that_ends_early_leaves_no_results_of_an_earlier_one() {
    let world = with_baseline(RIGHT);
    world.file("evalratchet-out/baseline.json", "fetched");
    world.file("evalratchet-out/notes/mine.txt", "mine");
    assert_eq!(world.run().code, 0);
    assert_eq!(reports(&world), REPORTS);
    // It ends with exit code 2 after loading.
    assert_eq!(world.evalratchet(&["run", "--baseline", "nowhere"]).code, 2);
    assert!(reports(&world).is_empty(), "{:?}", reports(&world));
    for kept in ["baseline.json", "notes/mine.txt"] {
        assert!(world.path().join("evalratchet-out").join(kept).exists(), "{kept}");
    }
    // A mistake in what was asked for is no run yet.
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["run", "--suite", "typo"]).code, 2);
    assert_eq!(reports(&world), REPORTS);
    world.file("cases.json", "{");
    assert_eq!(world.run().code, 2);
    assert_eq!(reports(&world), REPORTS);
}

#[test]
fn a_merge_that_ends_early_leaves_no_results_of_an_earlier_one() {
    let world = with_baseline(RIGHT);
    for (index, out) in ["one", "two"].into_iter().enumerate() {
        let shard = format!("{}/2", index + 1);
        world.evalratchet(&["run", "--shard", &shard, "--out", out]);
    }
    assert_eq!(world.evalratchet(&["merge", "one", "two"]).code, 0);
    assert_eq!(reports(&world), REPORTS);
    assert_eq!(world.evalratchet(&["merge", "--baseline", "nowhere", "one", "two"]).code, 2);
    assert!(reports(&world).is_empty());
    assert_eq!(world.evalratchet(&["merge", "one", "two"]).code, 0);
}

/// A job of pull request 7 whose results are of this commit.
fn publishing(commit: &str) -> (Job, i32, String) {
    let job = Job::on_pull_request();
    let mut results = samples().same.clone();
    results["run"]["commit"] = json!(commit);
    let ran = job.left(&results).publish(&[]);
    (job, ran.code, ran.stderr)
}

#[test]
fn results_of_the_head_and_of_its_merge_commits_are_published() {
    let job = Job::on_pull_request();
    let head = job.head.clone();
    // GitHub made this one before main moved on.
    let merge = job.github.repository(REPOSITORY, |repository| {
        repository.commit("main", &[("b", "1")], &[]);
        repository.commit("older-merge", &[("a", "2")], &["main", "feature"])
    });
    for commit in [head.as_str(), crate::job::MERGE, &merge] {
        let mut results = samples().same.clone();
        results["run"]["commit"] = json!(commit);
        let ran = job.left(&results).publish(&[]);
        assert_eq!(ran.code, 0, "{commit}: {}", ran.stderr);
        assert!(!job.comment().contains("No results"), "{commit}");
    }
}

#[test]
fn the_merge_commit_that_the_event_names_is_the_pull_requests() {
    let merge = "e".repeat(40);
    let mut results = samples().same.clone();
    results["run"]["commit"] = json!(merge);
    for (named, code) in [(merge.as_str(), 0), (&"f".repeat(40), 2)] {
        let mut job = Job::on_pull_request();
        let event = std::fs::read_to_string(job.world.path().join("runner/event.json")).unwrap();
        let mut event: serde_json::Value = serde_json::from_str(&event).unwrap();
        event["pull_request"]["merge_commit_sha"] = json!(named);
        job.event("pull_request", &event);
        let ran = job.left(&results).publish(&["--dry-run"]);
        assert_eq!(ran.code, code, "{named}: {}", ran.stderr);
    }
}

#[test]
fn results_of_any_other_commit_are_refused() {
    let (job, code, said) = publishing(&"d".repeat(40));
    assert_eq!(code, 2);
    assert!(said.contains("the results are of ddddddd, and this event is about"), "{said}");
    assert_eq!(job.check()["conclusion"], "failure");
    assert!(job.comment().contains("No results"), "{}", job.comment());
    // A merge of something else into the head is not a merge of the head.
    let job = Job::on_pull_request();
    let update = job
        .github
        .repository(REPOSITORY, |repository| repository.commit("update", &[("a", "3")], &["feature", "main"]));
    let mut results = samples().same.clone();
    results["run"]["commit"] = json!(update);
    assert_eq!(job.left(&results).publish(&[]).code, 2);
}

#[test]
fn results_without_a_commit_are_refused_where_git_knows_one() {
    let job = Job::on_pull_request();
    assert_eq!(job.left(&samples().same).publish(&[]).code, 0);
    let here = repository(RIGHT);
    here.commit("first");
    let mut command = job.command(&["publish", "--from"]);
    command.arg(job.world.path().join("evalratchet-out")).current_dir(here.path());
    let ran = job.world.ran(command.output().unwrap());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("do not say of which commit they are"), "{}", ran.stderr);
}
