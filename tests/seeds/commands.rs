//! "Command Correctness Evaluation": the scores and the diff of its unit tests.

use crate::support::{World, case};

/// Score, method and diff of one answer.
fn evaluated(generated: &str, expected: &str) -> (f64, String, Option<String>) {
    let world = World::with_target("{ command = [\"cat\", \"answer.txt\"] }", &[case("a", "p", expected)]);
    world.file("answer.txt", generated);
    let ran = world.run();
    let case = ran.case("a");
    let method = case["detail"]["method"].as_str().unwrap().to_owned();
    (case["score"].as_f64().unwrap(), method, case["diff"].as_str().map(str::to_owned))
}

#[test]
fn test_exact_match() {
    assert_eq!(evaluated("ls", "ls"), (1.0, "exact_match".into(), None));
    // The seed trims what the program wrote.
    assert_eq!(evaluated("  ls \n\n", "ls"), (1.0, "exact_match".into(), None));
}

#[test]
fn test_whitespace_normalization() {
    assert_eq!(evaluated("ls  -la", "ls -la"), (0.95, "semantic_equivalent".into(), None));
}

#[test]
fn test_flag_order() {
    let (score, method, diff) = evaluated("ls -la", "ls -al");
    assert!(score >= 0.90);
    assert_eq!(method, "semantic_equivalent");
    assert_eq!(diff.as_deref(), Some("-ls -al\n+ls -la\n"));
}

#[test]
fn test_no_match() {
    let (score, method, diff) = evaluated("ls", "pwd");
    assert_eq!((score, method.as_str()), (0.0, "no_match"));
    assert!(diff.is_some());
}

#[test]
fn a_match_by_flags_says_so_and_is_listed_with_its_diff_when_verbose() {
    let world = World::with_target("{ command = [\"echo\", \"ls -al /tmp\"] }", &[case("a", "p", "ls -la /tmp")]);
    let ran = world.evalratchet(&["-v", "run"]);
    assert!(ran.stdout.contains("Flag order differs: ls -al /tmp vs ls -la /tmp"), "{}", ran.stdout);
    assert!(ran.stdout.contains("diff       -ls -la /tmp\n               │ +ls -al /tmp"), "{}", ran.stdout);
    assert!(!world.run().stdout.contains("Flag order differs"));
}

#[test]
fn the_shipped_datasets_have_ten_to_twenty_cases_each() {
    for name in ["file_operations", "text_processing", "network_commands"] {
        let path = format!("{}/datasets/correctness/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let dataset: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let count = dataset["test_cases"].as_array().unwrap().len();
        assert!((10..=20).contains(&count), "{name}: {count}");
    }
}
