//! The files themselves: the one place of this module that touches the disk.
#![expect(clippy::disallowed_methods, reason = "edge: reads and writes files")]

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::{FindError, Found, Ignored, InputError};
use crate::text::glob;

/// Reads a file; `shown` is how the user names it.
pub fn read_bytes(path: &Path, shown: &str) -> Result<Vec<u8>, InputError> {
    std::fs::read(path).map_err(|error| InputError::in_file(shown, format!("cannot be read: {error}")))
}

/// Reads a file as UTF-8 text. A byte order mark is skipped.
pub fn read_text(path: &Path, shown: &str) -> Result<String, InputError> {
    let bytes = read_bytes(path, shown)?;
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1;
        InputError::in_file(shown, format!("is not UTF-8: wrong byte at offset {offset}, line {line}"))
            .with_help("save it as UTF-8")
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// Whether there is a file.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// The files of a folder below `root` whose names end in `.extension`, sorted; none if there is no such folder.
pub fn files_in(root: &Path, folder: &str, extension: &str) -> Result<Vec<Found>, InputError> {
    let cannot = |error: io::Error| InputError::in_file(folder, format!("cannot be read: {error}"));
    let entries = match std::fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|own| own == extension) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.push(Found { path, shown: format!("{folder}/{name}") });
        }
    }
    files.sort_by(|a, b| a.shown.cmp(&b.shown));
    Ok(files)
}

/// Deletes a file; one that is not there is no error.
pub fn delete(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// A directory below `root`.
pub fn find_directory(root: &Path, name: &str) -> Result<Found, FindError> {
    let path = root.join(name);
    if path.is_dir() {
        let shown = name.trim_start_matches("./").trim_end_matches('/').to_owned();
        Ok(Found { path, shown })
    } else if path.exists() {
        Err(FindError::NotAFolder(name.to_owned()))
    } else {
        Err(FindError::NoFolder(name.to_owned()))
    }
}

/// The files below `root` that a pattern matches, sorted by name. A pattern without wildcards is a path and must exist.
pub fn expand_globs(root: &Path, pattern: &str, ignored: Ignored) -> Result<Vec<Found>, FindError> {
    let absolute = Path::new(pattern).is_absolute();
    if !pattern.contains(['*', '?', '[', '{']) {
        let path = root.join(pattern);
        return if path.is_file() {
            Ok(vec![Found { path, shown: pattern.trim_start_matches("./").to_owned() }])
        } else if path.is_dir() {
            Err(FindError::NotAFile(pattern.to_owned()))
        } else {
            Err(FindError::NoFile(pattern.to_owned()))
        };
    }
    if absolute || pattern.split('/').any(|part| part == "..") {
        return Err(FindError::Outside(pattern.to_owned()));
    }
    let pattern = pattern.trim_start_matches("./");
    let matcher =
        glob(pattern).map_err(|why| FindError::Invalid { pattern: pattern.to_owned(), why })?.compile_matcher();
    let fixed: PathBuf = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
    let mut builder = WalkBuilder::new(root.join(&fixed));
    builder.hidden(false).follow_links(true).require_git(false).git_global(false).ignore(false);
    let obeyed = ignored == Ignored::Skipped;
    builder.git_ignore(obeyed).git_exclude(obeyed).parents(obeyed);
    builder.sort_by_file_path(Path::cmp);
    let mut found = Vec::new();
    for entry in builder.build() {
        let Ok(entry) = entry else { continue };
        let Ok(relative) = entry.path().strip_prefix(root) else { continue };
        if entry.file_type().is_some_and(|kind| kind.is_file()) && matcher.is_match(relative) {
            let shown = relative.to_string_lossy().replace('\\', "/");
            found.push(Found { path: entry.into_path(), shown });
        }
    }
    if found.is_empty() { Err(FindError::NoMatch(pattern.to_owned())) } else { Ok(found) }
}

/// Writes a file whole or not at all: into a temporary file beside it, then renamed.
pub fn write_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(directory)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".evalratchet-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    let mut file = builder.tempfile_in(directory)?;
    io::Write::write_all(&mut file, contents)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
