//! HTTP/1.1 as far as GitHub's clients need it: one request per connection.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

const LONGEST_HEAD: usize = 64 * 1024;

pub(crate) struct Request {
    pub(crate) method: String,
    /// The path with its query, as it was sent.
    pub(crate) target: String,
    /// The path's parts, percent-decoded one by one.
    pub(crate) segments: Vec<String>,
    pub(crate) query: Vec<(String, String)>,
    /// By lower-cased name.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; `Null` if there is none.
    pub(crate) fn json(&self) -> Result<Value, Response> {
        if self.body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&self.body).map_err(|_| Response::error(400, "Problems parsing JSON"))
    }
}

#[derive(Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn bytes(status: u16, kind: &str, body: Vec<u8>) -> Self {
        Self { status, headers: vec![("content-type".to_owned(), kind.to_owned())], body }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::bytes(status, "application/json; charset=utf-8", body.to_string().into_bytes())
    }

    pub(crate) fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// An error in GitHub's usual shape.
    pub(crate) fn error(status: u16, message: &str) -> Self {
        let link = "https://docs.github.com/rest";
        Self::json(status, &json!({"message": message, "documentation_url": link, "status": status.to_string()}))
    }

    /// A 422 that names the resource, the field and what is wrong with it.
    pub(crate) fn invalid(resource: &str, field: &str, code: &str, message: Option<&str>) -> Self {
        let mut error = json!({"resource": resource, "code": code, "field": field});
        if let Some(message) = message {
            error["message"] = json!(message);
        }
        let link = "https://docs.github.com/rest";
        let body =
            json!({"message": "Validation Failed", "errors": [error], "documentation_url": link, "status": "422"});
        Self::json(422, &body)
    }

    pub(crate) fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn write(&self, stream: &mut TcpStream) -> std::io::Result<()> {
        let mut head = format!("HTTP/1.1 {} Status\r\nconnection: close\r\n", self.status);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if self.status != 204 {
            head.push_str(&format!("content-length: {}\r\n", self.body.len()));
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

/// Reads a request but leaves its last byte in the socket: a socket that is closed with unread bytes
/// resets the connection, and one that is not closes it politely. `finish` takes that byte.
pub(crate) fn read(stream: &mut TcpStream) -> std::io::Result<Option<Request>> {
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let Some(length) = head_length(stream)? else { return Ok(None) };
    let mut head = vec![0; length - 1];
    stream.read_exact(&mut head)?;
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or("/").to_owned());
    let pairs = lines.filter_map(|line| line.split_once(':'));
    let headers: BTreeMap<String, String> =
        pairs.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned())).collect();
    let length = headers.get("content-length").and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
    let chunked = headers.get("transfer-encoding").is_some_and(|value| value.contains("chunked"));
    if headers.get("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = if chunked {
        finish(stream)?;
        chunks(stream)?
    } else if length > 0 {
        finish(stream)?;
        let mut body = vec![0; length];
        stream.read_exact(&mut body[..length - 1])?;
        stream.peek(&mut body[length - 1..])?;
        body
    } else {
        Vec::new()
    };
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let segments = path.split('/').filter(|part| !part.is_empty()).map(|part| decoded(part, false)).collect();
    let query = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name, true), decoded(value, true))
    });
    Ok(Some(Request { method, segments, query: query.collect(), headers, body, target: target.clone() }))
}

/// Takes the byte that `read` left, so that the answer arrives.
pub(crate) fn finish(stream: &mut TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_millis(50)))?;
    let taken = stream.read(&mut [0]);
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    taken.map(|_| ()).or_else(|error| if error.kind() == std::io::ErrorKind::WouldBlock { Ok(()) } else { Err(error) })
}

/// How long the head is, once all of it is there; nothing if the client went away.
fn head_length(stream: &mut TcpStream) -> std::io::Result<Option<usize>> {
    let mut seen = vec![0; LONGEST_HEAD];
    for _ in 0..5_000 {
        let count = stream.peek(&mut seen)?;
        if count == 0 {
            return Ok(None);
        }
        if let Some(at) = seen[..count].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            return Ok(Some(at + 4));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(None)
}

fn chunks(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = usize::from_str_radix(line(stream)?.split(';').next().unwrap_or_default().trim(), 16).unwrap_or(0);
        let start = body.len();
        body.resize(start + size, 0);
        stream.read_exact(&mut body[start..])?;
        line(stream)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn line(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with('\n') && text.len() < LONGEST_HEAD {
        stream.read_exact(&mut byte)?;
        text.push(char::from(byte[0]));
    }
    Ok(text)
}

fn decoded(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match (first, hex.and_then(|pair| u8::from_str_radix(pair, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
                continue;
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            (byte, _) => bytes.push(byte),
        }
        rest = tail;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
