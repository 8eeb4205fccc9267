//! An interview of a run that asks through the model server's Batch API.
//!
//! It goes as any other, but for its calls: the next one is written down for a batch, and the interview leaves the queue.
//! When the batch has ended, it is claimed anew, comes to the same call, finds its reply and goes on. Each delivery reads
//! at most one reply and reports once: what the reply settled, and which call is waited for now.

use serde::{Deserialize, Serialize};

use super::call_loop::Session;
use super::calls::ReplyRoom;
use super::crashed;
use super::outcome::{CallSettlement, Pending, RequestState, asked, one_more_attempt};
use super::staged::Call;
use crate::engine::messages::Interrupted;
use crate::llm::CallError;
use crate::llm::prompt::{Dialect, Prompt, SystemMessage};
use crate::models::batches::WaitingCall;
use crate::models::settlement::{CallChange, NewAnswer, NewCall, NewFailure};

/// What an interview of a batch run reports at its end, or once it waits.
#[derive(Default)]
pub struct InBatches {
    pub call_change: CallChange,
    answers: Vec<NewAnswer>,
    failures: Vec<NewFailure>,
}

/// Of a call that waits for a batch: what it takes to come to the same prompt again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallState {
    requests: Vec<RequestState>,
    room: ReplyRoom,
    dialect: Dialect,
}

/// A call before it is answered.
struct Asking<'a> {
    pending: Vec<Pending<'a>>,
    room: ReplyRoom,
    dialect: Dialect,
}

impl<'a> Asking<'a> {
    /// These requests as they were when they were written down. `None`: others were.
    fn again(pending: &[Pending<'a>], state: CallState) -> Option<Self> {
        let of = |pending: &Pending<'a>| {
            let state = state.requests.iter().find(|state| state.question_id == pending.asked.question.id)?;
            Some(pending.in_state(state))
        };
        let again: Option<Vec<_>> = pending.iter().map(of).collect();
        let pending = again.filter(|again| again.len() == state.requests.len())?;
        Some(Self { pending, room: state.room, dialect: state.dialect })
    }

    fn state(&self) -> CallState {
        let requests = self.pending.iter().map(Pending::state).collect();
        CallState { requests, room: self.room, dialect: self.dialect }
    }
}

impl Session {
    /// Asks these requests by a batch.
    pub(super) async fn ask_in_batch(&mut self, pending: Vec<Pending<'_>>, call: Call<'_>) -> Result<(), Interrupted> {
        let persona = self.persona().await?;
        self.may_continue().await?;
        let dialect = self.interview.contacts.llm.dialect();
        let mut asking = Asking { room: ReplyRoom::of(&pending), pending, dialect };
        if let Some(waiting) = self.interview.waiting.take()
            && let Some((known, prompt)) = self.known(&waiting, &asking.pending, &persona, call)
        {
            let Some(reply) = waiting.reply else { return self.wait(CallChange::Wait).await };
            let (dialect, mut room) = (known.dialect, known.room);
            let mut outcome = self.read_reply(&reply, known, &prompt, &mut room, call);
            if self.is_finished(&mut outcome, call) {
                return self.report(outcome.answers, outcome.failures, true).await;
            }
            self.in_batches.answers.append(&mut outcome.answers);
            self.in_batches.failures.append(&mut outcome.failures);
            if outcome.again.is_empty() {
                return Ok(());
            }
            // What the server turned out not to know is left out.
            let dialect = dialect.common(self.interview.contacts.llm.dialect());
            asking = Asking { pending: outcome.again, room, dialect };
        }
        let prompt = self.prompt(&asking, &persona, call);
        let stored = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let new = NewCall {
            prompt_hash: prompt.hash(),
            body_rest: prompt.rest(&persona).to_owned(),
            bytes: stored(prompt.body().len()),
            reply_tokens: stored(prompt.reply_tokens() as usize),
            state: serde_json::to_value(asking.state()).map_err(crashed)?,
        };
        self.wait(CallChange::Replace(Some(Box::new(new)))).await
    }

    fn prompt(&self, asking: &Asking<'_>, persona: &SystemMessage, call: Call<'_>) -> Prompt {
        let (run, asked) = (&self.interview.run, asked(&asking.pending));
        Prompt::build_after(call.earlier(), persona, &run.parameters, &asked, asking.dialect, asking.room.tokens)
    }

    /// These requests and their prompt, if they are what the interview waits for. They may not be: another pass of the run
    /// asks others.
    fn known<'a>(
        &self,
        waiting: &WaitingCall,
        pending: &[Pending<'a>],
        persona: &SystemMessage,
        call: Call<'_>,
    ) -> Option<(Asking<'a>, Prompt)> {
        let known = Asking::again(pending, CallState::deserialize(&waiting.state).ok()?)?;
        let prompt = self.prompt(&known, persona, call);
        (waiting.prompt_hash == prompt.hash()).then_some((known, prompt))
    }

    /// What the reply means for the requests that it answers. What concerns more than this call was seen to when the batch
    /// ended.
    fn read_reply<'a>(
        &mut self,
        reply: &str,
        asking: Asking<'a>,
        prompt: &Prompt,
        room: &mut ReplyRoom,
        call: Call<'_>,
    ) -> CallSettlement<'a> {
        let Asking { pending, dialect, .. } = asking;
        let (run, llm) = (self.interview.run.clone(), &self.interview.contacts.llm);
        let read = llm.read_line(reply, dialect, &run.parameters.model, prompt.body().len());
        self.usage.calls += 1;
        let error = match read {
            Ok(completion) => return self.sort(pending, completion, (prompt.hash(), dialect), room, call),
            Err(error) => error,
        };
        let message = error.to_string();
        match error {
            CallError::RateLimited { .. } | CallError::NotUnderstood | CallError::Denied { .. } => {
                CallSettlement { again: pending, ..CallSettlement::default() }
            }
            CallError::Rejected { .. } => one_more_attempt(pending, 0, error.code(), &message, None),
            CallError::Transient { .. } | CallError::Garbled { .. } => {
                one_more_attempt(pending, run.max_attempts, error.code(), &message, None)
            }
        }
    }

    /// Reports what was settled, and leaves the queue until the call is answered.
    async fn wait(&mut self, call_change: CallChange) -> Result<(), Interrupted> {
        self.in_batches.call_change = call_change;
        let (answers, failures) = (&mut self.in_batches.answers, &mut self.in_batches.failures);
        let (answers, failures) = (std::mem::take(answers), std::mem::take(failures));
        self.report(answers, failures, true).await?;
        self.booked().await?;
        Err(Interrupted::Waits)
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
        let mut asking = Asking {
            pending: pending(&questions),
            room: ReplyRoom { tokens: 4_096, enlarged: true },
            dialect: Dialect::default(),
        };
        let again = one_more_attempt(asking.pending, 6, "server_error", "oh", None).again;
        asking.pending = again;
        asking.pending[1].asked.rejection = Some("neither true nor false".to_owned());
        let stored = serde_json::to_value(asking.state()).expect("JSON");
        let state = || CallState::deserialize(&stored).expect("a state");
        let known = Asking::again(&pending(&questions), state()).expect("the same requests");
        assert_eq!(known.state(), asking.state());
        assert_eq!(known.pending[1].attempts, 1);

        assert!(Asking::again(&pending(&questions[..1]), state()).is_none(), "one of them is settled");
        let others = [question(1), question(3)];
        assert!(Asking::again(&pending(&others), state()).is_none());
        let more = [question(1), question(2), question(3)];
        assert!(Asking::again(&pending(&more), state()).is_none());
    }
}
