use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn read(payload: Value) -> Result<Question, Invalid> {
    serde_json::from_value::<QuestionPayload>(payload).unwrap().validate()
}

/// Returns the refusal as `field: message`.
fn refusal(payload: Value) -> String {
    read(payload).unwrap_err().to_string()
}

fn range(min: Value, max: Value) -> Value {
    json!({ "text": "How much?", "type": "RANGE", "min_value": min, "max_value": max,
        "min_description": "none", "max_description": "all" })
}

#[test]
fn every_spelling_of_a_field_is_read() {
    let snake = json!({
        "text": "Rate", "type": "matrix", "required": false,
        "scale_labels": ["Low", "High"], "sub_questions": ["Taste", "Price"],
    });
    let camel = json!({
        "title": " Rate ", "questionType": "MATRIX", "required": false, "unknown": 1,
        "scaleLabels": [{ "title": "Low" }, { "text": "High" }], "subQuestions": ["Taste", { "title": "Price" }],
    });
    let snake = read(snake).unwrap();
    assert_eq!(snake, read(camel).unwrap());
    assert!(!snake.required);
    let scale = json!({ "text": "How far?", "question_type": "Slider", "minValue": 0, "maxValue": "2.5",
        "minDescription": "near", "max_description": "far" });
    let scale = read(scale).unwrap();
    assert_eq!((scale.min_value, scale.max_value), (Some(0.0), Some(2.5)));
    assert_eq!(scale.max_description.as_deref(), Some("far"));
    assert!(scale.required);
    let choice = json!({ "text": "Which?", "type": "single_choice", "Option": ["a", "b"], "options": null });
    assert_eq!(read(choice).unwrap().options, ["a", "b"]);
}

#[test]
fn a_question_that_the_api_gave_is_read_back() {
    let question = range(0.into(), 10.into());
    let sent = serde_json::to_value(read(question).unwrap().at(7, 1)).unwrap();
    assert_eq!(read(sent.clone()).unwrap().at(7, 1), serde_json::from_value(sent).unwrap());
}

#[test]
fn every_type_is_known_in_any_case() {
    for known in QuestionType::ALL {
        let name = known.name();
        assert_eq!(serde_json::to_value(known).unwrap(), name);
        for spelling in [name.to_owned(), name.to_lowercase(), name.replace('_', " "), name.replace('_', "-")] {
            assert_eq!(QuestionType::parse(&spelling), Some(known), "{spelling}");
        }
    }
    assert_eq!(QuestionType::parse("essay"), None);
}

#[test]
fn refusals_carry_the_spec_s_words() {
    let choice = |options: Value| json!({ "text": "Which?", "type": "MULTIPLE_CHOICE", "options": options });
    let few = "Choice questions must have at least 2 non-empty options";
    assert_eq!(refusal(json!({ "text": " \n", "type": "BOOLEAN" })), "text: Question text is required");
    assert_eq!(refusal(choice(json!([]))), format!("options: {few}"));
    assert_eq!(refusal(choice(json!(["a"]))), format!("options: {few}"));
    assert_eq!(refusal(choice(json!(["a", " ", "c"]))), format!("options[1]: {few}"));
    let both = "Range questions must have both minimum and maximum values";
    assert_eq!(refusal(range(Value::Null, 1.into())), format!("min_value: {both}"));
    assert_eq!(refusal(range(0.into(), "".into())), format!("max_value: {both}"));
    let order = "min_value: Minimum value must be less than maximum value";
    assert_eq!(refusal(range(1.into(), 1.into())), order);
    assert_eq!(refusal(range(2.into(), 1.into())), order);
    let mut undescribed = range(0.into(), 1.into());
    undescribed["max_description"] = " ".into();
    let described = "Range questions must have descriptions for both minimum and maximum values";
    assert_eq!(refusal(undescribed), format!("max_description: {described}"));
}

#[test]
fn refusals_beyond_the_spec_name_the_field_and_the_place() {
    assert!(refusal(json!({ "text": "?", "type": "ESSAY" })).starts_with("type: unknown question type \"ESSAY\""));
    assert_eq!(refusal(json!({ "text": "?" })), "type: Question type is required");
    assert_eq!(refusal(json!({ "text": 5, "type": "BOOLEAN" })), "text: must be a text");
    assert_eq!(
        refusal(json!({ "text": "?", "type": "SINGLE_CHOICE", "options": ["a", "b", " a"] })),
        "options[2]: \"a\" is listed twice"
    );
    assert_eq!(
        refusal(json!({ "text": "?", "type": "SINGLE_CHOICE", "options": ["a", 7] })),
        "options[1]: must be a text, or an object with a title or text"
    );
    assert_eq!(
        refusal(json!({ "text": "?", "type": "MATRIX", "scaleLabels": ["one"] })),
        "scaleLabels: Matrix questions must have at least 2 non-empty scale labels"
    );
    assert_eq!(
        refusal(json!({ "text": "?", "type": "MATRIX", "scale_labels": ["a", "b"], "sub_questions": ["x", "x"] })),
        "sub_questions[1]: \"x\" is listed twice"
    );
    for (item, field) in [("a | b", "options"), ("a |", "options"), ("| a", "scale_labels")] {
        let kind = if field == "options" { "MULTIPLE_CHOICE" } else { "MATRIX" };
        assert_eq!(
            refusal(json!({ "text": "?", "type": kind, field: ["x", item] })),
            format!("{field}[1]: must not hold \" | \", which separates answers")
        );
    }
    assert_eq!(refusal(range("NaN".into(), 1.into())), "min_value: must be a finite number");
    assert_eq!(refusal(range(0.into(), "1e999".into())), "max_value: must be a finite number");
    assert_eq!(refusal(range(true.into(), 1.into())), "min_value: must be a finite number");
    assert_eq!(refusal(json!({ "text": "?", "type": "BOOLEAN", "required": "x" })), "required: must be true or false");
    let slider = refusal(json!({ "text": "?", "type": "SLIDER", "min_value": 1 }));
    assert_eq!(slider, "max_value: Slider questions must have both minimum and maximum values");
}

#[test]
fn nul_characters_are_refused_wherever_they_stand() {
    assert_eq!(refusal(json!({ "text": "a\0b", "type": "BOOLEAN" })), "text: contains a NUL character");
    let options = json!({ "text": "?", "type": "SINGLE_CHOICE", "options": ["a", "\0"] });
    assert_eq!(refusal(options), "options[1]: contains a NUL character");
    let hint = json!({ "text": "?", "type": "TEXT_ENTRY", "placeholder": "\0" });
    assert_eq!(refusal(hint), "placeholder: contains a NUL character");
}

#[test]
fn long_emoji_and_right_to_left_texts_are_questions() {
    let of = |text: String| read(json!({ "text": text, "type": "OPENENDED" }));
    assert_eq!(of("\u{1F600}".repeat(10_000)).unwrap().text.chars().count(), 10_000);
    let too_long = "text: has 10001 characters, 10000 is the most";
    assert_eq!(of("\u{1F600}".repeat(10_001)).unwrap_err().to_string(), too_long);
    let hebrew = "\u{5de}\u{5d4} \u{5e9}\u{5dc}\u{5d5}\u{5de}\u{5da}?";
    assert_eq!(of(hebrew.into()).unwrap().text, hebrew);
}

#[test]
fn a_number_needs_no_bounds_and_stale_fields_are_dropped() {
    let question = json!({ "text": "Age?", "type": "NUMBER", "min_value": 0, "options": ["", ""] });
    let question = read(question).unwrap();
    assert_eq!((question.min_value, question.max_value), (Some(0.0), None));
    assert!(question.options.is_empty());
    let many = vec![""; 201];
    let long = refusal(json!({ "text": "Age?", "type": "NUMBER", "subQuestions": many }));
    assert_eq!(long, "subQuestions: has 201 entries, 200 is the most");
}

#[test]
fn what_stands_in_a_field_that_the_type_does_not_use_is_of_its_kind_too() {
    let with = |field: &str, value: Value| {
        refusal(json!({ "text": "Tea?", "type": "SINGLE_CHOICE", "options": ["Yes", "No"], field: value }))
    };
    let no_item = "must be a text, or an object with a title or text";
    assert_eq!(with("sub_questions", json!([{}])), format!("sub_questions[0]: {no_item}"));
    assert_eq!(with("scaleLabels", json!("Often")), "scaleLabels: must be a list");
    assert_eq!(with("min_value", json!([1])), "min_value: must be a finite number");
    assert_eq!(with("placeholder", json!(7)), "placeholder: must be a text");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("text|title|x", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_passes_is_a_question_that_can_be_asked(
        kind in prop::sample::select(QuestionType::ALL.to_vec()),
        text in any_json(), options in any_json(), labels in any_json(), rows in any_json(),
        min in any_json(), max in any_json(), hint in any_json(),
    ) {
        let payload = json!({ "text": text, "type": kind.name(), "options": options, "scale_labels": labels,
            "sub_questions": rows, "min_value": min, "max_value": max, "min_description": hint,
            "max_description": "most", "placeholder": hint });
        if let Ok(question) = read(payload) {
            prop_assert!(!question.text.trim().is_empty() && !question.text.contains('\0'));
            prop_assert_eq!(question.options.len() >= 2, kind.has_options());
            prop_assert_eq!(question.scale_labels.len() >= 2, kind.is_matrix());
            if matches!(kind, QuestionType::Slider | QuestionType::Range) {
                prop_assert!(question.min_value.unwrap() < question.max_value.unwrap());
            }
        }
    }
}

#[test]
fn each_new_type_keeps_what_it_uses_and_says_what_it_lacks() {
    let payload = |kind: &str| {
        json!({ "text": "What?", "type": kind, "options": ["a", "b"], "scale_labels": ["x", "y"],
            "sub_questions": ["r", "s"], "min_value": 0, "max_value": 1, "placeholder": "p", "total": 10 })
    };
    for (kind, options, labels, total) in [
        ("INFO", 0, 0, None),
        ("CONSTANT_SUM", 2, 0, Some(10.0)),
        ("RANK", 2, 0, None),
        ("BEST_WORST", 2, 0, None),
        ("MATRIX_MULTI", 0, 2, None),
    ] {
        let question = read(payload(kind)).unwrap();
        assert_eq!(question.options.len(), options, "{kind}");
        assert_eq!((question.scale_labels.len(), question.sub_questions.len()), (labels, labels), "{kind}");
        assert_eq!((question.total, question.min_value, question.placeholder), (total, None, None), "{kind}");
    }
    for (kind, name) in [("CONSTANT_SUM", "Constant sum"), ("RANK", "Ranking"), ("BEST_WORST", "Best-worst")] {
        let mut lacking = payload(kind);
        lacking["options"] = json!(["a"]);
        assert_eq!(refusal(lacking), format!("options: {name} questions must have at least 2 non-empty options"));
    }
    let mut lacking = payload("MATRIX_MULTI");
    lacking["scale_labels"] = json!(["x"]);
    assert_eq!(refusal(lacking), "scale_labels: Matrix questions must have at least 2 non-empty scale labels");
}

#[test]
fn a_total_is_above_0_and_100_where_none_is_named() {
    let sum = |total: Value| json!({ "text": "?", "type": "CONSTANT_SUM", "options": ["a", "b"], "total": total });
    let plain = read(sum(Value::Null)).unwrap();
    assert_eq!((plain.total, plain.total()), (None, 100.0));
    assert_eq!(read(sum("24".into())).unwrap().total(), 24.0);
    assert_eq!(refusal(sum(0.into())), "total: The total must be above 0");
    assert_eq!(refusal(sum("much".into())), "total: must be a finite number");
    assert!(serde_json::to_value(&plain).unwrap().get("total").is_none(), "surveys without it keep their bytes");
}

#[test]
fn degrees_are_those_of_a_choice_by_its_stated_scale_or_its_words_and_those_of_a_matrix() {
    let choice = |options: &[&str]| Question {
        question_type: QuestionType::SingleChoice,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        ..Question::default()
    };
    let agree = choice(&["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]);
    assert!(agree.has_degrees());
    assert!(choice(&["Very unlikely", "Unlikely", "Likely", "very likely"]).has_degrees());
    assert!(!choice(&["Very often", "Never", "By car"]).has_degrees());
    assert!(!choice(&["Yes", "No", "Yes"]).has_degrees());
    assert!(!Question { question_type: QuestionType::MultipleChoice, ..agree.clone() }.has_degrees());
    let named = QuestionLogic { scale: Some(Scale::Nominal), ..QuestionLogic::default() };
    assert!(!Question { logic: named, ..agree }.has_degrees());
    assert!(choice(&["Disagree", "Neutral", "Agree"]).has_degrees());
    assert!(!choice(&["Do not agree", "Neutral", "Do agree somewhat"]).has_degrees());
    let stated = QuestionLogic { scale: Some(Scale::Ordinal), ..QuestionLogic::default() };
    assert!(Question { logic: stated, ..choice(&["Trifft nicht zu", "Teils", "Trifft zu"]) }.has_degrees());
    let labels = ["Bus", "Auto", "Rad"].map(str::to_owned).to_vec();
    let matrix = Question { question_type: QuestionType::Matrix, scale_labels: labels, ..Question::default() };
    assert!(matrix.has_degrees());
    let named = QuestionLogic { scale: Some(Scale::Nominal), ..QuestionLogic::default() };
    assert!(!Question { logic: named, ..matrix.clone() }.has_degrees());
    assert!(!Question { question_type: QuestionType::MatrixMulti, ..matrix }.has_degrees());
}

#[test]
fn options_agree_by_their_words() {
    let agreeing = |options: &[&str]| {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        Question { question_type: QuestionType::SingleChoice, options, ..Question::default() }.agreeing()
    };
    assert_eq!(agreeing(&["Disagree", "Neither agree nor disagree", "Agree", "I do not agree"]), ["Agree"]);
    assert_eq!(agreeing(&["Strongly agree", "Agreeable", "Completely AGREE"]), ["Strongly agree", "Completely AGREE"]);
    let matrix = Question { question_type: QuestionType::Matrix, ..Question::default() };
    assert_eq!(Question { scale_labels: vec!["Agree".into(), "Disagree".into()], ..matrix }.agreeing(), ["Agree"]);
}
