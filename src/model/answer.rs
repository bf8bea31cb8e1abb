//! What came back from the system under test, in every way that it can end.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Output;
use super::Status;
use crate::text::{Redact, Redactor};

/// One answer of a target, or the reason why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub ending: Ending,
    /// What the target wrote.
    pub captured: Output,
    /// How long it took.
    pub duration: Duration,
    /// What may have caused it, where there is a guess.
    pub hint: Option<String>,
    /// What it consumed, where that is known.
    pub usage: Option<Usage>,
    /// Whether it is the answer of an earlier run.
    pub from_cache: bool,
}

/// What an answer of a model consumed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Usage {
    /// Tokens of the question.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// What they cost, where prices are configured.
    #[serde(default)]
    pub cost: Option<f64>,
}

impl Answer {
    /// An answer that is just this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { ending: Ending::Answered(text.into()), ..Self::ended(Ending::Empty) }
    }

    /// No answer, for this reason.
    pub fn ended(ending: Ending) -> Self {
        Self {
            ending,
            captured: Output::default(),
            duration: Duration::ZERO,
            hint: None,
            usage: None,
            from_cache: false,
        }
    }

    /// Why there is no answer, with the guess at its cause; empty when there is one.
    pub fn sentence(&self) -> String {
        let mut sentence = self.ending.sentence();
        if let Some(hint) = &self.hint {
            sentence.push_str("; ");
            sentence.push_str(hint);
        }
        sentence
    }
}

impl Redact for Answer {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { ending, captured, duration: _, hint, usage: _, from_cache: _ } = self;
        ending.redact(redactor);
        captured.redact(redactor);
        hint.redact(redactor);
    }
}

impl Redact for Output {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { stdout, stderr, stdout_omitted: _, stderr_omitted: _ } = self;
        stdout.redact(redactor);
        stderr.redact(redactor);
    }
}

impl Redact for Ending {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Answered(text)
            | Self::Unreadable { why: text }
            | Self::CouldNotStart { why: text }
            | Self::Unreachable { why: text }
            | Self::Unasked { why: text } => text.redact(redactor),
            Self::Empty
            | Self::NotUtf8 { .. }
            | Self::ExitCode(_)
            | Self::Signal(_)
            | Self::TimedOut { .. }
            | Self::Interrupted => {}
        }
    }
}

impl Usage {
    /// What two answers consumed together.
    pub fn sum(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        let (Some(x), Some(y)) = (a, b) else { return a.or(b) };
        let cost = match (x.cost, y.cost) {
            (Some(x), Some(y)) => Some(x + y),
            (x, y) => x.or(y),
        };
        Some(Self {
            input_tokens: x.input_tokens + y.input_tokens,
            output_tokens: x.output_tokens + y.output_tokens,
            cost,
        })
    }
}

/// Every way in which asking a target can end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It gave an answer.
    Answered(String),
    /// It ended well and said nothing.
    Empty,
    /// What it said is not text.
    NotUtf8 {
        /// Where the first wrong byte stands.
        offset: usize,
    },
    /// What it said could not be read as asked for.
    Unreadable { why: String },
    /// It ended with an exit code other than 0.
    ExitCode(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end in time.
    TimedOut { after: Duration },
    /// It could not be started.
    CouldNotStart { why: String },
    /// A service could not be reached, or refused.
    Unreachable { why: String },
    /// It was not asked at all.
    Unasked { why: String },
    /// The user stopped the run.
    Interrupted,
}

/// What an ending means for a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning<'a> {
    /// There is an answer to judge.
    Judge(&'a str),
    /// There is none, and this is the status of the case.
    Status(Status),
}

/// Every way in which an attempt can end, as it stands in `results.json`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", from = "String")]
pub enum EndingKind {
    /// The target answered.
    Answered,
    /// The answer was empty.
    Empty,
    /// The answer was not UTF-8.
    #[serde(rename = "not-utf8")]
    NotUtf8,
    /// The answer could not be read.
    Unreadable,
    /// The target ended with a non-zero exit code.
    ExitCode,
    /// The target was ended by a signal.
    Signal,
    /// The target did not answer in time.
    Timeout,
    /// The target could not be started.
    CouldNotStart,
    /// The target could not be reached.
    Unreachable,
    /// The target was not asked.
    Unasked,
    /// Another tool asked, and said how long it took.
    Imported,
    /// Another tool asked, and did not say how long it took.
    ImportedUntimed,
    /// The run was interrupted.
    Interrupted,
    /// A way that a later version knows; nothing depends on it.
    #[schemars(skip)]
    Other,
}

impl From<String> for EndingKind {
    fn from(name: String) -> Self {
        Self::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(Self::Other)
    }
}

impl EndingKind {
    const ALL: [Self; 13] = [
        Self::Answered,
        Self::Empty,
        Self::NotUtf8,
        Self::Unreadable,
        Self::ExitCode,
        Self::Signal,
        Self::Timeout,
        Self::CouldNotStart,
        Self::Unreachable,
        Self::Unasked,
        Self::Imported,
        Self::ImportedUntimed,
        Self::Interrupted,
    ];

    /// The name used in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Empty => "empty",
            Self::NotUtf8 => "not-utf8",
            Self::Unreadable => "unreadable",
            Self::ExitCode => "exit-code",
            Self::Signal => "signal",
            Self::Timeout => "timeout",
            Self::CouldNotStart => "could-not-start",
            Self::Unreachable => "unreachable",
            Self::Unasked => "unasked",
            Self::Imported => "imported",
            Self::ImportedUntimed => "imported-untimed",
            Self::Interrupted => "interrupted",
            Self::Other => "other",
        }
    }
}

impl Ending {
    /// The way it ended, without the particulars.
    pub const fn kind(&self) -> EndingKind {
        match self {
            Self::Answered(_) => EndingKind::Answered,
            Self::Empty => EndingKind::Empty,
            Self::NotUtf8 { .. } => EndingKind::NotUtf8,
            Self::Unreadable { .. } => EndingKind::Unreadable,
            Self::ExitCode(_) => EndingKind::ExitCode,
            Self::Signal(_) => EndingKind::Signal,
            Self::TimedOut { .. } => EndingKind::Timeout,
            Self::CouldNotStart { .. } => EndingKind::CouldNotStart,
            Self::Unreachable { .. } => EndingKind::Unreachable,
            Self::Unasked { .. } => EndingKind::Unasked,
            Self::Interrupted => EndingKind::Interrupted,
        }
    }

    /// What the ending means for a case: either there is an answer to judge, or the status is certain.
    pub fn meaning(&self) -> Meaning<'_> {
        match self {
            Self::Answered(text) => Meaning::Judge(text),
            Self::Empty
            | Self::NotUtf8 { .. }
            | Self::Unreadable { .. }
            | Self::ExitCode(_)
            | Self::Signal(_)
            | Self::TimedOut { .. } => Meaning::Status(Status::Failed),
            Self::CouldNotStart { .. } | Self::Unreachable { .. } => Meaning::Status(Status::Error),
            Self::Unasked { .. } | Self::Interrupted => Meaning::Status(Status::Unmeasured),
        }
    }

    /// What was said, which may be nothing; `None` when there is no answer.
    pub fn said(&self) -> Option<&str> {
        match self {
            Self::Answered(text) => Some(text),
            Self::Empty => Some(""),
            Self::NotUtf8 { .. }
            | Self::Unreadable { .. }
            | Self::ExitCode(_)
            | Self::Signal(_)
            | Self::TimedOut { .. }
            | Self::CouldNotStart { .. }
            | Self::Unreachable { .. }
            | Self::Unasked { .. }
            | Self::Interrupted => None,
        }
    }

    /// How the system under test failed, if it did; an error on the way to it is not its failure.
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::NotUtf8 { .. }
            | Self::Unreadable { .. }
            | Self::ExitCode(_)
            | Self::Signal(_)
            | Self::TimedOut { .. } => Some(self.sentence()),
            Self::Answered(_)
            | Self::Empty
            | Self::CouldNotStart { .. }
            | Self::Unreachable { .. }
            | Self::Unasked { .. }
            | Self::Interrupted => None,
        }
    }

    /// What was said: an answer, or none.
    pub fn of(text: String) -> Self {
        if text.trim().is_empty() { Self::Empty } else { Self::Answered(text) }
    }

    /// One sentence for people; empty when there is an answer.
    pub fn sentence(&self) -> String {
        match self {
            Self::Answered(_) => String::new(),
            Self::Empty => "the answer is empty".into(),
            Self::NotUtf8 { offset } => format!("the answer is not UTF-8 (first wrong byte at offset {offset})"),
            Self::Unreadable { why } => why.clone(),
            Self::ExitCode(code) => format!("exit code {code}"),
            Self::Signal(signal) => format!("ended by signal {signal}{}", signal_name(*signal)),
            Self::TimedOut { after } => format!("no answer within {after:?}"),
            Self::CouldNotStart { why } => format!("could not start: {why}"),
            Self::Unreachable { why } => format!("could not be reached: {why}"),
            Self::Unasked { why } => why.clone(),
            Self::Interrupted => "the run was interrupted before it finished".into(),
        }
    }
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (HUP)",
        2 => " (INT)",
        3 => " (QUIT)",
        4 => " (ILL)",
        6 => " (ABRT)",
        8 => " (FPE)",
        9 => " (KILL)",
        11 => " (SEGV)",
        13 => " (PIPE)",
        15 => " (TERM)",
        _ => "",
    }
}
