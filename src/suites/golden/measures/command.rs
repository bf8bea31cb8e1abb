//! `command`: a program of the user's own, in any language.

use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::judge::opinion;
use super::{Asks, Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader};
use crate::targets::TargetSettings;

/// How long it may take over one answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A program of the user's own. It reads `{"actual", "golden", "input", "case"}` and writes `{"score", "reason"}`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScorerProgram {
    /// A process for each answer: JSON on standard input, JSON on standard output.
    #[schemars(length(min = 1))]
    pub command: Option<Vec<String>>,
    /// One process for all answers, with JSON lines `{"id", "input"}` in and `{"id", "output"}` out.
    #[schemars(length(min = 1))]
    pub worker: Option<Vec<String>>,
}

impl Definition for ScorerProgram {
    const NAME: &'static str = "command";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        match (&self.command, &self.worker) {
            (None, None) => Err(KeyError::new("command", "says neither `command` nor `worker`")),
            (Some(_), Some(_)) => Err(KeyError::new("worker", "`command` says it already; keep one")),
            (Some(_), None) | (None, Some(_)) => Ok(Value::Null),
        }
    }
}

impl ScorerProgram {
    /// Program and arguments.
    pub fn argv(&self) -> &[String] {
        self.command.as_ref().or(self.worker.as_ref()).map_or(&[][..], Vec::as_slice)
    }

    /// The program as a target: a whole case in, a score out.
    pub fn target(&self, root: &Path) -> TargetSettings {
        let argv = self.argv();
        if self.command.is_some() {
            TargetSettings::command(argv, root, TIMEOUT)
        } else {
            TargetSettings::worker(argv, root, TIMEOUT)
        }
    }
}

impl Measure for ScorerProgram {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        opinion(input.opinion, "the scorer's program")
    }

    fn asks(&self) -> Option<Asks<'_>> {
        Some(Asks::ScorerProgram(self))
    }
}
