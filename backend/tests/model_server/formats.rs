//! Servers that do not support all parts of a request: each part is detected by one refusal.

use model_server::{Dialect, Faults, ModelServer};
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, survey};

const TWINS: i32 = 30;

/// Runs one call after the other, so that no call is under way when another one is refused.
async fn run_against(faults: Faults) -> (EngineFixture, ModelServer, Simulation) {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..faults });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(2), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    (fixture, stub, run)
}

fn speaking(dialect: Dialect) -> Faults {
    Faults { dialect, ..Faults::default() }
}

fn not_knowing(unknown: &[&'static str]) -> Faults {
    Faults { unknown: unknown.to_vec(), ..Faults::default() }
}

/// The parameters among these that the calls had, in the order of the calls, without repetitions.
fn sent(stub: &ModelServer, parameters: &[&'static str]) -> Vec<Vec<&'static str>> {
    let of_call = |body: &[u8]| {
        let body: serde_json::Value = serde_json::from_slice(body).expect("a call's body is JSON");
        parameters.iter().copied().filter(|name| body.get(name).is_some()).collect()
    };
    let mut sent: Vec<Vec<_>> = stub.bodies().iter().map(|body| of_call(body)).collect();
    sent.dedup();
    sent
}

fn formats(stub: &ModelServer) -> Vec<String> {
    let format = |body: &[u8]| {
        let body: serde_json::Value = serde_json::from_slice(body).expect("a call's body is JSON");
        body["response_format"]["type"].as_str().unwrap_or("none").to_owned()
    };
    let mut formats: Vec<String> = stub.bodies().iter().map(|body| format(body)).collect();
    formats.dedup();
    formats
}

#[actix_web::test]
async fn a_server_with_schemas_is_refused_nothing() {
    let (fixture, stub, run) = run_against(speaking(Dialect::JsonSchema)).await;
    assert_eq!(stub.counters().outcome("format-refused"), 0);
    assert_eq!(formats(&stub), ["json_schema"]);
    assert_eq!((run.status, run.calls), (Status::Completed, i64::from(TWINS)));
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_server_without_json_schema_refuses_one_call_and_then_gets_json_object() {
    let (fixture, stub, run) = run_against(speaking(Dialect::JsonObject)).await;
    assert_eq!(stub.counters().outcome("format-refused"), 1);
    assert_eq!(formats(&stub), ["json_schema", "json_object"]);
    assert_eq!(run.successful_requests + run.failed_requests, 2 * TWINS);
    assert!(run.status.is_over(), "{run:#?}");
    fixture.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
async fn a_server_without_json_object_refuses_two_calls_and_then_gets_none() {
    let (fixture, stub, run) = run_against(speaking(Dialect::Plain)).await;
    assert_eq!(stub.counters().outcome("format-refused"), 2);
    assert_eq!(formats(&stub), ["json_schema", "json_object", "none"]);
    assert_eq!(run.successful_requests + run.failed_requests, 2 * TWINS);
    fixture.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
async fn a_server_that_refuses_the_seed_by_name_is_asked_without_it_and_the_run_says_so() {
    let (fixture, stub, run) = run_against(not_knowing(&["seed"])).await;
    assert_eq!(stub.counters().outcome("parameter-refused"), 1);
    assert_eq!(sent(&stub, &["seed"]), [vec!["seed"], vec![]]);
    assert_eq!((run.status, run.left_out), (Status::Completed, vec!["seed".to_owned()]));
    assert_eq!(run.parameters["seed"], 1, "twins and orders are still drawn by it");
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_server_of_before_max_completion_tokens_is_told_max_tokens() {
    let (fixture, stub, run) = run_against(not_knowing(&["max_completion_tokens"])).await;
    assert_eq!(stub.counters().outcome("parameter-refused"), 1);
    let names = ["max_completion_tokens", "max_tokens"];
    assert_eq!(sent(&stub, &names), [["max_completion_tokens"], ["max_tokens"]]);
    assert_eq!((run.status, run.left_out), (Status::Completed, vec!["max_completion_tokens".to_owned()]));
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_server_that_knows_little_is_asked_for_little_after_one_refusal_each() {
    let unknown = ["max_tokens", "seed", "max_completion_tokens"];
    let faults = Faults { dialect: Dialect::JsonObject, ..not_knowing(&unknown) };
    let (fixture, stub, run) = run_against(faults).await;
    assert_eq!(stub.counters().outcome("format-refused") + stub.counters().outcome("parameter-refused"), 4);
    assert_eq!(sent(&stub, &unknown).last(), Some(&vec![]));
    assert_eq!(run.left_out, ["json_schema", "max_tokens", "seed"]);
    assert_eq!(run.successful_requests + run.failed_requests, 2 * TWINS);
    fixture.sound_and_paid(run.successful_requests).await;
}
