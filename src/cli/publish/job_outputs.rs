//! The outputs, the summary and the annotations of a job, and which other channels failed.
#![expect(clippy::disallowed_methods, reason = "edge: GitHub's files")]

use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::Publisher;
use super::publication::Publication;
use crate::ci::{Event, EventKind, JobFile};
use crate::cli::{Failure, console};
use crate::github::{GithubError, outcome};
use crate::input::write_atomically;

impl Publisher<'_> {
    /// The outputs and the summary, which need no token.
    pub(super) fn write_job_outputs(&self, publication: &Publication) -> Result<(), Failure> {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let directory = self.args.from.display().to_string();
        let outputs = outcome::outputs(publication.results.as_ref().ok(), publication.outputs_instead(), &directory);
        let lines = outcome::output_lines(&outputs, &format!("evalratchet-{random:016x}"));
        self.files.append(self.ci.outputs.as_ref(), "outputs.txt", &lines);
        if self.args.summary && !publication.is_cancelled() {
            let room = (1 << 20) - 4096 - self.files.size(self.ci.summary.as_ref());
            let budget = usize::try_from(room.max(0)).unwrap_or(0);
            let text = publication
                .summary(budget)
                .map_err(|error| Failure::Usage(format!("the summary cannot be made: {error:#}")))?;
            if text.len() <= budget {
                self.files.append(self.ci.summary.as_ref(), "summary.md", &format!("{text}\n"));
            }
        }
        Ok(())
    }

    /// The annotations as commands in the log, unless a check run shows them.
    pub(super) fn print_annotations(&self, publication: &Publication, shown: bool) {
        if !self.args.annotations || publication.is_cancelled() {
            return;
        }
        let text = if shown { String::new() } else { publication.workflow_commands() };
        match &self.files.dry_run {
            Some(directory) => Files::write(&directory.join("annotations.txt"), &text),
            None => console::print(&text),
        }
    }
}

/// What was lost on the way, channel by channel.
#[derive(Default)]
pub(super) struct ChannelFailures {
    /// Channel and the permission that it lacks, and GitHub's words.
    pub(super) missing: Vec<(&'static str, &'static str, String)>,
    pub(super) unreachable: Vec<String>,
}

impl ChannelFailures {
    pub(super) fn note(&mut self, channel: &'static str, permission: &'static str, done: Result<(), GithubError>) {
        match done {
            Ok(()) => {}
            Err(GithubError::Refused(why) | GithubError::NotFound(why)) => {
                self.missing.push((channel, permission, why))
            }
            Err(
                error @ (GithubError::Unauthorized(_)
                | GithubError::Rejected { .. }
                | GithubError::Graphql { .. }
                | GithubError::Unreachable(_)
                | GithubError::Uncertain(_)),
            ) => self.unreachable.push(format!("{channel} could not be published: {error}")),
        }
    }

    /// What is missing, and the lines that give it.
    pub(super) fn sentence(&self, event: &Event) -> String {
        let channels: Vec<&str> = self.missing.iter().map(|(channel, _, _)| *channel).collect();
        let lacking: Vec<&str> = self.missing.iter().map(|(_, permission, _)| *permission).collect();
        let said = self.missing.first().map(|(_, _, why)| why.as_str()).unwrap_or_default();
        let what = format!(
            "{} could not be published: the token lacks {}, or it is not there ({said})",
            channels.join(" and "),
            lacking.join(" and ")
        );
        // Dependabot's token is read-only, too, but `permissions:` raises it.
        if event.kind == EventKind::PullRequest && event.is_fork() {
            return format!(
                "{what}. The token of a pull request from a fork is read-only, whatever `permissions:` says; let a workflow_run workflow publish, as docs/publishing.md shows"
            );
        }
        // What downloads the results of the other run needs its permission, too.
        let actions = if event.kind == EventKind::WorkflowRun { "\n  actions: read" } else { "" };
        format!(
            "{what}. Give the job:\npermissions:{actions}\n  contents: read\n  checks: write\n  pull-requests: write"
        )
    }
}

/// Writes the files that the host gives a step, or those of a dry run.
pub(super) struct Files {
    /// The directory of the dry run, if this is one.
    pub(super) dry_run: Option<PathBuf>,
}

impl Files {
    fn append(&self, file: Option<&JobFile>, dry: &str, text: &str) {
        if let Some(directory) = &self.dry_run {
            return Self::write(&directory.join(dry), text);
        }
        let Some(JobFile { variable, path }) = file else { return };
        let appended = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .and_then(|mut file| file.write_all(text.as_bytes()));
        if let Err(error) = appended {
            console::error(&format!("{variable}={} cannot be written: {error}", path.display()));
        }
    }

    fn size(&self, file: Option<&JobFile>) -> i64 {
        let file = file.filter(|_| self.dry_run.is_none());
        let size = file.and_then(|file| std::fs::metadata(&file.path).ok()).map_or(0, |about| about.len());
        i64::try_from(size).unwrap_or(i64::MAX)
    }

    fn write(path: &Path, text: &str) {
        if let Err(error) = write_atomically(path, text.as_bytes()) {
            console::error(&format!("{} cannot be written: {error}", path.display()));
        }
    }
}
