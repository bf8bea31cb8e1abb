//! The files of a first configuration.

use super::workflows::workflows;
use crate::suites::Kind;
use crate::suites::starter::{NewFile, Placement, Starter, Survey, toml_string};

const HEADER: &str = "# The evaluations of this repository. `evalratchet run` runs them and judges what they measured;
# `evalratchet check` finds every mistake in this file and in the cases. Floors (`min`) are what was measured when this
# file was written: raise them as things get better.
";

/// Everything that is written for these kinds, the configuration first.
pub fn files(survey: &Survey, kinds: &[Kind]) -> Vec<NewFile> {
    let mut config = HEADER.to_owned();
    if let Some(repository) = survey.repository.as_ref().filter(|repository| repository.branch != "main") {
        config.push_str(&format!("\n[baseline]\nref = {}\n", toml_string(&repository.branch)));
    }
    let mut of_suites = Vec::new();
    for kind in Kind::ALL.iter().filter(|kind| kinds.contains(kind)) {
        let Starter { section, files } = kind.starter(survey);
        config.push_str(&section);
        of_suites.extend(files);
    }
    let mut all = vec![NewFile::new(crate::settings::CONFIG_NAME, config)];
    all.extend(of_suites);
    all.extend(workflows(survey));
    if survey.repository.as_ref().is_some_and(|repository| !repository.ignores_results) {
        // Results that are tracked would make every run one of a changed checkout.
        let of_tools = if survey.tools.is_empty() { "" } else { "evals/results/\n" };
        let text = format!("evalratchet-out/\n{of_tools}");
        all.push(NewFile { path: ".gitignore".into(), text, placement: Placement::Appended });
    }
    all
}
