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
use crate::input::{Checker, Document, Found, InputError, InputErrors, Pointer, nearest, read_text, unix_lines};
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
    /// Which of them the scorer does not look at, or golden contradicts.
    pub not_checked: Vec<String>,
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
    let mut keep = |result: Result<Document, InputErrors>| result.map_err(|wrong| errors.extend(wrong)).ok();
    // While answers are new, a module may have no reviewed answer at all, and a scorer may not look at any.
    let is_needed = scorer.as_ref().is_none_or(|scorer| scorer.needs_golden) && !config.may_lack_golden;
    let golden_missing = !is_needed && !exists(folder, "golden.json");
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
    let mut notes = CaseErrors::default();
    let loaded = module.load_cases(&cases, &mut errors, &mut notes);
    let notes = notes.into_errors();
    errors.into_result().map(|()| Loaded { cases: loaded, warnings: InputErrors::new(), notes, document: cases })
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

/// What is wrong with cases, and what is only worth a word.
struct CaseFindings<'a> {
    errors: CaseErrors,
    notes: &'a mut CaseErrors,
}

/// What every case may have.
const KNOWN_FIELDS: [&str; 4] = ["id", "description", "input", "tags"];

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
    fn load_cases(&self, cases: &Document, errors: &mut InputErrors, notes: &mut CaseErrors) -> Vec<LoadedCase> {
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
        let mut found = CaseFindings { errors: CaseErrors::default(), notes };
        for (index, value) in values.iter().enumerate() {
            let at = root.join(index);
            match CASE_CHECKER.read_at(cases, &at, value) {
                Ok(case) => {
                    ids.push(case.id.clone());
                    loaded.extend(self.load_case(cases, &at, case, answers, &mut found));
                }
                Err(mistakes) => {
                    let id = value["id"].as_str().map(str::to_owned);
                    for mistake in mistakes {
                        found.errors.push(mistake.message.clone(), id.as_deref().unwrap_or("?"), mistake);
                    }
                    ids.extend(id);
                }
            }
        }
        errors.extend(found.errors.into_errors());
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
        CaseFindings { errors, notes }: &mut CaseFindings<'_>,
    ) -> Option<LoadedCase> {
        let GoldenCase { id, description, input, tags, further } = case;
        let before = errors.count();
        let golden = answers.get(&id).cloned();
        if golden.is_none() && self.scorer.needs_golden && !self.config.may_lack_golden {
            let message = format!("`{id}` has no reviewed answer in {}", self.golden.file);
            let help = format!(
                "record one and accept it: evalratchet run --suite {suite} --case {id} --mode record, then evalratchet golden accept {id}",
                suite = self.suite.id
            );
            errors.push("no reviewed answer", &id, cases.error(&at.join("id"), message).with_help(help));
        }
        let mut not_checked = Vec::new();
        for name in further.keys().filter(|name| !self.scorer.expected.contains_key(*name) && !self.scorer.reads(name))
        {
            let note = cases.error_at_key(&at.join(name), format!("`{name}` is not checked by the scorer"));
            let near = nearest(name, KNOWN_FIELDS.into_iter().chain(self.scorer.expected.keys().map(String::as_str)));
            let help =
                near.map_or_else(|| "its [expected] can name it".to_owned(), |near| format!("did you mean `{near}`?"));
            notes.push(format!("not checked {name}"), &id, note.with_help(help));
            not_checked.push(name.clone());
        }
        let further = Value::Object(further);
        if let Some(golden) = &golden {
            let document = json!({"actual": golden, "golden": golden, "input": input, "case": further});
            self.check_golden(&id, &document, errors);
            for (field, message) in self.scorer.contradictions(&document) {
                let note =
                    cases.error(&at.join(&field), format!("`{field}` {message}, so it is not checked by the scorer"));
                // Each number is a claim of its own.
                notes.push(format!("{field} of {id}"), &id, note.with_help(format!("{} of `{id}`", self.golden.file)));
                not_checked.push(format!("{field} {message}"));
            }
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
                    not_checked,
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
    fn check_golden(&self, id: &str, document: &Value, errors: &mut CaseErrors) {
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
            if document["case"].get(field).is_none() {
                continue;
            }
            if let Some(Err(why)) = expected.found_in(document) {
                let mistake = self.golden.error_at_key(&place, why.to_string());
                errors.push_of(field, idea_of(&why), id, mistake);
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
