//! What the user chose to run.

use serde_json::json;

use crate::support::{World, case};

fn world() -> World {
    let mut tagged = case("b", "2", "ls");
    tagged["tags"] = json!(["find"]);
    World::with_target("{ command = [\"echo\", \"ls\"] }", &[case("a", "1", "ls"), tagged, case("ab", "3", "ls")])
}

fn chosen(arguments: &[&str]) -> Vec<String> {
    let ran = world().evalratchet(&[&["run"], arguments].concat());
    assert_eq!(ran.results.as_ref().unwrap()["run"]["partial"], true);
    let statuses = ran.statuses();
    assert_eq!(statuses.len(), 3, "every declared case has a result");
    statuses.into_iter().filter(|(_, status)| status != "skipped").map(|(id, _)| id).collect()
}

#[test]
fn filters_choose_and_the_rest_is_skipped() {
    assert_eq!(chosen(&["--filter", "a"]), ["a", "ab"]);
    assert_eq!(chosen(&["--filter", "s/a"]), ["a", "ab"]);
    assert_eq!(chosen(&["--filter", "=a"]), ["a"]);
    assert_eq!(chosen(&["--tag", "find"]), ["b"]);
    assert_eq!(chosen(&["--suite", "s", "--filter", "b"]), ["b", "ab"]);
    assert_eq!(chosen(&["--module", "s"]), ["a", "b", "ab"]);
    assert_eq!(chosen(&["--kind", "command"]), ["a", "b", "ab"]);
}

#[test]
fn a_filter_that_matches_nothing_exits_3() {
    let ran = world().evalratchet(&["run", "--filter", "zzz"]);
    assert_eq!((ran.code, ran.verdict()), (3, "nothing-measured"));
    assert!(ran.stdout.contains("nothing measured: 3 skipped by your filter"), "{}", ran.stdout);
    assert_eq!(world().evalratchet(&["list", "--filter", "zzz"]).code, 3);
}

#[test]
fn an_unknown_suite_kind_or_flag_value_exits_2() {
    let ran = world().evalratchet(&["run", "--suite", "t"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("there is no suite `t`") && ran.stderr.contains("suites: s"), "{}", ran.stderr);
    for wrong in [["--kind", "comand"], ["--shard", "3/2"], ["--timeout", "soon"], ["--jobs", "0"], ["--format", "xml"]]
    {
        assert_eq!(world().evalratchet(&[&["run"], &wrong[..]].concat()).code, 2, "{wrong:?}");
    }
}

#[test]
fn shards_split_the_cases_without_loss_and_judge_nothing() {
    let cases: Vec<_> = (0..50).map(|n| case(&format!("c{n}"), "p", "pwd")).collect();
    let world = World::with_target("{ command = [\"echo\", \"ls\"] }", &cases);
    world.config("target = { command = [\"echo\", \"ls\"] }\n[suite.gate]\naccuracy = { min = 1.0 }");
    let mut all = Vec::new();
    for index in 1..=4 {
        let ran = world.evalratchet(&["run", "--shard", &format!("{index}/4")]);
        assert_eq!((ran.code, ran.verdict()), (0, "not-judged"));
        let ids: Vec<String> = ran.statuses().into_iter().map(|(id, _)| id).collect();
        assert!((4..=25).contains(&ids.len()), "{}", ids.len());
        all.extend(ids);
    }
    all.sort();
    let mut expected: Vec<String> = (0..50).map(|n| format!("c{n}")).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
fn list_prints_every_case_with_its_file_and_line() {
    let ran = world().evalratchet(&["list"]);
    insta::assert_snapshot!(ran.stdout, @r"
    s (command, 3 cases)
      a  cases.json:6
      b  cases.json:14
      ab  cases.json:25
    ");
    let ran = world().evalratchet(&["list", "--json", "--filter", "=a"]);
    assert_eq!(
        ran.stdout,
        "{\"suite\":\"s\",\"kind\":\"command\",\"id\":\"a\",\"file\":\"cases.json\",\"line\":6,\"tags\":[]}\n"
    );
}

#[test]
fn the_nearest_configuration_upwards_is_used() {
    let world = world();
    std::fs::create_dir_all(world.path().join("deep/er")).unwrap();
    let output = world.command(&["check"]).current_dir(world.path().join("deep/er")).output().unwrap();
    assert!(world.ran(output).stdout.contains("1 suite, 3 cases, no mistake"));
}
