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
use crate::ci::{self, CiContext, Event, HeadSha};
use crate::github::check::{self, CheckIdentity, CheckReport};
use crate::github::comment::{DesiredComment, Marker};
use crate::github::outcome::{self, CommentWhen};
use crate::github::publish::{self, PublishOutcome};
use crate::github::{Access, Client, DryRun, GithubError, intake};
use crate::model::ExitCode;
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
    /// Send nothing; write what would be sent to files in DIR/publish
    #[arg(long)]
    dry_run: bool,
    /// How long all of it may take
    #[arg(long, value_name = "D", value_parser = parse_duration, default_value = "3m")]
    deadline: Duration,
}

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
        let publisher = Publisher { args, ci, event, client, has_token, files };
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
}

impl Publisher<'_> {
    async fn start(&self) -> Result<ExitCode, Failure> {
        let key = self.args.comment_key.clone().unwrap_or_else(|| key_of_config(&self.args.config));
        let head = self.event.head.clone().ok_or_else(no_head)?;
        if !self.has_token {
            return Err(no_token());
        }
        let mut lost = ChannelFailures::default();
        if self.args.check {
            let identity = CheckIdentity::new(&key, head, self.event.run);
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
        let results = intake::read(&self.args.from).map_err(NoResults::from);
        let publication = match self.publication(results).await {
            Ok(publication) => publication,
            Err(PublicationError::Github(GithubError::Refused(why))) => {
                self.write_job_outputs(&self.unjudged(Err(NoResults::Refused(why.clone()))))?;
                lost.note("comment and check run", "contents: read", Err(GithubError::Refused(why)));
                return Ok(self.end(&lost, ExitCode::Passed));
            }
            Err(PublicationError::Github(error)) => {
                let why = NoResults::Unreachable(error);
                console::error(&why.to_string());
                self.write_job_outputs(&self.unjudged(Err(why)))?;
                return Ok(ExitCode::Unreachable);
            }
            Err(
                skipped @ (PublicationError::PullRequest(_)
                | PublicationError::OtherConfiguration { .. }
                | PublicationError::NoConfiguration(_)),
            ) => {
                self.say("notice", &format!("nothing was published: {skipped}"));
                return Ok(ExitCode::Passed);
            }
        };
        self.write_job_outputs(&publication)?;
        if self.has_token {
            if self.args.check {
                let head = self.event.head.clone().ok_or_else(no_head)?;
                let done = self.finish_check(&publication, head).await;
                lost.note("the check run", "checks: write", done.map(|_| ()));
            }
            if let Some(number) = publication.number.filter(|_| self.args.comment != CommentWhen::Never) {
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
        }
        let code = match &publication.results {
            Ok(_) => ExitCode::Passed,
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

    async fn finish_check(&self, publication: &Publication, head: HeadSha) -> Result<PublishOutcome, GithubError> {
        let report = match &publication.results {
            Ok(results) => {
                let summary = publication
                    .frame
                    .comment(results, check::SUMMARY)
                    .map_err(|error| GithubError::Unreachable(format!("{error:#}")))?;
                let report = outcome::check_report(results, &self.event, summary);
                if self.args.annotations { report } else { CheckReport { annotations: Vec::new(), ..report } }
            }
            Err(why) => outcome::nothing_report(&why.to_string()),
        };
        let identity = CheckIdentity::new(&publication.key, head, self.event.run);
        publish::finish_check(&self.client, &identity, &report, self.event.run_url.as_deref()).await
    }

    async fn comment(&self, publication: &Publication, number: u64) -> Result<PublishOutcome, GithubError> {
        let head = self.event.head.as_ref().map(|head| head.0.to_string()).unwrap_or_default();
        let marker = Marker { key: publication.key.clone(), run: self.event.run, head };
        let worth_creating = self.args.comment.is_met(publication.results.as_ref().ok());
        publish::comment(&self.client, number, COMMENT_BUDGET, |budget| {
            let content = match &publication.results {
                Ok(results) => publication
                    .frame
                    .comment(results, budget)
                    .map_err(|error| GithubError::Unreachable(format!("{error:#}")))?,
                Err(why) => outcome::nothing(&why.to_string()),
            };
            Ok(DesiredComment { marker: marker.clone(), content, worth_creating })
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
