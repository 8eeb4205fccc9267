//! Lists of runs, and the queue.

use serde_json::{Value, json};

use crate::support::{Client, GroupFixture, TWINS, with_app};

async fn ids(client: &Client, query: &str) -> Vec<String> {
    let runs = client.get(&format!("/api/simulations{query}")).await.ok();
    let id = |run: &Value| run["simulationId"].as_str().expect("an id").to_owned();
    runs.as_array().expect("a list").iter().map(id).collect()
}

#[tokio::test]
async fn runs_are_listed_newest_first_by_survey_by_state_and_by_group_for_its_owner() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let surveys = [fixture.survey(1).await, fixture.survey(1).await];
        let mut runs = Vec::new();
        for survey in surveys {
            let run = fixture.start(survey, 1).await;
            runs.push(run["simulationId"].as_str().expect("an id").to_owned());
        }
        let newest: Vec<String> = runs.iter().rev().cloned().collect();
        assert_eq!(ids(&fixture.author, "").await, newest);
        assert_eq!(ids(&fixture.author, "?limit=1&offset=1").await, runs[..1]);
        assert_eq!(ids(&fixture.author, &format!("?surveyId={}", surveys[0])).await, runs[..1]);
        fixture.author.post(&format!("/api/simulations/{}/pause", runs[0]), json!({})).await.ok();
        assert_eq!(ids(&fixture.author, "?status=PAUSED").await, runs[..1]);
        fixture.author.get("/api/simulations?status=paused").await.refused(400);

        let group = format!("?groupId={}", fixture.group_id);
        assert!(ids(&fixture.owner, "").await.is_empty());
        assert_eq!(ids(&fixture.owner, &group).await, newest);
        assert!(ids(&fixture.member, &group).await.is_empty());
        assert_eq!(ids(&app.super_admin().await, "").await, newest);
        let history = fixture.owner.get(&format!("/api/surveys/{}/simulation-history", surveys[1])).await.ok();
        assert_eq!(history[0]["simulationId"], *runs[1]);
    })
    .await;
}

#[tokio::test]
async fn a_run_has_a_name_and_a_note_that_its_lists_show() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let run = fixture.start(survey, 1).await;
        assert_eq!((&run["name"], &run["note"]), (&Value::Null, &Value::Null));
        let call = format!("/api/simulations/{}", run["simulationId"].as_str().expect("an id"));
        let named = fixture.author.patch(&call, json!({"name": " Pilot ", "note": "Asks for last week"})).await.ok();
        assert_eq!((&named["name"], &named["note"]), (&json!("Pilot"), &json!("Asks for last week")));
        // A missing field stays as it is, and an empty text removes it.
        let named = fixture.owner.patch(&call, json!({"note": ""})).await.ok();
        assert_eq!((&named["name"], &named["note"]), (&json!("Pilot"), &Value::Null));
        for list in ["/api/simulations".to_owned(), format!("/api/surveys/{survey}/simulation-history")] {
            assert_eq!(fixture.author.get(&list).await.ok()[0]["name"], "Pilot");
        }
        let shown = fixture.author.get(&call).await.ok();
        assert_eq!((&shown["name"], &shown["groupName"]), (&json!("Pilot"), &shown["group"]["group_name"]));
        let too_long = fixture.author.patch(&call, json!({"name": "x".repeat(121)})).await.refused(400);
        assert_eq!(too_long, "name: has 121 characters, 120 is the most");
        fixture.author.post(&format!("{call}/stop"), json!({})).await.ok();

        let start = format!("/api/simulations/survey/{survey}/start");
        let again = fixture.author.post(&start, json!({"personaCount": 1, "name": "Second", "note": "n"})).await.ok();
        assert_eq!((&again["name"], &again["note"]), (&json!("Second"), &json!("n")));
        fixture.author.post(&start, json!({"personaCount": 1, "note": "n".repeat(2001)})).await.refused(400);
    })
    .await;
}

#[tokio::test]
async fn twins_can_be_chosen_from_and_the_queue_shows_what_waits() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let twins = fixture.author.get("/api/simulations/personas/available?limit=2&offset=3").await;
        assert_eq!(twins.headers["x-total-count"], TWINS.to_string().as_str());
        assert_eq!(twins.ok()[1], json!({"id": 5, "name": "Twin 5", "description": ""}));

        let root = app.super_admin().await;
        let idle = root.get("/api/simulations/queue/status").await.ok();
        assert_eq!((&idle["queued"], &idle["oldestSeconds"]), (&json!(0), &Value::Null));
        fixture.start(fixture.survey(1).await, 3).await;
        let status = root.get("/api/simulations/queue/status").await.ok();
        assert_eq!((&status["queued"], &status["running"]), (&json!(3), &json!(0)));
        assert!(status["oldestSeconds"].is_i64(), "{status}");
        assert_eq!((&status["workers"], &status["modelServer"]["demoModel"]), (&json!([]), &json!(true)));
        root.post("/api/simulations/queue/trigger", json!({})).await.ok();
    })
    .await;
}
