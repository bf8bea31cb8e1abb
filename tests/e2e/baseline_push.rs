//! The baseline on GitHub, turned by runs on main that race.

use std::process::Stdio;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::baseline::{RIGHT, WRONG, repository};
use crate::github::faults::Fault;
use crate::github::{Github, LOGIN, TOKEN};
use crate::job::{Job, REPOSITORY, mirror, together};
use crate::support::{Ran, World};

const FILE: &str = ".evalratchet/baseline.json";

/// A branch main of several commits, with the results of a run of each; the first is `evalratchet-out/0`.
fn line_of_runs(answers: &[&str]) -> (World, Vec<String>, Arc<Github>) {
    let world = repository("");
    let commits = answers.iter().enumerate().map(|(index, text)| {
        world.file("answers.txt", text);
        let sha = world.commit("next");
        world.evalratchet(&["run", "--out", &format!("evalratchet-out/{index}")]);
        sha
    });
    let commits = commits.collect();
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    (world, commits, github)
}

/// A job on main that updates the baseline to a run.
pub(crate) fn push_job(world: &World, github: &Arc<Github>, sha: &str) -> Job {
    let mut job = Job::with(github);
    job.directory = world.path().to_owned();
    job.push("main", sha);
    job
}

fn push(job: &Job, index: usize) -> Ran {
    job.evalratchet(&["baseline", "update", "--push", "--from", &format!("evalratchet-out/{index}")])
}

fn on_main(github: &Github) -> Value {
    on_branch(github, "main")
}

fn on_branch(github: &Github, branch: &str) -> Value {
    github.repository(REPOSITORY, |repository| {
        let files = &repository.commits[&repository.branches[branch]].files;
        files.get(FILE).map_or(Value::Null, |bytes| serde_json::from_slice(bytes).unwrap())
    })
}

fn never_forced(github: &Github) {
    assert!(github.repository(REPOSITORY, |repository| repository.forced.is_empty()));
}

const NOTHING: &str = "one: x\ntwo: x\nthree: x\n";

#[test]
fn a_push_commits_the_baseline_once_and_an_older_run_raises_only_the_best() {
    let (world, commits, github) = line_of_runs(&[RIGHT, NOTHING]);
    let ran = push(&push_job(&world, &github, &commits[1]), 1);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let tip = github.repository(REPOSITORY, |repository| repository.branches["main"].clone());
    assert_eq!(
        github.requests_to("POST", "/graphql")[0]["body"]["variables"]["input"]["expectedHeadOid"],
        commits[1].as_str()
    );
    let again = push(&push_job(&world, &github, &commits[1]), 1);
    assert!(again.code == 0 && again.stdout.contains("nothing changed"), "{}", again.stdout);
    assert_eq!(github.repository(REPOSITORY, |repository| repository.branches["main"].clone()), tip);
    // The run of the first commit was slow.
    assert_eq!(push(&push_job(&world, &github, &commits[0]), 0).code, 0);
    let baseline = on_main(&github);
    assert_eq!(baseline["produced"]["commit"], commits[1].as_str());
    let case = &baseline["suites"]["s"]["cases"]["a"];
    assert_eq!((&case["score"], &case["best"]["score"]), (&json!(0.0), &json!(1.0)), "{case}");
    never_forced(&github);
}

#[test]
fn a_push_deletes_the_blessings_that_it_takes_in_and_no_later_ones() {
    let world = repository(RIGHT);
    world.commit("right");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.file("answers.txt", WRONG);
    world.commit("break");
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "cd is asked for"]).code, 0);
    let measured = world.commit("bless");
    assert_eq!(world.evalratchet(&["run", "--out", "evalratchet-out/0"]).code, 0);
    // Somebody else's blessing is merged before the run has ended.
    let later = "reason = \"later\"\n[[allows]]\nrule = \"case-removed\"\nsuite = \"s\"\ncase = \"c\"\n";
    world.file(".evalratchet/blessings/later.toml", later);
    world.commit("another pull request");
    let github = Arc::new(Github::start());
    mirror(&world, &github);
    let ran = push(&push_job(&world, &github, &measured), 0);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let blessings: Vec<String> = github.repository(REPOSITORY, |repository| {
        let files = &repository.commits[&repository.branches["main"]].files;
        files.keys().filter(|path| path.starts_with(".evalratchet/blessings/")).cloned().collect()
    });
    assert_eq!(blessings, [".evalratchet/blessings/later.toml"]);
    let baseline = on_main(&github);
    assert_eq!(baseline["took_in"][0]["reason"], "cd is asked for", "in the same commit: {baseline}");
    assert_eq!(github.requests_to("POST", "/graphql").len(), 1);
}

/// Starts them all at once and waits for all.
fn race(jobs: &[(Job, usize)]) {
    let start = |(job, index): &(Job, usize)| {
        let place = format!("evalratchet-out/{index}");
        let mut command = job.command(&["baseline", "update", "--push", "--from", &place]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = jobs.iter().map(start).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn concurrent_updates_of_the_baseline_lose_nothing() {
    let (world, commits, github) = line_of_runs(&[RIGHT]);
    let jobs: Vec<(Job, usize)> = (0..5).map(|_| (push_job(&world, &github, &commits[0]), 0)).collect();
    race(&jobs);
    assert_eq!(on_main(&github)["produced"]["commit"], commits[0].as_str());
    assert_eq!(github.repository(REPOSITORY, |repository| repository.commits.len()), 2);

    let each = ["one: ls -la\n", "two: pwd\n", "three: whoami\n", "one: ls -la\ntwo: pwd\n", ""];
    let (world, commits, github) = line_of_runs(&each.map(|text| if text.is_empty() { NOTHING } else { text }));
    // The newest starts first, so that older ones are likely to come late.
    let jobs: Vec<(Job, usize)> =
        commits.iter().enumerate().rev().map(|(index, sha)| (push_job(&world, &github, sha), index)).collect();
    race(&jobs);
    let baseline = on_main(&github);
    assert_eq!(baseline["produced"]["commit"], commits[4].as_str());
    for id in ["a", "b", "c"] {
        let case = &baseline["suites"]["s"]["cases"][id];
        assert_eq!((&case["score"], &case["best"]["score"]), (&json!(0.0), &json!(1.0)), "{id}: {case}");
    }
    never_forced(&github);
}

#[test]
fn a_protected_branch_gets_one_pull_request_to_which_later_runs_add() {
    let (world, commits, github) = line_of_runs(&[RIGHT, WRONG, NOTHING]);
    github.repository(REPOSITORY, |repository| {
        repository.protect("main");
    });
    let opened = push(&push_job(&world, &github, &commits[0]), 0);
    assert_eq!(opened.code, 0, "{}", opened.stderr);
    assert!(opened.stdout.contains("is protected, so pull request #"), "{}", opened.stdout);
    race(&[(push_job(&world, &github, &commits[1]), 1), (push_job(&world, &github, &commits[2]), 2)]);
    let pulls = github.repository(REPOSITORY, |repository| repository.pulls.values().cloned().collect::<Vec<_>>());
    assert_eq!(pulls.len(), 1);
    assert_eq!((on_main(&github), pulls[0].base_branch.as_str()), (Value::Null, "main"));
    let baseline = on_branch(&github, &pulls[0].head_branch);
    assert_eq!(baseline["produced"]["commit"], commits[2].as_str());
    assert_eq!(baseline["suites"]["s"]["cases"]["b"]["best"]["score"], 1.0);
    assert_eq!(pulls[0].head_branch, "evalratchet/baseline-main");
    let body = pulls[0].body.clone().unwrap();
    assert!(body.contains("`main` is protected") && body.contains("accuracy"), "{body}");
    never_forced(&github);
}

#[test]
fn a_pull_request_that_may_not_be_opened_leaves_no_branch_behind() {
    let (world, commits, github) = line_of_runs(&[RIGHT, WRONG]);
    github.repository(REPOSITORY, |repository| {
        repository.protect("main");
    });
    github.token(TOKEN, LOGIN, &[("contents", "write"), ("pull-requests", "read")]);
    for (index, commit) in commits.iter().enumerate() {
        let ran = push(&push_job(&world, &github, commit), index);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stdout.contains("could not be committed"), "{}", ran.stdout);
        let branches =
            github.repository(REPOSITORY, |repository| repository.branches.keys().cloned().collect::<Vec<_>>());
        assert_eq!(branches, ["main"]);
    }
    // What a closed pull request left is begun again, and nothing is forced.
    github.token(TOKEN, LOGIN, &[("contents", "write"), ("pull-requests", "write")]);
    assert_eq!(push(&push_job(&world, &github, &commits[0]), 0).code, 0);
    github.repository(REPOSITORY, |repository| {
        repository.pulls.values_mut().for_each(|pull| pull.state = "closed".to_owned());
        repository.commit("main", &[("other", "1")], &[]);
    });
    assert_eq!(push(&push_job(&world, &github, &commits[1]), 1).code, 0);
    let open = github
        .repository(REPOSITORY, |repository| repository.pulls.values().filter(|pull| pull.state == "open").count());
    assert_eq!(open, 1);
    never_forced(&github);
}

#[test]
fn a_schedule_and_a_dispatch_update_the_baseline_of_their_branch() {
    for (event, reference, written) in [
        ("schedule", "refs/heads/main", true),
        ("workflow_dispatch", "refs/heads/main", true),
        ("workflow_dispatch", "refs/heads/topic", false),
    ] {
        let (world, commits, github) = line_of_runs(&[RIGHT]);
        let mut job = push_job(&world, &github, &commits[0]);
        job.event(event, &json!({"repository": {"full_name": REPOSITORY, "default_branch": "main"}}));
        job.set("GITHUB_REF", reference);
        let ran = push(&job, 0);
        assert_eq!((ran.code, !on_main(&github).is_null()), (0, written), "{event} {reference}: {}", ran.stderr);
    }
}

#[test]
fn lost_answers_update_the_baseline_once() {
    let cases = [
        (false, Fault::on("POST", "/graphql").acts_and_resets()),
        (false, Fault::on("POST", "/graphql").fails(502).having_acted()),
        (false, Fault::on("POST", "/graphql").secondary_limit(1)),
        (false, Fault::on("GET", "").first(3).fails(500)),
        (true, Fault::on("POST", "/git/refs").acts_and_resets()),
        (true, Fault::on("POST", "/pulls").acts_and_resets()),
        (true, Fault::on("POST", "/graphql").nth(2).acts_and_resets()),
    ];
    together(cases, |(protected, fault)| {
        let (world, commits, github) = line_of_runs(&[RIGHT]);
        github.repository(REPOSITORY, |repository| {
            if protected {
                repository.protect("main");
            }
        });
        github.fault(fault);
        let ran = push(&push_job(&world, &github, &commits[0]), 0);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let (made, pulls) =
            github.repository(REPOSITORY, |repository| (repository.commits.len(), repository.pulls.len()));
        assert_eq!((made, pulls), (2, usize::from(protected)));
        never_forced(&github);
    });
}

#[test]
fn a_conflict_on_every_try_is_given_up() {
    let (world, commits, github) = line_of_runs(&[RIGHT]);
    github.fault(Fault::on("POST", "/graphql").always().before(|state| {
        state.repository(REPOSITORY).commit("main", &[("other", "1")], &[]);
    }));
    let ran = push(&push_job(&world, &github, &commits[0]), 0);
    assert_eq!((ran.code, on_main(&github)), (5, Value::Null), "{}", ran.stderr);
    assert!(github.requests_to("POST", "/graphql").len() <= 6);
    assert!(ran.stderr.contains("others were faster"), "{}", ran.stderr);
}

#[test]
fn runs_that_may_not_update_the_baseline_are_refused_with_a_reason() {
    let (world, commits, github) = line_of_runs(&[RIGHT]);
    let mut job = push_job(&world, &github, &commits[0]);
    job.pull_request(&commits[0], json!({"full_name": REPOSITORY}));
    let ran = push(&job, 0);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("a pull_request does not update the baseline"), "{}", ran.stderr);
    job.push("topic", &commits[0]);
    let other = push(&job, 0);
    assert!(other.code == 0 && other.stdout.contains("nothing to do"), "{}", other.stdout);

    github.repository(REPOSITORY, |repository| {
        let sha = repository.write(None, Vec::new(), vec![("a".to_owned(), Some(vec![]))], "m", "someone");
        repository.point("main", &sha);
    });
    let elsewhere = push(&push_job(&world, &github, &commits[0]), 0);
    assert_eq!(elsewhere.code, 2);
    assert!(elsewhere.stderr.contains("is not on `main`"), "{}", elsewhere.stderr);

    let (world, commits, github) = line_of_runs(&[RIGHT]);
    for permissions in [&[("contents", "read")][..], &[]] {
        github.token(TOKEN, LOGIN, permissions);
        let ran = push(&push_job(&world, &github, &commits[0]), 0);
        assert_eq!((ran.code, on_main(&github)), (0, Value::Null), "{}", ran.stderr);
        let lines = "permissions:%0A  contents: write%0A  checks: write%0A  pull-requests: write\n";
        assert!(ran.stdout.starts_with("::warning") && ran.stdout.contains(lines), "{}", ran.stdout);
    }
    github.edit(|state| state.tokens.clear());
    assert_eq!(push(&push_job(&world, &github, &commits[0]), 0).code, 5);
}
