//! `latency`: an answer in time.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader};
use crate::input::parse_duration;
use crate::model::{Nature, milliseconds};

/// An answer in time: all or nothing. A recorded answer took as long as it did when it was recorded.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Latency {
    /// How long it may take, such as `"2s"`.
    max: String,
    #[serde(skip)]
    #[schemars(skip)]
    limit: Duration,
}

impl Definition for Latency {
    const NAME: &'static str = "latency";

    fn resolve(&mut self, _: Reader<'_>) -> Result<Value, KeyError> {
        self.limit = parse_duration(&self.max).map_err(|why| KeyError::new("max", why.to_string()))?;
        Ok(Value::Null)
    }
}

impl Measure for Latency {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let share = if input.latency <= self.limit { 1.0 } else { 0.0 };
        Ok(Measured::share(
            share,
            format!("{}, at most {}", Nature::Latency.format(milliseconds(input.latency)), self.max),
        ))
    }
}
