//! The part of HTTP/1.1 that clients of a model server use: keep-alive and Content-Length, without chunks.
//!
//! It works on plain sockets instead of a web framework, because some faults concern bytes: resets, half bodies, slow
//! ones.

use std::fmt::{Display, Write};
use std::io;
use std::ops::Range;

use serde_json::Value;
use tokio::net::TcpStream;

use crate::request::Wire;

/// Size of the read buffer, in bytes. A usual call fits with its head, so that one read is enough.
const READ_BYTES: usize = 20 << 10;
const MAX_HEAD: usize = 64 << 10;
const MAX_BODY: usize = 8 << 20;
/// Maximum size of a file or a list of a batch's requests, in bytes.
const MAX_FILE_BYTES: usize = 64 << 20;
const MAX_HEADERS: usize = 64;

#[derive(Debug)]
pub struct HttpRequest {
    pub method: String,
    pub path: String,
    pub content_type: String,
    /// The API key, from whichever header or parameter has it.
    pub key: Option<String>,
    /// The wire that a header tells: `anthropic-version`, or one of Google's.
    pub wire: Option<Wire>,
    pub host: String,
    /// Google's command for a piece of an upload.
    pub upload_command: String,
    /// Range of the body in the buffer. `None` if it was too large and was dropped.
    pub body: Option<Range<usize>>,
    pub keep_alive: bool,
}

/// The head of a request.
#[derive(Debug)]
struct Head {
    request: HttpRequest,
    body: Range<usize>,
    expects_continue: bool,
}

/// Reads one whole request. `None` if the client has closed. The buffer may already hold the beginning.
pub async fn read(stream: &TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<HttpRequest>> {
    let head = loop {
        if let Some(head) = parse_head(buffer)? {
            break head;
        }
        if read_some(stream, buffer, READ_BYTES).await? == 0 {
            return Ok(None);
        }
    };
    let Head { mut request, body, expects_continue } = head;
    let path = request.path.split('?').next().unwrap_or_default();
    let is_long = ["/files", "/batches", ":batchGenerateContent"].iter().any(|end| path.ends_with(end));
    let most = if is_long { MAX_FILE_BYTES } else { MAX_BODY };
    if body.len() > most {
        // The rest is read as well, because a client that is still writing does not read the answer.
        let mut rest = body.end - buffer.len().min(body.end);
        buffer.clear();
        while rest > 0 {
            let read = read_some(stream, buffer, READ_BYTES).await?;
            if read == 0 {
                return Ok(None);
            }
            rest = rest.saturating_sub(read);
            buffer.clear();
        }
        return Ok(Some(HttpRequest { body: None, keep_alive: false, ..request }));
    }
    if expects_continue && buffer.len() < body.end {
        stream.writable().await?;
        stream.try_write(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    while buffer.len() < body.end {
        if read_some(stream, buffer, body.end - buffer.len()).await? == 0 {
            return Ok(None);
        }
    }
    request.body = Some(body);
    Ok(Some(request))
}

/// Waits for bytes and appends them. Allocates memory only when there are some, so that idle connections hold none.
async fn read_some(stream: &TcpStream, buffer: &mut Vec<u8>, room: usize) -> io::Result<usize> {
    loop {
        stream.readable().await?;
        buffer.reserve(room);
        match stream.try_read_buf(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            read => return read,
        }
    }
}

fn parse_head(buffer: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    let start = match parsed.parse(buffer).map_err(|error| malformed(&error.to_string()))? {
        httparse::Status::Complete(start) => start,
        httparse::Status::Partial if buffer.len() > MAX_HEAD => return Err(malformed("head too long")),
        httparse::Status::Partial => return Ok(None),
    };
    let (mut length, mut keep_alive, mut expects_continue) = (0_usize, true, false);
    let (mut content_type, mut host, mut upload_command) = (String::new(), String::new(), String::new());
    let (mut key, mut wire) = (None, None);
    for header in parsed.headers.iter() {
        let value = str::from_utf8(header.value).unwrap_or_default().trim();
        match header.name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| malformed("Content-Length"))?,
            "content-type" => content_type = value.to_owned(),
            "host" => host = value.to_owned(),
            "x-goog-upload-command" => upload_command = value.to_owned(),
            "authorization" => key = value.strip_prefix("Bearer ").map(str::to_owned),
            "x-api-key" => key = Some(value.to_owned()),
            "x-goog-api-key" => (key, wire) = (Some(value.to_owned()), Some(Wire::Gemini)),
            "x-goog-api-client" => wire = Some(Wire::Gemini),
            "anthropic-version" => wire = Some(Wire::Anthropic),
            "connection" => keep_alive = !value.eq_ignore_ascii_case("close"),
            "expect" => expects_continue = value.eq_ignore_ascii_case("100-continue"),
            "transfer-encoding" => return Err(malformed("Transfer-Encoding is not supported")),
            _ => {}
        }
    }
    let end = start.checked_add(length).ok_or_else(|| malformed("Content-Length"))?;
    let method = parsed.method.unwrap_or_default().to_owned();
    let path = parsed.path.unwrap_or_default().to_owned();
    // Gemini also takes the key as a parameter.
    let key = key.or_else(|| Some(path.split_once("key=")?.1.split('&').next()?.to_owned()));
    let request = HttpRequest { method, path, content_type, key, wire, host, upload_command, body: None, keep_alive };
    Ok(Some(Head { request, body: start..end, expects_continue }))
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("bad request: {what}"))
}

#[derive(Clone, Debug)]
pub struct HttpResponse {
    status: &'static str,
    /// Header lines, each with its line break.
    headers: String,
    pub body: String,
    /// Offset of the end of each event in the body. Empty if it has none.
    pub event_ends: Vec<usize>,
}

impl HttpResponse {
    /// Puts a text before the message of each error in the body, and into the title of a page.
    pub fn echo(&mut self, text: &str) {
        for place in [r#""message":""#, "<title>"] {
            self.body = self.body.replace(place, &format!("{place}{text} "));
        }
        if !self.event_ends.is_empty() {
            self.event_ends = vec![self.body.len()];
        }
    }

    fn new(status: &'static str, content_type: &str, body: String) -> Self {
        Self { status, headers: format!("content-type: {content_type}\r\n"), body, event_ends: Vec::new() }
    }

    pub fn json(status: &'static str, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    /// Server-sent events of these names and data. A name may be empty.
    pub fn events(events: Vec<(&'static str, String)>) -> Self {
        let mut response = Self::new("200 OK", "text/event-stream", String::new());
        for (name, data) in events {
            response.push_event(name, &data);
        }
        response
    }

    fn push_event(&mut self, name: &str, data: &str) {
        if !name.is_empty() {
            // Writing to a string cannot fail.
            let _ = writeln!(self.body, "event: {name}");
        }
        let _ = writeln!(self.body, "data: {data}\n");
        self.event_ends.push(self.body.len());
    }

    /// Replaces the second half of the events by this one. Returns whether the body has events.
    pub fn end_midway_with(&mut self, name: &str, data: &str) -> bool {
        let Some(middle) = self.event_ends.get(self.event_ends.len() / 2).copied() else { return false };
        self.event_ends.retain(|end| *end <= middle);
        self.body.truncate(middle);
        self.push_event(name, data);
        true
    }

    /// An HTML page, as a gateway before the server sends it.
    pub fn html(status: &'static str) -> Self {
        let body = "<!DOCTYPE html><html><head><title>Gateway</title></head><body><h1>One moment</h1></body></html>";
        Self::new(status, "text/html", body.into())
    }

    /// A response of JSON Lines.
    pub fn lines(body: String) -> Self {
        Self::new("200 OK", "application/jsonl", body)
    }

    pub fn status_code(&self) -> u16 {
        self.status.get(..3).and_then(|code| code.parse().ok()).unwrap_or_default()
    }

    pub fn empty(status: &'static str) -> Self {
        Self { status, headers: String::new(), body: String::new(), event_ends: Vec::new() }
    }

    pub fn header(&mut self, name: &str, value: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(self.headers, "{name}: {value}\r\n");
    }

    /// Returns the head for a body of this length.
    pub fn head(&self, length: usize) -> String {
        let Self { status, headers, .. } = self;
        format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\n\r\n")
    }

    /// Returns head and body.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head(self.body.len());
        bytes.push_str(&self.body);
        bytes.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_whatever_the_case_and_order_of_its_lines() {
        let head =
            b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nCONTENT-LENGTH:  12\r\nConnection: close\r\n\r\n{";
        let Head { request, body, .. } = parse_head(head).unwrap().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/chat/completions"));
        assert_eq!(body.len(), 12);
        assert!(!request.keep_alive);
    }

    #[test]
    fn half_a_head_waits_and_a_bad_one_is_refused() {
        assert!(parse_head(b"POST /v1/chat/completions HTTP/1.1\r\nhost").unwrap().is_none());
        assert!(parse_head(b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n").is_err());
        assert!(parse_head(b"POST / HTTP/1.1\r\ncontent-length: 18446744073709551615\r\n\r\n").is_err());
    }
}
