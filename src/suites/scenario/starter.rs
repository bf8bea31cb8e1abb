//! The first `scenario` suite that `init` writes.

use crate::suites::starter::{Language, NewFile, Starter, Survey, toml_list};

/// A project in the repository's own language, where that can be tested without installing anything; else in shell.
pub(super) fn starter(survey: &Survey) -> Starter {
    if !survey.data.scenarios.is_empty() {
        let cases = toml_list(&survey.data.scenarios);
        let section = include_str!("starter/suite.toml").replace("[\"evals/scenarios/*.json\"]", &cases);
        return Starter { section, files: Vec::new() };
    }
    let language = survey.language();
    let (adapter, scenario, fixture): (&str, &str, &[(&str, &str)]) = match language {
        Some(Language::Node) => (
            "",
            include_str!("starter/node/scenario.json"),
            &[
                ("package.json", include_str!("starter/node/package.json")),
                ("greet.mjs", include_str!("starter/node/greet.mjs")),
                ("check.mjs", include_str!("starter/node/check.mjs")),
            ],
        ),
        Some(Language::Python) => (
            include_str!("starter/python/adapter.toml"),
            include_str!("starter/python/scenario.json"),
            &[
                ("greet.py", include_str!("starter/python/greet.py")),
                ("check.py", include_str!("starter/python/check.py")),
            ],
        ),
        Some(Language::Rust) => (
            "",
            include_str!("starter/rust/scenario.json"),
            &[
                // A manifest of its own name would keep its folder out of the published package.
                ("Cargo.toml", include_str!("starter/rust/Cargo.toml.txt")),
                ("src/lib.rs", include_str!("starter/rust/lib.rs.txt")),
            ],
        ),
        Some(Language::Go) | None => (
            include_str!("starter/shell/adapter.toml"),
            include_str!("starter/shell/scenario.json"),
            &[
                ("greet.sh", include_str!("starter/shell/greet.sh")),
                ("check.sh", include_str!("starter/shell/check.sh")),
            ],
        ),
    };
    let mut files = vec![NewFile::new("evals/scenarios/greet-the-world.json", scenario)];
    files.extend(fixture.iter().map(|(name, text)| NewFile::new(format!("evals/fixtures/greeter/{name}"), *text)));
    Starter { section: format!("{}{adapter}", include_str!("starter/suite.toml")), files }
}
