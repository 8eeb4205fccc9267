//! Connections for everything that awaits.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bb8::{PooledConnection, QueueStrategy};
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::AsyncDieselConnectionManager;
use futures_util::future::join_all;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::{PATIENCE, encryption, unreachable, with_patience};
use crate::error::{Error, Result};

type Manager = AsyncDieselConnectionManager<AsyncPgConnection>;

/// Connections that are handed out in the order in which they were asked for.
#[derive(Clone)]
pub struct AsyncPool {
    connections: bb8::Pool<Manager>,
    /// One for every connection: by itself the pool lets newcomers overtake those who wait, and some wait for long.
    turns: Arc<Semaphore>,
    waits: Arc<Waits>,
}

/// One of them, until it is dropped.
pub struct Checkout<'a> {
    // Before the turn: who is next must find it in the pool.
    connection: PooledConnection<'a, Manager>,
    _turn: SemaphorePermit<'a>,
}

/// How a pool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Open connections.
    pub connections: u32,
    /// Those that nobody uses.
    pub idle: u32,
    /// Checkouts so far, those that had to wait for a connection, and those that waited in vain.
    pub checkouts: u64,
    pub waited: u64,
    pub timed_out: u64,
}

#[derive(Default)]
struct Waits {
    checkouts: AtomicU64,
    waited: AtomicU64,
    timed_out: AtomicU64,
}

impl AsyncPool {
    /// A pool of up to `size` connections, none of them open yet.
    pub async fn open(url: &str, size: u32) -> Result<Self> {
        let connections = bb8::Pool::builder()
            .max_size(size)
            .connection_timeout(PATIENCE)
            // The one used last has its statements prepared and its pages at hand; the others may stay asleep.
            .queue_strategy(QueueStrategy::Lifo)
            .build(Manager::new_with_config(with_patience(url), encryption::connections()))
            .await
            .map_err(|reason| unreachable(&reason))?;
        Ok(Self { connections, turns: Arc::new(Semaphore::new(size as usize)), waits: Arc::default() })
    }

    /// One connection, once it is the caller's turn. Fails when that takes too long, or the database is away.
    pub async fn get(&self) -> Result<Checkout<'_>> {
        let turn = self.turn().await?;
        let connection = self.connections.get().await.map_err(|reason| unreachable(&reason))?;
        Ok(Checkout { connection, _turn: turn })
    }

    /// Opens so many connections now, so that nobody waits for them later. Those that cannot be opened are tried again
    /// when they are needed.
    pub async fn open_ahead(&self, connections: usize) {
        join_all((0..connections).map(|_| self.get())).await;
    }

    async fn turn(&self) -> Result<SemaphorePermit<'_>> {
        self.waits.checkouts.fetch_add(1, Ordering::Relaxed);
        if let Ok(turn) = self.turns.try_acquire() {
            return Ok(turn);
        }
        self.waits.waited.fetch_add(1, Ordering::Relaxed);
        match timeout(PATIENCE, self.turns.acquire()).await {
            Ok(turn) => turn.map_err(|closed| unreachable(&closed)),
            Err(_) => {
                self.waits.timed_out.fetch_add(1, Ordering::Relaxed);
                Err(Error::internal("every connection to the database is in use"))
            }
        }
    }

    pub fn standing(&self) -> Standing {
        let state = self.connections.state();
        Standing {
            connections: state.connections,
            idle: state.idle_connections,
            checkouts: self.waits.checkouts.load(Ordering::Relaxed),
            waited: self.waits.waited.load(Ordering::Relaxed),
            timed_out: self.waits.timed_out.load(Ordering::Relaxed),
        }
    }
}

impl Deref for Checkout<'_> {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}

impl DerefMut for Checkout<'_> {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        &mut self.connection
    }
}
