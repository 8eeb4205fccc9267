//! Questions of a Twin-2K-500 person with the answers, from the JSON that the dataset's texts are made from.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::models::held_out::{HeldOut, HeldOutAnswers, HeldOutKind, HeldOutQuestion, HeldOutRow};
use crate::models::profile_answers::ProfileAnswers;

/// A question of the file, with one person's answers by key.
#[derive(Debug)]
struct Asked {
    question: HeldOutQuestion,
    answers: BTreeMap<String, f64>,
}

/// Reads the questions that one person answered twice. Questions whose answers are neither numbers nor single choices
/// are left out. Fails if a cell is no JSON.
pub fn held_out(first: &str, second: &str) -> serde_json::Result<Vec<HeldOut>> {
    let first = asked(&serde_json::from_str(first)?);
    let mut second: BTreeMap<String, BTreeMap<String, f64>> =
        asked(&serde_json::from_str(second)?).into_iter().map(|of| (of.question.qid, of.answers)).collect();
    let pair = |Asked { question, answers }: Asked| {
        let again = second.remove(&question.qid).unwrap_or_default();
        let both = |key: &String| (answers.get(key).copied(), again.get(key).copied());
        let keys = answers.keys().chain(again.keys());
        let answers: HeldOutAnswers = keys.map(|key| (key.clone(), both(key))).collect();
        HeldOut { question, answers }
    };
    Ok(first.into_iter().map(pair).filter(|of| !of.answers.is_empty()).collect())
}

/// Reads a person's answers to the questions of the profile. Questions whose answers are neither numbers nor single
/// choices are left out.
pub fn profile_answers(json: &str) -> serde_json::Result<Vec<ProfileAnswers>> {
    let answered = asked(&serde_json::from_str(json)?).into_iter().filter(|of| !of.answers.is_empty());
    Ok(answered.map(|Asked { question, answers }| ProfileAnswers { question, answers }).collect())
}

/// Reads the texts of the questions that a person's profile was made from: stem and rows, one line each.
pub fn profile_questions(json: &str) -> serde_json::Result<Vec<String>> {
    let blocks = serde_json::from_str(json)?;
    let mut found = Vec::new();
    collect(&blocks, &mut found);
    let text = |question: &Value| {
        let rows = strings(question.get("Rows").or(question.get("Statements")));
        let stem = question.get("QuestionText")?.as_str()?.trim();
        (!stem.is_empty()).then(|| std::iter::once(stem.to_owned()).chain(rows).collect::<Vec<_>>().join("\n"))
    };
    Ok(found.into_iter().filter_map(text).collect())
}

fn asked(blocks: &Value) -> Vec<Asked> {
    let mut found = Vec::new();
    collect(blocks, &mut found);
    found.into_iter().filter_map(read).collect()
}

/// Collects questions: blocks hold questions, branches hold blocks.
fn collect<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
        Value::Object(fields) if fields.contains_key("QuestionID") => found.push(value),
        Value::Object(fields) => match fields.get("Questions").or(fields.get("Elements")) {
            Some(Value::Object(by_id)) => by_id.values().for_each(|value| collect(value, found)),
            Some(inner) => collect(inner, found),
            None => {}
        },
        _ => {}
    }
}

fn read(value: &Value) -> Option<Asked> {
    let text_of = |name: &str| value.get(name).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let (qid, text) = (text_of("QuestionID")?, text_of("QuestionText")?);
    let given = value.get("Answers").unwrap_or(&Value::Null);
    let rows = rows(value);
    let kind = match value.get("QuestionType")?.as_str()? {
        "MC" if is_single(value) => HeldOutKind::Choice(strings(value.get("Options"))),
        "Matrix" => HeldOutKind::Matrix { rows, columns: strings(value.get("Columns")) },
        "Slider" => HeldOutKind::Numbers { rows, bounds: bounds(value) },
        "TE" if is_number(value) => HeldOutKind::Numbers { rows, bounds: None },
        _ => return None,
    };
    let question = with_one_row_as_text(HeldOutQuestion { qid, text, kind });
    let list = match &question.kind {
        HeldOutKind::Choice(_) | HeldOutKind::Matrix { .. } => given.get("SelectedByPosition"),
        HeldOutKind::Numbers { .. } => given.get("Values").or(given.get("Text")),
    };
    let list = match list {
        Some(Value::Array(list)) => list.iter().map(number).collect(),
        Some(one) => vec![number(one)],
        None => Vec::new(),
    };
    let keys: Vec<String> = match question.rows() {
        [] => vec![question.key(None)],
        rows => rows.iter().map(|row| question.key(Some(row))).collect(),
    };
    let answers = keys.into_iter().zip(list).filter_map(|(key, value)| Some((key, value?))).collect();
    Some(Asked { question, answers })
}

/// Turns a list of one statement into a question with that statement.
fn with_one_row_as_text(mut question: HeldOutQuestion) -> HeldOutQuestion {
    if let HeldOutKind::Numbers { rows, .. } = &mut question.kind
        && let [row] = rows.as_slice()
    {
        question.text = [question.text.as_str(), row.text.as_str()].join("\n").trim().to_owned();
        rows.clear();
    }
    question
}

fn is_single(question: &Value) -> bool {
    let selector = question.pointer("/Settings/Selector").and_then(Value::as_str);
    selector.is_none_or(|selector| !selector.starts_with("MA") && selector != "MSB")
}

fn is_number(question: &Value) -> bool {
    question.pointer("/Settings/ContentType").and_then(Value::as_str) == Some("ValidNumber")
}

fn rows(question: &Value) -> Vec<HeldOutRow> {
    let (texts, ids) = match question.get("Statements") {
        Some(statements) => (strings(Some(statements)), strings(question.get("StatementsID"))),
        None => (strings(question.get("Rows")), strings(question.get("RowsID"))),
    };
    let id = |place: usize| ids.get(place).cloned().unwrap_or_else(|| (place + 1).to_string());
    texts.into_iter().enumerate().map(|(place, text)| HeldOutRow { id: id(place), text }).collect()
}

fn bounds(question: &Value) -> Option<(f64, f64)> {
    let of = |name: &str| question.pointer(&format!("/Range/{name}")).and_then(number);
    of("Min").zip(of("Max")).filter(|(min, max)| min < max)
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    list.and_then(Value::as_array).map(|list| list.iter().map(text).collect()).unwrap_or_default()
}

/// Parses a number, which may be a text; null or empty if the question was not answered.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().replace(',', "").parse().ok(),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wave(choice: Value, rows: [Value; 2], slider: &str, number: &str) -> String {
        json!([
            { "ElementType": "Block", "BlockName": "Heuristics", "Questions": [
                { "QuestionID": "QID8", "QuestionType": "DB", "QuestionText": "Welcome." },
                { "QuestionID": "QID157", "QuestionType": "MC", "QuestionText": "Which programme?",
                  "Options": ["A", "B"], "Settings": { "Selector": "SAVR" }, "Answers": { "SelectedByPosition": choice } },
                { "QuestionID": "QID1", "QuestionType": "MC", "QuestionText": "Which of these?", "Options": ["A", "B"],
                  "Settings": { "Selector": "MAVR" }, "Answers": { "SelectedByPosition": [1, 2] } },
            ]},
            { "ElementType": "Branch", "Elements": [{ "ElementType": "Block", "Questions": [
                { "QuestionID": "QID287", "QuestionType": "Matrix", "QuestionText": "Do you agree?",
                  "Rows": ["One", "Two"], "RowsID": ["1", "4"], "Columns": ["No", "Yes"],
                  "Answers": { "SelectedByPosition": rows } },
                { "QuestionID": "QID154", "QuestionType": "Slider", "QuestionText": "How likely?",
                  "Statements": ["Percent"], "Range": { "Min": 0, "Max": "100" }, "Answers": { "Values": [slider] } },
                { "QuestionID": "QID164", "QuestionType": "TE", "QuestionText": "How many?",
                  "Settings": { "Selector": "SL", "ContentType": "ValidNumber" }, "Answers": { "Text": number } },
            ]}]},
        ])
        .to_string()
    }

    #[test]
    fn choices_rows_sliders_and_numbers_are_paired_by_key() {
        let first = wave(json!(1), [json!(2), json!("1")], "70", "1,500");
        let second = wave(json!("2"), [json!(null), json!(2)], "65", "");
        let found = held_out(&first, &second).unwrap();
        let pairs: Vec<_> =
            found.iter().flat_map(|of| of.answers.iter().map(|(key, pair)| (key.as_str(), pair.0, pair.1))).collect();
        let expected = [
            ("QID157", Some(1.0), Some(2.0)),
            ("QID287_1", Some(2.0), None),
            ("QID287_4", Some(1.0), Some(2.0)),
            ("QID154", Some(70.0), Some(65.0)),
            ("QID164", Some(1500.0), None),
        ];
        assert_eq!(pairs, expected);
        assert_eq!(found[2].question.text, "How likely?\nPercent");
        assert_eq!(found[2].question.kind, HeldOutKind::Numbers { rows: vec![], bounds: Some((0.0, 100.0)) });
    }

    #[test]
    fn a_profile_is_its_stems_with_their_rows() {
        let found = profile_questions(&wave(json!(1), [json!(1), json!(1)], "1", "1")).unwrap();
        assert_eq!(found.len(), 6);
        assert_eq!(found[3], "Do you agree?\nOne\nTwo");
        let answers = profile_answers(&wave(json!(2), [json!(1), json!(null)], "70", "")).unwrap();
        let by_question: Vec<(&str, usize)> = answers.iter().map(|of| (&*of.question.qid, of.answers.len())).collect();
        assert_eq!(by_question, [("QID157", 1), ("QID287", 1), ("QID154", 1)]);
        assert_eq!(answers[0].answers["QID157"], 2.0);
    }

    #[test]
    fn what_is_no_json_is_said() {
        assert!(held_out("[", "[]").is_err());
        assert!(held_out("[]", "").is_err());
    }
}
