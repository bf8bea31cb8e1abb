//! What only an imported suite configures: nothing.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::Place;
use crate::suites::config::{CasesAre, ConfigRules, KindConfig, SuiteContext};
use crate::targets::TargetRules;

/// An imported suite has no keys of its own.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ImportedSection {}

/// An imported suite configures nothing of its own.
#[derive(Debug, Clone)]
pub struct ImportedConfig;

impl KindConfig for ImportedConfig {
    type Section = ImportedSection;

    const RULES: ConfigRules = ConfigRules {
        timeout: Duration::from_secs(30),
        cases: CasesAre::Results { help: "run the tool that writes it first" },
        no_recordings: Some("imported results are recordings already"),
        no_repeat: Some("nobody is asked for imported results"),
        target: TargetRules::Refused("imported results have no target: another tool asked it"),
    };

    fn validate(_: ImportedSection, _: &SuiteContext<'_>, _: &Place<'_>) -> Self {
        Self
    }
}
