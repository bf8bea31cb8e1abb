//! A fresh copy of a fixture, and the edits that are made in it.
#![expect(clippy::disallowed_methods, reason = "edge: copies and edits files")]

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::directive::Directive;
use super::observation::FileState;
use crate::input::{TreeError, TreeKind, TreeScan, scan};

/// Why a working copy could not be made, edited or read.
#[derive(Debug, thiserror::Error)]
pub(super) enum WorkCopyError {
    #[error("{0}")]
    NoTemporaryDirectory(io::Error),
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("{}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("{path}: the text to be replaced is not there")]
    NothingToReplace { path: String },
    #[error("{path}: the text to be replaced is there {count} times")]
    AmbiguousReplacement { path: String, count: usize },
    #[error("refused: `{path}` leads through a broken link")]
    BrokenLink { path: String },
    #[error("refused: `{path}` leaves its directory through a link")]
    LeavesDirectory { path: String },
}

impl WorkCopyError {
    fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |error| Self::File { path, error }
    }
}

/// A copy of a fixture in a temporary directory; removed with this value unless it is kept.
#[derive(Debug)]
pub(super) struct WorkCopy {
    directory: tempfile::TempDir,
    path: PathBuf,
}

impl WorkCopy {
    /// Copies a fixture. The standard library copies by reference where the file system can, which no edit reaches.
    pub(super) fn of(fixture: &Path) -> Result<Self, WorkCopyError> {
        let directory = tempfile::Builder::new().prefix("evalratchet-").tempdir();
        let directory = directory.map_err(WorkCopyError::NoTemporaryDirectory)?;
        // Named like the fixture, since some tools take a project's name from its directory.
        let path = directory.path().join(fixture.file_name().unwrap_or_default());
        std::fs::create_dir_all(&path).map_err(WorkCopyError::file(&path))?;
        copy_tree(fixture, &path, TreeScan::Fixture)?;
        Ok(Self { directory, path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the copy where it is and says where.
    pub(super) fn keep(self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_owned();
        self.directory.keep().join(name)
    }

    /// Applies directives, all or none: each is checked before the first byte is written.
    pub(super) fn apply(&self, directives: &[Directive]) -> Result<(), WorkCopyError> {
        for directive in directives {
            stays_inside(&self.path, directive.path())?;
        }
        for directive in directives {
            let path = stays_inside(&self.path, directive.path())?;
            let done = match directive {
                Directive::Write { contents, .. } => write(&path, contents.as_bytes()),
                Directive::Append { contents, .. } => read_or_empty(&path).and_then(|mut bytes| {
                    bytes.extend_from_slice(contents.as_bytes());
                    write(&path, &bytes)
                }),
                Directive::Delete { .. } => std::fs::remove_file(&path),
                Directive::Replace { old, new, .. } => {
                    let text = std::fs::read_to_string(&path).map_err(WorkCopyError::file(directive.path()))?;
                    let path_shown = || directive.path().to_owned();
                    match text.matches(old.as_str()).count() {
                        1 => write(&path, text.replacen(old.as_str(), new, 1).as_bytes()),
                        0 => return Err(WorkCopyError::NothingToReplace { path: path_shown() }),
                        count => return Err(WorkCopyError::AmbiguousReplacement { path: path_shown(), count }),
                    }
                }
            };
            done.map_err(WorkCopyError::file(directive.path()))?;
        }
        Ok(())
    }

    /// Every file and link, to find out what changed. Nothing is left out, whatever a `.gitignore` says.
    pub(super) fn contents(&self) -> Result<TreeContents, WorkCopyError> {
        let mut contents = TreeContents::new();
        for entry in scan(&self.path, TreeScan::Everything)? {
            let content = match entry.kind {
                TreeKind::Directory => continue,
                TreeKind::Link { target } => {
                    Content { bytes: target.to_string_lossy().into_owned().into_bytes(), executable: false }
                }
                TreeKind::File { executable } => {
                    let bytes = std::fs::read(self.path.join(&entry.path)).map_err(WorkCopyError::file(&entry.path))?;
                    Content { bytes, executable }
                }
            };
            contents.insert(entry.path, content);
        }
        Ok(contents)
    }
}

/// Path → what is there.
pub(super) type TreeContents = BTreeMap<String, Content>;

/// What a file or a link holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    executable: bool,
}

/// Copies everything below a directory: modes and links are kept, also empty directories.
pub(super) fn copy_tree(from: &Path, to: &Path, what: TreeScan) -> Result<(), WorkCopyError> {
    for entry in scan(from, what)? {
        let (source, target) = (from.join(&entry.path), to.join(&entry.path));
        let done = match entry.kind {
            TreeKind::Directory => std::fs::create_dir_all(&target),
            TreeKind::File { .. } => std::fs::copy(&source, &target).map(|_| ()),
            TreeKind::Link { target: leads_to } => link(&leads_to, &target),
        };
        done.map_err(WorkCopyError::file(source))?;
    }
    Ok(())
}

/// Where a relative path leads below a directory, unless a link on the way leads out of it.
pub(super) fn stays_inside(root: &Path, relative: &str) -> Result<PathBuf, WorkCopyError> {
    let real_root = root.canonicalize().map_err(WorkCopyError::file(root))?;
    let path = root.join(relative);
    let mut existing = path.as_path();
    while existing.symlink_metadata().is_err() {
        match existing.parent() {
            Some(parent) => existing = parent,
            None => break,
        }
    }
    let real = existing.canonicalize().map_err(|_| WorkCopyError::BrokenLink { path: relative.to_owned() })?;
    if real.starts_with(&real_root) {
        Ok(path)
    } else {
        Err(WorkCopyError::LeavesDirectory { path: relative.to_owned() })
    }
}

/// What is at a path below a directory.
pub(super) fn look(root: &Path, relative: &str) -> FileState {
    let path = match stays_inside(root, relative) {
        Ok(path) => path,
        Err(error) => return FileState::Unreadable(error.to_string()),
    };
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => FileState::Missing,
        Err(error) => FileState::Unreadable(error.to_string()),
        Ok(metadata) if metadata.is_dir() => FileState::Directory,
        Ok(metadata) if !metadata.is_file() => FileState::Unreadable("it is neither a file nor a directory".to_owned()),
        Ok(_) => match std::fs::read(&path) {
            Ok(bytes) => FileState::File(bytes),
            Err(error) => FileState::Unreadable(error.to_string()),
        },
    }
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, bytes)
}

fn read_or_empty(path: &Path) -> io::Result<Vec<u8>> {
    match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        other => other,
    }
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &Path, at: &Path) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, format!("no links here: {}", at.display())))
}
