//! Reports that every run writes, and renders again.

use crate::support::{World, case};

const FILES: [(&str, &str); 6] = [
    ("json", "results.json"),
    ("junit", "junit.xml"),
    ("sarif", "results.sarif"),
    ("comment", "comment.md"),
    ("summary", "summary.md"),
    ("html", "report.html"),
];

#[test]
fn every_run_writes_every_report_and_they_render_again_byte_for_byte() {
    let cases = [case("a", "one", "ls"), case("b", "two", "pwd")];
    for (target, code) in [("echo", 0), ("echo", 1), ("/nowhere/at-all", 4)] {
        let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &cases);
        let gate = if code == 1 { "[suite.gate]\naccuracy = { min = 0.9 }" } else { "" };
        world.config(&format!("target = {{ command = [\"{target}\", \"ls\"] }}\n{gate}"));
        let ran = world.run();
        assert_eq!(ran.code, code, "{}", ran.stdout);
        assert!(ran.stdout.ends_with("evalratchet-out/report.html\n"), "{}", ran.stdout);
        for (format, file) in FILES {
            let written = std::fs::read_to_string(world.path().join("evalratchet-out").join(file)).unwrap();
            let again = world.evalratchet(&["report", "--from", "evalratchet-out/results.json", "--format", format]);
            assert_eq!(again.code, 0, "{}", again.stderr);
            assert!(again.stdout == written, "{file} is another one when rendered again");
            let to_file = world.evalratchet(&["report", "--format", format, "--out", "again"]);
            assert_eq!((to_file.code, to_file.stdout.as_str()), (0, ""));
            assert!(std::fs::read_to_string(world.path().join("again")).unwrap() == written, "{file}");
        }
    }
}

#[test]
fn one_report_that_cannot_be_written_does_not_keep_back_the_others() {
    let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &[case("a", "one", "ls")]);
    std::fs::create_dir_all(world.path().join("evalratchet-out/junit.xml/in-the-way")).unwrap();
    let ran = world.run();
    assert_eq!(ran.code, 0, "no output format changes the exit code");
    assert!(ran.stderr.contains("cannot write") && ran.stderr.contains("junit.xml"), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 of 1 measured cases pass"), "{}", ran.stdout);
    for (_, file) in FILES.iter().filter(|(format, _)| *format != "junit") {
        assert!(world.path().join("evalratchet-out").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_comment_has_the_size_that_is_asked_for_and_wrong_results_are_refused() {
    let cases: Vec<_> = (0..300).map(|n| case(&format!("c{n}"), &format!("p{n}"), "pwd")).collect();
    let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &cases);
    world.run();
    let small = world.evalratchet(&["report", "--format", "comment", "--budget", "2000"]);
    assert!(small.stdout.len() <= 2000 && small.stdout.contains("left out here"), "{}", small.stdout);
    world.file("wrong.json", "{\"schema\": \"something/v1\"}");
    for wrong in ["wrong.json", "gone.json", "cases.json"] {
        assert_eq!(world.evalratchet(&["report", "--from", wrong, "--format", "html"]).code, 2, "{wrong}");
    }
    assert_eq!(world.evalratchet(&["report", "--format", "pdf"]).code, 2);
}

#[test]
fn known_failures_can_be_skipped_in_junit() {
    let world =
        World::with_target("{ command = [\"echo\", \"ls\"] }", &[case("a", "one", "ls"), case("b", "two", "pwd")]);
    world.commit("first");
    world.run();
    assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
    world.commit("baseline");
    world.run();
    let junit = || std::fs::read_to_string(world.path().join("evalratchet-out/junit.xml")).unwrap();
    assert!(junit().contains("<failure"), "{}", junit());
    let config = std::fs::read_to_string(world.path().join("evalratchet.toml")).unwrap();
    world.file("evalratchet.toml", &format!("[report]\nknown-failures = \"skip\"\n\n{config}"));
    world.run();
    assert!(!junit().contains("<failure") && junit().contains("already fails in the baseline since"), "{}", junit());
}
