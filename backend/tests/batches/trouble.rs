//! Batches and replies that go wrong at the model server, and are repaired automatically where possible.

use std::collections::BTreeSet;

use model_server::{BatchFault, BatchFaults, Fault, Faults};
use simulation::status::Status;
use twinlab::models::simulations::passes::Pass;

use super::{QUESTIONS, REQUESTS, Trial, bodies};
use crate::support::engine_fixture::llm;
use crate::support::sample;

#[actix_web::test]
async fn what_a_batch_leaves_out_is_asked_by_the_next_one() {
    for (fault, lines, attempts) in [(BatchFault::Expires(10), vec![24, 14], 1), (BatchFault::Loses(5), vec![24, 5], 2)]
    {
        let batches = BatchFaults { script: vec![Some(fault)], ..BatchFaults::default() };
        let trial = Trial::open(Faults { batches, ..Faults::default() }).await;
        let id = trial.start().await;
        trial.fixture.ended(id).await;
        assert_eq!(trial.lines(), lines, "{fault:?}");
        assert_eq!(trial.fixture.attempts(id).await.into_iter().max(), Some(attempts), "{fault:?}");
        trial.completes(id, REQUESTS).await;
    }
}

#[actix_web::test]
async fn requests_whose_replies_fail_are_asked_again_with_the_reason_and_answered() {
    let faults = Faults { attempts_struck: 1, keep_bodies: true, ..Faults::default() };
    let faults = faults.with(Fault::OutOfRange, 0.3).with(Fault::ServerError, 0.1).with(Fault::ResetBefore, 0.1);
    let faults = faults.with(Fault::Truncated, 0.1).with(Fault::TooManyRequests, 0.1).with(Fault::EmptyChoices, 0.1);
    let trial = Trial::open(faults).await;
    let id = trial.start().await;
    trial.fixture.ended(id).await;
    assert!(bodies(&trial.stub).iter().any(|body| body.contains("is not one of")), "the model gets the reason");
    let attempts: BTreeSet<i16> = trial.fixture.attempts(id).await.into_iter().collect();
    assert!(attempts.len() > 1, "{attempts:?}");
    trial.completes(id, REQUESTS).await;
}

#[actix_web::test]
async fn a_request_that_never_gets_an_answer_fails_and_is_asked_again_by_a_retry() {
    let trial = Trial::open(Faults { attempts_struck: 1, ..Faults::default() }.with(Fault::Refusal, 0.3)).await;
    let id = trial.start().await;
    let failed = trial.fixture.ended(id).await;
    assert_eq!(failed.status, Status::Failed);
    assert!(failed.failed_requests > 0 && failed.failed_requests < REQUESTS, "{failed:#?}");
    assert!(trial.fixture.failures(id).await.iter().all(|failure| failure.code == "refused"));
    trial.fixture.sound_and_paid(failed.successful_requests).await;
    let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
    Pass::RetryFailed.begin(connection, id).await.expect("it is retried");
    let (_, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!(batches.len(), 2);
    assert_eq!(batches[1].lines as i32 * QUESTIONS as i32, failed.failed_requests);
}

#[actix_web::test]
async fn a_server_that_takes_no_batch_pauses_the_run_with_the_reason_until_that_is_mended() {
    let missing = BatchFaults { missing: true, ..BatchFaults::default() };
    let fails = BatchFaults { script: vec![Some(BatchFault::Fails)], ..BatchFaults::default() };
    let usual = Faults::default;
    for (faults, code, says) in [
        (Faults { batches: missing, ..usual() }, "no_batch_api", "the model server has no Batch API"),
        (Faults { batches: fails, ..usual() }, "batch_failed", "This batch is refused."),
        (usual().with(Fault::InsufficientQuota, 1.0), "denied", "You exceeded your current quota"),
        (usual().with(Fault::BadRequest, 1.0), "rejected", "all 24 calls of a batch were refused"),
        (usual().with(Fault::ModelMissing, 1.0), "rejected", "does not exist"),
        (usual().with(Fault::TooManyRequests, 1.0), "batch_failed", "Rate limit reached."),
    ] {
        let trial = Trial::open(faults).await;
        let id = trial.start().await;
        let paused = trial.fixture.until(id, |run| run.status == Status::Paused).await;
        assert_eq!(paused.error_code.as_deref(), Some(code), "{paused:#?}");
        let message = paused.error_message.expect("a reason");
        assert!(message.contains(says), "{code}: {message}");
        trial.stub.set_faults(Faults::default());
        let breaches = sample::all_breaches(&mut trial.fixture.pool.get().await.expect("a connection")).await;
        assert_eq!((breaches, paused.held), (Vec::new(), i64::from(REQUESTS)));
        trial.resume(id).await;
        trial.completes(id, REQUESTS).await;
    }
}

#[actix_web::test]
async fn a_server_without_json_schema_is_asked_again_without_it() {
    let trial = Trial::open(Faults { dialect: model_server::Dialect::JsonObject, ..Faults::default() }).await;
    let id = trial.start().await;
    let (run, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!((run.left_out, batches.len()), (vec!["json_schema".to_owned()], 2));
}

#[actix_web::test]
async fn a_request_that_a_completed_batch_did_not_ask_costs_no_attempt() {
    let faults = Faults { attempts_struck: 1, ..Faults::default() }.with(Fault::TooManyRequests, 0.4);
    let trial = Trial::open(faults).await;
    let id = trial.start().await;
    trial.fixture.ended(id).await;
    let lines = trial.lines();
    assert!(lines.len() > 1 && lines[1] < lines[0], "some were not asked: {lines:?}");
    assert_eq!(trial.fixture.attempts(id).await.into_iter().max(), Some(1));
    trial.completes(id, REQUESTS).await;
}

#[actix_web::test]
async fn a_batch_that_expires_with_nothing_answered_is_asked_again() {
    let script = vec![Some(BatchFault::Expires(0)), Some(BatchFault::Expires(0))];
    let batches = BatchFaults { script, ..BatchFaults::default() };
    let trial = Trial::open(Faults { batches, ..Faults::default() }).await;
    let id = trial.start().await;
    let (run, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!((batches.len(), run.error_code), (3, None));
}

#[actix_web::test]
async fn a_batch_that_the_server_does_not_know_at_first_is_not_asked_twice() {
    let batches = BatchFaults { misses: 3, ..BatchFaults::default() };
    let trial = Trial::open(Faults { batches, ..Faults::default() }).await;
    let id = trial.start().await;
    let (run, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!((batches.len(), run.calls), (1, i64::from(super::TWINS)));
}

#[actix_web::test]
async fn a_batch_that_somebody_cancels_at_the_server_pauses_the_run_until_it_is_resumed() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    llm(&trial.stub).cancel_batch(&trial.stub.batches()[0].id).await.expect("it is under way");
    let paused = trial.fixture.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(paused.error_code.as_deref(), Some("batch_failed"));
    assert!(paused.error_message.expect("a reason").contains("cancelled at the model server"));
    trial.stub.release();
    trial.resume(id).await;
    let (_, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!(batches.len(), 2);
}

#[actix_web::test]
async fn a_batch_whose_results_are_gone_pauses_the_run_and_says_so() {
    let trial = Trial::open(Faults::default()).await;
    let id = trial.start_held().await;
    trial.pause(id).await;
    trial.stub.release();
    let llm = llm(&trial.stub);
    let output = loop {
        let batch = llm.batch(&trial.stub.batches()[0].id).await.expect("it is known");
        if let Some(output) = batch.result_file_ids.first() {
            break output.clone();
        }
        tokio::task::yield_now().await;
    };
    llm.delete_file(&output).await.expect("it is there");
    trial.resume(id).await;
    let failed = |run: &simulation::row::Simulation| run.error_code.as_deref() == Some("batch_failed");
    let paused = trial.fixture.until(id, failed).await;
    assert!(paused.error_message.expect("a reason").contains("its results are gone: "));
    trial.resume(id).await;
    trial.completes(id, REQUESTS).await;
}
