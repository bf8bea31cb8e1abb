//! `baseline fetch` and `baseline update --push`: the baseline on GitHub.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and the network")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::reference::{file_name, pull_request_commits};
use super::{ConfigArgs, Failure, Overrides, block_on, console, settings};
use crate::baseline::{
    BaselineQuery, FetchedBaseline, FetchedFrom, HistoryPlace, LookupError, NamedBy, NoBaseline, find, normal,
};
use crate::ci::{self, CiContext, Event, EventKind};
use crate::github::push::{self, BaselinePush, PushOutcome};
use crate::github::{Access, Client, GithubError};
use crate::input::{InputError, write_atomically};
use crate::model::ExitCode;
use crate::report;
use crate::repository::Checkout;
use crate::results::Results;
use crate::settings::{Settings, baseline_section, parse_duration};
use crate::text::counted;

/// How many versions the trend shows; each costs a request.
pub(super) const TREND: usize = 8;

/// Flags of `baseline fetch`.
#[derive(Debug, Args)]
pub(super) struct FetchArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The branch that has the baseline [default: `ref` of the configuration, else main]
    #[arg(long = "ref", value_name = "BRANCH")]
    branch: Option<String>,
    /// Where it goes
    #[arg(long, value_name = "FILE", default_value = "evalratchet-out/baseline.json")]
    out: PathBuf,
    /// How long that may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "2m")]
    deadline: Duration,
}

pub(super) fn fetch(args: &FetchArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let settings = settings(&args.config, &Overrides::default())?;
    let event = ci.event()?;
    let checkout = Checkout::of(&settings.root, &settings.baseline.path)?;
    let checked_out = checkout.commit.clone().or_else(|| event.checked_out.clone());
    let commit = checked_out
        .or_else(|| event.head.clone().map(|head| head.0))
        .ok_or_else(|| Failure::Usage("neither git nor GITHUB_SHA says which commit this is".to_owned()))?;
    let prefix = prefix(&checkout, &settings, ci);
    let config = file_name(&settings.config);
    let query = BaselineQuery {
        head: commit,
        pull_request: pull_request_commits(event),
        onto: Some(event.target_branch().unwrap_or_else(|| settings.baseline.branch.clone())),
        named: args.branch.clone(),
        own: settings.baseline.clone(),
        default_branch: event.default_branch.clone(),
        config: format!("{prefix}{config}"),
        prefix,
        section_of: baseline_section,
        trend: TREND,
    };
    let found = block_on(async { Ok::<_, Failure>(find(&client(event, args.deadline)?, &query).await) })??;
    if found.is_err() {
        remove_fetched(&args.out)?;
    }
    let mut fetched = match found {
        Ok(lookup) => {
            if let Err(NoBaseline::NoBranch { branch, named_by }) = &lookup.found {
                check_branch(branch, *named_by, event, &settings)?;
            }
            FetchedBaseline::new(lookup, &settings.baseline.path, HistoryPlace::GitHub)
        }
        Err(LookupError::Invalid(errors)) => return Err(errors.into()),
        Err(LookupError::History(GithubError::Refused(why))) => {
            return Err(Failure::Usage(format!(
                "the baseline could not be fetched: the token may not ({why}). Give the job:\npermissions:\n  contents: read"
            )));
        }
        Err(LookupError::History(error)) => return Ok(unreachable("the baseline could not be fetched", &error)),
    };
    fetched.base_files = base_files(args, &fetched, &query.prefix, event)?;
    let text = serde_json::to_string(&fetched)
        .map_err(|error| Failure::Usage(format!("the baseline cannot be written: {error}")))?;
    write_atomically(&args.out, text.as_bytes())
        .map_err(|error| Failure::Write { path: args.out.display().to_string(), error })?;
    let out = args.out.display();
    match &fetched.found {
        FetchedFrom::Source(source) => console::print(&format!("{out}: {source}\n")),
        FetchedFrom::None(why) => console::print(&format!("{out}: {why}\n")),
    }
    Ok(ExitCode::Passed)
}

/// Brings the files of the base beside the baseline, so that answers can be judged by main's keys. Without them a run says
/// that it could not, and an edited key fails.
fn base_files(
    args: &FetchArgs,
    fetched: &FetchedBaseline,
    prefix: &str,
    event: &Event,
) -> Result<Option<String>, Failure> {
    let name = format!("{}-files", args.out.file_stem().unwrap_or_default().to_string_lossy());
    let folder = args.out.with_file_name(&name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .map_err(|error| Failure::Write { path: folder.display().to_string(), error })?;
    }
    let Some(base) = fetched.base.as_ref().filter(|_| !fetched.on_main && fetched.baseline.is_some()) else {
        return Ok(None);
    };
    let brought = block_on(async {
        let client = client(event, args.deadline)?;
        Ok::<_, Failure>(client.files_of(base, &folder).await)
    })??;
    match brought {
        Ok(()) => Ok(Some(format!("{name}/{prefix}"))),
        Err(error) => {
            console::note(&format!("main's files were not brought, so that edited keys fail: {error}"));
            std::fs::remove_dir_all(&folder).ok();
            Ok(None)
        }
    }
}

/// What was fetched for another commit must not pass for the baseline of this one.
fn remove_fetched(out: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(out) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(Failure::Write { path: out.display().to_string(), error }),
    }
}

/// A branch that somebody names must be there.
fn check_branch(branch: &str, named_by: NamedBy, event: &Event, settings: &Settings) -> Result<(), Failure> {
    let repository = &event.repository;
    match named_by {
        NamedBy::User => {
            Err(InputError::in_file("--ref", format!("there is no branch `{branch}` in {repository}")).into())
        }
        NamedBy::Config => {
            let message = format!("`ref` in [baseline] is `{branch}`, and there is no such branch in {repository}");
            Err(InputError::in_file(&settings.config, message).into())
        }
        NamedBy::Nobody => Ok(()),
    }
}

/// The configuration's directory in the repository. Without git, the workspace is taken for its root.
fn prefix(checkout: &Checkout, settings: &Settings, ci: &CiContext) -> String {
    if checkout.commit.is_some() {
        return checkout.prefix.clone();
    }
    let inside = ci.workspace.as_ref().and_then(|workspace| {
        let root = settings.root.canonicalize().ok()?;
        let inside = root.strip_prefix(workspace.canonicalize().ok()?).ok()?;
        Some(inside.to_string_lossy().replace('\\', "/"))
    });
    inside.filter(|inside| !inside.is_empty()).map(|inside| format!("{inside}/")).unwrap_or_default()
}

/// Makes a run the baseline of its branch on GitHub.
pub(super) fn push(
    settings: &Settings,
    results: &Results,
    badge: bool,
    deadline: Duration,
    ci: &CiContext,
) -> Result<ExitCode, Failure> {
    let event = ci.event()?;
    needs_token("nothing can be committed")?;
    if matches!(
        event.kind,
        EventKind::PullRequest
            | EventKind::PullRequestTarget
            | EventKind::WorkflowRun
            | EventKind::MergeGroup
            | EventKind::IssueComment
    ) {
        let name = event.kind.name();
        return Err(Failure::Usage(format!("a {name} does not update the baseline; a push to its branch does")));
    }
    let branch = &settings.baseline.branch;
    if event.head_branch.as_ref().is_some_and(|own| own != branch)
        || event.kind == EventKind::Push && event.head_branch.is_none()
    {
        let own = event.head_branch.as_deref().unwrap_or("something else");
        let what = if event.kind == EventKind::Push { "a push to" } else { "a run of" };
        let message = format!("the baseline is on `{branch}`, and this is {what} `{own}`; nothing to do");
        console::print(&format!("{message}\n"));
        return Ok(ExitCode::Passed);
    }
    let Some(commit) = results.run.commit.clone() else {
        return Err(Failure::Usage(
            "the run does not know of which commit it is; run it in a git repository".to_owned(),
        ));
    };
    let checkout = Checkout::of(&settings.root, &settings.baseline.path)?;
    let expected = format!("{}{}", prefix(&checkout, settings, ci), file_name(&settings.config));
    let found = format!("{}{}", results.run.prefix, results.run.config);
    if found != expected {
        return Err(Failure::Usage(format!("the results are those of {found:?}, not of {expected:?}")));
    }
    let path = normal(&format!("{}{}", results.run.prefix, settings.baseline.path));
    let update = BaselinePush { branch, path: &path, commit: &commit, results, badge };
    match block_on(async { Ok::<_, Failure>(push::push(&client(event, deadline)?, &update).await) })?? {
        Ok(PushOutcome::Nothing) => console::print(&format!("{path}: nothing changed, nothing committed\n")),
        Ok(PushOutcome::Committed { cases, oid }) => {
            let oid = oid.get(..7).unwrap_or(&oid);
            console::print(&format!("{path}: {} on `{branch}` in {oid}\n", counted(cases, "case")));
        }
        Ok(PushOutcome::Proposed { number, .. }) => {
            console::print(&format!(
                "{path}: `{branch}` is protected, so pull request #{number} updates the baseline\n"
            ));
        }
        Err(push::PushError::Refused(why)) => return Err(Failure::Usage(why)),
        Err(push::PushError::InputErrors(errors)) => return Err(errors.into()),
        Err(push::PushError::GithubError(GithubError::Refused(why))) => {
            let help = if why.contains("not permitted to create") {
                "Let it in the repository's settings: Actions, General, \"Allow GitHub Actions to create and approve pull requests\""
            } else {
                "Give the job:\npermissions:\n  contents: write\n  checks: write\n  pull-requests: write"
            };
            let text = format!("the baseline could not be committed: the token may not ({why}). {help}");
            say(ci, &text);
        }
        Err(push::PushError::GithubError(error)) => {
            return Ok(unreachable("the baseline could not be committed", &error));
        }
    }
    Ok(ExitCode::Passed)
}

/// A client for what this job may do.
pub(super) fn client(event: &Event, deadline: Duration) -> Result<Client, Failure> {
    let access = Access::new(&ci::api()).map_err(|error| Failure::Usage(error.to_string()))?;
    Client::new(access, event.repository.clone(), deadline, None).map_err(|error| Failure::Usage(error.to_string()))
}

/// What only a token can do is not tried without one.
pub(super) fn needs_token(what: &str) -> Result<(), Failure> {
    if ci::api().token.is_some() {
        return Ok(());
    }
    let help = "give the step `env: GITHUB_TOKEN: ${{ github.token }}`";
    Err(Failure::Usage(format!("GITHUB_TOKEN is not set, so {what}\n  = {help}")))
}

/// Says something where a user of the host sees it.
pub(super) fn say(ci: &CiContext, text: &str) {
    if ci.log_commands {
        console::print(&format!("::warning title=evalratchet::{}\n", report::data(text)));
    } else {
        console::note(text);
    }
}

/// Says what could not be done for want of GitHub.
pub(super) fn unreachable(what: &str, error: &GithubError) -> ExitCode {
    console::error(&format!("{what}: {error}"));
    ExitCode::Unreachable
}
