//! What only a command suite configures.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::{FileSet, Place};
use crate::suites::config::{CasesAre, ConfigRules, KindConfig, SuiteContext};
use crate::targets::{QuestionForm, TargetRules};

/// The keys that only a command suite has.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CommandSection {
    /// Files or patterns of program tables that are known beside the shipped ones.
    #[serde(default)]
    pub programs: Vec<String>,
}

/// What a command suite configures, checked.
#[derive(Debug, Clone)]
pub struct CommandConfig {
    /// Program tables of the user's own.
    pub programs: FileSet,
}

impl KindConfig for CommandConfig {
    type Section = CommandSection;

    const RULES: ConfigRules = ConfigRules {
        timeout: Duration::from_secs(30),
        cases: CasesAre::Files,
        no_recordings: None,
        no_repeat: None,
        target: TargetRules::Required(QuestionForm::Prompt),
    };

    fn validate(section: CommandSection, _: &SuiteContext<'_>, place: &Place<'_>) -> Self {
        Self { programs: FileSet::files(&place.join("programs"), section.programs) }
    }

    fn file_sets(&self) -> Vec<&FileSet> {
        vec![&self.programs]
    }

    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        vec![&mut self.programs]
    }
}
