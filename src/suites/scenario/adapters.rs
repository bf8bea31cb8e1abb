//! How the goals of a scenario become commands. Adding an adapter is adding a function and a line in `BUILT_IN`.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::directive::check_directory;
use crate::input::{Place, parse_duration};

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
}

/// What a goal runs.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct GoalSection {
    /// The program.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Its arguments. `{fixture}` is the working copy.
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

/// A way of building and testing a project.
#[derive(Debug, Clone)]
pub struct Adapter {
    /// Its name.
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
    /// The program.
    pub command: String,
    /// Its arguments.
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
        let place = place.join(id);
        if adapters.contains_key(id) {
            place.key_error_with_help(format!("there is a built-in adapter `{id}`"), "choose another name");
            continue;
        }
        adapters.insert(id.clone(), validate(id, section, &place));
    }
    adapters
}

fn validate(id: &str, section: &AdapterSection, place: &Place<'_>) -> Adapter {
    let AdapterSection { needs, goals } = section;
    let goals = goals.iter().map(|(name, goal)| (name.clone(), validate_goal(goal, &place.join("goals").join(name))));
    Adapter {
        id: id.to_owned(),
        needs: needs.clone().unwrap_or_else(|| "the programs of its goals".to_owned()),
        goals: goals.collect(),
        install: None,
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
    if let Some(why) = cwd.as_deref().filter(|cwd| *cwd != "{fixture}").and_then(|cwd| check_directory(cwd).err()) {
        place.join("cwd").error(why);
    }
    GoalCommand { command, args, env, cwd, timeout: limit }
}

/// How dependencies are installed from a lock file, without running scripts of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Install {
    /// `npm ci` from `package-lock.json`.
    Npm,
    /// A virtual environment from `requirements.txt`.
    Pip,
    /// `go mod download` from `go.sum`.
    Go,
    /// `cargo fetch` from `Cargo.lock`.
    Cargo,
}

impl Install {
    /// The file that decides what is installed.
    pub const fn lock_file(self) -> &'static str {
        match self {
            Self::Npm => "package-lock.json",
            Self::Pip => "requirements.txt",
            Self::Go => "go.sum",
            Self::Cargo => "Cargo.lock",
        }
    }
}

/// A name and the function that makes it.
type Entry = (&'static str, fn() -> Adapter);

const BUILT_IN: [Entry; 4] = [
    ("typescript-default", typescript_default),
    ("python-pytest", python_pytest),
    ("go-module", go_module),
    ("cargo-default", cargo_default),
];

/// Every built-in adapter.
pub fn built_in() -> BTreeMap<String, Adapter> {
    BUILT_IN.iter().map(|(name, make)| ((*name).to_owned(), make())).collect()
}

fn adapter(id: &str, needs: &str, install: Install, goals: &[(&str, &[&str])]) -> Adapter {
    let command = |words: &[&str]| GoalCommand {
        command: words.first().copied().unwrap_or_default().to_owned(),
        args: words.iter().skip(1).map(|word| (*word).to_owned()).collect(),
        ..GoalCommand::default()
    };
    Adapter {
        id: id.to_owned(),
        needs: needs.to_owned(),
        goals: goals.iter().map(|(goal, words)| ((*goal).to_owned(), command(words))).collect(),
        install: Some(install),
    }
}

fn typescript_default() -> Adapter {
    let goals: [(&str, &[&str]); 3] =
        [("build", &["npm", "run", "build"]), ("test", &["npm", "run", "test"]), ("lint", &["npm", "run", "lint"])];
    adapter("typescript-default", "Node 20 or newer", Install::Npm, &goals)
}

fn python_pytest() -> Adapter {
    adapter("python-pytest", "Python 3 with venv", Install::Pip, &[("test", &["python3", "-m", "pytest", "-q"])])
}

fn go_module() -> Adapter {
    let goals: [(&str, &[&str]); 3] =
        [("build", &["go", "build", "./..."]), ("test", &["go", "test", "./..."]), ("lint", &["go", "vet", "./..."])];
    adapter("go-module", "Go", Install::Go, &goals)
}

fn cargo_default() -> Adapter {
    let goals: [(&str, &[&str]); 3] = [
        ("build", &["cargo", "build", "--offline"]),
        ("test", &["cargo", "test", "--offline"]),
        ("lint", &["cargo", "clippy", "--offline", "--", "-D", "warnings"]),
    ];
    adapter("cargo-default", "Rust", Install::Cargo, &goals)
}
