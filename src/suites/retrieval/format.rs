//! Retrieval cases: disk → cases, and the built-in ones.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::builtin;
use super::expected::ExpectedId;
use super::{CaseOrigin, PassAt, RetrievalConfig};
use crate::input::{Checker, Document, InputErrors, Pointer};
use crate::model::{CaseId, CaseKey, Fingerprint, Lane, Location, SharedKey, Slice};
use crate::suites::{Case, Loaded, LoadedCase, Question, SuiteSettings, read, tag_slices};

/// A list of retrieval cases, or an object that holds one.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "evalratchet retrieval cases")]
#[expect(dead_code, reason = "names the format for the schema; cases are read one by one")]
pub enum CaseList {
    /// A list of cases.
    List(Vec<EvalCase>),
    /// The cases, under `cases`.
    Object(CaseObject),
}

/// The cases, under `cases`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "names the format for the schema; cases are read one by one")]
pub struct CaseObject {
    /// The cases of the file.
    pub cases: Vec<EvalCase>,
}

/// One question and the ids that should be found.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvalCase {
    /// Unique in the suite.
    #[schemars(length(min = 1))]
    pub id: Option<String>,
    /// Another name of `id`.
    #[schemars(length(min = 1))]
    pub name: Option<String>,
    /// What the case is about; only people read it.
    #[serde(default)]
    pub description: String,
    /// The lane that is searched; needed only if the suite has both.
    pub lane: Option<Lane>,
    /// The specification it comes from.
    #[serde(default)]
    pub spec_id: String,
    /// The query that the engine is given.
    #[schemars(regex(pattern = r"\S"))]
    pub spec_content: Option<String>,
    /// The same as `spec_content`.
    #[schemars(regex(pattern = r"\S"))]
    pub query: Option<String>,
    /// What should be found: ids, files such as `code:src/core.py`, or patterns such as `code:src/core.py::*`.
    #[schemars(length(min = 1), inner(regex(pattern = r"\S")))]
    pub expected_ids: Vec<String>,
    /// How many are looked at; else `--k`, the suite's `k`, or 10.
    #[schemars(range(min = 1))]
    pub k: Option<usize>,
    /// Labels to select and slice by.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// What a retrieval case asks.
#[derive(Debug, Clone)]
pub struct RetrievalQuestion {
    /// The id of the case.
    pub id: String,
    /// Further fields that the engine is given.
    pub pass: Map<String, Value>,
    /// What the case is about; only people read it.
    pub description: String,
    pub lane: Lane,
    /// The specification it comes from.
    pub spec_id: String,
    pub query: String,
    /// What should be found, each once.
    pub expected: Vec<String>,
    /// Of these, what the engine was not asked whether it holds it: counted as held.
    pub not_asked_for: Vec<String>,
    /// How many are looked at.
    pub k: usize,
    /// Where the case comes from.
    pub source: CaseOrigin,
    pub pass_at: PassAt,
}

impl RetrievalQuestion {
    /// What should be found, ready to be compared.
    pub fn wanted(&self) -> Vec<ExpectedId> {
        self.expected.iter().map(|id| ExpectedId::new(id)).collect()
    }

    /// Whether only files and patterns are expected, so that the ranking is one of files.
    pub fn is_collapsed(&self) -> bool {
        self.expected.iter().all(|id| ExpectedId::new(id).is_coarse())
    }
}

/// How many are looked at if nobody says otherwise.
const DEFAULT_K: usize = 10;
/// How the built-in cases are named as a place.
const BUILTIN: &str = "(built in)";

static CASE_CHECKER: LazyLock<Checker<EvalCase>> = LazyLock::new(Checker::new);

/// The cases of a suite. An external case takes the place of a built-in one with the same id.
pub fn load(suite: &SuiteSettings, config: &RetrievalConfig) -> Vec<Result<Loaded, InputErrors>> {
    let mut loaded: Vec<Result<Loaded, InputErrors>> = Vec::new();
    let lanes = Lanes { of_index: suite.target.properties().lanes() };
    for file in suite.files.found() {
        loaded.push(read(&file.path, &file.shown).and_then(|text| load_file(config, &lanes, &file.shown, text)));
    }
    if config.builtin_cases {
        let mut builtin = load_builtin(config);
        if let Ok(builtin) = &mut builtin {
            let external = loaded.iter().flatten().flat_map(|loaded| &loaded.cases);
            let taken: Vec<CaseId> = external.map(|case| case.case.id.clone()).collect();
            builtin.cases.retain(|case| !taken.contains(&case.case.id));
        }
        loaded.insert(0, builtin);
    }
    loaded
}

/// The lanes that a case may be about.
struct Lanes {
    /// Those that the target has, where that is known.
    of_index: Option<Vec<Lane>>,
}

impl Lanes {
    /// The lane of a case that does not say it; `None` where it must.
    fn of(&self, said: &BTreeSet<Lane>, expected: &[String]) -> Option<Lane> {
        let known: Vec<Lane> = match &self.of_index {
            Some(lanes) => lanes.clone(),
            None => said.iter().copied().collect(),
        };
        match known.as_slice() {
            [one] => Some(*one),
            [] if expected.iter().all(|id| id.starts_with("code:")) => Some(Lane::Code),
            [] => Some(Lane::Memory),
            [..] => None,
        }
    }
}

fn load_file(config: &RetrievalConfig, lanes: &Lanes, shown: &str, text: String) -> Result<Loaded, InputErrors> {
    let document = Document::json(shown, text)?;
    let root = Pointer::root();
    let wrapped = document.value.as_object().filter(|map| map.len() == 1).and_then(|map| map.get("cases"));
    let (at, list) = wrapped.map_or((root.clone(), &document.value), |cases| (root.join("cases"), cases));
    let Some(values) = list.as_array() else {
        return Err(document.error(&at, "expected an array of cases, or {\"cases\": […]}").into());
    };
    if values.is_empty() {
        return Err(document.error(&at, "has no case").into());
    }
    let said = values.iter().filter_map(|value| Lane::deserialize(value.get("lane")?).ok()).collect();
    let mut errors = InputErrors::new();
    let mut cases = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let place = at.join(index);
        let (own, pass) = without_passed(value, &config.pass);
        let case = CASE_CHECKER.read_at(&document, &place, &own).and_then(|case| {
            let lane = case.lane.or_else(|| lanes.of(&said, &case.expected_ids));
            checked(case, lane, &document, &place)
        });
        match case {
            Ok(case) => cases.push(loaded_case(config, &document, &place, case, pass, CaseOrigin::Json)),
            Err(wrong) => errors.extend(wrong),
        }
    }
    errors.into_result().map(|()| Loaded { cases, warnings: InputErrors::new(), notes: InputErrors::new(), document })
}

fn load_builtin(config: &RetrievalConfig) -> Result<Loaded, InputErrors> {
    let document = Document::json(BUILTIN, builtin::cases_text().to_owned())?;
    let cases = builtin::cases().map_err(|why| document.error(&Pointer::root(), why.to_string()))?;
    let mut loaded = Vec::new();
    for (index, case) in cases.into_iter().enumerate() {
        let place = Pointer::root().join(index);
        let lane = case.lane;
        let case = checked(case, lane, &document, &place)?;
        loaded.push(loaded_case(config, &document, &place, case, Map::new(), CaseOrigin::Builtin));
    }
    Ok(Loaded { cases: loaded, warnings: InputErrors::new(), notes: InputErrors::new(), document })
}

/// A case without the fields that are handed to the engine, and these.
fn without_passed(value: &Value, pass: &[String]) -> (Value, Map<String, Value>) {
    let Value::Object(map) = value else { return (value.clone(), Map::new()) };
    let (passed, own): (Map<String, Value>, Map<String, Value>) =
        map.clone().into_iter().partition(|(name, _)| pass.contains(name));
    (Value::Object(own), passed)
}

/// A case of which every field that it needs is there.
struct CheckedCase {
    id: String,
    at_id: Pointer,
    lane: Lane,
    query: String,
    case: EvalCase,
}

fn checked(
    mut case: EvalCase,
    lane: Option<Lane>,
    document: &Document,
    at: &Pointer,
) -> Result<CheckedCase, InputErrors> {
    let mut errors = InputErrors::new();
    let mut one_of = |first: &str, second: &str, one: Option<String>, other: Option<String>| {
        if one.is_some() && other.is_some() {
            let message = format!("`{second}` is the same as `{first}`: give one of them");
            errors.push(document.error_at_key(&at.join(second), message));
        } else if one.is_none() && other.is_none() {
            errors.push(document.error(at, format!("the field `{first}` (or `{second}`) is missing")));
        }
        one.or(other).unwrap_or_default()
    };
    let at_id = at.join(if case.id.is_none() && case.name.is_some() { "name" } else { "id" });
    let id = one_of("id", "name", case.id.take(), case.name.take());
    let query = one_of("spec_content", "query", case.spec_content.take(), case.query.take());
    if lane.is_none() {
        let message = "the field `lane` is missing, and the suite looks in both";
        errors.push(document.error(at, message).with_help("say \"code\" or \"memory\""));
    }
    errors.into_result()?;
    Ok(CheckedCase { id, at_id, lane: lane.unwrap_or(Lane::Code), query, case })
}

fn loaded_case(
    config: &RetrievalConfig,
    document: &Document,
    at: &Pointer,
    case: CheckedCase,
    pass: Map<String, Value>,
    source: CaseOrigin,
) -> LoadedCase {
    let CheckedCase { id, at_id, lane, query: spec_content, case } = case;
    let EvalCase { description, spec_id, expected_ids, k, tags, id: _, name: _, lane: _, spec_content: _, query: _ } =
        case;
    let k = k.or(config.k).unwrap_or(DEFAULT_K);
    let mut expected: Vec<String> = Vec::new();
    for id in expected_ids {
        if !expected.contains(&id) {
            expected.push(id);
        }
    }
    let mut slices = vec![Slice::new("lane", lane.name()), Slice::new("source", source.name())];
    slices.extend(tag_slices(&tags));
    let mut asked = json!({
        "kind": "retrieval", "lane": lane.name(), "spec_id": spec_id, "spec_content": spec_content,
        "expected_ids": expected, "k": k,
    });
    if !pass.is_empty() {
        asked["pass"] = Value::Object(pass.clone());
    }
    let fingerprint = Fingerprint::of(&asked);
    let pass_at = config.pass_at;
    let asked = Fingerprint::normalised(&json!({"kind": "retrieval", "lane": lane.name(), "query": spec_content}));
    let mut sorted = expected.clone();
    sorted.sort();
    let key = CaseKey::new(json!({"expected_ids": sorted, "k": k, "pass-at": pass_at.name()}), SharedKey::nothing());
    LoadedCase {
        at_id,
        case: Case {
            id: CaseId::new(id.clone()),
            tags,
            slices,
            location: Location { file: document.file.clone(), line: document.line(at) },
            fingerprint,
            asked,
            key,
            question: Question::Retrieval(Box::new(RetrievalQuestion {
                id,
                pass,
                description,
                lane,
                spec_id,
                query: spec_content,
                expected,
                not_asked_for: Vec::new(),
                k,
                source,
                pass_at,
            })),
        },
    }
}
