//! What changed in a work tree, as git tells it.
#![expect(clippy::disallowed_methods, reason = "edge: looks at symbolic links")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::git::{Branches, tip};
use crate::model::{ChangedPaths, Link, Sha, normal};
use crate::repository::{Git, GitError, IndexEntry, SUBMODULE, SYMLINK, Untracked};

/// What programs keep beside the files that they were made from.
const CACHES: [&str; 5] = ["__pycache__", ".DS_Store", ".pytest_cache", ".mypy_cache", ".ruff_cache"];

/// A work tree, and what git does not look into.
#[derive(Debug)]
pub(crate) struct WorkTree {
    git: Git,
    top: PathBuf,
    /// The configuration's directory within the work tree, with a final `/`; empty at its root.
    prefix: String,
    links: BTreeSet<Link>,
    index: Vec<IndexEntry>,
}

impl WorkTree {
    /// The work tree that a directory is in; `None` if it is in no repository.
    pub(crate) fn open(root: &Path) -> Result<Option<Self>, GitError> {
        let Some(git) = Git::open(root)? else { return Ok(None) };
        let top = PathBuf::from(git.answer(&["rev-parse", "--show-toplevel"])?);
        let top = top.canonicalize().unwrap_or(top);
        let prefix = git.prefix()?;
        let index = git.index()?;
        let mut tree = Self { git, top, prefix, links: BTreeSet::new(), index: Vec::new() };
        for entry in index.iter().filter(|entry| entry.mode == SYMLINK) {
            tree.add_link(&entry.name);
        }
        tree.index = index;
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
        changed.files.extend(self.git.edited_unseen(&self.index)?.iter().map(|name| self.relative(name)));
        // A submodule may say that edits of one of its own do not count.
        for entry in self.index.iter().filter(|entry| entry.is_submodule()) {
            if let Some(git) = self.git.submodule(entry)?
                && git.is_edited(Untracked::Counts, None)?
            {
                changed.trees.insert(self.relative(&entry.name));
            }
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

    /// What git ignores, here and in submodules, so that it cannot tell whether it changed; `out` is where this run writes.
    pub(crate) fn ignored(&self, out: &Path) -> Result<ChangedPaths, GitError> {
        let mut ignored = ChangedPaths::default();
        self.add_ignored(&self.git, &self.index, "", &mut ignored)?;
        let out = out.canonicalize().ok().and_then(|out| self.inside(&out)).map(|out| self.relative(&out));
        let is_own = |path: &str| out.as_deref().is_some_and(|out| Path::new(path).starts_with(out));
        let counts = |path: &String| !is_own(path) && !path.split('/').any(|part| CACHES.contains(&part));
        ignored.files.retain(counts);
        ignored.trees.retain(counts);
        Ok(ignored)
    }

    /// Adds what git ignores in a repository whose root is at `above` within the work tree.
    fn add_ignored(
        &self,
        git: &Git,
        index: &[IndexEntry],
        above: &str,
        ignored: &mut ChangedPaths,
    ) -> Result<(), GitError> {
        let flags = ["ls-files", "--others", "--ignored", "--exclude-standard", "--full-name", "-z", "--", ":/"];
        for name in git.answer(&flags)?.split('\0').filter(|name| !name.is_empty()) {
            let path = self.relative(&format!("{above}{}", name.trim_end_matches('/')));
            // A final `/` is another repository, which git does not look into.
            if name.ends_with('/') {
                ignored.trees.insert(path)
            } else {
                ignored.files.insert(path)
            };
        }
        for entry in index.iter().filter(|entry| entry.is_submodule()) {
            if let Some(below) = git.submodule(entry)? {
                self.add_ignored(&below, &below.index()?, &format!("{above}{}/", entry.name), ignored)?;
            }
        }
        Ok(())
    }

    /// Whether a path that is relative to the configuration's directory leads out of the repository.
    pub(crate) fn leads_out(&self, path: &str) -> bool {
        let is_relative = !Path::new(path).is_absolute();
        let real = self.top.join(&self.prefix).join(path).canonicalize();
        is_relative && real.is_ok_and(|real| self.inside(&real).is_none())
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
