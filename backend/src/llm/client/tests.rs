use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use survey::samples::one_of_each;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::llm::outcome::{RateLimitHeaders, TokenUsage};
use crate::llm::prompt::{PromptItem, ResponseFormat};
use crate::llm::samples::{encoded, parameters};

const KEY: &str = "sk-secret-0123456789";

/// A model server that answers every request with the same bytes, counts them and keeps the last one.
struct FixedReply {
    base_url: String,
    requests: Arc<AtomicUsize>,
    head: Arc<Mutex<String>>,
    body: Arc<Mutex<Vec<u8>>>,
}

impl FixedReply {
    /// After the answer the connection is closed, or kept open in silence.
    async fn start(answer: Vec<u8>, closes: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let (head, body) = <(Arc<Mutex<String>>, Arc<Mutex<Vec<u8>>>)>::default();
        let (counter, kept_head, kept_body) = (requests.clone(), head.clone(), body.clone());
        tokio::spawn(async move {
            let mut silent = Vec::new();
            while let Ok((mut connection, _)) = listener.accept().await {
                let (head, body) = read_request(&mut connection).await;
                (*kept_head.lock().unwrap(), *kept_body.lock().unwrap()) = (head, body);
                counter.fetch_add(1, Ordering::SeqCst);
                // The client may have gone already.
                let _ = connection.write_all(&answer).await;
                if !closes {
                    silent.push(connection);
                }
            }
        });
        Self { base_url, requests, head, body }
    }

    async fn saying(status: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        let answer =
            format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}");
        Self::start(answer.into_bytes(), true).await
    }

    fn llm(&self, timeout: Duration) -> Llm {
        Llm::new(&config(timeout), &self.base_url).unwrap()
    }

    /// One call's outcome; also that it was one request.
    async fn ask(&self) -> Result<Completion, CallError> {
        let outcome = self.llm(Duration::from_secs(20)).ask(prompt(ResponseFormat::JsonSchema)).await.result;
        assert_eq!(self.requests.load(Ordering::SeqCst), 1);
        outcome
    }
}

/// The head, and the body of the length that the head gives.
async fn read_request(connection: &mut TcpStream) -> (String, Vec<u8>) {
    let mut connection = BufReader::new(connection);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(connection.read_line(&mut head).await.unwrap() > 0);
    }
    let length: usize = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    connection.read_exact(&mut body).await.unwrap();
    (head, body)
}

fn config(timeout: Duration) -> ModelConfig {
    ModelConfig {
        wire: Default::default(),
        models: Vec::new(),
        prices: Default::default(),
        base_url: None,
        name: "default".into(),
        key_source: None,
        known: Default::default(),
        reasoning: Vec::new(),
        contexts: Default::default(),
        api_key: Some(KEY.into()),
        model: "m".into(),
        rpm: None,
        tpm: None,
        max_concurrency: 1,
        questions_per_call: 20,
        timeout,
        idle_timeout: timeout,
        stream: true,
        max_attempts: 6,
    }
}

fn prompt(format: ResponseFormat) -> EncodedPrompt {
    let questions = one_of_each();
    let asked = [PromptItem::new(&questions[0], &parameters(), 1)];
    encoded("x", &parameters(), &asked, format, 100)
}

async fn refused(status: &str, headers: &str, body: &str) -> CallError {
    FixedReply::saying(status, headers, body).await.ask().await.unwrap_err()
}

fn transient(code: &'static str, message: &str) -> CallError {
    CallError::Transient { code, message: message.into(), retry_after: None }
}

#[tokio::test]
async fn a_completion_is_read_with_its_provenance() {
    let body = json!({
        "model": "gpt-x-2026", "system_fingerprint": "fp_1",
        "choices": [{ "message": { "content": "{\"q1\":\"Tea\"}" }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 90, "completion_tokens": 5,
            "prompt_tokens_details": { "cached_tokens": 64, "cache_write_tokens": 20 },
            "completion_tokens_details": { "reasoning_tokens": 3 } },
    });
    let completion = FixedReply::saying("200 OK", "", &body.to_string()).await.ask().await.unwrap();
    assert_eq!(completion.content.as_deref(), Some("{\"q1\":\"Tea\"}"));
    assert_eq!((completion.model.as_str(), completion.fingerprint.as_deref()), ("gpt-x-2026", Some("fp_1")));
    assert_eq!(completion.usage, TokenUsage { prompt: 90, cached: 64, cache_write: 20, completion: 5, reasoning: 3 });
    assert!(!completion.is_truncated() && !completion.is_refused());
}

#[tokio::test]
async fn what_is_sent_is_the_prompt_byte_for_byte() {
    let stub = FixedReply::saying("200 OK", "", r#"{"choices":[{"message":{"content":"{}"}}]}"#).await;
    stub.ask().await.unwrap();
    let sent = String::from_utf8(stub.body.lock().unwrap().clone()).unwrap();
    assert_eq!(sent, prompt(ResponseFormat::JsonSchema).body());
}

#[tokio::test]
async fn missing_usage_is_estimated_and_a_refusal_is_kept() {
    let body =
        json!({ "choices": [{ "message": { "content": null, "refusal": "No.\u{0}" }, "finish_reason": "length" }] });
    let completion = FixedReply::saying("200 OK", "", &body.to_string()).await.ask().await.unwrap();
    assert_eq!(completion.model, "twinlab-demo");
    assert!(completion.usage.prompt > 50);
    assert_eq!(completion.refusal.as_deref(), Some("No."));
    assert!(completion.is_truncated() && completion.is_refused());
}

#[tokio::test]
async fn every_refusal_has_its_name() {
    let error = |message: &str| json!({ "error": { "message": message, "type": "x", "code": null } }).to_string();
    let after = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(
        refused("429 Too Many Requests", "retry-after: 3\r\n", &error("Slow down")).await,
        CallError::RateLimited { message: "Slow down".into(), retry_after: after(3) }
    );
    let quota = json!({ "error": { "message": "Pay", "type": "insufficient_quota", "code": "insufficient_quota" } });
    assert_eq!(
        refused("429 Too Many Requests", "", &quota.to_string()).await,
        CallError::Denied { message: "Pay".into() }
    );
    for status in ["401 Unauthorized", "402 Payment Required", "403 Forbidden"] {
        assert_eq!(refused(status, "", &error("No")).await, CallError::Denied { message: "No".into() });
    }
    assert_eq!(refused("408 Request Timeout", "", &error("Late")).await, transient("timeout", "Late"));
    assert_eq!(refused("409 Conflict", "", &error("Busy")).await, transient("conflict", "Busy"));
    assert_eq!(
        refused("503 Service Unavailable", "retry-after: 2\r\n", "<html><head><title>Down</title>").await,
        CallError::Transient {
            code: "server_error",
            message: "the model server sent a web page instead of an answer (Down)".into(),
            retry_after: after(2)
        }
    );
    assert_eq!(
        refused("500 Internal Server Error", "", "").await,
        transient("server_error", "500 Internal Server Error")
    );
    assert_eq!(
        refused("404 Not Found", "", r#"{"detail": "no such\nmodel"}"#).await,
        CallError::Rejected { status: 404, message: "no such model".into() }
    );
    for said in [
        json!({ "error": { "message": "Not here", "code": "model_not_found" } }),
        json!({ "message": "The model `m` does not exist." }),
        json!({ "error": "model 'm' not found, try pulling it first" }),
    ] {
        assert_eq!(refused("404 Not Found", "", &said.to_string()).await.code(), CallError::MODEL_MISSING);
    }
    assert_eq!(refused("302 Found", "location: http://127.0.0.1:1/\r\n", "").await.code(), "rejected");
}

#[tokio::test]
async fn rate_limit_headers_come_with_every_reply() {
    let headers = "x-ratelimit-limit-requests: 500\r\nx-ratelimit-reset-tokens: 1s\r\n";
    let expected = RateLimitHeaders {
        limit_requests: Some(500),
        reset_tokens: Some(Duration::from_secs(1)),
        ..RateLimitHeaders::default()
    };
    let reply = r#"{"choices":[{"message":{"content":"{}"}}]}"#;
    for (status, body, code) in [
        ("200 OK", reply, None),
        ("200 OK", "<html>", Some("garbled")),
        ("429 Too Many Requests", "", Some("rate_limited")),
    ] {
        let stub = FixedReply::saying(status, headers, body).await;
        let outcome = stub.llm(Duration::from_secs(20)).ask(prompt(ResponseFormat::Plain)).await;
        assert_eq!(outcome.result.err().map(|error| error.code()), code);
        assert_eq!(outcome.rate_limits, expected);
    }
}

#[tokio::test]
async fn a_key_is_sent_as_a_bearer_token_and_a_missing_key_not_at_all() {
    for (key, expected) in [(Some(KEY), Some(format!("Bearer {KEY}"))), (None, None)] {
        let stub = FixedReply::saying("200 OK", "", r#"{"choices":[{"message":{"content":"{}"}}]}"#).await;
        let config = ModelConfig { api_key: key.map(str::to_owned), ..config(Duration::from_secs(20)) };
        let llm = Llm::new(&config, &stub.base_url).unwrap();
        llm.ask(prompt(ResponseFormat::Plain)).await.result.unwrap();
        let head = stub.head.lock().unwrap().clone();
        let sent = head.lines().find_map(|line| line.strip_prefix("authorization: ")).map(str::to_owned);
        assert_eq!(sent, expected);
    }
}

#[tokio::test]
async fn a_refusal_that_stalls_is_still_a_refusal() {
    let head = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 50\r\n\r\n{\"error\":";
    let stub = FixedReply::start(head.into(), false).await;
    // Shorter than a refusal is heard out for, and long enough for its head on any machine.
    let error = stub.llm(Duration::from_secs(4)).ask(prompt(ResponseFormat::Plain)).await.result.unwrap_err();
    assert_eq!(error.code(), "denied", "{error}");
}

#[tokio::test]
async fn many_headers_are_no_trouble() {
    let body = r#"{"choices":[{"message":{"content":"{}"}}]}"#;
    let headers: String = (0..90).map(|number| format!("x-gateway-{number}: {}\r\n", "x".repeat(300))).collect();
    FixedReply::saying("200 OK", &headers, body).await.ask().await.unwrap();
}

#[tokio::test]
async fn a_success_that_is_no_completion_is_garbled() {
    for body in
        ["<!DOCTYPE html><title>Hello</title>", "{\"choices\": [", "", "[]", "{\"choices\": []}", "{\"choices\": 5}"]
    {
        assert_eq!(refused("200 OK", "", body).await.code(), "garbled", "{body}");
    }
    let inside = json!({ "error": { "code": 502, "message": "Provider is down" } });
    assert_eq!(refused("200 OK", "", &inside.to_string()).await, transient("server_error", "Provider is down"));
}

#[tokio::test]
async fn a_web_page_is_said_in_words() {
    let said = async |body: &str| refused("200 OK", "", body).await.to_string();
    let sent = "the model server sent a web page instead of an answer";
    let gateway = "\u{feff}\n<!DOCTYPE html><html><head><title data-a=\"b\">\n Gateway </title></head><body>Bad";
    assert_eq!(said(gateway).await, format!("{sent} (Gateway)"));
    assert_eq!(said("<HTML><body>down").await, sent);
    assert_eq!(said("<html><title></title>").await, sent, "an empty title says nothing");
    let refusal = refused("404 Not Found", "", gateway).await.to_string();
    assert_eq!(refusal, format!("refused with status 404: {sent} (Gateway)"));
    assert!(said("<xml>").await.starts_with("not a chat completion: "));
}

#[tokio::test]
async fn endless_replies_are_given_up() {
    let endless = [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &vec![b' '; 3 << 20]].concat();
    let error = FixedReply::start(endless, false).await.ask().await.unwrap_err();
    assert_eq!(
        error,
        CallError::Garbled { message: "not a chat completion: the reply is longer than 2097152 bytes".into() }
    );
    let announced = FixedReply::start(b"HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n".into(), false).await;
    assert_eq!(announced.ask().await.unwrap_err(), error);
}

#[tokio::test]
async fn a_server_that_stops_in_the_middle_is_a_time_out() {
    for answer in ["", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"choi"] {
        let stub = FixedReply::start(answer.into(), false).await;
        let error = stub.llm(Duration::from_millis(200)).ask(prompt(ResponseFormat::Plain)).await.result.unwrap_err();
        assert_eq!(error.code(), "timeout", "{error}");
    }
}

#[tokio::test]
async fn broken_connections_are_transient_and_not_tried_again() {
    for answer in ["", "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{\"choi"] {
        let error = FixedReply::start(answer.into(), true).await.ask().await.unwrap_err();
        assert_eq!(error.code(), "connection", "{error}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let llm = Llm::new(&config(Duration::from_secs(5)), &format!("http://{nobody}")).unwrap();
    let error = llm.ask(prompt(ResponseFormat::Plain)).await.result.unwrap_err();
    assert_eq!(error.code(), "connect");
    assert!(error.to_string().contains("Connection refused"), "{error}");
}

#[tokio::test]
async fn error_texts_are_short_and_hold_no_key() {
    let echo = format!("Incorrect API key provided: {KEY}. {}", "Very sorry. ".repeat(1000));
    let error = refused("401 Unauthorized", "", &echo).await;
    let CallError::Denied { message } = error else { panic!("{error}") };
    assert!(message.starts_with("Incorrect API key provided: [key]. Very"));
    assert_eq!(message.chars().count(), 500);
}

#[tokio::test]
async fn a_refused_format_steps_down_once_for_all_clones() {
    let body = json!({ "error": { "message": "response_format is not supported", "param": "response_format" } });
    let stub = FixedReply::saying("400 Bad Request", "", &body.to_string()).await;
    let llm = stub.llm(Duration::from_secs(20));
    let other = llm.clone();
    for (asked, then) in [
        (ResponseFormat::JsonSchema, ResponseFormat::JsonObject),
        (ResponseFormat::JsonSchema, ResponseFormat::JsonObject),
        (ResponseFormat::JsonObject, ResponseFormat::Plain),
    ] {
        assert_eq!(llm.ask(prompt(asked)).await.result.unwrap_err(), CallError::NotUnderstood);
        assert_eq!((llm.dialect().format, other.dialect().format), (then, then));
    }
    assert_eq!(llm.ask(prompt(ResponseFormat::Plain)).await.result.unwrap_err().code(), "rejected");
}

#[tokio::test]
async fn parameters_refused_by_name_are_left_out_for_all_clones() {
    let said = |message: &str| json!({ "error": { "message": message } }).to_string();
    for (body, left_out) in [
        (said("Unrecognized request argument supplied: seed"), "seed"),
        (r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "input": 42}]}"#.into(), "seed"),
        (
            said(
                "Invalid schema for response_format 'answers': In context=('properties', 'q1'), 'maxLength' is not permitted.",
            ),
            "maxLength",
        ),
        (said("Unsupported parameter: 'max_completion_tokens'. Use 'max_tokens'."), "max_completion_tokens"),
    ] {
        let stub = FixedReply::saying("400 Bad Request", "", &body).await;
        let llm = stub.llm(Duration::from_secs(20));
        let other = llm.clone();
        for _ in 0..2 {
            let spoken = ResponseFormat::JsonSchema;
            assert_eq!(llm.ask(prompt(spoken)).await.result.unwrap_err(), CallError::NotUnderstood, "{body}");
            assert_eq!(
                (llm.omitted_params(llm.dialect()), other.omitted_params(other.dialect())),
                (vec![left_out], vec![left_out])
            );
        }
    }
    let reseeded = said("The garden needs seeds, not seeding");
    assert_eq!(refused("400 Bad Request", "", &reseeded).await.code(), "rejected");
}

#[tokio::test]
async fn another_complaint_is_no_refusal_of_the_format() {
    let body = json!({ "error": { "message": "Unsupported value: 'temperature'", "param": "temperature" } });
    assert_eq!(refused("400 Bad Request", "", &body.to_string()).await.code(), "parameter_refused");
    let elsewhere = json!({ "error": { "message": "The temperature of the garden", "param": null } });
    assert_eq!(refused("400 Bad Request", "", &elsewhere.to_string()).await.code(), "rejected");
    let other = json!({ "error": { "message": "Unsupported: 'temperature', 'top_p'", "param": "top_p" } });
    assert_eq!(refused("400 Bad Request", "", &other.to_string()).await.code(), "rejected");
    let echoed = json!({ "detail": [{ "loc": ["body", "messages"], "msg": "invalid", "input": "temperature" }] });
    assert_eq!(refused("422 Unprocessable Entity", "", &echoed.to_string()).await.code(), "rejected");
    let named = json!({ "detail": [{ "loc": ["body", "temperature"], "msg": "extra inputs", "input": 0.7 }] });
    assert_eq!(refused("422 Unprocessable Entity", "", &named.to_string()).await.code(), "parameter_refused");
}

#[test]
fn addresses_and_keys_that_cannot_work_are_refused_at_the_start() {
    let refusal = |address: &str, key: &str| {
        let config = ModelConfig { api_key: Some(key.into()), ..config(Duration::from_secs(1)) };
        Llm::new(&config, address).err().map(|error| (error.exit_code(), error.to_string()))
    };
    assert_eq!(refusal("http://127.0.0.1:1/v1", " sk-x\n"), None);
    assert_eq!(refusal("http://127.0.0.1:1/v1", ""), None);
    let (code, message) = refusal("http://127.0.0.1:1/v1", "sk-x\nsk-y").unwrap();
    assert_eq!((code, message.as_str()), (2, "OPENAI_API_KEY: character 5 is no visible ASCII character"));
    for address in ["", "localhost", "ftp://x", "http://x/v1?key=1"] {
        assert!(refusal(address, "k").unwrap().1.starts_with("OPENAI_BASE_URL: "), "{address}");
    }
}
