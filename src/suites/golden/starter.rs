//! The first `golden` suite that `init` writes.

use crate::suites::starter::{NewFile, Starter, Survey, toml_string};

pub(super) fn starter(survey: &Survey) -> Starter {
    if !survey.data.golden.is_empty() {
        let mut section = String::from(
            "\n# Structured output, scored by parts against reviewed answers; here from recorded answers.\n",
        );
        for folder in &survey.data.golden {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            section.push_str(&format!(
                "[[suite]]\nid = {}\nkind = \"golden\"\ncases = [{}]\nrecordings = {}\npass-at = 0.5\n",
                toml_string(name),
                toml_string(folder),
                toml_string(&format!("{folder}/recorded.jsonl"))
            ));
        }
        return Starter { section, files: Vec::new() };
    }
    let files = [
        ("cases.json", include_str!("starter/cases.json")),
        ("golden.json", include_str!("starter/golden.json")),
        ("scorer.toml", include_str!("starter/scorer.toml")),
        ("prompt.md", include_str!("starter/prompt.md")),
        ("recorded.jsonl", include_str!("starter/recorded.jsonl")),
    ];
    let files = files.map(|(name, text)| NewFile::new(format!("evals/golden/tickets/{name}"), text));
    Starter { section: include_str!("starter/suite.toml").to_owned(), files: files.into() }
}
