//! Progress as server-sent events.

use std::sync::Arc;
use std::time::Duration;

use model_server::{Faults, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use twinlab::engine::Timings;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{GroupFixture, TWINS, TestApp, answer, engine_fixture, with_app};

/// The data of each event.
fn events(text: &str) -> Vec<Value> {
    let data = |event: &str| event.strip_prefix("event: progress\ndata: ").map(|data| data.to_owned());
    text.split_terminator("\n\n").filter_map(data).map(|data| serde_json::from_str(&data).expect("JSON")).collect()
}

#[tokio::test]
async fn a_stream_tells_how_a_run_stands_and_ends_with_it() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let author = app.client("user@test.example", Role::User).await;
        let stream = author.get(&format!("/api/simulations/{SIMULATION_ID}/events")).await;
        assert_eq!(stream.headers["content-type"], "text/event-stream");
        let received = events(stream.body.as_str().expect("a text"));
        let progress = author.get(&format!("/api/simulations/{SIMULATION_ID}/progress")).await.ok();
        assert_eq!(received, [progress]);
    })
    .await;
}

#[tokio::test]
async fn a_stream_tells_every_change_until_the_run_is_stopped() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let run = fixture.start(fixture.survey(1).await, 2).await["simulationId"].as_str().expect("an id").to_owned();
        let mut stream = open(&fixture, &run).await;
        let first = stream.chunk().await.expect("it streams").expect("an event");
        assert_eq!(events(std::str::from_utf8(&first).expect("text"))[0]["status"], "QUEUED");
        fixture.author.post(&format!("/api/simulations/{run}/stop"), json!({})).await.ok();
        let mut rest = Vec::new();
        while let Some(chunk) = stream.chunk().await.expect("it streams") {
            rest.extend_from_slice(&chunk);
        }
        let rest = events(std::str::from_utf8(&rest).expect("text"));
        assert_eq!(rest.last().expect("an event")["status"], "STOPPED");
    })
    .await;
}

#[actix_web::test]
async fn a_run_is_watched_from_its_start_to_its_end() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let survey = fixture.survey(3).await;
        let run = fixture.start(survey, TWINS).await["simulationId"].as_str().expect("an id").to_owned();
        let stream = open(&fixture, &run).await;
        let stub = ModelServer::start(Faults::default());
        let engine = engine_fixture::engine(app.database.url(), &stub, Timings::default(), |_| {}).await;
        let received = events(&stream.text().await.expect("it streams to the end"));
        let done: Vec<_> = received.iter().map(|event| event["successfulRequests"].as_i64()).collect();
        assert!(done.is_sorted(), "{done:?}");
        let end = received.last().expect("an event");
        assert_eq!((&end["status"], &end["successfulRequests"]), (&json!("COMPLETED"), &json!(60)));
        assert_eq!((&end["progressPercentage"], &end["etaSeconds"]), (&json!(100.0), &json!(null)));
        assert_eq!(fixture.budget().await, (940, 0));
        assert_eq!(fixture.author.get(&format!("/api/surveys/{survey}")).await.ok()["simulation_status"], "COMPLETED");
        engine.shut_down().await;
    })
    .await;
}

#[tokio::test]
async fn a_watcher_who_goes_away_leaves_nothing_behind_and_the_end_of_the_process_ends_the_rest() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let run = fixture.start(fixture.survey(1).await, 2).await["simulationId"].as_str().expect("an id").to_owned();
        let before = users(app);
        let mut watchers = Vec::new();
        for _ in 0..5 {
            let mut stream = open(&fixture, &run).await;
            stream.chunk().await.expect("it streams").expect("an event");
            watchers.push(stream);
        }
        assert_eq!(users(app), before + 5);
        let last = watchers.pop();
        drop(watchers);
        until_left(app, before + 1).await;
        app.app.progress.close();
        let ended = last.expect("a watcher").bytes().await.expect("it ends");
        assert!(ended.is_empty());
        until_left(app, before).await;
    })
    .await;
}

async fn open(fixture: &GroupFixture<'_>, run: &str) -> reqwest::Response {
    let request = fixture.author.request(Method::GET, &format!("/api/simulations/{run}/events"));
    request.send().await.expect("it answers")
}

/// Number of references to the app: the server's, and one for each open stream.
fn users(app: &TestApp) -> usize {
    Arc::strong_count(&app.app.clone().into_inner()) - 1
}

async fn until_left(app: &TestApp, left: usize) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while users(app) != left {
        assert!(Instant::now() < deadline, "{} instead of {left} streams are left", users(app));
        sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_stream_is_refused_like_any_call() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let run = fixture.start(fixture.survey(1).await, 2).await["simulationId"].as_str().expect("an id").to_owned();
        let path = format!("/api/simulations/{run}/events");
        answer(app.visitor().request(Method::GET, &path)).await.refused(401);
        fixture.member.get(&path).await.refused(404);
    })
    .await;
}
