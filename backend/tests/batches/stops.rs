//! Runs that are stopped while the model server has their batches: no unneeded answer is charged.

use bytes::Bytes;
use diesel_async::AsyncPgConnection;
use model_server::Faults;
use twinlab::engine::batches::cancel_left_over;
use twinlab::llm::BatchError;
use twinlab::llm::wire::NewBatch;
use twinlab::models::batches;
use twinlab::models::simulations::control;
use twinlab::models::simulations::passes::Pass;

use super::{CANCELLED, REQUESTS, SUBMITTED, TWINS, Trial, engine};
use crate::support::engine_fixture::{clients, llm, survey};
use crate::support::{Simulate, sample};

#[actix_web::test]
async fn a_stop_cancels_the_batch_and_a_continuation_asks_anew() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
    control::stop(connection, id).await.expect("it stops");
    trial.fixture.until_found(CANCELLED).await;
    trial.stub.release();
    trial.until_first_is("cancelled").await;
    trial.fixture.sound_and_paid(0).await;
    Pass::GoOn.begin(connection, id).await.expect("it goes on");
    let (run, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!((run.attempt, batches.len(), batches[1].lines), (2, 2, TWINS as usize));
}

#[actix_web::test]
async fn a_batch_that_was_answered_before_the_stop_costs_nothing_twice() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    trial.pause(id).await;
    trial.stub.release();
    trial.until_first_is("completed").await;
    let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
    control::stop(connection, id).await.expect("it stops");
    trial.fixture.until_found(CANCELLED).await;
    Pass::GoOn.begin(connection, id).await.expect("it goes on");
    let (run, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!((run.attempt, batches.len(), run.calls), (2, 1, i64::from(TWINS)));
}

/// A run whose worker died after it uploaded a batch's file, and that is stopped now. The submission may still arrive.
async fn stopped_before_the_submission() -> (Trial, i64, String) {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    let Trial { stub, engine: ended, fixture } = trial;
    ended.shut_down().await;
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    sample::run(connection, "UPDATE simulation_batches SET batch_id = NULL, submitted_at = NULL").await;
    let file = batches::open(connection, id).await.expect("an answer").remove(0).input_file_id.expect("it is uploaded");
    // The earlier batch is not part of this trial.
    stub.forget_batches();
    let text = r#"{"custom_id": "1-a", "method": "POST", "url": "/v1/chat/completions", "body": {}}"#;
    let again = llm(&stub).upload_batch("again", text.as_bytes().into()).await.expect("it is taken");
    sample::run(connection, &format!("UPDATE simulation_batches SET input_file_id = '{again}'")).await;
    assert_ne!(file, again);
    control::stop(connection, id).await.expect("it stops");
    let engine = engine(&fixture, &stub).await;
    (Trial { stub, engine, fixture }, id, again)
}

#[actix_web::test]
async fn a_batch_that_was_on_its_way_when_its_run_was_stopped_does_not_go_on_at_the_server() {
    let (trial, id, file) = stopped_before_the_submission().await;
    let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
    trial.fixture.until_found(CANCELLED).await;
    // Now the submission arrives.
    let (token, lines) = (uuid::Uuid::new_v4(), Bytes::new());
    let new = NewBatch { model: "stub", file: &file, lines, token, number: 1 };
    let arrived = llm(&trial.stub).create_batch(new).await;
    assert!(matches!(arrived, Err(BatchError::NotThere(_))), "{arrived:?}");
    assert_eq!(trial.stub.batches(), []);
    trial.stub.release();
    Pass::GoOn.begin(connection, id).await.expect("it goes on");
    let (_, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!(batches.len(), 1);
}

#[actix_web::test]
async fn a_batch_that_is_taken_further_while_it_is_given_up_is_looked_at_again() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    let Trial { stub, engine, fixture } = trial;
    engine.shut_down().await;
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    control::stop(connection, id).await.expect("it stops");
    let nothing = "UPDATE simulation_batches SET batch_id = NULL, input_file_id = NULL, submitted_at = NULL";
    sample::run(connection, nothing).await;
    let look = async |connection: &mut AsyncPgConnection| {
        batches::left_over(connection, Some(vec![id])).await.expect("an answer")
    };
    // One process finds nothing of it at the server. Before it notes that, another one uploads the file and submits it.
    let seen = look(connection).await.remove(0).batch;
    let other = look(connection).await.remove(0).batch;
    batches::set_file(connection, &other, Some("file")).await.expect("noted");
    batches::note_cancelled(connection, &seen).await.expect("an answer");
    let seen = look(connection).await.remove(0).batch;
    assert_eq!(seen.input_file_id.as_deref(), Some("file"));
    batches::set_id(connection, &other, "batch").await.expect("noted");
    batches::note_withdrawn(connection, &seen).await.expect("an answer");
    let seen = look(connection).await.remove(0).batch;
    assert_eq!(seen.batch_id.as_deref(), Some("batch"));
    batches::note_cancelled(connection, &seen).await.expect("noted");
    assert!(look(connection).await.is_empty());
    stub.release();
    cancel_left_over(&fixture.pool, &clients(&stub), None).await.expect("the database answers");
}

#[actix_web::test]
async fn ctrl_c_cancels_the_batch_of_the_command() {
    let trial = Trial::open(Faults::default()).await;
    let Trial { stub, engine, fixture } = trial;
    engine.shut_down().await;
    stub.hold();
    let mut simulate = Simulate::new(&fixture, &stub, &survey(3), "answers.csv");
    simulate.command.arg("--batch");
    let running = simulate.spawn();
    fixture.until_found(SUBMITTED).await;
    running.interrupt();
    let outcome = running.ended();
    assert_eq!(outcome.code, Some(130), "{outcome:#?}");
    stub.release();
    while stub.batches()[0].status != "cancelled" {
        assert_ne!(stub.batches()[0].status, "completed", "it went on");
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.number(CANCELLED).await, 1);
    assert_eq!(stub.batches()[0].lines, TWINS as usize);
}
