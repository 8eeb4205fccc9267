//! Calls and batches on the wires of Anthropic and Gemini.

mod batches;
mod streams;

use clap::ValueEnum;
use serde_json::{Value, json};

use crate::client::{Client, Response};
use crate::{Caching, Counters, Fault, Faults, Limits, ModelServer, Wire};

const WIRES: [Wire; 3] = [Wire::OpenAi, Wire::Anthropic, Wire::Gemini];

fn schema() -> Value {
    json!({"type": "object", "properties": {"q1": {"enum": ["Yes", "No"]}, "q2": {"enum": ["a", "b", "c"]}},
        "additionalProperties": false})
}

/// Returns the path and the body of the same call on a wire.
fn call(wire: Wire, persona: usize) -> (&'static str, Value) {
    let (persona, question) = (format!("Person {persona}"), "Which?");
    match wire {
        Wire::OpenAi => {
            let messages = json!([{"role": "system", "content": persona}, {"role": "user", "content": question}]);
            let format = json!({"type": "json_schema", "json_schema": {"name": "a", "schema": schema()}});
            ("/v1/chat/completions", json!({"model": "m", "messages": messages, "response_format": format}))
        }
        Wire::Anthropic => {
            let format = json!({"format": {"type": "json_schema", "schema": schema()}});
            let messages = json!([{"role": "user", "content": question}]);
            let body = json!({"model": "m", "max_tokens": 99, "system": persona, "messages": messages,
                "output_config": format});
            ("/v1/messages", body)
        }
        Wire::Gemini => {
            let config = json!({"responseMimeType": "application/json", "responseJsonSchema": schema()});
            let contents = json!([{"role": "user", "parts": [{"text": question}]}]);
            let body = json!({"systemInstruction": {"parts": [{"text": persona}]}, "contents": contents,
                "generationConfig": config});
            ("/v1beta/models/m:generateContent", body)
        }
    }
}

fn headers(wire: Wire) -> &'static str {
    match wire {
        Wire::OpenAi => "authorization: Bearer secret\r\n",
        Wire::Anthropic => "x-api-key: secret\r\nanthropic-version: 2023-06-01\r\n",
        Wire::Gemini => "x-goog-api-key: secret\r\n",
    }
}

async fn post(stub: &ModelServer, wire: Wire, path: &str, body: &Value) -> Response {
    let mut client = Client::connect(stub.address()).await.unwrap();
    client.post_with(path, headers(wire), body.to_string().as_bytes()).await.unwrap()
}

async fn get(stub: &ModelServer, wire: Wire, path: &str) -> Response {
    Client::connect(stub.address()).await.unwrap().get_with(path, headers(wire)).await.unwrap()
}

async fn ask(stub: &ModelServer, wire: Wire, persona: usize) -> Response {
    let (path, body) = call(wire, persona);
    post(stub, wire, path, &body).await
}

fn json_of(response: &Response) -> Value {
    serde_json::from_slice(&response.body).expect("a JSON body")
}

fn content(wire: Wire, body: &Value) -> Option<String> {
    let path = match wire {
        Wire::OpenAi => "/choices/0/message/content",
        Wire::Anthropic => "/content/0/text",
        Wire::Gemini => "/candidates/0/content/parts/0/text",
    };
    Some(body.pointer(path)?.as_str()?.to_owned())
}

#[tokio::test]
async fn a_persona_answers_alike_on_every_wire_and_all_calls_are_counted() {
    let stub = ModelServer::start(Faults::default());
    for persona in 0..20 {
        let mut answers = Vec::new();
        for wire in WIRES {
            answers.push(content(wire, &json_of(&ask(&stub, wire, persona).await)).expect("an answer"));
        }
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    let calls = stub.calls();
    assert_eq!((calls.len(), stub.counters().outcome("answered")), (60, 60));
    assert!(WIRES.iter().all(|wire| calls.iter().filter(|call| call.wire == *wire).count() == 20));
}

#[tokio::test]
async fn the_same_calls_meet_the_same_faults_on_every_wire() {
    let faults = || Faults::default().with(Fault::ServerError, 0.3).with(Fault::Refusal, 0.3);
    let mut met = Vec::new();
    for wire in WIRES {
        let stub = ModelServer::start(faults());
        for persona in 0..30 {
            ask(&stub, wire, persona).await;
        }
        met.push(stub.calls().iter().map(|call| call.outcome).collect::<Vec<_>>());
    }
    assert!(met.iter().all(|outcomes| *outcomes == met[0]));
}

#[tokio::test]
async fn faults_have_the_status_and_form_of_their_wire() {
    let expected = [
        (Fault::ServerError, (500, "api_error"), (500, "INTERNAL")),
        (Fault::Overloaded, (529, "overloaded_error"), (503, "UNAVAILABLE")),
        (Fault::BadRequest, (400, "invalid_request_error"), (400, "INVALID_ARGUMENT")),
        (Fault::ModelMissing, (404, "not_found_error"), (404, "NOT_FOUND")),
        (Fault::Unauthorized, (401, "authentication_error"), (400, "API_KEY_INVALID")),
        (Fault::InsufficientQuota, (402, "billing_error"), (429, "PerDay")),
        (Fault::TooManyRequests, (429, "rate_limit_error"), (429, "\"retryDelay\":\"1s\"")),
        (Fault::Refusal, (200, "\"stop_reason\":\"refusal\""), (200, "\"blockReason\":\"PROHIBITED_CONTENT\"")),
        (Fault::ContentFilter, (200, "general_harms"), (200, "\"finishReason\":\"SAFETY\"")),
        (Fault::Truncated, (200, "\"stop_reason\":\"max_tokens\""), (200, "\"finishReason\":\"MAX_TOKENS\"")),
        (Fault::EmptyChoices, (200, "\"content\":[]"), (200, "usageMetadata")),
        (Fault::OtherModel, (200, "another-model"), (200, "\"modelVersion\":\"another-model\"")),
    ];
    for (fault, anthropic, gemini) in expected {
        for (wire, (status, part)) in [(Wire::Anthropic, anthropic), (Wire::Gemini, gemini)] {
            let stub = ModelServer::start(Faults::default().with(fault, 1.0));
            let response = ask(&stub, wire, 1).await;
            let body = String::from_utf8(response.body).unwrap();
            assert_eq!(response.status, status, "{wire:?} {fault:?}: {body}");
            assert!(body.contains(part), "{wire:?} {fault:?}: {body}");
        }
    }
}

#[tokio::test]
async fn every_fault_ends_a_call_of_every_wire_and_the_server_goes_on() {
    for fault in Fault::value_variants()
        .iter()
        .filter(|fault| !matches!(fault, Fault::Hang | Fault::SilentMidway | Fault::SlowBytes))
    {
        let stub = ModelServer::start(Faults { script: vec![Some(*fault); 3], ..Faults::default() });
        for wire in WIRES {
            let (path, body) = call(wire, 1);
            let mut client = Client::connect(stub.address()).await.unwrap();
            client.post_with(path, headers(wire), body.to_string().as_bytes()).await.ok();
        }
        assert_eq!(ask(&stub, Wire::Gemini, 1).await.status, 200, "{fault:?}");
        assert_eq!(stub.counters().outcome(&fault.name()), 3);
    }
}

#[tokio::test]
async fn one_limit_serves_all_wires_and_each_names_the_wait_in_its_own_way() {
    let limits = Limits { requests: Some(1), headers: true, ..Limits::default() };
    let stub = ModelServer::start(Faults { limits, ..Faults::default() });
    let first = ask(&stub, Wire::Anthropic, 1).await;
    assert_eq!((first.status, first.header("anthropic-ratelimit-requests-remaining")), (200, Some("0")));
    assert!(first.header("anthropic-ratelimit-requests-reset").unwrap().ends_with('Z'));
    let refused = ask(&stub, Wire::Anthropic, 2).await;
    assert_eq!(refused.status, 429);
    assert!((59..=60).contains(&refused.retry_after().unwrap().as_secs()));
    let refused = ask(&stub, Wire::Gemini, 2).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, None));
    let delay = json_of(&refused)["error"]["details"][1]["retryDelay"].as_str().unwrap().to_owned();
    assert!(["59s", "60s"].contains(&delay.as_str()), "{delay}");
}

#[tokio::test]
async fn a_key_is_taken_from_the_header_of_its_wire() {
    let key = |key: &str| Some(key.to_owned());
    let stub = ModelServer::start(Faults { key: key("secret"), ..Faults::default() });
    for wire in WIRES {
        assert_eq!(ask(&stub, wire, 1).await.status, 200, "{wire:?}");
    }
    stub.set_faults(Faults { key: key("another"), ..Faults::default() });
    for (wire, status) in [(Wire::OpenAi, 401), (Wire::Anthropic, 401), (Wire::Gemini, 400)] {
        assert_eq!(ask(&stub, wire, 1).await.status, status, "{wire:?}");
    }
    assert_eq!(stub.counters().calls, 3);
    let counters = Client::connect(stub.address()).await.unwrap().get("/counters", None).await.unwrap();
    let counters: Counters = serde_json::from_slice(&counters.body).unwrap();
    assert_eq!(counters, stub.counters());
}

#[tokio::test]
async fn cached_tokens_are_told_in_the_usage_of_each_wire_and_counted() {
    let stub = ModelServer::start(Faults { caching: Caching::Provider, ..Faults::default() });
    let persona = "x".repeat(40_000);
    let mark = json!({"type": "ephemeral", "ttl": "1h"});
    let asked = |question: &str| {
        let messages = json!([{"role": "user", "content": question}]);
        json!({"model": "claude-sonnet-5", "max_tokens": 99, "messages": messages,
            "system": [{"type": "text", "text": persona, "cache_control": mark}]})
    };
    let first = json_of(&post(&stub, Wire::Anthropic, "/v1/messages", &asked("Why?")).await);
    assert_eq!(first["usage"]["cache_creation"]["ephemeral_1h_input_tokens"], 10_000);
    let second = json_of(&post(&stub, Wire::Anthropic, "/v1/messages", &asked("When?")).await);
    assert_eq!(second["usage"]["cache_read_input_tokens"], 10_000);
    assert_eq!(second["usage"]["cache_creation_input_tokens"], 0);
    let whole = second.to_string().len() as u64;
    assert!(second["usage"]["input_tokens"].as_u64().unwrap() < whole);

    let messages =
        |question: &str| json!([{"role": "system", "content": persona}, {"role": "user", "content": question}]);
    let path = "/v1/chat/completions";
    post(&stub, Wire::OpenAi, path, &json!({"model": "gpt-4.1", "messages": messages("Why?")})).await;
    let second = post(&stub, Wire::OpenAi, path, &json!({"model": "gpt-4.1", "messages": messages("When?")})).await;
    let details = &json_of(&second)["usage"]["prompt_tokens_details"];
    assert_eq!((&details["cached_tokens"], &details["cache_write_tokens"]), (&json!(9_984), &json!(0)));
    let counters = stub.counters();
    assert_eq!((counters.cached_tokens, counters.cache_written_tokens), (19_984, 10_000));
}
