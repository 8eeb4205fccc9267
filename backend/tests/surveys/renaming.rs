//! Names of a survey that change everywhere at once.

use serde_json::{Value, json};

use crate::support::{GroupFixture, with_app};

/// A survey whose question, field and arm are read by another question and by the flow.
fn fees() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "fair", "type": "BOOLEAN", "text": "Is {{field:fee}} fair?" },
        { "name": "why", "type": "OPENENDED", "text": "You said {{answer:fair}}. Why?", "show_if": { "answer": "fair", "is": true } },
        { "name": "other", "type": "OPENENDED", "text": "Anything else?" },
      ], "flow": [
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "resort", "flow": [{ "set": { "fee": "a resort fee" } }] },
            { "arm": "service", "flow": [{ "set": { "fee": "a service fee" } }] }] },
        { "if": { "field": "fee_arm", "is": "resort" }, "then": [{ "block": "main", "questions": ["fair", "why", "other"] }] }] })
}

#[tokio::test]
async fn a_name_changes_everywhere_at_once_and_its_inverse_takes_it_back() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let group = fixture.group_id;
        let survey = fixture.author.post(&format!("/api/surveys/import?groupId={group}"), fees()).await.ok();
        let path = |end: &str| format!("/api/surveys/{}/{end}", survey["id"]);
        let file = async || fixture.author.get(&path("export")).await.ok();
        let before = file().await;
        let design = fixture.author.get(&path("design")).await.ok();

        let new = json!({ "kind": "question", "from": "fair", "to": "just", "expectedHash": design["hash"] });
        let renamed = fixture.author.post(&path("rename"), new.clone()).await.ok();
        assert_eq!(renamed["questions"][1]["text"], "You said {{answer:just}}. Why?");
        assert_eq!(renamed["design"]["flow"][1]["then"][0]["questions"], json!(["just", "why", "other"]));
        assert_eq!(fixture.author.get(&path("questions")).await.ok(), renamed["questions"]);
        assert_eq!(fixture.author.get(&path("design")).await.ok(), renamed["design"]);
        // The design is another one by now.
        assert_eq!(fixture.author.post(&path("rename"), new).await.refused(409), "The design was changed meanwhile");

        for (there, back) in [
            (
                json!({ "kind": "field", "from": "fee", "to": "cost" }),
                json!({ "kind": "field", "from": "cost", "to": "fee" }),
            ),
            (
                json!({ "kind": "arm", "random": "fee_arm", "from": "resort", "to": "hotel" }),
                json!({ "kind": "arm", "random": "fee_arm", "from": "hotel", "to": "resort" }),
            ),
            (
                json!({ "kind": "block", "questions": ["just", "why", "other"], "from": "main", "to": "dv" }),
                json!({ "kind": "block", "questions": ["just", "why", "other"], "from": "dv", "to": "main" }),
            ),
        ] {
            let known = file().await;
            fixture.author.post(&path("rename"), there.clone()).await.ok();
            assert_ne!(file().await, known, "{there}");
            fixture.author.post(&path("rename"), back).await.ok();
            assert_eq!(file().await, known, "{there}");
        }
        fixture.author.post(&path("rename"), json!({ "kind": "question", "from": "just", "to": "fair" })).await.ok();
        assert_eq!(file().await, before);
    })
    .await;
}

#[tokio::test]
async fn a_refused_name_changes_nothing() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let group = fixture.group_id;
        let survey = fixture.author.post(&format!("/api/surveys/import?groupId={group}"), fees()).await.ok();
        let path = |end: &str| format!("/api/surveys/{}/{end}", survey["id"]);
        let before = fixture.author.get(&path("export")).await.ok();
        let refused = async |new: Value, status| fixture.author.post(&path("rename"), new).await.refused(status);
        let taken = refused(json!({ "kind": "question", "from": "fair", "to": "WHY" }), 409).await;
        assert_eq!(taken, "to: question 2 is called “why” already");
        let unknown = refused(json!({ "kind": "field", "from": "tip", "to": "fee2" }), 400).await;
        assert_eq!(unknown, "from: there is no field “tip”");
        let nameless = refused(json!({ "kind": "field", "from": "fee", "to": "2" }), 400).await;
        assert!(nameless.starts_with("to: a name must be a letter"), "{nameless}");

        // The second question has no room for the longer name, so the first one is not renamed either.
        let questions = fixture.author.get(&path("questions")).await.ok();
        let text = format!("{{{{answer:fair}}}}{}", "x".repeat(10_000 - 15));
        let long = format!("/api/surveys/questions/{}", questions[2]["id"]);
        fixture.author.patch(&long, json!({ "text": text })).await.ok();
        let full = refused(json!({ "kind": "question", "from": "fair", "to": "fairness" }), 400).await;
        assert!(full.starts_with("questions[2].text"), "{full}");
        fixture.author.patch(&long, json!({ "text": "Anything else?" })).await.ok();
        assert_eq!(fixture.author.get(&path("export")).await.ok(), before);

        fixture.author.patch(&path("toggle-lock"), json!({})).await.ok();
        assert_eq!(refused(json!({ "kind": "field", "from": "fee", "to": "cost" }), 409).await, "Survey is locked");
    })
    .await;
}

#[tokio::test]
async fn several_questions_are_added_by_one_call_or_none() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 0).await;
        let id = fixture.survey(1).await;
        let path = format!("/api/surveys/{id}/questions");
        let bulk = format!("{path}/bulk");
        let ask = |text: &str| json!({ "text": text, "type": "TEXT_ENTRY" });
        let choice = |options: Value| json!({ "text": "Which?", "type": "SINGLE_CHOICE", "options": options });
        let mut taken = ask("Again?");
        taken["name"] = json!("Question_1");
        for (questions, message) in [
            (json!([ask("One?"), choice(json!(["a", " "]))]), "questions[1].options[1]: "),
            (json!([ask("One?"), taken]), "questions[1].name: question 1 of the survey is called Question_1 already"),
            (json!([]), "questions: name at least one"),
        ] {
            let refused = fixture.author.post(&bulk, json!({ "questions": questions })).await.refused(400);
            assert!(refused.starts_with(message), "{refused}");
        }
        assert_eq!(fixture.author.get(&path).await.ok().as_array().map(Vec::len), Some(1));
        let questions = json!([ask("One?"), ask("One?"), choice(json!(["a", "b"]))]);
        let added = fixture.author.post(&bulk, json!({ "questions": questions })).await.ok();
        let places: Vec<_> =
            added.as_array().expect("a list").iter().map(|one| (&one["order"], &one["name"])).collect();
        assert_eq!(json!(places), json!([[2, "One"], [3, "One_2"], [4, "Which"]]));
        let many: Vec<_> = (0..500).map(|_| ask("More?")).collect();
        fixture.author.post(&bulk, json!({ "questions": many })).await.refused(409);
    })
    .await;
}
