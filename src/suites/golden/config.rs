//! What only a golden suite configures.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::Place;
use crate::model::{Mode, Policy};
use crate::suites::config::{CasesAre, ConfigRules, KindConfig, PassAtSection, SuiteContext};
use crate::targets::{QuestionForm, TargetRules};

/// The keys that only a golden suite has.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GoldenSection {
    /// The score from which on a case passes (default: the `min` of `avg-score`).
    pub pass_at: Option<PassAtSection>,
}

/// What a golden suite configures, checked.
#[derive(Debug, Clone)]
pub struct GoldenConfig {
    /// The score from which on a case passes, if anything says so.
    pub pass_at: Option<f64>,
    /// Whether answers are new ones, so that there may be no reviewed ones yet.
    pub may_lack_golden: bool,
}

impl KindConfig for GoldenConfig {
    type Section = GoldenSection;

    const RULES: ConfigRules = ConfigRules {
        timeout: Duration::from_secs(60),
        cases: CasesAre::OneFolder {
            message: "a golden suite is one module, one folder",
            help: "give each module a suite of its own",
        },
        no_recordings: None,
        no_repeat: None,
        target: TargetRules::Required(QuestionForm::Input),
    };

    fn validate(section: GoldenSection, suite: &SuiteContext<'_>, place: &Place<'_>) -> Self {
        let at = place.join("pass-at");
        let own = match section.pass_at {
            None => None,
            Some(PassAtSection::Score(score)) => {
                if !(score > 0.0 && score <= 1.0) {
                    at.error(format!("{score} is not a score between 0 and 1"));
                }
                Some(score)
            }
            Some(PassAtSection::Ids(_)) => {
                at.error("a golden suite passes at a score, such as 0.7");
                None
            }
        };
        let pass_at = own.or_else(|| suite.gate.get("avg-score").and_then(|threshold| threshold.min));
        if pass_at.is_none() && suite.target.is_some() {
            let help = "say `avg-score = { min = … }` in its gate, or `pass-at = …`";
            place.error_with_help("nothing says which score a case needs to pass", help);
        }
        Self { pass_at, may_lack_golden: matches!(suite.overrides.mode, Mode::Record | Mode::Live) }
    }

    fn hold_to(&self, policy: &mut Policy) {
        policy.pass_at = self.pass_at;
    }
}
