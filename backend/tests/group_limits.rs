//! Limits of closed groups, former owners, suspended members and ordinary members.

use futures_util::future::join_all;
use serde_json::json;
use twinlab::background;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, GroupFixture, TestApp, mailbox, with_app, with_flags};

/// A client of the planted group's owner; the group's member has a run in this stage.
async fn planted(app: &TestApp, stage: PlantedRun) -> Client {
    sample::plant(&mut *app.connection().await, stage).await;
    app.client("admin@test.example", Role::Admin).await
}

#[tokio::test]
async fn a_closed_group_takes_no_survey_and_starts_nothing_until_it_is_open_again() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let (survey, failed) = (fixture.survey(1).await, fixture.survey(1).await);
        let run = fixture.start(failed, 1).await;
        let group = format!("/api/groups/{}", fixture.group_id);
        assert_eq!(fixture.owner.patch(&group, json!({"status": "closed"})).await.ok()["status"], "closed");
        let new = json!({"title": "Tea", "groupId": fixture.group_id});
        let start = (format!("/api/simulations/survey/{survey}/start"), json!({"personaCount": 1}));
        for (path, body) in [
            ("/api/surveys".to_owned(), new.clone()),
            (
                format!("/api/surveys/import?groupId={}", fixture.group_id),
                json!({"title": "Tea", "questions": [
                {"text": "Why?", "type": "TEXT_ENTRY"}]}),
            ),
            (format!("/api/surveys/{survey}/duplicate"), json!({"title": "Tea"})),
            start.clone(),
        ] {
            let refused = fixture.author.post(&path, body).await;
            assert_eq!(refused.body["code"], "group_closed", "{path}");
            let message = "The group is closed: it takes no new surveys and starts no simulations";
            assert_eq!(refused.refused(409), message, "{path}");
        }
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        assert_eq!(config["canSimulate"], false);
        // Running work continues.
        let run = run["simulationId"].as_str().expect("an id");
        fixture.author.post(&format!("/api/simulations/{run}/pause"), json!({})).await.ok();
        fixture.author.post(&format!("/api/simulations/{run}/resume"), json!({})).await.ok();

        fixture.owner.patch(&group, json!({"status": "open"})).await.ok();
        fixture.author.post("/api/surveys", new).await.ok();
        fixture.author.post(&start.0, start.1).await.ok();
    })
    .await;
}

#[tokio::test]
async fn an_owner_who_is_no_administrator_any_more_sees_as_before_and_changes_nothing() {
    with_app(async |app| {
        let owner = planted(app, PlantedRun::Running).await;
        let demote = "UPDATE users SET role = 'user' WHERE email = 'admin@test.example'";
        sample::run(&mut *app.connection().await, demote).await;
        assert_eq!(owner.get("/api/groups/1/members").await.ok().as_array().map(Vec::len), Some(2));
        for path in ["/api/groups/1", "/api/groups/1/usage", "/api/groups/1/transactions", "/api/surveys/1"] {
            owner.get(path).await.ok();
        }
        assert_eq!(owner.get("/api/simulations?groupId=1").await.ok().as_array().map(Vec::len), Some(1));
        let grant = json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 5});
        owner.post("/api/groups/1/members", json!({"email": "grace@test.example"})).await.refused(403);
        owner.patch("/api/groups/1", json!({"group_name": "Mine"})).await.refused(403);
        owner.patch("/api/groups/1/members/2/budget", json!({"budget": 5000})).await.refused(403);
        owner.patch("/api/groups/1/members/2/status", json!({"status": "suspended"})).await.refused(403);
        owner.post("/api/transactions", grant).await.refused(403);
        owner.delete("/api/groups/1").await.refused(403);
        let run = format!("/api/simulations/{}/stop", sample::SIMULATION_ID);
        owner.post(&run, json!({})).await.refused(403);
    })
    .await;
}

#[tokio::test]
async fn a_suspended_members_simulation_is_paused_with_that_reason_until_they_are_back() {
    with_app(async |app| {
        let owner = planted(app, PlantedRun::Running).await;
        let status = "/api/groups/1/members/2/status";
        owner.patch(status, json!({"status": "suspended"})).await.ok();
        let run = owner.get("/api/simulations?groupId=1").await.ok();
        assert_eq!(run[0]["status"], "PAUSED");
        assert_eq!(run[0]["errorMessage"], "The member who started the simulation is suspended");
        let resume = format!("/api/simulations/{}/resume", sample::SIMULATION_ID);
        assert_eq!(owner.post(&resume, json!({})).await.body["code"], "member_suspended");
        owner.patch(status, json!({"status": "active"})).await.ok();
        assert_eq!(owner.post(&resume, json!({})).await.ok()["status"], "QUEUED");
    })
    .await;
}

#[tokio::test]
async fn strangers_are_invited_two_hundred_an_hour_and_no_name_advertises() {
    with_app(async |app| {
        let owner = planted(app, PlantedRun::Failed).await;
        let invited = "INSERT INTO audit_log (actor_id, action, subject, created_at)
            SELECT 1, 'invite', 'group 1, user 2', now() - interval '50 minutes' FROM generate_series(1, 198)";
        sample::run(&mut *app.connection().await, invited).await;
        let invite = async |email: &str| owner.post("/api/groups/1/members", json!({ "email": email })).await;
        let answers = join_all(["a@test.example", "b@test.example", "c@test.example"].map(invite)).await;
        let passed = answers.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(passed, 2);
        let refused = answers.into_iter().find(|answer| answer.status == 429).expect("the third is refused");
        let wait: u64 = refused.headers["retry-after"].to_str().expect("text").parse().expect("a number");
        assert!((1..=600).contains(&wait), "{wait}");
        assert_eq!(refused.headers["ratelimit-limit"], "200");
        assert_eq!(refused.headers["ratelimit-remaining"], "0");
        assert_eq!(refused.body["code"], "rate_limited");
        // A user with an account gets no mail, and so is not counted.
        app.user("there@test.example", Role::User).await;
        let added = invite("there@test.example").await;
        assert_eq!(added.headers["ratelimit-remaining"], "0");
        assert_eq!(added.status, 201);

        background::mail(&app.app).await.expect("mails go out");
        let mails = mailbox::read(app);
        assert!(mails.iter().any(|mail| mail.contains("Subject: You were added to a research group")), "{mails:?}");
        let user = app.client("user@test.example", Role::User).await;
        for (name, reason) in [
            ("FREE MONEY at evil.example", "web addresses: mail programs make a link of \"evil.example\""),
            ("www.evil.example:8080", "web addresses: mail programs make a link of \"www.evil.example:8080\""),
            ("a\r\nBcc: b@test.example", "control characters"),
        ] {
            let refusals = [
                ("Group name", owner.patch("/api/groups/1", json!({ "groupName": name })).await),
                ("Name", owner.put("/api/auth/profile", json!({ "name": name })).await),
                ("title", user.post("/api/surveys", json!({ "title": name, "groupId": 1 })).await),
                ("title", user.post("/api/surveys/1/duplicate", json!({ "title": name })).await),
            ];
            for (field, refused) in refusals {
                let message = refused.refused(400);
                assert!(message.starts_with(&format!("{field} must not hold {reason}")), "{message}");
            }
        }
        let file = json!({ "title": "evil.example", "questions": [] });
        let refused = user.post("/api/surveys/import?groupId=1", file).await.refused(400);
        assert!(refused.starts_with("title must not hold web addresses"), "{refused}");
        // A group with such a name from before keeps it, and can be changed otherwise.
        let named = "UPDATE groups SET group_name = 'evil.example'";
        sample::run(&mut *app.connection().await, named).await;
        let changed = json!({ "groupName": "evil.example", "defaultBudgetPerUser": 7 });
        assert_eq!(owner.patch("/api/groups/1", changed).await.ok()["initialBudgetPerUser"], 7);
    })
    .await;
}

#[tokio::test]
async fn a_group_decides_on_full_texts_and_on_calls_of_single_questions() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let survey = fixture.survey(1).await;
        let group = format!("/api/groups/{}", fixture.group_id);
        let shown = fixture.owner.get(&group).await.ok();
        assert_eq!((&shown["allowFullPersonas"], &shown["allowSingleQuestionCalls"]), (&json!(true), &json!(true)));
        let off = json!({"allowFullPersonas": false, "allowSingleQuestionCalls": false});
        let shown = fixture.owner.patch(&group, off).await.ok();
        assert_eq!((&shown["allowFullPersonas"], &shown["allowSingleQuestionCalls"]), (&json!(false), &json!(false)));
        let start = format!("/api/simulations/survey/{survey}/start");
        for (body, message) in [
            (json!({"personaCount": 1, "personaVariant": "full"}), "personaVariant must be summary in this group"),
            (json!({"personaCount": 1, "questionsPerCall": 1}), "questionsPerCall must be at least 5 in this group"),
            (json!({"personaCount": 1, "model": "o1-pro"}), "model must be one of twinlab-demo"),
        ] {
            assert_eq!(fixture.author.post(&start, body).await.refused(400), message);
        }
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        assert_eq!((&config["models"], &config["minQuestionsPerCall"]), (&json!(["twinlab-demo"]), &json!(5)));
        fixture.author.post(&start, json!({"personaCount": 1, "questionsPerCall": 5})).await.ok();
    })
    .await;
}

#[tokio::test]
async fn members_name_the_models_that_are_allowed_and_a_super_admin_any_within_the_groups_switches() {
    with_flags(&["--llm-models", "m-1, m-2"], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let (survey, root) = (fixture.survey(1).await, app.super_admin().await);
        // Changed before a run asks them, because their texts cannot change after that.
        let text = "UPDATE personas SET full_text = 'I am, at length, a twin.'";
        sample::run(&mut *app.connection().await, text).await;
        let (group, start) =
            (format!("/api/groups/{}", fixture.group_id), format!("/api/simulations/survey/{survey}/start"));
        let config = fixture.author.get(&format!("/api/surveys/{survey}/simulation-config")).await.ok();
        assert_eq!(config["models"], json!(["twinlab-demo", "m-1", "m-2"]));
        let ask = |model: &str| json!({"personaCount": 1, "model": model});
        let refused = fixture.author.post(&start, ask("m-3")).await.refused_with(400, "model_not_allowed");
        assert_eq!(refused, "model must be one of twinlab-demo, m-1, m-2");
        let run = fixture.author.post(&start, ask("m-2")).await.ok();
        assert_eq!(run["parameters"]["model"], "m-2");
        let stop = format!("/api/simulations/{}/stop", run["simulationId"].as_str().expect("an id"));
        fixture.author.post(&stop, json!({})).await.ok();

        // A run belongs to a member, even for a super admin.
        root.post(&start, ask("m-3")).await.refused(403);
        fixture.owner.post(&format!("{group}/members"), json!({"email": "root@test.example", "budget": 10})).await.ok();
        let switches = async |on: bool| {
            let switches = json!({"allowFullPersonas": on, "allowSingleQuestionCalls": on});
            let shown = root.patch(&group, switches).await.ok();
            assert_eq!((&shown["allowFullPersonas"], &shown["allowSingleQuestionCalls"]), (&json!(on), &json!(on)));
        };
        switches(false).await;
        for (asked, code) in [
            (json!({"personaCount": 1, "personaVariant": "full"}), "full_personas_not_allowed"),
            (json!({"personaCount": 1, "questionsPerCall": 1}), "questions_per_call_too_small"),
        ] {
            root.post(&start, asked).await.refused_with(400, code);
        }
        switches(true).await;
        let asked = json!({"personaCount": 1, "model": "m-3", "personaVariant": "full", "questionsPerCall": 1});
        let parameters = &root.post(&start, asked).await.ok()["parameters"];
        assert_eq!((&parameters["model"], &parameters["personaVariant"]), (&json!("m-3"), &json!("full")));
        assert_eq!(parameters["questionsPerCall"], 1);
        assert_eq!(fixture.budget().await, (100, 0), "nobody else pays");
    })
    .await;
}

#[tokio::test]
async fn an_owner_grants_no_more_than_the_ceiling_that_a_super_admin_sets() {
    with_app(async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let (group, root) = (format!("/api/groups/{}", fixture.group_id), app.super_admin().await);
        fixture.owner.patch(&group, json!({"creditCeiling": 500})).await.refused(403);
        root.patch(&group, json!({"creditCeiling": -1})).await.refused(400);
        let message = root.patch(&group, json!({"creditCeiling": 1_000_000_000_001_i64})).await.refused(400);
        assert_eq!(message, "creditCeiling must be at most 1000000000000");
        assert_eq!(root.patch(&group, json!({"creditCeiling": 500})).await.ok()["creditCeiling"], 500);
        assert_eq!(fixture.owner.patch(&group, json!({"status": "open"})).await.ok()["creditCeiling"], 500);

        let add = |amount| {
            let grant =
                json!({"groupId": fixture.group_id, "userId": fixture.author_id, "type": "ADD", "amount": amount});
            fixture.owner.post("/api/transactions", grant)
        };
        let refused = add(401).await;
        assert_eq!(refused.body["code"], "group_ceiling");
        assert_eq!(refused.refused(409), "The group may be granted 500 credits in all: 400 are left");
        assert_eq!(fixture.budget().await.0, 100, "a refused grant changes nothing");
        let many = join_all((0..10).map(|_| add(100))).await;
        assert_eq!(many.iter().filter(|answer| answer.status == 201).count(), 4, "at once, too");
        assert_eq!(fixture.budget().await.0, 500);
        assert_eq!(fixture.owner.get(&group).await.ok()["creditsGranted"], 500);
        let budget = format!("{group}/members/{}/budget", fixture.author_id);
        fixture.owner.patch(&budget, json!({"budget": 501})).await.refused(409);
        fixture
            .owner
            .post(&format!("{group}/members"), json!({"email": "new@test.example", "budget": 1}))
            .await
            .refused(409);
        fixture.owner.patch(&budget, json!({"budget": 200})).await.ok();
        add(300).await.ok();
        assert!(root.patch(&group, json!({"creditCeiling": null})).await.ok()["creditCeiling"].is_null());
        add(1_000).await.ok();
        assert!(fixture.owner.get(&group).await.ok()["creditsGranted"].is_null(), "nothing to compare it with");
    })
    .await;
}

#[tokio::test]
async fn an_owner_grants_no_more_than_their_ceiling_over_all_their_groups() {
    with_flags(&["--credit-ceiling", "500"], async |app| {
        let fixture = GroupFixture::open(app, 100).await;
        let (first, root) = (format!("/api/groups/{}", fixture.group_id), app.super_admin().await);
        let second = json!({"group_name": "Another", "default_budget_per_user": 0});
        let second = fixture.owner.post("/api/groups", second).await.ok()["id"].as_i64().expect("an id");
        let owner_id = fixture.owner.get("/api/auth/profile").await.ok()["id"].as_i64().expect("an id");
        let add = |group: i64, user: i64, amount: i64| {
            let grant = json!({"groupId": group, "userId": user, "type": "ADD", "amount": amount});
            fixture.owner.post("/api/transactions", grant)
        };
        let refused = add(second, owner_id, 401).await;
        assert_eq!(refused.body["code"], "owner_ceiling");
        assert_eq!(refused.refused(409), "The group's owner may grant 500 credits over all their groups: 400 are left");
        // Simultaneous grants in both groups, single ones and groups of them.
        let both = json!({"transactions": [
            {"groupId": second, "userId": owner_id, "type": "ADD", "amount": 50},
            {"groupId": fixture.group_id, "userId": fixture.author_id, "type": "ADD", "amount": 50}]});
        let single = join_all((0..8).map(|n| {
            let (group, user) = if n % 2 == 0 { (second, owner_id) } else { (fixture.group_id, fixture.author_id) };
            add(group, user, 100)
        }));
        let bulk = join_all((0..8).map(|_| fixture.owner.post("/api/transactions/bulk", both.clone())));
        let (single, bulk) = futures_util::join!(single, bulk);
        let passed = single.iter().chain(&bulk).filter(|answer| answer.status == 201).count();
        assert!(single.iter().chain(&bulk).all(|answer| [201, 409].contains(&answer.status)), "{single:?} {bulk:?}");
        assert_eq!(passed, 4, "each is of a hundred credits");
        let shown = fixture.owner.get(&first).await.ok();
        assert_eq!((&shown["ownerCreditCeiling"], &shown["ownerCreditsGranted"]), (&json!(500), &json!(500)));
        assert!(fixture.member.get(&first).await.ok()["ownerCreditCeiling"].is_null(), "not a member's business");
        let members = format!("{first}/members");
        let new = json!({"email": "new@test.example", "budget": 1});
        fixture.owner.post(&members, new.clone()).await.refused_with(409, "owner_ceiling");
        // A lower budget of one member makes room for another; credits that were taken from nobody are not given back.
        let budget = format!("{members}/{}/budget", fixture.author_id);
        fixture.owner.patch(&budget, json!({"budget": 0})).await.ok();
        fixture.owner.post(&members, new).await.ok();

        // Only a super admin sets another ceiling or removes it.
        fixture.owner.patch(&first, json!({"ownerCreditCeiling": 1_000_000})).await.refused(403);
        root.patch(&first, json!({"ownerCreditCeiling": -1})).await.refused(400);
        assert_eq!(root.patch(&first, json!({"ownerCreditCeiling": 2_000})).await.ok()["ownerCreditCeiling"], 2_000);
        add(second, owner_id, 1_000).await.ok();
        assert_eq!(root.patch(&first, json!({"ownerCreditCeiling": null})).await.ok()["ownerCreditCeiling"], 500);
        add(second, owner_id, 1).await.refused_with(409, "owner_ceiling");
    })
    .await;
}
