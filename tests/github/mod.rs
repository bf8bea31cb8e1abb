//! A small GitHub of our own on loopback. It keeps state, checks tokens, and can be told to fail.
#![allow(dead_code, reason = "the end-to-end tests and the program `serve.rs` each use a part")]
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "it serves tests, and says what is wrong by panicking"
)]

pub(crate) mod faults;
mod git;
mod graphql;
mod history;
mod http;
pub(crate) mod load;
mod releases;
mod rest;
mod shapes;
pub(crate) mod state;

use std::collections::BTreeMap;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use self::faults::{Fault, Instead};
use self::http::{Request, Response};
use self::state::{Repository, State, Token};

/// The token that may do everything, until others are set.
pub(crate) const TOKEN: &str = "ghs_loopback";
/// Whom that token speaks for.
pub(crate) const LOGIN: &str = "github-actions[bot]";

/// A running server. It stops when it is dropped.
pub(crate) struct Github {
    /// `http://127.0.0.1:PORT`, for the REST API and, with `/graphql`, for GraphQL.
    pub(crate) url: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    faults: Mutex<Vec<Fault>>,
    stop: AtomicBool,
}

impl Github {
    pub(crate) fn start() -> Self {
        Self::start_on(0)
    }

    pub(crate) fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let reset = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 3600;
        let state =
            State { base: url.clone(), tokens: BTreeMap::new(), repositories: BTreeMap::new(), log: Vec::new(), reset };
        let stop = AtomicBool::new(false);
        let shared = Arc::new(Shared { state: Mutex::new(state), faults: Mutex::new(Vec::new()), stop });
        let server = shared.clone();
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if server.stop.load(Ordering::SeqCst) {
                    break;
                }
                let server = server.clone();
                // A client that went away is its own affair.
                std::thread::spawn(move || drop(server.serve(stream)));
            }
        });
        let github = Self { url, shared, thread: Some(thread) };
        let all = ["contents", "pull-requests", "checks", "issues"].map(|name| (name, "write"));
        github.token(TOKEN, LOGIN, &all);
        github
    }

    /// Sets what a token may do (`("pull-requests", "read")`; what is not named is forbidden) and whom it speaks for.
    pub(crate) fn token(&self, token: &str, login: &str, permissions: &[(&str, &str)]) -> &Self {
        let permissions =
            permissions.iter().map(|(name, level)| (name.replace('-', "_"), (*level).to_owned())).collect();
        self.edit(|state| state.tokens.insert(token.to_owned(), Token { login: login.to_owned(), permissions }));
        self
    }

    /// What the usual token may do.
    pub(crate) fn permissions(&self, permissions: &[(&str, &str)]) -> &Self {
        self.token(TOKEN, LOGIN, permissions)
    }

    /// Builds or reads a repository, which is made if it is new. No request is answered meanwhile.
    pub(crate) fn repository<T>(&self, name: &str, work: impl FnOnce(&mut Repository) -> T) -> T {
        self.edit(|state| work(state.repository(name)))
    }

    pub(crate) fn edit<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.shared.state.lock().unwrap())
    }

    /// Adds a rule; the first whose turn it is wins.
    pub(crate) fn fault(&self, fault: Fault) -> &Self {
        self.shared.faults.lock().unwrap().push(fault);
        self
    }

    pub(crate) fn forget_faults(&self) -> &Self {
        self.shared.faults.lock().unwrap().clear();
        self
    }

    /// What came in: `method`, `path`, `headers`, `body`, `status` (null after a reset), `fault`.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.edit(|state| state.log.clone())
    }

    /// Those of a method whose path with query contains this.
    pub(crate) fn requests_to(&self, method: &str, path: &str) -> Vec<Value> {
        let mut requests = self.requests();
        requests.retain(|seen| seen["method"] == method && seen["path"].as_str().unwrap().contains(path));
        requests
    }

    /// What `GET /_state` answers.
    pub(crate) fn state(&self) -> Value {
        self.edit(|state| state.dump())
    }
}

impl Drop for Github {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // The listener wakes up to see that it is over.
        drop(TcpStream::connect(self.url.trim_start_matches("http://")));
        self.thread.take().map(JoinHandle::join);
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let Some(request) = http::read(&mut stream)? else { return Ok(()) };
        if request.target == "/_state" {
            http::finish(&mut stream)?;
            let dump = self.state.lock().unwrap().dump();
            return Response::json(200, &dump).write(&mut stream);
        }
        let effect = faults::effect(&mut self.faults.lock().unwrap(), &request);
        let place = self.record(&request, &effect.describe());
        if let Some(hook) = &effect.before {
            hook(&mut self.state.lock().unwrap());
        }
        let acts = effect.instead.is_none() || effect.acts;
        let real = acts.then(|| rest::answer(&mut self.state.lock().unwrap(), &request));
        if let Some(hook) = &effect.after {
            hook(&mut self.state.lock().unwrap());
        }
        std::thread::sleep(effect.delay);
        let response = match (effect.instead, real) {
            // The byte that `http::read` left makes this a reset.
            (Some(Instead::Reset), _) => return Ok(()),
            (Some(Instead::Answer(response)), _) | (None, Some(response)) => response,
            (None, None) => unreachable!("a request without a fault is acted on"),
        };
        http::finish(&mut stream)?;
        self.limited(place, response).write(&mut stream)
    }

    /// Writes the request into the log and answers its place there.
    fn record(&self, request: &Request, fault: &Value) -> usize {
        let mut state = self.state.lock().unwrap();
        let mut headers = json!(request.headers);
        if let Some(value) = request.headers.get("authorization") {
            let right = rest::token(&state, request).is_some();
            headers["authorization"] = json!({"scheme": value.split(' ').next(), "right": right});
        }
        let raw = || json!({"bytes": request.body.len()});
        let body = if request.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&request.body).unwrap_or_else(|_| raw())
        };
        state.log.push(json!({
            "method": request.method, "path": request.target, "headers": headers, "body": body, "status": null, "fault": fault,
        }));
        state.log.len()
    }

    /// With the rate limit's headers, where the answer has none of its own.
    fn limited(&self, place: usize, mut response: Response) -> Response {
        let mut state = self.state.lock().unwrap();
        state.log[place - 1]["status"] = json!(response.status);
        let remaining = rest::LIMIT.saturating_sub(place);
        let headers = [
            ("x-ratelimit-limit", rest::LIMIT.to_string()),
            ("x-ratelimit-remaining", remaining.to_string()),
            ("x-ratelimit-used", place.to_string()),
            ("x-ratelimit-reset", state.reset.to_string()),
            ("x-ratelimit-resource", "core".to_owned()),
            ("x-github-request-id", format!("0000:{place}")),
            ("x-github-media-type", "github.v3; format=json".to_owned()),
        ];
        for (name, value) in headers {
            if !response.headers.iter().any(|(key, _)| key == name) {
                response = response.with(name, value);
            }
        }
        response
    }
}
