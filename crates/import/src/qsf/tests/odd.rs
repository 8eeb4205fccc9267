//! Tests of unusual parts of real files: none is lost without a report.

use std::collections::HashSet;

use serde_json::json;
use survey::answer::Answer;
use survey::assign::assign;
use survey::logic::Shuffle;
use survey::plan::Plan;
use survey::question::QuestionType;
use survey::rehearsal::{invented, rehearse};
use survey::twin::Twin;
use survey::walk::{CallScope, OptionOrder, StageParameters};

use super::*;

fn selected(locator: &str, operator: &str) -> Value {
    let expression =
        json!({ "LogicType": "Question", "LeftOperand": locator, "Operator": operator, "Type": "Expression" });
    json!({ "0": { "0": expression, "Type": "If" }, "Type": "BooleanExpression" })
}

fn carried(locator: &str) -> Value {
    json!({ "Choices": [], "ChoiceOrder": [], "DynamicChoices": { "DynamicType": "ChoiceGroup", "Type": "Dynamic", "Locator": locator } })
}

fn logic_of(imported: &Imported, name: &str) -> Value {
    let item = imported.document.items.iter().find(|item| item.name() == name).unwrap();
    serde_json::to_value(&item.logic).unwrap()
}

fn notes(imported: &Imported) -> Vec<(LossCode, LossSeverity)> {
    let entries = imported.report.entries().map(|(_, entry)| (entry.code, entry.severity));
    entries.filter(|(code, _)| *code != LossCode::ForceResponse).collect()
}

#[test]
fn logic_about_the_same_page_counts_too() {
    let mut second = text("Q2");
    second["InPageDisplayLogic"] = selected("q://Q1/SelectableChoice/1", "Selected");
    let imported = imported(&file(&[choice("Q1", &["Red", "Blue"]), second], &json!([block("Q1"), block("Q2")])));
    assert_eq!(logic_of(&imported, "q2")["show_if"], json!({ "answer": "q1", "is": "Red" }));
}

#[test]
fn choices_are_carried_forward_and_shown_by_the_answer() {
    let several = question("Q1", ["MC", "MAVR", "TX"], json!({ "Choices": choices(&["Tea", "Milk", "Rum"]) }));
    let from = |locator: &str| {
        let second = question("Q2", ["MC", "SAVR", "TX"], carried(locator));
        imported(&file(&[several.clone(), second], &json!([block("Q1"), block("Q2")])))
    };
    let chosen = from("q://Q1/ChoiceGroup/SelectedChoices");
    let item = &chosen.document.items[1];
    assert_eq!((item.kind(), item.question.options.len()), (QuestionType::SingleChoice, 3));
    let has = |word: &str| {
        let of = |text: &str| json!({ "answer": "q1", word: text });
        json!({ "Milk": of("Milk"), "Rum": of("Rum"), "Tea": of("Tea") })
    };
    assert_eq!(logic_of(&chosen, "q2")["option_if"], has("has"));
    assert_eq!(notes(&chosen), [(LossCode::CarriedForward, LossSeverity::Note)]);
    let others = from("q://Q1/ChoiceGroup/UnselectedChoices?displayLogic=0");
    assert_eq!(logic_of(&others, "q2")["option_if"], has("has_not"));
    let all = from("q://Q1/ChoiceGroup/AllChoices");
    let id_alone = || json!({ "import_id": "Q2" });
    assert_eq!((logic_of(&all, "q2"), all.document.items[1].question.options.len()), (id_alone(), 3));
    let unknown = from("q://Q1/ChoiceGroup/ChoicesOnTheMoon");
    assert_eq!(logic_of(&unknown, "q2"), id_alone());
    assert_eq!(notes(&unknown), [(LossCode::CarriedForward, LossSeverity::Warning)]);
    for locator in ["refl://RL_1/all", "q://Q9/ChoiceGroup/SelectedChoices", "q://Q2/ChoiceGroup/SelectedChoices"] {
        let none = from(locator);
        assert_eq!(none.document.items[1].kind(), QuestionType::Info, "{locator}");
        assert!(notes(&none).contains(&(LossCode::CarriedForward, LossSeverity::Warning)), "{locator}");
    }
}

#[test]
fn rows_of_a_matrix_and_sliders_are_carried_forward_too() {
    let several = question("Q1", ["MC", "MAVR", "TX"], json!({ "Choices": choices(&["Tea", "Milk"]) }));
    let mut rows = carried("q://Q1/ChoiceGroup/SelectedChoices");
    rows["Answers"] = choices(&["low", "high"]);
    rows["Choices"] = json!({ "4": { "Display": "Rum" } });
    let matrix = question("Q2", ["Matrix", "Likert", "SingleAnswer"], rows);
    let sliders = question("Q3", ["Slider", "HSLIDER", ""], carried("q://Q2/ChoiceGroup/SelectedChoices/2"));
    let flow = json!([block("Q1"), block("Q2"), block("Q3")]);
    let imported = imported(&file(&[several, matrix, sliders], &flow));
    assert_eq!(imported.document.items[1].question.sub_questions, ["Tea", "Milk", "Rum"]);
    let tea = json!({ "answer": "q1", "has": "Tea" });
    assert_eq!(
        logic_of(&imported, "q2")["option_if"],
        json!({ "Tea": tea, "Milk": { "answer": "q1", "has": "Milk" } })
    );
    let names: Vec<&str> = imported.document.items.iter().skip(2).map(Item::name).collect();
    assert_eq!(names, ["q3_xx1", "q3_xx2", "q3_x4"]);
    assert_eq!(logic_of(&imported, "q3_x4")["show_if"], json!({ "answer": "q2", "row": 3, "is": "high" }));
}

#[test]
fn a_slider_is_shown_by_the_logic_of_its_choice() {
    let mut sliders = question("Q2", ["Slider", "HSLIDER", ""], json!({ "Choices": choices(&["Warm", "Able"]) }));
    sliders["Choices"]["2"]["DisplayLogic"] = selected("q://Q1/SelectableChoice/1", "Selected");
    let imported = imported(&file(&[choice("Q1", &["Red", "Blue"]), sliders], &json!([block("Q1"), block("Q2")])));
    assert_eq!(logic_of(&imported, "q2_1"), json!({ "import_id": "Q2_1" }));
    assert_eq!(logic_of(&imported, "q2_2")["show_if"], json!({ "answer": "q1", "is": "Red" }));
}

fn looped(options: Value, texts: &[&str]) -> Imported {
    let several = question("Q1", ["MC", "MAVR", "TX"], json!({ "Choices": choices(texts) }));
    let about = question(
        "Q2",
        ["TE", "SL", ""],
        json!({ "QuestionText": "About ${lm://Field/1}, ${lm://Field/2}, turn ${lm://CurrentLoopNumber}" }),
    );
    let asked = |id: &str| json!([{ "Type": "Question", "QuestionID": id }]);
    let blocks = json!([{ "Type": "Default", "ID": "BL_1", "Description": "First", "BlockElements": asked("Q1") },
        { "Type": "Standard", "ID": "BL_2", "Description": "Again", "BlockElements": asked("Q2"), "Options": options }]);
    imported(&with_blocks(&[several, about], blocks, &json!([block("1"), block("2")])))
}

#[test]
fn a_loop_over_what_was_chosen_asks_of_that_alone() {
    let imported = looped(
        json!({ "Looping": "Question", "LoopingOptions": { "Locator": "q://Q1/ChoiceGroup/SelectedChoices", "QID": "Q1",
            "Static": { "1": { "2": "hot" }, "2": { "2": "cold" }, "3": { "2": "" } }, "Randomization": "None" } }),
        &["Tea", "Milk", "Rum"],
    );
    let table = &imported.document.design.tables["Again"];
    assert_eq!(table.columns, ["field_1", "field_2", "choice"]);
    assert_eq!(table.rows, [["Tea", "hot", "1"], ["Milk", "cold", "2"], ["Rum", "", "3"]]);
    assert_eq!(imported.report.count(LossSeverity::Warning), 0, "{:?}", imported.report);
    let plan = Plan::new(&imported.document.design, &imported.document.items).expect("a plan").numbered();
    let parameters = StageParameters {
        seed: 1,
        questions_per_call: 10,
        call_scope: CallScope::default(),
        option_order: OptionOrder::default(),
    };
    let mut different = HashSet::new();
    for id in 1..=30 {
        let twin = Twin { id, ..Twin::default() };
        let dealt = assign(&plan, 1, std::slice::from_ref(&twin)).unwrap();
        let walk = rehearse(&plan, &twin, &dealt[0], parameters, |item, shown| invented(item, shown, &twin, 1));
        let chosen: Vec<String> = walk
            .asked
            .iter()
            .find(|asked| asked.shown.question.name == "q1")
            .map(|asked| {
                let Some(Answer::Choices(chosen)) = &asked.answer else { panic!("{asked:?}") };
                chosen.clone()
            })
            .unwrap();
        let turns: Vec<String> = (walk.asked.iter().skip(1))
            .map(|asked| asked.shown.question.text.trim_start_matches("About ").split(',').next().unwrap().to_owned())
            .collect();
        assert_eq!(turns, chosen, "twin {id}");
        different.insert(turns);
    }
    assert!(different.len() > 2, "{different:?}");
}

#[test]
fn a_loop_whose_group_is_not_known_asks_of_every_row_and_says_so() {
    let options = |locator: &str| json!({ "Looping": "Question", "LoopingOptions": { "Locator": locator, "Static": { "1": { "2": "x" } } } });
    let unknown = looped(options("q://Q1/ChoiceGroup/ChoicesOnTheMoon"), &["Tea", "Milk"]);
    assert_eq!(unknown.document.design.tables["Again"].rows.len(), 2);
    assert!(notes(&unknown).contains(&(LossCode::Loop, LossSeverity::Warning)));
    let elsewhere = looped(options("q://Q9/ChoiceGroup/SelectedChoices"), &["Tea", "Milk"]);
    assert_eq!(elsewhere.document.design.tables["Again"].rows, [["", "x"]]);
    assert!(notes(&elsewhere).contains(&(LossCode::Loop, LossSeverity::Warning)));
    // The text of a field is inserted unchanged, so it cannot contain a pipe.
    let piped = looped(
        json!({ "Looping": "Static", "LoopingOptions": { "Static": { "1": { "1": "a ${e://Field/x}{{b}}", "2": "$e{ 1 + 1 }" } } } }),
        &["Tea", "Milk"],
    );
    assert_eq!(piped.document.design.tables["Again"].rows, [["a {{b}}", ""]]);
    assert_eq!(piped.report.lost.iter().filter(|entry| entry.code == LossCode::Pipe).count(), 2);
    let wide = json!({ "Looping": "Static", "LoopingOptions": { "Static": { "1": { "2": "b", "9999999999": "c" } } } });
    assert_eq!(looped(wide, &["Tea", "Milk"]).document.design.tables["Again"].rows, [["", "b"]]);
}

#[test]
fn orders_keep_fixed_places_and_leave_out_what_is_never_shown() {
    let of = |randomization: Value| {
        let rest = json!({ "Choices": choices(&["a", "b", "c", "d"]), "ChoiceOrder": ["1", "2", "3"], "Randomization": randomization });
        let (items, imported) = one(question("Q1", ["MC", "SAVR", "TX"], rest));
        let logic = items[0].logic.clone();
        (items[0].question.options.join(""), logic.shuffle, logic.pin.unwrap_or_default().concat(), notes(&imported))
    };
    let never = (LossCode::NeverShown, LossSeverity::Note);
    let advanced = |advanced: Value| json!({ "Type": "Advanced", "Advanced": advanced });
    let drawn = "{~Randomized~}";
    assert_eq!(
        of(advanced(json!({ "FixedOrder": [drawn, drawn, "1"] }))),
        ("bca".into(), Some(Shuffle::All), "a".into(), vec![never])
    );
    assert_eq!(
        of(advanced(json!({ "FixedOrder": [drawn, "1"], "Undisplayed": ["2"] }))),
        ("ca".into(), Some(Shuffle::All), "a".into(), vec![never, never])
    );
    assert_eq!(
        of(advanced(json!({ "TotalRandSubset": 1, "RandomizeAll": ["1"], "RandomSubSet": ["2", "3"] }))),
        ("abc".into(), Some(Shuffle::Subset(2)), String::new(), vec![(LossCode::Order, LossSeverity::Warning), never])
    );
    for kind in ["Subset", "SubSet", "RandomWithOnlyX"] {
        assert_eq!(of(json!({ "Type": kind, "TotalRandSubset": "2" })).1, Some(Shuffle::Subset(2)), "{kind}");
    }
    assert_eq!(of(json!({ "Type": "None", "ConsistentScaleReversal": true })).1, Some(Shuffle::Flip));
    assert_eq!(of(json!({ "Type": "ByTheMoon" })).3, [(LossCode::Order, LossSeverity::Warning), never]);
    let rest = json!({ "Choices": choices(&["r", "s"]), "Answers": choices(&["l", "m", "h"]),
        "Randomization": { "Type": "All", "ConsistentScaleReversal": true } });
    let matrix = &one(question("Q1", ["Matrix", "Likert", "SingleAnswer"], rest.clone())).0[0];
    assert_eq!((matrix.logic.row_shuffle, matrix.logic.shuffle), (Some(Shuffle::All), Some(Shuffle::Flip)));
    let mut columns = rest;
    columns["Randomization"] = json!({ "Type": "None", "Answers": { "Type": "All" } });
    let matrix = &one(question("Q1", ["Matrix", "Likert", "SingleAnswer"], columns)).0[0];
    assert_eq!((matrix.logic.row_shuffle, matrix.logic.shuffle), (None, Some(Shuffle::All)));
}

/// Qualtrics' data files contain the ids, unless the file has other codes.
#[test]
fn codes_are_the_ids_of_the_choices() {
    let with = |order: Value, more: Value| {
        let mut rest =
            json!({ "Choices": { "4": { "Display": "Yes" }, "5": { "Display": "No" } }, "ChoiceOrder": order });
        rest.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (items, imported) = one(question("Q1", ["MC", "SAVR", "TX"], rest));
        (items[0].logic.codes.clone(), codes(&imported))
    };
    assert_eq!(with(json!(["4", "5"]), json!({})), (Some(vec![4, 5]), vec![]));
    assert_eq!(with(json!(["5", "4"]), json!({})), (Some(vec![5, 4]), vec![]));
    assert_eq!(with(json!(["4", "5"]), json!({ "RecodeValues": { "4": "1" } })), (Some(vec![1, 5]), vec![]));
    assert_eq!(with(json!(["4", "5"]), json!({ "RecodeValues": { "4": "1", "5": "2" } })), (None, vec![]));
    assert_eq!(with(json!(["4", "5"]), json!({ "RecodeValues": { "4": "a" } })), (None, vec![LossCode::Codes]));
}

#[test]
fn computed_fields_are_reported_and_names_are_decoded() {
    let fields = json!([{ "Field": "my score", "Value": "3", "Type": "Custom" }, { "Field": "sum", "Value": "$e{ e://Field/my%20score + 1 }" }]);
    let mut asked = text("Q1");
    asked["QuestionText"] = json!("You have ${e://Field/my%20score}, so $e{ 1 + 1 } and 50% of $5.");
    let flow = json!([{ "Type": "EmbeddedData", "EmbeddedData": fields }, block("Q1")]);
    let imported = imported(&file(&[asked], &flow));
    assert_eq!(imported.document.items[0].question.text, "You have {{field:my_score}}, so  and 50% of $5.");
    let lost: Vec<&str> = imported.report.lost.iter().map(|entry| entry.was.as_str()).collect();
    assert_eq!(lost, ["$e{ 1 + 1 }", "$e{ e://Field/my%20score + 1 }"]);
    assert_eq!(flow_of(&imported)[0], json!({ "set": { "my_score": "3", "sum": "" } }));
}

#[test]
fn rules_groups_names_and_translations_are_reported() {
    let lost = |kind: [&str; 3], rest: Value| {
        let mut all = json!({ "Choices": choices(&["a", "b"]), "Answers": choices(&["l", "h"]) });
        all.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        notes(&one(question("Q1", kind, all)).1)
    };
    let settings = |settings: Value| json!({ "Validation": { "Settings": settings } });
    let (warning, note) = (LossSeverity::Warning, LossSeverity::Note);
    let several = ["MC", "MAVR", "TX"];
    for (kind, rest, expected) in [
        (
            several,
            settings(json!({ "Type": "ChoiceRange", "MinChoices": "1", "MaxChoices": "2" })),
            (LossCode::Validation, warning),
        ),
        (several, settings(json!({ "Type": "MinChoices", "MinChoices": "1" })), (LossCode::Validation, warning)),
        (["TE", "SL", ""], settings(json!({ "Type": "MinChar", "MinChars": "40" })), (LossCode::Validation, note)),
        (
            ["TE", "SL", ""],
            settings(json!({ "Type": "ContentType", "ContentType": "ValidEmail" })),
            (LossCode::Validation, note),
        ),
        (several, settings(json!({ "Type": "CustomValidation" })), (LossCode::Validation, note)),
        (
            ["Slider", "HSLIDER", ""],
            json!({ "Configuration": { "NotApplicable": true } }),
            (LossCode::Validation, warning),
        ),
        (several, json!({ "ChoiceGroups": { "0": { "GroupLabel": "Hot" } } }), (LossCode::ChoiceGroups, warning)),
        (several, json!({ "VariableNaming": { "1": "A_NAME" } }), (LossCode::Codes, note)),
        (several, json!({ "Language": { "DE": { "QuestionText": "Was?" } } }), (LossCode::Translation, note)),
    ] {
        assert!(lost(kind, rest.clone()).contains(&expected), "{rest}");
    }
    // Settings of another kind are ignored, and names that equal the texts add nothing.
    for rest in [
        settings(json!({ "Type": "None", "MinChoices": "1" })),
        json!({ "VariableNaming": { "1": "a", "2": "b" }, "Language": [] }),
    ] {
        assert_eq!(lost(several, rest.clone()), [], "{rest}");
    }
}

#[test]
fn what_a_block_names_and_the_file_has_not_is_reported() {
    let asked = |id: &str| json!({ "Type": "Question", "QuestionID": id });
    let order = json!({ "RandomizeQuestions": "Advanced", "Randomization": { "Advanced": { "FixedOrder": ["{~Randomized~}", "Q1"], "Undisplayed": ["Q3"] } } });
    let blocks = json!([
        { "Type": "Standard", "ID": "BL_1", "Description": "Main", "Options": order,
          "BlockElements": [asked("Q1"), { "Type": "Page Break" }, asked("Q2"), asked("Q3"), asked("Q9"), { "Type": "Widget" }] },
        { "Type": "Reference", "ID": "BL_2", "Description": "Library" }]);
    let doubled = [text("Q1"), text("Q2"), text("Q3"), text("Q2")];
    let imported = imported(&with_blocks(&doubled, blocks, &json!([block("1"), block("2")])));
    assert_eq!(
        flow_of(&imported),
        json!([{ "block": "Main", "questions": ["q2", "q1"], "order": "random", "pin": ["q1"] }])
    );
    let mut found = codes(&imported);
    found.sort_unstable();
    assert_eq!(found, [LossCode::NeverShown, LossCode::Flow, LossCode::Flow, LossCode::Flow, LossCode::Element]);
}

#[test]
fn rarer_selectors_are_what_they_look_like() {
    let two = || json!({ "Choices": choices(&["a", "b"]), "Answers": choices(&["x", "y", "z"]) });
    for (kind, expected) in [
        (["Matrix", "Likert", "SACH"], QuestionType::Matrix),
        (["Matrix", "Likert", "SACV"], QuestionType::Matrix),
        (["Matrix", "Likert", "None"], QuestionType::Matrix),
        (["RO", "RB", ""], QuestionType::Rank),
        (["CS", "VR", ""], QuestionType::ConstantSum),
        (["CS", "TB", ""], QuestionType::ConstantSum),
        (["TE", "AUTO", ""], QuestionType::TextEntry),
        (["TE", "", ""], QuestionType::TextEntry),
    ] {
        assert_eq!(one(question("Q1", kind, two())).0[0].kind(), expected, "{kind:?}");
    }
}
