//! A database that falls silent, goes away or is busy: calls end with an error, and work again afterwards.

use std::time::Duration;

use diesel::prelude::*;
use model_server::{Faults, ModelServer};
use reqwest::Method;
use serde_json::json;
use simulation::parameters::Parameters;
use simulation::status::Status;
use twinlab::app::App;
use twinlab::engine::Timings;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::users::Role;
use twinlab::models::workers::{self as shares, Renewal, ServerUse};
use twinlab::schema::workers;
use twinlab::{background, db};
use uuid::Uuid;

use crate::support::engine_fixture::{ENGINE_CONNECTIONS, EngineFixture, survey};
use crate::support::{Answer, Client, Database, GroupFixture, Line, Proxy, TestApp, answer};

async fn behind_a_proxy() -> (Proxy, TestApp, Client) {
    let database = Database::new();
    let proxy = Proxy::before(database.url()).await;
    let app = TestApp::start_at(database, proxy.url(), &[]).await;
    let client = app.client("anna@test.example", Role::User).await;
    (proxy, app, client)
}

fn unavailable(answer: Answer, codes: &[&str]) {
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert_eq!(answer.headers["retry-after"], "5");
    assert!(codes.iter().any(|code| answer.body["code"] == *code), "{}", answer.body);
    answer.refused(503);
}

/// Interval at which changes of others are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

const AWAY: &[&str] = &["database_unavailable"];
/// Codes for calls that have a connection, and for those that wait for one.
const SILENT: &[&str] = &["deadline_exceeded", "database_unavailable"];

fn number(database: &Database, sql: &str) -> i64 {
    diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("({sql})")))
        .get_result(&mut database.connect())
        .expect("the server answers")
}

/// Number of connections to the test's database, according to the server.
fn connections(database: &Database) -> i64 {
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    number(database, others)
}

#[actix_web::test]
async fn calls_to_a_silent_database_end_and_pile_up_no_connections() {
    let (proxy, app, client) = behind_a_proxy().await;
    client.get("/api/surveys/my").await.ok();
    proxy.becomes(Line::Silent);
    let visitor = app.visitor();
    let ready = async {
        let answer = visitor.get("/ready").await;
        assert_eq!(answer.body["message"], "the database does not answer");
        assert_eq!(answer.body["code"], "database_unavailable");
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
    proxy.becomes(Line::Open);
    client.get("/api/surveys/my").await.ok();
    let open = connections(&app.database);
    assert!(open <= 8, "{open} connections");
    app.stop().await;
}

#[actix_web::test]
async fn connections_that_stay_silent_are_replaced_by_ones_that_work() {
    const CALLS: usize = 8;
    let (proxy, app, client) = behind_a_proxy().await;
    let ask = async || futures_util::future::join_all((0..CALLS).map(|_| client.get("/api/surveys/my"))).await;
    for answer in ask().await {
        answer.ok();
    }
    proxy.becomes(Line::Stale);
    // One call finds out that a connection of the pool is silent, and no other call meets it.
    let silent = ask().await.into_iter().filter(|answer| answer.status == 503).count();
    assert!(silent > 0, "no call met a silent connection");
    for answer in ask().await {
        answer.ok();
    }
    app.visitor().get("/ready").await.ok();
    app.stop().await;
}

#[actix_web::test]
async fn calls_say_that_the_database_is_away_and_work_when_it_is_back() {
    let (proxy, app, client) = behind_a_proxy().await;
    client.get("/api/surveys/my").await.ok();
    proxy.becomes(Line::Cut);
    unavailable(client.get("/api/surveys/my").await, AWAY);
    unavailable(client.post("/api/auth/logout-everywhere", json!({})).await, AWAY);
    app.visitor().get("/ready").await.refused(503);
    proxy.becomes(Line::Open);
    client.get("/api/surveys/my").await.ok();
    app.visitor().get("/ready").await.ok();
    app.stop().await;
}

#[actix_web::test]
async fn a_change_that_waits_for_somebody_elses_lock_ends_and_can_be_repeated() {
    let app = TestApp::start(&[]).await;
    let fixture = GroupFixture::open(&app, 100).await;
    let (paused, stopped, new) = (fixture.survey(1).await, fixture.survey(1).await, fixture.survey(1).await);
    let (paused, stopped) = (fixture.start(paused, 1).await, fixture.start(stopped, 1).await);
    let pause = format!("/api/simulations/{}/pause", paused["simulationId"].as_str().expect("an id"));
    let stop = format!("/api/simulations/{}/stop", stopped["simulationId"].as_str().expect("an id"));
    let start = format!("/api/simulations/survey/{new}/start");
    let group = format!("/api/groups/{}", fixture.group_id);
    let (author, owner) = (&fixture.author, &fixture.owner);
    let change = async || {
        tokio::join!(
            author.post(&pause, json!({})),
            author.post(&stop, json!({})),
            author.post(&start, json!({"personaCount": 1})),
            owner.patch(&group, json!({"group_name": "Laboratory"})),
        )
    };
    let mut other = app.database.connect();
    diesel::sql_query("BEGIN").execute(&mut other).expect("a transaction");
    diesel::sql_query("SELECT 1 FROM simulations, group_members, groups FOR UPDATE")
        .execute(&mut other)
        .expect("locks");
    let (paused, stopped, started, renamed) = change().await;
    for answer in [paused, stopped, started, renamed] {
        unavailable(answer, AWAY);
    }
    diesel::sql_query("ROLLBACK").execute(&mut other).expect("it ends");
    let (paused, stopped, started, renamed) = change().await;
    assert_eq!(paused.ok()["status"], "PAUSED");
    assert_eq!(stopped.ok()["status"], "STOPPED");
    assert_eq!(started.ok()["status"], "QUEUED");
    renamed.ok();
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

/// Id of the only worker's present session.
async fn worker_id(fixture: &EngineFixture) -> Uuid {
    let connection = &mut *fixture.pool.get().await.expect("a connection");
    let ids: Vec<Uuid> =
        diesel_async::RunQueryDsl::load(workers::table.select(workers::id), connection).await.expect("an answer");
    assert_eq!(ids.len(), 1, "{ids:?}");
    ids[0]
}

#[tokio::test]
async fn a_worker_renews_its_share_in_one_round_trip() {
    let database = Database::new();
    let proxy = Proxy::before(database.url()).await;
    let mut session = db::session(proxy.url()).await.expect("a session");
    let renewal = Renewal {
        id: Uuid::new_v4(),
        process: Uuid::new_v4(),
        name: "test".to_owned(),
        servers: vec![ServerUse { name: "default".to_owned(), busy: true, ..ServerUse::default() }],
        in_flight: json!({}),
        lease: Duration::from_secs(6),
    };
    // The first one prepares the statement.
    for _ in 0..2 {
        shares::renew(&mut session, &renewal).await.expect("a renewal");
    }
    let before = proxy.packets();
    let renewed = shares::renew(&mut session, &renewal).await.expect("a renewal");
    let own = &renewed.servers[0];
    assert_eq!((own.share(), own.wants_more, proxy.packets() - before), (1.0, false, 2));
}

#[actix_web::test]
#[ignore = "slow: each statement takes half a second"]
async fn a_worker_goes_on_over_a_slow_line() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(6).await;
    let proxy = Proxy::before(fixture.database.url()).await;
    proxy.becomes(Line::Slow(Duration::from_millis(250)));
    let engine = fixture.engine_at(proxy.url(), &stub, 4).await;
    let worker = worker_id(&fixture).await;
    let id = fixture.start(&survey(4), PersonaChoice::Random(6), |parameters| parameters.questions_per_call = 1).await;
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 24), "{run:#?}");
    assert_eq!(worker_id(&fixture).await, worker, "its session never broke");
    proxy.becomes(Line::Open);
    engine.shut_down().await;
    fixture.sound_and_paid(24).await;
}

#[actix_web::test]
async fn a_worker_that_the_database_falls_silent_to_goes_on_and_leaks_no_connection() {
    let stub = ModelServer::start(Faults::default().latency_ms(100));
    let fixture = EngineFixture::new(40).await;
    let proxy = Proxy::before(fixture.database.url()).await;
    let engine = fixture.engine_at(proxy.url(), &stub, 4).await;
    let one_a_call = |parameters: &mut Parameters| parameters.questions_per_call = 1;
    let worker = worker_id(&fixture).await;
    let id = fixture.start(&survey(10), PersonaChoice::Random(40), one_a_call).await;
    stub.reached(40).await;
    proxy.becomes(Line::Silent);
    // Two seconds after its lease, its last renewal was abandoned long ago.
    fixture
        .until_found("SELECT count(*) AS number FROM workers WHERE lease_until < clock_timestamp() - interval '2 s'")
        .await;
    let connections = proxy.connections();
    while proxy.connections() == connections {
        let sessions = fixture.engine_sessions().await;
        assert!(sessions <= ENGINE_CONNECTIONS + 1, "{sessions} sessions");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    proxy.becomes(Line::Open);
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 400), "{run:#?}");
    assert_ne!(worker_id(&fixture).await, worker, "it opened another session");
    // Each session of a worker has one lock, and waits for none.
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    assert_eq!(number(&fixture.database, locks), 1);
    engine.shut_down().await;
    fixture.sound_and_paid(400).await;
}

#[actix_web::test]
async fn a_run_goes_on_over_new_connections_where_the_old_ones_stay_silent() {
    let stub = ModelServer::start(Faults::default().latency_ms(200));
    let fixture = EngineFixture::new(20).await;
    let proxy = Proxy::before(fixture.database.url()).await;
    let timings = Timings { settle_timeout: Duration::from_secs(3), ..Timings::default() };
    let engine = fixture.engine_with_database(proxy.url(), &stub, timings, 4).await;
    let worker = worker_id(&fixture).await;
    let one_a_call = |parameters: &mut Parameters| parameters.questions_per_call = 1;
    let id = fixture.start(&survey(5), PersonaChoice::Random(20), one_a_call).await;
    // Answers are stored, so the settlers, which use libpq, have connections.
    fixture.until(id, |run| run.successful_requests >= 10).await;
    proxy.becomes(Line::Stale);
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, 100), "{run:#?}");
    assert_ne!(worker_id(&fixture).await, worker, "it opened another session");
    engine.shut_down().await;
    fixture.sound_and_paid(100).await;
}

#[tokio::test]
async fn the_daily_erasure_does_not_wait_for_ever() {
    let database = Database::new();
    let proxy = Proxy::before(database.url()).await;
    let short = |app: &mut App| app.erase_timeout = Duration::from_millis(500);
    let app = TestApp::start_with(database, proxy.url(), &[], short).await;
    background::erase(&app.app).await.expect("it is done");
    proxy.becomes(Line::Silent);
    background::erase(&app.app).await.expect_err("the database is silent");
    proxy.becomes(Line::Open);
    background::erase(&app.app).await.expect("it is done");
    app.stop().await;
}
