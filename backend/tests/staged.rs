//! Runs of surveys with a design: arms, screening, display logic and loops, with all kinds of failures.

use std::collections::BTreeSet;

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::responses;
use twinlab::models::simulations::control;
use twinlab::models::simulations::passes::Pass;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::results::prompt;
use twinlab::results::runs;

use crate::support::engine_fixture::EngineFixture;

const TWINS: i32 = 24;

/// A survey with screening by an answer, an arm with a piped field, a question that an answer hides, and a loop.
pub fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "ok", "type": "SINGLE_CHOICE", "text": "Do you book hotels?", "options": ["Often", "Seldom", "Never"] },
        { "name": "read", "type": "INFO", "text": "The hotel adds {{field:fee}}." },
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?",
          "options": ["Fair", "Neither", "Unfair"], "shuffle": "all" },
        { "name": "why", "type": "OPENENDED", "text": "You said {{answer:fair}}. Why?",
          "show_if": { "answer": "fair", "is": "Unfair" } },
        { "name": "buy", "type": "BOOLEAN", "text": "Would you buy {{loop:thing}}?" }
      ], "flow": [
        { "block": "screen", "questions": ["ok"] },
        { "if": { "answer": "ok", "is": "Never" }, "then": [{ "end": "screened_out" }] },
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["read", "fair", "why"] },
        { "loop": "things", "take": 2, "order": "random", "flow": [{ "block": "things", "questions": ["buy"] }] }],
      "tables": { "things": { "columns": ["thing"], "rows": [["a tent"], ["a boat"], ["a bed"]] } } })
}

fn bodies(stub: &ModelServer) -> BTreeSet<String> {
    stub.bodies().iter().map(|body| String::from_utf8_lossy(body).into_owned()).collect()
}

/// Checks that asked, answered and hidden requests add up, and that the answers were paid.
async fn is_sound(fixture: &EngineFixture, run: &Simulation) {
    fixture.sound_and_paid(run.successful_requests).await;
    assert_eq!(run.successful_requests + run.failed_requests, run.total_requests, "{run:#?}");
    let skipped = fixture.number("SELECT skipped::bigint AS number FROM simulation_designs").await;
    let held = fixture.number("SELECT sum(requests) AS number FROM assignments").await;
    assert_eq!(held, i64::from(TWINS) * 5, "each can be asked five questions at most");
    assert_eq!(i64::from(run.total_requests) + skipped, held);
    assert_eq!(fixture.number("SELECT count(*) AS number FROM not_shown").await, skipped);
}

async fn undisturbed() -> (BTreeSet<String>, i32) {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&fees(), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.failed_requests), (Status::Completed, 0), "{run:#?}");
    is_sound(&fixture, &run).await;
    let bodies = bodies(&stub);
    assert_eq!(bodies.len() as i64, run.calls, "no two calls are the same");
    // Both arms, each in prompts of its own, and no name of an arm or a field.
    let [one, two] = ["RESORT", "SERVICE"].map(|word| bodies.iter().filter(|body| body.contains(word)).count());
    assert!(one > 0 && two > 0, "{one} and {two}");
    for body in &bodies {
        assert!(!(body.contains("RESORT") && body.contains("SERVICE")), "{body}");
        assert!(!body.contains("fee_arm") && !body.contains("{{"), "{body}");
    }
    let arms = "SELECT count(*) AS number FROM assignments WHERE fields -> 'arms' -> 'fee_arm' ->> 0 = 'one'";
    assert_eq!(fixture.number(arms).await, i64::from(TWINS / 2), "arms are balanced");
    let reached = fixture.number("SELECT count(*) AS number FROM not_shown WHERE reason = 'screened_out'").await;
    assert!(reached > 0, "some are screened out");
    (bodies, run.successful_requests)
}

#[actix_web::test]
async fn a_pause_and_another_engine_change_no_prompt_and_ask_nothing_twice() {
    let (expected, answered) = undisturbed().await;
    let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() }.latency_ms(20));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 4).await;
    let id = fixture.start(&fees(), PersonaChoice::Random(TWINS), |_| ()).await;
    fixture.until(id, |run| run.successful_requests >= 20).await;
    control::pause(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("it pauses");
    engine.shut_down().await;
    let engine = fixture.engine(&stub, |_| ()).await;
    control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("it goes on");
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, answered));
    assert_eq!((bodies(&stub), stub.calls().len()), (expected.clone(), expected.len()));
    is_sound(&fixture, &run).await;
}

#[actix_web::test]
async fn what_depends_on_a_failed_answer_fails_without_a_call_and_is_asked_with_it_again() {
    let stub = ModelServer::start(Faults { attempts_struck: 1, ..Faults::default() }.with(Fault::Refusal, 0.4));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&fees(), PersonaChoice::Random(TWINS), |_| ()).await;
    let failed = fixture.ended(id).await;
    assert_eq!(failed.status, Status::Failed);
    is_sound(&fixture, &failed).await;
    let codes: BTreeSet<String> = fixture.failures(id).await.into_iter().map(|failure| failure.code).collect();
    assert!(codes.contains("upstream") && codes.contains("refused"), "{codes:?}");

    let mut pass = failed;
    // Requests that were not asked before may be refused once too.
    for attempt in 2..=6 {
        if pass.status == Status::Completed {
            break;
        }
        Pass::RetryFailed.begin(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("it is retried");
        pass = fixture.until(id, |run| run.attempt == attempt && run.status.is_over()).await;
        is_sound(&fixture, &pass).await;
    }
    engine.shut_down().await;
    assert_eq!(pass.status, Status::Completed);

    let mut conn = fixture.pool.get().await.expect("a connection");
    let run = runs::load(&conn, id).await.expect("the run");
    let answers = responses::of_personas(&conn, id, 0, i32::MAX, None).await.expect("answers");
    for answer in answers {
        let found =
            prompt::of_answer(&mut conn, &run, answer.persona_id, answer.question_id).await.expect("it is read");
        let prompt = found.and_then(|found| found.prompt);
        assert!(prompt.is_some(), "another prompt for {answer:?}");
    }
}
