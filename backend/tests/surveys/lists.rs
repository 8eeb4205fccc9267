//! Creates and lists surveys.

use serde_json::{Value, json};

use crate::support::{Client, GroupFixture, with_app};

async fn titles(client: &Client, query: &str) -> Vec<String> {
    let listed = client.get(&format!("/api/surveys/my{query}")).await.ok();
    let title = |survey: &Value| survey["title"].as_str().expect("a title").to_owned();
    listed.as_array().expect("a list").iter().map(title).collect()
}

#[tokio::test]
async fn a_new_survey_is_private_and_stands_first_in_its_authors_list() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        fixture.survey(0).await;
        let new = json!({"title": "  Coffee ", "description": "Why?", "groupId": fixture.group_id});
        let created = fixture.author.post("/api/surveys", new).await;
        assert_eq!(created.status, 201);
        let created = created.ok();
        assert_eq!(created["title"], "Coffee");
        assert_eq!(created["visibility"], "PRIVATE");
        assert_eq!(created["group"]["group_name"], "Workshop");
        assert_eq!((&created["isLocked"], &created["simulation_status"]), (&json!(false), &Value::Null));
        assert_eq!(titles(&fixture.author, "").await, ["Coffee", "Tea"]);
        assert_eq!(titles(&fixture.author, "?limit=1&offset=1").await, ["Tea"]);
        assert_eq!(fixture.author.get("/api/surveys/my?limit=1").await.headers["x-total-count"], "2");
        assert!(titles(&fixture.member, "").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_survey_needs_a_title_and_a_group_that_its_author_is_in() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let group = fixture.group_id;
        for refused in [
            json!({"title": " ", "groupId": group}),
            json!({"title": null, "groupId": group}),
            json!({"groupId": group}),
            json!({"title": "Tea"}),
        ] {
            let message = fixture.author.post("/api/surveys", refused).await.refused(400);
            assert_eq!(message, "Title and group are required");
        }
        for refused in [
            json!({"title": "x".repeat(501), "groupId": group}),
            json!({"title": "a\0b", "groupId": group}),
            json!({"title": "Tea", "groupId": group, "visibility": "SECRET"}),
            json!({"title": "Tea", "groupId": "1"}),
        ] {
            fixture.author.post("/api/surveys", refused).await.refused(400);
        }
        let tea = |group: i64| json!({"title": "Tea", "groupId": group});
        fixture.author.post("/api/surveys", tea(group + 1)).await.refused(404);
        fixture.owner.post("/api/surveys", tea(group)).await.ok();
        app.super_admin().await.post("/api/surveys", tea(group)).await.refused(403);
    })
    .await;
}

#[tokio::test]
async fn a_public_survey_is_read_by_the_members_of_its_group_and_changed_by_its_author_alone() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let id = fixture.survey(1).await;
        let path = format!("/api/surveys/{id}");
        fixture.member.get(&path).await.refused(404);
        let public = fixture.author.patch(&format!("{path}/toggle-visibility"), json!({})).await.ok();
        assert_eq!(public["visibility"], "PUBLIC");
        assert_eq!(fixture.member.get(&path).await.ok()["questions"][0]["text"], "Question 1?");
        fixture.member.patch(&path, json!({"title": "Mine"})).await.refused(403);
        assert!(titles(&fixture.member, "").await.is_empty());
        assert_eq!(titles(&fixture.member, "?shared=true").await, ["Tea"]);
        assert_eq!(titles(&fixture.owner, &format!("?shared=true&groupId={}", fixture.group_id)).await, ["Tea"]);
        let private = fixture.author.patch(&format!("{path}/toggle-visibility"), json!({})).await.ok();
        assert_eq!(private["visibility"], "PRIVATE");
        assert!(titles(&fixture.member, "?shared=true").await.is_empty());
        // The owner of the group still sees it.
        assert_eq!(titles(&fixture.owner, "?shared=true").await, ["Tea"]);
        assert_eq!(fixture.owner.get(&path).await.ok()["visibility"], "PRIVATE");
    })
    .await;
}
