//! A server that will not serve us, and one that is down: no request is burnt on them.

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
async fn resumes_well(fixture: &EngineFixture, stub: &ModelServer, id: i64, kept_failures: i32) {
    stub.set_faults(Faults::default());
    control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("a paused run resumes");
    let run = fixture.ended(id).await;
    assert_eq!((run.successful_requests, run.failed_requests), (TWINS - kept_failures, kept_failures), "{run:#?}");
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
    resumes_well(&fixture, &stub, id, 0).await;
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
async fn twenty_rejections_and_no_answer_pause_the_run() {
    let stub = ModelServer::start(every_call(Fault::BadRequest));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!(run.error_code.as_deref(), Some("rejected"));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("That cannot be asked here")), "{run:#?}");
    // The twentieth paused the run; the others were failures before that, and are booked soon if not yet.
    fixture.until(id, |run| run.failed_requests == 19).await;
    assert_eq!(stub.counters().calls, 20);
    resumes_well(&fixture, &stub, id, 19).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS - 19).await;
}

#[actix_web::test]
async fn rejections_after_an_answer_fail_their_requests_and_the_run_goes_on() {
    let mut script = vec![None];
    script.extend([Some(Fault::BadRequest); 30]);
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests, run.failed_requests), (Status::Failed, TWINS - 30, 30));
    fixture.sound_and_paid(TWINS - 30).await;
}

#[actix_web::test]
async fn a_server_that_is_down_gets_single_probes_and_the_run_goes_on_when_it_is_back() {
    let stub = ModelServer::start(every_call(Fault::ServerError));
    let fixture = EngineFixture::new(TWINS).await;
    // With so few attempts, calls that went on while the server is down would soon be failures.
    let engine = fixture.engine(&stub, |model| (model.max_concurrency, model.max_attempts) = (20, 4)).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    // Twenty calls open the circuit; some may be on their way then, and probes follow.
    stub.reached(22).await;
    let waiting =
        "SELECT count(*) AS number FROM model_server WHERE reason = 'model server down' AND blocked_until > now()";
    // All workers can see until when to wait.
    fixture.until_found(waiting).await;
    let standing = fixture.run(id).await;
    assert_eq!((standing.status, standing.failed_requests), (Status::Running, 0));
    stub.set_faults(Faults::default());
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{:?}", fixture.failures(id).await);
    // Had the circuit not held them back, every interview would have met the dead server.
    let counters = stub.counters();
    assert!(counters.outcome("server-error") < TWINS as u64, "{counters:#?}");
    fixture.sound_and_paid(TWINS).await;
}
