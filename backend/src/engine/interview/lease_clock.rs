//! How long an interview is surely this worker's, by the worker's own clock: a process that was stopped for longer than
//! its leases last must not go on as if nothing had been. (The clock stands still while a whole machine sleeps: then the
//! next renewal tells.)

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::models::queue::LEASE_SECONDS;

const LEASE: Duration = Duration::from_secs(LEASE_SECONDS as u64);

/// Shared by the interview and the supervisor that renews its lease.
pub struct LeaseClock {
    /// `None`: somebody else has the interview now.
    until: Cell<Option<Instant>>,
    /// Rings after every renewal of the supervisor's.
    renewals: Rc<Notify>,
}

impl LeaseClock {
    /// Of a lease that was asked for at this time.
    pub fn new(asked: Instant, renewals: Rc<Notify>) -> Self {
        Self { until: Cell::new(Some(asked + LEASE)), renewals }
    }

    /// The lease was renewed, which was asked for at this time.
    pub fn renew(&self, asked: Instant) {
        self.until.set(self.until.get().map(|until| until.max(asked + LEASE)));
    }

    pub fn lose(&self) {
        self.until.set(None);
    }

    pub fn holds(&self) -> bool {
        self.until.get().is_some_and(|until| until > Instant::now())
    }

    pub fn is_lost(&self) -> bool {
        self.until.get().is_none()
    }

    /// Resolves when the lease holds or is lost: at once, but for one that ran out and may belong to anybody. Then the
    /// next renewal tells.
    pub async fn settled(&self) {
        while self.until.get().is_some_and(|until| until <= Instant::now()) {
            self.renewals.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn a_lease_that_ran_out_waits_for_the_renewal_that_tells_whose_it_is() {
        let (renewals, long_ago) = (Rc::new(Notify::new()), Instant::now() - LEASE);
        let [kept, lost] = [(); 2].map(|()| LeaseClock::new(long_ago, renewals.clone()));
        let (mut keeping, mut losing) = (Box::pin(kept.settled()), Box::pin(lost.settled()));
        assert!(poll!(&mut keeping).is_pending() && poll!(&mut losing).is_pending());

        // A renewal counts from when it was asked for.
        kept.renew(long_ago);
        renewals.notify_waiters();
        assert!(poll!(&mut keeping).is_pending() && poll!(&mut losing).is_pending());

        kept.renew(Instant::now());
        lost.lose();
        renewals.notify_waiters();
        keeping.await;
        losing.await;
        assert!(!kept.is_lost() && lost.is_lost());
        lost.renew(Instant::now());
        assert!(lost.is_lost(), "what is lost stays lost");
    }

    #[tokio::test]
    async fn a_lease_that_holds_keeps_nobody_waiting() {
        let tenure = LeaseClock::new(Instant::now(), Rc::default());
        assert!(poll!(Box::pin(tenure.settled())).is_ready() && !tenure.is_lost());
    }
}
