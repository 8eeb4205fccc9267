//! Progress of a run, as clients see it.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use twinlab::models::model_servers;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{GroupFixture, with_app};

/// Addresses that show the progress of the planted run.
const WATCHED: [&str; 4] = [
    "7a6b5c4d-0000-4000-8000-000000000007",
    "7a6b5c4d-0000-4000-8000-000000000007/live-progress",
    "7a6b5c4d-0000-4000-8000-000000000007/refresh-status",
    "survey/1/live-progress",
];

#[tokio::test]
async fn progress_tells_the_counts_the_state_and_the_same_again_for_debugging() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let author = app.client("user@test.example", Role::User).await;
        let mut answer = author.get(&format!("/api/simulations/{SIMULATION_ID}/progress")).await.ok();
        for time in ["startedAt", "updatedAt"] {
            assert!(answer[time].is_string(), "{answer}");
            answer[time] = json!("then");
        }
        assert_eq!(
            answer,
            json!({
                "simulationId": SIMULATION_ID,
                "simulationStatus": "FAILED",
                "status": "FAILED",
                "totalRequests": 27,
                "successfulRequests": 17,
                "failedRequests": 10,
                "skippedRequests": 0,
                "inFlight": 0,
                "progressPercentage": 100.0,
                "requestsPerSecond": null,
                "etaSeconds": null,
                "startedAt": "then",
                "updatedAt": "then",
                "errorMessage": null,
                "waitingReason": null,
                "waitingUntil": null,
                "batchProgress": null,
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
            assert_eq!(author.get(&format!("/api/{path}")).await.ok()["debug"], answer["debug"], "{path}");
        }
        let status = author.get("/api/surveys/1/simulation-status").await.ok();
        assert_eq!((&status["simulation_status"], &status["progress"]["debug"]), (&json!("FAILED"), &answer["debug"]));
        let causes = author.get(&format!("/api/simulations/{SIMULATION_ID}/failures")).await.ok();
        assert_eq!(causes, json!([{"code": "refused", "message": "=the model refused", "count": 10, "personas": 2}]));
    })
    .await;
}

/// Tests that the message of a finished pass disappears while its failed requests are asked again.
#[tokio::test]
async fn a_message_about_failed_requests_goes_while_they_are_asked_again() {
    with_app(async |app| {
        let connection = &mut *app.connection().await;
        sample::plant(connection, PlantedRun::Failed).await;
        let message = "UPDATE simulations SET error_code = 'refused', error_message = '10 of 27 requests failed'";
        sample::run(connection, message).await;
        let author = app.client("user@test.example", Role::User).await;
        let path = format!("/api/simulations/{SIMULATION_ID}/progress");
        assert_eq!(author.get(&path).await.ok()["errorMessage"], "10 of 27 requests failed");
        author.post(&format!("/api/simulations/retry-failed/{SIMULATION_ID}"), json!({})).await.ok();
        let asked_again = author.get(&path).await.ok();
        assert_eq!((&asked_again["failedRequests"], &asked_again["errorMessage"]), (&json!(0), &json!(null)));
        author.post(&format!("/api/simulations/{SIMULATION_ID}/pause"), json!({})).await.ok();
        sample::run(connection, "UPDATE simulations SET error_code = 'denied', error_message = 'Incorrect API key'")
            .await;
        let reason = author.get(&format!("/api/simulations/{SIMULATION_ID}")).await.ok();
        assert_eq!((&reason["status"], &reason["errorMessage"]), (&json!("PAUSED"), &json!("Incorrect API key")));
    })
    .await;
}

#[tokio::test]
async fn a_run_that_waits_for_the_model_server_says_until_when_and_why() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Running).await;
        let author = app.client("user@test.example", Role::User).await;
        let until = Utc::now() + TimeDelta::seconds(30);
        model_servers::block(&mut *app.connection().await, "default", until, "the model server is down: refused")
            .await
            .expect("a block");
        for path in WATCHED {
            let answer = author.get(&format!("/api/simulations/{path}")).await.ok();
            let waiting_until: DateTime<Utc> = answer["waitingUntil"].as_str().expect(path).parse().expect("a time");
            assert_eq!(waiting_until.timestamp_micros(), until.timestamp_micros(), "{path}");
            assert_eq!(answer["waitingReason"], "the model server is down: refused", "{path}");
        }
        model_servers::unblock(&mut *app.connection().await, "default").await.expect("no block");
        // The progress may be a quarter of a second old; this is read anew.
        let answer = author.get(&format!("/api/simulations/{SIMULATION_ID}")).await.ok();
        assert_eq!((&answer["waitingUntil"], &answer["waitingReason"]), (&json!(null), &json!(null)));
    })
    .await;
}

#[tokio::test]
async fn a_queued_run_without_a_worker_says_so() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let run = fixture.start(survey, 2).await;
        let path = format!("/api/simulations/{}", run["simulationId"].as_str().expect("an id"));
        let answer = fixture.author.get(&path).await.ok();
        assert_eq!((&answer["waitingUntil"], &answer["waitingReason"]), (&json!(null), &json!("no worker is running")));
        let live = fixture.author.get(&format!("{path}/live-progress")).await.ok();
        assert_eq!((&live["status"], &live["waitingReason"]), (&json!("QUEUED"), &json!("no worker is running")));
        sample::run(
            &mut *app.connection().await,
            "INSERT INTO workers (id, process, name, lease_until)
             VALUES (gen_random_uuid(), gen_random_uuid(), 'one', now() + interval '1 hour')",
        )
        .await;
        assert_eq!(fixture.author.get(&path).await.ok()["waitingReason"], json!(null));
    })
    .await;
}

#[tokio::test]
async fn what_a_client_reports_is_checked_and_changes_nothing() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Running).await;
        let author = app.client("user@test.example", Role::User).await;
        let path = format!("/api/simulations/{SIMULATION_ID}/update-progress");
        let answer = author.post(&path, json!({"progressPercentage": 99})).await.ok();
        assert_eq!((&answer["progressPercentage"], &answer["status"]), (&json!(62.9), &json!("RUNNING")));
        // The last one is the next number after 100.
        for refused in [100.1, -1.0, 100.00000000000001] {
            let message = author.post(&path, json!({"progressPercentage": refused})).await.refused(400);
            assert_eq!(message, "progressPercentage must be between 0 and 100");
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
        // One user starts the run, and the other watches it as soon as the survey is public.
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
