//! The engine: asks the interviews of all active simulations.
//!
//! ```text
//! WorkerRegistry ──share, blocks──► RateLimiter ◄──permits── PersonaActor ×N ──reports──► BudgetActor ──► settlers
//!   │ rescan                                                  ▲ state, texts │ endings
//!   └────────► Dispatcher ──claimed interviews──► Supervisor ×runs ◄─────────┘
//!                   └───────────── freed slots ◄─────┘
//! ```
//!
//! All actors live on one thread of their own, so that a message wakes no other core; only the settlers, which block on
//! the database, have threads of theirs. If a core actor dies, the process ends: leases recover what it held.

pub mod batches;
pub mod budget;
mod config;
pub mod dispatcher;
mod interview;
pub mod limiter;
mod messages;
mod persona;
mod supervisor;
mod timings;
pub mod workers;

use std::time::Duration;

use actix::prelude::*;
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use self::budget::{BudgetActor, Flush, Settlers};
pub use self::config::{EngineConfig, RunScope};
use self::dispatcher::{Dispatcher, Drain, TakeUp};
pub use self::limiter::Limits;
use self::limiter::RateLimiter;
pub use self::timings::Timings;
use self::workers::{Connect, Leave, WorkerRegistry};
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm::Llm;
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
        let EngineConfig { database_url, model, base_url, scope, timings } = config;
        let id = Uuid::new_v4();
        let pool = AsyncPool::open(&database_url, CONNECTIONS).await?;
        let session = join(&pool, &database_url, id).await?;
        let settlers = Settlers::start(&database_url, SETTLERS, timings.settle_timeout)?;
        let llm = Llm::new(&model, &base_url)?;
        let limits = Limits::new(&model);
        let arbiter = Arbiter::new();
        let engine_url = database_url.clone();
        let registry = WorkerRegistry::start_in_arbiter(&arbiter.handle(), move |_| {
            WorkerRegistry::new(id, database_url, timings, session)
        });
        let limiter = RateLimiter::start_in_arbiter(&arbiter.handle(), {
            let workers = registry.clone().recipient();
            move |_| RateLimiter::new(limits, timings, workers)
        });
        let budget = BudgetActor::start_in_arbiter(&arbiter.handle(), move |_| BudgetActor::new(settlers));
        let resources = dispatcher::DispatcherResources {
            process: id,
            supervisor: supervisor::SupervisorResources {
                database_url: engine_url.into(),
                timings,
                contacts: interview::WorkerContacts {
                    pool,
                    llm,
                    limiter: limiter.clone().recipient(),
                    budget: budget.clone().recipient(),
                    call_gate: interview::CallGate::default(),
                },
            },
            max_concurrency: model.max_concurrency,
            max_attempts: model.max_attempts,
            scope,
            workers: registry.clone().recipient(),
            forget: [limiter.clone().recipient(), budget.clone().recipient()],
        };
        let dispatcher = Dispatcher::start_in_arbiter(&arbiter.handle(), move |_| Dispatcher::new(resources));
        registry
            .send(Connect { dispatcher: dispatcher.clone().recipient(), limiter: limiter.clone() })
            .await
            .map_err(|_| Error::internal("the engine did not start"))?;
        let engine = Self { arbiter, dispatcher, budget, registry };
        engine.watch(limiter);
        Ok(engine)
    }

    /// Works on this run, whatever the scope.
    pub fn take_up(&self, run: i64) {
        self.dispatcher.do_send(TakeUp(run));
    }

    /// Ends the process if a core actor is gone: the others would wait for it for ever.
    fn watch(&self, limiter: Addr<RateLimiter>) {
        let (dispatcher, budget, registry) = (self.dispatcher.clone(), self.budget.clone(), self.registry.clone());
        self.arbiter.spawn(async move {
            loop {
                tokio::time::sleep(CHECK_INTERVAL).await;
                let alive = [dispatcher.connected(), budget.connected(), registry.connected(), limiter.connected()];
                if alive.contains(&false) {
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
