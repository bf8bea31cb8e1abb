//! `schema`: whether a value fits a JSON Schema.

use jsonschema::Validator;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Definition, KeyError, Measure, MeasureError, MeasureInput, Measured, Reader};
use crate::suites::golden::Selector;

/// Whether a value fits a JSON Schema.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Schema {
    /// The value of the answer.
    actual: Selector,
    /// The schema's file, in the module's folder.
    #[schemars(length(min = 1))]
    file: String,
    #[serde(skip)]
    #[schemars(skip)]
    validator: Option<Validator>,
}

impl Definition for Schema {
    const NAME: &'static str = "schema";

    fn resolve(&mut self, read: Reader<'_>) -> Result<Value, KeyError> {
        let wrong = |why: String| KeyError::new("file", why);
        let text = read(&self.file).map_err(|error| wrong(error.to_string()))?;
        let schema: Value =
            serde_json::from_str(&text).map_err(|error| wrong(format!("`{}` is not JSON: {error}", self.file)))?;
        let validator = jsonschema::validator_for(&schema)
            .map_err(|error| wrong(format!("`{}` is not a JSON Schema: {error}", self.file)))?;
        if samples().iter().all(|sample| validator.is_valid(sample)) {
            return Err(wrong(format!("`{}` accepts every value", self.file)));
        }
        self.validator = Some(validator);
        Ok(schema)
    }
}

/// A schema that all of these fit refuses nothing.
fn samples() -> [Value; 10] {
    [
        Value::Null,
        json!(true),
        json!(0),
        json!(-1.5),
        json!(""),
        json!("x"),
        json!([]),
        json!([1, "x", null]),
        json!({}),
        json!({"a": {"b": [1]}}),
    ]
}

impl Measure for Schema {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError> {
        let value = self.actual.single(input.document)?;
        let Some(validator) = &self.validator else {
            return Err(MeasureError::Scorer("the schema was not read".into()));
        };
        Ok(match validator.iter_errors(value).next() {
            None => Measured::share(1.0, None),
            Some(error) => {
                let place = error.instance_path().as_str();
                let place = if place.is_empty() { "the whole" } else { place };
                Measured::share(0.0, format!("{place}: {error}"))
            }
        })
    }
}
