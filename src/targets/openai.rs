//! A model behind an OpenAI-compatible chat endpoint.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::ffi::{OsStr, OsString};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::middleware::{HttpRequestFactory, ReqwestService};
use serde_json::Value;

use super::budget::Budget;
use super::cache::{Cache, Cached};
use super::environment::SHORTEST_SECRET;
use super::rendered::rendered;
use crate::model::{Answer, Ending, Request, Usage};
use crate::process::Stop;
use crate::settings::{OpenAiTarget, TargetSettings};
use crate::suites::golden::measures::judge::Judge;

/// A longer wait than this is not waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(120);

/// A model that can be asked.
#[derive(Debug, Clone)]
pub struct OpenAi {
    settings: OpenAiTarget,
    /// The client, or why nobody can be asked.
    client: Result<Client<OpenAIConfig>, String>,
    secret: Option<String>,
    budget: Arc<Budget>,
    cache: Arc<Cache>,
}

impl OpenAi {
    /// Prepares a client; nothing is sent yet.
    pub fn new(settings: OpenAiTarget, environment: &[(OsString, OsString)], cache: Arc<Cache>) -> Self {
        let budget = Arc::new(Budget::new(&settings));
        Self::with_budget(settings, environment, cache, budget)
    }

    /// A client for a judge, at the same expense.
    pub(super) fn judge(&self, judge: &Judge, environment: &[(OsString, OsString)]) -> Self {
        let settings = judge.endpoint(Some(&self.settings));
        Self::with_budget(settings, environment, Arc::clone(&self.cache), Arc::clone(&self.budget))
    }

    fn with_budget(
        settings: OpenAiTarget,
        environment: &[(OsString, OsString)],
        cache: Arc<Cache>,
        budget: Arc<Budget>,
    ) -> Self {
        let secret = settings.api_key_env.as_deref().and_then(|name| {
            let found = environment.iter().find(|(known, _)| known == OsStr::new(name));
            found.and_then(|(_, value)| value.to_str()).filter(|value| !value.is_empty()).map(str::to_owned)
        });
        let client = client(&settings, secret.as_deref(), &budget);
        Self { settings, client, secret, budget, cache }
    }

    pub(super) async fn ask(&self, request: &Request, stop: &Stop) -> Answer {
        let body = rendered(&TargetSettings::OpenAi(Box::new(self.settings.clone())), request);
        self.complete(body, request.repeat, stop).await
    }

    /// Sends a request, unless its answer is known from an earlier run.
    pub(super) async fn complete(&self, body: Value, repeat: usize, stop: &Stop) -> Answer {
        if let Some(cached) = self.cache.get(&self.settings.base_url, &body, repeat) {
            let ending = Ending::of(cached.answer.clone());
            return Answer { duration: cached.latency(), usage: cached.usage, ..Answer::ended(ending) };
        }
        let client = match &self.client {
            Ok(client) => client,
            Err(why) => return Answer::ended(Ending::Unasked { why: why.clone() }),
        };
        let dearest = self.settings.max_answer_tokens.unwrap_or(0);
        let Some(spending) = self.budget.admit(body.to_string().len(), dearest, self.settings.price).await else {
            return Answer::ended(Ending::Unasked { why: self.budget.sentence() });
        };
        let began = Instant::now();
        let (chat, sent) = (client.chat(), body.clone());
        let answered = tokio::select! {
            answered = chat.create_byot::<Value, Value>(sent) => answered,
            () = stop.requested() => return Answer::ended(Ending::Interrupted),
        };
        let duration = began.elapsed();
        let (ending, usage) = match answered {
            Ok(response) => (self.read(&response), self.usage(&response)),
            Err(error) => {
                // What was refused costs nothing; what was sent and never answered may have been charged.
                if !matches!(&error, OpenAIError::Reqwest(error) if error.is_timeout()) {
                    spending.settle(Usage::default());
                }
                return Answer { duration, ..Answer::ended(self.refused(&error)) };
            }
        };
        if let Some(usage) = usage {
            spending.settle(usage);
        }
        if let Some(text) = ending.said() {
            let latency_ms = crate::aggregate::milliseconds(duration);
            let cached = Cached { answer: text.to_owned(), latency_ms, usage, request: body };
            self.cache.put(&self.settings.base_url, repeat, &cached);
        }
        Answer { duration, usage, ..Answer::ended(ending) }
    }

    /// The answer in a response. An error that comes with status 200 is still an error.
    fn read(&self, response: &Value) -> Ending {
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            let message = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
            return Ending::Unreachable {
                why: self.redacted(&format!("the endpoint answered with an error: {message}")),
            };
        }
        let Some(choice) = response.get("choices").and_then(|choices| choices.get(0)) else {
            let shown: String = response.to_string().chars().take(200).collect();
            return Ending::Unreachable {
                why: self.redacted(&format!("the endpoint answered without a choice: {shown}")),
            };
        };
        let message = &choice["message"];
        if let Some(refusal) = message["refusal"].as_str().filter(|refusal| !refusal.is_empty()) {
            return Ending::Unreadable { why: self.redacted(&format!("the model refused: {refusal}")) };
        }
        if choice["finish_reason"] == "content_filter" {
            return Ending::Unreadable { why: "the answer was withheld by the endpoint's content filter".into() };
        }
        match message["content"].as_str() {
            Some(text) if !text.trim().is_empty() => Ending::Answered(self.redacted(text)),
            Some(_) | None => Ending::Empty,
        }
    }

    fn usage(&self, response: &Value) -> Option<Usage> {
        let usage = response.get("usage")?;
        let input_tokens = usage.get("prompt_tokens")?.as_u64()?;
        let output_tokens = usage.get("completion_tokens").and_then(Value::as_u64).unwrap_or(0);
        let cost = self.settings.price.map(|price| price.of(input_tokens, output_tokens));
        Some(Usage { input_tokens, output_tokens, cost })
    }

    /// Why there is no answer: nobody's wrong answer, whatever it says.
    fn refused(&self, error: &OpenAIError) -> Ending {
        if let Some(why) = self.budget.refusal(error) {
            return Ending::Unasked { why };
        }
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "a foreign enum; what is not named keeps the library's words"
        )]
        let why = match error {
            OpenAIError::ApiError(error) => {
                format!("status {}: {}", error.status_code.as_u16(), error.api_error.message)
            }
            OpenAIError::JSONDeserialize(error, text) => {
                let shown: String = text.chars().take(200).collect();
                format!("the endpoint did not answer in JSON ({error}): {shown}")
            }
            OpenAIError::Reqwest(error) if error.is_timeout() => {
                format!("no answer within {:?}", self.settings.timeout)
            }
            OpenAIError::Reqwest(error) => chain(error),
            other => other.to_string(),
        };
        Ending::Unreachable { why: self.redacted(&why) }
    }

    fn redacted(&self, text: &str) -> String {
        match &self.secret {
            Some(secret) if secret.len() >= SHORTEST_SECRET => text.replace(secret.as_str(), "[redacted]"),
            Some(_) | None => text.to_owned(),
        }
    }
}

/// An error with its causes, but without the address, which may hold a secret.
fn chain(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
    while let Some(one) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&one.to_string());
        cause = one.source();
    }
    if text.is_empty() { "the connection failed".into() } else { text }
}

fn client(settings: &OpenAiTarget, secret: Option<&str>, budget: &Arc<Budget>) -> Result<Client<OpenAIConfig>, String> {
    if let (Some(name), None) = (&settings.api_key_env, secret) {
        return Err(format!("{name} is not set, and {} wants a key", settings.base_url));
    }
    // Another provider may be there already, which is as good.
    rustls::crypto::ring::default_provider().install_default().ok();
    let http = reqwest::Client::builder()
        .timeout(settings.timeout)
        .build()
        .map_err(|error| format!("no HTTP client: {error}"))?;
    let config = OpenAIConfig::new().with_api_base(settings.base_url.clone()).with_api_key(secret.unwrap_or_default());
    let service =
        Persistent { inner: ReqwestService::new(http), retries: settings.retries, budget: Arc::clone(budget) };
    Ok(Client::with_config(config).with_http_service(service))
}

/// Sends a request anew after 429, 5xx and lost connections, as long as the service asks to wait.
#[derive(Debug, Clone)]
struct Persistent {
    inner: ReqwestService,
    retries: u32,
    budget: Arc<Budget>,
}

impl tower::Service<HttpRequestFactory> for Persistent {
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<reqwest::Response, OpenAIError>> + Send>>;

    fn poll_ready(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), OpenAIError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: HttpRequestFactory) -> Self::Future {
        let Self { mut inner, retries, budget } = self.clone();
        Box::pin(async move {
            let mut tried = 0;
            loop {
                budget.count_request()?;
                let result = inner.call(request.clone()).await;
                let wait = match &result {
                    Ok(response) => {
                        let status = response.status();
                        let again = status.as_u16() == 429 || status.is_server_error();
                        again.then(|| retry_after(response.headers()).unwrap_or_else(|| backoff(tried)))
                    }
                    Err(OpenAIError::Reqwest(error)) if !error.is_timeout() && !error.is_builder() => {
                        Some(backoff(tried))
                    }
                    Err(_) => None,
                };
                match wait {
                    Some(wait) if tried < retries && wait <= LONGEST_WAIT => tokio::time::sleep(wait).await,
                    Some(_) | None => return result,
                }
                tried += 1;
            }
        })
    }
}

/// What the service asks to wait: seconds, or until a moment.
fn retry_after(headers: &reqwest::header::HeaderMap) -> Option<Duration> {
    let text = headers.get(reqwest::header::RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let moment = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    Duration::try_from(moment.duration_since(jiff::Timestamp::now())).ok()
}

/// Longer each time, and never quite the same, so that many do not come back together.
fn backoff(tried: u32) -> Duration {
    let base = 250_u64 << tried.min(6);
    let jitter = Instant::now().elapsed().subsec_nanos() ^ std::process::id().rotate_left(7);
    let nanos = u64::from(jitter).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    Duration::from_millis(base + nanos % base)
}
