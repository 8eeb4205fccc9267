//! Knowledge of a model is used at the start of every kind of run: from the file of servers, from the newest check, and from
//! what earlier runs were refused.

use std::time::{Duration, Instant};

use model_server::{Caching, Faults, Ignored, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};
use simulation::known_parameters::{KnownParameter, ParameterEffect, ParameterValues};
use simulation::model_check::ModelCheck;
use simulation::parameters::Parameters;
use simulation::status::Status;
use simulation::wire::Wire;
use twinlab::engine::Timings;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::{model_checks, model_refusals};
use twinlab::results::files::bundle;
use twinlab::results::runs;

use crate::support::engine_fixture::{EngineFixture, engine, survey, until};
use crate::support::{Client, GroupFixture, Simulate, TestApp, sample, with_flags};

/// Reads the only model server until its check is over.
async fn checked(root: &Client) -> Value {
    let begun = Instant::now();
    loop {
        let servers = root.get("/api/admin/model-servers").await.ok();
        if servers[0]["checking"] == json!(false) {
            return servers[0].clone();
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{servers:#}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Stores a check of the model `stub` that found this of its parameters.
async fn store_check(app: &TestApp, known: &[KnownParameter]) {
    let check = ModelCheck {
        model: "stub".to_owned(),
        wire: Wire::OpenAi,
        findings: Vec::new(),
        calls: 20,
        tokens: 1,
        cost: None,
    };
    model_checks::store(&mut *app.connection().await, "default", &check, known).await.expect("a check is stored");
}

fn without_effect(name: &str) -> KnownParameter {
    KnownParameter::new(name, ParameterValues::Any, ParameterEffect::WithoutEffect)
}

#[actix_web::test]
async fn a_check_finds_out_what_is_without_effect_and_runs_say_so_or_do_not_start() {
    let ignores = vec![Ignored::Seed, Ignored::Temperature];
    let faults = Faults { varies: true, ignores, keep_bodies: true, caching: Caching::Provider, ..Faults::default() };
    let stub = ModelServer::start(faults);
    let address = stub.base_url();
    let prices = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(prices.path(), r#"{"currency": "USD", "models": {"stub": {"prompt": 1, "completion": 1}}}"#)
        .expect("it can be written");
    let price_file = prices.path().to_str().expect("UTF-8");
    let flags = ["--openai-base-url", &address, "--llm-model", "stub", "--llm-prices", price_file];
    with_flags(&flags, async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let root = app.super_admin().await;
        let path = "/api/admin/model-servers/default/check";
        let before = root.get("/api/admin/model-servers").await.ok();
        assert_eq!(before[0]["checkCost"], json!({"amount": "0.026000", "currency": "USD"}));
        assert_eq!((&before[0]["checks"], &before[0]["checking"]), (&json!([]), &json!(false)));
        let begun = root.send(Method::POST, path, None).await;
        assert_eq!((begun.status, &begun.body["models"]), (202, &json!(["stub"])));
        let server = checked(&root).await;
        assert_eq!(server["checkFailure"], json!(null), "{server:#}");
        let check = &server["checks"][0];
        let verdict = |name: &str| {
            let findings = check["findings"].as_array().expect("findings");
            findings.iter().find(|finding| finding["name"] == name).expect("it is checked")["verdict"].clone()
        };
        assert_eq!((verdict("seed"), verdict("temperature")), (json!("no_effect"), json!("no_effect")), "{check:#}");
        assert_eq!(check["model"], json!("stub"));
        assert!(check["cost"]["amount"].as_str().is_some_and(|amount| amount > "0"), "{check:#}");
        assert_eq!(fixture.budget().await, (100, 0), "a check takes no credits");

        let survey = fixture.survey(2).await;
        let start = format!("/api/simulations/survey/{survey}/start");
        let asked = json!({"personaCount": 3, "temperature": 0.5});
        let refused = fixture.author.post(&start, asked).await.refused_with(400, "parameter_not_taken");
        assert!(refused.starts_with("the model stub does not act on temperature 0.5: the check of 2"), "{refused}");
        assert!(refused.contains(" found that it has no effect. Leave it out"), "{refused}");

        let lenient = json!({"personaCount": 3, "temperature": 0.5, "lenient": true});
        let run = fixture.author.post(&start, lenient).await.ok();
        let id = run["simulationId"].as_str().expect("an id").to_owned();
        let shown = fixture.author.get(&format!("/api/simulations/{id}")).await.ok();
        assert_eq!((&shown["notSent"], &shown["withoutEffect"]), (&json!(["temperature"]), &json!(["seed"])));
        let sent_before = stub.bodies().len();
        let engine = engine(app.database.url(), &stub, Timings::default(), |_| ()).await;
        let pool = app.database.pool().await;
        let row = sample::number(
            &mut *app.connection().await,
            &format!("SELECT id AS number FROM simulations WHERE simulation_id = '{id}'"),
        )
        .await;
        let ended = until(&pool, row, |run| run.status.is_over()).await;
        engine.shut_down().await;
        assert_eq!((ended.status, ended.left_out), (Status::Completed, vec!["temperature".to_owned()]));
        for body in &stub.bodies()[sent_before..] {
            let body: Value = serde_json::from_slice(body).expect("JSON");
            assert_eq!((&body["temperature"], body["seed"].is_i64()), (&Value::Null, true), "{body}");
        }
        let shown = runs::load(&*app.connection().await, row).await.expect("the run");
        let facts = ::bundle::tables::read_me::facts(&shown);
        let fact = |name: &str| facts.iter().find(|(label, _)| *label == name).map_or("", |(_, value)| value.as_str());
        assert_eq!(fact("Temperature"), "the model's own: 0.5 was not sent");
        assert!(fact("Not sent").starts_with("temperature (the check of 2"), "{facts:#?}");
        assert!(fact("Sent, without effect").starts_with("seed (the check of 2"), "{facts:#?}");
        let file = app.data_dir.path().join("run.zip");
        let folder = app.data_dir.path().join("run");
        std::fs::create_dir(&folder).expect("a folder");
        bundle::write(&pool, row, &file).await.expect("a bundle");
        bundle::replay(&file, &folder).expect("it is a bundle");
        let read = |name: &str| std::fs::read_to_string(folder.join("built").join(name)).expect("a document");
        let methods = read("methods.md");
        assert!(methods.contains("at the model's own temperature (0.5 was not sent: the check of 2"), "{methods}");
        assert!(methods.contains("(sent to the model without effect)"), "{methods}");
        let guide = read("guide-llm.md");
        assert!(guide.contains("; sent, without effect: seed (the check of 2"), "{guide}");
        assert!(guide.contains("; not sent: temperature (the check of 2"), "{guide}");
    })
    .await;
}

#[actix_web::test]
async fn a_server_is_checked_once_at_a_time_and_a_check_that_finds_nobody_says_so() {
    let stub = ModelServer::start(Faults::default().latency_ms(300));
    let address = stub.base_url();
    with_flags(&["--openai-base-url", &address, "--llm-model", "stub"], async |app| {
        let root = app.super_admin().await;
        let path = "/api/admin/model-servers/default/check";
        assert_eq!(root.send(Method::POST, path, None).await.status, 202);
        let again = root.send(Method::POST, path, None).await.refused(409);
        assert_eq!(again, "The model server is being checked");
        assert_eq!(checked(&root).await["checkFailure"], json!(null));
        assert_eq!(root.send(Method::POST, "/api/admin/model-servers/none/check", None).await.status, 404);
    })
    .await;
    drop(stub);
    with_flags(&["--openai-base-url", "http://127.0.0.1:1/v1", "--llm-model", "stub"], async |app| {
        let root = app.super_admin().await;
        assert_eq!(root.send(Method::POST, "/api/admin/model-servers/default/check", None).await.status, 202);
        let failure = checked(&root).await["checkFailure"].as_str().expect("a reason").to_owned();
        assert!(failure.starts_with("stub does not answer: could not connect to the model server"), "{failure}");
    })
    .await;
}

#[actix_web::test]
async fn every_kind_of_start_is_refused_with_what_a_check_found() {
    with_flags(&["--openai-base-url", "http://127.0.0.1:1/v1", "--llm-model", "stub"], async |app| {
        let fixture = GroupFixture::open(app, 10_000).await;
        store_check(app, &[without_effect("temperature"), without_effect("seed")]).await;
        let survey = fixture.survey(1).await;
        let hot = json!({"personaCount": 2, "temperature": 0.5});
        let plan = json!({"title": "Tea", "run": {"personaCount": 2, "temperature": 0.5}});
        let plan = fixture.author.post(&format!("/api/surveys/{survey}/plans"), plan).await.ok();
        for (path, asked) in [
            (format!("/api/simulations/survey/{survey}/start"), hot.clone()),
            (format!("/api/surveys/{survey}/studies"), json!({"run": hot, "repeats": 2})),
            (format!("/api/surveys/{survey}/studies?price=true"), json!({"run": hot, "repeats": 2})),
            (format!("/api/surveys/{survey}/studies"), json!({"run": {}, "planId": plan["planId"]})),
        ] {
            let refused = fixture.author.post(&path, asked).await.refused_with(400, "parameter_not_taken");
            assert!(refused.contains("does not act on temperature 0.5"), "{path}: {refused}");
        }
        // A seed is in every run, so that it has no effect is only said.
        let study = json!({"run": {"personaCount": 2}, "repeats": 2});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), study).await.ok();
        for run in study["runs"].as_array().expect("runs") {
            let id = run["simulationId"].as_str().expect("an id");
            let shown = fixture.author.get(&format!("/api/simulations/{id}")).await.ok();
            assert_eq!((&shown["notSent"], &shown["withoutEffect"]), (&json!([]), &json!(["seed"])));
        }
        let other = fixture.survey(1).await;
        let trial = fixture.author.post(&format!("/api/surveys/{other}/ask"), json!({"personaId": 1})).await.ok();
        assert_eq!(trial["parameters"]["inactive"][0]["name"], json!("seed"), "{trial:#}");
    })
    .await;
}

#[actix_web::test]
async fn simulate_uses_what_is_known_for_runs_studies_and_prices() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(3).await;
    let conn = &mut *fixture.pool.get().await.expect("a connection");
    model_refusals::note(conn, "default", "stub", "temperature", "0.5").await.expect("it is noted");
    for more in [&[][..], &["--repeats", "2"], &["--repeats", "2", "--price"]] {
        let mut simulate = Simulate::new(&fixture, &stub, &survey(1), "answers.csv");
        simulate.command.args(["--temperature", "0.5"]).args(more);
        let outcome = simulate.outcome();
        let line = outcome.only_line();
        assert!(line.contains("the model stub does not take temperature 0.5: calls until 2"), "{more:?}: {outcome:#?}");
        assert_eq!((outcome.code, stub.counters().calls), (Some(2), 0), "{more:?}");
    }
    let mut lenient = Simulate::new(&fixture, &stub, &survey(1), "answers.csv");
    lenient.command.args(["--temperature", "0.5", "--lenient"]);
    assert_eq!(lenient.outcome().code, Some(0));
    let left_out = "SELECT count(*) AS number FROM simulations WHERE left_out = '{temperature}'";
    assert_eq!(fixture.number(left_out).await, 1);
    assert_eq!(stub.counters().outcome("parameter-refused"), 0, "what is known is not tried");
}

#[actix_web::test]
async fn what_a_run_was_refused_is_known_at_the_next_start_until_the_model_is_checked() {
    for batch in [false, true] {
        let stub = ModelServer::start(Faults { unknown: vec!["temperature"], ..Faults::default() });
        let fixture = EngineFixture::new(2).await;
        let engine = fixture.engine(&stub, |_| ()).await;
        let change = |it: &mut Parameters| (it.temperature, it.batch) = (Some(0.5), batch);
        let id = fixture.start(&survey(1), PersonaChoice::Random(2), change).await;
        fixture.until(id, |run| run.status == Status::Paused).await;
        engine.shut_down().await;
        let conn = &mut *fixture.pool.get().await.expect("a connection");
        let (_, known) =
            model_refusals::known(conn, "default", "stub").await.expect("it is read").expect("something is known");
        let value = ParameterValues::Only(vec!["0.5".to_owned()]);
        assert_eq!(known, [KnownParameter::new("temperature", value, ParameterEffect::NotTaken)], "batch: {batch}");
        let check = ModelCheck {
            model: "stub".to_owned(),
            wire: Wire::OpenAi,
            findings: Vec::new(),
            calls: 1,
            tokens: 1,
            cost: None,
        };
        model_checks::store(conn, "default", &check, &[]).await.expect("it is stored");
        assert_eq!(model_refusals::known(conn, "default", "stub").await.expect("it is read"), None);
    }
}

#[actix_web::test]
async fn the_file_of_servers_overrules_the_check_and_the_check_what_was_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("models.toml");
    let servers = r#"
        [[server]]
        name = "lab"
        base_url = "http://127.0.0.1:1/v1"
        [[server.models]]
        name = "a"
        capabilities = { temperature = [1], reasoning_effort = true, verbosity = false }
        [[server.models]]
        name = "b"
    "#;
    std::fs::write(&file, servers).expect("a file");
    with_flags(&["--model-servers", file.to_str().expect("UTF-8")], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let conn = &mut *app.connection().await;
        for model in ["a", "b"] {
            let check = ModelCheck {
                model: model.to_owned(),
                wire: Wire::OpenAi,
                findings: Vec::new(),
                calls: 1,
                tokens: 1,
                cost: None,
            };
            let low = ParameterValues::Only(vec!["low".to_owned()]);
            let known =
                [without_effect("temperature"), KnownParameter::new("reasoning_effort", low, ParameterEffect::Works)];
            model_checks::store(conn, "lab", &check, &known).await.expect("it is stored");
            for value in ["low", "high"] {
                model_refusals::note(conn, "lab", model, "reasoning_effort", value).await.expect("it is noted");
            }
        }
        let survey = fixture.survey(1).await;
        let price = format!("/api/surveys/{survey}/studies?price=true");
        let price = async |run: Value| fixture.author.post(&price, json!({"run": run})).await;
        let refused = async |run: Value, words: &str| {
            let message = price(run).await.refused_with(400, "parameter_not_taken");
            assert!(message.contains(words), "{message}");
        };
        let run = |model: &str, more: Value| {
            let mut run = json!({"personaCount": 2, "model": model});
            run.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            run
        };
        assert_eq!(price(run("a", json!({"temperature": 1}))).await.status, 200);
        let of_file = "the file of model servers says that it is not taken";
        refused(run("a", json!({"temperature": 0.5})), of_file).await;
        refused(run("a", json!({"verbosity": "low"})), of_file).await;
        assert_eq!(price(run("a", json!({"reasoningEffort": "high"}))).await.status, 200);
        refused(run("b", json!({"temperature": 1})), "found that it has no effect").await;
        assert_eq!(price(run("b", json!({"reasoningEffort": "low"}))).await.status, 200);
        refused(run("b", json!({"reasoningEffort": "high"})), "showed that it is not taken").await;
        assert_eq!(price(run("b", json!({"verbosity": "low"}))).await.status, 200);
    })
    .await;
}
