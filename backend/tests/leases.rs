//! Leases of interviews whose holder hands them back, dies or comes back.

use std::time::Duration;

use diesel_async::{AsyncConnection, AsyncPgConnection, SimpleAsyncConnection};
use futures_util::future::join;
use serde_json::json;
use simulation::status::Status;
use twinlab::db::AsyncPool;
use twinlab::engine::Timings;
use twinlab::models::queue::{self, Claim, Lease};
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::workers::{self, Renewal, ServerUse};
use uuid::Uuid;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::sample;

const TWINS: i32 = 5;
const LEASE: Duration = Duration::from_secs(30);
const MESSAGES: &str = "SELECT count(*) AS number FROM pgmq.q_interviews";
const LEASED: &str = "SELECT count(*) AS number FROM pgmq.q_interviews WHERE vt > clock_timestamp()";

/// A run of all twins on which no engine works.
async fn started(fixture: &EngineFixture) -> i64 {
    fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await
}

async fn claim(connection: &mut AsyncPgConnection, run: i64, quantity: i32, process: Uuid) -> Vec<Claim> {
    queue::claim(connection, run, quantity, LEASE, process, None).await.expect("a claim")
}

fn leases(claims: &[Claim]) -> Vec<Lease> {
    claims.iter().map(Claim::lease).collect()
}

#[actix_web::test]
async fn a_stop_that_waits_for_interviews_on_their_way_back_removes_them_too() {
    let fixture = EngineFixture::new(TWINS).await;
    let run = started(&fixture).await;
    let (mut releasing, mut stopping) =
        (fixture.pool.get().await.expect("one"), fixture.pool.get().await.expect("one"));
    let held = leases(&claim(&mut releasing, run, TWINS, Uuid::nil()).await);
    assert_eq!(held.len(), TWINS as usize);
    releasing.batch_execute("BEGIN").await.expect("a transaction");
    queue::release(&mut releasing, &held).await.expect("they are handed back");
    let commit = async {
        fixture.until_waiting_for_lock().await;
        releasing.batch_execute("COMMIT").await.expect("it commits");
    };
    let (stopped, ()) = join(control::stop(&mut stopping, run), commit).await;
    assert_eq!(stopped.expect("it was queued").status, Status::Stopped);
    assert_eq!(fixture.number(MESSAGES).await, 0);
    fixture.sound_and_paid(0).await;
}

#[actix_web::test]
async fn a_run_after_another_asks_only_twins_whose_interviews_have_ended_there() {
    let fixture = EngineFixture::new(TWINS).await;
    let (first, second) = (started(&fixture).await, started(&fixture).await);
    let connection = &mut *fixture.pool.get().await.expect("one");
    let process = Uuid::nil();
    let claim_after = async |connection: &mut AsyncPgConnection| {
        queue::claim(connection, second, TWINS, LEASE, process, Some(first)).await.expect("a claim")
    };
    assert!(claim_after(connection).await.is_empty(), "no interview of the first run has ended");
    let held = claim(connection, first, 2, process).await;
    assert!(claim_after(connection).await.is_empty(), "two are under way");
    let interview = json!({"simulation": first, "persona": held[0].persona_id});
    let ended = format!("DELETE FROM pgmq.q_interviews WHERE message @> '{interview}'");
    connection.batch_execute(&ended).await.expect("the database answers");
    let claimed = claim_after(connection).await;
    assert_eq!(claimed.iter().map(|claim| claim.persona_id).collect::<Vec<_>>(), [held[0].persona_id]);
    control::pause(connection, first).await.expect("it is queued");
    assert_eq!(claim_after(connection).await.len() as i32, TWINS - 1, "a paused run holds up no other");
}

#[actix_web::test]
async fn two_hundred_stops_right_after_a_pause_leave_nothing_in_the_queue() {
    let fixture = EngineFixture::new(TWINS).await;
    let pool = AsyncPool::open(fixture.database.url(), 2).await.expect("the test's database answers");
    let (mut worker, mut person) = (pool.get().await.expect("one"), pool.get().await.expect("one"));
    for _ in 0..200 {
        let run = started(&fixture).await;
        let held = leases(&claim(&mut worker, run, TWINS, Uuid::nil()).await);
        control::pause(&mut person, run).await.expect("it is queued");
        let (released, stopped) = join(queue::release(&mut worker, &held), control::stop(&mut person, run)).await;
        released.expect("they are handed back, or gone");
        stopped.expect("it is paused");
    }
    assert_eq!(fixture.number(MESSAGES).await, 0);
    fixture.sound_and_paid(0).await;
}

#[actix_web::test]
async fn a_sweep_removes_the_interviews_of_runs_that_are_over_and_no_others() {
    let fixture = EngineFixture::new(TWINS).await;
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    let (stopped, active) = (started(&fixture).await, started(&fixture).await);
    control::stop(connection, stopped).await.expect("it is queued");
    assert_eq!(queue::sweep(connection).await, Ok(0));
    queue::send(connection, stopped, &[1, 2]).await.expect("two messages that nobody asked for");
    assert_eq!(queue::sweep(connection).await, Ok(2));
    assert_eq!(fixture.number(MESSAGES).await, i64::from(TWINS));
    control::stop(connection, active).await.expect("it is queued");
    fixture.sound_and_paid(0).await;
}

#[actix_web::test]
async fn an_interview_handed_back_in_good_order_was_not_delivered_and_one_of_a_dead_worker_was() {
    let fixture = EngineFixture::new(TWINS).await;
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    let run = started(&fixture).await;
    let delivered_before = async |connection: &mut AsyncPgConnection| {
        let claims = claim(connection, run, TWINS, Uuid::nil()).await;
        assert_eq!(claims.len(), TWINS as usize, "all were free");
        let breaks: Vec<Option<i32>> = claims.iter().map(|claim| claim.breaks(1)).collect();
        (breaks[0], leases(&claims))
    };
    let (breaks, first) = delivered_before(connection).await;
    assert_eq!(breaks, None);
    queue::release(connection, &first).await.expect("they are handed back");
    let (breaks, second) = delivered_before(connection).await;
    assert_eq!(breaks, None);
    assert!(queue::extend(connection, &first, LEASE).await.expect("an answer").is_empty(), "the first lease is lost");
    queue::note_breaks(connection, second[0], 1, 1).await.expect("a call begins");
    assert_eq!(queue::free_all(connection).await, Ok(TWINS as usize));
    assert_eq!(delivered_before(connection).await.0, Some(1), "its call broke off");
    assert_eq!(queue::free_all(connection).await, Ok(TWINS as usize));
    let (breaks, fourth) = delivered_before(connection).await;
    assert_eq!(breaks, Some(1), "no call began");
    queue::release(connection, &fourth).await.expect("they are handed back");
    assert_eq!(delivered_before(connection).await.0, None, "the count begins anew");
    control::stop(connection, run).await.expect("it is queued");
}

/// A worker's session, without the worker.
struct Worker {
    id: Uuid,
    process: Uuid,
    connection: AsyncPgConnection,
}

impl Worker {
    async fn open(fixture: &EngineFixture) -> Self {
        Self::open_of(fixture, Uuid::new_v4()).await
    }

    /// Opens a session of this process, and renews it.
    async fn open_of(fixture: &EngineFixture, process: Uuid) -> Self {
        let mut connection = AsyncPgConnection::establish(fixture.database.url()).await.expect("a connection");
        let id = Uuid::new_v4();
        workers::open_session(&mut connection, id).await.expect("a session");
        let mut worker = Self { id, process, connection };
        worker.renew().await;
        worker
    }

    /// Renews the lease, and returns how many interviews of dead workers this has freed.
    async fn renew(&mut self) -> usize {
        let renewal = Renewal {
            id: self.id,
            process: self.process,
            name: "test".into(),
            servers: vec![ServerUse { name: "default".into(), busy: true, ..ServerUse::default() }],
            in_flight: json!({}),
            lease: Timings::default().share_lease,
        };
        workers::renew(&mut self.connection, &renewal).await.expect("a renewal").freed
    }
}

/// Ends the worker's connection, and returns once the server has noticed.
async fn killed(worker: Worker, by: &mut Worker) {
    drop(worker);
    while workers::others_alive(&mut by.connection, by.id).await.expect("an answer") {
        tokio::task::yield_now().await;
    }
}

/// Ends the lease of all workers but this one.
async fn leases_run_out(fixture: &EngineFixture, but: &Worker) {
    let over = format!("UPDATE workers SET lease_until = clock_timestamp() WHERE id <> '{}'", but.id);
    sample::run(&mut fixture.pool.get().await.expect("a connection"), &over).await;
}

#[actix_web::test]
async fn what_a_dead_worker_held_is_free_when_its_lease_on_the_limits_is_over() {
    let fixture = EngineFixture::new(TWINS).await;
    let run = started(&fixture).await;
    let (mut living, mut doomed) = (Worker::open(&fixture).await, Worker::open(&fixture).await);
    assert_eq!(claim(&mut doomed.connection, run, 3, doomed.process).await.len(), 3);
    assert_eq!(claim(&mut living.connection, run, 2, living.process).await.len(), 2);
    killed(doomed, &mut living).await;
    assert_eq!(living.renew().await, 0, "it may have lost its connection only");
    leases_run_out(&fixture, &living).await;
    assert_eq!(living.renew().await, 3);
    assert_eq!(fixture.number(LEASED).await, 2, "who lives keeps what it holds");
    let claims = claim(&mut living.connection, run, TWINS, living.process).await;
    assert_eq!(claims.iter().map(|claim| claim.breaks(1)).collect::<Vec<_>>(), [Some(0); 3]);
}

#[actix_web::test]
async fn a_worker_that_has_opened_another_session_keeps_what_it_holds() {
    let fixture = EngineFixture::new(TWINS).await;
    let run = started(&fixture).await;
    let (mut living, mut broken) = (Worker::open(&fixture).await, Worker::open(&fixture).await);
    assert_eq!(claim(&mut broken.connection, run, 3, broken.process).await.len(), 3);
    let process = broken.process;
    killed(broken, &mut living).await;
    let _again = Worker::open_of(&fixture, process).await;
    leases_run_out(&fixture, &living).await;
    assert_eq!(living.renew().await, 0);
    assert_eq!(fixture.number(LEASED).await, 3);
}

#[actix_web::test]
async fn a_worker_that_is_back_first_after_an_outage_takes_nothing_from_the_others() {
    let fixture = EngineFixture::new(TWINS).await;
    let run = started(&fixture).await;
    let mut slow = Worker::open(&fixture).await;
    assert_eq!(claim(&mut slow.connection, run, 3, slow.process).await.len(), 3);
    let mut witness = Worker::open(&fixture).await;
    killed(slow, &mut witness).await;
    leases_run_out(&fixture, &witness).await;
    let mut first = Worker::open(&fixture).await;
    assert_eq!(first.renew().await, 0);
    assert_eq!(fixture.number(LEASED).await, 3);
}
