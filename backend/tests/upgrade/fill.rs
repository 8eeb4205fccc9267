//! A database with everything in it, filled by calls of the API.

use std::time::Duration;

use model_server::{Fault, Faults, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};
use twinlab::engine::Timings;
use twinlab::models::persona_import::replace_current;
use twinlab::models::users::Role;
use twinlab::personas::{synthesize, synthetic_source};

use crate::support::engine_fixture::{engine, until};
use crate::support::{Client, GroupFixture, TestApp, answer, sample};

const BUDGET: i64 = 5_000;

pub async fn author(app: &TestApp) -> Client {
    app.client("author@test.example", Role::User).await
}

/// Number and address of the run that [`fill`] leaves paused.
pub async fn paused_run(app: &TestApp) -> (i64, String) {
    let sql = "SELECT id AS number FROM simulations WHERE status = 'PAUSED'";
    let id = sample::number(&mut *app.connection().await, sql).await;
    let runs = author(app).await.get("/api/simulations").await.ok();
    let runs = runs.as_array().expect("a list");
    let run = runs.iter().find(|run| run["status"] == "PAUSED").expect("a paused run");
    (id, format!("/api/simulations/{}", run["simulationId"].as_str().expect("an id")))
}

pub async fn fill(app: &TestApp) {
    let fixture = GroupFixture::open(app, BUDGET).await;
    let attributes = "UPDATE personas SET attributes =
        jsonb_build_object('Gender', CASE WHEN id % 2 = 0 THEN 'Female' ELSE 'Male' END)";
    sample::run(&mut *app.connection().await, attributes).await;
    accounts(&fixture).await;
    let every = import(&fixture, every_type()).await;
    for (asked, faults, status) in [
        (
            json!({"personaCount": 8, "seed": 1, "name": "Pilot", "note": "A first look."}),
            Faults::default(),
            "COMPLETED",
        ),
        (json!({"personaCount": 4, "seed": 2, "keepReplies": true}), Faults::demo(), "COMPLETED"),
        (json!({"personaCount": 4, "seed": 3, "batch": true}), Faults::demo(), "COMPLETED"),
        (json!({"personaCount": 6, "seed": 4}), Faults::demo().with(Fault::Refusal, 0.8), "FAILED"),
    ] {
        run(&fixture, every, asked, faults, status).await;
    }
    let fees = study_by_plan(&fixture).await;
    people(&fixture, fees).await;
    imported(&fixture).await;
    validation(&fixture).await;
    stopped_and_paused(&fixture, every).await;
    ledger(&fixture).await;
}

async fn accounts(fixture: &GroupFixture<'_>) {
    let author = &fixture.author;
    author.put("/api/auth/profile", json!({"name": "A. Author"})).await.ok();
    author.put("/api/auth/settings", json!({"theme": "system", "exportFormat": "excel"})).await.ok();
    author.post("/api/auth/tokens", json!({"name": "Script", "scopes": ["read", "run"]})).await.ok();
    let wish = json!({"email": "new@test.example", "instituteName": "Institute", "purposeOfUse": "research"});
    fixture.app.post("/api/auth/request-group", wish).await.ok();
    fixture.app.super_admin().await;
}

async fn import(fixture: &GroupFixture<'_>, survey: Value) -> i64 {
    let path = format!("/api/surveys/import?groupId={}", fixture.group_id);
    fixture.author.post(&path, survey).await.ok()["id"].as_i64().expect("an id")
}

/// A survey with a question of each type; some depend on others.
fn every_type() -> Value {
    json!({ "title": "Every type", "description": "A question of each type.", "questions": [
        { "type": "INFO", "name": "intro", "text": "Think of tea." },
        { "type": "SINGLE_CHOICE", "name": "often", "text": "How often?", "options": ["Daily", "Seldom", "Never"] },
        { "type": "MULTIPLE_CHOICE", "name": "kinds", "text": "Which?", "options": ["Green", "Black", "White"] },
        { "type": "MATRIX", "name": "agree", "text": "Do you agree?", "scale_labels": ["No", "Perhaps", "Yes"],
          "sub_questions": ["Tea calms", "Tea wakes"] },
        { "type": "SLIDER", "name": "warm", "text": "How warm?", "min_value": 0, "max_value": 100 },
        { "type": "RANGE", "name": "liking", "text": "How much?", "min_value": 1, "max_value": 7,
          "min_description": "not at all", "max_description": "very much" },
        { "type": "NUMBER", "name": "cups", "text": "How many cups?" },
        { "type": "BOOLEAN", "name": "milk", "text": "With milk?" },
        { "type": "TEXT_ENTRY", "name": "brand", "text": "Which brand?" },
        { "type": "OPENENDED", "name": "why", "text": "Why?" },
        { "type": "CONSTANT_SUM", "name": "budget", "text": "Divide 100", "options": ["Tea", "Cups", "Cake"] },
        { "type": "RANK", "name": "ranks", "text": "Rank them", "options": ["Tea", "Coffee", "Water"] },
        { "type": "BEST_WORST", "name": "ends", "text": "Best and worst?", "options": ["Tea", "Coffee", "Water"] },
        { "type": "MATRIX_MULTI", "name": "times", "text": "When?", "sub_questions": ["Tea", "Coffee"],
          "scale_labels": ["Morning", "Noon", "Night"] }
    ] })
}

/// A survey with two arms, whose words a question repeats, and a question that some personas are not asked.
fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?",
          "options": ["Fair", "Neither", "Unfair"], "scale": "ordinal" },
        { "name": "pay", "type": "SLIDER", "text": "What would you pay?", "min_value": 0, "max_value": 100 },
        { "name": "why", "type": "OPENENDED", "text": "Why?", "show_if": { "answer": "fair", "is": "Fair" } }
      ], "flow": [
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["fair", "pay", "why"] }] })
}

/// Runs the survey until the run has this status.
async fn run(fixture: &GroupFixture<'_>, survey: i64, asked: Value, faults: Faults, status: &str) {
    let stub = ModelServer::start(faults);
    let path = format!("/api/simulations/survey/{survey}/start");
    fixture.author.post(&path, asked).await.ok();
    let sql = "SELECT max(id) AS number FROM simulations";
    let id = sample::number(&mut *fixture.app.connection().await, sql).await;
    let timings = Timings { batch_interval: Duration::from_millis(30), ..Timings::default() };
    let engine = engine(fixture.app.database.url(), &stub, timings, |_| ()).await;
    let over = until(&fixture.app.database.pool().await, id, |run| run.status.is_over()).await;
    engine.shut_down().await;
    assert_eq!(over.status.as_str(), status, "{over:#?}");
}

/// Creates the survey of a study that deviates from its published plan.
async fn study_by_plan(fixture: &GroupFixture<'_>) -> i64 {
    let (author, survey) = (&fixture.author, import(fixture, fees()).await);
    let document = json!({ "title": "Do fees seem fair?", "authors": "A. Author",
        "hypotheses": ["A resort fee seems less fair."], "primaryItems": ["fair"],
        "contrasts": [{ "of": "fee_arm", "a": "one", "b": "two" }], "run": { "personaCount": 6, "seed": 5 }, "blind": true });
    let plans = format!("/api/surveys/{survey}/plans");
    author.post(&plans, json!({"title": "A draft"})).await.ok();
    let plan = author.post(&plans, document).await.ok()["planId"].as_str().expect("an id").to_owned();
    author.post(&format!("/api/plans/{plan}/freeze"), json!(null)).await.ok();
    author.post(&format!("/api/plans/{plan}/publication"), json!(null)).await.ok();
    let asked = json!({ "planId": plan, "variants": ["summary", "empty"], "repeats": 2,
        "run": { "personaCount": 8, "seed": 5, "name": "Fees" } });
    let study = author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
    fixture.study_ended(&ModelServer::start(Faults::demo()), &study).await;
    let run = study["runs"][0]["simulationId"].as_str().expect("an id");
    author.post(&format!("/api/simulations/{run}/share"), json!({})).await.ok();
    survey
}

async fn send(caller: &Client, path: &str, name: &str, file: &str, fields: &[(&str, &str)]) -> Value {
    let part = |head: String, content: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{head}\r\n\r\n{content}\r\n")
    };
    let mut body = part(format!("file\"; filename=\"{name}\""), file);
    for (name, value) in fields {
        body += &part(format!("{name}\""), value);
    }
    let request = caller.request(Method::POST, path).header("content-type", "multipart/form-data; boundary=x");
    answer(request.body(format!("{body}--x--\r\n"))).await.ok()
}

/// Uploads answers of people to the survey with arms.
async fn people(fixture: &GroupFixture<'_>, survey: i64) {
    let row = |n: usize| {
        let (arm, fair) = (["one", "two"][n % 2], ["Fair", "Neither", "Unfair"][n % 3]);
        format!("w-{n},{arm},{fair},{}\n", 10 + n)
    };
    let file = format!("pid,fee_arm,fair,pay\n{}", (1..=12).map(row).collect::<String>());
    let path = format!("/api/surveys/{survey}/human-samples?arm=fee_arm");
    send(&fixture.author, &path, "panel.csv", &file, &[("name", "Panel")]).await;
}

/// Imports another program's survey, with a report.
async fn imported(fixture: &GroupFixture<'_>) {
    let file = json!({ "title": "Visit", "pages": [{ "name": "page1", "elements": [
        { "type": "radiogroup", "name": "again", "title": "Will you come again?", "choices": ["Yes", "No"] },
        { "type": "file", "name": "photo", "title": "A photo" }] }] });
    let path = format!("/api/surveys/import/qsf?groupId={}&draft=true", fixture.group_id);
    send(&fixture.author, &path, "visit.json", &file.to_string(), &[]).await;
}

/// Validates invented personas, which are the current set from now on.
async fn validation(fixture: &GroupFixture<'_>) {
    let app = fixture.app;
    // The fixture set the id of its set itself.
    sample::run(&mut *app.connection().await, "ALTER SEQUENCE persona_sets_id_seq RESTART WITH 2").await;
    let url = app.database.url().to_owned();
    let store = move || {
        let mut conn = twinlab::db::connect(&url).expect("a connection");
        replace_current(&mut conn, &synthetic_source(1), true, synthesize(20, 1).map(Ok)).expect("a set").0
    };
    let set = tokio::task::spawn_blocking(store).await.expect("a set");
    let asked = json!({"groupId": fixture.group_id, "personaCount": 10, "seed": 3, "repeats": 1});
    let study = fixture.author.post(&format!("/api/personas/sets/{set}/validation"), asked).await.ok();
    fixture.study_ended(&ModelServer::start(Faults::demo()), &study).await;
    let id = study["studyId"].as_str().expect("an id");
    fixture.author.get(&format!("/api/studies/{id}/validation")).await.ok();
}

/// Creates runs whose interviews are in the queue, or were.
async fn stopped_and_paused(fixture: &GroupFixture<'_>, survey: i64) {
    for action in ["stop", "pause"] {
        let run = fixture.start(survey, 3).await;
        let id = run["simulationId"].as_str().expect("an id");
        fixture.author.post(&format!("/api/simulations/{id}/{action}"), json!(null)).await.ok();
    }
}

async fn ledger(fixture: &GroupFixture<'_>) {
    let grant = json!({"groupId": fixture.group_id, "userId": fixture.author_id, "type": "ADD", "amount": 50});
    let owner = fixture.owner.with_header("idempotency-key", "once");
    let booked = owner.post("/api/transactions", grant).await.ok();
    fixture.app.super_admin().await.delete(&format!("/api/transactions/{}", booked["id"])).await.ok();
}
