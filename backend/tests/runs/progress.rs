//! How far a run is, as its watchers are told.

use serde_json::json;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{GroupFixture, with_app};

#[tokio::test]
async fn progress_tells_the_counts_the_state_and_the_same_again_for_debugging() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let author = app.client("user@test.example", Role::User).await;
        let mut told = author.get(&format!("/api/simulations/{SIMULATION_ID}/progress")).await.ok();
        for time in ["startedAt", "updatedAt"] {
            assert!(told[time].is_string(), "{told}");
            told[time] = json!("then");
        }
        assert_eq!(
            told,
            json!({
                "simulationId": SIMULATION_ID,
                "simulationStatus": "FAILED",
                "status": "FAILED",
                "totalRequests": 27,
                "successfulRequests": 17,
                "failedRequests": 10,
                "inFlight": 0,
                "progressPercentage": 100.0,
                "requestsPerSecond": null,
                "etaSeconds": null,
                "startedAt": "then",
                "updatedAt": "then",
                "errorMessage": null,
                "waitingUntil": null,
                "debug": {
                    "simulationStatus": "FAILED",
                    "surveyStatus": "FAILED",
                    "successfulRequests": 17,
                    "failedRequests": 10,
                    "totalRequests": 27,
                    "isComplete": true
                }
            })
        );
        for path in [
            &format!("simulations/{SIMULATION_ID}/live-progress"),
            &format!("simulations/{SIMULATION_ID}/refresh-status"),
            "simulations/survey/1/progress",
            "simulations/survey/1/live-progress",
            "simulations/survey/1/refresh-status",
        ] {
            assert_eq!(author.get(&format!("/api/{path}")).await.ok()["debug"], told["debug"], "{path}");
        }
        let status = author.get("/api/surveys/1/simulation-status").await.ok();
        assert_eq!((&status["simulation_status"], &status["progress"]["debug"]), (&json!("FAILED"), &told["debug"]));
        let causes = author.get(&format!("/api/simulations/{SIMULATION_ID}/failures")).await.ok();
        assert_eq!(causes, json!([{"code": "refused", "message": "=the model refused", "count": 10, "personas": 2}]));
    })
    .await;
}

#[tokio::test]
async fn what_a_client_reports_is_checked_and_changes_nothing() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Running).await;
        let author = app.client("user@test.example", Role::User).await;
        let path = format!("/api/simulations/{SIMULATION_ID}/update-progress");
        let told = author.post(&path, json!({"progressPercentage": 99})).await.ok();
        assert_eq!((&told["progressPercentage"], &told["status"]), (&json!(62.9), &json!("RUNNING")));
        // The last one is the number that follows 100.
        for refused in [100.1, -1.0, 100.00000000000001] {
            let told = author.post(&path, json!({"progressPercentage": refused})).await.refused(400);
            assert_eq!(told, "progressPercentage must be between 0 and 100");
        }
        author.post(&path, json!({"progressPercentage": "much"})).await.refused(400);
        author.post(&path, json!({})).await.refused(400);
    })
    .await;
}

#[tokio::test]
async fn a_survey_that_never_ran_has_no_progress() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        fixture.author.get(&format!("/api/simulations/survey/{survey}/progress")).await.refused(404);
        fixture.author.get("/api/simulations/nothing/progress").await.refused(400);
        let status = fixture.author.get(&format!("/api/surveys/{survey}/simulation-status")).await.ok();
        assert_eq!((&status["simulation_status"], &status["progress"]), (&json!(null), &json!(null)));
        // A run by the hand of the one, watched by the other as soon as the survey is public.
        fixture.start(survey, 2).await;
        let path = format!("/api/simulations/survey/{survey}/progress");
        fixture.member.get(&path).await.refused(404);
        fixture.author.patch(&format!("/api/surveys/{survey}/toggle-visibility"), json!({})).await.ok();
        assert_eq!(fixture.member.get(&path).await.ok()["status"], "QUEUED");
        fixture.author.patch(&format!("/api/surveys/{survey}/toggle-visibility"), json!({})).await.ok();
        fixture.member.get(&path).await.refused(404);
    })
    .await;
}
