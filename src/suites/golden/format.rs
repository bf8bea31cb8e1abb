//! A module's folder: `cases.json`, `golden.json`, `scorer.toml`, and for a model `prompt.md` and `answer.schema.json`.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use minijinja::{Environment, UndefinedBehavior};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::GoldenConfig;
use super::case_errors::{CaseErrors, idea_of};
use super::measures::{Asks, MeasureInput, ModuleFileError};
use super::scorer::Scorer;
use crate::input::{Checker, Document, Found, InputError, InputErrors, Pointer, read_text, unix_lines};
use crate::model::{CaseId, CaseKey, Fingerprint, Location, SharedKey};
use crate::suites::{Case, Loaded, LoadedCase, Question, SuiteSettings, read, tag_slices};
use crate::targets::Source;

/// The cases of a module.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(title = "evalratchet golden cases")]
#[expect(dead_code, reason = "names the format for the schema; cases are read one by one")]
pub struct CaseFile(#[schemars(length(min = 1))] pub Vec<GoldenCase>);

/// One case. Further fields, such as `expectedSubtasks`, are those that the scorer's `[expected]` names.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoldenCase {
    /// Unique in the module.
    #[schemars(length(min = 1))]
    pub id: String,
    /// What the case is about; only people read it.
    pub description: String,
    /// What the module is given.
    pub input: Value,
    /// Labels to select and slice by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Further fields, which measures can select.
    #[serde(flatten)]
    pub further: Map<String, Value>,
}

/// What a golden case asks.
#[derive(Debug, Clone)]
pub struct GoldenQuestion {
    /// The module's folder.
    pub module: String,
    /// What the case is about; only people read it.
    pub description: String,
    /// What the module is given.
    pub input: Value,
    /// The reviewed answer, if there is one yet.
    pub golden: Option<Value>,
    /// Further fields of the case.
    pub further: Value,
    /// The prompt, rendered, for a target that wants one.
    pub prompt: String,
    /// The JSON Schema that the answer must fit, for a target that wants one.
    pub schema: Option<Value>,
    /// How answers are scored.
    pub scorer: Arc<Scorer>,
    /// The score from which on it passes.
    pub pass_at: f64,
    /// Whether answers are replayed, so that one that equals golden proves nothing.
    pub replayed: bool,
}

static CASE_CHECKER: LazyLock<Checker<GoldenCase>> = LazyLock::new(Checker::new);

/// Loads the module of a suite. What is wrong with the folder itself was said with the configuration.
pub fn load(suite: &SuiteSettings, config: &GoldenConfig) -> Option<Result<Loaded, InputErrors>> {
    suite.files.found().first().map(|folder| load_module(suite, config, folder))
}

fn load_module(suite: &SuiteSettings, config: &GoldenConfig, folder: &Found) -> Result<Loaded, InputErrors> {
    let mut errors = InputErrors::new();
    let mut keep = |result: Result<Document, InputErrors>| result.map_err(|wrong| errors.extend(wrong)).ok();
    let cases = keep(document(folder, "cases.json"));
    // While recording, a module may have no reviewed answer at all.
    let golden_missing = config.records && !exists(folder, "golden.json");
    let golden = if golden_missing {
        keep(Document::json(&shown(folder, "golden.json"), "{}".into()))
    } else {
        keep(document(folder, "golden.json").map_err(|wrong| {
            if exists(folder, "golden.json") {
                return wrong;
            }
            let help = format!(
                "record answers and accept them: evalratchet run --suite {} --mode record, then evalratchet golden accept",
                suite.id
            );
            InputError::in_file(shown(folder, "golden.json"), "there are no reviewed answers").with_help(help).into()
        }))
    };
    let scorer_text = read(&folder.path.join("scorer.toml"), &shown(folder, "scorer.toml"));
    let scorer_document = keep(scorer_text.and_then(|text| Document::toml(&shown(folder, "scorer.toml"), text)));
    let read_more = |name: &str| {
        let inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !inside {
            return Err(ModuleFileError::Outside(name.to_owned()));
        }
        Ok(read_text(&folder.path.join(name), &shown(folder, name))?)
    };
    let scorer = scorer_document.as_ref().and_then(|document| {
        Scorer::load(document, &read_more).map_err(|wrong| errors.extend(wrong)).ok().map(Arc::new)
    });
    let asks_model = suite.target.model().is_some();
    let prompt = if asks_model {
        read(&folder.path.join("prompt.md"), &shown(folder, "prompt.md")).map_err(|wrong| errors.extend(wrong)).ok()
    } else {
        Some(String::new())
    };
    let schema = if asks_model && exists(folder, "answer.schema.json") {
        document(folder, "answer.schema.json").map_err(|wrong| errors.extend(wrong)).ok().map(|schema| schema.value)
    } else {
        None
    };
    let (Some(cases), Some(golden), Some(scorer), Some(prompt)) = (cases, golden, scorer, prompt) else {
        return Err(errors);
    };
    let shared_key = shared_key(suite, &scorer);
    let prompt = asks_model.then_some(prompt);
    let module = Module { folder, suite, config, golden: &golden, scorer, shared_key, prompt, schema };
    let loaded = module.load_cases(&cases, &mut errors);
    errors.into_result().map(|()| Loaded { cases: loaded, warnings: InputErrors::new(), document: cases })
}

/// The scorer, and the programs of it that git tracks.
fn shared_key(suite: &SuiteSettings, scorer: &Scorer) -> Arc<SharedKey> {
    let mut key = scorer.key();
    let programs: Vec<&str> =
        scorer.components.iter().flat_map(|one| one.measure.asks()).flat_map(Asks::argv).collect();
    if !programs.is_empty() {
        key["programs"] = json!(suite.tracked.named(&suite.root, programs));
    }
    SharedKey::new(key)
}

struct Module<'a> {
    folder: &'a Found,
    suite: &'a SuiteSettings,
    config: &'a GoldenConfig,
    golden: &'a Document,
    scorer: Arc<Scorer>,
    shared_key: Arc<SharedKey>,
    prompt: Option<String>,
    schema: Option<Value>,
}

impl Module<'_> {
    fn load_cases(&self, cases: &Document, errors: &mut InputErrors) -> Vec<LoadedCase> {
        let root = Pointer::root();
        let Some(values) = cases.value.as_array().filter(|values| !values.is_empty()) else {
            errors.push(cases.error(&root, "expected an array with at least one case"));
            return Vec::new();
        };
        let Some(answers) = self.golden.value.as_object() else {
            errors.push(self.golden.error(&root, "expected an object: case id → reviewed answer"));
            return Vec::new();
        };
        let mut loaded = Vec::new();
        let mut ids = Vec::new();
        let mut wrong = CaseErrors::default();
        for (index, value) in values.iter().enumerate() {
            let at = root.join(index);
            match CASE_CHECKER.read_at(cases, &at, value) {
                Ok(case) => {
                    ids.push(case.id.clone());
                    loaded.extend(self.load_case(cases, &at, case, answers, &mut wrong));
                }
                Err(mistakes) => {
                    let id = value["id"].as_str().map(str::to_owned);
                    for mistake in mistakes {
                        wrong.push(mistake.message.clone(), id.as_deref().unwrap_or("?"), mistake);
                    }
                    ids.extend(id);
                }
            }
        }
        errors.extend(wrong.into_errors());
        let unknown: Vec<&String> = answers.keys().filter(|id| !ids.contains(id)).collect();
        if let Some((first, more)) = unknown.split_first() {
            let mut message = format!("there is no case `{first}` in cases.json");
            if !more.is_empty() {
                let named: Vec<String> = more.iter().take(3).map(|id| format!("`{id}`")).collect();
                let dots = if more.len() > named.len() { ", …" } else { "" };
                message.push_str(&format!(", nor {} more ({}{dots})", more.len(), named.join(", ")));
            }
            errors.push(self.golden.error_at_key(&root.join(first.as_str()), message));
        }
        self.check_when_empty(&loaded, errors);
        loaded
    }

    /// A path that leads to nothing in any case leaves every score to `when-empty`.
    fn check_when_empty(&self, loaded: &[LoadedCase], errors: &mut InputErrors) {
        let documents: Vec<Value> = loaded
            .iter()
            .filter_map(|one| {
                let Question::Golden(question) = &one.case.question else { return None };
                let golden = question.golden.as_ref()?;
                Some(json!({"actual": golden, "golden": golden, "input": question.input, "case": question.further}))
            })
            .collect();
        for component in &self.scorer.components {
            let Some(selector) = component.measure.decided_by_when_empty().filter(|one| one.may_miss()) else {
                continue;
            };
            let is_empty = |document: &Value| selector.select(document).is_ok_and(|found| found.is_empty());
            if !documents.is_empty() && documents.iter().all(is_empty) {
                let message = format!(
                    "the component `{}`: `{selector}` selects nothing in any case, so `when-empty` decides every score",
                    component.name
                );
                let file = shown(self.folder, "scorer.toml");
                errors.push(InputError::in_file(file, message).with_help("correct the path"));
            }
        }
    }

    fn load_case(
        &self,
        cases: &Document,
        at: &Pointer,
        case: GoldenCase,
        answers: &Map<String, Value>,
        errors: &mut CaseErrors,
    ) -> Option<LoadedCase> {
        let GoldenCase { id, description, input, tags, further } = case;
        let before = errors.count();
        let golden = answers.get(&id).cloned();
        if golden.is_none() && !self.config.records {
            let message = format!("`{id}` has no reviewed answer in {}", self.golden.file);
            let help = format!(
                "record one and accept it: evalratchet run --suite {suite} --case {id} --mode record, then evalratchet golden accept {id}",
                suite = self.suite.id
            );
            errors.push("no reviewed answer", &id, cases.error(&at.join("id"), message).with_help(help));
        }
        for name in further.keys().filter(|name| !self.scorer.expected.contains_key(*name)) {
            let mistake = cases.error_at_key(&at.join(name), format!("unknown field `{name}`"));
            let help = "known: id, description, input, tags, and what the scorer's [expected] names";
            errors.push(format!("unknown field {name}"), &id, mistake.with_help(help));
        }
        let further = Value::Object(further);
        if let Some(golden) = &golden {
            let document = json!({"actual": golden, "golden": golden, "input": input, "case": further});
            self.check_golden(cases, at, &id, &document, errors);
        }
        let prompt = match &self.prompt {
            None => input.to_string(),
            Some(template) => render(template, &input).unwrap_or_else(|why| {
                let file = shown(self.folder, "prompt.md");
                let mistake = InputError::in_file(file, format!("cannot be filled in for `{id}`: {why}"));
                errors.push(format!("prompt {why}"), &id, mistake);
                String::new()
            }),
        };
        if errors.count() > before {
            return None;
        }
        let fingerprint = Fingerprint::of(&json!({
            "kind": "golden", "input": input, "golden": golden, "case": further, "scorer": self.scorer.fingerprint,
        }));
        let sent = self.prompt.as_ref().map(|_| unix_lines(&prompt));
        let asked =
            Fingerprint::normalised(&json!({"kind": "golden", "input": input, "prompt": sent, "schema": self.schema}));
        let pass_at = self.config.pass_at.unwrap_or(1.0);
        let key =
            CaseKey::new(json!({"golden": golden, "case": further, "pass-at": pass_at}), Arc::clone(&self.shared_key));
        Some(LoadedCase {
            at_id: at.join("id"),
            case: Case {
                id: CaseId::new(id),
                slices: tag_slices(&tags),
                tags,
                location: Location { file: cases.file.clone(), line: cases.line(at) },
                fingerprint,
                asked,
                key,
                question: Question::Golden(Box::new(GoldenQuestion {
                    module: self.folder.shown.clone(),
                    description,
                    input,
                    golden,
                    further,
                    prompt,
                    schema: self.schema.clone(),
                    scorer: Arc::clone(&self.scorer),
                    pass_at,
                    replayed: self.suite.source == Source::Recordings,
                })),
            },
        })
    }

    /// What a scorer looks at must be there in golden: if it is not, nobody's answer could be right.
    fn check_golden(&self, cases: &Document, at: &Pointer, id: &str, document: &Value, errors: &mut CaseErrors) {
        let place = Pointer::root().join(id);
        for component in &self.scorer.components {
            if component.measure.asks().is_some() {
                continue;
            }
            let input = MeasureInput { document, latency: Duration::ZERO, opinion: None };
            if let Err(why) = component.measure.measure(input) {
                let message = format!("the component `{}` cannot be measured on golden itself: {why}", component.name);
                errors.push_of(&component.name, idea_of(&why), id, self.golden.error_at_key(&place, message));
            }
        }
        for (field, expected) in &self.scorer.expected {
            let Some(claimed) = document["case"].get(field) else { continue };
            let count = expected.count.as_ref().map(|selector| selector.select(document).map(|all| json!(all.len())));
            let value = expected.value.as_ref().map(|selector| selector.single(document).cloned());
            match count.or(value) {
                Some(Ok(there)) if there != *claimed => {
                    let message = format!("says {claimed}, but golden has {there}");
                    let mistake = cases.error(&at.join(field), message);
                    let help = format!("{} of `{id}`", self.golden.file);
                    // Each number is a claim of its own.
                    errors.push(format!("{field} of {id}"), id, mistake.with_help(help));
                }
                Some(Err(why)) => {
                    let mistake = self.golden.error_at_key(&place, why.to_string());
                    errors.push_of(field, idea_of(&why), id, mistake);
                }
                Some(Ok(_)) | None => {}
            }
        }
    }
}

/// A template that could not be filled in, in the words of its engine.
#[derive(Debug, thiserror::Error)]
#[error("{line}{detail}")]
struct TemplateError {
    line: String,
    detail: String,
}

/// Fills a template in; a name that is not there is an error.
fn render(template: &str, input: &Value) -> Result<String, TemplateError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let rendered = environment
        .render_str(template, minijinja::context! { input => minijinja::Value::from(minijinja::value::Serde(input)) });
    rendered.map_err(|error| TemplateError {
        line: error.line().map(|line| format!("line {line}: ")).unwrap_or_default(),
        detail: error.detail().map_or_else(|| error.kind().to_string(), str::to_owned),
    })
}

fn shown(folder: &Found, name: &str) -> String {
    format!("{}/{name}", folder.shown)
}

fn document(folder: &Found, name: &str) -> Result<Document, InputErrors> {
    Document::json(&shown(folder, name), read(&folder.path.join(name), &shown(folder, name))?)
}

fn exists(folder: &Found, name: &str) -> bool {
    crate::input::is_file(&folder.path.join(name))
}
