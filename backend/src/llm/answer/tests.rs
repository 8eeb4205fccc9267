use proptest::prelude::*;
use serde_json::{Value, json};
use survey::question::{Question, QuestionType};
use survey::samples::one_of_each;
use survey::types::{Asked, definition};

use super::*;
use crate::llm::prompt::PromptItem;
use crate::llm::samples::{any_question, any_reply, parameters};

fn check(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<CheckedAnswer, String> {
    let answer = definition(question.question_type).check(Asked { question, order, max_text_length: None }, value)?;
    Ok(CheckedAnswer { text: answer.text(question), answer, distribution: None })
}

fn asked(questions: &[Question]) -> Vec<PromptItem<'_>> {
    let item = |question| PromptItem { order: None, ..PromptItem::new(question, &parameters(), 1) };
    questions.iter().map(item).collect()
}

fn of_type(kind: QuestionType) -> Question {
    one_of_each().into_iter().find(|question| question.question_type == kind).unwrap()
}

#[test]
fn what_is_valid_is_kept_and_the_rest_is_told_why() {
    let questions = one_of_each();
    let answers = read(&asked(&questions[..3]), r#"{"q1": "Tea", "q2": ["Plum"]}"#);
    assert_eq!(answers[0].as_ref().unwrap().text, "Tea");
    assert_eq!(answers[1].as_ref().unwrap_err().code, AnswerErrorCode::Invalid);
    let missing = AnswerError { code: AnswerErrorCode::Missing, message: "the field \"q3\" was missing".into() };
    assert_eq!(answers[2], Err(missing));
}

#[test]
fn an_object_is_found_in_fences_in_prose_and_in_a_wrapper() {
    let questions = one_of_each();
    for content in [
        "```json\n{\"q1\": \"Tea\"}\n```",
        "Sure! {\"q1\": \"Tea\"} Anything else?",
        "<think>{q1} is {\"q2\": 1} or {\"q1\": \"Water\"}</think>{\"q1\": \"Tea\"}",
        r#"{"answers": {"Q1": "Tea"}}"#,
        r#"{"q1": "Water", "q1": "Tea"}"#,
        "\"Tea\"",
        "Tea",
    ] {
        assert_eq!(read(&asked(&questions[..1]), content)[0].as_ref().unwrap().text, "Tea", "{content}");
    }
}

#[test]
fn broken_replies_are_no_free_text() {
    let question = [of_type(QuestionType::OpenEnded)];
    for content in ["", "{\"q10\": \"Beca", "Bad gateway", "[1, 2]", "null", &"{".repeat(100_000), &"[".repeat(100_000)]
    {
        let rejection = read(&asked(&question), content).remove(0).unwrap_err();
        assert_eq!(rejection.code, AnswerErrorCode::NotJson, "{content}");
    }
}

/// Written apart from the code that it judges.
fn allows(question: &Question, answer: &CheckedAnswer) -> bool {
    let value = answer.answer.to_value();
    let is_label = |value: &Value| question.scale_labels.iter().any(|label| value == label);
    match question.question_type {
        QuestionType::SingleChoice => question.options.contains(&answer.text) && value == *answer.text,
        QuestionType::MultipleChoice => {
            let items = value.as_array().unwrap();
            let known = |item: &Value| question.options.iter().any(|option| item == option);
            let repeated = items.iter().enumerate().any(|(index, item)| items[..index].contains(item));
            !items.is_empty() && items.iter().all(known) && !repeated
        }
        QuestionType::Matrix => {
            let ratings = value.as_object().unwrap();
            let rated = |row: &String| ratings.get(row).is_some_and(is_label);
            question.rows().iter().all(rated) && ratings.len() == question.rows().len()
        }
        QuestionType::MatrixMulti => {
            let rows = value.as_object().unwrap();
            let labelled = |row: &String| {
                let labels = rows.get(row).and_then(Value::as_array);
                labels.is_some_and(|labels| !labels.is_empty() && labels.iter().all(is_label))
            };
            question.rows().iter().all(labelled) && rows.len() == question.rows().len()
        }
        QuestionType::ConstantSum => {
            let parts = value.as_object().unwrap();
            let numbers: Vec<f64> = question.options.iter().filter_map(|option| parts.get(option)?.as_f64()).collect();
            let sum: f64 = numbers.iter().sum();
            numbers.len() == question.options.len()
                && parts.len() == numbers.len()
                && numbers.iter().all(|number| *number >= 0.0)
                && (sum - 100.0).abs() < 1e-6
        }
        QuestionType::Rank => {
            let mut ranked: Vec<&str> = value.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let mut options: Vec<&str> = question.options.iter().map(String::as_str).collect();
            ranked.sort_unstable();
            options.sort_unstable();
            ranked == options
        }
        QuestionType::BestWorst => {
            let [best, worst] = ["best", "worst"].map(|end| value[end].as_str().unwrap().to_owned());
            best != worst && question.options.contains(&best) && question.options.contains(&worst)
        }
        QuestionType::Info => false,
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => {
            let number = value.as_f64().unwrap();
            answer.text.parse() == Ok(number)
                && question.min_value.is_none_or(|min| number >= min)
                && question.max_value.is_none_or(|max| number <= max)
        }
        QuestionType::Boolean => value == true && answer.text == "Yes" || value == false && answer.text == "No",
        QuestionType::TextEntry | QuestionType::OpenEnded => {
            value == *answer.text && !answer.text.trim().is_empty() && !answer.text.contains('\0')
        }
    }
}

proptest! {
    #[test]
    fn no_reply_gives_an_answer_that_the_question_does_not_allow(
        (question, value) in any_question(1).prop_flat_map(|question| {
            let reply = any_reply(&question);
            (Just(question), reply)
        })
    ) {
        if let Ok(answer) = check(&question, None, &value) {
            prop_assert!(allows(&question, &answer), "{answer:?}");
        }
        for answer in read(&asked(std::slice::from_ref(&question)), &json!({ "q1": value }).to_string()).iter().flatten() {
            prop_assert!(allows(&question, answer), "{answer:?}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(question in any_question(1), content in "[\\PC{}\"q1:\\[\\],\n`]*") {
        for answer in read(&asked(std::slice::from_ref(&question)), &content).iter().flatten() {
            prop_assert!(allows(&question, answer), "{answer:?}");
        }
    }
}
