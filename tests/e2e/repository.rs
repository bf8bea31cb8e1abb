//! What this repository promises about itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use evalratchet::internals::EquivalenceRule;
use serde_json::Value;

use crate::support::World;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn every_path_in_the_architecture_exists_and_every_module_is_in_it() {
    let text = read("ARCHITECTURE.md");
    let named: BTreeSet<&str> = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.contains('/') && !code.contains([' ', '*', '<', '{', '|']))
        .collect();
    let missing: Vec<_> = named.iter().filter(|path| !root().join(path.trim_end_matches('/')).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names {missing:?}");
    assert!(named.len() > 15);
    for entry in std::fs::read_dir(root().join("src")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&name), "ARCHITECTURE.md does not name src/{name}");
    }
}

#[test]
fn the_checked_in_schemas_are_those_of_the_types() {
    let world = World::new();
    assert_eq!(world.evalratchet(&["schema", "--out", "schemas"]).code, 0);
    let mut count = 0;
    for entry in std::fs::read_dir(world.path().join("schemas")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let expected = std::fs::read_to_string(&path).unwrap();
        assert!(
            read(&format!("schemas/{name}")) == expected,
            "write them again: cargo run -- schema --out schemas ({name})"
        );
        count += 1;
    }
    assert_eq!(count, std::fs::read_dir(root().join("schemas")).unwrap().count());
}

#[test]
fn every_target_has_a_section_in_the_documentation() {
    let schema: Value = serde_json::from_str(&read("schemas/config.schema.json")).unwrap();
    let target = &schema["properties"]["suite"]["items"]["properties"]["target"]["properties"];
    let pages = read("docs/configuration.md") + &read("docs/retrieval.md");
    // These stand beside a target.
    let of_processes = ["answer", "cwd", "max-output", "refusal"];
    let keys: Vec<&String> =
        target.as_object().unwrap().keys().filter(|key| !of_processes.contains(&key.as_str())).collect();
    assert!(keys.len() >= 8, "{keys:?}");
    for key in keys {
        assert!(pages.contains(&format!("\n### `{key}`\n")), "{key}");
    }
}

#[test]
fn every_rule_of_equivalence_stands_in_its_page_with_its_example() {
    let page = read("docs/equivalence.md");
    for rule in EquivalenceRule::ALL {
        let (a, b) = rule.example();
        assert!(page.contains(&format!("`{}`", rule.name())), "{}", rule.name());
        for example in [a, b] {
            assert!(page.contains(&example.replace('\n', "\\n")), "{}: {example}", rule.name());
        }
    }
}

fn datasets() -> Vec<(String, Value)> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(root().join("datasets/correctness")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        all.push((path.file_name().unwrap().to_str().unwrap().to_owned(), serde_json::from_str(&text).unwrap()));
    }
    all
}

#[test]
fn each_shipped_dataset_has_at_least_twenty_cases_from_simple_to_complex() {
    let datasets = datasets();
    assert_eq!(datasets.len(), 3);
    for (name, dataset) in datasets {
        let cases = dataset["test_cases"].as_array().unwrap();
        assert!(cases.len() >= 20, "{name}");
        let levels: BTreeSet<&str> = cases.iter().filter_map(|case| case["metadata"]["difficulty"].as_str()).collect();
        assert!(levels.contains("simple") && levels.contains("complex"), "{name}: {levels:?}");
    }
}

/// CI installs shellcheck and sets `REQUIRE_SHELLCHECK`, so that there this cannot pass unseen.
#[test]
fn shellcheck_has_no_warning_about_any_expected_command() {
    if Command::new("shellcheck").arg("--version").output().is_err() {
        assert!(std::env::var_os("REQUIRE_SHELLCHECK").is_none(), "shellcheck is required and not installed");
        eprintln!("not checked: shellcheck is not installed");
        return;
    }
    let world = World::new();
    let mut files = Vec::new();
    for (_, dataset) in datasets() {
        for case in dataset["test_cases"].as_array().unwrap() {
            let name = format!("{}.sh", case["id"].as_str().unwrap());
            world.file(&name, &format!("#!/bin/sh\n{}\n", case["expected_command"].as_str().unwrap()));
            files.push(name);
        }
    }
    let output = Command::new("shellcheck")
        .args(["-s", "sh", "-S", "warning"])
        .args(&files)
        .current_dir(world.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let output = Command::new("shellcheck").arg(root().join("fixtures/subjects/translate.sh")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_shipped_suites_pass_and_the_first_report_shows_every_band() {
    let world = World::new();
    let out = world.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_evalratchet"))
        // The committed baseline, whatever branch this checkout is of.
        .args(["run", "--baseline", ".evalratchet/baseline.json", "--out"])
        .arg(&out)
        .current_dir(root())
        .env_remove("RUN_LIVE")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let results: Value = serde_json::from_str(&std::fs::read_to_string(out.join("results.json")).unwrap()).unwrap();
    let shell = results["suites"].as_array().unwrap().iter().find(|suite| suite["id"] == "shell").unwrap();
    let scores: BTreeSet<String> =
        shell["cases"].as_array().unwrap().iter().map(|case| case["score"].to_string()).collect();
    assert_eq!(scores, ["0.0", "0.9", "0.95", "1.0"].map(str::to_owned).into());
    assert_eq!(results["gate"]["verdict"], "passed");
    assert!(results["comparison"]["suites"].as_array().unwrap().iter().all(|suite| suite["state"] == "compared"));
}

#[test]
fn the_readme_begins_with_the_two_commands_and_ci_runs_the_second() {
    let readme = read("README.md");
    let run = readme.find("cargo run -- run").expect("the run command");
    let test = readme.find("cargo test").expect("the test command");
    assert!(run < test && readme[..test].lines().count() < 25);
    assert!(read(".ci/run").contains("cargo test"));
    assert!(Path::new(&root().join(".ci/run")).exists());
}

#[test]
fn only_the_ci_module_names_variables_of_a_host() {
    let mut sources = vec![root().join("src")];
    let mut found = Vec::new();
    while let Some(path) = sources.pop() {
        if path.is_dir() {
            sources.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        if path.starts_with(root().join("src/ci")) || path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let is_name =
            |text: &&str| text.starts_with("GITHUB_") && text.bytes().all(|c| c.is_ascii_uppercase() || c == b'_');
        found.extend(code.split('"').filter(is_name).map(|name| format!("{}: {name}", path.display())));
    }
    assert!(found.is_empty(), "{found:?}");
}
