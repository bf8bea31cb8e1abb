//! What goes wrong, when, and on which request.

use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use serde_json::{Value, json};

use super::http::{Request, Response};
use super::state::State;

pub(crate) type Hook = Arc<dyn Fn(&mut State) + Send + Sync>;

/// A rule: which requests, which of them by their count, and what happens then.
#[derive(Clone)]
pub(crate) struct Fault {
    method: String,
    path: Regex,
    first: usize,
    last: usize,
    seen: usize,
    pub(crate) effect: Effect,
}

/// What happens to one request. Nothing set: it is answered as always.
#[derive(Clone, Default)]
pub(crate) struct Effect {
    pub(crate) before: Option<Hook>,
    pub(crate) after: Option<Hook>,
    pub(crate) delay: Duration,
    /// Instead of the true answer.
    pub(crate) instead: Option<Instead>,
    /// The change happens even though the true answer is lost.
    pub(crate) acts: bool,
}

#[derive(Clone)]
pub(crate) enum Instead {
    Answer(Response),
    Reset,
}

impl Fault {
    /// The first request of this method (`*` for any) whose path with query matches this regular expression.
    pub(crate) fn on(method: &str, path: &str) -> Self {
        let path = Regex::new(path).unwrap();
        Self { method: method.to_owned(), path, first: 1, last: 1, seen: 0, effect: Effect::default() }
    }

    /// Only the nth such request, from 1.
    pub(crate) fn nth(mut self, n: usize) -> Self {
        (self.first, self.last) = (n, n);
        self
    }

    /// The first n such requests.
    pub(crate) fn first(mut self, n: usize) -> Self {
        (self.first, self.last) = (1, n);
        self
    }

    pub(crate) fn always(self) -> Self {
        self.first(usize::MAX)
    }

    /// Answers this status with GitHub's body for it.
    pub(crate) fn fails(self, status: u16) -> Self {
        if status == 502 {
            return self.answers(502, &[("content-type", "text/html")], "<html><h1>502 Bad Gateway</h1></html>");
        }
        let message = match status {
            401 => "Bad credentials",
            403 => "Resource not accessible by integration",
            404 => "Not Found",
            409 => "Conflict",
            422 => "Validation Failed",
            429 => "You have exceeded a secondary rate limit.",
            _ => "Server Error",
        };
        self.answer(Response::error(status, message))
    }

    pub(crate) fn answers(self, status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let answer = Response::bytes(status, "application/json; charset=utf-8", body.as_bytes().to_vec());
        self.answer(headers.iter().fold(answer, |answer, (name, value)| answer.with(name, value)))
    }

    /// 403 with `retry-after`, while requests remain.
    pub(crate) fn secondary_limit(self, retry_after: u64) -> Self {
        let message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
        self.answer(Response::error(403, message).with("retry-after", retry_after))
    }

    /// 403 with no request left until `reset`, in seconds since 1970.
    pub(crate) fn primary_limit(self, reset: u64) -> Self {
        let answer = Response::error(403, "API rate limit exceeded for installation ID 1.");
        self.answer(answer.with("x-ratelimit-remaining", 0).with("x-ratelimit-reset", reset))
    }

    /// A web page where JSON was due.
    pub(crate) fn garbage(self) -> Self {
        self.answers(200, &[("content-type", "text/html; charset=utf-8")], "<!DOCTYPE html><title>Unicorn!</title>")
    }

    /// Resets the connection, and nothing has happened.
    pub(crate) fn resets(mut self) -> Self {
        self.effect.instead = Some(Instead::Reset);
        self
    }

    /// The change happens, the answer is lost.
    pub(crate) fn acts_and_resets(self) -> Self {
        self.resets().having_acted()
    }

    /// Lets the change happen before the false answer.
    pub(crate) fn having_acted(mut self) -> Self {
        self.effect.acts = true;
        self
    }

    pub(crate) fn slow(mut self, milliseconds: u64) -> Self {
        self.effect.delay = Duration::from_millis(milliseconds);
        self
    }

    pub(crate) fn before(mut self, hook: impl Fn(&mut State) + Send + Sync + 'static) -> Self {
        self.effect.before = Some(Arc::new(hook));
        self
    }

    pub(crate) fn after(mut self, hook: impl Fn(&mut State) + Send + Sync + 'static) -> Self {
        self.effect.after = Some(Arc::new(hook));
        self
    }

    fn answer(mut self, answer: Response) -> Self {
        self.effect.instead = Some(Instead::Answer(answer));
        self
    }

    /// From `{"method", "path", "nth" | "first" | "always", "acts", "slow"}` and one of `"status"` (with `"headers"` and
    /// `"body"`), `"secondary_limit"`, `"primary_limit"`, `"reset"` and `"garbage"`.
    pub(crate) fn from_json(value: &Value) -> Self {
        let known = [
            "method",
            "path",
            "nth",
            "first",
            "always",
            "acts",
            "slow",
            "status",
            "headers",
            "body",
            "secondary_limit",
            "primary_limit",
            "reset",
            "garbage",
        ];
        let unknown = value.as_object().unwrap().keys().find(|key| !known.contains(&key.as_str()));
        assert!(unknown.is_none(), "a fault has no {unknown:?}");
        let number = |key: &str| value[key].as_u64();
        let mut fault = Self::on(value["method"].as_str().unwrap_or("*"), value["path"].as_str().unwrap_or(""));
        fault = match (number("nth"), number("first"), value["always"] == true) {
            (Some(n), _, _) => fault.nth(usize::try_from(n).unwrap()),
            (_, Some(n), _) => fault.first(usize::try_from(n).unwrap()),
            (_, _, true) => fault.always(),
            (_, _, false) => fault,
        };
        fault = fault.slow(number("slow").unwrap_or(0));
        if let Some(status) = number("status") {
            let status = u16::try_from(status).unwrap();
            fault = match &value["body"] {
                Value::Null => fault.fails(status),
                Value::String(text) => fault.answers(status, &[], text),
                body @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                    fault.answers(status, &[], &body.to_string())
                }
            };
        } else if let Some(seconds) = number("secondary_limit") {
            fault = fault.secondary_limit(seconds);
        } else if let Some(at) = number("primary_limit") {
            fault = fault.primary_limit(at);
        } else if value["reset"] == true {
            fault = fault.resets();
        } else if value["garbage"] == true {
            fault = fault.garbage();
        }
        if let (Some(Instead::Answer(answer)), Some(headers)) =
            (&mut fault.effect.instead, value["headers"].as_object())
        {
            for (name, text) in headers {
                *answer = answer.clone().with(name, text.as_str().map_or_else(|| text.to_string(), str::to_owned));
            }
        }
        fault.effect.acts = value["acts"] == true;
        fault
    }
}

/// The effect of the first rule whose turn it is. Every rule that matches counts the request.
pub(crate) fn effect(faults: &mut [Fault], request: &Request) -> Effect {
    let mut effect = None;
    for fault in faults {
        if (fault.method != "*" && fault.method != request.method) || !fault.path.is_match(&request.target) {
            continue;
        }
        fault.seen += 1;
        if effect.is_none() && (fault.first..=fault.last).contains(&fault.seen) {
            effect = Some(fault.effect.clone());
        }
    }
    effect.unwrap_or_default()
}

impl Effect {
    /// For the log.
    pub(crate) fn describe(&self) -> Value {
        match &self.instead {
            None => Value::Null,
            Some(Instead::Reset) => json!({"reset": true, "acted": self.acts}),
            Some(Instead::Answer(answer)) => json!({"status": answer.status, "acted": self.acts}),
        }
    }
}
