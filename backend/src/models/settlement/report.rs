//! The report of an interview, and the outcome of its settlement.

use simulation::answers::Provenance;
use simulation::status::Status;
use survey::walk::Reason;

use crate::models::call_replies::NewCallReply;
use crate::models::queue::Lease;

/// An answer that passed its checks, with its provenance.
#[derive(Clone, Debug)]
pub struct NewAnswer {
    pub question_id: i64,
    pub answer: String,
    pub answer_value: serde_json::Value,
    /// The distribution that it was drawn from.
    pub distribution: Option<serde_json::Value>,
    pub provenance: Provenance,
}

/// A request that failed for good in this pass.
#[derive(Clone, Debug)]
pub struct NewFailure {
    pub question_id: i64,
    pub code: &'static str,
    pub message: String,
    /// The model's text, for the debug download.
    pub detail: Option<String>,
    pub attempts: i16,
}

/// A request that logic hid.
#[derive(Clone, Copy, Debug)]
pub struct NotShown {
    pub question_id: i64,
    pub reason: Reason,
}

/// A prompt's hash, and how to build the prompt again.
#[derive(Clone, Debug)]
pub struct AskedPrompt {
    pub hash: [u8; 32],
    pub recipe: serde_json::Value,
}

/// Calls made and tokens used, including calls without answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallUsage {
    pub calls: i64,
    pub prompt_tokens: i64,
    pub cached_tokens: i64,
    pub completion_tokens: i64,
    pub reasoning_tokens: i64,
    pub cache_write_tokens: i64,
}

impl std::ops::AddAssign for CallUsage {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.prompt_tokens += other.prompt_tokens;
        self.cached_tokens += other.cached_tokens;
        self.completion_tokens += other.completion_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
    }
}

/// The results of one interview since its last report.
#[derive(Clone, Debug)]
pub struct InterviewReport {
    pub persona_id: i32,
    /// The delivery that the reporter holds. A report under a lost lease is not booked.
    pub lease: Lease,
    pub answers: Vec<NewAnswer>,
    pub failures: Vec<NewFailure>,
    pub not_shown: Vec<NotShown>,
    pub usage: CallUsage,
    /// Parameters that calls were sent without, because the model server had rejected them.
    pub left_out: Vec<&'static str>,
    /// Prompts of these answers that were not the usual ones for their questions.
    pub prompts: Vec<AskedPrompt>,
    /// Raw replies, if the run has `keep_replies`.
    pub replies: Vec<NewCallReply>,
    /// The interview has nothing left to ask, or waits for a batch: its message is deleted with this report.
    pub finished: bool,
    /// Change of the call that the interview waits for, in a run that asks in batches.
    pub call_change: CallChange,
}

/// Change of the call that an interview of a batch run waits for.
#[derive(Clone, Debug, Default)]
pub enum CallChange {
    /// Nothing; always so in other runs.
    #[default]
    Keep,
    /// The interview waits for the call. If its reply has arrived meanwhile, the message stays.
    Wait,
    /// The pending call is answered or stale; wait for this one, or for none.
    Replace(Option<Box<NewCall>>),
}

/// A call for the next batch.
#[derive(Clone, Debug)]
pub struct NewCall {
    pub prompt_hash: [u8; 32],
    /// The request's body after the persona's text.
    pub body_rest: String,
    /// Size of the whole body.
    pub bytes: i32,
    /// Expected tokens of the reply.
    pub reply_tokens: i32,
    /// The requests that it asks, and how often each was asked before.
    pub state: serde_json::Value,
}

impl InterviewReport {
    pub fn rows(&self) -> usize {
        self.answers.len() + self.failures.len() + self.not_shown.len()
    }
}

/// The outcome of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Booked {
    /// The report is committed.
    Stored,
    /// Not booked: another worker has the interview now.
    LeaseLost,
    /// Not booked: the run was stopped or is over.
    RunFinished,
}

/// The outcome of a batch: one entry for each report, in order, and the state of the run.
#[derive(Clone, Debug)]
pub struct Settled {
    pub booked: Vec<Booked>,
    pub status: Option<Status>,
    /// Open requests, if the run goes on.
    pub open: Option<usize>,
}
