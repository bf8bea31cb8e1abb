//! `baseline resolve`: takes main's side of a conflict in the baseline.

use super::reference::branches;
use super::{ConfigArgs, Failure, Overrides, block_on, console, settings};
use crate::baseline::{ClonedHistory, CommitHistory, is_ancestor, is_conflicted, normal, parse_committed};
use crate::ci::CiContext;
use crate::input::{read_text, write_atomically};
use crate::model::{ExitCode, Sha};
use crate::repository::Git;

pub(super) fn resolve(config: &ConfigArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let settings = settings(config, &Overrides::default())?;
    let path = &settings.baseline.path;
    let file = settings.root.join(path);
    if !is_conflicted(&read_text(&file, path)?) {
        console::print(&format!("{path}: has no conflict, nothing written\n"));
        return Ok(ExitCode::Passed);
    }
    let Some(git) = Git::open(&settings.root)? else {
        return Err(Failure::Usage("this is no git repository, so there is no other side to take".to_owned()));
    };
    let branch = &settings.baseline.branch;
    let history = ClonedHistory { git: git.clone(), branches: branches(ci) };
    let tip = block_on(history.tip(branch))??;
    let Some(commit) = side_of_main(&git, tip)? else {
        return Err(Failure::Usage(format!("there is no branch `{branch}` here\n  = git fetch origin {branch}")));
    };
    let in_repository = normal(&format!("{}{path}", git.prefix()?));
    let Some(text) = block_on(history.file_at(&in_repository, &commit))?? else {
        let message = format!("`{branch}` has no {path}, so there is no side to take\n  = git rm {path}");
        return Err(Failure::Usage(message));
    };
    parse_committed(&format!("{branch}:{path}@{}", commit.short()), path, text.clone())?;
    write_atomically(&file, format!("{}\n", text.trim_end()).as_bytes())
        .map_err(|error| Failure::Write { path: path.clone(), error })?;
    console::print(&format!("{path}: as `{branch}` has it in {}; now `git add {path}`\n", commit.short()));
    Ok(ExitCode::Passed)
}

/// The commit whose baseline counts: main's newest, or what is being merged if that is newer.
fn side_of_main(git: &Git, tip: Option<Sha>) -> Result<Option<Sha>, Failure> {
    let merged = git.commit("MERGE_HEAD")?;
    Ok(match (tip, merged) {
        (Some(tip), Some(merged)) if is_ancestor(git, &tip, &merged)? => Some(merged),
        (Some(tip), _) => Some(tip),
        (None, merged) => merged,
    })
}
