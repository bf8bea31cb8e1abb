//! What came back from the system under test, in every way that it can end.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One answer of a target, or the reason why there is none.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// How it ended.
    pub ending: Ending,
    /// What the target wrote.
    pub captured: Captured,
    /// How long it took.
    pub duration: Duration,
    /// What may have caused it, where there is a guess.
    pub hint: Option<String>,
    /// What it consumed, where that is known.
    pub usage: Option<Usage>,
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
        Self { ending, captured: Captured::default(), duration: Duration::ZERO, hint: None, usage: None }
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

/// What a process wrote, up to the cap.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// Standard output, as text for people.
    pub stdout: String,
    /// Standard error, as text for people.
    pub stderr: String,
    /// How many bytes of standard output were left out.
    pub stdout_omitted: u64,
    /// How many bytes of standard error were left out.
    pub stderr_omitted: u64,
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
    Unreadable {
        /// Why not.
        why: String,
    },
    /// It ended with an exit code other than 0.
    ExitCode(i32),
    /// A signal ended it.
    Signal(i32),
    /// It did not end in time.
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// It could not be started.
    CouldNotStart {
        /// Why not.
        why: String,
    },
    /// A service could not be reached, or refused.
    Unreachable {
        /// How.
        why: String,
    },
    /// It was not asked at all.
    Unasked {
        /// Why not.
        why: String,
    },
    /// The user stopped the run.
    Interrupted,
}

impl Ending {
    /// A stable kebab-case name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::Empty => "empty",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::Unreadable { .. } => "unreadable",
            Self::ExitCode(_) => "exit-code",
            Self::Signal(_) => "signal",
            Self::TimedOut { .. } => "timeout",
            Self::CouldNotStart { .. } => "could-not-start",
            Self::Unreachable { .. } => "unreachable",
            Self::Unasked { .. } => "unasked",
            Self::Interrupted => "interrupted",
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

    /// How the system under test failed, if it did; what could not be had is not its failure.
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
