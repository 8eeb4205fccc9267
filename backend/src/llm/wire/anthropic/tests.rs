use reqwest::StatusCode;
use serde_json::{Value, json};
use simulation::answer_mode::AnswerMode;
use simulation::model_options::{PromptCache, ReasoningEffort, ServiceTier, Verbosity};
use simulation::parameters::Parameters;
use simulation::wire::Wire;
use survey::samples::one_of_each;

use super::*;
use crate::llm::connection::HttpRefusal;
use crate::llm::outcome::{CallError, RateLimitHeaders, StopReason, TokenUsage};
use crate::llm::prompt::{Dialect, ModelParameter, PromptItem, RequestPart, ResponseFormat, SystemMessage};
use crate::llm::samples::{encoded, parameters};
use crate::llm::wire::SentPrompt;

fn run() -> Parameters {
    Parameters { model: "claude-haiku-4-5".to_owned(), wire: Wire::Anthropic, ..parameters() }
}

fn body(parameters: &Parameters, dialect: Dialect) -> Value {
    let questions = one_of_each();
    let items = [PromptItem::new(&questions[0], parameters, 1)];
    serde_json::from_str(encoded("I am Ann.", parameters, &items, dialect, 900).body()).expect("JSON")
}

fn sent() -> SentPrompt {
    let questions = one_of_each();
    let items = [PromptItem::new(&questions[0], &run(), 1)];
    encoded("x", &run(), &items, Dialect::of(Wire::Anthropic), 900).sent().clone()
}

fn refused(status: u16, error: Value) -> HttpRefusal {
    let status = StatusCode::from_u16(status).expect("a status");
    HttpRefusal::embedded(status, json!({"type": "error", "error": error}).to_string())
}

#[test]
fn a_request_has_the_system_message_as_a_block_and_the_schema_as_the_format() {
    let body_in = |dialect| body(&run(), dialect);
    let body = body_in(Dialect::of(Wire::Anthropic));
    assert_eq!(body["system"], json!([{"type": "text", "text": SystemMessage::new("I am Ann.").text()}]));
    assert_eq!((&body["model"], &body["max_tokens"]), (&json!("claude-haiku-4-5"), &json!(900)));
    assert_eq!(body["temperature"], 0.7);
    let format = &body["output_config"]["format"];
    assert_eq!((&format["type"], &format["schema"]["additionalProperties"]), (&json!("json_schema"), &json!(false)));
    let names: Vec<&String> = body.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["max_tokens", "messages", "model", "output_config", "system", "temperature"], "no seed");
    let kept = Parameters { prompt_cache: Some(PromptCache::Twin), ..run() };
    let marked = self::body(&kept, Dialect::of(Wire::Anthropic));
    assert_eq!(marked["system"][0]["cache_control"], json!({"type": "ephemeral"}));
    assert!(marked["output_config"].is_null(), "the schema would come before what is kept");
}

/// A change here changes the hashes of the prompts of stored runs.
#[test]
fn the_bytes_of_a_request_are_recorded() {
    let questions = one_of_each();
    let items: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &run(), 1)).collect();
    let prompt = encoded("I am Ann.", &run(), &items, Dialect::of(Wire::Anthropic), 900);
    insta::assert_snapshot!(prompt.body());
}

#[test]
fn the_texts_of_a_body_are_read_as_they_were_written() {
    let questions = one_of_each();
    let items: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &run(), 1)).collect();
    for prompt_cache in [None, Some(PromptCache::Twin)] {
        let run = Parameters { prompt_cache, ..run() };
        let prompt = encoded("I \"am\" é\nAnn", &run, &items, Dialect::of(Wire::Anthropic), 9);
        let [system, user] = read_messages(prompt.body()).expect("two texts");
        assert_eq!(system, SystemMessage::new("I \"am\" é\nAnn").text());
        assert!(user.starts_with("[q1] "), "{user}");
    }
}

#[test]
fn a_server_without_structured_outputs_gets_the_schema_in_words() {
    for format in [ResponseFormat::JsonObject, ResponseFormat::Plain] {
        let dialect = Dialect { format, ..Dialect::of(Wire::Anthropic) };
        let body = body(&run(), dialect);
        assert!(body["output_config"].is_null());
        assert!(body["messages"][0]["content"].as_str().expect("a text").contains("JSON schema"));
        assert_eq!(omitted_params(dialect), ["seed", "output_config.format"]);
    }
}

#[test]
fn an_effort_is_a_level_or_a_budget_by_the_version_of_the_model() {
    let reasoning = |model: &str, effort| {
        let parameters =
            Parameters { model: model.to_owned(), reasoning_effort: Some(effort), temperature: None, ..run() };
        let body = body(&parameters, Dialect::of(Wire::Anthropic));
        (body["thinking"].clone(), body["output_config"]["effort"].clone())
    };
    let adaptive = || json!({"type": "adaptive"});
    assert_eq!(reasoning("claude-sonnet-4-6", ReasoningEffort::Medium), (adaptive(), json!("medium")));
    assert_eq!(reasoning("claude-opus-5", ReasoningEffort::Xhigh), (adaptive(), json!("xhigh")));
    assert_eq!(reasoning("claude-opus-5", ReasoningEffort::Max), (adaptive(), json!("max")));
    let budget = |tokens| json!({"type": "enabled", "budget_tokens": tokens});
    for (model, effort, tokens) in [
        ("claude-haiku-4-5-20251001", ReasoningEffort::Low, 2_048),
        ("claude-3-7-sonnet-20250219", ReasoningEffort::High, 16_384),
        ("claude-opus-4-20250514", ReasoningEffort::Medium, 8_192),
    ] {
        assert_eq!(reasoning(model, effort), (budget(tokens), Value::Null), "{model}");
    }
    assert_eq!(reasoning("claude-opus-5", ReasoningEffort::None), (json!({"type": "disabled"}), Value::Null));
}

#[test]
fn what_anthropic_does_not_have_is_named_with_the_reason() {
    let named = |parameters: &Parameters| -> Vec<ModelParameter> {
        let sampling = Sampling::new(parameters, Dialect::of(Wire::Anthropic), 9);
        unsupported(&sampling).into_iter().map(|(parameter, _)| parameter).collect()
    };
    assert_eq!(named(&run()), []);
    let all = Parameters {
        temperature: Some(1.5),
        reasoning_effort: Some(ReasoningEffort::Minimal),
        verbosity: Some(Verbosity::Low),
        service_tier: Some(ServiceTier::Flex),
        answer_mode: AnswerMode::Tokens,
        draws: Some(5),
        ..run()
    };
    // Several calls give several replies.
    assert_eq!(named(&all), ModelParameter::ALL.into_iter().filter(|name| !name.is_dispensable()).collect::<Vec<_>>());
    let thinks = Parameters { reasoning_effort: Some(ReasoningEffort::Low), ..run() };
    assert_eq!(named(&thinks), [ModelParameter::Temperature], "a model that thinks takes 1 alone");
    assert_eq!(named(&Parameters { temperature: Some(1.0), ..thinks }), []);
    let tiers = Parameters { service_tier: Some(ServiceTier::Default), ..run() };
    assert_eq!(body(&tiers, Dialect::of(Wire::Anthropic))["service_tier"], "standard_only");
}

#[test]
fn a_message_is_read_with_its_tokens() {
    let reply = json!({"type": "message", "model": "claude-x", "stop_reason": "end_turn",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "{\"q1\":"}, {"type": "text", "text": "1}"}],
        "usage": {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30,
            "output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}});
    let completion = decode(&reply.to_string(), &sent(), None).expect("a completion");
    assert_eq!((completion.content.as_deref(), completion.model.as_str()), (Some("{\"q1\":1}"), "claude-x"));
    assert_eq!(completion.usage, TokenUsage { prompt: 240, cached: 200, cache_write: 30, completion: 9, reasoning: 4 });
    assert!(!completion.is_refused() && !completion.is_truncated());
    let bare = json!({"content": [{"type": "text", "text": "{}"}]});
    let bare = decode(&bare.to_string(), &sent(), None).expect("a completion");
    assert_eq!((bare.model.as_str(), bare.usage.prompt > 50), ("claude-haiku-4-5", true));
}

#[test]
fn why_a_message_ended_is_read() {
    let ended = |reason: &str, content: Value| {
        let details = json!({"type": "refusal", "category": null, "explanation": "I cannot."});
        let details = if reason == "refusal" { details } else { Value::Null };
        let reply = json!({"content": content, "stop_reason": reason, "stop_details": details});
        decode(&reply.to_string(), &sent(), None)
    };
    let refused = ended("refusal", json!([])).expect("a completion");
    assert_eq!((refused.is_refused(), refused.refusal.as_deref()), (true, Some("I cannot.")));
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        assert!(ended(reason, json!([])).expect("a completion").is_truncated(), "{reason}");
    }
    assert_eq!(ended("end_turn", json!([])).expect_err("nothing was said").code(), "garbled");
    assert_eq!(stop_reason(Some("stop_sequence")), StopReason::Finished);
}

#[test]
fn every_refusal_has_its_name() {
    let code = |status, kind: &str, message: &str| {
        call_error(&refused(status, json!({"type": kind, "message": message}))).code()
    };
    for (status, kind, message, expected) in [
        (400, "invalid_request_error", "max_tokens: Field required", "rejected"),
        (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "denied"),
        (401, "authentication_error", "invalid x-api-key", "denied"),
        (402, "billing_error", "Pay", "denied"),
        (403, "permission_error", "No", "denied"),
        (404, "not_found_error", "model: claude-9", CallError::MODEL_MISSING),
        (404, "not_found_error", "Not found", "rejected"),
        (413, "request_too_large", "Too large", "rejected"),
        (429, "rate_limit_error", "Slow down", "rate_limited"),
        (500, "api_error", "Oh", "server_error"),
        (529, "overloaded_error", "Overloaded", "server_error"),
    ] {
        assert_eq!(code(status, kind, message), expected, "{status} {message}");
    }
    let embedded = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    assert_eq!(decode(&embedded.to_string(), &sent(), None).expect_err("an error").code(), "server_error");
}

#[test]
fn a_refusal_names_the_part_or_the_parameter() {
    let said = |message: &str| refused(400, json!({"type": "invalid_request_error", "message": message}));
    let dialect = Dialect::of(Wire::Anthropic);
    let schema = said("output_config.format.schema: For 'integer' type, properties minimum are not supported");
    assert_eq!(refused_part(&schema, dialect), Some(RequestPart::ResponseFormat));
    assert_eq!(refused_part(&schema, Dialect { format: ResponseFormat::Plain, ..dialect }), None);
    let parameters = Parameters { reasoning_effort: Some(ReasoningEffort::Low), ..run() };
    let sampling = Sampling::new(&parameters, dialect, 9);
    for (message, expected) in [
        ("`temperature` is deprecated for this model.", Some(ModelParameter::Temperature)),
        ("temperature: range: 0..1", Some(ModelParameter::Temperature)),
        ("\"thinking.type.enabled\" is not supported for this model.", Some(ModelParameter::ReasoningEffort)),
        ("output_config.effort: This model does not support effort", Some(ModelParameter::ReasoningEffort)),
        ("service_tier: not available", None),
        ("messages: at least one message is required", None),
    ] {
        assert_eq!(refused_parameter(&said(message), &sampling), expected, "{message}");
    }
}

#[test]
fn limits_are_read_from_the_headers() {
    let now = "2026-01-01T00:00:00Z".parse().expect("a time");
    let headers = [
        ("anthropic-ratelimit-requests-limit", "50"),
        ("anthropic-ratelimit-requests-remaining", "49"),
        ("anthropic-ratelimit-requests-reset", "2026-01-01T00:00:06Z"),
        ("anthropic-ratelimit-input-tokens-limit", "30000"),
        ("anthropic-ratelimit-input-tokens-remaining", "0"),
        ("anthropic-ratelimit-tokens-reset", "soon"),
        ("anthropic-ratelimit-input-tokens-reset", "2025-12-31T23:59:00Z"),
    ];
    let headers = headers.map(|(name, value)| {
        (reqwest::header::HeaderName::from_static(name), reqwest::header::HeaderValue::from_static(value))
    });
    let seconds = |seconds| Some(std::time::Duration::from_secs(seconds));
    assert_eq!(
        rate_limits::read(&headers.into_iter().collect(), now),
        RateLimitHeaders {
            limit_requests: Some(50),
            limit_tokens: Some(30_000),
            remaining_requests: Some(49),
            remaining_tokens: Some(0),
            reset_requests: seconds(6),
            reset_tokens: seconds(0),
        }
    );
}
