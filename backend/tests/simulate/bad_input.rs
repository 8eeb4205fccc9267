//! Bad input: one line that names the error and its position, the documented exit code, and nothing written.

use std::fs;
use std::net::TcpListener;

use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use twinlab::models::users::Role;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{Simulate, sample};

/// A database and a stub in which nothing should change.
struct Bench {
    fixture: EngineFixture,
    stub: ModelServer,
}

impl Bench {
    async fn new(twins: i32) -> Self {
        Self { fixture: EngineFixture::new(twins).await, stub: ModelServer::start(Faults::default()) }
    }

    fn simulate(&self, survey: &Value) -> Simulate {
        Simulate::new(&self.fixture, &self.stub, survey, "answers.csv")
    }

    /// Expects one line, this exit code, no file, no row, no call.
    async fn refused(&self, simulate: &mut Simulate, code: i32, line: &str) {
        let outcome = simulate.outcome();
        assert_eq!(outcome.only_line(), format!("twinlab: {line}"));
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(code), ""), "{outcome:#?}");
        assert!(simulate.written().is_empty(), "{:?}", simulate.written());
        assert_eq!(self.stub.counters().calls, 0);
        for table in ["surveys", "questions", "simulations", "pgmq.q_interviews"] {
            assert_eq!(self.fixture.number(&format!("SELECT count(*) AS number FROM {table}")).await, 0, "{table}");
        }
        let operators = "SELECT count(*) AS number FROM users WHERE email LIKE 'operator@%'";
        assert_eq!(self.fixture.number(operators).await, 0);
        self.fixture.sound_and_paid(0).await;
    }
}

fn with(question: Value) -> Value {
    json!({"title": "T", "questions": [{"text": "Fine?", "type": "BOOLEAN"}, question]})
}

#[actix_web::test]
async fn a_survey_that_cannot_be_asked_is_refused_with_the_question_and_the_field() {
    let bench = Bench::new(3).await;
    let long = "x".repeat(10_001);
    let cases = [
        (json!({"title": "T", "questions": []}), "questions: the survey has no questions"),
        (json!({"title": "T"}), "questions: the survey has no questions"),
        (json!({"questions": [{"text": "Q", "type": "BOOLEAN"}]}), "title: is required"),
        (
            with(json!({"text": "Q", "type": "GUESS"})),
            "question 2: type: unknown question type \"GUESS\", must be one of ",
        ),
        (with(json!({"type": "BOOLEAN"})), "question 2: text: Question text is required"),
        (with(json!("Q")), "question 2: must be an object"),
        (
            with(json!({"text": "Q", "type": "SINGLE_CHOICE", "options": ["one"]})),
            "question 2: options: Choice questions must have at least 2 non-empty options",
        ),
        (
            with(json!({"text": "Q", "type": "MULTIPLE_CHOICE", "options": ["one", "two", "one"]})),
            "question 2: options[2]: \"one\" is listed twice",
        ),
        (
            with(json!({"text": "Q", "type": "SINGLE_CHOICE", "options": ["one", " ", "two"]})),
            "question 2: options[1]: Choice questions must have at least 2 non-empty options",
        ),
        (
            with(json!({"text": "Q", "type": "RANGE", "min_value": 1, "max_value": 5, "min_description": "low"})),
            "question 2: max_description: Range questions must have descriptions for both minimum and maximum values",
        ),
        (
            with(json!({"text": "Q", "type": "SLIDER", "min_value": 5, "max_value": 5})),
            "question 2: min_value: Minimum value must be less than maximum value",
        ),
        (
            with(json!({"text": "Q", "type": "MATRIX", "scale_labels": ["only"]})),
            "question 2: scale_labels: Matrix questions must have at least 2 non-empty scale labels",
        ),
        (with(json!({"text": long, "type": "OPENENDED"})), "question 2: text: has 10001 characters, 10000 is the most"),
        (with(json!({"text": "Q\0?", "type": "OPENENDED"})), "question 2: text: contains a NUL character"),
    ];
    for (survey, expected) in cases {
        let mut simulate = bench.simulate(&survey);
        let outcome = simulate.outcome();
        assert!(outcome.only_line().starts_with(&format!("twinlab: survey.json: {expected}")), "{outcome:#?}");
        let line = outcome.only_line().strip_prefix("twinlab: ").expect("it says who speaks").to_owned();
        bench.refused(&mut simulate, 2, &line).await;
    }
}

#[actix_web::test]
async fn a_survey_file_that_is_no_json_is_refused_with_the_place() {
    let bench = Bench::new(3).await;
    let cases: [(&[u8], &str); 5] = [
        (b"", "survey.json: line 1, column 0: EOF while parsing a value"),
        (b"{\n  \"title\": oops\n}", "survey.json: line 2, column 12: expected value"),
        (b"[1]", "survey.json: must be an object"),
        (b"\xFF\xFE{\0}\0", "survey.json: is UTF-16, must be UTF-8"),
        (b"{\"title\": \"\xE9\"}", "survey.json: line 1, column 12: invalid unicode code point"),
    ];
    for (bytes, line) in cases {
        let mut simulate = bench.simulate(&Value::Null);
        fs::write(simulate.path("survey.json"), bytes).expect("the folder can be written");
        bench.refused(&mut simulate, 2, line).await;
    }
    let mut simulate = bench.simulate(&Value::Null);
    fs::remove_file(simulate.path("survey.json")).expect("it is there");
    bench.refused(&mut simulate, 2, "survey.json: No such file or directory (os error 2)").await;
}

#[actix_web::test]
async fn emoji_and_right_to_left_text_are_no_bad_input() {
    let bench = Bench::new(3).await;
    let question = json!({"text": "ما رأيك؟ 😀", "type": "SINGLE_CHOICE", "options": ["כן 👍🏽", "לא\u{202e}"]});
    let mut simulate = bench.simulate(&json!({"title": "שלום 👋", "questions": [question]}));
    let outcome = simulate.outcome();
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let text = fs::read_to_string(simulate.path("answers.csv")).expect("the file can be read");
    assert!(text.contains("ما رأيك؟ 😀"), "{text}");
    bench.fixture.sound_and_paid(3).await;
}

#[actix_web::test]
async fn twins_that_are_not_there_are_refused_by_their_ids() {
    let bench = Bench::new(3).await;
    for (flag, value, line) in [
        ("--persona-ids", "1,9", "Persona id 9 does not exist: valid ids are 1 to 3"),
        ("--persona-ids", "0", "Persona id 0 does not exist: valid ids are 1 to 3"),
        ("--personas", "4", "--personas 4: there are 3 twins"),
        ("--personas", "0", "invalid value '0' for '--personas <N>': 0 is not in 1..=2147483647"),
        ("--model", " ", "invalid value ' ' for '--model <M>': takes 1 to 200 printable characters"),
        ("--persona-ids", "1,x", "invalid value 'x' for '--persona-ids <IDS>': invalid digit found in string"),
        (
            "--persona-variant",
            "full",
            "Persona 1 has no full text: import the twins with it, or choose another personaVariant",
        ),
    ] {
        let mut simulate = bench.simulate(&survey(1));
        simulate.command.args([flag, value]);
        bench.refused(&mut simulate, 2, line).await;
    }
}

#[actix_web::test]
async fn without_any_twin_it_says_how_to_get_some() {
    let bench = Bench::new(0).await;
    let line = "there are no twins: `twinlab personas import FILE` or `twinlab personas synthesize N` adds some";
    bench.refused(&mut bench.simulate(&survey(1)), 2, line).await;
}

#[actix_web::test]
async fn a_payer_who_cannot_pay_is_refused() {
    let bench = Bench::new(3).await;
    let poor = "poor@test.example";
    bench.fixture.admit(poor, 11).await;
    let conn = &mut *bench.fixture.pool.get().await.expect("a connection");
    sample::person(conn, "alone@test.example", Role::User).await;
    for (email, line) in [
        (poor, "Not enough credits: 12 needed, 11 available"),
        ("nobody@test.example", "--as nobody@test.example: nobody has this e-mail address"),
        ("alone@test.example", "--as alone@test.example: is a member of no group, so nobody's credits can pay"),
        ("not an address", "--as not an address: is not an e-mail address"),
    ] {
        let mut simulate = Simulate::paid_by(email, &bench.fixture, &bench.stub, &survey(4), "answers.csv");
        bench.refused(&mut simulate, 2, line).await;
    }
    let mut simulate = bench.simulate(&survey(4));
    simulate.command.args(["--group", "99"]);
    bench.refused(&mut simulate, 2, "--group 99: member@test.example is no member of it").await;
}

#[actix_web::test]
async fn an_unreachable_model_server_is_told_before_anything_is_stored() {
    let bench = Bench::new(3).await;
    let free = TcpListener::bind("127.0.0.1:0").expect("a port is free").local_addr().expect("it listens");
    let mut simulate = bench.simulate(&survey(1));
    simulate.command.env("OPENAI_BASE_URL", format!("http://{free}/v1"));
    let line = format!("the model server at http://{free}/v1 cannot be reached: Connection refused (os error 111)");
    bench.refused(&mut simulate, 1, &line).await;
}

#[actix_web::test]
async fn an_answers_file_that_cannot_be_written_is_told_before_anything_is_asked() {
    let bench = Bench::new(3).await;
    for (out, line) in [
        ("answers.txt", "answers.txt: the name must end in .csv, .xlsx, .jsonl or .parquet"),
        ("nowhere/answers.csv", "nowhere/answers.csv: cannot be written: No such file or directory (os error 2)"),
    ] {
        let mut simulate = Simulate::new(&bench.fixture, &bench.stub, &survey(1), out);
        bench.refused(&mut simulate, 2, line).await;
    }
}
