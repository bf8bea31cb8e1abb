//! What changed in a work tree, as git tells it.
#![expect(clippy::disallowed_methods, reason = "edge: looks at symbolic links")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git::{Branches, tip};
use crate::model::{ChangedPaths, Link, Sha, normal};
use crate::repository::{Git, GitError};

const SYMLINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// A work tree, and what git does not look into.
#[derive(Debug)]
pub(crate) struct WorkTree {
    git: Git,
    top: PathBuf,
    /// The configuration's directory within the work tree, with a final `/`; empty at its root.
    prefix: String,
    links: BTreeSet<Link>,
    /// Relative to the configuration's directory.
    submodules: BTreeSet<String>,
}

impl WorkTree {
    /// The work tree that a directory is in; `None` if it is in no repository.
    pub(crate) fn open(root: &Path) -> Result<Option<Self>, GitError> {
        let Some(git) = Git::open(root)? else { return Ok(None) };
        let top = PathBuf::from(git.answer(&["rev-parse", "--show-toplevel"])?);
        let top = top.canonicalize().unwrap_or(top);
        let prefix = git.prefix()?;
        let mut tree = Self { git, top, prefix, links: BTreeSet::new(), submodules: BTreeSet::new() };
        let listed = tree.git.answer(&["ls-files", "--stage", "--full-name", "-z", "--", ":/"])?;
        for (mode, name) in listed.split('\0').filter_map(|entry| entry.split_once('\t')) {
            match mode.split(' ').next() {
                Some(SYMLINK) => tree.add_link(name),
                Some(SUBMODULE) => {
                    tree.submodules.insert(tree.relative(name));
                }
                Some(_) | None => {}
            }
        }
        Ok(Some(tree))
    }

    /// What differs from the common ancestor of HEAD and `reference`; `None` if there is no such ancestor.
    pub(crate) fn changed_since(
        &mut self,
        branches: &Branches,
        reference: &str,
    ) -> Result<Option<ChangedPaths>, GitError> {
        let Some(tip) = tip(&self.git, branches, reference)? else { return Ok(None) };
        match self.git.answer_if_any(&["merge-base", "HEAD", tip.as_str()])? {
            Some(base) => self.changed(&base).map(Some),
            None => Ok(None),
        }
    }

    /// What differs from a commit; `None` if it is not here.
    pub(crate) fn changed_from(&mut self, commit: &Sha) -> Result<Option<ChangedPaths>, GitError> {
        if self.git.has_commit(commit)? { self.changed(commit.as_str()).map(Some) } else { Ok(None) }
    }

    fn changed(&mut self, base: &str) -> Result<ChangedPaths, GitError> {
        let mut changed = ChangedPaths::default();
        let flags =
            ["diff", "--raw", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z", "--no-relative"];
        let differing = self.git.answer(&[&flags[..], &[base, "--", ":/"]].concat())?;
        let mut fields = differing.split('\0');
        while let (Some(modes), Some(name)) = (fields.next(), fields.next()) {
            let name = self.relative(name);
            // A link may lead to a folder, and a submodule is one: the name alone does not say what changed below it.
            if modes.trim_start_matches(':').split(' ').take(2).any(|mode| [SYMLINK, SUBMODULE].contains(&mode)) {
                changed.trees.insert(name);
            } else {
                changed.files.insert(name);
            }
        }
        let untracked =
            self.git.answer(&["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"])?;
        for name in untracked.split('\0').filter(|name| !name.is_empty()) {
            match name.strip_suffix('/') {
                // Another repository, which git does not look into.
                Some(name) => changed.trees.insert(self.relative(name)),
                None => changed.files.insert(self.relative(name)),
            };
            self.add_link(name);
        }
        Ok(changed)
    }

    /// The names that changed paths have through links: those of the repository, and those on the way to `named`.
    pub(crate) fn through_links(&mut self, changed: ChangedPaths, named: &[String]) -> ChangedPaths {
        for path in named {
            self.add_links_to(path);
        }
        changed.through(&self.links)
    }

    /// Whether git ignores one of these files, so that it cannot tell whether they changed.
    pub(crate) fn ignores_any(&self, files: &[String]) -> Result<bool, GitError> {
        let root = self.top.join(&self.prefix);
        let real = files.iter().filter_map(|file| root.join(file).canonicalize().ok());
        let inside: Vec<String> = real.filter_map(|path| self.inside(&path)).collect();
        let in_submodule = |file: &&String| {
            let file = self.relative(file);
            self.submodules.iter().any(|one| file.strip_prefix(one.as_str()).is_some_and(|rest| rest.starts_with('/')))
        };
        let own: Vec<String> =
            inside.iter().filter(|file| !in_submodule(file)).map(|file| format!(":(top,literal){file}")).collect();
        if own.is_empty() {
            return Ok(false);
        }
        let mut arguments = vec!["ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--"];
        arguments.extend(own.iter().map(String::as_str));
        Ok(!self.git.answer(&arguments)?.is_empty())
    }

    /// Adds the link at a path within the work tree, if there is one.
    fn add_link(&mut self, name: &str) {
        let path = self.top.join(name);
        let Ok(target) = path.read_link() else { return };
        // Where it leads by itself: that may be a link that changed, or gone.
        let above = name.rsplit_once('/').map_or("", |(above, _)| above);
        let next = normal(&format!("{above}/{}", target.to_string_lossy()));
        let next = Some(next).filter(|next| !next.starts_with("..") && !target.is_absolute());
        let end = path.canonicalize().map_or_else(|_| next.clone(), |real| self.inside(&real));
        for to in [end, next.clone()].into_iter().take(if next.is_some() { 2 } else { 1 }) {
            let link = Link { at: self.relative(name), to: to.map(|to| self.relative(&to)) };
            self.links.insert(link);
        }
    }

    /// Adds every link on the way to a path, which is relative to the configuration's directory.
    fn add_links_to(&mut self, path: &str) {
        let inside = normal(&format!("{}{path}", self.prefix));
        let mut way = String::new();
        for part in inside.split('/').take_while(|part| *part != "..") {
            way = if way.is_empty() { part.to_owned() } else { format!("{way}/{part}") };
            self.add_link(&way);
        }
    }

    /// A real path within the work tree; `None` if it is outside.
    fn inside(&self, path: &Path) -> Option<String> {
        Some(path.strip_prefix(&self.top).ok()?.to_string_lossy().replace('\\', "/"))
    }

    /// A path of the work tree as seen from the configuration's directory.
    fn relative(&self, name: &str) -> String {
        let from: Vec<&str> = self.prefix.split('/').filter(|part| !part.is_empty()).collect();
        let to: Vec<&str> = name.split('/').collect();
        let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
        let up = from.iter().skip(common).map(|_| "..");
        up.chain(to.iter().skip(common).copied()).collect::<Vec<_>>().join("/")
    }
}
