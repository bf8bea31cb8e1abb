//! A service that answers POSTed JSON.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http::{
    BodyError, Failed, Failure, HttpError, Policy, Repeat, client, connection_failed, send, text_of, wait_of,
};
use crate::model::{Answer, Ending};
use crate::process::Stop;
use crate::settings::HttpTarget;

/// How often a request is sent again before its service counts as unreachable.
const RETRIES: u32 = 2;
/// A service may ask for a longer pause than this, but nobody waits for it.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(120);

/// A service that can be asked.
#[derive(Debug)]
pub struct Service {
    settings: HttpTarget,
    client: OnceLock<Result<reqwest::Client, HttpError>>,
}

impl Service {
    pub(super) const fn new(settings: HttpTarget) -> Self {
        Self { settings, client: OnceLock::new() }
    }

    /// POSTs JSON. What a service refuses or cannot do is nobody's wrong answer.
    pub(super) async fn post(&self, body: &Value, stop: &Stop) -> Answer {
        let began = Instant::now();
        let ending = tokio::select! {
            ending = self.ending(body) => ending,
            () = stop.requested() => Ending::Interrupted,
        };
        Answer { duration: began.elapsed(), ..Answer::ended(ending) }
    }

    async fn ending(&self, body: &Value) -> Ending {
        let client = match self.client.get_or_init(client) {
            Ok(client) => client,
            Err(error) => return Ending::Unreachable { why: error.to_string() },
        };
        let policy = Policy {
            retries: RETRIES,
            attempt: self.settings.timeout,
            longest_pause: LONGEST_PAUSE,
            unnamed_limit: None,
        };
        let once = |allowed| attempt(client.post(&self.settings.url).json(body), allowed);
        match send(&policy, Repeat::Always, None, once).await {
            Ok(text) => Ending::of(text),
            Err(failed) => failed.error,
        }
    }
}

async fn attempt(request: reqwest::RequestBuilder, allowed: Duration) -> Result<String, Failed<Ending>> {
    let lost = |error: &reqwest::Error| connection_failed(error, allowed).map(|why| Ending::Unreachable { why });
    let response = request.timeout(allowed).send().await.map_err(|error| lost(&error))?;
    let status = response.status().as_u16();
    let failure = Failure::of_status(status, wait_of(response.headers()));
    match (status, text_of(response).await) {
        (200..=299, Ok(text)) => Ok(text),
        (401 | 403 | 429 | 500..=599, _) => {
            Err(Failed::new(failure, Ending::Unreachable { why: format!("status {status}") }))
        }
        (_, Err(BodyError::Connection(error))) => Err(lost(&error)),
        (200..=299, Err(error @ BodyError::TooLong)) => {
            Err(Failed::new(Failure::Final, Ending::Unreadable { why: error.to_string() }))
        }
        (_, text) => {
            let why = format!("status {status}: {}", text.unwrap_or_default().trim());
            Err(Failed::new(Failure::Final, Ending::Unreadable { why }))
        }
    }
}
