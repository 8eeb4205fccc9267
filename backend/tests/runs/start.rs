//! Starts of runs: price, parameters and idempotency.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{GroupFixture, TWINS, sample, with_app, with_flags};

#[tokio::test]
async fn a_start_holds_its_credits_and_keeps_what_it_was_asked_for() {
    with_flags(&["--llm-models", "m-1"], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(2).await;
        // The id in the form of tokens.
        let asked = json!({"userId": fixture.author_id.to_string(), "personaCount": 5, "isRandomSelection": true,
            "model": "m-1", "temperature": 0.5, "seed": 7, "questionsPerCall": 1, "personaVariant": "summary", "shuffleOptions": true});
        let started = fixture.author.post(&format!("/api/simulations/survey/{survey}/start"), asked).await;
        assert_eq!(started.status, 201);
        let run = started.ok();
        assert_eq!((&run["status"], &run["totalRequests"]), (&json!("QUEUED"), &json!(10)));
        assert_eq!((&run["surveyTitle"], &run["demoModel"]), (&json!("Tea"), &json!(true)));
        assert_eq!(
            run["parameters"],
            json!({"model": "m-1", "temperature": 0.5, "seed": 7, "questionsPerCall": 1, "personaVariant": "summary",
                "shuffleOptions": true, "maxTextLength": 1000})
        );
        assert_eq!(fixture.budget().await, (100, 10));
    })
    .await;
}

#[tokio::test]
async fn a_list_of_twins_is_cut_to_the_count_and_counts_each_once() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let path = format!("/api/simulations/survey/{}/start", fixture.survey(1).await);
        let chosen = json!({"personaCount": 3, "selectedPersonaIds": [4, 4, 2, 9], "isRandomSelection": false});
        assert_eq!(fixture.author.post(&path, chosen).await.ok()["personaCount"], 2);
    })
    .await;
}

#[tokio::test]
async fn a_start_without_the_credits_says_how_many_are_missing_and_changes_nothing() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 9).await;
        let survey = fixture.survey(2).await;
        let path = format!("/api/simulations/survey/{survey}/start");
        let message = fixture.author.post(&path, json!({"personaCount": 5})).await.refused(402);
        assert_eq!(message, "Not enough credits: 10 needed, 9 available");
        assert_eq!(fixture.budget().await, (9, 0));
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        assert_eq!((&config["canSimulate"], &config["maxPersonas"]), (&json!(true), &json!(4)));
        assert_eq!((&config["totalPersonas"], &config["availableCredits"]), (&json!(TWINS), &json!(9)));
        assert_eq!(fixture.author.get(&format!("/api/surveys/{survey}")).await.ok()["isLocked"], false);
    })
    .await;
}

#[tokio::test]
async fn what_a_start_cannot_take_is_refused_by_name() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let path = format!("/api/simulations/survey/{}/start", fixture.survey(1).await);
        let deleted = "DELETE FROM personas WHERE id = 5";
        sample::run(&mut *app.connection().await, deleted).await;
        for (asked, expected) in [
            (json!({"selectedPersonaIds": [5]}), "Persona 5 was deleted"),
            (json!({}), "personaCount is required"),
            (json!({"personaCount": 0}), "personaCount must be at least 1"),
            (json!({"personaCount": TWINS}), "personaCount must be between 1 and 19"),
            (json!({"selectedPersonaIds": []}), "selectedPersonaIds: select at least one digital twin"),
            (json!({"selectedPersonaIds": [1, 21]}), "Persona id 21 does not exist: valid ids are 1 to 20"),
            (json!({"personaCount": 1, "temperature": 2.5}), "temperature must be between 0 and 2"),
            (json!({"personaCount": 1, "questionsPerCall": 0}), "questionsPerCall must be between 1 and 500"),
            (json!({"personaCount": 1, "model": " "}), "model takes 1 to 200 printable characters"),
        ] {
            assert_eq!(fixture.author.post(&path, asked).await.refused(400), expected);
        }
        for asked in [
            json!({"personaCount": i64::MAX}),
            json!({"personaCount": 1, "personaVariant": "long"}),
            json!({"personaCount": 1, "personaVariant": "full"}),
        ] {
            fixture.author.post(&path, asked).await.refused(400);
        }
        fixture.author.post(&path, json!({"personaCount": 1, "userId": 1})).await.refused(403);
        fixture.author.post(&path, json!({"personaCount": 1, "userId": "1"})).await.refused(403);
        assert_eq!(fixture.budget().await, (1_000, 0));
    })
    .await;
}

#[tokio::test]
async fn a_survey_has_one_active_run_and_needs_a_question() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let empty = fixture.survey(0).await;
        let path = format!("/api/simulations/survey/{empty}/start");
        let message = fixture.author.post(&path, json!({"personaCount": 1})).await.refused(409);
        assert_eq!(message, "Survey has no questions");
        let config = fixture.author.get(&format!("/api/surveys/{empty}/simulation-config")).await.ok();
        assert_eq!((&config["canSimulate"], &config["reason"]), (&json!(false), &json!("Survey has no questions")));

        let path = format!("/api/simulations/survey/{}/start", fixture.survey(1).await);
        let starts = join_all((0..8).map(|_| fixture.author.post(&path, json!({"personaCount": 2})))).await;
        let mut statuses: Vec<u16> = starts.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
        assert_eq!(fixture.budget().await, (100, 2));
    })
    .await;
}

#[tokio::test]
async fn a_start_that_is_sent_again_under_its_key_is_answered_the_same_and_done_once() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let path = format!("/api/simulations/survey/{}/start", fixture.survey(1).await);
        let author = fixture.author.with_header("idempotency-key", "a start");
        let starts = join_all((0..8).map(|_| author.post(&path, json!({"personaCount": 2})))).await;
        let answers: Vec<Value> = starts.into_iter().map(|answer| answer.ok()).collect();
        assert!(answers.iter().all(|answer| answer == &answers[0]), "{answers:#?}");
        assert_eq!(fixture.budget().await, (100, 2));
        author.post(&path, json!({"personaCount": 3})).await.refused(409);
    })
    .await;
}
