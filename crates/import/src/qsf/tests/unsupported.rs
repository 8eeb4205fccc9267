//! Tests that unsupported parts of questions and nodes are reported.

use serde_json::json;
use survey::question::QuestionType;

use super::*;

fn lost(question: Value) -> Vec<(LossCode, String)> {
    let (_, imported) = one(question);
    let entries = imported.report.entries().filter(|(_, entry)| entry.code != LossCode::ForceResponse);
    entries.map(|(_, entry)| (entry.code, entry.was.clone())).collect()
}

fn two() -> Value {
    json!({ "Choices": choices(&["a", "b"]), "Answers": choices(&["l", "h"]) })
}

fn with(mut rest: Value, more: Value) -> Value {
    rest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    rest
}

#[test]
fn an_option_that_excludes_the_others_does_so_here() {
    let mut rest = json!({ "Choices": choices(&["Tea", "Milk", "None"]) });
    rest["Choices"]["3"]["ExclusiveAnswer"] = json!(true);
    let (items, imported) = one(question("Q1", ["MC", "MAVR", "TX"], rest.clone()));
    assert_eq!((items[0].logic.exclusive.clone(), codes(&imported)), (Some(vec!["None".into()]), vec![]));
    // A single choice is exclusive anyway.
    let (items, imported) = one(question("Q1", ["MC", "SAVR", "TX"], rest));
    assert_eq!((items[0].logic.exclusive.clone(), codes(&imported)), (None, vec![]));
    let mut matrix = two();
    matrix["Answers"]["2"]["ExclusiveAnswer"] = json!("true");
    assert_eq!(lost(question("Q1", ["Matrix", "Likert", "MultipleAnswer"], matrix))[0].0, LossCode::ExclusiveOption);
}

#[test]
fn what_is_chosen_beforehand_and_rules_of_fields_and_decimals_are_reported() {
    let given = |kind: [&str; 3], more: Value| lost(question("Q1", kind, with(two(), more)));
    let chosen = (LossCode::DefaultAnswer, "an answer that is chosen beforehand".to_owned());
    for (kind, more) in [
        (["MC", "SAVR", "TX"], json!({ "DefaultChoices": { "1": { "Selected": true } } })),
        (["MC", "MAVR", "TX"], json!({ "DefaultChoices": ["2"] })),
        (
            ["Slider", "HSLIDER", ""],
            json!({ "Configuration": { "CustomStart": true, "SliderStartPositions": { "1": 50 } } }),
        ),
    ] {
        assert!(given(kind, more.clone()).contains(&chosen), "{more}");
    }
    for none in [json!({ "DefaultChoices": false }), json!({ "DefaultChoices": [] }), json!({})] {
        assert_eq!(given(["MC", "SAVR", "TX"], none.clone()), [], "{none}");
    }
    let number = json!({ "Validation": { "Settings": { "Type": "ContentType", "ContentType": "ValidNumber",
        "ValidNumber": { "Min": "1", "Max": "9", "NumDecimals": "0" } } } });
    assert_eq!(given(["TE", "SL", ""], number), [(LossCode::Validation, "numbers with at most 0 decimals".into())]);
    let mut form = two();
    form["Choices"]["1"]["TextEntryValidation"] = json!("ValidEmail");
    let found = lost(question("Q1", ["TE", "FORM", ""], form));
    assert!(found.contains(&(LossCode::Validation, "only answers of kind ValidEmail".into())), "{found:?}");
    let slider = given(["Slider", "HBAR", ""], json!({ "Configuration": { "NumDecimals": "0" } }));
    assert!(slider.contains(&(LossCode::Validation, "sliders that stand at whole numbers".into())), "{slider:?}");
}

#[test]
fn labels_and_names_and_images_beside_a_question_are_reported() {
    let matrix = |more: Value| lost(question("Q1", ["Matrix", "Likert", "SingleAnswer"], with(two(), more)));
    assert_eq!(
        matrix(json!({ "ColumnLabels": [{ "Display": "Bad" }, { "Display": "" }, { "Display": "<b>Good</b>" }] })),
        [(LossCode::ChoiceGroups, "labels above columns: Bad, Good".into())]
    );
    assert_eq!(
        matrix(json!({ "ChoiceDataExportTags": { "1": "att_easy", "2": "q1_2" } })),
        [(LossCode::Codes, "names of parts for files: att_easy".into())]
    );
    assert_eq!(matrix(json!({ "ChoiceDataExportTags": false })), []);
    assert_eq!(
        matrix(json!({ "Graphics": "IM_7", "GraphicsDescription": "a bottle" })),
        [(LossCode::Image, "a bottle".into())]
    );
    let labels = json!({ "ColumnLabels": [{ "Display": "Never" }, { "Display": "At once" }] });
    let (items, imported) = one(question("Q1", ["MC", "NPS", ""], with(two(), labels)));
    let range = &items[0].question;
    assert_eq!((range.min_description.as_deref(), range.max_description.as_deref()), (Some("Never"), Some("At once")));
    assert_eq!(codes(&imported), []);
}

#[test]
fn a_column_that_is_no_matrix_is_reported_and_one_has_its_logic() {
    let column = |selector: &str, sub: &str| {
        json!({ "QuestionText": format!("Column {selector}"), "QuestionType": "Matrix", "Selector": selector,
            "SubSelector": sub, "Answers": choices(&["l", "h"]) })
    };
    let mut shown = column("Likert", "SingleAnswer");
    let expression = json!({ "LogicType": "Question", "LeftOperand": "q://Q1/SelectableChoice/1", "Operator": "Selected", "Type": "Expression" });
    shown["DisplayLogic"] = json!({ "0": { "0": expression, "Type": "If" }, "Type": "BooleanExpression" });
    shown["Validation"] = json!({ "Settings": { "Type": "CustomValidation" } });
    let rest =
        json!({ "Choices": choices(&["a", "b"]), "AdditionalQuestions": { "1": shown, "2": column("Moon", "") } });
    let sides = question("Q2", ["SBS", "SBSMatrix", ""], rest);
    let imported = imported(&file(&[choice("Q1", &["Red", "Blue"]), sides], &json!([block("Q1"), block("Q2")])));
    let [_, first, second] = imported.document.items.as_slice() else { panic!("{:?}", imported.document.items) };
    assert_eq!((first.kind(), second.kind()), (QuestionType::Matrix, QuestionType::Info));
    let show_if = serde_json::to_value(&first.logic.show_if).unwrap();
    assert_eq!((show_if, second.logic.show_if.is_none()), (json!({ "answer": "q1", "is": "Red" }), true));
    let found = codes(&imported);
    assert!(found.contains(&LossCode::UnsupportedType) && found.contains(&LossCode::Validation), "{found:?}");
}

#[test]
fn two_kinds_of_display_logic_hold_together() {
    let selected = |choice: u8| {
        let expression = json!({ "LogicType": "Question", "LeftOperand": format!("q://Q1/SelectableChoice/{choice}"), "Operator": "Selected", "Type": "Expression" });
        json!({ "0": { "0": expression, "Type": "If" }, "Type": "BooleanExpression" })
    };
    let several = question("Q1", ["MC", "MAVR", "TX"], json!({ "Choices": choices(&["Red", "Blue"]) }));
    let mut second = text("Q2");
    (second["DisplayLogic"], second["InPageDisplayLogic"]) = (selected(1), selected(2));
    let imported = imported(&file(&[several, second], &json!([block("Q1"), block("Q2")])));
    let has = |text: &str| json!({ "answer": "q1", "has": text });
    assert_eq!(
        serde_json::to_value(&imported.document.items[1].logic.show_if).unwrap(),
        json!({ "all": [has("Red"), has("Blue")] })
    );
}

#[test]
fn a_comparison_with_what_is_piped_is_none_with_its_letters() {
    let field = |operator: &str, right: &str| {
        let expression = json!({ "LogicType": "EmbeddedField", "LeftOperand": "a", "Operator": operator, "RightOperand": right, "Type": "Expression" });
        let logic = json!({ "0": { "0": expression, "Type": "If" }, "Type": "BooleanExpression" });
        let fields = json!([{ "Field": "a", "Value": "1" }, { "Field": "b", "Value": "1" }]);
        let flow = json!([{ "Type": "EmbeddedData", "EmbeddedData": fields },
            { "Type": "Branch", "BranchLogic": logic, "Flow": [block("Q1")] }]);
        let imported = imported(&file(&[text("Q1")], &flow));
        (flow_of(&imported)[1]["if"].clone(), codes(&imported))
    };
    assert_eq!(field("EqualTo", "1"), (json!({ "field": "a", "is": "1" }), vec![]));
    assert_eq!(field("EqualTo", "${e://Field/b}"), (json!({ "any": [] }), vec![LossCode::Logic]));
}

#[test]
fn quotas_scores_ends_and_services_are_reported() {
    let flow = json!([
        { "Type": "WebService", "URL": "https://example.org", "ResponseMap": [{ "key": "price", "value": "p" }] },
        { "Type": "Authenticator", "FieldData": {}, "Flow": [block("Q1")] },
        { "Type": "EndSurvey", "EndingType": "Advanced", "Options": { "EOSRedirectURL": "https://example.org" } }]);
    let mut whole: Value = serde_json::from_slice(&file(&[text("Q1")], &flow)).unwrap();
    let elements = whole["SurveyElements"].as_array_mut().unwrap();
    elements.push(element("QO", json!({ "Name": "Women" })));
    elements.push(element("QG", json!({ "Quotas": [] })));
    elements.push(element("SCO", json!({ "ScoringCategories": [{ "ID": "SC_1" }] })));
    let imported = imported(&serde_json::to_vec(&whole).unwrap());
    let found: Vec<(LossCode, &str)> =
        imported.report.lost.iter().map(|entry| (entry.code, entry.was.as_str())).collect();
    assert_eq!(
        found,
        [
            (LossCode::Flow, "a node WebService, which fills price"),
            (LossCode::Flow, "a node Authenticator"),
            (LossCode::EndOfSurvey, "an end with an address or a message of its own"),
            (LossCode::Quota, "a quota"),
            (LossCode::Scoring, "scores: 1 categories"),
        ]
    );
    assert!(!serde_json::to_string(&imported.report).unwrap().contains("example.org"));
}

#[test]
fn skips_to_the_end_and_to_nowhere_are_reported() {
    let skips = |target: &str| {
        let rule = json!({ "SkipToDestination": target, "ChoiceLocator": "q://Q1/SelectableChoice/1", "Condition": "Selected" });
        let asked = json!([{ "Type": "Question", "QuestionID": "Q1", "SkipLogic": [rule] }]);
        let blocks = json!([{ "Type": "Standard", "ID": "BL_1", "Description": "Main", "BlockElements": asked }]);
        codes(&imported(&with_blocks(&[choice("Q1", &["Red", "Blue"])], blocks, &json!([block("1")]))))
    };
    assert_eq!(skips("ENDOFSURVEY"), [LossCode::EndOfSurvey]);
    assert_eq!(skips("ENDOFBLOCK"), []);
    assert_eq!(skips("QID99"), [LossCode::SkipLogic]);
}

#[test]
fn a_loop_as_often_as_a_number_is_said_in_words() {
    let options = json!({ "Looping": "MergeOnNumericResponse", "LoopingOptions": { "Static": { "1": { "1": "one" }, "2": { "1": "two" } } } });
    let asked = json!([{ "Type": "Question", "QuestionID": "Q1" }]);
    let blocks = json!([{ "Type": "Standard", "ID": "BL_1", "Description": "Again", "Options": options, "BlockElements": asked }]);
    let imported = imported(&with_blocks(&[text("Q1")], blocks, &json!([block("1")])));
    let lost = &imported.report.lost[0];
    assert_eq!(
        (lost.was.as_str(), lost.now.as_str()),
        ("a loop that is asked as often as a number that was answered", "asked of every row")
    );
}

#[test]
fn a_field_that_is_piped_before_it_is_set_is_doubtful_and_says_where() {
    let mut asked = text("Q1");
    asked["QuestionText"] = json!("It costs ${e://Field/fee}.");
    let set = json!({ "Type": "EmbeddedData", "EmbeddedData": [{ "Field": "fee", "Value": "3" }] });
    let doubts = |flow: Value| {
        let imported = imported(&file(&[asked.clone(), text("Q2")], &flow));
        let entries = imported.report.changed.into_iter().filter(|entry| entry.code == LossCode::UnsetField);
        entries.map(|entry| (entry.severity, entry.name, entry.was)).collect::<Vec<_>>()
    };
    assert_eq!(doubts(json!([set, block("Q1"), block("Q2")])), []);
    assert_eq!(
        doubts(json!([block("Q1"), set, block("Q2")])),
        [(LossSeverity::Warning, Some("q1".into()), "/questions/0/text".into())]
    );
}
