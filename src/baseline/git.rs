//! Finds the baseline in the history of `main`.

use std::path::{Path, PathBuf};

use super::Baseline;
use crate::input::{InputError, InputErrors, is_file, read_text};
use crate::repository::git as answer;

/// How far back the file's history is looked through.
const DEPTH: &str = "500";

/// What the environment says of the checkout.
#[derive(Debug, Clone, Default)]
pub struct CheckoutContext {
    /// Whether HEAD is the merge commit that GitHub made of a pull request.
    pub is_pull_request_merge: bool,
}

/// What the user wants to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    Nothing,
    /// A file.
    File(PathBuf),
    /// The newest that fits, on this branch.
    Ref {
        /// Its name.
        name: String,
        /// Whether the user named it now, so that it must be there.
        named: bool,
    },
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// A baseline.
    Baseline {
        /// It.
        baseline: Box<Baseline>,
        /// Where, in words.
        source: String,
        /// The commit that the run is based on.
        base: Option<String>,
        /// Whether HEAD is the tip of the branch that has it.
        on_main: bool,
        /// The file as it is in the commit that the run is based on.
        at_base: Option<Box<Baseline>>,
    },
    /// None, and why.
    None {
        /// Why, and what to do about it.
        why: String,
    },
    /// None was wanted.
    NotWanted,
}

/// Looks for the baseline of a configuration in `root`; `path` is relative to it.
pub fn find(root: &Path, path: &str, wanted: &Wanted, surroundings: &CheckoutContext) -> Result<Found, InputErrors> {
    let (reference, named) = match wanted {
        Wanted::Nothing => return Ok(Found::NotWanted),
        Wanted::File(file) => {
            let shown = file.to_string_lossy().replace('\\', "/");
            let baseline = Box::new(Baseline::parse(&shown, read_text(file, &shown)?)?);
            return Ok(Found::Baseline { baseline, source: shown, base: None, on_main: false, at_base: None });
        }
        Wanted::Ref { name, named } => (name, *named),
    };
    let create = "on that branch, `evalratchet run` and `evalratchet baseline update --from evalratchet-out`, then commit the file";
    let none = |why: String| Ok(Found::None { why });
    let Some(head) = git(root, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]) else {
        return none(format!("no baseline: this is no git repository with a commit; {create}"));
    };
    let shallow = git(root, &["rev-parse", "--is-shallow-repository"]).is_some_and(|answer| answer == "true");
    let Some(tip) = resolve(root, reference) else {
        if named {
            let message =
                format!("there is no branch or commit `{reference}` here, nor a file of that name that ends in .json");
            return Err(InputError::in_file("--baseline", message).into());
        }
        let hint = if shallow {
            "this is a shallow clone: `evalratchet baseline fetch`, or check out with `fetch-depth: 0`"
        } else {
            "name another with --baseline, or `ref` in [baseline]"
        };
        return none(format!("no baseline: there is no branch `{reference}` here; {hint}"));
    };
    let Some(base) = base(root, &head, &tip, surroundings) else {
        let hint = if shallow {
            "; this is a shallow clone: `evalratchet baseline fetch`, or check out with `fetch-depth: 0`"
        } else {
            ""
        };
        return none(format!("no baseline: nothing is common to this commit and `{reference}`{hint}"));
    };
    let on_main = head == tip;
    let prefix = git(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    let file = normal(&format!("{prefix}{path}"));
    let mut foreign = None;
    for (index, commit) in log(root, &tip, &file).into_iter().enumerate() {
        let Some(text) = show(root, &commit, &file) else {
            if index == 0 {
                return none(format!("no baseline: {file} was deleted on `{reference}` in {}", short(&commit)));
            }
            continue;
        };
        let shown = format!("{reference}:{file}@{}", short(&commit));
        // One that cannot be read is not the same as none.
        let baseline = Baseline::parse(&shown, text)?;
        let produced = baseline.produced.commit.clone();
        if produced.as_ref().is_some_and(|produced| is_ancestor(root, produced, &base)) {
            let at_base = show(root, &base, &file).and_then(|text| Baseline::parse(&shown, text).ok()).map(Box::new);
            let base = Some(base);
            return Ok(Found::Baseline { baseline: Box::new(baseline), source: shown, base, on_main, at_base });
        }
        foreign.get_or_insert(produced);
    }
    let hint = if shallow {
        "this is a shallow clone: `evalratchet baseline fetch`, or check out with `fetch-depth: 0`".to_owned()
    } else if let Some(produced) = foreign {
        match produced {
            Some(commit) => {
                format!("the one there is of {}, which is not in the history of this commit", short(&commit))
            }
            None => "the one there does not say of which commit it is; make it in a git repository".to_owned(),
        }
    } else if is_file(&root.join(path)) {
        format!("{path} is here, but not on `{reference}`; commit it there")
    } else {
        create.to_owned()
    };
    none(format!("no baseline on `{reference}` for {} or what came before it: {hint}", short(&base)))
}

/// A file as it is in the commit that HEAD and a branch have in common; `file` is relative to `root`.
pub fn file_at_base(root: &Path, branch: &str, file: &str, surroundings: &CheckoutContext) -> Option<String> {
    let head = git(root, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
    let base = base(root, &head, &resolve(root, branch)?, surroundings)?;
    let prefix = git(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    show(root, &base, &normal(&format!("{prefix}{file}")))
}

/// The branch that the remote calls its own, if it is known.
pub fn default_branch(root: &Path) -> Option<String> {
    let name = git(root, &["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"])?;
    name.strip_prefix("origin/").map(str::to_owned)
}

/// The newest versions of the baseline on a branch, newest first.
pub fn history(root: &Path, path: &str, reference: &str, most: usize) -> Vec<(String, Baseline)> {
    let Some(tip) = resolve(root, reference) else { return Vec::new() };
    let prefix = git(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    let file = normal(&format!("{prefix}{path}"));
    let versions = log(root, &tip, &file).into_iter().take(most).filter_map(|commit| {
        let baseline = Baseline::parse(&file, show(root, &commit, &file)?).ok()?;
        Some((commit, baseline))
    });
    versions.collect()
}

/// Whether one commit is another or came before it; `false` if git does not know them.
pub fn is_ancestor(root: &Path, ancestor: &str, of: &str) -> bool {
    // A commit is named by its hash here, never by an option.
    let is_hash = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash(ancestor) && is_hash(of) && git(root, &["merge-base", "--is-ancestor", ancestor, of]).is_some()
}

/// The files that differ from the commit that HEAD and `reference` have in common, relative to `root`; `None` if that
/// cannot be told.
pub fn changed_files(root: &Path, reference: &str) -> Option<Vec<String>> {
    let tip = resolve(root, reference)?;
    let base = git(root, &["merge-base", "HEAD", &tip])?;
    let changed = git(root, &["diff", "--name-only", "--relative", "--no-renames", "-z", &base, "--"])?;
    let untracked = git(root, &["ls-files", "--others", "--exclude-standard", "-z"])?;
    let names = changed.split('\0').chain(untracked.split('\0')).filter(|name| !name.is_empty());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    // What changed above the configuration is not seen by --relative.
    let prefix = git(root, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    if !prefix.is_empty() {
        let all = git(root, &["diff", "--name-only", "--no-renames", "-z", &base, "--", ":/"])?;
        let above = all.split('\0').filter(|name| !name.is_empty() && !name.starts_with(&prefix));
        let up = "../".repeat(prefix.matches('/').count());
        names.extend(above.map(|name| format!("{up}{name}")));
    }
    names.sort();
    names.dedup();
    Some(names)
}

/// The commit of a branch: the remote's, unless the local one is further.
fn resolve(root: &Path, reference: &str) -> Option<String> {
    let commit = |name: String| {
        git(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
    };
    let remote = commit(format!("refs/remotes/origin/{reference}"));
    let local = commit(format!("refs/heads/{reference}"));
    match (remote, local) {
        (Some(remote), Some(local)) if is_ancestor(root, &remote, &local) => Some(local),
        (Some(remote), _) => Some(remote),
        (None, Some(local)) => Some(local),
        (None, None) => commit(reference.to_owned()),
    }
}

/// What a run is based on: the first parent of GitHub's merge commit, else what both have in common.
fn base(root: &Path, head: &str, tip: &str, surroundings: &CheckoutContext) -> Option<String> {
    if surroundings.is_pull_request_merge
        && git(root, &["rev-parse", "--verify", "--quiet", "HEAD^2"]).is_some()
        && let Some(parent) = git(root, &["rev-parse", "--verify", "--quiet", "HEAD^1"])
    {
        return Some(parent);
    }
    git(root, &["merge-base", head, tip])
}

fn log(root: &Path, tip: &str, file: &str) -> Vec<String> {
    let file = format!(":(top,literal){file}");
    let text = git(root, &["log", "--format=%H", "--max-count", DEPTH, tip, "--", &file]).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

pub(super) fn show(root: &Path, commit: &str, file: &str) -> Option<String> {
    answer(root, &["show", &format!("{commit}:{file}")])
}

/// The first seven digits of a commit.
pub(super) fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(commit)
}

/// A path without `.` and `..`.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What git answers, without the final newline; `None` if it fails.
pub(super) fn git(root: &Path, arguments: &[&str]) -> Option<String> {
    answer(root, arguments).map(|text| text.trim_end_matches('\n').to_owned())
}
