//! Groups and their members: additions, budgets and removals.

use futures_util::future::join_all;
use serde_json::{Value, json};
use twinlab::background;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, TestApp, mailbox, with_app};

/// Clients of the planted group's owner and its one member, who has a run in this stage.
async fn planted(app: &TestApp, stage: PlantedRun) -> (Client, Client) {
    sample::plant(&mut *app.connection().await, stage).await;
    (app.client("admin@test.example", Role::Admin).await, app.client("user@test.example", Role::User).await)
}

/// Number of entries with this action in the audit log.
async fn audited(app: &TestApp, action: &str) -> i64 {
    let count = format!("SELECT count(*) AS number FROM audit_log WHERE action = '{action}'");
    sample::number(&mut *app.connection().await, &count).await
}

#[tokio::test]
async fn an_unknown_e_mail_becomes_a_member_with_a_budget_and_is_invited_once() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Failed).await;
        let new = json!({"email": " Grace@test.example", "budget": 40});
        let member = owner.post("/api/groups/1/members", new.clone()).await.ok();
        assert_eq!((&member["budget"], &member["held"], &member["available"]), (&json!(40), &json!(0), &json!(40)));
        assert_eq!((&member["user"]["email"], &member["user"]["role"]), (&json!("grace@test.example"), &json!("user")));
        assert_eq!(member["group"]["groupName"], "Testers");
        let again = owner.post("/api/groups/1/members", new).await.refused(409);
        assert_eq!(again, "The user is a member of the group already");

        background::mail(&app.app).await.expect("mails go out");
        let invitations: Vec<String> =
            mailbox::read(app).into_iter().filter(|mail| mail.contains("To: grace@test.example")).collect();
        assert_eq!(invitations.len(), 1, "{invitations:?}");
        assert!(invitations[0].contains("added you to the research group Testers"), "{}", invitations[0]);

        // A user with an account is no stranger.
        app.client("other@test.example", Role::User).await;
        owner.post("/api/groups/1/members", json!({"email": "other@test.example"})).await.ok();
        background::mail(&app.app).await.expect("mails go out");
        assert!(!mailbox::read(app).iter().any(|mail| mail.contains("To: other@test.example")));
    })
    .await;
}

#[tokio::test]
async fn a_class_list_is_added_by_one_call_and_each_refusal_is_said() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Failed).await;
        let path = "/api/groups/1/members/bulk";
        let emails =
            json!(["ada@test.example", "not an e-mail", "ADA@test.example", "user@test.example", "eve@test.example"]);
        let outcomes = owner.post(path, json!({"emails": emails, "budget": 7})).await.ok();
        let added: Vec<_> =
            outcomes.as_array().expect("a list").iter().map(|one| (&one["added"], &one["reason"])).collect();
        let member = "The user is a member of the group already";
        let expected = json!([
            [true, null],
            [false, "Please enter a valid email address"],
            [false, member],
            [false, member],
            [true, null]
        ]);
        assert_eq!(json!(added), expected);
        assert_eq!(outcomes[2]["code"], "already_a_member");
        let members = owner.get("/api/groups/1/members").await;
        assert_eq!(members.headers["x-total-count"], "4");
        assert_eq!(audited(app, "invite").await, 2);

        let refused = owner.post(path, json!({"emails": []})).await.refused(400);
        assert_eq!(refused, "emails: there must be 1 to 1000 of them");
        let earlier = "INSERT INTO audit_log (actor_id, action, subject) \
                       SELECT actor_id, action, subject FROM \
                       (SELECT * FROM audit_log WHERE action = 'invite' LIMIT 1) AS one, generate_series(1, 197)";
        sample::run(&mut *app.connection().await, earlier).await;
        assert_eq!(audited(app, "invite").await, 199);
        let many = ["grace@test.example", "mary@test.example"];
        let outcomes = owner.post(path, json!({"emails": many, "budget": 0})).await.ok();
        assert_eq!((&outcomes[0]["added"], &outcomes[1]["added"]), (&json!(true), &json!(false)));
        assert_eq!(audited(app, "invite").await, 200);
    })
    .await;
}

#[tokio::test]
async fn what_is_no_member_or_no_budget_is_refused_in_the_words_of_the_pages() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Failed).await;
        for (body, message) in [
            (json!({"email": "grace"}), "Please enter a valid email address"),
            (
                json!({"email": "grace@test.example", "budget": -1}),
                "The amount must be between 0 and 1000000000000 credits",
            ),
            (json!({"budget": 1}), "missing field `email`"),
        ] {
            assert_eq!(owner.post("/api/groups/1/members", body).await.refused(400), message);
        }
        owner.post("/api/groups/1/members", json!({"email": "grace@test.example", "budget": 1.5})).await.refused(400);
        let none = owner.patch("/api/groups/1/members/budgets", json!([])).await.refused(400);
        assert_eq!(none, "Please select at least one member");
        let members = owner.get("/api/groups/1/members").await;
        assert_eq!(members.headers["x-total-count"], "2");
    })
    .await;
}

#[tokio::test]
async fn whom_a_super_admin_names_as_owner_is_an_admin_from_then_on() {
    with_app(async |app| {
        let root = app.super_admin().await;
        let user = app.client("user@test.example", Role::User).await;
        user.post("/api/groups", json!({"group_name": "Mine", "default_budget_per_user": 0})).await.refused(403);
        let named = json!({"group_name": " New ", "default_budget_per_user": 7, "owner_email": "user@test.example"});
        let group = root.post("/api/groups", named).await.ok();
        assert_eq!((&group["groupName"], &group["initialBudgetPerUser"]), (&json!("New"), &json!(7)));
        assert_eq!((&group["status"], &group["isOwner"]), (&json!("open"), &json!(false)));
        assert_eq!(user.get("/api/auth/profile").await.ok()["role"], "admin");
        assert_eq!(audited(app, "role").await, 1);

        let stranger = json!({"owner_email": "stranger@test.example"});
        assert_eq!(root.patch("/api/groups/1", stranger).await.ok()["ownerEmail"], "stranger@test.example");
        assert_eq!((audited(app, "role").await, audited(app, "owner").await), (2, 1));
        // The former owner stays a member; a user who only named the owner never was one.
        assert_eq!(user.get("/api/groups/1").await.ok()["isOwner"], false);
        assert_eq!(root.get("/api/groups/1/members").await.ok().as_array().map(Vec::len), Some(2));
        background::mail(&app.app).await.expect("mails go out");
        assert!(mailbox::read(app).iter().any(|mail| mail.contains("To: stranger@test.example")));
    })
    .await;
}

#[tokio::test]
async fn an_admin_makes_groups_for_themselves_alone_and_every_spelling_of_the_fields_will_do() {
    with_app(async |app| {
        let admin = app.client("admin@test.example", Role::Admin).await;
        for body in [
            json!({"group_name": "A", "default_budget_per_user": 3, "owner_email": "admin@test.example", "status": "open"}),
            json!({"groupName": "A", "initialBudgetPerUser": 3, "unknown": []}),
            json!({"name": "A", "defaultBudgetPerUser": 3, "ownerEmail": "ADMIN@test.example"}),
        ] {
            let group = admin.post("/api/groups", body).await.ok();
            assert_eq!((&group["isOwner"], &group["initialBudgetPerUser"]), (&json!(true), &json!(3)));
        }
        for (body, status) in [
            (json!({"group_name": "A", "default_budget_per_user": 3, "owner_email": "b@test.example"}), 403),
            (json!({"group_name": "A", "default_budget_per_user": 3, "owner_email": "b"}), 400),
            (json!({"group_name": " ", "default_budget_per_user": 3}), 400),
            (json!({"group_name": "A", "default_budget_per_user": -1}), 400),
            (json!({"group_name": "A", "default_budget_per_user": 3, "status": "ajar"}), 400),
            (json!({"group_name": "A"}), 400),
            (json!({"group_name": "a\u{0}b", "default_budget_per_user": 3}), 400),
        ] {
            admin.post("/api/groups", body).await.refused(status);
        }
        let groups = admin.get("/api/groups/my?limit=2").await;
        assert_eq!(groups.headers["x-total-count"], "3");
        let next = "</api/groups/my?limit=2&offset=2>; rel=\"next\"";
        assert!(groups.headers["link"].to_str().expect("text").contains(next), "{:?}", groups.headers);
        assert!(!admin.get("/api/groups/my").await.headers.contains_key("link"));
        assert_eq!(groups.ok()[0]["id"], 3);
    })
    .await;
}

#[tokio::test]
async fn a_group_goes_once_nothing_runs_in_it_and_its_ledger_stays() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Running).await;
        let refused = owner.delete("/api/groups/1").await.refused(409);
        assert_eq!(refused, "The group has active simulations, which hold credits of its members");
        let held = owner.delete("/api/groups/1/members/2").await.refused(409);
        assert_eq!(held, "The budget cannot be less than the 10 credits that running simulations hold");
    })
    .await;
    with_app(async |app| {
        let (owner, user) = planted(app, PlantedRun::Failed).await;
        assert_eq!(owner.delete("/api/groups/1").await.status, 204);
        owner.get("/api/groups/1").await.refused(404);
        owner.delete("/api/groups/1").await.refused(404);
        assert_eq!(user.get("/api/groups").await.ok(), json!([]));
        assert_eq!(user.get("/api/transactions").await.ok().as_array().map(Vec::len), Some(2));
        assert_eq!(audited(app, "delete").await, 1);
    })
    .await;
}

#[tokio::test]
async fn a_removed_member_gives_the_budget_back_and_may_return() {
    with_app(async |app| {
        let (owner, user) = planted(app, PlantedRun::Failed).await;
        assert_eq!(owner.delete("/api/groups/1/members/2").await.status, 204);
        user.get("/api/groups/1").await.refused(404);
        owner.delete("/api/groups/1/members/2").await.refused(404);
        let last = owner.get("/api/transactions?limit=1").await.ok();
        assert_eq!((&last[0]["type"], &last[0]["effect"]), (&json!("SET"), &json!(-983)));
        assert_eq!(last[0]["groupUser"]["status"], "removed");
        let back = json!({"email": "user@test.example", "budget": 5});
        assert_eq!(owner.post("/api/groups/1/members", back).await.ok()["budget"], 5);
        assert_eq!(user.get("/api/groups/1").await.ok()["available"], 5);
    })
    .await;
}

#[tokio::test]
async fn a_suspended_member_is_out_until_taken_back() {
    with_app(async |app| {
        let (owner, user) = planted(app, PlantedRun::Failed).await;
        let status = "/api/groups/1/members/2/status";
        assert_eq!(owner.patch(status, json!({"status": "suspended"})).await.ok()["status"], "suspended");
        user.get("/api/groups").await.refused(401);
        owner.patch(status, json!({"status": "suspended"})).await.ok();
        assert_eq!(owner.patch(status, json!({"status": "active"})).await.ok()["status"], "active");
        user.get("/api/groups/1").await.ok();
        owner.patch(status, json!({"status": "gone"})).await.refused(400);
        assert_eq!((audited(app, "suspend").await, audited(app, "reinstate").await), (1, 1));
    })
    .await;
}

/// Adds a credit to the budget that it reads, until no concurrent change is in the way.
async fn add_one(owner: &Client) {
    loop {
        let members = owner.get("/api/groups/1/members").await.ok();
        let budget = members[0]["budget"].as_i64().expect("a number");
        let change = json!({"budget": budget + 1, "expectedBudget": budget});
        match owner.patch("/api/groups/1/members/2/budget", change).await.status {
            200 => return,
            status => assert_eq!(status, 409),
        }
    }
}

#[tokio::test]
async fn two_owners_who_edit_one_member_at_once_lose_no_update() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Running).await;
        let root = app.super_admin().await;
        let edits = (0..20).map(|n| add_one(if n % 2 == 0 { &owner } else { &root }));
        join_all(edits).await;
        assert_eq!(owner.get("/api/groups/1/members").await.ok()[0]["budget"], sample::BUDGET - 17 + 20);

        // Without `expectedBudget` the last one wins, and the ledger still adds up.
        let set = (0..20).map(|n| {
            let who = if n % 2 == 0 { &owner } else { &root };
            who.patch("/api/groups/1/members/2/budget", json!({"budget": 500 + n}))
        });
        assert!(join_all(set).await.iter().all(|answer| answer.status == 200));
    })
    .await;
}

#[tokio::test]
async fn several_budgets_are_set_together_or_not_at_all() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Running).await;
        let grace = owner.post("/api/groups/1/members", json!({"email": "grace@test.example"})).await.ok();
        let grace = grace["userId"].as_i64().expect("an id");
        let budgets = |user: i64| json!([{"userId": grace, "budget": 30}, {"userId": 2, "budget": user}]);
        let refused = owner.patch("/api/groups/1/members/budgets", budgets(9)).await.refused(409);
        assert_eq!(refused, "userId 2: The budget cannot be less than the 10 credits that running simulations hold");
        let unknown = json!([{"userId": 2, "budget": 30}, {"userId": 99, "budget": 30}]);
        let refused = owner.patch("/api/groups/1/members/budgets", unknown).await.refused(404);
        assert_eq!(refused, "userId 99: Member not found");
        let of = |members: &Value| -> Vec<i64> {
            members.as_array().expect("a list").iter().filter_map(|member| member["budget"].as_i64()).collect()
        };
        assert_eq!(of(&owner.get("/api/groups/1/members").await.ok()), [0, 983, 0]);
        assert_eq!(of(&owner.patch("/api/groups/1/members/budgets", budgets(10)).await.ok()), [30, 10]);
        let twice = json!([{"userId": 2, "budget": 30}, {"userId": 2, "budget": 40}]);
        owner.patch("/api/groups/1/members/budgets", twice).await.refused(400);
    })
    .await;
}

#[tokio::test]
async fn usage_tells_what_each_member_has_and_has_spent_and_members_see_only_themselves() {
    with_app(async |app| {
        let (owner, user) = planted(app, PlantedRun::Running).await;
        owner.post("/api/groups/1/members", json!({"email": "grace@test.example", "budget": 5})).await.ok();
        let usage = owner.get("/api/groups/1/usage").await.ok();
        assert_eq!((&usage[0]["email"], &usage[0]["spent"]), (&json!("grace@test.example"), &json!(0)));
        assert_eq!((&usage[0]["lastRunAt"], usage[1]["lastRunAt"].is_string()), (&json!(null), true));
        assert_eq!(
            usage[1],
            json!({"userId": 2, "email": "user@test.example", "name": null, "status": "active", "budget": 983,
                "held": 10, "spent": 17, "runs": 1, "lastRunAt": usage[1]["lastRunAt"], "cost": [],
                "costByGroupKeys": []})
        );
        assert_eq!((&usage[2]["email"], &usage[2]["budget"]), (&json!("admin@test.example"), &json!(0)));
        let seen = user.get("/api/groups/1/members").await.ok();
        assert_eq!(seen.as_array().map(Vec::len), Some(1));
        assert_eq!(seen[0]["available"], 973);
        assert_eq!(owner.get("/api/groups/1/members").await.ok().as_array().map(Vec::len), Some(3));
    })
    .await;
}

#[tokio::test]
async fn who_creates_a_group_is_its_member_and_may_make_a_survey_there_at_once() {
    with_app(async |app| {
        let admin = app.client("admin@test.example", Role::Admin).await;
        let group = admin.post("/api/groups", json!({"group_name": "A", "default_budget_per_user": 3})).await.ok();
        assert_eq!((&group["isOwner"], &group["available"]), (&json!(true), &json!(0)));
        let survey = json!({"title": "Tea", "groupId": group["id"]});
        admin.post("/api/surveys", survey.clone()).await.ok();
        let members = admin.get("/api/groups/1/members").await.ok();
        assert_eq!((&members[0]["user"]["email"], &members[0]["budget"]), (&json!("admin@test.example"), &json!(0)));
        assert_eq!(members.as_array().map(Vec::len), Some(1));
        assert_eq!(admin.get("/api/transactions").await.ok(), json!([]));

        // The new owner becomes a member too; the former one stays one.
        let root = app.super_admin().await;
        let next = app.client("next@test.example", Role::User).await;
        root.patch("/api/groups/1", json!({"owner_email": "next@test.example"})).await.ok();
        next.post("/api/surveys", survey.clone()).await.ok();
        admin.post("/api/surveys", survey).await.ok();
    })
    .await;
}

#[tokio::test]
async fn a_member_without_a_budget_of_their_own_gets_the_groups_as_an_entry() {
    with_app(async |app| {
        let (owner, _) = planted(app, PlantedRun::Failed).await;
        owner.patch("/api/groups/1", json!({"initialBudgetPerUser": 600})).await.ok();
        let grace = owner.post("/api/groups/1/members", json!({"email": "grace@test.example"})).await.ok();
        assert_eq!(grace["budget"], 600);
        let entry = owner.get("/api/transactions?limit=1").await.ok();
        assert_eq!((&entry[0]["userId"], &entry[0]["effect"]), (&grace["userId"], &json!(600)));
        let none = json!({"email": "hedy@test.example", "budget": 0});
        assert_eq!(owner.post("/api/groups/1/members", none).await.ok()["budget"], 0);
    })
    .await;
}
