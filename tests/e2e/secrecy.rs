//! What is sent is what a dry run writes, and the token is not part of anything.

use serde_json::Value;

use crate::github::faults::Fault;
use crate::github::{LOGIN, TOKEN};
use crate::job::{Job, NUMBER, REPOSITORY, comment_of, files, samples};
use crate::support::case;

#[test]
fn a_dry_run_writes_exactly_what_would_be_sent_and_sends_nothing() {
    let writes = |job: &Job| -> Vec<(Value, Value, Value)> {
        let changes = |one: &&Value| one["method"] != "GET" && one["path"] != "/graphql";
        let all = job.github.requests();
        let all = all.iter().filter(changes);
        all.map(|one| (one["method"].clone(), one["path"].clone(), one["body"].clone())).collect()
    };
    for opened in [false, true] {
        let job = Job::on_pull_request();
        if opened {
            job.publish(&["--start"]);
            job.github.repository(REPOSITORY, |repository| {
                [8, 9].map(|run| repository.comment(NUMBER, LOGIN, &comment_of(run, "earlier")))
            });
        }
        job.left(&samples().worse);
        let before = (writes(&job), job.outputs());
        let ran = job.publish(&["--dry-run"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!((writes(&job), job.outputs()), before);
        let directory = job.world.path().join("evalratchet-out/publish");
        let written = files(&directory);
        let requests = written.iter().filter(|(path, _)| path.extension().is_some_and(|end| end == "json"));
        let would: Vec<(Value, Value, Value)> = requests
            .map(|(_, text)| serde_json::from_str::<Value>(text).unwrap())
            .map(|one| (one["method"].clone(), one["path"].clone(), one["body"].clone()))
            .collect();
        assert_eq!(would.len(), if opened { 3 } else { 2 });
        let published = job.publish(&[]);
        assert_eq!(writes(&job)[before.0.len()..], would);
        let read = |name: &str| std::fs::read_to_string(directory.join(name)).unwrap();
        assert_eq!(read("summary.md"), job.summary());
        assert_eq!(read("annotations.txt"), published.stdout);
        assert!(read("outputs.txt").contains("verdict<<"));
    }
}

#[test]
fn the_token_is_seen_nowhere() {
    const SECRET: &str = "ghs_ThisIsTheOneThatNobodySees42";
    let mut job = Job::on_pull_request();
    let all = ["contents", "pull-requests", "checks", "issues"].map(|name| (name, "write"));
    job.github.token(SECRET, LOGIN, &all);
    job.set("GITHUB_TOKEN", SECRET);
    job.set("GH_TOKEN", SECRET);
    job.world.config("target = { command = [\"./show.sh\"] }");
    job.world.dataset(&[case("a", "b", "pwd")]);
    job.world.script("show.sh", "env; cat /proc/$PPID/comm; env > seen.txt; echo $GITHUB_TOKEN");
    let base = job.world.commit("first");
    job.github.repository(REPOSITORY, |repository| {
        repository.write(Some(base.clone()), Vec::new(), Vec::new(), "m", "someone");
        repository.point("main", &base);
    });
    let mut said = String::new();
    for (log, more) in [("", "-vv"), ("trace", "-v")] {
        for arguments in [
            &["publish", "--start"][..],
            &["run"],
            &["publish"],
            &["publish", "--dry-run"],
            &["baseline", "fetch"],
            &["run", "--baseline", "evalratchet-out/baseline.json"],
            &["baseline", "update", "--push"],
        ] {
            let mut command = job.command(arguments);
            command.arg(more).env("GITHUB_SHA", &base);
            if arguments.contains(&"--push") {
                command.env("GITHUB_EVENT_NAME", "workflow_dispatch");
            }
            if !log.is_empty() {
                command.env("EVALRATCHET_LOG", log);
            }
            let output = command.output().unwrap();
            said += &String::from_utf8_lossy(&[output.stdout, output.stderr].concat());
        }
    }
    // A server that says it back, and one that does not take it.
    let echo = format!("{{\"message\": \"no {SECRET} here\"}}");
    job.github.fault(Fault::on("*", "comments").always().answers(418, &[], &echo));
    job.set("EVALRATCHET_LOG", "trace");
    let ran = job.publish(&["-vv"]);
    assert!(ran.stderr.contains("no [redacted] here"), "{}", ran.stderr);
    job.github.token(SECRET, LOGIN, &[]).edit(|state| state.tokens.remove(SECRET));
    let refused = job.publish(&["-vv"]);
    for text in [&said, &ran.stdout, &ran.stderr, &refused.stdout, &refused.stderr] {
        assert!(!text.contains(SECRET), "{text}");
    }
    assert!(said.len() > 1000 && said.contains("status"), "{said}");
    let written = files(job.world.path());
    assert!(written.iter().any(|(path, text)| path.ends_with("seen.txt") && text.contains("PATH=")));
    for (path, text) in written {
        assert!(!text.contains(SECRET), "{}", path.display());
    }
    assert!(said.contains("in ") && job.github.requests_to("POST", "/graphql").len() > 3);
    assert!(!job.github.state().to_string().contains(SECRET) && !said.contains(TOKEN));
}
