//! Brings a database to this program's version: our tables, pgmq's, and the queue of interviews.

use std::collections::HashSet;

use diesel::migration::{Migration, MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use sqlx::ConnectOptions;
use sqlx::postgres::PgPoolOptions;
use tokio::task::spawn_blocking;

use super::tls::DatabaseUrl;
use crate::error::{Error, Result};

/// The pgmq queue with one message an interview.
pub const QUEUE: &str = "interviews";

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../migrations");
/// As `server_version_num` has it.
const MIN_SERVER_VERSION: i32 = 150_000;
/// The advisory lock of migrations: any number that nothing else in the database uses.
const MIGRATION_LOCK: i64 = 0x7477_696e_6c61_6201;

/// Brings the database at `url` to this program's version. Processes that do so at once wait for each other.
///
/// Fails with bad input on a server older than PostgreSQL 15 and on a database that a newer twinlab has migrated.
pub async fn migrate(url: &str) -> Result<()> {
    let address = url.to_owned();
    // The session holds the lock until it is dropped at the end.
    let mut session = blocking(move || {
        let mut connection = super::connect(&address)?;
        check_server(&mut connection)?;
        check_sessions(&address, &mut connection)?;
        diesel::sql_query("SELECT pg_advisory_lock($1)").bind::<BigInt, _>(MIGRATION_LOCK).execute(&mut connection)?;
        migrate_tables(&mut connection)?;
        Ok(connection)
    })
    .await?;
    install_pgmq(url).await?;
    blocking(move || {
        diesel::sql_query("SELECT pgmq.create($1) WHERE NOT EXISTS (SELECT FROM pgmq.meta WHERE queue_name = $1)")
            .bind::<Text, _>(QUEUE)
            .execute(&mut session)?;
        Ok(())
    })
    .await
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|reason| Error::internal(format!("migrating the database: {reason}")))?
}

fn check_server(connection: &mut PgConnection) -> Result<()> {
    let version: i32 = diesel::select(diesel::dsl::sql::<Integer>("current_setting('server_version_num')::integer"))
        .get_result(connection)?;
    if version < MIN_SERVER_VERSION {
        let found = version / 10_000;
        return Err(Error::bad_input(format!("the database is PostgreSQL {found}; twinlab needs 15 or newer")));
    }
    Ok(())
}

/// Refuses a pooler that gives a session's transactions to different servers: settings, locks and notifications would get
/// lost. While one session has a transaction, another is shown which server it has; afterwards, again.
fn check_sessions(url: &str, connection: &mut PgConnection) -> Result<()> {
    let pid = |connection: &mut PgConnection| {
        diesel::select(diesel::dsl::sql::<Integer>("pg_backend_pid()")).get_result::<i32>(connection)
    };
    let mut other = super::connect(url)?;
    let before = connection.transaction(|connection| {
        pid(connection)?;
        pid(&mut other)
    })?;
    if pid(&mut other)? != before {
        return Err(Error::bad_input(
            "DATABASE_URL leads to a connection pooler in transaction mode; twinlab needs session mode or the server itself",
        ));
    }
    Ok(())
}

fn migrate_tables(connection: &mut PgConnection) -> Result<()> {
    let failed =
        |reason: Box<dyn std::error::Error + Send + Sync>| Error::internal(format!("migrating the database: {reason}"));
    let known: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(failed)?;
    let known: HashSet<MigrationVersion<'_>> = known.iter().map(|migration| migration.name().version()).collect();
    if let Some(version) = connection.applied_migrations().map_err(failed)?.iter().find(|v| !known.contains(v)) {
        return Err(Error::bad_input(format!(
            "the database is newer than this twinlab: it has migration {version}; update twinlab"
        )));
    }
    for version in connection.run_pending_migrations(MIGRATIONS).map_err(failed)? {
        tracing::info!(%version, "migrated the database");
    }
    Ok(())
}

/// Through sqlx, because pgmq's installer takes nothing else. pgmq's own `connect` would ignore the URL's parameters.
async fn install_pgmq(url: &str) -> Result<()> {
    let mut installed = Err(Error::unavailable("cannot reach the database"));
    for options in DatabaseUrl::parse(url)?.for_sqlx()? {
        // The script is long, and notices of every object that it is there already.
        let options = options.options([("client_min_messages", "warning")]).disable_statement_logging();
        // Of several hosts only one can be written to.
        installed = match PgPoolOptions::new().max_connections(1).connect_with(options).await {
            Ok(pool) => {
                let installed = pgmq::install::install_sql_from_embedded(&pool).await;
                pool.close().await;
                installed.map_err(|reason| Error::internal(format!("installing the queue: {reason}")))
            }
            Err(reason) => Err(Error::unavailable(format!("cannot reach the database: {reason}"))),
        };
        if installed.is_ok() {
            break;
        }
    }
    installed
}
