//! Claims interviews of runs from the queue, with all that is needed to begin them.

use std::collections::HashMap;
use std::sync::Arc;

use actix::prelude::*;
use diesel::QueryResult;
use diesel_async::AsyncConnection;
use tokio::time::Instant;

use super::{Dispatcher, DispatcherResources};
use crate::db;
use crate::engine::messages::{Claimed, RunContext};
use crate::error::Result;
use crate::models::simulations::{self, interviews};
use crate::models::{self, assignments, queue};

/// What a claim for a run brought.
#[derive(Message)]
#[rtype(result = "()")]
pub(super) struct ClaimEnded {
    pub run: i64,
    /// Interviews asked for.
    pub wanted: usize,
    pub claimed: Result<Vec<Claimed>>,
}

/// Reports each claim as soon as it is made: the first run's interviews start while the next run's are claimed.
pub(super) async fn claim_in_turn(
    resources: DispatcherResources,
    wanted: Vec<(Arc<RunContext>, usize)>,
    dispatcher: Addr<Dispatcher>,
) {
    for (run, wanted) in wanted {
        let claimed = db::in_time(claim(&resources, &run, wanted)).await;
        let _ = dispatcher.send(ClaimEnded { run: run.id, wanted, claimed }).await;
    }
}

/// One transaction: if the claimed interviews cannot be read, there is no claim and no delivery counts.
async fn claim(resources: &DispatcherResources, run: &RunContext, quantity: usize) -> Result<Vec<Claimed>> {
    let mut conn = db::checkout(&resources.pool).await?;
    let claimed_at = Instant::now();
    let claimed = conn.transaction(async |conn| {
        simulations::mark_running(conn, run.id).await?;
        let (lease, process) = (resources.timings.interview_lease, resources.process);
        let claims = queue::claim(conn, run.id, quantity as i32, lease, process).await?;
        if claims.is_empty() {
            return Ok(Vec::new());
        }
        // After the claim: a run that was stopped and asked again since the last scan has another pass by now.
        let retries_failed = simulations::retries_failed(conn, run.id).await?;
        let personas: Vec<i32> = claims.iter().map(|claim| claim.persona_id).collect();
        let mut standings = match &run.plan {
            None => HashMap::new(),
            Some(plan) => assignments::standings(conn, run.id, plan, retries_failed, &personas).await?,
        };
        let mut open = match run.plan {
            None => {
                let questions: Vec<i64> = run.questions.iter().map(|question| question.id).collect();
                interviews::open_questions(conn, run.id, retries_failed, &questions, &personas).await?
            }
            Some(_) => {
                let open =
                    standings.iter().map(|(persona, standing)| (*persona, standing.open.iter().copied().collect()));
                open.collect()
            }
        };
        let mut waiting = match run.parameters.batch {
            true => models::batches::waiting(conn, run.id, &personas).await?,
            false => HashMap::new(),
        };
        let variant = run.parameters.persona_variant;
        let lengths = interviews::text_lengths(conn, run.persona_set_id, variant, &personas).await?;
        let interviews = claims.into_iter().map(|claim| {
            let open = open.remove(&claim.persona_id).unwrap_or_default();
            Claimed {
                persona_id: claim.persona_id,
                lease: claim.lease(),
                claimed_at,
                breaks: claim.breaks(open.len()),
                open,
                text_length: lengths.get(&claim.persona_id).copied().unwrap_or_default(),
                standing: standings.remove(&claim.persona_id).map(Box::new),
                waiting: waiting.remove(&claim.persona_id).map(Box::new),
            }
        });
        QueryResult::Ok(interviews.collect())
    });
    Ok(claimed.await?)
}
