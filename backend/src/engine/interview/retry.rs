//! Retry policy for failed calls. The permit is released before any wait.

use std::time::Duration;

use rand::RngExt;
use tokio::time::Instant;

use super::caller::ModelCaller;
use super::outcome::{CallSettlement, Pending, count_attempt, count_failed_call};
use crate::engine::limiter::{CallEnd, Cost, Permit};
use crate::engine::messages::{Interrupted, Refusal};
use crate::llm::CallError;
use crate::llm::prompt::parameter_refusal;

const MIN_BACK_OFF: Duration = Duration::from_secs(1);
const MAX_BACK_OFF: Duration = Duration::from_secs(60);
/// While the server may be down: an interview that is asked alone is what finds out that it is back.
const MAX_OUTAGE_BACK_OFF: Duration = Duration::from_secs(8);
/// Added to what a server asks for: its clock differs from ours, and HTTP dates count in seconds.
const SLACK: Duration = Duration::from_millis(50);

/// Settles the requests of a call that brought no completion. Waits before they may be asked again.
pub async fn settle_failed_call<'a>(
    caller: &mut ModelCaller,
    error: CallError,
    permit: Permit,
    pending: Vec<Pending<'a>>,
) -> Result<CallSettlement<'a>, Interrupted> {
    let max_attempts = caller.run.max_attempts;
    let message = error.to_string();
    let code = error.code();
    if matches!(error, CallError::NotUnderstood | CallError::ParameterRefused { .. }) {
        caller.store_refusals().await;
    }
    match &error {
        CallError::RateLimited { retry_after, .. } => {
            let back_off = jitter(MIN_BACK_OFF);
            let wait = retry_after.map_or(back_off, |wait| wait.max(back_off) + SLACK);
            permit.finish(CallEnd::RateLimited { until: Instant::now() + wait }).await;
            Ok(CallSettlement::ask_again(pending))
        }
        CallError::NotUnderstood => {
            permit.finish(CallEnd::Answered).await;
            Ok(CallSettlement::ask_again(pending))
        }
        CallError::Denied { .. } => {
            permit.finish(CallEnd::Answered).await;
            caller.report_refusal(Refusal::Denied, message).await;
            Err(Interrupted::Released)
        }
        CallError::ParameterRefused { parameter, message } => {
            permit.finish(CallEnd::Answered).await;
            let message = parameter_refusal(&caller.run.parameters, *parameter, message);
            caller.report_refusal(Refusal::Parameter, message).await;
            Err(Interrupted::Released)
        }
        CallError::Rejected { .. } => {
            permit.finish(CallEnd::Answered).await;
            if caller.await_verdict(message.clone()).await? {
                return Err(Interrupted::Released);
            }
            Ok(count_attempt(pending, 0, code, &message, None))
        }
        CallError::Transient { retry_after, .. } => {
            let end = CallEnd::Down { unreachable: error.blames_no_request(), reason: message.clone() };
            let cost = permit.finish(end).await;
            if code == CallError::MODEL_MISSING && caller.report_refusal(Refusal::ModelMissing, message.clone()).await {
                return Err(Interrupted::Released);
            }
            if code == CallError::TIMEOUT && caller.report_refusal(Refusal::TimedOut, message.clone()).await {
                return Err(Interrupted::Released);
            }
            let asked_for = retry_after.filter(|_| cost != Cost::Nothing).unwrap_or_default();
            let back_off = jitter(longest_back_off(&pending, cost)).max(asked_for);
            let settlement = count_failed_call(pending, cost, max_attempts, code, &message);
            wait_before_retry(caller, settlement, back_off).await
        }
        CallError::Garbled { .. } => {
            permit.finish(CallEnd::Answered).await;
            let back_off = jitter(longest_back_off(&pending, Cost::Attempt));
            let settlement = count_attempt(pending, max_attempts, code, &message, None);
            wait_before_retry(caller, settlement, back_off).await
        }
    }
}

/// Waits before another attempt, if there is one.
async fn wait_before_retry<'a>(
    caller: &mut ModelCaller,
    settlement: CallSettlement<'a>,
    time: Duration,
) -> Result<CallSettlement<'a>, Interrupted> {
    if !settlement.again.is_empty() {
        caller.watch.unless_paused(tokio::time::sleep(time)).await?;
    }
    Ok(settlement)
}

/// The longest wait before the next attempt, before jitter.
pub fn longest_back_off(pending: &[Pending<'_>], cost: Cost) -> Duration {
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
