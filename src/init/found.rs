//! Data that is there already: other tools whose results can be imported, and files in formats that suites read.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::suites::starter::{FoundData, ResultTool};

/// A file's text, if it can be read.
type Read<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The tools that the files of a project tell of. Each writes results that can be imported.
pub fn tools_among(paths: &[String], read: Read<'_>) -> Vec<ResultTool> {
    let mut tools = Vec::new();
    let is_promptfoo = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let endings = ["yaml", "yml", "json", "js", "mjs", "cjs", "ts"];
        name.strip_prefix("promptfooconfig.").is_some_and(|ending| endings.contains(&ending))
    };
    if let Some(config) = paths.iter().find(is_promptfoo) {
        let file = if config.contains('/') {
            format!(" --config {}", crate::text::shell_quoted(config))
        } else {
            String::new()
        };
        tools.push(ResultTool {
            name: "promptfoo",
            found: config.clone(),
            results: "evals/results/promptfoo.json",
            command: format!("npx promptfoo@latest eval{file} --output evals/results/promptfoo.json"),
            varies: true,
        });
    }
    if let Some(found) = pytest(paths, read) {
        tools.push(ResultTool {
            name: "pytest",
            found,
            results: "evals/results/pytest.xml",
            command: "python -m pytest --junitxml evals/results/pytest.xml".to_owned(),
            varies: false,
        });
    }
    if let Some(found) = jest(paths, read) {
        tools.push(ResultTool {
            name: "jest",
            found,
            results: "evals/results/jest.xml",
            command: "JEST_JUNIT_OUTPUT_FILE=evals/results/jest.xml npx --package jest --package jest-junit jest --reporters=default --reporters=jest-junit".to_owned(),
            varies: false,
        });
    }
    tools
}

fn pytest(paths: &[String], read: Read<'_>) -> Option<String> {
    let named = |path: &&String| matches!(path.as_str(), "pytest.ini" | "conftest.py" | "tests/conftest.py");
    let configured = |path: &&String| {
        matches!(path.as_str(), "pyproject.toml" | "tox.ini" | "setup.cfg")
            && read(path).is_some_and(|text| {
                text.contains("[tool.pytest") || text.contains("[pytest]") || text.contains("[tool:pytest]")
            })
    };
    paths.iter().find(|path| named(path) || configured(path)).cloned()
}

fn jest(paths: &[String], read: Read<'_>) -> Option<String> {
    let configured = |path: &&String| path.starts_with("jest.config.");
    if let Some(config) = paths.iter().find(configured) {
        return Some(config.clone());
    }
    let manifest: Value = serde_json::from_str(&read("package.json")?).ok()?;
    let depends = |key: &str| manifest[key].get("jest").is_some();
    (depends("devDependencies") || depends("dependencies") || manifest.get("jest").is_some())
        .then(|| "package.json".to_owned())
}

/// The files in formats that suites read. What `init` writes itself is not among them.
pub fn data_among(paths: &[String], read: Read<'_>) -> FoundData {
    let mut data = FoundData::default();
    let mut scenarios = BTreeSet::new();
    for path in paths.iter().filter(|path| !path.starts_with("evals/") && !path.starts_with("node_modules/")) {
        if path.ends_with(".json") {
            let Some(value) = read(path).and_then(|text| serde_json::from_str::<Value>(&text).ok()) else { continue };
            let has = |keys: &[&str]| keys.iter().all(|key| value.get(key).is_some());
            let first_has =
                |keys: &[&str]| keys.iter().all(|key| value.get(0).is_some_and(|one| one.get(key).is_some()));
            if has(&["id", "adapterId", "goals", "fixture"]) {
                scenarios.insert(
                    path.rsplit_once('/').map_or("*.json".to_owned(), |(folder, _)| format!("{folder}/*.json")),
                );
            } else if has(&["test_cases", "version", "description"]) {
                data.commands.push(path.clone());
            } else if first_has(&["expected_ids"]) {
                data.retrieval.push(path.clone());
            }
        } else if path.ends_with("/scorer.toml") {
            let folder = path.trim_end_matches("/scorer.toml");
            let beside = |name: &str| paths.contains(&format!("{folder}/{name}"));
            if beside("cases.json") && beside("golden.json") && beside("recorded.jsonl") {
                data.golden.push(folder.to_owned());
            }
        } else if is_trec_run(path, read) {
            data.trec_runs.push(path.clone());
        }
    }
    data.scenarios = scenarios.into_iter().collect();
    data
}

/// A run of TREC: six columns, the second of which is `Q0`.
fn is_trec_run(path: &str, read: Read<'_>) -> bool {
    let named = path.ends_with(".run") || path.ends_with(".trec") || path.contains("run") && path.ends_with(".txt");
    let is_line = |line: &str| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        columns.len() == 6 && columns[1] == "Q0" && columns[4].parse::<f64>().is_ok()
    };
    named && read(path).is_some_and(|text| text.lines().next().is_some_and(is_line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> (Vec<&'static str>, FoundData) {
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let read = |path: &str| files.iter().find(|(one, _)| *one == path).map(|(_, text)| (*text).to_owned());
        let tools = tools_among(&paths, &read).into_iter().map(|tool| tool.name).collect();
        (tools, data_among(&paths, &read))
    }

    #[test]
    fn tools_are_recognised_by_what_configures_them() {
        let (tools, _) = found(&[
            ("promptfooconfig.yaml", ""),
            ("pyproject.toml", "[tool.pytest.ini_options]"),
            ("package.json", "{\"devDependencies\": {\"jest\": \"^30\"}}"),
        ]);
        assert_eq!(tools, ["promptfoo", "pytest", "jest"]);
        let (tools, _) = found(&[("pyproject.toml", "[project]"), ("package.json", "{}")]);
        assert!(tools.is_empty());
    }

    #[test]
    fn data_is_recognised_by_its_shape_and_never_our_own() {
        let scenario = "{\"id\": \"a\", \"adapterId\": \"b\", \"goals\": [], \"fixture\": {}}";
        let (_, data) = found(&[
            ("evaluation/scenarios/a.json", scenario),
            ("evals/scenarios/a.json", scenario),
            ("data/shell.json", "{\"version\": \"1\", \"description\": \"d\", \"test_cases\": []}"),
            ("data/search.json", "[{\"expected_ids\": []}]"),
            ("bm25.run", "q1 Q0 d1 1 2.5 tag\n"),
            ("data/other.json", "[]"),
        ]);
        assert_eq!(data.scenarios, ["evaluation/scenarios/*.json"]);
        assert_eq!((data.commands.len(), data.retrieval.len(), data.trec_runs.len()), (1, 1, 1));
    }
}
