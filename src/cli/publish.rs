//! `publish`: tells GitHub what a run found.
#![expect(clippy::disallowed_methods, reason = "edge: the environment and GitHub's files")]

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::reference::{located, own_baseline_section, today};
use super::{ConfigArgs, Failure, config_path, console};
use crate::baseline::{Baseline, Where, normal};
use crate::github::check::{self, Identity, Report};
use crate::github::comment::{Desired, Marker};
use crate::github::outcome::{self, CommentWhen};
use crate::github::publish::{self, Done, Pull};
use crate::github::{self, Access, Client, DryRun, Event, HeadSha, Kind, Trouble, intake, store};
use crate::input::{Mistake, Mistakes, write_atomically};
use crate::model::{ExitCode, Results, SuiteId};
use crate::report::{self, COMMENT_BUDGET, Frame, SUMMARY_BUDGET};
use crate::repository::Checkout;
use crate::settings::{CONFIG_NAME, Overrides, Settings, SuiteSettings, parse_duration};

/// Flags of `publish`.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The directory of the run
    #[arg(long, value_name = "DIR", default_value = "evalratchet-out")]
    from: PathBuf,
    /// Open the check run, before `run`; nothing else
    #[arg(long)]
    start: bool,
    /// Whose comment and check it is, if there are several [default: the configuration's path]
    #[arg(long, value_name = "KEY", value_parser = a_key)]
    comment_key: Option<String>,
    /// When a comment is written where there is none yet
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = CommentWhen::Always)]
    comment: CommentWhen,
    /// Whether there is a check run
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    check: bool,
    /// Whether lines are annotated
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    annotations: bool,
    /// Whether the job's summary is written
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    summary: bool,
    /// Where the report can be had, for the comment to link
    #[arg(long, value_name = "URL")]
    artifact_url: Option<String>,
    /// Send nothing; write what would be sent to files in DIR/publish
    #[arg(long)]
    dry_run: bool,
    /// How long all of it may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "3m")]
    deadline: Duration,
}

fn a_key(text: &str) -> Result<String, String> {
    let is_key = !text.trim().is_empty() && text.len() <= 150 && !text.chars().any(char::is_control);
    if is_key { Ok(text.trim().to_owned()) } else { Err("a key has 1 to 150 printable characters".to_owned()) }
}

/// A variable of the environment, unless it is empty.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The event of this job.
pub(super) fn event() -> Result<Event, Failure> {
    let payload = match variable("GITHUB_EVENT_PATH") {
        None => None,
        Some(path) => Some(
            std::fs::read_to_string(&path)
                .map_err(|error| Failure::Usage(format!("GITHUB_EVENT_PATH={path} cannot be read: {error}")))?,
        ),
    };
    Event::parse(variable, payload.as_deref()).map_err(|unknown| Failure::Usage(unknown.to_string()))
}

/// Runs what talks to GitHub.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("no runtime: {error}")))?;
    Ok(runtime.block_on(work))
}

pub(super) fn publish(args: &PublishArgs) -> Result<ExitCode, Failure> {
    let event = event()?;
    let dry = match args.dry_run {
        true => Some(
            DryRun::new(&args.from.join("publish"))
                .map_err(|error| Failure::Write { path: args.from.join("publish").display().to_string(), error })?,
        ),
        false => None,
    };
    let files = Files { directory: args.dry_run.then(|| args.from.join("publish")) };
    let access = Access::parse(variable).map_err(|trouble| Failure::Usage(trouble.to_string()))?;
    let has_token = access.token.is_some() || args.dry_run;
    block_on(async {
        let client = Client::new(access, event.repository.clone(), args.deadline, dry)
            .map_err(|trouble| Failure::Usage(trouble.to_string()))?;
        let publication = Publication { args, event, client, has_token, files };
        if args.start { publication.start().await } else { publication.publish().await }
    })?
}

/// Everything that publishing goes by.
struct Publication<'a> {
    args: &'a PublishArgs,
    event: Event,
    client: Client,
    has_token: bool,
    files: Files,
}

/// What a run left, and what is known of it here.
struct Told {
    results: Result<Results, String>,
    frame: Frame,
    key: String,
    number: Option<u64>,
}

/// What was lost on the way, channel by channel.
#[derive(Default)]
struct Lost {
    /// Channel and the permission that it lacks, and GitHub's words.
    missing: Vec<(&'static str, &'static str, String)>,
    unreachable: Vec<String>,
}

impl Publication<'_> {
    async fn start(&self) -> Result<ExitCode, Failure> {
        let key = self.args.comment_key.clone().unwrap_or_else(|| key_of_config(&self.args.config));
        let head = self.event.head.clone().ok_or_else(no_head)?;
        if !self.has_token {
            return Err(no_token());
        }
        let mut lost = Lost::default();
        if self.args.check {
            let identity = Identity::new(&key, head, self.event.run);
            let done = publish::start_check(&self.client, &identity, self.run_url().as_deref()).await;
            lost.note("the check run", "checks: write", done.map(|_| ()));
        }
        Ok(self.end(&lost, ExitCode::Passed))
    }

    async fn publish(&self) -> Result<ExitCode, Failure> {
        let mut lost = Lost::default();
        let results = intake::read(&self.args.from);
        let told = match self.told(results).await {
            Ok(Ok(told)) => told,
            Ok(Err(refused)) => {
                self.say("notice", &format!("nothing was published: {refused}"));
                return Ok(ExitCode::Passed);
            }
            Err(trouble) => {
                let why = format!("GitHub could not be asked what the results are to be judged by: {trouble}");
                console::error(&why);
                self.tell_the_job(&self.untold(Err(why)))?;
                return Ok(ExitCode::Unreachable);
            }
        };
        self.tell_the_job(&told)?;
        if self.has_token {
            if self.args.check {
                let head = self.event.head.clone().ok_or_else(no_head)?;
                let done = self.finish_check(&told, head).await;
                lost.note("the check run", "checks: write", done.map(|_| ()));
            }
            if let Some(number) = told.number.filter(|_| self.args.comment != CommentWhen::Never) {
                match self.comment(&told, number).await {
                    Ok(done) => {
                        let word = match done {
                            Done::Created => "written",
                            Done::Updated => "updated",
                            Done::Unchanged => "left as it is",
                            Done::NotWorth => "not needed",
                        };
                        console::note(&format!("comment on #{number}: {word}"));
                    }
                    Err(trouble) => lost.note("the comment", "pull-requests: write", Err(trouble)),
                }
            }
        }
        let code = match &told.results {
            Ok(_) => ExitCode::Passed,
            Err(why) => {
                console::error(why);
                ExitCode::Invalid
            }
        };
        let code = self.end(&lost, code);
        if self.has_token { Ok(code) } else { Err(no_token()) }
    }

    /// What a run left, as it left it.
    fn untold(&self, results: Result<Results, String>) -> Told {
        let key = self.args.comment_key.clone().unwrap_or_else(|| match &results {
            Ok(results) => format!("{}{}", results.run.prefix, results.run.config),
            Err(_) => key_of_config(&self.args.config),
        });
        let origin = outcome::origin_note(&self.event, None);
        let frame = Frame { origin, artifact: self.args.artifact_url.clone() };
        Told { results, frame, key, number: self.event.pull_request }
    }

    /// What there is to tell, or why nothing is to be told; of what others measured, judged anew.
    async fn told(&self, results: Result<Results, String>) -> Result<Result<Told, String>, Trouble> {
        let mut told = self.untold(results);
        if let Ok(results) = &mut told.results {
            // Of addresses only our own are believed.
            results.run.url = self.run_url();
        }
        let untrusted = matches!(self.event.kind, Kind::WorkflowRun | Kind::PullRequestTarget);
        let Some(head) = self.event.head.clone().filter(|_| untrusted) else { return Ok(Ok(told)) };
        if !self.has_token {
            told.results = Err("results of others are judged anew, and that needs a token".to_owned());
            return Ok(Ok(told));
        }
        let pull = if self.event.kind == Kind::WorkflowRun {
            match publish::pull_of_run(&self.client, &self.event, &head).await? {
                Ok(pull) => pull,
                Err(refused) => return Ok(Err(refused)),
            }
        } else {
            let base_branch = self.event.base_branch.clone().unwrap_or_default();
            Pull { number: self.event.pull_request.unwrap_or_default(), base_branch, merge: None }
        };
        told.number = Some(pull.number);
        if let Ok(results) = told.results {
            told.results = match self.judged_anew(results, &pull, &head).await {
                Ok((results, base)) => {
                    told.frame.origin = outcome::origin_note(&self.event, base.as_deref());
                    Ok(results)
                }
                Err(store::Failed::Mistakes(mistakes)) => Err(format!("the results cannot be judged: {mistakes}")),
                Err(store::Failed::Trouble(trouble)) => return Err(trouble),
            };
        }
        Ok(Ok(told))
    }

    /// Compares and judges with what the base has.
    async fn judged_anew(
        &self,
        results: Results,
        pull: &Pull,
        head: &HeadSha,
    ) -> Result<(Results, Option<String>), store::Failed> {
        let prefix = results.run.prefix.clone();
        let config = format!("{prefix}{}", results.run.config);
        let (branch, path) = own_baseline_section(None);
        let branch = if pull.base_branch.is_empty() { branch } else { pull.base_branch.clone() };
        let mut wanted = store::Wanted {
            onto: branch.clone(),
            branch,
            path: normal(&format!("{prefix}{path}")),
            config: config.clone(),
            prefix: prefix.clone(),
            named: false,
            commit: pull.merge.clone().unwrap_or_else(|| head.0.clone()),
            may_be_merge: pull.merge.is_some(),
        };
        // Its own word where the baseline is counts only as far as the base says the same.
        let base = store::base(&self.client, &wanted, &wanted.onto).await?;
        let text = match &base {
            Some(base) => store::file_at(&self.client, &config, base.as_str()).await?,
            None => None,
        };
        let section = own_baseline_section(text.as_deref());
        (wanted.branch, wanted.path) = (section.0, normal(&format!("{prefix}{}", section.1)));
        let mut fetched = store::find(&self.client, &wanted).await?;
        if text.is_none() {
            // Nothing here says what it is held to, so it does not pass by its own word.
            fetched.found = Where::Nowhere(format!("no baseline: what it goes onto has no {config}"));
            fetched.baseline = None;
        }
        let own = store::file_at(&self.client, &wanted.path, head.0.as_str()).await?;
        let own = own.and_then(|text| Baseline::parse(&wanted.path, text).ok());
        let mut located = located(fetched, own);
        located.circumstances.today = today();
        located.circumstances.filtered = results.run.filtered;
        located.circumstances.interrupted = results.gate.verdict == crate::model::Verdict::Interrupted;
        let of_base = text.map(|text| suites_of(&config, &text)).transpose()?.unwrap_or_default();
        let base = located.reference.as_ref().and_then(|reference| reference.info.base.clone());
        let results = github::rejudge(results, &of_base, located.reference.as_ref(), &located.circumstances);
        Ok((results, base))
    }

    /// The channels that need no token.
    fn tell_the_job(&self, told: &Told) -> Result<(), Failure> {
        let results = told.results.as_ref().ok();
        let random = std::hash::RandomState::new().build_hasher().finish();
        let outputs = outcome::outputs(results, &self.args.from.display().to_string());
        let lines = outcome::output_lines(&outputs, &format!("evalratchet-{random:016x}"));
        self.files.append("GITHUB_OUTPUT", "outputs.txt", &lines);
        if self.args.summary {
            let room = (1 << 20) - 4096 - self.files.size("GITHUB_STEP_SUMMARY");
            let budget = SUMMARY_BUDGET.min(usize::try_from(room.max(0)).unwrap_or(0));
            let text = match &told.results {
                Ok(results) => report::summary(results, &told.frame, budget)
                    .map_err(|error| Failure::Usage(format!("the summary cannot be made: {error:#}")))?,
                Err(why) => outcome::nothing(why),
            };
            if text.len() <= budget {
                self.files.append("GITHUB_STEP_SUMMARY", "summary.md", &format!("{text}\n"));
            }
        }
        if self.args.annotations {
            let text = match &told.results {
                Ok(results) => report::annotations(results),
                Err(why) => format!("::error title=evalratchet::{}\n", report::data(why)),
            };
            match &self.files.directory {
                Some(directory) => Files::write(&directory.join("annotations.txt"), &text),
                None => console::print(&text),
            }
        }
        Ok(())
    }

    async fn finish_check(&self, told: &Told, head: HeadSha) -> Result<Done, Trouble> {
        let report = match &told.results {
            Ok(results) => {
                let summary = report::comment(results, &told.frame, check::SUMMARY)
                    .map_err(|error| Trouble::Unreachable(format!("{error:#}")))?;
                let report = outcome::check_report(results, &self.event, summary);
                if self.args.annotations { report } else { Report { annotations: Vec::new(), ..report } }
            }
            Err(why) => outcome::nothing_report(why),
        };
        let identity = Identity::new(&told.key, head, self.event.run);
        publish::finish_check(&self.client, &identity, &report, self.run_url().as_deref()).await
    }

    async fn comment(&self, told: &Told, number: u64) -> Result<Done, Trouble> {
        let head = self.event.head.as_ref().map(|head| head.0.to_string()).unwrap_or_default();
        let marker = Marker { key: told.key.clone(), run: self.event.run, head };
        let worth_creating = self.args.comment.is_met(told.results.as_ref().ok());
        // The marker has its room as well.
        publish::comment(&self.client, number, COMMENT_BUDGET - 1000, |budget| {
            let content = match &told.results {
                Ok(results) => report::comment(results, &told.frame, budget).map_err(|error| format!("{error:#}"))?,
                Err(why) => outcome::nothing(why),
            };
            Ok(Desired { marker: marker.clone(), content, worth_creating })
        })
        .await
    }

    /// Says what was lost, and turns it into an exit code.
    fn end(&self, lost: &Lost, code: ExitCode) -> ExitCode {
        if !lost.missing.is_empty() {
            self.say("notice", &lost.sentence(&self.event));
        }
        for why in &lost.unreachable {
            console::error(why);
        }
        if lost.unreachable.is_empty() { code } else { code.or(ExitCode::Unreachable) }
    }

    /// Says something where a user of GitHub sees it.
    fn say(&self, level: &str, text: &str) {
        if variable("GITHUB_ACTIONS").is_some() && !self.args.dry_run {
            console::print(&format!("::{level} title=evalratchet::{}\n", report::data(text)));
        } else {
            console::note(text);
        }
    }

    fn run_url(&self) -> Option<String> {
        let server = variable("GITHUB_SERVER_URL").unwrap_or_else(|| "https://github.com".to_owned());
        let id = self.event.run.id;
        (id > 0).then(|| format!("{server}/{}/actions/runs/{id}", self.event.repository))
    }
}

impl Lost {
    fn note(&mut self, channel: &'static str, permission: &'static str, done: Result<(), Trouble>) {
        match done {
            Ok(()) => {}
            Err(Trouble::Refused(why) | Trouble::NotFound(why)) => self.missing.push((channel, permission, why)),
            Err(
                trouble @ (Trouble::Unauthorized(_)
                | Trouble::Rejected { .. }
                | Trouble::Graphql { .. }
                | Trouble::Unreachable(_)
                | Trouble::Uncertain(_)),
            ) => self.unreachable.push(format!("{channel} could not be published: {trouble}")),
        }
    }

    /// What is missing, and the lines that give it.
    fn sentence(&self, event: &Event) -> String {
        let channels: Vec<&str> = self.missing.iter().map(|(channel, _, _)| *channel).collect();
        let lines: String = self.missing.iter().map(|(_, permission, _)| format!("\n  {permission}")).collect();
        let said = self.missing.first().map(|(_, _, why)| why.as_str()).unwrap_or_default();
        let what = format!("{} could not be published: the token may not ({said})", channels.join(" and "));
        let read_only = event.kind == Kind::PullRequest && (event.is_fork() || event.dependabot);
        if read_only {
            let who = if event.is_fork() { "a fork" } else { "Dependabot" };
            return format!(
                "{what}. The token of a pull request from {who} is read-only, whatever `permissions:` says; let a workflow_run workflow publish, as docs/publishing.md shows"
            );
        }
        format!("{what}. Give the job:\npermissions:\n  contents: read{lines}")
    }
}

/// The files that GitHub gives a step, or those of a dry run.
struct Files {
    directory: Option<PathBuf>,
}

impl Files {
    fn append(&self, name: &str, dry: &str, text: &str) {
        if let Some(directory) = &self.directory {
            return Self::write(&directory.join(dry), text);
        }
        let Some(path) = variable(name) else { return };
        let appended = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        if let Err(error) = appended {
            console::error(&format!("{name}={path} cannot be written: {error}"));
        }
    }

    fn size(&self, name: &str) -> i64 {
        let path = variable(name).filter(|_| self.directory.is_none());
        let size = path.and_then(|path| std::fs::metadata(path).ok()).map_or(0, |about| about.len());
        i64::try_from(size).unwrap_or(i64::MAX)
    }

    fn write(path: &Path, text: &str) {
        if let Err(error) = write_atomically(path, text.as_bytes()) {
            console::error(&format!("{} cannot be written: {error}", path.display()));
        }
    }
}

/// The configuration's path in the repository, as far as it can be told.
fn key_of_config(config: &ConfigArgs) -> String {
    let Ok(path) = config_path(config) else { return CONFIG_NAME.to_owned() };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    format!("{}{name}", Checkout::of(&directory, "").prefix)
}

/// What a configuration holds its suites to. What is wrong with its files does not matter here.
fn suites_of(shown: &str, text: &str) -> Result<BTreeMap<SuiteId, SuiteSettings>, Mistakes> {
    let wrong = |error: std::io::Error| Mistake::in_file(shown, format!("cannot be looked at: {error}"));
    let directory = tempfile::tempdir().map_err(wrong)?;
    let path = directory.path().join(CONFIG_NAME);
    std::fs::write(&path, text).map_err(wrong)?;
    let (settings, _) = Settings::load(&path, &Overrides::default())?;
    Ok(settings.suites.into_iter().map(|suite| (suite.id.clone(), suite)).collect())
}

fn no_head() -> Failure {
    Failure::Usage("this event has no commit that a check could belong to".to_owned())
}

fn no_token() -> Failure {
    let help = "give the step `env: GITHUB_TOKEN: ${{ github.token }}`";
    Failure::Usage(format!("GITHUB_TOKEN is not set, so nothing can be published\n  = {help}"))
}
