//! The least that can be called a client: one connection, one call at a time.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Lines as they came, without the first.
    pub headers: String,
    pub body: Vec<u8>,
}

impl Response {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.headers.split("\r\n").filter_map(|line| line.split_once(':'));
        lines.find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
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
        self.post("/v1/chat/completions", body).await
    }

    pub async fn post(&mut self, path: &str, body: &[u8]) -> io::Result<Response> {
        self.request(&format!("POST {path}"), "", body).await
    }

    pub async fn get(&mut self, path: &str) -> io::Result<Response> {
        self.request(&format!("GET {path}"), "", b"").await
    }

    /// With a bearer token.
    pub async fn get_as(&mut self, path: &str, token: &str) -> io::Result<Response> {
        self.request(&format!("GET {path}"), &format!("authorization: Bearer {token}\r\n"), b"").await
    }

    /// `headers` as they go over the wire, each with its line break.
    async fn request(&mut self, line: &str, headers: &str, body: &[u8]) -> io::Result<Response> {
        let length = body.len();
        let mut call = Vec::with_capacity(length + 160);
        call.extend_from_slice(
            format!(
                "{line} HTTP/1.1\r\nhost: stub\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{headers}\r\n"
            )
            .as_bytes(),
        );
        call.extend_from_slice(body);
        self.stream.write_all(&call).await?;
        drop(call);
        self.response().await
    }

    async fn response(&mut self) -> io::Result<Response> {
        self.buffer.clear();
        let head = loop {
            self.read().await?;
            if let Some(end) = memmem::find(&self.buffer, b"\r\n\r\n") {
                break end;
            }
        };
        let text = String::from_utf8_lossy(&self.buffer[..head]).into_owned();
        let (first, headers) = text.split_once("\r\n").unwrap_or((&text, ""));
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(malformed)?;
        let mut response = Response { status, headers: headers.to_owned(), body: Vec::new() };
        if response.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            // No JSON holds the last chunk's mark. Nobody looks into such a body here: its chunks stay as they came.
            while !self.buffer[head + 4..].ends_with(b"0\r\n\r\n") {
                self.read().await?;
            }
            response.body = self.buffer[head + 4..].to_vec();
            return Ok(response);
        }
        let length: usize = response.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while self.buffer.len() < head + 4 + length {
            self.read().await?;
        }
        response.body = self.buffer[head + 4..].to_vec();
        Ok(response)
    }

    async fn read(&mut self) -> io::Result<()> {
        self.buffer.reserve(4 << 10);
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP")
}
