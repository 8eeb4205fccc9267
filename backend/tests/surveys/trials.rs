//! One persona's answers before a survey is run.

use model_server::{Faults, ModelServer};
use serde_json::json;
use twinlab::engine::Timings;

use crate::support::engine_fixture::{engine, until};
use crate::support::{GroupFixture, sample, with_app};

#[actix_web::test]
async fn one_persona_is_asked_by_one_call_and_no_survey_stays() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 10).await;
        let survey = fixture.survey(2).await;
        let run = fixture.author.post(&format!("/api/surveys/{survey}/ask"), json!({ "personaId": 4 })).await.ok();
        assert_eq!((&run["surveyTitle"], &run["totalRequests"]), (&json!("Tea (one twin)"), &json!(2)));
        assert_eq!(fixture.budget().await, (10, 2));
        // A browser that goes away here leaves the run alone: the copy is in no list from the start.
        let surveys = fixture.author.get("/api/surveys/my").await.ok();
        let known: Vec<_> =
            surveys.as_array().expect("a list").iter().map(|one| (&one["id"], &one["isLocked"])).collect();
        assert_eq!(json!(known), json!([[survey, false]]));
        fixture.author.get(&format!("/api/surveys/{}", run["surveyId"])).await.refused(404);

        let stub = ModelServer::start(Faults::default());
        let engine = engine(app.database.url(), &stub, Timings::default(), |_| ()).await;
        until(&app.app.pool, run["id"].as_i64().expect("an id"), |run| run.completed_at.is_some()).await;
        engine.shut_down().await;
        let simulation = run["simulationId"].as_str().expect("an id");
        let matrix = format!("/api/surveys/{}/simulation/{simulation}/responses/matrix", run["surveyId"]);
        let answers = fixture.author.get(&matrix).await.ok();
        assert_eq!((&answers[0]["personaId"], answers.as_array().map(Vec::len)), (&json!(4), Some(1)));
        assert!(answers[0]["answers"].as_array().expect("answers").iter().all(|one| one["status"] == "answered"));
        assert_eq!(fixture.budget().await, (8, 0));
        let entries = fixture.author.get(&format!("/api/transactions/simulation/{simulation}")).await.ok();
        assert_eq!((&entries[0]["amount"], entries.as_array().map(Vec::len)), (&json!("2"), Some(1)));
    })
    .await;
}

#[tokio::test]
async fn a_trial_that_cannot_start_leaves_nothing() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1).await;
        let path = format!("/api/surveys/{}/ask", fixture.survey(2).await);
        let refused = fixture.author.post(&path, json!({ "personaId": 4 })).await.refused(402);
        assert_eq!(refused, "Not enough credits: 2 needed, 1 available");
        fixture.author.post(&path, json!({ "personaId": 400 })).await.refused(400);
        fixture.member.post(&path, json!({ "personaId": 4 })).await.refused(404);
        let copies = "SELECT count(*) AS number FROM surveys WHERE title LIKE '%(one twin)'";
        assert_eq!(sample::number(&mut *app.connection().await, copies).await, 0);
    })
    .await;
}
