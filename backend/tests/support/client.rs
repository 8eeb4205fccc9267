//! A caller of the API, like a browser or a script.

use std::sync::LazyLock;

use native_tls::TlsConnector;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, RequestBuilder};
use serde_json::Value;

/// TLS settings that all clients share: each client of reqwest's would read the system's certificates, which takes
/// about 30 ms.
static CONNECTOR: LazyLock<TlsConnector> = LazyLock::new(|| TlsConnector::new().expect("OpenSSL is there"));

#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    headers: HeaderMap,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    /// The JSON, or the text as a string.
    pub body: Value,
    pub bytes: Vec<u8>,
}

impl Client {
    pub fn new(url: &str, token: Option<String>) -> Self {
        let http = reqwest::Client::builder().tls_backend_preconfigured(CONNECTOR.clone()).build();
        Self { http: http.expect("a client"), url: url.to_owned(), token, headers: HeaderMap::new() }
    }

    /// A copy of the caller that sends a header with every call.
    pub fn with_header(&self, name: &'static str, value: &str) -> Self {
        let mut client = self.clone();
        let value = HeaderValue::from_str(value).expect("a header's value");
        client.headers.insert(HeaderName::from_static(name), value);
        client
    }

    /// A copy of the caller at another server.
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// A copy of the caller with another token.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// A request that can be extended, for example with a multipart body; [`answer`] sends it.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url)).headers(self.headers.clone());
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = self.request(method, path);
        answer(match body {
            Some(body) => request.json(&body),
            None => request,
        })
        .await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }
}

/// Sends a request and reads its answer.
pub async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.expect("the server answers");
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let bytes = response.bytes().await.expect("it answers to the end").to_vec();
    let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| text());
    Answer { status, headers, body, bytes }
}

impl Answer {
    /// Returns the body of a successful call.
    #[track_caller]
    pub fn ok(self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.body);
        self.body
    }

    /// Like [`Self::refused`], and checks the error code.
    #[track_caller]
    pub fn refused_with(self, status: u16, code: &str) -> String {
        assert_eq!(self.body["code"], code, "{}", self.body);
        self.refused(status)
    }

    /// Checks the status of a failed call and returns its message.
    #[track_caller]
    pub fn refused(self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.body["statusCode"], status, "{}", self.body);
        self.body["message"].as_str().expect("an error has a message").to_owned()
    }
}
