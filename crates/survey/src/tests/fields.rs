//! Pipes of fields that may not be set where they stand.

use serde_json::json;

use super::*;
use crate::finding::FindingCode;

/// Returns the places and messages of pipes that may insert nothing. The question `q` inserts the field `f`.
fn doubts(flow: Value) -> Vec<(String, String)> {
    doubts_of(json!({ "name": "q", "type": "OPENENDED", "text": "About {{field:f}}" }), flow)
}

fn doubts_of(question: Value, flow: Value) -> Vec<(String, String)> {
    let mut questions = yes_no(&["ok"]);
    questions.push(question);
    let found = report(json!({ "title": "T", "questions": questions, "flow": flow })).findings;
    assert!(found.iter().all(|finding| !finding.is_error()), "{found:?}");
    let unset = found.into_iter().filter(|finding| finding.code == FindingCode::FieldNotSet);
    unset.map(|finding| (finding.pointer, finding.message)).collect()
}

fn ask(question: &str) -> Value {
    json!({ "block": question, "questions": [question] })
}

fn set(text: &str) -> Value {
    json!({ "set": { "f": text } })
}

fn arms(first: Value, second: Value) -> Value {
    json!({ "random": "r", "take": 1, "of": [{ "arm": "x", "flow": first }, { "arm": "y", "flow": second }] })
}

#[test]
fn a_field_that_is_set_on_every_way_before_is_no_matter() {
    for flow in [
        json!([set("1"), ask("ok"), ask("q")]),
        json!([arms(json!([set("1")]), json!([set("2")])), ask("ok"), ask("q")]),
        // The condition covers all arms, so every twin sets the field.
        json!([arms(json!([]), json!([])), ask("ok"), { "if": { "field": "r", "is": "x" }, "then": [set("1")] },
            { "if": { "field": "r", "is": "y" }, "then": [set("2")] }, ask("q")]),
        json!([ask("ok"), { "if": { "answer": "ok", "is": true }, "then": [set("1")], "else": [set("2")] }, ask("q")]),
        // A twin that comes here has set it, as far as the check can tell.
        json!([ask("ok"), { "if": { "answer": "ok", "is": true }, "then": [set("1"), ask("q")] }]),
        json!([ask("ok"), { "random": "both", "of": [{ "arm": "x", "flow": [set("1")] }, { "arm": "y" }] }, ask("q")]),
        json!([set("1"), ask("ok"), { "random": "r", "take": 1, "of": [{ "arm": "x", "flow": [set("2")] }, { "arm": "y" }] }, ask("q")]),
    ] {
        assert_eq!(doubts(flow.clone()), [], "{flow}");
    }
}

#[test]
fn a_field_that_is_set_later_only_is_doubtful_at_the_place_of_the_pipe() {
    let later = "Nothing has set \"f\" before this, so nothing is inserted here.";
    assert_eq!(doubts(json!([ask("ok"), ask("q"), set("1")])), [("/questions/1/text".to_owned(), later.to_owned())]);
    let choice = json!({ "name": "q", "type": "SINGLE_CHOICE", "text": "Which?", "options": ["a", "{{field:f}}"] });
    assert_eq!(
        doubts_of(choice, json!([ask("ok"), ask("q"), set("1")])),
        [("/questions/1/options/1".to_owned(), later.to_owned())]
    );
    let other = json!({ "set": { "g": "again {{field:f}}" } });
    assert_eq!(
        doubts_of(yes_no(&["q"])[0].clone(), json!([other, ask("ok"), set("1"), ask("q")])),
        [("/flow/0/set/g".to_owned(), later.to_owned())]
    );
}

#[test]
fn a_field_that_is_set_on_another_way_is_doubtful_and_says_for_whom() {
    assert_eq!(
        doubts(json!([arms(json!([set("1")]), json!([])), ask("ok"), ask("q")])),
        [(
            "/questions/1/text".to_owned(),
            "For some twins nothing has set \"f\" before this, as where r is \"y\": for them nothing is inserted here."
                .to_owned()
        )]
    );
    assert_eq!(
        doubts(json!([ask("ok"), { "if": { "answer": "ok", "is": true }, "then": [set("1")] }, ask("q")])),
        [(
            "/questions/1/text".to_owned(),
            "Whether something has set \"f\" before this depends on answers: for some twins nothing is inserted here."
                .to_owned()
        )]
    );
    let one_of_two = json!({ "random": "r", "take": 1, "of": [{ "arm": "x", "flow": [set("1")] }, { "arm": "y", "flow": [ask("q")] }] });
    assert_eq!(doubts(json!([ask("ok"), one_of_two])).len(), 1);
    let two_of_three =
        json!({ "random": "r", "take": 2, "of": [{ "arm": "x", "flow": [set("1")] }, { "arm": "y" }, { "arm": "z" }] });
    assert_eq!(doubts(json!([ask("ok"), two_of_three, ask("q")])).len(), 1);
}

#[test]
fn a_field_that_is_a_cell_of_a_drawn_row_may_have_any_value_of_its_column() {
    let chosen = |row: &str| json!({ "all": [{ "field": "f", "is": row }, { "answer": "ok", "is": true }] });
    let table = json!({ "columns": ["choice"], "rows": [["1"], ["2"], ["3"], ["4"]] });
    let turn = json!([{ "set": { "f": "{{loop:choice}}" } },
        { "if": { "any": [chosen("1"), chosen("2"), chosen("3"), chosen("4")] }, "then": [ask("q")] }]);
    let mut questions = yes_no(&["ok"]);
    questions.push(json!({ "name": "q", "type": "OPENENDED", "text": "Why?" }));
    let found = report(json!({ "title": "T", "questions": questions, "tables": { "t": table },
        "flow": [ask("ok"), { "loop": "t", "take": 2, "order": "random", "flow": turn }] }));
    assert_eq!((found.findings, found.requests_per_twin), (vec![], 3));
}
