//! What there is to tell: what a run left, and of what others measured, judged again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::remote::TREND;
use super::Publisher;
use crate::baseline::{
    self, Baseline, BaselineLookup, BaselineQuery, Blessing, BlessingFile, CommitHistory as _, FetchedBaseline,
    HistoryPlace, LookupError, PullRequestCommits, blessings_folder, normal,
};
use crate::ci::{Event, EventKind, HeadSha};
use crate::cli::reference::{located, today};
use crate::cli::{ConfigArgs, config_path, main_keys};
use crate::github::check::{self, CheckReport};
use crate::github::comment::RowVerdict;
use crate::github::intake::{self, IntakeError, Left, Whose};
use crate::github::publish::{self, PullRequest, PullRequestError};
use crate::github::{self, GithubError, MainKeys, Suites, blessing_files, outcome};
use crate::input::{InputError, InputErrors};
use crate::model::{ExitCode, Sha};
use crate::report::{self, COMMENT_BUDGET, Frame, SUMMARY_BUDGET, VerdictSummary};
use crate::repository::{Checkout, Git};
use crate::results::{Mistakes, Results, Verdict};
use crate::settings::{BaselineLocation, CONFIG_NAME, Config, Overrides, Settings, baseline_section};

/// Why there are no results to publish.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoResults {
    /// The run could not begin, and says why.
    #[error("{}", report::mistakes_line(.0))]
    Invalid(Box<Mistakes>),
    /// The job was cancelled before it had a verdict.
    #[error("the job was cancelled")]
    Cancelled,
    #[error("the results are those of {found:?}, and {expected:?} is expected; --config names another")]
    OtherConfiguration { found: String, expected: String },
    #[error("{0}")]
    Intake(#[from] IntakeError),
    #[error("results of others are judged again, and that needs a token")]
    NoToken,
    #[error("the results cannot be judged: {0}")]
    NotJudged(InputErrors),
    #[error(
        "the results are of {}, and this event is about {}\n  = remove the results directory before `run`, and publish what the run of this event left",
        commit.short(),
        about.short()
    )]
    OtherCommit { commit: Sha, about: Sha },
    #[error(
        "the results do not say of which commit they are, and this event is about {}\n  = run `evalratchet run` where git can read the repository",
        about.short()
    )]
    NoCommit { about: Sha },
    #[error("{0}")]
    Refused(String),
    #[error("GitHub could not be asked what the results are to be judged by: {0}")]
    Unreachable(GithubError),
}

/// Why nothing is published.
#[derive(Debug, thiserror::Error)]
pub(super) enum PublicationError {
    #[error("{0}")]
    Github(#[from] GithubError),
    #[error("{0}")]
    PullRequest(PullRequestError),
    #[error("the base has no configuration `{0}` to judge by")]
    NoConfiguration(String),
}

impl From<PullRequestError> for PublicationError {
    fn from(error: PullRequestError) -> Self {
        match error {
            PullRequestError::Github(error) => Self::Github(error),
            PullRequestError::ForkGone
            | PullRequestError::NoBranch
            | PullRequestError::Several(_)
            | PullRequestError::Moved { .. }
            | PullRequestError::NotOpen(_) => Self::PullRequest(error),
        }
    }
}

/// What a run left, and what is known of it here.
pub(super) struct Publication {
    pub(super) results: Result<Results, NoResults>,
    pub(super) frame: Frame,
    /// The path of the configuration, or what the user calls this.
    pub(super) key: String,
    pub(super) number: Option<u64>,
    /// Where the files of the commit can be seen.
    pub(super) files: Option<String>,
}

impl Publication {
    /// Whether there is no verdict because somebody stopped the job. What was said before stays then.
    pub(super) fn is_cancelled(&self) -> bool {
        match &self.results {
            Ok(results) => results.gate.verdict == Verdict::Interrupted,
            Err(why) => matches!(why, NoResults::Cancelled),
        }
    }

    /// The Markdown for the comment and the check.
    pub(super) fn comment(&self, budget: usize) -> Result<String, minijinja::Error> {
        match &self.results {
            Ok(results) => self.frame.comment(results, budget),
            Err(why) => Ok(self.instead(why, budget)),
        }
    }

    /// The Markdown for the page of the job.
    pub(super) fn summary(&self, budget: usize) -> Result<String, minijinja::Error> {
        match &self.results {
            Ok(results) => self.frame.summary(results, budget),
            Err(why) => Ok(self.instead(why, budget.min(SUMMARY_BUDGET))),
        }
    }

    fn instead(&self, why: &NoResults, budget: usize) -> String {
        match why {
            NoResults::Invalid(mistakes) => {
                let text = report::mistakes_comment(mistakes, self.files.as_deref(), budget.min(COMMENT_BUDGET));
                self.frame.around(&text)
            }
            NoResults::Cancelled
            | NoResults::OtherConfiguration { .. }
            | NoResults::Intake(_)
            | NoResults::NoToken
            | NoResults::NotJudged(_)
            | NoResults::OtherCommit { .. }
            | NoResults::NoCommit { .. }
            | NoResults::Refused(_)
            | NoResults::Unreachable(_) => outcome::nothing(&why.to_string()),
        }
    }

    /// What the check run says.
    pub(super) fn check(&self, event: &Event) -> Result<CheckReport, minijinja::Error> {
        Ok(match &self.results {
            Ok(_) if self.is_cancelled() => outcome::cancelled_report(),
            Ok(results) => outcome::check_report(results, event, self.comment(check::SUMMARY)?),
            Err(NoResults::Invalid(mistakes)) => outcome::invalid_report(mistakes, self.comment(check::SUMMARY)?),
            Err(NoResults::Cancelled) => outcome::cancelled_report(),
            Err(why) => outcome::nothing_report(&why.to_string()),
        })
    }

    /// The verdict and the line of the row in the comment.
    pub(super) fn row(&self) -> (RowVerdict, String) {
        match &self.results {
            Ok(results) => {
                let line = VerdictSummary::of(results).rest();
                (outcome::row_verdict(results.gate.verdict), line)
            }
            Err(why @ NoResults::Invalid(_)) => (RowVerdict::Invalid, why.to_string()),
            Err(why) => (RowVerdict::Broken, why.to_string()),
        }
    }

    /// The outputs `verdict` and `exit-code` where there are no results.
    pub(super) fn outputs_instead(&self) -> (&'static str, ExitCode) {
        match &self.results {
            Err(NoResults::Invalid(_)) => ("invalid", ExitCode::Invalid),
            Err(NoResults::Cancelled) => ("interrupted", ExitCode::Interrupted),
            Ok(_) | Err(_) => ("broken", ExitCode::Broken),
        }
    }

    pub(super) fn workflow_commands(&self) -> String {
        match &self.results {
            Ok(results) => report::annotations(results),
            Err(NoResults::Invalid(mistakes)) => report::workflow_commands(&report::mistake_annotations(mistakes)),
            Err(why) => format!("::error title=evalratchet::{}\n", report::data(&why.to_string())),
        }
    }
}

impl Publisher<'_> {
    /// Whether the results are somebody else's, brought into a job that may write.
    pub(super) fn is_foreign(&self) -> bool {
        match self.event.kind {
            EventKind::WorkflowRun | EventKind::PullRequestTarget => true,
            // There the job has a token that can write, whoever the commits are of.
            EventKind::IssueComment | EventKind::WorkflowDispatch => self.args.judge_again || self.event.is_fork(),
            EventKind::PullRequest
            | EventKind::Push
            | EventKind::MergeGroup
            | EventKind::Release
            | EventKind::Schedule
            | EventKind::Other(_) => self.args.judge_again,
        }
    }

    /// What the directory of the run has.
    pub(super) fn left(&self) -> Result<Results, NoResults> {
        let whose = if self.is_foreign() { Whose::Foreign } else { Whose::Own };
        match intake::read(&self.args.from, whose, self.args.digest.as_deref()) {
            Ok(Left::Results(results)) => Ok(*results),
            Ok(Left::Mistakes(mistakes)) => Err(NoResults::Invalid(Box::new(mistakes))),
            // A job that was cancelled need not have come to its results.
            Err(IntakeError::Missing(_)) if self.args.cancelled => Err(NoResults::Cancelled),
            Err(error) => Err(error.into()),
        }
    }

    /// What a run left, as it left it.
    pub(super) fn unjudged(&self, results: Result<Results, NoResults>) -> Publication {
        let key = self.args.comment_key.clone().unwrap_or_else(|| match &results {
            Ok(results) => format!("{}{}", results.run.prefix, results.run.config),
            Err(_) => key_of_config(&self.args.config),
        });
        let origin = outcome::origin_note(&self.event, false, None);
        let head = self.event.head.as_ref().map(|head| head.0.clone());
        let files = head.as_ref().map(|head| format!("{}/{}/blob/{head}", self.event.server, self.event.repository));
        let frame = Frame { origin, artifact: self.args.artifact_url.clone(), head };
        Publication { results, frame, key, number: self.event.pull_request, files }
    }

    /// What is published. What others measured is judged again.
    pub(super) async fn publication(
        &self,
        results: Result<Results, NoResults>,
    ) -> Result<Publication, PublicationError> {
        let mut publication = self.unjudged(results);
        if let Ok(results) = &mut publication.results {
            // Of addresses only our own are believed.
            results.run.url = self.event.run_url.clone();
        }
        let Some(head) = self.event.head.clone().filter(|_| self.is_foreign()) else {
            publication.results = self.of_this_commit(publication.results, None).await?;
            return Ok(publication);
        };
        let expected = key_of_config(&self.args.config);
        if let Err(other) = self.check_configuration(&publication, &expected) {
            publication.key = self.args.comment_key.clone().unwrap_or_else(|| expected.clone());
            publication.results = Err(other);
        }
        if !self.has_token {
            publication.results = Err(NoResults::NoToken);
            return Ok(publication);
        }
        let pull = match self.event.kind {
            EventKind::WorkflowRun => publish::pull_of_run(&self.client, &self.event, &head).await?,
            EventKind::PullRequest
            | EventKind::PullRequestTarget
            | EventKind::Push
            | EventKind::MergeGroup
            | EventKind::Release
            | EventKind::Schedule
            | EventKind::WorkflowDispatch
            | EventKind::IssueComment
            | EventKind::Other(_) => self.pull_of_event(&head).await?,
        };
        publication.number = Some(pull.number).filter(|number| *number > 0);
        publication.results = self.of_this_commit(publication.results, pull.merge.as_ref()).await?;
        if let Ok(results) = publication.results {
            publication.results = match self.judged_again(results, &pull, &head).await {
                Ok(Some((results, base))) => {
                    publication.frame.origin = outcome::origin_note(&self.event, true, base.as_ref());
                    Ok(results)
                }
                // A name that only the results know suppresses nothing.
                Ok(None) if publication.key != expected && self.args.comment_key.is_none() => {
                    let found = std::mem::replace(&mut publication.key, expected.clone());
                    Err(NoResults::OtherConfiguration { found, expected })
                }
                Ok(None) => return Err(PublicationError::NoConfiguration(publication.key)),
                Err(LookupError::Invalid(errors)) => Err(NoResults::NotJudged(errors)),
                Err(LookupError::History(error)) => return Err(error.into()),
            };
        }
        Ok(publication)
    }

    /// The pull request that the event names, with the commit that GitHub made of it and its base.
    async fn pull_of_event(&self, head: &HeadSha) -> Result<PullRequest, GithubError> {
        let merge = match self.merge.clone().or_else(|| self.event.checked_out.clone()) {
            Some(merge) if self.event.kind != EventKind::PullRequestTarget && !self.client.is_dry() => {
                publish::merged(&self.client, merge, head).await?
            }
            Some(_) | None => None,
        };
        let base_branch = self.event.target_branch().unwrap_or_default();
        Ok(PullRequest { number: self.event.pull_request.unwrap_or_default(), base_branch, merge })
    }

    /// The results, if they are of the commit that the event is about.
    async fn of_this_commit(
        &self,
        results: Result<Results, NoResults>,
        merge: Option<&Sha>,
    ) -> Result<Result<Results, NoResults>, GithubError> {
        let known = match &results {
            Ok(results) => results.run.commit.clone(),
            Err(NoResults::Invalid(mistakes)) => mistakes.commit.clone(),
            Err(_) => return Ok(results),
        };
        let about = match (&self.event.head, &self.event.checked_out) {
            (Some(HeadSha(head)), _) | (None, Some(head)) => head.clone(),
            (None, None) => return Ok(results),
        };
        let Some(commit) = known else {
            // Without a repository nobody knows the commit. Where there is one, the run knew it.
            let has_commit = !self.is_foreign() && self.git().is_some_and(|git| matches!(git.head(), Ok(Some(_))));
            return Ok(if has_commit { Err(NoResults::NoCommit { about }) } else { results });
        };
        if outcome::is_of_event(&commit, &self.event, merge) || self.merges_head(&commit).await? {
            return Ok(results);
        }
        Ok(Err(NoResults::OtherCommit { commit, about }))
    }

    /// Whether a commit brings the head of the pull request onto another commit, as the host's merge commits do.
    async fn merges_head(&self, commit: &Sha) -> Result<bool, GithubError> {
        let is_about_pull_request = self.event.pull_request.is_some() || self.event.kind == EventKind::WorkflowRun;
        let Some(HeadSha(head)) = self.event.head.as_ref().filter(|_| is_about_pull_request) else { return Ok(false) };
        let here = self.git().and_then(|git| git.recorded_parents(commit).ok().flatten());
        let parents = match here {
            Some(parents) => parents,
            None if self.has_token && !self.client.is_dry() => self.client.parents(commit).await?,
            None => Vec::new(),
        };
        Ok(match parents.as_slice() {
            // Where nobody knows its parents, the event's word counts.
            [] => self.event.merge_commit.as_ref() == Some(commit),
            [_, second] => second == head,
            _ => false,
        })
    }

    /// The repository that the job has checked out, if git can read it.
    fn git(&self) -> Option<Git> {
        Git::open(Path::new(".")).ok().flatten()
    }

    /// Whose results these are is not for them to say, where a key or a configuration is named.
    fn check_configuration(&self, publication: &Publication, expected: &str) -> Result<(), NoResults> {
        let found = match &publication.results {
            Ok(results) => format!("{}{}", results.run.prefix, results.run.config),
            Err(_) => return Ok(()),
        };
        let is_named = self.args.comment_key.is_some() || self.args.config.config.is_some();
        if !is_named || expected == found {
            return Ok(());
        }
        Err(NoResults::OtherConfiguration { found, expected: expected.to_owned() })
    }

    /// What a commit blesses. A file that cannot be read blesses nothing.
    async fn blessings_at(&self, folder: &str, commit: &Sha) -> Result<Vec<Blessing>, LookupError<GithubError>> {
        const FILES: usize = 100;
        let files = blessing_files(&self.client, folder, commit).await.map_err(LookupError::History)?;
        let mut blessings = Vec::new();
        for file in files.iter().take(FILES) {
            let text = self.client.file_at(&file.path, commit).await.map_err(LookupError::History)?;
            blessings.extend(text.and_then(|text| BlessingFile::parse(&file.path, text).ok()).unwrap_or_default());
        }
        Ok(blessings)
    }

    /// The cases of the base, from its files.
    async fn main_keys(&self, base: &Sha, config: &str) -> MainKeys {
        let scratch = match tempfile::tempdir() {
            Ok(scratch) => scratch,
            Err(error) => return MainKeys::NotRead(format!("no temporary directory: {error}")),
        };
        let files = scratch.path().join("files");
        if let Err(error) = self.client.files_of(base, &files).await {
            return MainKeys::NotRead(format!("the files of the base could not be read: {error}"));
        }
        match main_keys::load(&files.join(config), &Overrides::default()) {
            Ok(cases) => MainKeys::Read(cases),
            Err(error) => MainKeys::NotRead(error.to_string()),
        }
    }

    /// Compares and judges with what the base has; `None` if it has no such configuration.
    async fn judged_again(
        &self,
        results: Results,
        pull: &PullRequest,
        head: &HeadSha,
    ) -> Result<Option<(Results, Option<Sha>)>, LookupError<GithubError>> {
        let prefix = results.run.prefix.clone();
        let config = format!("{prefix}{}", results.run.config);
        let own = BaselineLocation::default();
        let branch = if pull.base_branch.is_empty() { own.branch.clone() } else { pull.base_branch.clone() };
        let base = self.event.base.clone().map(|base| base.0);
        let mut query = BaselineQuery {
            head: pull.merge.clone().unwrap_or_else(|| head.0.clone()),
            pull_request: Some(PullRequestCommits { head: head.0.clone(), base }),
            onto: Some(branch.clone()),
            named: None,
            own,
            default_branch: self.event.default_branch.clone(),
            config: config.clone(),
            prefix: prefix.clone(),
            section_of: baseline_section,
            trend: TREND,
        };
        let file_at =
            async |path: &str, commit: &Sha| self.client.file_at(path, commit).await.map_err(LookupError::History);
        // Its own word where the baseline is counts only as far as the base says the same.
        let base = baseline::base(&self.client, &query, &branch).await.map_err(LookupError::History)?;
        let text = match &base {
            Some(base) => file_at(&config, base).await?,
            None => None,
        };
        let Some(text) = text else { return Ok(None) };
        query.own = baseline_section(&text).unwrap_or_default();
        let path = normal(&format!("{prefix}{}", query.own.path));
        let lookup = baseline::find(&self.client, &query).await?;
        check_present(&lookup, &config, &path)?;
        // The change as it would be on its base: of a branch that is behind, the head alone has what the base had once. If
        // GitHub could not merge it, the base is the commit that both have in common.
        let change = query.head.clone();
        let own = file_at(&path, &change).await?;
        let own = own.and_then(|text| Baseline::parse(&path, text).ok());
        let fetched = FetchedBaseline::new(lookup, &path, HistoryPlace::GitHub);
        let blessings = self.blessings_at(&blessings_folder(&path), &change).await?;
        let mut located = located(fetched, || Ok::<_, LookupError<GithubError>>((own, blessings)))?;
        located.circumstances.today = today();
        located.circumstances.interrupted = results.gate.verdict == Verdict::Interrupted;
        let of_base = suites_of(&config, &text)?;
        let of_head = file_at(&config, &change).await?;
        let of_head = of_head.and_then(|text| suites_of(&config, &text).ok());
        let base = located.reference.as_ref().and_then(|reference| reference.info.base.clone());
        let (reference, circumstances) = (located.reference.as_ref(), &located.circumstances);
        let main = match &base {
            Some(base) => self.main_keys(base, &config).await,
            // Without a baseline nothing is compared.
            None => MainKeys::Read(HashMap::new()),
        };
        let results = github::rejudge(results, &of_base, of_head.as_ref(), reference, &main, circumstances);
        Ok(Some((results, base)))
    }
}

/// A baseline that the base's configuration requires, or whose branch it names, must be there.
fn check_present(lookup: &BaselineLookup, config: &str, path: &str) -> Result<(), InputErrors> {
    match &lookup.found {
        Err(none) if lookup.required || none.is_uncertain(HistoryPlace::GitHub) => {
            Err(InputError::in_file(config, none.message(path, HistoryPlace::GitHub)).into())
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The configuration's path in the repository, as far as it can be told.
pub(super) fn key_of_config(config: &ConfigArgs) -> String {
    let Ok(path) = config_path(config) else { return CONFIG_NAME.to_owned() };
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) | None => PathBuf::from("."),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // Where git cannot say, the key is the path as it is written.
    let checkout = Checkout::of(&directory, "").unwrap_or_else(|error| {
        tracing::warn!("{error}");
        Checkout::default()
    });
    // Without a checkout the path is what the user wrote.
    if checkout.commit.is_none() && path.is_relative() {
        return normal(&path.to_string_lossy().replace('\\', "/"));
    }
    format!("{}{name}", checkout.prefix)
}

/// What a configuration holds its suites to. Its files are not looked for: it is of another commit.
fn suites_of(shown: &str, text: &str) -> Result<Suites, InputErrors> {
    let (config, _) = Config::parse(Path::new(shown), text.to_owned())
        .map_err(|_| InputError::in_file(shown, "cannot be read as a configuration"))?;
    let (settings, _) = Settings::validate(&config, &Overrides::default());
    let suites: Suites = settings.suites.into_iter().map(|suite| (suite.id.clone(), suite)).collect();
    if suites.is_empty() {
        return Err(InputError::in_file(shown, "has no suite that could be read").into());
    }
    Ok(suites)
}
