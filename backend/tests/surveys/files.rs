//! Surveys as files, and copies.

use serde_json::{Value, json};

use crate::support::sample;
use crate::support::{GroupFixture, with_app};

/// The questions without their ids and their survey's id.
fn content(survey: &Value) -> Vec<Value> {
    let mut questions = survey["questions"].as_array().expect("questions").clone();
    for question in &mut questions {
        let question = question.as_object_mut().expect("an object");
        question.remove("id");
        question.remove("surveyId");
    }
    questions
}

#[tokio::test]
async fn an_exported_survey_is_imported_as_it_was() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let target = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let file: Value = serde_json::from_slice(&sample::survey()).expect("a survey");
        let first = fixture.author.post(&target, file).await.ok();
        assert_eq!(content(&first).len(), 9);
        let exported = fixture.author.get(&format!("/api/surveys/{}/export", first["id"])).await;
        let name = format!("attachment; filename=\"survey-{}.json\"", first["id"]);
        assert_eq!(exported.headers["content-disposition"], name.as_str());
        let second = fixture.author.post(&target, exported.ok()).await.ok();
        assert_ne!(first["id"], second["id"]);
        assert_eq!((content(&first), &first["title"]), (content(&second), &second["title"]));
    })
    .await;
}

#[tokio::test]
async fn a_file_that_is_no_survey_is_refused_at_its_place() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let target = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let question = json!({"text": "Which?", "type": "SINGLE_CHOICE", "options": ["One", "One"]});
        for (file, expected) in [
            (json!({"title": "", "questions": []}), "title: is required"),
            (json!({"title": "Tea", "questions": {}}), "questions: must be a list"),
            (json!({"title": "Tea", "questions": [question]}), "question 1: options[1]: \"One\" is listed twice"),
        ] {
            assert_eq!(fixture.author.post(&target, file).await.refused(400), expected);
        }
        fixture.author.post("/api/surveys/import", json!({"title": "Tea"})).await.refused(400);
        assert_eq!(fixture.author.get("/api/surveys/my").await.ok(), json!([]));
    })
    .await;
}

#[tokio::test]
async fn a_copy_of_a_public_survey_is_the_copiers_own_private_and_open() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let id = fixture.survey(2).await;
        let path = format!("/api/surveys/{id}");
        fixture.author.patch(&path, json!({"visibility": "PUBLIC", "description": "Why?"})).await.ok();
        fixture.start(id, 3).await;
        let duplicate = format!("{path}/duplicate");
        assert_eq!(fixture.member.post(&duplicate, json!({"title": " "})).await.refused(400), "Title is required");
        let answer = fixture.member.post(&duplicate, json!({"title": " Tea (Copy) "})).await;
        assert_eq!(answer.status, 201);
        let answer = answer.ok();
        assert_eq!(answer["message"], "New survey: \"Tea (Copy)\"");
        let copy = &answer["duplicatedSurvey"];
        assert_eq!((&copy["visibility"], &copy["isLocked"]), (&json!("PRIVATE"), &json!(false)));
        let copy = fixture.member.get(&format!("/api/surveys/{}", copy["id"])).await.ok();
        assert_eq!(content(&copy), content(&fixture.author.get(&path).await.ok()));
        assert_eq!(copy["description"], "Why?");
        fixture.author.get(&format!("/api/surveys/{}", copy["id"])).await.refused(404);
    })
    .await;
}
