//! Retry policy for failed calls. The permit is released before any wait.

use std::time::Duration;

use rand::RngExt;
use tokio::time::Instant;

use super::call_loop::{Session, interrupted};
use super::outcome::{CallSettlement, Pending, failed_call, one_more_attempt};
use crate::engine::limiter::{CallEnd, Cost, Permit};
use crate::engine::messages::{CallRefused, Interrupted, Refusal, RunState};
use crate::llm::CallError;

const MIN_BACK_OFF: Duration = Duration::from_secs(1);
const MAX_BACK_OFF: Duration = Duration::from_secs(60);
/// While the server may be down: an interview that is asked alone is what finds out that it is back.
const MAX_OUTAGE_BACK_OFF: Duration = Duration::from_secs(8);
/// Added to what a server asks for: its clock differs from ours, and HTTP dates count in seconds.
const SLACK: Duration = Duration::from_millis(50);

impl Session {
    /// What becomes of the requests of a call that brought no completion.
    pub(super) async fn handle_failed_call<'a>(
        &mut self,
        error: CallError,
        permit: Permit,
        pending: Vec<Pending<'a>>,
    ) -> Result<CallSettlement<'a>, Interrupted> {
        let max_attempts = self.interview.run.max_attempts;
        let message = error.to_string();
        let code = error.code();
        match &error {
            CallError::RateLimited { retry_after, .. } => {
                let back_off = jitter(MIN_BACK_OFF);
                let wait = retry_after.map_or(back_off, |wait| wait.max(back_off) + SLACK);
                permit.finish(CallEnd::RateLimited { until: Instant::now() + wait }).await;
                Ok(CallSettlement { again: pending, ..CallSettlement::default() })
            }
            CallError::NotUnderstood => {
                permit.finish(CallEnd::Answered).await;
                Ok(CallSettlement { again: pending, ..CallSettlement::default() })
            }
            CallError::Denied { .. } => {
                permit.finish(CallEnd::Answered).await;
                let denied = self.refused(Refusal::Denied, message);
                let _ = self.interview.contacts.refusals.send(denied).await;
                Err(Interrupted::Released)
            }
            CallError::Rejected { .. } => {
                permit.finish(CallEnd::Answered).await;
                let rejected = self.refused(Refusal::Rejected, message.clone());
                let verdict = self.interview.contacts.refusals.send(rejected);
                let release = tokio::select! {
                    release = verdict => release.unwrap_or(false),
                    interrupted = interrupted(&mut self.interview.state, RunState::Paused) => return Err(interrupted),
                };
                if release {
                    return Err(Interrupted::Released);
                }
                Ok(one_more_attempt(pending, 0, code, &message, None))
            }
            CallError::Transient { retry_after, .. } => {
                let end = CallEnd::Down { unreachable: error.blames_no_request(), reason: message.clone() };
                let cost = permit.finish(end).await;
                if code == CallError::MODEL_MISSING {
                    let missing = self.refused(Refusal::ModelMissing, message.clone());
                    if self.interview.contacts.refusals.send(missing).await.unwrap_or(false) {
                        return Err(Interrupted::Released);
                    }
                }
                let asked_for = retry_after.filter(|_| cost != Cost::Nothing).unwrap_or_default();
                let back_off = jitter(longest_back_off(&pending, cost)).max(asked_for);
                let outcome = failed_call(pending, cost, max_attempts, code, &message);
                self.back_off(outcome, back_off).await
            }
            CallError::Garbled { .. } => {
                permit.finish(CallEnd::Answered).await;
                let back_off = jitter(longest_back_off(&pending, Cost::Attempt));
                let outcome = one_more_attempt(pending, max_attempts, code, &message, None);
                self.back_off(outcome, back_off).await
            }
        }
    }

    fn refused(&self, refusal: Refusal, message: String) -> CallRefused {
        CallRefused { persona_id: self.interview.persona_id, refusal, message, call_began: self.call_began }
    }

    /// Waits before another attempt, if there is one.
    async fn back_off<'a>(
        &mut self,
        outcome: CallSettlement<'a>,
        time: Duration,
    ) -> Result<CallSettlement<'a>, Interrupted> {
        if outcome.again.is_empty() {
            return Ok(outcome);
        }
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(outcome),
            interrupted = interrupted(&mut self.interview.state, RunState::Paused) => Err(interrupted),
        }
    }
}

/// Before jitter.
pub(super) fn longest_back_off(pending: &[Pending<'_>], cost: Cost) -> Duration {
    let attempts = pending.iter().map(|pending| pending.attempts).max().unwrap_or(0);
    let longest = match cost {
        // A permit is waited for instead.
        Cost::Nothing => Duration::ZERO,
        Cost::NotTheLastAttempt => MAX_OUTAGE_BACK_OFF,
        Cost::Attempt => MAX_BACK_OFF,
    };
    (MIN_BACK_OFF * 2_u32.saturating_pow(attempts.into())).min(longest)
}

/// Full jitter: anything up to the given time, so that calls that failed together do not come back together.
fn jitter(longest: Duration) -> Duration {
    longest.mul_f64(rand::rng().random_range(0.0..=1.0))
}
