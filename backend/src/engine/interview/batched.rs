//! A call of a run that asks through the model server's Batch API.
//!
//! Such an interview goes like any other, except that its next call is written down for a batch and the interview leaves
//! the queue. When the batch has ended, the interview is claimed again, comes to the same call, finds its reply and goes
//! on. Each delivery reads at most one reply and reports once: what the reply settled, and which call is waited for now.

use serde::{Deserialize, Serialize};
use simulation::parameters::Parameters;

use super::outcome::{CallSettlement, Pending, ReplyRoom, RequestState, asked, count_attempt};
use super::staged::Call;
use crate::llm::prompt::{Dialect, Prompt};
use crate::llm::{CallError, EncodedPrompt};
use crate::models::batches::WaitingCall;
use crate::models::settlement::{CallChange, NewAnswer, NewCall, NewFailure};

/// Results that an interview of a batch run reports at its end, or once it waits.
#[derive(Default)]
pub struct BatchReport {
    pub call_change: CallChange,
    pub answers: Vec<NewAnswer>,
    pub failures: Vec<NewFailure>,
}

/// State from which the same prompt is built again when the batch has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallState {
    requests: Vec<RequestState>,
    room: ReplyRoom,
    dialect: Dialect,
}

/// A call that a batch asks.
pub struct BatchedCall<'a> {
    pub pending: Vec<Pending<'a>>,
    pub room: ReplyRoom,
    pub dialect: Dialect,
}

impl<'a> BatchedCall<'a> {
    /// `reasoning_room`: tokens of the reply that are left to the model's reasoning.
    pub fn new(pending: Vec<Pending<'a>>, dialect: Dialect, reasoning_room: u32) -> Self {
        Self { room: ReplyRoom::new(&pending, reasoning_room), pending, dialect }
    }

    /// The call's prompt in a run with these parameters.
    pub fn prompt(&self, parameters: &Parameters, call: Call<'_>) -> Prompt {
        Prompt::new(call.earlier(), parameters, &asked(&self.pending), self.dialect, self.room.tokens)
    }

    /// The call as it was written down, and its prompt, if it is what the interview waits for. It may not be: another pass
    /// of the run asks other requests.
    pub fn recall(
        &self,
        waiting: &WaitingCall,
        parameters: &Parameters,
        call: Call<'_>,
        encode: impl FnOnce(&Prompt) -> EncodedPrompt,
    ) -> Option<(Self, EncodedPrompt)> {
        let known = self.in_state(CallState::deserialize(&waiting.state).ok()?)?;
        let prompt = encode(&known.prompt(parameters, call));
        (waiting.prompt_hash == prompt.hash()).then_some((known, prompt))
    }

    /// The call as the next batch carries it.
    pub fn to_new_call(&self, prompt: &EncodedPrompt) -> serde_json::Result<NewCall> {
        let stored = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        Ok(NewCall {
            prompt_hash: prompt.hash(),
            body_rest: prompt.rest().to_owned(),
            bytes: stored(prompt.body().len()),
            reply_tokens: stored(prompt.reply_tokens() as usize),
            state: serde_json::to_value(self.state())?,
        })
    }

    /// These requests in the state in which they were written down. `None`: others were.
    fn in_state(&self, state: CallState) -> Option<Self> {
        let find = |pending: &Pending<'a>| {
            let state = state.requests.iter().find(|state| state.question_id == pending.asked.question.id)?;
            Some(pending.in_state(state))
        };
        let found: Option<Vec<_>> = self.pending.iter().map(find).collect();
        let pending = found.filter(|found| found.len() == state.requests.len())?;
        Some(Self { pending, room: state.room, dialect: state.dialect })
    }

    fn state(&self) -> CallState {
        let requests = self.pending.iter().map(Pending::state).collect();
        CallState { requests, room: self.room, dialect: self.dialect }
    }
}

/// Settles the requests of a call that a batch did not answer. An error that concerns more than this call was
/// handled when the batch ended.
pub fn settle_failed_call<'a>(error: &CallError, pending: Vec<Pending<'a>>, max_attempts: u16) -> CallSettlement<'a> {
    let (code, message) = (error.code(), error.to_string());
    match error {
        CallError::RateLimited { .. }
        | CallError::NotUnderstood
        | CallError::ParameterRefused { .. }
        | CallError::Denied { .. } => CallSettlement::ask_again(pending),
        CallError::Rejected { .. } => count_attempt(pending, 0, code, &message, None),
        CallError::Transient { .. } | CallError::Garbled { .. } => {
            count_attempt(pending, max_attempts, code, &message, None)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::llm::{PromptItem, samples};
    use survey::question::Question;

    fn pending(questions: &[Question]) -> Vec<Pending<'_>> {
        let parameters = samples::parameters();
        questions.iter().map(|question| Pending::new(PromptItem::new(question, &parameters, 1))).collect()
    }

    #[test]
    fn requests_are_as_they_were_when_they_were_written_down() {
        let question = |id| survey::samples::question(id, json!({ "type": "BOOLEAN", "text": "Do you smoke?" }));
        let questions = [question(1), question(2)];
        let mut written = BatchedCall {
            pending: pending(&questions),
            room: ReplyRoom { tokens: 4_096, enlarged: true },
            dialect: Dialect::default(),
        };
        written.pending = count_attempt(written.pending, 6, "server_error", "oh", None).again;
        written.pending[1].asked.rejection = Some("neither true nor false".to_owned());
        let stored = serde_json::to_value(written.state()).expect("JSON");
        let recall = |questions| {
            let state = CallState::deserialize(&stored).expect("a state");
            BatchedCall::new(pending(questions), Dialect::default(), 0).in_state(state)
        };
        let known = recall(&questions).expect("the same requests");
        assert_eq!(known.state(), written.state());
        assert_eq!(known.pending[1].attempts, 1);

        assert!(recall(&questions[..1]).is_none(), "one of them is settled");
        let others = [question(1), question(3)];
        assert!(recall(&others).is_none());
        let more = [question(1), question(2), question(3)];
        assert!(recall(&more).is_none());
    }

    #[test]
    fn only_an_error_of_the_request_counts_as_an_attempt() {
        let questions = [survey::samples::question(1, json!({ "type": "BOOLEAN", "text": "Do you smoke?" }))];
        let message = || "oh".to_owned();
        for (error, attempts, failed) in [
            (CallError::RateLimited { message: message(), retry_after: None }, 0, false),
            (CallError::NotUnderstood, 0, false),
            (CallError::Denied { message: message() }, 0, false),
            (CallError::Transient { code: "timeout", message: message(), retry_after: None }, 1, false),
            (CallError::Garbled { message: message() }, 1, false),
            (CallError::Rejected { status: 400, message: message() }, 1, true),
        ] {
            let settlement = settle_failed_call(&error, pending(&questions), 6);
            assert_eq!(settlement.failures.len(), usize::from(failed), "{error:?}");
            let again: Vec<u16> = settlement.again.iter().map(|pending| pending.attempts).collect();
            assert_eq!(again, if failed { vec![] } else { vec![attempts] }, "{error:?}");
        }
    }
}
