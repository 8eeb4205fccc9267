//! Locked surveys.

use serde_json::json;

use crate::support::{GroupFixture, with_app};

const LOCKED: &str = "Survey is locked because it has simulations";

#[tokio::test]
async fn a_survey_that_has_run_keeps_its_words_and_questions() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let id = fixture.survey(2).await;
        let run = fixture.start(id, 3).await;
        let path = format!("/api/surveys/{id}");
        let survey = fixture.author.get(&path).await.ok();
        assert_eq!((&survey["isLocked"], &survey["simulation_status"]), (&json!(true), &json!("QUEUED")));
        assert_eq!(survey["simulationId"], run["simulationId"]);
        let question = survey["questions"][0]["id"].as_i64().expect("an id");
        let text = json!({"text": "Why?", "type": "TEXT_ENTRY"});
        let author = &fixture.author;
        assert_eq!(author.patch(&path, json!({"title": "Coffee"})).await.refused(409), LOCKED);
        assert_eq!(author.post(&format!("{path}/questions"), text.clone()).await.refused(409), LOCKED);
        assert_eq!(author.patch(&format!("/api/surveys/questions/{question}"), text).await.refused(409), LOCKED);
        assert_eq!(author.delete(&format!("/api/surveys/questions/{question}")).await.refused(409), LOCKED);
        let orders = json!({"questionOrders": [{"id": question, "order": 2}]});
        assert_eq!(author.patch(&format!("{path}/questions/order"), orders).await.refused(409), LOCKED);
        assert_eq!(author.patch(&format!("{path}/toggle-lock"), json!({})).await.refused(409), LOCKED);
        // Its visibility may still change.
        assert_eq!(author.patch(&path, json!({"visibility": "public"})).await.ok()["visibility"], "PUBLIC");
    })
    .await;
}

#[tokio::test]
async fn a_lock_by_hand_holds_until_it_is_taken_away() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let path = format!("/api/surveys/{}", fixture.survey(0).await);
        assert_eq!(fixture.author.patch(&format!("{path}/toggle-lock"), json!({})).await.ok()["isLocked"], true);
        let refused = fixture.author.patch(&path, json!({"title": "Coffee"})).await.refused(409);
        assert_eq!(refused, "Survey is locked");
        assert_eq!(fixture.author.patch(&format!("{path}/toggle-lock"), json!({})).await.ok()["isLocked"], false);
        let changed = fixture.author.patch(&path, json!({"title": "Coffee"})).await.ok();
        assert_eq!((&changed["title"], &changed["description"]), (&json!("Coffee"), &json!("")));
    })
    .await;
}

#[tokio::test]
async fn a_survey_is_deleted_once_no_run_of_it_is_active_and_its_runs_stay() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let id = fixture.survey(1).await;
        let run = fixture.start(id, 3).await["simulationId"].as_str().expect("an id").to_owned();
        let path = format!("/api/surveys/{id}");
        assert_eq!(fixture.author.delete(&path).await.refused(409), "Survey has an active simulation");
        fixture.author.post(&format!("/api/simulations/{run}/stop"), json!({})).await.ok();
        assert_eq!(fixture.author.delete(&path).await.status, 204);
        fixture.author.get(&path).await.refused(404);
        assert_eq!(fixture.author.get("/api/surveys/my").await.ok(), json!([]));
        let history = fixture.author.get("/api/simulations").await.ok();
        assert_eq!((&history[0]["simulationId"], &history[0]["surveyTitle"]), (&json!(run), &json!("Tea")));
        fixture.author.get(&format!("/api/simulations/{run}/progress")).await.ok();
    })
    .await;
}
