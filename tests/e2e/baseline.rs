//! Baselines in real git repositories, and what the gate makes of them.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Ran, World, case, copy};

/// A repository whose program answers from a file, one line for each prompt.
pub(crate) fn repository(answers: &str) -> World {
    let world = World::with_target("{ command = [\"./answer.sh\", \"{prompt}\"] }", &cases());
    world.script("answer.sh", "sed -n \"s/^$1: //p\" answers.txt");
    world.file("answers.txt", answers);
    world
}

fn cases() -> Vec<Value> {
    vec![case("a", "one", "ls -la"), case("b", "two", "pwd"), case("c", "three", "whoami")]
}

pub(crate) const RIGHT: &str = "one: ls -la\ntwo: pwd\nthree: whoami\n";
pub(crate) const WRONG: &str = "one: ls -la\ntwo: cd\nthree: whoami\n";

/// The repository with its baseline on main, two commits.
pub(crate) fn with_baseline(answers: &str) -> World {
    let world = repository(answers);
    world.commit("first");
    assert_eq!(world.run().code, 0);
    update(&world);
    world.commit("baseline");
    world
}

fn update(world: &World) -> Ran {
    let ran = world.evalratchet(&["baseline", "update", "--from", "evalratchet-out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

pub(crate) fn rules(ran: &Ran) -> Vec<String> {
    let reasons = ran.results.as_ref().unwrap()["gate"]["reasons"].as_array().unwrap();
    let failing = reasons.iter().filter(|reason| reason["fails"] == true);
    failing.map(|reason| reason["rule"].as_str().unwrap().to_owned()).collect()
}

pub(crate) fn source(ran: &Ran) -> String {
    let comparison = &ran.results.as_ref().unwrap()["comparison"];
    comparison["baseline"]["source"].as_str().unwrap_or("none").to_owned()
}

#[test]
fn the_first_run_has_no_baseline_and_names_the_command_that_makes_one() {
    let world = repository(RIGHT);
    world.commit("first");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "no-baseline"));
    assert!(ran.stdout.contains("evalratchet baseline update --from evalratchet-out"), "{}", ran.stdout);
    update(&world);
    let uncommitted = world.run();
    assert_eq!(uncommitted.verdict(), "no-baseline");
    assert!(uncommitted.stdout.contains("is here, but not on `main`; commit it there"), "{}", uncommitted.stdout);
    world.commit("baseline");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"));
    assert!(ran.stdout.contains("score as in the baseline"), "{}", ran.stdout);
    assert!(source(&ran).starts_with("main:.evalratchet/baseline.json@"), "{}", source(&ran));
}

#[test]
fn the_baseline_is_sorted_has_a_case_on_each_line_and_no_outputs() {
    let world = with_baseline(WRONG);
    let text = std::fs::read_to_string(world.path().join(".evalratchet/baseline.json")).unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"[0-9a-f]{40}", "[commit]");
    settings.add_filter(r"\d{4}-\d\d-\d\dT[^\x22]+", "[time]");
    settings.bind(|| insta::assert_snapshot!(text));
    assert_eq!(update(&world).stdout, ".evalratchet/baseline.json: nothing changed, nothing written\n");
}

#[test]
fn what_got_worse_fails_with_its_numbers_and_what_main_fails_too_does_not() {
    let world = with_baseline(WRONG);
    world.file("answers.txt", "one: ls\ntwo: cd\nthree: whoami\n");
    let ran = world.run();
    assert_eq!(ran.code, 1);
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"latency-p\d+-ms .*", "latency …");
    // How wide a column is depends on how long an answer took.
    settings.add_filter(r" {2,}", "  ");
    settings.add_filter(r"─+", "─");
    settings.add_filter(r"(?s)slowest\n.*?\n\n", "");
    settings.add_filter(r"[0-9a-f]{7}\b", "[commit]");
    settings.bind(|| insta::assert_snapshot!(ran.stdout));
}

#[test]
fn a_blessed_drop_passes_and_says_so_and_the_next_update_absorbs_it() {
    let world = with_baseline(RIGHT);
    world.file("answers.txt", WRONG);
    world.commit("break");
    assert_eq!(world.run().code, 1);
    let blessed = world.evalratchet(&["baseline", "bless", "--reason", "cd is asked for now"]);
    assert_eq!(blessed.code, 0, "{}", blessed.stderr);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("blessed (cd is asked for now)"), "{}", ran.stdout);

    // It covers exactly what it names: another case, or a further fall, is not blessed.
    world.file("answers.txt", "one: rm\ntwo: cd\nthree: whoami\n");
    let further = world.run();
    assert_eq!(further.code, 1);
    assert!(rules(&further).contains(&"case-regressed".to_owned()));
    world.file("answers.txt", WRONG);

    world.commit("blessed");
    assert_eq!(world.run().code, 0);
    assert!(update(&world).stdout.contains("absorbed"));
    world.commit("absorbed");
    let after = world.run();
    assert_eq!((after.code, after.verdict()), (0, "passed"), "{}", after.stdout);
    assert!(!after.stdout.contains("blessed"), "{}", after.stdout);
}

#[test]
fn suites_that_vary_by_a_flag_are_not_blessed() {
    let world = with_baseline(RIGHT);
    world.file("answers.txt", WRONG);
    world.commit("break");
    let ran = world.evalratchet(&["run", "--repeat", "3"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains("baseline bless"), "{}", ran.stdout);
    let blessed = world.evalratchet(&["baseline", "bless", "--reason", "x"]);
    assert!(blessed.code == 2 && blessed.stderr.contains("--repeat"), "{}", blessed.stderr);
}

#[test]
fn a_case_is_said_to_pull_only_what_it_pulls() {
    let world = repository(RIGHT);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &config.replace("target", "max-drop = 0.01\ntarget"));
    world.commit("first");
    world.run();
    update(&world);
    world.commit("baseline");
    world.file("answers.txt", WRONG);
    world.commit("break");
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "x", "--case", "b"]).code, 0);
    world.file("answers.txt", "one: rm\ntwo: cd\nthree: whoami\n");
    world.commit("break another");
    let ran = world.run();
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("pulls accuracy 0.667 → 0.333"), "{}", ran.stdout);
}

#[test]
fn a_baseline_file_is_compared_with_what_the_base_names() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "pr"]);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("[baseline]\nref = \"pr\"\n\n{config}"));
    world.commit("another baseline");
    let ran = world.evalratchet(&["run", "--baseline", ".evalratchet/baseline.json"]);
    assert!(ran.stdout.contains("not with the baseline on main"), "{}", ran.stdout);
    assert!(ran.stdout.contains("this change has another [baseline]; that of `main` counts"), "{}", ran.stdout);
}

#[test]
fn conflict_markers_that_were_committed_have_no_side_to_take() {
    let world = with_baseline(RIGHT);
    let file = ".evalratchet/baseline.json";
    let text = std::fs::read_to_string(world.path().join(file)).unwrap();
    let marked = format!("<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> x\n");
    world.file(file, &marked);
    world.commit("markers");
    world.git(&["checkout", "-q", "-b", "topic"]);
    for arguments in [&["run"][..], &["baseline", "resolve"]] {
        let ran = world.evalratchet(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("was committed with the conflict markers"), "{}", ran.stderr);
        assert!(ran.stderr.contains("git log -- .evalratchet/baseline.json"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("baseline resolve"), "{}", ran.stderr);
    }
    // One marker that was left over is enough.
    let world = with_baseline(RIGHT);
    world.file(".evalratchet/blessings/x.toml", "<<<<<<< HEAD\nreason = \"x\"\n");
    assert!(world.run().stderr.contains("has the conflict markers of git"));
}

#[test]
fn a_blessing_needs_something_to_bless_and_can_name_what_it_means() {
    let world = with_baseline(RIGHT);
    world.run();
    let nothing = world.evalratchet(&["baseline", "bless", "--reason", "x"]);
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("was not failed for anything"), "{}", nothing.stderr);
    world.file("answers.txt", WRONG);
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "x", "--case", "zz"]).code, 2);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", " "]).code, 2);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "x", "--case", "b"]).code, 0);
    let ran = world.run();
    assert_eq!(ran.code, 0, "what the case explains is blessed with it: {}", ran.stdout);
    assert!(rules(&ran).is_empty());
}

#[test]
fn each_bless_is_a_file_and_two_branches_that_bless_merge_without_a_conflict() {
    let world = with_baseline(RIGHT);
    let bless = |branch: &str, answers: &str, reason: &str| {
        world.git(&["checkout", "-q", "-b", branch, "main"]);
        world.file("answers.txt", answers);
        assert_eq!(world.run().code, 1);
        assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", reason]).code, 0);
        assert_eq!(world.run().code, 0);
        world.commit(branch);
    };
    bless("first", "one: rm\ntwo: pwd\nthree: whoami\n", "rm is asked for");
    bless("second", "one: ls\ntwo: cd\nthree: whoami\n", "cd is asked for");
    world.git(&["checkout", "-q", "main"]);
    world.git(&["merge", "-q", "--no-edit", "first"]);
    world.git(&["merge", "-q", "-X", "theirs", "--no-edit", "second"]);
    world.file("answers.txt", "one: rm\ntwo: cd\nthree: whoami\n");
    world.commit("both");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    let files = || std::fs::read_dir(world.path().join(".evalratchet/blessings")).unwrap().count();
    assert_eq!(files(), 2);
    assert!(update(&world).stdout.contains("2 blessings absorbed"));
    assert_eq!(files(), 0, "what is used up is deleted");
    world.commit("update");
    let after = world.run();
    assert_eq!((after.code, after.verdict()), (0, "passed"), "{}", after.stdout);
}

#[test]
fn in_a_job_only_blessings_that_are_committed_count() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", WRONG);
    world.commit("break");
    assert_eq!(world.run().code, 1);
    let placeholder = world.evalratchet(&["baseline", "bless", "--case", "b", "--reason", "…"]);
    assert_eq!(placeholder.code, 2, "the printed placeholder is no reason");
    assert_eq!(world.evalratchet(&["baseline", "bless", "--case", "b", "--reason", "cd is asked for"]).code, 0);
    let in_a_job = || world.ran(world.command(&["run"]).env("CI", "true").output().unwrap());
    assert_eq!(world.run().code, 0);
    assert_eq!(in_a_job().code, 1, "nobody has reviewed it");
    world.commit("bless");
    world.run();
    let update = world.evalratchet(&["baseline", "update"]);
    assert!(update.code == 2 && update.stderr.contains("after the merge"), "{}", update.stderr);
    let ran = in_a_job();
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn a_blessing_file_that_can_allow_nothing_is_a_mistake() {
    let world = with_baseline(RIGHT);
    let mistake = |text: &str| {
        world.file(".evalratchet/blessings/x.toml", text);
        let ran = world.run();
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        ran.stderr
    };
    assert!(mistake("reason = \"r\"\n").contains("allows nothing"));
    let one = |rest: &str| format!("reason = \"r\"\n[[allows]]\nsuite = \"s\"\n{rest}");
    assert!(mistake(&one("rule = \"too-many-errors\"\n")).contains("cannot be blessed"));
    assert!(mistake(&one("rule = \"case-regressed\"\n")).contains("`case` is missing"));
    assert!(mistake(&one("rule = \"case-regressed\"\ncase = \"a\"\nmore = 1\n")).contains("more"));
    let level = "rule = \"case-regressed\"\ncase = \"a\"\nnow = { status = \"failed\", score = -99.0 }\n";
    assert!(mistake(&one(level)).contains("between 0 and 1"));
    assert!(
        mistake(&one("rule = \"case-removed\"\ncase = \"a\"\n").replace("\"r\"", "\" … \""))
            .contains("must say something")
    );
    assert!(mistake("<<<<<<< HEAD\nreason = \"r\"\n>>>>>>> x\n").contains("conflict markers"));
}

#[test]
fn results_of_another_branch_bless_nothing() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "one"]);
    world.file("answers.txt", WRONG);
    world.commit("break");
    assert_eq!(world.run().code, 1);
    world.git(&["checkout", "-q", "-b", "two", "main"]);
    let blessed = world.evalratchet(&["baseline", "bless", "--reason", "x"]);
    assert!(blessed.code == 2 && blessed.stderr.contains("is not in the history of"), "{}", blessed.stderr);
}

#[test]
fn a_conflict_in_the_baseline_is_recognised_and_resolve_takes_mains_side() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    let update_with = |answers: &str| {
        world.file("answers.txt", answers);
        world.commit("answers");
        world.evalratchet(&["run", "--baseline", "none"]);
        assert_eq!(update(&world).code, 0);
        world.commit("baseline")
    };
    update_with("one: rm\ntwo: pwd\nthree: whoami\n");
    world.git(&["checkout", "-q", "main"]);
    let main = update_with("one: ls\ntwo: cd\nthree: whoami\n");
    world.git(&["checkout", "-q", "topic"]);
    let merged = crate::support::git().current_dir(world.path()).args(["merge", "main"]).output().unwrap();
    assert!(!merged.status.success(), "this world needs a conflict");
    world.file("answers.txt", "one: ls\ntwo: cd\nthree: whoami\n");
    let conflicted = world.run();
    assert_eq!(conflicted.code, 2, "{}", conflicted.stdout);
    assert!(
        conflicted.stderr.contains("has the conflict markers of git")
            && conflicted.stderr.contains("evalratchet baseline resolve"),
        "{}",
        conflicted.stderr
    );
    let resolved = world.evalratchet(&["baseline", "resolve"]);
    assert_eq!(resolved.code, 0, "{}", resolved.stderr);
    let read = |name: &str| std::fs::read_to_string(world.path().join(name)).unwrap();
    assert_eq!(
        read(".evalratchet/baseline.json").trim(),
        world.git(&["show", &format!("{main}:.evalratchet/baseline.json")]).trim()
    );
    assert!(world.evalratchet(&["baseline", "resolve"]).stdout.contains("has no conflict"));
    world.commit("merge");
    assert_eq!(world.run().code, 0);
}

#[test]
fn blessings_inside_an_old_baseline_hold_and_the_next_update_moves_them() {
    let world = repository(RIGHT);
    world.config("target = { command = [\"./answer.sh\", \"{prompt}\"] }\n[suite.gate]\naccuracy = { min = 0.9 }");
    world.commit("floor");
    assert_eq!(world.run().code, 0);
    update(&world);
    let path = world.path().join(".evalratchet/baseline.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let blessing = |rule: &str, about: &str, to: f64| {
        format!("{{\"rule\":\"{rule}\",\"suite\":\"s\",{about},\"to\":{to},\"reason\":\"of old\"}}")
    };
    let mut blessings =
        vec![blessing("case-regressed", "\"case\":\"b\"", 0.0), blessing("below-min", "\"metric\":\"accuracy\"", 0.5)];
    for metric in ["accuracy", "mean-score", "exact-rate"] {
        blessings.push(blessing("metric-dropped", &format!("\"metric\":\"{metric}\""), 0.5));
        for slice in ["category=c", "risk-level=safe"] {
            let about = format!("\"metric\":\"{metric}\",\"slice\":\"{slice}\"");
            blessings.push(blessing("slice-dropped", &about, 0.5));
        }
    }
    world.file(
        ".evalratchet/baseline.json",
        &text.replace("\"blessings\": []", &format!("\"blessings\": [{}]", blessings.join(","))),
    );
    world.file("answers.txt", WRONG);
    world.commit("as release 0.1 blessed it");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    assert_eq!(update(&world).code, 0);
    assert!(std::fs::read_to_string(&path).unwrap().contains("\"blessings\": []"));
    let file = std::fs::read_dir(world.path().join(".evalratchet/blessings")).unwrap().next().unwrap().unwrap();
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(text.contains("below-min") && !text.contains("case-regressed") && text.contains("of old"), "{text}");
    world.commit("moved");
    let after = world.run();
    assert_eq!((after.code, after.verdict()), (0, "passed"), "{}", after.stdout);
}

#[test]
fn blessing_after_the_printed_reproduce_command_covers_the_case_and_no_floor() {
    let world = repository(RIGHT);
    world.config("target = { command = [\"./answer.sh\", \"{prompt}\"] }\n[suite.gate]\naccuracy = { min = 0.9 }");
    world.commit("floor");
    assert_eq!(world.run().code, 0);
    update(&world);
    world.commit("baseline");
    world.file("answers.txt", WRONG);
    world.run();
    let case = world.evalratchet(&["run", "--suite", "s", "--case", "b"]);
    assert!(!case.stdout.contains("below its floor"), "{}", case.stdout);
    let refused = world.evalratchet(&["baseline", "bless", "--reason", "x"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("the run is of a part only"), "{}", refused.stderr);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "x", "--case", "b"]).code, 0);
    let text = std::fs::read_dir(world.path().join(".evalratchet/blessings")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(text).unwrap();
    assert!(!text.contains("below-min") && text.contains("[allows.was]"), "{text}");
    let whole = world.run();
    assert_eq!((whole.code, whole.verdict()), (0, "passed"), "{}", whole.stdout);
    world.commit("bless");
    assert_eq!(world.run().code, 0);
    assert!(update(&world).stdout.contains("absorbed"));
    world.commit("update");
    let after = world.run();
    assert_eq!(after.code, 0, "the floor is still blessed: {}", after.stdout);
}

#[test]
fn a_pull_request_that_lowers_its_own_floor_does_not_pass_quietly() {
    let world = repository(RIGHT);
    let config = |min: &str| {
        world.config(&format!(
            "target = {{ command = [\"./answer.sh\", \"{{prompt}}\"] }}\n[suite.gate]\naccuracy = {{ min = {min} }}"
        ))
    };
    config("0.9");
    world.commit("first");
    world.run();
    update(&world);
    world.commit("baseline");
    world.git(&["checkout", "-q", "-b", "pr"]);
    config("0.1");
    world.commit("lower");
    let ran = world.run();
    assert_eq!((ran.code, rules(&ran)), (1, vec!["weakened-gate".to_owned()]));
    assert!(ran.stdout.contains("min accuracy was 0.9 and is 0.1"), "{}", ran.stdout);
    // Nothing of the pull request's own baseline is believed but its blessings.
    let path = world.path().join(".evalratchet/baseline.json");
    let forged = std::fs::read_to_string(&path).unwrap().replace("\"min accuracy\": 0.9", "\"min accuracy\": 0.1");
    let honest = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, forged).unwrap();
    let forged = world.run();
    assert_eq!((forged.code, rules(&forged)), (1, vec!["weakened-gate".to_owned(), "baseline-edited".to_owned()]));
    std::fs::write(&path, honest).unwrap();
    assert_eq!(world.run().code, 1);
    assert_eq!(world.evalratchet(&["baseline", "bless", "--reason", "new data", "--metric", "accuracy"]).code, 0);
    assert_eq!(world.run().code, 0);
}

#[test]
fn a_pull_request_may_edit_the_baseline_only_as_an_update_would() {
    let world = with_baseline(WRONG);
    world.git(&["checkout", "-q", "-b", "pr"]);
    let path = world.path().join(".evalratchet/baseline.json");
    let honest = std::fs::read_to_string(&path).unwrap();
    std::fs::write(
        &path,
        honest.replacen(
            "\"a\": {\"status\":\"passed\",\"score\":1.0",
            "\"a\": {\"status\":\"failed\",\"score\":0.0",
            1,
        ),
    )
    .unwrap();
    world.commit("edit");
    let edited = world.run();
    assert_eq!((edited.code, rules(&edited)), (1, vec!["baseline-edited".to_owned()]), "{}", edited.stdout);
    // What this very run measures may stand there: that is how an update comes by pull request.
    std::fs::write(&path, &honest).unwrap();
    world.file("answers.txt", RIGHT);
    world.commit("mend");
    assert_eq!(world.run().code, 0);
    update(&world);
    world.commit("update");
    assert_ne!(std::fs::read_to_string(&path).unwrap(), honest);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
}

#[test]
fn a_pull_request_cannot_choose_where_the_baseline_is_found() {
    let world = with_baseline(RIGHT);
    let elsewhere = World::new();
    elsewhere.git(&["clone", "-q", &format!("file://{}", world.path().display()), "clone"]);
    let clone = elsewhere.path().join("clone");
    let git = |arguments: &[&str]| elsewhere.git_in("clone", arguments);
    git(&["checkout", "-q", "-b", "pr"]);
    std::fs::write(clone.join("answers.txt"), WRONG).unwrap();
    let config = std::fs::read_to_string(clone.join("evalratchet.toml")).unwrap();
    std::fs::write(
        clone.join("evalratchet.toml"),
        format!("[baseline]\nref = \"pr\"\npath = \"nowhere.json\"\n\n{config}"),
    )
    .unwrap();
    git(&["commit", "-q", "-am", "hide"]);
    let mut command = world.command(&["run", "--format", "json"]);
    let output = command.current_dir(&clone).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(results["gate"].to_string().contains("this change has another [baseline]"), "{}", results["gate"]);
}

#[test]
fn the_baseline_is_the_newest_whose_commit_the_run_is_based_on() {
    let world = with_baseline(WRONG);
    world.git(&["branch", "old"]);
    world.file("answers.txt", RIGHT);
    world.commit("mend");
    world.run();
    update(&world);
    world.commit("newer baseline");
    // Main moved on: a branch that left before is compared with what was there then.
    world.git(&["checkout", "-q", "old"]);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 case fails as in the baseline"), "{}", ran.stdout);
    // Detached, the same.
    world.git(&["checkout", "-q", "--detach"]);
    assert_eq!(world.run().code, 0);
    // As GitHub checks it out, the base is the first parent of the merge commit.
    world.git(&["checkout", "-q", "-b", "merge", "main"]);
    world.git(&["merge", "-q", "--no-ff", "-s", "ours", "-m", "merge", "old"]);
    world.file("answers.txt", WRONG);
    let mut command = world.command(&["run"]);
    let merged = world.ran(command.env("GITHUB_REF", "refs/pull/1/merge").output().unwrap());
    assert_eq!((merged.code, rules(&merged).contains(&"case-regressed".to_owned())), (1, true), "{}", merged.stdout);
    let base = merged.results.as_ref().unwrap()["comparison"]["baseline"]["base"].as_str().unwrap().to_owned();
    assert_eq!(base, world.git(&["rev-parse", "main"]));
}

#[test]
fn the_baseline_is_found_in_clones_worktrees_and_subdirectories() {
    let world = with_baseline(RIGHT);
    let run = |directory: &Path| {
        let output = Command::new(env!("CARGO_BIN_EXE_evalratchet"))
            .args(["run", "--format", "json"])
            .current_dir(directory)
            .env_remove("GITHUB_REF")
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let elsewhere = World::new();
    let url = format!("file://{}", world.path().display());
    elsewhere.git(&["clone", "-q", &url, "clone"]);
    let clone = elsewhere.path().join("clone");
    assert_eq!(run(&clone)["gate"]["verdict"], "passed");
    // Without a local main there is still the remote one.
    let git = |arguments: &[&str]| elsewhere.git_in("clone", arguments);
    git(&["checkout", "-q", "-b", "feature"]);
    git(&["branch", "-q", "-D", "main"]);
    assert_eq!(run(&clone)["gate"]["verdict"], "passed");
    git(&["worktree", "add", "-q", "../tree", "HEAD"]);
    assert_eq!(run(&elsewhere.path().join("tree"))["gate"]["verdict"], "passed");

    elsewhere.git(&["clone", "-q", "--depth", "1", "--branch", "main", &url, "shallow"]);
    // It holds a baseline file, but not the commits that say whether it is main's.
    let output = world.command(&["run"]).current_dir(elsewhere.path().join("shallow")).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("fetch-depth: 0"), "{said}");

    let sub = World::new();
    for name in ["evalratchet.toml", "cases.json", "answer.sh", "answers.txt"] {
        std::fs::create_dir_all(sub.path().join("evals")).unwrap();
        std::fs::copy(world.path().join(name), sub.path().join("evals").join(name)).unwrap();
    }
    sub.commit("first");
    let inside = |arguments: &[&str]| {
        let mut command = sub.command(arguments);
        command.current_dir(sub.path().join("evals")).output().unwrap()
    };
    inside(&["run"]);
    assert!(inside(&["baseline", "update"]).status.success());
    sub.git(&["add", "-f", "evals/.evalratchet"]);
    sub.commit("baseline");
    assert_eq!(run(&sub.path().join("evals"))["gate"]["verdict"], "passed");
}

#[test]
fn the_user_can_name_a_file_a_branch_or_none() {
    let world = with_baseline(RIGHT);
    world.file("answers.txt", WRONG);
    assert_eq!(world.evalratchet(&["run", "--baseline", "none"]).code, 0);
    let ran = world.evalratchet(&["run", "--baseline", ".evalratchet/baseline.json"]);
    assert_eq!((ran.code, source(&ran)), (1, ".evalratchet/baseline.json".to_owned()));
    world.git(&["branch", "-m", "trunk"]);
    assert_eq!(world.run().verdict(), "no-baseline");
    assert_eq!(world.evalratchet(&["run", "--baseline", "trunk"]).code, 1);
    for wrong in ["gone.json", "mian", "answers.txt", "--help-me"] {
        assert_eq!(world.evalratchet(&["run", &format!("--baseline={wrong}")]).code, 2, "{wrong}");
    }
    world.file("trunk", "a file that is called like the branch");
    assert_eq!(world.evalratchet(&["run", "--baseline", "trunk"]).code, 1);
    world.file("hostile.json", "{\"schema\": \"evalratchet.baseline/v1\", \"produced\": 3, \"suites\": []}");
    let hostile = world.evalratchet(&["run", "--baseline", "hostile.json"]);
    assert_eq!(hostile.code, 2);
    assert!(hostile.stderr.contains("hostile.json:1:"), "{}", hostile.stderr);
    let impossible = std::fs::read_to_string(world.path().join(".evalratchet/baseline.json")).unwrap();
    world.file("impossible.json", &impossible.replacen("\"score\":1.0", "\"score\":-5.0", 1));
    assert!(world.evalratchet(&["run", "--baseline", "impossible.json"]).stderr.contains("a score is between 0 and 1"));
    world.file("other.json", "{\"schema\": \"evalratchet.baseline/v9\"}");
    assert!(
        world.evalratchet(&["run", "--baseline", "other.json"]).stderr.contains("is not `evalratchet.baseline/v2`")
    );
}

#[test]
fn filtered_runs_and_older_commits_cannot_become_the_baseline() {
    let world = with_baseline(RIGHT);
    let before = std::fs::read_to_string(world.path().join(".evalratchet/baseline.json")).unwrap();
    world.evalratchet(&["run", "--case", "a"]);
    let filtered = world.evalratchet(&["baseline", "update"]);
    assert_eq!(filtered.code, 2);
    assert!(filtered.stderr.contains("a filter left something out"), "{}", filtered.stderr);
    world.run();
    world.file("answers.txt", WRONG);
    std::fs::rename(world.path().join("evalratchet-out"), world.path().join("clean")).unwrap();
    world.run();
    let dirty = world.evalratchet(&["baseline", "update"]);
    assert_eq!(dirty.code, 2);
    assert!(dirty.stderr.contains("uncommitted changes"), "{}", dirty.stderr);
    std::fs::remove_dir_all(world.path().join("evalratchet-out")).unwrap();
    std::fs::rename(world.path().join("clean"), world.path().join("evalratchet-out")).unwrap();
    world.commit("newer");
    std::fs::rename(world.path().join("evalratchet-out"), world.path().join("old-out")).unwrap();
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    let older = world.evalratchet(&["baseline", "update", "--from", "old-out"]);
    assert_eq!(older.code, 2);
    assert!(older.stderr.contains("which is newer"), "{}", older.stderr);
    assert_ne!(std::fs::read_to_string(world.path().join(".evalratchet/baseline.json")).unwrap(), before);
}

#[test]
fn the_history_of_the_file_is_the_trend() {
    let world = with_baseline(WRONG);
    world.file("answers.txt", RIGHT);
    world.commit("mend");
    world.run();
    update(&world);
    world.commit("newer baseline");
    let shown = world.evalratchet(&["baseline", "show"]);
    assert!(shown.stdout.contains("accuracy") && shown.stdout.contains("1.000"), "{}", shown.stdout);
    let history = world.evalratchet(&["baseline", "show", "--history"]);
    assert_eq!(history.code, 0, "{}", history.stderr);
    assert!(history.stdout.contains("▁█") && history.stdout.contains("2 versions"), "{}", history.stdout);
    assert_eq!(World::with_target("{ command = [\"true\"] }", &cases()).evalratchet(&["baseline", "show"]).code, 2);
}

#[test]
fn compare_gives_the_same_answer_as_the_gate() {
    let world = with_baseline(RIGHT);
    world.run();
    std::fs::rename(world.path().join("evalratchet-out"), world.path().join("before")).unwrap();
    world.file("answers.txt", WRONG);
    let gate = world.run();
    let compared = world.evalratchet(&["compare", "before", "evalratchet-out/results.json", "--format", "json"]);
    assert_eq!(compared.code, gate.code);
    let compared: Value = serde_json::from_str(&compared.stdout).unwrap();
    let reasons = |value: &Value| {
        value["gate"]["reasons"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["fails"] == true)
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(reasons(&compared), reasons(gate.results.as_ref().unwrap()));
    assert_eq!(world.evalratchet(&["compare", "before", "before"]).code, 0);
    assert_eq!(world.evalratchet(&["compare", "before", "gone"]).code, 2);
}

#[test]
fn suspects_are_asked_again_and_flaky_ones_are_called_so() {
    let world = with_baseline(RIGHT);
    // The second answer is wrong only the first time.
    world.script(
        "answer.sh",
        "if [ \"$1\" = two ] && [ ! -e asked ]; then touch asked; echo cd; else sed -n \"s/^$1: //p\" answers.txt; fi",
    );
    world.commit("flaky");
    let ran = world.evalratchet(&["run", "--retry-suspects", "2"]);
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert_eq!((&ran.case("b")["flaky"], ran.case("b")["attempts"].as_array().unwrap().len()), (&Value::Bool(true), 3));
    assert_eq!(ran.case("a")["attempts"].as_array().unwrap().len(), 1);
    assert!(ran.stdout.contains("b is flaky: 2 of 3 attempts pass"), "{}", ran.stdout);
    // What is really worse stays so.
    world.file("answers.txt", "one: rm\ntwo: pwd\nthree: whoami\n");
    let worse = world.evalratchet(&["run", "--retry-suspects", "2"]);
    assert_eq!((worse.code, &worse.case("a")["flaky"]), (1, &Value::Bool(false)));
}

#[test]
fn a_suite_whose_paths_did_not_change_shows_the_baselines_values() {
    let world = repository(RIGHT);
    let config = "target = { command = [\"./answer.sh\", \"{prompt}\"] }\npaths = [\"src/**\"]";
    world.config(config);
    world.file("src/lib.txt", "1");
    world.commit("first");
    world.run();
    update(&world);
    world.commit("baseline");
    world.git(&["checkout", "-q", "-b", "pr"]);
    world.file("README.txt", "docs");
    world.file("answers.txt", WRONG);
    world.commit("docs");
    let since = ["run", "--changed-since", "main"];
    let ran = world.evalratchet(&since);
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stdout);
    let suite = &ran.results.as_ref().unwrap()["suites"][0];
    assert_eq!(
        (&suite["affected"], &suite["metrics"]["accuracy"]["value"]),
        (&Value::Bool(false), &serde_json::json!(1.0))
    );
    assert!(ran.stdout.contains("1 of 1 suites not affected"), "{}", ran.stdout);
    // What it depends on, its own cases and its program do concern it; so does a change that is not committed yet.
    for file in ["src/new.txt", "cases.json", "answer.sh"] {
        let text = std::fs::read_to_string(world.path().join(file)).unwrap_or_default();
        world.file(file, &format!("{text}\n"));
        assert_eq!(world.evalratchet(&since).code, 1, "{file}");
        world.git(&["stash", "-q", "-u"]);
        world.git(&["stash", "drop", "-q"]);
    }
    // So does a file of cases that is gone, and what changed on main since its baseline was made.
    world.git(&["rm", "-q", "src/lib.txt"]);
    assert_eq!(world.evalratchet(&since).code, 1);
    world.git(&["reset", "-q", "--hard"]);
    // In doubt everything runs.
    let unknown = world.evalratchet(&["run", "--changed-since", "nowhere"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("everything runs"), "{}", unknown.stderr);
    world.config(&format!("{config}\njobs = 1"));
    let config = world.evalratchet(&since);
    assert!(config.stderr.contains("the configuration changed"), "{}", config.stderr);
    assert_eq!(config.code, 1);
}

#[test]
fn quarantines_need_a_case_an_owner_and_a_day() {
    let world = repository(RIGHT);
    let policy = |case: &str, rest: &str| {
        world.config(&format!("target = {{ command = [\"./answer.sh\", \"{{prompt}}\"] }}\n[[suite.case-policy]]\ncase = \"{case}\"\nquarantine = {{ {rest} }}"));
        world.evalratchet(&["check"])
    };
    assert_eq!(policy("b", "owner = \"search\", until = \"2999-12-31\"").code, 0);
    for (case, rest, message) in [
        ("bb", "owner = \"search\", until = \"2999-12-31\"", "there is no case `bb`"),
        ("b", "owner = \"search\", until = \"soon\"", "is not a day"),
        ("b", "until = \"2999-12-31\"", "`owner` is missing"),
    ] {
        let ran = policy(case, rest);
        assert_eq!(ran.code, 2);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
}

/// A copy of this repository's suites, compared with the baseline that is committed.
fn shipped() -> World {
    let world = World::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["evalratchet.toml", "datasets", "scenarios", "fixtures", ".evalratchet", "src"] {
        copy(&root.join(name), &world.path().join(name));
    }
    world
}

fn against_shipped(world: &World, suite: &str) -> Ran {
    world.evalratchet(&["run", "--suite", suite, "--baseline", ".evalratchet/baseline.json"])
}

fn edit(world: &World, file: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(world.path().join(file)).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(world.path().join(file), text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_wrong_answer_of_the_stand_in_translator_turns_the_shipped_run_red() {
    let world = shipped();
    assert_eq!(against_shipped(&world, "shell").code, 0);
    edit(&world, "fixtures/subjects/translate.sh", "'ls -al'", "'ls -R'");
    let ran = against_shipped(&world, "shell");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(rules(&ran).contains(&"case-regressed".to_owned()), "{:?}", rules(&ran));
}

#[test]
fn a_worse_recorded_answer_turns_the_shipped_run_red() {
    let world = shipped();
    assert_eq!(against_shipped(&world, "task-breakdown").code, 0);
    let file = "datasets/golden/task-breakdown/recorded.jsonl";
    let text = std::fs::read_to_string(world.path().join(file)).unwrap();
    let worse: Vec<String> = text
        .lines()
        .map(|line| {
            let mut recording: Value = serde_json::from_str(line).unwrap();
            if recording["case"] == "simple-programming-task" {
                recording["answer"] =
                    "{\"subtasks\": [{\"title\": \"Do it\", \"estimatedMinutes\": 5, \"xpReward\": 1}]}".into();
            }
            recording.to_string()
        })
        .collect();
    world.file(file, &worse.join("\n"));
    let ran = against_shipped(&world, "task-breakdown");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("simple-programming-task passed and now fails"), "{}", ran.stdout);
}

#[test]
fn a_lost_id_turns_the_shipped_run_red() {
    let world = shipped();
    assert_eq!(against_shipped(&world, "retrieval").code, 0);
    // A memory that cases ask for is gone from the index.
    let file = "datasets/retrieval/memories.json";
    let mut memories: Value = serde_json::from_str(&std::fs::read_to_string(world.path().join(file)).unwrap()).unwrap();
    let cases: Vec<Value> = serde_json::from_str(
        &std::fs::read_to_string(world.path().join("datasets/retrieval/memory_cases.json")).unwrap(),
    )
    .unwrap();
    let lost = cases.iter().find(|case| case["expected_ids"].as_array().unwrap().len() == 1).unwrap();
    let lost = lost["expected_ids"][0].as_str().unwrap();
    let list = if memories.is_array() { &mut memories } else { &mut memories["memories"] };
    let list = list.as_array_mut().unwrap();
    let before = list.len();
    list.retain(|memory| memory["id"].as_str().is_none_or(|id| !lost.ends_with(id)));
    assert_eq!(list.len() + 1, before, "{lost}");
    world.file(file, &memories.to_string());
    let ran = against_shipped(&world, "retrieval");
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(rules(&ran).contains(&"lost".to_owned()), "{:?}", rules(&ran));
}

#[test]
fn a_scenario_whose_edit_no_longer_applies_turns_the_shipped_run_red() {
    let world = shipped();
    let only = |world: &World| {
        world.evalratchet(&[
            "run",
            "--suite",
            "agents",
            "--case",
            "sql-index",
            "--baseline",
            ".evalratchet/baseline.json",
        ])
    };
    assert_eq!(only(&world).code, 0);
    let text = std::fs::read_to_string(world.path().join("scenarios/sql-index.json")).unwrap();
    let scenario: Value = serde_json::from_str(&text).unwrap();
    let fixture = scenario["fixture"]["path"].as_str().unwrap();
    // Whatever the edit builds upon is not there any more.
    for entry in std::fs::read_dir(world.path().join(fixture)).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::write(path, "-- emptied\n").unwrap();
        }
    }
    let ran = only(&world);
    assert_eq!((ran.code, ran.verdict()), (4, "broken"), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("schema.sql"), "{}", ran.stdout);
}

#[test]
fn a_change_that_takes_the_baseline_away_does_not_pass() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.git(&["rm", "-q", ".evalratchet/baseline.json"]);
    world.commit("no baseline");
    let ran = world.run();
    assert_eq!((ran.code, rules(&ran)), (1, vec!["baseline-edited".to_owned()]), "{}", ran.stdout);
    assert!(ran.stdout.contains("takes the baseline away"), "{}", ran.stdout);
}

#[test]
fn a_git_that_fails_is_an_error_in_its_own_words_and_not_a_missing_baseline() {
    let world = with_baseline(RIGHT);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    assert_eq!(world.run().code, 1);
    let said = |command: &mut Command| {
        let ran = world.ran(command.output().unwrap());
        assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    for arguments in
        [&["run"][..], &["run", "--baseline", "main"], &["baseline", "update"], &["baseline", "show", "--history"]]
    {
        let text = said(world.command(arguments).env("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1"));
        assert!(text.contains("dubious ownership") && text.contains("safe.directory"), "{arguments:?}: {text}");
        let text = said(world.command(arguments).env("GIT_DIR", "/nowhere"));
        assert!(text.contains("not a git repository: '/nowhere'"), "{arguments:?}: {text}");
    }
    let text = said(world.command(&["run"]).env("PATH", "/nowhere"));
    assert!(text.contains("git cannot be started"), "{text}");
    std::fs::write(world.path().join(".git/config"), "[").unwrap();
    let text = said(&mut world.command(&["run"]));
    assert!(text.contains("bad config line"), "{text}");
}

#[test]
fn an_object_that_git_has_lost_is_not_a_deleted_baseline() {
    for object in ["main:.evalratchet/baseline.json", "main"] {
        let world = with_baseline(RIGHT);
        let hash = world.git(&["rev-parse", object]);
        world.git(&["checkout", "-q", "-b", "topic", "HEAD~1"]);
        std::fs::remove_file(world.path().join(".git/objects").join(&hash[..2]).join(&hash[2..])).unwrap();
        let ran = world.run();
        assert_eq!(ran.code, 2, "{}", ran.stdout);
        assert!(ran.stderr.contains("fatal: ") && ran.stderr.contains(&hash), "{}", ran.stderr);
    }
}

#[test]
fn without_a_repository_git_is_not_needed() {
    let world = repository(RIGHT);
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "no-baseline"));
    assert!(ran.stdout.contains("this is no git repository"), "{}", ran.stdout);
    // Neither before the first commit.
    world.git(&["init", "-q"]);
    assert_eq!(world.run().verdict(), "no-baseline");
}

#[test]
fn a_badge_says_how_many_cases_pass() {
    let world = repository(WRONG);
    assert_eq!(world.run().code, 0);
    let ran = world.evalratchet(&["baseline", "update", "--badge"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(world.path().join(".evalratchet/badge.json")).unwrap();
    let badge: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&badge["schemaVersion"], &badge["message"]), (&json!(1), &json!("2 of 3 pass")));
}
