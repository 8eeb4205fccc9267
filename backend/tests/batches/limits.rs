//! Limits of batches: of the model server, the cost cap and the database.

use model_server::{BatchFaults, Faults};
use simulation::money::Price;
use simulation::parameters::Parameters;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::simulations::{costs, progress};

use super::{QUESTIONS, REQUESTS, TWINS, Trial, engine};
use crate::support::engine_fixture::{ENGINE_CONNECTIONS, EngineFixture, survey};

/// Upper limit of simultaneous looks, each of which has a session.
const MAX_LOOKS: i64 = 4;

#[actix_web::test]
async fn what_the_server_has_no_room_for_is_sent_in_smaller_batches_one_after_the_other() {
    for refuses_at_once in [false, true] {
        // There is room for about ten calls.
        let batches = BatchFaults { token_limit: Some(6_000), refuses_at_once, ..BatchFaults::default() };
        let trial = Trial::open(Faults { batches, ..Faults::default() }).await;
        trial.stub.hold();
        let id = trial.start().await;
        let taken = "SELECT count(*) AS number FROM simulation_batches WHERE batch_id IS NOT NULL AND ended_at IS NULL
            AND server_status = 'in_progress'";
        trial.fixture.until_found(taken).await;
        let waits = "SELECT count(*) AS number FROM batch_calls WHERE number IS NULL";
        assert!(trial.fixture.number(waits).await > 0, "the others wait for the first to end");
        trial.stub.release();
        let run = trial.fixture.ended(id).await;
        assert_eq!((run.error_code, trial.fixture.attempts(id).await.into_iter().max()), (None, Some(1)));
        let refused = "SELECT count(*) AS number FROM simulation_batches WHERE limit_reached";
        let refused = trial.fixture.number(refused).await;
        assert!(refused > 0, "the limit is not reached");
        let calls = run.calls;
        let (_, batches) = trial.completes(id, REQUESTS).await;
        let asked: Vec<usize> = batches.iter().filter(|batch| batch.done > 0).map(|batch| batch.lines).collect();
        assert!(asked.len() > 1, "{asked:?}");
        assert_eq!((asked.iter().sum::<usize>(), calls), (TWINS as usize, i64::from(TWINS)), "{asked:?}");
    }
}

#[actix_web::test]
async fn a_run_waits_while_others_fill_the_server_and_says_so() {
    let batches = BatchFaults { token_limit: Some(0), ..BatchFaults::default() };
    let trial = Trial::open(Faults { batches, ..Faults::default() }).await;
    let id = trial.start().await;
    let of_one = "SELECT count(*) AS number FROM simulation_batches WHERE limit_reached AND calls = 1";
    trial.fixture.until_found(of_one).await;
    let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
    // Waits between two attempts.
    let reason = loop {
        let counters = progress::counters(connection, id).await.expect("an answer").expect("the run");
        if let (None, Some(reason)) = (counters.batch(), counters.waiting_reason) {
            break reason;
        }
        tokio::task::yield_now().await;
    };
    assert!(
        reason.starts_with("the model server has no room for the next batch yet: Enqueued token limit"),
        "{reason}"
    );
    trial.stub.set_faults(Faults::default());
    let (run, _) = trial.completes(id, REQUESTS).await;
    assert_eq!(run.error_code, None);
}

/// A price of one unit for a million prompt tokens.
fn price() -> Price {
    Price {
        currency: "USD".to_owned(),
        prompt: 1_000_000,
        cached: 1_000_000,
        completion: 1_000_000,
        cache_write: None,
        reasoning: None,
        as_of: None,
    }
}

#[actix_web::test]
async fn batches_under_way_count_as_spent_so_that_a_run_does_not_cost_more_than_it_may() {
    let trial = Trial::open(Faults::default()).await;
    let start = async |fixture: &EngineFixture| {
        let priced = |parameters: &mut Parameters| (parameters.batch, parameters.price) = (true, Some(price()));
        fixture.start(&survey(QUESTIONS), PersonaChoice::Random(TWINS), priced).await
    };
    let uncapped = start(&trial.fixture).await;
    let uncapped = trial.fixture.ended(uncapped).await;
    let cap = price().cost(uncapped.tokens()) / 2;

    // No engine works on it until it has its cap.
    let Trial { stub, engine: ended, fixture } = trial;
    ended.shut_down().await;
    let before = stub.batches().len();
    let id = start(&fixture).await;
    let mut connection = fixture.pool.get().await.expect("a connection");
    costs::set_cap(&mut connection, id, Some(cap)).await.expect("an answer");
    let trial = Trial { engine: engine(&fixture, &stub).await, stub, fixture };
    let paused = trial.fixture.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(paused.error_code.as_deref(), Some("cost_cap"), "{paused:#?}");
    let cost = price().cost(paused.tokens());
    assert!(cost <= cap && cost > cap / 2, "{cost} of {cap}");
    let lines: Vec<usize> = trial.stub.batches()[before..].iter().map(|batch| batch.lines).collect();
    assert!(lines.iter().sum::<usize>() < TWINS as usize, "{lines:?}");

    costs::set_cap(&mut connection, id, Some(cap * 4)).await.expect("an answer");
    trial.resume(id).await;
    let (run, _) = trial.completes_beside(id, REQUESTS, uncapped.successful_requests).await;
    assert_eq!(run.calls, i64::from(TWINS));
}

#[actix_web::test]
async fn runs_that_wait_for_batches_hold_no_connections() {
    let trial = Trial::open(Faults::default()).await;
    trial.stub.hold();
    let mut runs = Vec::new();
    for _ in 0..12 {
        runs.push(trial.start().await);
    }
    let missing = "SELECT (count(*) = 12)::int::bigint AS number FROM simulation_batches WHERE batch_id IS NOT NULL";
    trial.fixture.until_found(missing).await;
    let sessions = trial.fixture.engine_sessions().await;
    assert!(sessions <= ENGINE_CONNECTIONS + MAX_LOOKS, "{sessions}");
    trial.stub.release();
    for run in &runs {
        trial.fixture.ended(*run).await;
    }
    let others = REQUESTS * (runs.len() as i32 - 1);
    trial.completes_beside(runs[0], REQUESTS, others).await;
}
