use std::borrow::Cow;
use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::answer::Answer;
use crate::condition::{Condition, Facts, Known, Left, Truth};
use crate::given::Given;
use crate::item::Item;
use crate::pipe::{Rendered, Template};
use crate::question::QuestionType;

/// Known values by the name of a question or a field.
#[derive(Default)]
struct Fake(HashMap<String, Known>);

impl Facts for Fake {
    fn look(&self, left: &Left) -> Cow<'_, Known> {
        let name = match left {
            Left::Answer { question, row: Some(row) } => &format!("{question}/{row}"),
            Left::Answer { question: name, .. } | Left::Field(name) | Left::Twin(name) | Left::HeldOut(name) => name,
        };
        self.0.get(name).map_or(Cow::Owned(Known::Nothing), Cow::Borrowed)
    }

    fn cell(&self, _: &str, _: usize, _: usize) -> Option<String> {
        None
    }
}

fn item(question: Value) -> Item {
    document(json!({ "title": "T", "questions": [question] })).items.remove(0)
}

fn given(question: Value, row: Option<u32>, value: Value) -> Known {
    let item = item(question);
    let answer = Answer::decode(&item.question, &value).expect("an answer");
    Known::Given(Given::answer(&item, &item.question, row, &answer).expect("a part of the answer"))
}

fn facts() -> Fake {
    let single = json!({ "type": "SINGLE_CHOICE", "text": "?", "options": ["Red", "Blue"], "codes": [5, 9] });
    let multiple = json!({ "type": "MULTIPLE_CHOICE", "text": "?", "options": ["a", "b", "c"] });
    let matrix = json!({ "type": "MATRIX", "text": "?", "sub_questions": ["x", "y"], "scale_labels": ["low", "high"] });
    let range = json!({ "type": "RANGE", "text": "?", "min_value": 1, "max_value": 7, "min_description": "a", "max_description": "b" });
    let sum = json!({ "type": "CONSTANT_SUM", "text": "?", "options": ["m", "n"] });
    let rank = json!({ "type": "RANK", "text": "?", "options": ["m", "n"] });
    Fake(HashMap::from([
        ("colour".into(), given(single, None, json!("Blue"))),
        ("letters".into(), given(multiple, None, json!(["a", "c"]))),
        ("rating/2".into(), given(matrix, Some(2), json!({ "x": "low", "y": "high" }))),
        ("fair".into(), given(range, None, json!(3))),
        ("yes".into(), given(json!({ "type": "BOOLEAN", "text": "?" }), None, json!(true))),
        ("sum/2".into(), given(sum, Some(2), json!({ "m": 30, "n": 70 }))),
        ("rank/2".into(), given(rank, Some(2), json!(["n", "m"]))),
        ("words".into(), given(json!({ "type": "TEXT_ENTRY", "text": "?" }), None, json!("Use 42"))),
        ("arm".into(), Known::Given(Given::text("control"))),
        ("Age".into(), Known::Given(Given::text("65+"))),
        ("open".into(), Known::Pending),
        ("broken".into(), Known::Failed),
    ]))
}

fn truth(condition: Value) -> Truth {
    serde_json::from_value::<Condition>(condition).expect("a condition").evaluate(&facts())
}

#[test]
fn every_operator_compares_what_the_guide_says() {
    for (condition, expected) in [
        (json!({ "answer": "colour", "is": "Blue" }), true),
        (json!({ "answer": "colour", "is": 9 }), true),
        (json!({ "answer": "colour", "is": 2 }), false),
        (json!({ "answer": "colour", "is_not": "Red" }), true),
        (json!({ "answer": "colour", "in": ["Red", "Blue"] }), true),
        (json!({ "answer": "colour", "gt": 5 }), true),
        (json!({ "answer": "letters", "has": "c" }), true),
        (json!({ "answer": "letters", "has_not": "b" }), true),
        (json!({ "answer": "letters", "is": "a" }), false),
        (json!({ "answer": "letters", "is": ["c", "a"] }), true),
        (json!({ "answer": "letters", "is": ["a"] }), false),
        (json!({ "answer": "rating", "row": 2, "is": "high" }), true),
        (json!({ "answer": "rating", "row": 2, "ge": 2 }), true),
        (json!({ "answer": "fair", "le": 3 }), true),
        (json!({ "answer": "fair", "lt": 3 }), false),
        (json!({ "answer": "fair", "is": "3" }), true),
        (json!({ "answer": "yes", "is": true }), true),
        (json!({ "answer": "yes", "is": false }), false),
        (json!({ "answer": "yes", "is": "Yes" }), true),
        (json!({ "answer": "sum", "row": 2, "gt": 69 }), true),
        (json!({ "answer": "rank", "row": 2, "is": 1 }), true),
        (json!({ "answer": "words", "contains": "use" }), true),
        (json!({ "answer": "words", "matches": "^Use [0-9]+$" }), true),
        (json!({ "answer": "words", "matches": "^use" }), false),
        (json!({ "answered": "words" }), true),
        (json!({ "field": "arm", "is": "control" }), true),
        (json!({ "twin": "Age", "ge": "50" }), true),
        (json!({ "twin": "Age", "lt": 50 }), false),
        (json!({ "all": [] }), true),
        (json!({ "any": [] }), false),
    ] {
        assert_eq!(truth(condition.clone()), expected.into(), "{condition}");
    }
}

/// Only negated comparisons are true for a question that was not answered or not shown.
#[test]
fn of_nothing_only_negations_hold() {
    for (operator, expected) in [
        ("is", false),
        ("is_not", true),
        ("has", false),
        ("has_not", true),
        ("lt", false),
        ("le", false),
        ("gt", false),
        ("ge", false),
        ("contains", false),
        ("matches", false),
    ] {
        let operand = if ["contains", "matches"].contains(&operator) { json!("1") } else { json!(1) };
        let leaf = json!({ "answer": "missing", operator: operand });
        assert_eq!(truth(leaf.clone()), expected.into(), "{leaf}");
        assert_eq!(truth(json!({ "not": leaf })), (!expected).into(), "not {operator}");
    }
    assert_eq!(truth(json!({ "answered": "missing" })), Truth::False);
    assert_eq!(truth(json!({ "answer": "missing", "in": [1] })), Truth::False);
}

#[test]
fn what_is_not_known_yet_decides_nothing_unless_the_rest_decides() {
    let (open, broken) = (json!({ "answer": "open", "is": 1 }), json!({ "answer": "broken", "is": 1 }));
    let (yes, no) = (json!({ "all": [] }), json!({ "any": [] }));
    for (condition, expected) in [
        (json!({ "all": [open, yes] }), Truth::Pending),
        (json!({ "all": [open, no] }), Truth::False),
        (json!({ "any": [open, yes] }), Truth::True),
        (json!({ "any": [broken, no] }), Truth::Failed),
        (json!({ "any": [broken, open] }), Truth::Pending),
        (json!({ "all": [broken, no] }), Truth::False),
        (json!({ "not": broken }), Truth::Failed),
    ] {
        assert_eq!(truth(condition.clone()), expected, "{condition}");
    }
}

#[test]
fn what_is_no_condition_is_refused() {
    for condition in [
        json!({}),
        json!({ "answer": "a" }),
        json!({ "answer": "a", "is": 1, "gt": 2 }),
        json!({ "answer": "a", "field": "b", "is": 1 }),
        json!({ "answered": "a", "is": 1 }),
        json!({ "field": "b", "row": 1, "is": 1 }),
        json!({ "all": [], "any": [] }),
        json!({ "row": 1 }),
        json!({ "answer": "a", "equals": 1 }),
        json!([]),
    ] {
        assert!(serde_json::from_value::<Condition>(condition.clone()).is_err(), "{condition}");
    }
}

#[test]
fn pipes_insert_what_is_known_and_never_expand_it_again() {
    let rendered = |source: &str| match Template::parse(source).render(&facts()) {
        Rendered::Text { text, empty } => format!("{text}/{empty}"),
        open => format!("{open:?}"),
    };
    for (source, expected) in [
        ("You chose {{answer:colour}}.", "You chose Blue./0"),
        ("{{ answer : letters }} and {{answer:rating.row2}}", "a, c and high/0"),
        ("{{field:arm}} {{twin:Age}} {{answer:fair}}", "control 65+ 3/0"),
        ("{{answer:missing}}!", "!/1"),
        ("\\{{answer:colour}} {{", "{{answer:colour}} {{/0"),
        ("{{unknown}} {{answer:}} {single}", "{{unknown}} {{answer:}} {single}/0"),
        ("{{broken {{answer:colour}}", "{{broken Blue/0"),
        ("{{answer:open}}", "Pending"),
        ("{{answer:broken}}", "Failed"),
        ("{{answer:open}}{{answer:broken}}", "Pending"),
        ("", "/0"),
    ] {
        assert_eq!(rendered(source), expected, "{source}");
    }
    let injected = Fake(HashMap::from([("arm".into(), Known::Given(Given::text("{{twin:Age}}")))]));
    let text = Template::parse("{{field:arm}}").render(&injected);
    assert_eq!(text, Rendered::Text { text: "{{twin:Age}}".into(), empty: 0 });
}

#[test]
fn every_type_gives_conditions_and_pipes_its_answer() {
    let best = json!({ "type": "BEST_WORST", "text": "?", "options": ["a", "b", "c"] });
    let display = |known: Known| match known {
        Known::Given(given) => given.display(),
        other => format!("{other:?}"),
    };
    assert_eq!(display(given(best.clone(), None, json!({ "best": "a", "worst": "c" }))), "a, c");
    assert_eq!(display(given(best, Some(2), json!({ "best": "a", "worst": "c" }))), "c");
    let multi =
        json!({ "type": "MATRIX_MULTI", "text": "?", "sub_questions": ["x", "y"], "scale_labels": ["l", "m", "h"] });
    assert_eq!(display(given(multi, Some(1), json!({ "x": ["l", "h"], "y": [] }))), "l, h");
    let sum = json!({ "type": "CONSTANT_SUM", "text": "?", "options": ["m", "n"] });
    assert_eq!(display(given(sum, None, json!({ "m": 30, "n": 70 }))), "m: 30, n: 70");
    assert_eq!(item(json!({ "type": "info", "text": "?" })).kind(), QuestionType::Info);
}

proptest! {
    #[test]
    fn any_text_is_a_template_and_one_without_braces_is_itself(text in ".*") {
        let rendered = Template::parse(&text).render(&facts());
        if !text.contains("{{") {
            prop_assert_eq!(rendered, Rendered::Text { text, empty: 0 });
        }
    }
}
