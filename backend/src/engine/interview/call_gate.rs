//! Which calls may be under way side by side: all, but that of an interview which may be what kills its workers. While
//! such a call is under way, no other is in this worker, so that nobody else is taken for the guilty one.

use std::sync::Arc;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// A worker's.
#[derive(Clone, Default)]
pub struct Places(Arc<RwLock<()>>);

/// What a call has while it is under way.
#[derive(Debug)]
pub enum CallPlace {
    Beside(OwnedRwLockReadGuard<()>),
    Alone(OwnedRwLockWriteGuard<()>),
}

impl Places {
    /// In the order of the callers: those who come after one that waits to be alone wait for it.
    pub async fn take(&self, alone: bool) -> CallPlace {
        let places = self.0.clone();
        if alone { CallPlace::Alone(places.write_owned().await) } else { CallPlace::Beside(places.read_owned().await) }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn a_call_alone_waits_for_those_under_way_and_the_next_ones_wait_for_it() {
        let places = Places::default();
        let (first, second) = (places.take(false).await, places.take(false).await);
        let mut alone = Box::pin(places.take(true));
        assert!(poll!(&mut alone).is_pending());
        let mut later = Box::pin(places.take(false));
        assert!(poll!(&mut later).is_pending());
        drop((first, second));
        let alone = alone.await;
        assert!(poll!(&mut later).is_pending());
        drop(alone);
        later.await;
    }
}
