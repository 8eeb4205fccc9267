//! Parameters, questions and JSON for tests.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use survey::question::{Question, QuestionPayload, QuestionType};

use super::prompt::{Dialect, Prompt, PromptItem, SystemMessage};
use super::wire::{EncodedPrompt, ProviderApi};

/// The prompt that asks these items of the persona with this text.
pub fn encoded(
    persona: &str,
    parameters: &Parameters,
    items: &[PromptItem<'_>],
    dialect: impl Into<Dialect>,
    max_tokens: u32,
) -> EncodedPrompt {
    let prompt = Prompt::new("", parameters, items, dialect, max_tokens);
    let api = ProviderApi::from(prompt.dialect.wire);
    api.encode(&api.open(&SystemMessage::of_run(persona, parameters)), &prompt)
}

pub fn parameters() -> Parameters {
    Parameters {
        temperature: Some(0.7),
        shuffle_options: true,
        max_text_length: None,
        ..Parameters::new("twinlab-demo", 42, 20)
    }
}

/// Any question that takes an answer and passes validation.
pub fn any_question(order: i32) -> impl Strategy<Value = Question> {
    let texts = |least| prop::collection::hash_set("[a-zA-Z |\"\\\\{}é🙂]{1,12}", least..6);
    let bounds = (-1e6..1e6f64, 0.001..1e6f64);
    let types: Vec<_> = QuestionType::ALL.into_iter().filter(|kind| kind.is_request()).collect();
    (select(types), "\\PC{1,40}", texts(2), texts(0), bounds).prop_filter_map(
        "the payload is no question",
        move |(kind, text, options, rows, (min, width))| {
            let options: Vec<_> = options.into_iter().collect();
            let rows: Vec<_> = rows.into_iter().collect();
            let payload = json!({ "text": text, "type": kind.name(), "options": options, "scale_labels": options,
                "sub_questions": rows, "min_value": min, "max_value": min + width, "min_description": "least",
                "max_description": "most" });
            let payload: QuestionPayload = serde_json::from_value(payload).ok()?;
            Some(payload.validate().ok()?.at(i64::from(order), order))
        },
    )
}

/// JSON of every kind, with the question's own words and numbers near its bounds among it.
pub fn any_reply(question: &Question) -> impl Strategy<Value = Value> + use<> {
    let words: Vec<String> =
        question.options.iter().chain(&question.scale_labels).chain(question.rows()).cloned().collect();
    let own = question.rows().iter().chain(&question.options).cloned();
    let labels = (1..4).flat_map(|number| [format!("r{number}"), format!("q1_{number}")]);
    let keys: Vec<String> = own.chain(labels).chain(["best".to_owned(), "worst".to_owned()]).collect();
    let near = question.min_value.unwrap_or_default();
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0.0..2e6f64).prop_map(move |step| Value::from(near + step - 10.0)),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        any::<Index>().prop_map(move |index| Value::from(index.get(&words).as_str())),
    ];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(select(keys.clone()), inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
