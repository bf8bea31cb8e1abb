//! The first `command` suite that `init` writes.

use crate::suites::starter::{NewFile, Starter};

pub(super) fn starter() -> Starter {
    let files = [("cases.json", include_str!("starter/cases.json")), ("answer.sh", include_str!("starter/answer.sh"))];
    let files = files.map(|(name, text)| NewFile::new(format!("evals/commands/{name}"), text));
    Starter { section: include_str!("starter/suite.toml").to_owned(), files: files.into() }
}
