//! How the goals of a scenario become commands. A built-in adapter is a file of `adapters/`, written as `[adapter.*]` is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use include_dir::{Dir, include_dir};
use schemars::JsonSchema;
use serde::Deserialize;

use super::directive::{check_directory, check_path};
use crate::input::{Checker, Document, InputErrors, Place, parse_duration};

/// How long a goal may take unless it says otherwise.
pub const GOAL_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// How the goals of scenarios become commands.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AdapterSection {
    /// What must be installed, for the message when it is not.
    pub needs: Option<String>,
    /// Goal → command.
    pub goals: BTreeMap<String, GoalSection>,
    /// How dependencies of a fixture are installed, before its first goal.
    pub install: Option<Install>,
}

/// What a goal runs.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GoalSection {
    /// The program that the goal runs.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Its arguments. `{fixture}` is the working copy, `{repo}` the directory of the configuration.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables that are set for it.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Where it runs, relative to the working copy.
    pub cwd: Option<String>,
    /// How long it may take, such as `"5m"`.
    pub timeout: Option<String>,
}

/// How dependencies of a fixture are installed. With `copy` or `path` the commands run in a folder of their own, which is kept
/// for every fixture with the same files; without, in the fixture.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Install {
    /// The file that says what is installed. A fixture without it needs nothing.
    pub lock_file: String,
    /// Further files of the fixture that the commands need.
    #[serde(default)]
    pub manifests: Vec<String>,
    /// The commands, each as program and arguments. `{install}` is the folder that they run in.
    #[schemars(length(min = 1), inner(length(min = 1)))]
    pub commands: Vec<Vec<String>>,
    /// What of the folder is copied into the working copy, under the same name.
    pub copy: Option<String>,
    /// What of the folder comes first on `PATH`.
    pub path: Option<String>,
}

impl Install {
    /// The files that decide what is installed.
    pub fn files(&self) -> impl Iterator<Item = &String> {
        self.manifests.iter().chain([&self.lock_file])
    }

    /// Whether what is installed stands in a folder of its own, rather than in caches of the tools.
    pub const fn is_kept(&self) -> bool {
        self.copy.is_some() || self.path.is_some()
    }
}

/// A way of building and testing a project.
#[derive(Debug, Clone)]
pub struct Adapter {
    pub id: String,
    /// What must be installed, for the message when it is not.
    pub needs: String,
    /// Goal → command.
    pub goals: BTreeMap<String, GoalCommand>,
    /// How dependencies are installed.
    pub install: Option<Install>,
}

/// What a goal runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoalCommand {
    pub command: String,
    pub args: Vec<String>,
    /// Variables that are set for it.
    pub env: BTreeMap<String, String>,
    /// Where it runs, relative to the working copy.
    pub cwd: Option<String>,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

/// Every adapter, by name: the built-in ones and those of `[adapter.*]`, which `place` is.
pub fn validate_adapters(sections: &BTreeMap<String, AdapterSection>, place: &Place<'_>) -> BTreeMap<String, Adapter> {
    let mut adapters = built_in();
    for (id, section) in sections {
        // One with the name of a built-in adapter takes its place.
        adapters.insert(id.clone(), validate(id, section, &place.join(id)));
    }
    adapters
}

fn validate(id: &str, section: &AdapterSection, place: &Place<'_>) -> Adapter {
    let AdapterSection { needs, goals, install } = section;
    let goals = goals.iter().map(|(name, goal)| (name.clone(), validate_goal(goal, &place.join("goals").join(name))));
    Adapter {
        id: id.to_owned(),
        needs: needs.clone().unwrap_or_else(|| "the programs of its goals".to_owned()),
        goals: goals.collect(),
        install: install.clone().inspect(|install| validate_install(install, &place.join("install"))),
    }
}

/// Everything that it names must stay below the fixture or the folder of what is installed.
fn validate_install(install: &Install, place: &Place<'_>) {
    let Install { lock_file, manifests, commands: _, copy, path } = install;
    let one = |key: &str, name: &str| {
        if let Err(why) = check_path(name) {
            place.join(key).error(why.to_string());
        }
    };
    one("lock-file", lock_file);
    for name in manifests {
        one("manifests", name);
    }
    for (key, name) in [("copy", copy), ("path", path)] {
        if let Some(name) = name {
            one(key, name);
        }
    }
}

fn validate_goal(goal: &GoalSection, place: &Place<'_>) -> GoalCommand {
    let GoalSection { command, args, env, cwd, timeout } = goal.clone();
    let limit = timeout.as_deref().and_then(|text| match parse_duration(text) {
        Ok(limit) => Some(limit),
        Err(why) => {
            place.join("timeout").error(why.to_string());
            None
        }
    });
    if let Some(why) = cwd.as_deref().and_then(|cwd| check_directory(below_placeholder(cwd)).err()) {
        place.join("cwd").error(why.to_string());
    }
    GoalCommand { command, args, env, cwd, timeout: limit }
}

/// A directory without the `{fixture}` or `{repo}` that it may begin with.
pub fn below_placeholder(cwd: &str) -> &str {
    let rest = ["{fixture}", "{repo}"].iter().find_map(|start| cwd.strip_prefix(start));
    match rest {
        Some("") => ".",
        Some(rest) => rest.strip_prefix('/').unwrap_or(cwd),
        None => cwd,
    }
}

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/suites/scenario/adapters");

/// Every built-in adapter. A test checks that each file can be read.
pub fn built_in() -> BTreeMap<String, Adapter> {
    let names = BUILT_IN.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)));
    names.filter_map(|(id, text)| Some((id.to_owned(), read_built_in(id, text).ok()?))).collect()
}

fn read_built_in(id: &str, text: &str) -> Result<Adapter, InputErrors> {
    let document = Document::toml(&format!("{id}.toml"), text.to_owned())?;
    let section = Checker::new().read(&document)?;
    let errors = RefCell::default();
    let adapter = validate(id, &section, &Place::root(&document, &errors));
    errors.into_inner().into_result().map(|()| adapter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_adapter_can_be_read_and_is_documented() {
        let docs = include_str!("../../../docs/scenarios.md");
        let adapters = built_in();
        assert!(!adapters.is_empty());
        for file in BUILT_IN.files() {
            let id = file.path().file_stem().unwrap().to_str().unwrap();
            if let Err(errors) = read_built_in(id, file.contents_utf8().unwrap()) {
                panic!("{errors}");
            }
            let Adapter { needs, goals, install, .. } = &adapters[id];
            let row = docs.lines().find(|line| line.starts_with(&format!("| `{id}` |")));
            let row = row.unwrap_or_else(|| panic!("docs/scenarios.md has no row for {id}"));
            assert!(row.contains(needs.as_str()), "{id}: {needs}");
            for (name, GoalCommand { command, args, .. }) in goals {
                let line = format!("`{name}` → `{command} {}`", args.join(" "));
                assert!(row.contains(&line), "{id}: {line}");
            }
            if let Some(install) = install {
                assert!(row.contains(&install.lock_file), "{id}: {}", install.lock_file);
            }
        }
    }
}
