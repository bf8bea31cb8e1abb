//! Which files git tracks, and what the tracked files hold that a command line names.
#![expect(clippy::disallowed_methods, reason = "edge: reads files and follows links")]

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// The files that git tracks, those of submodules included; outside of a repository, every file there is.
#[derive(Debug, Clone, Default)]
pub struct TrackedFiles(Option<Arc<WorkTreeFiles>>);

#[derive(Debug)]
struct WorkTreeFiles {
    top: PathBuf,
    files: HashSet<String>,
}

impl TrackedFiles {
    /// The files of a work tree, as paths from its root.
    pub fn new(top: &Path, files: HashSet<String>) -> Self {
        let top = top.canonicalize().unwrap_or_else(|_| top.to_owned());
        Self(Some(Arc::new(WorkTreeFiles { top, files })))
    }

    /// Whether git tracks a file. Of a link, what it leads to counts.
    pub fn has(&self, path: &Path) -> bool {
        let Some(WorkTreeFiles { top, files }) = self.0.as_deref() else { return true };
        let Ok(real) = path.canonicalize() else { return false };
        real.strip_prefix(top).is_ok_and(|inside| files.contains(&inside.to_string_lossy().replace('\\', "/")))
    }

    /// Whether git tracks a file, or anything in a directory.
    pub fn has_any_of(&self, path: &Path) -> bool {
        let Some(WorkTreeFiles { top, files }) = self.0.as_deref() else { return true };
        let Ok(real) = path.canonicalize() else { return false };
        let Ok(inside) = real.strip_prefix(top) else { return false };
        let inside = inside.to_string_lossy().replace('\\', "/");
        let folder = format!("{inside}/");
        files.contains(&inside) || files.iter().any(|file| file.starts_with(&folder))
    }

    /// A hash of each tracked file that command lines name, by the name. Words are relative to `root`.
    pub fn named<'a>(&self, root: &Path, texts: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
        let mut named = BTreeMap::new();
        for word in texts.into_iter().flat_map(words).filter(|word| !word.is_empty()) {
            let path = root.join(word);
            if path.is_file()
                && self.has(&path)
                && let Ok(contents) = std::fs::read(&path)
            {
                named.insert(word.to_owned(), content_hash(&contents));
            }
        }
        named
    }

    /// A hash of each tracked file that patterns match; both are relative to `root`.
    pub fn matching(&self, root: &Path, patterns: &[String]) -> BTreeMap<String, String> {
        let mut builder = globset::GlobSetBuilder::new();
        for pattern in patterns {
            // A pattern that is none was a mistake of the configuration.
            builder.add(match globset::Glob::new(pattern) {
                Ok(glob) => glob,
                Err(_) => continue,
            });
        }
        let (Ok(globs), Some(WorkTreeFiles { top, files })) = (builder.build(), self.0.as_deref()) else {
            return BTreeMap::new();
        };
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let mut matching = BTreeMap::new();
        for file in files {
            let path = top.join(file);
            let Ok(inside) = path.strip_prefix(&root) else { continue };
            if globs.is_match(inside)
                && let Ok(contents) = std::fs::read(&path)
            {
                matching.insert(inside.to_string_lossy().replace('\\', "/"), content_hash(&contents));
            }
        }
        matching
    }
}

/// The words of a command line that may name files. A script that a shell is given may name some, too.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "=;|&<>()'\"`".contains(c);
    text.split(is_between).chain([text])
}

/// A hash of a file's contents. How the lines of a text end does not count.
pub fn content_hash(contents: &[u8]) -> String {
    let is_text = !contents.contains(&0);
    let mut hasher = Sha256::new();
    let mut rest = contents;
    while let Some(at) = rest.windows(2).position(|pair| is_text && pair == b"\r\n") {
        hasher.update(&rest[..at]);
        rest = &rest[at + 1..];
    }
    hasher.update(rest);
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// A text with the line endings of Unix, whatever the checkout made of them.
pub fn unix_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The same for every text of a value that was read from TOML.
pub fn with_unix_lines(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(unix_lines(text)),
        Value::Array(items) => items.iter().map(with_unix_lines).collect(),
        Value::Object(map) => map.iter().map(|(key, item)| (key.clone(), with_unix_lines(item))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_of_contents_does_not_see_line_endings_of_texts() {
        assert_eq!(content_hash(b"a\nb\n"), content_hash(b"a\r\nb\r\n"));
        assert_ne!(content_hash(b"a\nb\n"), content_hash(b"a\nc\n"));
        assert_ne!(content_hash(b"a\n\0"), content_hash(b"a\r\n\0"), "no text");
        assert_ne!(content_hash(b"a\rb"), content_hash(b"a\nb"), "no line ending of Windows");
    }
}
