//! Endings of the command, and the files that it leaves.

use std::fs;
use std::net::TcpListener;

use calamine::{Reader, open_workbook_auto};
use model_server::{Fault, Faults, ModelServer};
use simulation::status::Status;

use crate::support::Simulate;
use crate::support::engine_fixture::{EngineFixture, survey};

#[actix_web::test]
async fn with_every_answer_it_exits_with_0_and_the_file_has_a_line_for_each() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(10).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    let outcome = simulate.outcome();
    assert_eq!((outcome.code, outcome.complaints()), (Some(0), vec![]), "{outcome:#?}");
    assert!(outcome.stdout.contains("answered    30"), "{}", outcome.stdout);
    assert_eq!(simulate.written(), ["answers.csv"]);
    let text = fs::read_to_string(simulate.path("answers.csv")).expect("the file can be read");
    assert_eq!(text.lines().count(), 1 + 30);
    fixture.sound_and_paid(30).await;
}

#[actix_web::test]
async fn a_workbook_and_json_lines_hold_the_same_answers() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(4).await;
    let mut workbook = Simulate::new(&fixture, &stub, &survey(3), "answers.xlsx");
    assert_eq!(workbook.outcome().code, Some(0));
    let mut sheets = open_workbook_auto(workbook.path("answers.xlsx")).expect("a workbook");
    assert_eq!(sheets.sheet_names(), ["List View", "Matrix View", "Wide", "Survey Questions", "Codebook", "Read Me"]);
    let list = sheets.worksheet_range("List View").expect("the sheet");
    assert_eq!(list.height(), 1 + 12);
    let mut lines = Simulate::new(&fixture, &stub, &survey(3), "answers.jsonl");
    assert_eq!(lines.outcome().code, Some(0));
    let text = fs::read_to_string(lines.path("answers.jsonl")).expect("the file can be read");
    assert_eq!(text.lines().filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()).count(), 12);
    fixture.sound_and_paid(24).await;
}

#[actix_web::test]
async fn with_failures_it_exits_with_3_says_why_and_writes_the_file_all_the_same() {
    let stub =
        ModelServer::start(Faults { script: vec![Some(Fault::Refusal), Some(Fault::BadRequest)], ..Faults::default() });
    let fixture = EngineFixture::new(10).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    // One call follows the other: those after the rejected one are answered, so it is rejected alone.
    simulate.command.env("LLM_MAX_CONCURRENCY", "1");
    let outcome = simulate.outcome();
    assert_eq!(outcome.code, Some(3), "{outcome:#?}");
    for expected in ["answered    24", "failed      6", "3 x refused, e.g. the model refused to answer", "3 x rejected"]
    {
        assert!(outcome.stdout.contains(expected), "{expected}: {}", outcome.stdout);
    }
    assert_eq!(simulate.written(), ["answers.csv"]);
    fixture.sound_and_paid(24).await;
}

#[actix_web::test]
async fn ctrl_c_stops_the_run_releases_its_hold_and_writes_nothing() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(40).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    simulate.command.env("LLM_MAX_CONCURRENCY", "8").env("LLM_TIMEOUT_S", "600");
    let running = simulate.spawn();
    stub.reached(16).await;
    // From here on no call ends.
    stub.hold();
    running.interrupt();
    let outcome = running.ended();
    assert_eq!(outcome.code, Some(130), "{outcome:#?}");
    assert_eq!(outcome.only_line(), "twinlab: interrupted, the run was stopped; its answers stay in the database");
    assert!(simulate.written().is_empty(), "{:?}", simulate.written());
    let run = fixture.run(fixture.number("SELECT id AS number FROM simulations").await).await;
    assert_eq!(run.status, Status::Stopped);
    fixture.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
async fn ctrl_c_before_the_model_server_has_answered_ends_it_at_once() {
    // It accepts connections and sends nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(1).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    let address = silent.local_addr().expect("it listens");
    simulate.command.env("OPENAI_BASE_URL", format!("http://{address}/v1")).env("LLM_TIMEOUT_S", "600");
    let running = simulate.spawn();
    let _asking = silent.accept().expect("it asks whether somebody is there");
    running.interrupt();
    let outcome = running.ended();
    assert_eq!(outcome.code, Some(130), "{outcome:#?}");
    assert!(simulate.written().is_empty(), "{:?}", simulate.written());
    assert_eq!(fixture.number("SELECT count(*) AS number FROM surveys").await, 0);
}

#[actix_web::test]
async fn a_key_that_stops_working_stops_the_run_with_its_answers_kept_and_exits_with_1() {
    let mut script = vec![None; 5];
    script.extend([Some(Fault::Unauthorized); 40]);
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(20).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(1), "answers.csv");
    simulate.command.env("LLM_MAX_CONCURRENCY", "1");
    let outcome = simulate.outcome();
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    let line = "twinlab: the run was stopped with 5 answers stored: access denied: Incorrect API key provided \
                (asked with the key of the instance)";
    assert_eq!(outcome.only_line(), line);
    assert!(simulate.written().is_empty(), "{:?}", simulate.written());
    fixture.sound_and_paid(5).await;
}
