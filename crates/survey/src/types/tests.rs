use serde_json::{Value, json};

use super::*;
use crate::samples::one_of_each;

fn of_type(kind: QuestionType) -> Question {
    one_of_each().into_iter().find(|question| question.question_type == kind).unwrap()
}

fn check(question: &Question, order: Option<&[i16]>, value: &Value) -> Result<Answer, String> {
    definition(question.question_type).check(Asked { question, order, max_text_length: None }, value)
}

/// Returns the answer's text and value, or the rejection.
fn checked(kind: QuestionType, value: Value) -> Result<(String, Value), String> {
    let question = of_type(kind);
    check(&question, None, &value).map(|answer| (answer.text(&question), answer.to_value()))
}

fn accepted(text: &str, value: Value) -> Result<(String, Value), String> {
    Ok((text.into(), value))
}

#[test]
fn answers_read_as_the_contract_shows_them() {
    use QuestionType::*;
    assert_eq!(checked(SingleChoice, json!("Tea")), accepted("Tea", json!("Tea")));
    assert_eq!(checked(MultipleChoice, json!(["Fig", "Apple"])), accepted("Apple | Fig", json!(["Apple", "Fig"])));
    assert_eq!(
        checked(Matrix, json!({ "r1": "Agree", "r2": "Neutral" })),
        accepted("Q1: Agree | Q2: Neutral", json!({ "It is cheap": "Agree", "It is near": "Neutral" }))
    );
    assert_eq!(
        check(&one_of_each()[3], None, &json!({ "r1": "Agree" })).unwrap().to_value(),
        json!({ "I like maps": "Agree" })
    );
    assert_eq!(check(&one_of_each()[3], None, &json!("Agree")).unwrap().text(&one_of_each()[3]), "Q1: Agree");
    assert_eq!(checked(Range, json!(7.0)), accepted("7", json!(7)));
    assert_eq!(checked(Slider, json!(0.5)), accepted("0.5", json!(0.5)));
    assert_eq!(checked(Number, json!("7.5")), accepted("7.5", json!(7.5)));
    assert_eq!(checked(Boolean, json!(true)), accepted("Yes", json!(true)));
    assert_eq!(checked(Boolean, json!("no")), accepted("No", json!(false)));
    assert_eq!(checked(TextEntry, json!(" a baker\0 ")), accepted("a baker", json!("a baker")));
}

#[test]
fn harmless_slips_are_forgiven() {
    use QuestionType::*;
    assert_eq!(checked(SingleChoice, json!(" tea\n")), accepted("Tea", json!("Tea")));
    assert_eq!(checked(MultipleChoice, json!("Fig")), accepted("Fig", json!(["Fig"])));
    assert_eq!(checked(MultipleChoice, json!(["Fig", "Fig"])), accepted("Fig", json!(["Fig"])));
    let by_text = json!({ "It is cheap": "agree", "It is near": "NEUTRAL" });
    assert_eq!(checked(Matrix, by_text).unwrap().0, "Q1: Agree | Q2: Neutral");
    assert_eq!(checked(Matrix, json!(["Agree", "Neutral"])).unwrap().0, "Q1: Agree | Q2: Neutral");
}

#[test]
fn rejections_say_what_is_wrong() {
    use QuestionType::*;
    let rejection = |kind, value| checked(kind, value).unwrap_err();
    assert_eq!(rejection(SingleChoice, json!("Milk")), r#""Milk" is not one of: "Tea", "Coffee", "Water""#);
    assert_eq!(rejection(MultipleChoice, json!([])), "no option was chosen");
    assert_eq!(rejection(Matrix, json!({ "r1": "Agree" })), r#"row r2 ("It is near") has no rating"#);
    assert_eq!(rejection(Matrix, json!({ "r1": "Agree", "r2": 3 })), r#"row r2 ("It is near"): 3 is not a text"#);
    assert_eq!(rejection(Range, json!(101)), "101 is above the maximum 100");
    assert_eq!(rejection(Number, json!(-1)), "-1 is below the minimum 0");
    assert_eq!(rejection(Slider, json!("NaN")), "\"NaN\" is not a number");
    assert_eq!(rejection(Boolean, json!(1)), "1 is neither true nor false");
    assert_eq!(rejection(OpenEnded, json!(" ")), "the text was empty");
    assert_eq!(rejection(OpenEnded, json!("<!DOCTYPE html><p>Bad gateway")), "the text was an HTML page");
    let refusal = "I\u{2019}m sorry, but I can't help with that.";
    assert_eq!(rejection(OpenEnded, json!(refusal)), "the text refused to answer as the person");
}

#[test]
fn answers_of_several_parts_are_read_by_label_and_by_text() {
    use QuestionType::*;
    let sum = json!({ "Rent": 5, "Food": 4.5, "Fun": 0.5 });
    let written = accepted("Rent: 5 | Food: 4.5 | Fun: 0.5", sum.clone());
    assert_eq!(checked(ConstantSum, json!({ "q11_1": 5, "q11_2": "4.5", "q11_3": 0.5 })), written);
    assert_eq!(checked(ConstantSum, sum), written);
    // Labels are numbered in the order shown.
    let shown = check(&of_type(ConstantSum), Some(&[3, 1, 2]), &json!({ "q11_1": 5, "q11_2": 4.5, "q11_3": 0.5 }));
    assert_eq!(shown.unwrap().text(&of_type(ConstantSum)), "Rent: 4.5 | Food: 0.5 | Fun: 5");
    assert_eq!(
        checked(Rank, json!(["Winter", "spring", "Summer"])),
        accepted("1: Winter | 2: Spring | 3: Summer", json!(["Winter", "Spring", "Summer"]))
    );
    let ends = json!({ "best": "Size", "worst": "Price" });
    assert_eq!(checked(BestWorst, ends.clone()), accepted("Best: Size | Worst: Price", ends));
    assert_eq!(
        checked(MatrixMulti, json!({ "q14_1": ["Evening", "Morning"], "Television": "evening" })),
        accepted(
            "Q1: Morning; Evening | Q2: Evening",
            json!({ "Phone": ["Morning", "Evening"], "Television": ["Evening"] })
        )
    );
}

#[test]
fn decimal_parts_add_up_whatever_their_binary_fractions() {
    let question = Question { total: Some(1.0), ..of_type(QuestionType::ConstantSum) };
    let parts = |numbers: [f64; 3]| json!({ "q11_1": numbers[0], "q11_2": numbers[1], "q11_3": numbers[2] });
    assert_ne!(0.3 + 0.6 + 0.1, 1.0, "its binary fractions add up to less");
    assert!(check(&question, None, &parts([0.3, 0.6, 0.1])).is_ok());
    let rejection = check(&question, None, &parts([0.33, 0.33, 0.33])).unwrap_err();
    assert_eq!(rejection, "the numbers add up to 0.99, not to 1");
}

#[test]
fn rejections_of_several_parts_say_which_one_is_wrong() {
    use QuestionType::*;
    let rejection = |kind, value| checked(kind, value).unwrap_err();
    assert_eq!(rejection(ConstantSum, json!({ "q11_1": 10 })), r#"option q11_2 ("Food"): has no number"#);
    assert_eq!(
        rejection(ConstantSum, json!({ "q11_1": 11, "q11_2": -1, "q11_3": 0 })),
        r#"option q11_2 ("Food"): -1 is below 0"#
    );
    assert_eq!(
        rejection(ConstantSum, json!({ "q11_1": 5, "q11_2": 4, "q11_3": 2 })),
        "the numbers add up to 11, not to 10"
    );
    assert_eq!(rejection(Rank, json!("Summer")), r#""Summer" is not a list"#);
    assert_eq!(rejection(Rank, json!(["Summer", "Summer", "Winter"])), r#""Summer" stands there twice"#);
    assert_eq!(rejection(Rank, json!(["Summer", "Winter"])), r#""Spring" is missing: every option has to be ranked"#);
    assert_eq!(rejection(BestWorst, json!({ "best": "Size" })), "the worst option was missing");
    assert_eq!(
        rejection(BestWorst, json!({ "best": "Size", "worst": "size" })),
        r#""Size" cannot be both best and worst"#
    );
    assert_eq!(
        rejection(BestWorst, json!({ "best": "Size", "worst": "Weight" })),
        r#"worst: "Weight" is not one of: "Price", "Size", "Colour""#
    );
    assert_eq!(
        rejection(MatrixMulti, json!({ "q14_1": ["Morning"] })),
        r#"row q14_2 ("Television"): no label was chosen"#
    );
    assert_eq!(
        rejection(MatrixMulti, json!({ "q14_1": ["Morning"], "q14_2": ["Noon"] })),
        r#"row q14_2 ("Television"): "Noon" is not one of: "Morning", "Evening""#
    );
}

#[test]
fn options_in_a_rejection_stand_in_the_order_shown() {
    let rejection = check(&of_type(QuestionType::SingleChoice), Some(&[3, 1, 2]), &json!(0)).unwrap_err();
    assert_eq!(rejection, "0 is not a text");
    let rejection = check(&of_type(QuestionType::SingleChoice), Some(&[3, 1, 2]), &json!("x")).unwrap_err();
    assert_eq!(rejection, r#""x" is not one of: "Water", "Tea", "Coffee""#);
}

#[test]
fn options_that_differ_only_in_case_are_told_apart() {
    let mut question = of_type(QuestionType::SingleChoice);
    question.options = vec!["It".into(), "IT".into()];
    assert_eq!(check(&question, None, &json!("IT")), Ok(Answer::Choice("IT".into())));
    assert!(check(&question, None, &json!("it")).is_err());
}

#[test]
fn a_text_is_kept_whole_or_not_at_all() {
    let checked = |length| check(&of_type(QuestionType::OpenEnded), None, &json!("é".repeat(length)));
    assert_eq!(checked(20_000), Ok(Answer::Text("é".repeat(20_000))));
    assert_eq!(checked(20_001).unwrap_err(), "the text had 20001 characters; at most 20000 are allowed");
}

#[test]
fn a_text_has_the_length_that_its_prompt_states() {
    for (kind, instruction) in [
        (QuestionType::OpenEnded, "Answer in your own words, in one to four sentences and at most 5 characters.\n"),
        (
            QuestionType::TextEntry,
            "Answer briefly in your own words and at most 5 characters.\nThe answer field's hint",
        ),
    ] {
        let question = of_type(kind);
        let asked = Asked { question: &question, order: None, max_text_length: Some(5) };
        let mut message = String::new();
        definition(kind).write_instructions(asked, &mut message).unwrap();
        assert!(message.starts_with(instruction), "{message}");
        let schema = serde_json::to_value(definition(kind).schema(asked)).unwrap();
        assert_eq!(schema, json!({ "type": "string", "maxLength": 5 }));
        let checked = |text| definition(kind).check(asked, &json!(text));
        assert_eq!(checked(" ébène "), Ok(Answer::Text("ébène".into())));
        assert_eq!(checked("ébènes").unwrap_err(), "the text had 6 characters; at most 5 are allowed");
    }
}

#[test]
fn an_option_that_excludes_the_others_is_chosen_alone() {
    let mut question = of_type(QuestionType::MultipleChoice);
    let options = question.options.clone();
    question.logic.exclusive = Some(vec![options[2].clone()]);
    let choose = |chosen: &[&String]| check(&question, None, &json!(chosen)).map(|answer| answer.text(&question));
    assert_eq!(choose(&[&options[2]]), Ok(options[2].clone()));
    assert_eq!(choose(&[&options[0], &options[1]]), Ok(format!("{} | {}", options[0], options[1])));
    assert_eq!(
        choose(&[&options[0], &options[2]]),
        Err(format!("{:?} excludes the other options: choose it alone or not at all", options[2]))
    );
}

#[test]
fn invented_answers_pass_the_check_of_their_type() {
    for question in one_of_each() {
        let choices: Vec<&str> = question.choices().iter().map(String::as_str).collect();
        let rows = question.rows().iter().map(String::as_str).collect();
        let offer = Offer { question: &question, choices, rows };
        for seed in 0..20 {
            let mut random = random::generator(seed, &[]);
            let answer = definition(question.question_type).invent(&offer, &mut random).unwrap();
            assert_eq!(check(&question, None, &answer.to_value()), Ok(answer));
        }
    }
}
