//! `publish`: tells GitHub what a run found.

mod job_outputs;
mod publication;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use job_outputs::{ChannelFailures, Files};
use publication::{NoResults, Publication, PublicationError, key_of_config};

use super::arguments::comment_key;
use super::{ConfigArgs, Failure, block_on, console};
use crate::ci::{self, CiContext, Event, EventKind, HeadSha, JobName};
use crate::github::check::{CheckIdentity, CheckReport};
use crate::github::comment::{self, DesiredComment, Row};
use crate::github::outcome::CommentWhen;
use crate::github::publish::{self, Annotated, PublishOutcome};
use crate::github::{Access, Client, DryRun, GithubError};
use crate::model::{ExitCode, Sha};
use crate::report::{self, COMMENT_BUDGET};
use crate::settings::parse_duration;

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
    #[arg(long, value_name = "KEY", value_parser = comment_key)]
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
    /// The SHA-256 that `run` printed; results with another one are not published
    #[arg(long, value_name = "HEX")]
    digest: Option<String>,
    /// Judge the results again with the base's configuration and baseline, as is done for forks
    #[arg(long)]
    judge_again: bool,
    /// The pull request that this is about, where the event names none
    #[arg(long, value_name = "NUMBER")]
    pull_request: Option<u64>,
    /// Which job of the run this is, if several publish [default: GITHUB_JOB and the matrix]
    #[arg(long, value_name = "NAME")]
    job: Option<String>,
    /// The job was cancelled: close the check, and leave the comment as it is
    #[arg(long)]
    cancelled: bool,
    /// Send nothing; write what would be sent to files in DIR/publish
    #[arg(long)]
    dry_run: bool,
    /// How long all of it may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "3m")]
    deadline: Duration,
}

/// How much of a comment the first job of a matrix takes.
const SHARED_BUDGET: usize = 30_000;
/// How much of a comment a job takes that shares it.
const BRIEF_BUDGET: usize = 12_000;

pub(super) fn publish(args: &PublishArgs, ci: &CiContext) -> Result<ExitCode, Failure> {
    let event = ci.event()?.clone();
    let dry = match args.dry_run {
        true => Some(
            DryRun::new(&args.from.join("publish"))
                .map_err(|error| Failure::Write { path: args.from.join("publish").display().to_string(), error })?,
        ),
        false => None,
    };
    let files = Files { dry_run: args.dry_run.then(|| args.from.join("publish")) };
    let access = Access::new(&ci::api()).map_err(|error| Failure::Usage(error.to_string()))?;
    let has_token = access.token.is_some() || args.dry_run;
    block_on(async {
        let client = Client::new(access, event.repository.clone(), args.deadline, dry)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let mut publisher = Publisher { args, ci, event, client, has_token, files, merge: None };
        if let Some(job) = &args.job {
            publisher.event.job = Some(JobName::new(job, None));
        }
        if let Err(error) = publisher.find_pull_request().await {
            return publisher.could_not_ask(error);
        }
        if args.start { publisher.start().await } else { publisher.publish().await }
    })?
}

/// Everything that publishing goes by.
struct Publisher<'a> {
    args: &'a PublishArgs,
    ci: &'a CiContext,
    event: Event,
    client: Client,
    has_token: bool,
    files: Files,
    /// What GitHub made of the pull request and its base, where that was asked for.
    merge: Option<Sha>,
}

impl Publisher<'_> {
    /// Some events name a pull request at most, and not its commits.
    async fn find_pull_request(&mut self) -> Result<(), GithubError> {
        let named = match self.event.kind {
            EventKind::IssueComment => self.event.pull_request,
            EventKind::PullRequest
            | EventKind::PullRequestTarget
            | EventKind::Push
            | EventKind::MergeGroup
            | EventKind::Release
            | EventKind::Schedule
            | EventKind::WorkflowDispatch
            | EventKind::WorkflowRun
            | EventKind::Other(_) => None,
        };
        let Some(number) = self.args.pull_request.or(named).filter(|_| self.has_token && !self.client.is_dry()) else {
            return Ok(());
        };
        let pull = publish::pull_of_number(&self.client, number).await?;
        self.merge = self.event.is_of_pull_request(&pull);
        Ok(())
    }

    /// What could not be asked is said, and nothing is published anywhere.
    fn could_not_ask(&self, error: GithubError) -> Result<ExitCode, Failure> {
        let mut lost = ChannelFailures::default();
        lost.note("comment and check run", "pull-requests: write", Err(error));
        Ok(self.end(&lost, ExitCode::Passed))
    }

    async fn start(&self) -> Result<ExitCode, Failure> {
        let key = self.args.comment_key.clone().unwrap_or_else(|| key_of_config(&self.args.config));
        let head = self.event.head.clone().ok_or_else(no_head)?;
        if !self.has_token {
            return Err(no_token());
        }
        let mut lost = ChannelFailures::default();
        if self.args.check {
            let identity = CheckIdentity::new(&key, self.event.job.as_ref(), head, self.event.run);
            let done = publish::start_check(&self.client, &identity, self.event.run_url.as_deref()).await;
            lost.note("the check run", "checks: write", done.map(|_| ()));
        }
        Ok(self.end(&lost, ExitCode::Passed))
    }

    async fn publish(&self) -> Result<ExitCode, Failure> {
        let mut lost = ChannelFailures::default();
        if self.is_foreign() && !self.has_token {
            return Err(no_token());
        }
        let publication = match self.publication(self.left()).await {
            Ok(publication) => publication,
            Err(PublicationError::Github(GithubError::Refused(why))) => {
                let refused = self.unjudged(Err(NoResults::Refused(why.clone())));
                self.write_job_outputs(&refused)?;
                self.print_annotations(&refused, false);
                lost.note("comment and check run", "contents: read", Err(GithubError::Refused(why)));
                return Ok(self.end(&lost, ExitCode::Passed));
            }
            Err(PublicationError::Github(error)) => {
                let why = NoResults::Unreachable(error);
                console::error(&why.to_string());
                let unreachable = self.unjudged(Err(why));
                self.write_job_outputs(&unreachable)?;
                self.print_annotations(&unreachable, false);
                return Ok(ExitCode::Unreachable);
            }
            Err(skipped @ (PublicationError::PullRequest(_) | PublicationError::NoConfiguration(_))) => {
                self.say("notice", &format!("nothing was published: {skipped}"));
                return Ok(ExitCode::Passed);
            }
        };
        self.write_job_outputs(&publication)?;
        let mut annotated = false;
        if self.has_token && self.args.check {
            let head = self.event.head.clone().ok_or_else(no_head)?;
            let done = self.finish_check(&publication, head).await;
            annotated = matches!(done, Ok(Annotated(true)));
            lost.note("the check run", "checks: write", done.map(|_| ()));
        }
        // Once is enough: what the check run shows is not said in the log again.
        self.print_annotations(&publication, annotated);
        let number = publication.number.filter(|_| self.has_token && self.args.comment != CommentWhen::Never);
        if let Some(number) = number.filter(|_| !publication.is_cancelled()) {
            match self.comment(&publication, number).await {
                Ok(done) => {
                    let word = match done {
                        PublishOutcome::Created => "written",
                        PublishOutcome::Updated => "updated",
                        PublishOutcome::Unchanged => "left as it is",
                        PublishOutcome::NotWorth => "not needed",
                    };
                    let word = if self.args.dry_run { "see the files" } else { word };
                    console::note(&format!("comment on #{number}: {word}"));
                }
                Err(error) => lost.note("the comment", "pull-requests: write", Err(error)),
            }
        }
        let code = match &publication.results {
            // That nothing could be measured was published, as any other verdict is.
            Ok(_) | Err(NoResults::Invalid(_) | NoResults::Cancelled) => ExitCode::Passed,
            Err(why) => {
                console::error(&why.to_string());
                ExitCode::Invalid
            }
        };
        if let Some(directory) = &self.files.dry_run {
            console::note(&format!("nothing was sent; what would be is in {}", directory.display()));
        }
        let code = self.end(&lost, code);
        if self.has_token { Ok(code) } else { Err(no_token()) }
    }

    async fn finish_check(&self, publication: &Publication, head: HeadSha) -> Result<Annotated, GithubError> {
        let report = publication.check(&self.event).map_err(|error| GithubError::Unreachable(format!("{error:#}")))?;
        let report = if self.args.annotations { report } else { CheckReport { annotations: Vec::new(), ..report } };
        let identity = CheckIdentity::new(&publication.key, self.event.job.as_ref(), head, self.event.run);
        publish::finish_check(&self.client, &identity, &report, self.event.run_url.as_deref()).await
    }

    async fn comment(&self, publication: &Publication, number: u64) -> Result<PublishOutcome, GithubError> {
        let head = self.event.head.as_ref().map(|head| head.0.to_string()).unwrap_or_default();
        let worth_creating = self.args.comment.is_met(publication.results.as_ref().ok());
        let own_key = self.args.comment_key.clone();
        let job = self.event.job.as_ref();
        let owner = comment::RowOwner {
            workflow: self.event.workflow.clone(),
            job: job.map(ToString::to_string).unwrap_or_default(),
            config: publication.key.clone(),
        };
        let (verdict, line) = publication.row();
        let row = Row::new(owner, self.event.run, verdict, &line);
        let rendered =
            |budget: usize| publication.comment(budget).map_err(|error| GithubError::Unreachable(format!("{error:#}")));
        // One job of a matrix has others beside it.
        let largest = if job.is_some_and(|job| !job.matrix.is_empty()) { SHARED_BUDGET } else { COMMENT_BUDGET };
        publish::comment(&self.client, number, largest, |budget| {
            Ok(DesiredComment {
                key: own_key.clone().unwrap_or_else(|| comment::SHARED.to_owned()),
                former_key: own_key.is_none().then(|| publication.key.clone()),
                head: head.clone(),
                row: row.clone(),
                content: rendered(budget)?,
                brief: rendered(budget.min(BRIEF_BUDGET))?,
                worth_creating,
            })
        })
        .await
    }

    /// Says what was lost, and turns it into an exit code.
    fn end(&self, lost: &ChannelFailures, code: ExitCode) -> ExitCode {
        if !lost.missing.is_empty() {
            self.say("notice", &lost.sentence(&self.event));
        }
        for why in &lost.unreachable {
            console::error(why);
        }
        if lost.unreachable.is_empty() { code } else { code.or(ExitCode::Unreachable) }
    }

    /// Says something where a user of the host sees it.
    fn say(&self, level: &str, text: &str) {
        if self.ci.log_commands && !self.args.dry_run {
            console::print(&format!("::{level} title=evalratchet::{}\n", report::data(text)));
        } else {
            console::note(text);
        }
    }
}

fn no_head() -> Failure {
    Failure::Usage("this event has no commit that a check could belong to".to_owned())
}

fn no_token() -> Failure {
    let help = "give the step `env: GITHUB_TOKEN: ${{ github.token }}`";
    Failure::Usage(format!("GITHUB_TOKEN is not set, so there is neither a comment nor a check run\n  = {help}"))
}
