//! What a run is compared with, found as the user asked for it.
#![expect(clippy::disallowed_methods, reason = "edge: the clock")]

use std::path::{Path, PathBuf};

use clap::Args;

use super::{Failure, block_on};
use crate::Reference;
use crate::baseline::{
    Baseline, BaselineQuery, Blessing, FetchedBaseline, FetchedFrom, HistoryPlace, NoBaseline, default_branch, find,
    normal, series,
};
use crate::ci::CiContext;
use crate::gate;
use crate::input::{InputError, is_file, read_text};
use crate::model::Rule;
use crate::model::{BaselineInfo, Sha};
use crate::repository::Git;
use crate::results::Reason;
use crate::settings::{Settings, baseline_section};

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
}

/// What the user wants to compare with.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BaselineChoice {
    None,
    File(PathBuf),
    /// The newest that fits, on a branch; whether the user named it now, so that it must be there.
    Branch {
        name: String,
        named: bool,
    },
}

impl BaselineArgs {
    /// Finds the baseline, and what may be worse than it all the same.
    pub(super) fn locate(&self, settings: &Settings, ci: &CiContext) -> Result<Located, Failure> {
        let fetched = match self.choice(settings)? {
            BaselineChoice::None => {
                let circumstances = gate::GateContext { today: today(), ..gate::GateContext::default() };
                return Ok(Located { reference: None, circumstances });
            }
            BaselineChoice::File(file) => in_file(&file)?,
            BaselineChoice::Branch { name, named } => in_clone(settings, ci, name, named)?,
        };
        located(fetched, || read_baseline(settings))
    }

    fn choice(&self, settings: &Settings) -> Result<BaselineChoice, Failure> {
        Ok(match self.baseline.as_deref() {
            Some("none") => BaselineChoice::None,
            // A branch is no file, even if a file is called like it.
            Some(text) if text.ends_with(".json") && is_file(Path::new(text)) => {
                BaselineChoice::File(PathBuf::from(text))
            }
            Some(text) if text.ends_with(".json") => {
                return Err(Failure::Usage(format!("--baseline {text}: there is no such file")));
            }
            Some(text) => BaselineChoice::Branch { name: text.to_owned(), named: true },
            None => BaselineChoice::Branch { name: settings.baseline_ref.clone(), named: false },
        })
    }
}

/// A baseline in a file, or what `baseline fetch` wrote.
fn in_file(file: &Path) -> Result<FetchedBaseline, Failure> {
    let shown = file.to_string_lossy().replace('\\', "/");
    let text = read_text(file, &shown)?;
    if let Some(fetched) = FetchedBaseline::parse(&shown, &text) {
        return Ok(fetched?);
    }
    let baseline = Baseline::parse(&shown, text)?;
    Ok(FetchedBaseline {
        found: FetchedFrom::Source(shown),
        baseline: Some(baseline),
        ..FetchedBaseline::without(String::new())
    })
}

/// The baseline in the history of this clone.
fn in_clone(settings: &Settings, ci: &CiContext, branch: String, named: bool) -> Result<FetchedBaseline, Failure> {
    let path = &settings.baseline_path;
    let place = |shallow: bool| HistoryPlace::Clone { shallow, has_file: is_file(&settings.root.join(path)) };
    let git = Git::open(&settings.root);
    let head = git.as_ref().map(Git::head).transpose()?.flatten();
    let (Some(git), Some(head)) = (git, head) else {
        return Ok(FetchedBaseline::without(NoBaseline::NoCommit.message(path, place(false))));
    };
    let onto = match &ci.base_branch {
        Some(branch) => Some(branch.clone()),
        None => default_branch(&git)?,
    };
    let prefix = git.prefix()?;
    let query = BaselineQuery {
        head,
        may_be_merge: ci.is_merge_checkout,
        onto,
        branch,
        named,
        path: normal(&format!("{prefix}{path}")),
        config: normal(&format!("{prefix}{}", file_name(&settings.config))),
        prefix,
        section_of: baseline_section,
        trend: VERSIONS,
    };
    let lookup = block_on(find(&git, &query))??;
    if let (true, Err(NoBaseline::NoBranch { branch })) = (named, &lookup.found) {
        let message =
            format!("there is no branch or commit `{branch}` here, nor a file of that name that ends in .json");
        return Err(InputError::in_file("--baseline", message).into());
    }
    Ok(FetchedBaseline::new(lookup, path, place(git.is_shallow()?)))
}

/// What was found, ready for the gate; `own` reads the file as the change has it.
pub(super) fn located<E>(
    fetched: FetchedBaseline,
    own: impl FnOnce() -> Result<Option<Baseline>, E>,
) -> Result<Located, E> {
    let FetchedBaseline { schema: _, found, base, on_main, baseline, at_base, versions, remark } = fetched;
    let mut circumstances = gate::GateContext { today: today(), on_main, ..gate::GateContext::default() };
    let remark = remark.map(|text| Reason::new(Rule::BaselineEdited, None, text).informing());
    circumstances.remarks.extend(remark);
    let (source, baseline) = match (found, baseline) {
        (FetchedFrom::Source(source), Some(baseline)) => (source, baseline),
        (FetchedFrom::None(why) | FetchedFrom::Source(why), _) => {
            circumstances.no_baseline = Some(why);
            return Ok(Located { reference: None, circumstances });
        }
    };
    let own = own()?;
    circumstances.blessings = blessings(&baseline, own.as_ref());
    // On its own branch the file is turned by updates, which is how it should be.
    if !on_main && let Some(at_base) = at_base {
        circumstances.edited = Some(Box::new(gate::Edited { at_base, own }));
    }
    let versions: Vec<&Baseline> = versions.iter().collect();
    let reference = Reference { info: info(&baseline, source, base), trend: series(&versions), baseline };
    Ok(Located { reference: Some(reference), circumstances })
}

/// Where a configuration says that the baseline is, as branch and path.
pub(super) fn own_baseline_section(config: Option<&str>) -> (String, String) {
    config.and_then(baseline_section).or_else(|| baseline_section("")).unwrap_or_default()
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
    }
}

/// How many versions the trend shows.
const VERSIONS: usize = 20;

/// Those of the baseline, and those that the checkout adds; of its own file nothing else is believed.
fn blessings(baseline: &Baseline, own: Option<&Baseline>) -> Vec<Blessing> {
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
    let path = settings.root.join(&settings.baseline_path);
    if !is_file(&path) {
        return Ok(None);
    }
    Ok(Some(Baseline::parse(&settings.baseline_path, read_text(&path, &settings.baseline_path)?)?))
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

pub(super) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
