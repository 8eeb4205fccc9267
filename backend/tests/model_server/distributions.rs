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

const WITH_DISTRIBUTION: &str = "SELECT count(*) AS number FROM responses WHERE distribution IS NOT NULL";
/// Answers whose shares are not those of five draws.
const NOT_FIFTHS: &str =
    "SELECT count(*) AS number FROM responses, LATERAL jsonb_each_text(distribution -> 'options') AS of
    WHERE distribution ? 'options' AND abs(value::float8 * 5 - round(value::float8 * 5)) > 1e-6";

fn five_draws(parameters: &mut Parameters) {
    parameters.draws = Some(5);
}

fn tokens(parameters: &mut Parameters) {
    parameters.answer_mode = AnswerMode::Tokens;
}

fn bodies(stub: &ModelServer) -> Vec<Value> {
    stub.bodies().iter().map(|body| serde_json::from_slice(body).expect("a call's body is JSON")).collect()
}

#[actix_web::test]
async fn several_draws_come_in_one_call_and_one_of_them_is_the_answer() {
    let (fixture, stub, run) = run_with(Faults::default(), five_draws).await;
    assert_eq!(run.status, Status::Completed, "{run:#?}");
    assert_eq!((stub.calls().len(), &bodies(&stub)[0]["n"]), (TWINS as usize, &json!(5)));
    assert_eq!(fixture.number(WITH_DISTRIBUTION).await, i64::from(4 * TWINS));
    assert_eq!(fixture.number(NOT_FIFTHS).await, 0);
    assert_eq!(fixture.number(IMPOSSIBLE).await, 0);
    let spread = "SELECT count(*) AS number FROM responses, LATERAL jsonb_each_text(distribution -> 'options') AS of
        WHERE distribution ? 'options' AND value::float8 BETWEEN 0.1 AND 0.9";
    assert!(fixture.number(spread).await > 0, "no twin gave two answers");
    assert!(run.left_out.is_empty(), "{:?}", run.left_out);
    fixture.sound_and_paid(QUESTIONS * TWINS).await;
}

#[actix_web::test]
async fn a_server_without_several_replies_is_asked_so_often_by_other_seeds() {
    let unknown = Faults { unknown: vec!["n"], ..Faults::default() };
    let ignored = Faults { ignored: vec!["n"], ..Faults::default() };
    for (faults, left_out, refused) in [(unknown, vec!["n".to_owned()], 1), (ignored, Vec::new(), 0)] {
        let (fixture, stub, run) = run_with(faults, five_draws).await;
        assert_eq!((run.status, &run.left_out), (Status::Completed, &left_out), "{run:#?}");
        assert_eq!(stub.calls().len(), 5 * TWINS as usize + refused);
        let seeds: std::collections::BTreeSet<i64> =
            bodies(&stub).iter().filter_map(|body| body["seed"].as_i64()).collect();
        assert_eq!(seeds.len(), 5);
        assert_eq!(fixture.number(WITH_DISTRIBUTION).await, i64::from(4 * TWINS));
        assert_eq!(fixture.number(NOT_FIFTHS).await, 0);
        fixture.sound_and_paid(QUESTIONS * TWINS).await;
    }
}

#[actix_web::test]
async fn letters_have_the_probabilities_that_the_server_gives() {
    let (fixture, stub, run) = run_with(demo(), tokens).await;
    assert_eq!(run.status, Status::Completed, "{run:#?}");
    let body = &bodies(&stub)[0];
    assert_eq!((&body["logprobs"], &body["top_logprobs"]), (&json!(true), &json!(20)));
    let asked = body["messages"][1]["content"].as_str().expect("the questions");
    assert!(asked.contains("A: Tea\nB: Coffee\nC: Water") && asked.contains("A: Yes\nB: No"), "{asked}");
    assert_eq!(fixture.number(WITH_DISTRIBUTION).await, i64::from(3 * TWINS), "numbers are asked for themselves");
    assert_eq!(fixture.number(IMPOSSIBLE).await, 0);
    let sure = "SELECT count(*) AS number FROM responses, LATERAL jsonb_each_text(distribution -> 'options') AS of
        WHERE distribution ? 'options' AND value::float8 > 0.98";
    assert_eq!(fixture.number(sure).await, 0);
    fixture.sound_and_paid(QUESTIONS * TWINS).await;
}

#[actix_web::test]
async fn without_probabilities_of_tokens_a_run_pauses_or_keeps_the_letters_if_it_is_lenient() {
    for silent in [false, true] {
        let names = vec!["logprobs"];
        let faults = match silent {
            true => Faults { ignored: names, ..demo() },
            false => Faults { unknown: names, ..demo() },
        };
        let (fixture, _, run) = run_with(faults.clone(), tokens).await;
        assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("parameter_refused")));
        assert_eq!((run.successful_requests, run.failed_requests), (0, 0));
        assert_eq!(fixture.number(WITH_DISTRIBUTION).await, 0);
        // A reply without probabilities is no answer, but it is paid.
        let paid = "SELECT count(*) AS number FROM simulations WHERE prompt_tokens > 0 AND completion_tokens > 0";
        assert_eq!(fixture.number(paid).await, i64::from(silent));

        let lenient = |it: &mut Parameters| {
            tokens(it);
            it.lenient = true;
        };
        let (fixture, stub, run) = run_with(faults, lenient).await;
        assert_eq!((run.status, &run.left_out[..]), (Status::Completed, &["logprobs".to_owned()][..]), "{run:#?}");
        assert_eq!(stub.calls().len(), TWINS as usize + usize::from(!silent));
        assert_eq!(fixture.number(WITH_DISTRIBUTION).await, 0);
        fixture.sound_and_paid(QUESTIONS * TWINS).await;
    }
}

#[actix_web::test]
async fn replies_in_pieces_have_the_same_draws_and_probabilities() {
    for change in [five_draws, tokens] {
        let mut found = Vec::new();
        for stream in [false, true] {
            let (fixture, stub, run) = run_with(demo(), |it| {
                change(it);
                it.stream = stream;
            })
            .await;
            assert_eq!(run.status, Status::Completed, "{run:#?}");
            assert_eq!(bodies(&stub)[0].get("stream").is_some(), stream);
            let sum = "SELECT ('x' || left(md5(string_agg(answer || coalesce(distribution::text, ''), '|' ORDER BY question_id, persona_id)), 8))::bit(32)::bigint AS number
                FROM responses";
            found.push(fixture.number(sum).await);
            fixture.sound_and_paid(QUESTIONS * TWINS).await;
        }
        assert_eq!(found[0], found[1]);
    }
}
