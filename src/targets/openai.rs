//! A model behind an OpenAI-compatible chat endpoint.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::ffi::{OsStr, OsString};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::budget::{Budget, OverBudget};
use super::cache::{Cache, Cached};
use super::environment::SHORTEST_SECRET;
use super::http::LONGEST_PAUSE;
use super::rendered::rendered;
use crate::http::{
    BodyError, Failed, Failure, HttpError, Policy, Repeat, client, connection_failed, send, text_of, wait_of,
};
use crate::model::{Answer, Ending, Request, Usage};
use crate::process::Stop;
use crate::settings::{OpenAiTarget, TargetSettings};
use crate::suites::golden::measures::judge::Judge;

/// Headers that OpenAI's own libraries send if these variables are set.
const ACCOUNT: [(&str, &str); 2] = [("OPENAI_ORG_ID", "OpenAI-Organization"), ("OPENAI_PROJECT_ID", "OpenAI-Project")];

/// A model that can be asked.
#[derive(Debug, Clone)]
pub struct OpenAi {
    settings: OpenAiTarget,
    client: Arc<OnceLock<Result<reqwest::Client, HttpError>>>,
    secret: Option<String>,
    account: Vec<(&'static str, String)>,
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
        let variable = |name: &str| {
            let found = environment.iter().find(|(known, _)| known == OsStr::new(name));
            found.and_then(|(_, value)| value.to_str()).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let secret = settings.api_key_env.as_deref().and_then(variable);
        let account = ACCOUNT.iter().filter_map(|(name, header)| Some((*header, variable(name)?))).collect();
        Self { settings, client: Arc::default(), secret, account, budget, cache }
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
        if let (Some(name), None) = (&self.settings.api_key_env, &self.secret) {
            let why = format!("{name} is not set, and {} wants a key", self.settings.base_url);
            return Answer::ended(Ending::Unasked { why });
        }
        let client = match self.client.get_or_init(client) {
            Ok(client) => client,
            Err(error) => return Answer::ended(Ending::Unasked { why: error.to_string() }),
        };
        let dearest = self.settings.max_answer_tokens.unwrap_or(0);
        let Some(spending) = self.budget.admit(body.to_string().len(), dearest, self.settings.price).await else {
            return Answer::ended(Ending::Unasked { why: self.budget.sentence() });
        };
        let began = Instant::now();
        let answered = tokio::select! {
            answered = self.post(client, &body) => answered,
            () = stop.requested() => return Answer::ended(Ending::Interrupted),
        };
        let duration = began.elapsed();
        let (ending, usage) = match answered {
            Ok(response) => (self.read(&response), self.usage(&response)),
            Err(Failed { failure, error, .. }) => {
                // What was refused costs nothing; what was sent and never answered may have been charged.
                if !matches!(failure, Failure::TimedOut { .. }) {
                    spending.settle(Usage::default());
                }
                return Answer { duration, ..Answer::ended(error) };
            }
        };
        if let Some(usage) = usage {
            spending.settle(usage);
        }
        if let Some(text) = ending.said() {
            let latency_ms = crate::model::milliseconds(duration);
            let cached = Cached { answer: text.to_owned(), latency_ms, usage, request: body };
            self.cache.put(&self.settings.base_url, repeat, &cached);
        }
        Answer { duration, usage, ..Answer::ended(ending) }
    }

    async fn post(&self, client: &reqwest::Client, body: &Value) -> Result<Value, Failed<Ending>> {
        let policy = Policy {
            retries: self.settings.retries,
            attempt: self.settings.timeout,
            longest_pause: LONGEST_PAUSE,
            unnamed_limit: None,
        };
        send(&policy, Repeat::UnlessTimedOut, None, |allowed| self.attempt(client, body, allowed)).await
    }

    /// One request. Why there is no answer is nobody's wrong answer, whatever it says.
    async fn attempt(
        &self,
        client: &reqwest::Client,
        body: &Value,
        allowed: Duration,
    ) -> Result<Value, Failed<Ending>> {
        if let Err(OverBudget) = self.budget.count_request() {
            return Err(Failed::new(Failure::Final, Ending::Unasked { why: self.budget.sentence() }));
        }
        let unreachable = |failure, why: String| Failed::new(failure, Ending::Unreachable { why: self.redacted(&why) });
        let lost = |error: &reqwest::Error| {
            let Failed { failure, error: why, .. } = connection_failed(error, allowed);
            unreachable(failure, why)
        };
        let mut request = client.post(format!("{}/chat/completions", self.settings.base_url)).timeout(allowed);
        if let Some(secret) = &self.secret {
            request = request.bearer_auth(secret);
        }
        for (header, value) in &self.account {
            request = request.header(*header, value);
        }
        let response = request.json(body).send().await.map_err(|error| lost(&error))?;
        let status = response.status();
        let failure = Failure::of_status(status.as_u16(), wait_of(response.headers()));
        let text = match text_of(response).await {
            Ok(text) => text,
            Err(BodyError::Connection(error)) => return Err(lost(&error)),
            Err(error @ BodyError::TooLong) => return Err(unreachable(Failure::Final, error.to_string())),
        };
        // What a server says of its own failure need not be JSON.
        if status.is_server_error() {
            return Err(unreachable(failure, format!("status {}: {text}", status.as_u16())));
        }
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            unreachable(failure, format!("the endpoint did not answer in JSON ({error}): {}", start(&text)))
        })?;
        if status.is_success() {
            return Ok(value);
        }
        let message =
            value.pointer("/error/message").and_then(Value::as_str).map_or_else(|| start(&text), str::to_owned);
        Err(unreachable(failure, format!("status {}: {message}", status.as_u16())))
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
            let shown = start(&response.to_string());
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

    fn redacted(&self, text: &str) -> String {
        match &self.secret {
            Some(secret) if secret.len() >= SHORTEST_SECRET => text.replace(secret.as_str(), "[redacted]"),
            Some(_) | None => text.to_owned(),
        }
    }
}

/// How a text begins.
fn start(text: &str) -> String {
    text.chars().take(200).collect()
}
