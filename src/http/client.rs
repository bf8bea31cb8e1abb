//! Builds HTTP clients and sends requests, again where the policy says so.
#![expect(clippy::disallowed_methods, reason = "edge: the network and the clock")]

use std::error::Error;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, Instant};

use reqwest::header::{HeaderMap, RETRY_AFTER};

use super::retry::{Failed, Repeatable, RetryPolicy, SendAttempt, SendFailure, retry_after};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// No answer is read further.
const LONGEST_BODY: usize = 10 << 20;

/// Why no client can be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no HTTP client: {0}")]
pub(crate) struct HttpError(String);

/// A client over rustls that uses the proxies of the environment. Building one reads the system's certificates, so it
/// is built when the first request is due and not before.
pub(crate) fn client() -> Result<reqwest::Client, HttpError> {
    // Another provider may be there already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    reqwest::Client::builder()
        .user_agent(concat!("evalratchet/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .build()
        .map_err(|error| HttpError(error.to_string()))
}

/// Sends a request until it succeeds or the policy gives up. `once` gets how long its attempt may take.
pub(crate) async fn send<T, E, F>(
    policy: &RetryPolicy,
    repeat: Repeatable,
    until: Option<Instant>,
    mut once: impl FnMut(Duration) -> F,
) -> Result<T, Failed<E>>
where
    F: Future<Output = Result<T, Failed<E>>>,
{
    let left = || until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
    let mut again = 0;
    loop {
        let failed = match once(policy.attempt.min(left())).await {
            Ok(answer) => return Ok(answer),
            Err(failed) => failed,
        };
        let attempt = SendAttempt { again, repeat, left: left(), jitter: jitter() };
        let Some(pause) = policy.pause(failed.failure, attempt) else { return Err(failed) };
        tokio::time::sleep(pause).await;
        if repeat == Repeatable::Attended {
            return Err(Failed { waited: true, ..failed });
        }
        again += 1;
    }
}

/// What an error of the connection means for another attempt, and in words.
pub(crate) fn connection_failed(error: &reqwest::Error, after: Duration) -> Failed<String> {
    if error.is_builder() {
        Failed::new(SendFailure::Final, causes(error))
    } else if error.is_timeout() && !error.is_connect() {
        Failed::new(SendFailure::TimedOut { after }, format!("no answer within {after:?}"))
    } else {
        Failed::new(SendFailure::Lost, causes(error))
    }
}

/// How long a response asks to wait.
pub(crate) fn wait_of(headers: &HeaderMap) -> Option<Duration> {
    retry_after(headers.get(RETRY_AFTER)?.to_str().ok()?, jiff::Timestamp::now())
}

/// Why the body of a response could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BodyError {
    /// It is too long to be an answer.
    #[error("the answer is longer than {} MiB", LONGEST_BODY >> 20)]
    TooLong,
    /// The connection broke or was too slow.
    #[error("{}", causes(.0))]
    Connection(#[from] reqwest::Error),
}

/// The body of a response as text, whatever its encoding.
pub(crate) async fn text_of(mut response: reqwest::Response) -> Result<String, BodyError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > LONGEST_BODY {
            return Err(BodyError::TooLong);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// An address as it may be shown: without a user's name and password, and without parameters.
pub(crate) fn shown_address(url: &str) -> String {
    let Ok(mut address) = reqwest::Url::parse(url) else {
        return url.split(['?', '#']).next().unwrap_or(url).to_owned();
    };
    // An address that cannot have them has none.
    address.set_username("").ok();
    address.set_password(None).ok();
    address.set_query(None);
    address.set_fragment(None);
    address.to_string()
}

/// The causes of an error in one line, without the error itself: that names the address, which may hold a secret.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = String::new();
    let mut cause = error.source();
    while let Some(one) = cause {
        let said = one.to_string();
        let said = said.lines().next().unwrap_or_default();
        if !said.is_empty() && !text.ends_with(said) {
            text = if text.is_empty() { said.to_owned() } else { format!("{text}: {said}") };
        }
        cause = one.source();
    }
    if text.is_empty() { "the connection failed".to_owned() } else { text }
}

/// A number between 0 and 1 that nobody can predict.
pub(crate) fn jitter() -> f64 {
    let random = std::hash::RandomState::new().build_hasher().finish();
    f64::from(u32::try_from(random >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const SOON: RetryPolicy = RetryPolicy {
        retries: 2,
        attempt: Duration::from_secs(1),
        longest_pause: Duration::from_secs(1),
        unnamed_limit: Some(Duration::ZERO),
    };

    /// How often a request was sent that always fails in the same way, and whether the last pause was waited for.
    fn sent(failure: SendFailure, repeat: Repeatable) -> (u32, bool) {
        let count = Cell::new(0);
        let once = |_| {
            count.set(count.get() + 1);
            std::future::ready(Err::<(), _>(Failed::new(failure, ())))
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let failed = runtime.block_on(send(&SOON, repeat, None, once)).unwrap_err();
        (count.get(), failed.waited)
    }

    #[test]
    fn a_request_is_sent_again_as_often_as_the_policy_says() {
        assert_eq!(sent(SendFailure::Limited(None), Repeatable::Always), (3, false));
        assert_eq!(sent(SendFailure::Final, Repeatable::Always), (1, false));
    }

    #[test]
    fn an_attended_request_is_handed_back_after_the_pause() {
        assert_eq!(sent(SendFailure::Limited(None), Repeatable::Attended), (1, true));
        assert_eq!(sent(SendFailure::Lost, Repeatable::Attended), (1, false));
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        assert_eq!(shown_address("https://me:pw@h:8/v1/x?key=s#f"), "https://h:8/v1/x");
        assert_eq!(shown_address("http://127.0.0.1:9/v1"), "http://127.0.0.1:9/v1");
    }

    #[test]
    fn causes_leave_out_the_address() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let request = client().unwrap().get("http://127.0.0.1:9/secret").send();
        let error = runtime.block_on(request).unwrap_err();
        let Failed { failure, error: text, .. } = connection_failed(&error, Duration::ZERO);
        assert!(text.contains("refused") && !text.contains("secret"), "{text}");
        assert_eq!(failure, SendFailure::Lost);
    }
}
