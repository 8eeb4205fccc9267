//! Connections and settings of the dispatcher.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix::prelude::*;
use uuid::Uuid;

use crate::config::{ModelConfig, ModelServers};
use crate::db::AsyncPool;
use crate::engine::budget::BudgetActor;
use crate::engine::config::RunScope;
use crate::engine::interview::{CallGate, WorkerContacts};
use crate::engine::limiter::RateLimiter;
use crate::engine::messages::{Busy, ForgetRun};
use crate::engine::supervisor::SupervisorResources;
use crate::engine::timings::Timings;
use crate::llm::LlmServers;

/// Connections and settings that the dispatcher passes on to supervisors, scans and claims.
#[derive(Clone)]
pub struct DispatcherResources {
    /// Identifies this worker's process.
    pub process: Uuid,
    pub database_url: Arc<str>,
    pub timings: Timings,
    pub pool: AsyncPool,
    pub models: Arc<ModelServers>,
    pub llm: LlmServers,
    pub limiters: Arc<BTreeMap<String, Addr<RateLimiter>>>,
    pub budget: Addr<BudgetActor>,
    pub call_gate: CallGate,
    pub scope: RunScope,
    pub workers: Recipient<Busy>,
}

impl DispatcherResources {
    /// Connections of a run's supervisor to the run's model server. Fails with the reason for people if it cannot be asked.
    pub fn connect(&self, server: &str) -> Result<SupervisorResources, String> {
        let gone = || format!("its model server {server} is not among those of this installation any more");
        let config = self.models.find(server).ok_or_else(gone)?;
        let (llm, limiter) = self.llm.find(server).zip(self.limiters.get(server)).ok_or_else(gone)?;
        config.missing_key().map_or(Ok(()), Err)?;
        Ok(SupervisorResources {
            database_url: self.database_url.clone(),
            timings: self.timings,
            contacts: WorkerContacts {
                pool: self.pool.clone(),
                llm: llm.clone(),
                limiter: limiter.clone().recipient(),
                budget: self.budget.clone().recipient(),
                call_gate: self.call_gate.clone(),
            },
        })
    }

    pub fn max_concurrency(&self, server: &str) -> u32 {
        self.models.find(server).map_or(1, |config| config.max_concurrency)
    }

    /// Calls that one request of a run may cost.
    pub fn max_attempts(&self, server: &str) -> u16 {
        self.models.find(server).map_or(1, |config: &ModelConfig| config.max_attempts)
    }

    /// Tells the actors that keep something for each run that this one has no supervisor any more.
    pub fn forget(&self, run: i64, server: &str) {
        self.budget.do_send(ForgetRun(run));
        if let Some(limiter) = self.limiters.get(server) {
            limiter.do_send(ForgetRun(run));
        }
    }
}
