//! The first `imported` suite that `init` writes.

use crate::suites::starter::{NewFile, Starter, Survey, floor, toml_string};

/// A suite for each file of results; where there is none, one for a sample.
pub(super) fn starter(survey: &Survey) -> Starter {
    let section = |id: &str, path: &str, which: &str, pass_rate: f64, errors: usize| {
        let errors = if errors == 0 { String::new() } else { format!("max-errors = {errors}\n") };
        include_str!("starter/suite.toml")
            .replace("@WHICH@", which)
            .replace("@ID@", id)
            .replace("@FILE@", &toml_string(path))
            .replace("@ERRORS@", &errors)
            .replace("@FLOOR@", &floor(pass_rate))
    };
    if survey.results.is_empty() {
        let path = "evals/results/sample.jsonl";
        let which = " These are samples: let your tool write such a file before each run.";
        let files = vec![NewFile::new(path, include_str!("starter/sample.jsonl"))];
        return Starter { section: section("results", path, which, 0.75, 0), files };
    }
    let mut text = String::new();
    for (index, results) in survey.results.iter().enumerate() {
        let id = if index == 0 { "results".to_owned() } else { format!("results-{}", index + 1) };
        let which = " Let it write them again before each run, in the workflow as well.";
        text.push_str(&section(&id, &results.path, which, results.pass_rate, results.errors));
    }
    Starter { section: text, files: Vec::new() }
}
