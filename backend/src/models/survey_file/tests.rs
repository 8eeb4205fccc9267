use super::*;

fn refusal(file: &[u8]) -> String {
    let error = SurveyFile::parse(file, "survey.json").unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let line = error.to_string();
    assert!(!line.contains('\n'), "{line}");
    line
}

#[test]
fn a_survey_file_is_read_with_or_without_a_byte_order_mark() {
    let file = r#"{"title": " Tea ", "questions": [{"text": "Do you drink tea?", "type": "BOOLEAN"}], "more": 1}"#;
    let survey = SurveyFile::parse(file.as_bytes(), "survey.json").unwrap();
    assert_eq!((survey.title.as_str(), survey.description.as_str(), survey.questions.len()), ("Tea", "", 1));
    let with_mark = [b"\xEF\xBB\xBF", file.as_bytes()].concat();
    assert_eq!(SurveyFile::parse(&with_mark, "survey.json").unwrap(), survey);
}

#[test]
fn refusals_name_the_file_and_the_place() {
    let question = |question: &str| format!(r#"{{"title": "T", "questions": [{question}]}}"#);
    let good = r#"{"text": "?", "type": "BOOLEAN"}"#;
    let bad = r#"{"text": "?", "type": "SINGLE_CHOICE", "options": ["a", ""]}"#;
    assert_eq!(
        refusal(question(&[good, good, bad].join(",")).as_bytes()),
        "survey.json: question 3: options[1]: Choice questions must have at least 2 non-empty options"
    );
    assert_eq!(refusal(question("5").as_bytes()), "survey.json: question 1: must be an object");
    assert_eq!(refusal(question("").as_bytes()), "survey.json: questions: the survey has no questions");
    assert_eq!(refusal(br#"{"title": "T"}"#), "survey.json: questions: the survey has no questions");
    assert_eq!(refusal(br#"{"title": "T", "questions": {}}"#), "survey.json: questions: must be a list");
    assert_eq!(refusal(br#"{"title": " ", "questions": []}"#), "survey.json: title: is required");
    assert_eq!(refusal(br#"{"title": "a\u0000"}"#), "survey.json: title: contains a NUL character");
}

#[test]
fn what_is_no_json_is_refused_with_line_and_column() {
    assert_eq!(refusal(b"{\n  \"title\": x }"), "survey.json: line 2, column 12: expected value");
    assert_eq!(refusal(b""), "survey.json: line 1, column 0: EOF while parsing a value");
    assert_eq!(refusal(b"\xFF\xFE{\0}\0"), "survey.json: is UTF-16, must be UTF-8");
    assert_eq!(refusal(b"[]"), "survey.json: must be an object");
    assert!(refusal(b"{\"title\": \"\xFF\"}").starts_with("survey.json: line 1, column"));
    let deep = "[".repeat(100_000);
    assert!(refusal(format!("{{\"questions\": {deep}").as_bytes()).contains("recursion limit"));
}
