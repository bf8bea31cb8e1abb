//! Where a run takes place: the host, the event, base and head, and where the job can say something.
//!
//! The environment is read once, in `environment`, and passed on as a value. A second host is a variant of [`Host`] and a
//! file beside `github`; nobody else reads the variables of a host.

mod environment;
mod event;
mod github;
mod variables;

use std::fmt;
use std::path::{Path, PathBuf};

pub(crate) use environment::{api, context};
pub use event::{BaseSha, Event, EventError, EventKind, HeadSha, JobName, Origin, RepositoryName, RunAttempt};
pub use variables::Variables;

/// Who runs the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    GitHub,
    /// Nobody: a developer's machine, or a host that is not known.
    None,
}

impl Host {
    fn detect(variables: &Variables) -> Self {
        if github::JOB_VARIABLES.iter().any(|name| variables.get(name).is_some()) { Self::GitHub } else { Self::None }
    }
}

/// What is known about the job that this is. It holds no secret: what opens an API is read by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiContext {
    pub host: Host,
    /// What it was started for, or why that is not known.
    pub event: Result<Event, EventError>,
    /// The branch that the change goes to.
    pub base_branch: Option<String>,
    /// Where the host shows this run.
    pub run_url: Option<String>,
    /// Which attempt of the run this is, from 1.
    pub attempt: u32,
    /// The directory that the repository is checked out in.
    pub workspace: Option<PathBuf>,
    /// Whether lines such as `::warning::` in the log are commands to the host.
    pub log_commands: bool,
    /// Whether nobody watches the output while the job runs.
    pub unattended: bool,
    /// Where the outputs of the step go.
    pub outputs: Option<JobFile>,
    /// Where the summary of the job goes.
    pub summary: Option<JobFile>,
}

/// A file that the host gives a job to write to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFile {
    /// The variable that names it.
    pub variable: &'static str,
    pub path: PathBuf,
}

impl CiContext {
    /// What these variables say; `read` reads a file that one of them names.
    pub fn parse<E: fmt::Display>(variables: &Variables, read: impl Fn(&Path) -> Result<String, E>) -> Self {
        let context = match Host::detect(variables) {
            Host::GitHub => github::context(variables, read),
            Host::None => Self::outside(),
        };
        // Every host sets this one.
        let unattended = variables.get("CI").is_some_and(|value| value != "false" && value != "0");
        Self { unattended, ..context }
    }

    /// Whether this is a job of any host, and not a developer's machine.
    pub fn is_job(&self) -> bool {
        self.unattended || self.host != Host::None
    }

    /// What the job was started for.
    pub fn event(&self) -> Result<&Event, EventError> {
        self.event.as_ref().map_err(Clone::clone)
    }

    /// The context outside of any job.
    pub fn outside() -> Self {
        Self {
            host: Host::None,
            event: Err(EventError::Missing("GITHUB_REPOSITORY")),
            base_branch: None,
            run_url: None,
            attempt: 1,
            workspace: None,
            log_commands: false,
            unattended: false,
            outputs: None,
            summary: None,
        }
    }
}

/// Where a host's API is and what opens it, as variables have it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ApiVariables {
    /// The address of the REST API.
    pub api: Option<String>,
    /// The address of the GraphQL API.
    pub graphql: Option<String>,
    /// The token. It is never printed.
    pub token: Option<String>,
}

impl fmt::Debug for ApiVariables {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { api, graphql, token } = self;
        let token = token.as_ref().map(|_| "[redacted]");
        formatter
            .debug_struct("ApiVariables")
            .field("api", api)
            .field("graphql", graphql)
            .field("token", &token)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(variables: &[(&str, &str)]) -> CiContext {
        let missing = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        CiContext::parse(&Variables::of(variables.iter().copied()), missing)
    }

    #[test]
    fn a_token_alone_does_not_make_a_job() {
        let context = context(&[("GITHUB_TOKEN", "t"), ("GITHUB_ACTIONS", ""), ("CI", "false")]);
        assert_eq!(context, CiContext::outside());
    }

    #[test]
    fn a_job_of_github_has_its_files_its_address_and_its_attempt() {
        let context = context(&[
            ("CI", "true"),
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_SERVER_URL", "https://ghe.example.org"),
            ("GITHUB_REPOSITORY", "o/r"),
            ("GITHUB_RUN_ID", "7"),
            ("GITHUB_RUN_ATTEMPT", "2"),
            ("GITHUB_REF", "refs/pull/3/merge"),
            ("GITHUB_BASE_REF", "main"),
            ("GITHUB_OUTPUT", "/o"),
        ]);
        assert_eq!(context.run_url.as_deref(), Some("https://ghe.example.org/o/r/actions/runs/7"));
        assert_eq!((context.host, context.attempt, context.is_job()), (Host::GitHub, 2, true));
        assert_eq!((context.base_branch.as_deref(), context.log_commands), (Some("main"), true));
        assert!(context.unattended);
        let outputs = JobFile { variable: "GITHUB_OUTPUT", path: "/o".into() };
        assert_eq!((context.outputs, context.summary), (Some(outputs), None));
    }

    #[test]
    fn an_unreadable_payload_does_not_stop_what_needs_none() {
        let context = context(&[("GITHUB_EVENT_PATH", "/gone"), ("GITHUB_BASE_REF", "main")]);
        assert_eq!(context.base_branch.as_deref(), Some("main"));
        let error = context.event.unwrap_err().to_string();
        assert!(error.starts_with("GITHUB_EVENT_PATH=/gone cannot be read"), "{error}");
    }

    #[test]
    fn a_token_is_never_printed() {
        let api = ApiVariables { token: Some("s3cret".into()), ..ApiVariables::default() };
        assert!(!format!("{api:?}").contains("s3cret"));
    }
}
