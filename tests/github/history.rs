//! How commits descend from each other.

use std::collections::BTreeSet;

use super::state::{Commit, Repository, Tree};

impl Repository {
    /// The commit and all before it, newest first.
    pub(crate) fn history(&self, sha: &str) -> Vec<&Commit> {
        self.walk(sha, |commit| (true, commit.parents.clone()))
    }

    /// As `git log -- path` has it: a commit counts if the path differs from every parent's, and a merge
    /// that took one side as it is leads to that side only.
    pub(crate) fn history_of(&self, sha: &str, path: &str) -> Vec<&Commit> {
        let folder = format!("{path}/");
        let below = |commit: &Commit| -> Tree {
            let inside = commit.files.iter().filter(|(name, _)| name.as_str() == path || name.starts_with(&folder));
            inside.map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
        };
        self.walk(sha, |commit| {
            let here = below(commit);
            if commit.parents.is_empty() {
                return (!here.is_empty(), Vec::new());
            }
            match commit.parents.iter().find(|parent| below(&self.commits[*parent]) == here) {
                Some(same) => (false, vec![same.clone()]),
                None => (true, commit.parents.clone()),
            }
        })
    }

    fn walk(&self, sha: &str, step: impl Fn(&Commit) -> (bool, Vec<String>)) -> Vec<&Commit> {
        let (mut todo, mut seen, mut found) = (vec![sha.to_owned()], BTreeSet::new(), Vec::new());
        while let Some(sha) = todo.pop() {
            if !seen.insert(sha.clone()) {
                continue;
            }
            let commit = &self.commits[&sha];
            let (counts, next) = step(commit);
            found.extend(counts.then_some(commit));
            todo.extend(next);
        }
        found.sort_by_key(|commit| std::cmp::Reverse(commit.order));
        found
    }

    pub(crate) fn merge_base(&self, one: &str, other: &str) -> Option<String> {
        let reachable: BTreeSet<&str> = self.history(one).iter().map(|commit| commit.sha.as_str()).collect();
        self.history(other)
            .into_iter()
            .find(|commit| reachable.contains(commit.sha.as_str()))
            .map(|commit| commit.sha.clone())
    }

    pub(crate) fn is_ancestor(&self, old: &str, new: &str) -> bool {
        self.history(new).iter().any(|commit| commit.sha == old)
    }
}
