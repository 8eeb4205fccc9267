//! Work that repeats while the server runs: sending mails, erasing personal data once a day, and cleaning up after
//! commands and runs that have ended.

use std::time::Duration;

use actix_web::web::Data;

use crate::app::App;
use crate::db;
use crate::error::{Error, Result};
use crate::mail::outbox;
use crate::models::{erasure, queue, simulate_commands};

/// Interval of checks for due mails, if none was announced.
const MAIL_INTERVAL: Duration = Duration::from_secs(5);
/// Interval of checks for runs whose command has ended.
const COMMAND_INTERVAL: Duration = Duration::from_secs(2);
/// Interval of checks for interviews of ended runs.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
const ERASE_RETRY_DELAY: Duration = Duration::from_secs(600);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs until it is dropped. Each step may run twice, or in several processes at the same time.
pub async fn run(app: Data<App>) {
    futures_util::future::join(
        async {
            loop {
                if let Err(reason) = mail(&app).await {
                    tracing::warn!(%reason, "could not send the mails; retrying");
                }
                let _ = tokio::time::timeout(MAIL_INTERVAL, app.mailer.notified()).await;
            }
        },
        async {
            loop {
                let next = match erase(&app).await {
                    Ok(()) => DAY,
                    Err(reason) => {
                        tracing::error!(%reason, "the daily erasure failed, trying again");
                        ERASE_RETRY_DELAY
                    }
                };
                tokio::time::sleep(next).await;
            }
        },
    )
    .await;
}

/// Does the repeated work of a process with an engine: pauses the runs whose command has ended, and sweeps the queue.
pub async fn run_for_engine(app: Data<App>) {
    futures_util::future::join(
        async {
            loop {
                tokio::time::sleep(COMMAND_INTERVAL).await;
                match db::in_time(pause_abandoned(&app)).await {
                    Ok(0) => {}
                    Ok(runs) => tracing::warn!(runs, "paused the runs of commands that have ended"),
                    Err(reason) => tracing::warn!(%reason, "could not look for commands that have ended"),
                }
            }
        },
        async {
            loop {
                match db::in_time(sweep(&app)).await {
                    Ok(0) => {}
                    Ok(interviews) => tracing::warn!(interviews, "removed interviews of runs that are over"),
                    Err(reason) => tracing::warn!(%reason, "could not look for interviews of runs that are over"),
                }
                tokio::time::sleep(SWEEP_INTERVAL).await;
            }
        },
    )
    .await;
}

async fn pause_abandoned(app: &App) -> Result<usize> {
    Ok(simulate_commands::pause_abandoned(&mut *db::checkout(&app.pool).await?).await?)
}

/// Removes interviews that ended runs have left in the queue, and returns how many there were.
pub async fn sweep(app: &App) -> Result<usize> {
    Ok(queue::sweep(&mut *db::checkout(&app.pool).await?).await?)
}

/// Sends the mails that are due and returns how many were sent.
pub async fn mail(app: &App) -> Result<usize> {
    outbox::deliver(&app.pool, &app.mailer, &app.codes).await
}

/// Erases the personal data of deleted accounts and expired rows.
pub async fn erase(app: &App) -> Result<()> {
    let erase = async {
        let mut conn = db::checkout(&app.pool).await?;
        let erased = erasure::erase_deleted(&mut conn).await?;
        erasure::forget_old(&mut conn).await?;
        Ok::<_, Error>(erased)
    };
    let late = |_| Error::unavailable("the database does not answer");
    let erased = tokio::time::timeout(app.erase_timeout, erase).await.map_err(late)??;
    if erased > 0 {
        tracing::info!(accounts = erased, "erased the data of deleted accounts");
    }
    Ok(())
}
