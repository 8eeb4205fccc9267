//! Connections: asynchronous ones for everything that waits, blocking ones for the budget actor's own threads.

use std::sync::Arc;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::r2d2::{self, ConnectionManager, CustomizeConnection};
use diesel_async::AsyncPgConnection;
use scheduled_thread_pool::ScheduledThreadPool;

use crate::error::{Error, Result};

mod encryption;
mod migrations;
mod pool;

pub use migrations::{QUEUE, migrate};
pub use pool::{AsyncPool, Checkout};

/// Connections for threads that may block.
pub type BlockingPool = r2d2::Pool<ConnectionManager<PgConnection>>;

/// Longest wait for a connection, be it a free one of the pool or a new one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Said to every connection: whoever stands still in the middle of a transaction keeps its locks from all others. The
/// server ends such a session before the leases of those whom it holds up run out.
const NO_STANDSTILL: &str = "SET idle_in_transaction_session_timeout = '10s'";

#[derive(Debug)]
struct Opened;

impl CustomizeConnection<PgConnection, r2d2::Error> for Opened {
    fn on_acquire(&self, connection: &mut PgConnection) -> Result<(), r2d2::Error> {
        connection.batch_execute(NO_STANDSTILL).map_err(r2d2::Error::QueryError)
    }
}

/// A pool of up to `size` connections, none of them open yet.
pub fn blocking_pool(url: &str, size: u32) -> BlockingPool {
    r2d2::Pool::builder()
        .max_size(size)
        .min_idle(Some(0))
        .connection_timeout(PATIENCE)
        .connection_customizer(Box::new(Opened))
        .thread_pool(Arc::new(
            ScheduledThreadPool::builder().num_threads(1).thread_name_pattern("db-connector").build(),
        ))
        .build_unchecked(ConnectionManager::new(with_patience(url)))
}

/// One connection outside of any pool, encrypted where the server offers it, like theirs.
pub async fn session(url: &str) -> ConnectionResult<AsyncPgConnection> {
    encryption::open(with_patience(url)).await
}

/// One blocking connection.
pub fn connect(url: &str) -> Result<PgConnection> {
    PgConnection::establish(&with_patience(url)).map_err(|reason| unreachable(&reason))
}

/// The URL with a limit on how long a connection may take to open, unless it has one.
fn with_patience(url: &str) -> String {
    if url.contains("connect_timeout=") {
        return url.to_owned();
    }
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}connect_timeout={}", PATIENCE.as_secs())
}

fn unreachable(reason: &dyn std::error::Error) -> Error {
    // libpq explains itself over several lines.
    let reason = reason.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    Error::internal(format!("cannot reach the database: {reason}"))
}

/// One connection of the pool, once it is the caller's turn.
pub async fn checkout(pool: &AsyncPool) -> Result<Checkout<'_>> {
    pool.get().await
}
