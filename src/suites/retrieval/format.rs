//! Retrieval cases: disk → cases, and the built-in ones.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::builtin;
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
    pub id: String,
    /// What the case is about; only people read it.
    pub description: String,
    /// The lane that is searched.
    pub lane: Lane,
    /// The specification it comes from.
    pub spec_id: String,
    /// The query that the engine is given.
    #[schemars(regex(pattern = r"\S"))]
    pub spec_content: String,
    /// What should be found.
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

/// How many are looked at if nobody says otherwise.
const DEFAULT_K: usize = 10;
/// How the built-in cases are named as a place.
const BUILTIN: &str = "(built in)";

static CASE_CHECKER: LazyLock<Checker<EvalCase>> = LazyLock::new(Checker::new);

/// The cases of a suite. An external case takes the place of a built-in one with the same id.
pub fn load(suite: &SuiteSettings, config: &RetrievalConfig) -> Vec<Result<Loaded, InputErrors>> {
    let mut loaded: Vec<Result<Loaded, InputErrors>> = Vec::new();
    for file in suite.files.found() {
        loaded.push(read(&file.path, &file.shown).and_then(|text| load_file(config, &file.shown, text)));
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

fn load_file(config: &RetrievalConfig, shown: &str, text: String) -> Result<Loaded, InputErrors> {
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
    let mut errors = InputErrors::new();
    let mut cases = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let place = at.join(index);
        match CASE_CHECKER.read_at(&document, &place, value) {
            Ok(case) => cases.push(loaded_case(config, &document, &place, case, CaseOrigin::Json)),
            Err(wrong) => errors.extend(wrong),
        }
    }
    errors.into_result().map(|()| Loaded { cases, warnings: InputErrors::new(), document })
}

fn load_builtin(config: &RetrievalConfig) -> Result<Loaded, InputErrors> {
    let document = Document::json(BUILTIN, builtin::cases_text().to_owned())?;
    let cases = builtin::cases().map_err(|why| document.error(&Pointer::root(), why.to_string()))?;
    let loaded = cases
        .into_iter()
        .enumerate()
        .map(|(index, case)| loaded_case(config, &document, &Pointer::root().join(index), case, CaseOrigin::Builtin));
    let cases = loaded.collect();
    Ok(Loaded { cases, warnings: InputErrors::new(), document })
}

fn loaded_case(
    config: &RetrievalConfig,
    document: &Document,
    at: &Pointer,
    case: EvalCase,
    source: CaseOrigin,
) -> LoadedCase {
    let EvalCase { id, description, lane, spec_id, spec_content, expected_ids, k, tags } = case;
    let k = k.or(config.k).unwrap_or(DEFAULT_K);
    let mut expected: Vec<String> = Vec::new();
    for id in expected_ids {
        if !expected.contains(&id) {
            expected.push(id);
        }
    }
    let mut slices = vec![Slice::new("lane", lane.name()), Slice::new("source", source.name())];
    slices.extend(tag_slices(&tags));
    let fingerprint = Fingerprint::of(&json!({
        "kind": "retrieval", "lane": lane.name(), "spec_id": spec_id, "spec_content": spec_content,
        "expected_ids": expected, "k": k,
    }));
    let pass_at = config.pass_at;
    let asked = Fingerprint::normalised(&json!({"kind": "retrieval", "lane": lane.name(), "query": spec_content}));
    let mut sorted = expected.clone();
    sorted.sort();
    let key = CaseKey::new(json!({"expected_ids": sorted, "k": k, "pass-at": pass_at.name()}), SharedKey::nothing());
    LoadedCase {
        at_id: at.join("id"),
        case: Case {
            id: CaseId::new(id),
            tags,
            slices,
            location: Location { file: document.file.clone(), line: document.line(at) },
            fingerprint,
            asked,
            key,
            question: Question::Retrieval(Box::new(RetrievalQuestion {
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
