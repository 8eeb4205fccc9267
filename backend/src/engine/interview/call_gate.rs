//! Lets the calls of a worker be under way side by side, except that of an interview whose calls may kill the worker.
//! While such a call is under way no other call is, so that no other interview is taken for the cause of a crash.

use std::sync::Arc;

use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// The gate that every call of one worker passes.
#[derive(Clone, Default)]
pub struct CallGate(Arc<RwLock<()>>);

/// Held by a call while it is under way.
#[derive(Debug)]
pub enum CallSlot {
    /// Other calls may be under way.
    Shared(OwnedRwLockReadGuard<()>),
    /// No other call is under way.
    Exclusive(OwnedRwLockWriteGuard<()>),
}

impl CallGate {
    /// Waits in the order of the callers: those that come after one that waits to be alone wait for it.
    pub async fn acquire(&self, exclusive: bool) -> CallSlot {
        let gate = self.0.clone();
        match exclusive {
            true => CallSlot::Exclusive(gate.write_owned().await),
            false => CallSlot::Shared(gate.read_owned().await),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn a_call_alone_waits_for_those_under_way_and_the_next_ones_wait_for_it() {
        let gate = CallGate::default();
        let (first, second) = (gate.acquire(false).await, gate.acquire(false).await);
        let mut alone = Box::pin(gate.acquire(true));
        assert!(poll!(&mut alone).is_pending());
        let mut later = Box::pin(gate.acquire(false));
        assert!(poll!(&mut later).is_pending());
        drop((first, second));
        let alone = alone.await;
        assert!(poll!(&mut later).is_pending());
        drop(alone);
        later.await;
    }
}
