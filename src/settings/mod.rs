//! The configuration file and the flags, made into one validated value that the program runs on, in three steps:
//! [`Config::parse`] reads the text, [`Settings::validate`] checks what belongs together, and [`Settings::resolve`] finds
//! the files. Only the last one touches the disk.

mod parse;
mod policy;
mod sections;
mod suite;
mod suite_section;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use parse::{BaselineLocation, Config, baseline_section};
pub use sections::ConfigFile;

pub use crate::input::parse_duration;
pub use crate::suites::SuiteSettings;
pub use crate::suites::config::Overrides;
pub use crate::targets::Source;

use crate::input::{InputError, InputErrors, Place, read_text};
use crate::model::{Mode, Policy};
use crate::results::{KnownFailures, USUAL_WINDOW};
use crate::suites::scenario::adapters::validate_adapters;

/// The name that is looked for upwards from the current directory.
pub const CONFIG_NAME: &str = "evalratchet.toml";

/// Everything a run needs to know, checked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The directory of the configuration; paths are relative to it.
    pub root: PathBuf,
    /// The configuration file as the user would name it.
    pub config: String,
    /// The suites, in order.
    pub suites: Vec<SuiteSettings>,
    /// `--mode`
    pub mode: Mode,
    /// Where the baseline is.
    pub baseline: BaselineLocation,
    /// How many of main's last runs a baseline keeps of suites that vary.
    pub window: usize,
    /// What reports make of cases that fail as they do in the baseline.
    pub known_failures: KnownFailures,
    /// A hash of the configuration's text.
    pub config_hash: String,
}

impl Settings {
    /// Reads and checks a configuration file. Mistakes in it come together with the settings that could still be
    /// understood, so that the caller can look for further ones in the cases.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<(Self, InputErrors), InputErrors> {
        let text = read_text(path, &parse::shown(path))?;
        let (config, mut errors) = Config::parse(path, text)?;
        let (mut settings, wrong) = Self::validate(&config, overrides);
        errors.extend(wrong);
        errors.extend(settings.resolve(&config));
        Ok((settings, errors))
    }

    /// What holds where there is no configuration: the defaults, and no suite.
    pub fn without_config(root: PathBuf, overrides: &Overrides) -> Self {
        Self {
            root,
            config: CONFIG_NAME.to_owned(),
            suites: Vec::new(),
            mode: overrides.mode,
            baseline: BaselineLocation::default(),
            known_failures: KnownFailures::Show,
            config_hash: Config::hash_of(""),
            window: USUAL_WINDOW,
        }
    }

    /// The second step: checks what the sections say, each by itself and together. Pure.
    pub fn validate(config: &Config, overrides: &Overrides) -> (Self, InputErrors) {
        let errors = RefCell::new(InputErrors::new());
        let place = Place::root(&config.document, &errors);
        let ConfigFile { suite: sections, baseline, statistics, report, adapter } = &config.file;
        let adapters = Arc::new(validate_adapters(adapter, &place.join("adapter")));
        let context = suite::SuiteValidation {
            root: &config.root,
            overrides,
            adapters: &adapters,
            alpha: statistics.alpha.unwrap_or(Policy::default().alpha),
        };
        let mut suites = Vec::new();
        let mut ids = BTreeSet::new();
        for (index, section) in sections.iter().enumerate() {
            let Some(section) = section else { continue };
            let place = place.join("suite").join(index);
            let id = &section.common.id;
            if ids.insert(id) {
                suites.push(suite::validate(section.clone(), &context, &place));
            } else {
                place.join("id").error_with_help(format!("a second suite is called `{id}`"), "ids must be unique");
            }
        }
        let path = baseline.file();
        if Path::new(path).is_absolute() || path.split(['/', '\\']).any(|part| part == "..") {
            place.join("baseline").join("path").error("must stay below the configuration's directory");
        }
        let settings = Self {
            root: config.root.clone(),
            config: config.document.file.clone(),
            suites,
            mode: overrides.mode,
            baseline: baseline.location(),
            window: baseline.window.unwrap_or(USUAL_WINDOW),
            known_failures: report.known_failures.unwrap_or(KnownFailures::Show),
            config_hash: config.hash.clone(),
        };
        (settings, errors.into_inner())
    }

    /// The third step: finds the files that the suites name, below the configuration's directory.
    pub fn resolve(&mut self, config: &Config) -> InputErrors {
        let mut errors = InputErrors::new();
        for suite in &mut self.suites {
            suite.resolve(&config.document, &mut errors);
        }
        errors
    }
}

/// The nearest configuration, upwards from `start`.
pub fn find_config(start: &Path, is_file: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    start.ancestors().map(|directory| directory.join(CONFIG_NAME)).find(|candidate| is_file(candidate))
}

/// The mistake of having no configuration at all.
pub fn no_config(start: &Path) -> InputError {
    InputError::in_file(CONFIG_NAME, format!("not found in {} or above it", start.display()))
        .with_help("run `evalratchet init` to get one, or name one with --config")
}
