//! Migrates a database to this program's version. Migrations install the tables, pgmq, and the queue of interviews.

use std::collections::BTreeSet;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_postgres::SimpleQueryMessage;

use super::tls::DatabaseUrl;
use crate::error::{Error, Result};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../migrations");
/// Oldest supported server, in the format of `server_version_num`.
const MIN_SERVER_VERSION: i32 = 150_000;
/// The advisory lock of migrations: a number that nothing else in the database uses.
const MIGRATION_LOCK: i64 = 0x7477_696e_6c61_6201;
/// SQL condition: pgmq was installed by other means than the migrations, such as the server's extension.
const HAS_PGMQ: &str = "to_regclass('pgmq.meta') IS NOT NULL";
/// Limit for two connections and six statements, even over a slow line.
const CHECK_TIMEOUT: Duration = Duration::from_secs(15);

/// Migrates the database at `url` to this program's version. Processes that do so at once wait for each other.
///
/// Fails with bad input on a server older than PostgreSQL 15, on a database that a newer twinlab has migrated, on one
/// from before version 1.0.0, and on a new one that already has pgmq.
pub async fn migrate(url: &str) -> Result<()> {
    check_sessions(&DatabaseUrl::parse(url)?).await?;
    let url = url.to_owned();
    blocking(move || {
        let mut connection = super::connect(&url)?;
        // Another process may be migrating for a long time. The session holds the lock until it ends.
        connection.batch_execute(&format!(
            "SET lock_timeout = 0; SELECT pg_advisory_lock({MIGRATION_LOCK}); SET lock_timeout = '1min'"
        ))?;
        run_migrations(&mut connection)
    })
    .await
}

/// Fails with bad input if the database at `url` is from before version 1.0.0.
pub async fn check_not_older(url: &str) -> Result<()> {
    let url = url.to_owned();
    blocking(move || refuse_older("the database", applied(&mut super::connect(&url)?)?)).await
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    spawn_blocking(work).await.map_err(|reason| Error::internal(format!("migrating the database: {reason}")))?
}

/// Returns the first column of a query's only row. Does not prepare the query, since a pooler could lose the statement.
async fn text(client: &tokio_postgres::Client, query: &str) -> Result<String, tokio_postgres::Error> {
    let messages = client.simple_query(query).await?;
    let found = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    });
    Ok(found.unwrap_or_default())
}

fn check_version(version: &str) -> Result<()> {
    let version: i32 = version.parse().map_err(|_| Error::internal(format!("server_version_num is {version:?}")))?;
    if version < MIN_SERVER_VERSION {
        let found = version / 10_000;
        return Err(Error::bad_input(format!("the database is PostgreSQL {found}; twinlab needs 15 or newer")));
    }
    Ok(())
}

/// Refuses a pooler that gives a session's transactions to different servers, because settings, locks and notifications
/// would be lost. Compares a session's server before and after another session's transaction. Refuses an old server too,
/// before a session's settings ask it for what only a newer one has.
async fn check_sessions(url: &DatabaseUrl) -> Result<()> {
    let asked = async {
        let (one, other) = (super::plain_client(url).await?, super::plain_client(url).await?);
        let shown = async {
            let version = text(&one, "SHOW server_version_num").await?;
            one.batch_execute("BEGIN; SELECT 1").await?;
            let before = text(&other, "SELECT pg_backend_pid()").await?;
            one.batch_execute("COMMIT").await?;
            Ok::<_, tokio_postgres::Error>((version, before == text(&other, "SELECT pg_backend_pid()").await?))
        };
        shown
            .await
            .map_err(|reason| Error::unavailable(format!("cannot reach the database: {}", super::explain(&reason))))
    };
    match timeout(CHECK_TIMEOUT, asked).await {
        Ok(Ok((version, true))) => check_version(&version),
        Ok(Ok((_, false))) => Err(Error::bad_input(
            "DATABASE_URL leads to a connection pooler in transaction mode; twinlab needs session mode or the server itself",
        )),
        Ok(Err(reason)) => Err(reason),
        Err(_) => Err(Error::unavailable(
            "cannot reach the database: it gives no second connection, and a serve needs some twenty; a connection pooler \
             must have as many, in session mode",
        )),
    }
}

fn run_migrations(connection: &mut PgConnection) -> Result<()> {
    let applied = applied(connection)?;
    if applied.is_empty() && diesel::select(diesel::dsl::sql::<Bool>(HAS_PGMQ)).get_result(connection)? {
        return Err(Error::bad_input(
            "the database has pgmq already, and twinlab installs its own: give twinlab a new database without the \
             extension pgmq",
        ));
    }
    refuse_older("the database", applied.clone())?;
    refuse_newer("the database", applied)?;
    for version in connection.run_pending_migrations(MIGRATIONS).map_err(failed)? {
        tracing::info!(%version, "migrated the database");
    }
    Ok(())
}

/// Returns the versions of the migrations that the database has.
fn applied(connection: &mut PgConnection) -> Result<Vec<String>> {
    let versions = connection.applied_migrations().map_err(failed)?;
    Ok(versions.iter().map(ToString::to_string).collect())
}

/// Returns the versions of this program's migrations, in their order.
fn known() -> Result<BTreeSet<String>> {
    let migrations: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(failed)?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}

fn failed(reason: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::internal(format!("migrating the database: {reason}"))
}

/// Fails with bad input if one of the migrations applied to `what` precedes the first one of version 1.0.0.
pub fn refuse_older(what: &str, applied: impl IntoIterator<Item = String>) -> Result<()> {
    let known = known()?;
    let is_older = |version: &String| known.first().is_some_and(|first| version < first);
    if applied.into_iter().any(|version| is_older(&version)) {
        return Err(Error::bad_input(format!(
            "{what} is from before version 1.0.0, and this twinlab cannot upgrade it: export what you need with the version \
             that wrote it, then start with an empty database (another DATA_DIR or DATABASE_URL)"
        )));
    }
    Ok(())
}

/// Fails with bad input if one of the migrations applied to `what` is not this program's.
pub fn refuse_newer(what: &str, applied: impl IntoIterator<Item = String>) -> Result<()> {
    let known = known()?;
    match applied.into_iter().find(|version| !known.contains(version)) {
        None => Ok(()),
        Some(version) => Err(Error::bad_input(format!(
            "{what} is newer than this twinlab: it has migration {version}; update twinlab"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::check_version;

    #[test]
    fn a_server_older_than_15_is_refused_by_its_version() {
        let refused = check_version("140011").expect_err("it is too old").to_string();
        assert_eq!(refused, "the database is PostgreSQL 14; twinlab needs 15 or newer");
        check_version("150000").expect("the oldest that is supported");
    }
}
