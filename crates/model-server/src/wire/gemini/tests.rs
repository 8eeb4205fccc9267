use super::*;
use crate::error::Wait;
use crate::persona_key;
use crate::request::Request;
use crate::schema::Schema;

fn body(config: Value) -> Vec<u8> {
    json!({"systemInstruction": {"parts": [{"text": "Person 1"}]},
        "contents": [{"role": "user", "parts": [{"text": "Which?"}]}], "generationConfig": config})
    .to_string()
    .into_bytes()
}

fn parsed(body: &[u8]) -> Request<'_> {
    parse(body, Some("demo"), false).expect("it is taken")
}

fn refusal(config: Value) -> String {
    parse(&body(config), Some("demo"), false).err().expect("it is refused").message
}

#[test]
fn a_schema_in_the_form_of_openapi_is_the_same_schema() {
    let own = json!({"type": "OBJECT", "properties": {
        "a": {"type": "ARRAY", "items": {"type": "STRING", "enum": ["x", "y"]}, "minItems": "2"},
        "b": {"type": "NUMBER", "nullable": true, "maximum": 3}}});
    let same = json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"enum": ["x", "y"]}, "minItems": 2},
        "b": {"type": ["number", "null"], "maximum": 3}}});
    let body = body(json!({"responseMimeType": "application/json", "responseSchema": own, "seed": 3}));
    let request = parsed(&body);
    assert_eq!(request.schema, Some(Schema::parse(&same)));
    assert_eq!((request.persona, request.seed), (persona_key("Person 1"), Some(3)));
    assert_eq!((request.profile().as_str(), request.questions().as_str()), ("Person 1", "Which?"));
}

#[test]
fn what_gemini_refuses_is_refused() {
    assert!(refusal(json!({"n": 1})).contains("Unknown name \"n\""));
    assert!(refusal(json!({"seed": 5_000_000_000_i64})).contains("TYPE_INT32"));
    assert!(refusal(json!({"responseSchema": {}})).contains("application/json"));
    assert!(refusal(json!({"candidateCount": 9})).contains("8"));
    assert!(refusal(json!({"thinkingConfig": {"thinkingLevel": "much"}})).contains("much"));
    assert!(parse(b"{}", None, false).err().unwrap().message.contains("contents"));
}

#[test]
fn thoughts_follow_the_budget_or_the_level() {
    let reasoning = |config: Value| parsed(&body(json!({"thinkingConfig": config}))).reasoning;
    assert_eq!(reasoning(json!({"thinkingBudget": 700})), 700);
    assert_eq!(reasoning(json!({"thinkingLevel": "MEDIUM"})), 512);
    assert_eq!((parsed(&body(json!({}))).reasoning, reasoning(json!({"thinkingBudget": 0}))), (0, 0));
    assert_eq!(parse(&body(json!({})), Some("gemini-3-flash"), false).unwrap().reasoning, 128);
}

#[test]
fn the_wait_of_a_429_is_in_its_body() {
    let response = error(&ApiError::too_many_requests("Slow down.", Wait::Seconds(22)));
    let body: Value = serde_json::from_str(&response.body).unwrap();
    assert_eq!(body["error"]["status"], "RESOURCE_EXHAUSTED");
    assert_eq!(body["error"]["details"][1]["retryDelay"], "22s");
    assert!(!response.head(0).contains("retry-after"));
}
