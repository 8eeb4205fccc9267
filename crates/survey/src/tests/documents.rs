use serde_json::json;

use super::*;
use crate::canonical::canonical;
use crate::finding::FindingCode;

fn everything() -> Value {
    json!({ "title": "Everything", "description": "All types and nodes", "questions": [
        { "name": "one", "type": "SINGLE_CHOICE", "text": "?", "options": ["a", "b", "Other"], "codes": [1, 0, 9],
          "shuffle": "all", "pin": ["Other"], "required": true },
        { "name": "some", "type": "MULTIPLE_CHOICE", "text": "?", "options": ["a", "b"], "shuffle": { "subset": 1 },
          "option_if": { "a": { "answer": "one", "is_not": "a" } }, "required": true },
        { "name": "grid", "type": "MATRIX", "text": "?", "sub_questions": ["x", "y"], "scale_labels": ["l", "h"],
          "row_shuffle": "flip", "scale": "interval", "reverse": true, "reverse_rows": ["y"], "desirable": true, "published": true,
          "required": true },
        { "name": "grids", "type": "MATRIX_MULTI", "text": "?", "sub_questions": ["x", "y"], "scale_labels": ["l", "h"],
          "required": true },
        { "name": "note", "type": "INFO", "text": "Read {{twin:Age}}.", "required": true },
        { "name": "sum", "type": "CONSTANT_SUM", "text": "?", "options": ["m", "n"], "total": 10.5, "required": true },
        { "name": "rank", "type": "RANK", "text": "?", "options": ["m", "n"], "required": true },
        { "name": "best", "type": "BEST_WORST", "text": "?", "options": ["m", "n", "o"], "required": true },
        { "name": "far", "type": "SLIDER", "text": "?", "min_value": 0, "max_value": 1e21, "required": false,
          "show_if": { "all": [{ "answered": "one" }, { "not": { "twin": "Age", "lt": 30 } },
            { "held_out": "QID183" }, { "answer": "grid", "row": 2, "in": ["l", 2] }] } }],
      "flow": [
        { "block": "b", "questions": ["one", "some", "grid"], "order": "random", "pin": ["one"] },
        { "random": "r", "take": 1, "order": "fixed", "strata": ["Gender"],
          "of": [{ "arm": "x", "weight": 2, "flow": [{ "set": { "f": "1" } }] }, { "arm": "y", "flow": [] }] },
        [{ "block": "c", "questions": ["grids", "note"] }, { "set": { "g": "{{field:f}}" } }],
        { "if": { "any": [{ "field": "g", "matches": "^1$" }, { "field": "r", "is": "y" }] },
          "then": [{ "end": "screened_out" }], "else": [{ "block": "d", "questions": ["sum", "rank", "best"] }] },
        { "loop": "t", "take": 1, "order": "latin", "flow": [{ "block": "e", "questions": ["far"] }] },
        { "end": "complete" }],
      "tables": { "t": { "columns": ["c"], "rows": [["1"], ["{{not a pipe}}"]] } } })
}

#[test]
fn what_is_read_is_written_again_byte_for_byte() {
    let survey = everything();
    let written = serde_json::to_value(document(survey.clone())).unwrap();
    assert_eq!(canonical(&written), canonical(&survey));
    assert_eq!(document(written), document(survey));
}

#[test]
fn a_plain_survey_has_no_flow_and_stays_plain() {
    let survey = json!({ "title": "T", "questions": yes_no(&["a", "b"]) });
    let written = serde_json::to_string(&document(survey.clone())).unwrap();
    for word in ["flow", "tables", "reverse", "desirable", "published"] {
        assert!(!written.contains(word), "{written}");
    }
    let plan = plan(survey);
    assert!(plan.is_plain());
    assert_eq!(plan.items.iter().map(|item| item.name()).collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn what_is_of_the_wrong_form_is_refused_with_its_place() {
    let good = json!({ "text": "?", "type": "BOOLEAN", "name": "a" });
    let with = |question: Value| json!({ "title": "T", "questions": [good, question] });
    let of = |flow: Value| json!({ "title": "T", "questions": [good], "flow": flow });
    for (survey, code, pointer) in [
        (json!([]), FindingCode::NotASurvey, ""),
        (json!({ "title": "T" }), FindingCode::NotASurvey, "/questions"),
        (json!({ "title": 5, "questions": [] }), FindingCode::NotASurvey, "/title"),
        (with(json!({ "text": "?", "type": "GUESS" })), FindingCode::BadQuestion, "/questions/1/type"),
        (
            with(json!({ "text": "?", "type": "RANK", "options": ["a", ""] })),
            FindingCode::BadQuestion,
            "/questions/1/options/1",
        ),
        (with(json!({ "text": "", "type": "INFO" })), FindingCode::BadQuestion, "/questions/1/text"),
        (
            with(json!({ "text": "?", "type": "INFO", "shuffle": "maybe" })),
            FindingCode::BadQuestion,
            "/questions/1/shuffle",
        ),
        (
            with(json!({ "text": "?", "type": "INFO", "show_if": { "any": [{ "is": 1 }] } })),
            FindingCode::BadQuestion,
            "/questions/1/show_if/any/0",
        ),
        (with(json!({ "text": "?", "type": "INFO", "name": "A" })), FindingCode::DoubledName, "/questions/1/name"),
        (of(json!({})), FindingCode::NotAFlow, "/flow"),
        (of(json!([{ "block": "b" }])), FindingCode::NotAFlow, "/flow/0"),
        (of(json!([{ "block": "b", "questions": [], "take": 1 }])), FindingCode::NotAFlow, "/flow/0"),
        (of(json!([[{ "end": "never" }]])), FindingCode::NotAFlow, "/flow/0/0/end"),
        (
            of(json!([{ "random": "r", "of": [{ "arm": "x", "weight": "many" }] }])),
            FindingCode::NotAFlow,
            "/flow/0/of/0/weight",
        ),
    ] {
        let findings = Document::read(survey.clone()).expect_err("a refusal");
        let found: Vec<_> = findings.iter().map(|finding| (finding.code, finding.pointer.as_str())).collect();
        assert_eq!(found, [(code, pointer)], "{survey}: {findings:?}");
    }
    let findings = Document::parse(b"{").unwrap_err();
    assert_eq!(findings[0].code, FindingCode::NotASurvey);
    assert!(Document::parse(b"\xEF\xBB\xBF{\"title\": \"T\", \"questions\": []}").is_ok());
}
