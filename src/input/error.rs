//! A mistake in something that a user wrote: what, where, and what to do about it.

use std::fmt;

use super::Position;

/// One mistake, with the place it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    /// The file, as the user would name it.
    pub file: String,
    /// Where in the file; `None` when it is about the file as a whole.
    pub position: Option<Box<Position>>,
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl InputError {
    /// A mistake about a whole file.
    pub fn in_file(file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.into(), position: None, message: message.into(), help: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds "did you mean", when there is a name that is near enough.
    #[must_use]
    pub fn with_nearest(self, near: Option<&str>) -> Self {
        match near {
            Some(name) => self.with_help(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(position) = &self.position else {
            write!(f, "{}: {}", self.file, self.message)?;
            if let Some(help) = &self.help {
                write!(f, "\n  = {help}")?;
            }
            return Ok(());
        };
        let number = position.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{}:{}:{}: {}", self.file, position.line, position.column, self.message)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", position.excerpt)?;
        write!(f, "{margin} | {}{}", " ".repeat(position.indent), "^".repeat(position.width))?;
        if let Some(help) = &self.help {
            write!(f, " {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for InputError {}

/// Every mistake that loading found; never empty when it is an error.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InputErrors(Vec<InputError>);

impl InputErrors {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, mistake: InputError) {
        self.0.push(mistake);
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Says what to do about those of which that is not said yet.
    pub fn add_help(&mut self, help: &str) {
        for mistake in self.0.iter_mut().filter(|mistake| mistake.help.is_none()) {
            mistake.help = Some(help.to_owned());
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Nothing if there is none, else the errors, sorted by place.
    pub fn into_result(mut self) -> Result<(), Self> {
        self.0.sort_by_key(|m| (m.file.clone(), m.position.as_ref().map(|p| (p.line, p.column))));
        self.0.dedup();
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl IntoIterator for InputErrors {
    type Item = InputError;
    type IntoIter = std::vec::IntoIter<InputError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl From<InputError> for InputErrors {
    fn from(mistake: InputError) -> Self {
        Self(vec![mistake])
    }
}

impl fmt::Display for InputErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mistake in &self.0 {
            writeln!(f, "{mistake}\n")?;
        }
        match self.0.len() {
            1 => write!(f, "1 mistake"),
            count => write!(f, "{count} mistakes"),
        }
    }
}

impl std::error::Error for InputErrors {}
