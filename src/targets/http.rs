//! `http`: a service that answers POSTed JSON.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties,
};
use crate::http::{
    BodyError, Failed, HttpError, Repeatable, RetryPolicy, SendFailure, client, connection_failed, send, shown_address,
    text_of, wait_of,
};
use crate::input::Place;
use crate::model::{Answer, Ending, Request};
use crate::process::Stop;

/// How often a request is sent again before its service counts as unreachable.
const RETRIES: u32 = 2;
/// A service may ask for a longer pause than this, but nobody waits for it.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// How many requests a service is sent at the same time, unless the user says otherwise.
pub(super) const JOBS: usize = 8;

/// A service as it is configured.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    url: String,
    /// How long one answer may take.
    timeout: Duration,
}

/// A service that can be asked.
#[derive(Debug)]
pub struct HttpTarget {
    config: HttpSettings,
    client: OnceLock<Result<reqwest::Client, HttpError>>,
}

impl TargetProperties for HttpSettings {
    fn asks_outside(&self) -> bool {
        true
    }

    fn default_jobs(&self, _: usize) -> usize {
        JOBS
    }

    fn recorded_request(&self, request: &Request) -> Value {
        json!({"http": self.url, "input": request.input})
    }
}

impl TargetConfig for HttpSettings {
    type Section = String;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Input, QuestionForm::Query];

    fn validate(url: String, _: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        validate_address(&url, &place.join("http"));
        Self { url, timeout: suite.timeout }
    }
}

impl BuildTarget for HttpSettings {
    type Target = HttpTarget;

    fn build(&self, _: &BuildContext) -> Result<HttpTarget, TargetError> {
        Ok(HttpTarget { config: self.clone(), client: OnceLock::new() })
    }
}

/// Reports what is no address of a service.
pub(super) fn validate_address(url: &str, place: &Place<'_>) {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        place.error(format!("`{url}` is not an http address"));
    }
}

impl Askable for HttpTarget {
    /// What a service refuses or cannot do is nobody's wrong answer.
    async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        let client = match self.client.get_or_init(client) {
            Ok(client) => client,
            Err(error) => return Answer::ended(Ending::Unreachable { why: error.to_string() }),
        };
        // Building the client is not the service's time.
        let began = Instant::now();
        let ending = tokio::select! {
            ending = self.post(client, &request.input) => ending,
            () = stop.requested() => Ending::Interrupted,
        };
        Answer { duration: began.elapsed(), ..Answer::ended(ending) }
    }
}

impl HttpTarget {
    async fn post(&self, client: &reqwest::Client, body: &Value) -> Ending {
        let policy = RetryPolicy {
            retries: RETRIES,
            attempt: self.config.timeout,
            longest_pause: LONGEST_PAUSE,
            unnamed_limit: None,
        };
        let once = |allowed| attempt(client.post(&self.config.url).json(body), allowed);
        match send(&policy, Repeatable::Always, None, once).await {
            Ok(text) => Ending::of(text),
            Err(Failed { error: Ending::Unreachable { why }, .. }) => {
                Ending::Unreachable { why: format!("{}: {why}", shown_address(&self.config.url)) }
            }
            Err(failed) => failed.error,
        }
    }
}

async fn attempt(request: reqwest::RequestBuilder, allowed: Duration) -> Result<String, Failed<Ending>> {
    let lost = |error: &reqwest::Error| connection_failed(error, allowed).map(|why| Ending::Unreachable { why });
    let response = request.timeout(allowed).send().await.map_err(|error| lost(&error))?;
    let status = response.status().as_u16();
    let failure = SendFailure::of_status(status, wait_of(response.headers()));
    match (status, text_of(response).await) {
        (200..=299, Ok(text)) => Ok(text),
        (401 | 403, _) => {
            let why = format!("status {status}; evalratchet sends no key to an `http` target");
            Err(Failed::new(failure, Ending::Unreachable { why }))
        }
        (429 | 500..=599, _) => Err(Failed::new(failure, Ending::Unreachable { why: format!("status {status}") })),
        (_, Err(BodyError::Connection(error))) => Err(lost(&error)),
        (200..=299, Err(error @ BodyError::TooLong)) => {
            Err(Failed::new(SendFailure::Final, Ending::Unreadable { why: error.to_string() }))
        }
        (_, text) => {
            let why = format!("status {status}: {}", text.unwrap_or_default().trim());
            Err(Failed::new(SendFailure::Final, Ending::Unreadable { why }))
        }
    }
}
