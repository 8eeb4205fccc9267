use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use simulation::parameters::Parameters;
use survey::question::{Question, QuestionType};
use survey::samples::{one_of_each, question};

use super::*;
use crate::llm::samples::{any_question, encoded, parameters};
use crate::llm::wire::ProviderApi;
use simulation::wire::Wire;

fn asked(questions: &[Question]) -> Vec<PromptItem<'_>> {
    questions.iter().map(|question| PromptItem::new(question, &parameters(), 1)).collect()
}

fn body(questions: &[Question], format: ResponseFormat) -> Value {
    let prompt = encoded("I am Ann.", &parameters(), &asked(questions), format, 500);
    serde_json::from_str(prompt.body()).unwrap()
}

/// OpenAI's rules for strict schemas: every field of every object required, none beside them.
fn assert_strict(schema: &Value) {
    if let Some(fields) = schema.get("properties").and_then(Value::as_object) {
        assert_eq!(schema["additionalProperties"], false);
        let mut required: Vec<_> = schema["required"].as_array().unwrap().iter().map(|n| n.as_str().unwrap()).collect();
        required.sort_unstable();
        let mut names: Vec<_> = fields.keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(required, names);
        fields.values().for_each(assert_strict);
    }
}

#[test]
fn a_prompt_puts_the_twin_first_and_the_questions_in_words() {
    let questions = one_of_each();
    let mut asked = asked(&questions[..4]);
    asked[0].rejection = Some("\"Milk\" is not one of them".into());
    let prompt = encoded("I am \"Ann\".", &parameters(), &asked, ResponseFormat::JsonSchema, 500);
    let body: Value = serde_json::from_str(prompt.body()).unwrap();
    assert!(prompt.body().starts_with(r#"{"messages":[{"role":"system","content":"I am \"Ann\"."#));
    insta::assert_snapshot!(body["messages"][1]["content"].as_str().unwrap(), @r#"
    [q1] Which drink?
    Choose exactly one option:
    - Coffee
    - Tea
    - Water
    Your last answer to this question was not accepted: "Milk" is not one of them. Answer it again.

    [q2] Which fruits?
    Choose every option that applies, at least one, as a list:
    - Pear
    - Fig
    - Apple

    [q3] Rate the shop
    Rate every row with exactly one of these labels:
    - Disagree
    - Neutral
    - Agree
    Rows:
    r1: It is cheap
    r2: It is near

    [q4] I like maps
    Rate every row with exactly one of these labels:
    - Disagree
    - Agree
    Rows:
    r1: I like maps
    "#);
}

#[test]
fn numbers_and_texts_are_asked_for_in_words() {
    let body = body(&one_of_each()[4..10], ResponseFormat::JsonSchema);
    insta::assert_snapshot!(body["messages"][1]["content"].as_str().unwrap(), @r"
    [q5] How happy?
    Answer with a number from 0 to 1.5.

    [q6] How likely?
    Answer with a number from 0 (never) to 100 (surely).

    [q7] How many cars?
    Answer with a number, at least 0.

    [q8] Do you smoke?
    Answer true for yes or false for no.

    [q9] Your trade?
    Answer briefly in your own words.
    The answer field's hint reads: e.g. baker

    [q10] Why?
    Answer in your own words, in one to four sentences.
    ");
}

#[test]
fn sums_rankings_and_best_and_worst_choices_are_asked_for_in_words() {
    let body = body(&one_of_each()[10..], ResponseFormat::JsonSchema);
    insta::assert_snapshot!(body["messages"][1]["content"].as_str().unwrap(), @r#"
    [q11] Divide the budget
    Divide exactly 10 among the options: a number from 0 for each, all adding up to 10:
    q11_1: Food
    q11_2: Fun
    q11_3: Rent

    [q12] Rank the seasons
    Rank all options as a list, the best or most fitting first, each exactly once:
    - Summer
    - Winter
    - Spring

    [q13] Which feature matters?
    Choose the best or most fitting option as "best" and another one as "worst":
    - Colour
    - Size
    - Price

    [q14] When do you use it?
    Choose for every row each of these labels that applies, at least one, as a list:
    - Morning
    - Evening
    Rows:
    q14_1: Phone
    q14_2: Television
    "#);
    let schema = &body["response_format"]["json_schema"]["schema"];
    assert_strict(schema);
    let fields = &schema["properties"];
    let part = json!({ "type": "number", "minimum": 0, "maximum": 10 });
    assert_eq!(fields["q11"]["properties"], json!({ "q11_1": part, "q11_2": part, "q11_3": part }));
    assert_eq!(fields["q11"]["description"], "Numbers that add up to exactly 10.");
    let seasons = json!({ "type": "string", "enum": ["Summer", "Winter", "Spring"] });
    assert_eq!(fields["q12"], json!({ "type": "array", "items": seasons, "minItems": 3, "maxItems": 3 }));
    let feature = json!({ "type": "string", "enum": ["Colour", "Size", "Price"] });
    assert_eq!(fields["q13"]["properties"], json!({ "best": feature, "worst": feature }));
    let label = json!({ "type": "string", "enum": ["Morning", "Evening"] });
    let labels = json!({ "type": "array", "items": label, "minItems": 1, "maxItems": 2 });
    assert_eq!(fields["q14"]["properties"], json!({ "q14_1": labels, "q14_2": labels }));
}

#[test]
fn texts_without_an_answer_stand_before_all_later_questions_once_a_call() {
    let mut survey: Vec<Question> = one_of_each().into_iter().take(3).collect();
    let text = |order, text: &str| question(order, json!({ "type": "INFO", "text": text }));
    survey.insert(2, text(11, "Now about the shop."));
    survey.insert(0, text(12, "Welcome."));
    survey.push(text(13, "Goodbye."));
    let message = |open: &[i64], per_call| -> Vec<String> {
        let message = |call: Vec<&Question>| {
            let asked: Vec<_> = call
                .into_iter()
                .map(|question| PromptItem::new(question, &parameters(), 1).after_texts_of(&survey))
                .collect();
            wording::write_questions("", &asked).trim_end().to_owned()
        };
        calls(&survey, open, per_call).map(message).collect()
    };
    let before = |message: &str| {
        let labels = ["Welcome.", "[q1]", "[q2]", "Now about the shop.", "[q3]", "Goodbye."];
        let mut found: Vec<_> = labels.iter().filter_map(|label| Some((message.find(label)?, *label))).collect();
        found.sort_unstable();
        assert!(labels.iter().all(|label| message.matches(label).count() < 2), "{message}");
        found.into_iter().map(|(_, label)| label).collect::<Vec<_>>()
    };
    let all: Vec<i64> = survey.iter().map(|question| question.id).collect();
    let whole = message(&all, 3);
    assert_eq!(whole.len(), 1);
    assert!(whole[0].starts_with("Welcome.\n\n[q1] Which drink?\n"), "{}", whole[0]);
    assert_eq!(before(&whole[0]), ["Welcome.", "[q1]", "[q2]", "Now about the shop.", "[q3]"]);
    let one_by_one = message(&all, 1);
    assert_eq!(before(&one_by_one[1]), ["Welcome.", "[q2]"]);
    assert_eq!(before(&one_by_one[2]), ["Welcome.", "Now about the shop.", "[q3]"]);
    // What is asked again has the same texts before it.
    assert_eq!(before(&message(&all[4..], 3)[0]), ["Welcome.", "Now about the shop.", "[q3]"]);
}

#[test]
fn the_schema_has_one_typed_field_a_question() {
    let body = body(&one_of_each(), ResponseFormat::JsonSchema);
    assert_eq!(body["response_format"]["type"], "json_schema");
    let named = &body["response_format"]["json_schema"];
    assert_eq!((&named["name"], &named["strict"]), (&json!("answers"), &json!(true)));
    let schema = &named["schema"];
    assert_strict(schema);
    let fields = &schema["properties"];
    let label = json!({ "type": "string", "enum": ["Disagree", "Neutral", "Agree"] });
    let shown = json!(["Pear", "Fig", "Apple"]);
    assert_eq!(fields["q1"], json!({ "type": "string", "enum": ["Coffee", "Tea", "Water"] }));
    let items = json!({ "type": "string", "enum": shown });
    assert_eq!(fields["q2"], json!({ "type": "array", "items": items, "minItems": 1, "maxItems": 3 }));
    assert_eq!(fields["q3"]["properties"], json!({ "r1": label, "r2": label }));
    assert_eq!(fields["q4"]["required"], json!(["r1"]));
    assert_eq!(fields["q5"], json!({ "type": "number", "minimum": 0, "maximum": 1.5 }));
    assert_eq!(fields["q7"], json!({ "type": "number", "minimum": 0 }));
    assert_eq!(fields["q8"], json!({ "type": "boolean" }));
    assert_eq!(fields["q10"], json!({ "type": "string" }));
}

#[test]
fn plainer_formats_carry_the_schema_in_words() {
    let questions = one_of_each();
    let schema = body(&questions, ResponseFormat::JsonSchema)["response_format"]["json_schema"]["schema"].clone();
    for (format, declared) in
        [(ResponseFormat::JsonObject, json!({ "type": "json_object" })), (ResponseFormat::Plain, Value::Null)]
    {
        let body = body(&questions, format);
        assert_eq!(body["response_format"], declared);
        let message = body["messages"][1]["content"].as_str().unwrap();
        let (_, shown) = message.rsplit_once("JSON schema:\n").unwrap();
        assert_eq!(serde_json::from_str::<Value>(shown).unwrap(), schema);
    }
}

#[test]
fn all_prompts_of_an_interview_begin_with_the_same_bytes() {
    let questions = one_of_each();
    let persona = &"A long profile.\n".repeat(100);
    let beginning = |questions: &[Question], format| {
        let prompt = encoded(persona, &parameters(), &asked(questions), format, 500);
        prompt.body()[..prompt.body().find(r#"{"role":"user""#).unwrap()].to_owned()
    };
    let first = beginning(&questions[..1], ResponseFormat::JsonSchema);
    assert_eq!(first, beginning(&questions[3..], ResponseFormat::Plain));
    assert!(first.len() > 1600);
}

/// A change here changes the recorded hash of every prompt.
#[test]
fn a_body_is_written_byte_for_byte_as_ever() {
    let questions = one_of_each();
    let persona = "I am \"Ann\" é.";
    let prompt = encoded(persona, &parameters(), &asked(&questions[7..8]), Dialect::default(), 9);
    let how_to_answer = serde_json::to_string(wording::HOW_TO_ANSWER).unwrap();
    let expected = [
        r#"{"messages":[{"role":"system","content":"I am \"Ann\" é.\n\n"#,
        how_to_answer.trim_matches('"'),
        r#""},{"role":"user","content":"[q8] Do you smoke?\nAnswer true for yes or false for no."}],"#,
        r#""model":"twinlab-demo","temperature":0.7,"seed":42,"max_completion_tokens":9,"#,
        r#""response_format":{"type":"json_schema","json_schema":{"name":"answers","strict":true,"schema":"#,
        r#"{"type":"object","properties":{"q8":{"type":"boolean"}},"required":["q8"],"additionalProperties":false}}}}"#,
    ];
    assert_eq!(prompt.body(), expected.concat());
}

#[test]
fn the_hash_is_that_of_the_bytes_sent() {
    let plain =
        Dialect { format: ResponseFormat::Plain, reply_limit: ReplyLimit::Omitted, seed: false, ..Dialect::default() };
    for dialect in [Dialect::default(), plain] {
        let prompt = encoded("x\n\"é", &parameters(), &asked(&one_of_each()), dialect, 9);
        let hash: [u8; 32] = Sha256::digest(prompt.body()).into();
        assert_eq!(prompt.hash(), hash);
    }
}

#[test]
fn a_dialect_sends_its_parts_and_names_the_parameters_that_it_omits() {
    let body = |dialect: Dialect| -> Value {
        let prompt = encoded("x", &parameters(), &asked(&one_of_each()[..1]), dialect, 9);
        serde_json::from_str(prompt.body()).unwrap()
    };
    let everything = Dialect::default();
    assert_eq!(
        (&body(everything)["max_completion_tokens"], ProviderApi::from(Wire::default()).omitted_params(everything)),
        (&json!(9), vec![])
    );
    let older = everything.without(RequestPart::ReplyLimit).unwrap().without(RequestPart::Seed).unwrap();
    assert_eq!((&body(older)["max_tokens"], &body(older)["seed"]), (&json!(9), &Value::Null));
    assert_eq!(ProviderApi::from(Wire::default()).omitted_params(older), ["max_completion_tokens", "seed"]);
    assert_eq!((older.without(RequestPart::Seed), everything.common(older)), (None, older));
}

/// A change here changes the prompts of every recorded seed.
#[test]
fn a_recorded_seed_keeps_its_orders() {
    let mut question = one_of_each().remove(0);
    question.options = ["a", "b", "c", "d", "e", "f", "g"].map(String::from).into();
    assert_eq!(option_order(42, 1, &question), [7, 5, 1, 3, 4, 6, 2]);
    assert_eq!(option_order(-1, 2058, &question), [4, 6, 1, 3, 7, 2, 5]);
    question.id += 1;
    assert_eq!(option_order(42, 1, &question), [7, 5, 1, 3, 4, 6, 2], "the database's id must not matter");
}

#[test]
fn every_order_of_three_options_is_shown_about_as_often() {
    let question = &one_of_each()[0];
    let mut counts = std::collections::HashMap::new();
    for persona_id in 1..=6000 {
        *counts.entry(option_order(7, persona_id, question)).or_insert(0) += 1;
    }
    assert_eq!(counts.len(), 6);
    assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
}

#[test]
fn without_shuffling_options_stand_as_written() {
    let unshuffled = Parameters { shuffle_options: false, ..parameters() };
    let questions = one_of_each();
    assert_eq!(PromptItem::new(&questions[0], &unshuffled, 1).order.as_deref(), Some([1, 2, 3].as_slice()));
    assert_eq!(PromptItem::new(&questions[4], &unshuffled, 1).order, None);
    assert_eq!(PromptItem::new(&questions[2], &parameters(), 1).order, None);
}

#[test]
fn a_question_keeps_its_chunk_whatever_is_still_open() {
    let questions = one_of_each();
    let ids = |open: &[i64]| -> Vec<Vec<i32>> {
        calls(&questions, open, 4).map(|call| call.iter().map(|question| question.order).collect()).collect()
    };
    let all: Vec<i64> = questions.iter().map(|question| question.id).collect();
    assert_eq!(ids(&all), [vec![1, 2, 3, 4], vec![5, 6, 7, 8], vec![9, 10, 11, 12], vec![13, 14]]);
    assert_eq!(ids(&[all[3], all[4], all[9]]), [[4], [5], [10]]);
    assert!(ids(&[]).is_empty());
    assert_eq!(calls(&questions, &all, 0).count(), 14);
}

#[test]
fn more_words_are_expected_to_cost_more_tokens() {
    let questions = one_of_each();
    let estimate = |persona: &str, count: usize| {
        let asked = asked(&questions[..count]);
        encoded(persona, &parameters(), &asked, ResponseFormat::JsonSchema, 9).estimated_tokens()
    };
    assert!(estimate("x", 1) < estimate("x", 10));
    let difference = estimate(&"x".repeat(4001), 1) - estimate("x", 1);
    assert_eq!(difference, 1000);
    assert!(max_tokens(&asked(&questions)) > 2000);
}

proptest! {
    #[test]
    fn the_same_seed_gives_the_same_bytes(
        questions in prop::collection::vec(any_question(1), 1..4),
        persona in any::<String>(), seed in any::<i64>(), persona_id in any::<i32>(),
    ) {
        let parameters = Parameters { seed, ..parameters() };
        let build = || {
            let asked: Vec<_> = questions.iter().map(|q| PromptItem::new(q, &parameters, persona_id)).collect();
            encoded(&persona, &parameters, &asked, ResponseFormat::JsonObject, 100)
        };
        let (first, second) = (build(), build());
        prop_assert_eq!(first.body(), second.body());
        prop_assert_eq!(first.hash(), second.hash());
        let body: Value = serde_json::from_str(first.body()).unwrap();
        prop_assert!(body["messages"][0]["content"].as_str().unwrap().starts_with(&persona));
    }

    #[test]
    fn every_option_is_shown_once(question in any_question(1), seed in any::<i64>(), persona_id in any::<i32>()) {
        let mut order = option_order(seed, persona_id, &question);
        order.sort_unstable();
        prop_assert_eq!(order, (1..=question.options.len() as i16).collect::<Vec<_>>());
    }
}

#[test]
fn a_prompt_says_which_options_are_chosen_alone() {
    let mut question = one_of_each().into_iter().find(|one| one.question_type == QuestionType::MultipleChoice).unwrap();
    question.logic.exclusive = Some(vec!["Fig".into()]);
    let message = body(std::slice::from_ref(&question), ResponseFormat::JsonSchema)["messages"][1]["content"].clone();
    let said = "\nIf you choose \"Fig\", choose nothing else.";
    assert!(message.as_str().unwrap().ends_with(said), "{message}");
    // One that is not shown to this twin is not spoken of.
    let item = PromptItem { order: Some(vec![1, 2].into()), ..PromptItem::new(&question, &parameters(), 1) };
    let hidden = encoded("I am Ann.", &parameters(), &[item], ResponseFormat::JsonSchema, 500);
    assert!(!hidden.body().contains("choose nothing else"), "{}", hidden.body());
}
