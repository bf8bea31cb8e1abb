//! Dependencies of a fixture: installed by the harness itself, once per lock file, without scripts of packages.
#![expect(clippy::disallowed_methods, reason = "edge: installs packages")]

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;

use super::adapters::{Adapter, Install};
use crate::process::{Finished, ProcessEnd, Spawn, Stop, run_process as run};

/// How long installing may take.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// How many of a tool's last lines are shown when it fails.
const LAST_LINES: usize = 15;

/// Installs dependencies into a cache and remembers what is there.
#[derive(Debug)]
pub(super) struct Installer {
    cache: PathBuf,
    environment: Vec<(OsString, OsString)>,
    done: Mutex<HashMap<String, Arc<Once>>>,
}

/// Where one set of dependencies was installed, or why not; found out once.
type Once = OnceCell<Result<PathBuf, String>>;

/// What a working copy gets.
#[derive(Debug, Default)]
pub(super) struct Installed {
    /// A directory whose contents are copied into the working copy, under this name.
    pub(super) copied: Option<(PathBuf, &'static str)>,
    /// A directory that comes first on PATH.
    pub(super) on_path: Option<PathBuf>,
}

impl Installer {
    pub(super) fn new(cache: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self { cache, environment, done: Mutex::default() }
    }

    /// Makes the dependencies of a fixture available, or says why that failed.
    pub(super) async fn install(&self, adapter: &Adapter, fixture: &Path, stop: &Stop) -> Result<Installed, String> {
        let Some(install) = adapter.install else { return Ok(Installed::default()) };
        let lock = fixture.join(install.lock_file());
        if !lock.is_file() {
            return Ok(Installed::default());
        }
        let key = key(install, fixture)?;
        let cell = Arc::clone(self.done.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default());
        let place = cell.get_or_init(|| self.once(install, adapter, fixture, &key, stop)).await.clone()?;
        Ok(match install {
            Install::Npm => Installed { copied: Some((place.join("node_modules"), "node_modules")), on_path: None },
            Install::Pip => Installed { copied: None, on_path: Some(place.join("venv/bin")) },
            Install::Go | Install::Cargo => Installed::default(),
        })
    }

    async fn once(
        &self,
        install: Install,
        adapter: &Adapter,
        fixture: &Path,
        key: &str,
        stop: &Stop,
    ) -> Result<PathBuf, String> {
        let place = self.cache.join(key);
        let told = |error: std::io::Error| format!("{}: {error}", place.display());
        // Go and cargo keep what they fetch in caches of their own, which may have been emptied since.
        let kept_here = match install {
            Install::Npm | Install::Pip => true,
            Install::Go | Install::Cargo => false,
        };
        if kept_here && place.is_dir() {
            return Ok(place);
        }
        std::fs::create_dir_all(&self.cache).map_err(told)?;
        // Installed beside its final place and then renamed, so that a half-finished one is never used.
        let scratch = tempfile::Builder::new().prefix(".installing-").tempdir_in(&self.cache).map_err(told)?;
        for name in manifests(install) {
            if fixture.join(name).is_file() {
                std::fs::copy(fixture.join(name), scratch.path().join(name)).map_err(told)?;
            }
        }
        for (directory, words) in steps(install, fixture, scratch.path()) {
            self.step(adapter, words, directory, stop).await?;
        }
        if !kept_here {
            return Ok(place);
        }
        match std::fs::rename(scratch.path(), &place) {
            Ok(()) => {
                let _moved = scratch.keep();
                Ok(place)
            }
            // Another process was faster; what it made is as good.
            Err(_) if place.is_dir() => Ok(place),
            Err(error) => Err(told(error)),
        }
    }

    async fn step(&self, adapter: &Adapter, argv: Vec<String>, cwd: PathBuf, stop: &Stop) -> Result<(), String> {
        let line = argv.join(" ");
        let program = argv.first().cloned().unwrap_or_default();
        tracing::debug!("installing: {line}");
        let spawn =
            Spawn { argv, cwd, env: self.environment.clone(), stdin: None, timeout: TIMEOUT, max_output: 1 << 20 };
        let Finished { end, stdout, stderr, .. } = run(&spawn, stop).await;
        let why = match end {
            ProcessEnd::Exited(0) => return Ok(()),
            ProcessEnd::Exited(code) => format!("exit code {code}"),
            ProcessEnd::Signalled(signal) => format!("ended by signal {signal}"),
            ProcessEnd::TimedOut => format!("did not end within {TIMEOUT:?}"),
            ProcessEnd::Stopped => "interrupted".to_owned(),
            ProcessEnd::CouldNotStart(_) => return Err(missing_tool(&program, adapter)),
        };
        let output = [stdout.into_bytes(), stderr.into_bytes()].concat();
        let text = String::from_utf8_lossy(&output).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
        Err(format!("installing dependencies failed: `{line}`: {why}\n{last}"))
    }
}

/// What is said when a tool is not installed.
pub(super) fn missing_tool(program: &str, adapter: &Adapter) -> String {
    format!("{program} not found; the adapter {} needs {}", adapter.id, adapter.needs)
}

/// The files that decide what is installed, in the order in which they are hashed.
const fn manifests(install: Install) -> &'static [&'static str] {
    match install {
        Install::Npm => &["package.json", "package-lock.json"],
        Install::Pip => &["requirements.txt"],
        Install::Go => &["go.mod", "go.sum"],
        Install::Cargo => &["Cargo.toml", "Cargo.lock"],
    }
}

fn key(install: Install, fixture: &Path) -> Result<String, String> {
    let mut hasher = Sha256::new();
    for name in manifests(install) {
        let bytes = std::fs::read(fixture.join(name)).unwrap_or_default();
        hasher.update(format!("{name}:{}:", bytes.len()));
        hasher.update(bytes);
    }
    let digest: String = hasher.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let name = match install {
        Install::Npm => "npm",
        Install::Pip => "pip",
        Install::Go => "go",
        Install::Cargo => "cargo",
    };
    Ok(format!("{name}-{digest}"))
}

/// The commands that install, each with the directory it runs in.
fn steps(install: Install, fixture: &Path, scratch: &Path) -> Vec<(PathBuf, Vec<String>)> {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match install {
        Install::Npm => {
            let npm = words(&["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]);
            vec![(scratch.to_owned(), npm)]
        }
        Install::Pip => {
            let pip = [
                "venv/bin/python",
                "-m",
                "pip",
                "install",
                "--disable-pip-version-check",
                "--only-binary",
                ":all:",
                "-r",
                "requirements.txt",
            ];
            let mut pip = words(&pip);
            pip[0] = scratch.join("venv/bin/python").display().to_string();
            vec![(scratch.to_owned(), words(&["python3", "-m", "venv", "venv"])), (scratch.to_owned(), pip)]
        }
        Install::Go => vec![(fixture.to_owned(), words(&["go", "mod", "download"]))],
        Install::Cargo => vec![(fixture.to_owned(), words(&["cargo", "fetch", "--locked"]))],
    }
}
