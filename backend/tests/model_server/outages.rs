//! A server that will not serve us, and one that is down: no request is burnt on them.

use std::time::Duration;

use model_server::{Call, Fault, Faults, ModelServer, Outcome};
use serde_json::json;
use twinlab::engine::Timings;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::Choice;
use twinlab::models::simulations::{Simulation, Status};

use crate::support::engine_fixture::{EngineFixture, engine_reaching, survey};
use crate::support::{GroupFixture, TestApp};

const TWINS: i32 = 60;
/// After which the fixture's engines give a call up.
const CALL_TIMEOUT: Duration = Duration::from_secs(1);

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
    let back = stub.age();
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{:?}", fixture.failures(id).await);
    fixture.sound_and_paid(TWINS * 10).await;
    let first = stub.calls().iter().map(|call| call.arrived).find(|arrived| *arrived > back);
    let wait = first.expect("it was asked again") - back;
    assert!(wait <= Duration::from_secs(10), "the first call came {wait:?} after its return");
    gate_closed(&stub.calls(), duration);
}

/// From two seconds after the first call that the fault struck has ended, only probes reach the server.
fn gate_closed(calls: &[Call], outage: Duration) {
    let struck = |call: &&Call| matches!(call.outcome, Outcome::Injected(_));
    let Some(first) = calls.iter().find(struck) else { return };
    let closed = first.ended.unwrap_or(first.arrived + CALL_TIMEOUT) + Duration::from_secs(2);
    let probes = calls.iter().filter(struck).filter(|call| call.arrived > closed).count();
    let due = outage.as_secs() as usize / 5 + 1;
    assert!(probes <= due, "{probes} calls after the gate should have closed");
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
async fn a_server_that_does_not_answer_in_time_for_a_while_costs_no_request() {
    faulty(8, Fault::Hang, SHORT).await;
}

#[actix_web::test]
async fn a_server_that_is_loading_its_model_for_a_while_costs_no_request() {
    faulty(4, Fault::ModelMissing, SHORT).await;
}

#[actix_web::test]
async fn a_model_that_twenty_interviews_find_missing_pauses_the_run_and_fails_no_request() {
    let stub = ModelServer::start(every_call(Fault::ModelMissing));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 32).await;
    let id = fixture.start(&survey(1), Choice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!((run.error_code.as_deref(), run.failed_requests), (Some("rejected"), 0));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("does not exist")), "{run:#?}");
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

/// A run at a server that cannot be reached for this reason waits with it and loses nothing; it tells so over the API.
async fn waits_for(base_url: &str, reason: &str) {
    let app = TestApp::start(&[]).await;
    let group = GroupFixture::open(&app, 1_000).await;
    let survey = group.survey(2).await;
    let run = group.start(survey, 1).await;
    let path = format!("/api/simulations/{}", run["simulationId"].as_str().expect("an id"));
    let engine = engine_reaching(app.database.url(), base_url).await;
    let told = loop {
        let told = group.author.get(&format!("{path}/live-progress")).await.ok();
        if told["waitingUntil"].is_string() {
            break told;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let found = told["waitingReason"].as_str().expect("a wait has a reason");
    assert!(found.starts_with("the model server is down: could not connect to the model server: "), "{found}");
    assert!(found.contains(reason), "{found}");
    assert_eq!(
        (&told["status"], &told["failedRequests"], &told["errorMessage"]),
        (&json!("RUNNING"), &json!(0), &json!(null))
    );
    group.author.post(&format!("{path}/stop"), json!({})).await.ok();
    engine.shut_down().await;
    assert_eq!(group.budget().await, (1_000, 0));
    app.stop().await;
}

#[actix_web::test]
async fn a_host_that_no_name_server_knows_is_waited_for() {
    waits_for("http://model.invalid/v1", "").await;
}

#[actix_web::test]
async fn a_server_that_speaks_no_tls_is_waited_for() {
    let stub = ModelServer::start(Faults::default());
    waits_for(&stub.base_url().replace("http://", "https://"), "").await;
    assert_eq!(stub.counters().calls, 0);
}

#[actix_web::test]
async fn a_lone_interview_outlives_more_failures_than_it_has_attempts() {
    let script = vec![Some(Fault::ServerError); 4];
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine_with(&stub, Timings::default(), |model| model.max_attempts = 2).await;
    let id = fixture.start(&survey(1), Choice::Random(1), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, stub.counters().calls), (Status::Completed, 5), "{:?}", fixture.failures(id).await);
    fixture.sound_and_paid(1).await;
}

#[actix_web::test]
async fn a_lone_interview_that_fails_for_longer_than_an_outage_ends_with_the_reason() {
    let stub = ModelServer::start(every_call(Fault::ServerError));
    let fixture = EngineFixture::new(1).await;
    let timings = Timings { outage: Duration::from_secs(2), ..Timings::default() };
    let engine = fixture.engine_with(&stub, timings, |model| model.max_attempts = 2).await;
    let id = fixture.start(&survey(1), Choice::Random(1), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Failed, 1), "{run:#?}");
    let (first, last) = (stub.calls()[0].arrived, stub.calls().last().expect("calls").arrived);
    assert!(last - first >= timings.outage - Duration::from_millis(100), "given up after {:?}", last - first);
    fixture.sound_and_paid(0).await;
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
