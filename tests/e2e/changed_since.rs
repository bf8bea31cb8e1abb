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
