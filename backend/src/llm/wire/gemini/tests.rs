use reqwest::StatusCode;
use serde_json::{Value, json};
use simulation::model_options::{ReasoningEffort, ServiceTier, Verbosity};
use simulation::parameters::Parameters;
use simulation::wire::Wire;
use survey::samples::one_of_each;

use super::*;
use crate::llm::connection::HttpRefusal;
use crate::llm::outcome::{CallError, StopReason, TokenUsage};
use crate::llm::prompt::{Dialect, ModelParameter, PromptItem, RequestPart, ResponseFormat, SystemMessage};
use crate::llm::samples::{encoded, parameters};
use crate::llm::wire::SentPrompt;

fn run() -> Parameters {
    Parameters { model: "gemini-3-flash".to_owned(), wire: Wire::Gemini, ..parameters() }
}

fn body(parameters: &Parameters, dialect: Dialect) -> Value {
    let questions = one_of_each();
    let items: Vec<_> = questions.iter().map(|question| PromptItem::new(question, parameters, 1)).collect();
    serde_json::from_str(encoded("I am Ann.", parameters, &items, dialect, 900).body()).expect("JSON")
}

fn sent() -> SentPrompt {
    let questions = one_of_each();
    let items = [PromptItem::new(&questions[0], &run(), 1)];
    encoded("x", &run(), &items, Dialect::of(Wire::Gemini), 900).sent().clone()
}

fn refused(status: u16, error: Value) -> HttpRefusal {
    HttpRefusal::embedded(StatusCode::from_u16(status).expect("a status"), json!({"error": error}).to_string())
}

#[test]
fn a_request_has_an_instruction_a_schema_and_a_seed_of_32_bits() {
    let long = Parameters { seed: 5_000_000_000, ..run() };
    let body = body(&long, Dialect::of(Wire::Gemini));
    let text = SystemMessage::new("I am Ann.");
    assert_eq!(body["systemInstruction"], json!({"parts": [{"text": text.text()}]}));
    assert_eq!(body["contents"][0]["role"], "user");
    assert!(body["model"].is_null(), "the path names it");
    let config = &body["generationConfig"];
    assert_eq!((&config["temperature"], &config["maxOutputTokens"]), (&json!(0.7), &json!(900)));
    assert_eq!(config["seed"], 5_000_000_000_i64 & 0x7fff_ffff);
    assert_eq!(config["responseMimeType"], "application/json");
    let schema = config["responseJsonSchema"].to_string();
    assert!(schema.contains("minimum") && !schema.contains("maxLength"), "{schema}");
    assert_eq!(omitted_params(Dialect::of(Wire::Gemini)), ["maxLength"]);
}

/// A change here changes the hashes of the prompts of stored runs.
#[test]
fn the_bytes_of_a_request_are_recorded() {
    let questions = one_of_each();
    let items: Vec<_> = questions.iter().map(|question| PromptItem::new(question, &run(), 1)).collect();
    let prompt = encoded("I am Ann.", &run(), &items, Dialect::of(Wire::Gemini), 900);
    insta::assert_snapshot!(prompt.body());
}

#[test]
fn the_texts_of_a_body_are_read_as_they_were_written() {
    let questions = one_of_each();
    let items = [PromptItem::new(&questions[0], &run(), 1)];
    let prompt = encoded("I \"am\" é\nAnn", &run(), &items, Dialect::of(Wire::Gemini), 9);
    let [system, user] = read_messages(prompt.body()).expect("two texts");
    assert_eq!(system, SystemMessage::new("I \"am\" é\nAnn").text());
    assert!(user.starts_with("[q1] "), "{user}");
}

#[test]
fn an_effort_is_a_level_or_a_budget_by_the_version_of_the_model() {
    let thinking = |model: &str, effort| {
        let parameters = Parameters { model: model.to_owned(), reasoning_effort: Some(effort), ..run() };
        body(&parameters, Dialect::of(Wire::Gemini))["generationConfig"]["thinkingConfig"].clone()
    };
    assert_eq!(thinking("gemini-3-flash", ReasoningEffort::Low), json!({"thinkingLevel": "low"}));
    assert_eq!(thinking("models/gemini-2.5-flash", ReasoningEffort::None), json!({"thinkingBudget": 0}));
    assert_eq!(thinking("gemini-2.5-pro", ReasoningEffort::High), json!({"thinkingBudget": 16_384}));
}

#[test]
fn what_google_does_not_have_is_named_with_the_reason() {
    let named = |parameters: &Parameters| -> Vec<ModelParameter> {
        let sampling = Sampling::new(parameters, Dialect::of(Wire::Gemini), 9);
        unsupported(&sampling).into_iter().map(|(parameter, _)| parameter).collect()
    };
    let effort =
        |model: &str, effort| named(&Parameters { model: model.to_owned(), reasoning_effort: Some(effort), ..run() });
    assert_eq!(effort("gemini-3-flash", ReasoningEffort::None), [ModelParameter::ReasoningEffort]);
    assert_eq!(effort("gemini-2.5-flash", ReasoningEffort::Xhigh), [ModelParameter::ReasoningEffort]);
    assert_eq!(effort("gemini-3-flash", ReasoningEffort::Max), [ModelParameter::ReasoningEffort]);
    assert_eq!(effort("gemini-2.5-flash", ReasoningEffort::None), []);
    let others = Parameters { verbosity: Some(Verbosity::Low), service_tier: Some(ServiceTier::Auto), ..run() };
    assert_eq!(named(&others), [ModelParameter::Verbosity, ModelParameter::ServiceTier]);
    let flex = Parameters { service_tier: Some(ServiceTier::Flex), ..run() };
    assert_eq!(body(&flex, Dialect::of(Wire::Gemini))["serviceTier"], "flex");
}

#[test]
fn content_is_read_without_thoughts_and_with_its_tokens() {
    let reply = json!({"modelVersion": "gemini-3-flash-001", "candidates": [{"finishReason": "STOP", "content":
        {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "{\"q1\":"}, {"text": "1}"}]}}],
        "usageMetadata": {"promptTokenCount": 90, "cachedContentTokenCount": 64, "candidatesTokenCount": 5,
            "thoughtsTokenCount": 7}});
    let completion = decode(&reply.to_string(), &sent(), None).expect("a completion");
    assert_eq!((completion.content.as_deref(), completion.model.as_str()), (Some("{\"q1\":1}"), "gemini-3-flash-001"));
    assert_eq!(completion.usage, TokenUsage { prompt: 90, cached: 64, cache_write: 0, completion: 12, reasoning: 7 });
}

#[test]
fn why_content_ended_is_read() {
    let ended = |reason: &str| decode(&json!({"candidates": [{"finishReason": reason}]}).to_string(), &sent(), None);
    assert!(ended("MAX_TOKENS").expect("a completion").is_truncated());
    for reason in ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST"] {
        assert!(ended(reason).expect("a completion").is_refused(), "{reason}");
    }
    assert_eq!(ended("OTHER").expect_err("nothing was said").code(), "garbled");
    let blocked = json!({"promptFeedback": {"blockReason": "OTHER"}});
    let blocked = decode(&blocked.to_string(), &sent(), None).expect("a completion");
    assert_eq!((blocked.is_refused(), blocked.refusal.as_deref()), (true, Some("the prompt was blocked: OTHER")));
    assert_eq!(decode("{}", &sent(), None).expect_err("nothing came").code(), "garbled");
    assert_eq!(stop_reason(Some("STOP")), StopReason::Finished);
}

#[test]
fn every_refusal_has_its_name() {
    let quota = |period: &str| json!([{"violations": [{"quotaId": format!("GenerateRequestsPer{period}PerProject")}]}]);
    for (status, message, details, expected) in [
        (400, "Invalid JSON payload received.", json!([]), "rejected"),
        (400, "API key not valid.", json!([{"reason": "API_KEY_INVALID"}]), "denied"),
        (400, "Enable billing.", json!([]), "denied"),
        (403, "Permission denied", json!([]), "denied"),
        (404, "models/x is not found for API version v1beta", json!([]), CallError::MODEL_MISSING),
        (429, "Quota exceeded", quota("Minute"), "rate_limited"),
        (429, "Quota exceeded", quota("Day"), "denied"),
        (500, "Internal", json!([]), "server_error"),
        (503, "The model is overloaded.", json!([]), "server_error"),
    ] {
        let error = json!({"code": status, "message": message, "details": details});
        assert_eq!(call_error(&refused(status, error)).code(), expected, "{status} {message}");
    }
    let wait = json!({"code": 429, "message": "m", "details": [{"retryDelay": "3.5s"}]});
    let CallError::RateLimited { retry_after, .. } = call_error(&refused(429, wait)) else { panic!("a limit") };
    assert_eq!(retry_after, Some(std::time::Duration::from_millis(3_500)));
    // Errors in files have the codes of gRPC.
    for (code, expected) in [(8, "rate_limited"), (3, "rejected"), (13, "server_error"), (503, "server_error")] {
        let inside = json!({"error": {"code": code, "message": "m"}});
        assert_eq!(decode(&inside.to_string(), &sent(), None).expect_err("an error").code(), expected, "{code}");
    }
}

#[test]
fn a_refusal_names_the_part_or_the_parameter() {
    let said = |message: &str| refused(400, json!({"code": 400, "message": message}));
    let dialect = Dialect::of(Wire::Gemini);
    for (message, part) in [
        ("JSON mode is not enabled for this model", Some(RequestPart::ResponseFormat)),
        ("Unknown name \"responseJsonSchema\" at 'generation_config'", Some(RequestPart::ResponseFormat)),
        ("Unknown name \"seed\" at 'generation_config'", Some(RequestPart::Seed)),
        ("Unknown name \"maxOutputTokens\" at 'generation_config'", Some(RequestPart::ReplyLimit)),
        ("contents is not specified", None),
    ] {
        assert_eq!(refused_part(&said(message), dialect), part, "{message}");
    }
    assert_eq!(
        refused_part(&said("JSON mode is not enabled"), Dialect { format: ResponseFormat::Plain, ..dialect }),
        None
    );
    let parameters = Parameters { reasoning_effort: Some(ReasoningEffort::Low), ..run() };
    let sampling = Sampling::new(&parameters, dialect, 9);
    for (message, parameter) in [
        ("Thinking level is not supported for this model.", Some(ModelParameter::ReasoningEffort)),
        ("Unknown name \"temperature\" at 'generation_config'", Some(ModelParameter::Temperature)),
        ("contents is not specified", None),
    ] {
        assert_eq!(refused_parameter(&said(message), &sampling), parameter, "{message}");
    }
}

#[test]
fn a_model_is_one_part_of_a_path() {
    assert_eq!(path_of("gemini-3-flash", "generateContent"), "/v1beta/models/gemini-3-flash:generateContent");
    assert_eq!(path_of("models/gemini-3-flash", "m"), "/v1beta/models/gemini-3-flash:m");
    assert_eq!(path_of("../files?x", "m"), "/v1beta/models/..%2Ffiles%3Fx:m");
}
