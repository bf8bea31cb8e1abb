//! The first step: from the text of a configuration to its sections. Pure.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::sections::{BaselineSection, ConfigFile};
use super::suite_section::SuiteSection;
use crate::input::{Checker, Document, InputErrors, Pointer};
use crate::model::Fingerprint;
use crate::suites::scenario::adapters::{AdapterSection, GoalSection};

/// A configuration as it is written: its sections, and the text they stand in, for the places of mistakes.
#[derive(Debug, Clone)]
pub struct Config {
    /// Its sections. One that cannot be read is left out.
    pub file: ConfigFile,
    pub document: Document,
    /// The directory that paths are relative to.
    pub root: PathBuf,
    /// A hash of the text.
    pub hash: String,
}

static CONFIG: LazyLock<Checker<ConfigFile>> = LazyLock::new(Checker::new);
static SUITE: LazyLock<Checker<SuiteSection>> = LazyLock::new(Checker::new);

impl Config {
    /// The hash of a configuration's text.
    pub fn hash_of(text: &str) -> String {
        Fingerprint::of(&text.into()).as_str().to_owned()
    }

    /// Reads the text of a configuration; `path` is only its name. Mistakes come together with what could be understood
    /// all the same, so that the caller can look for further ones there.
    pub fn parse(path: &Path, text: String) -> Result<(Self, InputErrors), InputErrors> {
        let hash = Self::hash_of(&text);
        let document = Document::toml(&shown(path), text)?;
        let (file, errors) = match CONFIG.read(&document) {
            Ok(file) => (file, InputErrors::new()),
            Err(errors) => (understood(&document), errors),
        };
        let root = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            Some(_) | None => PathBuf::from("."),
        };
        Ok((Self { file, document, root, hash }, errors))
    }
}

/// A configuration's path as the user would write it.
pub(super) fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The sections of a document that can be read although others cannot.
fn understood(document: &Document) -> ConfigFile {
    let Value::Object(sections) = &document.value else { return ConfigFile::default() };
    let root = Pointer::root();
    let suites = sections.get("suite").and_then(Value::as_array).into_iter().flatten().enumerate();
    let adapters = sections.get("adapter").and_then(Value::as_object).into_iter().flatten();
    ConfigFile {
        suite: suites
            .map(|(index, value)| SUITE.read_at(document, &root.join("suite").join(index), value).ok())
            .collect(),
        baseline: keys_that_fit(document, sections.get("baseline")),
        statistics: keys_that_fit(document, sections.get("statistics")),
        report: keys_that_fit(document, sections.get("report")),
        adapter: adapters.map(|(name, value)| (name.clone(), adapter(document, value))).collect(),
    }
}

/// An adapter. Of one that cannot be read the names of its goals are kept, so that scenarios may still name them.
fn adapter(document: &Document, value: &Value) -> AdapterSection {
    let names = value["goals"].as_object().into_iter().flatten();
    Checker::new().read_at(document, &Pointer::root(), value).unwrap_or_else(|_| AdapterSection {
        goals: names.map(|(name, _)| (name.clone(), GoalSection::default())).collect(),
        ..AdapterSection::default()
    })
}

/// A section in which every key may be missing, with the keys that can be read.
fn keys_that_fit<T: Default + JsonSchema + DeserializeOwned>(document: &Document, value: Option<&Value>) -> T {
    let (checker, at) = (Checker::<T>::new(), Pointer::root());
    let fits = |key: &str, value: &Value| {
        let alone = Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
        checker.read_at(document, &at, &alone).is_ok()
    };
    let keys = value.and_then(Value::as_object).into_iter().flatten();
    let fitting: Map<String, Value> =
        keys.filter(|(key, value)| fits(key, value)).map(|(key, value)| (key.clone(), value.clone())).collect();
    checker.read_at(document, &at, &Value::Object(fitting)).unwrap_or_default()
}

impl BaselineSection {
    /// The branch that has the baseline.
    pub fn branch(&self) -> &str {
        self.r#ref.as_deref().unwrap_or("main")
    }

    /// Its file, relative to the configuration.
    pub fn file(&self) -> &str {
        self.path.as_deref().unwrap_or(".evalratchet/baseline.json")
    }
}

/// `[baseline]` as a configuration has it, with its defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineLocation {
    /// The branch that has the baseline.
    pub branch: String,
    /// Whether the configuration names that branch, so that it must exist.
    pub names_branch: bool,
    /// The file, relative to the configuration.
    pub path: String,
    /// Whether a run without a baseline is a mistake.
    pub required: bool,
}

impl Default for BaselineLocation {
    fn default() -> Self {
        BaselineSection::default().location()
    }
}

impl BaselineSection {
    /// Where the baseline is.
    pub fn location(&self) -> BaselineLocation {
        BaselineLocation {
            branch: self.branch().to_owned(),
            names_branch: self.r#ref.is_some(),
            path: self.file().to_owned(),
            required: self.required,
        }
    }
}

/// `[baseline]` in the text of a configuration; nothing if the text is no TOML.
pub fn baseline_section(text: &str) -> Option<BaselineLocation> {
    let (config, _) = Config::parse(Path::new(super::CONFIG_NAME), text.to_owned()).ok()?;
    Some(config.file.baseline.location())
}
