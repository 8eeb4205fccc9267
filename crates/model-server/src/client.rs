//! A minimal client: one connection, one call at a time. Its cost is a lower bound for any client.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const MAX_HEADERS: usize = 64;
const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body. A chunked one includes the chunks' heads.
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Retry-After in seconds.
    pub fn retry_after(&self) -> Option<Duration> {
        self.header("retry-after")?.parse().ok().map(Duration::from_secs)
    }
}

impl Client {
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    pub async fn complete(&mut self, body: &[u8]) -> io::Result<Response> {
        self.request("POST /v1/chat/completions", None, body).await
    }

    /// Sends a POST request. `token` is a bearer token.
    pub async fn post(&mut self, path: &str, token: Option<&str>, body: &[u8]) -> io::Result<Response> {
        self.request(&format!("POST {path}"), token, body).await
    }

    pub async fn get(&mut self, path: &str, token: Option<&str>) -> io::Result<Response> {
        self.request(&format!("GET {path}"), token, b"").await
    }

    /// Sends a POST request with these header lines, each with its line break.
    pub async fn post_with(&mut self, path: &str, headers: &str, body: &[u8]) -> io::Result<Response> {
        self.send_with(&format!("POST {path}"), headers, body).await?;
        self.receive().await
    }

    /// Sends a GET request with these header lines, each with its line break.
    pub async fn get_with(&mut self, path: &str, headers: &str) -> io::Result<Response> {
        self.send_with(&format!("GET {path}"), headers, b"").await?;
        self.receive().await
    }

    async fn request(&mut self, line: &str, token: Option<&str>, body: &[u8]) -> io::Result<Response> {
        self.send(line, token, body).await?;
        self.receive().await
    }

    async fn receive(&mut self) -> io::Result<Response> {
        self.buffer.clear();
        let (mut response, start) = loop {
            self.read().await?;
            if let Some(head) = parse_head(&self.buffer)? {
                break head;
            }
        };
        if response.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            // No JSON contains the end mark of chunks.
            while !self.buffer[start..].ends_with(LAST_CHUNK) {
                self.read().await?;
            }
        } else {
            let length: usize = response.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            while self.buffer.len() < start + length {
                self.read().await?;
            }
        }
        response.body = self.buffer[start..].to_vec();
        Ok(response)
    }

    /// Sends a request whose answer is an event stream or a download. Returns its head as soon as it has arrived.
    pub async fn open_stream(&mut self, path: &str, token: &str) -> io::Result<Response> {
        self.send(&format!("GET {path}"), Some(token), b"").await?;
        self.buffer.clear();
        loop {
            self.read().await?;
            if let Some((response, start)) = parse_head(&self.buffer)? {
                self.buffer.drain(..start);
                return Ok(response);
            }
        }
    }

    /// Waits for more of the event stream. Returns the number of bytes that came; 0 at its end.
    pub async fn more(&mut self) -> io::Result<usize> {
        self.buffer.clear();
        self.stream.read_buf(&mut self.buffer).await
    }

    /// Reads and drops the body of a download. Returns the number of bytes.
    pub async fn rest(&mut self, head: &Response) -> io::Result<usize> {
        let length = head.header("content-length").and_then(|length| length.parse().ok());
        let mut bytes = self.buffer.len();
        while length.map_or_else(|| !self.buffer.ends_with(LAST_CHUNK), |length| bytes < length) {
            let before = self.buffer.len().saturating_sub(LAST_CHUNK.len());
            self.buffer.drain(..before);
            let kept = self.buffer.len();
            self.read().await?;
            bytes += self.buffer.len() - kept;
        }
        Ok(bytes)
    }

    async fn send(&mut self, line: &str, token: Option<&str>, body: &[u8]) -> io::Result<()> {
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
        self.send_with(line, &token, body).await
    }

    async fn send_with(&mut self, line: &str, headers: &str, body: &[u8]) -> io::Result<()> {
        let length = body.len();
        let head = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
        );
        self.stream.write_all(&[head.as_bytes(), body].concat()).await
    }

    async fn read(&mut self) -> io::Result<()> {
        self.buffer.reserve(16 << 10);
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// Returns the response without its body, and the offset of the body.
fn parse_head(buffer: &[u8]) -> io::Result<Option<(Response, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Response::new(&mut headers);
    let invalid = |error: httparse::Error| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
    let httparse::Status::Complete(start) = parsed.parse(buffer).map_err(invalid)? else { return Ok(None) };
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = parsed.headers.iter().map(|header| (header.name.to_owned(), text(header.value))).collect();
    Ok(Some((Response { status: parsed.code.unwrap_or_default(), headers, body: Vec::new() }, start)))
}
