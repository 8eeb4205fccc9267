//! Work that repeats while the server runs: sending mails, and erasing personal data once a day.

use std::time::Duration;

use actix_web::web::Data;

use crate::app::App;
use crate::db;
use crate::error::{Error, Result};
use crate::mail::outbox;
use crate::models::{erasure, simulate_commands};

/// Time between looks for mails that are due, where none was announced.
const MAIL_INTERVAL: Duration = Duration::from_secs(5);
/// Between two looks for runs whose command has ended.
const COMMAND_INTERVAL: Duration = Duration::from_secs(2);
const ERASE_RETRY_DELAY: Duration = Duration::from_secs(600);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs until it is dropped. Each step may run twice, or in several processes at once.
pub async fn run(app: Data<App>) {
    futures_util::future::join(
        async {
            loop {
                if let Err(reason) = mail(&app).await {
                    tracing::warn!(%reason, "mails wait");
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

/// Pauses the runs whose command has ended, beside a worker. Runs until it is dropped.
pub async fn pause_abandoned(app: Data<App>) {
    loop {
        tokio::time::sleep(COMMAND_INTERVAL).await;
        let paused = async { Ok(simulate_commands::pause_abandoned(&mut *db::checkout(&app.pool).await?).await?) };
        match db::in_time(paused).await {
            Ok(0) => {}
            Ok(runs) => tracing::warn!(runs, "paused what commands left unfinished"),
            Err(reason) => tracing::warn!(%reason, "could not look for commands that have ended"),
        }
    }
}

/// Sends the mails that are due and returns how many went out.
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
