//! Values of parameters that a model server refused to calls of runs, since the model was checked.

use chrono::{DateTime, Utc};
use diesel::dsl::max;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use simulation::known_parameters::{KnownParameter, ParameterEffect, ParameterValues};

use crate::schema::model_refusals;

/// Notes that the model does not take this value of a parameter.
pub async fn note(
    conn: &mut AsyncPgConnection,
    server: &str,
    model: &str,
    parameter: &str,
    value: &str,
) -> QueryResult<()> {
    diesel::insert_into(model_refusals::table)
        .values((
            model_refusals::server.eq(server),
            model_refusals::model.eq(model),
            model_refusals::parameter.eq(parameter),
            model_refusals::value.eq(value),
        ))
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}

/// Reads the values that the model refused, and the time of the last refusal. `None`: it refused none.
pub async fn known(
    conn: &mut AsyncPgConnection,
    server: &str,
    model: &str,
) -> QueryResult<Option<(DateTime<Utc>, Vec<KnownParameter>)>> {
    let of_model =
        || model_refusals::table.filter(model_refusals::server.eq(server)).filter(model_refusals::model.eq(model));
    let last: Option<DateTime<Utc>> = of_model().select(max(model_refusals::refused_at)).first(conn).await?;
    let Some(last) = last else { return Ok(None) };
    let rows: Vec<(String, String)> =
        of_model().select((model_refusals::parameter, model_refusals::value)).load(conn).await?;
    let known = rows.into_iter().map(|(parameter, value)| {
        KnownParameter::new(parameter, ParameterValues::Only(vec![value]), ParameterEffect::NotTaken)
    });
    Ok(Some((last, known.collect())))
}

/// Deletes what the model refused.
pub async fn forget(conn: &mut AsyncPgConnection, server: &str, model: &str) -> QueryResult<()> {
    let of_model =
        model_refusals::table.filter(model_refusals::server.eq(server)).filter(model_refusals::model.eq(model));
    diesel::delete(of_model).execute(conn).await?;
    Ok(())
}
