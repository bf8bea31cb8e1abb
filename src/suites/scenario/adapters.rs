//! How the goals of a scenario become commands. Adding an adapter is adding a function and a line in `BUILT_IN`.

use std::collections::BTreeMap;
use std::time::Duration;

/// How long a goal may take unless it says otherwise.
pub const GOAL_TIMEOUT: Duration = Duration::from_secs(5 * 60);

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
