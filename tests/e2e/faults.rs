//! Whatever goes wrong on the way, in the end there is one comment and one check, and they tell of the newest run.

use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::github::LOGIN;
use crate::github::faults::Fault;
use crate::job::{Job, NUMBER, REPOSITORY, comment_of, files, samples, together};

const COMMENTS: &str = "/issues/7/comments";
const ONE_COMMENT: &str = "/issues/comments/";
const CHECKS: &str = "/repos/o/r/check-runs";

/// A pull request where others talk too, and one of them has copied our marker.
fn crowded() -> Job {
    let job = Job::on_pull_request();
    job.github.repository(REPOSITORY, |repository| {
        repository.comment(NUMBER, "contributor", "Please have a look.");
        repository.comment(NUMBER, "contributor", &comment_of(99, "a copy"));
        repository.comment(NUMBER, LOGIN, "Another tool of the same bot.");
    });
    job
}

/// The one thing that must hold after everything: one comment of ours, of the newest run, nobody else's touched; and
/// the newest run has one check, completed, with every annotation once.
fn is_published(job: &Job, bystanders: &[Value], newest: u64, results: &Value) {
    let comments = job.comments();
    assert_eq!(comments.len(), 1, "{comments:#?}");
    let (marker, body) = &comments[0];
    assert_eq!((marker.run.id, marker.head.as_str(), marker.key.as_str()), (newest, &*job.head, "evalratchet"));
    assert_eq!(job.bystanders(), bystanders);
    // What it should be: what a dry run of the same would write if nothing were there.
    job.left(results);
    let mut command = job.command(&["publish", "--dry-run"]);
    command.env("GITHUB_RUN_ID", newest.to_string()).env_remove("GITHUB_TOKEN").output().unwrap();
    let would = files(&job.world.path().join("evalratchet-out/publish"));
    let would = |kind: &str| -> Value {
        let (_, text) = would.iter().find(|(path, _)| path.display().to_string().ends_with(kind)).unwrap();
        serde_json::from_str::<Value>(text).unwrap()["body"].clone()
    };
    assert_eq!(*body, would("comments.json")["body"]);

    let ours = |check: &&Value| check["external_id"] == format!("{newest}-1-evalratchet.toml");
    let checks = job.checks();
    let ours: Vec<&Value> = checks.iter().filter(ours).collect();
    assert_eq!(ours.len(), 1, "{checks:#?}");
    assert_eq!((&ours[0]["status"], &ours[0]["head_sha"]), (&json!("completed"), &json!(job.head)));
    let wanted = would("check-runs.json");
    assert_eq!(ours[0]["conclusion"], wanted["conclusion"]);
    let messages = |all: &[Value]| all.iter().map(|one| one["message"].clone()).collect::<Vec<_>>();
    assert_eq!(messages(&job.annotations(ours[0])), messages(wanted["output"]["annotations"].as_array().unwrap()));
}

/// Publishes into this fault. What ends with 0 is published; what ends with 5 is published when it is done again.
fn survives(name: &str, expected: i32, fault: Fault) {
    let job = crowded();
    let before = job.bystanders();
    job.left(&samples().worse).github.fault(fault);
    let ran = job.publish(&["--deadline", if expected == 0 { "3m" } else { "3s" }]);
    assert_eq!(ran.code, expected, "{name}: {}", ran.stderr);
    if expected != 0 {
        assert_eq!(job.bystanders(), before, "{name}");
        job.github.forget_faults();
        assert_eq!(job.publish(&[]).code, 0, "{name}");
    }
    is_published(&job, &before, 10, &samples().worse);
}

fn all<const N: usize>(cases: [(&'static str, i32, Fault); N]) {
    together(cases, |(name, code, fault)| survives(name, code, fault));
}

#[test]
fn what_is_refused_for_good_is_not_tried_again() {
    let on = |status: u16| Fault::on("*", "comments").always().fails(status);
    all([
        ("401", 5, on(401)),
        ("409", 5, Fault::on("POST", COMMENTS).always().fails(409)),
        ("422 for ever", 5, Fault::on("POST", COMMENTS).always().fails(422)),
    ]);
    together([403, 404], |status| {
        let job = crowded();
        job.left(&samples().worse).github.fault(on(status));
        let ran = job.publish(&[]);
        assert_eq!((ran.code, job.comments().len()), (0, 0), "{}", ran.stderr);
        assert_eq!(job.github.requests_to("GET", COMMENTS).len(), 1);
        assert!(ran.stdout.contains("pull-requests: write"), "{}", ran.stdout);
        assert_eq!(job.check()["conclusion"], "failure");
    });
}

#[test]
fn a_comment_that_is_too_long_is_shortened() {
    let job = crowded();
    let before = job.bystanders();
    let mut results = samples().worse.clone();
    let template = results["suites"][0]["cases"][0].clone();
    for n in 0..300 {
        let mut case = template.clone();
        (case["id"], case["position"]) = (json!(format!("n{n}")), json!(10 + n));
        results["suites"][0]["cases"].as_array_mut().unwrap().push(case);
    }
    job.left(&results).github.fault(Fault::on("POST", COMMENTS).first(2).fails(422));
    let ran = job.publish(&[]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let sent = job.github.requests_to("POST", COMMENTS);
    let lengths: Vec<usize> = sent.iter().map(|one| one["body"]["body"].as_str().unwrap().len()).collect();
    assert!(lengths.len() == 3 && lengths[0] > lengths[1] && lengths[1] > lengths[2], "{lengths:?}");
    assert!(job.comment().contains("s/a") && job.bystanders() == before);
}

#[test]
fn publishing_waits_for_limits_and_then_continues() {
    let soon = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 2;
    all([
        ("429", 0, Fault::on("POST", COMMENTS).answers(429, &[("retry-after", "1")], "{\"message\": \"slow\"}")),
        ("secondary", 0, Fault::on("POST", CHECKS).secondary_limit(1)),
        ("secondary on reading", 0, Fault::on("GET", COMMENTS).secondary_limit(1)),
        ("primary", 0, Fault::on("*", "").first(2).primary_limit(soon)),
    ]);
    // Beyond the deadline nothing is waited for.
    let job = crowded();
    job.left(&samples().worse).github.fault(Fault::on("*", "").always().secondary_limit(1200));
    let started = Instant::now();
    assert_eq!(job.publish(&["--deadline", "10m"]).code, 5);
    assert!(started.elapsed() < Duration::from_secs(600), "{:?}", started.elapsed());
}

#[test]
fn a_failing_server_is_asked_again_and_nothing_is_done_twice() {
    all([
        ("500 on everything", 0, Fault::on("*", "").first(3).fails(500)),
        ("502 on the comment", 0, Fault::on("POST", COMMENTS).first(3).fails(502)),
        ("503 on the check", 0, Fault::on("POST", CHECKS).first(3).fails(503)),
        ("reset before reading", 0, Fault::on("GET", "").first(3).resets()),
        ("reset before acting", 0, Fault::on("POST", "/repos").first(3).resets()),
        ("acts and resets: comment", 0, Fault::on("POST", COMMENTS).acts_and_resets()),
        ("acts and resets: check", 0, Fault::on("POST", CHECKS).acts_and_resets()),
        ("acts and says 500", 0, Fault::on("POST", "/repos").first(2).fails(500).having_acted()),
        ("slow", 0, Fault::on("*", "/repos").first(4).slow(300)),
        ("garbage on reading", 0, Fault::on("GET", "").first(2).garbage()),
        ("garbage for an identity", 0, Fault::on("POST", "/graphql").garbage()),
        ("garbage having acted", 0, Fault::on("POST", "/repos").first(2).garbage().having_acted()),
        ("garbage for ever", 5, Fault::on("GET", COMMENTS).always().garbage()),
    ]);
}

#[test]
fn an_open_check_is_completed_once_even_if_answers_are_lost() {
    let patch = || Fault::on("PATCH", "/check-runs/");
    together(
        [patch().acts_and_resets(), patch().fails(502).having_acted(), patch().resets(), patch().garbage()],
        |fault| {
            let job = crowded();
            let before = job.bystanders();
            assert_eq!(job.left(&samples().worse).publish(&["--start"]).code, 0);
            job.github.fault(fault);
            assert_eq!(job.publish(&[]).code, 0);
            is_published(&job, &before, 10, &samples().worse);
        },
    );
    let job = crowded();
    job.left(&samples().worse).github.fault(Fault::on("POST", CHECKS).acts_and_resets());
    assert_eq!(job.publish(&["--start"]).code, 0);
    assert_eq!(job.check()["status"], "in_progress");
}

#[test]
fn lost_answers_neither_double_nor_drop_annotations() {
    let mut results = samples().worse.clone();
    let template = results["suites"][0]["cases"][0].clone();
    for n in 0..130 {
        let mut case = template.clone();
        (case["id"], case["position"]) = (json!(format!("n{n}")), json!(10 + n));
        results["suites"][0]["cases"].as_array_mut().unwrap().push(case);
    }
    let patch = |n: usize| Fault::on("PATCH", "/check-runs/").nth(n);
    together(
        [patch(1).acts_and_resets(), patch(2).acts_and_resets(), patch(2).resets(), patch(3).fails(502)],
        |fault| {
            let job = crowded();
            job.publish(&["--start"]);
            job.left(&results).github.fault(fault);
            let ran = job.publish(&["--comment", "never"]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            let mut titles: Vec<String> =
                job.annotations(&job.check()).iter().map(|one| format!("{}{}", one["title"], one["message"])).collect();
            let count = titles.len();
            assert!(count > 130);
            titles.sort();
            titles.dedup();
            assert_eq!(titles.len(), count);
        },
    );
}

#[test]
fn a_deleted_fork_and_a_push_in_between_change_nothing() {
    let mut job = crowded();
    let before = job.bystanders();
    job.pull_request(&job.head.clone(), Value::Null);
    job.left(&samples().worse);
    assert_eq!(job.publish(&[]).code, 0);
    assert!(job.comment().contains("a fork that is gone"), "{}", job.comment());
    assert_eq!(job.bystanders(), before);

    let job = crowded();
    let before = job.bystanders();
    job.left(&samples().worse).github.fault(Fault::on("GET", COMMENTS).before(|state| {
        let repository = state.repository(REPOSITORY);
        let sha = repository.commit("other", &[("a", "3")], &["main"]);
        repository.point("feature", &sha);
    }));
    assert_eq!(job.publish(&[]).code, 0);
    is_published(&job, &before, 10, &samples().worse);
}

#[test]
fn a_second_publisher_between_looking_and_writing_is_noticed() {
    let adds = |run: u64| {
        move |state: &mut crate::github::state::State| {
            state.repository(REPOSITORY).comment(NUMBER, LOGIN, &comment_of(run, &format!("run {run}")));
        }
    };
    // An older run's was there first: it is the one that stays, and it tells of us.
    let job = crowded();
    let before = job.bystanders();
    job.left(&samples().worse).github.fault(Fault::on("POST", COMMENTS).before(adds(9)));
    assert_eq!(job.publish(&[]).code, 0);
    is_published(&job, &before, 10, &samples().worse);
    // A newer run's came in between: ours goes, whichever was first.
    together([false, true], |after| {
        let job = crowded();
        let before = job.bystanders();
        let fault = Fault::on("POST", COMMENTS);
        job.left(&samples().worse);
        job.github.fault(if after { fault.after(adds(11)) } else { fault.before(adds(11)) });
        assert_eq!(job.publish(&[]).code, 0);
        assert!(job.comment().ends_with("run 11"), "{}", job.comment());
        assert_eq!(job.bystanders(), before);
    });
}

#[test]
fn an_older_run_that_had_to_wait_looks_again_before_it_writes() {
    let limit = Fault::on("PATCH", ONE_COMMENT).secondary_limit(1);
    together([limit, Fault::on("PATCH", ONE_COMMENT).fails(502), Fault::on("PATCH", ONE_COMMENT).resets()], |fault| {
        let job = crowded();
        let before = job.bystanders();
        job.left(&samples().same).publish_as(5, &[]);
        job.github.fault(fault.after(|state| {
            // While it waits, a newer run writes.
            let comments = &mut state.repository(REPOSITORY).comments;
            let ours = comments.iter_mut().rfind(|one| one["user"]["login"] == LOGIN).unwrap();
            ours["body"] = json!(comment_of(20, "run 20"));
        }));
        assert_eq!(job.left(&samples().worse).publish(&[]).code, 0);
        assert!(job.comment().ends_with("run 20"), "{}", job.comment());
        assert_eq!(job.bystanders(), before);
    });
}

#[test]
fn publishers_at_the_same_time_leave_one_comment_of_the_newest() {
    together(0..4, |round| {
        let job = crowded();
        let before = job.bystanders();
        job.left(&samples().worse);
        if round % 2 == 0 {
            job.publish_as(3, &[]);
        }
        let start = |run: u64| {
            let mut command = job.command(&["publish"]);
            command.env("GITHUB_RUN_ID", run.to_string());
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut children = [11, 12, 10].map(start);
        for child in &mut children {
            assert_eq!(child.wait().unwrap().code(), Some(0));
        }
        is_published(&job, &before, 12, &samples().worse);
    });
}

#[test]
fn two_jobs_of_one_run_with_the_same_key_do_not_conflict() {
    let job = crowded();
    let before = job.bystanders();
    let mut children = [&samples().worse, &samples().better].map(|results| {
        let place = format!("of-{}", results["gate"]["verdict"].as_str().unwrap());
        job.world.file(&format!("{place}/results.json"), &results.to_string());
        let mut command = job.command(&["publish", "--from", &place, "--check", "false"]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    });
    for child in &mut children {
        assert_eq!(child.as_mut().unwrap().wait().unwrap().code(), Some(0));
    }
    assert_eq!((job.comments().len(), job.bystanders()), (1, before));
    assert!(job.github.requests_to("PATCH", ONE_COMMENT).len() <= 3);
}

/// A small generator, so that a seed says everything.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

fn chaos(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let job = crowded();
    let before = job.bystanders();
    let places = [COMMENTS, ONE_COMMENT, CHECKS, "/check-runs", "/graphql", ""];
    for _ in 0..2 + dice.roll(4) {
        let method = ["*", "POST", "PATCH", "GET", "DELETE"][usize::try_from(dice.roll(5)).unwrap()];
        let place = places[usize::try_from(dice.roll(6)).unwrap()];
        let fault = Fault::on(method, place).nth(1 + usize::try_from(dice.roll(4)).unwrap());
        job.github.fault(match dice.roll(8) {
            0 => fault.fails(500),
            1 => fault.fails(502).having_acted(),
            2 => fault.resets(),
            3 => fault.acts_and_resets(),
            4 => fault.secondary_limit(1),
            5 => fault.slow(150),
            6 => fault.garbage(),
            _ => fault.garbage().having_acted(),
        });
    }
    let mut runs = [10, 11, 12];
    runs.rotate_left(usize::try_from(dice.roll(3)).unwrap());
    let runs = &runs[..1 + usize::try_from(dice.roll(3)).unwrap()];
    let together = dice.roll(2) == 0;
    let newest = *runs.iter().max().unwrap();
    job.left(&samples().worse);
    let start = |run: &u64| {
        let mut command = job.command(&["publish", "--deadline", "3m"]);
        command.env("GITHUB_RUN_ID", run.to_string());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut children = Vec::new();
    for run in runs {
        let mut child = start(run);
        if together {
            children.push(child);
        } else {
            assert_eq!(child.wait().unwrap().code(), Some(0), "seed {seed}");
        }
    }
    for child in &mut children {
        assert_eq!(child.wait().unwrap().code(), Some(0), "seed {seed}");
    }
    is_published(&job, &before, newest, &samples().worse);
}

#[test]
fn publishing_converges_under_random_faults() {
    together(1..=8, |lane| (lane..=25).step_by(8).for_each(chaos));
}
