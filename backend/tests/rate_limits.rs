//! The provider's limits over several workers, and their division among runs and workers.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::pin::pin;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures_util::StreamExt;
use futures_util::future::join_all;
use model_server::{Call, Faults, Limits, ModelServer};
use serde_json::json;
use simulation::parameters::{DEFAULT_SERVER, Parameters};
use twinlab::config::ModelConfig;
use twinlab::engine::{Engine, Timings};
use twinlab::models::model_servers;
use twinlab::models::queue::{self, Lease};
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::workers::{self, Renewal, ServerUse};
use uuid::Uuid;

use crate::support::Simulate;
use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::sample;

/// A shorter minute than in production, and shares that settle within a part of it.
fn short_minute() -> Timings {
    Timings { minute: Duration::from_secs(15), share_lease: Duration::from_secs(3), ..Timings::default() }
}

/// Starts three workers on one database, all with the same configuration.
async fn three_workers(
    fixture: &EngineFixture,
    stub: &ModelServer,
    timings: Timings,
    change: impl Fn(&mut ModelConfig),
) -> Vec<Engine> {
    join_all((0..3).map(|_| fixture.engine_with(stub, timings, &change))).await
}

async fn shut_down(engines: Vec<Engine>) {
    join_all(engines.into_iter().map(Engine::shut_down)).await;
}

/// The maximum over all windows of this length of the sum of `weight` over the calls that arrived in it.
fn peak(stub: &ModelServer, window: Duration, weight: impl Fn(&Call) -> u32) -> u32 {
    let calls = stub.calls();
    let in_window = |(index, start): (usize, &Call)| {
        let count = calls[index..].partition_point(|call| call.arrived < start.arrived + window);
        calls[index..index + count].iter().map(&weight).sum()
    };
    calls.iter().enumerate().map(in_window).max().unwrap_or_default()
}

/// Tests two and a half minutes of work.
async fn calls_stay_within_the_limit_and_use_it(timings: Timings, rpm: u32) {
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let personas = rpm as i32 * 5 / 4;
    let fixture = EngineFixture::new(personas).await;
    let change = |model: &mut ModelConfig| (model.rpm, model.max_concurrency) = (Some(rpm), 300);
    let engines = three_workers(&fixture, &stub, timings, change).await;
    let id = fixture
        .start(&survey(2), PersonaChoice::Random(personas), |parameters| parameters.questions_per_call = 1)
        .await;
    fixture.ended(id).await;
    shut_down(engines).await;
    let peak = peak(&stub, timings.minute, |_| 1);
    assert!((rpm * 95 / 100..=rpm).contains(&peak), "{peak} calls in the busiest minute");
    fixture.sound_and_paid(2 * personas).await;
}

#[actix_web::test]
async fn three_workers_together_use_95_percent_of_the_calls_a_minute_and_never_more_than_all() {
    calls_stay_within_the_limit_and_use_it(short_minute(), 750).await;
}

#[actix_web::test]
#[ignore = "slow: takes minutes; the test of a short minute takes the same code paths"]
async fn three_workers_together_keep_to_the_calls_of_a_real_minute() {
    calls_stay_within_the_limit_and_use_it(Timings::default(), 6_000).await;
}

/// Tests work that uses two minutes' tokens.
async fn tokens_stay_within_the_limit_and_use_it(timings: Timings, tpm: u32) {
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let fixture = EngineFixture::new(5_000).await;
    let change = |model: &mut ModelConfig| (model.tpm, model.max_concurrency) = (Some(tpm), 300);
    let engines = three_workers(&fixture, &stub, timings, change).await;
    let id =
        fixture.start(&survey(2), PersonaChoice::Random(5_000), |parameters| parameters.questions_per_call = 1).await;
    fixture
        .until(id, |run| run.prompt_tokens + run.completion_tokens > 2 * i64::from(tpm) || run.status.is_over())
        .await;
    let peak = peak(&stub, timings.minute, |call| call.prompt_tokens + call.completion_tokens);
    shut_down(engines).await;
    assert!((tpm * 95 / 100..=tpm).contains(&peak), "{peak} tokens in the busiest minute");
}

#[actix_web::test]
async fn three_workers_together_use_95_percent_of_the_tokens_a_minute_and_never_more_than_all() {
    tokens_stay_within_the_limit_and_use_it(short_minute(), 150_000).await;
}

#[actix_web::test]
#[ignore = "slow: takes minutes; the test of a short minute takes the same code paths"]
async fn three_workers_together_keep_to_the_tokens_of_a_real_minute() {
    tokens_stay_within_the_limit_and_use_it(Timings::default(), 600_000).await;
}

#[actix_web::test]
async fn limits_that_only_the_model_servers_headers_say_are_kept_and_used() {
    const RPM: u32 = 3_000;
    const WINDOW: Duration = Duration::from_secs(6);
    let limits = Limits { requests: Some(RPM), burst: Duration::from_secs(1), headers: true, ..Limits::default() };
    let stub = ModelServer::start(Faults { limits, ..Faults::default().latency_ms(50) });
    let fixture = EngineFixture::new(300).await;
    let engine = fixture.engine(&stub, |model| (model.rpm, model.tpm) = (None, None)).await;
    let id = fixture.start(&survey(2), PersonaChoice::Random(300), one_question_a_call).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.successful_requests, run.failed_requests), (600, 0));
    let refused = stub.counters().too_many_requests;
    // On a busy machine the first report is late and calls arrive in bursts; the benchmark measures the attainable
    // number.
    assert!(refused < 60, "{refused} calls of 600 were refused");
    let (peak, allowed) = (peak(&stub, WINDOW, |_| 1), RPM / 10);
    assert!(peak >= allowed * 95 / 100, "{peak} calls in 6 s, of {allowed} that were allowed");
    fixture.sound_and_paid(600).await;
}

/// A worker's session, without the worker.
struct Worker {
    id: Uuid,
    connection: AsyncPgConnection,
}

impl Worker {
    async fn new(fixture: &EngineFixture) -> Self {
        let mut connection = AsyncPgConnection::establish(fixture.database.url()).await.expect("a connection");
        let id = Uuid::new_v4();
        workers::open_session(&mut connection, id).await.expect("a session");
        Self { id, connection }
    }

    /// Renews the lease and returns the share in per cent.
    async fn renew(&mut self, busy: bool) -> i32 {
        self.renew_with(DEFAULT_SERVER, busy).await
    }

    /// Renews the lease of a worker that may ask this server alone.
    async fn renew_with(&mut self, server: &str, busy: bool) -> i32 {
        let lease = Timings::default().share_lease;
        let servers = vec![ServerUse { name: server.into(), busy, ..ServerUse::default() }];
        let renewal =
            Renewal { id: self.id, process: self.id, name: "test".into(), servers, in_flight: json!({}), lease };
        let renewed = workers::renew(&mut self.connection, &renewal).await.expect("a renewal");
        (renewed.servers[0].share() * 100.0).round() as i32
    }
}

#[actix_web::test]
async fn a_block_of_the_model_server_notifies_the_workers_once_however_often_it_is_reported() {
    let fixture = EngineFixture::new(1).await;
    let (mut notified, mut reporting) = (Worker::new(&fixture).await, Worker::new(&fixture).await);
    let until = Utc::now() + TimeDelta::minutes(1);
    for until in [until, until, until - TimeDelta::seconds(1)] {
        model_servers::block(&mut reporting.connection, DEFAULT_SERVER, until, "rate limit")
            .await
            .expect("it is written");
    }
    sample::run(&mut reporting.connection, "SELECT pg_notify('twinlab_control', 'the last')").await;
    let mut notifications = pin!(notified.connection.notifications_stream());
    let mut next = async || notifications.next().await.expect("the session is open").expect("one came").payload;
    assert_eq!((next().await, next().await), (String::new(), "the last".to_owned()));
}

async fn sum_of_shares(fixture: &EngineFixture) -> i64 {
    fixture.number("SELECT coalesce(sum(share), 0) AS number FROM worker_shares JOIN workers ON id = worker_id WHERE lease_until > now()").await
}

#[actix_web::test]
async fn a_newcomer_gets_its_part_only_when_the_others_have_made_room() {
    let fixture = EngineFixture::new(1).await;
    let (mut first, mut second, mut third) =
        (Worker::new(&fixture).await, Worker::new(&fixture).await, Worker::new(&fixture).await);
    assert_eq!(first.renew(true).await, 100, "a lone worker has all");
    assert_eq!(second.renew(true).await, 0);
    assert_eq!(first.renew(true).await, 50);
    assert_eq!(second.renew(true).await, 50);
    assert_eq!(third.renew(true).await, 0);
    assert_eq!((first.renew(true).await, second.renew(true).await, third.renew(true).await), (33, 33, 33));
    assert!(sum_of_shares(&fixture).await <= 1_000_000);
}

#[actix_web::test]
async fn a_worker_without_interviews_leaves_its_part_to_the_busy_ones() {
    let fixture = EngineFixture::new(1).await;
    let (mut busy, mut idle) = (Worker::new(&fixture).await, Worker::new(&fixture).await);
    assert_eq!((idle.renew(false).await, busy.renew(true).await), (100, 0));
    assert_eq!((idle.renew(false).await, busy.renew(true).await), (0, 100));
}

#[actix_web::test]
async fn each_model_server_is_divided_by_itself() {
    let fixture = EngineFixture::new(1).await;
    let (mut here, mut there) = (Worker::new(&fixture).await, Worker::new(&fixture).await);
    assert_eq!((here.renew_with("a", true).await, there.renew_with("b", true).await), (100, 100));
    // One that moves to another server gives its part of the first one back.
    assert_eq!((here.renew_with("b", true).await, there.renew_with("b", true).await), (0, 50));
    assert_eq!((here.renew_with("b", true).await, there.renew_with("a", true).await), (50, 100));
}

#[actix_web::test]
async fn the_part_of_a_worker_whose_session_ended_is_free_at_once() {
    let fixture = EngineFixture::new(1).await;
    let (mut left, mut killed) = (Worker::new(&fixture).await, Worker::new(&fixture).await);
    assert_eq!((killed.renew(true).await, left.renew(true).await), (100, 0));
    drop(killed);
    while workers::others_alive(&mut left.connection, left.id).await.expect("an answer") {
        tokio::task::yield_now().await;
    }
    assert_eq!(left.renew(true).await, 100);
}

#[actix_web::test]
async fn the_part_of_a_worker_that_hangs_is_free_when_its_lease_is_over() {
    let fixture = EngineFixture::new(1).await;
    let (mut left, mut hung) = (Worker::new(&fixture).await, Worker::new(&fixture).await);
    assert_eq!((hung.renew(true).await, left.renew(true).await), (100, 0));
    let over = format!("UPDATE workers SET lease_until = now() WHERE id = '{}'", hung.id);
    sample::run(&mut fixture.pool.get().await.expect("a connection"), &over).await;
    assert_eq!(left.renew(true).await, 50, "a fair part, for the other may come back");
    assert_eq!(hung.renew(true).await, 50);
}

#[actix_web::test]
async fn whatever_the_order_of_renewals_the_live_parts_never_add_up_to_more_than_the_whole() {
    let fixture = EngineFixture::new(1).await;
    let mut workers = Vec::new();
    for round in 0..60_usize {
        if round % 7 == 0 {
            workers.push(Worker::new(&fixture).await);
        }
        if round % 17 == 16 {
            workers.remove(round % workers.len());
        }
        let next = round * 5 % workers.len();
        workers[next].renew(round % 3 > 0).await;
        let sum = sum_of_shares(&fixture).await;
        assert!(sum <= 1_000_000, "{sum} parts of a million in round {round}");
    }
}

#[actix_web::test]
async fn a_worker_that_starts_beside_one_that_has_only_just_joined_leaves_it_its_interviews() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(2).await;
    let Worker { id, mut connection } = Worker::new(&fixture).await;
    let joined = connection.transaction(async |connection| workers::join(connection, id, "first").await);
    assert!(joined.await.expect("it joins"), "nobody else is there");
    let run = fixture.start(&survey(1), PersonaChoice::Random(2), |_| ()).await;
    let lease = Timings::default().interview_lease;
    let claims = queue::claim(&mut connection, run, 2, lease, id, None).await.expect("interviews");
    let leases: Vec<Lease> = claims.iter().map(|claim| claim.lease()).collect();

    let engine = fixture.engine(&stub, |_| ()).await;
    assert_eq!(queue::extend(&mut connection, &leases, lease).await.expect("an answer").len(), 2);
    engine.shut_down().await;
}

/// Waits until the engines' shares are as wanted.
async fn until_shares(fixture: &EngineFixture, wanted: &str) {
    fixture.until_found(&format!("SELECT count(*) AS number FROM worker_shares WHERE {wanted}")).await;
}

#[actix_web::test]
async fn a_worker_that_finds_no_interview_left_does_not_slow_down_the_one_that_has_them() {
    let stub = ModelServer::start(Faults::default());
    stub.hold();
    let fixture = EngineFixture::new(10).await;
    let patient = |model: &mut ModelConfig| model.timeout = Duration::from_secs(60);
    let busy = fixture.engine(&stub, patient).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(10), |_| ()).await;
    stub.reached(10).await;
    let idle = fixture.engine(&stub, patient).await;
    until_shares(&fixture, "NOT busy AND share = 0").await;
    until_shares(&fixture, "busy AND share = 1000000").await;
    stub.release();
    fixture.ended(id).await;
    shut_down(vec![busy, idle]).await;
    fixture.sound_and_paid(10).await;
}

#[actix_web::test]
async fn the_share_of_a_killed_worker_is_taken_over_and_so_are_its_interviews() {
    let stub = ModelServer::start(Faults::default().latency_ms(20));
    let fixture = EngineFixture::new(200).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey(5), "answers.csv");
    simulate.command.args(["--personas", "200"]);
    // It must not claim everything, because its interviews stay leased for a while when it dies.
    simulate.command.envs([("LLM_RPM", "3000"), ("LLM_QUESTIONS_PER_CALL", "1"), ("LLM_MAX_CONCURRENCY", "64")]);
    simulate.command.env("INTERVIEW_LEASE_S", "3");
    let doomed = simulate.spawn();
    stub.reached(100).await;
    let timings = Timings { interview_lease: Duration::from_secs(3), ..Timings::default() };
    let change = |model: &mut ModelConfig| (model.rpm, model.max_concurrency) = (Some(3_000), 256);
    let engine = fixture.engine_with(&stub, timings, change).await;
    until_shares(&fixture, "busy AND share = 500000").await;
    doomed.kill();
    until_shares(&fixture, "busy AND share = 1000000").await;
    let id = fixture.number("SELECT id AS number FROM simulations").await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert!(stub.counters().calls_per_minute_peak <= 3_000, "{:#?}", stub.counters());
    fixture.sound_and_paid(run.total_requests).await;
}

/// Positions of these personas' calls among all calls to the stub, from the first to the last; there must be `expected`
/// calls.
fn places(stub: &ModelServer, personas: RangeInclusive<i32>, expected: usize) -> RangeInclusive<usize> {
    let names: Vec<String> = personas.map(|persona| format!("twin number {persona}.")).collect();
    let bodies = stub.bodies();
    let is_theirs = |body: &[u8]| names.iter().any(|name| String::from_utf8_lossy(body).contains(name));
    let theirs: Vec<usize> = (0..bodies.len()).filter(|place| is_theirs(&bodies[*place])).collect();
    let different: HashSet<_> = theirs.iter().map(|place| &bodies[*place]).collect();
    assert_eq!((theirs.len(), different.len()), (expected, expected), "no call was made twice");
    theirs[0]..=theirs[expected - 1]
}

fn one_question_a_call(parameters: &mut Parameters) {
    parameters.questions_per_call = 1;
}

#[actix_web::test]
async fn a_small_run_beside_a_large_one_gets_its_fair_half_of_the_calls() {
    const SMALL: usize = 50;
    let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
    let fixture = EngineFixture::new(205).await;
    let engine = fixture.engine(&stub, |model| model.rpm = Some(1_500)).await;
    fixture.start(&survey(10), PersonaChoice::Ids((1..=200).collect()), one_question_a_call).await;
    // After its first burst.
    stub.reached(100).await;
    let small = fixture.start(&survey(10), PersonaChoice::Ids((201..=205).collect()), one_question_a_call).await;
    fixture.ended(small).await;
    engine.shut_down().await;
    let places = places(&stub, 201..=205, SMALL);
    // Alone it takes 50 grants.
    let taken = places.end() - places.start() + 1;
    assert!(taken * 10 <= SMALL * 22, "its {SMALL} calls took {taken} grants");
}

#[actix_web::test]
async fn a_small_run_beside_twenty_large_ones_starts_at_once_and_gets_its_fair_share_of_the_calls() {
    const LARGE: usize = 20;
    const SMALL: usize = 25;
    let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
    let fixture = EngineFixture::new(2_005).await;
    let engine = fixture.engine(&stub, |model| (model.rpm, model.max_concurrency) = (Some(3_600), 256)).await;
    for _ in 0..LARGE {
        fixture.start(&survey(5), PersonaChoice::Ids((1..=2_000).collect()), one_question_a_call).await;
    }
    fixture
        .until_found(&format!("SELECT count(*) / {LARGE} AS number FROM simulations WHERE status = 'RUNNING'"))
        .await;
    let small = fixture.start(&survey(5), PersonaChoice::Ids((2_001..=2_005).collect()), one_question_a_call).await;
    let started = stub.calls().len();
    fixture.ended(small).await;
    let leased = fixture.number("SELECT count(*) AS number FROM pgmq.q_interviews WHERE vt > clock_timestamp()").await;
    engine.shut_down().await;
    let places = places(&stub, 2_001..=2_005, SMALL);
    let taken = places.end() + 1 - started;
    let fair = SMALL * (LARGE + 1);
    assert!(
        taken * 2 <= fair * 3,
        "its {SMALL} calls took {taken} grants of which {fair} are fair, {places:?} from {started}"
    );
    // A run alone may hold 384; the first runs keep their interviews for a while.
    assert!(leased <= 4 * 384, "{leased} interviews are held");
}
