//! A command's hold on the runs that it conducts, and the runs of commands that have ended.

use std::time::Duration;

use diesel_async::AsyncPgConnection;
use rand::RngExt;
use tokio::time::sleep;

use crate::db::{self, AsyncPool};
use crate::error::{Error, Result};
use crate::models::simulate_commands;
use crate::models::simulations::SimulationRefusal;

/// Interval at which the hold is checked.
const INTERVAL: Duration = Duration::from_secs(2);

/// A session with the lock that shows others that this command is alive.
pub struct ConductLock {
    session: AsyncPgConnection,
    pub number: i64,
}

impl ConductLock {
    pub async fn take(database_url: &str) -> Result<Self> {
        let session = db::session(database_url).await;
        let mut session = session.map_err(|reason| Error::internal(format!("cannot reach the database: {reason}")))?;
        let number = rand::rng().random_range(1..i64::MAX);
        simulate_commands::lock(&mut session, number).await?;
        Ok(Self { session, number })
    }

    /// Holds the runs until it is dropped, with a new session if one breaks.
    pub async fn keep(mut self, database_url: String, runs: Vec<i64>) {
        loop {
            match self.keep_once(&runs).await {
                Ok(()) => sleep(INTERVAL).await,
                Err(reason) => {
                    tracing::warn!(%reason, "the command's hold on its runs broke, taking it again");
                    sleep(INTERVAL).await;
                    if let Ok(hold) = Self::take(&database_url).await {
                        self = hold;
                    }
                }
            }
        }
    }

    async fn keep_once(&mut self, runs: &[i64]) -> std::result::Result<(), SimulationRefusal> {
        for run in runs {
            simulate_commands::keep(&mut self.session, *run, self.number).await?;
        }
        Ok(())
    }
}

/// Pauses the runs whose command has ended, and lists the paused ones.
pub async fn name_abandoned(pool: &AsyncPool) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    simulate_commands::pause_abandoned(&mut conn).await?;
    for run in simulate_commands::abandoned(&mut conn).await? {
        let (id, answered, asked) = (run.simulation_id, run.successful_requests, run.total_requests);
        tracing::warn!(
            "simulation {id} is unfinished, because its command ended ({answered} of {asked} answered): \
             `twinlab simulate --resume {id} --out FILE` goes on, `twinlab simulate --stop {id}` ends it"
        );
    }
    Ok(())
}
