//! Pausing, resuming, stopping, retrying and recounting over the API, without a worker.

use serde_json::{Value, json};
use twinlab::models::simulations::control;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun, SIMULATION_ID};
use crate::support::{GroupFixture, with_app};

#[tokio::test]
async fn a_run_is_paused_resumed_and_stopped_and_gives_its_credits_back() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(2).await;
        let run = fixture.start(survey, 5).await["simulationId"].as_str().expect("an id").to_owned();
        let act =
            async |action: &str| fixture.author.post(&format!("/api/simulations/{run}/{action}"), json!({})).await;
        assert_eq!(act("resume").await.refused(409), "A simulation that is QUEUED cannot be resumed");
        assert_eq!(act("pause").await.ok()["status"], "PAUSED");
        assert_eq!(fixture.author.get(&format!("/api/simulations/{run}/progress")).await.ok()["status"], "PAUSED");
        let execute = format!("/api/simulations/execute/{run}");
        fixture.author.post(&execute, json!({})).await.refused(409);
        // The owner of the group controls its members' runs.
        let of_survey = format!("/api/simulations/survey/{survey}");
        assert_eq!(fixture.owner.post(&format!("{of_survey}/resume"), json!({})).await.ok()["status"], "QUEUED");
        assert_eq!(fixture.author.post(&execute, json!({})).await.ok()["status"], "QUEUED");
        assert_eq!(fixture.budget().await, (100, 10));
        assert_eq!(fixture.author.post(&format!("{of_survey}/stop"), json!({})).await.ok()["status"], "STOPPED");
        assert_eq!(fixture.budget().await, (100, 0));
        act("stop").await.refused(409);
        let retry = fixture.author.post(&format!("/api/simulations/retry-failed/{run}"), json!({})).await.refused(409);
        assert_eq!(retry, "Simulation has no failed requests");
    })
    .await;
}

/// A first pass in which the model server refused a request is no first attempt at which all succeeded.
#[tokio::test]
async fn a_run_keeps_the_message_of_refused_requests_over_a_resume_and_its_progress_does_not() {
    for planted in [PlantedRun::Failed, PlantedRun::Running] {
        with_app(async |app| {
            sample::plant(&mut *app.connection().await, planted).await;
            let author = app.client("user@test.example", Role::User).await;
            let id = SIMULATION_ID;
            if matches!(planted, PlantedRun::Failed) {
                author.post(&format!("/api/simulations/retry-failed/{id}"), json!({})).await.ok();
            }
            for (code, message, told) in [
                (control::MEMBER_SUSPENDED, "The member is suspended", matches!(planted, PlantedRun::Failed)),
                ("unauthorized", "Incorrect API key", true),
            ] {
                let conn = &mut *app.connection().await;
                control::pause_because(conn, sample::SIMULATION, code, message).await.expect("it pauses");
                app.app.progress.forget(sample::SIMULATION);
                let progress = format!("/api/simulations/{id}/refresh-status");
                assert_eq!(author.get(&progress).await.ok()["errorMessage"], message);
                let resumed = author.post(&format!("/api/simulations/{id}/resume"), json!({})).await.ok();
                assert_eq!(resumed["status"], "QUEUED");
                assert_eq!(resumed["errorMessage"], if told { json!(message) } else { json!(null) });
                assert_eq!(author.get(&progress).await.ok()["errorMessage"], json!(null));
            }
        })
        .await;
    }
}

#[tokio::test]
async fn what_failed_is_asked_again_once_for_a_key_and_holds_as_many_credits() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
        let author = app.client("user@test.example", Role::User).await.with_header("idempotency-key", "again");
        let path = format!("/api/simulations/retry-failed/{SIMULATION_ID}");
        author.post(&path, json!({"surveyId": 99})).await.refused(404);
        let first = author.post(&path, json!({"surveyId": 1})).await.ok();
        assert_eq!((&first["status"], &first["attempt"]), (&json!("QUEUED"), &json!(2)));
        assert_eq!(author.post(&path, json!({"surveyId": 1})).await.ok(), first);
        let held = "SELECT held AS number FROM group_members WHERE budget > 0";
        assert_eq!(sample::number(&mut *app.connection().await, held).await, 10);
        assert_eq!(author.get(&format!("/api/simulations/{SIMULATION_ID}/failures")).await.ok(), json!([]));
    })
    .await;
}

#[tokio::test]
async fn counters_that_do_not_agree_with_the_answers_are_recounted() {
    with_app(async |app| {
        let mut conn = app.connection().await;
        sample::plant(&mut conn, PlantedRun::Running).await;
        let author = app.client("user@test.example", Role::User).await;
        let wrong = "UPDATE simulations SET successful_requests = 3";
        let path = format!("/api/simulations/{SIMULATION_ID}");
        let counted = |progress: &Value| progress["successfulRequests"].as_i64();

        sample::run(&mut conn, wrong).await;
        assert_eq!(counted(&author.get(&format!("{path}/refresh-status")).await.ok()), Some(17));
        sample::run(&mut conn, wrong).await;
        let all = author.post("/api/simulations/check-all-statuses", json!({})).await.ok();
        assert_eq!((counted(&all[0]), all.as_array().map(Vec::len)), (Some(17), Some(1)));
        author.post(&format!("{path}/reset-counters"), json!({})).await.refused(409);
        author.post(&format!("{path}/pause"), json!({})).await.ok();
        sample::run(&mut conn, wrong).await;
        assert_eq!(counted(&author.post(&format!("{path}/reset-counters"), json!({})).await.ok()), Some(17));
    })
    .await;
}
