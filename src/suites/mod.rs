//! The kinds of suite, a folder each. `kinds.rs` says what a kind offers and lists them; nothing else in the program
//! tells one kind from another.

pub mod command;
pub mod config;
pub mod golden;
pub mod imported;
mod kinds;
pub mod page;
pub mod retrieval;
pub mod scenario;
pub mod starter;
mod suite_settings;

pub use kinds::{
    CaseDetail, CaseQuestion, CaseReport, EditError, Evidence, Kind, Question, SuiteDetail, SuiteKind, SuiteReport,
};
pub use suite_settings::SuiteSettings;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::input::{Document, InputError, InputErrors, Pointer, nearest};
use crate::model::{
    CaseChange, CaseId, CaseKey, Check, EndingKind, Fingerprint, Location, MaxErrors, Output, Rule, Score, Slice,
    Status, Usage,
};
use crate::process::Stop;
use crate::targets::AnswerSource;
use crate::text::{Redact, Redactor, counted};

/// A suite with its cases.
#[derive(Debug, Clone)]
pub struct Suite {
    /// What the configuration says of it.
    pub settings: SuiteSettings,
    /// Its cases, in the order of the files.
    pub cases: Vec<Case>,
    /// What is worth a word, and no mistake.
    pub notes: InputErrors,
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
    /// A hash of question and key together, as release 0.1 made it.
    pub fingerprint: Fingerprint,
    /// A hash of what the target is asked.
    pub asked: Fingerprint,
    /// How an answer is judged.
    pub key: CaseKey,
    pub question: Question,
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

/// One time that a case was asked.
#[derive(Debug, Clone)]
pub struct Attempted {
    pub ending: EndingKind,
    pub duration: Duration,
    /// What was written, shortened.
    pub captured: Output,
    pub usage: Option<Usage>,
    /// How many answers of earlier runs it is made of: the target's, and those of judges.
    pub from_cache: usize,
    pub evaluation: Evaluation,
    /// The same answer judged by main's key, where that is another one.
    pub by_main: Option<Box<Evaluation>>,
}

impl Redact for Attempted {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { ending: _, duration: _, captured, usage: _, from_cache: _, evaluation, by_main: _ } = self;
        let Evaluation { status: _, score: _, metrics: _, checks, diff, detail } = evaluation;
        captured.redact(redactor);
        checks.redact(redactor);
        diff.redact(redactor);
        detail.redact(redactor);
    }
}

/// Whom a case asks, and which attempt it is.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    pub case: &'a CaseId,
    /// Counted from 0.
    pub attempt: usize,
    /// Who answers for the suite.
    pub source: &'a AnswerSource,
    /// What kinds keep for the whole run.
    pub services: &'a RunServices,
    pub stop: &'a Stop,
}

/// What kinds keep for the whole run beside the targets.
#[derive(Debug)]
pub struct RunServices {
    /// Where scenarios are carried out.
    scenarios: scenario::ScenarioRunner,
}

impl RunServices {
    /// What is worth keeping for later runs goes below `cache`; with `keep` working copies stay.
    pub fn new(cache: &Path, environment: &[(OsString, OsString)], keep: bool) -> Self {
        Self { scenarios: scenario::ScenarioRunner::new(cache.join("install"), environment.to_vec(), keep) }
    }
}

/// A case in the results, as far as its kind needs it.
#[derive(Debug, Clone, Copy)]
pub struct CaseView<'a> {
    pub id: &'a CaseId,
    pub status: Status,
    pub score: Option<f64>,
    pub checks: &'a [Check],
    pub diff: Option<&'a str>,
    pub output: Option<&'a Output>,
    pub location: &'a Location,
    /// What all attempts consumed together.
    pub usage: Option<Usage>,
    pub detail: Option<&'a CaseDetail>,
}

impl<'a> CaseView<'a> {
    /// The checks that do not hold.
    pub fn failed_checks(self) -> impl Iterator<Item = &'a Check> {
        self.checks.iter().filter(|check| check.status != Status::Passed)
    }

    /// What its target wrote to standard error, if anything.
    pub fn stderr(self) -> Option<String> {
        self.output.map(|output| output.stderr.trim_end().to_owned()).filter(|text| !text.trim().is_empty())
    }

    /// What differs from what is expected, as text.
    pub fn preview(self, change: Option<&CaseChange>) -> Option<String> {
        match self.detail {
            Some(detail) => detail.report().preview(self, change),
            None => self.diff.map(str::to_owned),
        }
    }

    /// Why the case failed, as labelled texts.
    pub fn explain(self) -> Vec<(&'static str, String)> {
        self.detail.map(|detail| detail.report().explain(self)).unwrap_or_default()
    }
}

/// What the gate should know that no metric shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    pub rule: Rule,
    pub case: Option<CaseId>,
    pub message: String,
    /// Whether `--strict` makes it fail the gate.
    pub fails_when_strict: bool,
}

/// A table with a row per case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseTable {
    pub header: Vec<String>,
    pub rows: Vec<CaseRow>,
    /// How many of the first columns are text; the others are numbers.
    pub text_columns: usize,
    pub shown: TableRows,
}

/// Which rows of a [`CaseTable`] are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableRows {
    /// All of them in the order of the files; of more than this many, the worst.
    AllUpTo(usize),
    /// This many, worst first.
    Worst(usize),
}

/// A row of a [`CaseTable`].
#[derive(Debug, Clone, PartialEq)]
pub struct CaseRow {
    pub score: Option<f64>,
    /// Each with whether it is bad.
    pub cells: Vec<(String, bool)>,
}

/// A table with a row for each slice of a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceTable {
    pub title: &'static str,
    /// The slices that it is about, and the heading of their column.
    pub dimension: &'static str,
    /// Each with the heading of its column.
    pub metrics: &'static [(&'static str, &'static str)],
}

/// Things of a suite that reports list one by one.
#[derive(Debug, Clone, Copy)]
pub struct Listed<'a> {
    /// What one of them is called.
    pub noun: &'static str,
    /// What they have in common.
    pub title: &'static str,
    /// The same where only a few words fit.
    pub short_title: &'static str,
    pub entries: &'a [String],
}

/// A program that must be installed.
#[derive(Debug, Clone, Copy)]
pub struct RequiredTool<'a> {
    pub program: &'a str,
    pub by: &'a str,
    pub needs: &'a str,
}

/// The cases of a file, and what is worth a word although they can be run.
#[derive(Debug)]
pub struct Loaded {
    pub cases: Vec<LoadedCase>,
    /// What `check` reports and `run` lets fail.
    pub warnings: InputErrors,
    /// What is worth a word, and no mistake.
    pub notes: InputErrors,
    /// What they were read from.
    pub document: Document,
}

/// A case together with where its id stands.
#[derive(Debug)]
pub struct LoadedCase {
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
        let mut wrong = InputErrors::new();
        let mut cases: Vec<Case> = Vec::new();
        let mut notes = InputErrors::new();
        let mut places: HashMap<CaseId, Location> = HashMap::new();
        for loaded in suite.load() {
            match loaded {
                Ok(loaded) => {
                    warnings.extend(loaded.warnings);
                    notes.extend(loaded.notes);
                    for LoadedCase { case, at_id } in loaded.cases {
                        if let Some(why) = wrong_id(case.id.as_str()) {
                            wrong.push(loaded.document.error(&at_id, why));
                        }
                        if let Some(first) = places.get(&case.id) {
                            let message = format!("a second case is called `{}`", case.id);
                            let help = format!("the first is at {}:{}", first.file, first.line);
                            wrong.push(loaded.document.error(&at_id, message).with_help(help));
                            continue;
                        }
                        places.insert(case.id.clone(), case.location.clone());
                        cases.push(case);
                    }
                }
                Err(more) => wrong.extend(more),
            }
        }
        let answers = cases.len() * suite.repeat;
        if let MaxErrors::Count(allowed) = suite.policy.max_errors
            && allowed > 0
            && !cases.is_empty()
            && allowed >= answers
        {
            let message = format!(
                "`max-errors = {allowed}` of `{}` is never exceeded by {}, so it allows all of them to be missing",
                suite.id,
                counted(answers, "answer")
            );
            warnings.push(InputError::in_file(config, message).with_help("allow fewer, or a share such as \"2%\""));
        }
        for case in suite.policy.quarantine.keys().filter(|id| !cases.is_empty() && !places.contains_key(*id)) {
            let message = format!("there is no case `{case}` in `{}` that could be in quarantine", suite.id);
            let near = nearest(case.as_str(), cases.iter().map(|one| one.id.as_str()));
            wrong.push(InputError::in_file(config, message).with_nearest(near));
        }
        let mut settings = suite.clone();
        match suite.kind.rules().cases {
            config::CasesAre::Files | config::CasesAre::OneFolder { .. } => errors.extend(wrong),
            config::CasesAre::Results { .. } => settings.unavailable.extend(wrong),
        }
        all.push(Suite { settings, cases, notes });
    }
    errors.into_result().map(|()| (all, warnings))
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
