//! Another pass of runs that are over: it asks failed requests, or those that a stop left open.
//!
//! A pass covers one run, or all runs of a study that allow it. Locks are taken in the order survey, runs by id,
//! member, queue.

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;
use simulation::status::Status;

use super::control::{FORGET_PAUSE, NOTHING_REFUSED};
use super::reconcile::{self, Parked};
use super::{SimulationRefusal, costs, hold, lock};
use crate::models::{batches, queue, validations};
use crate::schema::{simulations, study_runs, surveys};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Asks the failed requests of a run that is over.
    RetryFailed,
    /// `STOPPED → QUEUED`: asks what the stop left open. Failed requests stay failed.
    GoOn,
}

impl Pass {
    /// Begins the pass of one run, which holds its own credits.
    pub async fn begin(self, conn: &mut AsyncPgConnection, id: i64) -> Result<Simulation, SimulationRefusal> {
        conn.transaction(async |conn| {
            self.begin_all(conn, &[id]).await?;
            lock(conn, id).await
        })
        .await
    }

    /// Begins the pass of every run that allows it, with credits for all of them or for none. The runs are one, or
    /// belong to one study and one member.
    ///
    /// Returns the ids of those that allow it. If none does, fails with the first one's reason, or with that of a run
    /// that has reached its cost cap.
    /// has cost as much as it may.
    pub async fn begin_all(self, conn: &mut AsyncPgConnection, ids: &[i64]) -> Result<Vec<i64>, SimulationRefusal> {
        conn.transaction(async |conn| {
            let (mut taking, mut needed, mut refused) = (Vec::new(), 0, None);
            for run in lock_for_pass(conn, ids).await? {
                match self.credits(conn, &run).await {
                    Ok(credits) => {
                        needed += credits;
                        taking.push((run, credits));
                    }
                    Err(SimulationRefusal::Database(error)) => return Err(SimulationRefusal::Database(error)),
                    // Reaching the cost cap is a more useful reason than a run that is over.
                    Err(refusal) if refused.is_none() || matches!(refusal, SimulationRefusal::CostCap { .. }) => {
                        refused = Some(refusal);
                    }
                    Err(_) => {}
                }
            }
            let [(first, _), ..] = taking.as_slice() else {
                return Err(refused.unwrap_or(SimulationRefusal::NotFound));
            };
            hold(conn, first.group_id, first.user_id, needed).await?;
            for (run, credits) in &taking {
                self.queue(conn, run.id, *credits).await?;
            }
            queue::notify_workers(conn).await?;
            Ok(taking.iter().map(|(run, _)| run.id).collect())
        })
        .await
    }

    /// Returns the credits that the pass sets aside for the run. Fails if the run does not allow it.
    async fn credits(self, conn: &mut AsyncPgConnection, run: &Simulation) -> Result<i64, SimulationRefusal> {
        let credits = match self {
            Self::RetryFailed if !run.status.is_over() => {
                return Err(SimulationRefusal::WrongState { status: run.status, action: "retried" });
            }
            Self::RetryFailed if run.failed_requests == 0 => return Err(SimulationRefusal::NothingFailed),
            Self::RetryFailed => run.failed_requests,
            Self::GoOn if run.status != Status::Stopped => {
                return Err(SimulationRefusal::WrongState { status: run.status, action: "continued" });
            }
            Self::GoOn if open(run) == 0 => return Err(SimulationRefusal::NothingOpen),
            // Failed requests hold their credits until the pass ends, as in every pass.
            Self::GoOn => open(run) + run.failed_requests,
        };
        costs::refuse_above_cap(conn, run).await?;
        Ok(credits.into())
    }

    /// Makes the pass the run's next attempt and queues the interviews that it asks.
    async fn queue(self, conn: &mut AsyncPgConnection, id: i64, credits: i64) -> Result<(), SimulationRefusal> {
        match self {
            Self::RetryFailed => {
                sql_query(
                    "UPDATE simulations SET status = 'QUEUED', attempt = attempt + 1, retries_failed = true,
                         held = $2, open_requests = failed_requests, failed_requests = 0, completed_at = NULL,
                         updated_at = now()
                     WHERE id = $1",
                )
                .bind::<BigInt, _>(id)
                .bind::<BigInt, _>(credits)
                .execute(conn)
                .await?;
                sql_query("UPDATE request_failures SET retrying = true WHERE simulation_id = $1")
                    .bind::<BigInt, _>(id)
                    .execute(conn)
                    .await?;
            }
            Self::GoOn => {
                sql_query(format!(
                    "UPDATE simulations SET status = 'QUEUED', attempt = attempt + 1, retries_failed = false, held = $3,
                         open_requests = $3::integer - failed_requests, completed_at = NULL, {FORGET_PAUSE},
                         updated_at = now()
                     WHERE id = $1",
                ))
                .bind::<BigInt, _>(id)
                .bind::<Array<Text>, _>(NOTHING_REFUSED.as_slice())
                .bind::<BigInt, _>(credits)
                .execute(conn)
                .await?;
            }
        }
        validations::forget(conn, id).await?;
        let run = lock(conn, id).await?;
        let personas = reconcile::orphans(conn, &run, Parked::Look).await?;
        batches::forget_others(conn, id, &personas).await?;
        Ok(queue::send(conn, id, &personas).await?)
    }
}

fn open(run: &Simulation) -> i32 {
    run.total_requests - run.successful_requests - run.failed_requests
}

/// Returns the runs, locked for another pass. Locks the survey first, like a start, so that only one of the two makes
/// the survey's active run. Runs of one study are active side by side.
async fn lock_for_pass(conn: &mut AsyncPgConnection, ids: &[i64]) -> Result<Vec<Simulation>, SimulationRefusal> {
    let of_study = study_runs::table
        .filter(study_runs::simulation_id.eq(simulations::id))
        .select(study_runs::study_id)
        .single_value();
    let (survey_id, study_id): (i64, Option<i64>) = simulations::table
        .filter(simulations::id.eq_any(ids))
        .select((simulations::survey_id, of_study))
        .first(conn)
        .await
        .optional()?
        .ok_or(SimulationRefusal::NotFound)?;
    let _: i64 = surveys::table.find(survey_id).select(surveys::id).for_no_key_update().first(conn).await?;
    let runs: Vec<Simulation> = simulations::table
        .filter(simulations::id.eq_any(ids))
        .order(simulations::id)
        .for_no_key_update()
        .load(conn)
        .await?;
    let siblings = study_runs::table.filter(study_runs::study_id.nullable().eq(study_id));
    let others = simulations::table
        .filter(simulations::survey_id.eq(survey_id))
        .filter(simulations::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]))
        .filter(simulations::id.ne_all(ids))
        .filter(simulations::id.ne_all(siblings.select(study_runs::simulation_id)));
    let any_over = runs.iter().any(|run| run.status.is_over());
    if any_over && diesel::select(diesel::dsl::exists(others)).get_result(conn).await? {
        return Err(SimulationRefusal::AlreadyActive);
    }
    Ok(runs)
}
