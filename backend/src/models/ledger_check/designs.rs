//! Deals again what the runs with a design dealt.

use diesel::QueryResult;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::{EXAMPLES, Finding};
use crate::design::assign::assign;
use crate::design::twin::Twin;
use crate::design::walk::reachable;
use crate::models::{assignments, simulations};
use crate::schema::simulation_designs;

pub(super) const DEALT: &str =
    "each twin was dealt what the seed of its run deals, and can be asked what was held for it";

pub(super) async fn dealt(conn: &mut AsyncPgConnection) -> QueryResult<Finding> {
    let ids: Vec<i64> = simulation_designs::table
        .select(simulation_designs::simulation_id)
        .order(simulation_designs::simulation_id)
        .load(conn)
        .await?;
    let mut breaches = Vec::new();
    for id in ids {
        breaches.extend(of_run(conn, id).await?);
    }
    let found = breaches.len() as i64;
    breaches.sort();
    breaches.truncate(EXAMPLES as usize);
    Ok(Finding { check: DEALT, breaches: found, examples: breaches })
}

async fn of_run(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<String>> {
    let Some(run) = simulations::find(conn, id).await? else { return Ok(Vec::new()) };
    let unreadable = |reason: &str| Ok(vec![format!("simulation {id}: its design cannot be read: {reason}")]);
    let (snapshot, parameters) = match (run.snapshot(), run.parameters()) {
        (Ok(snapshot), Ok(parameters)) => (snapshot, parameters),
        (Err(error), _) | (_, Err(error)) => return unreadable(&error.to_string()),
    };
    let plan = match snapshot.plan() {
        // Of an erased account.
        Ok(None) if snapshot.questions.is_empty() => return Ok(Vec::new()),
        Ok(None) => return unreadable("there is none"),
        Ok(Some(plan)) => plan,
        Err(reason) => return unreadable(&reason),
    };
    let stored = assignments::dealt(conn, id, None).await?;
    let twins: Vec<Twin> = stored.iter().map(|dealt| dealt.twin.clone()).collect();
    let again = match assign(&plan, parameters.seed, &twins) {
        Ok(again) => again,
        Err(refusal) => return unreadable(&refusal.to_string()),
    };
    let differs = stored.iter().zip(again).filter(|(dealt, again)| {
        dealt.assignment != *again || dealt.requests as usize != reachable(&plan, &dealt.twin, again).len()
    });
    Ok(differs.map(|(dealt, _)| format!("simulation {id}, persona {}", dealt.twin.id)).collect())
}
