//! Connections and settings of the dispatcher.

use std::collections::BTreeMap;
use std::sync::Arc;

use actix::prelude::*;
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use simulation::key_owner::KeyOwner;
use simulation::row::Simulation;
use uuid::Uuid;

use crate::config::{ModelConfig, ModelServers};
use crate::db::AsyncPool;
use crate::engine::budget::BudgetActor;
use crate::engine::clients::{NoClient, RunClient, RunClients};
use crate::engine::config::RunScope;
use crate::engine::interview::{CallGate, WorkerContacts};
use crate::engine::limiter::RateLimiter;
use crate::engine::messages::{Busy, ForgetRun};
use crate::engine::supervisor::SupervisorResources;
use crate::engine::timings::Timings;
use crate::error::Error;

/// Connections and settings that the dispatcher passes on to supervisors, scans and claims.
#[derive(Clone)]
pub struct DispatcherResources {
    /// Identifies this worker's process.
    pub process: Uuid,
    pub database_url: Arc<str>,
    pub timings: Timings,
    pub pool: AsyncPool,
    pub models: Arc<ModelServers>,
    pub clients: RunClients,
    pub limiters: Arc<BTreeMap<String, Addr<RateLimiter>>>,
    pub budget: Addr<BudgetActor>,
    pub call_gate: CallGate,
    pub scope: RunScope,
    pub workers: Recipient<Busy>,
}

impl DispatcherResources {
    /// Connections of a run's supervisor to the run's model server, by the key that the run asks with, and when that was set if
    /// it is a group's.
    pub async fn connect(
        &self,
        conn: &mut AsyncPgConnection,
        run: &Simulation,
        owner: KeyOwner,
    ) -> Result<(SupervisorResources, Option<DateTime<Utc>>), NoClient> {
        let server = run.server();
        let RunClient { llm, key_set_at } = self.clients.find(conn, server, (run.group_id, owner)).await?;
        let limiter = self.limiters.get(server);
        let limiter = limiter.ok_or_else(|| Error::internal(format!("the model server {server} has no limiter")))?;
        let resources = SupervisorResources {
            database_url: self.database_url.clone(),
            timings: self.timings,
            contacts: WorkerContacts {
                pool: self.pool.clone(),
                llm,
                limiter: limiter.clone().recipient(),
                budget: self.budget.clone().recipient(),
                call_gate: self.call_gate.clone(),
            },
        };
        Ok((resources, key_set_at))
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
