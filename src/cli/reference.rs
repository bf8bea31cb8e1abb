//! What a run is compared with, found as the user asked for it.
#![expect(clippy::disallowed_methods, reason = "edge: the clock")]

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, block_on};
use crate::baseline::{
    Baseline, BaselineQuery, Blessing, BlessingFile, Branches, ClonedHistory, CommitHistory as _, FetchedBaseline,
    FetchedFrom, HistoryPlace, JobBranches, NamedBy, NoBaseline, PullRequestCommits, ReleaseError, blessings_at,
    blessings_folder, default_branch, find, location_of_base, normal, series, texts_on_all_branches, was_ever_here,
};
use crate::ci::{CiContext, Event, Origin};
use crate::conclude::Reference;
use crate::gate;
use crate::input::{Found, InputError, files_in, is_file, read_text};
use crate::model::Rule;
use crate::model::{BaselineInfo, Sha};
use crate::repository::Git;
use crate::results::Reason;
use crate::settings::{BaselineLocation, Settings, baseline_section};

/// Where the baseline is.
#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    /// What to compare with: a branch, a baseline file, or none [default: `ref` of the configuration, else main]
    #[arg(long, value_name = "REF|FILE|none")]
    baseline: Option<String>,
}

/// What was found, ready for the gate.
#[derive(Debug)]
pub(super) struct Located {
    pub(super) reference: Option<Reference>,
    pub(super) circumstances: gate::GateContext,
    /// The directory of the configuration among the files of the base, if they were fetched.
    pub(super) base_files: Option<PathBuf>,
}

/// What the user wants to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BaselineChoice {
    None,
    File(PathBuf),
    /// The newest that fits, on the branch that the user or the configuration names.
    History {
        named: Option<String>,
    },
}

impl BaselineArgs {
    /// Finds the baseline, and what may be worse than it all the same.
    pub(super) fn locate(&self, settings: &Settings, ci: &CiContext) -> Result<Located, Failure> {
        let choice = self.choice()?;
        let fetched = match choice.clone() {
            BaselineChoice::None => {
                let circumstances = gate::GateContext { today: today(), ..gate::GateContext::default() };
                return Ok(Located { reference: None, circumstances, base_files: None });
            }
            BaselineChoice::File(file) => in_file(&file, settings, ci)?,
            BaselineChoice::History { named } => in_clone(settings, ci, named)?,
        };
        check_required(&fetched, settings)?;
        let base_files = match (&choice, &fetched.base_files) {
            (BaselineChoice::File(file), Some(folder)) => file.parent().map(|beside| beside.join(folder)),
            _ => None,
        };
        // What the change has counts where its base says that the baseline is, and not where it says so itself.
        let path = fetched.path.clone().unwrap_or_else(|| settings.baseline.path.clone());
        let own = || {
            let own = read_baseline_at(settings, &path)?;
            Ok::<_, Failure>((own, counted_blessings(settings, &path, ci)?))
        };
        Ok(Located { base_files, ..located(fetched, own)? })
    }

    fn choice(&self) -> Result<BaselineChoice, Failure> {
        Ok(match self.baseline.as_deref() {
            Some("none") => BaselineChoice::None,
            // A branch is no file, even if a file is called like it.
            Some(text) if text.ends_with(".json") && is_file(Path::new(text)) => {
                BaselineChoice::File(PathBuf::from(text))
            }
            Some(text) if text.ends_with(".json") => {
                return Err(Failure::Usage(format!("--baseline {text}: there is no such file")));
            }
            named => BaselineChoice::History { named: named.map(str::to_owned) },
        })
    }
}

/// A baseline in a file, or what `baseline fetch` wrote.
fn in_file(file: &Path, settings: &Settings, ci: &CiContext) -> Result<FetchedBaseline, Failure> {
    let shown = file.to_string_lossy().replace('\\', "/");
    let text = read_text(file, &shown)?;
    if let Some(fetched) = FetchedBaseline::parse(&shown, &text) {
        return Ok(fetched?);
    }
    let baseline = Baseline::parse(&shown, text)?;
    let (instead_of, remark) = branch_of_base(settings, ci)?;
    Ok(FetchedBaseline {
        found: FetchedFrom::Source(shown),
        baseline: Some(baseline),
        instead_of: Some(instead_of),
        remark,
        ..FetchedBaseline::without(String::new())
    })
}

/// The branch that has the baseline as the base of the change says, and a remark if the change says otherwise.
fn branch_of_base(settings: &Settings, ci: &CiContext) -> Result<(String, Option<String>), Failure> {
    let own = &settings.baseline;
    let known = match Git::open(&settings.root)? {
        Some(git) => match git.head()? {
            Some(head) => {
                let history = ClonedHistory { git: git.clone(), branches: branches(ci) };
                let query = query(settings, ci, &history, head, None)?;
                block_on(location_of_base(&history, &query))??.map(|theirs| (theirs, query.onto.unwrap_or_default()))
            }
            None => None,
        },
        None => None,
    };
    let Some((theirs, onto)) = known else { return Ok((own.branch.clone(), None)) };
    let differs = theirs.branch != own.branch || normal(&theirs.path) != normal(&own.path);
    let remark = differs.then(|| {
        format!("this change has another [baseline]; that of `{onto}` counts: `{}` on `{}`", theirs.path, theirs.branch)
    });
    Ok((theirs.branch, remark))
}

/// The baseline in the history of this clone.
fn in_clone(settings: &Settings, ci: &CiContext, named: Option<String>) -> Result<FetchedBaseline, Failure> {
    let path = &settings.baseline.path;
    let (branch, named_by) = wanted(settings, named.as_deref());
    let Some(git) = Git::open(&settings.root)? else {
        return absent(&NoBaseline::NoRepository { branch, named_by }, path, NOWHERE);
    };
    let history = ClonedHistory { git: git.clone(), branches: branches(ci) };
    let Some(head) = git.head()? else {
        // A branch without a commit has no ancestors, but another branch may have the baseline.
        let none = match block_on(history.tip(&branch))?? {
            Some(_) => NoBaseline::NoCommonAncestor { branch },
            None => no_commit(&git, branch, named_by)?,
        };
        return absent(&none, path, place_of(&git, settings)?);
    };
    let query = query(settings, ci, &history, head, named)?;
    let lookup = block_on(find(&history, &query))??;
    let place = if lookup.found.is_ok() { NOWHERE } else { place_of(&git, settings)? };
    if let Err(none) = &lookup.found
        && none.is_uncertain(place)
    {
        return absent(none, path, place);
    }
    Ok(FetchedBaseline::new(lookup, path, place))
}

/// What is looked for in the history of this clone.
fn query(
    settings: &Settings,
    ci: &CiContext,
    history: &ClonedHistory,
    head: Sha,
    named: Option<String>,
) -> Result<BaselineQuery, Failure> {
    let git = &history.git;
    let default_branch = default_branch(git)?;
    let event = ci.event.as_ref().ok();
    let prefix = git.prefix()?;
    let mut onto = onto(ci).or_else(|| default_branch.clone());
    if onto.is_none() && block_on(history.tip(MAIN))??.is_some() {
        onto = Some(MAIN.to_owned());
    }
    Ok(BaselineQuery {
        head,
        pull_request: event.and_then(pull_request_commits),
        onto,
        named,
        own: settings.baseline.clone(),
        default_branch: default_branch.or_else(|| event.and_then(|event| event.default_branch.clone())),
        config: normal(&format!("{prefix}{}", file_name(&settings.config))),
        prefix,
        section_of: baseline_section,
        trend: VERSIONS,
    })
}

/// The branch that has the baseline, and who says so.
fn wanted(settings: &Settings, named: Option<&str>) -> (String, NamedBy) {
    let own = &settings.baseline;
    match named {
        Some(named) => (named.to_owned(), NamedBy::User),
        None if own.names_branch => (own.branch.clone(), NamedBy::Config),
        None => (own.branch.clone(), NamedBy::Nobody),
    }
}

/// A repository without a commit. `init` writes the name of the branch that the first commit will make, which need not
/// exist before it.
fn no_commit(git: &Git, branch: String, named_by: NamedBy) -> Result<NoBaseline, Failure> {
    let unborn = git.answer_if_any(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    let is_next = named_by == NamedBy::Config && unborn.as_ref() == Some(&branch) && !has_origin(git)?;
    Ok(NoBaseline::NoCommit { branch, named_by: if is_next { NamedBy::Nobody } else { named_by } })
}

fn has_origin(git: &Git) -> Result<bool, Failure> {
    Ok(git.answer(&["remote"])?.lines().any(|name| name == "origin"))
}

/// What this clone says about whether there may be a baseline that was not found.
fn place_of(git: &Git, settings: &Settings) -> Result<HistoryPlace, Failure> {
    let prefix = git.prefix()?;
    let in_repository = |path: &str| normal(&format!("{prefix}{path}"));
    let default = BaselineLocation::default();
    let mut paths = vec![in_repository(&settings.baseline.path), in_repository(&default.path)];
    // The change must not decide alone where to look.
    for text in texts_on_all_branches(git, &in_repository(&file_name(&settings.config)))? {
        paths.extend(baseline_section(&text).map(|section| in_repository(&section.path)));
    }
    paths.sort();
    paths.dedup();
    Ok(HistoryPlace::Clone {
        shallow: git.is_shallow()?,
        has_file: has_file(settings),
        had_file: was_ever_here(git, &paths)?,
        has_origin: has_origin(git)?,
    })
}

/// The branch that changes go to, if nobody says otherwise.
const MAIN: &str = "main";

/// Where there is no repository.
const NOWHERE: HistoryPlace =
    HistoryPlace::Clone { shallow: false, has_file: false, had_file: false, has_origin: false };

/// There is no baseline, or it cannot be known whether there is one.
fn absent(none: &NoBaseline, path: &str, place: HistoryPlace) -> Result<FetchedBaseline, Failure> {
    let message = none.message(path, place);
    if !none.is_uncertain(place) {
        return Ok(FetchedBaseline::without(message));
    }
    match none {
        NoBaseline::NoBranch { named_by: NamedBy::User, .. }
        | NoBaseline::NoRepository { named_by: NamedBy::User, .. }
        | NoBaseline::NoCommit { named_by: NamedBy::User, .. } => {
            Err(InputError::in_file("--baseline", message).into())
        }
        NoBaseline::NoBranch { .. }
        | NoBaseline::NoRepository { .. }
        | NoBaseline::NoCommit { .. }
        | NoBaseline::NoCommonAncestor { .. }
        | NoBaseline::Deleted { .. }
        | NoBaseline::NoVersion { .. }
        | NoBaseline::NotAnAncestor { .. } => Err(Failure::Usage(message)),
    }
}

/// Whether the checkout holds a baseline, where its configuration says or where it is by default: in a clone without
/// history the change must not decide alone where to look.
fn has_file(settings: &Settings) -> bool {
    let default = BaselineLocation::default();
    [&settings.baseline.path, &default.path].iter().any(|path| is_file(&settings.root.join(path)))
}

/// `required = true` in `[baseline]`, here or in the base of the change, makes a missing baseline a mistake.
fn check_required(fetched: &FetchedBaseline, settings: &Settings) -> Result<(), Failure> {
    let FetchedFrom::None(why) = &fetched.found else { return Ok(()) };
    if !fetched.required && !settings.baseline.required {
        return Ok(());
    }
    let message = format!("`required = true` in [baseline], but there is {why}");
    let help = "make the first one with `evalratchet run --baseline none` and `evalratchet baseline update`";
    Err(InputError::in_file(&settings.config, message).with_help(help).into())
}

/// Who says where branches are. In a job a local branch may be the change itself.
pub(super) fn branches(ci: &CiContext) -> Branches {
    if !ci.is_job() {
        return Branches::Local;
    }
    let Some(event) = ci.event.as_ref().ok().filter(|event| event.is_pull_request()) else {
        return Branches::Job(JobBranches::default());
    };
    let fork = match &event.origin {
        Origin::Own => None,
        Origin::Fork(name) => name.clone(),
    };
    let base = event.base_branch.clone().zip(event.base.clone().map(|base| base.0));
    Branches::Job(JobBranches { base, head: event.head.clone().map(|head| head.0), fork })
}

/// The branch that a change goes to, as the host says and not as the change does.
fn onto(ci: &CiContext) -> Option<String> {
    ci.base_branch.clone().or_else(|| ci.event.as_ref().ok()?.target_branch())
}

/// The commits that GitHub's merge commit of a pull request is recognised by.
pub(super) fn pull_request_commits(event: &Event) -> Option<PullRequestCommits> {
    let head = event.head.clone().filter(|_| event.is_pull_request())?;
    Some(PullRequestCommits { head: head.0, base: event.base.clone().map(|base| base.0) })
}

/// What was found, ready for the gate; `own` reads the file as the change has it.
pub(super) fn located<E>(
    fetched: FetchedBaseline,
    own: impl FnOnce() -> Result<(Option<Baseline>, Vec<Blessing>), E>,
) -> Result<Located, E> {
    let FetchedBaseline {
        schema: _,
        found,
        base,
        on_main,
        baseline,
        at_base,
        versions,
        remark,
        instead_of,
        required: _,
        path: _,
        base_files: _,
    } = fetched;
    let mut circumstances = gate::GateContext { today: today(), on_main, ..gate::GateContext::default() };
    let remark = remark.map(|text| Reason::new(Rule::BaselineEdited, None, text).informing());
    circumstances.remarks.extend(remark);
    let (own, blessings) = own()?;
    circumstances.blessings = blessings;
    let (source, baseline) = match (found, baseline) {
        (FetchedFrom::Source(source), Some(baseline)) => (source, baseline),
        (FetchedFrom::None(why) | FetchedFrom::Source(why), _) => {
            circumstances.no_baseline = Some(why);
            return Ok(Located { reference: None, circumstances, base_files: None });
        }
    };
    circumstances.blessings.extend(blessings_inside(&baseline, own.as_ref()));
    // On its own branch the file is turned by updates, which is how it should be.
    if !on_main && let Some(at_base) = at_base {
        circumstances.edited = Some(Box::new(gate::Edited { at_base, own }));
    }
    let versions: Vec<&Baseline> = versions.iter().collect();
    let info = BaselineInfo { instead_of, ..info(&baseline, source, base) };
    let reference = Reference { info, trend: series(&versions), baseline };
    Ok(Located { reference: Some(reference), circumstances, base_files: None })
}

pub(super) fn info(baseline: &Baseline, source: String, base: Option<Sha>) -> BaselineInfo {
    let produced = &baseline.produced;
    BaselineInfo {
        source,
        commit: produced.commit.clone(),
        time: produced.time.clone(),
        tool: produced.tool.clone(),
        mode: produced.mode,
        base,
        instead_of: None,
    }
}

/// How many versions the trend shows.
const VERSIONS: usize = 20;

/// Blessings that release 0.1 kept in the baseline: its own, and those that the checkout's file adds.
fn blessings_inside(baseline: &Baseline, own: Option<&Baseline>) -> Vec<Blessing> {
    let mut all = baseline.blessings.clone();
    for blessing in own.into_iter().flat_map(|own| &own.blessings) {
        if !all.contains(blessing) {
            all.push(blessing.clone());
        }
    }
    all
}

/// The baseline file of the checkout, if there is one.
pub(super) fn read_baseline(settings: &Settings) -> Result<Option<Baseline>, Failure> {
    read_baseline_at(settings, &settings.baseline.path)
}

fn read_baseline_at(settings: &Settings, shown: &str) -> Result<Option<Baseline>, Failure> {
    let path = settings.root.join(shown);
    if !is_file(&path) {
        return Ok(None);
    }
    Ok(Some(Baseline::parse(shown, read_text(&path, shown)?)?))
}

/// The blessings that count. In a job only what is committed does: nobody reviews what a step writes.
fn counted_blessings(settings: &Settings, baseline: &str, ci: &CiContext) -> Result<Vec<Blessing>, Failure> {
    if ci.is_job()
        && let Some(git) = Git::open(&settings.root)?
        && let Some(head) = git.head()?
    {
        let folder = normal(&format!("{}{}", git.prefix()?, blessings_folder(baseline)));
        return blessings_at(&git, &folder, &head).map_err(|error| match error {
            ReleaseError::Git(error) => error.into(),
            ReleaseError::Invalid(errors) => errors.into(),
        });
    }
    read_blessings_at(settings, baseline)
}

/// The blessings of the checkout.
pub(super) fn read_blessings(settings: &Settings) -> Result<Vec<Blessing>, Failure> {
    read_blessings_at(settings, &settings.baseline.path)
}

fn read_blessings_at(settings: &Settings, baseline: &str) -> Result<Vec<Blessing>, Failure> {
    let folder = blessings_folder(baseline);
    let mut blessings = Vec::new();
    for Found { path, shown } in files_in(&settings.root, &folder, "toml")? {
        blessings.extend(BlessingFile::parse(&shown, read_text(&path, &shown)?)?);
    }
    Ok(blessings)
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(super) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
