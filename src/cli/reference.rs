//! What a run is compared with, found as the user asked for it.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and the clock")]

use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use crate::Reference;
use crate::baseline::{
    Baseline, Blessing, CheckoutContext, Fetched, Found, Wanted, Where, default_branch, file_at_base, find, history,
    series,
};
use crate::gate;
use crate::input::{is_file, read_text};
use crate::model::{BaselineInfo, Trend};
use crate::results::{Reason, Rule};
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
    pub(super) circumstances: gate::Circumstances,
}

impl BaselineArgs {
    /// Finds the baseline, and what may be worse than it all the same.
    pub(super) fn locate(&self, settings: &Settings) -> Result<Located, Failure> {
        let wanted = match self.baseline.as_deref() {
            Some("none") => Wanted::Nothing,
            // A branch is no file, even if a file is called like it.
            Some(text) if text.ends_with(".json") && is_file(Path::new(text)) => Wanted::File(PathBuf::from(text)),
            Some(text) if text.ends_with(".json") => {
                return Err(Failure::Usage(format!("--baseline {text}: there is no such file")));
            }
            Some(text) => Wanted::Ref { name: text.to_owned(), named: true },
            None => Wanted::Ref { name: settings.baseline_ref.clone(), named: false },
        };
        let surroundings = surroundings();
        let (wanted, path, remarks) = as_the_base_has_it(settings, wanted, &surroundings);
        if let Wanted::File(file) = &wanted {
            let shown = file.display().to_string();
            if let Some(fetched) = Fetched::parse(&shown, &read_text(file, &shown)?) {
                return Ok(located(fetched?, read_baseline(settings)?));
            }
        }
        let found = find(&settings.root, &path, &wanted, &surroundings)?;
        let mut circumstances = gate::Circumstances { today: today(), remarks, ..gate::Circumstances::default() };
        let reference = match found {
            Found::Baseline { baseline, source, base, on_main, at_base } => {
                circumstances.on_main = on_main;
                let own = read_baseline(settings)?;
                circumstances.blessings = blessings(&baseline, own.as_ref());
                // On its own branch the file is turned by updates, which is how it should be.
                if !on_main && let Some(at_base) = at_base {
                    circumstances.edited = Some(Box::new(gate::Edited { at_base: *at_base, own }));
                }
                let trend = trend(settings, &path, &wanted, &baseline);
                Some(Reference { info: info(&baseline, source, base), baseline: *baseline, trend })
            }
            Found::None { why } => {
                circumstances.no_baseline = Some(why);
                None
            }
            Found::NotWanted => None,
        };
        Ok(Located { reference, circumstances })
    }
}

/// What `baseline fetch` brought, ready for the gate; `own` is the file as the change has it.
pub(super) fn located(fetched: Fetched, own: Option<Baseline>) -> Located {
    let Fetched { schema: _, found, base, on_main, baseline, at_base, versions, remark } = fetched;
    let mut circumstances = gate::Circumstances { today: today(), on_main, ..gate::Circumstances::default() };
    let remark = remark.map(|text| Reason::new(Rule::BaselineEdited, None, text).informing());
    circumstances.remarks.extend(remark);
    let (source, baseline) = match (found, baseline) {
        (Where::At(source), Some(baseline)) => (source, baseline),
        (Where::Nowhere(why) | Where::At(why), _) => {
            circumstances.no_baseline = Some(why);
            return Located { reference: None, circumstances };
        }
    };
    circumstances.blessings = blessings(&baseline, own.as_ref());
    if !on_main && let Some(at_base) = at_base {
        circumstances.edited = Some(Box::new(gate::Edited { at_base, own }));
    }
    let versions: Vec<&Baseline> = versions.iter().collect();
    let reference = Reference { info: info(&baseline, source, base), trend: series(&versions), baseline };
    Located { reference: Some(reference), circumstances }
}

/// Where a configuration says that the baseline is, as branch and path.
pub(super) fn own_baseline_section(config: Option<&str>) -> (String, String) {
    config.and_then(baseline_section).or_else(|| baseline_section("")).unwrap_or_default()
}

pub(super) fn info(baseline: &Baseline, source: String, base: Option<String>) -> BaselineInfo {
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

/// How many earlier baselines are looked at.
const VERSIONS: usize = 20;

/// What earlier baselines had, up to the one that is compared with.
fn trend(settings: &Settings, path: &str, wanted: &Wanted, baseline: &Baseline) -> Trend {
    let Wanted::Ref { name, .. } = wanted else { return Trend::new() };
    let versions = history(&settings.root, path, name, VERSIONS + 10);
    let mut versions: Vec<&Baseline> =
        versions.iter().map(|(_, version)| version).skip_while(|version| *version != baseline).take(VERSIONS).collect();
    versions.reverse();
    series(&versions)
}

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

/// Where to look is not for a pull request to say: if the branch that it goes to has another `[baseline]`, that counts.
fn as_the_base_has_it(
    settings: &Settings,
    wanted: Wanted,
    surroundings: &CheckoutContext,
) -> (Wanted, String, Vec<Reason>) {
    let own = (wanted, settings.baseline_path.clone(), Vec::new());
    if !matches!(own.0, Wanted::Ref { named: false, .. }) {
        return own;
    }
    let named = std::env::var("GITHUB_BASE_REF").ok().filter(|name| !name.is_empty());
    let Some(branch) = named.or_else(|| default_branch(&settings.root)) else { return own };
    let config = Path::new(&settings.config).file_name().map(|name| name.to_string_lossy().into_owned());
    let text = config.and_then(|config| file_at_base(&settings.root, &branch, &config, surroundings));
    let Some(section) = text.and_then(|text| baseline_section(&text)) else { return own };
    if section == (settings.baseline_ref.clone(), settings.baseline_path.clone()) {
        return own;
    }
    let (reference, path) = section;
    let message = format!("this change has another [baseline]; that of `{branch}` counts: `{path}` on `{reference}`");
    let remark = Reason::new(Rule::BaselineEdited, None, message).informing();
    (Wanted::Ref { name: reference, named: false }, path, vec![remark])
}

/// The baseline file of the checkout, if there is one.
pub(super) fn read_baseline(settings: &Settings) -> Result<Option<Baseline>, Failure> {
    let path = settings.root.join(&settings.baseline_path);
    if !is_file(&path) {
        return Ok(None);
    }
    Ok(Some(Baseline::parse(&settings.baseline_path, read_text(&path, &settings.baseline_path)?)?))
}

/// What GitHub says of the checkout.
fn surroundings() -> CheckoutContext {
    let reference = std::env::var("GITHUB_REF").unwrap_or_default();
    let is_merge = reference.starts_with("refs/pull/") && reference.ends_with("/merge");
    CheckoutContext { is_pull_request_merge: is_merge }
}

pub(super) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
