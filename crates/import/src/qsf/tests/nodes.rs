use serde_json::json;

use survey::flow::{Node, Order};

use super::*;
use crate::ImportRefusal;

fn logic(expressions: &[Value]) -> Value {
    let mut group = json!({ "Type": "If" });
    for (place, expression) in expressions.iter().enumerate() {
        group[place.to_string()] = expression.clone();
    }
    json!({ "0": group, "Type": "BooleanExpression" })
}

fn selected(locator: &str, operator: &str) -> Value {
    json!({ "LogicType": "Question", "LeftOperand": locator, "ChoiceLocator": locator, "Operator": operator, "Type": "Expression" })
}

fn compared(left: &str, operator: &str, right: &str) -> Value {
    let kind = if left.starts_with("q://") { "Question" } else { "EmbeddedField" };
    json!({ "LogicType": kind, "LeftOperand": left, "Operator": operator, "RightOperand": right, "Type": "Expression" })
}

fn joined(mut expression: Value, word: &str) -> Value {
    expression["Conjuction"] = json!(word);
    expression
}

fn set(fields: &[(&str, &str)]) -> Value {
    let fields = fields.iter().map(|(field, value)| json!({ "Field": field, "Value": value, "Type": "Custom" }));
    json!({ "Type": "EmbeddedData", "FlowID": "FL_9", "EmbeddedData": fields.collect::<Vec<_>>() })
}

/// Imports two questions and returns the condition of the second. The first is a choice of three.
fn shown_by(expressions: &[Value]) -> (Value, Imported) {
    let mut second = text("Q2");
    second["DisplayLogic"] = logic(expressions);
    let first = choice("Q1", &["Red", "Blue", "Green"]);
    let imported = imported(&file(&[first, second], &json!([set(&[("arm", "x")]), block("Q1"), block("Q2")])));
    let shown = serde_json::to_value(&imported.document.items[1].logic.show_if).unwrap();
    (shown, imported)
}

#[test]
fn every_operator_becomes_a_condition() {
    let red = "q://Q1/SelectableChoice/1";
    for (expression, expected) in [
        (selected(red, "Selected"), json!({ "answer": "q1", "is": "Red" })),
        (selected(red, "NotSelected"), json!({ "answer": "q1", "is_not": "Red" })),
        (selected("q://Q1/QuestionDisplayed", "Displayed"), json!({ "answered": "q1" })),
        (compared("arm", "EqualTo", "x"), json!({ "field": "arm", "is": "x" })),
        (compared("arm", "NotEqualTo", "x"), json!({ "field": "arm", "is_not": "x" })),
        (compared("arm", "GreaterThan", "3"), json!({ "field": "arm", "gt": 3 })),
        (compared("arm", "Contains", "x"), json!({ "field": "arm", "contains": "x" })),
        (compared("arm", "DoesNotContain", "x"), json!({ "not": { "field": "arm", "contains": "x" } })),
        (compared("arm", "MatchesRegex", "/^X/i"), json!({ "field": "arm", "matches": "(?i)^X" })),
        (compared("arm", "Empty", ""), json!({ "not": { "field": "arm", "matches": "." } })),
        (compared("arm", "NotEmpty", ""), json!({ "field": "arm", "matches": "." })),
    ] {
        let (shown, imported) = shown_by(std::slice::from_ref(&expression));
        assert_eq!(shown, expected, "{expression}");
        assert_eq!(codes(&imported), [], "{expression}");
    }
}

#[test]
fn what_cannot_be_decided_is_constant_and_reported() {
    let (never, always) = (json!({ "any": [] }), json!({ "all": [] }));
    for (expression, expected, code) in [
        (json!({ "LogicType": "GeoIPLocation", "Operator": "EqualTo", "Type": "Expression" }), &never, LossCode::Logic),
        (json!({ "LogicType": "Quota", "Operator": "Unknown", "Type": "Expression" }), &never, LossCode::Logic),
        (selected("q://Q9/SelectableChoice/1", "Selected"), &never, LossCode::Logic),
        (selected("q://Q9/SelectableChoice/1", "NotSelected"), &always, LossCode::Logic),
        (selected("q://Q1/SelectableChoice/7", "Selected"), &never, LossCode::Logic),
        (compared("q://Q1/ChoiceTextEntryValue/3", "Contains", "x"), &never, LossCode::Logic),
        (compared("arm", "MatchesRegex", "("), &never, LossCode::Logic),
        (compared("arm", "LessThan", "few"), &never, LossCode::Logic),
        (compared("panel", "EqualTo", "x"), &never, LossCode::UnsetField),
        (compared("panel", "NotEqualTo", "x"), &always, LossCode::UnsetField),
    ] {
        let (shown, imported) = shown_by(std::slice::from_ref(&expression));
        assert_eq!(shown, *expected, "{expression}");
        assert_eq!(codes(&imported), [code], "{expression}");
    }
}

/// Real files have the spelling "Conjuction".
#[test]
fn expressions_are_joined_as_the_file_says() {
    let red = || selected("q://Q1/SelectableChoice/1", "Selected");
    let x = || compared("arm", "EqualTo", "x");
    let (is_red, is_x) = (json!({ "answer": "q1", "is": "Red" }), json!({ "field": "arm", "is": "x" }));
    assert_eq!(shown_by(&[red(), joined(x(), "Or")]).0, json!({ "any": [is_red, is_x] }));
    assert_eq!(shown_by(&[red(), joined(x(), "And")]).0, json!({ "all": [is_red, is_x] }));
    assert_eq!(
        shown_by(&[red(), joined(x(), "And"), joined(red(), "Or")]).0,
        json!({ "any": [{ "all": [is_red, is_x] }, is_red] })
    );
    let mut second = text("Q2");
    let groups = |word: &str| {
        let mut both = logic(&[red()]);
        both["1"] = json!({ "0": x(), "Type": word });
        both
    };
    for (word, expected) in [
        ("AndIf", json!({ "all": [is_red, is_x] })),
        ("OrIf", json!({ "any": [is_red, is_x] })),
        ("ElseIf", json!({ "any": [is_red, is_x] })),
    ] {
        second["DisplayLogic"] = groups(word);
        let questions = [choice("Q1", &["Red", "Blue"]), second.clone()];
        let imported = imported(&file(&questions, &json!([set(&[("arm", "x")]), block("Q1"), block("Q2")])));
        assert_eq!(serde_json::to_value(&imported.document.items[1].logic.show_if).unwrap(), expected, "{word}");
    }
}

#[test]
fn matrix_cells_and_choices_have_logic_of_their_own() {
    let rest = json!({ "Choices": choices(&["r", "s"]), "Answers": choices(&["low", "high"]) });
    let matrix = question("Q1", ["Matrix", "Likert", "SingleAnswer"], rest);
    let mut second = choice("Q2", &["a", "b"]);
    second["Choices"]["2"]["DisplayLogic"] = logic(&[selected("q://Q1/SelectableChoice/2/1", "Selected")]);
    second["DisplayLogic"] = logic(&[selected("q://Q1/SelectableAnswer/2", "Selected")]);
    let imported = imported(&file(&[matrix, second], &json!([block("Q1"), block("Q2")])));
    let logic = serde_json::to_value(&imported.document.items[1].logic).unwrap();
    assert_eq!(logic["option_if"], json!({ "b": { "answer": "q1", "row": 2, "is": "low" } }));
    let any = json!([{ "answer": "q1", "row": 1, "is": "high" }, { "answer": "q1", "row": 2, "is": "high" }]);
    assert_eq!(logic["show_if"], json!({ "any": any }));
}

#[test]
fn arms_that_set_texts_have_short_names_of_their_own_and_a_description_goes_before() {
    let story = "Dylan's eyes snapped open. He turned to his alarm clock. 8:12 a.m. He stared at";
    let mut described = set(&[("story", story)]);
    described["Description"] = json!("Late");
    let texts =
        [set(&[("story", &format!("{story} it."))]), set(&[("story", &format!("{story} the wall."))]), described];
    let flow = json!([{ "Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": "1", "Flow": texts }, block("Q1")]);
    let imported = imported(&file(&[text("Q1")], &flow));
    let arms = flow_of(&imported)[0]["of"].as_array().expect("arms").clone();
    let names: Vec<&Value> = arms.iter().map(|arm| &arm["arm"]).collect();
    let name = "Dylan's eyes snapped open. He turned to…";
    assert_eq!(names, [name, &format!("{name} (2)"), "Late"]);
}

#[test]
fn arms_without_a_description_are_called_by_what_is_in_them_and_otherwise_by_their_id() {
    let group =
        |id: &str, flow: Value| json!({ "Type": "Group", "Description": "Untitled Group", "FlowID": id, "Flow": flow });
    let names = |arms: Value| {
        let questions = [text("Q1"), text("Q2"), text("Q3")];
        let random = json!({ "Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": "1", "Flow": arms });
        let flow = flow_of(&imported(&file(&questions, &json!([random, block("Q3")]))));
        let arms = flow[0]["of"].as_array().expect("arms").iter();
        arms.map(|arm| arm["arm"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let end = || json!({ "Type": "EndSurvey" });
    assert_eq!(
        names(json!([
            group("FL_5", json!([set(&[("drawn", "${rand://int/1:9}")]), group("FL_6", json!([block("Q1")]))])),
            group("FL_7", json!([block("Q2"), set(&[("fee", "none")])])),
            group("FL_8", json!([end()])),
        ])),
        ["Block Q1", "Block Q2", "FL_8"]
    );
    // Texts that all arms share do not distinguish them.
    let same = |text: &str| {
        let mut fee = set(&[("fee", text)]);
        fee["Description"] = json!("Fee");
        group("FL_9", json!([fee]))
    };
    assert_eq!(
        names(json!([same("a resort fee that is charged on top of the price"), same("${e://Field/a}")])),
        ["a resort fee that is charged on top of…", "Fee"]
    );
}

#[test]
fn an_order_of_all_elements_is_random_and_the_report_says_how_it_becomes_balanced() {
    let reported = |size: usize, arms: usize| {
        let questions: Vec<Value> = (1..=arms).map(|n| text(&format!("Q{n}"))).collect();
        let blocks: Vec<Value> = (1..=arms).map(|n| block(&format!("Q{n}"))).collect();
        let node = json!({ "Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": size, "EvenPresentation": true, "Flow": blocks });
        let imported = imported(&file(&questions, &json!([node])));
        assert_eq!(flow_of(&imported)[0]["order"], "random");
        imported.report.changed.into_iter().filter(|entry| entry.code == LossCode::RandomOrder).collect::<Vec<_>>()
    };
    let [entry] = <[_; 1]>::try_from(reported(3, 3)).expect("one entry");
    assert_eq!((entry.name.as_deref(), entry.severity), (Some("FL_4"), LossSeverity::Note));
    assert_eq!(entry.was, "all elements, in random order");
    assert_eq!(
        entry.now,
        "the same, as the file has it; for orders that are balanced over twins choose \"Balanced orders (Latin square)\" \
         in the flow, or write \"order\": \"latin\" into the survey's file"
    );
    assert_eq!(reported(10, 10).len(), 1);
    assert_eq!(reported(11, 11), [], "a Latin square has ten at most");
    assert_eq!(reported(2, 3), [], "what is drawn is dealt evenly");
}

#[test]
fn randomisers_branches_fields_and_ends_become_nodes() {
    let questions = [choice("Q1", &["Yes", "No"]), text("Q2"), text("Q3")];
    let flow = json!([
        { "Type": "EmbeddedData", "EmbeddedData": [{ "Field": "PROLIFIC_PID", "Type": "Recipient" }] },
        block("Q1"),
        { "Type": "Branch", "FlowID": "FL_3", "BranchLogic": logic(&[selected("q://Q1/SelectableChoice/2", "Selected")]),
          "Flow": [{ "Type": "EndSurvey" }] },
        { "Type": "BlockRandomizer", "FlowID": "FL_4", "SubSet": "1", "EvenPresentation": true, "Flow": [
            set(&[("my group", "a"), ("both", "${e://Field/my%20group}"), ("my group", "b")]),
            { "Type": "Group", "Description": "Untitled Group", "FlowID": "FL_6", "Flow": [set(&[("my group", "c")])] }] },
        { "Type": "BlockRandomizer", "FlowID": "FL_7", "SubSet": 2, "Flow": [block("Q2"), block("Q3")] },
        { "Type": "WebService", "URL": "https://example.org" },
        { "Type": "EndSurvey" }]);
    let imported = imported(&file(&questions, &flow));
    assert_eq!(
        flow_of(&imported),
        json!([
        { "block": "Block Q1", "questions": ["q1"] },
        { "if": { "answer": "q1", "is": "No" }, "then": [{ "end": "screened_out" }] },
        { "random": "FL_4", "import_id": "FL_4", "take": 1, "order": "random", "of": [
            { "arm": "b", "import_id": "FL_9", "flow": [{ "set": { "my_group": "a" } }, { "set": { "both": "{{field:my_group}}", "my_group": "b" } }] },
            { "arm": "c", "import_id": "FL_6", "flow": [{ "set": { "my_group": "c" } }] }] },
        { "random": "FL_7", "import_id": "FL_7", "take": 2, "order": "random", "of": [
            { "arm": "Block Q2", "import_id": "FL_Q2", "import_name": "Block Q2", "flow": [{ "block": "Block Q2", "questions": ["q2"] }] },
            { "arm": "Block Q3", "import_id": "FL_Q3", "import_name": "Block Q3", "flow": [{ "block": "Block Q3", "questions": ["q3"] }] }] },
        { "end": "complete" }])
    );
    assert_eq!(
        codes(&imported),
        [LossCode::Name, LossCode::EndOfSurvey, LossCode::RandomOrder, LossCode::Flow, LossCode::EmptyField]
    );
}

#[test]
fn pipes_become_this_products() {
    let questions = |html: &str| {
        let mut second = text("Q2");
        second["QuestionText"] = json!(html);
        let rest = json!({ "Choices": choices(&["r", "s"]), "Answers": choices(&["l", "h"]) });
        [choice("Q1", &["Red", "Blue"]), second, question("Q3", ["Matrix", "Likert", "SingleAnswer"], rest)]
    };
    let piped = |html: &str| {
        let flow = json!([set(&[("fee", "3")]), block("Q1"), block("Q3"), block("Q2")]);
        let imported = imported(&file(&questions(html), &flow));
        let item = imported.document.items.iter().find(|item| item.name() == "q2").unwrap();
        (item.question.text.clone(), codes(&imported))
    };
    for (html, expected, lost) in [
        ("A ${e://Field/fee}.", "A {{field:fee}}.", vec![]),
        ("A ${e://Field/none}.", "A .", vec![LossCode::UnsetField]),
        ("A ${q://Q1/ChoiceGroup/SelectedChoices}.", "A {{answer:q1}}.", vec![]),
        ("A ${q://Q3/ChoiceGroup/SelectedAnswers/2}.", "A {{answer:q3.row2}}.", vec![]),
        ("A ${q://Q3/ChoiceGroup/SelectedAnswers}.", "A .", vec![LossCode::Pipe]),
        ("A ${q://Q1/ChoiceTextEntryValue/2}.", "A .", vec![LossCode::Pipe]),
        ("A ${q://Q7/ChoiceGroup/SelectedChoices}.", "A .", vec![LossCode::Pipe]),
        ("A ${lm://Field/1}${rand://int/1:9}.", "A .", vec![LossCode::Pipe, LossCode::Pipe]),
        ("A ${unclosed and $ and {{x}}.", "A ${unclosed and $ and \\{{x}}.", vec![]),
    ] {
        assert_eq!(piped(html), (expected.to_owned(), lost), "{html}");
    }
}

fn one_block(elements: Value, options: Value) -> Value {
    json!([{ "Type": "Standard", "ID": "BL_1", "Description": "Main", "BlockElements": elements, "Options": options }])
}

#[test]
fn a_block_keeps_its_order_its_loop_and_its_skips() {
    let asked = |id: &str| json!({ "Type": "Question", "QuestionID": id });
    let questions = [
        choice("Q1", &["Yes", "No"]),
        text("Q2"),
        text("Q3"),
        question("Q4", ["TE", "SL", ""], json!({ "QuestionText": "${lm://Field/2} ${lm://CurrentLoopNumber}" })),
    ];
    let flow = json!([block("1")]);
    let all = json!([asked("Q1"), asked("Q2"), asked("Q3")]);
    let advanced = json!({ "RandomizeQuestions": "Advanced", "Randomization": { "Advanced": { "FixedOrder": ["Q1", "{~Randomized~}"] } } });
    let shuffled = imported(&with_blocks(&questions[..3], one_block(all, advanced), &flow));
    assert_eq!(
        flow_of(&shuffled),
        json!([{ "block": "Main", "questions": ["q1", "q2", "q3"], "order": "random", "pin": ["q1"] }])
    );

    let looping = json!({ "Looping": "Static", "LoopingOptions": { "Randomization": "All", "Static": { "1": { "1": "TikTok", "2": "a" }, "2": { "1": "Netflix", "2": "b" } } } });
    let looped = imported(&with_blocks(&questions[3..], one_block(json!([asked("Q4")]), looping), &flow));
    assert_eq!(
        flow_of(&looped),
        json!([{ "loop": "Main", "order": "random", "flow": [{ "block": "Main", "questions": ["q4"] }] }])
    );
    assert_eq!(looped.document.items[0].question.text, "{{loop:field_2}} {{loop:_number}}");
    assert_eq!(looped.document.design.tables["Main"].rows, [["TikTok", "a"], ["Netflix", "b"]]);

    let skip = |to: &str| {
        let rule =
            json!({ "ChoiceLocator": "q://Q1/SelectableChoice/2", "Condition": "Selected", "SkipToDestination": to });
        let first = json!({ "Type": "Question", "QuestionID": "Q1", "SkipLogic": [rule] });
        let imported = imported(&with_blocks(
            &questions[..3],
            one_block(json!([first, asked("Q2"), asked("Q3")]), json!({})),
            &flow,
        ));
        flow_of(&imported)
    };
    let no = json!({ "answer": "q1", "is": "No" });
    let first = json!({ "block": "Main", "questions": ["q1"] });
    assert_eq!(
        skip("ENDOFSURVEY"),
        json!([first, { "if": no, "then": [{ "end": "screened_out" }] }, { "block": "Main (3)", "questions": ["q2", "q3"] }])
    );
    assert_eq!(
        skip("ENDOFBLOCK"),
        json!([first, { "if": { "not": no }, "then": [{ "block": "Main (2)", "questions": ["q2", "q3"] }] }])
    );
    assert_eq!(
        skip("Q3"),
        json!([first, { "if": { "not": no }, "then": [{ "block": "Main (2)", "questions": ["q2"] }] }, { "block": "Main (3)", "questions": ["q3"] }])
    );
}

#[test]
fn blocks_that_nobody_sees_are_dropped_and_doubled_names_are_numbered() {
    let mut doubled = text("Q2");
    doubled["DataExportTag"] = json!(" Q1 ");
    let blocks = json!({ "0": { "Type": "Default", "ID": "BL_1", "Description": "Main", "BlockElements": { "1": { "Type": "Question", "QuestionID": "Q1" }, "2": { "Type": "Question", "QuestionID": "Q2" } } },
        "1": { "Type": "Trash", "ID": "BL_2", "Description": "Trash", "BlockElements": [{ "Type": "Question", "QuestionID": "Q3" }] },
        "2": { "Type": "Standard", "ID": "BL_3", "Description": "Old", "BlockElements": [{ "Type": "Question", "QuestionID": "Q4" }] } });
    let imported = imported(&with_blocks(&[text("Q1"), doubled, text("Q3"), text("Q4")], blocks, &json!([block("1")])));
    let names: Vec<&str> = imported.document.items.iter().map(Item::name).collect();
    assert_eq!(names, ["q1", "Q1_2"]);
    assert_eq!(codes(&imported), [LossCode::Name, LossCode::Trash, LossCode::Unreferenced]);
    let kept = imported.report.kept;
    assert_eq!((kept.questions, kept.live, kept.asked), (4, 2, 2));
}

/// A design that cannot be run is an error of the import, with the question's name.
#[test]
fn a_design_that_cannot_be_run_is_a_draft() {
    let mut first = text("Q1");
    first["QuestionText"] = json!("${q://Q2/ChoiceTextEntryValue}");
    let imported = imported(&file(&[first, text("Q2")], &json!([block("Q1"), block("Q2")])));
    let entry = imported.report.lost.last().unwrap();
    assert_eq!(
        (entry.code, entry.severity, entry.name.as_deref()),
        (LossCode::Design, LossSeverity::Error, Some("q1"))
    );
}

#[test]
fn what_is_no_qsf_file_is_refused() {
    for (bytes, expected) in [
        (b"[]".to_vec(), ImportRefusal::NotKnown),
        (b"{\"SurveyEntry\": {}}".to_vec(), ImportRefusal::NotKnown),
        (b"\xff".to_vec(), ImportRefusal::NotUtf8),
        (vec![b' '; 10 * 1024 * 1024 + 1], ImportRefusal::TooLarge),
        (with_blocks(&vec![text("Q1"); 2_001], json!([]), &json!([])), ImportRefusal::TooManyQuestions(2_000)),
        (file(&[], &json!(vec![json!({ "Type": "EndSurvey" }); 10_000])), ImportRefusal::TooManyNodes(10_000)),
        (file(&[choice("Q1", &["a"; 2_001])], &json!([])), ImportRefusal::TooManyChoices("Q1".into(), 2_000)),
    ] {
        assert_eq!(import(&bytes).unwrap_err(), expected);
    }
    assert!(matches!(import(b"{").unwrap_err(), ImportRefusal::NotJson(_)));
    let deep = format!("{{\"SurveyEntry\": {}", "[".repeat(100_000));
    assert!(matches!(import(deep.as_bytes()).unwrap_err(), ImportRefusal::NotJson(_)));
    let marked = [b"\xEF\xBB\xBF".to_vec(), file(&[text("Q1")], &json!([block("Q1")]))].concat();
    assert_eq!(imported(&marked).document.items.len(), 1);
}

#[test]
fn a_loop_as_long_as_a_field_says_for_everybody_draws_from_all_its_rows() {
    let mut number = text("Q1");
    number["DefaultChoices"] = json!({ "TEXT": { "Text": "${e://Field/answer}" } });
    let asked = |id: &str| json!([{ "Type": "Question", "QuestionID": id }]);
    let looped = |fields: Value| {
        let options = json!({ "Looping": "Question", "LoopingOptions": {
            "QID": "Q1", "Locator": "q://Q1/LoopAndMerge/MergeOnNumericResponse?v=200", "Static": { "7": { "1": "An idea" } },
            "Randomization": { "Type": "All", "TotalRandSubset": "20" } } });
        let mut idea = text("Q2");
        idea["QuestionText"] = json!("How good is ${lm://Field/1}?");
        let blocks = json!([{ "Type": "Default", "ID": "BL_1", "Description": "First", "BlockElements": asked("Q1") },
            { "Type": "Standard", "ID": "BL_2", "Description": "Ideas", "BlockElements": asked("Q2"), "Options": options }]);
        imported(&with_blocks(&[number.clone(), idea], blocks, &json!([fields, block("1"), block("2")])))
    };
    let imported = looped(set(&[("answer", "200")]));
    let Some(Node::Loop(turns)) = imported.document.design.flow.last() else {
        panic!("{:?}", imported.document.design)
    };
    let table = &imported.document.design.tables["Ideas"];
    assert_eq!((turns.take, turns.order, table.rows.len()), (Some(20), Some(Order::Random), 200));
    assert_eq!((table.rows[6][0].as_str(), table.row_ids.as_ref().unwrap()[6].as_str()), ("An idea", "7"));
    let names: Vec<&str> = imported.document.items.iter().map(Item::name).collect();
    assert_eq!(names, ["q2"], "nobody is asked how many");
    assert_eq!(imported.report.count(LossSeverity::Warning), 0, "{:?}", imported.report);
    // A field that differs between people is no constant.
    let differs =
        json!({ "Type": "Group", "FlowID": "FL_2", "Flow": [set(&[("answer", "200")]), set(&[("answer", "10")])] });
    assert_eq!(looped(differs).document.items.len(), 2);
}
