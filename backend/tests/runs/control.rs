//! Pausing, resuming, stopping, retrying and recounting over the API, without a worker.

use std::fs;

use model_server::{Faults, ModelServer};
use serde_json::{Value, json};
use simulation::status::Status;
use tempfile::TempDir;
use twinlab::engine::{Engine, Timings};
use twinlab::models::model_servers::{self, Rates};
use twinlab::models::simulations::control;
use twinlab::models::users::Role;

use crate::support::engine_fixture::{self, engine};
use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{GroupFixture, TestApp, with_app, with_flags};

#[tokio::test]
async fn a_run_is_paused_resumed_and_stopped_and_gives_its_credits_back() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(2).await;
        let run = fixture.start(survey, 5).await["simulationId"].as_str().expect("an id").to_owned();
        let act =
            async |action: &str| fixture.author.post(&format!("/api/simulations/{run}/{action}"), json!({})).await;
        assert_eq!(act("resume").await.refused(409), "A simulation that is QUEUED cannot be resumed");
        assert_eq!(act("pause").await.ok()["status"], "PAUSED");
        assert_eq!(fixture.author.get(&format!("/api/simulations/{run}/progress")).await.ok()["status"], "PAUSED");
        let execute = format!("/api/simulations/execute/{run}");
        fixture.author.post(&execute, json!({})).await.refused(409);
        // The owner of the group controls its members' runs.
        let of_survey = format!("/api/simulations/survey/{survey}");
        assert_eq!(fixture.owner.post(&format!("{of_survey}/resume"), json!({})).await.ok()["status"], "QUEUED");
        assert_eq!(fixture.author.post(&execute, json!({})).await.ok()["status"], "QUEUED");
        assert_eq!(fixture.budget().await, (100, 10));
        assert_eq!(fixture.author.post(&format!("{of_survey}/stop"), json!({})).await.ok()["status"], "STOPPED");
        assert_eq!(fixture.budget().await, (100, 0));
        act("stop").await.refused(409);
        let retry = fixture.author.post(&format!("/api/simulations/retry-failed/{run}"), json!({})).await.refused(409);
        assert_eq!(retry, "Simulation has no failed requests");
    })
    .await;
}

/// Tests that a pass in which the model server refused a request does not count as one in which all succeeded.
#[tokio::test]
async fn a_run_keeps_the_message_of_refused_requests_over_a_resume_and_its_progress_does_not() {
    for planted in [PlantedRun::Failed, PlantedRun::Running] {
        with_app(async |app| {
            sample::plant(&mut *app.connection().await, planted).await;
            let author = app.client("user@test.example", Role::User).await;
            let id = SIMULATION_ID;
            if matches!(planted, PlantedRun::Failed) {
                author.post(&format!("/api/simulations/retry-failed/{id}"), json!({})).await.ok();
            }
            for (code, message, expected) in [
                (control::MEMBER_SUSPENDED, "The member is suspended", matches!(planted, PlantedRun::Failed)),
                ("unauthorized", "Incorrect API key", true),
            ] {
                let conn = &mut *app.connection().await;
                control::pause_because(conn, sample::SIMULATION, code, message).await.expect("it pauses");
                app.app.progress.forget(sample::SIMULATION);
                let progress = format!("/api/simulations/{id}/refresh-status");
                assert_eq!(author.get(&progress).await.ok()["errorMessage"], message);
                let resumed = author.post(&format!("/api/simulations/{id}/resume"), json!({})).await.ok();
                assert_eq!(resumed["status"], "QUEUED");
                assert_eq!(resumed["errorMessage"], if expected { json!(message) } else { json!(null) });
                assert_eq!(author.get(&progress).await.ok()["errorMessage"], json!(null));
            }
        })
        .await;
    }
}

#[tokio::test]
async fn what_failed_is_asked_again_once_for_a_key_and_holds_as_many_credits() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let author = app.client("user@test.example", Role::User).await.with_header("idempotency-key", "again");
        let path = format!("/api/simulations/retry-failed/{SIMULATION_ID}");
        author.post(&path, json!({"surveyId": 99})).await.refused(404);
        let first = author.post(&path, json!({"surveyId": 1})).await.ok();
        assert_eq!((&first["status"], &first["attempt"]), (&json!("QUEUED"), &json!(2)));
        assert_eq!(author.post(&path, json!({"surveyId": 1})).await.ok(), first);
        let held = "SELECT held AS number FROM group_members WHERE budget > 0";
        assert_eq!(sample::number(&mut *app.connection().await, held).await, 10);
        assert_eq!(author.get(&format!("/api/simulations/{SIMULATION_ID}/failures")).await.ok(), json!([]));
    })
    .await;
}

#[tokio::test]
async fn counters_that_do_not_agree_with_the_answers_are_recounted() {
    with_app(async |app| {
        let mut conn = app.connection().await;
        sample::plant(&mut conn, PlantedRun::Running).await;
        let author = app.client("user@test.example", Role::User).await;
        let wrong = "UPDATE simulations SET successful_requests = 3";
        let path = format!("/api/simulations/{SIMULATION_ID}");
        let counted = |progress: &Value| progress["successfulRequests"].as_i64();

        sample::run(&mut conn, wrong).await;
        assert_eq!(counted(&author.get(&format!("{path}/refresh-status")).await.ok()), Some(17));
        sample::run(&mut conn, wrong).await;
        let all = author.post("/api/simulations/check-all-statuses", json!({})).await.ok();
        assert_eq!((counted(&all[0]), all.as_array().map(Vec::len)), (Some(17), Some(1)));
        author.post(&format!("{path}/reset-counters"), json!({})).await.refused(409);
        author.post(&format!("{path}/pause"), json!({})).await.ok();
        sample::run(&mut conn, wrong).await;
        assert_eq!(counted(&author.post(&format!("{path}/reset-counters"), json!({})).await.ok()), Some(17));
    })
    .await;
}

/// An engine that works on the app's runs, one call at a time.
async fn worker(app: &TestApp, stub: &ModelServer) -> Engine {
    engine(app.database.url(), stub, Timings::default(), |model| model.max_concurrency = 1).await
}

/// Returns the API's view of the run once it has this status.
async fn until(fixture: &GroupFixture<'_>, run: &str, status: Status) -> Value {
    let id = fixture.author.get(&format!("/api/simulations/{run}")).await.ok()["id"].as_i64().expect("an id");
    engine_fixture::until(&fixture.app.app.pool, id, |run| run.status == status).await;
    fixture.author.get(&format!("/api/simulations/{run}")).await.ok()
}

#[actix_web::test]
async fn a_stopped_run_goes_on_with_what_is_open_once_for_a_key_and_completes() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10).await;
        let survey = fixture.survey(2).await;
        let run = fixture.start(survey, 5).await["simulationId"].as_str().expect("an id").to_owned();
        let path = |action: &str| format!("/api/simulations/{run}/{action}");
        let message = fixture.author.post(&path("continue"), json!({})).await.refused(409);
        assert_eq!(message, "A simulation that is QUEUED cannot be continued");
        fixture.author.post(&path("stop"), json!({})).await.ok();
        assert_eq!(fixture.budget().await, (10, 0));
        fixture.member.post(&path("continue"), json!({})).await.refused(404);

        // A run does not continue without enough credits.
        let (user, group) = (fixture.author_id, fixture.group_id);
        let grant = |amount: i64| json!({"groupId": group, "userId": user, "type": "SET", "amount": amount});
        fixture.owner.post("/api/transactions", grant(9)).await.ok();
        let message = fixture.author.post(&path("continue"), json!({})).await.refused(402);
        assert_eq!(message, "Not enough credits: 10 needed, 9 available");
        fixture.owner.post("/api/transactions", grant(10)).await.ok();

        let author = fixture.author.with_header("idempotency-key", "on");
        let first = author.post(&path("continue"), json!({})).await.ok();
        assert_eq!((&first["status"], &first["attempt"]), (&json!("QUEUED"), &json!(2)));
        assert_eq!(first["completedAt"], json!(null));
        assert_eq!(author.post(&path("continue"), json!({})).await.ok(), first);
        assert_eq!(fixture.budget().await, (10, 10));

        let stub = ModelServer::start(Faults::default());
        let worker = worker(app, &stub).await;
        let ended = until(&fixture, &run, Status::Completed).await;
        worker.shut_down().await;
        assert_eq!(ended["successfulRequests"], 10);
        assert_eq!(ended["servedBy"].as_array().map(Vec::len), Some(1), "{ended:#}");
        assert_eq!(fixture.budget().await, (0, 0));
        let ledger = fixture.author.get(&format!("/api/transactions/simulation/{run}")).await.ok();
        assert_eq!(ledger[0]["description"], "Simulation of \"Tea\" (continued)");
        fixture.author.post(&path("continue"), json!({})).await.refused(409);
    })
    .await;
}

#[tokio::test]
async fn a_run_stopped_half_way_asks_only_what_is_open_and_what_failed_stays_failed() {
    with_app(async |app| {
        let connection = &mut *app.connection().await;
        sample::plant(connection, PlantedRun::Running).await;
        sample::run(
            connection,
            "INSERT INTO request_failures (simulation_id, persona_id, question_id, code, message, attempts)
                SELECT 7, 2, id, 'refused', 'the model refused', 2 FROM questions WHERE position = 9;
             UPDATE simulations SET failed_requests = 1, open_requests = 9;
             SELECT pgmq.delete('interviews', msg_id) FROM pgmq.q_interviews WHERE message @> '{\"persona\": 2}'",
        )
        .await;
        let author = app.client("user@test.example", Role::User).await;
        let path = |action: &str| format!("/api/simulations/{SIMULATION_ID}/{action}");
        author.post(&path("stop"), json!({})).await.ok();
        let run = author.post(&path("continue"), json!({})).await.ok();
        assert_eq!(
            ["status", "successfulRequests", "failedRequests"].map(|name| run[name].clone()),
            [json!("QUEUED"), json!(17), json!(1)]
        );
        let queued = "SELECT sum((message ->> 'persona')::integer)::bigint AS number FROM pgmq.q_interviews";
        assert_eq!(sample::number(connection, queued).await, 3, "the third twin's interview alone");
        let open = "SELECT open_requests::bigint AS number FROM simulations";
        assert_eq!(sample::number(connection, open).await, 9);
    })
    .await;
}

#[tokio::test]
async fn a_run_that_was_retried_and_stopped_goes_on_with_what_was_never_asked() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let author = app.client("user@test.example", Role::User).await;
        let path = |action: &str| format!("/api/simulations/{SIMULATION_ID}/{action}");
        author.post(&format!("/api/simulations/retry-failed/{SIMULATION_ID}"), json!({})).await.ok();
        author.post(&path("stop"), json!({})).await.ok();
        // Requests that a retry left open have failed: nothing is open.
        assert_eq!(author.post(&path("continue"), json!({})).await.refused(409), "Simulation has no open requests");
    })
    .await;
}

/// Writes a file of prices at which each call of the demo model costs some cents.
fn prices(folder: &TempDir) -> String {
    let file = folder.path().join("prices.json");
    let content = json!({"currency": "EUR", "models": {"twinlab-demo": {"prompt": 100, "completion": 1000,
        "batch": {"prompt": 50, "completion": 500}}}});
    fs::write(&file, content.to_string()).expect("the folder can be written");
    file.to_str().expect("its name is UTF-8").to_owned()
}

#[actix_web::test]
async fn a_run_that_has_cost_what_it_may_is_paused_until_that_is_raised() {
    let folder = TempDir::new().expect("a temporary folder");
    with_flags(&["--llm-prices", &prices(&folder)], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        let price =
            json!({"currency": "EUR", "prompt": 100_000_000, "cached": 100_000_000, "completion": 1_000_000_000});
        assert_eq!(config["prices"], json!({"twinlab-demo": price}));
        let batch_price =
            json!({"currency": "EUR", "prompt": 50_000_000, "cached": 50_000_000, "completion": 500_000_000});
        assert_eq!(config["batchPrices"], json!({"twinlab-demo": batch_price}));
        let start = format!("/api/simulations/survey/{survey}/start");
        for bad in [json!(0), json!(-1), json!(0.000_000_1), json!(2_000_000)] {
            fixture.author.post(&start, json!({"personaCount": 20, "maxCost": bad})).await.refused(400);
        }
        let started = fixture.author.post(&start, json!({"personaCount": 20, "maxCost": 0.000_001})).await.ok();
        assert_eq!(started["parameters"]["price"], price);
        let run = started["simulationId"].as_str().expect("an id").to_owned();

        let stub = ModelServer::start(Faults::default());
        let worker = worker(app, &stub).await;
        let paused = until(&fixture, &run, Status::Paused).await;
        let message = paused["errorMessage"].as_str().expect("a reason");
        assert!(message.contains("this run may cost EUR 0.000001"), "{message}");
        assert_eq!(paused["maxCost"], json!({"amount": "0.000001", "currency": "EUR"}));
        assert!(paused["successfulRequests"].as_i64().expect("a count") >= 1, "{paused:#}");

        let path = format!("/api/simulations/{run}");
        let refusal = fixture.author.post(&format!("{path}/resume"), json!({})).await.refused(409);
        assert!(refusal.ends_with("may cost at most EUR 0.000001: raise maxCost first"), "{refusal}");
        fixture.member.patch(&path, json!({"maxCost": 1_000})).await.refused(404);
        fixture.author.patch(&path, json!({"maxCost": 1_000})).await.ok();
        fixture.author.post(&format!("{path}/resume"), json!({})).await.ok();
        let ended = until(&fixture, &run, Status::Completed).await;
        worker.shut_down().await;

        let tokens = |name: &str| ended[name].as_i64().expect("a count");
        // Micro-units: a prompt's token costs 100, an answer's 1,000.
        let cost = 100 * tokens("promptTokens") + 1_000 * tokens("completionTokens");
        let cost = json!({"amount": format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000), "currency": "EUR"});
        assert_eq!(ended["cost"], cost);
        let usage = fixture.owner.get(&format!("/api/groups/{}/usage", fixture.group_id)).await.ok();
        let usage = usage.as_array().expect("a list");
        let author = usage.iter().find(|member| member["userId"] == fixture.author_id).expect("the author");
        assert_eq!((&author["cost"], author["lastRunAt"].is_string()), (&json!([cost]), true));
        let sums = fixture.author.get("/api/transactions/user-groups/stats").await.ok();
        assert_eq!(sums["cost"], json!([cost]));
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        assert!(config["callSeconds"].is_number(), "{config:#}");
    })
    .await;
}

#[actix_web::test]
async fn a_run_in_batches_is_charged_their_price_and_says_what_the_server_has() {
    let folder = TempDir::new().expect("a temporary folder");
    with_flags(&["--llm-prices", &prices(&folder)], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let start = format!("/api/simulations/survey/{survey}/start");
        let started = fixture.author.post(&start, json!({"personaCount": 20, "batch": true})).await.ok();
        assert_eq!(started["parameters"]["batch"], true);
        assert_eq!(started["parameters"]["price"]["completion"], 500_000_000);
        let run = started["simulationId"].as_str().expect("an id").to_owned();

        let stub = ModelServer::start(Faults::default());
        stub.hold();
        let worker = worker(app, &stub).await;
        let path = format!("/api/simulations/{run}");
        let progress = loop {
            let progress = fixture.author.get(&format!("{path}/progress")).await.ok();
            if !progress["batchProgress"].is_null() {
                break progress;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(progress["batchProgress"], json!({"calls": 20, "done": 0}));
        assert_eq!(progress["waitingReason"], "the model server has done 0 of 20 calls in batches");
        assert_eq!(fixture.author.get(&path).await.ok()["batchProgress"], progress["batchProgress"]);
        stub.release();
        let ended = until(&fixture, &run, Status::Completed).await;
        worker.shut_down().await;
        let tokens = |name: &str| ended[name].as_i64().expect("a count");
        let cost = 50 * tokens("promptTokens") + 500 * tokens("completionTokens");
        let amount = format!("{}.{:06}", cost / 1_000_000, cost % 1_000_000);
        assert_eq!(ended["cost"], json!({"amount": amount, "currency": "EUR"}));
        assert_eq!(ended["batchProgress"], json!(null));

        let priced = format!("/api/surveys/{survey}/studies?price=true");
        let study = json!({"run": {"personaCount": 5, "batch": true}, "variants": ["summary", "empty"]});
        let runs = fixture.author.post(&priced, study).await.ok()["runs"].clone();
        let batch = |run: &Value| (run["parameters"]["batch"] == true, run["parameters"]["price"]["prompt"].clone());
        let runs: Vec<_> = runs.as_array().expect("a list").iter().map(batch).collect();
        assert_eq!(runs, [(true, json!(50_000_000)), (true, json!(50_000_000))]);
    })
    .await;
}

#[tokio::test]
async fn a_cap_needs_a_price() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let start = format!("/api/simulations/survey/{survey}/start");
        let message = fixture.author.post(&start, json!({"personaCount": 1, "maxCost": 1})).await.refused(400);
        assert_eq!(message, "maxCost: the price of this model is not known");
        let run = fixture.start(survey, 1).await["simulationId"].as_str().expect("an id").to_owned();
        let path = format!("/api/simulations/{run}");
        fixture.author.patch(&path, json!({"maxCost": 1})).await.refused(400);
        let facts = fixture.author.get(&path).await.ok();
        assert_eq!((&facts["cost"], &facts["servedBy"]), (&json!(null), &json!([])));
        let sums = fixture.author.get("/api/transactions/user-groups/stats").await.ok();
        assert_eq!(sums["cost"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn the_estimate_tells_the_limits_that_are_set_and_those_that_the_server_named() {
    with_flags(&["--llm-rpm", "600", "--llm-max-concurrency", "8"], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let path = format!("/api/surveys/{}/simulation-config", fixture.survey(1).await);
        let limits = async || {
            let config = fixture.author.get(&path).await.ok();
            ["requestsPerMinute", "tokensPerMinute", "concurrency", "callSeconds"].map(|name| config[name].clone())
        };
        assert_eq!(limits().await, [json!(600), json!(null), json!(8), json!(null)]);
        let named = Rates { rpm: Some(60), tpm: Some(9_000) };
        model_servers::report_rates(&mut *app.connection().await, "default", named).await.expect("it is noted");
        assert_eq!(limits().await, [json!(60), json!(9_000), json!(8), json!(null)]);
    })
    .await;
}
