//! A service that answers POSTed JSON.
#![expect(clippy::disallowed_methods, reason = "edge: reads the clock")]

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::model::{Answer, Ending};
use crate::settings::HttpTarget;

/// POSTs JSON. What a service refuses or cannot do is nobody's wrong answer.
pub(super) async fn post(target: HttpTarget, body: Value) -> Answer {
    let began = Instant::now();
    let ending = tokio::task::spawn_blocking(move || post_blocking(&target, &body)).await;
    let ending = ending.unwrap_or_else(|error| Ending::Unreachable { why: error.to_string() });
    Answer { duration: began.elapsed(), ..Answer::ended(ending) }
}

/// How often a service is asked before it counts as unreachable.
const TRIES: u32 = 3;

fn post_blocking(target: &HttpTarget, body: &Value) -> Ending {
    let config = ureq::Agent::config_builder().timeout_global(Some(target.timeout)).http_status_as_error(false).build();
    let agent: ureq::Agent = config.into();
    let mut last = String::new();
    for attempt in 0..TRIES {
        if attempt > 0 {
            std::thread::sleep(Duration::from_millis(200 << attempt));
        }
        match agent.post(&target.url).send_json(body) {
            Err(error) => last = error.to_string(),
            Ok(mut response) => {
                let status = response.status().as_u16();
                let text = response.body_mut().read_to_string();
                match (status, text) {
                    (200..=299, Ok(text)) if text.trim().is_empty() => return Ending::Empty,
                    (200..=299, Ok(text)) => return Ending::Answered(text),
                    (200..=299, Err(error)) => return Ending::Unreadable { why: error.to_string() },
                    (401 | 403, _) => return Ending::Unreachable { why: format!("status {status}") },
                    (429 | 500..=599, _) => last = format!("status {status}"),
                    (_, text) => {
                        return Ending::Unreadable {
                            why: format!("status {status}: {}", text.unwrap_or_default().trim()),
                        };
                    }
                }
            }
        }
    }
    Ending::Unreachable { why: last }
}
