//! Lists where much is stored: whoever asks, the database reads about as many rows as are theirs, not all there are.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::future::join_all;
use twinlab::db;
use twinlab::models::users::Role;

use crate::support::{Client, TestApp, sample};

/// 40 groups of 50, 4,000 surveys that ran once each, 20,000 answers, 24,000 entries of the ledger. Group 1 is owned by
/// user 1, and user 41 is a member of it: a fortieth of everything is the one's, next to nothing the other's.
const MUCH: &str = "
    INSERT INTO users (id, email, role)
        SELECT n, n || '@much.example', CASE WHEN n <= 40 THEN 'admin' WHEN n < 2000 THEN 'user' ELSE 'super_admin' END
        FROM generate_series(1, 2000) AS n;
    INSERT INTO groups (id, group_name, owner_id) SELECT n, 'Group ' || n, n FROM generate_series(1, 40) AS n;
    INSERT INTO group_members (group_id, user_id) SELECT 1 + (n - 1) % 40, n FROM generate_series(1, 2000) AS n;
    INSERT INTO persona_sets (id, source, is_current) VALUES (1, 'much', true);
    INSERT INTO personas (set_id, id, pid, name, summary)
        SELECT 1, n, n, 'Twin ' || n, 'One' FROM generate_series(1, 200) AS n;
    INSERT INTO surveys (id, user_id, group_id, title, visibility)
        SELECT n, 1 + (n - 1) % 2000, 1 + (n - 1) % 40, 'Survey', CASE n % 3 WHEN 0 THEN 'PUBLIC' ELSE 'PRIVATE' END
        FROM generate_series(1, 4000) AS n;
    INSERT INTO questions (id, survey_id, position, text, name, question_type)
        SELECT n, 1 + (n - 1) % 4000, 1, 'Why?', 'Why', 'TEXT_ENTRY' FROM generate_series(1, 4000) AS n;
    INSERT INTO simulations (id, survey_id, user_id, group_id, persona_set_id, status, persona_count, question_count,
        total_requests, successful_requests, open_requests, held, parameters, survey_snapshot, survey_hash, demo_model,
        program_version, created_at, completed_at)
        SELECT id, id, user_id, group_id, 1, 'COMPLETED', 200, 1, 200, 200, 0, 0,
            '{\"model\": \"m\", \"temperature\": null, \"seed\": 1, \"questionsPerCall\": 1, \"personaVariant\": \"summary\",
              \"shuffleOptions\": false}',
            jsonb_build_object('title', title, 'description', '', 'questions', jsonb_build_array(jsonb_build_object(
                'id', id, 'order', 1, 'text', 'Why?', 'questionType', 'TEXT_ENTRY', 'required', true,
                'options', '[]'::jsonb, 'scale_labels', '[]'::jsonb, 'subQuestions', '[]'::jsonb))),
            '', false, '', now() - id * interval '1 minute', now()
        FROM surveys;
    INSERT INTO simulation_personas
        SELECT run, twin, 1 FROM generate_series(1, 4000, 40) AS run, generate_series(1, 200) AS twin;
    INSERT INTO simulation_questions SELECT id, id, 1 FROM questions;
    INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, attempt, model, prompt_hash,
        latency_ms, prompt_tokens, cached_tokens, completion_tokens)
        SELECT simulation_id, persona_id, simulation_id, 'So', '\"So\"', 1, 'm', '', 1, 1, 0, 1 FROM simulation_personas;
    INSERT INTO transactions (group_id, user_id, type, amount, effect, description, created_at)
        SELECT group_id, user_id, 'ADD', n, n, 'Grant', now() - n * interval '1 minute'
        FROM group_members, generate_series(1, 10) AS n;
    INSERT INTO transactions (group_id, user_id, type, amount, effect, description, simulation_id, attempt, created_at)
        SELECT group_id, user_id, 'MINES', 200, -200, 'Run', id, 1, created_at FROM simulations";

/// A table with much in it.
#[derive(Debug, PartialEq, Eq, QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
    /// Rows and entries of indexes read so far.
    #[diesel(sql_type = BigInt)]
    read: i64,
    #[diesel(sql_type = BigInt)]
    rows: i64,
}

/// What was read by now, once the watcher and every connection of the app have told.
async fn tables(app: &TestApp, watcher: &mut AsyncPgConnection) -> Vec<Table> {
    sample::run(watcher, "SELECT pg_stat_force_next_flush()").await;
    let pool = &app.app.pool;
    let mut open = join_all((0..pool.stats().connections).map(|_| db::checkout(pool))).await;
    for connection in open.iter_mut().map(|connection| connection.as_mut().expect("it is free")) {
        sample::run(connection, "SELECT pg_stat_force_next_flush()").await;
    }
    diesel::sql_query(
        "SELECT t.relname::text AS name, (seq_tup_read + coalesce(
             (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes AS i WHERE i.relid = t.relid), 0))::bigint AS read,
             reltuples::bigint AS rows
         FROM pg_stat_user_tables AS t JOIN pg_class ON oid = relid WHERE reltuples >= 4000 ORDER BY t.relname",
    )
    .load(watcher)
    .await
    .expect("the query runs")
}

#[tokio::test]
async fn no_list_reads_more_than_is_the_callers() {
    let app = TestApp::start(&[]).await;
    let mut watcher = db::session(app.database.url()).await.expect("a connection");
    sample::run(&mut watcher, MUCH).await;
    sample::run(&mut watcher, "ANALYZE").await;
    let (owner, member) =
        (app.client("1@much.example", Role::Admin).await, app.client("41@much.example", Role::User).await);
    let run: String = member.get("/api/simulations").await.ok()[0]["simulationId"].as_str().expect("an id").to_owned();
    let answers = format!("surveys/41/simulation/{run}/responses");
    let lists = [
        "groups/my?limit=10",
        "groups/1/members?limit=10",
        "groups/1/transactions?limit=10",
        "groups/transactions/all?limit=10",
        "transactions?limit=10",
        "transactions?limit=10&type=MINES",
        "transactions?limit=10&sort=amount",
        "transactions?limit=10&sort=amount&order=asc",
        "transactions?limit=10&sort=type&order=asc",
        "transactions/user-groups?limit=10",
        "transactions/group/1?limit=10",
        "transactions/group/1/stats",
        "transactions/group/1/count",
        "transactions/user/41?limit=10",
        "transactions/user/41/stats",
        &format!("transactions/simulation/{run}?limit=10"),
        "surveys/my?limit=10",
        "surveys/my?limit=10&shared=true",
        "surveys/41/questions",
        "surveys/41/simulation-history?limit=10",
        "simulations?limit=10",
        "simulations?limit=10&status=FAILED",
        "simulations?limit=10&groupId=1",
        &format!("simulations/{run}/failures"),
        &format!("{answers}/formatted?limit=10"),
        &format!("{answers}/debug?limit=10"),
        &format!("{answers}/counts"),
    ];
    let root = app.client("2000@much.example", Role::SuperAdmin).await;
    let counted = read_too_much(&app, &mut watcher, &root, "transactions?limit=10").await;
    assert_eq!(counted, None, "who sees all of it counts none of it");
    let mut greedy = Vec::new();
    for (who, caller) in [("the owner", &owner), ("a member", &member)] {
        for list in lists {
            greedy.extend(
                read_too_much(&app, &mut watcher, caller, list).await.map(|table| format!("{who}: {list}: {table:?}")),
            );
        }
    }
    assert!(greedy.is_empty(), "{greedy:#?}");
    app.stop().await;
}

/// Another 20,000 entries of user 41, newer than that of their run, which has grown since.
const MANY_OF_ONE: &str = "
    INSERT INTO transactions (group_id, user_id, type, amount, effect, description, created_at)
        SELECT 1, 41, 'ADD', 1 + n % 7, 1 + n % 7, 'Grant', now() + n * interval '1 minute'
        FROM generate_series(1, 20000) AS n;
    UPDATE transactions SET amount = 300, effect = -300 WHERE simulation_id = 41;
    UPDATE group_members m SET budget = 1000000 + t.sum
        FROM (SELECT user_id, sum(effect) FROM transactions GROUP BY 1) AS t WHERE t.user_id = m.user_id;
    INSERT INTO transactions (group_id, user_id, type, amount, effect, description, created_at)
        SELECT group_id, user_id, 'ADD', 1000000, 1000000, 'First', '2020-01-01' FROM group_members";

#[tokio::test]
async fn a_page_of_a_member_with_many_entries_reads_that_page_and_shows_the_balance_after_each() {
    let app = TestApp::start(&[]).await;
    let mut watcher = db::session(app.database.url()).await.expect("a connection");
    for statements in [MUCH, MANY_OF_ONE, "ANALYZE"] {
        sample::run(&mut watcher, statements).await;
    }
    let sum = "SELECT t.id, (SELECT sum(b.effect) FROM transactions b WHERE b.user_id = 41
        AND (b.created_at, b.id) <= (t.created_at, t.id))::bigint AS balance
        FROM transactions t WHERE t.user_id = 41 AND t.id % 100 = 0";
    let summed: Vec<Balance> = diesel::sql_query(sum).load(&mut watcher).await.expect("the query runs");
    let member = app.client("41@much.example", Role::User).await;
    let mut compared = 0;
    for (page, is_at_an_end) in [
        ("limit=500", true),
        ("limit=500&order=asc", true),
        ("limit=500&offset=9000", false),
        ("limit=500&offset=11500", false),
        ("limit=500&sort=amount", false),
        ("limit=50&type=MINES", false),
    ] {
        let before = tables(&app, &mut watcher).await;
        let entries = member.get(&format!("/api/transactions?{page}")).await.ok();
        let after = tables(&app, &mut watcher).await;
        let read = |tables: &[Table]| tables.iter().find(|table| table.name == "transactions").map(|table| table.read);
        let read = read(&after).zip(read(&before)).map(|(after, before)| after - before).expect("it has statistics");
        assert!(!is_at_an_end || (1..5_000).contains(&read), "{page}: {read} rows");
        for entry in entries.as_array().expect("a list") {
            let id: i64 = entry["id"].as_i64().expect("an id");
            if let Some(sum) = summed.iter().find(|sum| sum.id == id) {
                assert_eq!(entry["balance"], sum.balance, "{page}: {id}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 20, "{compared}");
    app.stop().await;
}

#[derive(QueryableByName)]
struct Balance {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    balance: i64,
}

/// A table of which the list read more than a quarter.
async fn read_too_much(app: &TestApp, watcher: &mut AsyncPgConnection, caller: &Client, list: &str) -> Option<Table> {
    let before = tables(app, watcher).await;
    caller.get(&format!("/api/{list}")).await.ok();
    let after = tables(app, watcher).await;
    assert!(before.len() >= 6, "{before:?}");
    let read = after.into_iter().zip(before).map(|(after, before)| Table { read: after.read - before.read, ..after });
    read.into_iter().find(|table| table.read > table.rows / 4)
}
