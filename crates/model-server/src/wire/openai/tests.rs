use super::*;
use crate::Dialect;
use crate::persona_key;

fn body(persona: &str, user: &str, format: Value) -> Vec<u8> {
    json!({"messages": [{"content": persona, "role": "system"}, {"content": user, "role": "user"}],
            "model": "gpt-x", "response_format": format})
    .to_string()
    .into_bytes()
}

#[test]
fn a_persona_is_known_by_the_text_of_the_first_message() {
    let persona = "He said \"response_format\": {\"type\": \"text\"} and \\\"content\\\" \\";
    let body = body(persona, "Which?", Value::Null);
    let request = parse(&body).ok().unwrap();
    assert_eq!((request.persona, request.profile().as_str()), (persona_key(persona), persona));
    assert_ne!(request.persona, persona_key("somebody else"));
}

#[test]
fn a_text_in_parts_is_the_same_text_and_its_mark_is_read() {
    let system = json!([{"type": "text", "text": "Person 1", "prompt_cache_breakpoint": {"mode": "explicit"}}]);
    let messages = json!([{"role": "system", "content": system}, {"role": "user", "content": "Which?"}]);
    let body = json!({"model": "gpt-5.6", "messages": messages, "prompt_cache_options": {"mode": "explicit"}});
    let body = body.to_string();
    let request = parse(body.as_bytes()).ok().unwrap();
    assert_eq!((request.persona, request.parts[0].mark), (persona_key("Person 1"), Some(Life::HalfAnHour)));
    assert!(!request.cache.marks_the_end);
    let body = json!({"model": "gpt-5.6", "messages": messages}).to_string();
    assert!(parse(body.as_bytes()).ok().unwrap().cache.marks_the_end);
}

#[test]
fn a_schema_in_the_prompt_is_found_where_the_format_has_none() {
    let schema = json!({"type": "object", "properties": {"q": {"enum": [1]}}});
    let user = format!("Say {{nothing}} but JSON of this schema:\n{schema}\n.");
    let shown = body("p", &user, json!({"type": "json_object"}));
    let shown = parse(&shown).ok().unwrap();
    let given = json!({"type": "json_schema", "json_schema": {"name": "a", "schema": schema}});
    let given = body("p", "Which?", given);
    let given = parse(&given).ok().unwrap();
    assert_eq!((shown.dialect, given.dialect), (Dialect::JsonObject, Dialect::JsonSchema));
    assert!(shown.schema.is_some());
    assert_eq!((shown.schema, shown.questions), (given.schema, given.questions));
}

#[test]
fn requests_that_cannot_be_answered_are_refused() {
    let refusal = |body: Value| parse(body.to_string().as_bytes()).err().unwrap().message;
    let hello = json!([{ "role": "user", "content": "hello" }]);
    assert!(refusal(json!({ "messages": [] })).contains("at least one message"));
    assert!(refusal(json!({ "messages": hello, "stream_options": {} })).contains("only allowed when 'stream'"));
    assert!(refusal(json!({ "messages": hello, "reasoning_effort": "much" })).contains("'much'"));
    let format = |format: Value| json!({ "messages": hello, "response_format": format });
    assert!(refusal(format(json!({ "type": "xml" }))).contains("Invalid value: 'xml'"));
    assert!(refusal(format(json!({ "type": "json_schema" }))).contains("schema"));
    assert!(refusal(json!([])).contains("could not parse"));
    for n in [0, -1, 33] {
        assert_eq!(refusal(json!({ "messages": hello, "n": n })), "'n' must be from 1 to 32.");
    }
}

#[test]
fn durations_are_written_as_openai_does() {
    assert_eq!([0.0115, 1.0, 7.66, 360.0].map(duration), ["12ms", "1s", "7.66s", "6m0s"]);
}
