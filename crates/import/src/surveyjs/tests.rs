//! Tests with surveys of the form that SurveyJS' Creator writes.

use serde_json::{Value, json};
use survey::document::Document;
use survey::plan::Plan;

use crate::{Imported, LossCode, LossSeverity, import};

fn imported(survey: &Value) -> Imported {
    import(&serde_json::to_vec(survey).unwrap()).unwrap()
}

fn question<'d>(document: &'d Value, name: &str) -> &'d Value {
    document["questions"].as_array().unwrap().iter().find(|question| question["name"] == name).unwrap()
}

fn written(document: &Document) -> Value {
    serde_json::to_value(document).unwrap()
}

fn codes(imported: &Imported) -> Vec<(Option<&str>, LossCode)> {
    imported.report.entries().map(|(_, entry)| (entry.qid.as_deref(), entry.code)).collect()
}

#[test]
fn each_element_becomes_a_question_of_its_kind_and_is_read_as_people_would() {
    let survey = json!({ "title": { "default": "Tea", "de": "Tee" }, "elements": [
        { "type": "radiogroup", "name": "city", "title": "Which <b>city</b>?", "choicesOrder": "random",
          "choices": ["Rome", { "value": 2, "text": "Oslo" }], "showOtherItem": true },
        { "type": "checkbox", "name": "teas", "choices": ["black", "green"] },
        { "type": "rating", "name": "like", "rateMax": 7, "minRateDescription": "Not at all" },
        { "type": "boolean", "name": "own" },
        { "type": "text", "name": "age", "inputType": "number", "min": 18 },
        { "type": "comment", "name": "why", "title": "You chose {city}. Why {nothing}? {{a}}" },
        { "type": "matrix", "name": "grid", "columns": ["No", "Yes"], "rows": ["Hot", { "value": "c", "text": "Cold" }] },
        { "type": "ranking", "name": "order", "choices": ["a", "b", "c"] },
        { "type": "html", "name": "note", "html": "<p>Thank you.</p>" },
        { "type": "signaturepad", "name": "sign", "title": "Sign here" }
    ]});
    let found = imported(&survey);
    assert_eq!(found.report.count(LossSeverity::Error), 0, "{:?}", found.report);
    let document = written(&found.document);
    assert_eq!((&document["title"], document.get("flow")), (&json!("Tea"), None));
    let city = question(&document, "city");
    assert_eq!((&city["text"], &city["options"]), (&json!("Which city?"), &json!(["Rome", "Oslo", "Other"])));
    assert_eq!((&city["shuffle"], &city["pin"]), (&json!("all"), &json!(["Other"])));
    let like = question(&document, "like");
    assert_eq!(
        (&like["min_value"], &like["max_value"], &like["min_description"]),
        (&json!(1.0), &json!(7.0), &json!("Not at all"))
    );
    assert_eq!(question(&document, "why")["text"], "You chose {{answer:city}}. Why ? \\{{a}}");
    let grid = question(&document, "grid");
    assert_eq!((&grid["scale_labels"], &grid["sub_questions"]), (&json!(["No", "Yes"]), &json!(["Hot", "Cold"])));
    let kinds: Vec<&Value> =
        document["questions"].as_array().unwrap().iter().map(|question| &question["type"]).collect();
    let expected = [
        "SINGLE_CHOICE",
        "MULTIPLE_CHOICE",
        "RANGE",
        "BOOLEAN",
        "NUMBER",
        "OPENENDED",
        "MATRIX",
        "RANK",
        "INFO",
        "INFO",
    ];
    assert_eq!(kinds, expected);
    let lost = codes(&found);
    for expected in
        [(Some("city"), LossCode::OtherText), (Some("why"), LossCode::Pipe), (Some("sign"), LossCode::UnsupportedType)]
    {
        assert!(lost.contains(&expected), "{expected:?}: {lost:?}");
    }
    assert_eq!((found.report.kept.questions, found.report.kept.asked), (10, 8));
    assert!(Plan::new(&found.document.design, &found.document.items).is_ok());
}

#[test]
fn conditions_become_ours_and_what_has_no_counterpart_is_reported() {
    let shown = |condition: &str| {
        let survey = json!({ "elements": [
            { "type": "radiogroup", "name": "city", "choices": [{ "value": "r", "text": "Rome" }, "Oslo"] },
            { "type": "checkbox", "name": "teas", "choices": ["black", "green"] },
            { "type": "rating", "name": "like" },
            { "type": "boolean", "name": "own" },
            { "type": "comment", "name": "why", "visibleIf": condition }
        ]});
        let found = imported(&survey);
        assert_eq!(found.report.count(LossSeverity::Error), 0, "{condition}: {:?}", found.report);
        let is_lost = codes(&found).contains(&(Some("why"), LossCode::Logic));
        let show_if = question(&written(&found.document), "why").get("show_if").cloned();
        assert_eq!(show_if.is_none(), is_lost, "{condition}");
        show_if
    };
    for (condition, expected) in [
        ("{city} = 'r'", json!({ "answer": "city", "is": "Rome" })),
        ("{city} <> 'Oslo'", json!({ "answer": "city", "is_not": "Oslo" })),
        ("{teas} contains 'green'", json!({ "answer": "teas", "has": "green" })),
        (
            "{teas} anyof ['green', 'black']",
            json!({ "any": [{ "answer": "teas", "has": "green" }, { "answer": "teas", "has": "black" }] }),
        ),
        ("{like} >= 3", json!({ "answer": "like", "ge": 3 })),
        ("{own} = true", json!({ "answer": "own", "is": "Yes" })),
        ("{own} empty", json!({ "not": { "answered": "own" } })),
        (
            "{like} > 3 and ({own} notempty or {city} = 'Oslo') || {like} < 2",
            json!({ "any": [
                { "all": [
                    { "answer": "like", "gt": 3 },
                    { "any": [{ "answered": "own" }, { "answer": "city", "is": "Oslo" }] }
                ] },
                { "answer": "like", "lt": 2 }
            ] }),
        ),
    ] {
        assert_eq!(shown(condition), Some(expected), "{condition}");
    }
    for condition in [
        "{city} = 'Paris'",
        "{like} > 'a'",
        "age({birth}) > 3",
        "{city} = 'r",
        "({like} > 3",
        "{like}",
        "",
        "{nobody} = 1",
    ] {
        assert_eq!(shown(condition), None, "{condition}");
    }
}

#[test]
fn pages_become_blocks_and_conditions_of_panels_hold_for_what_is_in_them() {
    let survey = json!({ "pages": [
        { "name": "one", "elements": [{ "type": "boolean", "name": "ok" }] },
        { "name": "two", "visibleIf": "{ok} = true", "questionsOrder": "random", "elements": [
            { "type": "panel", "name": "p", "visibleIf": "{ok} notempty", "elements": [
                { "type": "comment", "name": "a", "visibleIf": "{ok} = true" }
            ] },
            { "type": "comment", "name": "b" }
        ] }
    ]});
    let document = written(&imported(&survey).document);
    let condition = json!({ "answer": "ok", "is": "Yes" });
    assert_eq!(
        document["flow"],
        json!([
            { "block": "one", "questions": ["ok"] },
            { "if": condition, "then": [{ "block": "two", "questions": ["a", "b"], "order": "random" }] }
        ])
    );
    assert_eq!(question(&document, "a")["show_if"], json!({ "all": [{ "answered": "ok" }, condition] }));
}

#[test]
fn what_people_saw_beside_the_question_is_kept_or_reported() {
    let survey = json!({ "description": "About drinks", "elements": [
        { "type": "panel", "title": "Hot drinks", "elements": [
            { "type": "checkbox", "name": "teas", "title": "Which?", "description": "Two at most.", "maxSelectedChoices": 2,
              "choices": ["black", { "value": "g", "text": "green", "visibleIf": "{own} = true" }],
              "showRefuseItem": true, "showDontKnowItem": true, "dontKnowText": "No idea", "choicesOrder": "desc" }
        ] },
        { "type": "boolean", "name": "own", "labelTrue": "Indeed", "visible": false },
        { "type": "rating", "name": "like", "rateCount": 10, "rateMin": 0 },
        { "type": "matrix", "name": "grid", "columns": ["No", "Yes"],
          "rows": ["Hot", { "value": "c", "text": "Cold", "visibleIf": "{like} > 3" }], "title": { "default": "Grid", "de": "Gitter" } }
    ]});
    let mut survey = survey;
    // Reading a question before it is asked would be an error.
    survey["elements"].as_array_mut().unwrap().rotate_left(1);
    let found = imported(&survey);
    assert_eq!(found.report.count(LossSeverity::Error), 0, "{:?}", found.report);
    let document = written(&found.document);
    let teas = question(&document, "teas");
    assert_eq!(teas["text"], "Which?\nTwo at most.");
    assert_eq!(teas["options"], json!(["black", "green", "Refuse to answer", "No idea"]));
    assert_eq!(teas["option_if"], json!({ "green": { "answer": "own", "is": "Yes" } }));
    assert_eq!(question(&document, "own")["show_if"], json!({ "any": [] }));
    let like = question(&document, "like");
    assert_eq!((&like["min_value"], &like["max_value"]), (&json!(0.0), &json!(9.0)));
    assert_eq!(question(&document, "grid")["option_if"], json!({ "Cold": { "answer": "like", "gt": 3 } }));
    let lost = codes(&found);
    for expected in [
        (None, LossCode::EmptyText),
        (None, LossCode::Translation),
        (Some("teas"), LossCode::Validation),
        (Some("teas"), LossCode::Order),
        (Some("own"), LossCode::Codes),
        (Some("own"), LossCode::NeverShown),
    ] {
        assert!(lost.contains(&expected), "{expected:?}: {lost:?}");
    }
    let around: Vec<&str> = found
        .report
        .lost
        .iter()
        .filter(|entry| entry.code == LossCode::EmptyText)
        .map(|entry| entry.was.as_str())
        .collect();
    assert_eq!(around, ["a text around questions: About drinks", "a text around questions: Hot drinks"]);
}

#[test]
fn what_cannot_be_asked_is_an_error_with_its_place() {
    let survey = json!({ "elements": [{ "type": "radiogroup", "name": "twice", "choices": ["a", "a"] }] });
    let found = imported(&survey);
    let errors: Vec<_> = found.report.entries().filter(|(_, entry)| entry.severity == LossSeverity::Error).collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!(errors[0].1.name.as_deref(), Some("twice"));
}

/// An import always ends with a survey or a refusal.
#[test]
fn no_survey_breaks_the_importer() {
    let strange = [
        json!(null),
        json!(7),
        json!("x"),
        json!([[]]),
        json!({ "type": 3 }),
        json!([{ "type": "panel", "elements": 3 }]),
    ];
    for value in strange {
        for survey in [
            json!({ "elements": value }),
            json!({ "pages": value }),
            json!({ "pages": [value] }),
            json!({ "elements": [value] }),
        ] {
            let _ = import(&serde_json::to_vec(&survey).unwrap());
        }
        for field in ["title", "choices", "rows", "visibleIf", "html", "name", "rateMin"] {
            for kind in ["radiogroup", "matrix", "rating", "html", "comment"] {
                let mut element = json!({ "type": kind, "name": "a", "choices": ["x", "y"], "columns": ["x", "y"] });
                element[field] = value.clone();
                imported(&json!({ "elements": [element] }));
            }
        }
    }
}

#[test]
fn options_that_are_chosen_alone_exclude_the_others_of_several() {
    let of = |kind: &str| {
        let survey = json!({ "elements": [{ "type": kind, "name": "drinks", "showNoneItem": true, "showDontKnowItem": true,
            "choices": ["Tea", { "value": "w", "text": "Water only", "isExclusive": true }] }] });
        let imported = import(survey.to_string().as_bytes()).unwrap();
        imported.document.items[0].logic.exclusive.clone()
    };
    assert_eq!(of("checkbox"), Some(vec!["None".into(), "Don't know".into(), "Water only".into()]));
    assert_eq!(of("radiogroup"), None);
}

/// Unusual parts of other people's files are kept or reported.
#[test]
fn images_kinds_of_text_limits_and_what_is_hidden_are_reported() {
    let survey = json!({ "maxTimeToFinish": 60, "pages": [
        { "name": "one", "questions": [{ "type": "boolean", "name": "old" }] },
        { "name": "two", "visible": false, "elements": [{ "type": "boolean", "name": "of_page" }] },
        { "name": "three", "elements": [
            { "type": "panel", "name": "p", "visible": false, "elements": [{ "type": "boolean", "name": "of_panel" }] },
            { "type": "image", "name": "picture", "imageLink": "https://x.example/a/bottle.png?w=1" },
            { "type": "text", "name": "born", "inputType": "date", "defaultValue": "2000-01-01" },
            { "type": "text", "name": "count", "inputType": "number", "minValueExpression": "{born}" }] }
    ]});
    let found = imported(&survey);
    let document = written(&found.document);
    assert_eq!(question(&document, "old")["type"], "BOOLEAN");
    for hidden in ["of_page", "of_panel"] {
        assert_eq!(question(&document, hidden)["show_if"], json!({ "any": [] }), "{hidden}");
    }
    assert_eq!(question(&document, "picture")["text"], "[image: bottle.png]");
    let lost = codes(&found);
    for expected in [
        (None, LossCode::Timing),
        (Some("of_page"), LossCode::NeverShown),
        (Some("of_panel"), LossCode::NeverShown),
        (Some("picture"), LossCode::Image),
        (Some("born"), LossCode::Validation),
        (Some("born"), LossCode::DefaultAnswer),
        (Some("count"), LossCode::Logic),
    ] {
        assert!(lost.contains(&expected), "{expected:?}: {lost:?}");
    }
}
