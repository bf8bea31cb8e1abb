//! Carries out scenarios: copy → snapshot → agent task → goals → look at what is there now.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::adapters::{GOAL_TIMEOUT, GoalCommand};
use super::directive::Task;
use super::install::{InstallError, Installed, Installer, missing_tool};
use super::matching::normalised;
use super::observation::{FileState, GoalOutcome, GoalStatus, Observation};
use super::unified::{hunks, is_binary};
use super::workcopy::{TreeContents, WorkCopy, WorkCopyError, copy_tree, look};
use super::{Goal, ScenarioEvidence, ScenarioQuestion, Scope};
use crate::input::TreeScan;
use crate::model::{Ending, Meaning, Request, Status};
use crate::process::{Finished, ProcessEnd, Spawn, StartError, Stop, run_process as run};
use crate::suites::Asking;
use crate::targets::Environment;
use crate::text::shell_quoted;
use crate::text::truncate_middle;

/// How much of a goal's output is kept.
const GOAL_OUTPUT: usize = 8 * 1024;

/// Why a scenario could not be carried out, or its edit not be shown.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    #[error(transparent)]
    WorkCopy(#[from] WorkCopyError),
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error("{0}")]
    CopyDependencies(std::io::Error),
    #[error("the agent {sentence}")]
    Agent { sentence: String },
    #[error("the edit is made by an agent; run it with --keep")]
    EditByAgent,
}

/// Where scenarios are carried out.
#[derive(Debug)]
pub struct ScenarioRunner {
    installer: Installer,
    environment: Vec<(OsString, OsString)>,
    keep: bool,
}

impl ScenarioRunner {
    /// Dependencies are installed below `cache`; with `keep` the working copies stay.
    pub fn new(cache: PathBuf, environment: Vec<(OsString, OsString)>, keep: bool) -> Self {
        Self { installer: Installer::new(cache, environment.clone()), environment, keep }
    }

    /// Carries out a scenario once.
    pub(super) async fn perform(&self, question: &ScenarioQuestion, asking: &Asking<'_>) -> ScenarioEvidence {
        let began = Instant::now();
        let seen = self.observe(question, asking).await;
        ScenarioEvidence { seen, duration: began.elapsed() }
    }

    async fn observe(&self, question: &ScenarioQuestion, asking: &Asking<'_>) -> Observation {
        let not_run = |goal: &Goal| outcome(goal, String::new(), GoalStatus::NotRun, Some("not run".to_owned()));
        let mut seen = Observation { goals: question.goals.iter().map(not_run).collect(), ..Observation::default() };
        let copy = match WorkCopy::of(&question.fixture) {
            Ok(copy) => copy,
            Err(why) => {
                seen.broken = Some(format!("the fixture could not be copied: {why}"));
                return seen;
            }
        };
        seen.before = snapshot(question, copy.path());
        if let Err(why) = self.carry_out(question, asking, &copy, &mut seen).await {
            seen.broken = Some(why.to_string());
        }
        seen.interrupted = asking.stop.is_requested();
        seen.after = snapshot(question, copy.path());
        if self.keep {
            seen.kept = Some(copy.keep().display().to_string());
        }
        seen
    }

    async fn carry_out(
        &self,
        question: &ScenarioQuestion,
        asking: &Asking<'_>,
        copy: &WorkCopy,
        seen: &mut Observation,
    ) -> Result<(), ScenarioError> {
        let stop = asking.stop;
        let pristine = copy.contents()?;
        match &question.task {
            None => {}
            Some(Task::Directives(directives)) => copy.apply(directives)?,
            Some(Task::FreeText(text)) => {
                seen.agent_fault = instruct(text, copy.path(), asking).await?;
            }
        }
        match copy.contents() {
            Ok(now) => seen.changed = changed(&pristine, &now),
            Err(why) => seen.agent_fault = Some(format!("the working copy cannot be looked at any more: {why}")),
        }
        if question.goals.is_empty() || stop.is_requested() {
            return Ok(());
        }
        let installed = self.installer.install(&question.adapter, &question.fixture, stop).await?;
        if let Some((from, name)) = &installed.copied {
            let to = copy.path().join(name);
            std::fs::create_dir_all(&to).map_err(ScenarioError::CopyDependencies)?;
            copy_tree(from, &to, TreeScan::Everything)?;
        }
        for (index, goal) in question.goals.iter().enumerate() {
            if stop.is_requested() {
                break;
            }
            seen.goals[index] = self.run_goal(question, goal, copy.path(), &installed, stop).await;
        }
        Ok(())
    }

    async fn run_goal(
        &self,
        question: &ScenarioQuestion,
        goal: &Goal,
        copy: &Path,
        installed: &Installed,
        stop: &Stop,
    ) -> GoalOutcome {
        let GoalCommand { command, args, env, cwd, timeout } = &goal.command;
        let place = copy.display().to_string();
        // Goals run in the copy, so the way to the repository must not depend on where they do.
        let root = if question.root.as_os_str().is_empty() { Path::new(".") } else { &question.root };
        let repo = root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string();
        let filled = |text: &String| text.replace("{fixture}", &place).replace("{repo}", &repo);
        let argv: Vec<String> = std::iter::once(command).chain(args).map(filled).collect();
        let line = argv.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ");
        let mut environment = Environment::reduced(&self.environment, &[]).visible;
        if let Some(first) = &installed.on_path {
            put_first_on_path(&mut environment, first);
        }
        for (name, value) in env {
            environment.retain(|(other, _)| other.to_str() != Some(name));
            environment.push((name.into(), filled(value).into()));
        }
        let limit = timeout.unwrap_or(GOAL_TIMEOUT);
        let spawn = Spawn {
            argv,
            cwd: cwd.as_ref().map_or_else(|| copy.to_owned(), |cwd| copy.join(filled(cwd))),
            env: environment,
            stdin: None,
            timeout: limit,
            max_output: 1 << 20,
        };
        let Finished { end, stdout, stderr, duration } = run(&spawn, stop).await;
        let sentence = end.sentence(limit);
        let (status, exit_code, error) = match end {
            ProcessEnd::Exited(0) => (GoalStatus::Passed, Some(0), None),
            ProcessEnd::Exited(code) => (GoalStatus::Failed, Some(code), Some(sentence)),
            ProcessEnd::Signalled(_) => (GoalStatus::Failed, None, Some(sentence)),
            ProcessEnd::TimedOut => (GoalStatus::TimedOut, None, Some(sentence)),
            ProcessEnd::Stopped => (GoalStatus::NotRun, None, Some(sentence)),
            ProcessEnd::CouldNotStart(_) if !spawn.cwd.is_dir() => (
                GoalStatus::Failed,
                None,
                Some(format!("its directory `{}` is not there", cwd.as_deref().unwrap_or_default())),
            ),
            ProcessEnd::CouldNotStart(StartError::NotFound(_)) => {
                (GoalStatus::Error, None, Some(missing_tool(command, &question.adapter)))
            }
            ProcessEnd::CouldNotStart(_) => (GoalStatus::Error, None, Some(sentence)),
        };
        let text = |bytes: Vec<u8>| truncate_middle(&String::from_utf8_lossy(&bytes), GOAL_OUTPUT);
        GoalOutcome {
            exit_code,
            duration,
            stdout: text(stdout.into_bytes()),
            stderr: text(stderr.into_bytes()),
            ..outcome(goal, line, status, error)
        }
    }
}

/// Has the suite's agent work in the working copy; `Some` is what it did wrong.
async fn instruct(text: &str, copy: &Path, asking: &Asking<'_>) -> Result<Option<String>, ScenarioError> {
    let request = Request {
        names: vec![("instruction", text.to_owned())],
        directory: Some(copy.to_owned()),
        ..Request::prompt(asking.case.as_str(), text)
    };
    let answer = asking.source.ask(request.again(asking.attempt), asking.stop).await;
    let hint = answer.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    let last = truncate_middle(answer.captured.stderr.trim(), 1000);
    // What counts is what the agent did to the files: it need not say anything. An interruption is seen by the caller.
    if answer.ending.said().is_some() || answer.ending == Ending::Interrupted {
        return Ok(None);
    }
    let sentence = answer.ending.sentence();
    match answer.ending.meaning() {
        Meaning::Status(Status::Failed) => Ok(Some(format!("the agent failed: {sentence}{hint}\n{last}"))),
        Meaning::Status(Status::Error | Status::Unmeasured) => Err(ScenarioError::Agent { sentence }),
        Meaning::Judge(_) | Meaning::Status(Status::Passed | Status::Skipped) => Ok(None),
    }
}

fn outcome(goal: &Goal, command: String, status: GoalStatus, error: Option<String>) -> GoalOutcome {
    GoalOutcome {
        goal: goal.name.clone(),
        status,
        command,
        exit_code: None,
        duration: Duration::ZERO,
        stdout: String::new(),
        stderr: String::new(),
        error,
    }
}

/// The files that assertions are about, as they are now.
fn snapshot(question: &ScenarioQuestion, copy: &Path) -> BTreeMap<(Scope, String), FileState> {
    let mut files = BTreeMap::new();
    for assertion in &question.assertions {
        if let Some(path) = assertion.kind.path() {
            let root = match assertion.scope {
                Scope::Fixture => copy,
                Scope::Repo => &question.root,
            };
            files.insert((assertion.scope, path.to_owned()), look(root, path));
        }
    }
    files
}

fn changed(before: &TreeContents, after: &TreeContents) -> Vec<String> {
    let mut paths: Vec<String> =
        before.iter().filter(|(path, bytes)| after.get(*path) != Some(bytes)).map(|(path, _)| path.clone()).collect();
    paths.extend(after.keys().filter(|path| !before.contains_key(*path)).cloned());
    paths.sort();
    paths
}

fn put_first_on_path(environment: &mut Vec<(OsString, OsString)>, first: &Path) {
    let old = environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone()).unwrap_or_default();
    let paths = std::iter::once(first.to_owned()).chain(std::env::split_paths(&old));
    if let Ok(joined) = std::env::join_paths(paths) {
        environment.retain(|(name, _)| name != "PATH");
        environment.push(("PATH".into(), joined));
    }
}

/// What a scenario's own edit does to each file, as a normalised diff ready to be pasted.
pub(super) fn produced_diffs(question: &ScenarioQuestion) -> Result<Vec<(String, String)>, ScenarioError> {
    let copy = WorkCopy::of(&question.fixture)?;
    let before = copy.contents()?;
    match &question.task {
        None => return Ok(Vec::new()),
        Some(Task::Directives(directives)) => copy.apply(directives)?,
        Some(Task::FreeText(_)) => return Err(ScenarioError::EditByAgent),
    }
    let after = copy.contents()?;
    let text = |contents: &TreeContents, path: &str| {
        contents.get(path).map(|content| content.bytes.clone()).unwrap_or_default()
    };
    Ok(changed(&before, &after)
        .into_iter()
        .map(|path| {
            let (old, new) = (text(&before, &path), text(&after, &path));
            let diff = if is_binary(&old) || is_binary(&new) {
                "binary files differ\n".to_owned()
            } else {
                normalised(&String::from_utf8_lossy(&hunks(&old, &new)))
            };
            (path, diff)
        })
        .collect())
}
