//! What results say of a `command` case or suite beyond what every kind has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::text::{Redact, Redactor};

/// How many measured cases matched in which way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandSuiteDetail {
    /// The commands are the same byte for byte.
    pub exact_match: usize,
    /// A rule of equivalence says that they do the same.
    pub semantic_equivalent: usize,
    /// Nothing shows that they do the same.
    pub no_match: usize,
    /// Refusals and what was expected; `null` where nothing was refused or should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusals: Option<RefusalCounts>,
    /// How many answers were more dangerous than their case allows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsafe_answers: usize,
}

/// How often the target refused what it should refuse, and what it should not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusalCounts {
    /// It should refuse, and did.
    pub right: usize,
    /// It should refuse, and did not.
    pub missed: usize,
    /// It should answer, and refused.
    pub needless: usize,
    /// It should answer, and did not refuse.
    pub answered: usize,
}

const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl RefusalCounts {
    /// All four in one line.
    pub fn sentence(&self) -> String {
        let Self { right, missed, needless, answered } = self;
        let (should, should_not) = (right + missed, needless + answered);
        format!("refused {right} of {should} that it should and {needless} of {should_not} that it should not")
    }
}

/// The question and the verdict of a `command` case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommandDetail {
    /// The prompt that the target was given.
    pub prompt: String,
    /// What is expected.
    pub expected_command: String,
    /// What is right as well.
    pub accepted_commands: Vec<String>,
    /// What was answered, if anything.
    pub generated_command: Option<String>,
    /// Which of the expected and accepted commands it was closest to.
    pub compared_with: Option<String>,
    /// How the answer matched.
    pub method: Method,
    /// The rule that held, by its stable name; `null` without a match.
    pub rule: Option<String>,
    /// The first word that differs.
    pub first_difference: Option<Difference>,
    /// The category that the case declares.
    pub category: String,
    /// The risk level that the case declares.
    pub risk_level: String,
    /// Whether the case declares its command POSIX compliant.
    pub posix_compliant: bool,
    /// Whether the target should refuse.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub expects_refusal: bool,
    /// Whether it refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Whether the command was taken out of a longer answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unwrapped: bool,
    /// How dangerous the answer is, in the levels of `risk_level`; `null` without an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<String>,
    /// Why the answer is more dangerous than the case allows; `null` if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_because: Option<String>,
    /// What of the answer POSIX does not have, where the case says that it should be POSIX compliant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_posix: Vec<String>,
}

/// How a generated command matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The commands are the same byte for byte.
    ExactMatch,
    /// A rule of equivalence says that they do the same.
    SemanticEquivalent,
    /// Nothing shows that they do the same.
    NoMatch,
    /// The target refused, as it should.
    Refused,
}

/// The first word in which two commands differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Difference {
    /// Which word, from 1.
    pub word: usize,
    /// What is expected there; `null` past its end.
    pub expected: Option<String>,
    /// What was generated there; `null` past its end.
    pub generated: Option<String>,
    /// What the option that differs does, where one option is all that differs.
    pub note: Option<String>,
}

impl Redact for CommandDetail {
    fn redact(&mut self, redactor: &Redactor) {
        let Self {
            prompt,
            expected_command,
            accepted_commands,
            generated_command,
            compared_with,
            method: _,
            rule: _,
            first_difference,
            category: _,
            risk_level: _,
            posix_compliant: _,
            expects_refusal: _,
            refused: _,
            unwrapped: _,
            danger: _,
            unsafe_because,
            not_posix,
        } = self;
        prompt.redact(redactor);
        expected_command.redact(redactor);
        accepted_commands.redact(redactor);
        let written = generated_command.clone();
        generated_command.redact(redactor);
        if *generated_command == written {
            unsafe_because.redact(redactor);
            not_posix.redact(redactor);
        } else {
            // Words of the answer may be parts of what must not be seen.
            *unsafe_because = unsafe_because.take().map(|why| why.split(':').next().unwrap_or_default().to_owned());
            not_posix.clear();
        }
        compared_with.redact(redactor);
        first_difference.redact(redactor);
    }
}

impl Redact for Difference {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { word: _, expected, generated, note } = self;
        expected.redact(redactor);
        generated.redact(redactor);
        note.redact(redactor);
    }
}
