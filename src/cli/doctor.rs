//! `doctor`: explains the environment.
#![expect(clippy::disallowed_methods, reason = "edge: the environment, git, GitHub and installed programs")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::reference::BaselineArgs;
use super::{ConfigArgs, Failure, Overrides, block_on, console, load};
use crate::ci::{self, CiContext, Event};
use crate::doctor::{Findings, History, Obstacle, ToolCheck, Variable, report};
use crate::github::{Access, Client, Permission, permissions};
use crate::model::{ExitCode, Sha};
use crate::repository::{Git, GitError};
use crate::settings::{Settings, Source};
use crate::suites::{RequiredTool, Suite};
use crate::text::counted;

/// Flags of `doctor`.
#[derive(Debug, Args)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    baseline: BaselineArgs,
}

pub(super) fn doctor(args: &DoctorArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let event = ci.event.clone();
    let loaded = load(&args.config, &Overrides::default(), |_| false);
    let here = PathBuf::from(".");
    let root = loaded.as_ref().map_or(here.as_path(), |(settings, _, _)| settings.root.as_path());
    let token = match &event {
        Ok(event) => token(event)?,
        Err(_) => None,
    };
    let findings = Findings {
        checkout: checkout(root).map_err(|error| Obstacle::Git(error.to_string())),
        config: loaded
            .as_ref()
            .map(|(settings, suites, _)| described(settings, suites))
            .map_err(|failure| Obstacle::Config(failure.to_string())),
        baseline: match &loaded {
            Ok((settings, _, _)) => baseline(args, settings, ci),
            Err(_) => Err(Obstacle::NotLookedFor),
        },
        tools: loaded.as_ref().map(|(_, suites, _)| tools(suites)).unwrap_or_default(),
        variables: loaded.as_ref().map(|(_, suites, _)| variables(suites)).unwrap_or_default(),
        token,
        event,
    };
    console::print(&report(&findings));
    Ok(ExitCode::Passed)
}

fn checkout(root: &Path) -> Result<Option<(Sha, History)>, GitError> {
    let Some(git) = Git::open(root)? else { return Ok(None) };
    let Some(commit) = git.head()? else { return Ok(None) };
    let history = if git.is_shallow()? { History::Shallow } else { History::Whole };
    Ok(Some((commit, history)))
}

fn described(settings: &Settings, suites: &[Suite]) -> String {
    let cases: usize = suites.iter().map(|suite| suite.cases.len()).sum();
    format!("{}: {}, {}", settings.config, counted(suites.len(), "suite"), counted(cases, "case"))
}

fn baseline(args: &DoctorArgs, settings: &Settings, ci: &CiContext) -> Result<String, Obstacle> {
    let located = args.baseline.locate(settings, ci);
    let located = located.map_err(|failure| Obstacle::NoBaseline(failure.to_string()))?;
    match located.reference {
        Some(reference) => Ok(reference.info.source),
        None => Err(located.circumstances.no_baseline.map_or(Obstacle::NotWanted, Obstacle::NoBaseline)),
    }
}

/// What the token may do.
fn token(event: &Event) -> Result<Option<Vec<Permission>>, Failure> {
    let access = Access::new(&ci::api()).map_err(|error| Failure::Usage(error.to_string()))?;
    if access.token.is_none() {
        return Ok(None);
    }
    let asked = block_on(async {
        let client = Client::new(access, event.repository.clone(), Duration::from_secs(30), None)?;
        Ok::<_, crate::github::GithubError>(permissions(&client).await)
    })?;
    Ok(Some(asked.map_err(|error| Failure::Usage(error.to_string()))?))
}

/// The programs that suites start, each once for each that wants it.
fn tools(suites: &[Suite]) -> Vec<ToolCheck> {
    let mut tools = BTreeSet::new();
    for suite in suites {
        let id = &suite.settings.id;
        let root = &suite.settings.root;
        let mut add = |program: &str, wanted_by: String, needs: &str| {
            let there = is_there(program, root);
            tools.insert(ToolCheck { program: program.to_owned(), wanted_by, needs: needs.to_owned(), there });
        };
        if suite.settings.source != Source::Recordings
            && let Some(program) = suite.settings.target.properties().program()
        {
            add(program, id.to_string(), "it is the target of this suite");
        }
        for case in &suite.cases {
            for RequiredTool { program, by, needs } in case.question.required_tools() {
                add(program, format!("{id} ({by})"), needs);
            }
        }
    }
    tools.into_iter().collect()
}

/// Whether a program could be started.
fn is_there(program: &str, root: &Path) -> bool {
    if program.contains('/') {
        return root.join(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|directory| {
        directory.join(program).is_file() || (cfg!(windows) && directory.join(format!("{program}.exe")).is_file())
    })
}

/// The variables that suites name.
fn variables(suites: &[Suite]) -> Vec<Variable> {
    let mut variables = BTreeSet::new();
    for suite in suites {
        let settings = &suite.settings;
        for name in settings.target.properties().variables() {
            let set = std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let needed = settings.source != Source::Recordings;
            variables.insert(Variable { name: name.to_owned(), wanted_by: settings.id.to_string(), set, needed });
        }
    }
    variables.into_iter().collect()
}
