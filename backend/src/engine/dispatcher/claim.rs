//! Claims interviews for the runs of a worker, one run after another.

use std::sync::Arc;

use actix::prelude::*;

use super::resources::DispatcherResources;
use crate::db;
use crate::engine::messages::RunContext;
use crate::error::Result;
use crate::models::simulations::claims::{Claimed, NewClaim};

/// A claim for a run is over.
#[derive(Message)]
#[rtype(result = "()")]
pub struct ClaimEnded {
    pub run: i64,
    /// Interviews asked for.
    pub wanted: usize,
    pub claimed: Result<Vec<Claimed>>,
}

/// Reports each claim as soon as it is made: the first run's interviews start while the next run's are claimed.
pub async fn claim_in_turn(
    resources: DispatcherResources,
    wanted: Vec<(Arc<RunContext>, usize)>,
    dispatcher: Recipient<ClaimEnded>,
) {
    for (run, wanted) in wanted {
        let claimed = db::in_time(claim(&resources, &run, wanted)).await;
        let _ = dispatcher.send(ClaimEnded { run: run.id, wanted, claimed }).await;
    }
}

async fn claim(resources: &DispatcherResources, run: &RunContext, quantity: usize) -> Result<Vec<Claimed>> {
    let mut conn = db::checkout(&resources.pool).await?;
    let claim = NewClaim {
        simulation_id: run.id,
        persona_set_id: run.persona_set_id,
        parameters: &run.parameters,
        questions: &run.questions,
        plan: run.plan.as_deref(),
        quantity,
        lease: resources.timings.interview_lease,
        process: resources.process,
        after: run.after,
    };
    Ok(claim.claim(&mut conn).await?)
}
