//! Several model servers: each run asks its own, and what happens to one server is no matter of the others' runs.

use model_server::{Fault, Faults, ModelServer};
use serde_json::json;
use simulation::parameters::Parameters;
use simulation::status::Status;
use tempfile::TempDir;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::studies::{self, NewStudy};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;

use crate::support::engine_fixture::{EngineFixture, parameters, survey};
use crate::support::{GroupFixture, Simulate, sample, with_flags};

const TWINS: i32 = 40;

/// Makes a run ask this server.
fn on(server: &str) -> impl FnOnce(&mut Parameters) {
    let server = server.to_owned();
    move |parameters| parameters.model_server = Some(server)
}

#[actix_web::test]
async fn an_outage_of_one_server_stops_only_its_runs_and_they_go_on_when_it_is_back() {
    let well = ModelServer::start(Faults::default().latency_ms(5));
    let down = ModelServer::start(Faults::default().with(Fault::ServerError, 1.0));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine_of(&[("well", &well.base_url()), ("down", &down.base_url())]).await;
    let waiting = fixture.start(&survey(2), PersonaChoice::Random(TWINS), on("down")).await;
    fixture
        .until_found(
            "SELECT count(*) AS number FROM model_servers WHERE name = 'down' AND blocked_until > now()
                AND reason LIKE 'the model server is down%'",
        )
        .await;
    let answered = fixture.start(&survey(2), PersonaChoice::Random(TWINS), on("well")).await;
    let run = fixture.ended(answered).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 2 * TWINS), "{run:#?}");
    let run = fixture.run(waiting).await;
    assert_eq!((run.status, run.successful_requests, run.failed_requests), (Status::Running, 0, 0), "{run:#?}");
    assert_eq!(fixture.number("SELECT count(*) AS number FROM model_servers WHERE name = 'well'").await, 0);
    down.set_faults(Faults::default());
    let run = fixture.ended(waiting).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 2 * TWINS), "{run:#?}");
    engine.shut_down().await;
    fixture.sound_and_paid(4 * TWINS).await;
    let minutes = "SELECT coalesce(sum(calls), 0)::bigint AS number FROM model_server_minutes WHERE server = 'well'";
    assert!(fixture.number(minutes).await > 0, "calls are counted by server");
}

#[actix_web::test]
async fn the_runs_of_a_study_that_crosses_servers_wait_each_for_its_own() {
    let well = ModelServer::start(Faults::default());
    let down = ModelServer::start(Faults::default().with(Fault::ServerError, 1.0));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine_of(&[("well", &well.base_url()), ("down", &down.base_url())]).await;
    let runs = {
        let connection = &mut *fixture.pool.get().await.expect("a connection");
        let content = SurveyFile::parse(survey(2).to_string().as_bytes(), "survey.json").expect("a survey");
        let new = NewSurvey { user_id: fixture.user_id, group_id: fixture.group_id, content: &content };
        let survey_id = new.create(connection).await.expect("stored").0.id;
        let cell = |server: &str| Parameters { model_server: Some(server.to_owned()), ..parameters() };
        let study = NewStudy {
            survey_id,
            user_id: fixture.user_id,
            choice: PersonaChoice::Random(TWINS),
            demo_model: false,
            cells: vec![cell("down"), cell("well")],
            every_arm: false,
            name: None,
            note: None,
            max_cost: None,
            plan: None,
        };
        let id = study.start(connection).await.expect("the study starts");
        studies::run_ids(connection, id).await.expect("its runs")
    };
    let run = fixture.ended(runs[1]).await;
    assert_eq!((run.status, run.server(), run.successful_requests), (Status::Completed, "well", 2 * TWINS));
    let waiting = fixture.run(runs[0]).await;
    assert!(!waiting.status.is_over() && waiting.failed_requests == 0, "{waiting:#?}");
    down.set_faults(Faults::default());
    let run = fixture.ended(runs[0]).await;
    assert_eq!((run.status, run.server(), run.successful_requests), (Status::Completed, "down", 2 * TWINS));
    engine.shut_down().await;
    fixture.sound_and_paid(4 * TWINS).await;
}

#[actix_web::test]
async fn a_batch_waits_for_its_own_server_alone() {
    let well = ModelServer::start(Faults::default());
    let down = ModelServer::start(Faults::default());
    let (address, url) = (down.address(), down.base_url());
    down.stop();
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine_of(&[("well", &well.base_url()), ("down", &url)]).await;
    let batch_on = |server: &'static str| {
        move |parameters: &mut Parameters| {
            on(server)(parameters);
            parameters.batch = true;
        }
    };
    let waiting = fixture.start(&survey(2), PersonaChoice::Random(TWINS), batch_on("down")).await;
    fixture.until_found("SELECT count(*) AS number FROM simulation_batches WHERE trouble IS NOT NULL").await;
    let id = fixture.start(&survey(2), PersonaChoice::Random(TWINS), batch_on("well")).await;
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 2 * TWINS), "{run:#?}");
    assert_eq!(fixture.run(waiting).await.successful_requests, 0);
    let _back = ModelServer::listen("127.0.0.1", address.port(), Faults::default()).expect("the port is free again");
    let run = fixture.ended(waiting).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 2 * TWINS), "{run:#?}");
    engine.shut_down().await;
    fixture.sound_and_paid(4 * TWINS).await;
}

#[actix_web::test]
async fn a_run_whose_server_is_not_in_the_file_any_more_pauses_and_goes_on_when_it_is() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), on("old")).await;
    let run = fixture.until(id, |run| run.status == Status::Paused).await;
    assert_eq!(
        (run.error_code.as_deref(), run.error_message.as_deref()),
        (Some("model_server"), Some("its model server old is not among those of this installation any more"))
    );
    engine.shut_down().await;
    let engine = fixture.engine_of(&[("old", &stub.base_url())]).await;
    control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("a paused run resumes");
    assert_eq!(fixture.ended(id).await.successful_requests, TWINS);
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

/// A file of model servers with these names and addresses. The models of each are `m-` and its name.
fn file_of(folder: &TempDir, servers: &[(&str, &str)]) -> String {
    let entry = |(name, url): &(&str, &str)| {
        format!(
            "[[server]]\nname = \"{name}\"\nbase_url = \"{url}\"\nrpm = {}\nquestions_per_call = {}\n\
             models = [{{ name = \"m-{name}\" }}]\n",
            100 * name.len(),
            name.len(),
        )
    };
    let file = folder.path().join("models.toml");
    std::fs::write(&file, servers.iter().map(entry).collect::<String>()).expect("the file is written");
    file.to_str().expect("UTF-8").to_owned()
}

#[actix_web::test]
async fn simulate_checks_the_server_that_its_run_names_and_no_other() {
    let (stub, gone) = (ModelServer::start(Faults::default()), ModelServer::start(Faults::default()));
    let nobody = gone.base_url();
    gone.stop();
    let folder = TempDir::new().expect("a folder");
    let file = file_of(&folder, &[("gone", &nobody), ("there", &stub.base_url())]);
    let fixture = EngineFixture::new(TWINS).await;
    let asking = |model: &str, out: &str| {
        let mut simulate = Simulate::new(&fixture, &stub, &survey(1), out);
        for name in ["OPENAI_BASE_URL", "LLM_MODEL", "LLM_RPM", "LLM_TPM"] {
            simulate.command.env_remove(name);
        }
        simulate.command.env("MODELS", &file).args(["--model", model]);
        simulate.outcome()
    };
    let outcome = asking("m-there", "answers.csv");
    assert_eq!(outcome.code, Some(0), "{outcome:#?}");
    let outcome = asking("m-gone", "answers.csv");
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    let line = outcome.only_line();
    assert!(line.contains(nobody.trim_end_matches("/v1")) && line.contains("cannot be reached"), "{line}");
    assert_eq!(fixture.number("SELECT count(*) AS number FROM surveys").await, 1, "nothing is stored");
}

#[tokio::test]
async fn the_limits_of_a_start_are_those_of_each_models_server_and_a_server_is_not_said_to_answer_before_it_is_asked() {
    let folder = TempDir::new().expect("a folder");
    let file = file_of(&folder, &[("one", "http://127.0.0.1:9/v1"), ("three", "http://127.0.0.1:10/v1")]);
    with_flags(&["--model-servers", &file], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        let limits = &config["limits"];
        assert_eq!((&limits["m-one"]["requestsPerMinute"], &limits["m-one"]["questionsPerCall"]), (&json!(300), &json!(3)));
        assert_eq!(
            (&limits["m-three"]["requestsPerMinute"], &limits["m-three"]["questionsPerCall"]),
            (&json!(500), &json!(5))
        );
        let root = app.super_admin().await;
        let states = async || {
            let servers = root.get("/api/admin/model-servers").await.ok();
            [0, 1].map(|place| servers[place]["state"].as_str().unwrap_or_default().to_owned())
        };
        assert_eq!(states().await, ["not_asked", "not_asked"]);
        let calls = "INSERT INTO model_server_minutes (server, minute, calls, tokens) VALUES ('three', now() - interval '1 day', 1, 1)";
        sample::run(&mut *app.connection().await, calls).await;
        assert_eq!(states().await, ["not_asked", "answering"]);
    })
    .await;
}

#[actix_web::test]
async fn a_call_that_does_not_fit_into_the_models_context_is_not_sent() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(1).await;
    let engine = fixture.engine(&stub, |model| model.contexts = [("stub".to_owned(), 50)].into()).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(1), |_| ()).await;
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.failed_requests), (Status::Failed, 1), "{run:#?}");
    let failures = fixture.failures(id).await;
    assert!(failures[0].message.contains("does not fit into the 50 of stub"), "{failures:?}");
    assert_eq!(stub.counters().calls, 0);
    engine.shut_down().await;
    fixture.sound_and_paid(0).await;
}
