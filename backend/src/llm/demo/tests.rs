use proptest::prelude::*;
use serde_json::{Value, json};

use super::completion::Request;
use crate::llm::answer::read;
use crate::llm::prompt::{Asked, Persona, Prompt, ResponseFormat, max_tokens};
use crate::llm::samples::{any_question, parameters};
use crate::models::simulations::Parameters;

const FORMATS: [ResponseFormat; 3] = [ResponseFormat::JsonSchema, ResponseFormat::JsonObject, ResponseFormat::Plain];

/// The content of the model's reply to a request.
fn content(body: &str, seed: u64) -> String {
    let reply = Request::parse(body.as_bytes()).unwrap().reply(seed, None).to_json("x", 0);
    reply["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
}

fn reply_to(schema: Value) -> Value {
    let body = json!({
        "messages": [{ "role": "user", "content": [{ "type": "text", "text": "How are you?" }] }],
        "response_format": { "type": "json_schema", "json_schema": { "name": "x", "schema": schema } },
    });
    serde_json::from_str(&content(&body.to_string(), 0)).unwrap()
}

proptest! {
    #[test]
    fn the_model_s_answers_pass_the_checks_for_every_type_and_format(
        questions in (any_question(1), any_question(2), any_question(3)).prop_map(<[_; 3]>::from),
        persona in "\\PC{0,200}", seed in any::<u64>(), persona_id in 1..3000i32,
    ) {
        let parameters = Parameters { seed: seed as i64, ..parameters() };
        let asked: Vec<_> = questions.iter().map(|question| Asked::new(question, &parameters, persona_id)).collect();
        for format in FORMATS {
            let prompt = Prompt::build(&Persona::new(&persona), &parameters, &asked, format, max_tokens(&asked));
            for answer in read(&asked, &content(&prompt.body(), seed)) {
                prop_assert!(answer.is_ok(), "{format:?} {answer:?}");
            }
        }
    }

    #[test]
    fn a_twin_chooses_the_same_option_in_whatever_order_they_stand(
        question in any_question(1).prop_filter("has options", |question| question.is_choice()),
        seeds in (any::<i64>(), any::<i64>()),
    ) {
        let answer = |seed| {
            let parameters = Parameters { seed, ..parameters() };
            let asked = [Asked::new(&question, &parameters, 1)];
            let prompt = Prompt::build(&Persona::new("Age: 30"), &parameters, &asked, ResponseFormat::JsonSchema, 9000);
            read(&asked, &content(&prompt.body(), 0)).remove(0).unwrap()
        };
        prop_assert_eq!(answer(seeds.0), answer(seeds.1));
    }
}

#[test]
fn schemas_of_other_clients_are_answered() {
    let schema = json!({
        "type": "object",
        "$defs": { "Mood": { "enum": ["good", "bad"] }, "Tree": { "properties": { "next": { "$ref": "#/$defs/Tree" } } } },
        "properties": {
            "mood": { "$ref": "#/$defs/Mood" },
            "count": { "type": "integer", "minimum": 3, "maximum": 3 },
            "maybe": { "anyOf": [{ "type": "null" }, { "type": "boolean" }] },
            "either": { "type": ["null", "number"] },
            "fixed": { "const": 7 },
            "tree": { "$ref": "#/$defs/Tree" },
            "list": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
        },
    });
    let reply = reply_to(schema);
    assert!(reply["mood"] == "good" || reply["mood"] == "bad");
    assert_eq!(reply["count"], 3);
    assert!(reply["maybe"].is_boolean() && reply["either"].is_number());
    assert_eq!(reply["fixed"], 7);
    assert_eq!(reply["list"].as_array().unwrap().len(), 2);
}

#[test]
fn replies_stop_at_the_tokens_that_the_request_allows() {
    let body = json!({ "messages": [{ "role": "user", "content": "Tell me more" }], "max_tokens": 3 });
    let reply = Request::parse(body.to_string().as_bytes()).unwrap().reply(0, None).to_json("x", 0);
    assert_eq!(reply["choices"][0]["finish_reason"], "length");
    assert_eq!(reply["choices"][0]["message"]["content"], "Synthetic an");
    assert_eq!(reply["usage"]["completion_tokens"], 3);
}

#[test]
fn requests_that_cannot_be_answered_are_refused() {
    let refusal = |body: Value| Request::parse(body.to_string().as_bytes()).err().unwrap().to_string();
    let hello = json!([{ "role": "user", "content": "hello" }]);
    assert!(refusal(json!({ "messages": [] })).contains("at least one message"));
    assert!(refusal(json!({ "messages": hello, "stream": true })).contains("does not stream"));
    assert!(
        refusal(json!({ "messages": hello, "response_format": { "type": "xml" } })).contains("Invalid value: 'xml'")
    );
    assert!(refusal(json!({ "messages": hello, "response_format": { "type": "json_schema" } })).contains("schema"));
    assert!(refusal(json!([])).contains("could not parse"));
}
