//! The author's tool.

use std::io::Write as _;
use std::process::Stdio;

use crate::support::World;

#[test]
fn equiv_says_band_score_rule_and_first_difference() {
    let world = World::new();
    let told = |a: &str, b: &str| {
        let ran = world.evalratchet(&["equiv", a, b]);
        format!("{} {}", ran.code, ran.stdout)
    };
    insta::assert_snapshot!(told("ls -la", "ls -la"), @"0 exact · score 1.00");
    insta::assert_snapshot!(told("ls -la", "ls  -la"), @"0 equivalent · score 0.95 · rule whitespace");
    insta::assert_snapshot!(told("ls -la", "ls --all -l"), @"0 equivalent · score 0.90 · rule option-name");
    insta::assert_snapshot!(told("sort -n f", "sort -r f"), @"1 different · score 0.00 · word 2: expected `-n`, generated `-r` (-n: compare according to string numerical value; -r: reverse the result of comparisons)");
    insta::assert_snapshot!(told("ls 'x", "ls y"), @"1 different · score 0.00 · word 2: expected `'x`, generated `y` · not a command that could be parsed, compared as text only");
    insta::assert_snapshot!(told("-x", "-y"), @"1 different · score 0.00 · word 1: expected `-x`, generated `-y`");
}

#[test]
fn equiv_jsonl_answers_one_line_for_each_pair() {
    let world = World::new();
    let mut child = world
        .command(&["equiv", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pairs =
        "{\"a\":\"ls -l -a\",\"b\":\"ls -la\"}\n{\"a\":\"cp a b\",\"b\":\"cp b a\"}\n{\"a\":\"x\",\"b\":\"x\"}\n";
    child.stdin.take().unwrap().write_all(pairs.as_bytes()).unwrap();
    let ran = world.ran(child.wait_with_output().unwrap());
    insta::assert_snapshot!(ran.stdout, @r#"
    {"score":0.9,"method":"semantic_equivalent","rule":"option-cluster"}
    {"score":0.0,"method":"no_match","rule":null}
    {"score":1.0,"method":"exact_match","rule":"exact"}
    "#);
}
