//! Replies in pieces: what they bring, and what breaks them.

use std::time::Duration;

use model_server::{Fault, Faults, ModelServer};
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::status::Status;
use simulation::wire::Wire;
use twinlab::config::ModelConfig;
use twinlab::engine::Timings;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, engine, survey, until};
use crate::support::{GroupFixture, sample, with_app};

/// A run of these questions, and what it needed.
struct Streamed {
    fixture: EngineFixture,
    stub: ModelServer,
    run: Simulation,
    attempts: Vec<i16>,
}

impl Streamed {
    fn body(&self, call: usize) -> Value {
        serde_json::from_slice(&self.stub.bodies()[call]).expect("a call's body is JSON")
    }
}

/// Asks one twin in a run that streams on OpenAI's wire.
async fn asked(
    questions: usize,
    faults: Faults,
    configure: impl FnOnce(&mut ModelConfig),
    change: impl FnOnce(&mut Parameters),
) -> Streamed {
    asked_on(Wire::OpenAi, questions, faults, configure, change).await
}

/// Asks one twin in a run that streams.
async fn asked_on(
    wire: Wire,
    questions: usize,
    faults: Faults,
    configure: impl FnOnce(&mut ModelConfig),
    change: impl FnOnce(&mut Parameters),
) -> Streamed {
    let stub = ModelServer::start(Faults { spares_prose: true, keep_bodies: true, ..faults });
    let fixture = EngineFixture::new(1).await;
    let on_wire = |model: &mut ModelConfig| {
        model.wire = wire;
        configure(model);
    };
    let engine = fixture.engine(&stub, on_wire).await;
    let streaming = |it: &mut Parameters| {
        (it.stream, it.wire) = (true, wire);
        change(it);
    };
    let id = fixture.start(&survey(questions), PersonaChoice::Ids(vec![1]), streaming).await;
    let run = fixture.ended(id).await;
    engine.shut_down().await;
    let attempts = fixture.attempts(id).await;
    fixture.sound_and_paid(run.successful_requests).await;
    Streamed { fixture, stub, run, attempts }
}

#[actix_web::test]
async fn a_reply_in_pieces_is_stored_like_a_whole_one_on_every_wire() {
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        let streamed = asked_on(wire, 10, Faults::default(), |_| (), |_| ()).await;
        let whole = asked_on(wire, 10, Faults::default(), |_| (), |it| it.stream = false).await;
        assert_eq!((streamed.run.status, streamed.run.calls), (Status::Completed, 1), "{wire:?}: {:#?}", streamed.run);
        assert_eq!(streamed.run.completion_tokens, whole.run.completion_tokens, "{wire:?}");
        assert_eq!(streamed.run.left_out, whole.run.left_out, "{wire:?}");
        assert_eq!(streamed.run.parameters["stream"], true);
        let asks = |asked: &Streamed| asked.body(0).get("stream").is_some();
        assert_eq!((asks(&streamed), asks(&whole)), (wire != Wire::Gemini, false), "{wire:?}");
        let answers =
            "SELECT sum(('x' || substr(md5(answer), 1, 8))::bit(32)::bigint)::bigint AS number FROM responses";
        assert_eq!(streamed.fixture.number(answers).await, whole.fixture.number(answers).await, "{wire:?}");
        // A usual prompt has no recipe: it follows from the run.
        assert_eq!(streamed.fixture.number("SELECT count(*) AS number FROM prompts").await, 0, "{wire:?}");
    }
}

#[actix_web::test]
async fn a_stream_may_take_longer_than_a_whole_reply() {
    let faults = Faults { piece_interval: Duration::from_millis(300), ..Faults::default() };
    let limits = |model: &mut ModelConfig| {
        (model.timeout, model.idle_timeout) = (Duration::from_secs(2), Duration::from_secs(5));
    };
    let slow = asked(10, faults, limits, |_| ()).await;
    assert_eq!((slow.run.status, slow.run.calls, slow.attempts), (Status::Completed, 1, vec![1; 10]));
    let latency = slow.fixture.number("SELECT min(latency_ms)::bigint AS number FROM responses").await;
    assert!(latency > 2_000, "{latency} ms: the reply would have been late as a whole");
}

#[actix_web::test]
async fn what_breaks_a_stream_costs_an_attempt() {
    let faults = [
        Fault::SilentMidway,
        Fault::SlowBytes,
        Fault::InvalidBody,
        Fault::ResetMidway,
        Fault::GarbageEvent,
        Fault::ErrorEvent,
        Fault::EmptyChoices,
        Fault::HugeBody,
        Fault::Html,
    ];
    let script: Vec<_> = faults.iter().flat_map(|fault| [Some(*fault), None]).collect();
    let alone = |it: &mut Parameters| it.questions_per_call = 1;
    for wire in [Wire::OpenAi, Wire::Anthropic, Wire::Gemini] {
        let faults_of_wire = Faults { script: Vec::clone(&script), ..Faults::default() };
        let broken = asked_on(wire, faults.len(), faults_of_wire, |_| (), alone).await;
        let expected = (Status::Completed, vec![2; faults.len()]);
        assert_eq!((broken.run.status, broken.attempts), expected, "{wire:?}: {:#?}", broken.run);
    }
}

#[actix_web::test]
async fn a_server_that_refuses_a_part_of_the_stream_is_asked_without_it() {
    for (unknown, calls) in [("stream_options", 2), ("stream", 3)] {
        let refusing = asked(2, Faults { unknown: vec![unknown], ..Faults::default() }, |_| (), |_| ()).await;
        assert_eq!((refusing.run.status, refusing.run.calls), (Status::Completed, calls), "{unknown}");
        assert_eq!((refusing.run.left_out, refusing.attempts), (vec![unknown.to_owned()], vec![1; 2]));
        assert!(refusing.run.prompt_tokens > 0 && refusing.run.completion_tokens > 0);
    }
}

#[actix_web::test]
async fn a_whole_reply_to_a_request_for_a_stream_is_taken_as_it_is() {
    let whole = asked(2, Faults { streams: false, ..Faults::default() }, |_| (), |_| ()).await;
    assert_eq!((whole.run.status, whole.run.calls, whole.attempts), (Status::Completed, 1, vec![1; 2]));
}

#[actix_web::test]
async fn a_run_whose_calls_all_time_out_pauses_and_says_what_to_change() {
    const TWINS: i32 = 20;
    for (fault, stream) in [(Fault::Hang, false), (Fault::SilentMidway, true)] {
        // Calls of no format are spared: the server answers probes.
        let faults = Faults { spares_prose: true, ..Faults::default() };
        let stub = ModelServer::start(faults.clone().with(fault, 1.0));
        let fixture = EngineFixture::new(TWINS).await;
        let engine = fixture.engine(&stub, |model| (model.max_concurrency, model.max_attempts) = (4, 6)).await;
        let id = fixture.start(&survey(2), PersonaChoice::Random(TWINS), |it| it.stream = stream).await;
        let run = fixture.until(id, |run| run.status == Status::Paused || run.status.is_over()).await;
        assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("timed_out")), "{run:#?}");
        let said = run.error_message.expect("a reason");
        assert!(said.contains("LLM_TIMEOUT_S") && said.contains("fewer questions a call"), "{said}");
        assert_eq!(said.contains("sent nothing for 1 s"), stream, "{said}");
        assert_eq!((run.successful_requests, run.failed_requests), (0, 0));
        assert!(stub.counters().calls <= 3 * 4 + 4, "three rounds of four and probes, not {}", stub.counters().calls);

        stub.set_faults(faults);
        control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("it resumes");
        let run = fixture.ended(id).await;
        engine.shut_down().await;
        assert_eq!((run.status, run.failed_requests, run.error_message), (Status::Completed, 0, None));
        fixture.sound_and_paid(2 * TWINS).await;
    }
}

#[actix_web::test]
async fn each_run_of_a_study_whose_calls_all_time_out_pauses_within_three() {
    let stub = ModelServer::start(Faults { spares_prose: true, ..Faults::default() }.with(Fault::Hang, 1.0));
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let asked = json!({"run": {"personaCount": 6}, "repeats": 2});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
        let engine = engine(app.database.url(), &stub, Timings::default(), |model| {
            (model.max_concurrency, model.max_attempts) = (2, 6);
        })
        .await;
        let pool = app.database.pool().await;
        for run in study["runs"].as_array().expect("runs") {
            let id = run["simulationId"].as_str().expect("an id");
            let row = format!("SELECT id AS number FROM simulations WHERE simulation_id = '{id}'");
            let row = sample::number(&mut *app.connection().await, &row).await;
            let run = until(&pool, row, |run| run.status == Status::Paused || run.status.is_over()).await;
            assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("timed_out")), "{run:#?}");
            assert_eq!((run.successful_requests, run.failed_requests), (0, 0));
        }
        engine.shut_down().await;
        assert!(stub.counters().calls <= 2 * (3 * 2 + 4), "three rounds of two a run and probes");
    })
    .await;
}

#[actix_web::test]
async fn a_lone_interview_at_a_server_that_answers_nobody_in_time_pauses_its_run() {
    let stub = ModelServer::start(Faults::default().with(Fault::Hang, 1.0));
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine(&stub, |model| model.max_attempts = 6).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(1), |_| ()).await;
    let run = fixture.until(id, |run| run.status == Status::Paused || run.status.is_over()).await;
    engine.shut_down().await;
    assert_eq!((run.error_code.as_deref(), run.failed_requests), (Some("timed_out"), 0), "{run:#?}");
    assert_eq!(stub.counters().calls, 3);
}
