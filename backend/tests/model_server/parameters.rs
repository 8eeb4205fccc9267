//! Models that do not take a parameter of a run, and models that reason.

use model_server::{Faults, ModelServer, UsageParts};
use serde_json::{Value, json};
use simulation::model_options::{ReasoningEffort, ServiceTier, Verbosity};
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::models::simulations::start::PersonaChoice;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{GroupFixture, Simulate, with_app};

const TWINS: i32 = 30;

/// Runs one call after the other until the run has ended or is paused.
async fn run_against(faults: Faults, change: impl FnOnce(&mut Parameters)) -> (EngineFixture, ModelServer, Simulation) {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..faults });
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.max_concurrency = 1).await;
    let id = fixture.start(&survey(2), PersonaChoice::Random(TWINS), change).await;
    let run = fixture.until(id, |run| run.status.is_over() || run.status == Status::Paused).await;
    engine.shut_down().await;
    (fixture, stub, run)
}

fn not_knowing(unknown: &[&'static str]) -> Faults {
    Faults { unknown: unknown.to_vec(), ..Faults::default() }
}

fn bodies(stub: &ModelServer) -> Vec<Value> {
    stub.bodies().iter().map(|body| serde_json::from_slice(body).expect("a call's body is JSON")).collect()
}

#[actix_web::test]
async fn the_first_refusal_of_a_parameter_pauses_the_run_and_says_what_to_do() {
    let effort = |it: &mut Parameters| it.reasoning_effort = Some(ReasoningEffort::Minimal);
    let (fixture, stub, run) = run_against(not_knowing(&["reasoning_effort"]), effort).await;
    assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("parameter_refused")));
    let message = run.error_message.expect("a reason");
    let model = run.parameters["model"].as_str().expect("a model");
    let expected =
        format!("the model {model} does not take reasoning_effort minimal: stop this run and start one without it");
    assert!(message.starts_with(&expected), "{message}");
    assert!(
        message.ends_with("The server said: Unrecognized request argument supplied: reasoning_effort"),
        "{message}"
    );
    assert_eq!((stub.calls().len(), run.successful_requests, run.failed_requests), (1, 0, 0));
    assert_eq!((run.left_out.len(), run.prompt_tokens), (0, 0));
    assert_eq!(fixture.number("SELECT count(*) AS number FROM request_failures").await, 0);
}

#[actix_web::test]
async fn a_lenient_run_leaves_out_what_the_model_refuses_and_says_so() {
    let lenient = |it: &mut Parameters| {
        (it.temperature, it.lenient) = (Some(0.5), true);
        (it.verbosity, it.service_tier) = (Some(Verbosity::Low), Some(ServiceTier::Flex));
    };
    let (fixture, stub, run) = run_against(not_knowing(&["temperature", "service_tier"]), lenient).await;
    assert_eq!(run.status, Status::Completed, "{run:#?}");
    assert_eq!(run.left_out, ["temperature", "service_tier"]);
    assert_eq!(stub.counters().outcome("parameter-refused"), 2);
    let last = bodies(&stub).pop().expect("a call");
    assert_eq!((&last["temperature"], &last["service_tier"]), (&Value::Null, &Value::Null));
    assert_eq!(last["verbosity"], "low");
    assert_eq!(run.parameters["temperature"], 0.5, "what was asked for stays on record");
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn what_a_model_refuses_a_lenient_run_is_still_sent_by_others() {
    let stub = ModelServer::start(Faults { keep_bodies: true, ..not_knowing(&["temperature"]) });
    let fixture = EngineFixture::new(2).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let lenient = |it: &mut Parameters| (it.temperature, it.lenient) = (Some(0.5), true);
    let first = fixture.start(&survey(1), PersonaChoice::Random(2), lenient).await;
    assert_eq!(fixture.ended(first).await.status, Status::Completed);
    let second = fixture.start(&survey(1), PersonaChoice::Random(2), |it| it.temperature = Some(0.5)).await;
    let run = fixture.until(second, |run| run.status == Status::Paused).await;
    engine.shut_down().await;
    assert_eq!((run.error_code.as_deref(), run.left_out.len()), (Some("parameter_refused"), 0));
}

#[actix_web::test]
async fn a_refused_parameter_pauses_a_run_in_batches_unless_it_is_lenient() {
    for lenient in [false, true] {
        let change = |it: &mut Parameters| (it.temperature, it.lenient, it.batch) = (Some(0.5), lenient, true);
        let (_fixture, _stub, run) = run_against(not_knowing(&["temperature"]), change).await;
        if lenient {
            assert_eq!((run.status, run.left_out), (Status::Completed, vec!["temperature".to_owned()]));
        } else {
            assert_eq!((run.status, run.error_code.as_deref()), (Status::Paused, Some("parameter_refused")));
            assert_eq!((run.successful_requests, run.failed_requests), (0, 0));
        }
    }
}

#[actix_web::test]
async fn a_run_with_an_effort_sends_it_and_leaves_room_for_the_reasoning() {
    let options = |it: &mut Parameters| {
        it.reasoning_effort = Some(ReasoningEffort::Xhigh);
        (it.verbosity, it.service_tier) = (Some(Verbosity::High), Some(ServiceTier::Default));
    };
    let usage = UsageParts { reasoning: 12_000, ..UsageParts::default() };
    let (fixture, stub, run) = run_against(Faults { usage, ..Faults::default() }, options).await;
    assert_eq!((run.status, run.calls), (Status::Completed, i64::from(TWINS)), "no reply is cut off");
    for body in bodies(&stub) {
        let sent = ["reasoning_effort", "verbosity", "service_tier"].map(|name| body[name].clone());
        assert_eq!(sent, [json!("xhigh"), json!("high"), json!("default")]);
        assert!(body["max_completion_tokens"].as_u64() > Some(17_000), "{body}");
    }
    assert_eq!(fixture.number("SELECT count(*) AS number FROM prompts").await, 0, "its prompts are the usual ones");
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_model_that_turns_out_to_reason_has_room_from_the_second_call_on() {
    let usage = UsageParts { reasoning: 15_000, ..UsageParts::default() };
    let (fixture, stub, run) = run_against(Faults { usage, ..Faults::default() }, |_| ()).await;
    assert_eq!((run.status, run.calls), (Status::Completed, i64::from(TWINS) + 1), "one reply is cut off");
    let rooms: Vec<u64> = bodies(&stub).iter().filter_map(|body| body["max_completion_tokens"].as_u64()).collect();
    assert!(rooms[0] < 15_000 && rooms[1..].iter().all(|room| *room > 16_000), "{rooms:?}");
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn options_are_set_in_runs_and_studies_by_the_api_and_by_the_command() {
    let options = json!({"personaCount": 2, "reasoningEffort": "high", "verbosity": "low", "serviceTier": "flex"});
    let has_them = |parameters: &Value| {
        assert_eq!(parameters["reasoningEffort"], "high", "{parameters}");
        assert_eq!((&parameters["verbosity"], &parameters["serviceTier"]), (&json!("low"), &json!("flex")));
    };
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let studies = format!("/api/surveys/{survey}/studies");
        let price = async |run: Value| {
            fixture.author.post(&format!("{studies}?price=true"), json!({"run": run})).await.ok()["estimate"].clone()
        };
        let (plain, reasoning) = (price(json!({"personaCount": 2})).await, price(options.clone()).await);
        let tokens = |estimate: &Value| estimate["tokens"].as_i64().expect("a number");
        assert!(tokens(&reasoning) > tokens(&plain) + 1_000, "{reasoning} is not above {plain}");
        let study = fixture.author.post(&studies, json!({"run": options, "repeats": 2})).await.ok();
        study["runs"].as_array().expect("runs").iter().for_each(|run| has_them(&run["parameters"]));
        let varied = format!("/api/surveys/{}/studies", fixture.survey(1).await);
        let efforts =
            json!({"run": {"personaCount": 2, "reasoningEffort": "max"}, "reasoningEfforts": ["low", "high"]});
        let study = fixture.author.post(&varied, efforts).await.ok();
        let found = [0, 1].map(|run: usize| study["runs"][run]["parameters"]["reasoningEffort"].clone());
        assert_eq!((found, study["runs"].as_array().map(Vec::len)), ([json!("low"), json!("high")], Some(2)));
        let other = fixture.survey(1).await;
        let start = format!("/api/simulations/survey/{other}/start");
        has_them(&fixture.author.post(&start, options.clone()).await.ok()["parameters"]);
    })
    .await;
    let stub = ModelServer::start(Faults { keep_bodies: true, ..Faults::default() });
    let fixture = EngineFixture::new(2).await;
    let single = ["--reasoning-effort", "high"];
    for (efforts, out, high, all) in [(single, "a.csv", 2, 2), (["--reasoning-efforts", "low,high"], "a", 4, 6)] {
        let mut simulate = Simulate::new(&fixture, &stub, &survey(1), out);
        simulate.command.args(efforts).args(["--verbosity", "low", "--service-tier", "flex"]);
        let outcome = simulate.outcome();
        assert_eq!(outcome.code, Some(0), "{efforts:?}: {outcome:#?}");
        let sent = |name: &str, value: &str| bodies(&stub).iter().filter(|body| body[name] == value).count();
        assert_eq!(
            (sent("reasoning_effort", "high"), sent("verbosity", "low"), sent("service_tier", "flex")),
            (high, all, all)
        );
    }
}

#[actix_web::test]
async fn a_run_without_options_sends_none_of_them() {
    let (_fixture, stub, run) = run_against(Faults::default(), |it| it.reasoning_effort = None).await;
    assert_eq!(run.status, Status::Completed);
    for body in bodies(&stub) {
        let names: Vec<&str> = body.as_object().expect("an object").keys().map(String::as_str).collect();
        assert!(
            !names.iter().any(|name| ["reasoning_effort", "verbosity", "service_tier"].contains(name)),
            "{names:?}"
        );
    }
}
