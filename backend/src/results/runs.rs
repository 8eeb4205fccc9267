//! Loads runs with everything that their files and pages show.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::row::Simulation;
use simulation::run::{self, Run};

use crate::error::{Error, Result};
use crate::models::simulation_personas;
use crate::models::simulations::plans;
use crate::schema::{persona_sets, simulations};

/// A run by its row id, with the time of its last change if it is over: then its answers do not change without one.
pub type RunVersion = (i64, Option<DateTime<Utc>>);

/// Loads a run. Fails with bad input if there is no such run.
pub async fn load(mut conn: &AsyncPgConnection, simulation: i64) -> Result<Run> {
    let found = simulations::table.find(simulation).first(&mut conn).await;
    let missing = || Error::bad_input(format!("there is no simulation {simulation}"));
    let facts: Simulation = found.optional()?.ok_or_else(missing)?;
    let (personas_source, synthetic) = persona_sets::table
        .find(facts.persona_set_id)
        .select((persona_sets::source, persona_sets::synthetic))
        .first(&mut conn)
        .await?;
    let survey = run::snapshot(&facts)?;
    let plan = plans::compiled(&facts.survey_hash, &survey).await.map_err(|reason| run::unplanned(&facts, &reason))?;
    Ok(Run::with_plan(facts, survey, plan, personas_source, synthetic)?)
}

/// Reads the labels of the twins' attributes.
pub async fn with_attributes(mut run: Run, conn: &mut AsyncPgConnection) -> Result<Run> {
    run.attributes = simulation_personas::attribute_labels(conn, run.facts.id).await?;
    Ok(run)
}
