//! The ledger: entries are booked once, visible to their member and owner, and reversed by further entries.

use chrono::{Days, Utc};
use futures_util::future::join_all;
use serde_json::{Value, json};
use twinlab::engine::Timings;
use twinlab::models::queue;
use twinlab::models::settlement::{self, Booked, InterviewReport, NewAnswer};
use twinlab::models::users::Role;
use uuid::Uuid;

use crate::support::interviews::report;
use crate::support::sample::{self, PlantedRun};
use crate::support::{Client, TestApp, with_app};

/// Clients of the planted group's owner, and of its member, who has spent 17 of 1,000 credits.
async fn planted(app: &TestApp) -> (Client, Client) {
    sample::plant(&mut *app.connection().await, PlantedRun::Failed).await;
    (app.client("admin@test.example", Role::Admin).await, app.client("user@test.example", Role::User).await)
}

fn add(amount: i64) -> Value {
    json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": amount})
}

async fn budget(owner: &Client) -> i64 {
    owner.get("/api/groups/1/members").await.ok()[0]["budget"].as_i64().expect("a number")
}

fn column(rows: &Value, name: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    rows.as_array().expect("a list").iter().map(|row| text(&row[name])).collect()
}

#[tokio::test]
async fn a_hundred_parallel_adds_under_one_key_are_one() {
    with_app(async |app| {
        let (owner, _) = planted(app).await;
        let keyed = owner.with_header("idempotency-key", "once");
        let answers = join_all((0..100).map(|_| keyed.post("/api/transactions", add(7)))).await;
        assert!(answers.iter().all(|answer| answer.status == 201), "{answers:?}");
        assert!(answers.iter().all(|answer| answer.body == answers[0].body));
        assert_eq!(budget(&owner).await, sample::BUDGET - 17 + 7);

        let other = keyed.post("/api/transactions", add(8)).await.refused(409);
        assert_eq!(other, "Idempotency-Key was used for another request");
        owner.with_header("idempotency-key", "twice").post("/api/transactions", add(7)).await.ok();
        owner.post("/api/transactions", add(7)).await.ok();
        assert_eq!(budget(&owner).await, sample::BUDGET - 17 + 21);
    })
    .await;
}

#[tokio::test]
async fn a_grant_says_what_it_did_to_whose_budget() {
    with_app(async |app| {
        let (owner, user) = planted(app).await;
        let booked = owner.post("/api/transactions", add(50)).await.ok();
        assert_eq!((&booked["type"], &booked["amount"], &booked["effect"]), (&json!("ADD"), &json!("50"), &json!(50)));
        assert_eq!(booked["description"], "Funds added");
        assert_eq!(booked["groupUser"]["budget"], 1033);
        assert_eq!(booked["groupUser"]["user"]["email"], "user@test.example");
        assert_eq!(booked["groupUser"]["group"]["groupName"], "Testers");
        let set = json!({"groupId": 1, "userId": 2, "type": "SET", "amount": "20", "description": "Exam"});
        let booked = owner.post("/api/transactions", set).await.ok();
        assert_eq!(
            (&booked["amount"], &booked["effect"], &booked["description"]),
            (&json!("20"), &json!(-1013), &json!("Exam"))
        );
        let seen = user.get(&format!("/api/transactions/{}", booked["id"])).await.ok();
        assert_eq!(seen["id"], booked["id"]);
        let used = user.get(&format!("/api/transactions/simulation/{}", sample::SIMULATION_ID)).await.ok();
        assert_eq!(column(&used, "amount"), ["17"]);
        assert_eq!(used[0]["simulationId"], sample::SIMULATION_ID);
    })
    .await;
}

async fn change(app: &TestApp, sql: &str) {
    sample::run(&mut *app.connection().await, sql).await;
}

#[tokio::test]
async fn a_member_is_told_once_that_a_hand_took_all_but_few_credits() {
    with_app(async |app| {
        let (owner, user) = planted(app).await;
        let set = async |budget: i64| {
            owner.patch("/api/groups/1/members/2/budget", json!({"budget": budget})).await.ok();
        };
        let mails = async || {
            let low =
                "SELECT count(*) AS number FROM mails WHERE kind = 'low_budget' AND recipient = 'user@test.example'
                AND facts @> '{\"group\": \"Testers\", \"available\": 99}'";
            sample::number(&mut *app.connection().await, low).await
        };
        set(99).await;
        assert_eq!(mails().await, 0, "who has never signed in gets no mail");
        change(app, "UPDATE users SET is_verified = true").await;
        set(100).await;
        assert_eq!(mails().await, 0, "a hundred twins can still be asked");
        set(99).await;
        assert_eq!(mails().await, 1);
        set(98).await;
        set(99).await;
        assert_eq!(mails().await, 1, "they know already");
        for _ in 0..20 {
            set(1_000).await;
            set(99).await;
        }
        assert_eq!(mails().await, 1, "one mail a day, however often an owner takes the credits");
        change(app, "UPDATE mails SET occasion = 'of the day before' WHERE kind = 'low_budget'").await;
        set(1_000).await;
        set(99).await;
        assert_eq!(mails().await, 2, "the next day is another one");
        let booked = owner.post("/api/transactions", add(900)).await.ok();
        let mut wishes = user.get("/api/auth/settings").await.ok();
        wishes["lowBudget"] = json!(false);
        user.put("/api/auth/settings", wishes).await.ok();
        app.super_admin().await.delete(&format!("/api/transactions/{}", booked["id"])).await.ok();
        assert_eq!((budget(&owner).await, mails().await), (99, 2), "they do not want to hear it");
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_booked_changes_nothing() {
    with_app(async |app| {
        let (owner, _) = planted(app).await;
        for (body, status) in [
            (json!({"groupId": 1, "userId": 2, "type": "MINES", "amount": 5}), 400),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": -5}), 400),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 1.5}), 400),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": "five"}), 400),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 1e300}), 400),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 1_000_000_000_000_i64}), 409),
            (json!({"groupId": 1, "userId": 3, "type": "ADD", "amount": 5}), 404),
            (json!({"groupId": i64::MAX, "userId": 2, "type": "ADD", "amount": 5}), 404),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 5, "description": "a\u{0}"}), 400),
            (json!({"groupId": 1, "userId": 2, "type": "ADD", "amount": 5, "description": "a".repeat(501)}), 400),
        ] {
            owner.post("/api/transactions", body).await.refused(status);
        }
        let several = json!({"transactions": [add(5), {"groupId": 1, "userId": 99, "type": "ADD", "amount": 5}]});
        let refused = owner.post("/api/transactions/bulk", several).await.refused(404);
        assert_eq!(refused, "transactions[1]: Member not found");
        owner.post("/api/transactions/bulk", json!({"transactions": []})).await.refused(400);
        assert_eq!(budget(&owner).await, sample::BUDGET - 17);
    })
    .await;
}

#[tokio::test]
async fn several_grants_are_booked_together_in_the_order_asked_for_and_once_under_a_key() {
    with_app(async |app| {
        let (owner, _) = planted(app).await;
        let grace = owner.post("/api/groups/1/members", json!({"email": "grace@test.example"})).await.ok();
        let for_grace = json!({"groupId": 1, "userId": grace["userId"], "type": "ADD", "amount": 3});
        let several = json!({"transactions": [for_grace, add(4), for_grace]});
        let keyed = owner.with_header("idempotency-key", "bulk");
        let first = keyed.post("/api/transactions/bulk", several.clone()).await.ok();
        assert_eq!(column(&first, "amount"), ["3", "4", "3"]);
        assert_eq!(keyed.post("/api/transactions/bulk", several).await.ok(), first);
        assert_eq!(column(&owner.get("/api/groups/1/members").await.ok(), "budget"), ["6", "987", "0"]);
    })
    .await;
}

#[tokio::test]
async fn the_ledger_is_filtered_sorted_counted_and_paged_by_the_database() {
    with_app(async |app| {
        let (owner, user) = planted(app).await;
        for amount in [5, 300, 40] {
            owner.post("/api/transactions", add(amount)).await.ok();
        }
        let of = async |query: &str| column(&owner.get(&format!("/api/transactions?{query}")).await.ok(), "amount");
        assert_eq!(of("").await, ["40", "300", "5", "17", "1000"]);
        assert_eq!(of("order=asc").await, ["1000", "17", "5", "300", "40"]);
        // The run's entry is a use of 17 credits.
        assert_eq!(of("sort=amount").await, ["1000", "300", "40", "5", "17"]);
        assert_eq!(of("sort=amount&order=asc&limit=2").await, ["17", "5"]);
        assert_eq!(of("sort=type").await, ["1000", "17", "40", "300", "5"]);
        assert_eq!(of("type=ADD&sort=amount").await, ["300", "40", "5"]);
        assert_eq!(of("q=FUNDS+added").await, ["40", "300", "5"]);
        assert_eq!(of("q=user@test&type=MINES").await, ["17"]);
        assert_eq!(of("q=testers&limit=1").await, ["40"]);
        assert_eq!(of("q=100%25").await, Vec::<String>::new());
        assert_eq!(of("group=2").await, Vec::<String>::new());
        assert_eq!(of("groupId=1&limit=1").await, ["40"]);
        let page = owner.get("/api/transactions/user-groups?limit=2").await;
        assert_eq!(page.headers["x-total-count"], "5");
        for wrong in ["type=GIFT", "sort=colour", "order=up", "group=x", "q=%00", "limit=0"] {
            owner.get(&format!("/api/transactions?{wrong}")).await.refused(400);
        }

        for path in ["/api/transactions/group/1", "/api/transactions/user/2"] {
            let stats = user.get(&format!("{path}/stats")).await.ok();
            assert_eq!(
                stats,
                json!({"count": 5, "totalAdded": 345, "totalUsed": 17, "totalSet": 1000, "net": 1328, "cost": [], "costByGroupKeys": []})
            );
            assert_eq!(user.get(&format!("{path}/count?type=ADD")).await.ok(), json!({"count": 3}));
            assert_eq!(column(&user.get(path).await.ok(), "amount").len(), 5);
        }
        assert_eq!(column(&owner.get("/api/groups/1/transactions?type=SET").await.ok(), "amount"), ["1000"]);
        let stranger = app.client("other@test.example", Role::Admin).await;
        assert_eq!(stranger.get("/api/transactions/all").await.ok(), json!([]));
        let root = app.super_admin().await;
        assert_eq!(column(&root.get("/api/transactions/all").await.ok(), "id").len(), 5);
        assert_eq!(root.get("/api/transactions/user-groups").await.ok(), json!([]));

        // Found by three letters, by fewer, and by wildcard characters; not by three letters that are not adjacent.
        let mut described = add(7);
        described["description"] = "Ärger: 50 %_off, 日本語".into();
        owner.post("/api/transactions", described).await.ok();
        for (q, amounts) in [
            ("rger%3A+50+", vec!["7"]),
            ("日本語", vec!["7"]),
            ("本", vec!["7"]),
            ("%25_O", vec!["7"]),
            ("F", vec!["7", "40", "300", "5"]),
            ("off", vec!["7"]),
            ("unds+", vec!["40", "300", "5"]),
            ("rger+50", vec![]),
        ] {
            assert_eq!(of(&format!("q={q}")).await, amounts, "{q}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_ledger_has_running_balances_sums_and_days_and_is_had_as_csv() {
    with_app(async |app| {
        let (owner, user) = planted(app).await;
        for amount in [5, 300] {
            owner.post("/api/transactions", add(amount)).await.ok();
        }
        let rows = owner.get("/api/transactions/user-groups").await.ok();
        assert_eq!(column(&rows, "balance"), ["1288", "988", "983", "1000"]);
        // The balance is the member's, even if the list omits entries.
        let rows = owner.get("/api/transactions/user-groups?type=ADD&order=asc").await.ok();
        assert_eq!(column(&rows, "balance"), ["988", "1288"]);

        let sums = json!({"count": 2, "totalAdded": 305, "totalUsed": 0, "totalSet": 0, "net": 305, "cost": [], "costByGroupKeys": []});
        for path in ["all", "user-groups"] {
            assert_eq!(user.get(&format!("/api/transactions/{path}/stats?type=ADD")).await.ok(), sums);
        }
        let today = Utc::now().date_naive();
        let count =
            async |query: String| owner.get(&format!("/api/transactions?{query}")).await.ok().as_array().map(Vec::len);
        assert_eq!(count(format!("type=ADD&from={today}&to={today}")).await, Some(2));
        assert_eq!(count(format!("type=ADD&from={}", today + Days::new(2))).await, Some(0));
        assert_eq!(count(format!("type=ADD&to={}", today - Days::new(2))).await, Some(0));
        owner.get("/api/transactions?from=yesterday").await.refused(400);

        let mut described = add(7);
        described["description"] = "=1+1, or \"two\"".into();
        owner.post("/api/transactions", described).await.ok();
        let file = user.get("/api/transactions/user-groups/export.csv?order=asc").await;
        assert_eq!(file.headers["content-type"], "text/csv; charset=utf-8");
        let text = String::from_utf8(file.bytes.to_vec()).expect("it is UTF-8");
        let mut lines = csv::Reader::from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let heads = lines.headers().expect("it has a head").clone();
        let cells = |name: &str, lines: &[csv::StringRecord]| -> Vec<String> {
            let at = heads.iter().position(|head| head == name).expect("it has the column");
            lines.iter().map(|line| line[at].to_owned()).collect()
        };
        let lines: Vec<_> = lines.records().map(|line| line.expect("it is a line")).collect();
        assert_eq!(cells("amount", &lines), ["1000", "-17", "5", "300", "7"]);
        assert_eq!(cells("balance", &lines), ["1000", "983", "988", "1288", "1295"]);
        assert_eq!(cells("userEmail", &lines)[0], "user@test.example");
        assert_eq!(cells("description", &lines)[4], "'=1+1, or \"two\"");
        let stranger = app.client("other@test.example", Role::Admin).await;
        let file = stranger.get("/api/transactions/all/export.csv").await;
        assert_eq!(String::from_utf8(file.bytes.to_vec()).expect("it is UTF-8").lines().count(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_is_remembered_of_the_ledger_follows_its_entries_and_the_names_of_people_and_groups() {
    with_app(async |app| {
        let (owner, _) = planted(app).await;
        let list = async |query: &str| {
            let answer = owner.get(&format!("/api/transactions?limit=2{query}")).await;
            let total = answer.headers["x-total-count"].to_str().expect("a number").to_owned();
            (total, column(&answer.ok(), "amount"))
        };
        let page = |total: &str, amounts: &[&str]| (total.to_owned(), amounts.iter().map(|it| (*it).into()).collect());
        for round in 0..2 {
            assert_eq!(list("").await, page("2", &["17", "1000"]), "{round}");
            assert_eq!(list("&q=staff").await, page("0", &[]), "{round}");
            assert_eq!(list("&sort=amount").await, page("2", &["1000", "17"]), "{round}");
        }
        owner.post("/api/transactions", add(40)).await.ok();
        assert_eq!(list("").await, page("3", &["40", "17"]));
        owner.patch("/api/groups/1", json!({"group_name": "Staff"})).await.ok();
        assert_eq!(list("&q=staff").await, page("3", &["40", "17"]));
        let count = owner.get("/api/transactions/group/1/count?q=staff").await.ok();
        assert_eq!(count, json!({"count": 3}));
        // The order of the entries is cached, not their content.
        let later = "UPDATE transactions SET updated_at = '2031-01-01T00:00:00Z' WHERE type = 'MINES'";
        sample::run(&mut *app.connection().await, later).await;
        let page = owner.get("/api/transactions?limit=2&q=staff").await.ok();
        assert_eq!(page[1]["updatedAt"], "2031-01-01T00:00:00Z");
    })
    .await;
}

#[tokio::test]
async fn an_order_by_amount_follows_what_runs_use() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, PlantedRun::Running).await;
        let owner = app.client("admin@test.example", Role::Admin).await;
        owner.post("/api/transactions", add(20)).await.ok();
        let sorted = async |order: &str| {
            column(&owner.get(&format!("/api/transactions?sort=amount&order={order}")).await.ok(), "amount")
        };
        for round in 0..2 {
            assert_eq!(sorted("desc").await, ["1000", "20", "17"], "{round}");
            assert_eq!(sorted("asc").await, ["17", "20", "1000"], "{round}");
        }
        let answered = answer(app, 3).await;
        assert_eq!(answered, [Booked::Stored]);
        assert_eq!(sorted("desc").await, ["1000", "20", "26"]);
        assert_eq!(sorted("asc").await, ["26", "20", "1000"]);
    })
    .await;
}

/// Settles all nine answers of a persona in the planted run.
async fn answer(app: &TestApp, twin: i32) -> Vec<Booked> {
    let lease = Timings::default().interview_lease;
    let connection = &mut *app.connection().await;
    let claims = queue::claim(connection, sample::SIMULATION, 10, lease, Uuid::nil(), None).await.expect("the queue");
    let claim = claims.iter().find(|claim| claim.persona_id == twin).expect("its interview");
    let answers = (1..).zip(sample::answers()).map(|(question_id, (answer, answer_value))| NewAnswer {
        question_id,
        answer: answer.to_owned(),
        answer_value,
        distribution: None,
        provenance: sample::provenance("gpt-test"),
    });
    let report = InterviewReport { answers: answers.collect(), finished: true, ..report(twin, claim.lease()) };
    let settled = settlement::settle(&mut app.database.connect(), sample::SIMULATION, &[report]);
    settled.expect("the database answers").booked
}

#[tokio::test]
async fn who_asks_the_same_at_the_same_time_is_shown_what_the_group_is_to_them() {
    with_app(async |app| {
        planted(app).await;
        let owner = app.client("owner@test.example", Role::SuperAdmin).await;
        let other = app.client("other@test.example", Role::SuperAdmin).await;
        let owned = "UPDATE groups SET owner_id = (SELECT id FROM users WHERE email = 'owner@test.example')";
        sample::run(&mut *app.connection().await, owned).await;
        let asked = (0..40).map(async |turn| {
            let owns = turn % 2 == 0;
            let page = if owns { &owner } else { &other }.get("/api/transactions?limit=1").await.ok();
            (page[0]["groupUser"]["group"]["isOwner"].as_bool(), Some(owns))
        });
        let shown = join_all(asked).await;
        assert!(shown.iter().all(|(shown, owns)| shown == owns), "{shown:?}");
    })
    .await;
}

#[tokio::test]
async fn a_reversal_undoes_an_entry_once_and_erases_nothing() {
    with_app(async |app| {
        let (owner, _) = planted(app).await;
        let root = app.super_admin().await;
        let added = owner.post("/api/transactions", add(50)).await.ok();
        let path = format!("/api/transactions/{}", added["id"]);
        owner.delete(&path).await.refused(403);
        let answers = join_all((0..10).map(|_| root.delete(&path))).await;
        let done: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(done.len(), 1, "{answers:?}");
        let reversal = &done[0].body;
        assert_eq!((&reversal["amount"], &reversal["effect"]), (&json!("-50"), &json!(-50)));
        assert_eq!(reversal["reverses"], added["id"]);
        assert!(owner.get(&path).await.ok()["reversedAt"].is_string());
        assert_eq!(budget(&owner).await, sample::BUDGET - 17);
        assert_eq!(root.delete(&path).await.refused(409), "The transaction is reversed already");
        let again = root.delete(&format!("/api/transactions/{}", reversal["id"])).await.refused(409);
        assert_eq!(again, "A reversal cannot be reversed");

        let set = json!({"groupId": 1, "userId": 2, "type": "SET", "amount": 100});
        let set = owner.post("/api/transactions", set).await.ok();
        let undone = root.delete(&format!("/api/transactions/{}", set["id"])).await.ok();
        assert_eq!((&undone["amount"], &undone["effect"]), (&json!("983"), &json!(883)));
        let audits = "SELECT count(*) AS number FROM audit_log WHERE action = 'reverse'";
        assert_eq!(sample::number(&mut *app.connection().await, audits).await, 2);
    })
    .await;
}

#[tokio::test]
async fn what_was_used_or_spent_meanwhile_is_not_taken_back() {
    with_app(async |app| {
        let (owner, user) = planted(app).await;
        let root = app.super_admin().await;
        let used = user.get("/api/transactions?type=MINES").await.ok();
        let refused = root.delete(&format!("/api/transactions/{}", used[0]["id"])).await.refused(409);
        assert_eq!(refused, "Credits that a simulation used cannot be given back by a reversal");
        let initial = user.get("/api/transactions?type=SET").await.ok();
        let refused = root.delete(&format!("/api/transactions/{}", initial[0]["id"])).await.refused(409);
        assert!(refused.starts_with("The budget is 983 credits"), "{refused}");
        owner.delete("/api/groups/1/members/2").await;
        let refused = root.delete(&format!("/api/transactions/{}", initial[0]["id"])).await.refused(409);
        assert_eq!(refused, "The member was removed from the group");
        root.delete("/api/transactions/999").await.refused(404);
    })
    .await;
}
