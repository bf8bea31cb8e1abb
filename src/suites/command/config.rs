//! What only a command suite configures.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::{FileSet, Place};
use crate::model::Ending;
use crate::suites::config::{CasesAre, ConfigRules, KindConfig, SuiteContext};
use crate::targets::{QuestionForm, RefusalSection, TargetRules};

/// The keys that only a command suite has.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct CommandSection {
    /// Files or patterns of program tables that are known beside the shipped ones.
    #[serde(default)]
    pub programs: Vec<String>,
    /// What of an answer is judged: all of it, or the one command in it.
    pub answer: Option<CommandAnswerForm>,
}

/// What of an answer is judged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommandAnswerForm {
    /// All of it, byte for byte.
    #[default]
    Exact,
    /// The one command in it, without a fence, a prompt sign and an explanation.
    Command,
}

/// What a command suite configures, checked.
#[derive(Debug, Clone)]
pub struct CommandConfig {
    /// Program tables of the user's own.
    pub programs: FileSet,
    pub answer: CommandAnswerForm,
    /// How the target refuses, if it can.
    pub refusal: Option<RefusalRule>,
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

    fn validate(section: CommandSection, suite: &SuiteContext<'_>, place: &Place<'_>) -> Self {
        let refusal =
            suite.refusal.and_then(|refusal| RefusalRule::validate(refusal, &place.join("target").join("refusal")));
        let programs = FileSet::files(&place.join("programs"), section.programs);
        Self { programs, answer: section.answer.unwrap_or_default(), refusal }
    }

    fn file_sets(&self) -> Vec<&FileSet> {
        vec![&self.programs]
    }

    fn file_sets_mut(&mut self) -> Vec<&mut FileSet> {
        vec![&mut self.programs]
    }
}

/// How a target refuses.
#[derive(Debug, Clone)]
pub struct RefusalRule {
    exit: Vec<i32>,
    pattern: Option<regex::Regex>,
}

impl RefusalRule {
    fn validate(section: &RefusalSection, place: &Place<'_>) -> Option<Self> {
        if section.exit.is_empty() && section.pattern.is_none() {
            place.error_with_help("does not say what a refusal is", "name exit codes in `exit`, or a `pattern`");
            return None;
        }
        let pattern = match section.pattern.as_deref().map(regex::Regex::new).transpose() {
            Ok(pattern) => pattern,
            Err(error) => {
                place.join("pattern").error(format!("is no regular expression: {error}"));
                return None;
            }
        };
        Some(Self { exit: section.exit.clone(), pattern })
    }

    /// Whether an ending is a refusal.
    pub fn holds(&self, ending: &Ending) -> bool {
        match ending {
            Ending::ExitCode(code) => self.exit.contains(code),
            Ending::Answered(text) => self.pattern.as_ref().is_some_and(|pattern| pattern.is_match(text)),
            Ending::Empty => self.pattern.as_ref().is_some_and(|pattern| pattern.is_match("")),
            Ending::NotUtf8 { .. }
            | Ending::Unreadable { .. }
            | Ending::Signal(_)
            | Ending::TimedOut { .. }
            | Ending::CouldNotStart { .. }
            | Ending::Unreachable { .. }
            | Ending::Unasked { .. }
            | Ending::Interrupted => false,
        }
    }
}
