//! A small OpenAI-compatible chat endpoint on loopback, which can misbehave.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What the endpoint does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Status, further headers, body.
    Http(u16, &'static str, String),
    /// It never answers.
    Hang,
    /// It closes the connection without a word.
    Drop,
}

/// An answer as a model gives it.
pub(crate) fn says(content: &str) -> Reply {
    let body = json!({
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    });
    Reply::Http(200, "", body.to_string())
}

/// One request that came in.
#[derive(Clone)]
pub(crate) struct Seen {
    pub(crate) at: Instant,
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Seen {
    /// What the model was asked last.
    pub(crate) fn prompt(&self) -> &str {
        let messages = self.body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"].as_str().unwrap()
    }
}

type Script = dyn Fn(usize, &Seen) -> Reply + Send + Sync;

pub(crate) struct Chat {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Chat {
    /// Starts it; `script` is given the number of the request, from 0, and the request.
    pub(crate) fn start(script: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (seen, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let script: Arc<Script> = Arc::new(script);
        let thread = {
            let (seen, stop) = (Arc::clone(&seen), Arc::clone(&stop));
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    match listener.accept() {
                        Ok((stream, _)) => {
                            let (seen, stop, script) = (Arc::clone(&seen), Arc::clone(&stop), Arc::clone(&script));
                            std::thread::spawn(move || serve(stream, &seen, &stop, &*script));
                        }
                        Err(_) => std::thread::sleep(Duration::from_millis(2)),
                    }
                }
            })
        };
        Self { url, seen, stop, thread: Some(thread) }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Chat {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<Seen>>, stop: &AtomicBool, script: &Script) {
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let (head, body) = loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:").map(|n| n.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                break (head.to_owned(), body.to_owned());
            }
        }
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => bytes.extend_from_slice(&buffer[..count]),
            Ok(0) | Err(_) => return,
        }
    };
    let request = Seen { at: Instant::now(), head, body: serde_json::from_str(&body).unwrap_or(Value::Null) };
    let number = {
        let mut seen = seen.lock().unwrap();
        seen.push(request.clone());
        seen.len() - 1
    };
    match script(number, &request) {
        Reply::Drop => {}
        Reply::Hang => {
            while !stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Reply::Http(status, headers, body) => {
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).ok();
            stream.write_all(body.as_bytes()).ok();
        }
    }
}
