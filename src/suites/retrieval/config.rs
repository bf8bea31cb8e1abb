//! What only a retrieval suite configures.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::builtin;
use crate::input::Place;
use crate::model::Policy;
use crate::suites::config::{CasesAre, ConfigRules, KindConfig, PassAtSection, SuiteContext};
use crate::targets::{QuestionForm, TargetRules, TargetSettings};

/// The keys that only a retrieval suite has.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct RetrievalSection {
    /// Also run the smoke cases that are in the binary.
    #[serde(default)]
    pub builtin_cases: bool,
    /// How many results are looked at (default 10).
    #[schemars(range(min = 1))]
    pub k: Option<usize>,
    /// Further fields of a case that the engine is given with the query.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Whether `any` expected id must be found (the default) or `all`.
    pub pass_at: Option<PassAtSection>,
}

/// What a retrieval suite configures, checked.
#[derive(Debug, Clone)]
pub struct RetrievalConfig {
    /// Whether the smoke cases in the binary are run, too.
    pub builtin_cases: bool,
    /// How many results are looked at, if the case does not say.
    pub k: Option<usize>,
    /// Further fields of a case that the engine is given.
    pub pass: Vec<String>,
    /// Which expected ids must be found.
    pub pass_at: PassAt,
}

/// Which expected ids must be found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassAt {
    /// At least one expected id must be found.
    #[default]
    Any,
    /// Every one that the index holds.
    All,
}

impl PassAt {
    /// The name used in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::All => "all",
        }
    }
}

/// What every case may have, and what an engine is asked with.
const OWN_FIELDS: [&str; 11] =
    ["id", "name", "description", "lane", "spec_id", "spec_content", "query", "expected_ids", "k", "tags", "contains"];

impl KindConfig for RetrievalConfig {
    type Section = RetrievalSection;

    const RULES: ConfigRules = ConfigRules {
        timeout: Duration::from_secs(30),
        cases: CasesAre::Files,
        no_recordings: Some("a retrieval suite replays with `target = { recorded = \"…\" }`"),
        no_repeat: None,
        target: TargetRules::Required(QuestionForm::Query),
    };

    fn brought_target(section: &RetrievalSection) -> Option<TargetSettings> {
        section.builtin_cases.then(builtin::target)
    }

    fn validate(section: RetrievalSection, suite: &SuiteContext<'_>, place: &Place<'_>) -> Self {
        let RetrievalSection { builtin_cases, k, pass, pass_at } = section;
        for (index, name) in pass.iter().enumerate().filter(|(_, name)| OWN_FIELDS.contains(&name.as_str())) {
            place
                .join("pass")
                .join(index)
                .error(format!("`{name}` is a field of every case and means something already"));
        }
        let pass_at = match pass_at {
            None => PassAt::default(),
            Some(PassAtSection::Ids(ids)) => ids,
            Some(PassAtSection::Score(_)) => {
                place.join("pass-at").error("a retrieval suite passes at \"any\" or \"all\"");
                PassAt::default()
            }
        };
        Self { builtin_cases, k: suite.overrides.k.or(k), pass, pass_at }
    }

    fn hold_to(&self, policy: &mut Policy) {
        policy.all_ids = self.pass_at == PassAt::All;
    }
}
