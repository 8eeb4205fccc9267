//! The engine: who asks whom.
//!
//! ```text
//! Fleet ──share, blocks──► RateLimiter ◄──permits── PersonaActor ×N ──reports──► BudgetActor ──► settlers
//!   │ bell                                           ▲ orders, texts │ endings
//!   └─────► Dispatcher ──claimed interviews──► Supervisor ×runs ◄────┘
//!                └──────────── room ◄──────────────┘
//! ```
//!
//! All of them live on one thread of their own, so that a message costs no wake-up of another core; the settlers block
//! on the database on theirs. A core actor that dies takes the process with it: leases recover what it held.

pub mod budget;
pub mod dispatcher;
mod interview;
pub mod limiter;
mod persona;
mod supervisor;
pub mod workers;

use std::time::Duration;

use actix::prelude::*;
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use self::budget::{BudgetActor, Flush};
use self::dispatcher::{Dispatcher, Drain, TakeUp, Tools};
use self::limiter::{Limits, RateLimiter};
use self::workers::{Fleet, Introduce, Leave};
use crate::config::ModelConfig;
use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::llm::Llm;
use crate::models::simulations;

/// Threads that settle, and connections that interviews share.
const SETTLERS: usize = 2;
const CONNECTIONS: u32 = 6;
/// How long calls under way may take to finish at the end.
const GRACE: Duration = Duration::from_secs(25);
const WATCH: Duration = Duration::from_secs(1);

/// What the engine is to work with.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    pub database_url: String,
    pub model: ModelConfig,
    /// The model server's base address: the configured one, or the built-in demo model's.
    pub base_url: String,
    pub max_running: usize,
    pub scope: Scope,
}

/// Which runs a worker works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Everything,
    /// Those that [`Engine::take_up`] names.
    Chosen,
}

/// A running engine. Dropping it without [`Engine::shut_down`] is a crash: leases recover the rest.
pub struct Engine {
    arbiter: Arbiter,
    dispatcher: Addr<Dispatcher>,
    budget: Addr<BudgetActor>,
    fleet: Addr<Fleet>,
}

impl Engine {
    /// Recovers what a crash left, then takes up every run that may go.
    pub async fn start(config: EngineConfig) -> Result<Self> {
        let id = Uuid::new_v4();
        let pool = AsyncPool::open(&config.database_url, CONNECTIONS).await?;
        let session = join(&pool, &config.database_url, id).await?;
        let settlers = db::blocking_pool(&config.database_url, SETTLERS as u32)?;
        let llm = Llm::new(&config.model, &config.base_url)?;
        let limits =
            Limits { rpm: config.model.rpm, tpm: config.model.tpm, max_concurrency: config.model.max_concurrency };
        let arbiter = Arbiter::new();
        let fleet = Fleet::start_in_arbiter(&arbiter.handle(), {
            let url = config.database_url.clone();
            move |_| Fleet::new(id, url, session)
        });
        let limiter = RateLimiter::start_in_arbiter(&arbiter.handle(), {
            let tell = fleet.clone().recipient();
            move |_| RateLimiter::new(limits, tell)
        });
        let budget = BudgetActor::start_in_arbiter(&arbiter.handle(), move |_| BudgetActor::new(settlers, SETTLERS));
        let tools = Tools {
            pool,
            llm,
            limits,
            max_attempts: config.model.max_attempts,
            max_running: config.max_running,
            scope: config.scope,
            limiter: limiter.clone(),
            budget: budget.clone(),
            fleet: fleet.clone(),
        };
        let dispatcher = Dispatcher::start_in_arbiter(&arbiter.handle(), move |_| Dispatcher::new(tools));
        fleet
            .send(Introduce { dispatcher: dispatcher.clone(), limiter: limiter.clone() })
            .await
            .map_err(|_| Error::internal("the engine did not start"))?;
        let engine = Self { arbiter, dispatcher, budget, fleet };
        engine.watch(limiter);
        Ok(engine)
    }

    /// Works on this run, whatever the scope.
    pub fn take_up(&self, run: i64) {
        self.dispatcher.do_send(TakeUp(run));
    }

    /// Ends the process when a core actor is gone: half an engine would wait for ever.
    fn watch(&self, limiter: Addr<RateLimiter>) {
        let (dispatcher, budget, fleet) = (self.dispatcher.clone(), self.budget.clone(), self.fleet.clone());
        self.arbiter.spawn(async move {
            loop {
                tokio::time::sleep(WATCH).await;
                let alive = [dispatcher.connected(), budget.connected(), fleet.connected(), limiter.connected()];
                if alive.contains(&false) {
                    tracing::error!("a core actor died, ending the process: a restart goes on where it stopped");
                    std::process::abort();
                }
            }
        });
    }

    /// Claims nothing more, lets calls under way finish for up to 25 s, books what they brought and hands back the rest.
    pub async fn shut_down(self) {
        let drained = tokio::time::timeout(GRACE, self.dispatcher.send(Drain)).await;
        if !matches!(drained, Ok(Ok(()))) {
            tracing::warn!("calls under way were cut off: their interviews are asked again");
        }
        let _ = self.budget.send(Flush).await;
        let _ = self.fleet.send(Leave).await;
        self.arbiter.stop();
    }
}

/// Joins the other workers and, where there are none, puts right what a crash left behind: leases of workers that are
/// dead, and runs whose row and answers disagree.
async fn join(pool: &AsyncPool, database_url: &str, id: Uuid) -> Result<AsyncPgConnection> {
    let joined = workers::join(database_url, id).await;
    let (session, freed) = joined.map_err(|error| Error::internal(format!("joining the workers: {error}")))?;
    if let Some(freed) = freed {
        if freed > 0 {
            tracing::info!(interviews = freed, "going on with interviews that were under way");
        }
        let mut conn = db::checkout(pool).await?;
        for standing in simulations::standings(&mut conn, &[]).await? {
            simulations::reconcile::refresh(&mut conn, standing.id).await?;
        }
    }
    Ok(session)
}
