//! Personal access tokens, and signing out.

use reqwest::Method;
use serde_json::{Value, json};
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, TestApp, with_app};

/// The planted survey's author, and a client with a token of theirs for these scopes.
async fn script(app: &TestApp, scopes: &[&str]) -> (Client, Client, Value) {
    let author = app.client("user@test.example", Role::User).await;
    let token = author.post("/api/auth/tokens", json!({"name": " Notebook ", "scopes": scopes})).await.ok();
    let script = author.with_token(token["token"].as_str().expect("it is shown"));
    (author, script, token)
}

#[tokio::test]
async fn a_token_is_shown_once_and_works_until_it_is_deleted() {
    with_app(async |app| {
        let (author, script, created) = script(app, &["run", "read", "run"]).await;
        let token = created["token"].as_str().expect("it is shown");
        assert!(token.starts_with("twl_") && token.len() == 44, "{token}");
        assert_eq!(created["prefix"], token[..12]);
        assert_eq!((&created["name"], &created["scopes"]), (&json!("Notebook"), &json!(["read", "run"])));
        assert_eq!((&created["expiresAt"], &created["lastUsedAt"]), (&json!(null), &json!(null)));

        assert_eq!(script.get("/api/auth/profile").await.ok()["email"], "user@test.example");
        let listed = author.get("/api/auth/tokens").await.ok();
        assert!(listed[0]["lastUsedAt"].is_string() && listed[0].get("token").is_none(), "{listed}");
        let stored = "SELECT count(*) AS number FROM access_tokens WHERE encode(token_hash, 'escape') LIKE '%twl%'";
        assert_eq!(sample::number(&mut *app.connection().await, stored).await, 0);

        let other = app.client("other@test.example", Role::User).await;
        other.delete("/api/auth/tokens/1").await.refused(404);
        assert_eq!(author.delete("/api/auth/tokens/1").await.status, 204);
        script.get("/api/auth/profile").await.refused(401);
        author.with_token("twl_nobodys").get("/api/auth/profile").await.refused(401);
    })
    .await;
}

#[tokio::test]
async fn a_token_does_what_its_scope_allows_and_what_its_owner_may() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let study = "INSERT INTO studies (study_id) VALUES ('5f4e3d2c-0000-4000-8000-000000000005');
            INSERT INTO study_runs SELECT simulations.id, studies.id FROM simulations, studies;";
        sample::run(&mut *app.connection().await, study).await;
        let calls = [
            (Method::GET, "/api/surveys/my", None),
            (Method::POST, "/api/surveys", Some(json!({"title": "Tea", "groupId": 1}))),
            (Method::POST, "/api/simulations/check-all-statuses", None),
            (Method::POST, "/api/plan", Some(json!({"kind": "means", "d": 0.3, "alpha": 0.05, "power": 0.8}))),
            (Method::PATCH, "/api/studies/5f4e3d2c-0000-4000-8000-000000000005", Some(json!({"name": "Pilot"}))),
            (Method::PUT, "/api/auth/profile", Some(json!({"name": "Ada"}))),
            (Method::POST, "/api/auth/tokens", Some(json!({"name": "More", "scopes": ["manage"]}))),
            (Method::DELETE, "/api/auth/tokens/1", None),
        ];
        for (scope, allowed) in [("read", 1), ("run", 5), ("manage", 8)] {
            let (_, script, _) = script(app, &[scope]).await;
            for (at, (method, path, body)) in calls.iter().enumerate() {
                let answer = script.send(method.clone(), path, body.clone()).await;
                if at < allowed {
                    assert!(answer.status < 300, "{scope} {path}: {}", answer.body);
                } else {
                    assert_eq!((answer.status, &answer.body["code"]), (403, &json!("insufficient_scope")), "{path}");
                }
            }
            // The twins of this workspace cannot be validated; a caller who may not start runs gets that refusal first.
            let body = json!({"groupId": 1, "personaCount": 1});
            let validation = script.post("/api/personas/sets/1/validation", body).await;
            assert_eq!(validation.status, if scope == "read" { 403 } else { 409 }, "{scope}: {}", validation.body);
            // No scope exceeds its owner's rights.
            script.get("/api/access-requests").await.refused(403);
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_ends_when_it_expires_and_with_its_owner() {
    with_app(async |app| {
        let (author, script, _) = script(app, &["read"]).await;
        let expire = "UPDATE access_tokens SET expires_at = now() - interval '1 second'";
        sample::run(&mut *app.connection().await, expire).await;
        script.get("/api/auth/profile").await.refused(401);
        sample::run(&mut *app.connection().await, "UPDATE access_tokens SET expires_at = NULL").await;
        script.get("/api/auth/profile").await.ok();
        assert_eq!(author.delete("/api/auth/account").await.status, 204);
        script.get("/api/auth/profile").await.refused(401);
    })
    .await;
}

#[tokio::test]
async fn whoever_is_signed_out_is_told_so_before_anything_else_is_looked_at() {
    with_app(async |app| {
        let user = app.user("user@test.example", Role::User).await;
        let client = app.signed_in(&user);
        client.post("/api/auth/logout", Value::Null).await;
        for (path, body) in [
            ("/api/surveys/import", json!({"title": "Tea"})),
            ("/api/surveys/import?groupId=x", json!([])),
            ("/api/surveys", json!(7)),
            ("/api/simulations/survey/x/start", json!({})),
            ("/api/groups?limit=0", json!({})),
        ] {
            client.post(path, body).await.refused(401);
        }
        client.get("/api/groups?limit=0").await.refused(401);
    })
    .await;
}

#[tokio::test]
async fn what_is_no_token_is_refused_and_nobody_has_more_than_fifty() {
    with_app(async |app| {
        let author = app.client("user@test.example", Role::User).await;
        for (body, message) in [
            (json!({"name": " ", "scopes": ["read"]}), "name is required, with at most 100 characters"),
            (json!({"name": "a", "scopes": []}), "scopes must hold at least one of read, run and manage"),
            (
                json!({"name": "a", "scopes": ["read"], "expiresAt": "2001-01-01T00:00:00Z"}),
                "expiresAt must be in the future",
            ),
        ] {
            assert_eq!(author.post("/api/auth/tokens", body).await.refused(400), message);
        }
        let unknown = author.post("/api/auth/tokens", json!({"name": "a", "scopes": ["root"]})).await.refused(400);
        assert!(unknown.starts_with("scopes[0]: unknown variant"), "{unknown}");
        let many = "INSERT INTO access_tokens (user_id, name, prefix, token_hash, scopes)
            SELECT 1, 'a', 'twl_12345678', int4send(n), '{read}' FROM generate_series(1, 50) AS n";
        sample::run(&mut *app.connection().await, many).await;
        let refused = author.post("/api/auth/tokens", json!({"name": "a", "scopes": ["read"]})).await;
        assert_eq!((refused.status, &refused.body["code"]), (409, &json!("too_many_tokens")));
    })
    .await;
}

#[tokio::test]
async fn signing_out_ends_this_session_and_everywhere_all_of_them() {
    with_app(async |app| {
        let user = app.user("user@test.example", Role::User).await;
        let (here, there) = (app.signed_in(&user), app.signed_in(&user));
        let token = here.post("/api/auth/tokens", json!({"name": "a", "scopes": ["read"]})).await.ok();
        let script = here.with_token(token["token"].as_str().expect("it is shown"));

        assert_eq!(here.post("/api/auth/logout", Value::Null).await.status, 204);
        here.get("/api/auth/profile").await.refused(401);
        there.get("/api/auth/profile").await.ok();
        assert_eq!(there.post("/api/auth/logout-everywhere", Value::Null).await.status, 204);
        there.get("/api/auth/profile").await.refused(401);

        // A token with any scope can end itself.
        script.get("/api/auth/profile").await.ok();
        assert_eq!(script.post("/api/auth/logout", Value::Null).await.status, 204);
        script.get("/api/auth/profile").await.refused(401);
    })
    .await;
}
