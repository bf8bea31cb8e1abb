//! `openai`: a model behind an OpenAI-compatible chat endpoint.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::budget::{Budget, OverBudget};
use super::cache::{Cache, Cached};
use super::endpoint::{Endpoint, Limits, Price, PriceSection};
use super::http::{JOBS, LONGEST_PAUSE, validate_address};
use super::{
    Askable, BuildContext, BuildTarget, ProcessKeys, QuestionForm, SuiteFacts, TargetConfig, TargetError,
    TargetProperties,
};
use crate::http::{
    BodyError, Failed, HttpError, Repeatable, RetryPolicy, SendFailure, client, connection_failed, send, shown_address,
    text_of, wait_of,
};
use crate::input::Place;
use crate::model::{Answer, Ending, Request, Usage};
use crate::process::Stop;
use crate::text::Redactor;

/// Headers that OpenAI's own libraries send if these variables are set.
const ACCOUNT: [(&str, &str); 2] = [("OPENAI_ORG_ID", "OpenAI-Organization"), ("OPENAI_PROJECT_ID", "OpenAI-Project")];

/// A model behind an OpenAI-compatible chat endpoint.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct OpenAiSection {
    /// The model's name.
    #[schemars(length(min = 1))]
    pub model: String,
    /// The endpoint (default `https://api.openai.com/v1`).
    pub base_url: Option<String>,
    /// The variable that holds the key (default `OPENAI_API_KEY`); empty for an endpoint that wants none.
    pub api_key_env: Option<String>,
    /// What the model is told before the question.
    pub system: Option<String>,
    /// How freely it answers (default: the endpoint's own).
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// How long an answer may be, in tokens.
    #[schemars(range(min = 1))]
    pub max_answer_tokens: Option<u64>,
    /// Further parameters of the request, sent as they are.
    #[serde(default)]
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// How often a request is sent again after 429, 5xx or a lost connection (default 4).
    #[schemars(range(max = 20))]
    pub retries: Option<u32>,
    /// At most so many requests in a run.
    #[schemars(range(min = 1))]
    pub max_requests: Option<u64>,
    /// At most so many tokens in a run, questions and answers together.
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
    /// At most so much money in a run, in the currency of `price`.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub max_cost: Option<f64>,
    /// What a million tokens cost.
    pub price: Option<PriceSection>,
}

/// A model as it is configured.
#[derive(Debug, Clone)]
pub struct OpenAiSettings(Endpoint);

impl OpenAiSettings {
    pub(super) const fn new(endpoint: Endpoint) -> Self {
        Self(endpoint)
    }

    /// The body of a chat request.
    fn body(&self, request: &Request) -> Value {
        let mut messages = Vec::new();
        if let Some(system) = &self.0.system {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.push(json!({"role": "user", "content": request.name("prompt").unwrap_or(&request.stdin)}));
        let mut body = json!({"model": self.0.model, "messages": messages});
        if let Some(fields) = body.as_object_mut() {
            fields.extend(self.0.parameters.clone());
            if let Some(schema) = &request.schema {
                let schema = json!({"name": "answer", "strict": true, "schema": schema});
                fields.insert("response_format".into(), json!({"type": "json_schema", "json_schema": schema}));
            }
        }
        body
    }
}

impl TargetProperties for OpenAiSettings {
    fn asks_outside(&self) -> bool {
        true
    }

    fn variables(&self) -> Vec<&str> {
        self.0.api_key_env.as_deref().into_iter().collect()
    }

    fn endpoint(&self) -> Option<&Endpoint> {
        Some(&self.0)
    }

    fn default_jobs(&self, _: usize) -> usize {
        JOBS
    }

    /// The body as it is sent. A judge writes its own.
    fn recorded_request(&self, request: &Request) -> Value {
        request.body.clone().unwrap_or_else(|| self.body(request))
    }
}

impl TargetConfig for OpenAiSettings {
    type Section = OpenAiSection;

    const ANSWERS: &'static [QuestionForm] = &[QuestionForm::Prompt, QuestionForm::Input];

    fn validate(section: OpenAiSection, _: ProcessKeys, suite: &SuiteFacts<'_>, place: &Place<'_>) -> Self {
        let place = place.join("openai");
        let default = Endpoint::of(&section.model);
        let base_url = section.base_url.clone().unwrap_or(default.base_url);
        validate_address(&base_url, &place.join("base-url"));
        validate_limits(&section, &place);
        let parameters = parameters(&section, &place.join("parameters"));
        let OpenAiSection { max_requests, max_tokens, max_cost, .. } = section;
        Self(Endpoint {
            base_url: base_url.trim_end_matches('/').to_owned(),
            api_key_env: section.api_key_env.or(default.api_key_env).filter(|name| !name.is_empty()),
            system: section.system,
            parameters,
            max_answer_tokens: section.max_answer_tokens,
            retries: section.retries.unwrap_or(default.retries),
            limits: Limits { max_requests, max_tokens, max_cost },
            price: section.price.map(Price::from),
            timeout: suite.timeout,
            model: section.model,
        })
    }
}

impl BuildTarget for OpenAiSettings {
    type Target = OpenAiTarget;

    fn build(&self, context: &BuildContext) -> Result<OpenAiTarget, TargetError> {
        let variable = |name: &str| {
            let found = context.environment.iter().find(|(known, _)| known == OsStr::new(name));
            found.and_then(|(_, value)| value.to_str()).filter(|value| !value.is_empty()).map(str::to_owned)
        };
        let secret = self.0.api_key_env.as_deref().and_then(variable);
        Ok(OpenAiTarget {
            redactor: Redactor::new(secret.as_deref()),
            secret,
            account: ACCOUNT.iter().filter_map(|(name, header)| Some((*header, variable(name)?))).collect(),
            config: self.clone(),
            client: OnceLock::new(),
            budget: Arc::clone(&context.budget),
            cache: Arc::clone(&context.cache),
        })
    }
}

/// A budget can only be kept if it is known what one more answer may cost.
fn validate_limits(section: &OpenAiSection, place: &Place<'_>) {
    let OpenAiSection { max_cost, max_tokens, max_answer_tokens, price, .. } = section;
    if max_cost.is_some() && price.is_none() {
        let help = "add `price = { input = …, output = … }`, per million tokens";
        place.join("max-cost").key_error_with_help("means nothing without a price", help);
    }
    for (key, given) in [("max-cost", max_cost.is_some()), ("max-tokens", max_tokens.is_some())] {
        if given && max_answer_tokens.is_none() {
            let message = "cannot be kept while one answer may be of any length";
            place.join(key).key_error_with_help(message, "say `max-answer-tokens` as well");
        }
    }
}

/// What is sent beside the model's name and the messages.
fn parameters(section: &OpenAiSection, place: &Place<'_>) -> serde_json::Map<String, Value> {
    for name in ["model", "messages", "response_format", "max_completion_tokens", "temperature", "stream"] {
        if section.parameters.contains_key(name) {
            place.join(name).key_error(format!("`{name}` is set by evalratchet itself"));
        }
    }
    let mut sent: serde_json::Map<String, Value> = section.parameters.clone().into_iter().collect();
    if let Some(temperature) = section.temperature {
        sent.insert("temperature".into(), temperature.into());
    }
    if let Some(tokens) = section.max_answer_tokens {
        sent.insert("max_completion_tokens".into(), tokens.into());
    }
    sent
}

/// A model that can be asked.
#[derive(Debug)]
pub struct OpenAiTarget {
    config: OpenAiSettings,
    client: OnceLock<Result<reqwest::Client, HttpError>>,
    secret: Option<String>,
    /// Takes the key out of whatever the endpoint says.
    redactor: Redactor,
    account: Vec<(&'static str, String)>,
    budget: Arc<Budget>,
    cache: Arc<Cache>,
}

impl Askable for OpenAiTarget {
    async fn ask(&self, request: Request, stop: &Stop) -> Answer {
        self.complete(self.config.recorded_request(&request), request.repeat, stop).await
    }
}

impl OpenAiTarget {
    /// Sends a request, unless its answer is known from an earlier run.
    async fn complete(&self, body: Value, repeat: usize, stop: &Stop) -> Answer {
        if let Some(cached) = self.cache.get(&self.config.0.base_url, &body, repeat) {
            let ending = Ending::of(cached.answer.clone());
            return Answer {
                duration: cached.latency(),
                usage: cached.usage,
                from_cache: true,
                ..Answer::ended(ending)
            };
        }
        if let (Some(name), None) = (&self.config.0.api_key_env, &self.secret) {
            let why = format!("{name} is not set, and {} wants a key", shown_address(&self.config.0.base_url));
            return Answer::ended(Ending::Unasked { why });
        }
        let client = match self.client.get_or_init(client) {
            Ok(client) => client,
            Err(error) => return Answer::ended(Ending::Unasked { why: error.to_string() }),
        };
        let dearest = self.config.0.max_answer_tokens.unwrap_or(0);
        let Some(spending) = self.budget.admit(body.to_string().len(), dearest, self.config.0.price).await else {
            return Answer::ended(Ending::Unasked { why: self.budget.sentence() });
        };
        self.cache.count_question();
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
                if !matches!(failure, SendFailure::TimedOut { .. }) {
                    spending.charge(Usage::default());
                }
                return Answer { duration, ..Answer::ended(error) };
            }
        };
        if let Some(usage) = usage {
            spending.charge(usage);
        }
        if let Some(text) = ending.said() {
            let latency_ms = crate::model::milliseconds(duration);
            let cached = Cached { answer: text.to_owned(), latency_ms, usage, request: body };
            self.cache.put(&self.config.0.base_url, repeat, &cached);
        }
        Answer { duration, usage, ..Answer::ended(ending) }
    }

    async fn post(&self, client: &reqwest::Client, body: &Value) -> Result<Value, Failed<Ending>> {
        let policy = RetryPolicy {
            retries: self.config.0.retries,
            attempt: self.config.0.timeout,
            longest_pause: LONGEST_PAUSE,
            unnamed_limit: None,
        };
        send(&policy, Repeatable::UnlessTimedOut, None, |allowed| self.attempt(client, body, allowed)).await
    }

    /// One request. Why there is no answer is nobody's wrong answer, whatever it says.
    async fn attempt(
        &self,
        client: &reqwest::Client,
        body: &Value,
        allowed: Duration,
    ) -> Result<Value, Failed<Ending>> {
        if let Err(OverBudget) = self.budget.count_request() {
            return Err(Failed::new(SendFailure::Final, Ending::Unasked { why: self.budget.sentence() }));
        }
        let unreachable = |failure, why: String| Failed::new(failure, self.unreachable(&why));
        let lost = |error: &reqwest::Error| {
            let Failed { failure, error: why, .. } = connection_failed(error, allowed);
            unreachable(failure, why)
        };
        let mut request = client.post(self.url()).timeout(allowed);
        if let Some(secret) = &self.secret {
            request = request.bearer_auth(secret);
        }
        for (header, value) in &self.account {
            request = request.header(*header, value);
        }
        let response = request.json(body).send().await.map_err(|error| lost(&error))?;
        let status = response.status();
        let failure = SendFailure::of_status(status.as_u16(), wait_of(response.headers()));
        let text = match text_of(response).await {
            Ok(text) => text,
            Err(BodyError::Connection(error)) => return Err(lost(&error)),
            Err(error @ BodyError::TooLong) => return Err(unreachable(SendFailure::Final, error.to_string())),
        };
        // What a server says of its own failure need not be JSON.
        if status.is_server_error() {
            return Err(unreachable(failure, format!("status {}: {text}", status.as_u16())));
        }
        let value: Value = serde_json::from_str(&text).map_err(|error| {
            unreachable(
                failure,
                format!("the endpoint did not answer in JSON ({error}): {}", start(&self.redacted(&text))),
            )
        })?;
        if status.is_success() {
            return Ok(value);
        }
        let message = value
            .pointer("/error/message")
            .and_then(Value::as_str)
            .map_or_else(|| start(&self.redacted(&text)), str::to_owned);
        let key = if matches!(status.as_u16(), 401 | 403) { self.about_key() } else { String::new() };
        Err(unreachable(failure, format!("status {}: {message}{key}", status.as_u16())))
    }

    fn url(&self) -> String {
        format!("{}/chat/completions", self.config.0.base_url)
    }

    /// No answer, for this reason; the address says whose.
    fn unreachable(&self, why: &str) -> Ending {
        Ending::Unreachable { why: self.redacted(&format!("{}: {why}", shown_address(&self.url()))) }
    }

    /// Where the key comes from that the endpoint refused.
    fn about_key(&self) -> String {
        match &self.config.0.api_key_env {
            Some(name) => format!("; check the key in {name}"),
            None => "; no key was sent, as no `api-key-env` names its variable".to_owned(),
        }
    }

    /// The answer in a response. An error that comes with status 200 is still an error.
    fn read(&self, response: &Value) -> Ending {
        if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
            let message = error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned);
            return self.unreachable(&format!("the endpoint answered with an error: {message}"));
        }
        let Some(choice) = response.get("choices").and_then(|choices| choices.get(0)) else {
            let shown = start(&self.redacted(&response.to_string()));
            return self.unreachable(&format!("the endpoint answered without a choice: {shown}"));
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
        let cost = self.config.0.price.map(|price| price.of(input_tokens, output_tokens));
        Some(Usage { input_tokens, output_tokens, cost })
    }

    fn redacted(&self, text: &str) -> String {
        self.redactor.text(text)
    }
}

/// How a text begins.
fn start(text: &str) -> String {
    text.chars().take(200).collect()
}
