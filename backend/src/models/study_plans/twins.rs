//! The personas that a plan refers to: those of the set that was current at the freeze, drawn by the planned seed.

use std::collections::BTreeSet;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::plans::content::FrozenTwins;
use simulation::plans::differences::PlanDifference;
use simulation::plans::document::PlannedRuns;

use crate::models::{personas, simulation_personas};
use crate::schema::{simulations, study_runs};

/// Returns the set of a study that was started already, else the current one. `None`: there is none.
pub(super) async fn load(conn: &mut AsyncPgConnection, study_id: Option<i64>) -> QueryResult<Option<FrozenTwins>> {
    let set_id = match study_id {
        Some(study) => Some(asked(conn, study).await?.set_id),
        None => personas::current_set(conn).await?.map(|set| set.id),
    };
    let Some(set_id) = set_id else { return Ok(None) };
    Ok(Some(FrozenTwins { set_id, twins: personas::count(conn, set_id).await? }))
}

/// The personas of a study's runs, which are the same in each.
struct AskedTwins {
    set_id: i32,
    count: i32,
    seed: Option<i64>,
    simulation: i64,
}

async fn asked(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<AskedTwins> {
    let (simulation, set_id, count, parameters): (i64, i32, i32, serde_json::Value) = simulations::table
        .inner_join(study_runs::table)
        .filter(study_runs::study_id.eq(study_id))
        .order(simulations::id)
        .select((simulations::id, simulations::persona_set_id, simulations::persona_count, simulations::parameters))
        .first(conn)
        .await?;
    Ok(AskedTwins { set_id, count, seed: parameters["seed"].as_i64(), simulation })
}

/// Compares the personas of a study's runs with the planned ones: another set, or others than the seed draws.
pub(super) async fn differences(
    conn: &mut AsyncPgConnection,
    planned: &PlannedRuns,
    frozen: Option<&FrozenTwins>,
    study_id: i64,
) -> QueryResult<Vec<PlanDifference>> {
    let AskedTwins { set_id, count, seed, simulation } = asked(conn, study_id).await?;
    let mut found = Vec::new();
    if let Some(frozen) = frozen.filter(|frozen| frozen.set_id != set_id) {
        let now = FrozenTwins { set_id, twins: personas::count(conn, set_id).await? };
        found.push(PlanDifference::new("run: set of twins", Some(frozen.in_words()), Some(now.in_words())));
    }
    // Without a number, the plan says nothing about which personas are asked.
    if let (Some(_), Some(seed)) = (planned.persona_count, seed) {
        let drawn: BTreeSet<i32> = personas::choose(conn, set_id, count, seed).await?.into_iter().collect();
        let asked: BTreeSet<i32> = simulation_personas::ids(conn, simulation).await?.into_iter().collect();
        if drawn != asked {
            let chosen = format!("{count} chosen ones");
            found.push(PlanDifference::new("run: twins", Some("drawn by the seed".to_owned()), Some(chosen)));
        }
    }
    Ok(found)
}
