//! What runs tell by mail: once, to who started them and wants to hear it.

use model_server::{Faults, Stub};
use serde_json::{Value, json};
use twinlab::models::mails;
use twinlab::models::simulations::Status;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::Choice;

use crate::support::lab::{Lab, MEMBER, survey};
use crate::support::sample;

/// The mails that wait: their kinds and facts.
async fn waiting(lab: &Lab) -> Vec<(String, Value)> {
    let conn = &mut *lab.pool.get().await.expect("a connection");
    let mut mails = mails::claim(conn, 100).await.expect("the query runs");
    mails.sort_by_key(|mail| mail.id);
    assert!(mails.iter().all(|mail| mail.recipient == MEMBER && mail.user_id == Some(lab.user_id)), "{mails:#?}");
    mails.into_iter().map(|mail| (mail.kind, mail.facts)).collect()
}

async fn run(lab: &Lab, sql: &str) {
    sample::run(&mut lab.pool.get().await.expect("a connection"), sql).await;
}

#[actix_web::test]
async fn a_run_that_ends_is_told_of_once_and_so_is_a_budget_that_it_left_low() {
    let (stub, lab) = (Stub::start(Faults::default()), Lab::new(20).await);
    let budget = 150;
    let _: i64 = lab.admit("other@test.example", 1_000).await;
    let grant = twinlab::models::transactions::Grant {
        group_id: lab.group_id,
        user_id: lab.user_id,
        amount: twinlab::models::transactions::Amount::Set(budget),
        description: "Just enough",
        created_by: lab.owner_id,
    };
    grant.book(&mut lab.pool.get().await.expect("a connection")).await.expect("a grant");
    let engines = [lab.engine(&stub, |_| {}).await, lab.engine(&stub, |_| {}).await];
    let first = lab.start(&survey(3), Choice::Random(20), |_| {}).await;
    let first = lab.ended(first).await;
    assert_eq!(first.status, Status::Completed);
    let told = waiting(&lab).await;
    let [(ended, facts), (low, left)] = &told[..] else { panic!("{told:#?}") };
    assert_eq!((ended.as_str(), low.as_str()), ("run_ended", "low_budget"));
    assert_eq!((&facts["simulationId"], &facts["succeeded"]), (&json!(first.simulation_id), &json!(60)));
    assert_eq!(left["available"], 90);

    // The second run finds the budget told of.
    let second = lab.start(&survey(1), Choice::Random(2), |_| {}).await;
    lab.ended(second).await;
    assert_eq!(waiting(&lab).await.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(), ["run_ended"]);
    for engine in engines {
        engine.shut_down().await;
    }
}

#[actix_web::test]
async fn who_wants_no_mails_gets_none() {
    let (stub, lab) = (Stub::start(Faults::default()), Lab::new(2).await);
    let user = lab.user_id;
    run(&lab, &format!("INSERT INTO user_settings (user_id, simulation_complete) VALUES ({user}, false)")).await;
    let engine = lab.engine(&stub, |_| {}).await;
    let id = lab.start(&survey(1), Choice::Random(2), |_| {}).await;
    lab.ended(id).await;
    assert_eq!(waiting(&lab).await, []);
    engine.shut_down().await;
}

#[actix_web::test]
async fn an_error_that_pauses_a_run_is_told_of_with_its_reason() {
    let lab = Lab::new(2).await;
    let id = lab.start(&survey(1), Choice::Random(2), |_| {}).await;
    let conn = &mut *lab.pool.get().await.expect("a connection");
    for _ in 0..2 {
        control::pause_because(conn, id, "unauthorized", "Incorrect API key provided").await.expect("it pauses");
    }
    let told = waiting(&lab).await;
    let [(kind, facts)] = &told[..] else { panic!("{told:#?}") };
    assert_eq!((kind.as_str(), &facts["reason"]), ("run_paused", &json!("Incorrect API key provided")));
    control::resume(conn, id).await.expect("it goes on");
    control::pause(conn, id).await.expect("a person pauses it");
    assert_eq!(waiting(&lab).await, []);
}
