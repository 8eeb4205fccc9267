//! Local copy of a lease's expiry, on the monotonic clock: a process that was suspended past it must not start new
//! calls. (That clock stands still while the whole machine sleeps; then the next renewal finds out.)

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Shared by the interview and the supervisor that renews its lease.
pub struct LeaseClock {
    lease: Duration,
    /// `None`: the lease is lost, another worker has the interview.
    until: Cell<Option<Instant>>,
    /// Notified after every renewal of the supervisor's.
    renewals: Rc<Notify>,
}

impl LeaseClock {
    /// Starts the clock of a lease of this length that was requested at this time.
    pub fn new(lease: Duration, requested_at: Instant, renewals: Rc<Notify>) -> Self {
        Self { lease, until: Cell::new(Some(requested_at + lease)), renewals }
    }

    /// The lease was renewed by a statement sent at this time.
    pub fn renew(&self, requested_at: Instant) {
        self.until.set(self.until.get().map(|until| until.max(requested_at + self.lease)));
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

    /// Resolves when the lease holds or is lost. One that ran out may belong to any worker: the next renewal finds out.
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

    const LEASE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn a_lease_that_ran_out_waits_for_the_renewal_that_shows_whose_it_is() {
        let (renewals, long_ago) = (Rc::new(Notify::new()), Instant::now() - LEASE);
        let [kept, lost] = [(); 2].map(|()| LeaseClock::new(LEASE, long_ago, renewals.clone()));
        let (mut keeping, mut losing) = (Box::pin(kept.settled()), Box::pin(lost.settled()));
        assert!(poll!(&mut keeping).is_pending() && poll!(&mut losing).is_pending());

        // A renewal counts from when it was requested.
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
    async fn a_lease_that_holds_is_not_waited_for() {
        let clock = LeaseClock::new(LEASE, Instant::now(), Rc::default());
        assert!(poll!(Box::pin(clock.settled())).is_ready() && !clock.is_lost());
    }
}
