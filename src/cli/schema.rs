//! `schema`: the JSON Schemas of everything that is read or written.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{Failure, console};
use crate::baseline::Baseline;
use crate::input::{schema_of, write_atomically, written_schema_of};
use crate::model::ExitCode;
use crate::recordings::Recording;
use crate::report::release::ReleaseReport;
use crate::results::Results;
use crate::settings::ConfigFile;
use crate::suites::command::CommandDataset;
use crate::suites::command::equivalence::ProgramTable;
use crate::suites::golden::measures::REGISTRY;
use crate::suites::golden::{CaseFile, ScorerFile};
use crate::suites::imported::ImportedLine;
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
    /// Cases of golden suites
    GoldenCases,
    /// scorer.toml of golden suites
    Scorer,
    /// Imported results, a line each
    Imported,
    /// The baseline
    Baseline,
    /// release.json
    Release,
    /// Recorded answers, a line each
    Recording,
    /// Cases of retrieval suites
    RetrievalCases,
}

impl Name {
    fn schema(self) -> Value {
        match self {
            Self::Config => schema_of::<ConfigFile>(),
            Self::Results => written_schema_of::<Results>(),
            Self::CommandDataset => schema_of::<CommandDataset>(),
            Self::ProgramTable => schema_of::<ProgramTable>(),
            Self::Scenario => schema_of::<ScenarioFile>(),
            Self::GoldenCases => schema_of::<CaseFile>(),
            Self::Scorer => scorer_schema(),
            Self::Imported => schema_of::<ImportedLine>(),
            Self::Baseline => written_schema_of::<Baseline>(),
            Self::Release => written_schema_of::<ReleaseReport>(),
            Self::Recording => written_schema_of::<Recording>(),
            Self::RetrievalCases => schema_of::<CaseList>(),
        }
    }
}

/// A component has the keys of its measure.
fn scorer_schema() -> Value {
    let mut schema = schema_of::<ScorerFile>();
    let alternatives: Vec<Value> = REGISTRY
        .iter()
        .map(|measure| {
            let mut own = (measure.schema)();
            if let Some(fields) = own.as_object_mut() {
                fields.remove("$schema");
                fields.remove("additionalProperties");
                fields.remove("title");
            }
            if let Some(properties) = own["properties"].as_object_mut() {
                properties.insert("measure".into(), json!({ "const": measure.name }));
            }
            own
        })
        .collect();
    if let Some(component) = schema.pointer_mut("/properties/component/items").and_then(Value::as_object_mut) {
        component.insert("oneOf".into(), alternatives.into());
    }
    schema
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
