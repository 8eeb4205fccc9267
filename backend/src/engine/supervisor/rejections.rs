//! Calls that the model server refused in a way that another try does not mend: a fault of one request, or of the run.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use actix::prelude::*;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Supervisor;
use crate::engine::messages::{CallAnswered, CallRefused, Refusal, RunState};

/// Interviews whose calls are rejected, with no answer between them: the fault is not in one request, so the run is
/// paused.
const MAX_REJECTIONS: usize = 20;
/// How long a rejected request waits for the other interviews' calls to show whether it is rejected alone.
const VERDICT_TIMEOUT: Duration = Duration::from_secs(60);

/// The rejections since the last answer.
#[derive(Default)]
pub(super) struct Rejections {
    personas: HashSet<i32>,
    /// Their interviews, which wait to hear that others are answered. A dropped one goes back to the queue.
    waiting: Vec<oneshot::Sender<()>>,
}

impl Supervisor {
    /// If all interviews here were rejected, others of the run have to be asked to find out whether those are too.
    pub(super) fn release_rejected(&mut self) {
        let waiting = &mut self.rejections.waiting;
        waiting.retain(|interview| !interview.is_closed());
        if waiting.len() >= self.held.len() {
            waiting.clear();
        }
    }

    fn pause_rejected(&mut self, message: &str) -> ResponseActFuture<Self, bool> {
        self.rejections = Rejections::default();
        self.pause_run("rejected", format!("{MAX_REJECTIONS} interviews in a row were rejected: {message}"))
    }
}

impl Handler<CallRefused> for Supervisor {
    type Result = ResponseActFuture<Self, bool>;

    fn handle(&mut self, refused: CallRefused, _: &mut Self::Context) -> Self::Result {
        let CallRefused { persona_id, refusal, message, call_began } = refused;
        // Whoever resumed the run since may have mended what was refused: its requests are asked again.
        if call_began < self.running_since || *self.state.borrow() != RunState::Running {
            return Box::pin(fut::ready(true));
        }
        if refusal == Refusal::Denied {
            return self.pause_run("denied", message);
        }
        self.run.refused.store(true, Ordering::Relaxed);
        let rejected_again = !self.rejections.personas.insert(persona_id);
        if refusal == Refusal::Rejected && (rejected_again || self.held.len() < 2) {
            return Box::pin(fut::ready(false));
        }
        if self.rejections.personas.len() >= MAX_REJECTIONS {
            return self.pause_rejected(&message);
        }
        if refusal == Refusal::ModelMissing {
            return Box::pin(fut::ready(false));
        }
        let (reply, alone) = oneshot::channel();
        self.rejections.waiting.push(reply);
        self.release_rejected();
        let release = async { timeout(VERDICT_TIMEOUT, alone).await != Ok(Ok(())) };
        Box::pin(release.into_actor(self))
    }
}

impl Handler<CallAnswered> for Supervisor {
    type Result = ();

    fn handle(&mut self, _: CallAnswered, _: &mut Self::Context) {
        for interview in std::mem::take(&mut self.rejections).waiting {
            let _ = interview.send(());
        }
    }
}
