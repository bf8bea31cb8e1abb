//! The kinds of suite. Each has a folder: `format` reads cases from disk, `evaluate` judges a given answer.
//!
//! What a kind must provide is the list of exhaustive matches in this file; the rest of the program does not
//! know one kind from another.

pub mod command;
pub mod config;
pub mod golden;
pub mod imported;
mod kinds;
pub mod retrieval;
pub mod scenario;
mod suite_settings;

pub use kinds::{CaseDetail, Kind, SuiteDetail};
pub use suite_settings::SuiteSettings;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

use crate::input::{Document, InputError, InputErrors, Pointer, nearest};
use crate::model::{Answer, CaseId, Check, Ending, Fingerprint, Location, Request, Score, Slice, Status};
use crate::results::CaseResult;
use config::SuiteConfig;
use retrieval::RetrievalSuiteDetail;

/// A suite with its cases.
#[derive(Debug, Clone)]
pub struct Suite {
    /// What the configuration says of it.
    pub settings: SuiteSettings,
    /// Its cases, in the order of the files.
    pub cases: Vec<Case>,
}

/// One case: a question, and where it stands.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique in the suite.
    pub id: CaseId,
    /// What `--tag` selects by.
    pub tags: Vec<String>,
    /// The slices that it is counted in.
    pub slices: Vec<Slice>,
    /// Where it is defined.
    pub location: Location,
    /// A hash of the question.
    pub fingerprint: Fingerprint,
    /// What is asked.
    pub question: Question,
}

/// What is asked, by kind.
#[derive(Debug, Clone)]
pub enum Question {
    /// An edit of a fixture, goals that must hold, and assertions about what changed.
    Scenario(Box<scenario::ScenarioQuestion>),
    /// Natural language in, one shell command out.
    Command(command::CommandQuestion),
    /// An input in, structured output out.
    Golden(Box<golden::GoldenQuestion>),
    /// A question in, a ranking out.
    Retrieval(retrieval::RetrievalQuestion),
    /// What another tool said.
    Imported(imported::ImportedQuestion),
}

impl Question {
    /// What a target is asked; scenarios and retrieval ask in their own ways.
    pub fn request(&self, id: &CaseId) -> Option<Request> {
        match self {
            Self::Command(question) => Some(Request::prompt(id.as_str(), &question.prompt)),
            Self::Golden(question) => Some(Request {
                names: vec![("prompt", question.prompt.clone())],
                schema: question.schema.clone(),
                ..Request::value(id.as_str(), &question.input)
            }),
            Self::Scenario(_) | Self::Retrieval(_) | Self::Imported(_) => None,
        }
    }

    /// What a report says of a case that was not asked.
    pub fn unasked(&self) -> CaseDetail {
        match self {
            Self::Scenario(question) => CaseDetail::Scenario(scenario::detail(question)),
            Self::Command(question) => CaseDetail::Command(question.detail(None, None)),
            Self::Golden(question) => CaseDetail::Golden(golden::detail(question)),
            Self::Retrieval(question) => CaseDetail::Retrieval(retrieval::detail(question)),
            Self::Imported(question) => imported::detail(question),
        }
    }

    /// What is to be said if the user stopped the run before it was asked.
    pub fn interrupted(&self) -> Evaluation {
        self.without_answer(&Ending::Interrupted.sentence())
    }

    /// What is to be said of a question that nobody was asked.
    pub fn without_answer(&self, why: &str) -> Evaluation {
        let answer = Answer::ended(Ending::Unasked { why: why.to_owned() });
        match self {
            Self::Scenario(question) => {
                let broken = Some(why.to_owned());
                let seen = scenario::observation::Observation { interrupted: true, broken, ..Default::default() };
                scenario::evaluate(question, &seen)
            }
            Self::Command(question) => command::evaluate(question, &answer),
            Self::Golden(question) => golden::evaluate(question, &answer, &BTreeMap::new()),
            Self::Retrieval(question) => retrieval::evaluate(question, &answer, &retrieval::Held::CannotTell),
            Self::Imported(question) => imported::evaluate(&imported::ImportedQuestion {
                status: Status::Unmeasured,
                details: Some(why.to_owned()),
                ..question.clone()
            }),
        }
    }
}

/// What is to be said of one answer.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// How it came out.
    pub status: Status,
    /// Its quality, if it was measured.
    pub score: Option<Score>,
    /// What else was measured, by metric name.
    pub metrics: BTreeMap<&'static str, f64>,
    /// One entry for each declared check.
    pub checks: Vec<Check>,
    /// What differs from what is expected.
    pub diff: Option<String>,
    /// What only this kind has.
    pub detail: CaseDetail,
}

/// What only this kind has to say of a whole suite.
pub fn suite_detail(kind: Kind, cases: &[CaseResult], took: Duration) -> Option<SuiteDetail> {
    let details = cases.iter().filter_map(|case| case.detail.as_ref().map(|detail| (case.status, detail)));
    match kind {
        Kind::Scenario | Kind::Imported => None,
        Kind::Golden => Some(SuiteDetail::Golden(golden::suite_detail(cases, took))),
        Kind::Retrieval => {
            let mut missing: Vec<String> = Vec::new();
            for (_, detail) in details {
                if let CaseDetail::Retrieval(detail) = detail {
                    missing.extend(detail.missing_expected_ids.iter().cloned());
                }
            }
            missing.sort();
            missing.dedup();
            Some(SuiteDetail::Retrieval(RetrievalSuiteDetail { missing_expected_ids: missing }))
        }
        Kind::Command => Some(SuiteDetail::Command(command::suite_detail(details))),
    }
}

/// The cases of a file, and what is worth a word although they can be run.
#[derive(Debug)]
pub struct Loaded {
    /// The cases.
    pub cases: Vec<LoadedCase>,
    /// What `check` reports and `run` lets fail.
    pub warnings: InputErrors,
    /// What they were read from.
    pub document: Document,
}

/// A case together with where its id stands.
#[derive(Debug)]
pub struct LoadedCase {
    /// The case.
    pub case: Case,
    /// Where its id stands in the document.
    pub at_id: Pointer,
}

/// Loads the cases of every suite, or says everything that is wrong with them. The second value is what `check`
/// reports and `run` lets fail.
pub fn load(config: &str, suites: &[SuiteSettings]) -> Result<(Vec<Suite>, InputErrors), InputErrors> {
    let mut errors = InputErrors::new();
    let mut warnings = InputErrors::new();
    let mut all = Vec::new();
    for suite in suites {
        let mut cases: Vec<Case> = Vec::new();
        let mut places: HashMap<CaseId, Location> = HashMap::new();
        for loaded in load_files(suite) {
            match loaded {
                Ok(loaded) => {
                    warnings.extend(loaded.warnings);
                    for LoadedCase { case, at_id } in loaded.cases {
                        if let Some(why) = wrong_id(case.id.as_str()) {
                            errors.push(loaded.document.error(&at_id, why));
                        }
                        if let Some(first) = places.get(&case.id) {
                            let message = format!("a second case is called `{}`", case.id);
                            let help = format!("the first is at {}:{}", first.file, first.line);
                            errors.push(loaded.document.error(&at_id, message).with_help(help));
                            continue;
                        }
                        places.insert(case.id.clone(), case.location.clone());
                        cases.push(case);
                    }
                }
                Err(wrong) => errors.extend(wrong),
            }
        }
        for case in suite.policy.quarantine.keys().filter(|id| !cases.is_empty() && !places.contains_key(*id)) {
            let message = format!("there is no case `{case}` in `{}` that could be in quarantine", suite.id);
            let near = nearest(case.as_str(), cases.iter().map(|one| one.id.as_str()));
            errors.push(InputError::in_file(config, message).with_nearest(near));
        }
        all.push(Suite { settings: suite.clone(), cases });
    }
    errors.into_result().map(|()| (all, warnings))
}

/// What each file of a suite holds.
fn load_files(suite: &SuiteSettings) -> Vec<Result<Loaded, InputErrors>> {
    match &suite.config {
        SuiteConfig::Scenario(config) => scenario::load_suite(suite, config),
        SuiteConfig::Imported(_) => suite.files.found().iter().map(imported::load).collect(),
        SuiteConfig::Golden(config) => golden::load(suite, config).into_iter().collect(),
        SuiteConfig::Retrieval(config) => {
            let mut loaded = retrieval::load(suite, config);
            loaded.extend(retrieval::check_target(&suite.target).err().map(Err));
            loaded
        }
        SuiteConfig::Command(config) => command::load_suite(suite, config),
    }
}

/// An id stands in tables, file names and command lines.
fn wrong_id(id: &str) -> Option<&'static str> {
    if id.chars().any(char::is_control) {
        Some("an id must not contain control characters")
    } else if id.trim() != id {
        Some("an id must not begin or end with blanks")
    } else {
        None
    }
}

/// Reads a whole text file for a `format`.
pub(crate) fn read(path: &Path, shown: &str) -> Result<String, InputErrors> {
    crate::input::read_text(path, shown).map_err(InputErrors::from)
}

/// A slice for each tag, each once.
pub(crate) fn tag_slices(tags: &[String]) -> Vec<Slice> {
    let mut slices: Vec<Slice> = Vec::new();
    for tag in tags {
        let slice = Slice::new("tag", tag);
        if !slices.contains(&slice) {
            slices.push(slice);
        }
    }
    slices
}
