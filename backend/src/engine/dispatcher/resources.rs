//! Connections and settings of the dispatcher.

use std::sync::Arc;

use actix::prelude::*;
use uuid::Uuid;

use crate::db::AsyncPool;
use crate::engine::config::RunScope;
use crate::engine::interview::CallGate;
use crate::engine::limiter::Acquire;
use crate::engine::messages::{Busy, ForgetRun, Settle};
use crate::engine::timings::Timings;
use crate::llm::Llm;

/// Connections and settings that the dispatcher passes on to supervisors, scans and claims.
#[derive(Clone)]
pub struct DispatcherResources {
    /// Identifies this worker's process.
    pub process: Uuid,
    pub database_url: Arc<str>,
    pub pool: AsyncPool,
    pub llm: Llm,
    pub timings: Timings,
    /// Calls under way at once over all workers.
    pub max_concurrency: u32,
    pub max_attempts: u16,
    pub scope: RunScope,
    pub limiter: Recipient<Acquire>,
    pub budget: Recipient<Settle>,
    pub workers: Recipient<Busy>,
    pub call_gate: CallGate,
    /// The actors that keep something for each run.
    pub forget: [Recipient<ForgetRun>; 2],
}
