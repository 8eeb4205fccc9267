//! The leases of the interviews that a supervisor holds: renewed, and handed back.

use diesel_async::AsyncConnection;
use tokio::time::timeout;

use crate::db::{self, AsyncPool};
use crate::engine::timings::Timings;
use crate::error::{Error, Result};
use crate::models::queue::{self, Lease};

/// Renews the leases. Returns them, and the ids of those that are still held.
pub async fn renew(pool: AsyncPool, timings: Timings, leases: Vec<Lease>) -> Result<(Vec<Lease>, Vec<i64>), String> {
    if leases.is_empty() {
        return Ok((leases, Vec::new()));
    }
    let extend = async {
        let mut conn = db::checkout(&pool).await?;
        // A connection that is given up in a transaction is not used again: the next try gets another one.
        let kept = conn.transaction(async |conn| queue::extend(conn, &leases, timings.interview_lease).await);
        Ok::<_, Error>(kept.await?)
    };
    let kept = timeout(timings.interview_renewal_timeout(), extend).await;
    let kept = kept.map_err(|late| late.to_string())?.map_err(|error| error.to_string())?;
    Ok((leases, kept))
}

/// Hands interviews back to the queue. If the database is away, the leases run out instead.
pub async fn release(pool: AsyncPool, leases: Vec<Lease>) {
    let released = async {
        let mut conn = db::checkout(&pool).await?;
        Ok::<_, Error>(queue::release(&mut conn, &leases).await?)
    };
    if let Err(error) = db::in_time(released).await {
        tracing::warn!(%error, "interviews could not be released: their leases will run out");
    }
}

/// Hands an interview back whose delivery ended during a call. If the database is away, the lease runs out instead.
pub async fn abandon(pool: AsyncPool, lease: Lease, breaks: i32, open: usize) {
    let abandoned = async {
        let mut conn = db::checkout(&pool).await?;
        Ok(queue::abandon(&mut conn, lease, breaks, open).await?)
    };
    if let Err(error) = db::in_time(abandoned).await {
        tracing::warn!(%error, "an interview could not be handed back: its lease will run out");
    }
}
