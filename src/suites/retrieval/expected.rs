//! When a result is what a case expects: an id, a whole file, or a pattern.

use globset::{GlobBuilder, GlobMatcher};

/// An id that should be found.
#[derive(Debug, Clone)]
pub struct ExpectedId {
    /// As it was written.
    pub id: String,
    form: ExpectedForm,
}

#[derive(Debug, Clone)]
enum ExpectedForm {
    /// This very id.
    Exact,
    /// Any unit of this file.
    File,
    /// Whatever matches; with it, a pattern for the files of what matches.
    Pattern { ids: GlobMatcher, files: GlobMatcher },
}

/// What stands between a file and the unit in it.
const UNIT: &str = "::";

impl ExpectedId {
    /// Reads an expected id. One of code that names no unit is a file; one with `*`, `?` or `[` is a pattern.
    pub fn new(id: &str) -> Self {
        let form = match pattern(id).zip(pattern(file_of(id))) {
            Some((ids, files)) if id.contains(['*', '?', '[']) => ExpectedForm::Pattern { ids, files },
            Some(_) | None if is_file(id) => ExpectedForm::File,
            Some(_) | None => ExpectedForm::Exact,
        };
        Self { id: id.to_owned(), form }
    }

    /// Whether it stands for a file or a pattern rather than for one unit.
    pub fn is_coarse(&self) -> bool {
        match self.form {
            ExpectedForm::Exact => false,
            ExpectedForm::File | ExpectedForm::Pattern { .. } => true,
        }
    }

    /// Whether a result is what is expected.
    pub fn is_hit_by(&self, id: &str) -> bool {
        match &self.form {
            ExpectedForm::Exact => self.id == id,
            ExpectedForm::File => file_of(id) == self.id,
            ExpectedForm::Pattern { ids, .. } => ids.is_match(id),
        }
    }

    /// The same, where results may have been collapsed to files.
    pub fn is_shown_as(&self, id: &str) -> bool {
        self.is_hit_by(id)
            || match &self.form {
                ExpectedForm::Exact | ExpectedForm::File => false,
                ExpectedForm::Pattern { files, .. } => !id.contains(UNIT) && files.is_match(id),
            }
    }
}

/// The file of a unit.
pub fn file_of(id: &str) -> &str {
    id.split_once(UNIT).map_or(id, |(file, _)| file)
}

/// Ids of code are `code:path::unit`.
fn is_file(id: &str) -> bool {
    id.starts_with("code:") && !id.contains(UNIT)
}

fn pattern(text: &str) -> Option<GlobMatcher> {
    // A `*` in an id may stand for several folders, too.
    GlobBuilder::new(text)
        .literal_separator(false)
        .backslash_escape(false)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_patterns_are_hit_by_their_units() {
        for (expected, id, hit) in [
            ("code:src/core.py", "code:src/core.py::run", true),
            ("code:src/core.py", "code:src/core.py", true),
            ("code:src/core.py", "code:src/core.pyx::run", false),
            ("code:src/core.py::*", "code:src/core.py::A::run", true),
            ("code:src/*::run", "code:src/a/b.py::run", true),
            ("code:src/core.py::run", "code:src/core.py::runs", false),
            ("memory:kill", "memory:kill", true),
            ("memory:rel-*", "memory:rel-1", true),
        ] {
            assert_eq!(ExpectedId::new(expected).is_hit_by(id), hit, "{expected} {id}");
        }
        assert!(ExpectedId::new("code:src/core.py::*").is_shown_as("code:src/core.py"));
        assert!(!ExpectedId::new("code:src/core.py::run").is_coarse() && !ExpectedId::new("memory:x").is_coarse());
    }
}
