//! The first `golden` suite that `init` writes.

use crate::suites::starter::{NewFile, Starter};

pub(super) fn starter() -> Starter {
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
