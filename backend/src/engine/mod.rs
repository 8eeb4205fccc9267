//! The engine: asks the interviews of all active simulations.
//!
//! ```text
//! WorkerRegistry ──shares, blocks─► RateLimiters ◄─permits── PersonaActor ×N ──reports──► BudgetActor ──► settlers
//!   │ rescan                                                  ▲ state, texts │ endings
//!   └────────► Dispatcher ──claimed interviews──► Supervisor ×runs ◄─────────┘
//!                   └───────────── freed slots ◄─────┘
//! ```
//!
//! All actors live on one thread of their own, so that a message wakes no other core; only the settlers, which block on
//! the database, have threads of theirs. If a core actor dies, the process ends: leases recover what it held.

pub mod batches;
pub mod budget;
pub mod clients;
mod config;
mod denial;
pub mod dispatcher;
mod interview;
pub mod limiter;
mod messages;
mod persona;
mod supervisor;
mod timings;
pub mod workers;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use self::budget::{BudgetActor, Flush, Settlers};
use self::clients::RunClients;
pub use self::config::{EngineConfig, RunScope};
use self::dispatcher::{Dispatcher, Drain, TakeUp};
use self::limiter::RateLimiter;
pub use self::limiter::{Limits, shared_limits};
pub use self::timings::Timings;
use self::workers::{Connect, Leave, WorkerRegistry};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulations;

/// Threads that settle.
const SETTLERS: usize = 2;
/// Connections that the other actors share.
const CONNECTIONS: u32 = 6;
/// How long calls under way may take to finish at the shut-down.
const SHUT_DOWN_TIMEOUT: Duration = Duration::from_secs(25);
/// Interval between two checks that the core actors live.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A running engine. Dropping it without [`Engine::shut_down`] is like a crash: leases recover the rest.
pub struct Engine {
    arbiter: Arbiter,
    dispatcher: Addr<Dispatcher>,
    budget: Addr<BudgetActor>,
    registry: Addr<WorkerRegistry>,
}

impl Engine {
    /// Recovers what a crash left, then works on every active run in its scope.
    pub async fn start(config: EngineConfig) -> Result<Self> {
        let EngineConfig { database_url, models, demo_url, secret, scope, timings } = config;
        let id = Uuid::new_v4();
        let pool = AsyncPool::open(&database_url, CONNECTIONS).await?;
        let session = join(&pool, &database_url, id).await?;
        let settlers = Settlers::start(&database_url, SETTLERS, timings.settle_timeout)?;
        let models = Arc::new(models);
        let clients = RunClients::new(models.clone(), &demo_url, secret)?;
        let arbiter = Arbiter::new();
        let engine_url = database_url.clone();
        let registry = WorkerRegistry::start_in_arbiter(&arbiter.handle(), move |_| {
            WorkerRegistry::new(id, database_url, timings, session)
        });
        let limiters: BTreeMap<String, Addr<RateLimiter>> = models
            .iter()
            .map(|server| {
                let (name, limits) = (server.name.clone(), Limits::new(server));
                let workers = registry.clone().recipient();
                let limiter = RateLimiter::start_in_arbiter(&arbiter.handle(), move |_| {
                    RateLimiter::new(name, limits, timings, workers)
                });
                (server.name.clone(), limiter)
            })
            .collect();
        let budget = BudgetActor::start_in_arbiter(&arbiter.handle(), move |_| BudgetActor::new(settlers));
        let resources = dispatcher::DispatcherResources {
            process: id,
            database_url: engine_url.into(),
            timings,
            pool,
            models,
            clients,
            limiters: Arc::new(limiters.clone()),
            budget: budget.clone(),
            call_gate: interview::CallGate::default(),
            scope,
            workers: registry.clone().recipient(),
        };
        let dispatcher = Dispatcher::start_in_arbiter(&arbiter.handle(), move |_| Dispatcher::new(resources));
        registry
            .send(Connect { dispatcher: dispatcher.clone().recipient(), limiters: limiters.clone() })
            .await
            .map_err(|_| Error::internal("the engine did not start"))?;
        let engine = Self { arbiter, dispatcher, budget, registry };
        engine.watch(limiters);
        Ok(engine)
    }

    /// Works on this run, whatever the scope.
    pub fn take_up(&self, run: i64) {
        self.dispatcher.do_send(TakeUp(run));
    }

    /// Ends the process if a core actor is gone: the others would wait for it for ever.
    fn watch(&self, limiters: BTreeMap<String, Addr<RateLimiter>>) {
        let (dispatcher, budget, registry) = (self.dispatcher.clone(), self.budget.clone(), self.registry.clone());
        self.arbiter.spawn(async move {
            loop {
                tokio::time::sleep(CHECK_INTERVAL).await;
                let alive = [dispatcher.connected(), budget.connected(), registry.connected()];
                if alive.contains(&false) || !limiters.values().all(Addr::connected) {
                    tracing::error!("a core actor died, ending the process: a restart goes on where it stopped");
                    std::process::abort();
                }
            }
        });
    }

    /// Claims nothing more, lets calls under way finish for up to 25 s, books their answers and releases the rest.
    pub async fn shut_down(self) {
        let drained = tokio::time::timeout(SHUT_DOWN_TIMEOUT, self.dispatcher.send(Drain)).await;
        if !matches!(drained, Ok(Ok(()))) {
            tracing::warn!("calls under way were cut off: their interviews are asked again");
        }
        let _ = self.budget.send(Flush).await;
        let _ = self.registry.send(Leave).await;
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.arbiter.stop();
    }
}

/// Joins the other workers. If there are none, repairs what a crash left: leases of dead workers, and runs whose row and
/// answers disagree.
async fn join(pool: &AsyncPool, database_url: &str, id: Uuid) -> Result<AsyncPgConnection> {
    let joined = workers::join(database_url, id).await;
    let (session, freed) = joined.map_err(|error| Error::internal(format!("joining the workers: {error}")))?;
    if let Some(freed) = freed {
        if freed > 0 {
            tracing::info!(interviews = freed, "going on with interviews that were under way");
        }
        let mut conn = db::checkout(pool).await?;
        for run in simulations::run_statuses(&mut conn, &[]).await? {
            simulations::reconcile::refresh(&mut conn, run.id).await?;
        }
    }
    Ok(session)
}
