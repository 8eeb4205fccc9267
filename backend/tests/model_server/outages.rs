//! A server that refuses to serve us, and one that is down: no request fails because of them.

use std::time::Duration;

use model_server::{Fault, Faults, ModelServer};
use serde_json::json;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::engine::Engine;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, engine_reaching, survey};
use crate::support::{GroupFixture, TestApp};

const TWINS: i32 = 60;

fn every_call(fault: Fault) -> Faults {
    Faults::default().latency_ms(20).with(fault, 1.0)
}

/// Waits until the engine pauses the run by itself.
async fn paused(fixture: &EngineFixture, id: i64) -> Simulation {
    let run = fixture.until(id, |run| run.status == Status::Paused || run.status.is_over()).await;
    assert_eq!(run.status, Status::Paused, "{run:#?}");
    run
}

/// Makes the server work again: a resumed run ends with every answer.
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
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
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
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!(run.error_code.as_deref(), Some("rejected"));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("That cannot be asked here")), "{run:#?}");
    assert_eq!((stub.counters().calls, run.failed_requests), (20, 0));
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

/// Lets calls of this many simultaneous interviews meet the fault from the 26th on.
async fn pauses_from_the_middle_on(fault: Fault, at_once: u32, message: &str) {
    let mut script = vec![None; 25];
    script.extend([Some(fault); 500]);
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = at_once).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!((run.error_code.as_deref(), run.failed_requests), (Some("rejected"), 0));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains(message)), "{run:#?}");
    let calls = stub.counters().calls;
    assert!(calls <= 25 + 20 + u64::from(at_once), "what was under way and twenty more, not {calls} calls");
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn rejections_that_begin_in_the_middle_pause_the_run_and_fail_no_request() {
    pauses_from_the_middle_on(Fault::BadRequest, 4, "That cannot be asked here").await;
}

#[actix_web::test]
async fn a_model_that_is_gone_in_the_middle_pauses_the_run_and_fails_no_request() {
    pauses_from_the_middle_on(Fault::ModelMissing, 32, "does not exist").await;
}

#[actix_web::test]
async fn rejections_between_answers_fail_their_requests_and_the_run_goes_on() {
    let script = [None, Some(Fault::BadRequest)].repeat(25);
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests + run.failed_requests), (Status::Failed, TWINS));
    // A request that was rejected while no other was asked is asked once more.
    assert!((20..=25).contains(&run.failed_requests), "{run:#?}");
    fixture.sound_and_paid(run.successful_requests).await;
}

#[actix_web::test]
async fn a_run_whose_few_interviews_are_all_rejected_ends_with_the_reason() {
    let stub = ModelServer::start(every_call(Fault::BadRequest));
    let fixture = EngineFixture::new(5).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 8).await;
    let id = fixture.start(&survey(2), PersonaChoice::Random(5), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Failed, 10), "{run:#?}");
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("That cannot be asked here")), "{run:#?}");
}

/// Duration of an outage.
#[derive(Clone, Copy)]
enum Away {
    /// Until a probe has found it too.
    UntilProbed,
    For(Duration),
}

/// Selects the end of the wait in milliseconds. All workers and pages can see it, with the reason.
const WAITING_UNTIL: &str = "SELECT (extract(epoch FROM blocked_until) * 1000)::bigint AS number FROM model_servers
    WHERE reason LIKE 'the model server is down: _%' AND blocked_until > now()";

impl Away {
    async fn over(self, fixture: &EngineFixture, run: i64) {
        let seen =
            |later: i64| format!("SELECT count(*) AS number FROM ({WAITING_UNTIL}) AS waiting WHERE number > {later}");
        fixture.until_found(&seen(0)).await;
        let standing = fixture.run(run).await;
        assert_eq!((standing.status, standing.failed_requests), (Status::Running, 0));
        match self {
            Self::UntilProbed => {
                // A probe that begins extends the wait by seconds.
                let until = "SELECT (extract(epoch FROM blocked_until) * 1000)::bigint AS number FROM model_servers";
                let until = fixture.number(until).await;
                fixture.until_found(&seen(until + 1_000)).await;
            }
            Self::For(time) => tokio::time::sleep(time).await,
        }
    }
}

/// Runs while the server is away: `leave` takes it down, `come_back` restores it. No request fails because of it.
async fn is_outlived<T>(
    at_once: u32,
    away: Away,
    leave: impl FnOnce(ModelServer) -> T,
    come_back: impl FnOnce(T) -> ModelServer,
) {
    let stub = ModelServer::start(Faults::default().latency_ms(20));
    let fixture = EngineFixture::new(TWINS).await;
    // With so few attempts, calls that counted during the outage would soon be failures.
    let engine = fixture.engine(&stub, |model| (model.max_concurrency, model.max_attempts) = (at_once, 4)).await;
    let id =
        fixture.start(&survey(10), PersonaChoice::Random(TWINS), |parameters| parameters.questions_per_call = 1).await;
    stub.reached(30).await;
    let left = leave(stub);
    away.over(&fixture, id).await;
    let _stub = come_back(left);
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{:?}", fixture.failures(id).await);
    fixture.sound_and_paid(TWINS * 10).await;
}

/// Makes the server answer every call with this fault for a while.
async fn faulty(at_once: u32, fault: Fault, away: Away) {
    let leave = |stub: ModelServer| {
        stub.set_faults(every_call(fault));
        stub
    };
    let come_back = |stub: ModelServer| {
        stub.set_faults(Faults::default());
        stub
    };
    is_outlived(at_once, away, leave, come_back).await;
}

/// Lets no server listen at the address for a while.
async fn refused(at_once: u32, away: Away) {
    let leave = |stub: ModelServer| stub.address().port();
    let come_back = |port| ModelServer::listen("127.0.0.1", port, Faults::default()).expect("the port is free again");
    is_outlived(at_once, away, leave, come_back).await;
}

const MINUTE: Away = Away::For(Duration::from_secs(60));

#[actix_web::test]
async fn a_server_that_refuses_connections_for_a_while_costs_no_request() {
    refused(8, Away::UntilProbed).await;
}

#[actix_web::test]
async fn a_server_that_answers_500_for_a_while_costs_no_request() {
    faulty(32, Fault::ServerError, Away::UntilProbed).await;
}

#[actix_web::test]
async fn a_server_that_resets_connections_for_a_while_costs_no_request() {
    faulty(2, Fault::ResetBefore, Away::UntilProbed).await;
}

#[actix_web::test]
async fn calls_side_by_side_that_are_late_cost_no_request() {
    const AT_ONCE: usize = 8;
    let script = [vec![None; 30], vec![Some(Fault::Hang); AT_ONCE]].concat();
    let stub = ModelServer::start(Faults { script, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| (model.max_concurrency, model.max_attempts) = (AT_ONCE as u32, 4)).await;
    let id = fixture.start(&survey(2), PersonaChoice::Random(TWINS), |it| it.questions_per_call = 1).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{:?}", fixture.failures(id).await);
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_server_that_is_loading_its_model_for_a_while_costs_no_request() {
    faulty(4, Fault::ModelMissing, Away::UntilProbed).await;
}

#[actix_web::test]
async fn a_model_that_twenty_interviews_find_missing_pauses_the_run_and_fails_no_request() {
    let stub = ModelServer::start(every_call(Fault::ModelMissing));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 32).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = paused(&fixture, id).await;
    assert_eq!((run.error_code.as_deref(), run.failed_requests), (Some("rejected"), 0));
    assert!(run.error_message.as_deref().is_some_and(|text| text.contains("does not exist")), "{run:#?}");
    resumes_well(&fixture, &stub, id).await;
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn what_was_asked_before_a_run_was_resumed_does_not_pause_it_again() {
    const AT_ONCE: u32 = 24;
    let stub = ModelServer::start(every_call(Fault::ModelMissing));
    let fixture = EngineFixture::new(TWINS).await;
    stub.hold();
    let engine = fixture.engine(&stub, |model| model.max_concurrency = AT_ONCE).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    stub.reached(AT_ONCE as usize).await;
    let leased = "FROM pgmq.q_interviews WHERE vt > clock_timestamp()";

    let conn = &mut fixture.pool.get().await.expect("a connection");
    control::pause(conn, id).await.expect("a running run pauses");
    fixture.until_found(&format!("SELECT (count(*) = {AT_ONCE})::int::bigint AS number {leased}")).await;
    stub.set_faults(Faults::default());
    control::resume(conn, id).await.expect("a paused run resumes");
    fixture.until_found(&format!("SELECT (count(*) > {AT_ONCE})::int::bigint AS number {leased}")).await;
    stub.release();

    let run = fixture.until(id, |run| run.status != Status::Running).await;
    assert_eq!((run.status, run.successful_requests, run.failed_requests), (Status::Completed, TWINS, 0), "{run:#?}");
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

/// Tests that a run at an unreachable server waits, reports the reason over the API and loses nothing.
async fn waits_for(base_url: &str) {
    let app = TestApp::start(&[]).await;
    let group = GroupFixture::open(&app, 1_000).await;
    let survey = group.survey(2).await;
    let run = group.start(survey, 1).await;
    let path = format!("/api/simulations/{}", run["simulationId"].as_str().expect("an id"));
    let engine = engine_reaching(app.database.url(), base_url).await;
    let progress = loop {
        let progress = group.author.get(&format!("{path}/live-progress")).await.ok();
        if progress["waitingUntil"].is_string() {
            break progress;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let found = progress["waitingReason"].as_str().expect("a wait has a reason");
    assert!(found.starts_with("the model server is down: could not connect to the model server: "), "{found}");
    assert_eq!(
        (&progress["status"], &progress["failedRequests"], &progress["errorMessage"]),
        (&json!("RUNNING"), &json!(0), &json!(null))
    );
    group.author.post(&format!("{path}/stop"), json!({})).await.ok();
    engine.shut_down().await;
    assert_eq!(group.budget().await, (1_000, 0));
    app.stop().await;
}

#[actix_web::test]
async fn a_host_that_no_name_server_knows_is_waited_for() {
    waits_for("http://model.invalid/v1").await;
}

#[actix_web::test]
async fn a_server_that_speaks_no_tls_is_waited_for() {
    let stub = ModelServer::start(Faults::default());
    waits_for(&stub.base_url().replace("http://", "https://")).await;
    assert_eq!(stub.counters().calls, 0);
}

/// Runs one twin with one question and two attempts, while nothing else is asked.
async fn lone(stub: &ModelServer) -> (EngineFixture, Engine, i64) {
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine(stub, |model| model.max_attempts = 2).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(1), |_| ()).await;
    (fixture, engine, id)
}

#[actix_web::test]
async fn a_lone_interview_waits_for_a_server_that_answers_nobody_and_is_answered_when_it_is_back() {
    for fault in [Fault::ServerError, Fault::ResetBefore] {
        let stub = ModelServer::start(every_call(fault));
        let (fixture, engine, id) = lone(&stub).await;
        Away::UntilProbed.over(&fixture, id).await;
        stub.set_faults(Faults::default());
        let run = fixture.ended(id).await;
        engine.shut_down().await;
        assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{:?}", fixture.failures(id).await);
        assert_eq!(run.calls as u64, stub.counters().calls, "probes are counted, too");
        fixture.sound_and_paid(1).await;
    }
}

#[actix_web::test]
async fn a_lone_request_that_fails_while_the_server_answers_others_ends_with_the_reason() {
    let stub = ModelServer::start(Faults { spares_prose: true, ..every_call(Fault::ServerError) });
    let (fixture, engine, id) = lone(&stub).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Failed, 1), "{run:#?}");
    assert_eq!(fixture.number("SELECT count(*) AS number FROM model_servers WHERE blocked_until > now()").await, 0);
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
