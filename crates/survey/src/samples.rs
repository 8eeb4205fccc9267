//! Sample questions for tests.

use serde_json::{Value, json};

use crate::question::{Question, QuestionPayload};

/// Creates a question from a valid payload.
pub fn question(order: i32, payload: Value) -> Question {
    let payload: QuestionPayload = serde_json::from_value(payload).expect("an object");
    payload.validate().expect("a valid question").at(100 + i64::from(order), order)
}

/// Creates one question of each type that takes an answer.
pub fn one_of_each() -> Vec<Question> {
    let payloads = [
        json!({ "type": "SINGLE_CHOICE", "text": "Which drink?", "options": ["Tea", "Coffee", "Water"] }),
        json!({ "type": "MULTIPLE_CHOICE", "text": "Which fruits?", "options": ["Apple", "Pear", "Fig"] }),
        json!({ "type": "MATRIX", "text": "Rate the shop", "scale_labels": ["Disagree", "Neutral", "Agree"],
            "sub_questions": ["It is cheap", "It is near"] }),
        json!({ "type": "MATRIX", "text": "I like maps", "scale_labels": ["Disagree", "Agree"] }),
        json!({ "type": "SLIDER", "text": "How happy?", "min_value": 0, "max_value": 1.5 }),
        json!({ "type": "RANGE", "text": "How likely?", "min_value": 0, "max_value": 100,
            "min_description": "never", "max_description": "surely" }),
        json!({ "type": "NUMBER", "text": "How many cars?", "min_value": 0 }),
        json!({ "type": "BOOLEAN", "text": "Do you smoke?" }),
        json!({ "type": "TEXT_ENTRY", "text": "Your trade?", "placeholder": "e.g. baker" }),
        json!({ "type": "OPENENDED", "text": "Why?" }),
        json!({ "type": "CONSTANT_SUM", "text": "Divide the budget", "options": ["Rent", "Food", "Fun"], "total": 10 }),
        json!({ "type": "RANK", "text": "Rank the seasons", "options": ["Spring", "Summer", "Winter"] }),
        json!({ "type": "BEST_WORST", "text": "Which feature matters?", "options": ["Price", "Size", "Colour"] }),
        json!({ "type": "MATRIX_MULTI", "text": "When do you use it?", "scale_labels": ["Morning", "Evening"],
            "sub_questions": ["Phone", "Television"] }),
    ];
    payloads.into_iter().zip(1..).map(|(payload, order)| question(order, payload)).collect()
}
