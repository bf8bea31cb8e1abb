//! Holds a document against the JSON Schema of a Rust type and reports every deviation with its place.

use std::marker::PhantomData;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Document, InputError, InputErrors, Pointer, nearest};

/// The format of a file that people or we write.
#[derive(Debug, Clone, Copy)]
pub struct FileSchema {
    pub name: &'static str,
    pub about: &'static str,
    pub schema: fn() -> Value,
}

/// The JSON Schema of a type, without references, so that a path into it finds its way.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// The JSON Schema of exactly what we write: every key, and no other.
pub fn written_schema_of<T: JsonSchema>() -> Value {
    // What a reader assumes for a missing key is nothing that is written.
    let without_defaults = |schema: &mut Schema| drop(schema.remove("default"));
    schema_of_output::<T>(RecursiveTransform(without_defaults))
}

/// The JSON Schema that a file of ours must fit to be read, whichever release wrote it: keys that have a default may be
/// missing, unknown ones may be there.
fn readable_schema_of<T: JsonSchema>() -> Value {
    schema_of_output::<T>(RecursiveTransform(tolerate))
}

fn schema_of_output<T: JsonSchema>(transform: impl Transform + Clone + 'static + Send) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true).for_serialize();
    settings.with_transform(transform).into_generator().into_root_schema_for::<T>().to_value()
}

fn tolerate(schema: &mut Schema) {
    let has_default = |property: &Value| property.get("default").is_some();
    let properties = schema.get("properties").and_then(Value::as_object);
    let optional: Vec<String> = properties
        .into_iter()
        .flatten()
        .filter(|(_, property)| has_default(property))
        .map(|(name, _)| name.clone())
        .collect();
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !optional.iter().any(|one| Some(one.as_str()) == name.as_str()));
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
        schema.remove("additionalProperties");
    }
}

/// Reads documents of one type.
#[derive(Debug)]
pub struct Checker<T> {
    schema: Value,
    validator: Result<Validator, Box<ValidationError<'static>>>,
    read: PhantomData<fn() -> T>,
}

impl<T: JsonSchema + DeserializeOwned> Checker<T> {
    /// Reads what people write: an unknown key is a mistake.
    pub fn new() -> Self {
        Self::of(schema_of::<T>())
    }

    /// Reads what some release of ours wrote.
    pub fn of_own_format() -> Self {
        Self::of(readable_schema_of::<T>())
    }

    fn of(schema: Value) -> Self {
        let validator = jsonschema::validator_for(&schema).map_err(Box::new);
        Self { schema, validator, read: PhantomData }
    }

    /// The value in the document, or everything that is wrong with it.
    pub fn read(&self, document: &Document) -> Result<T, InputErrors> {
        self.read_at(document, &Pointer::root(), &document.value)
    }

    /// The same for a part of a document.
    pub fn read_at(&self, document: &Document, at: &Pointer, value: &Value) -> Result<T, InputErrors> {
        let validator = match &self.validator {
            Ok(validator) => validator,
            Err(why) => return Err(InputError::in_file(&document.file, format!("no usable schema: {why}")).into()),
        };
        let mut errors = InputErrors::new();
        for error in validator.iter_errors(value) {
            self.explain(document, at, &error, &mut errors);
        }
        errors.into_result()?;
        T::deserialize(value).map_err(|error| document.error(at, error.to_string()).into())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a foreign enum; what is not named keeps the library's words")]
    fn explain(&self, document: &Document, base: &Pointer, error: &ValidationError<'_>, errors: &mut InputErrors) {
        let at = Pointer::parse(error.instance_path().as_str())
            .steps()
            .iter()
            .fold(base.clone(), |pointer, step| pointer.join(step));
        let found = shown(error.instance());
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.properties_at(error);
                for name in unexpected {
                    let mistake = document.error_at_key(&at.join(name), format!("unknown field `{name}`"));
                    errors.push(match nearest(name, known.iter().map(String::as_str)) {
                        Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
                        None => mistake.with_help(format!("known: {}", known.join(", "))),
                    });
                }
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                errors.push(document.error(&at, format!("the field `{name}` is missing")));
            }
            ValidationErrorKind::Type { kind } => {
                let expected = match kind {
                    TypeKind::Single(one) => one.to_string(),
                    TypeKind::Multiple(many) => {
                        let names: Vec<String> = many.iter().map(|t| t.to_string()).filter(|t| t != "null").collect();
                        names.join(" or ")
                    }
                };
                errors.push(document.error(&at, format!("expected {expected}, found {found}")));
            }
            ValidationErrorKind::Enum { options } => {
                let options: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                errors.push(not_one_of(document, &at, error.instance(), &options));
            }
            ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } => {
                let constants = self.constants_at(error);
                if !constants.is_empty() {
                    let options: Vec<&str> = constants.iter().map(String::as_str).collect();
                    errors.push(not_one_of(document, &at, error.instance(), &options));
                    return;
                }
                // The alternative that got furthest says best what is wrong.
                let best = context.iter().max_by_key(|inner| {
                    inner.iter().map(|inner| inner.instance_path().as_str().matches('/').count()).max()
                });
                match best {
                    Some(nested) if nested.iter().any(|e| !matches!(e.kind(), ValidationErrorKind::Type { .. })) => {
                        for inner in nested {
                            self.explain(document, base, inner, errors);
                        }
                    }
                    Some(_) | None => {
                        errors.push(document.error(&at, format!("{found} fits none of the forms allowed here")))
                    }
                }
            }
            ValidationErrorKind::MinLength { .. } => errors.push(document.error(&at, "must not be empty")),
            ValidationErrorKind::Pattern { pattern } if pattern == r"\S" => {
                errors.push(document.error(&at, "must not be blank"));
            }
            ValidationErrorKind::MinItems { limit } => {
                errors.push(
                    document
                        .error(&at, format!("needs at least {limit} entr{}", if *limit == 1 { "y" } else { "ies" })),
                );
            }
            ValidationErrorKind::Minimum { limit } => {
                errors.push(document.error(&at, format!("must be at least {limit}, found {found}")));
            }
            ValidationErrorKind::ExclusiveMinimum { limit } => {
                errors.push(document.error(&at, format!("must be more than {limit}, found {found}")));
            }
            ValidationErrorKind::Maximum { limit } => {
                errors.push(document.error(&at, format!("must be at most {limit}, found {found}")));
            }
            _ => errors.push(document.error(&at, error.to_string())),
        }
    }

    /// The part of the schema that holds the failed keyword.
    fn parent_of(&self, error: &ValidationError<'_>) -> Option<&Value> {
        let path = error.schema_path().as_str();
        self.schema.pointer(path.rsplit_once('/').map_or("", |(parent, _)| parent))
    }

    fn properties_at(&self, error: &ValidationError<'_>) -> Vec<String> {
        self.parent_of(error)
            .and_then(|parent| parent.get("properties"))
            .and_then(Value::as_object)
            .map(|properties| properties.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// The texts of alternatives that are all constants (an enum with documented variants, perhaps optional).
    fn constants_at(&self, error: &ValidationError<'_>) -> Vec<String> {
        let mut texts = Vec::new();
        let alternatives = self.schema.pointer(error.schema_path().as_str());
        if alternatives.is_some_and(|alternatives| collect_constants(alternatives, &mut texts)) {
            texts
        } else {
            Vec::new()
        }
    }
}

fn not_one_of(document: &Document, at: &Pointer, found: &Value, options: &[&str]) -> InputError {
    let mistake = document.error(at, format!("{} is not one of {}", shown(found), options.join(", ")));
    mistake.with_nearest(found.as_str().and_then(|text| nearest(text, options.iter().copied())))
}

/// A value, short enough for a message.
fn shown(value: &Value) -> String {
    let kind = match value {
        Value::Null => return "null".into(),
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(items) => return format!("an array of {}", items.len()),
        Value::Object(_) => return "an object".into(),
    };
    let text = value.to_string();
    let short: String = text.chars().take(60).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{kind} {short}{more}")
}

/// Collects the constants of nested alternatives; `false` if there is anything else among them.
fn collect_constants(alternatives: &Value, texts: &mut Vec<String>) -> bool {
    alternatives.as_array().into_iter().flatten().all(|alternative| {
        let nested = alternative.get("oneOf").or_else(|| alternative.get("anyOf"));
        match (alternative.get("const").and_then(Value::as_str), nested) {
            (Some(text), _) => {
                texts.push(text.to_owned());
                true
            }
            (None, Some(nested)) => collect_constants(nested, texts),
            (None, None) => alternative.get("type").is_some_and(|kind| kind == "null"),
        }
    })
}
