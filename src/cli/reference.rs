//! What a run is compared with, found as the user asked for it.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and the clock")]

use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use crate::Reference;
use crate::baseline::{Baseline, Blessing, Found, Surroundings, Wanted, find};
use crate::gate;
use crate::input::{is_file, read_text};
use crate::model::BaselineInfo;
use crate::settings::Settings;

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
            Some(text) if is_file(Path::new(text)) => Wanted::File(PathBuf::from(text)),
            Some(text) if text.ends_with(".json") => {
                return Err(Failure::Usage(format!("--baseline {text}: there is no such file")));
            }
            Some(text) => Wanted::Ref(text.to_owned()),
            None => Wanted::Ref(settings.baseline_ref.clone()),
        };
        let found = find(&settings.root, &settings.baseline_path, &wanted, &surroundings())?;
        let mut circumstances = gate::Circumstances { today: today(), ..gate::Circumstances::default() };
        let reference = match found {
            Found::Baseline { baseline, source, base, on_main } => {
                circumstances.on_main = on_main;
                circumstances.blessings = blessings(settings, &baseline)?;
                Some(Reference { info: info(&baseline, source, base), baseline: *baseline })
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

/// Those of the baseline, and those that the checkout adds; of its own file nothing else is believed.
fn blessings(settings: &Settings, baseline: &Baseline) -> Result<Vec<Blessing>, Failure> {
    let mut all = baseline.blessings.clone();
    if let Some(own) = read_baseline(settings)? {
        for blessing in own.blessings {
            if !all.contains(&blessing) {
                all.push(blessing);
            }
        }
    }
    Ok(all)
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
fn surroundings() -> Surroundings {
    let reference = std::env::var("GITHUB_REF").unwrap_or_default();
    let is_merge = reference.starts_with("refs/pull/") && reference.ends_with("/merge");
    Surroundings { is_pull_request_merge: is_merge }
}

pub(super) fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
