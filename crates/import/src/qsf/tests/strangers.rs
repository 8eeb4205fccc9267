//! Tests of constructs in other people's files: each is kept or reported in plain words.

use serde_json::json;
use survey::flow::Node;
use survey::question::QuestionType;

use super::*;
use crate::ImportRefusal;

fn expression(locator: &str, operator: &str, right: &str) -> Value {
    json!({ "LogicType": "Question", "LeftOperand": locator, "Operator": operator, "RightOperand": right, "Type": "Expression" })
}

fn logic(expression: Value) -> Value {
    json!({ "0": { "0": expression, "Type": "If" }, "Type": "BooleanExpression" })
}

/// Returns the text of the report, entry by entry.
fn report_texts(imported: &Imported) -> Vec<String> {
    let entries = imported.report.entries().filter(|(_, entry)| entry.code != LossCode::ForceResponse);
    entries.map(|(_, entry)| format!("{} -> {}", entry.was, entry.now)).collect()
}

fn says(imported: &Imported, words: &str) {
    assert!(
        report_texts(imported).iter().any(|entry| entry.contains(words)),
        "{words:?} in {:#?}",
        report_texts(imported)
    );
}

/// Types that take no answer here are reported and keep their text.
#[test]
fn every_type_is_kept_or_reported() {
    let two = || json!({ "Choices": choices(&["a", "b"]), "Answers": choices(&["x", "y"]) });
    for (kind, expected) in [
        (["DB", "TB", ""], Some(QuestionType::Info)),
        (["DB", "GRB", "WOTXB"], Some(QuestionType::Info)),
        (["MC", "NPS", ""], Some(QuestionType::Range)),
        (["Matrix", "Likert", "DL"], Some(QuestionType::Matrix)),
        (["Matrix", "Bipolar", ""], Some(QuestionType::Matrix)),
        (["Matrix", "CS", ""], Some(QuestionType::ConstantSum)),
        (["Matrix", "TE", "Short"], Some(QuestionType::TextEntry)),
        (["TE", "FORM", ""], Some(QuestionType::TextEntry)),
        (["TE", "PW", ""], Some(QuestionType::TextEntry)),
        (["Slider", "STAR", ""], Some(QuestionType::Slider)),
        (["CS", "VRTL", "TX"], Some(QuestionType::ConstantSum)),
        (["RO", "DND", ""], Some(QuestionType::Rank)),
        (["Matrix", "RO", ""], None),
        (["TE", "CalendarSingle", ""], None),
        (["HeatMap", "Image", ""], None),
        (["HotSpot", "OnOff", ""], None),
        (["HL", "Text", ""], None),
        (["DD", "DL", ""], None),
        (["FileUpload", "FileUpload", ""], None),
        (["FileUpload", "VideoCapture", "VideoToText"], None),
        (["Draw", "Signature", ""], None),
        (["SS", "TA", ""], None),
        (["PGR", "DragAndDrop", "Columns"], None),
        (["TreeSelect", "SearchOnly", ""], None),
        (["Widget", "New", ""], None),
        (["", "", ""], None),
    ] {
        let (items, imported) = one(question("Q1", kind, two()));
        assert_eq!(items[0].kind(), expected.unwrap_or(QuestionType::Info), "{kind:?}");
        assert!(items[0].question.text.contains("Text of Q1") || kind[2] == "WOTXB", "{kind:?}: {:?}", items[0]);
        let is_told = codes(&imported).contains(&LossCode::UnsupportedType);
        assert_eq!(is_told, expected.is_none(), "{kind:?}: {:?}", report_texts(&imported));
    }
    for kind in [["Timing", "PageTimer", ""], ["Meta", "Browser", ""], ["Captcha", "V2", ""]] {
        let (items, imported) = one(question("Q1", kind, two()));
        assert_eq!((items.len(), codes(&imported)), (0, vec![LossCode::Timing]), "{kind:?}");
    }
    let plugin = json!({ "QuestionTypePluginProperties": { "ID": "@qualtrics/arcgis-map", "Version": "1.0.0" } });
    says(&one(question("Q1", ["TE", "SL", ""], plugin)).1, "the plug-in @qualtrics/arcgis-map");
}

#[test]
fn a_maxdiff_is_a_choice_of_the_best_and_the_worst() {
    let of = |labels: &[&str]| {
        let rest = json!({ "Choices": choices(&["Price", "Size", "Looks"]), "Answers": choices(labels) });
        one(question("Q1", ["Matrix", "MaxDiff", "SingleAnswer"], rest)).0.remove(0)
    };
    for labels in [["Least important", "Most important"], ["Most important", "Least important"]] {
        let item = of(&labels);
        assert_eq!((item.kind(), item.question.options.len()), (QuestionType::BestWorst, 3));
        assert!(item.question.text.ends_with("Best means: Most important. Worst means: Least important."), "{item:?}");
    }
    assert_eq!(of(&["Left", "Right"]).kind(), QuestionType::Info);
}

#[test]
fn choices_in_lists_have_the_ids_that_the_rest_of_the_file_names() {
    let listed = |order: Value, recoded: Value| {
        let list = json!([{ "Display": "Tea" }, { "Display": 2 }, { "Display": "Rum" }]);
        let rest = json!({ "Choices": list, "ChoiceOrder": order, "RecodeValues": recoded });
        let item = one(question("Q1", ["MC", "SAVR", "TX"], rest)).0.remove(0);
        (item.question.options.join(" "), item.logic.codes)
    };
    assert_eq!(listed(json!([]), json!([])), ("Tea 2 Rum".into(), Some(vec![0, 1, 2])));
    assert_eq!(listed(json!([2, 0]), json!(["7", "8", "9"])), ("Rum Tea".into(), Some(vec![9, 7])));
    assert_eq!(listed(json!(["3", "1", "2"]), json!({ "1": "5" })), ("Rum Tea 2".into(), Some(vec![3, 5, 2])));
    // An order that names missing choices is ignored.
    assert_eq!(listed(json!(["8", "9"]), json!([])).0, "Tea 2 Rum");
}

#[test]
fn a_file_may_have_an_element_a_block_or_no_flow() {
    let question = |id: &str| json!({ "Element": "SQ", "Payload": text(id) });
    let block = |id: &str, question: &str| json!({ "Element": "BL", "Payload": { "Type": "Standard", "ID": id, "Description": id, "BlockElements": [{ "Type": "Question", "QuestionID": question }] } });
    let file = |more: Value| {
        let mut elements = vec![block("BL_1", "Q1"), block("BL_2", "Q2"), question("Q1"), question("Q2")];
        elements.extend(more.as_array().unwrap().clone());
        let file = json!({ "SurveyEntry": { "SurveyName": "S" }, "SurveyElements": elements });
        imported(&serde_json::to_vec(&file).unwrap())
    };
    let both = json!([{ "block": "BL_1", "questions": ["q1"] }, { "block": "BL_2", "questions": ["q2"] }]);
    let none = file(json!([]));
    assert_eq!(flow_of(&none), both);
    says(&none, "a file without a flow");
    // Nodes may also be the fields of an object.
    let nodes = json!({ "1": { "Type": "Block", "ID": "BL_1" }, "2": { "Type": "Standard", "ID": "BL_2" } });
    let with_flow = file(json!([{ "Element": "FL", "Payload": { "Type": "Root", "Flow": nodes } }]));
    assert_eq!((flow_of(&with_flow), report_texts(&with_flow)), (both, vec![]));
}

#[test]
fn a_loop_by_a_number_is_asked_as_often_as_was_answered() {
    let settings = json!({ "Validation": { "Settings": { "Type": "ContentType", "ContentType": "ValidNumber" } } });
    let number = question("Q1", ["TE", "SL", ""], settings);
    let asked = |id: &str| json!([{ "Type": "Question", "QuestionID": id }]);
    let looped = |first: &Value, locator: &str, rows: Value| {
        let options = json!({ "Looping": "Question", "LoopingOptions": { "QID": "Q1", "Locator": locator, "Static": rows, "Randomization": "None" } });
        let mut second = text("Q2");
        second["QuestionText"] = json!("Child ${lm://CurrentLoopNumber}, the ${lm://Field/2}");
        let blocks = json!([{ "Type": "Default", "ID": "BL_1", "Description": "First", "BlockElements": asked("Q1") },
            { "Type": "Standard", "ID": "BL_2", "Description": "Children", "BlockElements": asked("Q2"), "Options": options }]);
        imported(&with_blocks(&[first.clone(), second], blocks, &json!([block("1"), block("2")])))
    };
    const BY_NUMBER: &str = "q://Q1/LoopAndMerge/MergeOnNumericResponse";
    let rows = json!({ "1": { "2": "1st" }, "2": { "2": "2nd" } });
    let two = looped(&number, &format!("{BY_NUMBER}?v=2"), rows.clone());
    assert_eq!(two.document.design.tables["Children"].rows, [["1", "1st", "1"], ["2", "2nd", "2"]]);
    let [_, Node::Loop(turns)] = two.document.design.flow.as_slice() else { panic!("{:?}", two.document.design) };
    let turn = |number: u32| json!({ "all": [{ "field": "Children_choice", "is": number.to_string() }, { "answer": "q1", "ge": number }] });
    assert_eq!(serde_json::to_value(&turns.flow[1]).unwrap()["if"], json!({ "any": [turn(1), turn(2)] }));
    says(&two, "a loop over the table \"Children\", its first rows asked, as many as were answered");
    assert_eq!(two.report.count(LossSeverity::Warning), 0, "{:?}", report_texts(&two));
    // The rows or the rule about the answer also bound the number.
    let of_rows = looped(&number, BY_NUMBER, json!({ "1": [], "2": [], "3": [] }));
    assert_eq!(of_rows.document.design.tables["Children"].rows.len(), 3);
    let mut ruled = number.clone();
    ruled["Validation"]["Settings"]["ValidNumber"] = json!({ "Min": "0", "Max": "4" });
    assert_eq!(looped(&ruled, BY_NUMBER, json!([])).document.design.tables["Children"].rows.len(), 4);
    let many = looped(&number, &format!("{BY_NUMBER}?v=4000"), json!([]));
    assert_eq!(many.document.design.tables["Children"].rows.len(), 100);
    says(&many, "more than 100 turns of a loop -> at most 100");
    // There is no bound, or no number.
    says(&looped(&number, BY_NUMBER, json!([])), "as often as a number that was answered -> asked once");
    says(
        &looped(&choice("Q1", &["a", "b"]), BY_NUMBER, rows),
        "as often as a number that was answered -> asked of every row",
    );
}

#[test]
fn a_number_that_a_field_draws_is_an_arm() {
    let field = |name: &str, value: &str| json!({ "Field": name, "Value": value, "Type": "Custom" });
    let set = json!({ "Type": "EmbeddedData", "EmbeddedData": [field("first", "x"), field("cond", "${rand://int/1:3}"), field("last", "${e://Field/cond}")] });
    let is_two = json!({ "LogicType": "EmbeddedField", "LeftOperand": "cond", "Operator": "EqualTo", "RightOperand": "2", "Type": "Expression" });
    let branch = json!({ "Type": "Branch", "BranchLogic": logic(is_two), "Flow": [block("Q2")] });
    let imported = imported(&file(&[text("Q1"), text("Q2")], &json!([set, block("Q1"), branch])));
    let arm = |number: u32| json!({ "arm": number.to_string(), "flow": [{ "set": { "cond": number.to_string() } }] });
    let flow = flow_of(&imported);
    assert_eq!(flow[0], json!({ "set": { "first": "x" } }));
    assert_eq!(flow[1], json!({ "random": "cond_drawn", "take": 1, "of": [arm(1), arm(2), arm(3)] }));
    assert_eq!(flow[2], json!({ "set": { "last": "{{field:cond}}" } }));
    assert_eq!(flow[4]["if"], json!({ "field": "cond", "is": "2" }));
    says(&imported, "a whole number from 1 to 3, drawn by itself -> balanced: each number is dealt evenly");
    let others = ["${rand://int/1:1000}", "${rand://int/5:1}", "${rand://int/a:b}", "no ${rand://int/1:3}"];
    for value in others {
        let set = json!({ "Type": "EmbeddedData", "EmbeddedData": [field("cond", value)] });
        says(&super::imported(&file(&[text("Q1")], &json!([set, block("Q1")]))), "nothing is inserted");
    }
}

#[test]
fn some_of_a_blocks_questions_are_drawn_as_arms() {
    let blocks = |options: Value, first: Value| {
        let element = |id: &str| json!({ "Type": "Question", "QuestionID": id });
        let mut elements = vec![element("Q1"), element("Q2"), element("Q3")];
        elements[0].as_object_mut().unwrap().extend(first.as_object().unwrap().clone());
        let sliders = question("Q2", ["Slider", "HSLIDER", ""], json!({ "Choices": choices(&["Warm", "Able"]) }));
        let block = json!([{ "Type": "Standard", "ID": "BL_1", "Description": "Main", "BlockElements": elements, "Options": options }]);
        imported(&with_blocks(&[choice("Q1", &["a", "b"]), sliders, text("Q3")], block, &json!([super::block("1")])))
    };
    let two =
        json!({ "RandomizeQuestions": "RandomWithOnlyX", "Randomization": { "Advanced": { "TotalRandSubset": "2" } } });
    let drawn = blocks(two.clone(), json!({}));
    let arm = |name: &str, questions: Value| json!({ "arm": name, "flow": [{ "block": format!("Main: {name}"), "questions": questions }] });
    assert_eq!(
        flow_of(&drawn),
        json!([{ "random": "Main_questions", "take": 2, "order": "random",
            "of": [arm("q1", json!(["q1"])), arm("q2_1", json!(["q2_1", "q2_2"])), arm("q3", json!(["q3"]))] }])
    );
    says(&drawn, "2 of 3 questions, drawn -> each question is an arm, dealt evenly");
    // What cannot be expressed is reported: some questions always shown, or a block that skips cut.
    let skip = json!({ "SkipLogic": [{ "ChoiceLocator": "q://Q1/SelectableChoice/1", "Condition": "Selected", "SkipToDestination": "ENDOFBLOCK" }] });
    says(&blocks(two, skip), "some of the questions, drawn -> all of them");
    let mixed = json!({ "RandomizeQuestions": "Advanced", "Randomization": { "Advanced": { "TotalRandSubset": 1, "FixedOrder": ["Q1", "{~Randomized~}", "{~Randomized~}"] } } });
    says(&blocks(mixed, json!({})), "some of the questions, drawn -> all of them");
    let all = json!({ "RandomizeQuestions": "RandomWithXPerPage", "Randomization": { "Advanced": { "QuestionsPerPage": 2 } } });
    assert_eq!(flow_of(&blocks(all, json!({})))[0]["order"], "random");
}

#[test]
fn logic_of_all_kinds_is_a_condition_or_said_to_be_constant() {
    let shown = |logic_of: Value| {
        let mut second = text("Q2");
        second["DisplayLogic"] = logic(logic_of);
        let several = question("Q1", ["MC", "MAVR", "TX"], json!({ "Choices": choices(&["a", "b"]) }));
        let imported = imported(&file(&[several, second], &json!([block("Q1"), block("Q2")])));
        (serde_json::to_value(&imported.document.items[1].logic).unwrap()["show_if"].clone(), imported)
    };
    let answered = json!({ "answered": "q1" });
    let of = |locator: &str, operator: &str, right: &str| shown(expression(locator, operator, right)).0;
    assert_eq!(of("q://Q1/SelectedChoicesCount", "GreaterThan", "0"), answered);
    assert_eq!(of("q://Q1/SelectedChoicesCount", "EqualTo", "0"), json!({ "not": answered }));
    assert_eq!(of("q://Q1/QuestionDisplayed", "Displayed", ""), answered);
    let (never, always) = (json!({ "any": [] }), json!({ "all": [] }));
    for (left, expected) in [
        (expression("q://Q1/SelectedChoicesCount", "GreaterThan", "1"), &never),
        (expression("q://undefined/undefined", "", ""), &never),
        (
            json!({ "LogicType": "Quota", "QuotaID": "QO_1", "LeftOperand": "qo://QO_1/QuotaMet", "Operator": "QuotaMet" }),
            &never,
        ),
        (
            json!({ "LogicType": "Quota", "QuotaID": "QO_1", "LeftOperand": "qo://QO_1/QuotaMet", "Operator": "QuotaNotMet" }),
            &always,
        ),
        (json!({ "LogicType": "DeviceType", "LeftOperand": "mobile", "Operator": "Is" }), &never),
        (json!({ "LogicType": "DeviceType", "LeftOperand": "mobile", "Operator": "IsNot" }), &always),
        (
            json!({ "LogicType": "GeoIPLocation", "LeftOperand": "country", "Operator": "EqualTo", "RightOperand": "US" }),
            &never,
        ),
        (
            json!({ "LogicType": "Loop", "LeftOperand": "CurrentLoop", "Operator": "EqualTo", "RightOperand": "1" }),
            &never,
        ),
    ] {
        let (condition, imported) = shown(left.clone());
        assert_eq!(condition, *expected, "{left}");
        assert!(codes(&imported).contains(&LossCode::Logic), "{left}: {:?}", report_texts(&imported));
    }
    // A skip may name its number differently from display logic.
    let element = json!({ "Type": "Question", "QuestionID": "Q1", "SkipLogic": [{ "ChoiceLocator": "q://Q1/ChoiceTextEntryValue",
        "Condition": "EqualTo", "Value": "MSIE", "QuestionID": "Q1", "SkipToDestination": "ENDOFSURVEY" }] });
    let blocks = json!([{ "Type": "Standard", "ID": "BL_1", "Description": "Main", "BlockElements": [element, { "Type": "Question", "QuestionID": "Q2" }] }]);
    let skipped = imported(&with_blocks(&[text("Q1"), text("Q2")], blocks, &json!([block("1")])));
    assert_eq!(flow_of(&skipped)[1]["if"], json!({ "answer": "q1", "is": "MSIE" }));
}

#[test]
fn logic_and_pipes_read_columns_of_a_side_by_side_question() {
    let column = |text: &str| json!({ "QuestionText": text, "QuestionType": "Matrix", "Selector": "Likert", "SubSelector": "SingleAnswer", "Answers": choices(&["No", "Yes"]) });
    let whole = question(
        "Q1",
        ["SBS", "SBSMatrix", ""],
        json!({ "Choices": choices(&["Tea", "Rum"]),
        "AdditionalQuestions": { "1": column("Liked"), "2": column("Bought") } }),
    );
    let mut second = text("Q2");
    second["DisplayLogic"] = logic(expression("q://Q1%232/SelectableChoice/2/1", "Selected", ""));
    second["QuestionText"] = json!("You said ${q://Q1%231/ChoiceGroup/SelectedAnswers/1}.");
    let imported = imported(&file(&[whole, second], &json!([block("Q1"), block("Q2")])));
    let last = imported.document.items.last().unwrap();
    assert_eq!(
        serde_json::to_value(&last.logic).unwrap()["show_if"],
        json!({ "answer": "q1_2", "row": 2, "is": "No" })
    );
    assert_eq!(last.question.text, "You said {{answer:q1_1.row1}}.");
}

#[test]
fn pipes_of_all_kinds_are_kept_or_reported() {
    let piped = |pipe: &str| {
        let mut asked = text("Q2");
        asked["QuestionText"] = json!(format!("<{pipe}>").replace('<', "[").replace('>', "]"));
        let imported = imported(&file(&[text("Q1"), asked], &json!([block("Q1"), block("Q2")])));
        (imported.document.items[1].question.text.clone(), imported)
    };
    assert_eq!(piped("${q://Q1/ChoiceTextEntryValue}").0, "[{{answer:q1}}]");
    for pipe in [
        "${rand://int/1:10}",
        "${date://CurrentDate/FL}",
        "${loc://City}",
        "${m://FirstName}",
        "${gr://SC_1/Score}",
        "${l://SurveyURL?d=1}",
        "${qo://QO_1/QuotaCount}",
        "${e://Field/unknown}",
        "${lm://Field/1}",
        "${q://Q1/QuestionText}",
        "${q://Q9/ChoiceTextEntryValue}",
    ] {
        let (text, imported) = piped(pipe);
        assert_eq!(text, "[]", "{pipe}");
        says(&imported, pipe);
    }
}

#[test]
fn flows_of_all_kinds_keep_what_they_lead_to() {
    for (node, words) in [
        (json!({ "Type": "ReferenceSurvey", "ID": "LS_1", "LibraryID": "UR_1" }), Some("a node ReferenceSurvey")),
        (json!({ "Type": "Quota", "Description": "Region" }), Some("a node Quota")),
        (
            json!({ "Type": "WebService", "URL": "https://x.example", "ResponseMap": [{ "key": "random", "value": "Code" }] }),
            Some("which fills random"),
        ),
        (json!({ "Type": "Authenticator", "Flow": [block("Q2")] }), Some("a node Authenticator")),
        (json!({ "Type": "TableOfContents", "Flow": [block("Q2")] }), Some("a node TableOfContents")),
        (json!({ "Type": "Somersault", "Flow": [block("Q2")] }), Some("a node \"Somersault\"")),
        (json!({ "Type": "Group", "Description": "Main", "Flow": [block("Q2")] }), None),
        (
            json!({ "Type": "EndSurvey", "Options": { "EOSRedirectURL": "https://x.example" } }),
            Some("an address or a message"),
        ),
    ] {
        let imported = imported(&file(&[text("Q1"), text("Q2")], &json!([block("Q1"), node])));
        match words {
            Some(words) => says(&imported, words),
            None => assert_eq!(report_texts(&imported), [""; 0]),
        }
        let leads_on = node["Flow"].is_array();
        assert_eq!(imported.document.items.len(), if leads_on { 2 } else { 1 }, "{node}");
    }
    let legacy = json!({ "Type": "Randomizer", "FlowID": "FL_4", "SubSet": 1, "RandomizerOptions": { "Randomization": "Evenly" }, "Flow": [block("Q1"), block("Q2")] });
    let imported = imported(&file(&[text("Q1"), text("Q2")], &json!([legacy])));
    assert_eq!((&flow_of(&imported)[0]["take"], report_texts(&imported)), (&json!(1), vec![]));
}

#[test]
fn a_file_is_read_however_it_is_written() {
    let plain = file(&[choice("Q1", &["Ja", "Größe"])], &json!([block("Q1")]));
    let same = |bytes: &[u8]| assert_eq!(import(bytes).expect("it is read").document, imported(&plain).document);
    same(&[b"\xEF\xBB\xBF".as_slice(), &plain].concat());
    let pretty = serde_json::to_string_pretty(&serde_json::from_slice::<Value>(&plain).unwrap()).unwrap();
    same(pretty.replace('\n', "\r\n").as_bytes());
    let latin: Vec<u8> = String::from_utf8(plain.clone()).unwrap().chars().map(|c| c as u8).collect();
    assert_eq!(import(&latin).unwrap_err(), ImportRefusal::NotUtf8);
    for compressed in [b"\x1F\x8B\x08\x00".as_slice(), b"PK\x03\x04"] {
        assert_eq!(import(compressed).unwrap_err(), ImportRefusal::Compressed);
    }
    let language = |own: &str| {
        let mut asked = text("Q1");
        asked["Language"] = json!({ "EN": { "QuestionText": "What?" } });
        let mut file: Value = serde_json::from_slice(&file(&[asked], &json!([block("Q1")]))).unwrap();
        file["SurveyEntry"]["SurveyLanguage"] = json!(own);
        codes(&imported(&serde_json::to_vec(&file).unwrap()))
    };
    assert_eq!((language("EN"), language("DE")), (vec![], vec![LossCode::Translation]));
}

#[test]
fn names_are_made_legal_and_told() {
    let named = |tag: Value| {
        let mut asked = text("Q1");
        asked["DataExportTag"] = tag;
        let (items, imported) = one(asked);
        (items[0].name().to_owned(), report_texts(&imported))
    };
    assert_eq!(named(json!("1st")), ("Q1st".into(), vec!["1st -> Q1st".into()]));
    assert_eq!(named(json!(7)), ("Q7".into(), vec!["7 -> Q7".into()]));
    assert_eq!(named(Value::Null), ("Q1".into(), vec!["a question without a name -> Q1".into()]));
    let [mut one, mut other] = ["Q1", "Q2"].map(text);
    (one["DataExportTag"], other["DataExportTag"]) = (json!("tag"), json!("tag"));
    let imported = imported(&file(&[one, other], &json!([block("Q1"), block("Q2")])));
    let names: Vec<&str> = imported.document.items.iter().map(Item::name).collect();
    assert_eq!((names, report_texts(&imported)), (vec!["tag", "tag_2"], vec!["tag -> tag_2".to_owned()]));
}
