//! The configuration file and the flags, made into one validated value that the program runs on.

mod adapters;
mod file;
mod openai;
mod policy;
mod suite;
mod target;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use file::SuiteSection;
pub use file::{ConfigFile, PriceSection};
pub use openai::{OpenAiTarget, Price};
pub use suite::{PassAt, Source, SuiteSettings};
pub use target::{Cwd, HttpTarget, IndexFiles, Invocation, RankedFile, TargetSettings, Template};

use crate::input::{Checker, Document, InputError, InputErrors, Pointer, read_text};
use crate::model::{Fingerprint, Mode, Policy};
use crate::results::KnownFailures;
use crate::suites::scenario::adapters::Adapter;

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
    /// Every adapter, by name.
    pub adapters: BTreeMap<String, Adapter>,
    /// `--mode`
    pub mode: Mode,
    /// The branch that has the baseline.
    pub baseline_ref: String,
    /// The baseline's file, relative to the root.
    pub baseline_path: String,
    /// What reports make of cases that fail as they do in the baseline.
    pub known_failures: KnownFailures,
    /// A hash of the configuration's text.
    pub config_hash: String,
}

/// What flags say over the configuration.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--timeout`
    pub timeout: Option<Duration>,
    /// `--repeat`
    pub repeat: Option<usize>,
    /// `--jobs`
    pub jobs: Option<usize>,
    /// `--k`
    pub k: Option<usize>,
    /// `--mode`
    pub mode: Mode,
}

static CHECKER: LazyLock<Checker<ConfigFile>> = LazyLock::new(Checker::new);
static SUITE_CHECKER: LazyLock<Checker<SuiteSection>> = LazyLock::new(Checker::new);

impl Settings {
    /// Reads and checks a configuration file. InputErrors in it come together with the settings that could still be
    /// understood, so that the caller can look for further ones in the cases.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<(Self, InputErrors), InputErrors> {
        let shown = path.to_string_lossy().replace('\\', "/");
        let text = read_text(path, &shown)?;
        let config_hash = Fingerprint::of(&text.as_str().into()).as_str().to_owned();
        let document = Document::toml(&shown, text)?;
        let mut errors = CHECKER.read(&document).err().unwrap_or_default();
        let root = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            Some(_) | None => PathBuf::from("."),
        };
        let alpha = document.value["statistics"]["alpha"].as_f64().unwrap_or(Policy::default().alpha);
        let mut suites: Vec<SuiteSettings> = Vec::new();
        let mut ids = Vec::new();
        for (index, value) in document.value["suite"].as_array().into_iter().flatten().enumerate() {
            let at = Pointer::root().join("suite").join(index);
            // What is wrong with its shape was said above.
            let Ok(section) = SUITE_CHECKER.read_at(&document, &at, value) else { continue };
            if ids.contains(&section.id) {
                let message = format!("a second suite is called `{}`", section.id);
                errors.push(document.error(&at.join("id"), message).with_help("ids must be unique"));
                continue;
            }
            ids.push(section.id.clone());
            let mut suite = suite::settle(&root, &document, &at, section, overrides, &mut errors);
            suite.policy.alpha = alpha;
            suites.push(suite);
        }
        let adapters = adapters::settle(&document, &mut errors);
        let of_baseline =
            |key: &str, default: &str| document.value["baseline"][key].as_str().unwrap_or(default).to_owned();
        let place = of_baseline("path", "");
        if Path::new(&place).is_absolute() || place.split(['/', '\\']).any(|part| part == "..") {
            let at = Pointer::root().join("baseline").join("path");
            errors.push(document.error(&at, "must stay below the configuration's directory"));
        }
        let settings = Self {
            baseline_ref: of_baseline("ref", DEFAULT_REF),
            baseline_path: of_baseline("path", DEFAULT_PATH),
            root,
            config: shown,
            suites,
            adapters,
            mode: overrides.mode,
            known_failures: match document.value["report"]["known-failures"].as_str() {
                Some("skip") => KnownFailures::Skip,
                Some(_) | None => KnownFailures::Show,
            },
            config_hash,
        };
        Ok((settings, errors))
    }
}

/// The branch and the path of `[baseline]` in the text of a configuration, with their defaults.
pub fn baseline_section(text: &str) -> Option<(String, String)> {
    let table: toml::Table = text.parse().ok()?;
    let of = |key: &str, default: &str| {
        let value = table.get("baseline").and_then(|section| section.get(key)).and_then(toml::Value::as_str);
        value.unwrap_or(default).to_owned()
    };
    Some((of("ref", DEFAULT_REF), of("path", DEFAULT_PATH)))
}

/// The branch that has the baseline, if nobody says otherwise.
const DEFAULT_REF: &str = "main";
/// Where it is, if nobody says otherwise.
const DEFAULT_PATH: &str = ".evalratchet/baseline.json";

/// The nearest configuration, upwards from `start`.
pub fn find_config(start: &Path, is_file: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    start.ancestors().map(|directory| directory.join(CONFIG_NAME)).find(|candidate| is_file(candidate))
}

/// The mistake of having no configuration at all.
pub fn no_config(start: &Path) -> InputError {
    InputError::in_file(CONFIG_NAME, format!("not found in {} or above it", start.display()))
        .with_help("run `evalratchet init` to get one, or name one with --config")
}

/// Reads a positive duration such as `30s`, `2m` or `1h 30m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write it like 500ms, 30s or 2m");
    let signed: jiff::SignedDuration = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from(signed).map_err(|_| wrong())?;
    if duration.is_zero() { Err(wrong()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_people_write_them() {
        assert_eq!(parse_duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("2m"), Ok(Duration::from_secs(120)));
        for wrong in ["", "30", "-5s", "0s", "soon"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
