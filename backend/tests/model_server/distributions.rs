//! Runs that ask for probabilities: what is sent, stored, drawn and paid.

use model_server::{Answers, Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::answer_mode::AnswerMode;
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::EngineFixture;

const TWINS: i32 = 12;
/// Questions of the survey.
const QUESTIONS: i32 = 5;

fn survey() -> Value {
    json!({"title": "Laboratory", "questions": [
        {"text": "Which drink do you like best?", "type": "SINGLE_CHOICE", "options": ["Tea", "Coffee", "Water"]},
        {"text": "Do you smoke?", "type": "BOOLEAN"},
        {"text": "Rate the shop", "type": "MATRIX", "scale_labels": ["Disagree", "Neutral", "Agree"],
            "sub_questions": ["It is cheap", "It is near"]},
        {"text": "How happy are you?", "type": "SLIDER", "min_value": 0, "max_value": 100},
        {"text": "Which fruits do you eat?", "type": "MULTIPLE_CHOICE", "options": ["Apple", "Pear", "Fig"]},
    ]})
}

async fn run_with(faults: Faults, change: impl FnOnce(&mut Parameters)) -> (EngineFixture, ModelServer, Simulation) {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..faults });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(), PersonaChoice::Random(TWINS), change).await;
    let run = fixture.until(id, |run| run.status.is_over() || run.status == Status::Paused).await;
    engine.shut_down().await;
    (fixture, stub, run)
}

fn demo() -> Faults {
    Faults { answers: Answers::Demo, ..Faults::default() }
}

fn stated(parameters: &mut Parameters) {
    parameters.answer_mode = AnswerMode::Stated;
}

/// The answers with a distribution whose option or number has no probability in it.
const IMPOSSIBLE: &str = "SELECT count(*) AS number FROM responses WHERE distribution ? 'options'
    AND coalesce((distribution -> 'options' ->> answer)::float8, 0) <= 0";

#[actix_web::test]
async fn a_run_that_asks_for_probabilities_stores_them_and_draws_its_answers_from_them() {
    let (fixture, stub, run) = run_with(demo(), stated).await;
    assert_eq!(run.status, Status::Completed, "{run:#?}");
    let body: Value = serde_json::from_slice(&stub.bodies()[0]).expect("a call's body is JSON");
    let asked = body["messages"][1]["content"].as_str().expect("the questions");
    assert!(asked.contains("in percent") && asked.contains("Choose every option that applies"), "{asked}");
    let stored = |with: &str| format!("SELECT count(*) AS number FROM responses WHERE distribution IS {with}");
    assert_eq!(fixture.number(&stored("NOT NULL")).await, i64::from(4 * TWINS));
    assert_eq!(fixture.number(&stored("NULL")).await, i64::from(TWINS), "a list of options has no distribution");
    assert_eq!(fixture.number(IMPOSSIBLE).await, 0);
    let sums = "SELECT count(*) AS number FROM responses, LATERAL (SELECT sum(value::float8) AS sum
        FROM jsonb_each_text(distribution -> 'options')) AS of WHERE distribution ? 'options' AND abs(sum - 1) > 1e-9";
    assert_eq!(fixture.number(sums).await, 0);
    let rising = "SELECT count(*) AS number FROM responses WHERE (distribution -> 'quantiles' -> 0)::float8
        <= (distribution -> 'quantiles' -> 2)::float8";
    assert_eq!(fixture.number(rising).await, i64::from(TWINS));
    fixture.sound_and_paid(QUESTIONS * TWINS).await;
}

#[actix_web::test]
async fn the_same_seed_draws_the_same_answers_and_another_seed_others() {
    let mut drawn = Vec::new();
    for seed in [42, 42, 43] {
        let at_zero = |it: &mut Parameters| {
            stated(it);
            (it.seed, it.temperature) = (seed, Some(0.0));
        };
        let stub = ModelServer::start(demo());
        let fixture = EngineFixture::new(TWINS).await;
        let engine = fixture.engine(&stub, |_| ()).await;
        let ids = PersonaChoice::Ids((1..=TWINS).collect());
        let id = fixture.start(&survey(), ids, at_zero).await;
        assert_eq!(fixture.ended(id).await.status, Status::Completed);
        engine.shut_down().await;
        let sum = "SELECT ('x' || left(md5(string_agg(answer, '|' ORDER BY persona_id, question_id)), 8))::bit(32)::bigint AS number
            FROM responses WHERE distribution IS NOT NULL";
        drawn.push(fixture.number(sum).await);
    }
    assert_eq!(drawn[0], drawn[1]);
    assert_ne!(drawn[0], drawn[2]);
}

#[actix_web::test]
async fn percentages_that_do_not_add_up_are_asked_again_with_the_reason() {
    let faults = Faults { script: vec![Some(Fault::OutOfRange)], ..demo() };
    let (fixture, stub, run) = run_with(faults, stated).await;
    assert_eq!(run.status, Status::Completed, "{run:#?}");
    let again =
        stub.bodies().iter().filter(|body| String::from_utf8_lossy(body).contains("the percentages add up to")).count();
    assert_eq!(again, 1);
    fixture.sound_and_paid(QUESTIONS * TWINS).await;
}
