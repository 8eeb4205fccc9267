//! Runs equal reads that are requested at the same time once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;
use tokio::time::Instant;

/// Results by key.
pub struct SingleFlight<K, V> {
    flights: Mutex<HashMap<K, Arc<Flight<V>>>>,
}

/// The last read. Locked while a read runs, so that others wait for it.
type Flight<V> = AsyncMutex<Option<Read<V>>>;

struct Read<V> {
    started: Instant,
    ended: Instant,
    value: V,
}

/// Results that serve a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Those whose read started no earlier than this before the call. With zero, callers read their own writes.
    YoungerThan(Duration),
    /// Those whose read ended after the call. For what does not change unless its key does.
    UnderWay,
}

impl Freshness {
    /// Results are read anew for callers who may have changed them.
    pub const OWN_WRITES: Self = Self::YoungerThan(Duration::ZERO);

    fn allows<V>(self, read: &Read<V>, called: Instant) -> bool {
        match self {
            Self::YoungerThan(max_age) => read.started + max_age >= called,
            Self::UnderWay => read.ended >= called,
        }
    }

    /// Time after the start of a read in which its result can serve further calls.
    fn max_age(self) -> Duration {
        match self {
            Self::YoungerThan(max_age) => max_age,
            Self::UnderWay => Duration::ZERO,
        }
    }
}

impl<K, V> Default for SingleFlight<K, V> {
    fn default() -> Self {
        Self { flights: Mutex::default() }
    }
}

impl<K: Eq + Hash, V: Clone> SingleFlight<K, V> {
    /// Returns a result that is fresh enough. Callers must not hold a database connection, because the one that reads needs
    /// one.
    pub async fn get<E>(&self, key: K, freshness: Freshness, read: impl AsyncFnOnce() -> Result<V, E>) -> Result<V, E> {
        let called = Instant::now();
        let flight = self.flight(key, freshness.max_age());
        let mut latest = flight.lock().await;
        if let Some(latest) = latest.as_ref().filter(|latest| freshness.allows(latest, called)) {
            return Ok(latest.value.clone());
        }
        let started = Instant::now();
        let value = read().await?;
        *latest = Some(Read { started, ended: Instant::now(), value: value.clone() });
        Ok(value)
    }

    /// Drops the result, so that the next caller reads again.
    pub fn forget(&self, key: &K) {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
    }

    fn flight(&self, key: K, max_age: Duration) -> Arc<Flight<V>> {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(flight) = flights.get(&key) {
            return flight.clone();
        }
        // Drops results that are too old. A locked flight is in use.
        flights.retain(|_, flight| match flight.try_lock() {
            Ok(latest) => latest.as_ref().is_some_and(|read| read.started.elapsed() < max_age),
            Err(_) => true,
        });
        flights.entry(key).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;
    use futures_util::poll;
    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn callers_during_a_read_share_one_that_starts_after_it() {
        let (flights, reads, permits) = (SingleFlight::default(), AtomicUsize::new(0), Semaphore::new(0));
        let get = || {
            flights.get("key", Freshness::OWN_WRITES, async || {
                let read = reads.fetch_add(1, Ordering::Relaxed) + 1;
                permits.acquire().await.expect("it stays open").forget();
                Ok::<_, Infallible>(read)
            })
        };
        let mut first = Box::pin(get());
        assert!(poll!(&mut first).is_pending());
        let mut others: Vec<_> = (0..20).map(|_| Box::pin(get())).collect();
        for other in &mut others {
            assert!(poll!(other).is_pending());
        }
        permits.add_permits(2);
        assert_eq!(first.await, Ok(1));
        assert_eq!(join_all(others).await, vec![Ok(2); 20]);
    }

    #[tokio::test]
    async fn a_read_under_way_serves_those_who_wait_for_it_and_nobody_later() {
        let (flights, permits) = (SingleFlight::default(), Semaphore::new(0));
        let get = |value: i32| {
            let permits = &permits;
            flights.get("key", Freshness::UnderWay, async move || {
                permits.acquire().await.expect("it stays open").forget();
                Ok::<_, Infallible>(value)
            })
        };
        let (mut first, mut second) = (Box::pin(get(1)), Box::pin(get(2)));
        assert!(poll!(&mut first).is_pending());
        assert!(poll!(&mut second).is_pending());
        permits.add_permits(2);
        assert_eq!((first.await, second.await), (Ok(1), Ok(1)));
        assert_eq!(get(3).await, Ok(3));
    }

    #[tokio::test]
    async fn a_result_serves_later_callers_of_its_key_until_it_is_too_old_or_forgotten() {
        let flights = SingleFlight::default();
        let get = |key: &'static str, freshness, read: Result<i32, &'static str>| {
            flights.get(key, freshness, async move || read)
        };
        let hour = Freshness::YoungerThan(Duration::from_secs(3600));
        assert_eq!(get("a", hour, Ok(1)).await, Ok(1));
        assert_eq!(get("a", hour, Ok(2)).await, Ok(1));
        assert_eq!(get("b", hour, Ok(3)).await, Ok(3));
        assert_eq!(get("a", Freshness::OWN_WRITES, Ok(4)).await, Ok(4), "it is older than the call");
        flights.forget(&"a");
        assert_eq!(get("a", hour, Err("no")).await, Err("no"));
        assert_eq!(get("a", hour, Ok(5)).await, Ok(5), "an error is not kept");
    }
}
