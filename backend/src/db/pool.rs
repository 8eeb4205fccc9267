//! A pool of asynchronous connections for requests and the engine.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{QueueMode, TimeoutType, Timeouts};
use diesel::connection::InstrumentationEvent;
use diesel_async::pooled_connection::deadpool::{Object, Pool, PoolError};
use diesel_async::pooled_connection::{
    AsyncDieselConnectionManager, ManagerConfig, PoolableConnection, RecyclingMethod,
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use futures_util::FutureExt;

use super::tls::DatabaseUrl;
use super::{CONNECT_TIMEOUT, open, unreachable};
use crate::error::{Error, Result};

/// A pool that serves its callers in the order of their requests.
#[derive(Clone)]
pub struct AsyncPool {
    connections: Pool<AsyncPgConnection>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    checkouts: AtomicU64,
    waited: AtomicU64,
    timed_out: AtomicU64,
}

/// Numbers of connections and checkouts of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStats {
    /// Open connections.
    pub connections: u32,
    /// Open connections that are not in use.
    pub idle: u32,
    pub checkouts: u64,
    /// Checkouts that had to wait for a connection.
    pub waited: u64,
    /// Checkouts that failed because no connection became free in time.
    pub timed_out: u64,
}

impl AsyncPool {
    /// Creates a pool of up to `size` connections, none of them open yet.
    pub async fn open(url: &str, size: u32) -> Result<Self> {
        let parsed = DatabaseUrl::parse(url)?;
        let (database, tls) = parsed.for_tokio_postgres()?;
        let mut config = ManagerConfig::default();
        // A test query would double the round trips of a checkout; a closed socket already shows that the server is
        // lost.
        config.recycling_method = RecyclingMethod::Fast;
        config.custom_setup = Box::new(move |_| open(database.clone(), tls.clone()).boxed());
        let connections = Pool::builder(AsyncDieselConnectionManager::new_with_config(url, config))
            .max_size(size as usize)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CONNECT_TIMEOUT))
            .create_timeout(Some(parsed.longest_connect()))
            // The connection used last has its statements prepared.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|reason| unreachable(&reason))?;
        Ok(Self { connections, counts: Arc::default() })
    }

    /// Returns a connection. Fails if all are in use for too long or the database cannot be reached.
    pub async fn get(&self) -> Result<Checkout> {
        self.counts.checkouts.fetch_add(1, Ordering::Relaxed);
        let at_once = Timeouts { wait: Some(Duration::ZERO), ..self.connections.timeouts() };
        let mut checkout = self.connections.timeout_get(&at_once).await;
        if matches!(checkout, Err(PoolError::Timeout(TimeoutType::Wait))) {
            self.counts.waited.fetch_add(1, Ordering::Relaxed);
            checkout = self.connections.get().await;
        }
        match checkout {
            Ok(connection) => Ok(Checkout::new(connection)),
            Err(PoolError::Timeout(TimeoutType::Wait)) => {
                self.counts.timed_out.fetch_add(1, Ordering::Relaxed);
                Err(Error::unavailable("every connection to the database is in use"))
            }
            Err(PoolError::Backend(reason)) => Err(unreachable(&reason)),
            Err(reason) => Err(unreachable(&reason)),
        }
    }

    pub fn stats(&self) -> PoolStats {
        let status = self.connections.status();
        PoolStats {
            connections: status.size as u32,
            idle: status.available as u32,
            checkouts: self.counts.checkouts.load(Ordering::Relaxed),
            waited: self.counts.waited.load(Ordering::Relaxed),
            timed_out: self.counts.timed_out.load(Ordering::Relaxed),
        }
    }
}

/// A connection of the pool. Dropping it returns it to the pool.
pub struct Checkout {
    connection: Option<Object<AsyncPgConnection>>,
    /// Queries that were sent and have not ended.
    unfinished: Arc<AtomicUsize>,
}

const PRESENT: &str = "the connection is there until the checkout is dropped";

impl Checkout {
    fn new(mut connection: Object<AsyncPgConnection>) -> Self {
        let unfinished = Arc::<AtomicUsize>::default();
        let counted = unfinished.clone();
        connection.set_instrumentation(move |event: InstrumentationEvent<'_>| match event {
            InstrumentationEvent::StartQuery { .. } => _ = counted.fetch_add(1, Ordering::Relaxed),
            InstrumentationEvent::FinishQuery { .. } => _ = counted.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        });
        Self { connection: Some(connection), unfinished }
    }
}

impl Deref for Checkout {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        self.connection.as_ref().expect(PRESENT)
    }
}

impl DerefMut for Checkout {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        self.connection.as_mut().expect(PRESENT)
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        // The pool checks a connection only when it hands it out again. One that was dropped inside a transaction would
        // keep its locks until then. One whose query was cut off, by a time-out or by a caller who left, may stay
        // silent for ever, and the next caller's query would wait behind it. Both are closed now.
        if let Some(mut connection) = self.connection.take()
            && (connection.is_broken() || self.unfinished.load(Ordering::Relaxed) > 0)
        {
            drop(Object::take(connection));
        }
    }
}
