//! `doctor` in a job, and `report release --publish`, against the small GitHub.

use std::sync::Arc;

use serde_json::json;

use crate::baseline::{RIGHT, WRONG, with_baseline};
use crate::github::faults::Fault;
use crate::github::{Github, LOGIN, TOKEN};
use crate::job::{Job, REPOSITORY, mirror};

#[test]
fn doctor_reports_the_job_and_the_permissions_and_changes_nothing() {
    let mut job = Job::on_pull_request();
    job.world.dataset(&[crate::support::case("a", "one", "ls")]);
    let before = job.github.state()["repositories"].clone();
    let ran = job.evalratchet(&["doctor"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for line in [
        "event      pull_request #7 in o/r, run 10.1",
        "base       ",
        "config     ✓ evalratchet.toml: 1 suite, 1 case",
        "tools      ✓ true for s",
        "token      ✓ contents: read for finding the baseline",
        "           ✓ pull-requests: write for the comment",
        "           ✓ checks: write for the check run",
        "           ✓ contents: write for `baseline update --push`",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
    job.github.token(TOKEN, LOGIN, &[("contents", "read")]);
    let ran = job.evalratchet(&["doctor"]);
    assert!(ran.stdout.contains("✗ checks: write for the check run, not granted"), "{}", ran.stdout);
    let lines = "    permissions:\n      contents: read\n      checks: write\n      pull-requests: write\n";
    assert!(ran.stdout.contains(lines), "{}", ran.stdout);
    job.pull_request(&job.head.clone(), json!({"full_name": "x/r"}));
    let ran = job.evalratchet(&["doctor"]);
    assert!(ran.stdout.contains("of the fork x/r") && ran.stdout.contains("workflow_run:"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("    permissions:\n"), "{}", ran.stdout);
    // Whatever it asked, nothing is otherwise than it was.
    assert_eq!(job.github.state()["repositories"], before);
    job.set("GITHUB_TOKEN", "");
    assert!(job.evalratchet(&["doctor"]).stdout.contains("token      none"));
}

fn release(job: &Job) -> (String, Vec<String>) {
    let state = &job.github.state()["repositories"][REPOSITORY];
    let body = state["releases"][0]["body"].as_str().unwrap().to_owned();
    let mut names: Vec<String> = job
        .github
        .requests_to("POST", "/assets?name=")
        .iter()
        .filter_map(|request| request["path"].as_str()?.split("name=").nth(1).map(str::to_owned))
        .collect();
    names.sort();
    names.dedup();
    (body, names)
}

#[test]
fn a_release_gets_its_files_and_a_summary_and_keeps_what_people_wrote() {
    let world = with_baseline(WRONG);
    world.git(&["tag", "v1.0.0"]);
    world.file("answers.txt", RIGHT);
    world.commit("better");
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    let sha = world.commit("baseline of the better");
    world.git(&["tag", "v1.1.0"]);
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    github.repository(REPOSITORY, |repository| {
        repository.tag("v1.1.0", &sha);
        repository.release("v1.1.0", "By people.\r\n");
    });
    let mut job = Job::with(&github);
    job.directory = world.path().to_owned();
    job.event("release", &json!({"release": {"tag_name": "v1.1.0"}}));
    for _ in 0..2 {
        let ran = job.evalratchet(&["report", "release", "--publish"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let (body, names) = release(&job);
    assert!(body.starts_with("By people.\r\n"), "{body}");
    assert_eq!(body.matches("<!-- evalratchet:release:").count(), 2, "{body}");
    assert!(body.contains("`v1.1.0` is better than `v1.0.0`"), "{body}");
    assert_eq!(names, ["evalratchet-release.html", "evalratchet-release.json", "evalratchet-release.md"]);

    let unknown = job.evalratchet(&["report", "release", "--publish", "--to", "v1.0.0", "--from", "none"]);
    assert!(unknown.code == 2 && unknown.stderr.contains("has no release of `v1.0.0`"), "{}", unknown.stderr);
    github.token(TOKEN, LOGIN, &[("contents", "read")]);
    let refused = job.evalratchet(&["report", "release", "--publish"]);
    assert_eq!(refused.code, 0, "{}", refused.stderr);
    assert!(refused.stdout.contains("::warning") && refused.stdout.contains("contents: write"), "{}", refused.stdout);
    github.edit(|state| state.tokens.clear());
    assert_eq!(job.evalratchet(&["report", "release", "--publish"]).code, 5);
}

#[test]
fn a_release_that_takes_no_files_gets_its_text_all_the_same() {
    let world = with_baseline(RIGHT);
    world.git(&["tag", "v1.0.0"]);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--case", "b", "--reason", "cd is asked for"]).code, 0);
    world.commit("bless");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    let sha = world.commit("baseline of the worse");
    world.git(&["tag", "v1.1.0"]);
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    github.repository(REPOSITORY, |repository| {
        repository.tag("v1.1.0", &sha);
        repository.release("v1.1.0", "By people.");
    });
    github.fault(Fault::on("POST", "/assets").always().fails(403));
    let mut job = Job::with(&github);
    job.directory = world.path().to_owned();
    job.event("release", &json!({"release": {"tag_name": "v1.1.0"}}));
    let ran = job.evalratchet(&["report", "release", "--publish", "--fail-on", "worse"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.contains("::warning") && ran.stdout.contains("immutable"), "{}", ran.stdout);
    assert!(ran.stderr.contains("worse than in the release before: s accuracy"), "{}", ran.stderr);
    let (body, _) = release(&job);
    // The case that is worse, why that was allowed, and where to look.
    for told in ["s/b", "cd is asked for", "/releases/download/v1.1.0/evalratchet-release.html", "/compare/"] {
        assert!(body.contains(told), "{told}: {body}");
    }
    assert_eq!(job.evalratchet(&["report", "release", "--fail-on", "below-min"]).code, 0);
}
