//! Keys of groups for model servers: they go in and never come out, and the runs that begin with one ask with it.

use std::fs::File;
use std::io::Read;
use std::time::Duration;

use diesel::ExpressionMethods;
use diesel_async::RunQueryDsl;
use model_server::{Faults, ModelServer};
use reqwest::Method;
use serde_json::{Value, json};
use simulation::key_owner::KeyOwner;
use simulation::row::Simulation;
use simulation::status::Status;
use twinlab::auth::key_vault::KeyVault;
use twinlab::config::Secret;
use twinlab::engine::Timings;
use twinlab::models::group_model_keys::{self, NewSealedKey};
use twinlab::models::model_servers::activity;
use twinlab::models::simulations::control;
use twinlab::models::simulations::start::PersonaChoice;
use twinlab::models::users::Role;
use twinlab::results::files::bundle;
use twinlab::schema::group_model_keys::{self as table_of, table};
use zip::ZipArchive;

use crate::support::engine_fixture::{EngineFixture, survey};
use crate::support::{GroupFixture, SECRET, sample, with_flags};

const TWINS: i32 = 12;
const INSTANCE: &str = "sk-of-the-instance";
const OF_GROUP: &str = "sk-of-the-group-1";
const NEXT: &str = "sk-of-the-group-2";

/// A server that takes this key alone.
fn taking(key: &str) -> Faults {
    Faults { key: Some(key.to_owned()), ..Faults::default() }
}

/// Sets the group's key for the server of the short form.
async fn set_key(fixture: &EngineFixture, secret: &str, key: &str) {
    let sealed = KeyVault::new(&Secret::new(secret)).seal(fixture.group_id, "default", &Secret::new(key));
    let new = NewSealedKey {
        group_id: fixture.group_id,
        server: "default",
        sealed,
        last_four: "up-1",
        set_by: fixture.owner_id,
    };
    new.put(&mut fixture.pool.get().await.expect("a connection")).await.expect("stored");
}

async fn remove_key(fixture: &EngineFixture) {
    let connection = &mut fixture.pool.get().await.expect("a connection");
    let removed = group_model_keys::remove(connection, fixture.group_id, "default", fixture.owner_id).await;
    assert!(removed.expect("an answer"));
}

async fn resume(fixture: &EngineFixture, id: i64) {
    control::resume(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("a paused run resumes");
}

async fn paused(fixture: &EngineFixture, id: i64) -> (String, String) {
    let run = fixture.until(id, |run| run.status == Status::Paused || run.status.is_over()).await;
    assert_eq!(run.status, Status::Paused, "{run:#?}");
    (run.error_code.expect("a code"), run.error_message.expect("a reason"))
}

fn owner(run: &Simulation) -> KeyOwner {
    run.parameters().expect("parameters").key_owner
}

#[actix_web::test]
async fn a_run_asks_with_the_key_that_its_group_had_at_the_start_and_one_before_with_the_instances() {
    let stub = ModelServer::start(taking(INSTANCE));
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |model| model.api_key = Some(INSTANCE.to_owned())).await;
    let start = async || fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let run = fixture.ended(start().await).await;
    assert_eq!((run.status, owner(&run)), (Status::Completed, KeyOwner::Instance));
    assert!(run.parameters.get("keyOwner").is_none(), "{}", run.parameters);

    set_key(&fixture, SECRET, OF_GROUP).await;
    stub.set_faults(taking(OF_GROUP));
    let run = fixture.ended(start().await).await;
    assert_eq!((run.status, owner(&run), run.successful_requests), (Status::Completed, KeyOwner::Group, TWINS));
    engine.shut_down().await;
    fixture.sound_and_paid(2 * TWINS).await;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.zip");
    bundle::write(&fixture.pool, run.id, &path).await.expect("a bundle");
    let mut archive = ZipArchive::new(File::open(&path).expect("the bundle")).expect("a zip");
    let mut methods = String::new();
    archive.by_name("methods.md").expect("the methods").read_to_string(&mut methods).expect("text");
    assert!(methods.contains("Calls were made with the key of the group."), "{methods}");
}

#[actix_web::test]
async fn a_batch_is_submitted_read_and_cleared_with_the_key_of_the_group() {
    let stub = ModelServer::start(taking(OF_GROUP));
    let fixture = EngineFixture::new(TWINS).await;
    set_key(&fixture, SECRET, OF_GROUP).await;
    let timings = Timings { batch_interval: Duration::from_millis(30), ..Timings::default() };
    let engine = fixture.engine_with(&stub, timings, |model| model.api_key = Some(INSTANCE.to_owned())).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |run| run.batch = true).await;
    let run = fixture.ended(id).await;
    assert_eq!((run.status, owner(&run), run.successful_requests), (Status::Completed, KeyOwner::Group, TWINS));

    // Its batch is cancelled with that key, too.
    stub.hold();
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |run| run.batch = true).await;
    fixture
        .until_found(&format!(
            "SELECT count(*) AS number FROM simulation_batches WHERE simulation_id = {id} AND batch_id IS NOT NULL"
        ))
        .await;
    control::stop(&mut fixture.pool.get().await.expect("a connection"), id).await.expect("an active run stops");
    fixture
        .until_found(&format!(
            "SELECT count(*) AS number FROM simulation_batches WHERE simulation_id = {id} AND cancelled_at IS NOT NULL"
        ))
        .await;
    stub.release();
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn a_key_of_the_group_that_is_refused_pauses_its_runs_until_another_one_is_set() {
    let stub = ModelServer::start(taking(NEXT));
    let fixture = EngineFixture::new(TWINS).await;
    set_key(&fixture, SECRET, OF_GROUP).await;
    let engine = fixture.engine(&stub, |model| model.api_key = Some(NEXT.to_owned())).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let (code, reason) = paused(&fixture, id).await;
    assert_eq!(code, "denied");
    let asked = "(asked with the key of the group: set another one on the group's page, then resume the run)";
    assert!(reason.ends_with(asked), "{reason}");

    set_key(&fixture, SECRET, NEXT).await;
    resume(&fixture, id).await;
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, TWINS), "{run:#?}");
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn a_run_goes_on_with_the_key_that_takes_the_place_of_its_own_and_pauses_without_one() {
    let stub = ModelServer::start(taking(OF_GROUP));
    let fixture = EngineFixture::new(TWINS).await;
    set_key(&fixture, SECRET, OF_GROUP).await;
    let change = |model: &mut twinlab::config::ModelConfig| {
        (model.api_key, model.max_concurrency) = (Some(INSTANCE.to_owned()), 1);
        model.timeout = Duration::from_secs(60);
    };
    let engine = fixture.engine(&stub, change).await;
    stub.hold();
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let held = "SELECT (count(*) = 1)::int::bigint AS number FROM pgmq.q_interviews WHERE vt > clock_timestamp()";
    fixture.until_found("SELECT count(*) AS number FROM simulations WHERE status = 'RUNNING'").await;
    while stub.counters().calls == 0 {
        tokio::task::yield_now().await;
    }
    // All interviews but that of the call under way go back to the queue.
    set_key(&fixture, SECRET, NEXT).await;
    fixture.until_found(held).await;
    stub.set_faults(taking(NEXT));
    stub.release();
    let run = fixture.ended(id).await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, TWINS), "{run:#?}");

    stub.hold();
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    remove_key(&fixture).await;
    stub.release();
    let (code, reason) = paused(&fixture, id).await;
    assert_eq!(code, "model_key");
    assert!(reason.contains("that key was removed"), "{reason}");
    // The key of the instance is another one's money.
    resume(&fixture, id).await;
    assert_eq!(paused(&fixture, id).await.0, "model_key");
    set_key(&fixture, SECRET, NEXT).await;
    resume(&fixture, id).await;
    assert_eq!(fixture.ended(id).await.status, Status::Completed);
    engine.shut_down().await;
    fixture.sound_and_paid(2 * TWINS).await;
}

#[actix_web::test]
async fn a_key_that_was_stored_under_another_secret_pauses_its_runs_with_that_reason_and_no_others() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    set_key(&fixture, "the secret of last year, which nobody has any more", OF_GROUP).await;
    let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |_| ()).await;
    let (code, reason) = paused(&fixture, id).await;
    assert_eq!(code, "model_key");
    assert!(reason.contains("JWT_SECRET") && reason.contains("set the key again"), "{reason}");
    assert_eq!(stub.counters().calls, 0);
    set_key(&fixture, SECRET, OF_GROUP).await;
    resume(&fixture, id).await;
    assert_eq!(fixture.ended(id).await.status, Status::Completed);
    engine.shut_down().await;
    fixture.sound_and_paid(TWINS).await;
}

#[actix_web::test]
async fn money_is_summed_by_the_owner_of_the_key() {
    let stub = ModelServer::start(Faults::default());
    let fixture = EngineFixture::new(TWINS).await;
    let engine = fixture.engine(&stub, |_| ()).await;
    let price = json!({"currency": "USD", "prompt": 2_000_000, "cached": 1_000_000, "completion": 10_000_000});
    let start = async || {
        let price = serde_json::from_value(price.clone()).expect("a price");
        let id = fixture.start(&survey(1), PersonaChoice::Random(TWINS), |run| run.price = Some(price)).await;
        fixture.ended(id).await
    };
    start().await;
    set_key(&fixture, SECRET, OF_GROUP).await;
    start().await;
    let month = activity::this_month(&mut fixture.pool.get().await.expect("a connection"), "default").await;
    let money = month.expect("sums").money;
    let owners: Vec<KeyOwner> = money.iter().map(|sum| sum.key).collect();
    assert_eq!(owners, [KeyOwner::Instance, KeyOwner::Group]);
    assert_eq!(money[0].spent.to_string(), money[1].spent.to_string());
    engine.shut_down().await;
}

#[tokio::test]
async fn the_owner_of_a_group_sets_replaces_and_removes_a_key_that_no_call_shows() {
    let flags = ["--openai-base-url", "http://127.0.0.1:9/v1", "--openai-api-key", INSTANCE, "--llm-model", "m"];
    with_flags(&flags, async |app| {
        let fixture = GroupFixture::open(app, 10).await;
        let keys = format!("/api/groups/{}/model-keys", fixture.group_id);
        let key = format!("{keys}/default");
        let line = async || fixture.owner.get(&keys).await.ok()[0].take();
        let before = line().await;
        assert_eq!((&before["newRunsUse"], &before["lastFour"]), (&json!("instance"), &Value::Null));
        assert_eq!(before["models"], json!(["m"]));

        let put =
            async |key: &str, value: &str| fixture.owner.send(Method::PUT, key, Some(json!({"key": value}))).await;
        let set = put(&key, OF_GROUP).await.ok();
        assert_eq!((&set["newRunsUse"], &set["lastFour"]), (&json!("group"), &json!("up-1")));
        assert_eq!(set["setBy"], "owner@test.example");
        assert!(!set.to_string().contains("sk-of"), "{set}");
        put(&key, NEXT).await.ok();
        assert_eq!(line().await["lastFour"], "up-2");

        for (path, value, status) in [
            (key.as_str(), "short", 400),
            (&key, "sk-with a blank in it", 400),
            (&format!("{keys}/nobody"), OF_GROUP, 404),
        ] {
            let refused = put(path, value).await;
            assert!(!refused.body.to_string().contains(value), "{}", refused.body);
            refused.refused(status);
        }
        let shapeless = fixture.owner.send(Method::PUT, &key, Some(json!({"key": {"sk": OF_GROUP}}))).await;
        assert!(!shapeless.body.to_string().contains(OF_GROUP), "{}", shapeless.body);
        shapeless.refused(400);
        fixture.member.get(&keys).await.refused(403);

        let mut conn = app.connection().await;
        assert_eq!(line().await["mustBeSetAgain"], false);
        let other = KeyVault::new(&Secret::new("another secret that is as long as it takes"));
        let sealed = other.seal(fixture.group_id, "default", &Secret::new(NEXT));
        diesel::update(table).set(table_of::sealed.eq(sealed)).execute(&mut *conn).await.expect("changed");
        assert_eq!(line().await["mustBeSetAgain"], true);
        put(&key, NEXT).await.ok();
        assert_eq!(line().await["mustBeSetAgain"], false);

        let survey = fixture.survey(1).await;
        let run = fixture.start(survey, 2).await;
        assert_eq!(run["parameters"]["keyOwner"], "group");

        assert_eq!(fixture.owner.delete(&key).await.status, 204);
        fixture.owner.delete(&key).await.refused(404);
        assert_eq!(line().await["newRunsUse"], "instance");
        let audits = "SELECT count(*) AS number FROM audit_log WHERE action = 'model_key' AND detail ->> 'change' = ";
        for (change, times) in [("set", 1), ("replaced", 2), ("removed", 1)] {
            assert_eq!(sample::number(&mut conn, &format!("{audits}'{change}'")).await, times, "{change}");
        }
        let audited = "SELECT count(*) AS number FROM audit_log WHERE detail::text LIKE '%sk-of%'";
        assert_eq!(sample::number(&mut conn, audited).await, 0);
        put(&key, NEXT).await.ok();
        fixture
            .author
            .post(&format!("/api/simulations/{}/stop", run["simulationId"].as_str().expect("an id")), json!({}))
            .await
            .ok();
        let root = app.client("root@test.example", Role::SuperAdmin).await;
        assert_eq!(root.delete(&format!("/api/groups/{}", fixture.group_id)).await.status, 204);
        let left = "SELECT count(*) AS number FROM group_model_keys";
        assert_eq!(sample::number(&mut conn, left).await, 0, "a deleted group has no keys");
    })
    .await;
}
