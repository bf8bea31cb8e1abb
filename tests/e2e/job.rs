//! A job of GitHub Actions: an event, its variables, its files, and the small GitHub that it talks to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use evalratchet::internals::Marker;
use serde_json::{Value, json};

use crate::baseline::{RIGHT, WRONG, repository};
use crate::github::{Github, LOGIN, TOKEN};
use crate::support::{Ran, World, git};

pub(crate) const REPOSITORY: &str = "o/r";
pub(crate) const NUMBER: u64 = 7;
/// The commit that GitHub made of the pull request; no check belongs there.
pub(crate) const MERGE: &str = "cccccccccccccccccccccccccccccccccccccccc";

pub(crate) struct Job {
    pub(crate) world: World,
    pub(crate) github: Arc<Github>,
    /// Where commands run.
    pub(crate) directory: PathBuf,
    /// What is evaluated.
    pub(crate) head: String,
    variables: BTreeMap<String, String>,
}

impl Job {
    /// In an empty world; no event yet.
    pub(crate) fn with(github: &Arc<Github>) -> Self {
        let world = World::new();
        let directory = world.path().to_owned();
        let mut job =
            Self { world, github: github.clone(), directory, head: String::new(), variables: BTreeMap::new() };
        let files = World::path(&job.world).join("runner");
        std::fs::create_dir(&files).unwrap();
        for (name, value) in [
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_TOKEN", TOKEN),
            ("GITHUB_API_URL", &github.url),
            ("GITHUB_GRAPHQL_URL", &format!("{}/graphql", github.url)),
            ("GITHUB_REPOSITORY", REPOSITORY),
            ("GITHUB_SERVER_URL", "https://github.com"),
            ("GITHUB_RUN_ID", "10"),
            ("GITHUB_RUN_ATTEMPT", "1"),
            ("GITHUB_OUTPUT", &files.join("output").display().to_string()),
            ("GITHUB_STEP_SUMMARY", &files.join("summary").display().to_string()),
        ] {
            job.set(name, value);
        }
        job
    }

    /// Pull request 7 of a branch that has one commit more than main.
    pub(crate) fn on_pull_request() -> Self {
        let github = Arc::new(Github::start());
        let head = github.repository(REPOSITORY, |repository| {
            repository.commit("main", &[("a", "1")], &[]);
            let head = repository.commit("feature", &[("a", "2")], &["main"]);
            repository.pull(NUMBER, Some(REPOSITORY), "feature", &head, "main");
            head
        });
        let mut job = Self::with(&github);
        job.world.config("target = { command = [\"true\"] }");
        job.pull_request(&head, json!({"full_name": REPOSITORY}));
        job
    }

    pub(crate) fn pull_request(&mut self, head: &str, head_repository: Value) {
        self.pull_request_to(head, head_repository, "main");
    }

    pub(crate) fn pull_request_to(&mut self, head: &str, head_repository: Value, onto: &str) {
        self.head = head.to_owned();
        let base = self.github.repository(REPOSITORY, |repository| repository.branches[onto].clone());
        let pull = json!({
            "number": NUMBER, "draft": false, "labels": [], "user": {"login": "contributor"},
            "head": {"sha": head, "ref": "feature", "repo": head_repository},
            "base": {"sha": base, "ref": onto, "repo": {"full_name": REPOSITORY, "default_branch": "main"}},
        });
        self.event("pull_request", &json!({"number": NUMBER, "pull_request": pull}));
        self.set("GITHUB_SHA", MERGE);
        self.set("GITHUB_REF", "refs/pull/7/merge");
        self.set("GITHUB_BASE_REF", onto);
    }

    /// The run of a fork's branch has ended.
    pub(crate) fn workflow_run(&mut self, head: &str, fork: &str, branch: &str) {
        self.head = head.to_owned();
        let ended = json!({
            "id": 99, "run_attempt": 1, "head_sha": head, "head_branch": branch, "event": "pull_request",
            "head_repository": {"full_name": fork}, "pull_requests": [], "actor": {"login": "contributor"},
        });
        let repository = json!({"full_name": REPOSITORY, "default_branch": "main"});
        self.event("workflow_run", &json!({"workflow_run": ended, "repository": repository}));
    }

    pub(crate) fn push(&mut self, branch: &str, after: &str) {
        self.head = after.to_owned();
        let repository = json!({"full_name": REPOSITORY, "default_branch": "main"});
        let reference = format!("refs/heads/{branch}");
        self.event("push", &json!({"ref": reference, "before": MERGE, "after": after, "repository": repository}));
        self.set("GITHUB_SHA", after);
        self.set("GITHUB_REF", &reference);
    }

    pub(crate) fn event(&mut self, name: &str, payload: &Value) {
        let file = self.world.file("runner/event.json", &payload.to_string());
        self.set("GITHUB_EVENT_NAME", name);
        self.set("GITHUB_EVENT_PATH", &file.display().to_string());
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        command.current_dir(&self.directory).envs(&self.variables);
        command
    }

    pub(crate) fn evalratchet(&self, arguments: &[&str]) -> Ran {
        self.world.ran(self.command(arguments).output().unwrap())
    }

    pub(crate) fn publish(&self, arguments: &[&str]) -> Ran {
        self.evalratchet(&[&["publish"], arguments].concat())
    }

    /// Publishes as another run of the workflow.
    pub(crate) fn publish_as(&self, run: u64, arguments: &[&str]) -> Ran {
        let mut command = self.command(&[&["publish"], arguments].concat());
        self.world.ran(command.env("GITHUB_RUN_ID", run.to_string()).output().unwrap())
    }

    /// Leaves these results where `publish` looks for them.
    pub(crate) fn left(&self, results: &Value) -> &Self {
        self.world.file("evalratchet-out/results.json", &results.to_string());
        self
    }

    pub(crate) fn summary(&self) -> String {
        std::fs::read_to_string(self.world.path().join("runner/summary")).unwrap_or_default()
    }

    /// The outputs as GitHub's runner reads them. Panics where it would refuse the file.
    pub(crate) fn outputs(&self) -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(self.world.path().join("runner/output")).unwrap_or_default();
        let (mut lines, mut found) = (text.lines(), BTreeMap::new());
        while let Some(line) = lines.next() {
            if let Some((name, delimiter)) = line.split_once("<<") {
                let value: Vec<&str> = lines.by_ref().take_while(|line| *line != delimiter).collect();
                found.insert(name.to_owned(), value.join("\n"));
            } else {
                let (name, value) = line.split_once('=').unwrap_or_else(|| panic!("the runner refuses {line:?}"));
                found.insert(name.to_owned(), value.to_owned());
            }
        }
        found
    }

    /// Our comments of all keys on the pull request, oldest first.
    pub(crate) fn comments(&self) -> Vec<(Marker, String)> {
        let all = self.github.repository(REPOSITORY, |repository| repository.comments_of(NUMBER));
        let ours = all.iter().filter(|comment| comment["user"]["login"] == LOGIN);
        let bodies = ours.map(|comment| comment["body"].as_str().unwrap().to_owned());
        bodies.filter_map(|body| Some((Marker::of(&body)?, body))).collect()
    }

    /// The only comment of ours.
    pub(crate) fn comment(&self) -> String {
        let mut all = self.comments();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0).1
    }

    /// The comments that are not ours, whole.
    pub(crate) fn bystanders(&self) -> Vec<Value> {
        let mut all = self.github.repository(REPOSITORY, |repository| repository.comments_of(NUMBER));
        let ours = |comment: &Value| {
            comment["user"]["login"] == LOGIN && Marker::of(comment["body"].as_str().unwrap()).is_some()
        };
        all.retain(|comment| !ours(comment));
        all
    }

    pub(crate) fn checks(&self) -> Vec<Value> {
        self.github.repository(REPOSITORY, |repository| repository.checks.clone())
    }

    /// The only check run.
    pub(crate) fn check(&self) -> Value {
        let mut all = self.checks();
        assert_eq!(all.len(), 1, "{all:#?}");
        all.remove(0)
    }

    pub(crate) fn annotations(&self, check: &Value) -> Vec<Value> {
        let id = check["id"].as_u64().unwrap();
        self.github.repository(REPOSITORY, |repository| repository.annotations[&id].clone())
    }
}

/// A comment as release 0.1 wrote it for a run of this number.
pub(crate) fn comment_of(run: u64, content: &str) -> String {
    let marker = json!({"key": "evalratchet.toml", "run": run, "attempt": 1, "head": "h"});
    format!("<!-- evalratchet:comment {marker} -->\n\n{content}")
}

/// Results of real runs: without a baseline, as it, worse than it, and better.
pub(crate) struct Samples {
    pub(crate) first: Value,
    pub(crate) same: Value,
    pub(crate) worse: Value,
    pub(crate) better: Value,
}

pub(crate) fn samples() -> &'static Samples {
    static SAMPLES: OnceLock<Samples> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let world = repository(WRONG);
        let first = world.run().results.unwrap();
        assert_eq!(world.evalratchet(&["baseline", "update"]).code, 0);
        let against = |answers: &str| {
            world.file("answers.txt", answers);
            world.evalratchet(&["run", "--baseline", ".evalratchet/baseline.json"]).results.unwrap()
        };
        let same = against(WRONG);
        let worse = against("one: rm\ntwo: cd\nthree: whoami\n");
        Samples { first, same, worse, better: against(RIGHT) }
    })
}

/// Brings every commit and branch of a repository to the small GitHub, with the same SHAs.
pub(crate) fn mirror(world: &World, github: &Github) {
    for sha in world.git(&["rev-list", "--reverse", "--topo-order", "--all"]).lines() {
        if github.repository(REPOSITORY, |repository| repository.commits.contains_key(sha)) {
            continue;
        }
        let parents = world.git(&["show", "--no-patch", "--format=%P", sha]);
        let parents: Vec<String> = parents.split_whitespace().map(str::to_owned).collect();
        let mut changes: Vec<(String, Option<Vec<u8>>)> = Vec::new();
        let against = parents.first().map_or("4b825dc642cb6eb9a060e54bf8d69288fbee4904", String::as_str);
        for path in world.git(&["diff-tree", "-r", "--name-only", against, sha]).lines() {
            let name = format!("{sha}:{path}");
            let shown = git().args(["show", &name]).current_dir(world.path()).output().unwrap();
            changes.push((path.to_owned(), shown.status.success().then_some(shown.stdout)));
        }
        github.repository(REPOSITORY, |repository| {
            repository.write(Some(sha.to_owned()), parents, changes, "A commit", "someone");
        });
    }
    for line in world.git(&["for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"]).lines() {
        let (branch, sha) = line.split_once(' ').unwrap();
        github.repository(REPOSITORY, |repository| {
            repository.point(branch, sha);
        });
    }
}

/// Tries them all at once: most of them wait most of the time.
pub(crate) fn together<T: Send>(cases: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    let work = &work;
    std::thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || work(case));
        }
    });
}

/// Every file below a directory, as text.
pub(crate) fn files(directory: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            found.push((path, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    found.sort();
    found
}
