//! Reads which runs are active, and loads those that are new.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use simulation::row::Simulation;
use simulation::status::Status;

use super::resources::DispatcherResources;
use crate::db;
use crate::engine::clients::NoClient;
use crate::engine::messages::{RunContext, RunState};
use crate::engine::supervisor::SupervisorResources;
use crate::error::Result;
use crate::models::simulations::{self, RunStatus, plans};
use crate::models::{queue, studies};

/// Result of a scan.
pub struct Scan {
    pub statuses: Vec<RunStatus>,
    pub new: Vec<NewRun>,
}

/// A run that is to be taken up.
pub struct NewRun {
    pub run: Arc<RunContext>,
    pub resources: SupervisorResources,
    /// When the key that it asks with was set, if that is its group's.
    pub key_set_at: Option<DateTime<Utc>>,
}

pub fn run_state(status: &RunStatus, attempt: i32, draining: bool) -> RunState {
    match status.status {
        // Stopped and retried since: the interviews held here belong to the attempt that was stopped.
        _ if status.attempt != attempt => RunState::Stopped,
        Status::Queued | Status::Running if !draining => RunState::Running,
        Status::Pending | Status::Queued | Status::Running | Status::Paused => RunState::Paused,
        Status::Stopped | Status::Completed | Status::Failed => RunState::Stopped,
    }
}

/// Reads the active runs and those already known, and loads those that are new. `chosen`: all others are left alone.
pub async fn scan(resources: DispatcherResources, known: Vec<i64>, chosen: Option<HashSet<i64>>) -> Result<Scan> {
    let mut conn = db::checkout(&resources.pool).await?;
    queue::shorten_leases(&mut conn, resources.timings.longest_lease()).await?;
    let statuses = simulations::run_statuses(&mut conn, &known).await?;
    let mut new = Vec::new();
    for status in &statuses {
        let active = matches!(status.status, Status::Queued | Status::Running);
        let in_scope = chosen.as_ref().is_none_or(|chosen| chosen.contains(&status.id));
        if !active || !in_scope || known.contains(&status.id) {
            continue;
        }
        let Some(simulation) = simulations::find(&mut conn, status.id).await? else { continue };
        let (code, message) =
            match load_run(&mut conn, &simulation, resources.max_attempts(simulation.server())).await? {
                Ok(run) => match resources.connect(&mut conn, &simulation, run.parameters.key_owner).await {
                    Ok((resources, key_set_at)) => {
                        new.push(NewRun { run: Arc::new(run), resources, key_set_at });
                        continue;
                    }
                    Err(NoClient::Pauses { code, reason }) => (code, reason),
                    Err(NoClient::Fault(error)) => return Err(error),
                },
                Err(error) => ("unreadable", format!("the run cannot be read by this version: {error}")),
            };
        simulations::control::pause_because(&mut conn, status.id, code, &message).await?;
    }
    Ok(Scan { statuses, new })
}

/// Loads a run, or says why this version cannot read it.
async fn load_run(
    conn: &mut AsyncPgConnection,
    simulation: &Simulation,
    max_attempts: u16,
) -> Result<Result<RunContext, String>> {
    let (snapshot, parameters) = match (simulation.snapshot(), simulation.parameters()) {
        (Ok(snapshot), Ok(parameters)) => (snapshot, parameters),
        (Err(error), _) | (_, Err(error)) => return Ok(Err(error.to_string())),
    };
    let plan = match plans::compiled(&simulation.survey_hash, &snapshot).await {
        Ok(plan) => plan,
        Err(reason) => return Ok(Err(reason)),
    };
    Ok(Ok(RunContext {
        plan,
        id: simulation.id,
        persona_set_id: simulation.persona_set_id,
        attempt: simulation.attempt,
        after: studies::run_before(conn, simulation.id, &parameters).await?,
        parameters,
        questions: snapshot.questions,
        max_attempts,
        refused: AtomicBool::new(false),
        timed_out: AtomicBool::new(false),
    }))
}
