//! Measures: each looks at one side of an answer. A new one is a file here and a line in [`REGISTRY`].

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::input::{Checker, Document, InputError, InputErrors, Pointer};
use crate::model::Answer;
use crate::suites::golden::Selector;
use crate::suites::golden::selector::SelectorError;

/// What a measure looks at.
#[derive(Debug, Clone, Copy)]
pub struct MeasureInput<'a> {
    /// `{"actual", "golden", "input", "case"}`, which selectors lead into.
    pub document: &'a Value,
    /// How long the answer took.
    pub latency: Duration,
    /// What a judge or a scorer's own program said, where the component asks one.
    pub opinion: Option<&'a Answer>,
}

/// What a component earned.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub earned: Earned,
    /// What there is to say about it, in one line.
    pub note: Option<String>,
}

/// How much a component earned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Earned {
    /// This share of its weight, 0…1.
    Share(f64),
    /// Its weight less these points, but never less than nothing.
    Less(f64),
}

impl Measured {
    /// A share of the weight, and why.
    pub fn share(value: f64, note: impl Into<Option<String>>) -> Self {
        Self { earned: Earned::Share(value.clamp(0.0, 1.0)), note: note.into() }
    }

    /// The weight less these points, and why.
    pub fn less(points: f64, note: impl Into<Option<String>>) -> Self {
        Self { earned: Earned::Less(points), note: note.into() }
    }
}

impl Earned {
    /// The points of a component of this weight.
    pub fn points(self, weight: f64) -> f64 {
        match self {
            Self::Share(share) => weight * share,
            Self::Less(points) => (weight - points).max(0.0),
        }
    }
}

/// Why a component could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// The answer lacks what is looked at: it earns nothing.
    #[error("{0}")]
    Answer(String),
    /// The scorer itself could not do its work: the case is an error.
    #[error("{0}")]
    Scorer(String),
}

impl From<SelectorError> for MeasureError {
    fn from(error: SelectorError) -> Self {
        Self::Answer(error.to_string())
    }
}

/// One side of an answer.
pub trait Measure: fmt::Debug + Send + Sync {
    fn measure(&self, input: MeasureInput<'_>) -> Result<Measured, MeasureError>;

    /// What must select something in some case, or `when-empty` decides every score.
    fn decided_by_when_empty(&self) -> Option<&Selector> {
        None
    }

    /// Whom it must ask for an opinion first.
    fn asks(&self) -> Option<Asks<'_>> {
        None
    }
}

/// Whom a measure asks for an opinion.
#[derive(Debug, Clone, Copy)]
pub enum Asks<'a> {
    Judge(&'a judge::Judge),
    ScorerProgram(&'a command::ScorerProgram),
}

impl<'a> Asks<'a> {
    /// The command line of a program.
    pub fn argv(self) -> impl Iterator<Item = &'a str> {
        let argv = match self {
            Self::Judge(_) => &[][..],
            Self::ScorerProgram(program) => program.argv(),
        };
        argv.iter().map(String::as_str)
    }
}

/// What is wrong with a measure, and under which of its keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{key}`: {why}")]
pub struct KeyError {
    key: &'static str,
    why: String,
}

impl KeyError {
    fn new(key: &'static str, why: impl Into<String>) -> Self {
        Self { key, why: why.into() }
    }
}

/// A measure as it stands in a scorer.
pub trait Definition: Measure + JsonSchema + DeserializeOwned + 'static {
    /// Its name in `measure = "…"`.
    const NAME: &'static str;

    /// Reads what else it needs, through `read` (a name relative to the module → its text), and checks that its
    /// keys fit each other. What it returns is part of the question.
    fn resolve(&mut self, _read: Reader<'_>) -> Result<Value, KeyError> {
        Ok(Value::Null)
    }
}

/// Reads a file of the module.
pub type Reader<'a> = &'a dyn Fn(&str) -> Result<String, ModuleFileError>;

/// Why a file that a measure names could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ModuleFileError {
    #[error("`{0}` is not a file of the module's folder")]
    Outside(String),
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Reads a component's own keys: a measure and what it adds to the question.
type Load = fn(&Document, &Pointer, &Value, Reader<'_>) -> Result<(Box<dyn Measure>, Value), InputErrors>;

/// A measure by its name.
pub struct Registered {
    /// Its name in `measure = "…"`.
    pub name: &'static str,
    pub load: Load,
    /// The schema of its own keys.
    pub schema: fn() -> Value,
}

const fn registered<D: Definition>() -> Registered {
    Registered { name: D::NAME, load: load::<D>, schema: crate::input::schema_of::<D> }
}

fn load<D: Definition>(
    document: &Document,
    at: &Pointer,
    value: &Value,
    read: Reader<'_>,
) -> Result<(Box<dyn Measure>, Value), InputErrors> {
    let mut definition: D = Checker::new().read_at(document, at, value)?;
    let added = definition.resolve(read).map_err(|KeyError { key, why }| document.error(&at.join(key), why))?;
    Ok((Box::new(definition), added))
}

pub mod command;
mod contains;
mod count_difference;
mod equal;
mod join;
pub mod judge;
mod latency;
mod length;
mod no_overlap;
mod ratio;
mod regex;
mod schema;
mod set_overlap;
mod similarity;
mod sum_difference;
mod tolerance;

pub static REGISTRY: &[Registered] = &[
    registered::<command::ScorerProgram>(),
    registered::<contains::Contains>(),
    registered::<count_difference::CountDifference>(),
    registered::<equal::Equal>(),
    registered::<join::Join>(),
    registered::<judge::Judge>(),
    registered::<latency::Latency>(),
    registered::<length::Length>(),
    registered::<no_overlap::NoOverlap>(),
    registered::<ratio::Ratio>(),
    registered::<regex::Matches>(),
    registered::<schema::Schema>(),
    registered::<set_overlap::SetOverlap>(),
    registered::<sum_difference::SumDifference>(),
    registered::<similarity::TextSimilarity>(),
    registered::<tolerance::Tolerance>(),
];

/// How the message begins that says that two paths lead to nothing.
pub const NEITHER: &str = "neither `";

/// What is said where neither side has anything: two things that are not there are not alike.
fn nothing(actual: &Selector, golden: &Selector) -> MeasureError {
    MeasureError::Answer(format!("{NEITHER}{actual}` nor `{golden}` selects anything, so there is nothing to compare"))
}

/// The share where neither side has anything: 0 with the reason, or what the scorer says.
fn when_empty(share: Option<f64>, actual: &Selector, golden: &Selector) -> Result<Measured, MeasureError> {
    let note = || format!("{NEITHER}{actual}` nor `{golden}` selects anything");
    share.map(|share| Measured::share(share, note())).ok_or_else(|| nothing(actual, golden))
}

/// A penalty that no score shows is a mistake.
fn check_penalty(penalty: f64) -> Result<(), KeyError> {
    if penalty.is_finite() && penalty >= SMALLEST_PENALTY {
        return Ok(());
    }
    Err(KeyError::new("penalty", format!("{penalty} is too little to change a score")))
}

/// Scores are shown with three digits.
const SMALLEST_PENALTY: f64 = 1e-4;

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^52")]
fn count(items: usize) -> f64 {
    items as f64
}

/// A part of a whole; of nothing it is `empty`.
fn part(of: usize, whole: usize, empty: f64) -> f64 {
    if whole == 0 { empty } else { count(of) / count(whole) }
}

#[cfg(test)]
mod tests;
