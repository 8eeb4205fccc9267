use serde_json::{Value, json};

use super::{Rename, RenameRefusal};
use crate::flow::Design;
use crate::question::{Question, QuestionPayload};

fn question(from: &str, to: &str) -> Rename {
    Rename::Question { from: from.into(), to: Some(to.into()) }
}

fn field(from: &str, to: &str) -> Rename {
    Rename::Field { from: from.into(), to: to.into() }
}

fn arm(from: &str, to: &str) -> Rename {
    Rename::Arm { random: "arm".into(), from: from.into(), to: to.into() }
}

fn ask(order: i32, fields: Value) -> Question {
    let payload: QuestionPayload = serde_json::from_value(fields).unwrap();
    Question { order, ..payload.validate().unwrap() }
}

fn design(flow: Value) -> Design {
    Design::read(&json!({ "flow": flow })).unwrap()
}

/// A survey where each name is read in each place that can read it.
fn survey() -> (Vec<Question>, Design) {
    let option = "as {{answer:fair}} {{field:fee}}";
    let questions = vec![
        ask(1, json!({"text": "Fair?", "name": "fair", "questionType": "BOOLEAN"})),
        ask(
            2,
            json!({
                "text": "{{ answer : fair }} {{answer:fair.row2}} {{answer:fair#3}} {{answer:fairness}} {{twin:fair}} \\{{answer:fair}}",
                "name": "why", "questionType": "MULTIPLE_CHOICE", "options": [option, "b"],
                "pin": [option], "exclusive": [option], "check": {"expect": [option]},
                "showIf": {"any": [{"not": {"answer": "fair", "is": option}}, {"all": [{"answered": "fair"}]}]},
                "optionIf": {option: {"field": "fee", "is": "a"}},
            }),
        ),
        ask(
            3,
            json!({
                "text": "How?", "name": "how", "questionType": "MATRIX", "scale_labels": [option, "b"],
                "sub_questions": [option, "d"], "reverseRows": [option],
            }),
        ),
        ask(
            4,
            json!({
                "text": "Where?", "name": "where_to", "questionType": "RANGE", "min_value": 1, "max_value": 5,
                "min_description": option, "max_description": option,
            }),
        ),
    ];
    let flow = json!([
        {"random": "arm", "take": 1, "of": [
            {"arm": "a", "flow": [{"set": {"fee": "1"}}]},
            {"arm": "b", "flow": [{"set": {"fee": "{{answer:fair}}", "tip": "{{field:fee}}"}}]},
        ]},
        {"if": {"all": [{"field": "arm", "in": ["a", "b"]}, {"field": "fee", "is": "a"}]}, "then": [], "else": [
            [{"block": "dv", "questions": ["fair", "why"], "pin": ["fair"]}],
        ]},
        {"loop": "t", "flow": [{"block": "dv", "questions": ["fair", "why"], "pin": ["fair"]}]},
        {"block": "dw", "questions": ["how"]},
        {"if": {"answer": "fair", "is": "a"}, "then": [{"end": "complete"}]},
    ]);
    (questions, design(flow))
}

/// The survey as JSON after a renaming.
fn renamed(rename: &Rename) -> String {
    let (mut questions, mut design) = survey();
    rename.apply(&mut questions, &mut design).unwrap();
    json!([questions, design]).to_string()
}

#[test]
fn a_question_is_renamed_in_texts_conditions_and_blocks_and_nowhere_else() {
    let after = renamed(&question("fair", "just"));
    assert!(after.contains(r"{{ answer : just }} {{answer:just.row2}} {{answer:just#3}} {{answer:fairness}} {{twin:fair}} \\{{answer:fair}}"));
    assert!(!after.replace("\\\\{{answer:fair}}", "").contains("answer:fair}}"), "{after}");
    assert_eq!(after.matches("as {{answer:just}}").count(), 11, "{after}");
    assert!(after.contains(r#"{"answered":"just"}"#) && after.contains(r#"{"answer":"just","is":"a"}"#), "{after}");
    assert_eq!(after.matches(r#""pin":["just"],"questions":["just","why"]"#).count(), 2, "{after}");
}

#[test]
fn a_field_an_arm_a_random_node_and_a_block_are_renamed_where_they_are_meant() {
    let fee = renamed(&field("fee", "cost"));
    assert_eq!((fee.matches(r#""cost":"#).count(), fee.contains("field:fee")), (2, false), "{fee}");
    assert!(fee.contains(r#"{"field":"cost","is":"a"}"#) && fee.contains(r#""tip":"{{field:cost}}""#), "{fee}");
    let arms = renamed(&arm("a", "control"));
    assert!(arms.contains(r#"{"arm":"control""#), "{arms}");
    assert!(arms.contains(r#"{"field":"arm","in":["control","b"]},{"field":"fee","is":"a"}"#), "{arms}");
    let random = renamed(&field("arm", "price"));
    assert!(
        random.contains(r#""random":"price""#) && random.contains(r#"{"field":"price","in":["a","b"]}"#),
        "{random}"
    );
    let questions = vec!["fair".into(), "why".into()];
    let block = renamed(&Rename::Block { questions, from: "dv".into(), to: "main part".into() });
    assert_eq!(block.matches(r#""block":"main part""#).count(), 2, "{block}");
}

#[test]
fn the_inverse_undoes_it() {
    let questions: Vec<String> = vec!["fair".into(), "why".into()];
    let block = |from: &str, to: &str| Rename::Block { questions: questions.clone(), from: from.into(), to: to.into() };
    for (there, back) in [
        (question("fair", "just"), question("just", "fair")),
        (question("fair", "Fair"), question("Fair", "fair")),
        (field("fee", "cost"), field("cost", "fee")),
        (field("arm", "price"), field("price", "arm")),
        (arm("b", "treatment"), arm("treatment", "b")),
        (block("dv", "main"), block("main", "dv")),
    ] {
        let before = survey();
        let (mut questions, mut design) = before.clone();
        there.apply(&mut questions, &mut design).unwrap();
        assert_ne!((&questions, &design), (&before.0, &before.1), "{there:?}");
        back.apply(&mut questions, &mut design).unwrap();
        assert_eq!((questions, design), before, "{there:?}");
    }
}

#[test]
fn a_question_without_a_new_name_gets_one_of_its_text() {
    let after = renamed(&Rename::Question { from: "how".into(), to: None });
    assert!(after.contains(r#""name":"How""#) && after.contains(r#""questions":["How"]"#), "{after}");
}

#[test]
fn a_name_that_is_taken_unknown_or_not_allowed_changes_nothing() {
    let block = |to: &str| Rename::Block { questions: vec!["how".into()], from: "dw".into(), to: to.into() };
    for (rename, message) in [
        (question("fair", "WHY"), "to: question 2 is called “why” already"),
        (question("nobody", "x"), "from: there is no question “nobody”"),
        (question("fair", "or"), "to: a name \"or\" is a word that statistics programs keep for themselves"),
        (field("arm", "fee"), "to: field “fee” is set already"),
        (field("fee", "arm"), "to: random node “arm” has the name already"),
        (field("fees", "x"), "from: there is no field “fees”"),
        (arm("a", "b"), "to: another arm of random node “arm” is called “b” already"),
        (arm("c", "d"), "from: there is no arm “c” of random node “arm”"),
        (arm("a", "a#1"), "to: a name is not blank, has at most 200 characters, and no # among them"),
        (block("dv"), "to: another block is called “dv” already"),
    ] {
        let before = survey();
        let (mut questions, mut design) = before.clone();
        let refusal: RenameRefusal = rename.apply(&mut questions, &mut design).unwrap_err();
        assert_eq!(refusal.to_string(), message, "{rename:?}");
        assert_eq!((questions, design), before);
    }
}
