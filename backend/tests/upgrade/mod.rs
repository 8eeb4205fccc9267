//! Upgrades of databases of earlier versions.
//!
//! `fixtures/database-1.0.0.sql.gz` is a dump of a database that [`fill`] filled: surveys with every type of question,
//! with a design, and from an import; runs in every state, in batches and with raw replies; a study by a frozen plan; a
//! validation; stored answers of people; a ledger with grants and a reversal. `scripts/release-fixtures` writes such a
//! file, once for each release. Every migration after a release is tested on that release's file.

mod fill;
mod reads;

use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::Write;
use std::process::Command;

use diesel::connection::SimpleConnection;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use model_server::{Faults, ModelServer};
use simulation::status::Status;
use twinlab::engine::Timings;
use twinlab::{db, postgres};

use crate::support::engine_fixture::{engine, until};
use crate::support::{Database, Outcome, TestApp, sample, twinlab};

const DUMP: &[u8] = include_bytes!("../fixtures/database-1.0.0.sql.gz");

diesel::table! {
    pg_tables (schemaname, tablename) {
        schemaname -> Text,
        tablename -> Text,
    }
}

/// Number of rows in each table, including the queue.
fn rows(database: &Database) -> BTreeMap<String, i64> {
    let connection = &mut database.connect();
    let tables: Vec<(String, String)> = pg_tables::table
        .filter(pg_tables::schemaname.eq_any(["public", "pgmq"]))
        .filter(pg_tables::tablename.ne("__diesel_schema_migrations"))
        .select((pg_tables::schemaname, pg_tables::tablename))
        .load(connection)
        .expect("the tables are listed");
    let count = |(schema, table): (String, String)| {
        let name = format!("{schema}.{table}");
        let rows = diesel::select(sql::<BigInt>(&format!("(SELECT count(*) FROM {name})")));
        (name, rows.get_result(connection).expect("the rows are counted"))
    };
    tables.into_iter().map(count).collect()
}

fn restored(dump: &str) -> Database {
    let database = Database::empty();
    // Lines with a backslash are commands of psql.
    let statements: Vec<&str> = dump.lines().filter(|line| !line.starts_with('\\')).collect();
    database.connect().batch_execute(&statements.join("\n")).expect("the dump is restored");
    database
}

/// Tables that have another name since.
const RENAMED: [(&str, &str); 1] = [("public.model_server", "public.model_servers")];

/// Checks that the database migrates, keeps every row, passes `verify`, answers every read, and that its runs continue.
async fn serves_as_before(database: Database) {
    let before = rows(&database);
    assert!(before["public.responses"] >= 200, "{before:#?}");
    db::migrate(database.url()).await.expect("the database migrates");
    let after = rows(&database);
    for (table, rows) in &before {
        let renamed = RENAMED.iter().find(|(old, _)| old == table).map_or(table.as_str(), |(_, new)| new);
        assert_eq!(after.get(renamed), Some(rows), "{table}");
    }
    let verified = Outcome::of(twinlab().arg("verify").env("DATABASE_URL", database.url()));
    assert_eq!(verified.code, Some(0), "{verified:#?}");

    let url = database.url().to_owned();
    let app = TestApp::start_at(database, &url, &[]).await;
    reads::read_everything(&app).await;
    let pool = app.database.pool().await;
    let author = fill::author(&app).await;
    let (id, address) = fill::paused_run(&app).await;
    author.post(&format!("{address}/resume"), serde_json::json!(null)).await.ok();
    let stub = ModelServer::start(Faults::demo());
    let engine = engine(&url, &stub, Timings::default(), |_| ()).await;
    let run = until(&pool, id, |run| run.status.is_over()).await;
    engine.shut_down().await;
    assert_eq!((run.status, run.successful_requests), (Status::Completed, run.total_requests), "{run:#?}");
    assert!(sample::all_breaches(&mut *app.connection().await).await.is_empty());
    app.stop().await;
}

#[actix_web::test]
async fn a_database_of_version_1_0_0_keeps_its_data_and_its_runs_go_on() {
    let dump = std::io::read_to_string(GzDecoder::new(DUMP)).expect("a compressed text");
    serves_as_before(restored(&dump)).await;
}

/// Writes the dump to the file that `DATABASE_FIXTURE` names, if it is set.
#[actix_web::test]
#[ignore = "fills a database with everything, which takes seconds: scripts/release-fixtures"]
async fn a_database_that_is_filled_now_does_as_well() {
    let app = TestApp::start(&[]).await;
    fill::fill(&app).await;
    let pg_dump = postgres::client(None, "pg_dump", 15).expect("PostgreSQL is installed");
    let mut command = Command::new(pg_dump);
    command.args(["--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=500"]);
    // These tables have no meaning later.
    command.args(["--exclude-table-data=workers", "--exclude-table-data=session_secret"]);
    let dump = command.args(["--dbname", app.database.url()]).output().expect("it starts");
    assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
    app.stop().await;
    let dump = String::from_utf8(dump.stdout).expect("UTF-8");
    serves_as_before(restored(&dump)).await;
    if let Some(path) = env::var_os("DATABASE_FIXTURE") {
        let mut file = GzEncoder::new(File::create(path).expect("the file can be written"), Compression::best());
        file.write_all(dump.as_bytes()).expect("it is written");
        file.finish().expect("it is written");
    }
}
