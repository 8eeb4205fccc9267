use serde_json::json;

use super::*;
use crate::finding::{Finding, FindingCode};

/// Returns the codes and places of the findings, errors first.
fn found(survey: Value) -> Vec<(FindingCode, String)> {
    report(survey).findings.into_iter().map(|Finding { code, pointer, .. }| (code, pointer)).collect()
}

fn only(survey: Value, code: FindingCode, pointer: &str) {
    assert_eq!(found(survey.clone()), [(code, pointer.to_owned())], "{survey}");
}

fn block(name: &str, questions: &[&str]) -> Value {
    json!({ "block": name, "questions": questions })
}

fn when(question: &str, then: Value) -> Value {
    json!({ "if": { "answer": question, "is": true }, "then": [then] })
}

#[test]
fn names_are_known_and_once() {
    let all = block("b", &["a", "b"]);
    only(survey(&["a"], json!([block("b", &["a", "x"])])), FindingCode::UnknownName, "/flow/0/questions/1");
    only(
        survey(&["a"], json!([block("b", &["a"]), when("x", block("c", &[]))])),
        FindingCode::UnknownName,
        "/flow/1/if",
    );
    only(
        survey(&["a", "b"], json!([all, { "set": { "f": "{{answer:x}}" } }])),
        FindingCode::UnknownName,
        "/flow/1/set/f",
    );
    only(
        survey(&["a", "b"], json!([all, { "set": { "f": "{{field:x}}" } }])),
        FindingCode::UnknownName,
        "/flow/1/set/f",
    );
    only(
        survey(&["a", "b"], json!([all, { "set": { "f": "{{loop:x}}" } }])),
        FindingCode::UnknownName,
        "/flow/1/set/f",
    );
    only(survey(&["a", "b"], json!([all, { "loop": "t", "flow": [] }])), FindingCode::UnknownName, "/flow/1/loop");
    only(
        survey(&["a", "b"], json!([{ "block": "b", "questions": ["a", "b"], "pin": ["c"] }])),
        FindingCode::UnknownName,
        "/flow/0/pin/0",
    );
    let of = |arms: Value| survey(&["a"], json!([block("b", &["a"]), { "random": "r", "take": 1, "of": arms }]));
    only(of(json!([{ "arm": "x" }, { "arm": "x" }])), FindingCode::DoubledName, "/flow/1/of/1/arm");
    let randoms = json!([block("b", &["a"]), { "random": "r", "of": [{ "arm": "x" }] }, { "random": "r", "of": [{ "arm": "x" }] }]);
    only(survey(&["a"], randoms), FindingCode::DoubledName, "/flow/2/random");
    let blocks = json!([block("b", &["a"]), block("b", &["b"])]);
    only(survey(&["a", "b"], blocks), FindingCode::DoubledName, "/flow/1/block");
    let field = json!([block("b", &["a"]), { "random": "r", "of": [{ "arm": "x" }] }, { "set": { "r": "1" } }]);
    only(survey(&["a"], field), FindingCode::DoubledName, "/flow/1/random");
}

#[test]
fn reserved_and_illegal_names_are_refused() {
    for name in ["arm_order", "twin_id", "b__order", "_x", "9x", "my field", "if", &"x".repeat(64)] {
        let set = survey(&["a"], json!([block("b", &["a"]), { "set": { name: "1" } }]));
        only(set, FindingCode::BadName, &format!("/flow/1/set/{name}"));
        let random = survey(&["a"], json!([block("b", &["a"]), { "random": name, "of": [{ "arm": "x" }] }]));
        only(random, FindingCode::BadName, "/flow/1/random");
    }
    only(survey(&["a"], json!([block("b#1", &["a"])])), FindingCode::BadName, "/flow/0/block");
    only(survey(&["a"], json!([block(" ", &["a"])])), FindingCode::BadName, "/flow/0/block");
}

#[test]
fn every_question_stands_at_one_place_of_a_twins_way() {
    only(survey(&["a", "b"], json!([block("x", &["a"])])), FindingCode::NoPlace, "/questions/1");
    only(survey(&["a"], json!([block("x", &["a"]), block("y", &["a"])])), FindingCode::TwoPlaces, "/flow/1");
    only(survey(&["a"], json!([block("x", &["a", "a"])])), FindingCode::TwoPlaces, "/flow/0");
    // A question may have two places if they are in two arms, or in branches that may exclude each other.
    let of = json!([{ "arm": "x", "flow": [block("same", &["a"])] }, { "arm": "y", "flow": [block("same", &["a"])] }]);
    assert_eq!(found(survey(&["a"], json!([{ "random": "r", "take": 1, "of": of }]))), []);
    let both =
        json!([{ "arm": "x", "flow": [block("same", &["a"])] }, { "arm": "y", "flow": [block("same", &["a"])] }]);
    only(
        survey(&["a"], json!([{ "random": "r", "take": 2, "of": both }])),
        FindingCode::TwoPlaces,
        "/flow/0/of/1/flow/0",
    );
}

#[test]
fn what_is_read_comes_before_its_reader_on_every_way() {
    only(
        survey(&["a", "b"], json!([when("a", block("x", &["b"])), block("y", &["a"])])),
        FindingCode::ReadLater,
        "/flow/0/if",
    );
    let mut piped = survey(&["a", "b"], json!([block("x", &["a", "b"])]));
    piped["questions"][0]["text"] = json!("{{answer:b}}?");
    only(piped.clone(), FindingCode::ReadLater, "/questions/0/text");
    piped["flow"][0]["order"] = json!("random");
    only(piped.clone(), FindingCode::ReadMaybeLater, "/questions/0/text");
    piped["questions"][0]["text"] = json!("{{answer:a}}?");
    only(piped, FindingCode::ReadLater, "/questions/0/text");
    let arms = json!([{ "arm": "x", "flow": [block("x", &["a"])] },
        { "arm": "y", "flow": [when("a", block("y", &["b"]))] }]);
    let random = |take: u32, order: &str| {
        survey(&["a", "b"], json!([{ "random": "r", "take": take, "order": order, "of": arms }]))
    };
    only(random(1, "random"), FindingCode::ReadOtherArm, "/flow/0/of/1/flow/0/if");
    only(random(2, "random"), FindingCode::ReadMaybeLater, "/flow/0/of/1/flow/0/if");
    assert_eq!(found(random(2, "fixed")), []);
    // Twins that do not take the branch are asked later. The check cannot tell which, so it warns.
    let when_not = json!({ "if": { "not": { "answer": "c", "is": true } }, "then": [block("z", &["a"])] });
    let some = json!([block("w", &["c"]), when("c", block("x", &["a"])), when("a", block("y", &["b"])), when_not]);
    only(survey(&["c", "a", "b"], some.clone()), FindingCode::ReadMaybeLater, "/flow/2/if");
    assert!(report(survey(&["c", "a", "b"], some)).findings.iter().all(|finding| !finding.is_error()));
    // A question of one arm may be read after the arms. For twins of other arms it has no answer.
    let after = json!([{ "random": "r", "take": 1, "of": [{ "arm": "x", "flow": [block("x", &["a"])] }, { "arm": "y" }] },
        when("a", block("y", &["b"]))]);
    assert_eq!(found(survey(&["a", "b"], after)), []);
}

#[test]
fn a_condition_names_a_row_and_compares_with_what_can_be_compared() {
    let with = |condition: Value| {
        let mut survey =
            survey(&["a", "b"], json!([block("x", &["a", "m"]), { "if": condition, "then": [block("y", &["b"])] }]));
        let matrix = json!({ "name": "m", "type": "MATRIX", "text": "?", "sub_questions": ["x", "y"], "scale_labels": ["l", "h"] });
        survey["questions"].as_array_mut().unwrap().push(matrix);
        survey
    };
    only(with(json!({ "answer": "m", "is": "l" })), FindingCode::RowMissing, "/flow/1/if");
    only(with(json!({ "answer": "m", "row": 3, "is": "l" })), FindingCode::RowMissing, "/flow/1/if");
    assert_eq!(found(with(json!({ "answer": "m", "row": 2, "is": "l" }))), []);
    only(with(json!({ "any": [{ "answer": "a", "lt": "low" }] })), FindingCode::BadOperand, "/flow/1/if/any/0");
    only(with(json!({ "answer": "a", "in": [] })), FindingCode::BadOperand, "/flow/1/if");
    only(with(json!({ "answer": "a", "is": null })), FindingCode::BadOperand, "/flow/1/if");
    only(with(json!({ "answer": "a", "matches": "(" })), FindingCode::BadPattern, "/flow/1/if");
    only(with(json!({ "answer": "a", "matches": "x".repeat(201) })), FindingCode::BadPattern, "/flow/1/if");
    only(with(json!({ "answer": "a", "matches": "{{answer:a}}" })), FindingCode::PatternPiped, "/flow/1/if");
    only(with(json!({ "twin": "Income", "ge": 5 })), FindingCode::UnknownAttribute, "/flow/1/if");
    assert_eq!(found(with(json!({ "twin": "Age", "ge": 5 }))), []);
}

#[test]
fn random_nodes_take_weigh_and_order_what_they_have() {
    let with = |node: Value| survey(&["a"], json!([block("b", &["a"]), node]));
    let arms = json!([{ "arm": "x" }, { "arm": "y" }]);
    only(with(json!({ "random": "r", "take": 3, "of": arms })), FindingCode::TooManyTaken, "/flow/1/take");
    only(with(json!({ "random": "r", "take": 0, "of": arms })), FindingCode::TooManyTaken, "/flow/1/take");
    only(with(json!({ "random": "r", "of": [] })), FindingCode::NoChildren, "/flow/1/of");
    for weight in [0, 101] {
        let weighted = json!([{ "arm": "x", "weight": weight }, { "arm": "y", "weight": 1 }]);
        let findings = found(with(json!({ "random": "r", "take": 1, "of": weighted })));
        assert!(findings.contains(&(FindingCode::BadWeight, "/flow/1/of/0/weight".into())), "{findings:?}");
    }
    let heavy = json!([{ "arm": "x", "weight": 9 }, { "arm": "y" }, { "arm": "z" }]);
    only(with(json!({ "random": "r", "take": 2, "of": heavy })), FindingCode::WeightsNotKept, "/flow/1");
    only(
        with(json!({ "random": "r", "take": 1, "strata": ["Age", "Shoe"], "of": arms })),
        FindingCode::UnknownAttribute,
        "/flow/1/strata/1",
    );
    let eleven: Vec<Value> = (0..11).map(|arm| json!({ "arm": arm.to_string() })).collect();
    only(with(json!({ "random": "r", "order": "latin", "of": eleven })), FindingCode::LatinTooLong, "/flow/1/order");
    let ten: Vec<Value> = (0..10).map(|arm| json!({ "arm": arm.to_string() })).collect();
    assert_eq!(found(with(json!({ "random": "r", "order": "latin", "of": ten }))), []);
}

#[test]
fn a_design_has_bounds() {
    let with_table = |rows: Value, flow: Value| {
        let mut survey = survey(&["a", "b"], flow);
        survey["tables"] = json!({ "t": { "columns": ["c"], "rows": rows } });
        survey
    };
    let rows = |count: usize| json!(vec![["x"]; count]);
    let flow = json!([block("x", &["a"]), { "loop": "t", "flow": [block("y", &["b"])] }]);
    only(with_table(rows(500), flow.clone()), FindingCode::TooManyQuestions, "/flow");
    assert_eq!(found(with_table(rows(499), flow.clone())), []);
    let plain = json!([block("x", &["a", "b"])]);
    only(with_table(rows(10_001), plain.clone()), FindingCode::TooManyRows, "/tables");
    only(
        with_table(json!([["x".repeat(64 * 1024 + 1)]]), plain.clone()),
        FindingCode::CellTooLong,
        "/tables/t/rows/0/0",
    );
    only(with_table(json!([["x", "y"]]), plain), FindingCode::BadRow, "/tables/t/rows/0");
    let take = json!([block("x", &["a"]), { "loop": "t", "take": 3, "flow": [block("y", &["b"])] }]);
    only(with_table(rows(2), take), FindingCode::TooManyTaken, "/flow/1/take");
    let nested = |levels: usize| (0..levels).fold(json!([block("x", &["a"])]), |inside, _| json!([inside]));
    assert_eq!(found(survey(&["a"], nested(11))), []);
    only(survey(&["a"], nested(12)), FindingCode::TooDeep, &format!("/flow{}", "/0".repeat(12)));
    let condition = (0..12).fold(json!({ "answer": "a", "is": true }), |inside, _| json!({ "not": inside }));
    let deep = json!([block("x", &["a"]), { "if": condition, "then": [block("y", &["b"])] }]);
    only(survey(&["a", "b"], deep), FindingCode::TooDeep, "/flow/1/if");
}

#[test]
fn questions_have_codes_pins_subsets_and_checks_that_fit() {
    let with = |field: &str, value: Value| {
        let mut question = json!({ "name": "a", "type": "SINGLE_CHOICE", "text": "?", "options": ["x", "y"] });
        question[field] = value;
        json!({ "title": "T", "questions": [question] })
    };
    only(with("codes", json!([1])), FindingCode::BadCodes, "/questions/0/codes");
    only(with("codes", json!([1, 1])), FindingCode::BadCodes, "/questions/0/codes");
    only(with("pin", json!(["z"])), FindingCode::BadPin, "/questions/0/pin/0");
    only(with("reverse_rows", json!(["z"])), FindingCode::BadQuestion, "/questions/0/reverse_rows/0");
    only(with("shuffle", json!({ "subset": 3 })), FindingCode::BadSubset, "/questions/0/shuffle");
    only(with("check", json!({ "expect": ["z"] })), FindingCode::BadCheck, "/questions/0/check");
    only(with("check", json!({ "expect": [] })), FindingCode::BadCheck, "/questions/0/check");
    only(
        with("option_if", json!({ "z": { "twin": "Age", "gt": 1 } })),
        FindingCode::UnknownName,
        "/questions/0/option_if/z",
    );
    for (kind, code) in [
        ("OPENENDED", FindingCode::CheckOfText),
        ("TEXT_ENTRY", FindingCode::CheckOfText),
        ("INFO", FindingCode::BadCheck),
    ] {
        let survey =
            json!({ "title": "T", "questions": [{ "type": kind, "text": "?", "check": { "expect": ["Blue"] } }] });
        only(survey, code, "/questions/0/check");
    }
    assert_eq!(found(with("check", json!({ "expect": ["y"] }))), []);
}

/// Large conditions take time to search, and patterns to compile.
#[test]
fn conditions_are_bounded() {
    let any = |count: usize, leaf: Value| json!([block("x", &["a"]), { "if": { "any": vec![leaf; count] }, "then": [block("y", &["b"])] }]);
    let is = json!({ "answer": "a", "is": true });
    assert_eq!(found(survey(&["a", "b"], any(10_000, is.clone()))), []);
    only(survey(&["a", "b"], any(10_001, is)), FindingCode::TooManyNodes, "/flow");
    let matches = json!({ "answer": "a", "matches": "^x+$" });
    assert_eq!(found(survey(&["a", "b"], any(500, matches.clone()))), []);
    only(survey(&["a", "b"], any(501, matches)), FindingCode::TooManyNodes, "/flow");
}

/// A mistyped word or an option whose text was changed would make the comparison always or never true.
#[test]
fn comparisons_with_what_is_never_there_are_warned_of() {
    let warned = |condition: Value| {
        let questions = json!([
            { "name": "b", "type": "BOOLEAN", "text": "?" },
            { "name": "c", "type": "SINGLE_CHOICE", "text": "?", "options": ["x", "y"], "codes": [7, 8] },
            { "name": "p", "type": "SINGLE_CHOICE", "text": "?", "options": ["x", "{{field:f}}"] },
            { "name": "t", "type": "TEXT_ENTRY", "text": "?" },
            { "name": "z", "type": "BOOLEAN", "text": "?" }]);
        let arm = |name: &str| json!({ "arm": name, "flow": [{ "set": { "f": name } }] });
        let flow = json!([{ "random": "r", "take": 1, "of": [arm("one"), arm("2")] }, block("m", &["b", "c", "p", "t"]),
            { "if": condition, "then": [block("n", &["z"])] }]);
        let report = report(json!({ "title": "T", "questions": questions, "flow": flow }));
        assert!(report.findings.iter().all(|finding| !finding.is_error()), "{:?}", report.findings);
        let found = report.findings.into_iter().filter(|finding| finding.code == FindingCode::BadOperand);
        found.map(|finding| finding.pointer).collect::<Vec<_>>()
    };
    for fine in [
        json!({ "answer": "b", "is": "Yes" }),
        json!({ "answer": "b", "is_not": false }),
        json!({ "answer": "c", "in": ["x", 8] }),
        json!({ "answer": "p", "is": "whatever" }),
        json!({ "answer": "t", "is": "whatever" }),
        json!({ "field": "r", "is": "one" }),
        json!({ "field": "r", "is": 2 }),
        json!({ "field": "f", "is": "three" }),
        json!({ "answer": "c", "ge": 9 }),
    ] {
        assert_eq!(warned(fine.clone()), Vec::<String>::new(), "{fine}");
    }
    for odd in [
        json!({ "answer": "b", "is": "Maybe" }),
        json!({ "answer": "c", "is": "X" }),
        json!({ "answer": "c", "is_not": 1 }),
        json!({ "answer": "c", "in": ["x", "w"] }),
        json!({ "field": "r", "is": "three" }),
    ] {
        assert_eq!(warned(odd.clone()), ["/flow/2/if"], "{odd}");
    }
}

/// The design runs, but not as its author meant it.
#[test]
fn constant_conditions_and_arms_that_nobody_reaches_are_warned_of() {
    let set = json!([{ "set": { "f": "1" } }, { "if": { "field": "f", "is": "2" }, "then": [block("x", &["a"])] }]);
    assert_eq!(
        found(survey(&["a"], set)),
        [(FindingCode::ConstantCondition, "/flow/1/if".into()), (FindingCode::NeverAsked, "/questions/0".into())]
    );
    let behind = json!([{ "end": "complete" }, { "random": "r", "take": 1, "of": [{ "arm": "x", "flow": [block("x", &["a"])] }] }]);
    assert_eq!(
        found(survey(&["a"], behind)),
        [(FindingCode::ArmNotReached, "/flow/1/of/0".into()), (FindingCode::NeverAsked, "/questions/0".into())]
    );
    let pipe = json!([{ "set": { "f": "{{fee}}" } }, block("x", &["a"])]);
    only(survey(&["a"], pipe), FindingCode::BadPipe, "/flow/0/set/f");
}

/// A survey without a design shows its texts as they are. A warning names texts that look like pipes.
#[test]
fn pipes_of_a_survey_without_a_flow_are_warned_of() {
    let of = |text: &str, more: Value| {
        let mut survey = json!({ "title": "T", "questions": [
            { "name": "q", "type": "SINGLE_CHOICE", "text": "?", "options": [text, "b"] }] });
        survey.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        found(survey)
    };
    assert_eq!(of("{{twin:Age}}", json!({})), [(FindingCode::BadPipe, "/questions/0/options/0".into())]);
    assert_eq!(of("{{twin:Age}}", json!({ "flow": [block("x", &["q"])] })), []);
    for text in ["{{what}}", "\\{{twin:Age}}", "a { b }} c"] {
        assert_eq!(of(text, json!({})), [], "{text}");
    }
}

#[test]
fn the_price_is_that_of_the_dearest_way() {
    let price = |survey: Value| report(survey).requests_per_twin;
    assert_eq!(price(fees()), 4);
    let arms = json!([{ "arm": "x", "flow": [block("x", &["a", "b"])] }, { "arm": "y", "flow": [block("y", &["c"])] }]);
    assert_eq!(price(survey(&["a", "b", "c"], json!([{ "random": "r", "take": 1, "of": arms }]))), 2);
    // Fields that arms set exclude each other, too.
    let set = json!([{ "random": "r", "take": 1, "of": [{ "arm": "x", "flow": [{ "set": { "f": "x" } }] },
            { "arm": "y", "flow": [{ "set": { "f": "y" } }] }] },
        { "if": { "field": "f", "is": "x" }, "then": [block("x", &["a", "b"])] },
        { "if": { "field": "f", "is": "y" }, "then": [block("y", &["c"])] }]);
    assert_eq!(price(survey(&["a", "b", "c"], set)), 2);
    let reach = report(fees()).arms.into_iter().map(|arm| (arm.arm, arm.questions.len())).collect::<Vec<_>>();
    assert_eq!(reach, [("resort".into(), 4), ("service".into(), 4)]);
}

#[test]
fn only_options_of_a_multiple_choice_exclude_the_others() {
    let of = |kind: &str, more: Value| {
        let mut question = json!({ "name": "q", "type": kind, "text": "Which?", "options": ["Tea", "Milk", "None"], "exclusive": ["None"] });
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "title": "T", "questions": [question] })
    };
    assert_eq!(found(of("MULTIPLE_CHOICE", json!({}))), []);
    only(of("SINGLE_CHOICE", json!({})), FindingCode::BadExclusive, "/questions/0/exclusive");
    only(
        of("MULTIPLE_CHOICE", json!({ "exclusive": ["None", "Rum"] })),
        FindingCode::BadExclusive,
        "/questions/0/exclusive/1",
    );
    let check = |expect: Value| of("MULTIPLE_CHOICE", json!({ "check": { "expect": expect } }));
    only(check(json!(["Tea", "None"])), FindingCode::BadCheck, "/questions/0/check");
    assert_eq!(found(check(json!(["None"]))), []);
}
