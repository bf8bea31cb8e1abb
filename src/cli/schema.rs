//! `schema`: the JSON Schemas of everything that is read or written.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::{Failure, console};
use crate::baseline::Baseline;
use crate::input::{FileSchema, schema_of, write_atomically, written_schema_of};
use crate::model::ExitCode;
use crate::recordings::Recording;
use crate::report::release::ReleaseReport;
use crate::results::{Mistakes, Results};
use crate::settings::ConfigFile;
use crate::suites::Kind;

/// Flags of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Which format
    #[arg(value_parser = names(), required_unless_present = "out")]
    name: Option<String>,
    /// Write all of them into this directory instead
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The formats that belong to no kind.
const OWN: &[FileSchema] = &[
    FileSchema { name: "config", about: "evalratchet.toml", schema: schema_of::<ConfigFile> },
    FileSchema { name: "results", about: "results.json", schema: written_schema_of::<Results> },
    FileSchema { name: "mistakes", about: "mistakes.json", schema: written_schema_of::<Mistakes> },
    FileSchema { name: "baseline", about: "The baseline", schema: written_schema_of::<Baseline> },
    FileSchema { name: "release", about: "release.json", schema: written_schema_of::<ReleaseReport> },
    FileSchema { name: "recording", about: "Recorded answers, a line each", schema: written_schema_of::<Recording> },
];

fn all() -> impl Iterator<Item = &'static FileSchema> {
    OWN.iter().chain(Kind::ALL.iter().flat_map(|kind| kind.schemas()))
}

fn names() -> PossibleValuesParser {
    all().map(|one| PossibleValue::new(one.name).help(one.about)).collect::<Vec<_>>().into()
}

pub(super) fn schema(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let text = |one: &FileSchema| format!("{:#}\n", (one.schema)());
    if let Some(directory) = &args.out {
        for one in all() {
            let path = directory.join(format!("{}.schema.json", one.name));
            write_atomically(&path, text(one).as_bytes())
                .map_err(|error| Failure::Write { path: path.display().to_string(), error })?;
        }
    }
    for one in all().filter(|one| args.name.as_deref() == Some(one.name)) {
        console::print(&text(one));
    }
    Ok(ExitCode::Passed)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::all;

    /// The descriptions of a schema that are too short to say anything, with where they stand.
    fn short(schema: &Value, at: &str, found: &mut Vec<String>) {
        const LEAST: usize = 14;
        if let Some(text) = schema["description"].as_str().filter(|text| text.chars().count() < LEAST) {
            found.push(format!("{at}: {text}"));
        }
        match schema {
            Value::Object(map) => map.iter().for_each(|(key, value)| short(value, &format!("{at}/{key}"), found)),
            Value::Array(items) => items.iter().for_each(|value| short(value, at, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_description_in_a_schema_says_something() {
        let mut found = Vec::new();
        for one in all() {
            short(&(one.schema)(), one.name, &mut found);
        }
        assert!(found.is_empty(), "say what the value is:\n{}", found.join("\n"));
    }
}
