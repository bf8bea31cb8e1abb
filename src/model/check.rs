//! One check of a case, where a case stands, and what its target wrote.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Status;
use crate::text::{Redact, Redactor};

// Only a `CheckName` makes one, so that its kind of suite lists it. Not a doc comment: those are in the schema.
/// One declared check of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Check {
    /// The name of the check.
    name: String,
    /// How it came out.
    pub status: Status,
    /// Why, in one line; `null` where there is nothing to say.
    pub details: Option<String>,
}

impl Check {
    /// A check that a file asks for by a name that no kind of suite has.
    pub fn unknown(written: &str, subject: Option<&str>, status: Status, details: Option<String>) -> Self {
        Self { name: joined(written, subject), status, details }
    }

    /// Its name, and what it is about.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is this check, whatever it is about.
    pub fn is(&self, name: &str) -> bool {
        self.name.split(' ').next() == Some(name)
    }

    /// What it is about, if it is this check and about something.
    pub fn subject_of(&self, name: impl CheckName) -> Option<&str> {
        self.name.strip_prefix(name.name())?.strip_prefix(' ')
    }
}

fn joined(name: &str, subject: Option<&str>) -> String {
    subject.map_or_else(|| name.to_owned(), |subject| format!("{name} {subject}"))
}

/// The checks of a kind of suite. [`check_names!`] writes the enum, so none can exist without being listed.
pub trait CheckName: Copy + 'static {
    /// Every name; reports group failures by them.
    const NAMES: &'static [&'static str];

    fn name(self) -> &'static str;

    fn check(self, status: Status, details: Option<String>) -> Check {
        Check { name: self.name().to_owned(), status, details }
    }

    fn check_of(self, subject: &str, status: Status, details: Option<String>) -> Check {
        Check { name: joined(self.name(), Some(subject)), status, details }
    }
}

/// Writes the enum of a kind's checks with the names that results have for them.
macro_rules! check_names {
    ($(#[$about:meta])* $type:ident { $($variant:ident = $name:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type {
            $($variant,)+
        }

        impl $crate::model::CheckName for $type {
            const NAMES: &'static [&'static str] = &[$($name),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}
pub(crate) use check_names;

impl Redact for Check {
    fn redact(&mut self, redactor: &Redactor) {
        let Self { name, status: _, details } = self;
        name.redact(redactor);
        details.redact(redactor);
    }
}

/// A place in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Location {
    /// Relative to the configuration, with `/`.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
}

impl Location {
    /// The file from the root of the repository; `prefix` is the configuration's directory. `None` if it is outside.
    pub fn in_repository(&self, prefix: &str) -> Option<String> {
        if self.file.starts_with(['/', '\\']) || self.file.get(1..2) == Some(":") {
            return None;
        }
        let mut parts: Vec<&str> = Vec::new();
        for part in prefix.split(['/', '\\']).chain(self.file.split(['/', '\\'])) {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        (!parts.is_empty()).then(|| parts.join("/"))
    }
}

/// What a target wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Output {
    /// What it wrote to standard output.
    pub stdout: String,
    /// Bytes of it that were left out.
    pub stdout_omitted: u64,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Bytes of it that were left out.
    pub stderr_omitted: u64,
}
