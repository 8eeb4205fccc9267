//! Permits for work that takes much processor time or memory. Both the admitted work of a user and the running work of
//! the process are limited, by lane. Work ends at its time limit or soon after its caller has gone, and keeps its
//! permit until it has really ended.

mod kind;
mod lanes;
mod running;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cancellation::{Cancellation, Cancelled};
use tokio::sync::oneshot;

pub use self::kind::Work;
use self::lanes::Lanes;
pub use self::running::{Blocking, blocking};
use crate::error::Error;

/// The permits of this process.
#[derive(Clone, Default)]
pub struct WorkPermits(Arc<Mutex<Lanes>>);

/// Admitted work that waits for its turn, until this is dropped.
pub struct Admission {
    permits: WorkPermits,
    user_id: i64,
    work: Work,
}

/// Running work. Its place becomes free when the last clone is dropped.
#[derive(Clone)]
pub struct WorkPermit(Arc<UnderWay>);

struct UnderWay {
    admission: Admission,
    cancellation: Cancellation,
}

/// The reason why work has no result.
#[derive(Debug)]
pub enum WorkError {
    Cancelled(Cancelled),
    /// Message of the panic.
    Panicked(String),
}

impl WorkPermits {
    /// Admits work. `None`: the user has [`Work::max_admitted`] already.
    pub fn admit(&self, user_id: i64, work: Work) -> Option<Admission> {
        let is_admitted = self.lanes().admit(user_id, work);
        is_admitted.then(|| Admission { permits: self.clone(), user_id, work })
    }

    /// Number of pieces of running work.
    pub fn running(&self) -> usize {
        self.lanes().running()
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission {
    /// Waits for its turn. Users take turns: one user's waiting work comes after one piece of each other user's.
    pub async fn start(self) -> WorkPermit {
        let turn = self.permits.lanes().wait(self.user_id, self.work.lane());
        let mut waiting = Waiting { admission: &self, turn, is_over: false };
        (&mut waiting.turn).await.expect("a turn is given before its sender is dropped");
        // From here on the permit owns the turn.
        waiting.is_over = true;
        drop(waiting);
        let cancellation = Cancellation::with_deadline(Instant::now() + self.work.time_limit());
        WorkPermit(Arc::new(UnderWay { admission: self, cancellation }))
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.permits.lanes().dismiss(self.user_id, self.work);
    }
}

/// A wait that gives its turn back if it is dropped.
struct Waiting<'a> {
    admission: &'a Admission,
    turn: oneshot::Receiver<()>,
    is_over: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let Admission { permits, user_id, work } = self.admission;
        // Closed first, so that it gets no further turn.
        self.turn.close();
        if self.turn.try_recv().is_ok() {
            permits.lanes().end(*user_id, work.lane());
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let Admission { permits, user_id, work } = &self.admission;
        permits.lanes().end(*user_id, work.lane());
    }
}

impl From<WorkError> for Error {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Cancelled(Cancelled::Overdue) => Self::given_up("it took too long"),
            WorkError::Cancelled(Cancelled::Abandoned) => Self::given_up("nobody waits for it any more"),
            WorkError::Panicked(message) => Self::internal(message),
        }
    }
}

#[cfg(test)]
mod tests;
