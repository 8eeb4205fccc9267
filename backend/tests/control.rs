//! Control of a run while the engine works on it: pause, resume, stop, retry.

use std::collections::HashSet;
use std::time::Duration;

use futures_util::future::join_all;
use model_server::{Fault, Faults, ModelServer};
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::config::ModelConfig;
use twinlab::db::{AsyncPool, Checkout};
use twinlab::engine::Engine;
use twinlab::models::simulations::passes::Pass;
use twinlab::models::simulations::start::{NewSimulation, PersonaChoice, start};
use twinlab::models::simulations::{SimulationRefusal, control, reconcile};

use crate::support::Database;
use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::sample::{self, PlantedRun, SIMULATION, breaches, number, plant};

const TWINS: i32 = 60;
const QUESTIONS: usize = 5;
/// Requests of a run, and calls: every question is asked alone.
const REQUESTS: usize = TWINS as usize * QUESTIONS;
const MAX_CALLS: usize = 8;
const CONNECTIONS: u32 = 12;
/// Counts interviews that are leased.
const LEASED: &str = "SELECT count(*) AS number FROM pgmq.q_interviews WHERE vt > clock_timestamp()";

/// A database with an engine that takes up its runs, and a stub of a model server.
struct Trial {
    stub: ModelServer,
    engine: Engine,
    /// A pool for many simultaneous calls.
    pool: AsyncPool,
    fixture: EngineFixture,
}

impl Trial {
    async fn open(faults: Faults) -> Self {
        let stub = ModelServer::start(faults);
        let fixture = EngineFixture::new(TWINS).await;
        let pool = AsyncPool::open(fixture.database.url(), CONNECTIONS).await.expect("the test's database answers");
        let engine = engine(&fixture, &stub).await;
        Self { stub, engine, pool, fixture }
    }

    async fn connection(&self) -> Checkout {
        self.pool.get().await.expect("a connection")
    }

    /// Starts a run over all twins, one question a call.
    async fn start(&self) -> i64 {
        self.fixture
            .start(&survey(QUESTIONS), PersonaChoice::Random(TWINS), |parameters| parameters.questions_per_call = 1)
            .await
    }

    /// Waits until the engine holds no interview: it makes no further call, and the run may be resumed at once.
    async fn everything_is_handed_back(&self) {
        while self.fixture.number(LEASED).await > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Ends the engine and checks every invariant.
    async fn close(self) {
        self.engine.shut_down().await;
        let answers = self.fixture.number("SELECT count(*) AS number FROM responses").await;
        self.fixture.sound_and_paid(answers as i32).await;
    }
}

async fn engine(fixture: &EngineFixture, stub: &ModelServer) -> Engine {
    let change = |model: &mut ModelConfig| {
        model.max_concurrency = MAX_CALLS as u32;
        // Some calls stay under way as long as a test wants.
        model.timeout = Duration::from_secs(60);
    };
    fixture.engine(stub, change).await
}

/// Every twin was asked every question once.
fn assert_nothing_was_asked_twice(stub: &ModelServer) {
    let calls = stub.calls();
    let asked: HashSet<_> = calls.iter().map(|call| (call.persona, call.questions)).collect();
    assert_eq!((calls.len(), asked.len()), (REQUESTS, REQUESTS));
}

#[actix_web::test]
async fn a_pause_lets_calls_under_way_finish_and_a_resume_loses_and_repeats_nothing() {
    let trial = Trial::open(Faults::default().latency_ms(100)).await;
    let id = trial.start().await;
    trial.stub.reached(40).await;
    control::pause(&mut *trial.connection().await, id).await.expect("it runs");
    trial.everything_is_handed_back().await;
    let calls = trial.stub.calls();
    assert!(calls.len() < REQUESTS, "it was not paused");
    let paused = trial.fixture.run(id).await;
    assert_eq!(paused.status, Status::Paused);
    assert_eq!(paused.successful_requests as usize, calls.len(), "calls under way finish and count");

    control::resume(&mut *trial.connection().await, id).await.expect("it is paused");
    let ended = trial.fixture.ended(id).await;
    assert_eq!((ended.status, ended.successful_requests as usize), (Status::Completed, REQUESTS));
    assert_nothing_was_asked_twice(&trial.stub);
    trial.close().await;
}

#[actix_web::test]
async fn a_run_that_is_resumed_while_all_its_interviews_are_in_calls_is_running_at_once() {
    let trial = Trial::open(Faults::default()).await;
    trial.stub.hold();
    let twins = PersonaChoice::Random(MAX_CALLS as i32);
    let id = trial.fixture.start(&survey(1), twins, |_| ()).await;
    trial.stub.reached(MAX_CALLS).await;
    control::pause(&mut *trial.connection().await, id).await.expect("it runs");
    control::resume(&mut *trial.connection().await, id).await.expect("it is paused");
    trial.fixture.until(id, |run| run.status == Status::Running).await;
    trial.stub.release();
    assert_eq!(trial.fixture.ended(id).await.status, Status::Completed);
    assert_eq!(trial.stub.calls().len(), MAX_CALLS);
    trial.close().await;
}

#[actix_web::test]
async fn an_engine_that_shuts_down_hands_everything_back_and_the_next_one_repeats_nothing() {
    let mut trial = Trial::open(Faults::default().latency_ms(100)).await;
    let id = trial.start().await;
    trial.stub.reached(40).await;
    let next = engine(&trial.fixture, &trial.stub);
    std::mem::replace(&mut trial.engine, next.await).shut_down().await;
    let at_the_end = trial.stub.calls().len();
    assert!(at_the_end < REQUESTS, "it was cut short");
    assert_eq!(trial.fixture.ended(id).await.status, Status::Completed);
    assert_nothing_was_asked_twice(&trial.stub);
    trial.close().await;
}

#[actix_web::test]
async fn a_stop_keeps_the_answers_drops_the_calls_under_way_and_releases_the_hold() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start().await;
    trial.stub.reached(40).await;
    // From here on calls stay under way.
    trial.stub.hold();
    let owed = |run: &Simulation| trial.stub.calls().len() - run.successful_requests as usize;
    trial.fixture.until(id, |run| owed(run) == MAX_CALLS).await;
    let calls = trial.stub.calls().len();
    let stopped = control::stop(&mut *trial.connection().await, id).await.expect("it runs");
    assert_eq!((stopped.status, stopped.held, stopped.open_requests), (Status::Stopped, 0, 0));
    assert_eq!(stopped.successful_requests as usize, calls - MAX_CALLS);
    assert_eq!(trial.fixture.member().await.held, 0);

    // The model server holds as many calls as it may at once: another run's calls take their place.
    let next = trial.start().await;
    trial.stub.reached(calls + MAX_CALLS).await;
    trial.stub.release();
    assert_eq!(trial.fixture.ended(next).await.status, Status::Completed);
    assert_eq!(trial.fixture.run(id).await.successful_requests, stopped.successful_requests);
    let refused = control::resume(&mut *trial.connection().await, id).await.expect_err("it is over");
    assert_eq!(refused.to_string(), "A simulation that is STOPPED cannot be resumed");
    trial.close().await;
}

#[actix_web::test]
async fn what_failed_is_asked_again_by_one_of_many_retries_and_nothing_else_is() {
    let trial = Trial::open(Faults::default().with(Fault::Refusal, 0.2)).await;
    let id = trial.start().await;
    let failed = trial.fixture.ended(id).await;
    assert_eq!(failed.status, Status::Failed);
    assert_eq!((failed.successful_requests + failed.failed_requests) as usize, REQUESTS);
    assert_eq!(failed.error_code.as_deref(), Some("refused"));
    trial.fixture.sound_and_paid(failed.successful_requests).await;

    trial.stub.set_faults(Faults::default());
    let retries = (0..10).map(async |_| Pass::RetryFailed.begin(&mut *trial.connection().await, id).await);
    let retries = join_all(retries).await;
    assert_eq!(retries.iter().filter(|retry| retry.is_ok()).count(), 1, "{retries:#?}");
    let ended = trial.fixture.ended(id).await;
    assert_eq!((ended.status, ended.attempt, ended.failed_requests), (Status::Completed, 2, 0));
    assert_eq!(trial.stub.calls().len(), REQUESTS + failed.failed_requests as usize);
    assert_eq!(trial.fixture.number("SELECT count(*) AS number FROM transactions WHERE type = 'MINES'").await, 2);
    trial.close().await;
}

#[actix_web::test]
async fn a_stopped_run_asks_its_failed_requests_again_and_is_stopped_again_when_they_are_done() {
    let trial = Trial::open(Faults::default().with(Fault::Refusal, 0.2).latency_ms(20)).await;
    let id = trial.start().await;
    trial.fixture.until(id, |run| run.failed_requests >= 5).await;
    let stopped = control::stop(&mut *trial.connection().await, id).await.expect("it runs");
    trial.stub.set_faults(Faults::default());
    let again = Pass::RetryFailed.begin(&mut *trial.connection().await, id).await.expect("some failed");
    assert_eq!((again.status, again.held), (Status::Queued, i64::from(stopped.failed_requests)));
    let ended = trial.fixture.ended(id).await;
    assert_eq!((ended.status, ended.failed_requests), (Status::Stopped, 0), "the rest was never asked");
    assert_eq!(ended.successful_requests, stopped.successful_requests + stopped.failed_requests);
    let refused = Pass::RetryFailed.begin(&mut *trial.connection().await, id).await.expect_err("nothing failed");
    assert_eq!(refused.to_string(), "Simulation has no failed requests");
    trial.close().await;
}

#[actix_web::test]
async fn a_run_paused_by_a_wrong_key_goes_on_where_it_was_as_soon_as_it_is_resumed() {
    let mut script = vec![None; 40];
    script.push(Some(Fault::Unauthorized));
    let trial = Trial::open(Faults { script, ..Faults::default() }).await;
    let id = trial.start().await;
    let paused = trial.fixture.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(paused.error_code.as_deref(), Some("denied"));
    control::resume(&mut *trial.connection().await, id).await.expect("it is paused");
    let ended = trial.fixture.ended(id).await;
    assert_eq!((ended.status, ended.error_code), (Status::Completed, None));
    assert_eq!(trial.stub.calls().len(), REQUESTS + 1, "only the refused call is made again");
    trial.close().await;
}

/// An action of one of many users on the newest run of a survey.
async fn act(trial: &Trial, survey_id: i64, deed: usize) -> Result<(), SimulationRefusal> {
    let connection = &mut *trial.connection().await;
    let id = number(connection, &newest(survey_id)).await;
    match deed {
        0 => start(connection, again(survey_id, trial.fixture.user_id)).await,
        1 => control::pause(connection, id).await,
        2 => control::resume(connection, id).await,
        3 => control::stop(connection, id).await,
        4 => Pass::RetryFailed.begin(connection, id).await,
        5 => reconcile::reset_counters(connection, id).await,
        _ => reconcile::refresh(connection, id).await,
    }
    .map(drop)
}

fn newest(survey_id: i64) -> String {
    format!("SELECT max(id) AS number FROM simulations WHERE survey_id = {survey_id}")
}

/// Another run of a survey, paid by this member.
fn again(survey_id: i64, user_id: i64) -> NewSimulation {
    let parameters = Parameters::new("stub", 1, 1);
    NewSimulation::new(survey_id, user_id, PersonaChoice::Random(TWINS), parameters, false)
}

#[actix_web::test]
async fn fifty_people_at_once_leave_every_run_in_a_legal_state() {
    let trial = Trial::open(Faults::default().latency_ms(5).with(Fault::Refusal, 0.2)).await;
    let mut surveys = Vec::new();
    for _ in 0..3 {
        let id = trial.start().await;
        surveys.push(trial.fixture.run(id).await.survey_id);
    }
    for round in 1..=4 {
        trial.stub.reached(round * 50).await;
        // 7 actions and 3 surveys, so every pair of them occurs.
        let deeds = (0..50).map(|n| act(&trial, surveys[n % 3], n % 7));
        for outcome in join_all(deeds).await {
            assert!(!matches!(outcome, Err(SimulationRefusal::Database(_))), "{outcome:?}");
        }
        assert_eq!(breaches(&mut *trial.connection().await).await, [], "round {round}");
        for survey in &surveys {
            // The next round needs active runs; some are active already.
            let _ = act(&trial, *survey, 2).await;
            let _ = act(&trial, *survey, 0).await;
        }
    }
    for survey in &surveys {
        trial.fixture.ended(trial.fixture.number(&newest(*survey)).await).await;
    }
    trial.close().await;
}

#[actix_web::test]
async fn runs_that_race_for_the_same_credits_never_overdraw() {
    let fixture = EngineFixture::new(TWINS).await;
    let pool = AsyncPool::open(fixture.database.url(), CONNECTIONS).await.expect("the test's database answers");
    let poor = fixture.admit("poor@test.example", 3 * REQUESTS as i64 + 50).await;
    let mut surveys = Vec::new();
    for _ in 0..12 {
        let id = fixture.start(&survey(QUESTIONS), PersonaChoice::Random(TWINS), |_| ()).await;
        let connection = &mut *pool.get().await.expect("a connection");
        surveys.push(control::stop(connection, id).await.expect("it is queued").survey_id);
    }
    let starts = surveys
        .iter()
        .map(async |survey| start(&mut pool.get().await.expect("a connection"), again(*survey, poor)).await);
    let (started, refused): (Vec<_>, Vec<_>) = join_all(starts).await.into_iter().partition(Result::is_ok);
    assert_eq!(started.len(), 3, "that is what the credits are enough for");
    for refusal in refused {
        assert!(matches!(refusal, Err(SimulationRefusal::NotEnoughCredits { available: 50, .. })), "{refusal:?}");
    }
    let held = format!("SELECT held AS number FROM group_members WHERE user_id = {poor}");
    assert_eq!(fixture.number(&held).await, 3 * REQUESTS as i64);
    fixture.sound_and_paid(0).await;
}

/// Disagreements of a run's row with its 17 answers of 27 and its queue, by planted change.
const DISAGREEMENTS: [&str; 3] = [
    "UPDATE simulations SET successful_requests = 20, open_requests = 7",
    "UPDATE simulations SET failed_requests = 4, open_requests = 6",
    "UPDATE simulations SET open_requests = 3, held = 3; UPDATE group_members SET held = 3 WHERE budget > 0",
];

#[actix_web::test]
async fn a_recount_heals_a_row_that_disagrees_with_its_answers() {
    let database = Database::new();
    let pool = database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    plant(connection, PlantedRun::Running).await;
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
    plant(connection, PlantedRun::Running).await;
    sample::run(connection, "DELETE FROM pgmq.q_interviews WHERE message @> '{\"persona\": 3}'").await;
    assert_ne!(breaches(connection).await, []);
    for _ in 0..2 {
        reconcile::refresh(connection, SIMULATION).await.expect("a recount");
        assert_eq!(breaches(connection).await, []);
        assert_eq!(number(connection, "SELECT count(*) AS number FROM pgmq.q_interviews").await, 2);
    }

    // Everything is accounted for, except in the row.
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
