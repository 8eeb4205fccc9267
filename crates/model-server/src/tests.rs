use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::client::{Client, Response};

fn call(persona: usize) -> Vec<u8> {
    let schema = json!({"type": "object", "properties": {"q1": {"enum": ["Yes", "No"]}, "q2": {"enum": ["a", "b"]}}});
    json!({"model": "m", "messages": [{"role": "system", "content": format!("Person {persona}")},
            {"role": "user", "content": "Which?"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "a", "strict": true, "schema": schema}}})
    .to_string()
    .into_bytes()
}

async fn ask(stub: &ModelServer, persona: usize) -> io::Result<Response> {
    Client::connect(stub.address()).await?.complete(&call(persona)).await
}

fn json_of(response: &Response) -> Value {
    serde_json::from_slice(&response.body).expect("a JSON body")
}

fn content(response: &Response) -> Option<Value> {
    serde_json::from_str(json_of(response)["choices"][0]["message"]["content"].as_str()?).ok()
}

fn always(fault: Fault) -> ModelServer {
    ModelServer::start(Faults::default().with(fault, 1.0))
}

#[tokio::test]
async fn a_call_gets_a_valid_answer_with_its_costs() {
    let stub = ModelServer::start(Faults::default());
    let response = ask(&stub, 1).await.unwrap();
    assert_eq!(response.status, 200);
    let body = json_of(&response);
    assert_eq!(body["model"], "m");
    assert_eq!(body["choices"][0]["message"]["role"], "assistant");
    assert_eq!(body["choices"][0]["finish_reason"], "stop");
    assert_eq!(body["usage"]["prompt_tokens"], call(1).len() / 4);
    let answer = content(&response).unwrap();
    assert!(["Yes", "No"].contains(&answer["q1"].as_str().unwrap()), "{answer}");

    let calls = stub.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].persona, persona_key("Person 1"));
    assert_eq!(calls[0].outcome, Outcome::Answered);
}

#[tokio::test]
async fn a_call_for_several_choices_gets_them_each_seeded_apart() {
    let stub = ModelServer::start(Faults::default());
    let mut client = Client::connect(stub.address()).await.unwrap();
    let mut asked: Value = serde_json::from_slice(&call(1)).unwrap();
    let contents = async |client: &mut Client, asked: &Value| {
        let body = json_of(&client.complete(asked.to_string().as_bytes()).await.unwrap());
        let choices = body["choices"].as_array().unwrap().clone();
        assert!(choices.iter().enumerate().all(|(place, choice)| choice["index"] == place));
        choices.iter().map(|choice| choice["message"]["content"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let alone = contents(&mut client, &asked).await;
    asked["n"] = json!(8);
    let several = contents(&mut client, &asked).await;
    assert_eq!((alone.len(), several.len()), (1, 8));
    assert_eq!(several[0], alone[0], "the first is what it is alone");
    assert!(several.iter().any(|content| *content != alone[0]), "{several:?}");
    assert_eq!(several, contents(&mut client, &asked).await, "the same again");

    asked["n"] = json!(33);
    let refused = client.complete(asked.to_string().as_bytes()).await.unwrap();
    assert_eq!((refused.status, &json_of(&refused)["error"]["param"]), (400, &json!("n")));
}

#[tokio::test]
async fn a_choice_asked_for_in_prose_is_answered_with_one_of_the_options() {
    let stub = ModelServer::start(Faults { answers: Answers::Demo, ..Faults::default() });
    let mut client = Client::connect(stub.address()).await.unwrap();
    for person in 0..20 {
        let asked = json!({"model": "m", "messages": [{"role": "system", "content": format!("You are person {person}.")},
            {"role": "user", "content": "What do you drink in the morning? Choose one of: tea, coffee, water."}]});
        let body = json_of(&client.complete(asked.to_string().as_bytes()).await.unwrap());
        let answer = body["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(["tea", "coffee", "water"].contains(&answer), "{answer}");
    }
}

#[tokio::test]
async fn one_connection_carries_many_calls_of_any_size() {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
    let mut client = Client::connect(stub.address()).await.unwrap();
    for persona in [1, 2, 3] {
        assert_eq!(client.complete(&call(persona)).await.unwrap().status, 200);
    }
    let long = json!({"model": "m", "messages": [{"role": "system", "content": "x".repeat(1 << 20)}]}).to_string();
    assert_eq!(client.complete(long.as_bytes()).await.unwrap().status, 200);
    assert_eq!(client.get("/v1/models", None).await.unwrap().status, 200);
    assert_eq!(client.get("/nowhere", None).await.unwrap().status, 404);
    assert_eq!(stub.bodies()[3].as_ref(), long.as_bytes());
    let counters: Counters = serde_json::from_slice(&client.get("/counters", None).await.unwrap().body).unwrap();
    assert_eq!(counters, stub.counters());
    assert_eq!(counters.outcome("answered"), 4);
}

#[tokio::test]
async fn statuses_and_bodies_are_those_of_the_fault() {
    let expected = [
        (Fault::ServerError, 500, "server_error"),
        (Fault::BadRequest, 400, "invalid_request_error"),
        (Fault::Unauthorized, 401, "invalid_api_key"),
        (Fault::InsufficientQuota, 429, "insufficient_quota"),
        (Fault::TooManyRequests, 429, "rate_limit_exceeded"),
        (Fault::Html, 200, "<!DOCTYPE html>"),
        (Fault::HtmlBadGateway, 502, "<!DOCTYPE html>"),
        (Fault::Redirect, 307, ""),
        (Fault::Refusal, 200, "\"refusal\":\"I'm sorry"),
        (Fault::ContentFilter, 200, "content_filter"),
        (Fault::EmptyChoices, 200, "\"choices\":[]"),
        (Fault::Truncated, 200, "\"finish_reason\":\"length\""),
    ];
    for (fault, status, part) in expected {
        let response = ask(&always(fault), 1).await.unwrap();
        let body = String::from_utf8(response.body).unwrap();
        assert_eq!(response.status, status, "{fault:?}");
        assert!(body.contains(part), "{fault:?}: {body}");
    }
}

#[tokio::test]
async fn contents_are_wrong_as_the_fault_says() {
    let broken = ask(&always(Fault::InvalidBody), 1).await.unwrap();
    assert!(serde_json::from_slice::<Value>(&broken.body).is_err());
    for fault in [Fault::InvalidContent, Fault::Truncated] {
        assert_eq!(content(&ask(&always(fault), 1).await.unwrap()), None, "{fault:?}");
    }
    let missing = content(&ask(&always(Fault::MissingAnswer), 1).await.unwrap()).unwrap();
    assert_eq!(missing.as_object().unwrap().len(), 1);
    let wrong = content(&ask(&always(Fault::OutOfRange), 1).await.unwrap()).unwrap();
    assert!(wrong.to_string().contains("none of what was offered"), "{wrong}");
}

#[tokio::test]
async fn resets_break_the_connection_before_and_within_the_answer() {
    for fault in [Fault::ResetBefore, Fault::ResetMidway] {
        let error = ask(&always(fault), 1).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset, "{fault:?}");
    }
}

#[tokio::test]
async fn a_huge_body_is_ten_mebibytes_around_a_valid_answer() {
    let response = ask(&always(Fault::HugeBody), 1).await.unwrap();
    assert!(response.body.len() > 10 << 20);
    assert!(content(&response).is_some());
}

#[tokio::test]
async fn refusals_of_the_limit_name_a_time_and_early_calls_are_counted() {
    let limits = Limits { requests: Some(1), headers: true, ..Limits::default() };
    let stub = ModelServer::start(Faults { limits, ..Faults::default() });
    let first = ask(&stub, 1).await.unwrap();
    assert_eq!((first.status, first.header("x-ratelimit-remaining-requests")), (200, Some("0")));
    let refused = ask(&stub, 2).await.unwrap();
    assert_eq!((refused.status, refused.header("x-ratelimit-limit-requests")), (429, Some("1")));
    assert!((59..=60).contains(&refused.retry_after().unwrap().as_secs()));
    assert_eq!(ask(&stub, 3).await.unwrap().status, 429);
    assert_eq!(stub.counters().too_many_requests, 2);
    assert_eq!(early_calls(&stub.calls(), Duration::ZERO), 1);
}

#[tokio::test]
async fn retry_after_comes_as_a_date_or_as_a_reset_where_the_fault_says_so() {
    let until = ask(&always(Fault::TooManyRequestsUntil), 1).await.unwrap();
    assert!(httpdate::parse_http_date(until.header("retry-after").unwrap()).is_ok());
    let reset = ask(&always(Fault::TooManyRequestsReset), 1).await.unwrap();
    assert_eq!(reset.header("x-ratelimit-reset-requests"), Some("1s"));
    assert_eq!(reset.header("retry-after"), None);
}

#[tokio::test]
async fn servers_without_json_schema_say_so_and_answer_by_the_schema_in_the_prompt() {
    let stub = ModelServer::start(Faults { dialect: Dialect::JsonObject, ..Faults::default() });
    let refused = ask(&stub, 1).await.unwrap();
    assert_eq!(refused.status, 400);
    assert!(json_of(&refused)["error"]["message"].as_str().unwrap().contains("json_schema"));
    let schema = r#"{"type":"object","properties":{"q1":{"enum":["only"]}}}"#;
    let body = json!({"messages": [{"role": "system", "content": "p"}, {"role": "user", "content": schema}],
        "response_format": {"type": "json_object"}});
    let mut client = Client::connect(stub.address()).await.unwrap();
    let response = client.complete(body.to_string().as_bytes()).await.unwrap();
    assert_eq!(content(&response), Some(json!({"q1": "only"})));
}

#[tokio::test]
async fn held_calls_are_counted_as_they_arrive_and_answered_when_released() {
    let stub = ModelServer::start(Faults::default());
    stub.hold();
    let release = async {
        stub.reached(3).await;
        assert!(stub.calls().iter().all(|call| call.ended.is_none()));
        stub.release();
    };
    let (first, second, third, ()) = tokio::join!(ask(&stub, 1), ask(&stub, 2), ask(&stub, 3), release);
    assert!(
        [first, second, third].iter().all(|response| response.as_ref().is_ok_and(|response| response.status == 200))
    );
    assert_eq!(stub.counters().concurrency_peak, 3);
}

#[tokio::test]
async fn a_script_goes_before_the_rates_and_faults_can_be_changed() {
    let script = vec![None, Some(Fault::HtmlBadGateway)];
    let stub = ModelServer::start(Faults { script, ..Faults::default() }.with(Fault::ServerError, 1.0));
    let mut statuses = Vec::new();
    for persona in 0..3 {
        statuses.push(ask(&stub, persona).await.unwrap().status);
    }
    assert_eq!(statuses, [200, 502, 500]);
    stub.set_faults(Faults::default());
    assert_eq!(ask(&stub, 3).await.unwrap().status, 200);
}

#[tokio::test]
async fn the_same_calls_meet_the_same_faults_and_answers_in_any_order() {
    let faults = || Faults::default().with(Fault::ServerError, 0.3).with(Fault::OutOfRange, 0.3);
    let (forward, backward) = (ModelServer::start(faults()), ModelServer::start(faults()));
    let mut first = Vec::new();
    let mut second = Vec::new();
    for persona in 0..40 {
        first.push(outcome(&forward, persona).await);
        second.push(outcome(&backward, 39 - persona).await);
    }
    second.reverse();
    assert_eq!(first, second);
    assert!(forward.counters().by_outcome.len() == 3, "all three outcomes are met");
}

async fn outcome(stub: &ModelServer, persona: usize) -> (u16, Option<Value>) {
    let response = ask(stub, persona).await.unwrap();
    (response.status, content(&response))
}

#[tokio::test]
async fn a_hanging_call_is_never_answered_and_stopping_does_not_wait_for_it() {
    let stub = always(Fault::Hang);
    let mut client = Client::connect(stub.address()).await.unwrap();
    let body = call(1);
    let (answered, ()) = tokio::join!(client.complete(&body), async {
        stub.reached(1).await;
        stub.stop();
    });
    assert!(answered.is_err());
}

#[tokio::test]
async fn the_demo_model_answers_in_its_own_name_within_the_tokens_that_the_request_allows() {
    let stub = ModelServer::start(Faults::demo());
    let mut client = Client::connect(stub.address()).await.unwrap();
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "Tell me more"}], "max_tokens": 3});
    let reply = json_of(&client.complete(body.to_string().as_bytes()).await.unwrap());
    assert_eq!(reply["model"], DEMO_MODEL);
    assert_eq!(reply["choices"][0]["finish_reason"], "length");
    assert_eq!(reply["choices"][0]["message"]["content"], "Synthetic an");
    assert_eq!(reply["usage"]["completion_tokens"], 3);
    let list = json_of(&client.get("/v1/models", None).await.unwrap());
    assert_eq!(list["data"][0]["id"], DEMO_MODEL);
    assert_eq!(client.get("/v1/models/twinlab-demo", None).await.unwrap().status, 200);
    assert_eq!(client.get("/v1/models/gpt-4", None).await.unwrap().status, 404);
}
