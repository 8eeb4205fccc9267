//! A database that falls silent, goes away or is busy: calls end, say so, and work again afterwards.

use std::time::Duration;

use diesel::prelude::*;
use model_server::{Faults, ModelServer};
use reqwest::Method;
use serde_json::json;
use twinlab::models::simulations::start::Choice;
use twinlab::models::simulations::{Parameters, Status};
use twinlab::models::users::Role;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{Answer, Client, Database, Proxy, TestApp, answer};

async fn behind_a_proxy() -> (Proxy, TestApp, Client) {
    let database = Database::new();
    let proxy = Proxy::before(database.url()).await;
    let app = TestApp::start_at(database, proxy.url(), &[]).await;
    let client = app.client("anna@test.example", Role::User).await;
    (proxy, app, client)
}

fn unavailable(answer: Answer, codes: &[&str]) {
    assert_eq!(answer.headers["retry-after"], "5");
    assert!(codes.iter().any(|code| answer.body["code"] == *code), "{}", answer.body);
    answer.refused(503);
}

const AWAY: &[&str] = &["database_unavailable"];
/// Of calls that have a connection, and of those that wait for one.
const SILENT: &[&str] = &["deadline_exceeded", "database_unavailable"];

fn number(database: &Database, sql: &str) -> i64 {
    diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("({sql})")))
        .get_result(&mut database.connect())
        .expect("the server answers")
}

/// Connections to the test's database, as the server has them.
fn connections(database: &Database) -> i64 {
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    number(database, others)
}

#[actix_web::test]
async fn calls_to_a_silent_database_end_and_pile_up_no_connections() {
    let (proxy, app, client) = behind_a_proxy().await;
    client.get("/api/surveys/my").await.ok();
    proxy.fall_silent();
    let visitor = app.visitor();
    let ready = async {
        let answer = visitor.get("/ready").await;
        assert_eq!(answer.body["message"], "the database does not answer");
        answer.refused(503);
    };
    // Browsers send a length of 0 with such a call, and no handler reads it.
    let changed = client.request(Method::POST, "/api/auth/logout-everywhere").header("content-length", "0");
    let changed = async {
        unavailable(answer(changed).await, SILENT);
    };
    let asked = futures_util::future::join_all((0..20).map(|_| client.get("/api/surveys/my")));
    let (answers, (), ()) = tokio::join!(asked, ready, changed);
    for answer in answers {
        unavailable(answer, SILENT);
    }
    proxy.reopen();
    client.get("/api/surveys/my").await.ok();
    let open = connections(&app.database);
    assert!(open <= 8, "{open} connections");
    app.stop().await;
}

#[actix_web::test]
async fn calls_say_that_the_database_is_away_and_work_when_it_is_back() {
    let (proxy, app, client) = behind_a_proxy().await;
    client.get("/api/surveys/my").await.ok();
    proxy.cut();
    unavailable(client.get("/api/surveys/my").await, AWAY);
    unavailable(client.post("/api/auth/logout-everywhere", json!({})).await, AWAY);
    app.visitor().get("/ready").await.refused(503);
    proxy.reopen();
    client.get("/api/surveys/my").await.ok();
    app.visitor().get("/ready").await.ok();
    app.stop().await;
}

#[actix_web::test]
async fn a_change_that_waits_for_somebody_elses_lock_ends() {
    let app = TestApp::start(&[]).await;
    let owner = app.client("owner@test.example", Role::Admin).await;
    let group = owner.post("/api/groups", json!({"group_name": "Lab", "initialBudgetPerUser": 5})).await.ok();
    let path = format!("/api/groups/{}", group["id"]);
    let mut other = app.database.connect();
    diesel::sql_query("BEGIN").execute(&mut other).expect("a transaction");
    diesel::sql_query("SELECT 1 FROM groups FOR UPDATE").execute(&mut other).expect("a lock");
    unavailable(owner.patch(&path, json!({"group_name": "Laboratory"})).await, AWAY);
    diesel::sql_query("ROLLBACK").execute(&mut other).expect("it ends");
    owner.patch(&path, json!({"group_name": "Laboratory"})).await.ok();
    app.stop().await;
}

#[actix_web::test]
async fn no_statement_and_no_lock_is_waited_for_without_an_end() {
    let database = Database::new();
    let pool = database.pool().await;
    let mut connection = pool.get().await.expect("a connection");
    for (name, expected) in [("statement_timeout", "30s"), ("lock_timeout", "5s")] {
        let setting = diesel::dsl::sql::<diesel::sql_types::Text>(&format!("current_setting('{name}')"));
        let found: String =
            diesel_async::RunQueryDsl::get_result(diesel::select(setting), &mut *connection).await.expect("it answers");
        assert_eq!(found, expected, "{name}");
    }
}

#[actix_web::test]
async fn a_worker_that_the_database_falls_silent_to_goes_on_and_leaks_no_connection() {
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let fixture = EngineFixture::new(40).await;
    let proxy = Proxy::before(fixture.database.url()).await;
    let engine = fixture.engine_at(proxy.url(), &stub, 4).await;
    let one_a_call = |parameters: &mut Parameters| parameters.questions_per_call = 1;
    let id = fixture.start(&survey(10), Choice::Random(40), one_a_call).await;
    stub.reached(40).await;
    proxy.fall_silent();
    // Longer than two renewals of the session's lease may take.
    tokio::time::sleep(Duration::from_secs(15)).await;
    proxy.reopen();
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 400), "{run:#?}");
    // Each session of a worker has one, and waits for none.
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(number(&fixture.database, locks), 1);
    engine.shut_down().await;
    fixture.sound_and_paid(400).await;
}
