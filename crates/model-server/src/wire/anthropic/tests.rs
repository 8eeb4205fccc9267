use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::persona_key;
use crate::request::{Life, Request, Wire};
use crate::wire::Endpoint;

fn body(extra: Value) -> Vec<u8> {
    let system = json!([{"type": "text", "text": "Person 1", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]);
    let mut body = json!({"model": "claude-sonnet-5", "max_tokens": 4_000, "system": system,
        "messages": [{"role": "user", "content": "Which?"}]});
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    body.to_string().into_bytes()
}

fn parsed(body: &[u8]) -> Request<'_> {
    parse(body).expect("it is taken")
}

fn refusal(extra: Value) -> String {
    parse(&body(extra)).err().expect("it is refused").message
}

#[test]
fn a_request_is_the_same_persona_and_questions_as_on_another_wire() {
    let schema = json!({"type": "object", "properties": {"q": {"enum": [1]}}, "additionalProperties": false});
    let own = body(json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}}));
    let own = parsed(&own);
    let other = json!({"model": "m", "messages": [{"role": "system", "content": "Person 1"}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": schema}}})
    .to_string();
    let other = Endpoint { wire: Wire::OpenAi, model: None, streams: false }.parse(other.as_bytes()).unwrap();
    assert_eq!((own.persona, own.questions), (other.persona, other.questions));
    assert_eq!(own.persona, persona_key("Person 1"));
    assert_eq!((own.profile().as_str(), own.questions().as_str()), ("Person 1", "Which?"));
    assert_eq!(own.parts[0].mark, Some(Life::OneHour));
}

#[test]
fn a_forced_tool_gives_the_schema() {
    let tool = json!({"name": "answer", "input_schema": {"type": "object", "properties": {"q": {"enum": ["Yes"]}}}});
    let body = body(json!({"tools": [tool], "tool_choice": {"type": "tool", "name": "answer"}}));
    let request = parsed(&body);
    assert_eq!(request.tool.as_deref(), Some("answer"));
    assert!(request.schema.is_some() && request.head.contains("input_schema"));
}

#[test]
fn what_anthropic_refuses_is_refused() {
    assert_eq!(refusal(json!({"seed": 1})), "seed: Extra inputs are not permitted");
    assert_eq!(refusal(json!({"max_tokens": null})), "max_tokens: Field required");
    assert!(refusal(json!({"temperature": 1.5})).starts_with("temperature"));
    assert!(refusal(json!({"thinking": {"type": "enabled", "budget_tokens": 5_000}})).contains("max_tokens"));
    assert!(refusal(json!({"thinking": {"type": "enabled", "budget_tokens": 99}})).contains("1024"));
    assert!(refusal(json!({"output_config": {"effort": "minimal"}})).contains("effort"));
    let marked = json!({"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "ttl": "1h"}});
    let late = |number: usize| json!({"messages": [{"role": "user", "content": vec![marked.clone(); number]}]});
    assert!(parse(&body(late(3))).is_ok());
    assert!(refusal(late(4)).contains("Found 5"));
    let system = json!([{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]);
    let early = json!({"system": system, "messages": [{"role": "user", "content": [marked]}]});
    assert!(refusal(early).contains("must not come after"));
}

#[test]
fn thinking_follows_the_effort_up_to_its_budget() {
    let reasoning = |extra: Value| parsed(&body(extra)).reasoning;
    assert_eq!(reasoning(json!({})), 0);
    assert_eq!(reasoning(json!({"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}})), 128);
    assert_eq!(reasoning(json!({"thinking": {"type": "enabled", "budget_tokens": 1_500}})), 1_500);
}

#[test]
fn the_headers_of_limits_have_names_and_times_of_anthropic() {
    let mut response = HttpResponse::empty("200 OK");
    let until_full = Duration::from_secs(90);
    let allowance = Allowance { name: "tokens", limit: 600, remaining: 50.0, until_full };
    add_limit_headers(&mut response, &allowance, UNIX_EPOCH);
    let head = response.head(0);
    assert!(head.contains("anthropic-ratelimit-input-tokens-remaining: 50\r\n"), "{head}");
    assert!(head.contains("anthropic-ratelimit-tokens-reset: 1970-01-01T00:01:30Z\r\n"), "{head}");
}
