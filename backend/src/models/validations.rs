//! Studies that measure personas against held-out answers.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Bool, Double, Integer, Jsonb, Nullable, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::parameters::PersonaVariant;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::schema::validations;

/// A validation with its study.
#[derive(Clone, Debug, QueryableByName, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValidationStudy {
    #[diesel(sql_type = BigInt)]
    #[serde(skip)]
    pub id: i64,
    #[diesel(sql_type = SqlUuid)]
    pub study_id: Uuid,
    #[diesel(sql_type = Integer)]
    pub set_id: i32,
    /// Source of the twins.
    #[diesel(sql_type = Text)]
    pub source: String,
    /// Invented people with invented answers: they show how a validation works, and nothing about models.
    #[diesel(sql_type = Bool)]
    pub synthetic: bool,
    #[diesel(sql_type = Bool)]
    #[serde(skip)]
    pub quick: bool,
    /// The persona variant that the tasks and verdicts are about.
    #[diesel(sql_type = Text)]
    pub headline: String,
    /// Figures, once all runs are over.
    #[diesel(sql_type = Nullable<Jsonb>)]
    #[serde(skip)]
    pub figures: Option<serde_json::Value>,
    #[diesel(sql_type = diesel::sql_types::Timestamptz)]
    pub created_at: DateTime<Utc>,
}

const SELECT: &str = "SELECT studies.id, studies.study_id, sets.id AS set_id, sets.source, sets.synthetic,
         validations.quick, validations.headline, validations.figures, studies.created_at
     FROM validations JOIN studies ON studies.id = validations.study_id
         JOIN persona_sets AS sets ON sets.id = validations.persona_set_id";

pub async fn insert(
    conn: &mut AsyncPgConnection,
    study_id: i64,
    set_id: i32,
    quick: bool,
    headline: PersonaVariant,
) -> QueryResult<()> {
    diesel::insert_into(validations::table)
        .values((
            validations::study_id.eq(study_id),
            validations::persona_set_id.eq(set_id),
            validations::quick.eq(quick),
            validations::headline.eq(headline.name()),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Finds a validation by the study's row id. `None`: the study is no validation.
pub async fn find(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<Option<ValidationStudy>> {
    let query = sql_query(format!("{SELECT} WHERE studies.id = $1")).bind::<BigInt, _>(study_id);
    query.get_result(conn).await.optional()
}

pub async fn is_one(conn: &mut AsyncPgConnection, study_id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(validations::table.find(study_id))).get_result(conn).await
}

/// Returns the newest validation whose runs are over and that asked this model about the same set, with this variant
/// and temperature.
pub async fn newest(
    conn: &mut AsyncPgConnection,
    set_id: i32,
    variant: PersonaVariant,
    model: &str,
    temperature: Option<f64>,
) -> QueryResult<Option<ValidationStudy>> {
    sql_query(format!(
        "{SELECT} WHERE validations.persona_set_id = $1 AND EXISTS (
             SELECT FROM study_runs JOIN simulations AS run ON run.id = study_runs.simulation_id
             WHERE study_runs.study_id = studies.id AND run.parameters->>'personaVariant' = $2
                 AND run.parameters->>'model' = $3 AND (run.parameters->>'temperature')::float8 IS NOT DISTINCT FROM $4
                 AND run.status IN ('COMPLETED', 'FAILED') AND run.successful_requests > 0)
         ORDER BY studies.id DESC LIMIT 1"
    ))
    .bind::<Integer, _>(set_id)
    .bind::<Text, _>(variant.name())
    .bind::<Text, _>(model)
    .bind::<Nullable<Double>, _>(temperature)
    .get_result(conn)
    .await
    .optional()
}

/// Stores the figures computed when all runs were over, unless one has begun again since.
pub async fn keep(conn: &mut AsyncPgConnection, study_id: i64, figures: &serde_json::Value) -> QueryResult<()> {
    sql_query(
        "UPDATE validations SET figures = $2 WHERE study_id = $1 AND NOT EXISTS (
             SELECT FROM study_runs JOIN simulations AS run ON run.id = study_runs.simulation_id
             WHERE study_runs.study_id = $1 AND run.status NOT IN ('STOPPED', 'COMPLETED', 'FAILED'))",
    )
    .bind::<BigInt, _>(study_id)
    .bind::<Jsonb, _>(figures)
    .execute(conn)
    .await?;
    Ok(())
}

/// Deletes the figures of the validation that the run belongs to, if it does, because the run asks again.
pub async fn forget(conn: &mut AsyncPgConnection, simulation_id: i64) -> QueryResult<()> {
    sql_query(
        "UPDATE validations SET figures = NULL
         WHERE study_id = (SELECT study_id FROM study_runs WHERE simulation_id = $1) AND figures IS NOT NULL",
    )
    .bind::<BigInt, _>(simulation_id)
    .execute(conn)
    .await?;
    Ok(())
}
