//! A call that gave no completion: what the outcome table says, with the permit given back before any wait.

use std::time::Duration;

use rand::RngExt;
use tokio::time::Instant;

use super::Halt;
use super::outcome::{Outcome, Pending, one_more_attempt};
use super::session::{Session, halted};
use crate::engine::limiter::{CallEnd, Permit};
use crate::engine::supervisor::{Order, Trouble};
use crate::llm::CallError;

const FIRST_BACK_OFF: Duration = Duration::from_secs(1);
const LONGEST_BACK_OFF: Duration = Duration::from_secs(60);
/// On top of what a server asks for: its clock is not ours, and dates count in seconds.
const SLACK: Duration = Duration::from_millis(50);

impl Session {
    /// A call that gave no completion: what the outcome table says, with the permit given back before any wait.
    pub(super) async fn endure<'a>(
        &mut self,
        error: CallError,
        permit: Permit,
        pending: Vec<Pending<'a>>,
    ) -> Result<Outcome<'a>, Halt> {
        let most = self.interview.run.max_attempts;
        let answered = CallEnd::Answered { latency: None, tokens: 0 };
        let message = error.to_string();
        let code = error.code();
        match error {
            CallError::RateLimited { retry_after, .. } => {
                let wait =
                    retry_after.map_or_else(|| jitter(FIRST_BACK_OFF), |wait| wait.max(jitter(FIRST_BACK_OFF)) + SLACK);
                permit.finish(CallEnd::RateLimited { until: Instant::now() + wait }).await;
                Ok(Outcome { again: pending, ..Outcome::default() })
            }
            CallError::NotUnderstood => {
                permit.finish(answered).await;
                Ok(Outcome { again: pending, ..Outcome::default() })
            }
            CallError::Denied { .. } => {
                permit.finish(answered).await;
                let _ = self.interview.contacts.trouble.send(Trouble::Denied(message)).await;
                Err(Halt::HandedBack)
            }
            CallError::Rejected { .. } => {
                permit.finish(answered).await;
                let paused = self.interview.contacts.trouble.send(Trouble::Rejected(message.clone())).await;
                if paused.unwrap_or(false) {
                    return Err(Halt::HandedBack);
                }
                Ok(one_more_attempt(pending, 0, code, &message, None))
            }
            CallError::Transient { retry_after, .. } => {
                if permit.finish(CallEnd::Down).await {
                    return Ok(Outcome { again: pending, ..Outcome::default() });
                }
                let attempts = pending.iter().map(|pending| pending.attempts).max().unwrap_or(0);
                let outcome = one_more_attempt(pending, most, code, &message, None);
                if !outcome.again.is_empty() {
                    self.wait(back_off(attempts).max(retry_after.unwrap_or_default())).await?;
                }
                Ok(outcome)
            }
            CallError::Garbled { .. } => {
                permit.finish(answered).await;
                let attempts = pending.iter().map(|pending| pending.attempts).max().unwrap_or(0);
                let outcome = one_more_attempt(pending, most, code, &message, None);
                if !outcome.again.is_empty() {
                    self.wait(back_off(attempts)).await?;
                }
                Ok(outcome)
            }
        }
    }

    async fn wait(&mut self, time: Duration) -> Result<(), Halt> {
        tokio::select! {
            () = tokio::time::sleep(time) => Ok(()),
            halt = halted(&mut self.interview.orders, Order::Pause) => Err(halt),
        }
    }
}

fn back_off(attempts: u16) -> Duration {
    jitter((FIRST_BACK_OFF * 2_u32.saturating_pow(attempts.into())).min(LONGEST_BACK_OFF))
}

/// Full jitter: anything up to the given time, so that calls that failed together do not come back together.
fn jitter(most: Duration) -> Duration {
    most.mul_f64(rand::rng().random_range(0.0..=1.0))
}
