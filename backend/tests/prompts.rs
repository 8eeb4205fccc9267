//! Equal seeds and inputs give equal prompts, byte for byte, after any failures.

use std::collections::BTreeSet;

use model_server::{Dialect, Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::parameters::{Parameters, PersonaVariant};
use simulation::status::Status;
use twinlab::models::simulations::passes::Pass;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::{responses, workers};
use twinlab::results::prompt;
use twinlab::results::runs;
use uuid::Uuid;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{Simulate, sample};

const TWINS: i32 = 40;
const CHOSEN: i32 = 25;

/// Parameters with options in an order that the seed determines.
fn shuffled(seed: i64, per_call: u16) -> impl FnOnce(&mut Parameters) {
    move |parameters| {
        parameters.seed = seed;
        parameters.shuffle_options = true;
        parameters.questions_per_call = per_call;
    }
}

/// The different bodies that the stub received.
fn prompts(stub: &ModelServer) -> BTreeSet<u64> {
    stub.calls().iter().map(|call| call.body).collect()
}

/// The prompts of a run without failures.
async fn undisturbed(survey: &Value, seed: i64, per_call: u16) -> BTreeSet<u64> {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(survey, PersonaChoice::Random(CHOSEN), shuffled(seed, per_call)).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!(run.status, Status::Completed);
    let prompts = prompts(&stub);
    assert_eq!(prompts.len() as i64, run.calls, "no two calls are the same");
    prompts
}

#[actix_web::test]
async fn two_databases_ask_byte_for_byte_the_same_and_another_seed_asks_something_else() {
    let first = undisturbed(&survey(6), 7, 4).await;
    // An earlier run of another survey gives everything other ids.
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let earlier = fixture.start(&survey(2), PersonaChoice::Ids(vec![1]), |_| ()).await;
    fixture.ended(earlier).await;
    let before = prompts(&stub);
    let id = fixture.start(&survey(6), PersonaChoice::Random(CHOSEN), shuffled(7, 4)).await;
    fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!(&prompts(&stub) - &before, first);
    assert_ne!(undisturbed(&survey(6), 8, 4).await, first);
}

#[actix_web::test]
async fn a_run_whose_process_was_killed_goes_on_with_the_same_prompts() {
    let survey = survey(6);
    let expected = undisturbed(&survey, 7, 2).await;
    let stub = ModelServer::start(Faults::default().latency_ms(30));
    let fixture = EngineFixture::new(TWINS).await;
    let mut simulate = Simulate::new(&fixture, &stub, &survey, "answers.csv");
    simulate.command.args(["--personas", &CHOSEN.to_string(), "--shuffle-options", "--seed", "7"]).envs([
        ("LLM_QUESTIONS_PER_CALL", "2"),
        ("LLM_MAX_CONCURRENCY", "8"),
        ("LLM_STREAM", "false"),
    ]);
    let running = simulate.spawn();
    stub.reached(expected.len() / 2).await;
    running.kill();
    assert!(simulate.written().is_empty(), "{:?}", simulate.written());
    gone(&fixture).await;

    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.number("SELECT id AS number FROM simulations").await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!(run.status, Status::Completed);
    assert_eq!(prompts(&stub), expected);
    fixture.sound_and_paid(run.total_requests).await;
}

/// Waits until PostgreSQL has noticed that the killed worker's connections are closed.
async fn gone(fixture: &EngineFixture) {
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    while workers::others_alive(connection, Uuid::nil()).await.expect("an answer") {
        tokio::task::yield_now().await;
    }
}

#[actix_web::test]
async fn what_failed_is_asked_again_with_the_same_prompts() {
    let survey = survey(6);
    let expected = undisturbed(&survey, 7, 1).await;
    let stub = ModelServer::start(Faults { attempts_struck: 1, ..Faults::default() }.with(Fault::Refusal, 0.3));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey, PersonaChoice::Random(CHOSEN), shuffled(7, 1)).await;
    let failed = fixture.ended(id).await;
    assert!(failed.failed_requests > 10, "{failed:#?}");
    Pass::RetryFailed.begin(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("it is retried");
    let run = fixture.until(id, |run| run.attempt == 2 && run.status.is_over()).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.calls), (Status::Completed, failed.calls + i64::from(failed.failed_requests)));
    assert_eq!(prompts(&stub), expected);
    fixture.sound_and_paid(run.total_requests).await;
}

#[actix_web::test]
async fn the_twin_comes_first_and_is_the_same_in_all_calls_of_its_interview() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(6), PersonaChoice::Random(CHOSEN), shuffled(7, 2)).await;
    fixture.ended(id).await;
    engine.shut_down().await;
    let personas: BTreeSet<u64> = stub.calls().iter().map(|call| call.persona).collect();
    assert_eq!((stub.calls().len(), personas.len()), (3 * CHOSEN as usize, CHOSEN as usize));
}

#[actix_web::test]
async fn blanks_and_hidden_fields_of_the_survey_file_change_no_prompt() {
    let plain = json!({"title": "T", "questions": [{"text": "Q?", "type": "BOOLEAN"}]});
    let decorated = json!({"questions": [{"type": "BOOLEAN", "text": " Q? ", "colour": "red"}], "title": " T\n"});
    assert_eq!(undisturbed(&plain, 1, 20).await, undisturbed(&decorated, 1, 20).await);
}

#[actix_web::test]
async fn every_prompt_is_built_again_from_what_is_stored_whatever_happened_on_the_way() {
    let faults = Faults { dialect: Dialect::JsonObject, attempts_struck: 1, ..Faults::default() };
    let faults = faults.with(Fault::OutOfRange, 0.3).with(Fault::MissingAnswer, 0.2).with(Fault::Truncated, 0.2);
    let stub = ModelServer::start(faults);
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(6), PersonaChoice::Random(CHOSEN), shuffled(7, 4)).await;
    let ended = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!(ended.status, Status::Completed);

    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let answers = responses::of_personas(&conn, id, 0, i32::MAX, None).await.expect("answers");
    assert_eq!(answers.len(), 6 * CHOSEN as usize);
    for answer in answers {
        let found =
            prompt::of_answer(&mut conn, &run, answer.persona_id, answer.question_id).await.expect("it is read");
        let found = found.expect("there is an answer");
        let prompt = found.prompt.unwrap_or_else(|| panic!("another prompt for {answer:?}"));
        assert_eq!(prompt.hash()[..], found.hash);
    }
    let absent = prompt::of_answer(&mut conn, &run, 1, 999).await.expect("it is read");
    assert!(absent.is_none());
}

#[actix_web::test]
async fn a_baseline_is_told_the_demographics_alone_or_nothing() {
    for (variant, profile) in [
        (PersonaVariant::Demographics, "Age: 30-49\\nGender: Female\\n\\n--- End of the profile"),
        (PersonaVariant::Empty, "An adult living in the United States.\\n\\n--- End of the profile"),
    ] {
        let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
        let fixture = EngineFixture::new(3).await;
        let demographics = r#"UPDATE personas SET attributes = '{"Gender": "Female", "Age": "30-49"}'"#;
        sample::run(&mut fixture.pool.get().await.expect("a connection"), demographics).await;
        let engine = fixture.engine(&stub, |_| ()).await;
        let id = fixture
            .start(&survey(2), PersonaChoice::Random(3), |parameters| parameters.persona_variant = variant)
            .await;
        let ended = fixture.ended(id).await;
        engine.shut_down().await;
        assert_eq!(ended.status, Status::Completed);
        for body in stub.bodies() {
            let body = String::from_utf8_lossy(&body).into_owned();
            assert!(body.contains(&format!("\"content\":\"{profile}")), "{variant:?}: {body}");
        }
        let mut conn = fixture.pool.get().await.expect("a connection");
        let run = runs::load(&conn, id).await.expect("the run");
        let answers = responses::of_personas(&conn, id, 0, i32::MAX, None).await.expect("answers");
        let first = answers.first().expect("an answer");
        let found = prompt::of_answer(&mut conn, &run, first.persona_id, first.question_id).await.expect("it is read");
        assert!(found.is_some_and(|found| found.prompt.is_some()), "the prompt is built again");
    }
}
