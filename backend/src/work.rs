//! Permits for what holds a processor or much memory. A user has so many admitted, of which one of a lane is under way; the process
//! has so many under way in a lane. Each has a time limit that ends it, ends soon after its caller has gone, and keeps its permit
//! until it has really ended.

mod lanes;
mod running;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cancellation::{Cancellation, Cancelled};
use tokio::sync::oneshot;

use self::lanes::Lanes;
pub use self::running::{Blocking, blocking};
use crate::error::Error;

/// What a permit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A design is checked or previewed, or a survey is set beside profiles.
    Design,
    /// A survey of another program is read.
    SurveyImport,
    /// A picture is decoded.
    Picture,
    /// A kept sample of people's answers is opened.
    Sample,
    /// Twins are compared with kept answers, held-out ones or each other.
    Comparison,
    /// A file of people's answers is compared or kept.
    PeopleUpload,
    /// A file of personas is stored.
    PersonaImport,
    /// A workbook, a file for a statistics program or a bundle is built.
    Download,
}

/// Pieces of work that are under way at the expense of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    /// Ends before the answer of an ordinary call is due.
    Short,
    Comparisons,
    Files,
}

impl Work {
    fn lane(self) -> Lane {
        match self {
            Self::Design | Self::SurveyImport | Self::Picture => Lane::Short,
            Self::Sample | Self::Comparison | Self::PeopleUpload => Lane::Comparisons,
            Self::PersonaImport | Self::Download => Lane::Files,
        }
    }

    /// Brings a file, which takes memory or disk while the permit is waited for.
    pub fn is_upload(self) -> bool {
        matches!(self, Self::SurveyImport | Self::Picture | Self::PeopleUpload | Self::PersonaImport)
    }

    /// Pieces of work that a user may have admitted: of all uploads together, or of others in the lane.
    pub fn max_admitted(self) -> u32 {
        if self.is_upload() { MAX_UPLOADS_PER_USER } else { MAX_ADMITTED_PER_USER }
    }

    /// Time from its turn to its end.
    fn time_limit(self) -> Duration {
        match self.lane() {
            Lane::Short => Duration::from_secs(10),
            Lane::Comparisons => Duration::from_secs(120),
            Lane::Files => Duration::from_secs(1_800),
        }
    }
}

/// Uploads of one user at once.
const MAX_UPLOADS_PER_USER: u32 = 2;
/// Other pieces of work of one user at once in a lane: one under way, and those that wait.
const MAX_ADMITTED_PER_USER: u32 = 12;

/// The work of this process.
#[derive(Clone, Default)]
pub struct WorkPermits(Arc<Mutex<Lanes>>);

/// Work that may wait for its turn, until this is dropped.
pub struct Admission {
    permits: WorkPermits,
    user_id: i64,
    work: Work,
}

/// Work under way. Its place is free again when the last clone is dropped.
#[derive(Clone)]
pub struct WorkPermit(Arc<UnderWay>);

struct UnderWay {
    admission: Admission,
    cancellation: Cancellation,
}

/// Why work has no result.
#[derive(Debug)]
pub enum WorkError {
    Cancelled(Cancelled),
    /// What the panic said.
    Panicked(String),
}

impl WorkPermits {
    /// `None`: the user has [`Work::max_admitted`] already.
    pub fn admit(&self, user_id: i64, work: Work) -> Option<Admission> {
        let is_admitted = self.lanes().admit(user_id, work);
        is_admitted.then(|| Admission { permits: self.clone(), user_id, work })
    }

    /// Pieces of work under way.
    pub fn running(&self) -> usize {
        self.lanes().running()
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admission {
    /// Waits for its turn. Users take turns: however much one has waiting, it comes after one piece of each other's.
    pub async fn start(self) -> WorkPermit {
        let turn = self.permits.lanes().wait(self.user_id, self.work.lane());
        let mut waiting = Waiting { admission: &self, turn, is_over: false };
        (&mut waiting.turn).await.expect("a turn is given before its sender is dropped");
        // The turn is the permit's from here on.
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

/// A wait that gives its turn back where it is given up.
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
        // Closed first, so that no turn is given to it any more.
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
