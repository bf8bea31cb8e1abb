//! The first `imported` suite that `init` writes.

use crate::suites::starter::{NewFile, ResultTool, Starter, Survey, floor, toml_string};

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
    let of_tool = |tool: &ResultTool| {
        let varies = if tool.varies {
            "# Models answer another time in another way: a single case that flips is reported, a drop that is\n# significant fails.\nvaries = true\n"
        } else {
            ""
        };
        format!(
            "\n# What {} writes ({}): {}\n[[suite]]\nid = {}\nkind = \"imported\"\ncases = [{}]\n{varies}",
            tool.name,
            tool.found,
            tool.command,
            toml_string(tool.name),
            toml_string(tool.results)
        )
    };
    let mut text: String = survey.tools.iter().map(of_tool).collect();
    let is_of_tool = |path: &str| survey.tools.iter().any(|tool| tool.results == path);
    if survey.results.is_empty() && !survey.tools.is_empty() {
        return Starter { section: text, files: Vec::new() };
    }
    if survey.results.is_empty() {
        let path = "evals/results/sample.jsonl";
        let which = " These are samples: let your tool write such a file before each run.";
        let files = vec![NewFile::new(path, include_str!("starter/sample.jsonl"))];
        return Starter { section: section("results", path, which, 0.75, 0), files };
    }
    for (index, results) in survey.results.iter().filter(|results| !is_of_tool(&results.path)).enumerate() {
        let id = if index == 0 { "results".to_owned() } else { format!("results-{}", index + 1) };
        let which = " Let it write them again before each run, in the workflow as well.";
        text.push_str(&section(&id, &results.path, which, results.pass_rate, results.errors));
    }
    Starter { section: text, files: Vec::new() }
}
