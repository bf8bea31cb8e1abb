//! `--changed-since`: which suites nothing that changed concerns. In doubt a suite runs.

use std::path::Path;

use super::console;
use super::reference::file_name;
use crate::baseline::{Branches, WorkTree, normal};
use crate::conclude::Reference;
use crate::model::{ChangedPaths, Sha};
use crate::plan::PlannedSuite;
use crate::repository::GitError;
use crate::settings::Settings;

/// Why everything runs.
#[derive(Debug, thiserror::Error)]
enum Doubt {
    #[error("git cannot tell what changed: {0}")]
    Git(#[from] GitError),
    #[error("this is no git repository")]
    NoRepository,
    #[error("git does not know `{0}`, or HEAD has nothing in common with it")]
    UnknownReference(String),
    #[error("git does not know the baseline's commit")]
    UnknownBaseline,
    #[error("the configuration changed")]
    Configuration,
}

/// Marks the suites that nothing which changed concerns.
pub(super) fn leave_out_unaffected(
    settings: &Settings,
    suites: &mut [PlannedSuite],
    reference: Option<&Reference>,
    branches: &Branches,
    out: &Path,
    since: &str,
) {
    // Without values to carry there is nothing to show for a suite that does not run.
    let Some(reference) = reference else { return };
    let marked = mark(settings, suites, reference, branches, out, since);
    if let Err(doubt) = marked {
        console::note(&format!("--changed-since {since}: everything runs, as {doubt}"));
        for suite in suites.iter_mut() {
            suite.affected = true;
        }
    }
    for suite in suites.iter_mut().filter(|suite| !suite.affected) {
        for planned in &mut suite.cases {
            planned.chosen = false;
        }
    }
}

fn mark(
    settings: &Settings,
    suites: &mut [PlannedSuite],
    reference: &Reference,
    branches: &Branches,
    out: &Path,
    since: &str,
) -> Result<(), Doubt> {
    let mut tree = WorkTree::open(&settings.root)?.ok_or(Doubt::NoRepository)?;
    let changed = tree.changed_since(branches, since)?;
    let mut changed = changed.ok_or_else(|| Doubt::UnknownReference(since.to_owned()))?;
    // The values that are carried are those of the baseline's commit, so what differs from it counts as well.
    let commit: &Sha = reference.baseline.produced.commit.as_ref().ok_or(Doubt::UnknownBaseline)?;
    let ChangedPaths { files, trees } = tree.changed_from(commit)?.ok_or(Doubt::UnknownBaseline)?;
    changed.files.extend(files);
    changed.trees.extend(trees);
    let config = file_name(&settings.config);
    let mut named = vec![config.clone()];
    for suite in suites.iter() {
        let (patterns, paths) = suite.settings.dependencies();
        named.extend(patterns.into_iter().chain(paths).chain(suite.case_folders(&settings.root).unwrap_or_default()));
    }
    let changed = tree.through_links(changed, &named);
    let ignored = tree.ignored(out)?;
    let ignored = tree.through_links(ignored, &[]);
    if changed.concern_path(&config) {
        return Err(Doubt::Configuration);
    }
    for suite in suites {
        let is_known = reference.baseline.suites.contains_key(&suite.settings.id);
        suite.affected = !is_known || suite.is_affected_by(&settings.root, &changed);
        if suite.affected {
            continue;
        }
        if let Some(why) = unknown(suite, &settings.root, &tree, &ignored) {
            console::note(&format!("--changed-since {since}: {} runs, as {why}", suite.settings.id));
            suite.affected = true;
        }
    }
    Ok(())
}

/// Why git cannot tell whether something that a suite depends on changed.
fn unknown(suite: &PlannedSuite, root: &Path, tree: &WorkTree, ignored: &ChangedPaths) -> Option<String> {
    let (patterns, paths) = suite.settings.dependencies();
    let folders = suite.case_folders(root).unwrap_or_default();
    let paths: Vec<String> = paths.into_iter().chain(folders).collect();
    let fixed = |pattern: &String| {
        let parts: Vec<&str> = pattern.split('/').take_while(|part| !part.contains(['*', '?', '[', '{'])).collect();
        parts.join("/")
    };
    if let Some(path) = paths.iter().cloned().chain(patterns.iter().map(fixed)).find(|path| tree.leads_out(path)) {
        return Some(format!("`{path}` is outside of the repository"));
    }
    let pattern = patterns.iter().find(|pattern| ignored.concern_pattern(pattern));
    // Arguments such as `.` name no file.
    let path = paths.iter().find(|path| !normal(path).is_empty() && ignored.concern_path(&normal(path)));
    let named = pattern.or(path)?;
    Some(format!("git ignores what `{named}` names, and cannot tell whether it changed"))
}
