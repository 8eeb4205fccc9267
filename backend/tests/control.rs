//! What people do to a run while the engine works on it: pause, resume, stop, ask again what failed.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::bb8::PooledConnection;
use futures_util::future::join_all;
use twinlab::actors::{Engine, EngineConfig, Scope};
use twinlab::config::ModelConfig;
use twinlab::db::{self, AsyncPool};
use twinlab::models::simulations::start::start;
use twinlab::models::simulations::{self, Refusal, Simulation, Status, control, reconcile};
use twinlab_bench::stub::{Fault, Faults, Stub};

use crate::support::Database;
use crate::support::laboratory::{Laboratory, breaches};
use crate::support::sample::{self, SIMULATION, Stage, number, plant};

const TWINS: i32 = 60;
const QUESTIONS: usize = 5;
/// Requests of a run, and calls: every question is asked alone.
const REQUESTS: usize = TWINS as usize * QUESTIONS;
const CALLS_AT_ONCE: u32 = 8;
const CONNECTIONS: u32 = 12;
/// Longer than anything here takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(90);

/// A laboratory whose runs an engine takes up, with a stub for a model server.
struct Trial {
    stub: Stub,
    /// When the stub started, or a moment before.
    clock: Instant,
    pool: AsyncPool,
    laboratory: Laboratory,
    engine: Engine,
    database: Database,
}

impl Trial {
    async fn open(faults: Faults, surveys: usize, budget: usize) -> Self {
        let clock = Instant::now();
        let stub = Stub::start(faults);
        let database = Database::new();
        let pool = db::async_pool(database.url(), CONNECTIONS).await.expect("the test's database answers");
        let laboratory = {
            let connection = &mut *pool.get().await.expect("a connection");
            Laboratory::furnish(connection, TWINS, surveys, QUESTIONS, budget as i64).await
        };
        let engine = engine(&database, &stub).await;
        Self { stub, clock, pool, laboratory, engine, database }
    }

    async fn connection(&self) -> PooledConnection<'_, AsyncPgConnection> {
        self.pool.get().await.expect("a connection")
    }

    async fn start(&self, survey: usize) -> i64 {
        let simulation = self.laboratory.simulation(self.laboratory.surveys[survey]);
        start(&mut *self.connection().await, simulation).await.expect("a run").id
    }

    async fn look(&self, id: i64) -> Simulation {
        simulations::find(&mut *self.connection().await, id).await.expect("the database answers").expect("the run")
    }

    /// Polls: a run tells nobody when it ends.
    async fn until(&self, id: i64, reached: impl Fn(&Simulation) -> bool) -> Simulation {
        let begun = Instant::now();
        loop {
            let simulation = self.look(id).await;
            if reached(&simulation) {
                return simulation;
            }
            assert!(begun.elapsed() < PATIENCE, "still waiting: {simulation:#?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn over(&self, id: i64) -> Simulation {
        self.until(id, |run| run.status.is_over()).await
    }

    async fn count(&self, sql: &str) -> i64 {
        number(&mut *self.connection().await, sql).await
    }

    /// Interviews that nobody may claim now.
    async fn leased(&self) -> i64 {
        self.count("SELECT count(*) AS number FROM pgmq.q_interviews WHERE vt > clock_timestamp()").await
    }

    /// Ends the engine and checks every promise.
    async fn close(self) {
        self.engine.shut_down().await;
        let connection = &mut *self.pool.get().await.expect("a connection");
        assert_eq!(breaches(connection).await, []);
        assert_eq!(number(connection, "SELECT sum(held)::bigint AS number FROM group_members").await, 0);
    }
}

async fn engine(database: &Database, stub: &Stub) -> Engine {
    let model = ModelConfig {
        base_url: Some(stub.base_url()),
        api_key: Some("test".into()),
        model: "stub".into(),
        rpm: None,
        tpm: None,
        max_concurrency: CALLS_AT_ONCE,
        questions_per_call: 1,
        timeout: Duration::from_secs(30),
        max_attempts: 3,
    };
    let config = EngineConfig {
        database_url: database.url().to_owned(),
        model,
        base_url: stub.base_url(),
        max_running: 8,
        scope: Scope::Everything,
    };
    Engine::start(config).await.expect("the engine starts")
}

/// Every twin was asked every question once.
fn assert_nothing_was_asked_twice(stub: &Stub) {
    let calls = stub.calls();
    let asked: HashSet<_> = calls.iter().map(|call| (call.persona, call.questions)).collect();
    assert_eq!((calls.len(), asked.len()), (REQUESTS, REQUESTS));
}

#[actix_web::test]
async fn a_pause_stops_the_calls_within_two_seconds_and_a_resume_loses_and_repeats_nothing() {
    let trial = Trial::open(Faults::default().latency_ms(100), 1, REQUESTS).await;
    let id = trial.start(0).await;
    trial.stub.reached(40).await;
    control::pause(&mut *trial.connection().await, id).await.expect("it runs");
    let paused_at = trial.clock.elapsed();
    // That nothing happens gives no signal. The rest of the run would be over by then: 8 calls at once, 100 ms each.
    tokio::time::sleep(Duration::from_secs(4)).await;
    let calls = trial.stub.calls();
    assert!(calls.len() < REQUESTS, "it was not paused");
    let late: Vec<_> = calls.iter().filter(|call| call.arrived > paused_at + Duration::from_secs(2)).collect();
    assert!(late.is_empty(), "paused at {paused_at:?}, called later: {late:#?}");
    let paused = trial.look(id).await;
    assert_eq!(paused.status, Status::Paused);
    assert_eq!(paused.successful_requests as usize, calls.len(), "calls under way finish and count");
    assert_eq!(trial.leased().await, 0, "whoever resumes it may go on at once");

    control::resume(&mut *trial.connection().await, id).await.expect("it is paused");
    let ended = trial.over(id).await;
    assert_eq!((ended.status, ended.successful_requests as usize), (Status::Completed, REQUESTS));
    assert_nothing_was_asked_twice(&trial.stub);
    trial.close().await;
}

#[actix_web::test]
async fn an_engine_that_shuts_down_hands_everything_back_and_the_next_one_repeats_nothing() {
    let mut trial = Trial::open(Faults::default().latency_ms(100), 1, REQUESTS).await;
    let id = trial.start(0).await;
    trial.stub.reached(40).await;
    let next = engine(&trial.database, &trial.stub);
    std::mem::replace(&mut trial.engine, next.await).shut_down().await;
    let at_the_end = trial.stub.calls().len();
    assert!(at_the_end < REQUESTS, "it was cut short");
    assert_eq!(trial.over(id).await.status, Status::Completed);
    assert_nothing_was_asked_twice(&trial.stub);
    trial.close().await;
}

#[actix_web::test]
async fn a_stop_keeps_the_answers_drops_the_calls_under_way_and_releases_the_hold() {
    let trial = Trial::open(Faults::default(), 2, REQUESTS + 40 + CALLS_AT_ONCE as usize).await;
    let id = trial.start(0).await;
    trial.stub.reached(40).await;
    // From here on calls stay under way.
    trial.stub.hold();
    let owed = |run: &Simulation| trial.stub.calls().len() - run.successful_requests as usize;
    trial.until(id, |run| owed(run) == CALLS_AT_ONCE as usize).await;
    let calls = trial.stub.calls().len();
    let stopped = control::stop(&mut *trial.connection().await, id).await.expect("it runs");
    assert_eq!((stopped.status, stopped.held, stopped.open_requests), (Status::Stopped, 0, 0));
    assert_eq!(stopped.successful_requests as usize, calls - CALLS_AT_ONCE as usize);
    assert_eq!(trial.count("SELECT held AS number FROM group_members").await, 0);

    // The model server still owes all the answers that it may owe at once: another run's calls take their place.
    let next = trial.start(1).await;
    trial.stub.reached(calls + CALLS_AT_ONCE as usize).await;
    trial.stub.release();
    assert_eq!(trial.over(next).await.status, Status::Completed);
    assert_eq!(trial.look(id).await.successful_requests, stopped.successful_requests);
    let refused = control::resume(&mut *trial.connection().await, id).await.expect_err("it is over");
    assert_eq!(refused.to_string(), "A simulation that is STOPPED cannot be resumed");
    trial.close().await;
}

#[actix_web::test]
async fn what_failed_is_asked_again_by_one_of_many_retries_and_nothing_else_is() {
    let trial = Trial::open(Faults::default().with(Fault::Refusal, 0.2), 1, REQUESTS).await;
    let id = trial.start(0).await;
    let failed = trial.over(id).await;
    assert_eq!(failed.status, Status::Failed);
    assert_eq!((failed.successful_requests + failed.failed_requests) as usize, REQUESTS);
    assert_eq!(failed.error_code.as_deref(), Some("refused"));
    let budget = trial.count("SELECT budget AS number FROM group_members").await;
    assert_eq!(budget, i64::from(failed.failed_requests), "failures cost nothing");

    trial.stub.set_faults(Faults::default());
    let retries = (0..10).map(async |_| control::retry_failed(&mut *trial.connection().await, id).await);
    let retries = join_all(retries).await;
    assert_eq!(retries.iter().filter(|retry| retry.is_ok()).count(), 1, "{retries:#?}");
    let ended = trial.over(id).await;
    assert_eq!((ended.status, ended.attempt, ended.failed_requests), (Status::Completed, 2, 0));
    assert_eq!(trial.stub.calls().len(), REQUESTS + failed.failed_requests as usize);
    assert_eq!(trial.count("SELECT count(*) AS number FROM transactions WHERE type = 'MINES'").await, 2);
    trial.close().await;
}

#[actix_web::test]
async fn a_stopped_run_asks_its_failed_requests_again_and_is_stopped_again_when_they_are_done() {
    let trial = Trial::open(Faults::default().with(Fault::Refusal, 0.2).latency_ms(20), 1, REQUESTS).await;
    let id = trial.start(0).await;
    trial.until(id, |run| run.failed_requests >= 5).await;
    let stopped = control::stop(&mut *trial.connection().await, id).await.expect("it runs");
    trial.stub.set_faults(Faults::default());
    let again = control::retry_failed(&mut *trial.connection().await, id).await.expect("some failed");
    assert_eq!((again.status, again.held), (Status::Queued, i64::from(stopped.failed_requests)));
    let ended = trial.over(id).await;
    assert_eq!((ended.status, ended.failed_requests), (Status::Stopped, 0), "the rest was never asked");
    assert_eq!(ended.successful_requests, stopped.successful_requests + stopped.failed_requests);
    let refused = control::retry_failed(&mut *trial.connection().await, id).await.expect_err("nothing failed");
    assert_eq!(refused.to_string(), "Simulation has no failed requests");
    trial.close().await;
}

#[actix_web::test]
async fn a_run_paused_by_a_wrong_key_goes_on_where_it_was_as_soon_as_it_is_resumed() {
    let mut script = vec![None; 40];
    script.push(Some(Fault::Unauthorized));
    let trial = Trial::open(Faults { script, ..Faults::default() }, 1, REQUESTS).await;
    let id = trial.start(0).await;
    let paused = trial.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(paused.error_code.as_deref(), Some("denied"));
    control::resume(&mut *trial.connection().await, id).await.expect("it is paused");
    let ended = trial.over(id).await;
    assert_eq!((ended.status, ended.error_code), (Status::Completed, None));
    assert_eq!(trial.stub.calls().len(), REQUESTS + 1, "only the refused call is made again");
    trial.close().await;
}

/// What one of many people does to the newest run of a survey.
async fn act(trial: &Trial, survey_id: i64, deed: usize) -> Result<(), Refusal> {
    let connection = &mut *trial.connection().await;
    let newest = format!("SELECT max(id) AS number FROM simulations WHERE survey_id = {survey_id}");
    let id = number(connection, &newest).await;
    match deed {
        0 => start(connection, trial.laboratory.simulation(survey_id)).await,
        1 => control::pause(connection, id).await,
        2 => control::resume(connection, id).await,
        3 => control::stop(connection, id).await,
        4 => control::retry_failed(connection, id).await,
        5 => reconcile::reset_counters(connection, id).await,
        _ => reconcile::refresh(connection, id).await,
    }
    .map(drop)
}

#[actix_web::test]
async fn fifty_people_at_once_leave_every_run_in_a_legal_state() {
    let trial = Trial::open(Faults::default().latency_ms(5).with(Fault::Refusal, 0.2), 3, 20 * REQUESTS).await;
    for survey in &trial.laboratory.surveys {
        start(&mut *trial.connection().await, trial.laboratory.simulation(*survey)).await.expect("a run");
    }
    for round in 1..=4 {
        trial.stub.reached(round * 50).await;
        // 7 deeds and 3 surveys: every pair of them comes up.
        let deeds = (0..50).map(|n| act(&trial, trial.laboratory.surveys[n % 3], n % 7));
        for outcome in join_all(deeds).await {
            assert!(!matches!(outcome, Err(Refusal::Database(_))), "{outcome:?}");
        }
        assert_eq!(breaches(&mut *trial.connection().await).await, [], "round {round}");
        for survey in &trial.laboratory.surveys {
            // The next round needs something to work on; some are active already.
            let _ = act(&trial, *survey, 2).await;
            let _ = act(&trial, *survey, 0).await;
        }
    }
    let active = "SELECT max(id) AS number FROM simulations WHERE survey_id = ";
    for survey in &trial.laboratory.surveys {
        let _ = act(&trial, *survey, 2).await;
        let newest = trial.count(&format!("{active}{survey}")).await;
        trial.over(newest).await;
    }
    trial.close().await;
}

#[actix_web::test]
async fn runs_that_race_for_the_same_credits_never_overdraw() {
    let database = Database::new();
    let pool = db::async_pool(database.url(), CONNECTIONS).await.expect("the test's database answers");
    let laboratory = {
        let connection = &mut *pool.get().await.expect("a connection");
        Laboratory::furnish(connection, 10, 12, QUESTIONS, 170).await
    };
    let starts = laboratory
        .surveys
        .iter()
        .map(async |survey| start(&mut pool.get().await.expect("a connection"), laboratory.simulation(*survey)).await);
    let (started, refused): (Vec<_>, Vec<_>) = join_all(starts).await.into_iter().partition(Result::is_ok);
    assert_eq!(started.len(), 3, "170 credits are three times 50");
    for refusal in refused {
        assert!(matches!(refusal, Err(Refusal::NotEnoughCredits { needed: 50, .. })), "{refusal:?}");
    }
    let connection = &mut *pool.get().await.expect("a connection");
    assert_eq!(number(connection, "SELECT held AS number FROM group_members").await, 150);
    assert_eq!(breaches(connection).await, []);
}

/// Disagreements of a run's row with its 17 answers of 27 and its queue, by what they plant.
const DISAGREEMENTS: [&str; 3] = [
    "UPDATE simulations SET successful_requests = 20, open_requests = 7",
    "UPDATE simulations SET failed_requests = 4, open_requests = 6",
    "UPDATE simulations SET open_requests = 3, held = 3; UPDATE group_members SET held = 3",
];

#[actix_web::test]
async fn a_recount_heals_a_row_that_disagrees_with_its_answers() {
    let database = Database::new();
    let pool = database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    plant(connection, Stage::Running).await;
    let refused = reconcile::reset_counters(connection, SIMULATION).await.expect_err("it runs");
    assert_eq!(refused.to_string(), "A simulation that is RUNNING cannot be recounted");
    for disagreement in DISAGREEMENTS {
        for status in ["RUNNING", "PAUSED"] {
            sample::run(connection, &format!("{disagreement}; UPDATE simulations SET status = '{status}'")).await;
            assert_ne!(breaches(connection).await, [], "{disagreement}");
            let healed = match status {
                "RUNNING" => reconcile::refresh(connection, SIMULATION).await,
                _ => reconcile::reset_counters(connection, SIMULATION).await,
            };
            let healed = healed.expect("a recount");
            assert_eq!((healed.successful_requests, healed.failed_requests, healed.open_requests), (17, 0, 10));
            assert_eq!(breaches(connection).await, [], "{disagreement}");
        }
    }
}

#[actix_web::test]
async fn a_refresh_queues_what_has_no_message_and_ends_what_has_nothing_open() {
    let database = Database::new();
    let pool = database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    plant(connection, Stage::Running).await;
    sample::run(connection, "DELETE FROM pgmq.q_interviews WHERE message @> '{\"persona\": 3}'").await;
    assert_ne!(breaches(connection).await, []);
    for _ in 0..2 {
        reconcile::refresh(connection, SIMULATION).await.expect("a recount");
        assert_eq!(breaches(connection).await, []);
        assert_eq!(number(connection, "SELECT count(*) AS number FROM pgmq.q_interviews").await, 2);
    }

    // Everything is accounted for, and only the row does not know yet.
    sample::run(
        connection,
        "INSERT INTO request_failures (simulation_id, persona_id, question_id, code, message, attempts)
         SELECT 7, p.persona_id, q.question_id, 'refused', 'no', 1
         FROM simulation_personas p, simulation_questions q
         WHERE NOT EXISTS (SELECT FROM responses r WHERE (r.persona_id, r.question_id) = (p.persona_id, q.question_id))",
    )
    .await;
    let ended = reconcile::refresh(connection, SIMULATION).await.expect("a recount");
    assert_eq!((ended.status, ended.failed_requests, ended.held), (Status::Failed, 10, 0));
    assert_eq!(breaches(connection).await, []);
}
