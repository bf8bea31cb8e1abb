//! Files that a configuration names: first as patterns, then found.

use std::path::Path;

use super::{Document, FindError, Found, Ignored, InputErrors, Place, Pointer, expand_globs, find_directory};

/// Files that a configuration names by paths or patterns. Validating a configuration makes one, `resolve` finds its files.
#[derive(Debug, Clone, Default)]
pub struct FileSet {
    named: Names,
    patterns: Vec<String>,
    at: Pointer,
    found: Vec<Found>,
}

/// What the patterns of a set name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Names {
    #[default]
    Files,
    /// Files that git does not ignore.
    Sources,
    OneFile,
    /// One folder; further names are not looked at.
    Folder,
}

impl FileSet {
    /// Files, whether git ignores them or not.
    pub fn files(place: &Place<'_>, patterns: Vec<String>) -> Self {
        Self { named: Names::Files, patterns, at: place.pointer(), found: Vec::new() }
    }

    /// Files that git does not ignore.
    pub fn sources(place: &Place<'_>, patterns: Vec<String>) -> Self {
        Self { named: Names::Sources, ..Self::files(place, patterns) }
    }

    pub fn one_file(place: &Place<'_>, pattern: String) -> Self {
        Self { named: Names::OneFile, ..Self::files(place, vec![pattern]) }
    }

    /// One folder, the first that is named.
    pub fn folder(place: &Place<'_>, names: Vec<String>) -> Self {
        Self { named: Names::Folder, ..Self::files(place, names) }
    }

    /// A file that was found already.
    pub fn of_found(found: Found) -> Self {
        Self { found: vec![found], ..Self::default() }
    }

    /// What was found, in the order of the patterns, each once. Nothing before `resolve`.
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The patterns that match the set's files, those that are gone as well.
    pub fn globs(&self) -> Vec<String> {
        let mut globs: Vec<String> =
            self.patterns.iter().map(|name| name.trim_start_matches("./").to_owned()).collect();
        if self.named == Names::Folder {
            globs.extend(self.patterns.iter().map(|folder| format!("{}/**", folder.trim_end_matches('/'))));
        }
        globs
    }

    /// Finds the files below `root`, and says which names lead to none.
    pub fn resolve(&mut self, root: &Path, document: &Document, errors: &mut InputErrors) {
        self.found.clear();
        for (index, pattern) in self.patterns.iter().enumerate() {
            match find(self.named, root, pattern) {
                Ok(found) => {
                    for file in found {
                        if !self.found.contains(&file) {
                            self.found.push(file);
                        }
                    }
                }
                Err(why) => errors.push(document.error(&self.at.join(index), why.to_string())),
            }
            if self.named == Names::Folder {
                break;
            }
        }
    }
}

fn find(named: Names, root: &Path, pattern: &str) -> Result<Vec<Found>, FindError> {
    match named {
        Names::Files => expand_globs(root, pattern, Ignored::Found),
        Names::Sources => expand_globs(root, pattern, Ignored::Skipped),
        Names::Folder => find_directory(root, pattern).map(|folder| vec![folder]),
        Names::OneFile => {
            let found = expand_globs(root, pattern, Ignored::Found)?;
            match found.len() {
                0 | 1 => Ok(found),
                count => Err(FindError::Several { pattern: pattern.to_owned(), count }),
            }
        }
    }
}
