//! What only a scenario suite configures.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::adapters::Adapter;
use crate::input::Place;
use crate::suites::config::{CasesAre, ConfigRules, KindConfig, SuiteContext};
use crate::targets::{QuestionForm, TargetRules};

/// A scenario suite has no keys of its own.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScenarioSection {}

/// What a scenario suite configures, checked.
#[derive(Debug, Clone)]
pub struct ScenarioConfig {
    /// Every adapter that its scenarios may name.
    pub adapters: Arc<BTreeMap<String, Adapter>>,
}

impl KindConfig for ScenarioConfig {
    type Section = ScenarioSection;

    const RULES: ConfigRules = ConfigRules {
        timeout: Duration::from_secs(15 * 60),
        cases: CasesAre::Files,
        no_recordings: Some("a scenario has no recordings: an edit that is written down is one"),
        no_repeat: None,
        target: TargetRules::Optional(QuestionForm::Instruction),
    };

    fn validate(_: ScenarioSection, suite: &SuiteContext<'_>, _: &Place<'_>) -> Self {
        Self { adapters: Arc::clone(suite.adapters) }
    }
}
