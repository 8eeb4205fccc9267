//! Cancels batches of runs that are over. Every worker looks for them.

use std::time::Duration;

use simulation::parameters::DEFAULT_SERVER;

use crate::db::{self, AsyncPool};
use crate::engine::clients::{NoClient, RunClients};
use crate::error::Result;
use crate::llm::{BatchError, CallError, Llm};
use crate::models::batches::{self, LeftOver, RunBatch};

/// How long one look for such batches may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// [`cancel_left_over`], as far as that goes in a bearable time: what is left is cancelled at the next look.
pub async fn cancel_of_runs(pool: &AsyncPool, clients: &RunClients, chosen: Option<Vec<i64>>) {
    let cancel = cancel_left_over(pool, clients, chosen);
    if let Ok(Err(error)) = tokio::time::timeout(TIMEOUT, cancel).await {
        tracing::warn!(%error, "could not look for batches of runs that are over");
    }
}

/// Cancels the batches of runs that are over. `chosen`: of these runs alone. What such a batch brought is read if its run
/// is continued.
pub async fn cancel_left_over(pool: &AsyncPool, clients: &RunClients, chosen: Option<Vec<i64>>) -> Result<()> {
    let mut conn = db::checkout(pool).await?;
    for LeftOver { batch, server, group_id, key_owner } in batches::left_over(&mut conn, chosen).await? {
        let server = server.as_deref().unwrap_or(DEFAULT_SERVER);
        let llm = &match clients.find(&mut conn, server, (group_id, key_owner)).await {
            Ok(client) => client.llm,
            Err(NoClient::Pauses { reason, .. }) => {
                tracing::warn!(simulation = batch.simulation_id, reason, "a batch could not be cancelled");
                continue;
            }
            Err(NoClient::Fault(error)) => return Err(error),
        };
        let found = match (&batch.batch_id, &batch.input_file_id) {
            (Some(id), _) => Ok(Some(id.clone())),
            (None, Some(file)) => withdraw(llm, &batch, file).await,
            (None, None) => Ok(None),
        };
        let cancelled = match &found {
            Ok(Some(id)) => llm.cancel_batch(id).await,
            Ok(None) => Ok(()),
            Err(reason) => Err(reason.clone()),
        };
        match cancelled {
            Ok(()) => {}
            // It is over, or gone.
            Err(BatchError::NotThere(_) | BatchError::Call(CallError::Rejected { .. })) => {}
            Err(BatchError::Call(CallError::Transient { code: "conflict", .. })) => {}
            Err(reason) => {
                tracing::warn!(simulation = batch.simulation_id, %reason, "a batch could not be cancelled");
                continue;
            }
        }
        match found {
            Ok(Some(id)) if batch.batch_id.is_none() => {
                batches::set_id(&mut conn, &batch, &id).await?;
                batches::note_cancelled(&mut conn, &RunBatch { batch_id: Some(id), ..batch }).await?;
            }
            Ok(None) if batch.input_file_id.is_some() => batches::note_withdrawn(&mut conn, &batch).await?,
            _ => batches::note_cancelled(&mut conn, &batch).await?,
        }
    }
    Ok(())
}

/// The batch of this file, if it was submitted. Where it was not, it may be on its way: without its file, which is deleted,
/// the server does not take it any more, and what it took just before is found after that.
async fn withdraw(llm: &Llm, batch: &RunBatch, file: &str) -> Result<Option<String>, BatchError> {
    let find = async || Ok(llm.find_batch(file, batch.token).await?.map(|found| found.id));
    if let Some(found) = find().await? {
        return Ok(Some(found));
    }
    match llm.delete_file(file).await {
        Ok(()) | Err(BatchError::NotThere(_)) => find().await,
        Err(reason) => Err(reason),
    }
}
