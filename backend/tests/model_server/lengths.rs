//! Length limits of answers in free words: prompts and schemas state them, and no longer text is stored or cut.

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, Failed};

/// Length of the text that the stub always answers, in characters.
const SAID: u32 = 35;

async fn asked(max_text_length: Option<u32>) -> (Simulation, Vec<Failed>, Vec<Value>) {
    asked_of(max_text_length, &[]).await
}

/// Asks one twin an open question and a choice, with this limit, of a server with these faults. Returns the failures and the
/// bodies of the calls too.
async fn asked_of(max_text_length: Option<u32>, faults: &[Fault]) -> (Simulation, Vec<Failed>, Vec<Value>) {
    let survey = json!({"title": "In free words", "questions": [
        {"text": "Why?", "type": "OPENENDED"},
        {"text": "Really?", "type": "SINGLE_CHOICE", "options": ["Yes", "No"]},
    ]});
    let script = faults.iter().copied().map(Some).collect();
    let stub = ModelServer::start(Faults { keep_bodies: true, script, ..Faults::default() });
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine(&stub, |model| model.max_attempts = 6).await;
    let change = |parameters: &mut simulation::parameters::Parameters| parameters.max_text_length = max_text_length;
    let id = fixture.start(&survey, PersonaChoice::Ids(vec![1]), change).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    let failures = fixture.failures(id).await;
    fixture.sound_and_paid(run.successful_requests).await;
    let body = |body: Box<[u8]>| serde_json::from_slice(&body).expect("a call's body is JSON");
    (run, failures, stub.bodies().into_iter().map(body).collect())
}

/// The schema of the text, and the questions as the model reads them.
fn stated(body: &Value) -> (&Value, &str) {
    let schema = &body["response_format"]["json_schema"]["schema"]["properties"]["q1"];
    (schema, body["messages"][1]["content"].as_str().expect("a text"))
}

#[actix_web::test]
async fn a_text_within_its_limit_is_stored() {
    let (run, _, bodies) = asked(Some(SAID)).await;
    assert_eq!((run.status, run.calls), (Status::Completed, 1));
    let (schema, questions) = stated(&bodies[0]);
    assert_eq!(schema, &json!({"type": "string", "maxLength": SAID}));
    assert!(questions.contains("in one to four sentences and at most 35 characters."), "{questions}");
}

#[actix_web::test]
async fn a_text_that_is_too_long_is_asked_again_once_with_the_reason_and_then_fails() {
    let (run, failures, bodies) = asked(Some(SAID - 1)).await;
    assert_eq!((run.successful_requests, run.failed_requests, run.calls), (1, 1, 2));
    let [failure] = &failures[..] else { panic!("{failures:?}") };
    assert_eq!((&*failure.code, failure.attempts), ("too_long", 2));
    let (_, questions) = stated(&bodies[1]);
    let reason = "was not accepted: the text had 35 characters; at most 34 are allowed. Answer it again.";
    assert!(questions.contains(reason), "{questions}");
}

#[actix_web::test]
async fn a_text_that_was_cut_off_is_asked_again_with_the_reason_and_more_room() {
    for (limit, says_why) in [(Some(SAID), true), (None, false)] {
        let (run, _, bodies) = asked_of(limit, &[Fault::Truncated]).await;
        assert_eq!((run.status, run.calls), (Status::Completed, 2));
        let rooms = [0, 1].map(|call| bodies[call]["max_completion_tokens"].as_u64().expect("a room"));
        assert!(rooms[0] < rooms[1], "{rooms:?}");
        let (_, questions) = stated(&bodies[1]);
        let reason = "was not accepted: the text did not end before the reply was cut off. Answer it again.";
        assert_eq!(questions.contains(reason), says_why, "{questions}");
    }
}

#[actix_web::test]
async fn a_run_from_before_the_limits_asks_as_it_did() {
    let (run, _, bodies) = asked(None).await;
    assert_eq!(run.status, Status::Completed);
    let (schema, questions) = stated(&bodies[0]);
    assert_eq!(schema, &json!({"type": "string"}));
    assert!(questions.contains("in one to four sentences.\n"), "{questions}");
}
