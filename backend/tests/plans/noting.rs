//! Analyses of a run that are noted as deviations from its frozen plan, by user and up to a limit.

use futures_util::future::join_all;
use serde_json::{Value, json};
use twinlab::models::users::Role;

use super::{drafted, fields, import, plan, run_by};
use crate::support::{Client, GroupFixture, TestApp, sample, with_flags};

/// A public survey with a frozen plan and its study.
struct Planned {
    plan: String,
    /// The address of the first run's answers.
    answers: String,
    /// The id of a choice question.
    fair: i64,
}

impl Planned {
    async fn new(fixture: &GroupFixture<'_>) -> Self {
        let survey = import(fixture).await;
        let plan = drafted(fixture, survey, plan(false)).await;
        fixture.author.post(&format!("{plan}/freeze"), json!(null)).await.ok();
        let study = run_by(fixture, survey, &plan, json!({"run": {}})).await;
        fixture.author.patch(&format!("/api/surveys/{survey}"), json!({"visibility": "PUBLIC"})).await.ok();
        let run = study["runs"][0]["simulationId"].as_str().expect("an id");
        let questions = fixture.author.get(&format!("/api/surveys/{survey}/questions")).await.ok();
        let fair = questions[0]["id"].as_i64().expect("an id");
        Self { plan, answers: format!("/api/surveys/{survey}/simulation/{run}"), fair }
    }

    async fn look(&self, client: &Client, call: &str) -> Value {
        client.get(&format!("{}/{call}", self.answers)).await.ok()
    }

    async fn deviations(&self, fixture: &GroupFixture<'_>) -> Value {
        fixture.author.get(&self.plan).await.ok()
    }
}

/// A client of the same user with a token of this scope.
async fn with_token(app: &TestApp, client: &Client, scope: &str) -> Client {
    let new = json!({"name": scope, "scopes": [scope]});
    let token = client.post("/api/auth/tokens", new).await.ok()["token"].as_str().expect("a token").to_owned();
    app.visitor().with_token(&token)
}

const FEW: &str = "summary?where=fee_arm:one";

#[actix_web::test]
async fn only_the_author_and_the_groups_owner_deviate_and_a_token_that_reads_writes_nothing() {
    with_flags(&[], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let planned = Planned::new(&fixture).await;
        let reader = with_token(app, &fixture.author, "read").await;
        let root = app.client("root@test.example", Role::SuperAdmin).await;
        for caller in [&fixture.member, &root, &reader] {
            planned.look(caller, FEW).await;
            planned.look(caller, &format!("summary?by=question:{}", planned.fair)).await;
            planned.look(caller, "responses/formatted?limit=1&where=fee_arm:one").await;
        }
        assert_eq!(fields(&planned.deviations(&fixture).await), [] as [&str; 0]);
        planned.look(&fixture.owner, FEW).await;
        assert_eq!(fields(&planned.deviations(&fixture).await), ["exclusions"]);
        planned
            .look(&with_token(app, &fixture.author, "run").await, "responses/formatted?limit=1&where=fee_arm:two")
            .await;
        assert_eq!(fields(&planned.deviations(&fixture).await), ["exclusions", "exclusions"]);
    })
    .await;
}

#[actix_web::test]
async fn equal_conditions_are_one_deviation_and_values_that_no_twin_has_are_none() {
    with_flags(&[], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let planned = Planned::new(&fixture).await;
        let faked = format!("{}/summary?where=fee_arm:THE%20AUTHOR%20FAKED%20THESE%20DATA", planned.answers);
        let refused = fixture.author.get(&faked).await.refused(400);
        assert_eq!(refused, "where: no twin of the run has the value \"THE AUTHOR FAKED THESE DATA\" for fee_arm");
        assert_eq!(fields(&planned.deviations(&fixture).await), [] as [&str; 0]);
        for call in [
            "summary?where=fee_arm:one&where=fee_arm:two",
            "summary?where=fee_arm:two&where=fee_arm:one",
            "responses/formatted?limit=1&where=fee_arm:two&where=fee_arm:two&where=fee_arm:one",
        ] {
            planned.look(&fixture.author, call).await;
        }
        let now = planned.deviations(&fixture).await;
        assert_eq!(fields(&now), ["exclusions"]);
        assert_eq!(now["deviations"][0]["after"], "only twins with fee_arm:one; fee_arm:two");
    })
    .await;
}

#[actix_web::test]
async fn nobody_drowns_a_deviation_in_others() {
    with_flags(&[], async |app| {
        let fixture = GroupFixture::open(app, 1_000).await;
        let planned = Planned::new(&fixture).await;
        let many = format!(
            "INSERT INTO deviations (plan_id, who, field, after)
             SELECT id, {}, 'exclusions', 'only twins with n:' || n FROM study_plans, generate_series(1, 99) AS n",
            fixture.author_id
        );
        sample::run(&mut *app.connection().await, &many).await;
        // The hundredth, and one entry for all further ones, even if they arrive at once.
        let calls = ["one", "two", "(not%20stated)"].map(|arm| format!("summary?where=fee_arm:{arm}"));
        join_all(calls.iter().map(|call| planned.look(&fixture.author, call))).await;
        let now = planned.deviations(&fixture).await;
        assert_eq!(fields(&now).len(), 101);
        let others = "others, which are not listed, beyond 100 of one person";
        assert_eq!(now["deviations"][100]["after"], others);
        // Other kinds of analyses, and those of other users, are still noted.
        planned.look(&fixture.owner, "summary?where=fee_arm:one&where=fee_arm:two").await;
        planned.look(&fixture.author, &format!("summary?by=question:{}", planned.fair)).await;
        let now = planned.deviations(&fixture).await;
        assert_eq!(fields(&now)[101..], ["exclusions", "analysis"]);
    })
    .await;
}
