//! Calls that the model server rejected: whether one request is at fault, or the whole run.

use std::collections::HashSet;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::engine::messages::Refusal;

/// Interviews whose calls are rejected with no answer between them: the fault is not in one request, so the run is paused.
pub const MAX_REJECTIONS: usize = 20;
/// How long a rejected request waits for the other interviews' calls to show whether it is rejected alone.
const VERDICT_TIMEOUT: Duration = Duration::from_secs(60);

/// The rejections since the last answer.
#[derive(Default)]
pub struct Rejections {
    personas: HashSet<i32>,
    /// Their interviews, which wait until others are answered. A dropped sender sends an interview back to the queue.
    waiting: Vec<oneshot::Sender<()>>,
}

/// Consequence of a rejected call.
pub enum Verdict<OthersAnswered> {
    /// The request is at fault.
    RequestFails,
    /// The run is at fault.
    RunPauses,
    /// The future says whether other interviews are answered. If they are not, this one goes back to the queue.
    Unclear(OthersAnswered),
}

impl Rejections {
    /// Judges the rejection of one of `held` interviews.
    pub fn judge(
        &mut self,
        persona_id: i32,
        refusal: Refusal,
        held: usize,
    ) -> Verdict<impl Future<Output = bool> + use<>> {
        let rejected_again = !self.personas.insert(persona_id);
        if refusal == Refusal::Rejected && (rejected_again || held < 2) {
            return Verdict::RequestFails;
        }
        if self.personas.len() >= MAX_REJECTIONS {
            return Verdict::RunPauses;
        }
        if refusal == Refusal::ModelMissing {
            return Verdict::RequestFails;
        }
        let (reply, answered) = oneshot::channel();
        self.waiting.push(reply);
        self.release_if_all(held);
        Verdict::Unclear(async { timeout(VERDICT_TIMEOUT, answered).await == Ok(Ok(())) })
    }

    /// If all `held` interviews were rejected, they go back to the queue: others of the run have to be asked to find out
    /// whether those are rejected too.
    pub fn release_if_all(&mut self, held: usize) {
        self.waiting.retain(|interview| !interview.is_closed());
        if self.waiting.len() >= held {
            self.waiting.clear();
        }
    }

    /// Another interview was answered: the rejected requests are at fault.
    pub fn note_answer(self) {
        for interview in self.waiting {
            // The interview may have been interrupted meanwhile.
            let _ = interview.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_is_at_fault_when_another_interview_is_answered() {
        let mut rejections = Rejections::default();
        let Verdict::Unclear(others_answered) = rejections.judge(1, Refusal::Rejected, 3) else {
            panic!("judged early")
        };
        rejections.note_answer();
        assert!(others_answered.await);
    }

    #[tokio::test]
    async fn all_interviews_go_back_to_the_queue_when_all_are_rejected() {
        let mut rejections = Rejections::default();
        let Verdict::Unclear(first) = rejections.judge(1, Refusal::Rejected, 2) else { panic!("judged early") };
        let Verdict::Unclear(second) = rejections.judge(2, Refusal::Rejected, 2) else { panic!("judged early") };
        assert!(!first.await && !second.await);
    }

    #[test]
    fn a_request_that_is_rejected_twice_or_alone_fails_and_many_rejections_pause_the_run() {
        let mut rejections = Rejections::default();
        assert!(matches!(rejections.judge(1, Refusal::Rejected, 1), Verdict::RequestFails));
        assert!(matches!(rejections.judge(1, Refusal::Rejected, 50), Verdict::RequestFails));
        for persona in 2..MAX_REJECTIONS as i32 {
            assert!(matches!(rejections.judge(persona, Refusal::ModelMissing, 50), Verdict::RequestFails));
        }
        assert!(matches!(rejections.judge(0, Refusal::Rejected, 50), Verdict::RunPauses));
    }
}
