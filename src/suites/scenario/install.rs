//! Dependencies of a fixture: installed by the harness itself as its adapter says, once per lock file.
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
type Once = OnceCell<Result<PathBuf, InstallError>>;

/// Why dependencies could not be installed. It is kept for every scenario that needs them, so it can be cloned.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum InstallError {
    #[error("{0}")]
    MissingTool(String),
    #[error("{}: {why}", place.display())]
    Cache { place: PathBuf, why: String },
    #[error("installing dependencies failed: `{line}`: {why}\n{last_lines}")]
    Failed { line: String, why: String, last_lines: String },
}

/// What a working copy gets.
#[derive(Debug, Default)]
pub(super) struct Installed {
    /// A directory whose contents are copied into the working copy, under this name.
    pub(super) copied: Option<(PathBuf, String)>,
    /// A directory that comes first on PATH.
    pub(super) on_path: Option<PathBuf>,
}

impl Installer {
    pub(super) fn new(cache: PathBuf, environment: Vec<(OsString, OsString)>) -> Self {
        Self { cache, environment, done: Mutex::default() }
    }

    /// Makes the dependencies of a fixture available, or says why that failed.
    pub(super) async fn install(
        &self,
        adapter: &Adapter,
        fixture: &Path,
        stop: &Stop,
    ) -> Result<Installed, InstallError> {
        let Some(install) = &adapter.install else { return Ok(Installed::default()) };
        if !fixture.join(&install.lock_file).is_file() {
            return Ok(Installed::default());
        }
        let key = key(adapter, install, fixture);
        let cell = Arc::clone(self.done.lock().unwrap_or_else(PoisonError::into_inner).entry(key.clone()).or_default());
        let place = cell.get_or_init(|| self.once(adapter, install, fixture, &key, stop)).await.clone()?;
        Ok(Installed {
            copied: install.copy.as_ref().map(|name| (place.join(name), name.clone())),
            on_path: install.path.as_ref().map(|name| place.join(name)),
        })
    }

    async fn once(
        &self,
        adapter: &Adapter,
        install: &Install,
        fixture: &Path,
        key: &str,
        stop: &Stop,
    ) -> Result<PathBuf, InstallError> {
        let place = self.cache.join(key);
        let failed = |error: std::io::Error| InstallError::Cache { place: place.clone(), why: error.to_string() };
        if !install.is_kept() {
            // The tools keep what they fetch in caches of their own, which may have been emptied since.
            self.steps(adapter, install, fixture, stop).await?;
            return Ok(place);
        }
        if place.is_dir() {
            return Ok(place);
        }
        std::fs::create_dir_all(&self.cache).map_err(failed)?;
        // Installed beside its final place and then renamed, so that a half-finished one is never used.
        let scratch = tempfile::Builder::new().prefix(".installing-").tempdir_in(&self.cache).map_err(failed)?;
        for name in install.files().filter(|name| fixture.join(name).is_file()) {
            let to = scratch.path().join(name);
            std::fs::create_dir_all(to.parent().unwrap_or(scratch.path())).map_err(failed)?;
            std::fs::copy(fixture.join(name), to).map_err(failed)?;
        }
        self.steps(adapter, install, scratch.path(), stop).await?;
        match std::fs::rename(scratch.path(), &place) {
            Ok(()) => {
                let _moved = scratch.keep();
                Ok(place)
            }
            // Another process was faster; what it made is as good.
            Err(_) if place.is_dir() => Ok(place),
            Err(error) => Err(failed(error)),
        }
    }

    async fn steps(
        &self,
        adapter: &Adapter,
        install: &Install,
        folder: &Path,
        stop: &Stop,
    ) -> Result<(), InstallError> {
        let shown = folder.display().to_string();
        for command in &install.commands {
            let argv = command.iter().map(|word| word.replace("{install}", &shown)).collect();
            self.step(adapter, argv, folder.to_owned(), stop).await?;
        }
        Ok(())
    }

    async fn step(&self, adapter: &Adapter, argv: Vec<String>, cwd: PathBuf, stop: &Stop) -> Result<(), InstallError> {
        let line = argv.join(" ");
        let program = argv.first().cloned().unwrap_or_default();
        tracing::debug!("installing: {line}");
        let spawn =
            Spawn { argv, cwd, env: self.environment.clone(), stdin: None, timeout: TIMEOUT, max_output: 1 << 20 };
        let Finished { end, stdout, stderr, .. } = run(&spawn, stop).await;
        let why = match end {
            ProcessEnd::Exited(0) => return Ok(()),
            ProcessEnd::CouldNotStart(_) => return Err(InstallError::MissingTool(missing_tool(&program, adapter))),
            ProcessEnd::Exited(_) | ProcessEnd::Signalled(_) | ProcessEnd::TimedOut | ProcessEnd::Stopped => {
                end.sentence(TIMEOUT)
            }
        };
        let output = [stdout.into_bytes(), stderr.into_bytes()].concat();
        let text = String::from_utf8_lossy(&output).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last_lines = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
        Err(InstallError::Failed { line, why, last_lines })
    }
}

/// What is said when a tool is not installed.
pub(super) fn missing_tool(program: &str, adapter: &Adapter) -> String {
    format!("{program} not found; the adapter {} needs {}", adapter.id, adapter.needs)
}

/// The name of what is installed, in the cache: the adapter's, and a hash of all that decides what it is.
fn key(adapter: &Adapter, install: &Install, fixture: &Path) -> String {
    let mut hasher = Sha256::new();
    hasher.update(format!("{:?} {:?}", adapter.id, install.commands));
    for name in install.files() {
        let bytes = std::fs::read(fixture.join(name)).unwrap_or_default();
        hasher.update(format!("{name}:{}:", bytes.len()));
        hasher.update(bytes);
    }
    let digest: String = hasher.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    let name: String = adapter.id.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{name}-{digest}")
}
