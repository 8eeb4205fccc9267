//! Brings a database to this program's version: our tables, pgmq's, and the queue of interviews.

use std::collections::HashSet;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Integer, Text};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions, Executor};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_postgres::SimpleQueryMessage;

use super::tls::DatabaseUrl;
use crate::error::{Error, Result};

/// The pgmq queue with one message an interview.
pub const QUEUE: &str = "interviews";

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../migrations");
/// As `server_version_num` has it.
const MIN_SERVER_VERSION: i32 = 150_000;
/// The advisory lock of migrations: any number that nothing else in the database uses.
const MIGRATION_LOCK: i64 = 0x7477_696e_6c61_6201;
/// Of the installer's session, after those of every session. Its script is long, and notices of every object that is
/// there already.
const INSTALLER_SETTINGS: &str =
    "SET client_min_messages = 'warning'; SET lock_timeout = '1min'; SET statement_timeout = '5min'";
/// For the whole installation at one host. sqlx sets no keep-alives and no `tcp_user_timeout`: where the network swallows
/// everything, only this ends it.
const INSTALL_TIMEOUT: Duration = Duration::from_secs(6 * 60);
/// For two connections and five statements, over a slow line too.
const CHECK_TIMEOUT: Duration = Duration::from_secs(15);

/// Brings the database at `url` to this program's version. Processes that do so at once wait for each other.
///
/// Fails with bad input on a server older than PostgreSQL 15 and on a database that a newer twinlab has migrated.
pub async fn migrate(url: &str) -> Result<()> {
    check_sessions(&DatabaseUrl::parse(url)?).await?;
    let address = url.to_owned();
    // The session holds the lock until it is dropped at the end.
    let mut session = blocking(move || {
        let mut connection = super::connect(&address)?;
        check_server(&mut connection)?;
        // Another process may be migrating for as long as it takes.
        connection.batch_execute(&format!(
            "SET lock_timeout = 0; SELECT pg_advisory_lock({MIGRATION_LOCK}); SET lock_timeout = '1min'"
        ))?;
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
async fn check_sessions(url: &DatabaseUrl) -> Result<()> {
    let asked = async {
        let (one, other) = (super::plain_client(url).await?, super::plain_client(url).await?);
        // Each is a transaction of its own. Prepared statements would get lost too.
        let pid = async |client: &tokio_postgres::Client| {
            let messages = client.simple_query("SELECT pg_backend_pid()").await?;
            Ok::<_, tokio_postgres::Error>(messages.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
                _ => None,
            }))
        };
        let shown = async {
            one.batch_execute("BEGIN; SELECT 1").await?;
            let before = pid(&other).await?;
            one.batch_execute("COMMIT").await?;
            Ok::<_, tokio_postgres::Error>(before == pid(&other).await?)
        };
        shown
            .await
            .map_err(|reason| Error::unavailable(format!("cannot reach the database: {}", super::explain(&reason))))
    };
    match timeout(CHECK_TIMEOUT, asked).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(Error::bad_input(
            "DATABASE_URL leads to a connection pooler in transaction mode; twinlab needs session mode or the server itself",
        )),
        Ok(Err(reason)) => Err(reason),
        Err(_) => Err(Error::unavailable(
            "cannot reach the database: it gives no second connection, and a serve needs some twenty; a connection pooler \
             must have as many, in session mode",
        )),
    }
}

fn migrate_tables(connection: &mut PgConnection) -> Result<()> {
    let applied = connection.applied_migrations().map_err(failed)?;
    refuse_newer("the database", applied.iter().map(ToString::to_string))?;
    for version in connection.run_pending_migrations(MIGRATIONS).map_err(failed)? {
        tracing::info!(%version, "migrated the database");
    }
    Ok(())
}

fn failed(reason: Box<dyn std::error::Error + Send + Sync>) -> Error {
    Error::internal(format!("migrating the database: {reason}"))
}

/// Fails with bad input where one of these migrations, which `what` has, is not this program's.
pub fn refuse_newer(what: &str, applied: impl IntoIterator<Item = String>) -> Result<()> {
    let known: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(failed)?;
    let known: HashSet<String> = known.iter().map(|migration| migration.name().version().to_string()).collect();
    match applied.into_iter().find(|version| !known.contains(version)) {
        None => Ok(()),
        Some(version) => Err(Error::bad_input(format!(
            "{what} is newer than this twinlab: it has migration {version}; update twinlab"
        ))),
    }
}

/// Through sqlx, because pgmq's installer takes nothing else. pgmq's own `connect` would ignore the URL's parameters.
async fn install_pgmq(url: &str) -> Result<()> {
    let mut installed = Err(Error::unavailable("cannot reach the database"));
    // Of several hosts only one can be written to.
    for options in DatabaseUrl::parse(url)?.for_sqlx()? {
        let late = |_| Err(Error::unavailable("installing the queue: the database does not answer"));
        installed = timeout(INSTALL_TIMEOUT, install_pgmq_at(options)).await.unwrap_or_else(late);
        if installed.is_ok() {
            break;
        }
    }
    installed
}

async fn install_pgmq_at(options: PgConnectOptions) -> Result<()> {
    // Poolers take neither settings nor digits as a parameter of the start.
    let options = options.extra_float_digits(None).disable_statement_logging();
    let single = PgPoolOptions::new().max_connections(1).acquire_timeout(super::CONNECT_TIMEOUT).after_connect(
        |connection, _| {
            Box::pin(async {
                connection.execute(super::SESSION_SETTINGS).await?;
                connection.execute(INSTALLER_SETTINGS).await?;
                Ok(())
            })
        },
    );
    let opened = single.connect_with(options).await;
    let pool = opened.map_err(|reason| Error::unavailable(format!("cannot reach the database: {reason}")))?;
    let installed = pgmq::install::install_sql_from_embedded(&pool).await;
    pool.close().await;
    installed.map_err(|reason| Error::internal(format!("installing the queue: {reason}")))
}
