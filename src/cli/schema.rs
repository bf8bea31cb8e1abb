//! `schema`: the JSON Schemas of everything that is read or written.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::{Failure, console};
use crate::input::{schema_of, write_atomically};
use crate::model::{ExitCode, Results};
use crate::settings::ConfigFile;
use crate::suites::command::CommandDataset;
use crate::suites::command::equivalence::ProgramTable;
use crate::suites::retrieval::CaseList;
use crate::suites::scenario::ScenarioFile;

/// Flags of `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Which format
    #[arg(value_enum, required_unless_present = "out")]
    name: Option<Name>,
    /// Write all of them into this directory instead
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Name {
    /// evalratchet.toml
    Config,
    /// results.json
    Results,
    /// Datasets of command suites
    CommandDataset,
    /// Program tables of command suites
    ProgramTable,
    /// Scenarios
    Scenario,
    /// Cases of retrieval suites
    RetrievalCases,
}

impl Name {
    fn schema(self) -> Value {
        match self {
            Self::Config => schema_of::<ConfigFile>(),
            Self::Results => schema_of::<Results>(),
            Self::CommandDataset => schema_of::<CommandDataset>(),
            Self::ProgramTable => schema_of::<ProgramTable>(),
            Self::Scenario => schema_of::<ScenarioFile>(),
            Self::RetrievalCases => schema_of::<CaseList>(),
        }
    }
}

pub(super) fn schema(args: &SchemaArgs) -> Result<ExitCode, Failure> {
    let text = |name: Name| format!("{:#}\n", name.schema());
    if let Some(directory) = &args.out {
        for name in Name::value_variants() {
            let Some(value) = name.to_possible_value() else { continue };
            let path = directory.join(format!("{}.schema.json", value.get_name()));
            write_atomically(&path, text(*name).as_bytes())
                .map_err(|error| Failure::Write { path: path.display().to_string(), error })?;
        }
    }
    if let Some(name) = args.name {
        console::print(&text(name));
    }
    Ok(ExitCode::Passed)
}
