//! How long the engine's leases and periods last.

use std::time::Duration;

/// The default is what production uses; tests use shorter times.
#[derive(Clone, Copy, Debug)]
pub struct Timings {
    /// The period of the limits per minute.
    pub minute: Duration,
    /// How long a claimed interview stays this worker's without a renewal, in whole seconds.
    pub interview_lease: Duration,
    /// How long this worker's share of the limits stays its own without a renewal.
    pub share_lease: Duration,
    /// How long a batch may take to be settled before its connection is given up.
    pub settle_timeout: Duration,
    /// Time between two polls of a run's batches.
    pub batch_interval: Duration,
}

impl Default for Timings {
    fn default() -> Self {
        Self {
            minute: Duration::from_secs(60),
            interview_lease: Duration::from_secs(30),
            share_lease: Duration::from_secs(6),
            // Longer than a statement may take.
            settle_timeout: Duration::from_secs(45),
            batch_interval: Duration::from_secs(1),
        }
    }
}

impl Timings {
    /// No worker leases an interview for longer; tests lease for less.
    pub fn longest_lease(&self) -> Duration {
        self.interview_lease.max(Self::default().interview_lease)
    }

    /// A lease survives two failed renewals.
    pub fn interview_renewal(&self) -> Duration {
        self.interview_lease / 3
    }

    /// A renewal that takes longer is tried again.
    pub fn interview_renewal_timeout(&self) -> Duration {
        self.interview_lease / 6
    }

    /// A share survives one failed renewal.
    pub fn share_renewal(&self) -> Duration {
        self.share_lease / 3
    }

    /// A renewal that takes longer counts as failed.
    pub fn share_renewal_timeout(&self) -> Duration {
        self.share_lease * 2 / 3
    }
}
