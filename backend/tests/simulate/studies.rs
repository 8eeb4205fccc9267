//! A study from the command line: its price, its runs, a file for each.

use std::fs;

use model_server::{Fault, Faults, ModelServer};

use crate::support::Simulate;
use crate::support::engine_fixture::{EngineFixture, survey};

#[actix_web::test]
async fn a_study_writes_a_file_and_prints_a_line_for_each_of_its_runs() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(10).await;
    let mut priced = Simulate::new(&fixture, &stub, &survey(2), "answers");
    priced.command.args(["--personas", "3", "--seed", "5", "--variants", "summary,empty", "--repeats", "2", "--price"]);
    let outcome = priced.outcome();
    assert_eq!((outcome.code, outcome.complaints()), (Some(0), vec![]), "{outcome:#?}");
    assert!(outcome.stdout.contains("run-03  empty, stub, seed 5, repeat 1: 6 credits"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\n24 credits, "), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\nabout 12 calls, "), "{}", outcome.stdout);
    assert!(priced.written().is_empty(), "{:?}", priced.written());
    assert_eq!(stub.counters().calls, 0);
    assert_eq!(fixture.number("SELECT count(*) AS number FROM surveys").await, 0);

    let mut simulate = Simulate::new(&fixture, &stub, &survey(2), "answers");
    simulate.command.args(["--personas", "3", "--seed", "5", "--variants", "summary,empty", "--repeats", "2"]);
    let outcome = simulate.outcome();
    assert_eq!((outcome.code, outcome.complaints()), (Some(0), vec![]), "{outcome:#?}");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert_eq!(lines.len(), 4 + 1, "{}", outcome.stdout);
    assert!(lines[3].starts_with("run-04  empty, stub, seed 5, repeat 2: "), "{}", lines[3]);
    assert!(lines[3].ends_with("COMPLETED, 6 of 6 answered"), "{}", lines[3]);
    for run in 1..=4 {
        let text = fs::read_to_string(simulate.path(&format!("answers/run-0{run}.csv"))).expect("it can be read");
        assert_eq!(text.lines().count(), 1 + 6);
    }
    assert_eq!(fixture.number("SELECT count(DISTINCT study_id) AS number FROM study_runs").await, 1);
    assert_eq!(fixture.number("SELECT count(*) AS number FROM simulate_commands").await, 0);
    fixture.sound_and_paid(24).await;
}

#[actix_web::test]
async fn with_failures_in_a_run_it_exits_with_3_and_writes_all_files() {
    let stub = ModelServer::start(Faults { script: vec![Some(Fault::Refusal)], ..Faults::default() });
    let fixture = EngineFixture::new(4).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(1), "answers");
    simulate.command.args(["--repeats", "2"]);
    let outcome = simulate.outcome();
    assert_eq!(outcome.code, Some(3), "{outcome:#?}");
    assert!(outcome.stdout.contains("FAILED, 3 of 4 answered, 1 failed"), "{}", outcome.stdout);
    assert!(simulate.path("answers/run-02.csv").exists());
    fixture.sound_and_paid(7).await;
}

#[actix_web::test]
async fn ctrl_c_stops_all_runs_and_writes_nothing() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(40).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers");
    simulate.command.args(["--repeats", "3"]).env("LLM_MAX_CONCURRENCY", "8").env("LLM_TIMEOUT_S", "600");
    let running = simulate.spawn();
    stub.reached(16).await;
    stub.hold();
    running.interrupt();
    let outcome = running.ended();
    assert_eq!(outcome.code, Some(130), "{outcome:#?}");
    assert_eq!(outcome.only_line(), "twinlab: interrupted, the runs were stopped; their answers stay in the database");
    assert!(simulate.written().is_empty(), "{:?}", simulate.written());
    let stopped = "SELECT count(*) AS number FROM simulations WHERE status = 'STOPPED'";
    assert_eq!(fixture.number(stopped).await, 3);
    let answered = fixture.number("SELECT sum(successful_requests)::bigint AS number FROM simulations").await;
    fixture.sound_and_paid(answered as i32).await;
}

#[actix_web::test]
async fn what_a_study_cannot_take_is_refused_by_the_flag() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(2).await;
    for (flags, line) in [
        (vec!["--variants", "empty,empty"], "--variants: each may be listed once"),
        (vec!["--every-arm"], "arms: the survey has no arms, so no twin can be asked in all of them"),
        (vec!["--repeats", "31", "--reversed"], "A study has at most 60 runs"),
    ] {
        let mut simulate = Simulate::new(&fixture, &stub, &survey(1), "answers");
        simulate.command.args(flags);
        let outcome = simulate.outcome();
        assert_eq!((outcome.code, outcome.only_line()), (Some(2), format!("twinlab: {line}").as_str()), "{outcome:#?}");
        assert!(simulate.written().is_empty(), "{:?}", simulate.written());
    }
    let mut simulate = Simulate::new(&fixture, &stub, &survey(1), "survey.json");
    simulate.command.args(["--repeats", "2"]);
    assert_eq!(simulate.outcome().only_line(), "twinlab: --out survey.json: is there already");
    fixture.sound_and_paid(0).await;
}
