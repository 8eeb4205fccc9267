//! Runs through the model server's Batch API, with all kinds of trouble.

mod limits;
mod stops;
mod trouble;
mod wires;

use std::collections::BTreeSet;
use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use model_server::{BatchRecord, Faults, ModelServer};
use serde_json::Value;
use simulation::row::Simulation;
use simulation::status::Status;
use simulation::wire::Wire;
use twinlab::engine::{Engine, Timings};
use twinlab::models::simulations::control;
use twinlab::models::simulations::progress;
use twinlab::models::simulations::start::PersonaChoice;

use crate::staged::fees;
use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::sample;

const TWINS: i32 = 24;
const QUESTIONS: usize = 3;
/// Requests of a run of [`survey`], which asks each twin in one call.
const REQUESTS: i32 = TWINS * QUESTIONS as i32;

/// Counts batches that are known to be submitted.
const SUBMITTED: &str = "SELECT count(*) AS number FROM simulation_batches WHERE batch_id IS NOT NULL";
/// Counts batches that the server was asked to cancel, or does not have.
const CANCELLED: &str = "SELECT count(*) AS number FROM simulation_batches WHERE cancelled_at IS NOT NULL";

/// A database with an engine, and a stub of a model server.
struct Trial {
    stub: ModelServer,
    engine: Engine,
    fixture: EngineFixture,
}

async fn engine(fixture: &EngineFixture, stub: &ModelServer) -> Engine {
    engine_on(Wire::default(), fixture, stub).await
}

async fn engine_on(wire: Wire, fixture: &EngineFixture, stub: &ModelServer) -> Engine {
    let timings = Timings { batch_interval: Duration::from_millis(30), ..Timings::default() };
    fixture.engine_with(stub, timings, |model| (model.wire, model.max_attempts) = (wire, 6)).await
}

impl Trial {
    async fn open(faults: Faults) -> Self {
        Self::open_on(Wire::default(), faults).await
    }

    async fn open_on(wire: Wire, faults: Faults) -> Self {
        let stub = ModelServer::start(faults);
        let fixture = EngineFixture::new(TWINS).await;
        let engine = engine_on(wire, &fixture, &stub).await;
        Self { stub, engine, fixture }
    }

    /// Starts a run of all twins in batches.
    async fn start(&self) -> i64 {
        self.start_of(&survey(QUESTIONS), true).await
    }

    async fn start_of(&self, survey: &Value, batch: bool) -> i64 {
        self.fixture.start(survey, PersonaChoice::Random(TWINS), |parameters| parameters.batch = batch).await
    }

    async fn run(&self, sql: &str) {
        sample::run(&mut self.fixture.pool.get().await.expect("a connection"), sql).await;
    }

    /// Starts a run of all twins with a batch that the server does not answer before it is released.
    async fn start_held(&self) -> i64 {
        self.stub.hold();
        let id = self.start().await;
        self.fixture.until_found(SUBMITTED).await;
        id
    }

    async fn pause(&self, id: i64) {
        control::pause(&mut self.fixture.pool.get().await.expect("a connection"), id).await.expect("it pauses");
        self.fixture.until(id, |run| run.status == Status::Paused).await;
    }

    /// Waits until the server reports this status of the first batch.
    async fn until_first_is(&self, status: &str) {
        while self.stub.batches()[0].status != status {
            tokio::task::yield_now().await;
        }
    }

    async fn resume(&self, id: i64) {
        control::resume(&mut self.fixture.pool.get().await.expect("a connection"), id).await.expect("it goes on");
    }

    /// The number of requests in every batch.
    fn lines(&self) -> Vec<usize> {
        self.stub.batches().iter().map(|batch| batch.lines).collect()
    }

    /// Waits for the end of the run and the trial: everything is answered, paid once and sound, and nothing is left
    /// over.
    async fn completes(self, id: i64, requests: i32) -> (Simulation, Vec<BatchRecord>) {
        self.completes_beside(id, requests, 0).await
    }

    /// Like [`Self::completes`], after other runs with this number of answers.
    async fn completes_beside(self, id: i64, requests: i32, others: i32) -> (Simulation, Vec<BatchRecord>) {
        let run = self.fixture.ended(id).await;
        self.engine.shut_down().await;
        assert_eq!((run.status, run.successful_requests), (Status::Completed, requests), "{run:#?}");
        self.fixture.sound_and_paid(requests + others).await;
        assert_eq!(self.fixture.number("SELECT count(*) AS number FROM batch_calls").await, 0);
        let open = "SELECT count(*) AS number FROM simulation_batches WHERE ended_at IS NULL";
        assert_eq!(self.fixture.number(open).await, 0);
        (run, self.stub.batches())
    }
}

#[derive(QueryableByName)]
struct Answers {
    #[diesel(sql_type = Text)]
    answers: String,
}

/// The twins' answers by prompt, without the numbers of the questions.
async fn answers(fixture: &EngineFixture, id: i64) -> String {
    let found: Answers = diesel::sql_query(format!(
        "SELECT string_agg(format('%s %s %s %s %s %s', persona_id, answer, answer_value, attempt, model,
             encode(prompt_hash, 'hex')), ', ' ORDER BY persona_id, prompt_hash, question_id) AS answers
         FROM responses WHERE simulation_id = {id}"
    ))
    .get_result(&mut fixture.pool.get().await.expect("a connection"))
    .await
    .expect("an answer");
    found.answers
}

fn bodies(stub: &ModelServer) -> BTreeSet<String> {
    stub.bodies().iter().map(|body| String::from_utf8_lossy(body).into_owned()).collect()
}

#[actix_web::test]
async fn a_run_in_batches_asks_and_answers_as_one_by_calls() {
    let trial = Trial::open(Faults { keep_bodies: true, ..Faults::default() }).await;
    let by_calls = trial.start_of(&fees(), false).await;
    let called = trial.fixture.ended(by_calls).await;
    let (expected, asked) = (answers(&trial.fixture, by_calls).await, bodies(&trial.stub));
    assert_eq!((called.status, trial.stub.batches().len()), (Status::Completed, 0), "{called:#?}");

    let id = trial.start_of(&fees(), true).await;
    let run = trial.fixture.ended(id).await;
    assert_eq!(answers(&trial.fixture, id).await, expected);
    assert_eq!(bodies(&trial.stub), asked, "the same prompts, byte for byte");
    let counted = |run: &Simulation| (run.status, run.calls, run.tokens(), run.total_requests, run.left_out.clone());
    assert_eq!(counted(&run), counted(&called));
    let lines = trial.lines();
    assert!(lines.len() > 2, "a batch for each stage: {lines:?}");
    assert_eq!((lines.iter().sum::<usize>() as i64, lines[0]), (run.calls, TWINS as usize));
    trial.fixture.sound_and_paid(called.successful_requests + run.successful_requests).await;
    trial.engine.shut_down().await;
}

#[actix_web::test]
async fn a_batch_that_was_submitted_before_its_worker_died_is_found_and_not_submitted_again() {
    // With and without a stored id.
    for forgets in [false, true] {
        let trial = Trial::open(Faults::default()).await;
        let id = trial.start_held().await;
        let Trial { stub, engine: ended, fixture } = trial;
        ended.shut_down().await;
        if forgets {
            let forget = "UPDATE simulation_batches SET batch_id = NULL, submitted_at = NULL";
            sample::run(&mut fixture.pool.get().await.expect("a connection"), forget).await;
        }
        let trial = Trial { engine: engine(&fixture, &stub).await, stub, fixture };
        trial.fixture.until_found(SUBMITTED).await;
        trial.stub.release();
        let (run, batches) = trial.completes(id, REQUESTS).await;
        assert_eq!((batches.len(), run.calls), (1, i64::from(TWINS)), "forgets: {forgets}");
        assert_eq!(batches[0].metadata["number"], "1");
    }
}

#[actix_web::test]
async fn a_batch_that_was_uploaded_or_lost_by_the_server_is_asked_again() {
    for lost in [
        // The worker died before it submitted the file.
        "UPDATE simulation_batches SET batch_id = NULL, submitted_at = NULL",
        // The worker died before it uploaded the file.
        "UPDATE simulation_batches SET batch_id = NULL, input_file_id = NULL, submitted_at = NULL",
        // The server has forgotten the batch.
        "SELECT 1",
    ] {
        let trial = Trial::open(Faults::default()).await;
        let id = trial.start_held().await;
        trial.pause(id).await;
        trial.stub.forget_batches();
        trial.run(lost).await;
        trial.stub.release();
        trial.resume(id).await;
        let (run, batches) = trial.completes(id, REQUESTS).await;
        assert_eq!((batches.len(), run.calls), (1, i64::from(TWINS)), "{lost}");
    }
}

#[actix_web::test]
async fn a_pause_leaves_the_batch_to_the_server_and_a_resume_reads_it() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    let waiting = async || {
        let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
        let counters = progress::counters(connection, id).await.expect("an answer").expect("the run");
        (counters.batch().map(|batch| (batch.calls, batch.done)), counters.waiting_reason)
    };
    let (batch, reason) = waiting().await;
    assert_eq!(batch, Some((i64::from(TWINS), 0)));
    assert_eq!(reason.as_deref(), Some("the model server has done 0 of 24 calls in batches"));
    trial.pause(id).await;
    assert_eq!(waiting().await, (None, None));
    trial.stub.release();
    trial.until_first_is("completed").await;
    assert_eq!(trial.fixture.run(id).await.successful_requests, 0);
    trial.resume(id).await;
    let (_, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!(batches.len(), 1);
}

#[actix_web::test]
async fn of_two_workers_one_attends_to_the_batches_and_the_other_takes_over() {
    let trial = Trial::open(Faults::default()).await;
    let other = engine(&trial.fixture, &trial.stub).await;
    let id = trial.start_held().await;
    let Trial { stub, engine, fixture } = trial;
    engine.shut_down().await;
    stub.release();
    let (_, batches) = Trial { stub, engine: other, fixture }.completes(id, REQUESTS).await;
    assert_eq!(batches.len(), 1);
}

#[actix_web::test]
async fn the_files_of_a_batch_are_deleted_at_the_server_once_it_is_read() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start().await;
    trial.fixture.ended(id).await;
    while trial.stub.files() > 0 {
        tokio::task::yield_now().await;
    }
    trial.completes(id, REQUESTS).await;
}
