//! The provider's limits over several workers, and how runs and workers share them.

use std::collections::HashSet;
use std::pin::pin;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures_util::StreamExt;
use futures_util::future::join_all;
use model_server::{Faults, Stub};
use serde_json::json;
use twinlab::config::ModelConfig;
use twinlab::engine::Engine;
use twinlab::models::queue::{self, Lease};
use twinlab::models::simulations::start::Choice;
use twinlab::models::workers::{self, Renewal};
use uuid::Uuid;

use crate::support::Simulate;
use crate::support::lab::{Lab, survey};
use crate::support::sample;

/// Three workers on one database, all with the same configuration.
async fn three_workers(lab: &Lab, stub: &Stub, change: fn(&mut ModelConfig)) -> Vec<Engine> {
    join_all((0..3).map(|_| lab.engine(stub, change))).await
}

async fn shut_down(engines: Vec<Engine>) {
    join_all(engines.into_iter().map(Engine::shut_down)).await;
}

/// In real time: what a provider counts, it counts so. The quota alone is tested over five virtual minutes beside it.
#[actix_web::test]
async fn three_workers_together_use_95_percent_of_the_calls_a_minute_and_never_more_than_all() {
    const RPM: u64 = 6_000;
    let stub = Stub::start(Faults::default().latency_ms(100));
    let lab = Lab::new(3_600).await;
    let engines =
        three_workers(&lab, &stub, |model| (model.rpm, model.max_concurrency) = (Some(RPM as u32), 300)).await;
    let id = lab.start(&survey(2), Choice::Random(3_600), |parameters| parameters.questions_per_call = 1).await;
    lab.ended(id).await;
    shut_down(engines).await;
    let peak = stub.counters().calls_per_minute_peak;
    assert!((RPM * 95 / 100..=RPM).contains(&peak), "{peak} calls in the busiest minute");
    lab.sound_and_paid(7_200).await;
}

#[actix_web::test]
async fn three_workers_together_use_95_percent_of_the_tokens_a_minute_and_never_more_than_all() {
    const TPM: u64 = 600_000;
    let stub = Stub::start(Faults::default().latency_ms(100));
    let lab = Lab::new(2_000).await;
    let engines =
        three_workers(&lab, &stub, |model| (model.tpm, model.max_concurrency) = (Some(TPM as u32), 300)).await;
    let id = lab.start(&survey(2), Choice::Random(2_000), |parameters| parameters.questions_per_call = 1).await;
    // A minute and a good bit of another.
    lab.until(id, |run| run.prompt_tokens + run.completion_tokens > TPM as i64 * 5 / 4 || run.status.is_over()).await;
    let peak = stub.counters().tokens_per_minute_peak;
    shut_down(engines).await;
    assert!((TPM * 95 / 100..=TPM).contains(&peak), "{peak} tokens in the busiest minute");
}

/// A worker's session, without the worker.
struct Worker {
    id: Uuid,
    connection: AsyncPgConnection,
}

impl Worker {
    async fn new(lab: &Lab) -> Self {
        let mut connection = AsyncPgConnection::establish(lab.database.url()).await.expect("a connection");
        let id = Uuid::new_v4();
        workers::enlist(&mut connection, id).await.expect("a session");
        Self { id, connection }
    }

    /// Renews and returns the share, in per cent.
    async fn renew(&mut self, busy: bool) -> i32 {
        let renewal = Renewal { id: self.id, name: "test".into(), busy, in_flight: json!({}) };
        let renewed = workers::renew(&mut self.connection, &renewal).await.expect("a renewal");
        (renewed.share * 100.0).round() as i32
    }
}

#[actix_web::test]
async fn a_block_of_the_model_server_is_rung_once_however_often_it_is_told() {
    let lab = Lab::new(1).await;
    let (mut told, mut tells) = (Worker::new(&lab).await, Worker::new(&lab).await);
    let until = Utc::now() + TimeDelta::minutes(1);
    for until in [until, until, until - TimeDelta::seconds(1)] {
        workers::block(&mut tells.connection, until, "rate limit").await.expect("it is told");
    }
    sample::run(&mut tells.connection, "SELECT pg_notify('twinlab_control', 'the last')").await;
    let mut rung = pin!(told.connection.notifications_stream());
    let mut next = async || rung.next().await.expect("the session is open").expect("it is told").payload;
    assert_eq!((next().await, next().await), (String::new(), "the last".to_owned()));
}

async fn sum_of_shares(lab: &Lab) -> i64 {
    lab.number("SELECT coalesce(sum(share), 0) AS number FROM workers WHERE lease_until > now()").await
}

#[actix_web::test]
async fn a_newcomer_gets_its_part_only_when_the_others_have_made_room() {
    let lab = Lab::new(1).await;
    let (mut first, mut second, mut third) =
        (Worker::new(&lab).await, Worker::new(&lab).await, Worker::new(&lab).await);
    assert_eq!(first.renew(true).await, 100, "a lone worker has all");
    assert_eq!(second.renew(true).await, 0);
    assert_eq!(first.renew(true).await, 50);
    assert_eq!(second.renew(true).await, 50);
    assert_eq!(third.renew(true).await, 0);
    assert_eq!((first.renew(true).await, second.renew(true).await, third.renew(true).await), (33, 33, 33));
    assert!(sum_of_shares(&lab).await <= 1_000_000);
}

#[actix_web::test]
async fn a_worker_without_interviews_leaves_its_part_to_the_busy_ones() {
    let lab = Lab::new(1).await;
    let (mut busy, mut idle) = (Worker::new(&lab).await, Worker::new(&lab).await);
    assert_eq!((idle.renew(false).await, busy.renew(true).await), (100, 0));
    assert_eq!((idle.renew(false).await, busy.renew(true).await), (0, 100));
}

#[actix_web::test]
async fn the_part_of_a_worker_whose_session_ended_is_free_at_once() {
    let lab = Lab::new(1).await;
    let (mut left, mut killed) = (Worker::new(&lab).await, Worker::new(&lab).await);
    assert_eq!((killed.renew(true).await, left.renew(true).await), (100, 0));
    drop(killed);
    while workers::others_alive(&mut left.connection, left.id).await.expect("an answer") {
        tokio::task::yield_now().await;
    }
    assert_eq!(left.renew(true).await, 100);
}

#[actix_web::test]
async fn the_part_of_a_worker_that_hangs_is_free_when_its_lease_is_over() {
    let lab = Lab::new(1).await;
    let (mut left, mut hung) = (Worker::new(&lab).await, Worker::new(&lab).await);
    assert_eq!((hung.renew(true).await, left.renew(true).await), (100, 0));
    let over = format!("UPDATE workers SET lease_until = now() WHERE id = '{}'", hung.id);
    sample::run(&mut lab.pool.get().await.expect("a connection"), &over).await;
    assert_eq!(left.renew(true).await, 50, "a fair part, for the other may come back");
    assert_eq!(hung.renew(true).await, 50);
}

#[actix_web::test]
async fn whatever_the_order_of_renewals_the_live_parts_never_add_up_to_more_than_the_whole() {
    let lab = Lab::new(1).await;
    let mut fleet = Vec::new();
    for round in 0..60_usize {
        if round % 7 == 0 {
            fleet.push(Worker::new(&lab).await);
        }
        if round % 17 == 16 {
            fleet.remove(round % fleet.len());
        }
        let next = round * 5 % fleet.len();
        fleet[next].renew(round % 3 > 0).await;
        let sum = sum_of_shares(&lab).await;
        assert!(sum <= 1_000_000, "{sum} parts of a million in round {round}");
    }
}

#[actix_web::test]
async fn a_worker_that_starts_beside_one_that_has_only_just_joined_leaves_it_its_interviews() {
    let stub = Stub::start(Faults::default());
    let lab = Lab::new(2).await;
    let Worker { id, mut connection } = Worker::new(&lab).await;
    let joined = connection.transaction(async |connection| workers::join(connection, id, "first").await);
    assert!(joined.await.expect("it joins"), "nobody else is there");
    let run = lab.start(&survey(1), Choice::Random(2), |_| ()).await;
    let claims = queue::claim(&mut connection, run, 2).await.expect("interviews");
    let leases: Vec<Lease> = claims.iter().map(|claim| claim.lease()).collect();

    let engine = lab.engine(&stub, |_| ()).await;
    assert_eq!(queue::extend(&mut connection, &leases).await.expect("an answer").len(), 2);
    engine.shut_down().await;
}

/// Looks until the engines' parts are as wanted.
async fn until_shares(lab: &Lab, wanted: &str) {
    lab.until_found(&format!("SELECT count(*) AS number FROM workers WHERE {wanted}")).await;
}

#[actix_web::test]
async fn a_worker_that_finds_no_interview_left_does_not_slow_down_the_one_that_has_them() {
    let stub = Stub::start(Faults::default());
    stub.hold();
    let lab = Lab::new(10).await;
    let patient = |model: &mut ModelConfig| model.timeout = Duration::from_secs(60);
    let busy = lab.engine(&stub, patient).await;
    let id = lab.start(&survey(1), Choice::Random(10), |_| ()).await;
    stub.reached(10).await;
    let idle = lab.engine(&stub, patient).await;
    until_shares(&lab, "NOT busy AND share = 0").await;
    until_shares(&lab, "busy AND share = 1000000").await;
    stub.release();
    lab.ended(id).await;
    shut_down(vec![busy, idle]).await;
    lab.sound_and_paid(10).await;
}

#[actix_web::test]
async fn the_share_of_a_killed_worker_is_taken_over_and_so_are_its_interviews() {
    let stub = Stub::start(Faults::default().latency_ms(20));
    let lab = Lab::new(400).await;
    let mut simulate = Simulate::new(&lab, &stub, &survey(5), "answers.csv");
    simulate.command.args(["--personas", "400"]);
    // It must not claim everything: what it holds when it dies is leased for a while.
    simulate.command.envs([("LLM_RPM", "3000"), ("LLM_QUESTIONS_PER_CALL", "1"), ("LLM_MAX_CONCURRENCY", "64")]);
    let doomed = simulate.spawn();
    stub.reached(100).await;
    let engine = lab.engine(&stub, |model| (model.rpm, model.max_concurrency) = (Some(3_000), 256)).await;
    until_shares(&lab, "busy AND share = 500000").await;
    doomed.kill();
    until_shares(&lab, "busy AND share = 1000000").await;
    let id = lab.number("SELECT id AS number FROM simulations").await;
    let run = lab.ended(id).await;
    engine.shut_down().await;
    assert!(stub.counters().calls_per_minute_peak <= 3_000, "{:#?}", stub.counters());
    lab.sound_and_paid(run.total_requests).await;
}

#[actix_web::test]
async fn a_small_run_beside_a_large_one_gets_its_fair_half_of_the_calls() {
    const SMALL: usize = 50;
    let stub = Stub::start(Faults { keep_bodies: true, ..Faults::default() });
    let lab = Lab::new(205).await;
    let engine = lab.engine(&stub, |model| model.rpm = Some(1_500)).await;
    let one_a_call = |parameters: &mut twinlab::models::simulations::Parameters| parameters.questions_per_call = 1;
    lab.start(&survey(10), Choice::Ids((1..=200).collect()), one_a_call).await;
    // Past its first burst.
    stub.reached(100).await;
    let small = lab.start(&survey(10), Choice::Ids((201..=205).collect()), one_a_call).await;
    lab.ended(small).await;
    engine.shut_down().await;

    let small: Vec<String> = (201..=205).map(|twin| format!("twin number {twin}.")).collect();
    let is_small = |body: &[u8]| small.iter().any(|twin| String::from_utf8_lossy(body).contains(twin));
    let bodies = stub.bodies();
    let places: Vec<usize> =
        bodies.iter().enumerate().filter(|(_, body)| is_small(body)).map(|(place, _)| place).collect();
    assert_eq!(places.len(), SMALL);
    assert_eq!(bodies.iter().collect::<HashSet<_>>().len(), bodies.len(), "no call was made twice");
    // Alone it takes 50 grants.
    let taken = places[SMALL - 1] - places[0] + 1;
    assert!(taken * 10 <= SMALL * 22, "its {SMALL} calls took {taken} grants");
}
