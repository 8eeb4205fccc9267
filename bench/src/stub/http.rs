//! As much HTTP/1.1 as clients of a model server speak: keep-alive, Content-Length, no chunks.

use std::io;
use std::ops::Range;

use memchr::memmem;
use tokio::net::TcpStream;

/// Room for a usual call, head and all, so that one read takes it.
const USUAL: usize = 20 << 10;
const HEAD_AT_MOST: usize = 64 << 10;
const BODY_AT_MOST: usize = 64 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Completions,
    Models,
    /// The counters as JSON, for other processes.
    Counters,
    Unknown,
}

#[derive(Debug)]
pub(super) struct Request {
    pub(super) route: Route,
    /// Where the body lies in the buffer.
    pub(super) body: Range<usize>,
    pub(super) keep_alive: bool,
}

/// Reads one request to its end; `None` when the client has closed. The buffer may already hold its beginning.
pub(super) async fn read(stream: &TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<Request>> {
    let mut request = None;
    loop {
        if request.is_none() {
            request = parse_head(buffer)?;
        }
        if let Some(request) = request.take_if(|request| buffer.len() >= request.body.end) {
            return Ok(Some(request));
        }
        // Idle connections hold no buffer: memory is taken when there is something to read.
        stream.readable().await?;
        let missing = request.as_ref().map_or(USUAL, |request| request.body.end - buffer.len());
        buffer.reserve(missing);
        match stream.try_read_buf(buffer) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

fn parse_head(buffer: &[u8]) -> io::Result<Option<Request>> {
    let Some(end) = memmem::find(buffer, b"\r\n\r\n") else {
        return if buffer.len() > HEAD_AT_MOST { Err(malformed("head too long")) } else { Ok(None) };
    };
    let head = str::from_utf8(&buffer[..end]).map_err(|_| malformed("head is not UTF-8"))?;
    let (first, headers) = head.split_once("\r\n").unwrap_or((head, ""));
    let mut length = 0;
    let mut keep_alive = true;
    for (name, value) in headers.split("\r\n").filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(|_| malformed("Content-Length"))?;
        } else if name.eq_ignore_ascii_case("connection") {
            keep_alive = !value.trim().eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(malformed("Transfer-Encoding is not spoken here"));
        }
    }
    if length > BODY_AT_MOST {
        return Err(malformed("body too long"));
    }
    let body = end + 4..end + 4 + length;
    Ok(Some(Request { route: route(first), body, keep_alive }))
}

fn route(first_line: &str) -> Route {
    let mut words = first_line.split(' ');
    match (words.next(), words.next()) {
        (Some("POST"), Some(path)) if path.ends_with("/chat/completions") => Route::Completions,
        (Some("GET"), Some(path)) if path.ends_with("/models") => Route::Models,
        (Some("GET"), Some("/counters")) => Route::Counters,
        _ => Route::Unknown,
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("bad request: {what}"))
}

/// A whole answer. `headers` are complete lines, each with its line break.
pub(super) fn answer(status: &str, content_type: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
        .into_bytes()
}

pub(super) fn json(status: &str, headers: &str, body: &str) -> Vec<u8> {
    answer(status, "application/json", headers, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_whatever_the_case_and_order_of_its_lines() {
        let head =
            b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nCONTENT-LENGTH:  12\r\nConnection: close\r\n\r\n{";
        let request = parse_head(head).unwrap().unwrap();
        assert_eq!(request.route, Route::Completions);
        assert_eq!(request.body.len(), 12);
        assert!(!request.keep_alive);
    }

    #[test]
    fn half_a_head_waits_and_a_bad_one_is_refused() {
        assert!(parse_head(b"POST /v1/chat/completions HTTP/1.1\r\nhost").unwrap().is_none());
        assert!(parse_head(b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n").is_err());
        assert!(parse_head(b"POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n").is_err());
    }
}
