//! Repeats the assignment of the runs with a design, and walks through their interviews again.

use std::collections::HashMap;

use diesel::QueryResult;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::parameters::Parameters;
use simulation::progress::InterviewProgress;
use simulation::row::Simulation;
use simulation::status::Status;
use survey::assign::assign_cell;
use survey::plan::Plan;
use survey::twin::Twin;
use survey::walk::{self, InterviewState, Reason, reachable};

use super::result::{CheckResult, finding};
use crate::models::assignments::{self, TwinAssignment};
use crate::models::simulations::{self, plans};
use crate::schema::simulation_designs;

const DEALT: &str = "each twin was dealt what the seed of its run deals, and can be asked what was held for it";
const SHOWN: &str = "what a twin was not shown is what its arms and answers hide";

/// Breaches of one run, by check.
#[derive(Default)]
struct Breaches {
    dealt: Vec<String>,
    shown: Vec<String>,
}

pub(super) async fn checks(conn: &mut AsyncPgConnection) -> QueryResult<[CheckResult; 2]> {
    let ids: Vec<i64> = simulation_designs::table
        .select(simulation_designs::simulation_id)
        .order(simulation_designs::simulation_id)
        .load(conn)
        .await?;
    let mut all = Breaches::default();
    for id in ids {
        let Breaches { dealt, shown } = of_run(conn, id).await?;
        all.dealt.extend(dealt);
        all.shown.extend(shown);
    }
    Ok([finding(DEALT, all.dealt), finding(SHOWN, all.shown)])
}

async fn of_run(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Breaches> {
    let Some(run) = simulations::find(conn, id).await? else { return Ok(Breaches::default()) };
    let unreadable = |reason: &str| {
        let dealt = vec![format!("simulation {id}: its design cannot be read: {reason}")];
        Ok(Breaches { dealt, ..Breaches::default() })
    };
    let (snapshot, parameters) = match (run.snapshot(), run.parameters()) {
        (Ok(snapshot), Ok(parameters)) => (snapshot, parameters),
        (Err(error), _) | (_, Err(error)) => return unreadable(&error.to_string()),
    };
    let plan = match plans::compile(&snapshot) {
        // The run of an erased account.
        Ok(None) if snapshot.questions.is_empty() => return Ok(Breaches::default()),
        Ok(None) => return unreadable("there is none"),
        Ok(Some(plan)) => plan,
        Err(reason) => return unreadable(&reason),
    };
    let stored = assignments::dealt(conn, id).await?;
    let twins: Vec<Twin> = stored.iter().map(|dealt| dealt.twin.clone()).collect();
    let again = match (parameters.reproduces, assign_cell(&plan, parameters.seed, &twins, &parameters.arms())) {
        // The assignments were copied from another run, which may have had more personas.
        (Some(_), _) => stored.iter().map(|dealt| dealt.assignment.clone()).collect(),
        (None, Ok(again)) => again,
        (None, Err(refusal)) => return unreadable(&refusal.to_string()),
    };
    let differs = stored.iter().zip(again).filter(|(dealt, again)| {
        dealt.assignment != *again || dealt.requests as usize != reachable(&plan, &dealt.twin, again).len()
    });
    let dealt = differs.map(|(dealt, _)| persona(&run, dealt.twin.id)).collect();
    let shown = shown(conn, &run, &plan, &parameters, &stored).await?;
    Ok(Breaches { dealt, shown })
}

/// Lists personas from whom a request was hidden although it had to be shown, or, in a completed run, the reverse.
async fn shown(
    conn: &AsyncPgConnection,
    run: &Simulation,
    plan: &Plan,
    parameters: &Parameters,
    dealt: &[TwinAssignment],
) -> QueryResult<Vec<String>> {
    let ids: Vec<i32> = dealt.iter().map(|dealt| dealt.twin.id).collect();
    let interviews = assignments::interview_progress(conn, run.id, plan, false, &ids).await?;
    let has_asked_all = matches!(run.status, Status::Completed | Status::Failed);
    let breaches = interviews.values().filter(|progress| {
        let hidden = hidden(plan, parameters, progress);
        let is_hidden = |(id, reason): (&i64, &Reason)| hidden.get(id) == Some(reason);
        let stored = &progress.not_shown;
        !stored.iter().all(is_hidden) || has_asked_all && stored.len() != hidden.len()
    });
    Ok(breaches.map(|progress| persona(run, progress.twin.id)).collect())
}

/// Returns the requests that a persona's arms and stored answers hide, by question id.
fn hidden(plan: &Plan, parameters: &Parameters, progress: &InterviewProgress) -> HashMap<i64, Reason> {
    let progress = walk::next(InterviewState {
        plan,
        twin: &progress.twin,
        assignment: &progress.assignment,
        parameters: parameters.of_walk(),
        walked: None,
        answers: &progress.answers,
        failed: &progress.failed,
    });
    progress.skipped.into_iter().collect()
}

fn persona(run: &Simulation, id: i32) -> String {
    format!("simulation {}, persona {id}", run.id)
}
