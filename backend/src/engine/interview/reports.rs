//! The reports of an interview: what its calls settled and used since the last one.

use tokio::sync::oneshot;

use super::call_loop::Session;
use super::staged::Call;
use super::{Interview, crashed};
use crate::engine::messages::{Interrupted, Settle};
use crate::llm::Completion;
use crate::llm::prompt::Recipe;
use crate::models::call_replies::{ModelReply, NewCallReply};
use crate::models::settlement::{AskedPrompt, Booked, CallChange, CallUsage, InterviewReport, NewAnswer, NewFailure};

impl Session {
    /// Keeps how the prompt of these answers is built again, unless it is the usual one.
    pub(super) fn remember(&mut self, recipe: Recipe, hash: [u8; 32], answers: &[NewAnswer], call: Call<'_>) {
        let run = &self.interview.run;
        let Some(answer) = answers.first() else { return };
        let standard = match call {
            Call::Chunk { .. } => Recipe::standard(&run.questions, answer.question_id, &run.parameters),
            Call::Staged(sheet) => Some(Recipe::standard_of_sheet(sheet)),
        };
        if standard.as_ref() != Some(&recipe) {
            // A recipe is ids, numbers and texts, which JSON can always hold.
            self.prompts.extend(serde_json::to_value(recipe).map(|recipe| AskedPrompt { hash, recipe }));
        }
    }

    /// In a run that keeps them.
    pub(super) fn keep(&mut self, prompt_hash: [u8; 32], completion: &Completion) {
        if !self.interview.run.parameters.keep_replies {
            return;
        }
        let Completion { content, refusal, finish_reason, model, fingerprint, usage, latency } = completion.clone();
        let reply = ModelReply {
            content,
            refusal,
            finish_reason,
            model,
            fingerprint,
            latency_ms: latency.map(|latency| i32::try_from(latency.as_millis()).unwrap_or(i32::MAX)),
            prompt_tokens: usage.prompt,
            cached_tokens: usage.cached,
            completion_tokens: usage.completion,
        };
        self.replies.push(NewCallReply::now(prompt_hash, reply));
    }

    pub(super) fn count(&mut self, completion: &Completion) {
        self.usage += CallUsage {
            calls: 0,
            prompt_tokens: completion.usage.prompt.into(),
            cached_tokens: completion.usage.cached.into(),
            completion_tokens: completion.usage.completion.into(),
        };
    }

    /// Reports to the budget actor without waiting for it; the next report waits until this one is booked.
    pub(super) async fn report(
        &mut self,
        answers: Vec<NewAnswer>,
        failures: Vec<NewFailure>,
        finished: bool,
    ) -> Result<(), Interrupted> {
        self.booked().await?;
        let Interview { run, persona_id, lease, contacts, .. } = &self.interview;
        let (usage, left_out) = (std::mem::take(&mut self.usage), std::mem::take(&mut self.left_out));
        let (persona_id, lease, prompts) = (*persona_id, *lease, std::mem::take(&mut self.prompts));
        let (replies, not_shown) = (std::mem::take(&mut self.replies), std::mem::take(&mut self.not_shown));
        let call_change = match std::mem::take(&mut self.in_batches.call_change) {
            CallChange::Keep if finished && run.parameters.batch => CallChange::Replace(None),
            change => change,
        };
        let report = InterviewReport {
            persona_id,
            lease,
            answers,
            failures,
            not_shown,
            usage,
            left_out,
            prompts,
            replies,
            finished,
            call_change,
        };
        let (reply, booked) = oneshot::channel();
        contacts.budget.do_send(Settle { run: run.id, report, reply });
        self.booking = Some(booked);
        Ok(())
    }

    /// Waits until the last report is committed.
    pub(super) async fn booked(&mut self) -> Result<(), Interrupted> {
        let Some(booking) = self.booking.take() else { return Ok(()) };
        match booking.await.map_err(|_| crashed("the budget actor stopped"))?.map_err(crashed)? {
            Booked::Stored => Ok(()),
            Booked::LeaseLost => Err(Interrupted::LeaseLost),
            Booked::RunFinished => Err(Interrupted::RunFinished),
        }
    }
}
