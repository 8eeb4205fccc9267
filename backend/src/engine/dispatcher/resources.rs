//! Connections and settings of the dispatcher.

use actix::prelude::*;
use uuid::Uuid;

use crate::engine::config::RunScope;
use crate::engine::messages::{Busy, ForgetRun};
use crate::engine::supervisor::SupervisorResources;

/// Connections and settings that the dispatcher passes on to supervisors, scans and claims.
#[derive(Clone)]
pub struct DispatcherResources {
    /// Identifies this worker's process.
    pub process: Uuid,
    pub supervisor: SupervisorResources,
    /// Calls under way at once over all workers.
    pub max_concurrency: u32,
    pub max_attempts: u16,
    pub scope: RunScope,
    pub workers: Recipient<Busy>,
    /// The actors that keep something for each run.
    pub forget: [Recipient<ForgetRun>; 2],
}
