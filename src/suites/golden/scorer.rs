//! `scorer.toml`: weighted components, each a measure.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::case_errors::CaseErrors;
use super::measures::{Measure, REGISTRY, Reader};
use super::selector::SelectorError;
use super::{Root, Selector};
use crate::input::{Checker, Document, InputError, InputErrors, Pointer, nearest, with_unix_lines};

/// How the answers of a module are scored.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "scorer.toml")]
pub struct ScorerFile {
    /// Whether answers are JSON (the default) or plain text.
    #[serde(default)]
    pub answer: AnswerForm,
    /// Further fields of a case → what they must be, held against golden when loaded.
    #[serde(default)]
    pub expected: BTreeMap<String, Expected>,
    /// The components; their weights add up to 1.
    #[schemars(length(min = 1))]
    pub component: Vec<ComponentSection>,
}

/// What form answers have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerForm {
    /// JSON, also inside of prose or a fence.
    #[default]
    Json,
    /// The text as it is.
    Text,
}

/// What a further field of a case must be. Exactly one of the two must be given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Expected {
    /// As many as this selects.
    pub count: Option<Selector>,
    /// What this selects.
    pub value: Option<Selector>,
}

impl Expected {
    /// What is there in a case's document; nothing if it says neither.
    pub fn found_in(&self, document: &Value) -> Option<Result<Value, SelectorError>> {
        let count = self.count.as_ref().map(|selector| selector.select(document).map(|all| json!(all.len())));
        count.or_else(|| self.value.as_ref().map(|selector| selector.single(document).cloned()))
    }
}

/// A component; what else it says depends on its measure.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ComponentSection {
    /// The component's name, unique in the file.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it can earn.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub weight: f64,
    /// The name of the measure that scores it.
    pub measure: String,
    /// What the measure needs to know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A scorer, ready to be used.
#[derive(Debug)]
pub struct Scorer {
    /// What form answers have.
    pub answer: AnswerForm,
    /// What further fields of a case must be.
    pub expected: BTreeMap<String, Expected>,
    /// The components, in order.
    pub components: Vec<Component>,
    /// Whether a component looks at golden, so that nothing can be scored without it.
    pub needs_golden: bool,
    /// All of it, for fingerprints.
    pub fingerprint: Value,
}

/// A component, ready to be used.
#[derive(Debug)]
pub struct Component {
    pub name: String,
    /// What it can earn.
    pub weight: f64,
    /// The name of its measure.
    pub measure_name: &'static str,
    pub measure: Box<dyn Measure>,
}

impl Scorer {
    /// The fields of a case that golden contradicts, each with what both say.
    pub fn contradictions(&self, document: &Value) -> Vec<(String, String)> {
        let mut all = Vec::new();
        for (field, expected) in &self.expected {
            let Some(claimed) = document["case"].get(field) else { continue };
            if let Some(Ok(there)) = expected.found_in(document)
                && there != *claimed
            {
                all.push((field.clone(), format!("says {claimed}, but golden has {there}")));
            }
        }
        all
    }

    /// Whether a component looks at a further field of a case.
    pub fn reads(&self, field: &str) -> bool {
        let text = self.fingerprint.to_string();
        [format!("$.case.{field}"), format!("$.case['{field}']"), format!("$['case']['{field}']")]
            .iter()
            .any(|path| text.contains(path.as_str()))
    }
}

static CHECKER: LazyLock<Checker<ScorerFile>> = LazyLock::new(Checker::new);

impl Scorer {
    /// Reads a scorer; `read` reads further files of its module.
    pub fn load(document: &Document, read: Reader<'_>) -> Result<Self, InputErrors> {
        let file = CHECKER.read(document)?;
        let mut errors = InputErrors::new();
        let root = Pointer::root();
        for (field, expected) in &file.expected {
            let at = root.join("expected").join(field);
            if expected.count.is_some() == expected.value.is_some() {
                errors.push(document.error(&at, "says neither or both of `count` and `value`").with_help("say one"));
            }
            for selector in expected.count.iter().chain(&expected.value).filter(|one| one.root() == Root::Actual) {
                let message = format!("`{selector}` reads the answer, which is not known when cases are loaded");
                errors.push(document.error(&at, message).with_help("read $.golden"));
            }
        }
        let mut components: Vec<Component> = Vec::new();
        let mut added = Vec::new();
        let mut ideas = CaseErrors::default();
        for (index, section) in file.component.iter().enumerate() {
            let at = root.join("component").join(index);
            if components.iter().any(|component| component.name == section.name) {
                let message = format!("a second component is called `{}`", section.name);
                errors.push(document.error(&at.join("name"), message));
            }
            let wrong = wrong_paths(document, &at, section);
            if !wrong.is_empty() {
                for (idea, mistake) in wrong {
                    ideas.push_of(&section.name, idea, "", mistake);
                }
                continue;
            }
            match load_component(document, &at, section, read) {
                Ok((component, more)) => {
                    components.push(component);
                    added.push(more);
                }
                Err(wrong) => errors.extend(wrong),
            }
        }
        errors.extend(ideas.into_errors());
        let sum: f64 = file.component.iter().map(|section| section.weight).sum();
        if (sum - 1.0).abs() > 1e-9 {
            let message = format!(
                "the weights add up to {}, so that 1 {} the best score",
                rounded(sum),
                if sum < 1.0 { "cannot be" } else { "is not only" }
            );
            errors.push(document.error_at_key(&root.join("component"), message).with_help("they must add up to 1"));
        }
        errors.into_result()?;
        let fingerprint = json!({"scorer": document.value, "files": added});
        // A judge and a program of one's own are given all of a case.
        let reads_golden = |section: &ComponentSection| section.rest.values().any(mentions_golden);
        let needs_golden =
            file.component.iter().any(reads_golden) || components.iter().any(|one| one.measure.asks().is_some());
        Ok(Self { answer: file.answer, expected: file.expected, components, needs_golden, fingerprint })
    }
}

/// Whether a key of a measure leads into golden.
fn mentions_golden(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.starts_with("$.golden") || text.starts_with("$['golden']") || text.starts_with("$[\"golden\"]")
        }
        Value::Array(items) => items.iter().any(mentions_golden),
        Value::Object(map) => map.values().any(mentions_golden),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl Scorer {
    /// All that decides how an answer is scored; the order of components does not.
    pub fn key(&self) -> Value {
        let mut scorer = with_unix_lines(&self.fingerprint["scorer"]);
        let files = self.fingerprint["files"].as_array().cloned().unwrap_or_default();
        if let Some(components) = scorer.get_mut("component").and_then(Value::as_array_mut) {
            let mut all: Vec<Value> =
                components.iter().zip(files).map(|(one, file)| json!([one, with_unix_lines(&file)])).collect();
            all.sort_by_key(ToString::to_string);
            *components = all;
        }
        scorer
    }
}

fn rounded(sum: f64) -> f64 {
    (sum * 1e6).round() / 1e6
}

fn load_component(
    document: &Document,
    at: &Pointer,
    section: &ComponentSection,
    read: Reader<'_>,
) -> Result<(Component, Value), InputErrors> {
    let Some(registered) = REGISTRY.iter().find(|registered| registered.name == section.measure) else {
        let names: Vec<&str> = REGISTRY.iter().map(|registered| registered.name).collect();
        let mistake = document.error(&at.join("measure"), format!("there is no measure `{}`", section.measure));
        return Err(match nearest(&section.measure, names.iter().copied()) {
            Some(near) => mistake.with_help(format!("did you mean `{near}`?")),
            None => mistake.with_help(format!("known: {}", names.join(", "))),
        }
        .into());
    };
    let rest = Value::Object(section.rest.clone());
    let (measure, added) = (registered.load)(document, at, &rest, read)?;
    let (name, weight, measure_name) = (section.name.clone(), section.weight, registered.name);
    Ok((Component { name, weight, measure_name, measure }, added))
}

/// What is wrong with the paths of a component, each with the idea behind it. A path is pointed at before the component as
/// a whole is.
fn wrong_paths(document: &Document, at: &Pointer, section: &ComponentSection) -> Vec<(String, InputError)> {
    let Some(registered) = REGISTRY.iter().find(|registered| registered.name == section.measure) else {
        return Vec::new();
    };
    let schema = (registered.schema)();
    // Other texts may begin with `$`, too, such as a regular expression.
    let is_path = |key: &str| schema["properties"][key].to_string().contains(r#""pattern":"^\\$""#);
    let mut wrong = Vec::new();
    for (key, value) in section.rest.iter().filter(|(key, _)| is_path(key)) {
        match value.as_str().filter(|text| text.starts_with('$')).map(Selector::parse) {
            Some(Ok(selector)) => wrong.extend(check_root(document, &at.join(key), key, &selector)),
            Some(Err(why)) => {
                let has_no_root = matches!(why, SelectorError::NoRoot { .. });
                let idea = if has_no_root { "no root".to_owned() } else { why.to_string() };
                wrong.push((idea, document.error(&at.join(key), why.to_string())));
            }
            None => {}
        }
    }
    wrong
}

/// A component that does not read the answer, or compares it with itself, scores every answer alike.
fn check_root(document: &Document, at: &Pointer, key: &str, selector: &Selector) -> Option<(String, InputError)> {
    let reads_answer = selector.root() == Root::Actual;
    let (message, help) = match key {
        "actual" | "items" | "satisfying" if !reads_answer => {
            (format!("`{selector}` does not read the answer, so every answer scores the same"), "read $.actual")
        }
        "golden" if reads_answer => {
            let message = format!("`{selector}` reads the answer, which would be compared with itself");
            (message, "read $.golden, $.input or $.case")
        }
        _ => return None,
    };
    Some((help.to_owned(), document.error(at, message).with_help(help)))
}

/// A component has the keys of its measure.
pub(super) fn scorer_schema() -> Value {
    let mut schema = crate::input::schema_of::<ScorerFile>();
    let alternatives: Vec<Value> = super::measures::REGISTRY
        .iter()
        .map(|measure| {
            let mut own = (measure.schema)();
            if let Some(fields) = own.as_object_mut() {
                fields.remove("$schema");
                fields.remove("additionalProperties");
                fields.remove("title");
            }
            if let Some(properties) = own["properties"].as_object_mut() {
                properties.insert("measure".into(), serde_json::json!({ "const": measure.name }));
            }
            own
        })
        .collect();
    if let Some(component) = schema.pointer_mut("/properties/component/items").and_then(Value::as_object_mut) {
        component.insert("oneOf".into(), alternatives.into());
    }
    schema
}
