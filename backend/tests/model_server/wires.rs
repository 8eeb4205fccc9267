//! Runs on Anthropic's and Google's wires: whole ones, those of a hostile server, and what a server does not take.

use model_server::{Dialect, Fault, Faults, Limits, ModelServer};
use simulation::model_options::{ReasoningEffort, Verbosity};
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::status::Status;
use simulation::wire::Wire;
use twinlab::engine::Engine;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, survey};

const WIRES: [Wire; 2] = [Wire::Anthropic, Wire::Gemini];
const ATTEMPTS: u16 = 3;

async fn engine(fixture: &EngineFixture, stub: &ModelServer, wire: Wire) -> Engine {
    let change = |model: &mut twinlab::config::ModelConfig| {
        (model.wire, model.max_attempts, model.max_concurrency) = (wire, ATTEMPTS, 8);
    };
    fixture.engine(stub, change).await
}

/// Runs a survey of two questions on so many twins.
async fn ran(
    wire: Wire,
    twins: i32,
    faults: Faults,
    change: impl Fn(&mut Parameters),
) -> (EngineFixture, ModelServer, Simulation) {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..faults });
    let fixture = EngineFixture::new(twins).await;
    let engine = engine(&fixture, &stub, wire).await;
    let change = |parameters: &mut Parameters| {
        parameters.wire = wire;
        change(parameters);
    };
    let id = fixture.start(&survey(2), PersonaChoice::Random(twins), change).await;
    let stopped = |run: &Simulation| run.status.is_over() || run.status == Status::Paused;
    let run = fixture.until(id, stopped).await;
    engine.shut_down().await;
    (fixture, stub, run)
}

#[actix_web::test]
async fn a_run_is_answered_on_every_wire_with_its_prompts_as_they_were_sent() {
    for wire in WIRES {
        let limits = Limits { requests: Some(60_000), tokens: Some(60_000_000), headers: true, ..Limits::default() };
        let (fixture, stub, run) = ran(wire, 20, Faults { limits, ..Faults::default() }, |_| ()).await;
        assert_eq!((run.status, run.successful_requests), (Status::Completed, 40), "{run:#?}");
        assert!(run.tokens().prompt > 0 && run.tokens().completion > 0, "{run:#?}");
        let expected: &[&str] = match wire {
            Wire::Anthropic => &["seed", "minimum", "maximum", "minItems", "maxItems", "maxLength"],
            _ => &["maxLength"],
        };
        assert_eq!(run.left_out, expected, "{wire:?}");
        // A usual prompt has no recipe: it follows from the run.
        assert_eq!(fixture.number("SELECT count(*) AS number FROM prompts").await, 0, "{wire:?}");
        assert_eq!(stub.bodies().len() as i64, run.calls);
        fixture.sound_and_paid(40).await;
    }
}

#[actix_web::test]
async fn no_fault_on_anthropic_s_wire_crashes_hangs_or_asks_too_often() {
    meets_every_fault(Wire::Anthropic).await;
}

#[actix_web::test]
async fn no_fault_on_google_s_wire_crashes_hangs_or_asks_too_often() {
    meets_every_fault(Wire::Gemini).await;
}

/// Meets each fault at every call, as often as a request may be asked. A model that is missing is waited for.
async fn meets_every_fault(wire: Wire) {
    let always = [
        (Fault::ServerError, "server_error"),
        (Fault::Overloaded, "server_error"),
        (Fault::BadRequest, "rejected"),
        (Fault::ResetBefore, "connection"),
        (Fault::ResetMidway, "connection"),
        (Fault::Hang, "timed_out"),
        (Fault::SlowBytes, "timed_out"),
        (Fault::SilentMidway, "timed_out"),
        (Fault::GarbageEvent, "garbled"),
        (Fault::ErrorEvent, "server_error"),
        (Fault::Html, "garbled"),
        (Fault::HtmlBadGateway, "server_error"),
        (Fault::InvalidBody, "garbled"),
        (Fault::InvalidContent, "not_json"),
        (Fault::OutOfRange, "invalid_answer"),
        (Fault::MissingAnswer, "missing_answer"),
        (Fault::Refusal, "refused"),
        (Fault::Truncated, "truncated"),
        (Fault::ContentFilter, "refused"),
        (Fault::EmptyChoices, "garbled"),
        (Fault::HugeBody, "garbled"),
        (Fault::Redirect, "rejected"),
    ];
    for (fault, code) in always {
        let faults = Faults { script: vec![Some(fault); 9], spares_prose: true, ..Faults::default() };
        let (fixture, stub, run) = ran(wire, 1, faults, |_| ()).await;
        let called = stub.calls().len();
        // A probe between the calls shows whether the server is there.
        assert!(called <= 2 * usize::from(ATTEMPTS) + 1, "{wire:?} {fault:?}: {called} calls");
        if run.status == Status::Paused {
            assert_eq!(run.error_code.as_deref(), Some(code), "{wire:?} {fault:?}: {run:#?}");
            continue;
        }
        let failures = fixture.failures(run.id).await;
        assert!(failures.iter().all(|failure| failure.code == code), "{wire:?} {fault:?}: {failures:?}");
        assert!(!failures.is_empty(), "{wire:?} {fault:?}");
        fixture.sound_and_paid(run.successful_requests).await;
    }
}

#[actix_web::test]
async fn a_key_or_an_account_that_is_refused_pauses_the_run_on_every_wire() {
    for wire in WIRES {
        for fault in [Fault::Unauthorized, Fault::InsufficientQuota] {
            let (_, stub, run) = ran(wire, 3, Faults::default().with(fault, 1.0), |_| ()).await;
            assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("denied")), "{wire:?} {fault:?}");
            assert!(stub.calls().len() <= 8, "{wire:?} {fault:?}");
        }
    }
}

#[actix_web::test]
async fn a_wait_that_a_server_names_costs_no_attempt_on_any_wire() {
    for wire in WIRES {
        let mut waits = vec![Fault::TooManyRequests];
        if wire == Wire::Anthropic {
            waits.extend([Fault::TooManyRequestsUntil, Fault::TooManyRequestsReset]);
        }
        for fault in waits {
            let faults = Faults { script: vec![Some(fault); 2], spares_prose: true, ..Faults::default() };
            let (fixture, stub, run) = ran(wire, 1, faults, |_| ()).await;
            assert_eq!(run.status, Status::Completed, "{wire:?} {fault:?}: {run:#?}");
            assert_eq!(fixture.attempts(run.id).await, [1, 1], "{wire:?} {fault:?}");
            assert_eq!(stub.counters().early_calls, 0, "{wire:?} {fault:?}");
        }
    }
}

#[actix_web::test]
async fn a_server_that_does_not_take_the_format_is_asked_in_words_on_every_wire() {
    for wire in WIRES {
        let faults = Faults { dialect: Dialect::Plain, ..Faults::default() };
        let (fixture, _, run) = ran(wire, 10, faults, |_| ()).await;
        assert_eq!((run.status, run.successful_requests), (Status::Completed, 20), "{wire:?}: {run:#?}");
        let format = if wire == Wire::Anthropic { "output_config.format" } else { "responseMimeType" };
        assert!(run.left_out.contains(&format.to_owned()), "{wire:?}: {:?}", run.left_out);
        assert!(fixture.attempts(run.id).await.iter().all(|attempt| *attempt == 1), "{wire:?}");
    }
}

#[actix_web::test]
async fn a_parameter_that_the_api_does_not_have_pauses_the_run_before_a_call_or_is_left_out() {
    let ask = |lenient| {
        move |parameters: &mut Parameters| {
            (parameters.verbosity, parameters.lenient) = (Some(Verbosity::Low), lenient);
        }
    };
    for wire in WIRES {
        let (_, stub, run) = ran(wire, 3, Faults::default(), ask(false)).await;
        assert_eq!(run.error_code.as_deref(), Some("parameter_refused"), "{wire:?}: {run:#?}");
        let message = run.error_message.unwrap_or_default();
        assert!(message.contains("verbosity low") && message.contains("has no verbosity"), "{message}");
        assert_eq!(stub.calls().len(), 0, "{wire:?}");
        let (_, _, run) = ran(wire, 3, Faults::default(), ask(true)).await;
        assert_eq!(run.status, Status::Completed, "{wire:?}: {run:#?}");
        assert!(run.left_out.contains(&"verbosity".to_owned()), "{wire:?}: {:?}", run.left_out);
    }
}

#[actix_web::test]
async fn reasoning_is_asked_for_in_the_words_of_the_wire_and_counted() {
    for (wire, model, expected) in [
        (Wire::Anthropic, "claude-sonnet-5", r#""thinking":{"type":"adaptive"},"output_config":{"effort":"low""#),
        (Wire::Anthropic, "claude-haiku-4-5", r#""thinking":{"type":"enabled","budget_tokens":2048}"#),
        (Wire::Gemini, "gemini-3-flash", r#""thinkingConfig":{"thinkingLevel":"low"}"#),
        (Wire::Gemini, "gemini-2.5-flash", r#""thinkingConfig":{"thinkingBudget":1024}"#),
    ] {
        let (_, stub, run) = ran(wire, 2, Faults::default(), |parameters| {
            model.clone_into(&mut parameters.model);
            parameters.reasoning_effort = Some(ReasoningEffort::Low);
        })
        .await;
        assert_eq!(run.status, Status::Completed, "{model}: {run:#?}");
        let body = String::from_utf8_lossy(&stub.bodies()[0]).into_owned();
        assert!(body.contains(expected), "{body}");
        assert!(run.tokens().reasoning > 0, "{model}: {:?}", run.tokens());
    }
}
