//! Tests of the importer with small files of Qualtrics' form: each kind of question, text, logic and node.

mod fuzz;
mod nodes;
mod odd;
mod responses;
mod routing;
mod strangers;
mod studies;
mod types;
mod unsupported;

use serde_json::{Value, json};
use survey::check::check;
use survey::document::Document;
use survey::item::Item;

use crate::import;
use crate::{Imported, LossCode, LossSeverity};

fn element(kind: &str, payload: Value) -> Value {
    json!({ "SurveyID": "SV_1", "Element": kind, "PrimaryAttribute": "x", "Payload": payload })
}

/// A file with these questions, each in a block of its own with the same name, and this flow.
fn file(questions: &[Value], flow: &Value) -> Vec<u8> {
    let block = |question: &Value| {
        let id = question["QuestionID"].as_str().unwrap();
        let elements = json!([{ "Type": "Question", "QuestionID": id }, { "Type": "Page Break" }]);
        json!({ "Type": "Standard", "Description": format!("Block {id}"), "ID": format!("BL_{id}"), "BlockElements": elements })
    };
    with_blocks(questions, questions.iter().map(block).collect(), flow)
}

fn with_blocks(questions: &[Value], blocks: Value, flow: &Value) -> Vec<u8> {
    let mut elements =
        vec![element("BL", blocks), element("FL", json!({ "Type": "Root", "FlowID": "FL_1", "Flow": flow }))];
    elements.extend(questions.iter().map(|question| element("SQ", question.clone())));
    let file = json!({ "SurveyEntry": { "SurveyName": "Study" }, "SurveyElements": elements });
    serde_json::to_vec(&file).unwrap()
}

fn block(id: &str) -> Value {
    json!({ "Type": "Standard", "ID": format!("BL_{id}"), "FlowID": format!("FL_{id}") })
}

fn question(id: &str, kind: [&str; 3], rest: Value) -> Value {
    let mut question = json!({ "QuestionID": id, "DataExportTag": id.to_lowercase(), "QuestionText": format!("Text of {id}"),
        "QuestionType": kind[0], "Selector": kind[1], "SubSelector": kind[2] });
    question.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    question
}

fn choices(texts: &[&str]) -> Value {
    let choices = (1..).zip(texts).map(|(id, text)| (id.to_string(), json!({ "Display": text })));
    Value::Object(choices.collect())
}

fn choice(id: &str, texts: &[&str]) -> Value {
    let order: Vec<usize> = (1..=texts.len()).collect();
    question(id, ["MC", "SAVR", "TX"], json!({ "Choices": choices(texts), "ChoiceOrder": order }))
}

fn text(id: &str) -> Value {
    question(id, ["TE", "SL", ""], json!({}))
}

/// Imports the file. Checks that the survey can be run if the report has no error, and that it reads the same after it
/// is written.
fn imported(file: &[u8]) -> Imported {
    let imported = import(file).expect("a file that is imported");
    let written = serde_json::to_value(&imported.document).unwrap();
    if imported.report.count(LossSeverity::Error) == 0 {
        let read = Document::read(written).expect("what was written");
        assert_eq!(read, imported.document);
        let findings = check(&read.design, &read.items, None).findings;
        assert!(findings.iter().all(|finding| !finding.is_error()), "{findings:?}");
    }
    imported
}

fn one(question: Value) -> (Vec<Item>, Imported) {
    let id = question["QuestionID"].as_str().unwrap().to_owned();
    let imported = imported(&file(&[question], &json!([block(&id)])));
    (imported.document.items.clone(), imported)
}

fn codes(imported: &Imported) -> Vec<LossCode> {
    imported.report.entries().map(|(_, entry)| entry.code).filter(|code| *code != LossCode::ForceResponse).collect()
}

fn flow_of(imported: &Imported) -> Value {
    serde_json::to_value(&imported.document.design.flow).unwrap()
}
