//! What a run tells GitHub: comment, check run, outputs, and what it does without a permission.

use serde_json::{Value, json};

use crate::github::LOGIN;
use crate::job::{Job, MERGE, NUMBER, REPOSITORY, comment_of, samples, together};
use crate::support::{World, case};

#[test]
fn a_comment_is_made_then_left_alone_then_changed_and_stays_the_only_one() {
    let job = Job::on_pull_request();
    let made = job.left(&samples().worse).publish(&[]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert!(made.stderr.contains("comment on #7: written"), "{}", made.stderr);
    let first = job.comment();
    assert!(first.contains("s/a"), "{first}");
    let again = job.publish(&[]);
    assert!(again.stderr.contains("left as it is"), "{}", again.stderr);
    let changed = job.left(&samples().better).publish_as(11, &[]);
    assert!(changed.stderr.contains("updated"), "{}", changed.stderr);
    assert_ne!(job.comment(), first);
    assert_eq!(job.comments()[0].0.run.id, 11);
    let writes = job.github.requests().iter().filter(|one| one["path"].as_str().unwrap().contains("comments")).count();
    // Made and looked again, looked, looked and changed and looked again.
    assert_eq!(writes, 7);
}

#[test]
fn what_is_posted_is_what_comment_md_says_behind_a_hidden_marker() {
    let job = Job::on_pull_request();
    let mut results = samples().worse.clone();
    results["run"]["url"] = json!(format!("https://github.com/{REPOSITORY}/actions/runs/10"));
    results["run"]["commit"] = json!(null);
    job.left(&results);
    let written = |format: &str| job.evalratchet(&["report", "--format", format]).stdout;
    let (comment, summary) = (written("comment"), written("summary"));
    assert!(comment.contains("[the run and its report]"), "{comment}");
    assert_eq!(job.publish(&[]).code, 0);
    let posted = job.comment();
    assert_eq!(posted.split_once("\n\n").unwrap().1, comment.trim_end());
    assert_eq!(job.check()["output"]["summary"].as_str().unwrap().trim_end(), comment.trim_end());
    assert_eq!(job.summary().trim_end(), summary.trim_end());
    // What only `publish` knows stands around it.
    let address = "https://github.com/o/r/actions/runs/10/artifacts/1";
    job.publish_as(11, &["--artifact-url", address]);
    let framed = job.comment();
    assert!(framed.ends_with(&format!("[the report]({address})</sub>")), "{framed}");
}

#[test]
fn the_comment_is_found_by_marker_and_author_among_hundreds() {
    let job = Job::on_pull_request();
    job.github.repository(REPOSITORY, |repository| {
        repository.comment(NUMBER, "contributor", &comment_of(1, "a copied marker"));
        for n in 0..120 {
            repository.comment(NUMBER, "contributor", &format!("remark {n}"));
        }
        repository.comment(NUMBER, LOGIN, &comment_of(2, "ours"));
        repository.comment(NUMBER, LOGIN, "another tool's, and it quotes <!-- evalratchet:comment {} -->");
        repository.comment(NUMBER, LOGIN, &format!("> quoted\n{}", comment_of(1, "not on its first line")));
    });
    let before = job.bystanders();
    assert_eq!(before.len(), 123);
    assert_eq!(job.left(&samples().same).publish(&[]).code, 0);
    assert!(!job.comment().contains("\n\nours"));
    assert_eq!(job.bystanders(), before);
}

#[test]
fn a_newer_run_is_never_overwritten_and_duplicates_give_way_to_the_oldest() {
    let job = Job::on_pull_request();
    let ids = job.github.repository(REPOSITORY, |repository| {
        [9, 12, 11].map(|run| repository.comment(NUMBER, LOGIN, &comment_of(run, &format!("run {run}"))))
    });
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // Of three that a race left, the oldest now tells what the newest run told.
    assert!(job.comment().ends_with("run 12"), "{}", job.comment());
    let left = job.github.repository(REPOSITORY, |repository| repository.comments_of(NUMBER));
    assert_eq!(left[0]["id"], ids[0]);
    // A later attempt of the same run is newer.
    let mut command = job.command(&["publish"]);
    command.env("GITHUB_RUN_ID", "12").env("GITHUB_RUN_ATTEMPT", "2").output().unwrap();
    assert_eq!((job.comments()[0].0.run.id, job.comments()[0].0.run.attempt), (12, 2));
    job.left(&samples().better).publish_as(12, &[]);
    assert_eq!(job.comments()[0].0.run.attempt, 2);
}

#[test]
fn users_choose_when_a_comment_is_made() {
    together(
        [
            ("always", &samples().same, true),
            ("changes", &samples().same, false),
            ("changes", &samples().better, true),
            ("changes", &samples().first, true),
            ("regressions", &samples().better, false),
            ("regressions", &samples().worse, true),
            ("never", &samples().worse, false),
        ],
        |(when, sample, made)| {
            let job = Job::on_pull_request();
            assert_eq!(job.left(sample).publish(&["--comment", when]).code, 0);
            assert_eq!(job.comments().len(), usize::from(made), "{when}");
            assert_eq!(job.check()["status"], "completed");
        },
    );
    // One that is there is brought up to date, or it would go on telling what is no longer so.
    let job = Job::on_pull_request();
    job.left(&samples().worse).publish(&[]);
    job.left(&samples().same).publish_as(11, &["--comment", "never"]);
    assert_eq!(job.comments()[0].0.run.id, 10);
    job.publish_as(12, &["--comment", "regressions"]);
    assert_eq!(job.comments()[0].0.run.id, 12);
}

#[test]
fn two_configurations_share_a_comment_and_have_a_check_each_even_when_they_leave_nothing() {
    let mut job = Job::on_pull_request();
    for place in [".", "evals/two"] {
        for name in ["evalratchet.toml", "other.toml"] {
            job.world.file(&format!("{place}/{name}"), "[[suite]]\nid = \"s\"\nkind = \"command\"\ncases = [\"cases.json\"]\ntarget = { command = [\"echo\", \"pwd\"] }\n");
        }
        let dataset = json!({"name": "n", "version": "1", "description": "d", "test_cases": [case("a", "b", "pwd")]});
        job.world.file(&format!("{place}/cases.json"), &dataset.to_string());
    }
    let checked_out = job.world.commit("all");
    job.set("GITHUB_SHA", &checked_out);
    let keys = ["evalratchet.toml", "evals/two/evalratchet.toml", "evals/two/other.toml"];
    for key in keys {
        assert_eq!(job.evalratchet(&["publish", "--start", "--config", key]).code, 0);
        let ran = job.evalratchet(&["run", "--config", key]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(job.publish(&["--config", key]).code, 0);
    }
    let rows = |job: &Job| {
        let marker = job.comments().remove(0).0;
        marker.rows.iter().map(|row| row.owner.config.clone()).collect::<Vec<_>>()
    };
    let mut sorted = keys.map(str::to_owned);
    sorted.sort();
    assert_eq!((job.comments().len(), rows(&job)), (1, sorted.to_vec()));
    let names: Vec<Value> = job.checks().iter().map(|check| check["name"].clone()).collect();
    assert_eq!(
        names,
        ["evalratchet", "evalratchet (evals/two/evalratchet.toml)", "evalratchet (evals/two/other.toml)"]
    );
    // The second leaves nothing, wherever it is started from.
    std::fs::remove_file(job.world.path().join("evalratchet-out/results.json")).unwrap();
    job.directory = job.world.path().join("evals/two");
    assert_eq!(job.publish(&["--from", "../../evalratchet-out"]).code, 2);
    let comment = job.comment();
    assert_eq!(rows(&job)[0], "evals/two/evalratchet.toml", "{comment}");
    assert!(comment.contains("No results"), "{comment}");
    // A key of one's own makes another.
    job.publish(&["--comment-key", "mine", "--from", "../../evalratchet-out"]);
    assert_eq!(job.comments()[1].0.key, "mine");
}

/// Publishes as a job of a matrix.
fn publish_leg(job: &Job, os: &str, results: &Value) {
    job.left(results);
    for start in [true, false] {
        let mut command = job.command(if start { &["publish", "--start"] } else { &["publish"] });
        command.env("GITHUB_JOB", "test").env("EVALRATCHET_MATRIX", json!({"os": os}).to_string());
        let ran = job.world.ran(command.output().unwrap());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

#[test]
fn in_a_matrix_green_never_hides_red_and_each_job_has_a_check() {
    for order in [[0, 1], [1, 0]] {
        let job = Job::on_pull_request();
        let legs = [("linux", &samples().better), ("windows", &samples().worse)];
        for leg in order {
            publish_leg(&job, legs[leg].0, legs[leg].1);
        }
        let comment = job.comment();
        let rows = job.comments().remove(0).0.rows;
        let jobs: Vec<&str> = rows.iter().map(|row| row.owner.job.as_str()).collect();
        assert_eq!(jobs, ["test (windows)", "test (linux)"], "{comment}");
        assert!(comment.contains("1 of 2 jobs not fine") && comment.contains("s/a"), "{comment}");
        let mut checks: Vec<(String, String)> = job
            .checks()
            .iter()
            .map(|check| (check["name"].as_str().unwrap().to_owned(), check["conclusion"].as_str().unwrap().to_owned()))
            .collect();
        checks.sort();
        let expected = [("evalratchet (linux)", "success"), ("evalratchet (windows)", "failure")];
        assert_eq!(checks, expected.map(|(name, conclusion)| (name.to_owned(), conclusion.to_owned())));
    }
}

#[test]
fn jobs_that_cannot_be_told_apart_do_not_hide_each_other_either() {
    let job = Job::on_pull_request();
    job.left(&samples().worse).publish(&[]);
    job.left(&samples().better).publish(&[]);
    assert!(job.comment().contains("Failed"), "{}", job.comment());
    assert!(job.checks().iter().all(|check| check["conclusion"] == "failure"));
    // The next attempt is another matter.
    job.publish_as(11, &[]);
    assert!(job.comment().contains("Passed"), "{}", job.comment());
}

#[test]
fn a_mistake_is_shown_on_its_line_in_check_comment_summary_and_outputs() {
    let mut job = Job::on_pull_request();
    job.world.file(
        "cases.json",
        "{\n  \"name\": \"n\", \"version\": \"1\", \"description\": \"d\",\n  \"test_cases\": [{\"id\": 7}]\n}\n",
    );
    let checked_out = job.world.commit("a slip");
    job.set("GITHUB_SHA", &checked_out);
    job.publish(&["--start"]);
    let ran = job.evalratchet(&["run"]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    let left = std::fs::read_to_string(job.world.path().join("evalratchet-out/mistakes.json")).unwrap();
    let left: Value = serde_json::from_str(&left).unwrap();
    assert_eq!((&left["schema"], &left["exit_code"]), (&json!("evalratchet.mistakes/v1"), &json!(2)));
    let published = job.publish(&[]);
    assert_eq!(published.code, 0, "{}", published.stderr);
    let check = job.check();
    assert_eq!((&check["conclusion"], &check["status"]), (&json!("failure"), &json!("completed")));
    let title = check["output"]["title"].as_str().unwrap();
    assert!(title.starts_with("invalid:") && title.contains("cases.json:3:"), "{title}");
    let annotations = job.annotations(&check);
    let count = left["mistakes"].as_array().unwrap().len();
    assert_eq!(annotations.len(), count, "{annotations:#?}");
    assert!(annotations.iter().all(|one| one["path"] == "cases.json" && one["start_line"] == 3), "{annotations:#?}");
    let comment = job.comment();
    assert!(comment.contains("cases.json:3:") && !comment.contains("there is no"), "{comment}");
    assert!(comment.contains(&format!("/o/r/blob/{}/cases.json#L3", job.head)), "{comment}");
    assert!(job.summary().contains("cases.json:3:"), "{}", job.summary());
    let outputs = job.outputs();
    assert_eq!((outputs["verdict"].as_str(), outputs["exit-code"].as_str()), ("invalid", "2"));
    assert!(!published.stdout.contains("::error"), "said twice: {}", published.stdout);
    // Without a check run the log has them.
    let without = job.publish(&["--check", "false"]);
    assert!(without.stdout.contains("::error file=cases.json,line=3,"), "{}", without.stdout);
    // The next good run takes them away.
    job.world.dataset(&[case("a", "b", "true")]);
    job.world.commit("right");
    job.evalratchet(&["run"]);
    assert!(!job.world.path().join("evalratchet-out/mistakes.json").exists());
}

#[test]
fn a_cancelled_job_closes_its_check_and_leaves_the_comment_alone() {
    let job = Job::on_pull_request();
    job.left(&samples().worse).publish(&[]);
    let before = job.comment();
    std::fs::remove_file(job.world.path().join("evalratchet-out/results.json")).unwrap();
    job.publish_as(11, &["--start"]);
    let ran = job.publish_as(11, &["--cancelled"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let checks = job.checks();
    assert_eq!((&checks[1]["status"], &checks[1]["conclusion"]), (&json!("completed"), &json!("cancelled")));
    assert_eq!(job.comment(), before);
    // The same for a run that was interrupted and left what it had.
    let mut results = samples().better.clone();
    results["gate"] = json!({"verdict": "interrupted", "exit_code": 130, "reasons": []});
    job.left(&results).publish_as(12, &["--cancelled"]);
    assert_eq!((job.comment(), &job.checks()[2]["conclusion"]), (before, &json!("cancelled")));
}

#[test]
fn results_that_were_changed_after_the_run_are_not_published() {
    let job = Job::on_pull_request();
    job.left(&samples().worse);
    let path = job.world.path().join("evalratchet-out/results.json");
    let hash = |bytes: &[u8]| evalratchet::internals::sha256(bytes);
    let digest = hash(&std::fs::read(&path).unwrap());
    assert_eq!(job.publish(&["--digest", &digest]).code, 0);
    job.left(&samples().better);
    let ran = job.publish_as(11, &["--digest", &digest]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("is not what the run wrote"), "{}", ran.stderr);
    assert_eq!(job.checks().last().unwrap()["conclusion"], "failure");
    assert!(!job.comment().contains("Passed"), "{}", job.comment());
}

#[test]
fn ones_own_results_may_be_larger_than_those_of_forks() {
    let job = Job::on_pull_request();
    let mut results = samples().same.clone();
    let case = results["suites"][0]["cases"][0].clone();
    let cases = results["suites"][0]["cases"].as_array_mut().unwrap();
    for n in 0..100_000 {
        let mut one = case.clone();
        one["id"] = json!(format!("more-{n}"));
        one["position"] = json!(10 + n);
        cases.push(one);
    }
    let text = results.to_string();
    assert!(text.len() > 64 << 20, "{}", text.len());
    job.world.file("evalratchet-out/results.json", &text);
    let ran = job.publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!((job.check()["status"].as_str(), job.comments().len()), (Some("completed"), 1));
}

#[test]
fn events_that_name_a_pull_request_publish_on_its_head() {
    // A review has the commits in its payload; a comment has only the number.
    let pull = |job: &Job| {
        json!({"number": NUMBER, "head": {"sha": job.head, "ref": "feature", "repo": {"full_name": REPOSITORY}},
            "base": {"sha": MERGE, "ref": "main", "repo": {"full_name": REPOSITORY, "default_branch": "main"}}})
    };
    let default = "e".repeat(40);
    for name in ["pull_request_review", "pull_request_review_comment", "issue_comment", "workflow_dispatch"] {
        let mut job = Job::on_pull_request();
        let payload = match name {
            "issue_comment" => json!({"issue": {"number": NUMBER, "pull_request": {"url": "u"}}, "comment": {}}),
            "workflow_dispatch" => json!({"inputs": {"pull-request": "7"}}),
            _ => json!({"pull_request": pull(&job), "review": {}}),
        };
        job.event(name, &payload);
        if name == "issue_comment" || name == "workflow_dispatch" {
            job.set("GITHUB_SHA", &default);
        }
        let mut results = samples().worse.clone();
        results["run"]["commit"] = json!(job.head);
        let arguments: &[&str] = if name == "workflow_dispatch" { &["--pull-request", "7"] } else { &[] };
        let ran = job.left(&results).publish(arguments);
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        assert_eq!(job.check()["head_sha"], json!(job.head), "{name}");
        assert_eq!(job.comments().len(), 1, "{name}");
        // Results of another commit are not put there.
        results["run"]["commit"] = json!(default);
        assert_eq!(job.left(&results).publish_as(11, arguments).code, 2, "{name}");
    }
    // A comment on an issue is about no commit, least of all about the default branch's.
    let mut job = Job::on_pull_request();
    job.event("issue_comment", &json!({"issue": {"number": 9}, "comment": {}}));
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!((ran.code, job.checks().len()), (2, 0), "{}", ran.stderr);
}

#[test]
fn dependabots_token_can_be_raised_and_the_notice_says_how() {
    let mut job = Job::on_pull_request();
    job.set("GITHUB_ACTOR", "dependabot[bot]");
    job.github.permissions(&[("contents", "read")]);
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("checks: write") && !ran.stdout.contains("workflow_run"), "{}", ran.stdout);
}

#[test]
fn the_check_is_opened_before_the_run_and_completed_after_it_on_the_head() {
    together(
        [
            (&samples().worse, "failure"),
            (&samples().same, "success"),
            (&samples().better, "success"),
            (&samples().first, "neutral"),
        ],
        |(sample, conclusion)| {
            let job = Job::on_pull_request();
            assert_eq!(job.publish(&["--start"]).code, 0);
            assert_eq!(job.publish(&["--start"]).code, 0);
            let open = job.check();
            assert_eq!((&open["status"], &open["head_sha"]), (&json!("in_progress"), &json!(job.head)));
            assert_ne!(job.head, MERGE);
            assert_eq!(job.left(sample).publish(&[]).code, 0);
            let done = job.check();
            assert_eq!((&done["id"], &done["status"]), (&open["id"], &json!("completed")));
            assert_eq!(
                (&done["conclusion"], &done["external_id"]),
                (&json!(conclusion), &json!("10-1-evalratchet.toml"))
            );
            assert_eq!(done["details_url"], "https://github.com/o/r/actions/runs/10");
            // Published again, nothing is new; another run has its own.
            job.publish(&[]);
            assert_eq!(job.check(), done);
            job.publish_as(11, &["--start"]);
            assert_eq!(job.checks().len(), 2);
        },
    );
}

#[test]
fn missing_results_complete_the_check_and_replace_an_old_success() {
    let outside = World::new();
    let spoiled = |edit: &dyn Fn(&mut Value)| {
        let mut results = samples().same.clone();
        edit(&mut results);
        results.to_string()
    };
    let whole = samples().same.to_string();
    let link = outside.file("results.json", &whole);
    let cases: Vec<(&str, Option<String>)> = vec![
        ("there is no evalratchet-out/results.json", None),
        ("is not JSON", Some(String::new())),
        ("is not JSON", Some(whole[..whole.len() / 2].to_owned())),
        ("has the schema other/v1", Some(spoiled(&|all| all["schema"] = json!("other/v1")))),
        ("does not fit", Some(spoiled(&|all| all["suites"] = json!("none")))),
        ("no directory of the repository", Some(spoiled(&|all| all["run"]["prefix"] = json!("../../elsewhere/")))),
        ("no directory of the repository", Some(spoiled(&|all| all["run"]["prefix"] = json!("evalratchet")))),
        ("is no file name", Some(spoiled(&|all| all["run"]["config"] = json!("sub/x.toml")))),
        ("leaves the repository", Some(spoiled(&|all| all["run"]["config"] = json!("/etc/passwd")))),
        ("beyond all measure", Some(spoiled(&|all| all["suites"][0]["cases"][0]["metrics"]["x"] = json!(1e300)))),
        (
            "leaves the repository",
            Some(spoiled(&|all| all["suites"][0]["cases"][0]["location"]["file"] = json!("../../../etc/passwd"))),
        ),
        ("is of shard", Some(spoiled(&|all| all["run"]["shard"] = json!({"index": 1, "total": 2})))),
        ("not between 0 and 1", Some(spoiled(&|all| all["suites"][0]["cases"][0]["score"] = json!(7.0)))),
        ("is not a plain file", Some("link".to_owned())),
    ];
    together(&cases, |(expected, text)| {
        let job = Job::on_pull_request();
        job.left(&samples().same).publish(&[]);
        assert!(job.comment().contains("Passed"), "{}", job.comment());
        job.publish_as(11, &["--start"]);
        let place = job.world.path().join("evalratchet-out/results.json");
        std::fs::remove_file(&place).unwrap();
        match text.as_deref() {
            None => {}
            Some("link") => std::os::unix::fs::symlink(&link, &place).unwrap(),
            Some(text) => std::fs::write(&place, text).unwrap(),
        }
        let ran = job.publish_as(11, &[]);
        assert_eq!(ran.code, 2, "{expected}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
        let checks = job.checks();
        assert_eq!((checks.len(), &checks[1]["conclusion"]), (2, &json!("failure")), "{expected}");
        let comment = job.comment();
        assert!(comment.contains("No results") && !comment.contains("Passed"), "{comment}");
        assert!(job.summary().contains("No results"), "{}", job.summary());
        assert_eq!(job.outputs()["verdict"], "broken");
    });
}

#[test]
fn annotations_come_in_batches_with_the_worst_first_and_are_never_doubled() {
    let job = Job::on_pull_request();
    let mut results = samples().worse.clone();
    let template = results["suites"][0]["cases"][0].clone();
    for n in 0..130 {
        let mut case = template.clone();
        case["id"] = json!(format!("n{n}"));
        case["position"] = json!(10 + n);
        let spoiled = n % 2 == 0;
        case["score"] = if spoiled { json!(0.5) } else { Value::Null };
        case["status"] = json!(if spoiled { "failed" } else { "error" });
        results["suites"][0]["cases"].as_array_mut().unwrap().push(case);
    }
    job.publish(&["--start"]);
    let ran = job.left(&results).publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let annotations = job.annotations(&job.check());
    assert!(annotations.len() > 130, "{}", annotations.len());
    let levels: Vec<&str> = annotations.iter().map(|one| one["annotation_level"].as_str().unwrap()).collect();
    let failures = levels.iter().filter(|level| **level == "failure").count();
    assert!(levels[..failures].iter().all(|level| *level == "failure") && failures < levels.len());
    assert_eq!(annotations[0]["title"], "s/a");
    let sent = job.github.requests_to("PATCH", "/check-runs/");
    let sizes: Vec<usize> =
        sent.iter().map(|one| one["body"]["output"]["annotations"].as_array().unwrap().len()).collect();
    assert_eq!((sizes[0], sizes[1], sizes.len()), (50, 50, 3));
    job.publish(&[]);
    assert_eq!(job.annotations(&job.check()), annotations);
    // Once is enough: the log has them only where no check run shows them, and has its own limit.
    assert_eq!(ran.stdout.matches("::error ").count(), 0);
    assert_eq!(job.publish(&["--check", "false"]).stdout.matches("::error ").count(), 10);
    let without = Job::on_pull_request();
    without.left(&results).publish(&["--annotations", "false", "--check", "true"]);
    assert!(without.annotations(&without.check()).is_empty());
}

#[test]
fn outputs_and_summary_are_added_to_what_is_there_and_no_value_can_break_them() {
    let job = Job::on_pull_request();
    job.world.file("runner/output", "before=1\n");
    job.world.file("runner/summary", "A step before.\n");
    let place = "odd\nverdict=passed\nEOF";
    job.world.file(&format!("{place}/results.json"), &samples().worse.to_string());
    let ran = job.publish(&["--from", place]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let outputs = job.outputs();
    assert_eq!((outputs["before"].as_str(), outputs["verdict"].as_str()), ("1", "failed"));
    assert_eq!((outputs["exit-code"].as_str(), outputs["regressions"].as_str()), ("1", "1"));
    assert_eq!((outputs["improvements"].as_str(), outputs["results-dir"].as_str()), ("0", place));
    for (name, file) in [("junit", "junit.xml"), ("sarif", "results.sarif"), ("report", "report.html")] {
        assert_eq!(outputs[name], format!("{place}/{file}"));
    }
    let metrics: Value = serde_json::from_str(&outputs["metrics"]).unwrap();
    assert_eq!(metrics["s"]["accuracy"]["n"], 3);
    assert!(metrics["s"]["accuracy"]["delta"].as_f64().unwrap() < 0.0);
    assert!(job.summary().starts_with("A step before.\n") && job.summary().contains("s/a"));
    // A summary that would be too much for the step is left out, or GitHub would drop all of it.
    let full = "x".repeat((1 << 20) - 4000);
    job.world.file("runner/summary", &full);
    job.publish(&["--from", place]);
    assert_eq!(job.summary(), full);
    job.world.file("runner/summary", "");
    job.publish(&["--from", place, "--summary", "false"]);
    assert_eq!(job.summary(), "");
}

#[test]
fn a_missing_permission_costs_its_channel_and_one_notice_with_the_lines_to_add() {
    let read = [("contents", "read"), ("pull-requests", "read"), ("checks", "read")];
    let job = Job::on_pull_request();
    job.github.permissions(&[("contents", "read"), ("checks", "write")]);
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!((job.check()["conclusion"].as_str(), job.comments().len()), (Some("failure"), 0));
    assert_eq!(ran.stdout.matches("::notice").count(), 1, "{}", ran.stdout);
    let lines = "permissions:%0A  contents: read%0A  checks: write%0A  pull-requests: write\n";
    assert!(ran.stdout.contains("lacks pull-requests: write") && ran.stdout.contains(lines), "{}", ran.stdout);

    let job = Job::on_pull_request();
    job.github.permissions(&[("contents", "read"), ("pull-requests", "write")]);
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!((ran.code, job.checks().len(), job.comments().len()), (0, 0, 1));
    assert!(ran.stdout.contains("lacks checks: write") && ran.stdout.contains(lines), "{}", ran.stdout);
    assert_eq!(job.publish(&["--start"]).code, 0);

    let job = Job::on_pull_request();
    job.github.permissions(&read);
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!((ran.code, ran.stdout.matches("::notice").count()), (0, 1));
    assert!(ran.stdout.contains(lines), "{}", ran.stdout);
    assert!(job.outputs()["verdict"] == "failed" && job.summary().contains("s/a"));

    let mut fork = Job::on_pull_request();
    fork.pull_request(&fork.head.clone(), json!({"full_name": "x/r"}));
    fork.github.permissions(&read);
    let ran = fork.left(&samples().worse).publish(&[]);
    assert_eq!((ran.code, ran.stdout.matches("::notice").count()), (0, 1));
    assert!(ran.stdout.contains("workflow_run") && !ran.stdout.contains("contents: read"), "{}", ran.stdout);
}

#[test]
fn without_a_valid_token_or_a_server_the_job_still_gets_its_summary() {
    let told = |job: &Job| {
        assert_eq!(job.outputs()["verdict"], "failed");
        assert!(job.summary().contains("s/a"), "{}", job.summary());
    };
    let mut job = Job::on_pull_request();
    job.set("GITHUB_TOKEN", "ghs_wrong");
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("Bad credentials") && !ran.stdout.contains("::notice"), "{}", ran.stderr);
    told(&job);

    let mut job = Job::on_pull_request();
    job.set("GITHUB_TOKEN", "");
    let ran = job.left(&samples().worse).publish(&[]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("GITHUB_TOKEN: ${{ github.token }}"), "{}", ran.stderr);
    told(&job);
    assert_eq!(job.publish(&["--start"]).code, 2);

    let mut job = Job::on_pull_request();
    // Nobody listens on port 1. A port that was just given back may be another test's by now.
    job.set("GITHUB_API_URL", "http://127.0.0.1:1");
    job.set("GITHUB_GRAPHQL_URL", "http://127.0.0.1:1/graphql");
    let ran = job.left(&samples().worse).publish(&["--deadline", "2s"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    told(&job);
}
