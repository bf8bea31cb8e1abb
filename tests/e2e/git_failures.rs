//! A git that cannot answer is not a missing baseline, and what is not here is not missing on main.

use std::path::Path;
use std::process::Command;

use crate::baseline::{RIGHT, WRONG, repository, rules, source, with_baseline};
use crate::support::{Ran, World, copy, git};

const FILE: &str = ".evalratchet/baseline.json";

/// A baseline on main, and a worse commit after it.
fn worse() -> World {
    let world = with_baseline(RIGHT);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    world
}

fn ran(world: &World, command: &mut Command) -> Ran {
    world.ran(command.output().unwrap())
}

/// The run stops with exit code 2 and says this.
fn refuses(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, 2, "{}{}", ran.stdout, ran.stderr);
    for word in words {
        assert!(ran.stderr.contains(word), "`{word}` is not in: {}", ran.stderr);
    }
}

fn verdict_line(ran: &Ran) -> String {
    let words = ["passed: ", "failed: ", "no baseline: "];
    let line = ran.stdout.lines().rfind(|line| words.iter().any(|word| line.starts_with(word)));
    line.unwrap_or_else(|| panic!("{}", ran.stdout)).to_owned()
}

#[test]
fn a_repository_that_git_cannot_read_is_exit_2_with_a_remedy() {
    type Spoil = fn(&Path);
    let cases: [(&str, Spoil, [&str; 2]); 5] = [
        ("version", |git| append(git, "[core]\n\trepositoryformatversion = 99\n"), ["99", "needs a newer git"]),
        (
            "extension",
            |git| append(git, "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tnew = true\n"),
            ["extension", "needs a newer git"],
        ),
        ("config", |git| append(git, "[core\n"), ["bad config line", "correct that line"]),
        (
            "branch",
            |git| std::fs::write(git.join("refs/heads/main"), "garbage\n").unwrap(),
            ["broken", "fetch it again"],
        ),
        ("head", |git| std::fs::write(git.join("HEAD"), "").unwrap(), ["not a git repository", "repair"]),
    ];
    let world = worse();
    assert_eq!(world.run().code, 1);
    copy(&world.path().join("evalratchet-out"), &world.path().join("measured"));
    for (name, spoil, words) in cases {
        let kept = world.path().join("kept");
        copy(&world.path().join(".git"), &kept);
        spoil(&world.path().join(".git"));
        for arguments in [&["run"][..], &["run", "--baseline", "main"], &["baseline", "update", "--from", "measured"]] {
            let ran = world.evalratchet(arguments);
            assert_eq!(ran.code, 2, "{name} {arguments:?}: {}{}", ran.stdout, ran.stderr);
            refuses(&ran, &words);
        }
        std::fs::remove_dir_all(world.path().join(".git")).unwrap();
        std::fs::rename(&kept, world.path().join(".git")).unwrap();
    }
    assert_eq!(world.run().code, 1);
}

fn append(git: &Path, text: &str) {
    let file = git.join("config");
    let before = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, format!("{before}{text}")).unwrap();
}

#[test]
fn a_broken_ref_of_main_is_not_a_missing_branch() {
    let world = worse();
    world.git(&["checkout", "-q", "-b", "topic"]);
    for text in ["", "garbage\n", "1234\n"] {
        std::fs::write(world.path().join(".git/refs/heads/main"), text).unwrap();
        refuses(&world.run(), &["broken ref refs/heads/main", "fetch it again"]);
    }
    std::fs::write(world.path().join(".git/refs/heads/main"), "ref: refs/heads/gone\n").unwrap();
    refuses(&world.run(), &["refs/heads/main is a symbolic ref to refs/heads/gone"]);
}

#[test]
fn git_must_answer_for_the_repository_of_the_directory() {
    let world = worse();
    let other = repository(RIGHT);
    other.commit("another repository");
    let other_git = other.path().join(".git");
    let named = ran(&world, world.command(&["run"]).env("GIT_DIR", &other_git));
    refuses(&named, &["git answers for", "unset GIT_DIR"]);
    let elsewhere = ran(&world, world.command(&["run"]).env("GIT_WORK_TREE", std::env::temp_dir()));
    refuses(&elsewhere, &["git answers for", "unset `GIT_WORK_TREE`"]);
    let literal = ran(&world, world.command(&["run"]).env("GIT_LITERAL_PATHSPECS", "1"));
    assert_eq!((literal.code, literal.verdict()), (1, "failed"), "{}", literal.stdout);
    // Git passes over an empty `.git` and goes on upwards.
    let inner = world.path().join("inner");
    std::fs::create_dir_all(inner.join(".git")).unwrap();
    for name in ["evalratchet.toml", "cases.json", "answer.sh", "answers.txt"] {
        copy(&world.path().join(name), &inner.join(name));
    }
    let unusable = ran(&world, world.command(&["run"]).current_dir(&inner));
    refuses(&unusable, &["git answers for", "repair the nearest `.git`"]);
    std::fs::remove_dir(inner.join(".git")).unwrap();
    std::fs::write(inner.join(".git"), "gitdir: /nowhere\n").unwrap();
    refuses(&ran(&world, world.command(&["run"]).current_dir(&inner)), &["not a git repository: /nowhere"]);
}

#[test]
fn in_a_hook_and_in_a_worktree_the_same_baseline_is_found() {
    let world = worse();
    let relative = ran(&world, world.command(&["run"]).env("GIT_DIR", ".git"));
    assert_eq!((relative.code, relative.verdict()), (1, "failed"), "{}", relative.stderr);
    world.git(&["worktree", "add", "-q", "tree", "-b", "topic"]);
    let tree = world.path().join("tree");
    for variables in [&[][..], &[("GIT_DIR", world.path().join(".git/worktrees/tree"))]] {
        let mut command = world.command(&["run", "--out", "../evalratchet-out"]);
        let ran = ran(&world, command.current_dir(&tree).envs(variables.iter().cloned()));
        assert_eq!((ran.code, ran.verdict()), (1, "failed"), "{}", ran.stderr);
    }
    // A hook has the root as its directory, whatever directory the configuration is in.
    let below = repository(RIGHT);
    std::fs::create_dir(below.path().join("evals")).unwrap();
    for name in ["evalratchet.toml", "cases.json", "answer.sh", "answers.txt"] {
        std::fs::rename(below.path().join(name), below.path().join("evals").join(name)).unwrap();
    }
    below.commit("first");
    let run = ["run", "--config", "evals/evalratchet.toml"];
    assert_eq!(below.evalratchet(&run).code, 0);
    assert_eq!(below.evalratchet(&["baseline", "update", "--config", "evals/evalratchet.toml"]).code, 0);
    below.commit("baseline");
    let hook = ran(&below, below.command(&run).env("GIT_DIR", ".git"));
    assert_eq!((hook.code, hook.verdict()), (0, "passed"), "{}{}", hook.stdout, hook.stderr);
}

#[test]
fn a_tree_whose_status_git_cannot_tell_is_not_clean() {
    let world = with_baseline(RIGHT);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    std::fs::write(world.path().join(".git/index"), "no index").unwrap();
    let ran = world.run();
    assert_eq!(ran.results.as_ref().unwrap()["run"]["dirty"], true, "{}", ran.stderr);
    let before = std::fs::read_to_string(world.path().join(FILE)).unwrap();
    refuses(&world.evalratchet(&["baseline", "update"]), &["uncommitted changes"]);
    assert_eq!(std::fs::read_to_string(world.path().join(FILE)).unwrap(), before);
}

#[test]
fn a_run_without_a_commit_never_replaces_a_baseline() {
    let world = with_baseline(RIGHT);
    let before = std::fs::read_to_string(world.path().join(FILE)).unwrap();
    // The same files, measured where there is no repository.
    let outside = repository(RIGHT);
    assert_eq!(outside.run().code, 0);
    let from = outside.path().join("evalratchet-out").display().to_string();
    let update = ["baseline", "update", "--from", &from];
    refuses(&world.evalratchet(&update), &["does not know its commit"]);
    assert_eq!(std::fs::read_to_string(world.path().join(FILE)).unwrap(), before);
    // Nor may it be the first one in a repository, where it would never be found.
    std::fs::remove_file(world.path().join(FILE)).unwrap();
    refuses(&world.evalratchet(&update), &["does not know its commit"]);
    // Of a commit that is not here nobody can tell whether it is older.
    let other = repository(RIGHT);
    other.file("more.txt", "1");
    other.commit("another repository");
    assert_eq!(other.run().code, 0);
    let from = other.path().join("evalratchet-out").display().to_string();
    refuses(&world.evalratchet(&["baseline", "update", "--from", &from]), &["is not in this repository"]);
}

#[test]
fn a_ref_that_the_configuration_names_must_exist() {
    let world = worse();
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("[baseline]\nref = \"mian\"\n\n{config}"));
    world.commit("a typo");
    refuses(&world.run(), &["`ref` in [baseline] is `mian`", "no such branch here"]);
}

#[test]
fn a_fresh_repository_on_master_has_no_baseline_yet() {
    let world = repository(RIGHT);
    world.git(&["init", "-q", "-b", "master"]);
    assert_eq!(world.run().verdict(), "no-baseline");
    world.commit("first");
    let ran = world.run();
    assert_eq!((ran.code, ran.verdict()), (0, "no-baseline"), "{}", ran.stderr);
    assert!(ran.stdout.contains("name another with `ref` in [baseline]"), "{}", ran.stdout);
}

#[test]
fn without_main_the_default_branch_of_origin_has_the_baseline() {
    let world = worse();
    world.git(&["branch", "-q", "-m", "main", "trunk"]);
    let clone = clone(&world, &[]);
    let ran = clone.run();
    assert_eq!((ran.code, rules(&ran).is_empty()), (1, false), "{}{}", ran.stdout, ran.stderr);
    assert!(source(&ran).starts_with("trunk:"), "{}", source(&ran));
}

/// A clone of the world's repository, with a directory of its own.
fn clone(world: &World, arguments: &[&str]) -> World {
    let clone = World::new();
    let url = format!("file://{}", world.path().display());
    let output = git().args(["clone", "-q"]).args(arguments).arg(&url).arg(clone.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    clone
}

#[test]
fn a_clone_without_the_history_of_main_is_exit_2_if_it_holds_a_baseline() {
    let world = worse();
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("more.txt", "1");
    world.commit("topic");
    world.git(&["checkout", "-q", "main"]);
    let shallow = clone(&world, &["--depth", "1", "--branch", "topic"]);
    refuses(&shallow.run(), &["shallow clone", "fetch-depth: 0", "evalratchet baseline fetch"]);
    // A change cannot get around that by naming another file.
    let config = std::fs::read_to_string(shallow.path().join("evalratchet.toml")).unwrap();
    shallow.file("evalratchet.toml", &format!("[baseline]\npath = \"mine.json\"\n\n{config}"));
    refuses(&shallow.run(), &["shallow clone"]);
    // Main is not here, though nothing is shallow.
    let single = clone(&world, &["--single-branch", "--branch", "topic"]);
    refuses(&single.run(), &["there is no branch `main` here", "fetch it"]);
    // Without a baseline file there is no baseline yet.
    let fresh = repository(RIGHT);
    fresh.commit("first");
    fresh.commit("second");
    let shallow = clone(&fresh, &["--depth", "1"]);
    let ran = shallow.run();
    assert_eq!((ran.code, ran.verdict()), (0, "no-baseline"), "{}", ran.stderr);
}

#[test]
fn a_required_baseline_must_be_there() {
    let world = repository(RIGHT);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    let required = format!("[baseline]\nrequired = true\n\n{config}");
    world.file("evalratchet.toml", &required);
    refuses(&world.run(), &["`required = true`", "no git repository"]);
    world.commit("first");
    refuses(&world.run(), &["`required = true`", "--baseline none"]);
    let ran = world.evalratchet(&["run", "--baseline", "none"]);
    assert_eq!((ran.code, ran.verdict()), (0, "passed"), "{}", ran.stderr);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    assert_eq!(world.run().code, 0);
    // A fetched file that holds none is no way around it.
    let nowhere = "{\"schema\": \"evalratchet.fetched/v1\", \"found\": {\"nowhere\": \"no baseline on GitHub\"}, \"on_main\": false, \"baseline\": null, \"at_base\": null}";
    world.file("fetched.json", nowhere);
    refuses(&world.evalratchet(&["run", "--baseline", "fetched.json"]), &["`required = true`", "on GitHub"]);
}

#[test]
fn a_run_that_is_not_compared_says_so() {
    let world = worse();
    let none = world.evalratchet(&["run", "--baseline", "none"]);
    assert_eq!(none.code, 0);
    assert!(verdict_line(&none).contains("not compared"), "{}", none.stdout);
    let outside = repository(RIGHT).run();
    assert_eq!((outside.code, outside.verdict()), (0, "no-baseline"));
    assert!(verdict_line(&outside).contains("not compared"), "{}", outside.stdout);
    assert!(outside.stdout.contains("this is no git repository, so nothing is compared"), "{}", outside.stdout);
}

#[test]
fn a_baseline_that_is_not_mains_is_named_in_the_verdict() {
    let world = worse();
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("my own baseline");
    for (named, found) in [("topic", "topic:.evalratchet/baseline.json@"), (FILE, ".evalratchet/baseline.json")] {
        let ran = world.evalratchet(&["run", "--baseline", named]);
        let line = verdict_line(&ran);
        assert!(line.contains(&format!("compared with {found}")), "{line}");
        assert!(line.contains("not with the baseline on main"), "{line}");
        let comment = std::fs::read_to_string(world.path().join("evalratchet-out/comment.md")).unwrap();
        assert!(comment.lines().take(3).any(|line| line.contains("not with the baseline on main")), "{comment}");
    }
    for named in ["main", "refs/heads/main"] {
        let ran = world.evalratchet(&["run", "--baseline", named]);
        assert_eq!(ran.code, 1);
        assert!(!ran.stdout.contains("not with the baseline on"), "{}", ran.stdout);
    }
}

#[test]
fn a_change_without_a_common_ancestor_is_not_compared_with_nothing() {
    let world = worse();
    world.git(&["checkout", "-q", "--orphan", "unrelated"]);
    refuses(&world.run(), &["no common ancestor"]);
    world.commit("unrelated");
    refuses(&world.run(), &["no common ancestor"]);
}

#[test]
fn a_named_baseline_must_be_there_without_a_repository_or_a_commit() {
    let outside = repository(RIGHT);
    for named in ["main", "origin/main", "deadbeef"] {
        refuses(&outside.evalratchet(&["run", "--baseline", named]), &["--baseline", "no git repository", named]);
    }
    refuses(&ran(&outside, outside.command(&["run", "--baseline", "main"]).env("CI", "1")), &["no git repository"]);
    let config = std::fs::read_to_string(outside.path().join("evalratchet.toml")).unwrap();
    let with_ref = |name: &str| format!("[baseline]\nref = \"{name}\"\n\n{config}");
    outside.file("evalratchet.toml", &with_ref("main"));
    refuses(&outside.run(), &["`ref` in [baseline] is `main`", "no git repository"]);
    assert_eq!(outside.evalratchet(&["run", "--baseline", "none"]).code, 0);

    let empty = repository(RIGHT);
    empty.git(&["init", "-q"]);
    for named in ["main", "zzz"] {
        refuses(&empty.evalratchet(&["run", "--baseline", named]), &["no commit yet", named]);
    }
    empty.file("evalratchet.toml", &with_ref("trunk"));
    refuses(&empty.run(), &["`ref` in [baseline] is `trunk`", "no commit yet"]);
    // The branch that the first commit will make is what `init` writes.
    empty.file("evalratchet.toml", &with_ref("main"));
    assert_eq!(empty.run().verdict(), "no-baseline");
    empty.git(&["remote", "add", "origin", "https://example.org/x.git"]);
    refuses(&empty.run(), &["`ref` in [baseline] is `main`", "fetch that branch"]);
}

#[test]
fn a_change_cannot_hide_the_baseline_by_deleting_its_file() {
    for path in [FILE, "kept/here.json"] {
        let world = repository(RIGHT);
        let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
        world.file("evalratchet.toml", &format!("[baseline]\npath = \"{path}\"\n\n{config}"));
        world.commit("first");
        assert_eq!(world.run().code, 0);
        assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
        world.commit("baseline");
        let hide = |world: &World| {
            world.git(&["rm", "-q", "-r", "-f", path.split('/').next().unwrap()]);
            world.file("evalratchet.toml", &config);
            world.file("answers.txt", WRONG);
            world.commit("worse");
        };
        // Only `origin/master` is known, and nobody says that it is the default branch.
        let upstream = clone(&world, &[]);
        upstream.git(&["checkout", "-q", "-b", "master"]);
        let topic = clone(&upstream, &["--single-branch", "--branch", "master"]);
        topic.git(&["remote", "set-head", "origin", "--delete"]);
        topic.git(&["checkout", "-q", "-b", "topic"]);
        topic.git(&["branch", "-q", "-D", "master"]);
        hide(&topic);
        refuses(&ran(&topic, topic.command(&["run"]).env("CI", "1")), &["there is no branch `main` here"]);
        // A branch without a common ancestor.
        world.git(&["checkout", "-q", "--orphan", "unrelated"]);
        hide(&world);
        for arguments in [&["run"][..], &["run", "--baseline", "main"]] {
            refuses(&world.evalratchet(arguments), &["no common ancestor"]);
            refuses(&ran(&world, world.command(arguments).env("CI", "1")), &["no common ancestor"]);
        }
    }
    // A repository that never had one has none yet.
    let fresh = repository(RIGHT);
    fresh.commit("first");
    fresh.git(&["checkout", "-q", "--orphan", "unrelated"]);
    fresh.commit("unrelated");
    assert_eq!((fresh.run().code, fresh.run().verdict()), (0, "no-baseline"));
}

#[test]
fn a_branch_cannot_drop_required_where_there_is_no_origin() {
    let world = repository(RIGHT);
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("[baseline]\nrequired = true\n\n{config}"));
    world.commit("first");
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("evalratchet.toml", &config);
    world.commit("not required");
    refuses(&world.run(), &["`required = true`"]);
}

#[test]
fn grafts_and_replaced_objects_do_not_change_the_history() {
    let world = with_baseline(RIGHT);
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", WRONG);
    world.commit("worse");
    assert_eq!(world.run().code, 1);
    let main = world.git(&["rev-parse", "main"]);
    world.git(&["replace", "--graft", &main]);
    assert_eq!(world.run().code, 1, "a replaced commit");
    world.git(&["replace", "-d", &main]);
    std::fs::create_dir_all(world.path().join(".git/info")).unwrap();
    std::fs::write(world.path().join(".git/info/grafts"), format!("{main}\n")).unwrap();
    assert_eq!(world.run().code, 1, "a graft");
    std::fs::remove_file(world.path().join(".git/info/grafts")).unwrap();
    // Another file in the place of the baseline.
    let worse = std::fs::read_to_string(world.path().join(FILE)).unwrap().replace("\"passed\"", "\"failed\"");
    let other = world.file("other.json", &worse).display().to_string();
    let blob = world.git(&["hash-object", "-w", &other]);
    std::fs::remove_file(other).unwrap();
    let kept = world.git(&["rev-parse", &format!("main:{FILE}")]);
    world.git(&["replace", &kept, &blob]);
    assert_eq!(world.run().code, 1, "a replaced baseline");
}
