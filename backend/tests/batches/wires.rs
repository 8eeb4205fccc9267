//! Runs through Anthropic's Message Batches, which have no files, and Google's batch mode.

use std::collections::BTreeSet;

use model_server::{BatchFault, BatchFaults, Fault, Faults};
use simulation::parameters::{Parameters, PersonaVariant};
use simulation::row::Simulation;
use simulation::status::Status;
use simulation::wire::Wire;
use twinlab::llm::wire::{NewBatch, custom_id};
use twinlab::models::simulations::control;
use twinlab::models::simulations::passes::Pass;
use twinlab::models::simulations::start::PersonaChoice;
use uuid::Uuid;

use super::{CANCELLED, QUESTIONS, REQUESTS, SUBMITTED, TWINS, Trial, answers, bodies, engine_on};
use crate::staged::fees;
use crate::support::engine_fixture::{llm_on, survey};
use crate::support::sample;

const WIRES: [Wire; 2] = [Wire::Anthropic, Wire::Gemini];

async fn start(trial: &Trial, wire: Wire) -> i64 {
    start_with(trial, wire, |_| ()).await
}

async fn start_with(trial: &Trial, wire: Wire, change: impl Fn(&mut Parameters)) -> i64 {
    let change = |parameters: &mut Parameters| {
        (parameters.batch, parameters.wire) = (true, wire);
        change(parameters);
    };
    trial.fixture.start(&survey(QUESTIONS), PersonaChoice::Random(TWINS), change).await
}

/// Starts a run with a batch that the server does not answer before it is released.
async fn start_held(trial: &Trial, wire: Wire) -> i64 {
    trial.stub.hold();
    let id = start(trial, wire).await;
    trial.fixture.until_found(SUBMITTED).await;
    id
}

#[actix_web::test]
async fn a_run_in_batches_asks_and_answers_as_one_by_calls_on_every_wire() {
    for wire in WIRES {
        let trial = Trial::open_on(wire, Faults { keep_bodies: true, ..Faults::default() }).await;
        // Without a profile nothing is marked for a cache, which runs in batches do not do.
        let of_wire = |batch| {
            move |parameters: &mut Parameters| {
                (parameters.batch, parameters.wire) = (batch, wire);
                parameters.persona_variant = PersonaVariant::Empty;
            }
        };
        let twins = || PersonaChoice::Random(TWINS);
        let by_calls = trial.fixture.start(&fees(), twins(), of_wire(false)).await;
        let called = trial.fixture.ended(by_calls).await;
        assert_eq!((called.status, trial.stub.batches().len()), (Status::Completed, 0), "{called:#?}");
        let (expected, asked) = (answers(&trial.fixture, by_calls).await, bodies(&trial.stub));
        let id = trial.fixture.start(&fees(), twins(), of_wire(true)).await;
        let run = trial.fixture.ended(id).await;
        assert_eq!(answers(&trial.fixture, id).await, expected, "{wire:?}");
        assert_eq!(bodies(&trial.stub), asked, "{wire:?}: the same prompts, byte for byte");
        let counted = |run: &Simulation| (run.status, run.calls, run.tokens(), run.left_out.clone());
        assert_eq!(counted(&run), counted(&called), "{wire:?}");
        trial.fixture.sound_and_paid(called.successful_requests + run.successful_requests).await;
        trial.engine.shut_down().await;
    }
}

#[actix_web::test]
async fn a_batch_whose_worker_died_is_found_and_not_submitted_again_on_any_wire() {
    for wire in WIRES {
        for forgets in [false, true] {
            let trial = Trial::open_on(wire, Faults::default()).await;
            let id = start_held(&trial, wire).await;
            let Trial { stub, engine: ended, fixture } = trial;
            ended.shut_down().await;
            if forgets {
                let forget = "UPDATE simulation_batches SET batch_id = NULL, submitted_at = NULL";
                sample::run(&mut fixture.pool.get().await.expect("a connection"), forget).await;
            }
            let engine = engine_on(wire, &fixture, &stub).await;
            let trial = Trial { engine, stub, fixture };
            if forgets && wire == Wire::Anthropic {
                // Its requests show only when it has ended: it is waited for.
                let waits =
                    "SELECT count(*) AS number FROM simulation_batches WHERE trouble LIKE '%may be this batch%'";
                trial.fixture.until_found(waits).await;
                assert_eq!(trial.stub.batches().len(), 1);
            }
            trial.stub.release();
            let (run, batches) = trial.completes(id, REQUESTS).await;
            assert_eq!((batches.len(), run.calls), (1, i64::from(TWINS)), "{wire:?}, forgets: {forgets}");
        }
    }
}

/// Nothing but the token in the names of their calls tells batches of one account apart.
#[actix_web::test]
async fn a_batch_of_another_program_with_as_many_requests_is_not_taken_for_ones_own() {
    let wire = Wire::Anthropic;
    let trial = Trial::open_on(wire, Faults::default()).await;
    let id = start_held(&trial, wire).await;
    let Trial { stub, engine: ended, fixture } = trial;
    ended.shut_down().await;
    // The submission never arrived, and another program's did.
    stub.forget_batches();
    let forget = "UPDATE simulation_batches SET batch_id = NULL, submitted_at = NULL";
    sample::run(&mut fixture.pool.get().await.expect("a connection"), forget).await;
    let (llm, token, mut lines) = (llm_on(wire, &stub), Uuid::new_v4(), Vec::new());
    for twin in 1..=TWINS {
        let body = r#"{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Tea?"}]}"#;
        llm.write_line(&mut lines, &custom_id(twin, "c0ffee", token), body.to_owned()).expect("JSON");
    }
    let new = NewBatch { model: "m", file: "", lines: lines.into(), token, number: 1 };
    llm.create_batch(new).await.expect("it is taken");
    stub.release();
    let trial = Trial { engine: engine_on(wire, &fixture, &stub).await, stub, fixture };
    let (run, batches) = trial.completes(id, REQUESTS).await;
    assert_eq!((batches.len(), run.calls), (2, i64::from(TWINS)), "{batches:?}");
}

#[actix_web::test]
async fn what_a_batch_leaves_out_is_asked_by_the_next_one_on_every_wire() {
    for wire in WIRES {
        for (fault, lines) in [(BatchFault::Expires(10), [24, 14]), (BatchFault::Loses(5), [24, 5])] {
            let batches = BatchFaults { script: vec![Some(fault)], ..BatchFaults::default() };
            let trial = Trial::open_on(wire, Faults { batches, ..Faults::default() }).await;
            let id = start(&trial, wire).await;
            trial.fixture.ended(id).await;
            assert_eq!(trial.lines(), lines, "{wire:?} {fault:?}");
            trial.completes(id, REQUESTS).await;
        }
    }
}

#[actix_web::test]
async fn requests_whose_replies_fail_are_asked_again_on_every_wire() {
    for wire in WIRES {
        let faults = Faults { attempts_struck: 1, ..Faults::default() };
        let faults = faults.with(Fault::OutOfRange, 0.3).with(Fault::ServerError, 0.1).with(Fault::ResetBefore, 0.1);
        let faults =
            faults.with(Fault::Truncated, 0.1).with(Fault::TooManyRequests, 0.1).with(Fault::EmptyChoices, 0.1);
        let trial = Trial::open_on(wire, faults).await;
        let id = start(&trial, wire).await;
        trial.fixture.ended(id).await;
        let attempts: BTreeSet<i16> = trial.fixture.attempts(id).await.into_iter().collect();
        assert!(attempts.len() > 1, "{wire:?}: {attempts:?}");
        trial.completes(id, REQUESTS).await;
    }
}

#[actix_web::test]
async fn a_server_that_takes_no_batch_pauses_the_run_with_the_reason_on_every_wire() {
    let missing = || BatchFaults { missing: true, ..BatchFaults::default() };
    let fails = || BatchFaults { script: vec![Some(BatchFault::Fails)], ..BatchFaults::default() };
    let usual = Faults::default;
    for wire in WIRES {
        for (faults, code) in [
            (Faults { batches: missing(), ..usual() }, "no_batch_api"),
            (Faults { batches: fails(), ..usual() }, "rejected"),
            (usual().with(Fault::InsufficientQuota, 1.0), "denied"),
            (usual().with(Fault::BadRequest, 1.0), "rejected"),
            (usual().with(Fault::TooManyRequests, 1.0), "batch_failed"),
        ] {
            let trial = Trial::open_on(wire, faults).await;
            let id = start(&trial, wire).await;
            let paused = trial.fixture.until(id, |run| run.status == Status::Paused).await;
            assert_eq!(paused.error_code.as_deref(), Some(code), "{wire:?}: {paused:#?}");
            trial.stub.set_faults(Faults::default());
            trial.resume(id).await;
            trial.completes(id, REQUESTS).await;
        }
    }
}

#[actix_web::test]
async fn a_parameter_that_the_api_does_not_have_pauses_the_run_before_a_batch_is_submitted() {
    for wire in WIRES {
        let trial = Trial::open_on(wire, Faults::default()).await;
        let verbose = |parameters: &mut Parameters| {
            parameters.verbosity = Some(simulation::model_options::Verbosity::High);
        };
        let id = start_with(&trial, wire, verbose).await;
        let paused = trial.fixture.until(id, |run| run.status == Status::Paused).await;
        assert_eq!(paused.error_code.as_deref(), Some("parameter_refused"), "{wire:?}: {paused:#?}");
        assert_eq!((trial.stub.batches().len(), trial.stub.files()), (0, 0), "{wire:?}");
        trial.engine.shut_down().await;
    }
}

#[actix_web::test]
async fn a_stop_cancels_the_batch_and_a_continuation_asks_anew_on_every_wire() {
    for wire in WIRES {
        let trial = Trial::open_on(wire, Faults::default()).await;
        let id = start_held(&trial, wire).await;
        let connection = &mut *trial.fixture.pool.get().await.expect("a connection");
        control::stop(connection, id).await.expect("it stops");
        trial.fixture.until_found(CANCELLED).await;
        trial.stub.release();
        trial.until_first_is("cancelled").await;
        trial.fixture.sound_and_paid(0).await;
        Pass::GoOn.begin(connection, id).await.expect("it goes on");
        let (run, batches) = trial.completes(id, REQUESTS).await;
        assert_eq!((run.attempt, batches.len(), batches[1].lines), (2, 2, TWINS as usize), "{wire:?}");
    }
}
