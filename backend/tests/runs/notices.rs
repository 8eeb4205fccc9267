//! Mails about runs: once, to the user who started the run, if they want them.

use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use simulation::status::Status;
use twinlab::models::mails;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, MEMBER, survey};
use crate::support::sample;

/// Kinds and facts of the queued mails.
async fn waiting(fixture: &EngineFixture) -> Vec<(String, Value)> {
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    let mut mails = mails::claim(conn, 100).await.expect("the query runs");
    mails.sort_by_key(|mail| mail.id);
    assert!(mails.iter().all(|mail| mail.recipient == MEMBER && mail.user_id == Some(fixture.user_id)), "{mails:#?}");
    mails.into_iter().map(|mail| (mail.kind, mail.facts)).collect()
}

async fn run(fixture: &EngineFixture, sql: &str) {
    sample::run(&mut fixture.pool.get().await.expect("a connection"), sql).await;
}

#[actix_web::test]
async fn a_run_that_ends_is_told_of_once_and_so_is_a_budget_that_it_left_low() {
    let (stub, fixture) = (ModelServer::start(Faults::default()), EngineFixture::new(20).await);
    let budget = 150;
    let _: i64 = fixture.admit("other@test.example", 1_000).await;
    let grant = twinlab::models::transactions::BudgetGrant {
        group_id: fixture.group_id,
        user_id: fixture.user_id,
        amount: twinlab::models::transactions::Amount::Set(budget),
        description: "Just enough",
        created_by: fixture.owner_id,
    };
    grant.book(&mut fixture.pool.get().await.expect("a connection")).await.expect("a grant");
    run(&fixture, "UPDATE users SET is_verified = true").await;
    let engines = [fixture.engine(&stub, |_| {}).await, fixture.engine(&stub, |_| {}).await];
    let first = fixture.start(&survey(3), PersonaChoice::Random(20), |_| {}).await;
    let first = fixture.ended(first).await;
    assert_eq!(first.status, Status::Completed);
    let mails = waiting(&fixture).await;
    let [(ended, facts), (low, left)] = &mails[..] else { panic!("{mails:#?}") };
    assert_eq!((ended.as_str(), low.as_str()), ("run_ended", "low_budget"));
    assert_eq!((&facts["simulationId"], &facts["succeeded"]), (&json!(first.simulation_id), &json!(60)));
    assert_eq!(left["available"], 90);

    // The second run's mail about the low budget was sent already.
    let second = fixture.start(&survey(1), PersonaChoice::Random(2), |_| {}).await;
    fixture.ended(second).await;
    assert_eq!(waiting(&fixture).await.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(), ["run_ended"]);
    for engine in engines {
        engine.shut_down().await;
    }
}

#[actix_web::test]
async fn who_wants_no_mails_gets_none() {
    let (stub, fixture) = (ModelServer::start(Faults::default()), EngineFixture::new(2).await);
    let user = fixture.user_id;
    run(&fixture, &format!("INSERT INTO user_settings (user_id, simulation_complete) VALUES ({user}, false)")).await;
    let engine = fixture.engine(&stub, |_| {}).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(2), |_| {}).await;
    fixture.ended(id).await;
    assert_eq!(waiting(&fixture).await, []);
    engine.shut_down().await;
}

#[actix_web::test]
async fn an_error_that_pauses_a_run_is_told_of_with_its_reason() {
    let fixture = EngineFixture::new(2).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(2), |_| {}).await;
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    for _ in 0..2 {
        control::pause_because(conn, id, "unauthorized", "Incorrect API key provided").await.expect("it pauses");
    }
    let mails = waiting(&fixture).await;
    let [(kind, facts)] = &mails[..] else { panic!("{mails:#?}") };
    assert_eq!((kind.as_str(), &facts["reason"]), ("run_paused", &json!("Incorrect API key provided")));
    control::resume(conn, id).await.expect("it goes on");
    control::pause(conn, id).await.expect("a person pauses it");
    assert_eq!(waiting(&fixture).await, []);
}
