//! Connections to PostgreSQL: asynchronous ones, and blocking ones for the settlers' threads and for migrations.

use std::error::Error as _;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::r2d2::{self, ConnectionManager, CustomizeConnection};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use postgres_native_tls::MakeTlsConnector;
use tokio_postgres::NoTls;

use crate::error::{Error, Result};

mod migrations;
mod pool;
mod tls;

pub use migrations::{check_not_older, migrate, refuse_newer, refuse_older};
pub use pool::{AsyncPool, Checkout, PoolStats};
pub use tls::{DatabaseUrl, with_one_host};

/// A pool of connections for threads that may block.
pub type BlockingPool = r2d2::Pool<ConnectionManager<PgConnection>>;

/// Time limit for a connection, a free one of a pool or a new one.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Settings of every connection of a pool and every session. A process that is suspended inside a transaction keeps its
/// locks, so the server ends its session before the leases of those who wait for them expire. No wait for a lock or
/// statement is unlimited, and the server also notices when the client is gone. Messages are requested in English
/// because [`may_pass`](crate::error::may_pass) reads a few of them; [`foreign_messages`] reports a user who may not request this. Parallel
/// queries are off: many requests run at once, and starting the helpers makes a count of the ledger a third slower.
const SESSION_SETTINGS: &str =
    "SELECT set_config('lc_messages', 'C', false) WHERE has_parameter_privilege('lc_messages', 'SET');
    SET idle_in_transaction_session_timeout = '10s';
    SET lock_timeout = '5s';
    SET statement_timeout = '30s';
    SET max_parallel_workers_per_gather = 0;
    SET tcp_keepalives_idle = 10;
    SET tcp_keepalives_interval = 5;
    SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = '20s'";

/// Settings for migrations, imports and similar work, applied after [`SESSION_SETTINGS`]. A statement may take as long
/// as it needs, and a caller's file may keep a transaction waiting.
const LONG_WORK_SETTINGS: &str = "SET statement_timeout = 0;
    SET lock_timeout = '1min';
    SET idle_in_transaction_session_timeout = '5min'";

/// Keepalive settings, by which connections notice that the network drops everything: idle time before the first probe,
/// interval of probes, number of probes, and time limit for the acknowledgement of sent data.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;
const SEND_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug)]
struct SetUp;

impl CustomizeConnection<PgConnection, r2d2::Error> for SetUp {
    fn on_acquire(&self, connection: &mut PgConnection) -> Result<(), r2d2::Error> {
        connection.batch_execute(SESSION_SETTINGS).map_err(r2d2::Error::QueryError)
    }
}

/// Creates a pool of up to `size` connections, none of them open yet.
pub fn blocking_pool(url: &str, size: u32) -> Result<BlockingPool> {
    let url = DatabaseUrl::parse(url)?;
    Ok(r2d2::Pool::builder()
        .max_size(size)
        .min_idle(Some(0))
        .connection_timeout(url.longest_connect())
        .connection_customizer(Box::new(SetUp))
        .build_unchecked(ConnectionManager::new(url.for_libpq())))
}

/// Opens a blocking connection for work that takes long.
pub fn connect(url: &str) -> Result<PgConnection> {
    let opened = PgConnection::establish(&DatabaseUrl::parse(url)?.for_libpq());
    let mut connection = opened.map_err(|reason| unreachable(&reason))?;
    connection.batch_execute(SESSION_SETTINGS)?;
    connection.batch_execute(LONG_WORK_SETTINGS)?;
    Ok(connection)
}

/// Opens an asynchronous connection outside any pool.
pub async fn session(url: &str) -> ConnectionResult<AsyncPgConnection> {
    let opened = DatabaseUrl::parse(url).and_then(|url| url.for_tokio_postgres());
    let (database, tls) = opened.map_err(|reason| ConnectionError::BadConnection(reason.to_string()))?;
    open(database, tls).await
}

/// Returns a connection of the pool, in the order of the callers.
pub async fn checkout(pool: &AsyncPool) -> Result<Checkout> {
    pool.get().await
}

/// Time limit for work in the database that no request's deadline bounds: a connection may stay silent for ever while
/// new ones work. [`Checkout`] closes one whose work was given up.
const WORK_TIMEOUT: Duration = Duration::from_secs(15);

/// Runs the work, or fails after [`WORK_TIMEOUT`].
pub async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = |_| Error::unavailable("the database does not answer");
    tokio::time::timeout(WORK_TIMEOUT, work).await.map_err(late)?
}

async fn open(database: tokio_postgres::Config, tls: Option<MakeTlsConnector>) -> ConnectionResult<AsyncPgConnection> {
    let failed = |reason| ConnectionError::BadConnection(explain(&reason));
    let mut connection = match tls {
        Some(tls) => {
            let (client, connection) = database.connect(tls).await.map_err(failed)?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await?
        }
        None => {
            let (client, connection) = database.connect(NoTls).await.map_err(failed)?;
            AsyncPgConnection::try_from_client_and_connection(client, connection).await?
        }
    };
    connection.batch_execute(SESSION_SETTINGS).await.map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok(connection)
}

/// The error with its cause: by itself it only names its kind.
fn explain(reason: &tokio_postgres::Error) -> String {
    let cause = reason.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{reason}{cause}")
}

/// Opens a client that prepares no statements. If the server accepts no connection, only the caller's time-out ends
/// this.
async fn plain_client(url: &DatabaseUrl) -> Result<tokio_postgres::Client> {
    let (database, tls) = url.for_tokio_postgres()?;
    let failed = |reason| Error::unavailable(format!("cannot reach the database: {}", explain(&reason)));
    Ok(match tls {
        Some(tls) => {
            let (client, connection) = database.connect(tls).await.map_err(failed)?;
            tokio::spawn(connection);
            client
        }
        None => {
            let (client, connection) = database.connect(NoTls).await.map_err(failed)?;
            tokio::spawn(connection);
            client
        }
    })
}

fn unreachable(reason: &dyn std::error::Error) -> Error {
    // libpq's message has several lines.
    let reason = reason.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    Error::unavailable(format!("cannot reach the database: {reason}"))
}

/// Returns the language of the server's messages if it is not English and this user may not change it.
pub async fn foreign_messages(conn: &mut AsyncPgConnection) -> QueryResult<Option<String>> {
    let locale = diesel::dsl::sql::<diesel::sql_types::Text>("current_setting('lc_messages')");
    let locale: String = diesel_async::RunQueryDsl::get_result(diesel::select(locale), conn).await?;
    Ok((!is_english(&locale)).then_some(locale))
}

fn is_english(locale: &str) -> bool {
    locale.starts_with("English") || matches!(locale.split(['.', '_', '@']).next(), Some("" | "C" | "POSIX" | "en"))
}

#[cfg(test)]
mod tests {
    use super::is_english;

    #[test]
    fn locales_of_english_messages_are_known() {
        for locale in ["C", "C.UTF-8", "POSIX", "en_US.UTF-8", "en_GB", "English_United States.1252", ""] {
            assert!(is_english(locale), "{locale}");
        }
        for locale in ["de_DE.UTF-8", "fr_FR@euro", "eo", "Czech"] {
            assert!(!is_english(locale), "{locale}");
        }
    }
}
