//! A database of an earlier version, with its data, under this version.
//!
//! `fixtures/database-0.1.0.sql` is a dump (`pg_dump --inserts`) of a database that version 0.1.0 filled through its API:
//! a group with members, grants and a reversal, two imported sets of personas, a survey with each type of question, and
//! runs in every state. A worker was killed while it ran the last one.

use std::collections::BTreeMap;

use diesel::connection::SimpleConnection;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use model_server::{Faults, ModelServer};
use twinlab::db;
use twinlab::models::simulations::{Status, control};

use crate::support::engine_fixture::EngineFixture;
use crate::support::{Database, sample};

const DUMP: &str = include_str!("fixtures/database-0.1.0.sql");

/// The runs of the dump that are not over.
const PAUSED: i64 = 5;
const INTERRUPTED: i64 = 7;

diesel::table! {
    pg_tables (tablename) {
        schemaname -> Text,
        tablename -> Text,
    }
}

/// The rows of each of the product's tables and of its queue.
fn rows(connection: &mut PgConnection) -> BTreeMap<String, i64> {
    let mut tables: Vec<String> = pg_tables::table
        .filter(pg_tables::schemaname.eq("public").and(pg_tables::tablename.ne("__diesel_schema_migrations")))
        .select(pg_tables::tablename)
        .load(connection)
        .expect("the tables are listed");
    tables.push("pgmq.q_interviews".to_owned());
    let count = |name: String| {
        let rows = sql::<BigInt>(&format!("(SELECT count(*) FROM {name})"));
        let rows = diesel::select(rows).get_result(connection).expect("the rows are counted");
        (name, rows)
    };
    tables.into_iter().map(count).collect()
}

#[actix_web::test]
async fn a_database_of_version_0_1_0_keeps_its_data_and_its_runs_go_on() {
    let database = Database::empty();
    database.connect().batch_execute(DUMP).expect("the dump is restored");
    let before = rows(&mut database.connect());
    assert_eq!((before["simulations"], before["responses"], before["pgmq.q_interviews"]), (7, 191, 10));

    db::migrate(database.url()).await.expect("the database migrates");
    let after = rows(&mut database.connect());
    for (table, rows) in before {
        // The owner of the group is its member from now on.
        let rows = if table == "group_members" { rows + 1 } else { rows };
        assert_eq!(after.get(&table), Some(&rows), "{table}");
    }
    let pool = database.pool().await;
    let fixture = EngineFixture { database, pool: pool.clone(), group_id: 1, owner_id: 1, user_id: 3 };
    let conn = &mut *pool.get().await.expect("a connection");
    assert!(sample::all_breaches(conn).await.is_empty());

    control::resume(conn, PAUSED).await.expect("a paused run is resumed");
    let stub = ModelServer::start(Faults::default());
    let engine = fixture.engine(&stub, |_| {}).await;
    for id in [PAUSED, INTERRUPTED] {
        let run = fixture.ended(id).await;
        assert_eq!((run.status, run.successful_requests), (Status::Completed, run.total_requests), "{run:#?}");
    }
    engine.shut_down().await;
    assert!(sample::all_breaches(conn).await.is_empty());
}
