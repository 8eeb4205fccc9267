//! Servers that do not know strict schemas: found out once, by one refusal for each format.

use twinlab::models::simulations::start::Choice;
use twinlab::models::simulations::{Simulation, Status};
use twinlab_bench::stub::{Dialect, Faults, Stub};

use crate::support::lab::{Lab, survey};

const TWINS: i32 = 30;

/// Runs one call after the other, so that no call is under way when another one is refused.
async fn run_against(dialect: Dialect) -> (Lab, Stub, Simulation) {
    let stub = Stub::start(Faults { dialect, keep_bodies: true, ..Faults::default() });
    let lab = Lab::new(TWINS).await;
    let engine = lab.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = lab.start(&survey(2), Choice::Random(TWINS), |_| ()).await;
    let run = lab.ended(id).await;
    engine.shut_down().await;
    (lab, stub, run)
}

fn formats(stub: &Stub) -> Vec<String> {
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
    let (lab, stub, run) = run_against(Dialect::JsonSchema).await;
    assert_eq!(stub.counters().outcome("format-refused"), 0);
    assert_eq!(formats(&stub), ["json_schema"]);
    assert_eq!((run.status, run.calls), (Status::Completed, i64::from(TWINS)));
    lab.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_server_without_json_schema_refuses_one_call_and_then_gets_json_object() {
    let (lab, stub, run) = run_against(Dialect::JsonObject).await;
    assert_eq!(stub.counters().outcome("format-refused"), 1);
    assert_eq!(formats(&stub), ["json_schema", "json_object"]);
    assert_eq!(run.successful_requests + run.failed_requests, 2 * TWINS);
    assert!(run.status.is_over(), "{run:#?}");
    lab.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
async fn a_server_without_json_object_refuses_two_calls_and_then_gets_none() {
    let (lab, stub, run) = run_against(Dialect::Plain).await;
    assert_eq!(stub.counters().outcome("format-refused"), 2);
    assert_eq!(formats(&stub), ["json_schema", "json_object", "none"]);
    assert_eq!(run.successful_requests + run.failed_requests, 2 * TWINS);
    lab.sound_and_paid(run.successful_requests).await;
}
