//! `baseline`: what main has, how it is turned, and what may be worse all the same.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};

use super::reference::{read_baseline, read_blessings};
use super::{ConfigArgs, Failure, Overrides, arguments, console, remote, resolve, results_file, settings};
use crate::baseline::{
    self, Baseline, BaselineUpdate, BlessSelection, Blessed, Blessing, BlessingFile, FileChange, ReleaseError,
    UpdateError, badge, badge_path, blessings_at, blessings_folder, file_changes, history, is_ancestor, normal, update,
};
use crate::ci::CiContext;
use crate::github::intake;
use crate::input::{delete, write_atomically};
use crate::model::{CaseId, ExitCode, Sha};
use crate::report;
use crate::repository::Git;
use crate::results::Results;
use crate::settings::{Settings, parse_duration};
use crate::text::{counted, plain};

/// Verbs of `baseline`.
#[derive(Debug, Subcommand)]
pub(super) enum BaselineVerb {
    /// Get the baseline from GitHub into a file for run --baseline, where there is no history
    Fetch(remote::FetchArgs),
    /// Print the baseline as a table
    Show(ShowArgs),
    /// Make a run the new baseline; the best never falls
    Update(UpdateArgs),
    /// Take main's side of a conflict in the baseline
    Resolve(ConfigArgs),
    /// Allow what the last run was failed for, with a reason that reviewers see
    Bless(BlessArgs),
}

/// Flags of `baseline show`.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The trend, from the history of the file on its branch
    #[arg(long)]
    history: bool,
}

/// Flags of `baseline update`.
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The directory of the run
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    from: PathBuf,
    /// Commit it to the branch on GitHub instead of writing the file here
    #[arg(long)]
    push: bool,
    /// Write badge.json beside it, which shields.io can show
    #[arg(long)]
    badge: bool,
    /// How long that may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "3m", requires = "push")]
    deadline: Duration,
}

/// Flags of `baseline bless`.
#[derive(Debug, Args)]
pub(super) struct BlessArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Why it may be worse
    #[arg(long, value_name = "TEXT", value_parser = arguments::reason)]
    reason: String,
    /// Only what is about this suite
    #[arg(long, value_name = "ID")]
    suite: Option<String>,
    /// Only what is about this case
    #[arg(long, value_name = "ID")]
    case: Option<String>,
    /// Only what is about this metric
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// Only what comes of edited questions and keys
    #[arg(long)]
    changed: bool,
    /// The directory of the run that failed
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    from: PathBuf,
}

pub(super) fn baseline(verb: BaselineVerb, ci: &CiContext) -> Result<ExitCode, Failure> {
    match verb {
        BaselineVerb::Fetch(args) => remote::fetch(&args, ci),
        BaselineVerb::Show(args) => show(&args),
        BaselineVerb::Update(args) => update_file(&args, ci),
        BaselineVerb::Resolve(config) => resolve::resolve(&config, ci),
        BaselineVerb::Bless(args) => bless(&args),
    }
}

fn show(args: &ShowArgs) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    if args.history {
        let mut versions = history(&settings.root, &settings.baseline.path, &settings.baseline.branch)?;
        versions.reverse();
        if versions.is_empty() {
            let (path, branch) = (&settings.baseline.path, &settings.baseline.branch);
            return Err(Failure::Usage(format!("{path} has no history on `{branch}` here")));
        }
        console::print(&report::trend(&versions, console::style()));
        return Ok(ExitCode::Passed);
    }
    match read_baseline(&settings)? {
        Some(baseline) => {
            let blessings = [baseline.blessings.clone(), read_blessings(&settings)?].concat();
            console::print(&report::baseline(&baseline, &blessings, console::style()));
        }
        None => {
            let path = &settings.baseline.path;
            let help = "evalratchet run, then evalratchet baseline update --from evalratchet-out";
            return Err(Failure::Usage(format!("there is no {path} here\n  = {help}")));
        }
    }
    Ok(ExitCode::Passed)
}

fn update_file(args: &UpdateArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    // A git that cannot answer is named first: without it nothing may be replaced.
    let git = Git::open(&settings.root)?;
    let has_commits = git.as_ref().map(Git::head).transpose()?.flatten().is_some();
    let results = results_file::read(&args.from)?;
    if args.push {
        intake::check(&results).map_err(|why| Failure::Usage(format!("{}: {why}", shown(&args.from))))?;
        return remote::push(&settings, &results, args.badge, args.deadline, ci);
    }
    let old = read_baseline(&settings)?;
    check_commit(git.as_ref().filter(|_| has_commits), &results, old.as_ref())?;
    let path = settings.baseline.path.clone();
    let blessings = seen_blessings(&settings, &results)?;
    check_is_on_main(&settings, &blessings)?;
    let refused = |refusal: UpdateError| Failure::Usage(refusal.to_string());
    match update(old.as_ref(), &blessings, &results).map_err(refused)? {
        None => console::print(&format!("{path}: nothing changed, nothing written\n")),
        Some(BaselineUpdate { baseline: new, blessings: remaining }) => {
            let all = [old.map(|old| old.blessings).unwrap_or_default(), blessings].concat();
            let files = file_changes(&blessings_folder(&path), &all, &remaining)
                .map_err(|error| Failure::Usage(format!("the blessings cannot be written: {error}")))?;
            write(&settings, &new)?;
            if args.badge {
                change_file(&settings, &FileChange { path: badge_path(&path), text: Some(badge(&new)) })?;
            }
            for change in &files {
                change_file(&settings, change)?;
            }
            let absorbed = match new.took_in.len() {
                0 => String::new(),
                count => format!(", {} absorbed", counted(count, "blessing")),
            };
            if new.produced.commit.is_none() {
                console::note("the run knows no commit, so this baseline is found only with --baseline FILE");
            }
            let suites = counted(new.suites.len(), "suite");
            console::print(&format!("{path}: {suites}, {}{absorbed}; commit it\n", counted(new.cases(), "case")));
        }
    }
    Ok(ExitCode::Passed)
}

/// A run must not replace a baseline of a later commit, and must say which commit it measured where git knows commits.
fn check_commit(git: Option<&Git>, results: &Results, old: Option<&Baseline>) -> Result<(), Failure> {
    let old = old.and_then(|old| old.produced.commit.as_ref());
    let Some(new) = &results.run.commit else {
        if old.is_none() && git.is_none() {
            return Ok(());
        }
        return Err(Failure::Usage(
            "the run does not know its commit, so its baseline would never be found\n  = run `evalratchet run` in this repository".to_owned(),
        ));
    };
    let Some(git) = git else { return Ok(()) };
    if !git.has_commit(new)? {
        let message = format!(
            "the run measured {}, which is not in this repository\n  = fetch it, or run again here",
            new.short()
        );
        return Err(Failure::Usage(message));
    }
    match old.filter(|old| *old != new) {
        Some(old) if is_ancestor(git, new, old)? => {
            Err(Failure::Usage(UpdateError::Older(new.clone(), old.clone()).to_string()))
        }
        Some(_) | None => Ok(()),
    }
}

fn write(settings: &Settings, baseline: &Baseline) -> Result<(), Failure> {
    let path = settings.root.join(&settings.baseline.path);
    let text = baseline.render().map_err(|error| Failure::Usage(format!("the baseline cannot be written: {error}")))?;
    write_atomically(&path, text.as_bytes())
        .map_err(|error| Failure::Write { path: settings.baseline.path.clone(), error })
}

fn bless(args: &BlessArgs) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    let results = results_file::read(&args.from)?;
    check_is_of_here(&settings, &results, &args.from)?;
    let BlessArgs { suite, case, metric, .. } = args;
    let wanted =
        BlessSelection { suite: suite.clone(), case: case.clone(), metric: metric.clone(), changed: args.changed };
    let blessed = baseline::bless(&results, &wanted)
        .map_err(|error| Failure::Usage(format!("{}: {error}", shown(&args.from))))?;
    let Blessed { allows, covered, explained, not_reached } = blessed;
    let file = BlessingFile { reason: args.reason.clone(), allows };
    let rendered = file.name().and_then(|name| Ok((name, file.render()?)));
    let (name, text) = rendered.map_err(|error| Failure::Usage(format!("the blessing cannot be written: {error}")))?;
    let path = format!("{}/{name}", blessings_folder(&settings.baseline.path));
    change_file(&settings, &FileChange { path: path.clone(), text: Some(text) })?;
    for message in &covered {
        console::print(&format!("blessed: {}\n", plain(message)));
    }
    if explained > 0 {
        console::print(&format!(
            "and what this explains: {} in metrics, slices and floors\n",
            counted(explained, "reason")
        ));
    }
    for (message, cases) in &not_reached {
        let cases: Vec<&str> = cases.iter().take(5).map(CaseId::as_str).collect();
        let also = plain(&format!("still fails: {message}; {} got worse, too", cases.join(", ")));
        console::print(&format!("{also}\n"));
    }
    console::print(&format!("{path}: commit it with the change that it is about\n"));
    Ok(ExitCode::Passed)
}

/// What another branch measured says nothing about this one.
fn check_is_of_here(settings: &Settings, results: &Results, from: &Path) -> Result<(), Failure> {
    let (Some(git), Some(commit)) = (Git::open(&settings.root)?, &results.run.commit) else { return Ok(()) };
    let Some(head) = git.head()?.filter(|head| head != commit) else { return Ok(()) };
    let (of, here) = (commit.short(), head.short());
    // The merge commit that GitHub made of a pull request is in no clone.
    if !git.has_commit(commit)? || is_ancestor(&git, commit, &head)? {
        console::note(&format!("the run is of {of}, and this checkout is at {here}"));
        return Ok(());
    }
    let message =
        format!("the run is of {of}, which is not in the history of {here}\n  = run `evalratchet run` here first");
    Err(Failure::Usage(format!("{}: {message}", shown(from))))
}

/// The blessings that the run has seen: those of its commit. Later ones are about changes that it has not measured.
fn seen_blessings(settings: &Settings, results: &Results) -> Result<Vec<Blessing>, Failure> {
    let here = read_blessings(settings)?;
    let (Some(git), Some(commit)) = (Git::open(&settings.root)?, &results.run.commit) else { return Ok(here) };
    let seen = blessings_of(&git, settings, commit)?;
    Ok(here.into_iter().filter(|one| seen.iter().any(|other| other.allowed == one.allowed)).collect())
}

fn blessings_of(git: &Git, settings: &Settings, commit: &Sha) -> Result<Vec<Blessing>, Failure> {
    let folder = normal(&format!("{}{}", git.prefix()?, blessings_folder(&settings.baseline.path)));
    blessings_at(git, &folder, commit).map_err(|error| match error {
        ReleaseError::Git(error) => error.into(),
        ReleaseError::Invalid(errors) => errors.into(),
    })
}

/// Blessings are taken in where the baseline is, after the merge: on a branch, reviewers would not see them.
fn check_is_on_main(settings: &Settings, blessings: &[Blessing]) -> Result<(), Failure> {
    let Some(git) = Git::open(&settings.root)?.filter(|_| !blessings.is_empty()) else { return Ok(()) };
    let main = &settings.baseline.branch;
    let branch = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    let tip = match git.commit(&format!("refs/heads/{main}"))? {
        Some(tip) => Some(tip),
        None => git.commit(&format!("refs/remotes/origin/{main}"))?,
    };
    let (Some(tip), Some(head)) = (tip, git.head()?) else { return Ok(()) };
    if branch.as_ref() == Some(main) || is_ancestor(&git, &head, &tip)? {
        return Ok(());
    }
    let on_main = blessings_of(&git, settings, &tip)?;
    if blessings.iter().all(|one| on_main.iter().any(|other| other.allowed == one.allowed)) {
        return Ok(());
    }
    let here = branch.unwrap_or_else(|| head.short().to_owned());
    Err(Failure::Usage(format!(
        "this is `{here}`, and its blessings are taken in on `{main}`, after the merge\n  = commit them with the change that they are about"
    )))
}

/// Writes or deletes a file beside the baseline.
fn change_file(settings: &Settings, change: &FileChange) -> Result<(), Failure> {
    let path = settings.root.join(&change.path);
    let done = match &change.text {
        Some(text) => write_atomically(&path, text.as_bytes()),
        None => delete(&path),
    };
    done.map_err(|error| Failure::Write { path: change.path.clone(), error })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
