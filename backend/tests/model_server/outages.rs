//! A server that will not serve us, and one that is down: no request is burnt on them.

use std::time::Duration;

use model_server::{Fault, Faults, ModelServer};
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::Choice;
use twinlab::models::simulations::{Simulation, Status};

use crate::support::engine_fixture::{EngineFixture, survey};

const TWINS: i32 = 60;

fn every_call(fault: Fault) -> Faults {
    Faults::default().latency_ms(20).with(fault, 1.0)
}

/// Runs until the engine pauses the run by itself.
async fn paused(fixture: &EngineFixture, id: i64) -> Simulation {
    let run = fixture.until(id, |run| run.status == Status::Paused || run.status.is_over()).await;
    assert_eq!(run.status, Status::Paused, "{run:#?}");
    run
}

/// The server is well again: a resumed run ends with every answer.
async fn resumes_well(fixture: &EngineFixture, stub: &ModelServer, id: i64) {
    stub.set_faults(Faults::default());
    control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("a paused run resumes");
    let run = fixture.ended(id).await;
    assert_eq!((run.successful_requests, run.failed_requests), (TWINS, 0), "{run:#?}");
}

async fn denied_pauses(fault: Fault, message: &str) {
    let stub = ModelServer::start(every_call(fault));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 8).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!(run.error_code.as_deref(), Some("denied"));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains(message)), "{:?}", run.error_message);
    assert_eq!((run.successful_requests, run.failed_requests), (0, 0));
    let calls = stub.counters().calls;
    assert!(calls <= 16, "only what was under way, not {calls} calls");
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn a_wrong_key_pauses_the_run_with_the_servers_message_and_burns_no_request() {
    denied_pauses(Fault::Unauthorized, "Incorrect API key provided").await;
}

#[actix_web::test]
async fn an_empty_account_pauses_the_run_with_the_servers_message_and_burns_no_request() {
    denied_pauses(Fault::InsufficientQuota, "You exceeded your current quota").await;
}

#[actix_web::test]
async fn twenty_interviews_rejected_in_a_row_pause_the_run_and_fail_no_request() {
    let stub = ModelServer::start(every_call(Fault::BadRequest));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!(run.error_code.as_deref(), Some("rejected"));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("That cannot be asked here")), "{run:#?}");
    assert_eq!((stub.counters().calls, run.failed_requests), (20, 0));
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn rejections_that_begin_in_the_middle_pause_the_run_and_fail_no_request() {
    let mut script = vec![None; 25];
    script.extend([Some(Fault::BadRequest); 500]);
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 4).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!((run.error_code.as_deref(), run.failed_requests), (Some("rejected"), 0));
    let calls = stub.counters().calls;
    assert!(calls <= 25 + 20 + 4, "what was under way and twenty more, not {calls} calls");
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn rejections_between_answers_fail_their_requests_and_the_run_goes_on() {
    let script = [None, Some(Fault::BadRequest)].repeat(25);
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests + run.failed_requests), (Status::Failed, TWINS));
    // One that was rejected while no other was asked is asked once more.
    assert!((20..=25).contains(&run.failed_requests), "{run:#?}");
    fixture.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
async fn a_run_whose_few_interviews_are_all_rejected_ends_with_the_reason() {
    let stub = ModelServer::start(every_call(Fault::BadRequest));
    let fixture = EngineFixture::new(5).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 8).await;
    let id = fixture.start(&survey(2), Choice::Random(5), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Failed, 10), "{run:#?}");
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("That cannot be asked here")), "{run:#?}");
}

/// A run during which the server is away: `outage` takes it down and gives it back. No request fails of it.
async fn is_outlived(
    at_once: u32,
    stub: ModelServer,
    duration: Duration,
    outage: impl AsyncFnOnce(ModelServer, Duration) -> ModelServer,
) {
    let fixture = EngineFixture::new(TWINS).await;
    // With so few attempts, calls that counted while the server is down would soon be failures.
    let engine = fixture.engine(&stub, |model| (model.max_concurrency, model.max_attempts) = (at_once, 4)).await;
    let id = fixture.start(&survey(10), Choice::Random(TWINS), |parameters| parameters.questions_per_call = 1).await;
    stub.reached(30).await;
    let waiting = async {
        // All workers and pages can see until when calls wait, and why.
        let waiting = "SELECT count(*) AS number FROM model_server
             WHERE reason LIKE 'the model server is down: _%' AND blocked_until > now()";
        fixture.until_found(waiting).await;
        let standing = fixture.run(id).await;
        assert_eq!((standing.status, standing.failed_requests), (Status::Running, 0));
    };
    let (stub, ()) = tokio::join!(outage(stub, duration), waiting);
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{:?}", fixture.failures(id).await);
    fixture.sound_and_paid(TWINS * 10).await;
    drop(stub);
}

/// The server answers every call with this fault for a while.
async fn faulty(at_once: u32, fault: Fault, duration: Duration) {
    let stub = ModelServer::start(Faults::default().latency_ms(20));
    let outage = async |stub: ModelServer, duration| {
        stub.set_faults(every_call(fault));
        tokio::time::sleep(duration).await;
        stub.set_faults(Faults::default());
        stub
    };
    is_outlived(at_once, stub, duration, outage).await;
}

/// Nothing listens at the server's address for a while.
async fn refused(at_once: u32, duration: Duration) {
    let stub = ModelServer::start(Faults::default().latency_ms(20));
    let outage = async |stub: ModelServer, duration| {
        let port = stub.address().port();
        stub.stop();
        tokio::time::sleep(duration).await;
        ModelServer::listen("127.0.0.1", port, Faults::default()).expect("the port is free again")
    };
    is_outlived(at_once, stub, duration, outage).await;
}

const SHORT: Duration = Duration::from_secs(7);
const MINUTE: Duration = Duration::from_secs(60);

#[actix_web::test]
async fn a_server_that_refuses_connections_for_a_while_costs_no_request() {
    refused(8, SHORT).await;
}

#[actix_web::test]
async fn a_server_that_answers_500_for_a_while_costs_no_request() {
    faulty(32, Fault::ServerError, SHORT).await;
}

#[actix_web::test]
async fn a_server_that_resets_connections_for_a_while_costs_no_request() {
    faulty(2, Fault::ResetBefore, SHORT).await;
}

#[actix_web::test]
#[ignore = "takes minutes: make slow-tests"]
async fn a_server_that_is_away_for_a_minute_costs_no_request() {
    for at_once in [2, 8, 32, 64] {
        tokio::join!(
            refused(at_once, MINUTE),
            faulty(at_once, Fault::ServerError, MINUTE),
            faulty(at_once, Fault::ResetBefore, MINUTE)
        );
    }
}
