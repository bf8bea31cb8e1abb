//! A directory as it will be copied: its own `.gitignore` files are obeyed, and no link leads out of it.
#![expect(clippy::disallowed_methods, reason = "edge: walks directories")]

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::tracked::content_hash;

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// Relative to the tree, with `/`.
    pub path: String,
    pub kind: TreeKind,
}

/// What an entry of a tree is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeKind {
    Directory,
    /// A file, and whether it may be executed.
    File {
        /// Whether anybody may execute it.
        executable: bool,
    },
    /// A link that stays inside of the tree.
    Link {
        /// Where it leads, as written.
        target: PathBuf,
    },
}

/// What of a directory is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeScan {
    /// What its own `.gitignore` files do not name; a link that leads out is refused.
    Fixture,
    /// Everything, links as they are.
    Everything,
}

/// Why a directory could not be walked, or may not be copied.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("there is no directory `{}`", .0.display())]
    NoDirectory(PathBuf),
    #[error(transparent)]
    Walk(#[from] ignore::Error),
    #[error("{path}: {error}")]
    Read { path: String, error: io::Error },
    #[error("the link `{path}` leads out of the tree, to `{}`", target.display())]
    LinkLeaves { path: String, target: PathBuf },
    #[error("`{path}` is neither a file, a directory nor a link")]
    SpecialFile { path: String },
}

/// What is in a directory, sorted by path.
pub fn scan(root: &Path, what: TreeScan) -> Result<Vec<TreeEntry>, TreeError> {
    if !root.is_dir() {
        return Err(TreeError::NoDirectory(root.to_owned()));
    }
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).parents(false).git_global(false).git_exclude(false).ignore(false).require_git(false);
    builder.git_ignore(what == TreeScan::Fixture);
    builder.sort_by_file_path(Path::cmp);
    let mut entries = Vec::new();
    for entry in builder.build() {
        let entry = entry?;
        let Ok(relative) = entry.path().strip_prefix(root) else { continue };
        if relative.as_os_str().is_empty() || relative.components().any(|part| part.as_os_str() == ".git") {
            continue;
        }
        let path = relative.to_string_lossy().replace('\\', "/");
        let unreadable = |error| TreeError::Read { path: path.clone(), error };
        let metadata = entry.path().symlink_metadata().map_err(unreadable)?;
        let kind = if metadata.is_symlink() {
            let target = std::fs::read_link(entry.path()).map_err(unreadable)?;
            if what == TreeScan::Fixture && leaves(relative, &target) {
                return Err(TreeError::LinkLeaves { path, target });
            }
            TreeKind::Link { target }
        } else if metadata.is_dir() {
            TreeKind::Directory
        } else if metadata.is_file() {
            TreeKind::File { executable: is_executable(&metadata) }
        } else if what == TreeScan::Everything {
            TreeKind::Link { target: PathBuf::from("(special file)") }
        } else {
            return Err(TreeError::SpecialFile { path });
        };
        entries.push(TreeEntry { path, kind });
    }
    Ok(entries)
}

/// A hash of everything in a directory, for a fingerprint.
pub fn tree_hash(root: &Path) -> Result<Value, TreeError> {
    let mut hasher = Sha256::new();
    for TreeEntry { path, kind } in scan(root, TreeScan::Fixture)? {
        let contents = match &kind {
            TreeKind::Directory => b"directory".to_vec(),
            TreeKind::Link { target } => target.to_string_lossy().into_owned().into_bytes(),
            TreeKind::File { .. } => {
                std::fs::read(root.join(&path)).map_err(|error| TreeError::Read { path: path.clone(), error })?
            }
        };
        let sort = match kind {
            TreeKind::Directory => "d",
            TreeKind::Link { .. } => "l",
            TreeKind::File { executable: true } => "x",
            TreeKind::File { executable: false } => "f",
        };
        hasher.update(format!("{sort}{}:{path}{}:", path.len(), contents.len()));
        hasher.update(&contents);
    }
    let digest = hasher.finalize();
    Ok(json!(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
}

/// A hash of each entry of a directory, by its path. How the lines of a text end does not count.
pub fn tree_hashes(root: &Path) -> Result<BTreeMap<String, String>, TreeError> {
    let mut hashes = BTreeMap::new();
    for TreeEntry { path, kind } in scan(root, TreeScan::Fixture)? {
        let hash = match &kind {
            TreeKind::Directory => "directory".to_owned(),
            TreeKind::Link { target } => format!("link {}", target.to_string_lossy()),
            TreeKind::File { executable } => {
                let contents = std::fs::read(root.join(&path));
                let contents = contents.map_err(|error| TreeError::Read { path: path.clone(), error })?;
                let sort = if *executable { "program" } else { "file" };
                format!("{sort} {}", content_hash(&contents))
            }
        };
        hashes.insert(path, hash);
    }
    Ok(hashes)
}

/// Whether a link at `path` (relative to the tree) leads out of the tree.
fn leaves(path: &Path, target: &Path) -> bool {
    let mut depth = path.components().count().saturating_sub(1);
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_metadata: &std::fs::Metadata) -> bool {
    false
}
