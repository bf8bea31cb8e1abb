//! The first `command` suite that `init` writes.

use crate::suites::starter::{NewFile, Starter, Survey, toml_list};

/// A suite of the datasets that were found, with a stand-in for the program; where there is none, of a sample.
pub(super) fn starter(survey: &Survey) -> Starter {
    if !survey.data.commands.is_empty() {
        let section = include_str!("starter/suite.toml")
            .replace("[\"evals/commands/cases.json\"]", &toml_list(&survey.data.commands));
        // What the stand-in answers says nothing about these cases.
        let section = section.split("[suite.gate]").next().unwrap_or_default().to_owned();
        let files = vec![NewFile::new("evals/commands/answer.sh", include_str!("starter/answer.sh"))];
        return Starter { section, files };
    }
    let files = [("cases.json", include_str!("starter/cases.json")), ("answer.sh", include_str!("starter/answer.sh"))];
    let files = files.map(|(name, text)| NewFile::new(format!("evals/commands/{name}"), text));
    Starter { section: include_str!("starter/suite.toml").to_owned(), files: files.into() }
}
