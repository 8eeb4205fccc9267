//! A frozen plan cannot be changed.

use diesel_async::RunQueryDsl;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use twinlab::models::erasure;

use super::{drafted, fees, fields, import, plan, run_by};
use crate::support::{GroupFixture, sample, with_app};

#[actix_web::test]
async fn a_draft_that_somebody_else_saved_is_not_written_over_unseen() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, json!({"title": "Fees"})).await;
        let author = &fixture.author;
        let after = |seen: &Value| format!("{path}?expectedUpdatedAt={}", seen["updatedAt"].as_str().expect("a time"));
        let seen = author.get(&path).await.ok();
        let saved = author.put(&after(&seen), json!({"title": "Drip fees"})).await.ok();
        author.put(&after(&seen), json!({"title": "Resort fees"})).await.refused_with(409, "plan_changed");
        assert_eq!(author.get(&path).await.ok()["document"]["title"], "Drip fees");
        author.put(&after(&saved), json!({"title": "Resort fees"})).await.ok();
        // Scripts may save unasked.
        author.put(&path, json!({"title": "Fees"})).await.ok();
        let refused = author.put(&format!("{path}?expectedUpdatedAt=now"), json!({})).await.refused(400);
        assert!(refused.starts_with("expectedUpdatedAt"), "{refused}");
    })
    .await;
}

#[actix_web::test]
async fn a_frozen_plan_is_changed_by_nobody() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, json!({"title": "Fees"})).await;
        let author = &fixture.author;
        assert_eq!(author.get(&path).await.ok()["frozen"], json!(null));
        author.get(&format!("{path}/plan.md")).await.refused_with(409, "plan_not_frozen");
        let refused = author.post(&format!("{path}/freeze"), json!(null)).await.refused(400);
        assert!(refused.starts_with("primaryItems"), "{refused}");
        let mut unknown = plan(false);
        unknown["primaryItems"] = json!(["fair", "unfair"]);
        author.put(&path, unknown).await.ok();
        let refused = author.post(&format!("{path}/freeze"), json!(null)).await.refused(400);
        assert_eq!(refused, "primaryItems: the survey has no question unfair");
        // Only a matrix has rows.
        let mut row = plan(false);
        row["primaryItems"] = json!(["fair_1"]);
        author.put(&path, row).await.ok();
        let refused = author.post(&format!("{path}/freeze"), json!(null)).await.refused(400);
        assert_eq!(refused, "primaryItems: the survey has no question fair_1");
        let refused = author.put(&path, json!({"title": "x".repeat(501)})).await.refused(400);
        assert!(refused.starts_with("title"), "{refused}");
        author.put(&path, json!({"title": "Fees", "choices": []})).await.refused(400);
        author.put(&path, plan(false)).await.ok();

        let frozen = author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        assert_eq!((&frozen["document"]["title"], &frozen["isOwner"]), (&json!("Do fees seem fair?"), &json!(true)));
        assert_eq!(frozen["frozen"]["dataBefore"], json!({"answers": 0, "earlierRuns": 0, "seen": false}));
        assert_eq!(fields(&frozen), [""; 0]);
        let file = author.get(&format!("{path}/plan.json")).await;
        let hash: String = Sha256::digest(&file.bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(frozen["frozen"]["sha256"], json!(hash));
        let content = file.ok();
        assert_eq!(content["survey"]["questions"][0]["name"], "fair");
        assert_eq!(content["survey"]["design"]["flow"], fees()["flow"]);
        assert_eq!(content["plan"], frozen["document"]);
        let markdown = String::from_utf8(author.get(&format!("{path}/plan.md")).await.bytes).expect("UTF-8");
        for words in
            ["# Do fees seem fair?", &hash, "A resort fee seems less fair.", "`fair` (primary)", "None so far."]
        {
            assert!(markdown.contains(words), "{words} in {markdown}");
        }

        author.put(&path, plan(true)).await.refused_with(409, "plan_frozen");
        author.delete(&path).await.refused_with(409, "plan_frozen");
        author.post(&format!("{path}/freeze"), json!(null)).await.refused_with(409, "plan_frozen");
        // A writer to the database cannot change it either.
        let mut conn = app.connection().await;
        sample::run(
            &mut conn,
            "INSERT INTO deviations (plan_id, field, after) SELECT id, 'data', 'x' FROM study_plans",
        )
        .await;
        for statement in [
            "UPDATE frozen_plans SET canonical = '{}', sha256 = encode(sha256('{}'), 'hex')",
            "UPDATE frozen_plans SET frozen_at = now() - interval '1 day'",
            "DELETE FROM frozen_plans",
            "DELETE FROM study_plans",
            "UPDATE study_plans SET document = '{}'",
            "UPDATE study_plans SET blind = NOT blind",
            "DELETE FROM deviations",
            "UPDATE deviations SET after = 'y'",
        ] {
            let refused = diesel::sql_query(statement).execute(&mut conn).await.expect_err(statement).to_string();
            assert!(refused.contains("cannot be changed") || refused.contains("only added"), "{statement}: {refused}");
        }
        assert_eq!(author.get(&path).await.ok()["frozen"]["sha256"], json!(hash));
    })
    .await;
}

#[actix_web::test]
async fn a_study_is_frozen_without_a_draft_and_says_that_its_data_were_there() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let asked = json!({"run": {"personaCount": 4, "seed": 5}});
        let study = fixture.author.post(&format!("/api/surveys/{survey}/studies"), asked).await.ok();
        let stub = model_server::ModelServer::start(model_server::Faults::default());
        let study = fixture.study_ended(&stub, &study).await;
        let path = format!("/api/studies/{}", study["studyId"].as_str().expect("an id"));
        fixture.author.get(&format!("{path}/plan")).await.refused(404);
        let freeze = format!("{path}/freeze");
        fixture.author.post(&freeze, json!(null)).await.refused(400);
        let refused = fixture.author.post(&freeze, plan(true)).await.refused(400);
        assert!(refused.starts_with("blind"), "{refused}");
        fixture.member.post(&freeze, plan(false)).await.refused(404);

        let frozen = fixture.author.post(&freeze, plan(false)).await.ok();
        assert_eq!(frozen["studyId"], study["studyId"]);
        assert_eq!(frozen["frozen"]["dataBefore"], json!({"answers": 12, "earlierRuns": 0, "seen": true}));
        assert_eq!(fields(&frozen), ["data", "run: personaCount"]);
        assert_eq!(frozen["deviations"][0]["after"], "12 answers could be seen before the freeze");
        fixture.author.post(&freeze, plan(false)).await.refused_with(409, "plan_frozen");
        let shown = fixture.author.get(&path).await.ok();
        assert_eq!((&shown["plan"]["deviations"], &shown["plan"]["hidden"]), (&json!(2), &json!(false)));
    })
    .await;
}

#[actix_web::test]
async fn the_erasure_of_an_account_takes_its_plans_with_it() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        fixture.author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        run_by(&fixture, survey, &path, json!({"run": {"personaCount": 2}})).await;
        let mut conn = app.connection().await;
        let kept = fixture.author.get("/api/auth/data").await.ok();
        assert_eq!(kept["studyPlans"][0]["deviations"][0]["field"], "run: personaCount");
        sample::run(&mut conn, "UPDATE users SET deleted_at = now() WHERE email = 'author@test.example'").await;
        assert_eq!(erasure::erase_deleted(&mut conn).await.expect("it is erased"), 1);
        let left = "SELECT (SELECT count(*) FROM study_plans) + (SELECT count(*) FROM deviations) AS number";
        assert_eq!(sample::number(&mut conn, left).await, 0);
    })
    .await;
}

/// Tests that a draft reports missing names after a rename in the survey, wherever it is read, until it is frozen.
#[actix_web::test]
async fn a_draft_says_which_of_its_names_the_survey_has_not() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = import(&fixture).await;
        let path = drafted(&fixture, survey, plan(false)).await;
        let author = &fixture.author;
        let not_found = async || author.get(&path).await.ok()["notFound"].clone();
        assert_eq!(not_found().await, json!([]));

        let questions = author.get(&format!("/api/surveys/{survey}/questions")).await.ok();
        let question = format!("/api/surveys/questions/{}", questions[0]["id"]);
        author.patch(&question, json!({ "name": "fairness" })).await.ok();
        let mut flow = fees()["flow"].clone();
        flow[0]["random"] = json!("fee_kind");
        flow[1]["questions"][0] = json!("fairness");
        author.put(&format!("/api/surveys/{survey}/design"), json!({ "flow": flow })).await.ok();
        let gone = json!([
            { "field": "primaryItems", "name": "fair", "nearest": "fairness" },
            { "field": "contrasts[0].of", "name": "fee_arm", "nearest": "fee_kind" }]);
        assert_eq!(not_found().await, gone);
        let list = author.get(&format!("/api/surveys/{survey}/plans")).await.ok();
        assert_eq!(list[0]["notFound"], gone);

        let mut mended = plan(false);
        mended["primaryItems"] = json!(["fairness"]);
        mended["contrasts"] = json!([{ "of": "fee_kind", "a": "one", "b": "three" }]);
        let saved = author.put(&path, mended).await.ok();
        let odd = json!([{ "field": "contrasts[0].b", "name": "three", "nearest": null }]);
        assert_eq!(saved["notFound"], odd);
        let frozen = author.post(&format!("{path}/freeze"), json!(null)).await.ok();
        assert_eq!(frozen["notFound"], json!([]));
    })
    .await;
}
