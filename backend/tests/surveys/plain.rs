//! Surveys without a design next to those with one: they behave as before there were designs.

use serde_json::json;

use crate::support::{GroupFixture, with_app};

/// Tests that braces are text in a plain survey, and that every twin pays for every question.
#[tokio::test]
async fn a_plain_survey_keeps_its_bytes_its_prompts_and_its_price() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let question = |name: &str, text: &str| {
            json!({ "name": name, "type": "SINGLE_CHOICE", "text": text, "required": true, "options": ["{{twin:Age}}", "No"] })
        };
        let written = json!({ "title": "Tea", "description": "", "questions": [
            question("first", "Is {{field:fee}} a fee, and \\{{ a brace?"),
            question("second", "You said {{answer:first}}?")] });
        let import = format!("/api/surveys/import?groupId={}", fixture.group_id);
        let id = fixture.author.post(&import, written.clone()).await.ok()["id"].as_i64().expect("an id");
        let design = fixture.author.get(&format!("/api/surveys/{id}/design")).await.ok();
        assert_eq!((&design["flow"], &design["tables"]), (&json!([]), &json!({})));
        let checked = fixture.author.post(&format!("/api/surveys/{id}/design/check"), json!({})).await.ok();
        assert_eq!(checked["requestsPerTwin"], json!(2));
        // An author who meant them as pipes is warned.
        let found = checked["findings"].as_array().expect("findings").iter();
        let found: Vec<&str> = found.filter_map(|finding| finding["pointer"].as_str()).collect();
        let places =
            ["/questions/0/text", "/questions/0/options/0", "/questions/1/text", "/questions/1/options/0"];
        assert_eq!(found, places, "{checked}");

        let file = fixture.author.get(&format!("/api/surveys/{id}/export")).await.ok();
        for field in ["flow", "tables", "import_report"] {
            assert!(file.get(field).is_none(), "{field}: {file}");
        }
        for (mine, theirs) in [(&written["questions"][0], &file["questions"][0]), (&written["questions"][1], &file["questions"][1])] {
            for (field, value) in mine.as_object().expect("a question") {
                assert_eq!(&theirs[field], value, "{field}");
            }
        }
        let preview = fixture.author.get(&format!("/api/surveys/{id}/preview?personaId=5")).await.ok();
        let prompts = preview["prompts"].as_array().expect("prompts");
        assert_eq!(prompts.len(), 1, "one call for all: {preview}");
        let user = prompts[0]["user"].as_str().expect("a prompt");
        for text in ["Is {{field:fee}} a fee, and \\{{ a brace?", "You said {{answer:first}}?", "{{twin:Age}}"] {
            assert!(user.contains(text), "{text}: {user}");
        }
        let run = fixture.start(id, 6).await;
        let progress = format!("/api/simulations/{}/progress", run["simulationId"].as_str().expect("a run"));
        let progress = fixture.author.get(&progress).await.ok();
        assert_eq!((&progress["totalRequests"], &progress["skippedRequests"]), (&json!(12), &json!(0)), "{progress}");
        let dealt = format!("/api/simulations/{}/assignments", run["simulationId"].as_str().expect("a run"));
        assert_eq!(fixture.author.get(&dealt).await.ok()["nodes"], json!([]));
    })
    .await;
}
