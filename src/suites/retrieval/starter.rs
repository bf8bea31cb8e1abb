//! The first `retrieval` suite that `init` writes.

use super::samples::{self, Sample};
use crate::model::Lane;
use crate::suites::starter::{NewFile, Starter, Survey, toml_list, toml_string};

/// The cases about the sample notes.
const SAMPLE_NOTES: [&str; 3] = ["memory-release-day", "memory-flaky-tests", "memory-committed-key"];

/// Questions about what was found; where there are too few, also about sample notes. With a single case nothing would be
/// measured once its symbol is gone, and that is another answer than a failed gate.
pub(super) fn starter(survey: &Survey) -> Starter {
    if let Some(section) = of_found(survey) {
        return Starter { section, files: Vec::new() };
    }
    let samples = samples::samples(survey);
    let is_asked = |lane: Lane| samples.iter().any(|sample| sample.lane() == lane);
    let code = if is_asked(Lane::Code) { survey.code.0.clone() } else { Vec::new() };
    let mut memory = if is_asked(Lane::Memory) { survey.notes.0.clone() } else { Vec::new() };
    let mut ids: Vec<String> = samples.iter().map(|Sample { id, .. }| id.clone()).collect();
    let mut cases = vec!["evals/retrieval/cases.json".to_owned()];
    let mut files = Vec::new();
    if samples.len() < 2 {
        let (notes, about_notes) = ("evals/retrieval/memories.json", "evals/retrieval/memory_cases.json");
        files.push(NewFile::new(notes, include_str!("starter/memories.json")));
        files.push(NewFile::new(about_notes, include_str!("starter/memory_cases.json")));
        ids.extend(SAMPLE_NOTES.map(str::to_owned));
        memory.push(notes.to_owned());
        cases.push(about_notes.to_owned());
    }
    if samples.is_empty() {
        cases.remove(0);
    } else {
        files.insert(0, NewFile::new("evals/retrieval/cases.json", samples::as_json(&samples)));
    }
    let list = |name: &str, values: &[String]| {
        let values: Vec<String> = values.iter().map(|one| toml_string(one)).collect();
        (!values.is_empty()).then(|| format!("{name} = [{}]", values.join(", ")))
    };
    let index: Vec<String> = [list("code", &code), list("memory", &memory)].into_iter().flatten().collect();
    let slices: Vec<String> = ids
        .iter()
        .map(|id| format!("{} = {{ hit-rate = {{ min = 1.0 }} }}", toml_string(&format!("tag={id}"))))
        .collect();
    let section = include_str!("starter/suite.toml")
        .replace("@CASES@", &list("cases", &cases).unwrap_or_default())
        .replace("@K@", &samples::K.to_string())
        .replace("@INDEX@", &index.join(", "))
        .replace("@SLICES@", &slices.join("\n"));
    Starter { section, files }
}

/// A suite of the cases that were found: over a run of TREC, if there is one, else over the source and the notes.
fn of_found(survey: &Survey) -> Option<String> {
    let (cases, code, notes) = (&survey.data.retrieval, &survey.code.0, &survey.notes.0);
    let index: Vec<String> = [("code", code), ("memory", notes)]
        .into_iter()
        .filter(|(_, patterns)| !patterns.is_empty())
        .map(|(name, patterns)| format!("{name} = {}", toml_list(patterns)))
        .collect();
    let target = match survey.data.trec_runs.first() {
        Some(run) => format!("{{ run = {} }}", toml_string(run)),
        None => format!("{{ index = {{ {} }} }}", index.join(", ")),
    };
    let has_target = !survey.data.trec_runs.is_empty() || !index.is_empty();
    (!cases.is_empty() && has_target).then(|| {
        let about = "# A retrieval suite asks an engine for a ranking and looks where the expected ids stand. Put your own engine here.";
        let cases = toml_list(cases);
        format!("\n{about}\n[[suite]]\nid = \"search\"\nkind = \"retrieval\"\ncases = {cases}\ntarget = {target}\n")
    })
}
