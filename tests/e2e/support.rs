//! A small repository of its own for each test.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct World {
    directory: TempDir,
}

/// What a finished run left behind.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `results.json`, if it was written and can be read.
    pub(crate) results: Option<Value>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self { directory: TempDir::new().unwrap() }
    }

    /// A suite `s` of these cases, asked by this target.
    pub(crate) fn with_target(target: &str, cases: &[Value]) -> Self {
        let world = Self::new();
        world.config(&format!("target = {target}"));
        world.dataset(cases);
        world
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        self.bytes(name, text.as_bytes())
    }

    pub(crate) fn bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn script(&self, name: &str, body: &str) -> PathBuf {
        let path = self.file(name, &format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn config(&self, rest: &str) {
        self.file(
            "evalratchet.toml",
            &format!("[[suite]]\nid = \"s\"\nkind = \"command\"\ncases = [\"cases.json\"]\n{rest}\n"),
        );
    }

    pub(crate) fn dataset(&self, cases: &[Value]) {
        let dataset = json!({"name": "n", "version": "1", "description": "d", "test_cases": cases});
        self.file("cases.json", &serde_json::to_string_pretty(&dataset).unwrap());
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evalratchet"));
        command.args(arguments).current_dir(self.path()).env_remove("CI").env("NO_COLOR", "1").env("COLUMNS", "100");
        command.env_remove("RUN_LIVE").env_remove("GH_TOKEN").env_remove("EVALRATCHET_LOG");
        isolate(&mut command);
        // A test behaves the same in a job of GitHub's.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"GITHUB_")) {
            command.env_remove(name);
        }
        command
    }

    /// Runs git and says what it answered.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        self.git_in("", arguments)
    }

    /// The same in a directory of the world.
    pub(crate) fn git_in(&self, directory: &str, arguments: &[&str]) -> String {
        let output = git().args(arguments).current_dir(self.path().join(directory)).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything but results and says which commit it is.
    pub(crate) fn commit(&self, message: &str) -> String {
        if !self.path().join(".git").exists() {
            self.git(&["init", "-q"]);
            self.file(".gitignore", "evalratchet-out\n");
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(crate) fn evalratchet(&self, arguments: &[&str]) -> Ran {
        self.ran(self.command(arguments).output().unwrap())
    }

    pub(crate) fn run(&self) -> Ran {
        self.evalratchet(&["run"])
    }

    pub(crate) fn ran(&self, output: Output) -> Ran {
        let results = fs::read_to_string(self.path().join("evalratchet-out/results.json")).ok();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: self.redacted(&String::from_utf8(output.stderr).unwrap()),
            results: results.and_then(|text| serde_json::from_str(&text).ok()),
        }
    }

    /// Without the path of the test.
    pub(crate) fn redacted(&self, text: &str) -> String {
        text.replace(&self.path().display().to_string(), "[dir]")
    }
}

impl Ran {
    pub(crate) fn case(&self, id: &str) -> &Value {
        let suites = self.results.as_ref().expect("results.json")["suites"].as_array().unwrap();
        let mut cases = suites.iter().flat_map(|suite| suite["cases"].as_array().unwrap());
        cases.find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}"))
    }

    pub(crate) fn statuses(&self) -> Vec<(String, String)> {
        let suites = self.results.as_ref().expect("results.json")["suites"].as_array().unwrap();
        let cases = suites.iter().flat_map(|suite| suite["cases"].as_array().unwrap());
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        cases.map(|case| (text(&case["id"]), text(&case["status"]))).collect()
    }

    pub(crate) fn verdict(&self) -> &str {
        self.results.as_ref().expect("results.json")["gate"]["verdict"].as_str().unwrap()
    }
}

pub(crate) fn case(id: &str, prompt: &str, expected: &str) -> Value {
    json!({
        "id": id, "prompt": prompt, "expected_command": expected,
        "category": "c", "risk_level": "safe", "posix_compliant": true
    })
}

/// A git that knows nothing of the user's configuration.
pub(crate) fn git() -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]);
    isolate(&mut git);
    git
}

/// Neither the user's git configuration nor their language changes what a test sees.
fn isolate(command: &mut Command) {
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C");
}

/// Copies a folder or a file.
pub(crate) fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-R").args([from, to]).output().unwrap().status.success());
}

/// A command that takes ten minutes and is recognised among all processes of the machine.
pub(crate) fn long_sleep() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("sleep 600.{:09}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Waits until a process of [`long_sleep`] is gone, which must be long before its time.
pub(crate) fn is_gone(long_sleep: &str) -> bool {
    let runs = || {
        let output = Command::new("ps").args(["-eo", "args"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().any(|line| line.contains(long_sleep))
    };
    // A process that was killed may be listed for a moment.
    (0..600).any(|_| {
        let is_gone = !runs();
        if !is_gone {
            std::thread::sleep(Duration::from_millis(100));
        }
        is_gone
    })
}
