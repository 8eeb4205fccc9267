//! Whether an interview may go on, as far as this worker knows: the state of its run, and its lease.

use std::rc::Rc;

use tokio::sync::watch;

use super::lease_clock::LeaseClock;
use crate::engine::messages::{Interrupted, RunState};

/// The state of the interview's run and the interview's lease.
pub struct RunWatch {
    state: watch::Receiver<RunState>,
    lease_clock: Rc<LeaseClock>,
}

impl RunWatch {
    pub fn new(state: watch::Receiver<RunState>, lease_clock: Rc<LeaseClock>) -> Self {
        Self { state, lease_clock }
    }

    /// Fails if the interview must not go on.
    pub fn check(&self) -> Result<(), Interrupted> {
        if let Some(interrupted) = interruption(*self.state.borrow()) {
            return Err(interrupted);
        }
        if self.lease_clock.is_lost() { Err(Interrupted::LeaseLost) } else { Ok(()) }
    }

    /// Like [`check`](Self::check), but waits for the renewal of a lease that ran out.
    pub async fn may_continue(&mut self) -> Result<(), Interrupted> {
        tokio::select! {
            biased;
            interrupted = interrupted(&mut self.state, RunState::Paused) => return Err(interrupted),
            () = self.lease_clock.settled() => {}
        }
        self.check()
    }

    pub fn lease_holds(&self) -> bool {
        self.lease_clock.holds()
    }

    /// Waits for the step. Fails if the run is paused or stopped first.
    pub async fn unless_paused<T>(&mut self, step: impl Future<Output = T>) -> Result<T, Interrupted> {
        self.unless(RunState::Paused, step).await
    }

    /// Waits for the step. Fails if the run is stopped first.
    pub async fn unless_stopped<T>(&mut self, step: impl Future<Output = T>) -> Result<T, Interrupted> {
        self.unless(RunState::Stopped, step).await
    }

    async fn unless<T>(&mut self, at_least: RunState, step: impl Future<Output = T>) -> Result<T, Interrupted> {
        tokio::select! {
            result = step => Ok(result),
            interrupted = interrupted(&mut self.state, at_least) => Err(interrupted),
        }
    }
}

/// Resolves when the run's state is `at_least` this strict.
pub async fn interrupted(state: &mut watch::Receiver<RunState>, at_least: RunState) -> Interrupted {
    let state = state.wait_for(|state| *state >= at_least).await;
    // An error means that the supervisor is gone.
    state.ok().and_then(|state| interruption(*state)).unwrap_or(Interrupted::Released)
}

fn interruption(state: RunState) -> Option<Interrupted> {
    match state {
        RunState::Running => None,
        RunState::Paused => Some(Interrupted::Released),
        RunState::Stopped => Some(Interrupted::RunFinished),
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    fn watched(lease: Duration) -> (watch::Sender<RunState>, Rc<LeaseClock>, RunWatch) {
        let clock = Rc::new(LeaseClock::new(lease, Instant::now(), Rc::default()));
        let (sender, state) = watch::channel(RunState::Running);
        (sender, clock.clone(), RunWatch::new(state, clock))
    }

    #[tokio::test]
    async fn a_pause_ends_the_wait_for_a_permit_and_not_a_call_under_way() {
        let (state, _clock, mut watch) = watched(Duration::from_secs(30));
        assert!(watch.may_continue().await.is_ok());
        state.send_replace(RunState::Paused);
        assert!(matches!(watch.unless_paused(pending::<()>()).await, Err(Interrupted::Released)));
        assert!(matches!(watch.unless_stopped(ready(7)).await, Ok(7)));
        state.send_replace(RunState::Stopped);
        assert!(matches!(watch.unless_stopped(pending::<()>()).await, Err(Interrupted::RunFinished)));
        assert!(matches!(watch.check(), Err(Interrupted::RunFinished)));
    }

    #[tokio::test]
    async fn a_lost_lease_ends_the_interview() {
        let (_state, clock, mut watch) = watched(Duration::from_secs(30));
        assert!(watch.lease_holds());
        clock.lose();
        assert!(matches!(watch.may_continue().await, Err(Interrupted::LeaseLost)));
        assert!(!watch.lease_holds());
    }
}
