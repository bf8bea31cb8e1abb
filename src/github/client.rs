//! Sends requests to GitHub through octocrab: with patience, within a deadline, and without ever showing the token.
#![expect(clippy::disallowed_methods, reason = "edge: the network and the clock")]

use std::hash::{BuildHasher as _, Hasher as _};
use std::time::{Duration, Instant};

use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use http::{Method, request};
use octocrab::Octocrab;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use super::access::{Access, Token};
use super::dry::DryRun;
use super::retry::{self, Ended};
use super::{GithubError, Repository};

/// How long one request may take.
const LONGEST: Duration = Duration::from_secs(30);
/// No list is read further.
const MOST_PAGES: usize = 100;
/// The bytes of a file, whatever they are.
const RAW: &str = "application/vnd.github.raw+json";

/// One request.
#[derive(Debug, Clone)]
pub struct Call {
    method: Method,
    /// From the first `/`.
    path: String,
    body: Body,
    accept: &'static str,
    /// Whether sending it twice does the same as sending it once.
    repeatable: bool,
    /// Whether its sender looks what is there before it is sent again.
    attended: bool,
}

#[derive(Debug, Clone)]
enum Body {
    None,
    Json(Value),
    Bytes(Vec<u8>),
}

impl Call {
    fn new(method: Method, path: impl Into<String>) -> Self {
        let accept = "application/vnd.github+json";
        let repeatable = method != Method::POST;
        Self { method, path: path.into(), body: Body::None, accept, repeatable, attended: false }
    }

    /// Reads.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Makes something new; sent twice it would be there twice.
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self { body: Body::Json(body), ..Self::new(Method::POST, path) }
    }

    /// Changes something.
    pub fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { body: Body::Json(body), ..Self::new(Method::PATCH, path) }
    }

    /// Takes something away.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// Sends a file.
    pub fn upload(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { body: Body::Bytes(bytes), ..Self::new(Method::POST, path) }
    }

    /// Wants the bytes of a file and not a description of it.
    #[must_use]
    pub fn raw(self) -> Self {
        Self { accept: RAW, ..self }
    }

    /// The same request, sent only once: what it rests on may have changed when it has had to wait. Whatever is worth
    /// another try is then `Uncertain`, and its sender looks anew.
    #[must_use]
    pub fn attended(self) -> Self {
        Self { repeatable: false, attended: true, ..self }
    }

    /// The same request, which may be sent as often as one likes.
    #[must_use]
    fn repeatable(self) -> Self {
        Self { repeatable: true, ..self }
    }
}

/// An answer.
#[derive(Debug, Clone)]
struct Answer {
    headers: HeaderMap,
    text: String,
}

/// GitHub, as one job may use it.
#[derive(Debug)]
pub struct Client {
    rest: Octocrab,
    graphql: Octocrab,
    access: Access,
    repository: Repository,
    until: Instant,
    dry: Option<DryRun>,
}

impl Client {
    /// Prepares a client; nothing is sent yet. All requests together take no longer than `patience`.
    pub fn new(
        access: Access,
        repository: Repository,
        patience: Duration,
        dry: Option<DryRun>,
    ) -> Result<Self, GithubError> {
        // Another provider may be there already, which is as good.
        rustls::crypto::ring::default_provider().install_default().ok();
        let rest = octocrab(&access.api, access.token.as_ref())?;
        let graphql = octocrab(access.graphql.trim_end_matches("/graphql"), access.token.as_ref())?;
        Ok(Self { rest, graphql, access, repository, until: Instant::now() + patience, dry })
    }

    /// Whose repository it works on.
    pub fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Whether nothing is really sent.
    pub fn is_dry(&self) -> bool {
        self.dry.is_some()
    }

    /// The path of something in the repository.
    pub fn path(&self, rest: &str) -> String {
        format!("/repos/{}/{}{rest}", self.repository.owner, self.repository.name)
    }

    /// Sends a request and reads the answer as JSON.
    pub async fn json(&self, call: Call) -> Result<Value, GithubError> {
        let answer = self.answer(&self.rest, &call).await?;
        if answer.text.trim().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&answer.text).map_err(|_| self.unreadable(&call, &answer.text))
    }

    /// Sends a request and reads the answer as text.
    pub async fn text(&self, call: Call) -> Result<String, GithubError> {
        Ok(self.answer(&self.rest, &call).await?.text)
    }

    /// Every entry of a list, over all its pages. `within` names the list in an answer that is not one itself.
    pub async fn list(&self, path: &str, within: Option<&str>, most: usize) -> Result<Vec<Value>, GithubError> {
        let mut all = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1..=MOST_PAGES {
            let call = Call::get(format!("{path}{join}per_page=100&page={page}"));
            let answer = self.answer(&self.rest, &call).await?;
            let value: Value = serde_json::from_str(&answer.text).map_err(|_| self.unreadable(&call, &answer.text))?;
            let entries = match within {
                Some(name) => value.get(name).and_then(Value::as_array),
                None => value.as_array(),
            };
            let Some(entries) = entries else { return Err(self.unreadable(&call, &answer.text)) };
            all.extend(entries.iter().cloned());
            if all.len() >= most || !has_next(&answer.headers) {
                break;
            }
        }
        Ok(all)
    }

    /// Asks GraphQL; what it answers with errors is one.
    pub async fn query(&self, query: &str, variables: Value) -> Result<Value, GithubError> {
        let is_mutation = query.trim_start().starts_with("mutation");
        let call = Call::post("/graphql", json!({"query": query, "variables": variables}));
        let call = if is_mutation { call } else { call.repeatable() };
        let answer = self.answer(&self.graphql, &call).await?;
        let value: Value = serde_json::from_str(&answer.text).map_err(|_| self.unreadable(&call, &answer.text))?;
        let Some(error) = value.get("errors").and_then(|errors| errors.get(0)) else {
            return Ok(value["data"].clone());
        };
        let field = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (kind, message) = (field("type"), self.redacted(&field("message")));
        Err(if kind == "FORBIDDEN" { GithubError::Refused(message) } else { GithubError::Graphql { kind, message } })
    }

    /// Sends a file to where releases take them.
    pub async fn upload(&self, origin: &str, call: Call) -> Result<Value, GithubError> {
        let there = octocrab(origin, self.access.token.as_ref())?;
        let answer = self.answer(&there, &call).await?;
        serde_json::from_str(&answer.text).map_err(|_| self.unreadable(&call, &answer.text))
    }

    /// Waits a moment that is never quite the same; `false` if there is no time left for it.
    pub async fn moment(&self, about: Duration) -> bool {
        let pause = about.mul_f64(0.5 + jitter());
        if Instant::now() + pause >= self.until {
            return false;
        }
        tokio::time::sleep(pause).await;
        true
    }

    async fn answer(&self, octocrab: &Octocrab, call: &Call) -> Result<Answer, GithubError> {
        if let Some(dry) = &self.dry {
            let reads = call.method == Method::GET || (call.repeatable && call.path == "/graphql");
            if !reads || self.access.token.is_none() {
                let text = dry.instead(call.method.as_str(), &call.path, call.body_as_json().as_ref(), reads)?;
                return Ok(Answer { headers: HeaderMap::new(), text });
            }
        }
        let mut again = 0;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let (ended, why) = match tokio::time::timeout(left.min(LONGEST), once(octocrab, call)).await {
                Ok(Ok(answer)) if call.is_answered_by(&answer) => return Ok(answer),
                Ok(Ok(answer)) => {
                    (Ended::Lost, format!("answered with what it should not be: {}", start(&answer.text)))
                }
                Ok(Err(error)) => ended(&error),
                Err(_) => (Ended::Lost, format!("no answer within {} s", left.min(LONGEST).as_secs())),
            };
            let why = self.redacted(&why);
            tracing::debug!("{} {}: {why}", call.method, call.path);
            let left = self.until.saturating_duration_since(Instant::now());
            let now = jiff::Timestamp::now().as_second();
            let request = retry::Request { again, repeatable: call.repeatable, left, now, jitter: jitter() };
            let Some(pause) = retry::pause(&ended, request) else {
                return Err(trouble(call, &ended, why));
            };
            tokio::time::sleep(pause).await;
            if call.attended {
                return Err(GithubError::Uncertain(format!("{} {}: {why}", call.method, call.path)));
            }
            again += 1;
        }
    }

    fn unreadable(&self, call: &Call, text: &str) -> GithubError {
        let what = format!("{} {} was not answered with what it should be: {}", call.method, call.path, start(text));
        GithubError::Unreachable(self.redacted(&what))
    }

    fn redacted(&self, text: &str) -> String {
        self.access.token.as_ref().map_or_else(|| text.to_owned(), |token| token.redacted(text))
    }
}

impl Call {
    /// Where JSON is due, a web page is no answer: it is that of something in between, which is in trouble.
    fn is_answered_by(&self, answer: &Answer) -> bool {
        let is_json = || serde_json::from_str::<serde::de::IgnoredAny>(&answer.text).is_ok();
        self.accept == RAW || answer.text.trim().is_empty() || is_json()
    }

    fn body_as_json(&self) -> Option<Value> {
        match &self.body {
            Body::None => None,
            Body::Json(value) => Some(value.clone()),
            Body::Bytes(bytes) => Some(match std::str::from_utf8(bytes) {
                Ok(text) => json!({"text": text}),
                Err(_) => json!({"bytes": bytes.len()}),
            }),
        }
    }
}

async fn once(octocrab: &Octocrab, call: &Call) -> octocrab::Result<Answer> {
    let builder = request::Builder::new()
        .method(call.method.clone())
        .uri(call.path.as_str())
        .header(ACCEPT, call.accept)
        .header("x-github-api-version", "2022-11-28");
    let request = match &call.body {
        Body::None => octocrab.build_request(builder, None::<&Value>)?,
        Body::Json(value) => octocrab.build_request(builder, Some(value))?,
        Body::Bytes(bytes) => {
            let builder = builder.header(CONTENT_TYPE, "application/octet-stream");
            let request = builder.body(bytes.clone().into());
            request.map_err(|source| octocrab::Error::Other {
                source: Box::new(source),
                backtrace: std::backtrace::Backtrace::disabled(),
            })?
        }
    };
    let response = octocrab::map_github_error(octocrab.execute(request).await?).await?;
    let headers = response.headers().clone();
    let text = octocrab.body_to_string(response).await?;
    Ok(Answer { headers, text })
}

fn octocrab(base: &str, token: Option<&Token>) -> Result<Octocrab, GithubError> {
    let wrong = |error: String| GithubError::Unreachable(format!("{base}: {error}"));
    let client = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| wrong(error.to_string()))?;
    let mut builder = Octocrab::builder().base_uri(base).map_err(|_| wrong("is no address".to_owned()))?;
    if let Some(token) = token {
        builder = builder.personal_token(token.reveal().to_owned());
    }
    builder.build_with_reqwest(client).map_err(|error| wrong(error.to_string()))
}

/// How a request ended, and that in words.
fn ended(error: &octocrab::Error) -> (Ended, String) {
    let octocrab::Error::GitHub { source, .. } = error else { return (Ended::Lost, chain(error)) };
    let header = |name: &str| source.headers.as_ref()?.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let status = source.status_code.as_u16();
    let ended = Ended::Answered {
        status,
        retry_after: header("retry-after"),
        remaining: header("x-ratelimit-remaining"),
        reset: header("x-ratelimit-reset").and_then(|reset| i64::try_from(reset).ok()),
        message: source.message.clone(),
    };
    let details: String = source.errors.iter().flatten().map(|error| format!("; {error}")).collect();
    let message: String = format!("{}{details}", source.message).chars().take(500).collect();
    (ended, format!("status {status}: {message}"))
}

/// An error with its causes, in one line.
fn chain(error: &octocrab::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(error);
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

fn trouble(call: &Call, ended: &Ended, why: String) -> GithubError {
    let why = format!("{} {}: {why}", call.method, call.path.split('?').next().unwrap_or_default());
    if ended.is_limit() || (ended.is_trouble() && call.repeatable) {
        return GithubError::Unreachable(why);
    }
    match ended {
        Ended::Answered { status: 401, .. } => GithubError::Unauthorized(why),
        Ended::Answered { status: 403, .. } => GithubError::Refused(why),
        Ended::Answered { status: 404 | 410, .. } => GithubError::NotFound(why),
        Ended::Answered { status: 500..=599, .. } | Ended::Lost => GithubError::Uncertain(why),
        Ended::Answered { status, message, .. } => {
            GithubError::Rejected { status: *status, message: message.clone(), why }
        }
    }
}

fn has_next(headers: &HeaderMap) -> bool {
    let links = headers.get_all("link").iter().filter_map(|link| link.to_str().ok());
    links.flat_map(|link| link.split(',')).any(|link| link.contains("rel=\"next\""))
}

/// How a text begins.
fn start(text: &str) -> String {
    text.chars().take(120).collect()
}

/// A number between 0 and 1 that nobody can tell beforehand.
fn jitter() -> f64 {
    let random = std::hash::RandomState::new().build_hasher().finish();
    f64::from(u32::try_from(random >> 32).unwrap_or(0)) / f64::from(u32::MAX)
}

/// A name as a part of a path, `/` included.
pub fn encoded(text: &str) -> String {
    const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}

/// A path of several names.
pub fn encoded_path(text: &str) -> String {
    text.split('/').map(encoded).collect::<Vec<_>>().join("/")
}
