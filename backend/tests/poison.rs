//! An interview that may crash its workers is asked alone before it fails; other interviews are not affected.

use std::time::Duration;

use model_server::{Faults, ModelServer};
use simulation::status::Status;
use twinlab::models::queue;
use twinlab::models::simulations::start::PersonaChoice;
use uuid::Uuid;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::sample;

/// Starts a run of ten personas, whose messages `change` changes before a worker sees them.
async fn after(questions: usize, change: &str) -> (EngineFixture, ModelServer, i64) {
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let fixture = EngineFixture::new(10).await;
    let id = fixture
        .start(&survey(questions), PersonaChoice::Random(10), |parameters| parameters.questions_per_call = 1)
        .await;
    let change = format!("UPDATE pgmq.q_interviews SET {change}");
    sample::run(&mut fixture.pool.get().await.expect("a connection"), &change).await;
    (fixture, stub, id)
}

#[actix_web::test]
async fn deliveries_without_a_call_under_way_fail_nothing() {
    let (fixture, stub, id) = after(2, "read_ct = 9").await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 20), "{run:#?}");
    fixture.sound_and_paid(20).await;
}

#[actix_web::test]
async fn an_interview_that_broke_off_alone_too_is_failed_and_no_other() {
    let broken = r#"read_ct = 7, message = message || '{"broke": 6, "open": 2}'
        WHERE (message ->> 'persona')::integer = 3"#;
    let (fixture, stub, id) = after(2, broken).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests, run.failed_requests), (Status::Failed, 18, 2), "{run:#?}");
    let others = "SELECT count(*) AS number FROM request_failures WHERE persona_id <> 3 OR code <> 'poison'";
    assert_eq!(fixture.number(others).await, 0);
    fixture.sound_and_paid(18).await;
}

#[actix_web::test]
async fn stored_progress_ends_the_suspicion() {
    let progressed = r#"read_ct = 9, message = message || '{"broke": 6, "open": 3}'"#;
    let (fixture, stub, id) = after(2, progressed).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 20), "{run:#?}");
}

#[actix_web::test]
async fn suspects_are_asked_one_at_a_time_until_something_is_stored() {
    let suspects = r#"read_ct = 4, message = message || '{"broke": 3, "open": 1}'"#;
    let (fixture, stub, id) = after(1, suspects).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 10), "{run:#?}");
    assert_eq!(stub.counters().concurrency_peak, 1);
    fixture.sound_and_paid(10).await;
}

#[actix_web::test]
async fn a_lease_of_a_clock_that_was_ahead_ends_when_a_lease_does_and_one_that_is_held_stays() {
    const LEASE: Duration = Duration::from_secs(30);
    let (fixture, _stub, id) = after(1, "vt = clock_timestamp() - interval '1 second'").await;
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    let claims = queue::claim(connection, id, 4, LEASE, Uuid::nil(), None).await.expect("a claim");
    let held: Vec<_> = claims.iter().map(|claim| claim.lease()).collect();
    assert_eq!(held.len(), 4);
    assert_eq!(queue::shorten_leases(connection, LEASE).await, Ok(0), "leases that may be live stay");
    sample::run(connection, "UPDATE pgmq.q_interviews SET vt = clock_timestamp() + interval '10 minutes'").await;
    assert_eq!(queue::shorten_leases(connection, LEASE).await, Ok(10));
    let later = "SELECT count(*) AS number FROM pgmq.q_interviews WHERE vt > clock_timestamp() + interval '30 s'";
    assert_eq!(fixture.number(later).await, 0);
    assert_eq!(queue::extend(connection, &held, LEASE).await.expect("a renewal").len(), 4, "who holds one renews it");
}
