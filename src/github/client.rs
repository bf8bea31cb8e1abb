//! Sends requests to GitHub through octocrab: with patience, within a deadline, and without ever showing the token.
#![expect(clippy::disallowed_methods, reason = "edge: the network and the clock")]

use std::time::{Duration, Instant};

use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap};
use http::{Method, request};
use octocrab::Octocrab;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::GithubError;
use super::access::{Access, Token};
use super::dry::DryRun;
use super::limits::Refusal;
use crate::ci::RepositoryName;
use crate::http::{Failed, Repeatable, RetryPolicy, SendFailure, causes, jitter, send, wait_of};

const POLICY: RetryPolicy = RetryPolicy {
    retries: 7,
    attempt: Duration::from_secs(30),
    // Only the deadline of the job ends a wait.
    longest_pause: Duration::MAX,
    // GitHub asks to wait at least so long for a limit of which it does not say when it ends.
    unnamed_limit: Some(Duration::from_secs(60)),
};
/// No list is read further.
const MOST_PAGES: usize = 100;
/// The bytes of a file, whatever they are.
const RAW: &str = "application/vnd.github.raw+json";

#[derive(Debug, Clone)]
pub struct Call {
    method: Method,
    /// From the first `/`.
    path: String,
    body: Body,
    accept: &'static str,
    repeat: Repeatable,
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
        let repeat = if method == Method::POST { Repeatable::IfRefused } else { Repeatable::Always };
        Self { method, path: path.into(), body: Body::None, accept, repeat }
    }

    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// Makes something new; sent twice it would be there twice.
    pub fn post(path: impl Into<String>, body: Value) -> Self {
        Self { body: Body::Json(body), ..Self::new(Method::POST, path) }
    }

    pub fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { body: Body::Json(body), ..Self::new(Method::PATCH, path) }
    }

    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    pub fn upload(path: impl Into<String>, bytes: Vec<u8>) -> Self {
        Self { body: Body::Bytes(bytes), ..Self::new(Method::POST, path) }
    }

    /// Wants the bytes of a file and not a description of it.
    #[must_use]
    pub fn raw(self) -> Self {
        Self { accept: RAW, ..self }
    }

    /// The same request, sent only once: what it rests on may have changed when it has had to wait. Whatever is worth
    /// another try is then `Uncertain`, and its sender looks again.
    #[must_use]
    pub fn attended(self) -> Self {
        Self { repeat: Repeatable::Attended, ..self }
    }

    /// The same request, which may be sent as often as one likes.
    #[must_use]
    fn repeatable(self) -> Self {
        Self { repeat: Repeatable::Always, ..self }
    }
}

#[derive(Debug, Clone)]
struct ApiAnswer {
    headers: HeaderMap,
    text: String,
}

/// GitHub, as one job may use it.
#[derive(Debug)]
pub struct Client {
    http: reqwest::Client,
    rest: Octocrab,
    graphql: Octocrab,
    access: Access,
    repository: RepositoryName,
    until: Instant,
    dry: Option<DryRun>,
}

impl Client {
    /// Prepares a client; nothing is sent yet. All requests together take no longer than `patience`.
    pub fn new(
        access: Access,
        repository: RepositoryName,
        patience: Duration,
        dry: Option<DryRun>,
    ) -> Result<Self, GithubError> {
        let http = crate::http::client().map_err(|error| GithubError::Unreachable(error.to_string()))?;
        let rest = octocrab(&http, &access.api, access.token.as_ref())?;
        let graphql = octocrab(&http, access.graphql.trim_end_matches("/graphql"), access.token.as_ref())?;
        Ok(Self { http, rest, graphql, access, repository, until: Instant::now() + patience, dry })
    }

    /// Whose repository it works on.
    pub fn repository(&self) -> &RepositoryName {
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

    /// Sends a request and reads the answer as one of octocrab's models.
    ///
    /// This suits releases. Other models demand fields that an answer may lack and we do not need, such as the author of
    /// a comment, who is missing once the account is deleted. octocrab's own request builders do not suit at all: they
    /// do not encode the names of tags and branches, and a dry run has to write the request down instead of sending it.
    pub async fn typed<T: DeserializeOwned>(&self, call: Call) -> Result<T, GithubError> {
        let answer = self.answer(&self.rest, &call).await?;
        serde_json::from_str(&answer.text).map_err(|_| self.unreadable(&call, &answer.text))
    }

    /// Sends a request and reads the answer as text.
    pub async fn text(&self, call: Call) -> Result<String, GithubError> {
        Ok(self.answer(&self.rest, &call).await?.text)
    }

    /// Every entry of a list, over all its pages. `within` names the list in an answer that is not one itself.
    pub async fn list(&self, path: &str, within: Option<&str>, most: usize) -> Result<Vec<Value>, GithubError> {
        self.typed_list(path, within, most).await
    }

    /// As `list`, with each entry read as one of octocrab's models.
    pub async fn typed_list<T: DeserializeOwned>(
        &self,
        path: &str,
        within: Option<&str>,
        most: usize,
    ) -> Result<Vec<T>, GithubError> {
        let mut all = Vec::new();
        let join = if path.contains('?') { '&' } else { '?' };
        for page in 1..=MOST_PAGES {
            let call = Call::get(format!("{path}{join}per_page=100&page={page}"));
            let answer = self.answer(&self.rest, &call).await?;
            let entries = entries(&answer.text, within).ok_or_else(|| self.unreadable(&call, &answer.text))?;
            all.extend(entries);
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
        let there = octocrab(&self.http, origin, self.access.token.as_ref())?;
        let answer = self.answer(&there, &call).await?;
        serde_json::from_str(&answer.text).map_err(|_| self.unreadable(&call, &answer.text))
    }

    /// Downloads bytes, following where the host sends on to; `None` if there are more than `most`.
    pub async fn download(&self, path: &str, most: usize) -> Result<Option<Vec<u8>>, GithubError> {
        let unreachable = |why: String| GithubError::Unreachable(self.redacted(&format!("GET {path}: {why}")));
        let left = self.until.saturating_duration_since(Instant::now());
        let mut request = self.http.get(format!("{}{path}", self.access.api.trim_end_matches('/'))).timeout(left);
        if let Some(token) = &self.access.token {
            request = request.bearer_auth(token.reveal());
        }
        let mut response = request.send().await.map_err(|error| unreachable(causes(&error)))?;
        match response.status().as_u16() {
            200 => {}
            401 => return Err(GithubError::Unauthorized(format!("GET {path}: status 401"))),
            403 => return Err(GithubError::Refused(format!("GET {path}: status 403"))),
            404 => return Err(GithubError::NotFound(format!("GET {path}: status 404"))),
            status => return Err(unreachable(format!("status {status}"))),
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(causes(&error)))? {
            if bytes.len() + chunk.len() > most {
                return Ok(None);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Some(bytes))
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

    async fn answer(&self, octocrab: &Octocrab, call: &Call) -> Result<ApiAnswer, GithubError> {
        if let Some(dry) = &self.dry {
            let reads = call.method == Method::GET || (call.repeat == Repeatable::Always && call.path == "/graphql");
            if !reads || self.access.token.is_none() {
                let text = dry.instead(call.method.as_str(), &call.path, call.body_as_json().as_ref(), reads)?;
                return Ok(ApiAnswer { headers: HeaderMap::new(), text });
            }
        }
        let once = |allowed| self.attempt(octocrab, call, allowed);
        send(&POLICY, call.repeat, Some(self.until), once).await.map_err(|failed| describe(call, failed))
    }

    async fn attempt(&self, octocrab: &Octocrab, call: &Call, allowed: Duration) -> Result<ApiAnswer, Failed<Problem>> {
        let failed = match tokio::time::timeout(allowed, once(octocrab, call)).await {
            Ok(Ok(answer)) if call.is_answered_by(&answer) => return Ok(answer),
            Ok(Ok(answer)) => {
                let why = format!("answered with what it should not be: {}", start(&answer.text));
                Failed::new(SendFailure::Lost, Problem::new(why))
            }
            Ok(Err(error)) => failed(&error),
            Err(_) => {
                let why = format!("no answer within {} s", allowed.as_secs());
                Failed::new(SendFailure::TimedOut { after: allowed }, Problem::new(why))
            }
        };
        let Problem { status, message, why } = failed.error;
        let why = self.redacted(&why);
        tracing::debug!("{} {}: {why}", call.method, call.path);
        Err(Failed { error: Problem { status, message, why }, ..failed })
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
    fn is_answered_by(&self, answer: &ApiAnswer) -> bool {
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

async fn once(octocrab: &Octocrab, call: &Call) -> octocrab::Result<ApiAnswer> {
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
    Ok(ApiAnswer { headers, text })
}

fn octocrab(http: &reqwest::Client, base: &str, token: Option<&Token>) -> Result<Octocrab, GithubError> {
    let wrong = |error: String| GithubError::Unreachable(format!("{base}: {error}"));
    let mut builder = Octocrab::builder().base_uri(base).map_err(|_| wrong("is no address".to_owned()))?;
    if let Some(token) = token {
        builder = builder.personal_token(token.reveal().to_owned());
    }
    builder.build_with_reqwest(http.clone()).map_err(|error| wrong(error.to_string()))
}

/// What went wrong with an attempt.
#[derive(Debug)]
struct Problem {
    /// The status and GitHub's own message, if there was an answer.
    status: Option<u16>,
    message: String,
    /// All of it in words.
    why: String,
}

impl Problem {
    const fn new(why: String) -> Self {
        Self { status: None, message: String::new(), why }
    }
}

fn failed(error: &octocrab::Error) -> Failed<Problem> {
    let octocrab::Error::GitHub { source, .. } = error else {
        return Failed::new(SendFailure::Lost, Problem::new(causes(error)));
    };
    let headers = source.headers.as_ref();
    let number = |name: &str| headers?.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let status = source.status_code.as_u16();
    let refusal = Refusal {
        status,
        retry_after: headers.and_then(wait_of),
        remaining: number("x-ratelimit-remaining"),
        reset: number("x-ratelimit-reset").and_then(|reset| i64::try_from(reset).ok()),
        message: &source.message,
    };
    let failure = refusal.failure(jiff::Timestamp::now().as_second());
    let details: String = source.errors.iter().flatten().map(|error| format!("; {error}")).collect();
    let message: String = format!("{}{details}", source.message).chars().take(500).collect();
    let why = format!("status {status}: {message}");
    Failed::new(failure, Problem { status: Some(status), message: source.message.clone(), why })
}

/// What a request that failed for good means to its sender.
fn describe(call: &Call, failed: Failed<Problem>) -> GithubError {
    let Failed { failure, waited, error: Problem { status, message, why } } = failed;
    if waited {
        return GithubError::Uncertain(format!("{} {}: {why}", call.method, call.path));
    }
    let why = format!("{} {}: {why}", call.method, call.path.split('?').next().unwrap_or_default());
    if matches!(failure, SendFailure::Limited(_)) || (failure.is_unclear() && call.repeat == Repeatable::Always) {
        return GithubError::Unreachable(why);
    }
    match status {
        Some(401) => GithubError::Unauthorized(why),
        Some(403) => GithubError::Refused(why),
        Some(404 | 410) => GithubError::NotFound(why),
        Some(500..=599) | None => GithubError::Uncertain(why),
        Some(status) => GithubError::Rejected { status, message, why },
    }
}

fn entries<T: DeserializeOwned>(text: &str, within: Option<&str>) -> Option<Vec<T>> {
    let mut value: Value = serde_json::from_str(text).ok()?;
    let list = match within {
        Some(name) => value.get_mut(name)?.take(),
        None => value,
    };
    serde_json::from_value(list).ok()
}

fn has_next(headers: &HeaderMap) -> bool {
    let links = headers.get_all("link").iter().filter_map(|link| link.to_str().ok());
    links.flat_map(|link| link.split(',')).any(|link| link.contains("rel=\"next\""))
}

/// How a text begins.
fn start(text: &str) -> String {
    text.chars().take(120).collect()
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
