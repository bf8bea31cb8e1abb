//! `--changed-since` sees changes through links, submodules and other names. In doubt a suite runs.

use std::os::unix::fs::symlink;

use crate::baseline::{RIGHT, WRONG, repository};
use crate::support::{Ran, World};

const SINCE: [&str; 3] = ["run", "--changed-since", "main"];
const TARGET: &str = "{ command = [\"./answer.sh\", \"{prompt}\"] }";

/// A baseline on main of a suite with these `paths`, and a topic with worse answers that the suite does not name.
fn prepared(world: &World, paths: &str) {
    configured(world, TARGET, paths);
    does_not_run(world, "nothing that it names changed");
}

fn configured(world: &World, target: &str, paths: &str) {
    world.config(&format!("target = {target}\npaths = [{paths}]"));
    world.commit("first");
    let first = world.run();
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("answers.txt", WRONG);
    world.commit("worse");
}

fn unaffected(ran: &Ran) -> usize {
    let results = ran.results.as_ref().unwrap_or_else(|| panic!("{}", ran.stderr));
    results["suites"].as_array().unwrap().iter().filter(|suite| suite["affected"] == false).count()
}

/// The suite runs, and its worse answers are seen.
fn runs(world: &World, why: &str) {
    let ran = world.evalratchet(&SINCE);
    assert_eq!((ran.code, unaffected(&ran)), (1, 0), "{why}: {}{}", ran.stdout, ran.stderr);
}

fn does_not_run(world: &World, why: &str) {
    let ran = world.evalratchet(&SINCE);
    assert_eq!((ran.code, unaffected(&ran)), (0, 1), "{why}: {}{}", ran.stdout, ran.stderr);
}

/// Takes back what is not committed.
fn undo(world: &World) {
    world.git(&["reset", "-q", "--hard"]);
    world.git(&["clean", "-q", "-fd"]);
}

fn link(world: &World, target: &str, name: &str) {
    let path = world.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

#[test]
fn a_change_behind_a_link_of_paths_cases_or_target_is_seen() {
    let world = repository(RIGHT);
    std::fs::create_dir(world.path().join("real")).unwrap();
    std::fs::rename(world.path().join("cases.json"), world.path().join("real/cases.json")).unwrap();
    std::fs::rename(world.path().join("answer.sh"), world.path().join("real/answer.sh")).unwrap();
    link(&world, "real/cases.json", "cases.json");
    link(&world, "real/answer.sh", "answer.sh");
    world.file("shared/deep/lib.txt", "1");
    world.file("single.txt", "1");
    link(&world, "shared", "src/shared");
    link(&world, "../single.txt", "src/single.txt");
    std::fs::remove_file(world.path().join("src/shared")).unwrap();
    link(&world, "../shared", "src/shared");
    link(&world, "src", "chained");
    prepared(&world, "\"chained/**\"");
    for file in ["real/cases.json", "real/answer.sh", "shared/deep/lib.txt", "shared/new.txt", "single.txt"] {
        let text = std::fs::read_to_string(world.path().join(file)).unwrap_or_default();
        std::fs::write(world.path().join(file), format!("{text}\n")).unwrap();
        runs(&world, file);
        undo(&world);
    }
    world.file("real/other.txt", "unrelated");
    does_not_run(&world, "real/other.txt");
    undo(&world);
    // A link that leads somewhere else now, and one whose target is gone.
    std::fs::remove_file(world.path().join("src/shared")).unwrap();
    link(&world, "../real", "src/shared");
    runs(&world, "another target");
    undo(&world);
    world.git(&["rm", "-q", "single.txt"]);
    runs(&world, "a target that is gone");
}

#[test]
fn a_link_in_the_middle_of_a_chain_that_leads_elsewhere_now_is_seen() {
    for (target, paths) in [("./bin/answer.sh", "nothing/**"), ("./answer.sh", "src/**"), ("./answer.sh", "data/**")] {
        let world = repository(RIGHT);
        for (version, body) in [("v1", "sed -n \"s/^$1: //p\" answers.txt"), ("v2", "echo no")] {
            world.script(&format!("{version}/answer.sh"), body);
            world.file(&format!("{version}/lib.txt"), version);
        }
        link(&world, "v1", "middle");
        link(&world, "middle", "bin");
        link(&world, "../middle/lib.txt", "src/lib.txt");
        link(&world, "middle", "data");
        configured(&world, &format!("{{ command = [\"{target}\", \"{{prompt}}\"] }}"), &format!("\"{paths}\""));
        does_not_run(&world, "only what is not named changed");
        std::fs::remove_file(world.path().join("middle")).unwrap();
        link(&world, "v2", "middle");
        world.commit("another version");
        runs(&world, &format!("{target} {paths}"));
    }
}

#[test]
fn what_a_link_leads_to_outside_of_the_repository_may_have_changed() {
    let outside = World::new();
    outside.file("data/lib.txt", "1");
    for (folder, is_seen) in [("src", true), ("other", false)] {
        let world = repository(RIGHT);
        world.file("src/lib.txt", "1");
        link(&world, &outside.path().join("data").display().to_string(), &format!("{folder}/data"));
        configured(&world, TARGET, "\"src/**\"");
        if is_seen { runs(&world, folder) } else { does_not_run(&world, folder) }
    }
}

#[test]
fn a_submodule_that_moved_or_was_edited_concerns_what_is_in_it() {
    let library = World::new();
    library.file("lib.txt", "1");
    library.commit("first");
    let world = repository(RIGHT);
    world.git(&["init", "-q"]);
    world.file(".gitignore", "evalratchet-out\n");
    let url = format!("file://{}", library.path().display());
    world.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", &url, "vendor/lib"]);
    // A change must not be able to hide it.
    world.git(&["config", "-f", ".gitmodules", "submodule.vendor/lib.ignore", "all"]);
    link(&world, "vendor/lib", "linked");
    prepared(&world, "\"linked/*.txt\"");
    std::fs::write(world.path().join("vendor/lib/lib.txt"), "2").unwrap();
    runs(&world, "edited");
    world.git_in("vendor/lib", &["checkout", "-q", "lib.txt"]);
    does_not_run(&world, "as it was");
    library.file("lib.txt", "3");
    let newer = library.commit("second");
    world.git_in("vendor/lib", &["fetch", "-q"]);
    world.git_in("vendor/lib", &["checkout", "-q", &newer]);
    runs(&world, "another commit");
    world.git(&["add", "-f", "vendor/lib"]);
    world.git(&["commit", "-q", "-m", "move it"]);
    runs(&world, "committed");
}

#[test]
fn a_folder_and_the_files_that_a_script_names_count() {
    let world = repository(RIGHT);
    world.file("src/deep/lib.txt", "1");
    world.file("tools/run.sh", "1");
    world.file("tools/other.sh", "1");
    configured(
        &world,
        "{ command = [\"sh\", \"-c\", \"cat tools/run.sh >/dev/null; ./answer.sh $0\", \"{prompt}\"] }",
        "\"./src/\"",
    );
    for (file, is_seen) in
        [("src/deep/lib.txt", true), ("tools/run.sh", true), ("answer.sh", true), ("tools/other.sh", false)]
    {
        let text = std::fs::read_to_string(world.path().join(file)).unwrap();
        std::fs::write(world.path().join(file), format!("{text}\n")).unwrap();
        if is_seen {
            runs(&world, file)
        } else {
            does_not_run(&world, file)
        }
        undo(&world);
    }
}

#[test]
fn files_above_the_configuration_are_named_from_it() {
    let world = repository(RIGHT);
    std::fs::create_dir_all(world.path().join("evals/shell")).unwrap();
    for name in ["evalratchet.toml", "cases.json", "answer.sh", "answers.txt"] {
        std::fs::rename(world.path().join(name), world.path().join("evals/shell").join(name)).unwrap();
    }
    let config = "evals/shell/evalratchet.toml";
    let text = std::fs::read_to_string(world.path().join(config)).unwrap();
    world.file(config, &format!("{text}paths = [\"../lib/**\", \"../../src/**\"]\n"));
    world.file("evals/lib/a.txt", "1");
    world.file("src/a.txt", "1");
    world.commit("first");
    let with = |arguments: &[&str]| world.evalratchet(&[arguments, &["--config", config]].concat());
    assert_eq!(with(&["run"]).code, 0);
    assert_eq!(with(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.git(&["checkout", "-q", "-b", "topic"]);
    world.file("evals/shell/answers.txt", WRONG);
    world.commit("worse");
    assert_eq!(unaffected(&with(&SINCE)), 1);
    for file in ["evals/lib/a.txt", "src/b.txt"] {
        world.file(file, "2");
        assert_eq!(with(&SINCE).code, 1, "{file}");
        undo(&world);
    }
}

#[test]
fn cases_that_git_ignores_may_have_changed() {
    let world = repository(RIGHT);
    world.git(&["init", "-q"]);
    world.file(".gitignore", "evalratchet-out\ncases.json\n");
    world.file("src/lib.txt", "1");
    configured(&world, TARGET, "\"src/**\"");
    runs(&world, "git does not know the cases");
}

#[test]
fn what_git_ignores_may_have_changed() {
    let body = "sed -n \"s/^$1: //p\" answers.txt";
    // A target, a link to one, a file that `paths` matches, and a folder of a module.
    for (name, target, paths) in [
        ("bin/tool.sh", "\"./bin/tool.sh\", \"{prompt}\"", "src/**"),
        ("bin/tool.sh", "\"./link.sh\", \"{prompt}\"", "src/**"),
        ("bin/data.txt", "\"./answer.sh\", \"{prompt}\"", "bin/*.txt"),
        ("bin/data.txt", "\"./answer.sh\", \"{prompt}\"", "linked/**"),
        ("bin/data.txt", "\"./answer.sh\", \"{prompt}\"", "."),
    ] {
        let world = repository(RIGHT);
        world.git(&["init", "-q"]);
        world.file(".gitignore", "evalratchet-out\nbin/\n");
        world.file("src/lib.txt", "1");
        world.script(name, body);
        link(&world, "bin/tool.sh", "link.sh");
        link(&world, "bin", "linked");
        configured(&world, &format!("{{ command = [{target}] }}"), &format!("\"{paths}\""));
        let ran = world.evalratchet(&SINCE);
        assert_eq!((ran.code, unaffected(&ran)), (1, 0), "{target} {paths}: {}", ran.stdout);
        assert!(paths == "." || ran.stderr.contains("git ignores what"), "{}", ran.stderr);
    }
    let world = repository(RIGHT);
    world.git(&["init", "-q"]);
    world.file(".gitignore", "evalratchet-out\nbin/\n__pycache__/\n");
    world.file("bin/unrelated.txt", "1");
    world.file("src/__pycache__/a.pyc", "1");
    world.file("src/lib.txt", "1");
    configured(&world, TARGET, "\"src/**\"");
    does_not_run(&world, "what is ignored is not named");
}

#[test]
fn a_target_in_an_ignored_clone_may_have_changed() {
    let world = repository(RIGHT);
    world.git(&["init", "-q"]);
    world.file(".gitignore", "evalratchet-out\nclone/\n");
    world.script("clone/tool.sh", "sed -n \"s/^$1: //p\" answers.txt");
    world.git_in("clone", &["init", "-q"]);
    world.git_in("clone", &["add", "-A"]);
    world.git_in("clone", &["commit", "-q", "-m", "first"]);
    configured(&world, "{ command = [\"./clone/tool.sh\", \"{prompt}\"] }", "\"src/**\"");
    runs(&world, "git does not look into the clone");
}

#[test]
fn a_python_module_is_the_folder_or_the_file_of_its_name() {
    for (module, file) in [("tool.main", "tool/other.py"), ("tool", "tool.py")] {
        let world = repository(RIGHT);
        let program = "import sys\nfor line in open('answers.txt'):\n    k, _, v = line.partition(': ')\n    if k == sys.argv[1]: print(v, end='')\n";
        let main = if module == "tool" { "tool.py" } else { "tool/main.py" };
        world.file(main, program);
        if main != file {
            world.file(file, "x = 1\n");
        }
        let target = format!("{{ command = [\"python3\", \"-B\", \"-m\", \"{module}\", \"{{prompt}}\"] }}");
        configured(&world, &target, "\"src/**\"");
        does_not_run(&world, module);
        let text = std::fs::read_to_string(world.path().join(file)).unwrap();
        world.file(file, &format!("{text}\n"));
        runs(&world, file);
    }
}

#[test]
fn a_pattern_that_matches_a_link_sees_what_is_behind_it() {
    let world = repository(RIGHT);
    world.file("vendor/x/y", "1");
    world.file("src/lib.txt", "1");
    link(&world, "../vendor", "src/v");
    prepared(&world, "\"src/*\"");
    world.file("vendor/x/y", "2");
    runs(&world, "behind a link");
}

#[test]
fn edits_that_the_index_hides_are_seen() {
    for mark in ["--assume-unchanged", "--skip-worktree"] {
        let world = repository(RIGHT);
        world.file("src/lib.txt", "1");
        prepared(&world, "\"src/**\"");
        world.git(&["update-index", mark, "src/lib.txt"]);
        does_not_run(&world, "as it was");
        assert_eq!(world.evalratchet(&["run", "--baseline", "none"]).results.unwrap()["run"]["dirty"], false);
        world.file("src/lib.txt", "2");
        runs(&world, mark);
        assert_eq!(world.evalratchet(&["run", "--baseline", "none"]).results.unwrap()["run"]["dirty"], true);
        let update = world.evalratchet(&["baseline", "update"]);
        assert!(update.code == 2 && update.stderr.contains("uncommitted changes"), "{}", update.stderr);
        // A sparse checkout leaves files out; a file that was deleted is an edit.
        std::fs::remove_file(world.path().join("src/lib.txt")).unwrap();
        if mark == "--skip-worktree" { does_not_run(&world, "left out") } else { runs(&world, "deleted") }
    }
}

#[test]
fn a_submodule_of_a_submodule_cannot_hide_its_edits() {
    let allow = ["-c", "protocol.file.allow=always", "submodule"];
    let library = World::new();
    library.file("lib.txt", "1");
    library.commit("first");
    let nest = World::new();
    nest.git(&["init", "-q"]);
    let url = format!("file://{}", library.path().display());
    nest.git(&[&allow[..], &["add", "-q", &url, "inner"]].concat());
    nest.git(&["config", "-f", ".gitmodules", "submodule.inner.ignore", "all"]);
    nest.commit("first");
    let world = repository(RIGHT);
    world.git(&["init", "-q"]);
    world.file(".gitignore", "evalratchet-out\n");
    let url = format!("file://{}", nest.path().display());
    world.git(&[&allow[..], &["add", "-q", &url, "nest"]].concat());
    world.git(&[&allow[..], &["update", "-q", "--init", "--recursive"]].concat());
    prepared(&world, "\"nest/inner/**\"");
    std::fs::write(world.path().join("nest/inner/lib.txt"), "2").unwrap();
    runs(&world, "edited");
    let update = world.evalratchet(&["baseline", "update"]);
    assert!(update.code == 2 && update.stderr.contains("uncommitted changes"), "{}", update.stderr);
}
